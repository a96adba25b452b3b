"""How much the draws of chains are worth, and whether the chains agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.clades import clade_keys
from treetalk.tree import Tree, as_tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Between the 1.01 of Vehtari et al. (2021), meant for one quantity, and the 1.1 that was usual before: here the largest of
# up to MOST_CLADES clades counts, which is often above 1.01 by chance.
MOST_RHAT = 1.05
# The frequency of a clade then has a standard error of at most sqrt(0.25 / 100) = 0.05.
LEAST_ESS = 100
# MrBayes' manual: below 0.01 is very good, 0.01 to 0.05 may be adequate. It leaves out clades rarer than 0.1 in every run.
MOST_DEVIATION = 0.05
LEAST_FREQUENCY = 0.1
# Clades that nearly all or nearly no draws have change too rarely for R-hat and ESS to mean much.
UNCERTAIN = (0.05, 0.95)
MOST_CLADES = 200
# With fewer draws in half a chain, its variance is hardly known.
LEAST_DRAWS_PER_HALF = 4
# Beyond that, a factor says no more than "much longer".
MOST_FACTOR = 50


def autocorrelation(values: ArrayLike) -> NDArray[np.float64]:
    """Return the autocorrelation of a series at all lags, from 1 at lag 0."""
    series = np.asarray(values, np.float64)
    covariance = _autocovariance(series)
    result: NDArray[np.float64] = covariance / covariance[0]
    return result


def effective_sample_size(values: ArrayLike) -> float:
    """Return how many independent draws would tell as much as these correlated ones.

    Geyer's (1992) initial monotone sequence: sums of two neighbouring autocorrelations are positive and fall in a reversible
    chain, so the sum of all is cut off where they no longer are. Values that never change count as one draw.

    A series and a table of chains are asked different questions. For a series: how precise is its mean? That is what a
    standard error needs. For chains: do they explore the same values, and how well? That is the bulk ESS of Vehtari et
    al. (2021), as ArviZ computes it: all values are replaced by normal scores of their ranks, each chain is split into
    halves, and where halves differ the worth falls. A table of one row is one chain.

    Parameters
    ----------
    values : float array of shape (num_draws,) or (num_chains, num_draws)
        Some function of the chains' states, such as the log posterior, or whether a clade is there.
    """
    array = np.asarray(values, np.float64)
    if array.ndim == 2:
        return _bulk_ess(_as_chains(array))
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"values must be a series of numbers, one for each draw; its shape is {array.shape}")
    if array.min() == array.max():
        return 1.0
    correlation = autocorrelation(array)
    pairs = correlation[: array.size // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0)
    pairs = np.minimum.accumulate(pairs[: negative[0]] if negative.size else pairs)
    return float(array.size / max(2 * pairs.sum() - 1, 1 / array.size))


def split_rhat(values: ArrayLike) -> float:
    """Return how much wider all chains are together than each alone: 1 if they agree, more if they do not.

    The rank-normalised split R-hat of Vehtari et al. (2021), as ArviZ computes it: the larger of the one for the values'
    place and the one for their spread. Each chain is split into halves, so one chain is enough to see a trend. Values
    that never change give 1 if they are the same in all halves, and infinity if every half is stuck somewhere else.

    Parameters
    ----------
    values : float array of shape (num_chains, num_draws)
        Some function of the chains' states; a series is one chain. At least 4 draws.
    """
    halves = _halves(_as_chains(np.atleast_2d(np.asarray(values, np.float64))))
    folded = np.abs(halves - np.median(halves))
    place = _rhat(_normal_scores(halves))
    # Two values, each half of the time, are equally far from the median: there is no spread to compare.
    return place if np.ptp(folded) == 0 else max(place, _rhat(_normal_scores(folded)))


def _as_chains(array: NDArray[np.float64]) -> NDArray[np.float64]:
    if array.ndim != 2 or array.shape[0] == 0 or array.shape[1] < 4:
        raise ValueError(
            f"values must have the shape (chains, draws) with 4 draws or more; their shape is {array.shape}"
        )
    if not np.isfinite(array).all():
        chain, draw = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(f"values must be finite; that of chain {chain}, draw {draw} is {array[chain, draw]}")
    return array


def _halves(chains: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the first and the last half of each chain as chains; the middle one of an odd number of draws is left out."""
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, -half:]])


def _normal_scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Blom's (1958) normal scores of the ranks among all values; equal values share their mean rank."""
    from scipy.special import ndtri

    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    rank = np.cumsum(counts) - (counts - 1) / 2
    scores: NDArray[np.float64] = ndtri((rank - 3 / 8) / (values.size + 1 / 4))[place].reshape(values.shape)
    return scores


def _rhat(chains: NDArray[np.float64]) -> float:
    # The variance of equal numbers may come out as not quite nothing.
    if (np.ptp(chains, axis=1) == 0).all():
        return 1.0 if np.ptp(chains) == 0 else math.inf
    num_draws = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean()
    between = chains.mean(axis=1).var(ddof=1)
    return math.sqrt(between / within + (num_draws - 1) / num_draws)


def _bulk_ess(chains: NDArray[np.float64]) -> float:
    scores = _normal_scores(_halves(chains))
    if np.ptp(scores) == 0:
        return 1.0
    num_draws = scores.shape[1]
    covariance = _autocovariance(scores).mean(axis=0)
    within = covariance[0] * num_draws / (num_draws - 1)
    correlation = 1 - (within - covariance) / (covariance[0] + scores.mean(axis=1).var(ddof=1))
    correlation[0] = 1.0
    # As ArviZ does: pairs up to the last but one lags; of the first pair that is not positive only the half that is.
    pairs = correlation[: max(2, (num_draws - 1) // 2 * 2)].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0)
    last = negative[0] if negative.size else pairs.size - 1
    half = correlation[2 * last] if pairs[last] >= 0 else max(correlation[2 * last], 0.0)
    total = 2 * np.minimum.accumulate(pairs[:last]).sum() + half - 1
    return float(scores.size / max(total, 1 / math.log10(scores.size)))


def _autocovariance(series: NDArray[np.float64]) -> NDArray[np.float64]:
    n = series.shape[-1]
    centred = series - series.mean(axis=-1, keepdims=True)
    # Zeros behind the series keep its end from being correlated with its beginning.
    spectrum = np.fft.rfft(centred, 2 * n)
    covariance: NDArray[np.float64] = np.fft.irfft(spectrum * spectrum.conj(), 2 * n)[..., :n] / n
    return covariance


# --- trees


class UncertainClades(NamedTuple):
    """The clades that some draws have and others have not, the most frequent first.

    Attributes
    ----------
    presence : bool array of shape (num_chains, num_draws, num_clades)
        Whether a draw has a clade.
    nodes : tuple of (Tree, int)
        For each clade a tree that has it, and its node there; ``tree.leaves(node)`` are its leaves.
    """

    presence: NDArray[np.bool_]
    nodes: tuple[tuple[Tree, int], ...]


class Diagnosis(NamedTuple):
    """Whether chains agree and have seen enough; `sentence` says it in words.

    Attributes
    ----------
    num_chains, num_draws : int
        The number of chains, and of draws from each that count.
    rhat_log_posterior, ess_log_posterior : float
        `split_rhat` and `effective_sample_size` of the log posterior, over all chains.
    rhat_topology, ess_topology : float
        The largest and the smallest of the same over the uncertain clades. Without any, the topology is settled: 1, and
        the number of all draws.
    split_frequency_deviation : float
        The standard deviation of a clade's frequency between chains, averaged over all clades with a frequency of at least
        0.1 in some chain, as MrBayes has it. The halves of a single chain stand for two.
    num_clades : int
        The number of uncertain clades; see `uncertain_clades`.
    """

    num_chains: int
    num_draws: int
    rhat_log_posterior: float
    ess_log_posterior: float
    rhat_topology: float
    ess_topology: float
    split_frequency_deviation: float
    num_clades: int

    @property
    def is_trustworthy(self) -> bool:
        """Whether every number is on the right side: R-hat below 1.05, ESS above 100, the deviation below 0.05."""
        # Each by itself, so that NaN, which is on neither side, fails; the smaller of a number and NaN may be the number.
        enough = self.ess_log_posterior > LEAST_ESS and self.ess_topology > LEAST_ESS
        return enough and self._clades_agree and self.rhat_log_posterior < MOST_RHAT

    @property
    def _clades_agree(self) -> bool:
        return self.rhat_topology < MOST_RHAT and self.split_frequency_deviation < MOST_DEVIATION

    @property
    def _ess(self) -> float:
        return min(self.ess_log_posterior, self.ess_topology)

    @property
    def sentence(self) -> str:
        """Whether to trust the result, and what to do if not, in a sentence or two."""
        one = self.num_chains == 1
        chains, them = ("the chain", "it") if one else (f"the {self.num_chains} chains", "them")
        if self.num_draws < 2 * LEAST_DRAWS_PER_HALF:
            trees = "1 tree was" if self.num_draws == 1 else f"{self.num_draws or 'no'} trees were"
            return (
                f"There are too few draws to tell: {trees} drawn from {'the' if one else 'each'} chain, and at least "
                f"{2 * LEAST_DRAWS_PER_HALF} are needed; draw more."
            )
        if not self._clades_agree:
            return (
                f"Do not trust this result yet: some clades are more frequent in some parts of {chains} than in others. "
                f"Run {them} several times as long; if that does not help, there may be good trees of very different kinds."
            )
        if not self.rhat_log_posterior < MOST_RHAT:
            return (
                f"Do not trust this result yet: the trees in some parts of {chains} fit better than in others, though their "
                f"clades are much the same. Run {them} several times as long."
            )
        num_trees = self.num_chains * self.num_draws
        worth = f"{min(int(self._ess), num_trees):,}"
        if not self.is_trustworthy:
            factor = math.ceil(max(LEAST_ESS / self._ess, 1.5))
            longer = f"about {factor} times as long" if factor <= MOST_FACTOR else "much longer"
            return (
                f"Do not trust this result yet: {num_trees:,} trees were drawn, but neighbours are so alike that they tell "
                f"no more than {worth} separate ones would, and more than {LEAST_ESS} are needed. Run {chains} {longer}."
            )
        if self.num_clades == 0:
            agree = f"nearly all trees in all parts of {chains} have the same clades"
        else:
            agree = f"each clade is about as frequent in all parts of {chains}"
        trust = (
            f"You can trust this result: {agree}, and the {num_trees:,} trees drawn are worth {worth} separate ones."
        )
        return (
            f"{trust} Only a second chain from another start can tell whether there are other good trees."
            if one
            else trust
        )

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return f"<div>{escape(self.sentence)}</div>"


def diagnose(trees: Iterable[Iterable[Tree]], log_posterior: ArrayLike | Iterable[ArrayLike]) -> Diagnosis:
    """Return whether the draws of several chains can be trusted.

    Start the chains from different trees (``start="random"``) and leave out what they drew before they settled: chains
    that begin alike agree before they have seen anything.

    Parameters
    ----------
    trees : sequence of sequences of Tree
        The draws of each chain, over the same items.
    log_posterior : float array of shape (num_chains, num_draws)
        The log posterior of each. Chains of different lengths are taken too, as a list of series: the last draws
        count, as many as the shortest chain has.

    Returns
    -------
    Diagnosis
        With fewer than 8 draws from each chain, that says so, and its numbers are NaN. A log posterior that never changes
        is not trusted: its ESS is 1 if it is the same in all chains, else its R-hat is infinite.
    """
    chains = as_chains(trees)
    logs = as_table(log_posterior, "log_posterior", chains)
    num_chains, num_draws = logs.shape
    if num_draws < 2 * LEAST_DRAWS_PER_HALF:
        nan = math.nan
        return Diagnosis(num_chains, num_draws, nan, nan, nan, nan, nan, 0)
    draws = _Draws(chains)
    series = np.moveaxis(draws.uncertain().presence, 2, 0).astype(np.float64)
    return Diagnosis(
        num_chains,
        num_draws,
        split_rhat(logs),
        effective_sample_size(logs),
        max(map(split_rhat, series), default=1.0),
        min(map(effective_sample_size, series), default=float(logs.size)),
        draws.frequency_deviation(),
        len(series),
    )


def uncertain_clades(trees: Iterable[Iterable[Tree]]) -> UncertainClades:
    """Return the clades that are in 5 % to 95 % of all draws, at most 200: those whose frequency is nearest to a half.

    Clades that every tree has, of one leaf and of all leaves, are left out.

    Parameters
    ----------
    trees : sequence of sequences of Tree
        The draws of each chain, over the same items. Of chains of different lengths, the last draws count, as many as the
        shortest has.
    """
    return _Draws(as_chains(trees)).uncertain()


def as_chains(trees: Iterable[Iterable[Tree]]) -> list[list[Tree]]:
    """Return the trees of each chain as lists."""
    if isinstance(trees, Tree) or not isinstance(trees, Iterable):
        raise TypeError(f"trees must hold the trees of each chain, not {type(trees).__name__}")
    chains = []
    for number, chain in enumerate(trees):
        if isinstance(chain, Tree):
            raise TypeError(
                f"trees must hold the trees of each chain; number {number} is a single tree, so write [trees]"
            )
        if not isinstance(chain, Iterable):
            raise TypeError(f"trees must hold the trees of each chain; number {number} is {chain!r}")
        chains.append([as_tree(tree) for tree in chain])
    if not chains:
        raise ValueError("trees holds no chain; at least one is needed")
    return chains


def as_table(
    values: ArrayLike | Iterable[ArrayLike], what: str, chains: Sequence[Sequence[Tree]]
) -> NDArray[np.float64]:
    """Return a value for each draw, of shape (num_chains, num_draws): the last draws, as many as the shortest chain has."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{what} must hold a series of numbers for each chain, not {values!r}")
    rows = [np.asarray(row, np.float64) for row in values]
    if any(row.ndim != 1 for row in rows):
        raise ValueError(f"{what} must have the shape (chains, draws): a series of numbers for each chain")
    if len(rows) != len(chains):
        raise ValueError(f"{what} has {len(rows)} rows, and there are {len(chains)} chains of trees")
    for number, (row, chain) in enumerate(zip(rows, chains, strict=True)):
        if row.size != len(chain):
            raise ValueError(f"{what} has {row.size} values for chain {number}, which has {len(chain)} trees")
        if not np.isfinite(row).all():
            draw = int(np.flatnonzero(~np.isfinite(row))[0])
            raise ValueError(f"{what} must be finite; that of chain {number}, draw {draw} is {row[draw]}")
    num_draws = _num_draws(chains)
    return np.array([row[row.size - num_draws :] for row in rows])


def _num_draws(chains: Sequence[Sequence[Tree]]) -> int:
    return min(map(len, chains))


class _Draws:
    """Which clade is in which draw: parallel arrays with an entry for each clade of each tree."""

    def __init__(self, chains: Sequence[Sequence[Tree]]) -> None:
        self._shape = len(chains), _num_draws(chains)
        cut = [tree for chain in chains for tree in chain[len(chain) - self._shape[1] :]]
        self._trees = [_with_leaves_of(cut[0], tree) for tree in cut]
        inner = [np.flatnonzero((tree.sizes > 1) & (tree.sizes < tree.num_leaves)) for tree in self._trees]
        keys = [clade_keys(tree)[nodes] for tree, nodes in zip(self._trees, inner, strict=True)]
        # Without any tree there is nothing to concatenate.
        self._node = np.concatenate([np.empty(0, np.intp), *inner])
        self._draw = np.repeat(np.arange(len(inner)), [nodes.size for nodes in inner])
        _, self._first, self._clade, self._counts = np.unique(
            np.concatenate([np.empty(0, np.uint64), *keys]), return_index=True, return_inverse=True, return_counts=True
        )

    def uncertain(self) -> UncertainClades:
        frequency = self._counts / max(len(self._trees), 1)
        among = np.flatnonzero((frequency >= UNCERTAIN[0]) & (frequency <= UNCERTAIN[1]))
        # Of equals the first one counts, so that the same draws give the same clades, whatever their keys.
        nearest = np.lexsort((self._first[among], np.abs(frequency[among] - 0.5)))
        chosen = among[nearest[:MOST_CLADES]]
        chosen = chosen[np.lexsort((self._first[chosen], -self._counts[chosen]))]
        column = np.full(self._counts.size, -1)
        column[chosen] = np.arange(chosen.size)
        entries = np.flatnonzero(column[self._clade] >= 0)
        presence = np.zeros((len(self._trees), chosen.size), np.bool_)
        presence[self._draw[entries], column[self._clade[entries]]] = True
        nodes = tuple((self._trees[self._draw[entry]], int(self._node[entry])) for entry in self._first[chosen])
        return UncertainClades(presence.reshape(*self._shape, chosen.size), nodes)

    def frequency_deviation(self) -> float:
        num_chains, num_draws = self._shape
        num_parts, size = (num_chains, num_draws) if num_chains > 1 else (2, num_draws // 2)
        # Counted from the end: the first one of an odd number of draws is in no half.
        part = num_parts - 1 - (len(self._trees) - 1 - self._draw) // size
        # A clade that is too rare in all draws together is so in each part; there may be very many of these.
        entries = np.flatnonzero((self._counts[self._clade] / size >= LEAST_FREQUENCY) & (part >= 0))
        clades, clade = np.unique(self._clade[entries], return_inverse=True)
        counts = np.bincount(part[entries] * clades.size + clade, minlength=num_parts * clades.size)
        frequency = counts.reshape(num_parts, clades.size) / size
        frequent = frequency[:, (frequency >= LEAST_FREQUENCY).any(axis=0)]
        return float(frequent.std(axis=0, ddof=1).mean()) if frequent.size else 0.0


def _with_leaves_of(first: Tree, tree: Tree) -> Tree:
    """Return a tree with its leaves in the order of the first tree's: by name where both have names."""
    leaf_map = first._leaf_map(tree)
    if (leaf_map == np.arange(leaf_map.size)).all() or first.items is None:
        return tree
    return tree.restrict(first.items)
