"""Trees with less in them: some of the leaves only, or no node with a single child."""

from typing import Any

import numpy as np

from treetalk._kernels._jit import kernel
from treetalk._kernels.layout import mrca


@kernel
def by_position(layout: Any, leaves: Any) -> Any:
    """Return the numbers 0, 1, ... of some leaves in the drawing order of the tree, in time linear in its leaves."""
    number = np.full(layout.leaf_order.size, -1, np.int32)
    for i in range(leaves.size):
        number[layout.first[leaves[i]]] = i
    result = np.empty(leaves.size, np.int32)
    count = 0
    for i in number:
        if i != -1:
            result[count] = i
            count += 1
    return result


@kernel
def restrict(layout: Any, leaves: Any, by_position: Any) -> Any:
    """Return (parent, origin) of the restriction; new leaf i is leaves[i], origin gives the old number of each node.

    Linear in the number of leaves: `by_position` sorts them by their place in the drawing order. The mrca's of
    neighbours are the internal nodes, and those not yet closed form a stack, from the root down (a "virtual tree").
    """
    k = leaves.size
    parent = np.full(2 * k - 1, -1, np.int32)
    origin = np.empty(2 * k - 1, np.int32)
    for i in range(k):
        origin[i] = leaves[i]
    num_nodes = k
    stack = np.empty(k, np.int32)
    top = 0
    for i in range(k):
        below = by_position[i]
        joins = -1
        if i + 1 < k:
            joins = mrca(layout, leaves[by_position[i]], leaves[by_position[i + 1]])
        # Everything deeper than the next junction is complete.
        while top > 0 and (joins == -1 or layout.depth[origin[stack[top - 1]]] > layout.depth[joins]):
            top -= 1
            parent[below] = stack[top]
            below = stack[top]
        if joins == -1:
            break
        if top == 0 or origin[stack[top - 1]] != joins:
            origin[num_nodes] = joins
            stack[top] = num_nodes
            top += 1
            num_nodes += 1
        parent[below] = stack[top - 1]
    return parent[:num_nodes], origin[:num_nodes]


@kernel
def without_single_children(parent: Any) -> Any:
    """Drop nodes with one child and number the rest: leaves first, in order, then internal nodes, each parent first.

    Return (new_parent, origin): the old number of each new node. Nodes come in the order in which they begin.
    """
    num_old = parent.size
    num_children = np.zeros(num_old, np.int64)
    for v in range(1, num_old):
        num_children[parent[v]] += 1
    num_leaves = 0
    num_nodes = 0
    for v in range(num_old):
        num_leaves += num_children[v] == 0
        num_nodes += num_children[v] != 1
    number = np.empty(num_old, np.int32)  # of the node itself, or of its nearest ancestor that stays
    new_parent = np.empty(num_nodes, np.int32)
    origin = np.empty(num_nodes, np.int64)
    next_leaf = 0
    next_internal = num_leaves
    for v in range(num_old):
        above = -1 if v == 0 else number[parent[v]]
        if num_children[v] == 1:
            number[v] = above
            continue
        if num_children[v] == 0:
            new = next_leaf
            next_leaf += 1
        else:
            new = next_internal
            next_internal += 1
        number[v] = new
        new_parent[new] = above
        origin[new] = v
    return new_parent, origin
