"""Cutting a tree into about so many groups, well: by a dynamic program over its nodes.

A **cut** is a set of nodes, none above another, each with at least `min_size` items under it, such that every clade
outside of them is smaller than that: these small clades are **strays**, and go with one of the groups later. A node with a
single child that is large enough is not cut into that child and strays alone, which would be the node itself again.

The **quality** of a node is its support, weighed by how much tighter it is than what it is split from::

    q(v) = support(v) * (1 + tightness(v)) / 2        tightness(v) = 1 - height(v) / height(parent(v))

and 0 for a single item, which is no group. Of all cuts the one is chosen with the largest mean quality over the items, to
which strays contribute 0, less how far the number of groups j is from the number k that was wanted::

    sum over groups g of size(g) * q(g) / n  -  |ln(j / k)|

If as many groups are wanted as there can be, or more, there are as many as there can be.

For each node, and each number of groups, the program keeps the best sum below the node: for numbers up to e * k, and for
more only where they may pay, as they do where a node has many children, and its groups are few or a great many.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels
from treetalk.formats.arcs import support_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.tree import Tree

    Table = NDArray[np.float64]  # of sums; the first is with the fewest groups, each other with one more


def heights(tree: Tree) -> NDArray[np.float64]:
    """Return the height of each node above the latest leaf; without times, the number of edges to the farthest leaf."""
    if tree.time is None:
        levels: NDArray[np.float64] = _kernels.linkage.levels(tree._layout).astype(np.float64)
        return levels
    lateness = tree.time if tree._age is None else -tree._age
    result: NDArray[np.float64] = lateness[: tree.num_leaves].max() - lateness
    return result


def qualities(tree: Tree, support: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Return how good a group each node makes, from 0 to 1. Support that is not known counts as 1, percents as shares."""
    own = support_of(tree) if support is None else support
    sure = np.ones(tree.num_nodes) if own is None else np.clip(np.nan_to_num(own, nan=1.0), 0.0, 1.0)
    height = heights(tree)
    above = height[np.where(tree.parent == -1, np.arange(tree.num_nodes), tree.parent)]
    tightness = 1 - np.divide(height, above, out=np.ones(tree.num_nodes), where=above > 0)
    quality: NDArray[np.float64] = sure * (1 + tightness) / 2
    quality[tree.sizes == 1] = 0.0
    return quality


def best_cut(
    tree: Tree,
    roots: Sequence[int],
    wanted: int,
    quality: NDArray[np.float64],
    *,
    min_size: int = 1,
    uncut: Iterable[int] = (),
) -> list[list[int]]:
    """Return the best cut of what stands below some nodes.

    Parameters
    ----------
    tree : Tree
        The tree.
    roots : sequence of int
        The nodes, none above another; the groups of the level above. One with fewer items than `min_size` stays as it is.
    wanted : int
        How many groups there should be, in all.
    quality : float array of shape (num_nodes,)
        How good a group each node makes.
    min_size : int
        The fewest items of a group.
    uncut : nodes
        Nodes that must not be cut any further.

    Returns
    -------
    list of list of int
        For each root, the nodes that are its groups, in drawing order.
    """
    worth, whole = quality * tree.sizes / tree.num_leaves, frozenset(uncut)
    most = max(math.ceil(math.e * wanted), len(roots))
    while True:
        tables = _tables(tree, roots, worth, min_size, most, whole)
        sums = _folded([tables[v] for v in roots], most - len(roots))
        counts = len(roots) + np.arange(len(sums[-1]))
        scores = sums[-1] - np.abs(np.log(counts / wanted))
        if counts[-1] < most:
            break  # there cannot be more groups
        # With j groups above k the score is at most the largest sum of all, less ln(j / k).
        largest = _largest_sum(tree, roots, worth, min_size, whole)
        reach = math.floor(wanted * math.exp(largest - scores.max()))
        if reach <= most:
            break
        most = min(reach, math.ceil(math.e * most))
    more = int(len(counts) - 1 if wanted >= counts[-1] else np.argmax(scores))
    waiting = list(zip(roots, _shares([tables[v] for v in roots], sums, more), range(len(roots)), strict=True))
    groups: list[list[int]] = [[] for _ in roots]
    while waiting:
        v, count, root = waiting.pop()
        if count == 1:
            groups[root].append(v)
            continue
        below = _large_children(tree, v, min_size)
        parts, more = [tables[u] for u in below], count - len(below)
        shares = _shares(parts, _folded(parts, more), more)
        waiting.extend(zip(below, shares, [root] * len(below), strict=True))
    rank = tree._layout.rank
    return [sorted(nodes, key=lambda v: int(rank[v])) for nodes in groups]


def most_groups(tree: Tree, min_size: int) -> int:
    """Return how many groups a cut has at most."""
    most = np.ones(tree.num_nodes, np.int64)
    for v in tree.preorder[::-1].tolist():
        most[v] = max(1, sum(int(most[u]) for u in _large_children(tree, v, min_size)))
    return int(most[tree.root])


def _large_children(tree: Tree, node: int, min_size: int) -> list[int]:
    start = tree._layout.child_start
    children = tree._layout.child[start[node] : start[node + 1]]
    large: list[int] = children[tree._layout.size[children] >= min_size].tolist()
    return large


def _nodes_below(tree: Tree, root: int) -> list[int]:
    """Return a node and all below it, children before their parents."""
    layout = tree._layout
    first = int(layout.rank[root])
    nodes: list[int] = layout.preorder[first : first + layout.num_below[root]][::-1].tolist()
    return nodes


def _tables(
    tree: Tree, roots: Sequence[int], worth: NDArray[np.float64], min_size: int, most: int, uncut: frozenset[int]
) -> dict[int, Table]:
    """Return for each node below the roots the best sums with 1, 2, ... groups; minus infinity where there is none."""
    tables: dict[int, Table] = {}
    for root in roots:
        for v in _nodes_below(tree, root):
            if v != root and tree._layout.size[v] < min_size:
                continue
            table = np.array([worth[v]])
            below = [] if v in uncut else _large_children(tree, v, min_size)
            if 0 < len(below) <= most:
                apart = _folded([tables[u] for u in below], most - len(below))[-1]
                table = np.concatenate([np.full(len(below) - 1, -np.inf), apart])
                table[0] = worth[v]  # one group below is the node itself
            elif below:
                table = np.concatenate(
                    [table, np.full(most - 1, -np.inf)]
                )  # there are cuts, with more groups than these
            tables[v] = table
    return tables


def _largest_sum(
    tree: Tree, roots: Sequence[int], worth: NDArray[np.float64], min_size: int, uncut: frozenset[int]
) -> float:
    """Return a sum that no cut exceeds, whatever its number of groups."""
    largest = worth.copy()
    for root in roots:
        for v in _nodes_below(tree, root):
            if v not in uncut:
                largest[v] = max(worth[v], float(sum(largest[u] for u in _large_children(tree, v, min_size))))
    return float(sum(largest[v] for v in roots))


def _folded(tables: Sequence[Table], room: int) -> list[Table]:
    """Return the best sums of the first table, of the first two together, and so on.

    The fewest groups of some tables are one for each; `room` is how many more there may be.
    """
    sums = [tables[0][: room + 1]]
    for table in tables[1:]:
        last = sums[-1]
        size = min(len(last) + len(table) - 1, room + 1)
        both = np.full(size, -np.inf)
        short, long = (last, table) if len(last) < len(table) else (table, last)
        for more in range(min(len(short), size)):
            end = min(size - more, len(long))
            np.maximum(both[more : more + end], short[more] + long[:end], out=both[more : more + end])
        sums.append(both)
    return sums


def _shares(tables: Sequence[Table], sums: list[Table], more: int) -> list[int]:
    """Return how many groups each table has in the best sum with so many more groups than tables."""
    shares: list[int] = []
    for i in range(len(tables) - 1, 0, -1):
        before = sums[i - 1]
        own = np.arange(max(0, more - len(before) + 1), min(len(tables[i]) - 1, more) + 1)
        best = int(own[np.argmax(tables[i][own] + before[more - own])])
        shares.append(best + 1)
        more -= best
    return [more + 1, *reversed(shares)]
