"""Average linkage among the trees that have some triplets.

Linkage joins from below, and triplets are met from above, as BUILD meets them. So items are linked as if there were no
triplets; and where a triplet's three items meet, and the linkage parts a from b, everything below is split anew: items that
triplets among them put together stay together, as in BUILD, and the split is that of the average linkage of these
components. Then each side is linked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk.groups import groups_of
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Less than any distance, so that a component's items are joined before anything else.
TOGETHER = -1.0


def linkage_parents(points: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the parent array of average linkage, of points or of a condensed matrix of distances.

    Internal nodes have the numbers of their merges.
    """
    from scipy.cluster.hierarchy import linkage

    merges = linkage(points, "average")[:, :2].astype(np.int64)
    n = len(merges) + 1
    parent = np.full(2 * n - 1, -1, np.int32)
    parent[merges] = np.arange(n, 2 * n - 1)[:, None]
    return parent


def join(
    distances: NDArray[np.float64], triplets: NDArray[np.int32], without: NDArray[np.int32] | None = None
) -> NDArray[np.int32]:
    """Return the parents in a binary tree with all of some consistent triplets, by average linkage.

    Parameters
    ----------
    distances : array of shape (num_items, num_items)
        Symmetric, nowhere negative, and 0 on the diagonal.
    triplets : int array of shape (m, 3)
        Triplets ab|c, the odd one last.
    without : int array, optional
        The parents by average linkage without any triplets, if they are known.
    """
    n = len(distances)
    parent = np.full(2 * n - 1, -1, np.int32)
    used = n
    # Sets of items, the triplets among them, and the node that they hang from.
    waiting = [(np.arange(n), triplets, -1)]
    while waiting:
        items, among, above = waiting.pop()
        tree = Tree(_linked(distances, items) if above != -1 or without is None else without)
        own = _numbered(among, items, n)
        meets = {tree.mrca(*triplet) for triplet in own[~tree.satisfies(own)].tolist()}
        number = np.full(tree.num_nodes, -1)
        number[: len(items)] = items
        for v in tree.preorder.tolist():
            p = tree.parent[v]
            if p != -1 and number[p] == -1:
                number[v] = -1
                continue
            if v >= len(items):
                number[v], used = used, used + 1
            parent[number[v]] = above if p == -1 else number[p]
            if v in meets:
                below = items[tree.leaves(v)]
                waiting += [(part, rest, number[v]) for part, rest in _sides(distances, below, among)]
                number[v] = -1  # so nothing below is taken over
    return parent


def _linked(distances: NDArray[np.float64], items: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return the parents in the average linkage of some of the items."""
    if len(items) == 1:
        return np.array([-1], np.int32)
    from scipy.spatial.distance import squareform

    among = distances if len(items) == len(distances) else distances[np.ix_(items, items)]
    return linkage_parents(squareform(among, checks=False))


def _sides(
    distances: NDArray[np.float64], items: NDArray[np.intp], triplets: NDArray[np.int32]
) -> list[tuple[NDArray[np.intp], NDArray[np.int32]]]:
    """Split items in two, so that no triplet among them has its pair apart; return each side, and the triplets within it."""
    within = triplets[np.isin(triplets, items).all(axis=1)]
    own = _numbered(within, items, len(distances))
    labels = groups_of(own, len(items)).labels
    glued = np.where(labels[:, None] == labels, TOGETHER, distances[np.ix_(items, items)])
    tree = Tree(_linked(glued, np.arange(len(items))))
    sides = [items[tree.leaves(int(v))] for v in tree.children(tree.root)]
    return [(side, within[np.isin(within, side).all(axis=1)]) for side in sides]


def _numbered(triplets: NDArray[np.int32], items: NDArray[np.intp], num_items: int) -> NDArray[np.int32]:
    """Return triplets with their items numbered by the places that they have among some."""
    place = np.zeros(num_items, np.int32)
    place[items] = np.arange(len(items))
    return place[triplets]
