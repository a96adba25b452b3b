"""What two trees agree on: the most leaves on which they are the same tree (a maximum agreement subtree).

A clade that both trees have is a unit to everything outside of it, so the trees fall apart into one problem for each clade
in common: its *parts* are the largest clades in common under it, each as heavy as the leaves kept in it, and the nodes
between are those that only one tree has. A problem is solved by the table of Steel and Warnow (1993): for a node of either
tree, the heaviest agreement is that of one of them with a child of the other, or joins agreements of their children. For
children of more than two this looks only at ways of joining that keep their order, which is exact for binary trees alone.

The table is quadratic. Problems too large for it keep the heaviest set of parts that stand in the same order in both.
Trees are `Drawn`, see `treetalk._kernels.drawing`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treetalk._kernels._jit import kernel


class Side(NamedTuple):
    """One tree of a problem: nodes from top to bottom, the parts being those without children. Arrays are reused."""

    number: NDArray[np.int32]  # in the drawing
    parent: NDArray[np.int32]
    below: NDArray[np.int32]
    part: NDArray[np.int32]  # for a part, its index on the other side; -1 for other nodes


@kernel
def heaviest_increasing(value: Any, weight: Any) -> Any:
    """Return which of some distinct numbers, each below their count, form the heaviest increasing subsequence."""
    size = value.size
    best = np.zeros(size, np.int64)  # weight of the heaviest one that ends here
    before = np.full(size, -1, np.int64)
    top = np.full(size + 1, -1, np.int64)  # a Fenwick tree of where the heaviest one ends, by value
    for k in range(size):
        i = value[k]
        while i > 0:
            if top[i] != -1 and (before[k] == -1 or best[top[i]] > best[before[k]]):
                before[k] = top[i]
            i -= i & -i
        best[k] = weight[k] + (best[before[k]] if before[k] != -1 else 0)
        i = value[k] + 1
        while i <= size:
            if top[i] == -1 or best[k] > best[top[i]]:
                top[i] = k
            i += i & -i
    result = np.zeros(size, np.bool_)
    k = np.argmax(best) if size > 0 else -1
    while k != -1:
        result[k] = True
        k = before[k]
    return result


@kernel
def agreeing(now: Any, then: Any, match: Any, weight: Any, most_cells: int) -> Any:
    """Return for each leaf, as numbered in the tree, whether it is kept.

    Both trees have the same leaves. `match` is the node of `then` with the clade of a node of `now`, -1 for none; `weight`
    is what keeping a leaf is worth. Tables have `most_cells` cells in all; the largest problems go without.
    """
    num_nodes = now.parent.size
    back = np.full(then.parent.size, -1, np.int32)
    for i in range(num_nodes):
        if match[i] != -1:
            back[match[i]] = i
    most_parts = _most_parts(now, match, most_cells)
    left, right = _side(num_nodes), _side(then.parent.size)
    index = np.empty(num_nodes, np.int32)
    value = np.zeros(num_nodes, np.int64)
    is_kept = np.ones(num_nodes, np.bool_)  # of a part: in the problem of which it is a part
    for i in range(num_nodes - 1, -1, -1):
        if match[i] == -1:
            continue
        if now.size[i] == 1:
            value[i] = weight[now.node[i]]
            continue
        num_left, num_parts = _fill(left, now, i, match)
        num_right, _ = _fill(right, then, match[i], back)
        if num_left > num_parts + 1 or num_right > num_parts + 1:
            _join_parts(left, num_left, right, num_right, back, index)
            if num_parts <= most_parts:
                chosen = _solve(left, num_left, right, num_right, value)
            else:
                chosen = _in_order(left, num_left, right, num_right, value)
        else:
            chosen = np.ones(num_left, np.bool_)  # children of one node in both
        for k in range(1, num_left):
            if left.part[k] != -1:
                is_kept[left.number[k]] = chosen[k]
                if chosen[k]:
                    value[i] += value[left.number[k]]
    result = np.empty(weight.size, np.bool_)
    is_kept[0] = True
    for i in range(1, num_nodes):
        is_kept[i] = is_kept[i] and is_kept[now.parent[i]]
    for leaf in range(weight.size):
        result[leaf] = is_kept[now.number[leaf]]
    return result


@kernel
def _most_parts(now: Any, match: Any, most_cells: int) -> int:
    """Return how many parts a problem may have so that the tables of all that have no more fit into `most_cells`."""
    num_parts = np.zeros(now.parent.size, np.int64)
    nearest = np.zeros(now.parent.size, np.int32)  # the nearest clade in common at or above a node
    for i in range(now.parent.size):
        if match[i] != -1:
            if i > 0:
                num_parts[nearest[now.parent[i]]] += 1
            nearest[i] = i
        else:
            nearest[i] = nearest[now.parent[i]]
    num_parts.sort()
    num_cells = 0
    most = 2
    for k in num_parts:
        if k > 2:
            num_cells += 4 * k * k
            if num_cells > most_cells:
                break
            most = k
    return most


@kernel
def _side(num_nodes: int) -> Any:
    return Side(
        np.empty(num_nodes, np.int32),
        np.empty(num_nodes, np.int32),
        np.empty(num_nodes, np.int32),
        np.empty(num_nodes, np.int32),
    )


@kernel
def _fill(side: Any, tree: Any, top: int, match: Any) -> Any:
    """Fill in one side of the problem of a clade in common; return the numbers of nodes and of parts."""
    num_parts = 0
    count = 0
    i = top
    while i < top + tree.below[top]:
        side.number[count] = i
        side.part[count] = -1
        side.below[count] = 1
        # Parents are found by looking back from the node before: siblings are few levels apart.
        p = count - 1
        while p > 0 and side.number[p] != tree.parent[i]:
            p = side.parent[p]
        side.parent[count] = p
        if count > 0 and match[i] != -1:
            side.part[count] = i
            num_parts += 1
            i += tree.below[i]
        else:
            i += 1
        count += 1
    for k in range(count - 1, 0, -1):
        side.below[side.parent[k]] += side.below[k]
    return count, num_parts


@kernel
def _join_parts(left: Any, num_left: int, right: Any, num_right: int, back: Any, index: Any) -> None:
    """Give each part its index on the other side."""
    for k in range(num_left):
        if left.part[k] != -1:
            index[left.number[k]] = k
    for k in range(num_right):
        if right.part[k] != -1:
            right.part[k] = index[back[right.number[k]]]
            left.part[right.part[k]] = k


@kernel
def _in_order(left: Any, num_left: int, right: Any, num_right: int, value: Any) -> Any:
    """Return which parts form the heaviest set in the same order on both sides."""
    place = np.empty(num_right, np.int32)
    count = 0
    for k in range(num_right):
        if right.part[k] != -1:
            place[k] = count
            count += 1
    places = np.empty(count, np.int32)
    weights = np.empty(count, np.int64)
    count = 0
    for k in range(num_left):
        if left.part[k] != -1:
            places[count] = place[left.part[k]]
            weights[count] = value[left.number[k]]
            count += 1
    is_kept = heaviest_increasing(places, weights)
    result = np.zeros(num_left, np.bool_)
    count = 0
    for k in range(num_left):
        if left.part[k] != -1:
            result[k] = is_kept[count]
            count += 1
    return result


@kernel
def _solve(left: Any, num_left: int, right: Any, num_right: int, value: Any) -> Any:
    """Return which nodes of the left side are parts in the heaviest agreement."""
    table = np.zeros((num_left, num_right), np.int64)
    for i in range(num_left):
        if left.part[i] != -1:
            j = left.part[i]
            while True:
                table[i, j] = value[left.number[i]]
                if j == 0:
                    break
                j = right.parent[j]
    for j in range(num_right):
        if right.part[j] != -1:
            i = right.part[j]
            while True:
                table[i, j] = value[left.number[right.part[j]]]
                if i == 0:
                    break
                i = left.parent[i]
    left_second = _seconds(left, num_left)
    right_second = _seconds(right, num_right)
    for i in range(num_left - 1, -1, -1):
        if left.part[i] != -1:
            continue
        a, b = i + 1, left_second[i]
        for j in range(num_right - 1, -1, -1):
            if right.part[j] != -1:
                continue
            c, d = j + 1, right_second[j]
            if b != -1 and d != -1:
                best = max(table[a, c] + table[b, d], table[a, d] + table[b, c])
                table[i, j] = max(best, table[a, j], table[b, j], table[i, c], table[i, d])
                continue
            best = _joined_in_order(table, left.below, right.below, i, j)[-1, -1]
            c = i + 1
            while c < i + left.below[i]:
                best = max(best, table[c, j])
                c += left.below[c]
            c = j + 1
            while c < j + right.below[j]:
                best = max(best, table[i, c])
                c += right.below[c]
            table[i, j] = best
    return _traced(table, left, right)


@kernel
def _seconds(side: Any, num_nodes: int) -> Any:
    """Return the second child of each node of two children, -1 for other nodes."""
    result = np.full(num_nodes, -1, np.int64)
    for i in range(num_nodes):
        if side.part[i] == -1:
            second = i + 1 + side.below[i + 1]
            if second + side.below[second] == i + side.below[i]:
                result[i] = second
    return result


@kernel
def _joined_in_order(table: Any, left_below: Any, right_below: Any, i: int, j: int) -> Any:
    """Return, for each number of first children on either side, the weight of the best way to join them in their order."""
    num_left = _num_children(left_below, i)
    num_right = _num_children(right_below, j)
    joined = np.zeros((num_left + 1, num_right + 1), np.int64)
    a = i + 1
    for k in range(num_left):
        c = j + 1
        for m in range(num_right):
            joined[k + 1, m + 1] = max(joined[k, m] + table[a, c], joined[k, m + 1], joined[k + 1, m])
            c += right_below[c]
        a += left_below[a]
    return joined


@kernel
def _num_children(below: Any, i: int) -> int:
    count = 0
    c = i + 1
    while c < i + below[i]:
        count += 1
        c += below[c]
    return count


@kernel
def _traced(table: Any, left: Any, right: Any) -> Any:
    """Return which parts of the left side the best agreement keeps, by following the table down from the roots."""
    num_left, num_right = table.shape
    result = np.zeros(num_left, np.bool_)
    stack = np.empty((num_left + num_right, 2), np.int64)
    stack[0, 0] = 0
    stack[0, 1] = 0
    top = 1
    while top > 0:
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if table[i, j] == 0:
            continue
        if left.part[i] != -1:
            result[i] = True
            continue
        if right.part[j] != -1:
            result[right.part[j]] = True
            continue
        down_left, down_right = i, j
        c = i + 1
        while c < i + left.below[i]:
            if table[c, j] == table[i, j]:
                down_left = c
                break
            c += left.below[c]
        if down_left == i:
            c = j + 1
            while c < j + right.below[j]:
                if table[i, c] == table[i, j]:
                    down_right = c
                    break
                c += right.below[c]
        if down_left != i or down_right != j:
            stack[top, 0] = down_left
            stack[top, 1] = down_right
            top += 1
            continue
        top = _push_joined(table, left.below, right.below, i, j, stack, top)
    return result


@kernel
def _push_joined(table: Any, left_below: Any, right_below: Any, i: int, j: int, stack: Any, top: int) -> int:
    """Put the pairs of children that are joined onto the stack; return how many are on it."""
    left_children = _children(left_below, i)
    right_children = _children(right_below, j)
    k, m = left_children.size, right_children.size
    joined = _joined_in_order(table, left_below, right_below, i, j)
    if joined[k, m] < table[i, j]:  # two and two, crosswise
        stack[top, 0], stack[top, 1] = left_children[0], right_children[1]
        stack[top + 1, 0], stack[top + 1, 1] = left_children[1], right_children[0]
        return top + 2
    while k > 0 and m > 0:
        if joined[k, m] == joined[k - 1, m]:
            k -= 1
        elif joined[k, m] == joined[k, m - 1]:
            m -= 1
        else:
            k -= 1
            m -= 1
            stack[top, 0] = left_children[k]
            stack[top, 1] = right_children[m]
            top += 1
    return top


@kernel
def _children(below: Any, i: int) -> Any:
    result = np.empty(_num_children(below, i), np.int64)
    c = i + 1
    for k in range(result.size):
        result[k] = c
        c += below[c]
    return result
