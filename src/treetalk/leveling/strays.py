"""Where small clades go that are too small for a group: with those that the draws put them nearest to.

In each draw, an item is nearest to the groups that are in the smallest clade around it that has items of any group: these
share its vote, in proportion to how many of their items are there. No answer may be broken by it, if that is possible:
*a and b together, apart from c* is broken by a group that has c and one of a and b, without the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.arguments import A, B, C

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.tree import Tree


class Stray(NamedTuple):
    """A clade that is too small for a group."""

    node: int  # of the clade
    root: int  # which group of the level above it is in
    owner: int  # the node that is not to be cut if the clade finds no place


class Placed(NamedTuple):
    """Where strays went."""

    labels: NDArray[np.int64]  # the group of each leaf
    homes: dict[int, int]  # the group of each stray, which is given by its node
    homeless: list[Stray]  # those that would break an answer wherever they went


def strays_of(tree: Tree, roots: Sequence[int], groups: Sequence[Sequence[int]]) -> list[Stray]:
    """Return the clades below some nodes that are in none of the groups there, the largest first."""
    layout = tree._layout
    found: list[Stray] = []
    for root, (top, nodes) in enumerate(zip(roots, groups, strict=True)):
        inside = set(nodes)
        above = set()
        for v in nodes:
            while v != top:
                v = int(layout.parent[v])
                if v in above:
                    break
                above.add(v)
        for v in above:
            children = layout.child[layout.child_start[v] : layout.child_start[v + 1]].tolist()
            found += [Stray(u, root, v) for u in children if u not in inside and u not in above]
    return sorted(found, key=lambda stray: (-int(layout.size[stray.node]), int(layout.rank[stray.node])))


def placed(
    tree: Tree,
    draws: Sequence[Tree],
    groups: Sequence[Sequence[int]],
    strays: Sequence[Stray],
    alone: Sequence[Stray],
    triplets: NDArray[np.int32],
) -> Placed:
    """Return the group of each leaf, numbered in the order in which they are given, and where each stray went.

    Those that stand alone are groups of their own, which come after the others. A stray goes to one of the groups with the
    same root, to one for which no answer is broken if there is one, and of these to the one with the most votes of the
    draws. Without draws, the tree votes.
    """
    labels = np.full(tree.num_leaves, -1, np.int64)
    spans: list[tuple[int, int]] = []  # the numbers of the groups of each root
    number = 0
    for nodes in groups:
        spans.append((number, number + len(nodes)))
        for v in nodes:
            labels[tree.leaves(v)] = number
            number += 1
    votes = _votes(draws or [tree], labels, spans, [(tree.leaves(stray.node), stray.root) for stray in strays])
    for stray in alone:
        labels[tree.leaves(stray.node)] = number
        number += 1
    homes: dict[int, int] = {}
    homeless: list[Stray] = []
    for stray, shares in zip(strays, votes, strict=True):
        leaves = tree.leaves(stray.node)
        about = triplets[np.isin(triplets, leaves).any(axis=1)]
        start, end = spans[stray.root]
        # Equal votes go to the largest group, then to the first.
        sizes = np.bincount(labels[labels >= 0], minlength=number)[start:end]
        order = np.lexsort((np.arange(end - start), -sizes, -shares))
        for choice in order.tolist():
            labels[leaves] = start + choice
            if not is_broken(about, labels).any():
                homes[stray.node] = start + choice
                break
        else:
            labels[leaves] = -1
            homeless.append(stray)
    return Placed(labels, homes, homeless)


def is_broken(triplets: NDArray[np.int32], labels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each triplet whether groups contradict it; leaves without a group, -1, contradict nothing."""
    a, b, c = labels[triplets[:, A]], labels[triplets[:, B]], labels[triplets[:, C]]
    result: NDArray[np.bool_] = (c >= 0) & (a >= 0) & (b >= 0) & (a != b) & ((c == a) | (c == b))
    return result


def _votes(
    draws: Sequence[Tree],
    labels: NDArray[np.int64],
    spans: list[tuple[int, int]],
    wanted: list[tuple[NDArray[np.int32], int]],
) -> list[NDArray[np.float64]]:
    """Return for each of some sets of leaves the share of the votes for each group of its root."""
    votes = [np.zeros(spans[root][1] - spans[root][0]) for _, root in wanted]
    if all(len(shares) == 1 for shares in votes):
        return [np.ones(1) for _ in votes]
    for draw in draws:
        layout = draw._layout
        in_order = labels[layout.leaf_order]
        for shares, (leaves, root) in zip(votes, wanted, strict=True):
            start, end = spans[root]
            for leaf in leaves.tolist():
                v = leaf
                near = np.empty(0, np.int64)
                while len(near) == 0:
                    v = int(layout.parent[v])
                    around = in_order[layout.first[v] : layout.first[v] + layout.size[v]]
                    near = around[(around >= start) & (around < end)]
                shares += np.bincount(near - start, minlength=end - start) / len(near)
    return [shares / shares.sum() for shares in votes]
