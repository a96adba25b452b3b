"""A first tree for many items: put them in one after the other, each where it fits best on a greedy way down."""

from typing import Any

import numpy as np

from treetalk._kernels._jit import hot, part
from treetalk._kernels.guide import fork, see
from treetalk._kernels.hazard import hazard_of_age
from treetalk._kernels.prune import Cut
from treetalk._kernels.state import (
    AGE,
    HAZARD,
    LEFT,
    MEAN,
    PARENT,
    RIGHT,
    SIZE,
    VARIANCE,
    refresh,
    refresh_above,
    replace_child,
)

MARGIN = 0.05  # the share of an edge, at each end, where no item is put


@hot
def insert_all(state: Any, order: Any) -> None:
    """Build the tree in ``state`` from the leaves in the order given; their messages are in the rows."""
    links, rows = state.links, state.rows
    origin = links.shape[0] - 1
    num_leaves = order.size
    for v in range(num_leaves):
        links[v, LEFT] = v
        links[v, RIGHT] = v
        links[v, SIZE] = 1
        rows[v, AGE] = 0.0
        rows[v, HAZARD] = np.inf
    rows[origin, AGE] = 1.0
    rows[origin, HAZARD] = 0.0
    links[origin, PARENT] = origin
    links[origin, LEFT] = order[0]
    links[origin, RIGHT] = order[0]
    links[order[0], PARENT] = origin
    for i in range(1, num_leaves):
        insert(state, np.int64(order[i]), num_leaves + i - 1)


@part
def insert(state: Any, leaf: int, p: int) -> None:
    """Put a leaf, with p for its parent, on the edge where a walk ends that always makes the likeliest choice."""
    links, rows = state.links, state.rows
    origin = np.int64(links.shape[0] - 1)
    cut = Cut(leaf, p, 1, 0.0, 0, 0)
    root = np.int64(links[origin, LEFT])
    edge = see(state, cut, root, root, np.int64(links[root, SIZE]), origin)
    while not edge.is_end:
        choices = fork(state, cut, edge, -1)
        if choices.stop >= max(choices.go_left, choices.go_right):
            break
        edge = choices.left if choices.go_left >= choices.go_right else choices.right
    low = rows[edge.v, AGE]
    fixed = rows[edge.row, VARIANCE] - low + rows[leaf, VARIANCE]
    best = 0.5 * (edge.distance / max(rows.shape[1] - MEAN, 1) - fixed)
    margin = MARGIN * (edge.above - low)
    above = links[edge.v, PARENT]
    replace_child(links, above, edge.v, p)
    links[p, LEFT] = leaf
    links[p, RIGHT] = edge.v
    links[leaf, PARENT] = p
    links[edge.v, PARENT] = p
    rows[p, AGE] = min(max(best, low + margin), edge.above - margin)
    rows[p, HAZARD] = hazard_of_age(state.divergence, rows[p, AGE])
    links[p, SIZE] = np.int64(links[edge.v, SIZE]) + 1
    w = np.int64(links[p, PARENT])
    while w != origin:
        links[w, SIZE] = np.int64(links[w, SIZE]) + 1
        w = np.int64(links[w, PARENT])
    refresh(links, rows, p)
    refresh_above(links, rows, p)
