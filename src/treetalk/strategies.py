"""What to ask next: the paper's five query schemes, treetalk's own, and the seam for others.

A strategy is one small object. It has a `name`, a `kind` ("subtree": some items are shown as a tree, to be accepted or
corrected; or "triple": which of three is the odd one?), and a method `candidates` that yields sets of items, the most wanted
first. The session asks the first one that the answers do not settle already::

    class Neighbours:
        name, kind = "neighbours", "subtree"

        def candidates(self, view, rng):
            while True:
                start = rng.integers(view.num_items - 9)
                yield view.tree.leaves()[start : start + 10]

A method ``in_turn(view)``, if it has one, may leave a query to another strategy, which it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

from treetalk import _kernels
from treetalk.again import Again
from treetalk.arguments import NO_TRIPLETS, A, C, as_leaves
from treetalk.classes import Classes
from treetalk.doubts import doubtful_subset, has_few_classes
from treetalk.groups import class_labels
from treetalk.heard import ACCEPTED, SORTED, Heard, calls_alike, sorts, tells_most
from treetalk.misfits import Fit, misfits, share_of_misfits
from treetalk.presuming import CERTAIN
from treetalk.queries import KINDS
from treetalk.snapshots import Snapshots
from treetalk.tree import Tree, as_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

SUBSET_SIZE = 10
NUM_CANDIDATES = 20
# For those who go through all of a piece: so many times as many subsets to choose from, of so many items at most.
TIMES_AS_MANY, MOST_GONE_THROUGH = 5, 20

# A group is taken as often as the square of its size says; once two were seen apart, less by so many factors e together.
POWER_OF_SIZE, LESS_IF_SEEN = 2.0, 1.5
SURE = 3.0  # times as much
# After so many queries somebody of whom it is not known whether he has classes in mind is asked for the odd one of three:
# at first unless it is clear; and later, for what was clear may be wrong, if it looks like classes that nobody speaks of.
TURNS_OF_ODD_ONE = 5, 15, 35


class View(NamedTuple):
    """What a strategy may look at.

    Attributes
    ----------
    tree : Tree
        What is shown to the user, over all items.
    snapshots : Snapshots
        Recent trees of the chains: ``parents`` has the parent array of each in a row, ``ages`` the age of each node,
        ``tree(i)`` is one as a `Tree`.
    num_asked : int
        How many queries there were before.
    triplets : int array of shape (m, 3)
        The triplets in force.
    heard : sequence of Heard
        Of each piece, whether it was accepted, sorted or corrected, and its items; see `treetalk.heard`.
    flatness : float
        How much the answers look like those of someone with flat classes in mind, from 0 to 1; see `treetalk.flatness`.
    loose : callable, optional
        Returns trees that believe the features less, so that they differ wherever the answers leave something open; see
        `treetalk.loosening`. They are made when they are asked for.
    classes : callable, optional
        Returns draws of who is of one class with whom, for someone with flat classes in mind, as far as the answers alone
        tell; see `treetalk.classes`. They are made when they are asked for, and there are none of very many items.
    doubtful : callable, optional
        Returns the answer that may well be a mistake, because it contradicts others, or None; see `treetalk.again`.
    fit : callable, optional
        Returns how well items fit into their groups, which are given by the number of each item's; see `treetalk.misfits`.
    errs : bool
        Whether something else was said when an answer was asked for again.
    """

    tree: Tree
    snapshots: Snapshots
    num_asked: int
    triplets: NDArray[np.int32] = NO_TRIPLETS
    heard: Sequence[Heard] = ()
    flatness: float = 0.0
    loose: Callable[[], Snapshots] | None = None
    classes: Callable[[], Classes | None] | None = None
    doubtful: Callable[[], tuple[int, int, int] | None] | None = None
    fit: Callable[[NDArray[np.intp]], Fit] | None = None
    errs: bool = False

    @property
    def num_items(self) -> int:
        """The number of items."""
        return self.tree.num_leaves


@runtime_checkable
class Strategy(Protocol):
    """Chooses what to ask; see the module for an example."""

    name: str
    kind: str

    def candidates(self, view: View, rng: np.random.Generator) -> Iterator[Iterable[object]]:
        """Yield sets of items, the most wanted first, each an array of item numbers."""


class Simple:
    """Three random items, of which the user names the odd one."""

    name, kind = "simple", "triple"

    def candidates(self, view: View, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """Yield random triples."""
        while True:
            yield random_subset(view, 3, rng)


class Smart:
    """The whole tree is shown."""

    name, kind = "smart", "subtree"

    def candidates(self, view: View, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """Yield all items."""
        yield np.arange(view.num_items)


class Random:
    """The restriction to some random items.

    Parameters
    ----------
    subset_size : int
        The number of items that are shown.
    """

    name, kind = "random", "subtree"

    def __init__(self, subset_size: int = SUBSET_SIZE) -> None:
        self.subset_size = subset_size

    def candidates(self, view: View, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """Yield random subsets."""
        while True:
            yield random_subset(view, self.subset_size, rng)


class Active:
    """Of some random subsets, the one about which recent trees disagree most.

    That is the one with the largest tree-distance variance: the largest variance over the trees, among all pairs of its
    items, of the number of edges between the two in the restriction to the subset.

    Parameters
    ----------
    subset_size : int
        The number of items that are shown.
    num_candidates : int
        The number of random subsets to choose from.
    """

    name, kind = "active", "subtree"

    def __init__(self, subset_size: int = SUBSET_SIZE, num_candidates: int = NUM_CANDIDATES) -> None:
        self.subset_size, self.num_candidates = subset_size, num_candidates

    def candidates(self, view: View, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """Yield random subsets, the one with the largest variance first."""
        while True:
            subsets = np.array([random_subset(view, self.subset_size, rng) for _ in range(self.num_candidates)])
            variances = subset_variances(view.snapshots.parents, subsets)
            yield from subsets[np.argsort(-variances, kind="stable")]


class Interleaved:
    """Random and active in turn."""

    name, kind = "interleaved", "subtree"

    def __init__(self, subset_size: int = SUBSET_SIZE, num_candidates: int = NUM_CANDIDATES) -> None:
        self._in_turn = (Random(subset_size), Active(subset_size, num_candidates))

    def candidates(self, view: View, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """Yield what the strategy whose turn it is yields."""
        return self._in_turn[view.num_asked % 2].candidates(view, rng)


class Loose:
    """Where trees that believe the features less disagree most, and where they have most otherwise than is shown, in turn.

    Of some random subsets, it is the one with the largest tree-distance variance over loose draws (see
    `treetalk.loosening`), as `Active` has it over recent ones; or the one of whose triples these draws have most otherwise
    than the tree that is shown: so much of it would be corrected, if what someone has in mind were one of them.

    Parameters
    ----------
    subset_size : int
        The number of items that are shown.
    num_candidates : int
        The number of random subsets to choose from.
    """

    name, kind = "loose", "subtree"

    def __init__(self, subset_size: int = SUBSET_SIZE, num_candidates: int = NUM_CANDIDATES) -> None:
        self.subset_size, self.num_candidates = subset_size, num_candidates

    def candidates(self, view: View, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """Yield random subsets, the most wanted first."""
        draws = view.snapshots if view.loose is None else view.loose()
        counts_triples = view.num_asked % 2 == 1 and 2 < min(self.subset_size, view.num_items) <= MOST_GONE_THROUGH
        while True:
            subsets = np.array([random_subset(view, self.subset_size, rng) for _ in range(self.num_candidates)])
            if counts_triples:
                wanted = _kernels.snapshots.differences(draws.parents, view.tree.parent, subsets.astype(np.int32))
            else:
                wanted = subset_variances(draws.parents, subsets)
            yield from subsets[np.argsort(-wanted, kind="stable")]


class Grouped:
    """One of each group that the answers have put together, where recent trees disagree most; or as `Loose`.

    For someone with flat classes in mind there is nothing to learn from two items that are known to go together. So items
    are taken from different groups (see `treetalk.groups`): from large ones sooner than from small ones, for two large
    groups of one class that stand apart are much that is wrong, and one answer puts it right; and seldom from two that were
    accepted side by side or that a triplet has apart. Of some such subsets, the one with the largest tree-distance variance
    is asked. Someone who sorts whole pieces into few classes is asked where those belong who go with one group in some trees
    and with another one in others; see `treetalk.doubts`. With many classes of which the features know little, those are
    asked about of whom it is open who goes with whom; see `treetalk.classes`.

    That is done as often as the answers look like flat classes. Otherwise it is as `Loose`: in a hierarchy of many levels,
    those who go together at one level part at another. Someone who goes through all of a piece of such a hierarchy is asked
    where recent trees differ about most of it, not only about two of its items.

    The sixth query, if it is open by then whether there are classes, is for the odd one of three random items: who calls
    them all alike has classes in mind. If later it looks like classes, and nobody has said so, it is asked again.

    Where answers contradict each other, every other query is for one of these again, as the odd one of its three items; see
    `treetalk.again`. And those who may have been linked by mistake are shown now and then; see `treetalk.misfits`.

    Parameters
    ----------
    subset_size : int
        The number of items that are shown.
    num_candidates : int
        The number of subsets to choose from.
    """

    name, kind = "grouped", "subtree"

    def __init__(self, subset_size: int = SUBSET_SIZE, num_candidates: int = NUM_CANDIDATES) -> None:
        self.subset_size, self.num_candidates = subset_size, num_candidates
        self._otherwise, self._odd_one = Loose(subset_size, num_candidates), Simple()

    def in_turn(self, view: View) -> Strategy:
        """Return what is asked now: the odd one of three, or what was said before, or something else."""
        if _is_turn_of_odd_one(view):
            return self._odd_one
        # A mistake in sorting a piece is one of many triplets, and others outvote it sooner.
        is_turn = view.doubtful is not None and view.num_asked % 2 == 1 and not sorts(view.heard)
        doubtful = view.doubtful() if view.doubtful is not None and is_turn else None
        return self if doubtful is None else Again(doubtful)

    def candidates(self, view: View, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """Yield subsets, the one with the largest variance first."""
        if rng.random() >= view.flatness:
            if tells_most(view.heard):
                yield from _most_disputed(view, self.subset_size, TIMES_AS_MANY * self.num_candidates, rng)
            yield from self._otherwise.candidates(view, rng)
        labels = class_labels(view.triplets, view.num_items)
        seen = _seen_apart(view, labels)
        size = min(self.subset_size, view.num_items)
        classes = None if view.classes is None else view.classes()
        if view.fit is not None and not sorts(view.heard):
            told = 1.0 if classes is None else 1.0 - classes.weight
            if rng.random() < told * share_of_misfits(view.heard, errs=view.errs):
                piece = misfits(view.fit(labels), labels, view.heard, size, rng)
                if piece is not None:
                    yield piece
        if classes is not None and classes.are_many(size) and (classes.are_sorted or rng.random() < classes.weight**2):
            yield from classes.subsets(size, rng)
        if has_few_classes(view.heard):
            doubtful = doubtful_subset(view.snapshots.parents, labels, LESS_IF_SEEN * seen, size, rng)
            if doubtful is not None:
                yield doubtful
        while True:
            subsets = np.array([_one_of_each(labels, seen, size, rng) for _ in range(self.num_candidates)])
            variances = subset_variances(view.snapshots.parents, subsets)
            yield from subsets[np.argsort(-variances, kind="stable")]


def as_strategy(
    strategy: str | Strategy, subset_size: int = SUBSET_SIZE, num_candidates: int = NUM_CANDIDATES
) -> Strategy:
    """Return a strategy given by name, or as an object."""
    if isinstance(strategy, Strategy) and not isinstance(strategy, type):
        if strategy.kind not in KINDS:
            raise ValueError(f'the kind of a strategy is "subtree" or "triple", not {strategy.kind!r}')
        return strategy
    known: dict[str, Strategy] = {
        "simple": Simple(),
        "smart": Smart(),
        "random": Random(subset_size),
        "active": Active(subset_size, num_candidates),
        "interleaved": Interleaved(subset_size, num_candidates),
        "loose": Loose(subset_size, num_candidates),
        "grouped": Grouped(subset_size, num_candidates),
    }
    if isinstance(strategy, type):
        raise ValueError(f"a strategy is an object, not a class: {strategy.__name__}()")
    if not isinstance(strategy, str) or strategy not in known:
        raise ValueError(
            f"there is no strategy {strategy!r}; there are {', '.join(known)}, or an object with `name`, `kind` and "
            "`candidates`"
        )
    return known[strategy]


def in_turn(strategy: Strategy, view: View) -> Strategy:
    """Return the strategy to which a strategy leaves the query that is asked now: itself, unless it has a method for it."""
    leaves_it_to = getattr(strategy, "in_turn", None)
    return strategy if leaves_it_to is None else as_strategy(leaves_it_to(view))


def tree_distance_variance(trees: Sequence[Tree], leaves: Iterable[object]) -> float:
    """Return how much trees disagree about some items, given by number or name.

    It is the largest variance, among all pairs of the items, of the number of edges between the two in the restriction
    of a tree to the items.
    """
    if len(trees) == 0:
        raise ValueError("the variance needs at least one tree")
    first = as_tree(trees[0])
    chosen = as_leaves(leaves, first.num_leaves, first.items)
    from treetalk.metrics import edge_distances

    counts = np.array([edge_distances(tree.restrict(chosen)) for tree in trees])
    return float(counts.var(axis=0).max()) if len(chosen) > 1 else 0.0


def subset_variances(parents: NDArray[np.int32], subsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the tree-distance variance of each row of items over binary trees, given as rows of parents."""
    variances: NDArray[np.float64] = _kernels.snapshots.largest_variances(parents, subsets.astype(np.int32))
    return variances


def _most_disputed(view: View, size: int, num_subsets: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield random subsets, first the one of whose triples two recent trees differ about most; none of very many items."""
    while 2 < min(size, view.num_items) <= MOST_GONE_THROUGH:
        subsets = np.array([random_subset(view, size, rng) for _ in range(num_subsets)])
        disputed = _kernels.snapshots.disagreements(view.snapshots.parents, subsets.astype(np.int32))
        yield from subsets[np.argsort(-disputed, kind="stable")]


def _is_turn_of_odd_one(view: View) -> bool:
    if view.num_asked not in TURNS_OF_ODD_ONE or any(len(each.said) > 1 for each in view.heard):
        return False
    if view.num_asked == TURNS_OF_ODD_ONE[0]:
        return 0.0 < view.flatness < CERTAIN
    return view.flatness > 0.0 and not calls_alike(view.heard)


def random_subset(view: View, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return some random items, all of them if there are no more."""
    return rng.choice(view.num_items, min(size, view.num_items), replace=False)


def _seen_apart(view: View, labels: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return how often two groups were accepted side by side, or had apart by a triplet, or by sorting a piece.

    Those who stand together in what is accepted may be of one class, or not. What is sorted is sure.
    """
    weights = {ACCEPTED: 1.0, SORTED: SURE}
    is_in = np.zeros((len(view.heard), labels.max() + 1))
    for i, each in enumerate(view.heard):
        is_in[i, labels[list(each.piece)]] = np.sqrt(weights.get(each.kind, 0.0))
    seen: NDArray[np.float64] = is_in.T @ is_in
    own, odd = labels[view.triplets[:, A]], labels[view.triplets[:, C]]
    np.add.at(seen, (own, odd), 1.0)
    np.add.at(seen, (odd, own), 1.0)
    return seen


def _one_of_each(
    labels: NDArray[np.intp], seen: NDArray[np.float64], size: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return items of different groups, rather of large ones, and rather of such as were not seen apart.

    If there are too few groups, there are several items of some.
    """
    order = rng.permutation(len(labels))
    _, first = np.unique(labels[order], return_index=True)
    standing = order[first]  # the item that stands for each group
    # The smallest of exponential waiting times is that of each group with a probability in proportion to its rate.
    log_times = np.log(rng.exponential(size=len(standing))) - POWER_OF_SIZE * np.log(np.bincount(labels))
    chosen = []
    for _ in range(min(size, len(standing))):
        group = int(log_times.argmin())
        chosen.append(group)
        log_times += LESS_IF_SEEN * seen[group]
        log_times[group] = np.inf
    items = standing[chosen]
    others = order[~np.isin(order, items)]
    return np.concatenate([items, others[: size - len(items)]])
