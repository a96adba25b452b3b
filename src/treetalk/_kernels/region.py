"""Where a pruned subtree may go so that every triplet stays satisfied.

Only triplets with one or two of a, b, c in the subtree matter:

- c inside, a and b outside: every edge strictly below the mrca of a and b is banned;
- one of a and b inside, the other, o, and c outside: the subtree must go to the edge above y or below it, where y is
the child
  of the mrca of o and c towards o.

The tree satisfies the triplets, so the subtree's old place is in the region: every such y is on the path from it to the
root, and the deepest one counts. The mrcas are known, for those of leaves outside the subtree do not change with it.
"""

from typing import Any

import numpy as np

from treetalk._kernels._jit import hot, part
from treetalk._kernels.state import AGE, LEFT, LOW, PARENT, RIGHT, SIZE, TOP, A, B, C


@part
def mark_leaves(state: Any, s: int) -> None:
    """List and mark the leaves of a subtree. ``state.leaves`` serves as the stack, too: one leaf less, one place more."""
    links, leaves, marks = state.links, state.leaves, state.marks
    num_leaves = leaves.size
    now = state.clock[0]
    found = 0
    # The stack grows down from the end: the leaves listed and the nodes waiting are never more than the subtree's leaves.
    top = num_leaves - 1
    leaves[top] = s
    while top < num_leaves:
        v = leaves[top]
        top += 1
        while v >= num_leaves:
            top -= 1
            leaves[top] = links[v, RIGHT]
            v = links[v, LEFT]
        leaves[found] = v
        found += 1
        marks[v] = now


@part
def allowed_top(state: Any, s: int, last: int) -> int:
    """Return `top`: allowed are the edge above ``path[top]`` and the edges below it. Mark the nodes that end the region."""
    if state.triplets.shape[0] == 0 and state.shown.num_items.size == 0:
        return last
    state.clock[0] += 1
    mark_leaves(state, s)
    rows, triplets, marks, path = state.rows, state.triplets, state.marks, state.path
    now = state.clock[0]
    deepest = path[last + 1]
    for i in range(np.int64(state.links[s, SIZE])):
        leaf = state.leaves[i]
        for k in range(state.entry_start[leaf], state.entry_start[leaf + np.uint32(1)]):
            row = state.entries[k]
            if leaf == triplets[row, C]:
                if marks[triplets[row, A]] != now:
                    marks[triplets[row, LOW]] = now
            else:
                other = triplets[row, B] if leaf == triplets[row, A] else triplets[row, A]
                if marks[other] != now:
                    m = triplets[row, TOP]
                    if rows[m, AGE] < rows[deepest, AGE]:
                        deepest = m
    top = 0
    while path[top + 1] != deepest:
        top += 1
    return top


@hot
def allowed_edges(state: Any, s: int, last: int, out: Any) -> None:
    """Mark in `out` the edges, named by their lower node, where subtree s may go, times left aside.

    The path has been traced. Moves do not call this: they look at the edges that they come by.
    """
    links, path, marks = state.links, state.path, state.marks
    num_leaves = links.shape[0] // 2
    p = links[s, PARENT]
    top = allowed_top(state, s, last)
    stack = state.slot_node
    stack[0] = path[top]
    height = 1
    while height > 0:
        height -= 1
        v = stack[height]
        if v == p:
            v = path[0]
        out[v] = True
        if v >= num_leaves and (state.triplets.shape[0] == 0 or marks[v] != state.clock[0]):
            stack[height] = links[v, LEFT]
            stack[height + 1] = links[v, RIGHT]
            height += 2
