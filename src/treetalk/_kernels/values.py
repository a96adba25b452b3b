"""The values at the nodes given the data at the leaves: their posterior mean, or a draw, from the top down.

Given its parent's value x, a node with message (m, v) at the end of an edge of length e has the mean (e m + v x) / (v +
e) and the variance v e / (v + e).
"""

import math
from typing import Any

from treetalk._kernels._jit import hot
from treetalk._kernels.random import normal
from treetalk._kernels.state import AGE, MEAN, PARENT, VARIANCE


@hot
def node_means(links: Any, rows: Any, preorder: Any, out: Any) -> None:
    """Write the posterior mean of every node into `out`."""
    origin = links.shape[0] - 1
    for i in range(preorder.size):
        v = preorder[i]
        p = links[v, PARENT]
        length = rows[p, AGE] - rows[v, AGE]
        weight = rows[v, VARIANCE] / (rows[v, VARIANCE] + length)
        for j in range(out.shape[1]):
            above = 0.0 if p == origin else out[p, j]
            out[v, j] = rows[v, MEAN + j] + weight * (above - rows[v, MEAN + j])


@hot
def node_draw(links: Any, rows: Any, preorder: Any, rng: Any, out: Any) -> None:
    """Write a joint draw of the values of all nodes into `out`."""
    origin = links.shape[0] - 1
    for i in range(preorder.size):
        v = preorder[i]
        p = links[v, PARENT]
        length = rows[p, AGE] - rows[v, AGE]
        weight = rows[v, VARIANCE] / (rows[v, VARIANCE] + length)
        deviation = math.sqrt(weight * length)
        for j in range(out.shape[1]):
            above = 0.0 if p == origin else out[p, j]
            out[v, j] = rows[v, MEAN + j] + weight * (above - rows[v, MEAN + j]) + deviation * normal(rng)
