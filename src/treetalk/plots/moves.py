"""Which items moved between two trees by more than chance, told by the support of branches that contradict each other.

Two samples of one posterior differ too. But no draw has two branches that contradict each other, so in one posterior their
supports add up to 1 at most; where they add up to clearly more, it is not the same posterior.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk.clades import clade_keys
from treetalk.formats.arcs import support_of
from treetalk.layout.visible import Canvas
from treetalk.summary import tree_of_clades

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.tree import Tree

MORE_THAN_CHANCE = 1.1  # supports together: as samples are finite, a little more than 1


def moved_items(then: Tree, now: Tree) -> NDArray[np.bool_]:
    """Return for each item, numbered alike in both trees, whether it moved.

    Those moved without which no branches contradict each other by more than chance, and of which none can be spared. Two
    branches contradict each other if they overlap and neither is within the other; it is more than chance if their supports
    add up to more than 1.1. Branches whose support is not known are taken for certain.
    """
    in_both = np.intersect1d(clade_keys(then), clade_keys(now))
    # What is in both trees contradicts neither.
    (one, support), (other, other_support) = _clades(then, in_both), _clades(now, in_both)
    strong = contradictions(one, other) & (support[:, None] + other_support[None, :] > MORE_THAN_CHANCE)
    if not strong.any():
        return np.zeros(then.num_leaves, bool)
    mine, others = strong.any(axis=1), strong.any(axis=0)
    # Both trees are completed alike, by what contradicts none of the branches in question.
    more = one[~mine][~contradictions(one[~mine], other[others]).any(axis=1)]
    further = other[~others]
    further = further[~contradictions(further, np.concatenate([one[mine], more])).any(axis=1)]
    one, other, strong = one[mine], other[others], strong[np.ix_(mine, others)]
    shared = [then.leaves(int(v)) for v in np.flatnonzero(np.isin(clade_keys(then), in_both) & (then.sizes > 1))]
    before, after = (
        tree_of_clades(
            shared + [np.flatnonzero(clade).astype(np.int32) for clade in (*clades, *more, *further)], then.num_leaves
        )
        for clades in (one, other)
    )
    moved = Canvas(after).moved_since(Canvas(before)).copy()
    for leaf in np.flatnonzero(moved).tolist():
        moved[leaf] = False
        moved[leaf] = _is_in_the_way(leaf, one, other, strong, ~moved)
    return moved


def _clades(tree: Tree, without: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return the members and the support of each branch, a row for each, without those that have some keys."""
    nodes = np.flatnonzero(~np.isin(clade_keys(tree), without))
    members = np.zeros((len(nodes), tree.num_leaves), bool)
    for row, node in enumerate(nodes.tolist()):
        members[row, tree.leaves(node)] = True
    known = support_of(tree)
    support = np.ones(len(nodes)) if known is None else known[nodes]
    return members, np.where(np.isnan(support), 1.0, support)


def contradictions(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for every two sets, given by their members, whether they overlap and neither is within the other."""
    # Small whole numbers are exact in these floats, whose products are much faster than those of integers.
    common = one.astype(np.float32) @ other.T.astype(np.float32)
    sizes, others = one.sum(axis=1)[:, None], other.sum(axis=1)[None, :]
    crossing: NDArray[np.bool_] = (common > 0) & (common < sizes) & (common < others)
    return crossing


def _is_in_the_way(
    leaf: int,
    one: NDArray[np.bool_],
    other: NDArray[np.bool_],
    strong: NDArray[np.bool_],
    kept: NDArray[np.bool_],
) -> bool:
    """Return whether branches contradict each other among the kept items, of which this one came last."""
    for here, there, both in ((one, other, strong), (other, one, strong.T)):
        having = here[:, leaf]
        if (contradictions(here[having][:, kept], there[:, kept]) & both[having]).any():
            return True
    return False
