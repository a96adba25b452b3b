"""The recent trees of several chains, kept as stacked arrays: what summaries and queries look at."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk import _kernels
from treetalk.arguments import Frozen
from treetalk.clades import leaf_words
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.arguments import Items
    from treetalk.chain import Recording
    from treetalk.models import DirichletDiffusion

# Stand-ins are given up as soon as there are so many draws.
ENOUGH = 10


class Snapshots(Frozen):
    """Binary trees with ages over the same items, from one or several chains, oldest first. They never change.

    Most are *draws*: trees that a chain has come to under the triplets in force. Others are *stand-ins*: trees that chains
    set out from after an answer, or trees from before a retraction. They are good to look at, until there are draws again.

    Parameters
    ----------
    parents : int array of shape (num_trees, num_nodes)
        The parent array of each tree.
    ages : float array of shape (num_trees, num_nodes)
        The age of each node.
    densities : float array of shape (num_trees, 2)
        The log prior and the log likelihood of each tree.
    chains : int array of shape (num_trees,)
        The chain that each tree comes from.
    is_draw : bool array of shape (num_trees,)
        Whether each tree is a draw.
    """

    def __init__(
        self,
        parents: NDArray[np.int32],
        ages: NDArray[np.float64],
        densities: NDArray[np.float64],
        chains: NDArray[np.int64],
        is_draw: NDArray[np.bool_],
    ) -> None:
        self._parents, self._ages, self._densities = parents, ages, densities
        self._chains, self._is_draw = chains, is_draw

    @classmethod
    def of_recordings(cls, recordings: list[Recording]) -> Snapshots:
        """Return what chains wrote down, as often each: the first trees of all chains, then the second, and so on."""
        num_each, num_chains = len(recordings[0].parents), len(recordings)

        def in_turn(arrays: list[NDArray[Any]]) -> NDArray[Any]:
            return np.stack(arrays, axis=1).reshape(num_each * num_chains, -1)

        return cls(
            in_turn([recording.parents for recording in recordings]),
            in_turn([recording.ages for recording in recordings]),
            in_turn([recording.densities for recording in recordings]),
            np.tile(np.arange(num_chains), num_each),
            np.ones(num_each * num_chains, bool),
        )

    def __len__(self) -> int:
        return len(self._parents)

    @property
    def parents(self) -> NDArray[np.int32]:
        """The parent array of each tree."""
        return self._parents

    @property
    def ages(self) -> NDArray[np.float64]:
        """The ages of each tree's nodes."""
        return self._ages

    @property
    def densities(self) -> NDArray[np.float64]:
        """The log prior and the log likelihood of each tree."""
        return self._densities

    @property
    def chains(self) -> NDArray[np.int64]:
        """The chain that each tree comes from."""
        return self._chains

    @property
    def is_draw(self) -> NDArray[np.bool_]:
        """Whether each tree is a draw."""
        return self._is_draw

    @property
    def num_leaves(self) -> int:
        """The number of items."""
        return (int(self._parents.shape[1]) + 1) // 2

    @property
    def num_draws(self) -> int:
        """How many of the trees are draws."""
        return int(np.count_nonzero(self._is_draw))

    def tree(self, i: int, items: Items | None = None) -> Tree:
        """Return one of the trees."""
        return Tree(self._parents[i], age=self._ages[i], items=items)

    def draws_by_chain(self, num_chains: int) -> NDArray[np.int64]:
        """Return the numbers of the latest draws of each chain, one row each, as many as every chain has."""
        rows = [np.flatnonzero((self._chains == chain) & self._is_draw) for chain in range(num_chains)]
        fewest = min(map(len, rows))
        return np.array([row[len(row) - fewest :] for row in rows], np.int64)

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """A key for the clade of every node of every tree, as `treetalk.clades.clade_keys` has them."""
        with np.errstate(over="ignore"):
            keys: NDArray[np.uint64] = _kernels.snapshots.clade_keys(self._parents, leaf_words(self.num_leaves))
        return keys

    @cached_property
    def clade_frequencies(self) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """The keys of all clades but single leaves, sorted, and the share of the trees that has each."""
        keys, counts = np.unique(self.keys[:, self.num_leaves :], return_counts=True)
        return keys, counts / len(self)

    def frequencies_of(self, keys: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return the share of the trees that has each clade."""
        known, frequencies = self.clade_frequencies
        place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        return np.where(known[place] == keys, frequencies[place], 0.0)

    def frequency_of_clade(self, leaves: NDArray[np.int32]) -> float:
        """Return the share of the trees in which some leaves are a clade."""
        if len(leaves) in {1, self.num_leaves}:
            return 1.0
        with np.errstate(over="ignore"):
            key = leaf_words(self.num_leaves)[leaves].sum(dtype=np.uint64)
        return float(self.frequencies_of(np.array([key]))[0])

    def share_of(self, triplets: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the share of the trees that satisfies each triplet."""
        share: NDArray[np.float64] = self.satisfied(triplets).mean(axis=0)
        return share

    def satisfied(self, triplets: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return for each tree and each triplet whether the tree satisfies it."""
        result: NDArray[np.bool_] = _kernels.snapshots.satisfied(self._parents, self._ages, triplets)
        return result

    @property
    def are_sound(self) -> bool:
        """Whether the arrays are what they should be: for those that come from a file, which kernels must not trip over."""
        parents = self._parents
        if parents.ndim != 2:
            return False
        n = self.num_leaves
        if n < 2 or parents.shape[1] != 2 * n - 1 or self._ages.shape != parents.shape:
            return False
        if self._densities.shape != (len(self), 2) or not len(self) == len(self._chains) == len(self._is_draw) > 0:
            return False
        if not np.isfinite(self._densities).all() or (self._chains < 0).any():
            return False
        is_root = parents == -1
        if not ((parents >= n) & (parents < 2 * n - 1) | is_root).all() or (is_root.sum(axis=1) != 1).any():
            return False
        row = np.broadcast_to(np.arange(len(self))[:, None], parents.shape)
        num_children = np.bincount((row * (2 * n - 1) + parents)[~is_root], minlength=parents.size)
        if (num_children.reshape(parents.shape)[:, n:] != 2).any() or (self._ages[:, :n] != 0).any():
            return False
        # Ages that grow along every edge leave no room for a circle.
        above = np.where(is_root, 1.0, np.take_along_axis(self._ages, np.maximum(parents, 0), axis=1))
        return bool((self._ages < above).all())

    # --- other snapshots

    def under(self, model: DirichletDiffusion, X: NDArray[np.float64]) -> Snapshots:
        """Return the same trees with the log likelihoods that they have in a model."""
        likelihoods = [model.log_likelihood(self.tree(i), X) for i in range(len(self))]
        densities = np.column_stack([self._densities[:, 0], likelihoods])
        return Snapshots(self._parents, self._ages, densities, self._chains, self._is_draw)

    def followed_by(self, more: Snapshots, most: int) -> Snapshots:
        """Return these and then more, the latest `most` of each chain; stand-ins go as soon as there are enough draws."""
        pairs = zip(self._fields(), more._fields(), strict=True)
        together = Snapshots(*(np.concatenate(pair) for pair in pairs))
        if together.num_draws >= ENOUGH:
            together = together._chosen(together._is_draw)
        from_end = np.empty(len(together), np.int64)
        for chain in np.unique(together._chains):
            rows = np.flatnonzero(together._chains == chain)
            from_end[rows] = np.arange(len(rows))[::-1]
        return together if (from_end < most).all() else together._chosen(from_end < most)

    def satisfying(self, triplets: NDArray[np.int32]) -> Snapshots:
        """Return the trees that satisfy new triplets: draws under the old ones are draws under both."""
        fits = np.asarray(self.satisfied(triplets).all(axis=1))
        return self if fits.all() else self._chosen(fits)

    def by_chain(self) -> list[Snapshots]:
        """Return the trees of each chain."""
        return [self._chosen(self._chains == chain) for chain in np.unique(self._chains)]

    def without_chains(self, chains: list[int]) -> Snapshots:
        """Return the trees that do not come from some chains."""
        return self._chosen(~np.isin(self._chains, chains)) if chains else self

    def as_stand_ins(self) -> Snapshots:
        """Return the same trees, none of them a draw any more."""
        none = np.zeros(len(self), bool)
        return Snapshots(self._parents, self._ages, self._densities, self._chains, none)

    def latest(self, most: int) -> Snapshots:
        """Return the latest of the trees."""
        return self if len(self) <= most else Snapshots(*(field[-most:] for field in self._fields()))

    def draws(self) -> Snapshots:
        """Return the draws, or all trees if there is none."""
        return self._chosen(self._is_draw) if 0 < self.num_draws < len(self) else self

    def _chosen(self, rows: NDArray[np.bool_]) -> Snapshots:
        return Snapshots(*(field[rows] for field in self._fields()))

    def _fields(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        return self._parents, self._ages, self._densities, self._chains, self._is_draw


def mean_joins(
    parents: NDArray[np.int32], ages: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return, for every two leaves, the mean over trees of the size of their mrca's clade, and of its age."""
    sizes, heights = _kernels.snapshots.mean_joins(parents, ages)
    return sizes, heights
