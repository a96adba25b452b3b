"""In which order the leaves of a tree are drawn, so that they keep a former order as far as the tree allows.

Turning the children of a node round moves the leaves under one child past those under another, and nothing else: how many
pairs of leaves stand the wrong way round is a sum over nodes, and each node can be turned by itself. At a node with two
children, the pairs between them are counted with the leaves under the larger child in a Fenwick tree over former
positions. Along a heavy path, on which each node is followed by its largest child, that tree grows from the bottom up: a
leaf is put into O(log n) of them.
"""

from typing import Any

import numpy as np

from treetalk._kernels._jit import kernel
from treetalk._kernels.distance import _add, _count_below


@kernel
def steady(layout: Any, rank: Any) -> Any:
    """Return the leaves in the order with the fewest inversions.

    `rank` gives the former position of each leaf, numbers below the number of leaves. Nodes of more than two children
    have theirs in the order of mean ranks.
    """
    num_leaves = layout.leaf_order.size
    total = np.zeros(layout.parent.size, np.int64)
    for k in range(layout.preorder.size - 1, -1, -1):
        v = layout.preorder[k]
        if v < num_leaves:
            total[v] = rank[v]
        if layout.parent[v] != -1:
            total[layout.parent[v]] += total[v]
    child = layout.child.copy()
    counts = np.zeros(num_leaves + 1, np.int64)
    path = np.empty(layout.parent.size, np.int32)
    for top in layout.preorder:
        if layout.head[top] != top or layout.size[top] < 2:
            continue
        length = _heavy_path(layout, top, path)
        _add(counts, rank[path[length - 1]], 1)
        for k in range(length - 2, -1, -1):
            _arrange(layout, rank, total, counts, path[k], path[k + 1], child)
        for place in range(layout.first[top], layout.first[top] + layout.size[top]):
            _add(counts, rank[layout.leaf_order[place]], -1)
    return _in_order(layout, child)


@kernel
def _heavy_path(layout: Any, top: int, path: Any) -> int:
    """Fill in the nodes from one down to a leaf, each followed by its largest child; return how many they are."""
    path[0] = top
    length = 1
    while layout.size[path[length - 1]] > 1:
        v = path[length - 1]
        for k in range(layout.child_start[v], layout.child_start[v + 1]):
            if layout.head[layout.child[k]] == layout.head[top]:
                path[length] = layout.child[k]
        length += 1
    return length


@kernel
def _arrange(layout: Any, rank: Any, total: Any, counts: Any, v: int, heavy: int, child: Any) -> None:
    """Put the children of a node in order, and the leaves under the light ones among those that are counted."""
    begin, end = layout.child_start[v], layout.child_start[v + 1]
    if end - begin == 2:
        light = layout.child[begin] if layout.child[begin + 1] == heavy else layout.child[begin + 1]
        num_heavy = np.int64(layout.size[heavy])
        heavy_later = 0  # pairs in which the leaf under the heavy child came later
        heavy_sooner = 0
        for place in range(layout.first[light], layout.first[light] + layout.size[light]):
            at = rank[layout.leaf_order[place]]
            heavy_sooner += _count_below(counts, at)
            heavy_later += num_heavy - _count_below(counts, at + 1)
        if heavy_later != heavy_sooner:
            begins = light if heavy_later > heavy_sooner else heavy
        else:
            difference = total[light] * num_heavy - total[heavy] * np.int64(layout.size[light])
            if difference != 0:
                begins = light if difference < 0 else heavy
            else:
                begins = layout.child[begin]
        child[begin] = begins
        child[begin + 1] = light if begins == heavy else heavy
    else:
        mean = np.empty(end - begin, np.float64)
        for k in range(begin, end):
            mean[k - begin] = total[layout.child[k]] / layout.size[layout.child[k]]
        by_mean = np.argsort(mean, kind="mergesort")
        for k in range(begin, end):
            child[k] = layout.child[begin + by_mean[k - begin]]
    for k in range(begin, end):
        u = layout.child[k]
        if u != heavy:
            for place in range(layout.first[u], layout.first[u] + layout.size[u]):
                _add(counts, rank[layout.leaf_order[place]], 1)


@kernel
def _in_order(layout: Any, child: Any) -> Any:
    """Return the leaves as they stand when the children of each node stand as given."""
    first = np.zeros(layout.parent.size, np.int32)
    order = np.empty(layout.leaf_order.size, np.int32)
    for v in layout.preorder:
        place = first[v]
        if layout.size[v] == 1:
            order[place] = v
        for k in range(layout.child_start[v], layout.child_start[v + 1]):
            first[child[k]] = place
            place += layout.size[child[k]]
    return order


@kernel
def num_inversions(rank: Any) -> int:
    """Return how many pairs of numbers, each below their count, stand with the larger one first."""
    counts = np.zeros(rank.size + 1, np.int64)
    total = 0
    for i in range(rank.size):
        total += i - _count_below(counts, rank[i] + 1)
        _add(counts, rank[i], 1)
    return total
