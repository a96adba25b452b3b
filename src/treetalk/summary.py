"""One tree for many: consensus trees, and how well the trees support a clade or a triplet.

Every summary satisfies the triplets that all the trees satisfy. A majority consensus need not: of {a, b}, {a, b, d} and
{a, b, e} no clade may have a majority, though every tree has a and b together, apart from c. So it is completed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk import _kernels
from treetalk.arguments import Items, as_triplets
from treetalk.clades import clade_keys
from treetalk.joining import join
from treetalk.repair import apart, repair
from treetalk.snapshots import Snapshots, mean_joins
from treetalk.state import diffusion_ages
from treetalk.tree import Tree, as_tree
from treetalk.unsaid import logs_unsaid

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from treetalk.classes import Classes
    from treetalk.start import ParentsAndAges
    from treetalk.unsaid import Piece

MAJORITY = 0.5
# The square of the number of items is too many for more of them; for fewer, so many pairs of items in trees are looked at.
MOST_FOR_PAIRS, MOST_PAIRS, FEWEST_TREES = 2_000, 12_000_000, 10
MOST_FOR_CHAINS = 500  # items, for each chain to be looked at by itself
LEAST_OF_TREES = 0.06  # the weight of trees beside draws of classes, which leave open how all else stands
# Trees are compared with so many others, by how often they have the odd one of so many random triples in common.
NUM_COMPARED, NUM_TRIPLES = 12, 2_000
MUCH_MORE = 0.7  # in roots of what is left unsaid by the trees, on average
# Violated triplets times the square of the number of items: beyond, linkage among the trees with them takes too long.
MOST_WORK = 1_000_000


class Joins(NamedTuple):
    """For every two items, the mean over trees of the size of their mrca's clade, and of its age."""

    sizes: NDArray[np.float64]
    heights: NDArray[np.float64]


def central_tree(
    trees: Sequence[Tree] | Snapshots,
    triplets: ArrayLike = (),
    *,
    items: Items | None = None,
    classes: Classes | None = None,
    pieces: Sequence[Piece] = (),
) -> Tree:
    """Return a tree in the middle of many: items are near that stand together in small clades of many trees.

    Average linkage of the mean size, over the trees, of the clade of two items' mrca. Each triplet of it is one that most
    of the trees have, as nearly as a tree can be. If it has not all the triplets that it must have, it is one of several:
    the same among the trees that have them, over all the trees and over each chain's, and some of the trees themselves;
    of these, the one with the smallest mean triplet distance to the trees. Its times are the mean times at which the items
    of its clades part. Beyond 2,000 items, for which the square of their number is too many, it is the maximum clade
    credibility tree.

    Parameters
    ----------
    trees : sequence of Tree
        Binary trees with the times of a diffusion, over the same items.
    triplets : array of shape (m, 3)
        Triplets that all the trees satisfy, and that the result must satisfy.
    classes : Classes, optional
        Draws of who is of one class with whom. By their weight the mean size is that of the class of two items, or of
        everything where no class has both, and by the rest that of the clade.
    pieces : sequence of Piece
        What was shown, with what was said of it. Draws of classes are left aside if by them much more was left unsaid than
        by the trees, see `treetalk.unsaid`: then they are not what the user means.

    Returns
    -------
    Tree
        Binary, with the share of the trees that has each clade as its support.
    """
    snapshots, names = _as_snapshots(trees, items)
    needed = as_triplets(triplets, snapshots.num_leaves, names)
    if snapshots.num_leaves > MOST_FOR_PAIRS:
        return credible_tree(snapshots, needed, items=names)
    joins = _joins_of(snapshots)
    if classes is not None:
        weight = min(classes.weight, 1.0 - LEAST_OF_TREES)
        sizes = weight * classes.mean_sizes() + (1.0 - weight) * joins[0].sizes
        parent, ages = _linkage(Joins(sizes, joins[0].heights), needed)
        if _is_what_is_meant(parent, ages, snapshots, pieces):
            return with_support(Tree(parent, age=ages, items=names), snapshots)
    parent, ages = _linkage(joins[0], needed[:0])
    num_violated = int((~Tree(parent).satisfies(needed)).sum())
    if num_violated:
        # Triplets are met by linkage where that is quick, and otherwise by changing what must be changed.
        if num_violated * snapshots.num_leaves**2 <= MOST_WORK:
            candidates = [_linkage(each, needed, parent if each is joins[0] else None) for each in joins]
        else:
            candidates = [repair(parent, ages, needed)]
        parent, ages = _nearest(candidates, snapshots, needed)
    return with_support(Tree(parent, age=ages, items=names), snapshots)


def credible_tree(trees: Sequence[Tree] | Snapshots, triplets: ArrayLike = (), *, items: Items | None = None) -> Tree:
    """Return the maximum clade credibility tree: the one of the trees whose clades have the largest product of supports.

    See `central_tree` for the parameters. As one of the trees it satisfies the triplets that they satisfy.
    """
    snapshots, names = _as_snapshots(trees, items)
    needed = as_triplets(triplets, snapshots.num_leaves, names)
    chosen = snapshots.tree(_most_credible(snapshots), names)
    if not chosen.satisfies(needed).all():
        parent, ages = repair(chosen.parent, diffusion_ages(chosen), needed)
        chosen = Tree(parent, age=ages, items=names)
    return with_support(chosen, snapshots)


def majority_tree(trees: Sequence[Tree] | Snapshots, triplets: ArrayLike = (), *, items: Items | None = None) -> Tree:
    """Return the majority-rule consensus: the clades that more than half of the trees have, completed.

    Where these leave a triplet open, the smallest clade of the maximum clade credibility tree that settles it is added, and
    clades that contradict it are given up. The result is as unresolved as the trees are in disagreement, and has support but
    no times. See `central_tree` for the parameters.
    """
    snapshots, names = _as_snapshots(trees, items)
    needed = as_triplets(triplets, snapshots.num_leaves, names)
    keys, frequencies = snapshots.clade_frequencies
    wanted = set(keys[frequencies > MAJORITY].tolist())
    clades: dict[int, NDArray[np.int32]] = {}
    for i in range(len(snapshots)):
        tree = None
        for v in np.flatnonzero(np.isin(snapshots.keys[i], np.fromiter(wanted, np.uint64))):
            tree = snapshots.tree(i) if tree is None else tree
            clades[int(snapshots.keys[i, v])] = tree.leaves(int(v))
            wanted.discard(int(snapshots.keys[i, v]))
        if not wanted:
            break
    chosen = list(clades.values())
    reference = credible_tree(snapshots, needed)
    kept: list[NDArray[np.int32]] = []
    while True:
        result = tree_of_clades(chosen + kept, snapshots.num_leaves)
        open_triplets = needed[~result.satisfies(needed)]
        if len(open_triplets) == 0:
            return with_support(result.with_items(names), snapshots)
        a, b, _ = open_triplets[0]
        new = reference.leaves(reference.mrca(int(a), int(b)))
        kept.append(new)
        chosen = [clade for clade in chosen if _agree(clade, new)]


def tree_of_clades(clades: Sequence[NDArray[np.int32]], num_leaves: int) -> Tree:
    """Return the tree that has some clades, of which any two are apart or one within the other."""
    top = np.arange(num_leaves)
    parent = [-1] * num_leaves
    for clade in sorted([*clades, np.arange(num_leaves, dtype=np.int32)], key=len):
        below = np.unique(top[clade])
        if len(below) == 1:
            continue
        node = len(parent)
        parent.append(-1)
        for v in below.tolist():
            parent[v] = node
        top[clade] = node
    return Tree(parent)


def with_support(tree: Tree, trees: Sequence[Tree] | Snapshots) -> Tree:
    """Return a tree with the share of some trees that has each of its clades as its support; leaves have none.

    Trees that have item names are compared by these, if the tree has them too, else by leaf number.
    """
    own = as_tree(tree)
    snapshots, _ = _as_snapshots(trees if isinstance(trees, Snapshots) else [numbered_as(own, t) for t in trees], None)
    if snapshots.num_leaves != own.num_leaves:
        raise ValueError(f"the tree has {own.num_leaves} leaves, and the trees that support it {snapshots.num_leaves}")
    support = snapshots.frequencies_of(clade_keys(own))
    support[: tree.num_leaves] = np.nan
    return Tree(tree.parent, **tree._times_at(slice(None)), items=tree.items, names=tree.names, support=support)


def numbered_as(first: Tree, tree: Tree) -> Tree:
    """Return a tree with its leaves numbered as those of the first one: by name where both have names."""
    leaf_map = as_tree(first)._leaf_map(as_tree(tree))
    if first.items is None or (leaf_map == np.arange(leaf_map.size)).all():
        return tree
    return tree.restrict(first.items)


def triplet_support(trees: Sequence[Tree] | Snapshots, triplets: ArrayLike) -> NDArray[np.float64]:
    """Return the share of the trees that satisfies each triplet, given by item numbers or names."""
    snapshots, names = _as_snapshots(trees, None)
    return snapshots.share_of(as_triplets(triplets, snapshots.num_leaves, names))


def _as_snapshots(trees: Sequence[Tree] | Snapshots, items: Items | None) -> tuple[Snapshots, Items | None]:
    if isinstance(trees, Snapshots):
        return trees, items
    several = [as_tree(tree) for tree in trees]
    if not several:
        raise ValueError("a summary needs at least one tree")
    first = several[0]
    if any(tree.num_leaves != first.num_leaves for tree in several):
        raise ValueError("a summary needs trees over the same items; these have different numbers of leaves")
    if any(tree.items != first.items for tree in several):
        raise ValueError("a summary needs trees over the same items, in the same order")
    return (
        Snapshots(
            np.array([tree.parent for tree in several]),
            np.array([diffusion_ages(tree) for tree in several]),
            np.zeros((len(several), 2)),
            np.zeros(len(several), np.int64),
            np.ones(len(several), bool),
        ),
        first.items,
    )


def _most_credible(snapshots: Snapshots) -> int:
    log_supports = np.log(snapshots.frequencies_of(snapshots.keys[:, snapshots.num_leaves :]))
    return int(log_supports.sum(axis=1).argmax())


def _joins_of(snapshots: Snapshots) -> list[Joins]:
    """Return where items join in all the trees and, if these are not too large, in those of each chain: they may differ."""
    n = snapshots.num_leaves
    most = max(FEWEST_TREES, MOST_PAIRS * 2 // n**2)
    parts = snapshots.by_chain() if n <= MOST_FOR_CHAINS else [snapshots]
    shares = np.array([len(part) for part in parts]) / len(snapshots)
    joins = []
    for part, share in zip(parts, shares, strict=True):
        rows = _some_of(part, max(1, round(most * share)))
        joins.append(Joins(*mean_joins(part.parents[rows], part.ages[rows])))
    if len(joins) == 1:
        return joins
    of_all = (np.average(each, axis=0, weights=shares) for each in zip(*joins, strict=True))
    return [Joins(*of_all), *joins]


def _linkage(joins: Joins, needed: NDArray[np.int32], without: NDArray[np.int32] | None = None) -> ParentsAndAges:
    """Return parents and ages by average linkage of the sizes of clades, among the trees that have the triplets needed."""
    parent = join(joins.sizes, needed, without)
    ages = _kernels.snapshots.mean_heights(_kernels.layout.make_layout(parent.copy(), len(joins.sizes)), joins.heights)
    return parent, apart(parent, ages)


def _is_what_is_meant(
    parent: NDArray[np.int32], ages: NDArray[np.float64], snapshots: Snapshots, pieces: Sequence[Piece]
) -> bool:
    """Return whether by a tree not much more was left unsaid of some pieces than by trees that there are."""
    if not pieces:
        return True
    rows = _some_of(snapshots, NUM_COMPARED)
    of_all = logs_unsaid(np.vstack([parent, snapshots.parents[rows]]), np.vstack([ages, snapshots.ages[rows]]), pieces)
    usual = float(of_all[1:].mean())
    return bool(of_all[0] <= usual + MUCH_MORE * np.sqrt(usual))


def _nearest(made: list[ParentsAndAges], snapshots: Snapshots, needed: NDArray[np.int32]) -> ParentsAndAges:
    """Return, of trees that were made and some of those that there are, the one with the triplets nearest to all of these.

    A linkage that triplets have changed need not be in the middle any more.
    """
    rows = _some_of(snapshots, NUM_COMPARED)
    parents, ages = snapshots.parents[rows], snapshots.ages[rows]
    candidates = [*made, *zip(parents, ages, strict=True)]
    odd = _odd_ones(np.array([each for each, _ in candidates]), np.array([each for _, each in candidates]))
    agreement = np.asarray((odd[:, None, :] == odd[len(made) :]).mean(axis=2))
    # That a tree agrees with itself says nothing.
    own = np.arange(len(rows))
    agreement[len(made) + own, own] = 0.0
    mean = agreement.sum(axis=1) / len(rows)
    mean[len(made) :] *= len(rows) / max(len(rows) - 1, 1)
    mean[len(made) :][~_kernels.snapshots.satisfied(parents, ages, needed).all(axis=1)] = -1.0
    return candidates[int(mean.argmax())]


def _odd_ones(parents: NDArray[np.int32], ages: NDArray[np.float64]) -> NDArray[np.int8]:
    """Return for each of some trees which is the odd one of each of many random triples, the same for all trees: 0, 1, 2."""
    num_leaves = (parents.shape[1] + 1) // 2
    three = _random_triples(num_leaves)
    result = np.zeros((len(parents), NUM_TRIPLES), np.int8)
    for odd in (1, 2):
        order = [i for i in range(3) if i != odd] + [odd]
        result[_kernels.snapshots.satisfied(parents, ages, np.ascontiguousarray(three[:, order]))] = odd
    return result


def _random_triples(num_leaves: int) -> NDArray[np.int32]:
    """Return triples of different leaves, always the same."""
    a, b, c = np.random.default_rng(0).integers(num_leaves - np.arange(3)[:, None], size=(3, NUM_TRIPLES))
    b += b >= a
    c += c >= np.minimum(a, b)
    c += c >= np.maximum(a, b)
    return np.stack([a, b, c], axis=1).astype(np.int32)


def _some_of(snapshots: Snapshots, most: int) -> NDArray[np.int64]:
    """Return the numbers of at most so many trees, from the first to the last."""
    return np.linspace(0, len(snapshots) - 1, min(most, len(snapshots))).astype(np.int64)


def _agree(one: NDArray[np.int32], other: NDArray[np.int32]) -> bool:
    """Return whether two clades fit into one tree: apart, or one within the other."""
    return np.intersect1d(one, other).size in {0, len(one), len(other)}
