"""The order of a tree: who is whose child, which leaves stand under a node, and the mrca of two nodes.

Everything follows from the parent array in a few linear passes. Children stand in the order of their smallest leaf, so
a tree has one layout whatever the numbers of its internal nodes. Leaves under a node are one interval of ``leaf_order``.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treetalk._kernels._jit import kernel

IntArray = NDArray[np.int32]

VALID = 0
NO_ROOT = 1
SECOND_ROOT = 2
LEAF_NOT_FIRST = 3
SINGLE_CHILD = 4
CYCLE = 5


class Layout(NamedTuple):
    """Arrays indexed by node, unless said otherwise."""

    parent: IntArray
    child_start: IntArray  # children of v: child[child_start[v] : child_start[v + 1]]
    child: IntArray
    size: IntArray  # number of leaves under v
    num_below: IntArray  # number of nodes in the subtree of v, itself included
    first: IntArray  # leaves under v: leaf_order[first[v] : first[v] + size[v]]
    leaf_order: IntArray  # leaves in drawing order
    preorder: IntArray  # nodes, each before its children
    rank: IntArray  # position of v in preorder
    depth: IntArray  # number of edges up to the root
    head: IntArray  # top of the heavy path of v, on which each node is followed by its largest child


@kernel
def check_parents(parent: Any) -> Any:
    """Return (fault, culprit, other, num_leaves); the fault is VALID for a tree with its leaves numbered first.

    Parents are node numbers or -1.
    """
    num_nodes = parent.size
    count = np.zeros(num_nodes, np.int32)
    root = -1
    for v in range(num_nodes):
        p = parent[v]
        if p == -1:
            if root != -1:
                return SECOND_ROOT, v, root, 0
            root = v
        else:
            count[p] += 1
    if root == -1:
        return NO_ROOT, 0, 0, 0
    num_leaves = 0
    while num_leaves < num_nodes and count[num_leaves] == 0:
        num_leaves += 1
    for v in range(num_leaves, num_nodes):
        if count[v] == 0:
            return LEAF_NOT_FIRST, v, num_leaves, num_leaves
    # Strip leaves again and again: what is never stripped stands on a cycle, or below one and above another.
    stack = np.empty(num_nodes, np.int32)
    waiting = count.copy()
    top = num_leaves
    for v in range(num_leaves):
        stack[v] = v
    stripped = 0
    while top > 0:
        top -= 1
        p = parent[stack[top]]
        stripped += 1
        if p != -1:
            waiting[p] -= 1
            if waiting[p] == 0:
                stack[top] = p
                top += 1
    if stripped < num_nodes:
        # Follow parents from any node left over; after num_nodes steps the walk is on a cycle.
        v = 0
        while waiting[v] == 0:
            v += 1
        for _ in range(num_nodes):
            v = parent[v]
        return CYCLE, v, parent[v], num_leaves
    for v in range(num_leaves, num_nodes):
        if count[v] == 1:
            return SINGLE_CHILD, v, 0, num_leaves
    return VALID, root, 0, num_leaves


@kernel
def make_layout(parent: Any, num_leaves: int) -> Any:
    """Return the Layout of a valid parent array."""
    num_nodes = parent.size
    child_start = np.zeros(num_nodes + 1, np.int32)
    root = 0
    for v in range(num_nodes):
        if parent[v] == -1:
            root = v
        else:
            child_start[parent[v] + 1] += 1
    for v in range(num_nodes):
        child_start[v + 1] += child_start[v]

    # Bottom up: sizes and smallest leaves. `upward` lists every node after its children.
    size = np.zeros(num_nodes, np.int32)
    smallest = np.full(num_nodes, num_leaves, np.int32)
    num_below = np.ones(num_nodes, np.int32)
    missing = np.empty(num_nodes, np.int32)
    upward = np.empty(num_nodes, np.int32)
    for v in range(num_nodes):
        missing[v] = child_start[v + 1] - child_start[v]
    for v in range(num_leaves):
        upward[v] = v
        size[v] = 1
        smallest[v] = v
    end = num_leaves
    for i in range(num_nodes):
        v = upward[i]
        p = parent[v]
        if p != -1:
            size[p] += size[v]
            num_below[p] += num_below[v]
            smallest[p] = min(smallest[p], smallest[v])
            missing[p] -= 1
            if missing[p] == 0:
                upward[end] = p
                end += 1

    # Children by smallest leaf: deal the nodes out in that order (a counting sort).
    start = np.zeros(num_leaves + 1, np.int32)
    for v in range(num_nodes):
        start[smallest[v] + 1] += 1
    for k in range(num_leaves):
        start[k + 1] += start[k]
    by_smallest = np.empty(num_nodes, np.int32)
    for v in range(num_nodes):
        by_smallest[start[smallest[v]]] = v
        start[smallest[v]] += 1
    child = np.empty(num_nodes - 1, np.int32)
    filled = child_start[:-1].copy()
    for v in by_smallest:
        p = parent[v]
        if p != -1:
            child[filled[p]] = v
            filled[p] += 1

    # Top down: intervals, depths and heavy paths.
    first = np.zeros(num_nodes, np.int32)
    rank = np.zeros(num_nodes, np.int32)
    depth = np.zeros(num_nodes, np.int32)
    head = np.empty(num_nodes, np.int32)
    head[root] = root
    for i in range(num_nodes - 1, -1, -1):
        v = upward[i]
        next_leaf = first[v]
        next_rank = rank[v] + 1
        heavy = -1
        for k in range(child_start[v], child_start[v + 1]):
            u = child[k]
            first[u] = next_leaf
            next_leaf += size[u]
            rank[u] = next_rank
            next_rank += num_below[u]
            depth[u] = depth[v] + 1
            head[u] = u
            if heavy == -1 or size[u] > size[heavy]:
                heavy = u
        if heavy != -1:
            head[heavy] = head[v]
    leaf_order = np.empty(num_leaves, np.int32)
    for v in range(num_leaves):
        leaf_order[first[v]] = v
    preorder = np.empty(num_nodes, np.int32)
    for v in range(num_nodes):
        preorder[rank[v]] = v
    return Layout(parent, child_start, child, size, num_below, first, leaf_order, preorder, rank, depth, head)


@kernel
def mrca(layout: Any, u: int, v: int) -> int:
    """Return the most recent common ancestor of two nodes in O(log n): climb heavy paths until one is shared."""
    head, parent, depth = layout.head, layout.parent, layout.depth
    while head[u] != head[v]:
        if depth[head[u]] > depth[head[v]]:
            u = parent[head[u]]
        else:
            v = parent[head[v]]
    return u if depth[u] < depth[v] else v


@kernel
def mrca_of_all(layout: Any, nodes: Any) -> int:
    """Return the mrca of one node or more."""
    result = nodes[0]
    for i in range(1, nodes.size):
        result = mrca(layout, result, nodes[i])
    return result


@kernel
def is_under(layout: Any, leaf: int, v: int) -> bool:
    """Return whether the leaf stands under node v."""
    offset = layout.first[leaf] - layout.first[v]
    return 0 <= offset < layout.size[v]


@kernel
def child_towards(layout: Any, v: int, leaf: int) -> int:
    """Return the child of v with the leaf under it, by bisection: children stand in the order of their intervals."""
    low = layout.child_start[v]
    high = layout.child_start[v + 1] - 1
    position = layout.first[leaf]
    while low < high:
        middle = (low + high + 1) // 2
        if layout.first[layout.child[middle]] <= position:
            low = middle
        else:
            high = middle - 1
    return layout.child[low]


@kernel
def satisfied(layout: Any, triplets: Any) -> Any:
    """Return for each triplet ab|c whether c stands outside the mrca of a and b."""
    result = np.empty(triplets.shape[0], np.bool_)
    for i in range(triplets.shape[0]):
        m = mrca(layout, triplets[i, 0], triplets[i, 1])
        result[i] = not is_under(layout, triplets[i, 2], m)
    return result


@kernel
def clade_images(layout: Any, coarse: Any, leaf_map: Any) -> Any:
    """Return, for each node of the tree `coarse`, the mrca in `layout` of the leaves under it.

    `leaf_map` gives the leaf of `layout` for each leaf of `coarse`.
    """
    image = np.full(coarse.parent.size, -1, np.int32)
    for leaf in range(leaf_map.size):
        image[leaf] = leaf_map[leaf]
    for i in range(coarse.preorder.size - 1, -1, -1):
        v = coarse.preorder[i]
        p = coarse.parent[v]
        if p != -1:
            image[p] = image[v] if image[p] == -1 else mrca(layout, image[p], image[v])
    return image


@kernel
def condensed_mrcas(layout: Any, leaves: Any) -> Any:
    """Return the mrca of every pair of leaves, in the order of SciPy's condensed distance matrices."""
    k = leaves.size
    result = np.empty(k * (k - 1) // 2, np.int32)
    position = 0
    for i in range(k):
        for j in range(i + 1, k):
            result[position] = mrca(layout, leaves[i], leaves[j])
            position += 1
    return result


@kernel
def cut_labels(layout: Any, num_undone: Any) -> Any:
    """Return a cluster for each leaf when, at node v, the last num_undone[v] of its children stand alone.

    A node undone as often as it has children less one is undone altogether. Clusters are numbered by smallest leaf.
    """
    num_leaves = layout.leaf_order.size
    cluster = np.empty(layout.parent.size, np.int32)  # the node that names the cluster of each node
    cluster[layout.preorder[0]] = layout.preorder[0]
    for v in layout.preorder:
        begin, end = layout.child_start[v], layout.child_start[v + 1]
        num_together = end - begin - num_undone[v]
        for k in range(begin, end):
            u = layout.child[k]
            together = num_together > 1 and k < begin + num_together
            cluster[u] = cluster[v] if together else u
    number = np.full(layout.parent.size, -1, np.int32)
    labels = np.empty(num_leaves, np.int32)
    count = 0
    for leaf in range(num_leaves):
        c = cluster[leaf]
        if number[c] == -1:
            number[c] = count
            count += 1
        labels[leaf] = number[c]
    return labels
