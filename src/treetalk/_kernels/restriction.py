"""The tree induced on some of the leaves, in time linear in their number once they are sorted."""

from typing import Any

import numpy as np

from treetalk._kernels._jit import kernel
from treetalk._kernels.layout import mrca


@kernel
def restrict(layout: Any, leaves: Any, by_position: Any) -> Any:
    """Return (parent, origin) of the restriction; new leaf i is leaves[i], origin gives the old number of each node.

    `by_position` sorts the leaves by their place in the drawing order. The mrca's of neighbours are the internal nodes,
    and those not yet closed form a stack, from the root down (a "virtual tree").
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
