"""SciPy's linkage matrices, to and from parent arrays."""

from typing import Any

import numpy as np

from treetalk._kernels._jit import kernel


@kernel
def parents_of_merges(merges: Any, num_leaves: int) -> Any:
    """Return (parent, faulty row): row i joins two clusters into node num_leaves + i; -1 if no row is at fault."""
    parent = np.full(2 * num_leaves - 1, -1, np.int32)
    for i in range(merges.shape[0]):
        for side in range(2):
            v = merges[i, side]
            if v < 0 or v >= num_leaves + i or parent[v] != -1 or merges[i, 0] == merges[i, 1]:
                return parent, i
            parent[v] = num_leaves + i
    return parent, -1


@kernel
def lifted(merges: Any, height: Any, num_leaves: int) -> Any:
    """Return the heights with every merge at least as high as those below it, and the first row that was lower."""
    result = height.copy()
    inverted = -1
    for i in range(merges.shape[0]):
        for side in range(2):
            below = merges[i, side] - num_leaves
            if below >= 0 and result[below] > result[i]:
                result[i] = result[below]
                if inverted == -1:
                    inverted = i
    return result, inverted


@kernel
def merges_of_tree(layout: Any, height: Any, by_height: Any) -> Any:
    """Return the linkage matrix of a tree; `by_height` lists its internal nodes, each after those below it.

    A node with more than two children becomes as many merges as needed, all at its height: the first two children, then
    each further one.
    """
    num_leaves = layout.leaf_order.size
    matrix = np.empty((num_leaves - 1, 4), np.float64)
    cluster = np.empty(layout.parent.size, np.int64)
    for leaf in range(num_leaves):
        cluster[leaf] = leaf
    row = 0
    for v in by_height:
        first = layout.child_start[v]
        joined = cluster[layout.child[first]]
        num_joined = layout.size[layout.child[first]]
        for k in range(first + 1, layout.child_start[v + 1]):
            u = layout.child[k]
            num_joined += layout.size[u]
            matrix[row, 0] = min(joined, cluster[u])
            matrix[row, 1] = max(joined, cluster[u])
            matrix[row, 2] = height[v]
            matrix[row, 3] = num_joined
            joined = num_leaves + row
            row += 1
        cluster[v] = joined
    return matrix


@kernel
def levels(layout: Any) -> Any:
    """Return for each node the number of edges down to the farthest leaf under it."""
    result = np.zeros(layout.parent.size, np.int64)
    for i in range(layout.preorder.size - 1, 0, -1):
        v = layout.preorder[i]
        p = layout.parent[v]
        result[p] = max(result[p], result[v] + 1)
    return result
