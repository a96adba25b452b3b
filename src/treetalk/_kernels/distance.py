"""How many triplets two trees share, in O(n log^3 n) at worst and close to linear time for most trees.

Both trees are cut into heavy paths, on which each node is followed by its largest child. Every triplet of the target is
anchored at the mrca of its three leaves, so it belongs to one heavy path of the target. Take such a path v_1, ..., v_k,
the clade of v_1, and the other tree restricted to that clade. A leaf has level i if it hangs off the path at v_i. A
triplet ab|c anchored on the path is of one of two kinds:

- *above*: c has a smaller level than a and b. The other tree has ab|c if, at some node w, a and b are under one child
  and c is under another. Follow each heavy path of the other tree from its leaf upwards, with the levels of all leaves
  met so far in a Fenwick tree. At w, count those with c off the path and a, b on it, and those with a, b under one child
  off the path: each leaf is off the path of O(log n) nodes.
- *beside*: a and b are under the same child x of v_i off the path, and c, with level i or more, is not under x. The other
  tree has ab|c if c is not under the mrca of a and b there. Go down from the last level, with the leaves met so far in a
  Fenwick tree over the drawing order of the other tree: leaves under a node are one interval of it.

What remains are the triplets within each x: the same problem for the heavy path that begins at x. Each leaf takes part in
O(log n) of these problems.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treetalk._kernels._jit import kernel
from treetalk._kernels.layout import mrca

IntArray = NDArray[np.int32]


class Local(NamedTuple):
    """The other tree restricted to the leaves of a problem, which are numbered in its drawing order.

    Nodes are numbered from the number of leaves on. The arrays are reused by all problems.
    """

    parent: IntArray
    low: IntArray  # leaves under v: low[v] to high[v] - 1
    high: IntArray
    heavy: IntArray  # the child with the most leaves
    first_child: IntArray
    last_child: IntArray
    next_sibling: IntArray
    stack: IntArray
    stack_depth: IntArray
    node_of: IntArray  # the local number of a node of the whole tree


@kernel
def num_resolved(layout: Any) -> int:
    """Return the number of triplets of a tree."""
    total = 0
    for v in range(layout.leaf_order.size, layout.parent.size):
        for k in range(layout.child_start[v], layout.child_start[v + 1]):
            inside = np.int64(layout.size[layout.child[k]])
            total += inside * (inside - 1) // 2 * (np.int64(layout.size[v]) - inside)
    return total


@kernel
def _add(counts: Any, position: int, amount: int) -> None:
    i = position + 1
    while i < counts.size:
        counts[i] += amount
        i += i & -i


@kernel
def _count_below(counts: Any, position: int) -> int:
    """Return how many were added at smaller positions."""
    total = 0
    i = position
    while i > 0:
        total += counts[i]
        i -= i & -i
    return total


@kernel
def _attach(local: Any, child: int, v: int) -> None:
    local.parent[child] = v
    local.next_sibling[child] = -1
    if local.first_child[v] == -1:
        local.first_child[v] = child
        local.heavy[v] = child
    else:
        local.next_sibling[local.last_child[v]] = child
        heavy = local.heavy[v]
        if local.high[child] - local.low[child] > local.high[heavy] - local.low[heavy]:
            local.heavy[v] = child
    local.last_child[v] = child


@kernel
def _restrict(local: Any, depth: Any, joins: Any, num_leaves: int) -> int:
    """Fill in the local tree from the mrca's of neighbouring leaves; return its number of nodes."""
    num_nodes = num_leaves
    top = 0
    for i in range(num_leaves):
        local.low[i] = i
        local.high[i] = i + 1
        local.parent[i] = -1
        below = np.int32(i)
        junction = joins[i] if i + 1 < num_leaves else -1
        junction_depth = depth[junction] if junction != -1 else -1
        # Everything deeper than the next junction is complete.
        while top > 0 and local.stack_depth[top - 1] > junction_depth:
            top -= 1
            v = local.stack[top]
            local.high[v] = i + 1
            _attach(local, below, v)
            below = v
        if junction == -1:
            break
        if top == 0 or local.stack_depth[top - 1] < junction_depth:
            v = np.int32(num_nodes)
            num_nodes += 1
            local.parent[v] = -1
            local.low[v] = local.low[below]
            local.first_child[v] = -1
            local.node_of[junction] = v
            local.stack[top] = v
            local.stack_depth[top] = junction_depth
            top += 1
        _attach(local, below, local.stack[top - 1])
    return num_nodes


@kernel
def _count_above(local: Any, level: Any, counts: Any, num_leaves: int) -> int:
    """Return the number of triplets ab|c of the local tree in which c has a smaller level than a and b."""
    total = 0
    for leaf in range(num_leaves):
        v = np.int32(leaf)
        p = local.parent[v]
        if p == -1 or local.heavy[p] != v:
            continue
        _add(counts, level[leaf], 1)
        num_counted = 1
        while p != -1 and local.heavy[p] == v:
            # c off the path, a and b under its next node: those counted so far.
            for part in range(2):
                start = local.low[p] if part == 0 else local.high[v]
                end = local.low[v] if part == 0 else local.high[p]
                for c in range(start, end):
                    num_higher = num_counted - _count_below(counts, level[c] + 1)
                    total += num_higher * (num_higher - 1) // 2
            for part in range(2):
                start = local.low[p] if part == 0 else local.high[v]
                end = local.low[v] if part == 0 else local.high[p]
                for c in range(start, end):
                    _add(counts, level[c], 1)
            num_counted = np.int64(local.high[p] - local.low[p])
            # a and b under one child off the path, c under any other child.
            x = local.first_child[p]
            while x != -1:
                if x != v and local.high[x] - local.low[x] > 1:
                    total += _count_pairs_under(counts, np.sort(level[local.low[x] : local.high[x]]))
                x = local.next_sibling[x]
            v = p
            p = local.parent[v]
        for c in range(local.low[v], local.high[v]):
            _add(counts, level[c], -1)
    return total


@kernel
def _count_pairs_under(counts: Any, levels: Any) -> int:
    """Sum, over the pairs of some leaves given by their sorted levels, how many other leaves have a smaller level."""
    total = 0
    start = 0
    while start < levels.size:
        end = start + 1
        while end < levels.size and levels[end] == levels[start]:
            end += 1
        num_equal = end - start
        num_pairs = num_equal * (levels.size - end) + num_equal * (num_equal - 1) // 2
        total += num_pairs * (_count_below(counts, levels[start]) - start)
        start = end
    return total


@kernel
def _count_beside(local: Any, depth: Any, counts: Any, joins: Any, num_leaves: int, num_in_clade: int) -> int:
    """Sum, over the pairs of leaves of some x, how many leaves of a clade are neither under x nor under their mrca.

    `joins` holds the mrca's of neighbouring leaves of x; the leaves of the clade are those in `counts`.
    """
    total = 0
    outside = num_in_clade - num_leaves
    top = 0
    num_in = local.stack  # leaves of x under each open node
    num_pairs = np.empty(num_leaves, np.int64)
    junctions = np.empty(num_leaves, np.int32)
    for i in range(num_leaves):
        below = 1
        junction = joins[i] if i + 1 < num_leaves else -1
        junction_depth = depth[junction] if junction != -1 else -1
        while top > 0 and local.stack_depth[top - 1] > junction_depth:
            top -= 1
            pairs = num_pairs[top] + np.int64(num_in[top]) * below
            below += num_in[top]
            v = local.node_of[junctions[top]]
            inside = _count_below(counts, local.high[v]) - _count_below(counts, local.low[v]) - below
            total += pairs * (outside - inside)
        if junction == -1:
            break
        if top == 0 or local.stack_depth[top - 1] < junction_depth:
            junctions[top] = junction
            local.stack_depth[top] = junction_depth
            num_in[top] = 0
            num_pairs[top] = 0
            top += 1
        num_pairs[top - 1] += np.int64(num_in[top - 1]) * below
        num_in[top - 1] += below
    return total


@kernel
def num_shared(target: Any, other: Any) -> int:
    """Return the number of triplets that two trees over the same leaves have in common. Both are given by layouts."""
    n = target.leaf_order.size
    num_nodes = 2 * n
    local = Local(
        np.empty(num_nodes, np.int32),
        np.empty(num_nodes, np.int32),
        np.empty(num_nodes, np.int32),
        np.empty(num_nodes, np.int32),
        np.empty(num_nodes, np.int32),
        np.empty(num_nodes, np.int32),
        np.empty(num_nodes, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(num_nodes, np.int32),
    )
    # The leaves of each clade of the target, at its place in the target's drawing order, in the drawing order of the
    # other tree; and the mrca's there of each of them and the next.
    leaves = other.leaf_order.copy()
    joins = np.empty(n, np.int32)
    for i in range(n - 1):
        joins[i] = mrca(other, leaves[i], leaves[i + 1])
    level = np.empty(n, np.int32)
    number = np.empty(n, np.int32)  # local number of the leaf at a place in the target's drawing order
    subtree_start = np.empty(n, np.int32)  # where the leaves of its light subtree begin
    filled = np.zeros(n, np.int32)
    by_level = np.zeros(n + 2, np.int32)
    by_place = np.zeros(n + 2, np.int32)
    path = np.empty(num_nodes, np.int32)
    total = 0
    for top in target.preorder:
        size = np.int64(target.size[top])
        if target.head[top] != top or size < 3:
            continue
        begin = target.first[top]
        end = begin + size
        path_length = _follow_path(target, top, path, subtree_start)
        # Number the leaves, give them their levels, and deal them out to the light subtrees.
        here = leaves[begin:end].copy()
        for i in range(size):
            number[target.first[here[i]]] = i
        for k in range(path_length):
            v = path[k]
            clade_begin, clade_end = target.first[v], target.first[v] + target.size[v]
            next_begin, next_end = clade_end, clade_end
            if k + 1 < path_length:
                next_begin = target.first[path[k + 1]]
                next_end = next_begin + target.size[path[k + 1]]
            for place in range(clade_begin, next_begin):
                level[number[place]] = k
            for place in range(next_end, clade_end):
                level[number[place]] = k
        _restrict(local, other.depth, joins[begin:end], size)
        counts = by_level[: path_length + 1]
        total += _count_above(local, level, counts, size)
        for i in range(size):
            start = subtree_start[target.first[here[i]]]
            leaves[start + filled[start]] = here[i]
            filled[start] += 1
        for place in range(begin, end):
            filled[place] = 0
        # Join neighbours anew within each light subtree, then count with the levels from the last to the first.
        counts = by_place[: size + 1]
        for k in range(path_length - 1, -1, -1):
            v = path[k]
            heavy = path[k + 1] if k + 1 < path_length else -1
            if heavy == -1:
                _add(counts, number[target.first[v]], 1)
                continue
            for j in range(target.child_start[v], target.child_start[v + 1]):
                x = target.child[j]
                if x != heavy:
                    for place in range(target.first[x], target.first[x] + target.size[x]):
                        _add(counts, number[place], 1)
            for j in range(target.child_start[v], target.child_start[v + 1]):
                x = target.child[j]
                num_x = np.int64(target.size[x])
                if x == heavy or num_x < 2:
                    continue
                start = target.first[x]
                for place in range(start, start + num_x - 1):
                    joins[place] = mrca(other, leaves[place], leaves[place + 1])
                total += _count_beside(
                    local, other.depth, counts, joins[start : start + num_x], num_x, np.int64(target.size[v])
                )
        counts[:] = 0
    return total


@kernel
def _follow_path(target: Any, top: int, path: Any, subtree_start: Any) -> int:
    """Fill in the heavy path from a node down, and where each light subtree off it begins; return the path's length."""
    length = 0
    v = np.int32(top)
    while True:
        path[length] = v
        length += 1
        heavy = np.int32(-1)
        for k in range(target.child_start[v], target.child_start[v + 1]):
            x = target.child[k]
            if target.head[x] == target.head[top]:
                heavy = x
                continue
            for place in range(target.first[x], target.first[x] + target.size[x]):
                subtree_start[place] = target.first[x]
        if heavy == -1:
            subtree_start[target.first[v]] = target.first[v]
            return length
        v = heavy
