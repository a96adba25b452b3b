"""A tree changed as little as possible so that it has some triplets that it had not.

Where a violated triplet's three leaves meet, and below, the tree is built anew, as BUILD would: leaves that a triplet
joins stay on one side. But where BUILD makes a child of every component, here each component goes to the side of the
old tree's split that has most of its leaves; and as soon as no violated triplet is left among some leaves, they keep
the old tree's shape.
"""

from typing import Any

import numpy as np

from treetalk._kernels._jit import kernel
from treetalk._kernels.build import find
from treetalk._kernels.layout import is_under, mrca

A, B, C = 0, 1, 2
STRADDLING = 8  # a component straddles a split if each side has more than an eighth of all leaves from it


@kernel
def repair(layout: Any, ages: Any, triplets: Any) -> Any:
    """Return (parent, ages) of a tree with all the triplets, which are consistent; the old tree is binary.

    An age may equal the parent's: `treetalk.repair` pulls such ages apart.
    """
    parent, new_ages = layout.parent.copy(), ages.copy()
    zone, violated = _find_zones(layout, triplets)
    by_zone = _in_zones(zone, layout.parent.size)
    begin = 0
    while begin < by_zone.size:
        z = zone[by_zone[begin]]
        end = begin
        while end < by_zone.size and zone[by_zone[end]] == z:
            end += 1
        _rebuild(layout, ages, triplets, by_zone[begin:end].copy(), violated, z, parent, new_ages)
        begin = end
    return parent, new_ages


@kernel
def _find_zones(layout: Any, triplets: Any) -> Any:
    """Return for each triplet the highest node to rebuild above its leaves, or -1, and whether it is violated."""
    num_triplets = triplets.shape[0]
    meets = np.empty(num_triplets, np.int32)
    violated = np.zeros(num_triplets, np.bool_)
    zone_of_node = np.full(layout.parent.size, -1, np.int32)
    for i in range(num_triplets):
        low = mrca(layout, triplets[i, A], triplets[i, B])
        violated[i] = is_under(layout, triplets[i, C], low)
        meets[i] = mrca(layout, low, triplets[i, C])
        if violated[i]:
            zone_of_node[meets[i]] = meets[i]
    for v in layout.preorder:
        p = layout.parent[v]
        if p != -1 and zone_of_node[p] != -1:
            zone_of_node[v] = zone_of_node[p]
    zone = np.empty(num_triplets, np.int32)
    for i in range(num_triplets):
        zone[i] = zone_of_node[meets[i]]
    return zone, violated


@kernel
def _in_zones(zone: Any, num_nodes: int) -> Any:
    """Return the rows of the triplets that have a zone, those of a zone together (a counting sort)."""
    start = np.zeros(num_nodes + 1, np.int64)
    for z in zone:
        if z != -1:
            start[z + 1] += 1
    for z in range(num_nodes):
        start[z + 1] += start[z]
    rows = np.empty(start[num_nodes], np.int64)
    for i in range(zone.size):
        if zone[i] != -1:
            rows[start[zone[i]]] = i
            start[zone[i]] += 1
    return rows


@kernel
def _rebuild(
    layout: Any, ages: Any, triplets: Any, members: Any, violated: Any, z: int, parent: Any, new_ages: Any
) -> None:
    """Build the tree below z anew; `members` are the triplets within its leaves."""
    size = layout.size[z]
    num_leaves = layout.leaf_order.size
    leaves = layout.leaf_order[layout.first[z] : layout.first[z] + size].copy()
    # The internal nodes below z, z first: a new node takes the next one.
    ids = np.empty(size - 1, np.int32)
    count = 0
    for i in range(layout.rank[z], layout.rank[z] + layout.num_below[z]):
        if layout.preorder[i] >= num_leaves:
            ids[count] = layout.preorder[i]
            count += 1
    used = 0
    union = np.empty(num_leaves, np.int32)
    votes = np.zeros((num_leaves, 4), np.int64)
    side = np.zeros(num_leaves, np.bool_)
    # Sets of leaves to be split, as intervals of `leaves` and `members`, and the node that they hang from.
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
        used += 1
        parent[node] = above
        old = mrca(layout, leaves[first], leaves[last - 1])
        new_ages[node] = ages[old]
        is_wrong = False
        for i in range(low, high):
            is_wrong = is_wrong or violated[members[i]]
        if is_wrong:
            _join(triplets, members[low:high], leaves[first:last], union)
            while not _vote(layout, triplets, members[low:high], leaves[first:last], old, union, votes, side):
                # All on one side: what the other side has are strays. Look how the old tree splits the rest.
                old = _without_strays(layout, leaves[first:last], old, side)
        else:
            high = low
            for i in range(first, last):
                side[leaves[i]] = layout.first[leaves[i]] >= _boundary(layout, old)
        middle = _partition(leaves, first, last, side)
        left_end, right_start = _deal(triplets, members, low, high, side)
        _push(stack, top, first, middle, low, left_end, node)
        _push(stack, top + 1, middle, last, right_start, high, node)
        top += 2


@kernel
def _push(stack: Any, place: int, first: int, last: int, low: int, high: int, above: int) -> None:
    """Write down a set of leaves to be split."""
    stack[place, 0] = first
    stack[place, 1] = last
    stack[place, 2] = low
    stack[place, 3] = high
    stack[place, 4] = above


@kernel
def _boundary(layout: Any, v: int) -> Any:
    """Return where, in the old tree's order of leaves, those of v's second child begin."""
    return layout.first[layout.child[layout.child_start[v] + 1]]


@kernel
def _join(triplets: Any, members: Any, leaves: Any, union: Any) -> None:
    """Find the components of some leaves: a and b of each triplet belong together."""
    for leaf in leaves:
        union[leaf] = leaf
    for i in members:
        a, b = find(union, triplets[i, A]), find(union, triplets[i, B])
        if a != b:
            union[max(a, b)] = min(a, b)


@kernel
def _vote(layout: Any, triplets: Any, members: Any, leaves: Any, old: int, union: Any, votes: Any, side: Any) -> bool:
    """Decide on which side of the old tree's split at a node each leaf goes; return whether both sides get some.

    A component goes where most of its leaves are or, if as many are on either side, away from its odd ones.
    """
    start, boundary, end = layout.first[old], _boundary(layout, old), layout.first[old] + layout.size[old]
    for leaf in leaves:
        votes[leaf] = 0
    for leaf in leaves:
        position = layout.first[leaf]
        if start <= position < end:
            votes[find(union, leaf), 1 if position >= boundary else 0] += 1
    for i in members:
        votes[find(union, triplets[i, A]), 3 if layout.first[triplets[i, C]] >= boundary else 2] += 1
    num_right = 0
    num_components = 0
    giant = -1
    for leaf in leaves:
        if find(union, leaf) != leaf:
            continue
        left_votes, right_votes = votes[leaf, 0], votes[leaf, 1]
        goes_right = right_votes > left_votes
        if left_votes == right_votes:
            goes_right = votes[leaf, 3] < votes[leaf, 2]
        side[leaf] = goes_right
        num_components += 1
        num_right += goes_right
        if 2 * (left_votes + right_votes) > leaves.size and STRADDLING * min(left_votes, right_votes) > leaves.size:
            giant = leaf
    if giant != -1:
        # Most leaves are in one component that straddles the split. It would lose a few leaves at each of hundreds of
        # splits; so everything else leaves it at once.
        for leaf in leaves:
            side[leaf] = leaf == giant
    for leaf in leaves:
        side[leaf] = side[find(union, leaf)]
    return giant != -1 or 0 < num_right < num_components


@kernel
def _without_strays(layout: Any, leaves: Any, old: int, side: Any) -> Any:
    """Return the mrca, in the old tree, of the leaves below a node on the side to which all of them go."""
    boundary, end = _boundary(layout, old), layout.first[old] + layout.size[old]
    start = layout.first[old]
    if side[leaves[0]]:
        start = boundary
    else:
        end = boundary
    lowest, highest = -1, -1
    for leaf in leaves:
        if start <= layout.first[leaf] < end:
            lowest = leaf if lowest == -1 else lowest
            highest = leaf
    return mrca(layout, lowest, highest)


@kernel
def _partition(leaves: Any, first: int, last: int, side: Any) -> int:
    """Put the leaves of the left side before those of the right, each in their old order; return where the right begins."""
    right = np.empty(last - first, np.int32)
    count = 0
    middle = first
    for i in range(first, last):
        leaf = leaves[i]
        if side[leaf]:
            right[count] = leaf
            count += 1
        else:
            leaves[middle] = leaf
            middle += 1
    for i in range(count):
        leaves[middle + i] = right[i]
    return middle


@kernel
def _deal(triplets: Any, members: Any, low: int, high: int, side: Any) -> Any:
    """Put triplets within the left side first and those within the right side last; return where the two parts end and
    begin.

    The others are satisfied by the split: a and b are never apart.
    """
    i = low
    left_end, right_start = low, high
    while i < right_start:
        row = members[i]
        if side[triplets[row, A]] != side[triplets[row, C]]:
            i += 1
        elif side[triplets[row, A]]:
            right_start -= 1
            members[i], members[right_start] = members[right_start], members[i]
        else:
            members[i], members[left_end] = members[left_end], members[i]
            left_end += 1
            i += 1
    return left_end, right_start
