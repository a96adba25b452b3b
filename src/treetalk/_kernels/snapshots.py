"""What is kept of a chain's trees, and how much they disagree about the leaves of a subset."""

from typing import Any

import numpy as np

from treetalk._kernels._jit import hot, kernel, part
from treetalk._kernels.chain import run
from treetalk._kernels.layout import make_layout
from treetalk._kernels.state import AGE, PARENT, log_densities

TILE = 32  # rows and columns of a matrix that are looked at together


@hot
def record(state: Any, cumulative: Any, num_moves: Any, parents: Any, ages: Any, densities: Any) -> None:
    """Make some moves and write the tree down, for each row."""
    origin = state.links.shape[0] - 1
    for i in range(parents.shape[0]):
        run(state, cumulative, num_moves[i])
        for v in range(origin):
            p = np.int32(state.links[v, PARENT])
            parents[i, v] = -1 if p == origin else p
            ages[i, v] = state.rows[v, AGE]
        densities[i, 0], densities[i, 1] = log_densities(state)


@part
def trace_joins(parent: Any, leaves: Any, marks: Any, mark: int, paths: Any, lengths: Any) -> None:
    """Write the internal nodes of the restriction of a tree to some leaves that are above each leaf, the lowest first.

    Climbing from each leaf to where another one has been before finds the nodes at which paths join: these are the internal
    nodes of the restriction. `marks` of nodes are below `mark` at first.
    """
    k = leaves.size
    for i in range(k):
        v = leaves[i]
        while v != -1 and marks[v] < mark:
            marks[v] = mark
            v = parent[v]
        if v != -1:
            marks[v] = mark + 1
    for i in range(k):
        count = 0
        v = leaves[i]
        while v != -1:
            if marks[v] == mark + 1:
                paths[i, count] = v
                count += 1
            v = parent[v]
        lengths[i] = count


@part
def count_shared(paths: Any, lengths: Any, i: int, j: int) -> int:
    """Return how many joins two leaves have above them in common: those from their mrca on, the more the lower it is."""
    shared = 0
    while (
        shared < lengths[i]
        and shared < lengths[j]
        and paths[i, lengths[i] - 1 - shared] == paths[j, lengths[j] - 1 - shared]
    ):
        shared += 1
    return shared


@part
def count_edges(parent: Any, leaves: Any, marks: Any, mark: int, paths: Any, lengths: Any, out: Any) -> None:
    """Write the number of edges between every two leaves in the restriction of a tree to them."""
    trace_joins(parent, leaves, marks, mark, paths, lengths)
    pair = 0
    for i in range(leaves.size):
        for j in range(i + 1, leaves.size):
            out[pair] = lengths[i] + lengths[j] - 2 * (count_shared(paths, lengths, i, j) - 1)
            pair += 1


@kernel
def largest_variances(parents: Any, subsets: Any) -> Any:
    """Return for each subset the largest variance, over trees, of the number of edges between two of its leaves.

    Rows of `parents` are trees, rows of `subsets` are sets of leaves, and edges are those of the restriction to the set.
    """
    num_trees, num_nodes = parents.shape
    num_subsets, k = subsets.shape
    num_pairs = k * (k - 1) // 2
    marks = np.full(num_nodes, -1, np.int64)
    paths = np.empty((k, k), np.int32)
    lengths = np.empty(k, np.int64)
    edges = np.empty(num_pairs, np.int64)
    sums = np.empty(num_pairs, np.int64)
    squares = np.empty(num_pairs, np.int64)
    result = np.zeros(num_subsets)
    mark = 0
    for s in range(num_subsets):
        sums[:] = 0
        squares[:] = 0
        for i in range(num_trees):
            count_edges(parents[i], subsets[s], marks, mark, paths, lengths, edges)
            mark += 2
            sums += edges
            squares += edges * edges
        for pair in range(num_pairs):
            # In whole numbers, so that equal variances are equal whatever the order of the trees.
            spread = num_trees * squares[pair] - sums[pair] * sums[pair]
            result[s] = max(result[s], spread / (num_trees * num_trees))
    return result


@part
def find_odd_ones(
    parent: Any, leaves: Any, marks: Any, mark: int, paths: Any, lengths: Any, shared: Any, odd_ones: Any
) -> None:
    """Write which one of every three leaves is the odd one in a binary tree: 0, 1 or 2, in the order of the leaves."""
    k = leaves.size
    trace_joins(parent, leaves, marks, mark, paths, lengths)
    for i in range(k):
        for j in range(i + 1, k):
            shared[i, j] = count_shared(paths, lengths, i, j)
    triple = 0
    for i in range(k):
        for j in range(i + 1, k):
            for m in range(j + 1, k):
                if shared[i, j] > shared[i, m]:
                    odd_ones[triple] = 2
                elif shared[i, m] > shared[i, j]:
                    odd_ones[triple] = 1
                else:
                    odd_ones[triple] = 0
                triple += 1


@kernel
def differences(parents: Any, shown: Any, subsets: Any) -> Any:
    """Return for each subset the share of its triples about which a tree differs from the one shown, on average over trees.

    Rows of `parents` and `shown` are binary trees, rows of `subsets` are sets of three leaves or more.
    """
    num_trees, num_nodes = parents.shape
    num_subsets, k = subsets.shape
    num_triples = k * (k - 1) * (k - 2) // 6
    marks = np.full(num_nodes, -1, np.int64)
    paths = np.empty((k, k), np.int32)
    lengths = np.empty(k, np.int64)
    shared = np.empty((k, k), np.int64)
    wanted = np.empty(num_triples, np.int8)
    odd_ones = np.empty(num_triples, np.int8)
    result = np.empty(num_subsets)
    mark = 0
    for s in range(num_subsets):
        find_odd_ones(shown, subsets[s], marks, mark, paths, lengths, shared, wanted)
        mark += 2
        different = 0
        for t in range(num_trees):
            find_odd_ones(parents[t], subsets[s], marks, mark, paths, lengths, shared, odd_ones)
            mark += 2
            for triple in range(num_triples):
                if odd_ones[triple] != wanted[triple]:
                    different += 1
        result[s] = different / (num_triples * num_trees)
    return result


@kernel
def disagreements(parents: Any, subsets: Any) -> Any:
    """Return for each subset the share of its triples about which two of the trees differ, on average over all two trees.

    Rows of `parents` are binary trees, rows of `subsets` are sets of three leaves or more.
    """
    num_trees, num_nodes = parents.shape
    num_subsets, k = subsets.shape
    num_triples = k * (k - 1) * (k - 2) // 6
    marks = np.full(num_nodes, -1, np.int64)
    paths = np.empty((k, k), np.int32)
    lengths = np.empty(k, np.int64)
    shared = np.empty((k, k), np.int64)
    odd_ones = np.empty(num_triples, np.int8)
    counts = np.empty((num_triples, 3), np.int64)  # of trees in which the first, second or third one is the odd one
    result = np.empty(num_subsets)
    mark = 0
    for s in range(num_subsets):
        counts[:] = 0
        for t in range(num_trees):
            find_odd_ones(parents[t], subsets[s], marks, mark, paths, lengths, shared, odd_ones)
            mark += 2
            for triple in range(num_triples):
                counts[triple, odd_ones[triple]] += 1
        same = 0
        for triple in range(num_triples):
            for odd in range(3):
                same += counts[triple, odd] * counts[triple, odd]
        result[s] = 1.0 - same / (num_triples * num_trees * num_trees)
    return result


@part
def climb_order(parent: Any, waiting: Any, order: Any) -> None:
    """List the nodes of a binary tree, each after its children."""
    num_nodes = parent.size
    num_leaves = (num_nodes + 1) // 2
    for v in range(num_nodes):
        waiting[v] = 2
        if v < num_leaves:
            order[v] = v
    end = num_leaves
    for i in range(num_nodes):
        p = parent[order[i]]
        if p != -1:
            waiting[p] -= 1
            if waiting[p] == 0:
                order[end] = p
                end += 1


@kernel
def clade_keys(parents: Any, words: Any) -> Any:
    """Return the sum of the words of the leaves under each node of each tree."""
    num_trees, num_nodes = parents.shape
    keys = np.zeros((num_trees, num_nodes), np.uint64)
    waiting = np.empty(num_nodes, np.int64)
    order = np.empty(num_nodes, np.int64)
    for i in range(num_trees):
        climb_order(parents[i], waiting, order)
        keys[i, : words.size] = words
        for v in order[:-1]:
            keys[i, parents[i, v]] += keys[i, v]
    return keys


@kernel
def mean_joins(parents: Any, ages: Any) -> Any:
    """Return, for every two leaves, the mean over binary trees of the size of their mrca's clade, and of its age.

    Leaves in drawing order make each clade an interval. Climbing from a leaf, it meets those of an interval at each node
    that it is to the left of; it does so in one tree after the other, so that what is added to stays in the fastest memory.
    """
    num_trees, num_nodes = parents.shape
    num_leaves = (num_nodes + 1) // 2
    order = np.empty((num_trees, num_leaves), np.uintp)
    sizes_of = np.empty((num_trees, num_nodes))
    # Where its sibling's leaves begin and end in drawing order, of each node that has one to its right; else 0 and 0.
    begin = np.zeros((num_trees, num_nodes), np.uintp)
    end = np.zeros((num_trees, num_nodes), np.uintp)
    for i in range(num_trees):
        layout = make_layout(parents[i].copy(), num_leaves)
        for x in range(num_leaves):
            order[i, x] = np.uintp(layout.leaf_order[x])
        for v in range(num_leaves, num_nodes):
            left, right = layout.child[layout.child_start[v]], layout.child[layout.child_start[v] + 1]
            begin[i, left], end[i, left] = layout.first[right], layout.first[right] + layout.size[right]
            sizes_of[i, v] = layout.size[v]
    sizes = np.empty((num_leaves, num_leaves))
    heights = np.empty((num_leaves, num_leaves))
    row = np.empty((num_leaves, 2))  # size and age, next to each other
    for a in range(num_leaves):
        row[:] = 0.0
        for i in range(num_trees):
            v, p = a, parents[i, a]
            while p != -1:
                size, age = sizes_of[i, p], ages[i, p]
                for x in range(begin[i, v], end[i, v]):
                    b = order[i, x]
                    row[b, 0] += size
                    row[b, 1] += age
                v, p = p, parents[i, p]
        for b in range(num_leaves):
            sizes[a, b], heights[a, b] = row[b, 0], row[b, 1]
    _add_transposed(sizes, num_trees)
    _add_transposed(heights, num_trees)
    return sizes, heights


@kernel
def _add_transposed(sums: Any, divisor: Any) -> None:
    """Add what stands at (b, a) to what stands at (a, b), and divide; in tiles, for rows and columns to be near by."""
    n = sums.shape[0]
    for top in range(0, n, TILE):
        for left in range(top, n, TILE):
            for a in range(top, min(top + TILE, n)):
                for b in range(max(left, a), min(left + TILE, n)):
                    mean = (sums[a, b] + sums[b, a]) / divisor
                    sums[a, b] = sums[b, a] = mean


@kernel
def mean_heights(layout: Any, heights: Any) -> Any:
    """Return for each node of a binary tree the mean height of the pairs that join there, at least that of its children."""
    result = np.zeros(layout.parent.size)
    for i in range(layout.preorder.size - 1, -1, -1):
        v = layout.preorder[i]
        if layout.size[v] == 1:
            continue
        left, right = layout.child[layout.child_start[v]], layout.child[layout.child_start[v] + 1]
        total = 0.0
        for a in layout.leaf_order[layout.first[left] : layout.first[left] + layout.size[left]]:
            for b in layout.leaf_order[layout.first[right] : layout.first[right] + layout.size[right]]:
                total += heights[a, b]
        mean = total / (layout.size[left] * layout.size[right])
        result[v] = max(mean, result[left], result[right])
    return result


@part
def is_satisfied(parent: Any, age: Any, a: int, b: int, c: int) -> bool:
    """Return whether c stands outside the mrca of a and b: climb from the younger node until both are one."""
    while a != b:
        if age[a] < age[b]:
            a = parent[a]
        else:
            b = parent[b]
    while c != -1 and age[c] < age[a]:
        c = parent[c]
    return c != a


@kernel
def satisfied(parents: Any, ages: Any, triplets: Any) -> Any:
    """Return for each tree and each triplet ab|c whether the tree has it."""
    result = np.empty((parents.shape[0], triplets.shape[0]), np.bool_)
    for i in range(parents.shape[0]):
        for j in range(triplets.shape[0]):
            result[i, j] = is_satisfied(parents[i], ages[i], triplets[j, 0], triplets[j, 1], triplets[j, 2])
    return result


@kernel
def nearest_shares(parents: Any, leaves: Any, anchors: Any, own: Any) -> Any:
    """Return for each leaf and each of up to 63 anchors the share of trees in which the leaf meets that anchor first.

    Anchors that it meets at the same node share it out. `own` is the anchor that a leaf does not look for, or -1.
    """
    num_trees, num_nodes = parents.shape
    below = np.zeros(num_nodes, np.int64)  # a bit for each anchor under a node
    result = np.zeros((leaves.size, anchors.size))
    for t in range(num_trees):
        below[:] = 0
        for k in range(anchors.size):
            v = anchors[k]
            while v != -1:
                below[v] |= 1 << k
                v = parents[t, v]
        for i in range(leaves.size):
            others = ~(1 << own[i]) if own[i] >= 0 else -1
            v = leaves[i]
            while v != -1 and below[v] & others == 0:
                v = parents[t, v]
            if v != -1:
                near = below[v] & others
                count = 0
                for k in range(anchors.size):
                    count += (near >> k) & 1
                for k in range(anchors.size):
                    if (near >> k) & 1:
                        result[i, k] += 1.0 / count
    return result / num_trees
