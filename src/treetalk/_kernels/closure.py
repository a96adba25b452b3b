"""What a consistent set of triplets implies, and which of them the others imply.

A set R implies ab|c if neither ac|b nor bc|a can be added to it; then BUILD's tree of R has ab|c. Adding ac|b changes
nothing in BUILD above u, the mrca of the three in that tree, for there the three are in one component anyway. At u it
joins the child X with a and b under it and the child Y with c under it. So R can be extended by ac|b if and only if the
triplets within X and Y together can, and no other triplets need be looked at.

Triplets are sorted by the preorder rank of their mrca in BUILD's tree: those within a clade, or at a node, are a range.
"""

from typing import Any

import numpy as np

from treetalk._kernels._jit import kernel
from treetalk._kernels.build import build, find
from treetalk._kernels.layout import child_towards, is_under, mrca


@kernel
def ranks_of_triplets(layout: Any, triplets: Any) -> Any:
    """Return for each satisfied triplet the preorder rank of the mrca of its three leaves."""
    ranks = np.empty(triplets.shape[0], np.int32)
    for t in range(triplets.shape[0]):
        ranks[t] = layout.rank[mrca(layout, triplets[t, 0], triplets[t, 2])]
    return ranks


@kernel
def _range_of_clade(layout: Any, ranks: Any, v: int) -> Any:
    """Return the range of the triplets whose mrca is v or below it."""
    rank = layout.rank[v]
    return np.searchsorted(ranks, rank), np.searchsorted(ranks, rank + layout.num_below[v])


@kernel
def _local(layout: Any, x: int, y: int, leaf: int) -> int:
    """Return the number of a leaf under x or y when these leaves alone are numbered, or -1 if it stands elsewhere."""
    if is_under(layout, leaf, x):
        return layout.first[leaf] - layout.first[x]
    if is_under(layout, leaf, y):
        return layout.size[x] + layout.first[leaf] - layout.first[y]
    return -1


@kernel
def _triplets_within(layout: Any, triplets: Any, ranks: Any, x: int, y: int) -> Any:
    """Return the triplets within the clades of siblings x and y together, renumbered, and one more row to fill in."""
    u = layout.parent[x]
    x_start, x_end = _range_of_clade(layout, ranks, x)
    y_start, y_end = _range_of_clade(layout, ranks, y)
    u_start = np.searchsorted(ranks, layout.rank[u])
    u_end = np.searchsorted(ranks, layout.rank[u] + 1)
    result = np.empty((x_end - x_start + y_end - y_start + u_end - u_start + 1, 3), np.int32)
    count = 0
    for part in range(3):
        start = x_start if part == 0 else y_start if part == 1 else u_start
        end = x_end if part == 0 else y_end if part == 1 else u_end
        for t in range(start, end):
            a = _local(layout, x, y, triplets[t, 0])
            c = _local(layout, x, y, triplets[t, 2])
            if a == -1 or c == -1:
                continue
            result[count, 0] = a
            result[count, 1] = _local(layout, x, y, triplets[t, 1])
            result[count, 2] = c
            count += 1
    return result[: count + 1]


@kernel
def implied(layout: Any, triplets: Any, ranks: Any, a: int, b: int, c: int) -> bool:
    """Return whether the triplets imply ab|c. `layout` is that of BUILD's tree."""
    m = mrca(layout, a, b)
    if is_under(layout, c, m):
        return False
    u = mrca(layout, a, c)
    x = child_towards(layout, u, a)
    y = child_towards(layout, u, c)
    within = _triplets_within(layout, triplets, ranks, x, y)
    size = layout.size[x] + layout.size[y]
    for alternative in range(2):
        within[-1, 0] = _local(layout, x, y, a if alternative == 0 else b)
        within[-1, 1] = _local(layout, x, y, c)
        within[-1, 2] = _local(layout, x, y, b if alternative == 0 else a)
        parent, _ = build(within, size)
        if parent.size > 0:
            return False
    return True


@kernel
def sides_of_triplets(layout: Any, triplets: Any, ranks: Any) -> Any:
    """Return for each triplet ab|c with mrca u the child of u with a and b under it, and the one with c under it."""
    sides = np.empty((triplets.shape[0], 2), np.int32)
    for t in range(triplets.shape[0]):
        u = layout.preorder[ranks[t]]
        sides[t, 0] = child_towards(layout, u, triplets[t, 0])
        sides[t, 1] = child_towards(layout, u, triplets[t, 2])
    return sides


@kernel
def spanning(layout: Any, triplets: Any, sides: Any, by_pair: Any) -> Any:
    """Decide of most triplets whether the others imply them; return (kept, undecided). What is undecided is kept so far.

    Whether a triplet at u with a, b under X and c under Y is implied depends on the triplets within X and Y alone. Those
    at u connect children of X, and children of Y. If they connect all of them, then X and Y are apart in every tree of
    these triplets: a spanning forest implies the others, and none of the forest can go. If they are such a forest
    without connecting all, each is the only one between two parts, and none can go either. `by_pair` brings the
    triplets of one pair {X, Y} together.
    """
    m = triplets.shape[0]
    kept = np.ones(m, np.bool_)
    undecided = np.zeros(m, np.bool_)
    above = np.arange(layout.parent.size).astype(np.int32)
    start = 0
    while start < m:
        x, y = sides[by_pair[start], 0], sides[by_pair[start], 1]
        end = start
        num_joins = 0
        while end < m:
            t = by_pair[end]
            side = sides[t, 0]
            if not ((side == x and sides[t, 1] == y) or (side == y and sides[t, 1] == x)):
                break
            p = find(above, child_towards(layout, side, triplets[t, 0]))
            q = find(above, child_towards(layout, side, triplets[t, 1]))
            above[p] = q
            kept[t] = p != q
            num_joins += p != q
            end += 1
        num_needed = 0
        for v in (x, y):
            begin, stop = layout.child_start[v], layout.child_start[v + 1]
            num_needed += max(stop - begin - 1, 0)
            for k in range(begin, stop):
                above[layout.child[k]] = layout.child[k]
        if num_joins < num_needed:
            for i in range(start, end):
                kept[by_pair[i]] = True
                undecided[by_pair[i]] = num_joins < end - start
        start = end
    return kept, undecided


@kernel
def join(triplets: Any, num_leaves: int) -> Any:
    """Add the edge ab of each triplet in turn; return (component of each leaf, which triplets joined two components)."""
    above = np.arange(num_leaves).astype(np.int32)
    joins = np.empty(triplets.shape[0], np.bool_)
    for t in range(triplets.shape[0]):
        p = find(above, triplets[t, 0])
        q = find(above, triplets[t, 1])
        above[p] = q
        joins[t] = p != q
    for v in range(num_leaves):
        above[v] = find(above, v)
    return above, joins
