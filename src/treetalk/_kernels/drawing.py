"""A tree as it is drawn: its nodes numbered anew from top to bottom, which of them are seen, and where they stand.

In a `Drawn` tree the nodes are numbered in preorder, with children in the order in which they are drawn: the nodes under
node i are i + 1 to i + below[i] - 1, its first child is i + 1, and the next sibling of i is i + below[i].
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treetalk._kernels._jit import kernel

NUM_HEIRS = 3


class Drawn(NamedTuple):
    """Arrays indexed by the number in the drawing, unless said otherwise."""

    node: NDArray[np.int32]  # the number in the tree
    number: NDArray[np.int32]  # the number in the drawing, by number in the tree
    parent: NDArray[np.int32]
    below: NDArray[np.int32]  # number of nodes in the subtree, itself included
    size: NDArray[np.int32]  # number of leaves under it
    first: NDArray[np.int32]  # leaves under it: first to first + size - 1, counted from the top
    arity: NDArray[np.int32]  # number of children
    heirs: NDArray[np.int32]  # the three largest children, the largest first, -1 for none
    typical: NDArray[np.int32]  # the leaf, as numbered in the tree, to which the largest children lead
    by_size: NDArray[np.int32]  # nodes with children, the largest first, from top to bottom among equals


@kernel
def drawn(layout: Any, order: Any) -> Any:
    """Return (Drawn, node): the tree with its leaves in an order, and a node whose leaves it takes apart, or -1."""
    num_nodes = layout.parent.size
    num_leaves = order.size
    start = np.full(num_nodes, num_leaves, np.int32)
    stop = np.full(num_nodes, -1, np.int32)
    for i in range(num_leaves):
        start[order[i]] = i
        stop[order[i]] = i
    apart = -1
    for k in range(num_nodes - 1, -1, -1):
        v = layout.preorder[k]
        p = layout.parent[v]
        if stop[v] - start[v] + 1 != layout.size[v]:
            apart = v
        if p != -1:
            start[p] = min(start[p], start[v])
            stop[p] = max(stop[p], stop[v])
    # The nodes that begin at a leaf are its ancestors up to some point.
    number = np.empty(num_nodes, np.int32)
    count = 0
    for i in range(num_leaves):
        v = order[i]
        length = 1
        while layout.parent[v] != -1 and start[layout.parent[v]] == i:
            v = layout.parent[v]
            length += 1
        v = order[i]
        for k in range(length - 1, -1, -1):
            number[v] = count + k
            v = layout.parent[v]
        count += length
    node = np.empty(num_nodes, np.int32)
    parent = np.empty(num_nodes, np.int32)
    below = np.empty(num_nodes, np.int32)
    size = np.empty(num_nodes, np.int32)
    first = np.empty(num_nodes, np.int32)
    arity = np.empty(num_nodes, np.int32)
    for v in range(num_nodes):
        i = number[v]
        node[i] = v
        parent[i] = -1 if layout.parent[v] == -1 else number[layout.parent[v]]
        below[i] = layout.num_below[v]
        size[i] = layout.size[v]
        first[i] = start[v]
        arity[i] = layout.child_start[v + 1] - layout.child_start[v]
    heirs, typical = _heirs(parent, size, node)
    return Drawn(node, number, parent, below, size, first, arity, heirs, typical, _by_size(size, num_leaves)), apart


@kernel
def _heirs(parent: Any, size: Any, node: Any) -> Any:
    num_nodes = parent.size
    heirs = np.full((num_nodes, NUM_HEIRS), -1, np.int32)
    typical = np.empty(num_nodes, np.int32)
    for i in range(num_nodes - 1, -1, -1):
        typical[i] = node[i] if size[i] == 1 else typical[heirs[i, 0]]
        if i == 0:
            continue
        # Siblings come from the bottom up: an equal one takes the better place.
        heir = np.int32(i)
        for k in range(NUM_HEIRS):
            other = heirs[parent[i], k]
            if other == -1 or size[heir] >= size[other]:
                heirs[parent[i], k] = heir
                heir = other
                if heir == -1:
                    break
    return heirs, typical


@kernel
def _by_size(size: Any, num_leaves: int) -> Any:
    """Return the nodes of two leaves or more, the largest first: a counting sort."""
    start = np.zeros(num_leaves + 2, np.int32)
    for leaves_under in size:
        start[num_leaves - leaves_under + 1] += 1
    for k in range(num_leaves + 1):
        start[k + 1] += start[k]
    result = np.empty(size.size, np.int32)
    for i in range(size.size):
        k = num_leaves - size[i]
        result[start[k]] = i
        start[k] += 1
    return result[: size.size - num_leaves].copy()


@kernel
def open_largest(tree: Any, focus: int, detail: int, is_open: Any) -> None:
    """Open nodes from one down, the largest first, as long as there are no more than `detail` rows."""
    end = focus + tree.below[focus]
    num_rows = 0
    for i in tree.by_size:
        if i == focus:
            is_open[i] = True
            num_rows = np.int64(tree.arity[i])
        elif focus < i < end and is_open[tree.parent[i]] and num_rows + tree.arity[i] - 1 <= detail:
            is_open[i] = True
            num_rows += tree.arity[i] - 1
        if num_rows >= detail:
            break


@kernel
def open_asked(tree: Any, focus: int, asked: Any, is_shut: Any, is_open: Any) -> None:
    """Open some nodes under one and what stands above them, but nothing that is shut or under what is shut.

    What stands above an open node is open before and after.
    """
    end = focus + tree.below[focus]
    is_hidden = np.zeros(tree.below[focus], np.bool_)
    for i in range(focus + 1, end):
        is_hidden[i - focus] = is_shut[i] or is_hidden[tree.parent[i] - focus]
    for i in asked:
        if focus < i < end and tree.size[i] > 1 and not is_hidden[i - focus]:
            v = i
            while not is_open[v]:
                is_open[v] = True
                if v == focus:
                    break
                v = tree.parent[v]
    for i in range(focus + 1, end):
        if is_hidden[i - focus]:
            is_open[i] = False


@kernel
def placed(tree: Any, focus: int, is_open: Any) -> Any:
    """Return (shown, above, first, last, x, y) of what is seen of a node when some are open.

    `shown` lists the nodes from top to bottom, `above` the index of each one's parent in that list. Rows are those that
    are not open; a node spans those from `first` to `last`, and y is half way between its first and its last child. x is 0
    for the node itself and 1 for rows; in between, edges are as long as they can be equally long down to the furthest row.
    """
    end = focus + tree.below[focus]
    num_shown = 0
    i = focus
    while i < end:
        num_shown += 1
        i += 1 if is_open[i] else tree.below[i]
    shown = np.empty(num_shown, np.int32)
    above = np.empty(num_shown, np.int32)
    first = np.full(num_shown, -1, np.int32)
    last = np.full(num_shown, -1, np.int32)
    x = np.zeros(num_shown, np.float64)
    y = np.zeros(num_shown, np.float64)
    index = np.empty(tree.below[focus], np.int32)
    num_rows = 0
    i = focus
    for k in range(num_shown):
        shown[k] = i
        index[i - focus] = k
        above[k] = -1 if k == 0 else index[tree.parent[i] - focus]
        if is_open[i]:
            i += 1
        else:
            first[k] = num_rows
            last[k] = num_rows
            y[k] = num_rows
            num_rows += 1
            i += tree.below[i]
    height = np.zeros(num_shown, np.int32)  # edges down to the furthest row
    bottom = np.empty(num_shown, np.float64)  # y of the last child
    for k in range(num_shown - 1, 0, -1):
        if height[k] > 0:
            y[k] = (y[k] + bottom[k]) / 2
        p = above[k]
        if last[p] == -1:
            last[p] = last[k]
            bottom[p] = y[k]
        first[p] = first[k]
        y[p] = y[k]  # of the first child, until the parent has its turn
        height[p] = max(height[p], height[k] + 1)
    if height[0] > 0:
        y[0] = (y[0] + bottom[0]) / 2
    else:
        x[0] = 1.0
    for k in range(1, num_shown):
        x[k] = x[above[k]] + (1 - x[above[k]]) / (height[k] + 1)
    return shown, above, first, last, x, y


@kernel
def most_alike(tree: Any, leaves: Any, num_elsewhere: int) -> Any:
    """Return (node, likeness) of the clade with the most leaves in common with some, of all leaves in either.

    `num_elsewhere` more of them are not in the tree.
    """
    is_asked = np.zeros(tree.number.size, np.bool_)
    for leaf in leaves:
        is_asked[tree.number[leaf]] = True
    before = np.zeros(tree.number.size + 1, np.int32)  # how many of them have smaller numbers
    for i in range(tree.number.size):
        before[i + 1] = before[i] + is_asked[i]
    best = 0
    best_likeness = 0.0
    for i in range(tree.number.size):
        common = before[i + tree.below[i]] - before[i]
        likeness = common / (tree.size[i] + leaves.size + num_elsewhere - common)
        if likeness > best_likeness:
            best = i
            best_likeness = likeness
    return best, best_likeness
