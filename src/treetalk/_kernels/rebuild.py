"""The paper's way of taking in a triplet: below the meeting point of its three leaves, BUILD makes the tree anew.

BUILD's components become two sides: in the order of their smallest leaf, each goes to the side that has fewer leaves so far.
A new node is half as old as its parent. Nothing of the old tree below the meeting point is kept.
"""

from typing import Any

import numpy as np

from treetalk._kernels._jit import kernel
from treetalk._kernels.build import find
from treetalk._kernels.repair import _deal, _find_zones, _in_zones, _join, _partition, _push


@kernel
def rebuild(layout: Any, ages: Any, triplets: Any) -> Any:
    """Return (parent, ages) of a tree with all the triplets, which are consistent; the old tree is binary."""
    parent, new_ages = layout.parent.copy(), ages.copy()
    zone, _ = _find_zones(layout, triplets)
    by_zone = _in_zones(zone, layout.parent.size)
    begin = 0
    while begin < by_zone.size:
        z = zone[by_zone[begin]]
        end = begin
        while end < by_zone.size and zone[by_zone[end]] == z:
            end += 1
        _build_below(layout, triplets, by_zone[begin:end].copy(), z, parent, new_ages)
        begin = end
    return parent, new_ages


@kernel
def _build_below(layout: Any, triplets: Any, members: Any, z: int, parent: Any, ages: Any) -> None:
    """Build the tree below z anew; `members` are the triplets within its leaves."""
    size = layout.size[z]
    num_leaves = layout.leaf_order.size
    leaves = np.sort(layout.leaf_order[layout.first[z] : layout.first[z] + size])
    below = layout.preorder[layout.rank[z] : layout.rank[z] + layout.num_below[z]]
    ids = below[below >= num_leaves]  # z first: it keeps its place and its age
    used = 0
    union = np.empty(num_leaves, np.int32)
    counts = np.empty(num_leaves, np.int64)
    side = np.zeros(num_leaves, np.bool_)
    stack = np.empty((size + 1, 5), np.int64)
    _push(stack, 0, 0, size, 0, members.size, parent[z])
    top = 1
    while top > 0:
        top -= 1
        first, last, low, high, above = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3], stack[top, 4]
        if last - first == 1:
            parent[leaves[first]] = above
            continue
        node = ids[used]
        parent[node] = above
        if used > 0:
            ages[node] = 0.5 * ages[above]
        used += 1
        _join(triplets, members[low:high], leaves[first:last], union)
        _take_sides(leaves[first:last], union, counts, side)
        middle = _partition(leaves, first, last, side)
        left_end, right_start = _deal(triplets, members, low, high, side)
        _push(stack, top, first, middle, low, left_end, node)
        _push(stack, top + 1, middle, last, right_start, high, node)
        top += 2


@kernel
def _take_sides(leaves: Any, union: Any, counts: Any, side: Any) -> None:
    """Deal components of leaves, which are in ascending order, to two sides."""
    for leaf in leaves:
        counts[leaf] = 0
    for leaf in leaves:
        counts[find(union, leaf)] += 1
    balance = 0
    for leaf in leaves:
        if find(union, leaf) == leaf:
            side[leaf] = balance > 0
            balance += -counts[leaf] if side[leaf] else counts[leaf]
    for leaf in leaves:
        side[leaf] = side[find(union, leaf)]
