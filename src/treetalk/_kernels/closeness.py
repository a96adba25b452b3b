"""How close those are whom the triplets put together: the sizes of the clades in which they meet.

The target of a chain may have, beside the prior and the likelihood, a factor for each pair a, b that triplets ab|c put
together, however many: the size of the smallest clade that has both, to the power of -closeness times the pair's weight. A
regraft changes it in three ways: nodes that lose or gain the subtree change their sizes, and pairs of which one is in the
subtree meet elsewhere. Weights are whole numbers of units, so that adding and subtracting them leaves nothing behind.
"""

import math
from typing import Any

import numpy as np

from treetalk._kernels._jit import hot, part
from treetalk._kernels.state import AGE, LOW, PARENT, SIZE, WEIGHT, A, B, C, mrca_by_age


@hot
def log_sizes(state: Any) -> float:
    """Return the sum of the log sizes of the clades in which the pairs meet, each times the pair's weight in units."""
    total = 0.0
    for row in range(state.triplets.shape[0]):
        weight = np.int64(state.triplets[row, WEIGHT])
        if weight > 0:
            total += weight * math.log(state.links[state.triplets[row, LOW], SIZE])
    return total


@part
def partner_outside(state: Any, leaf: int, row: int) -> Any:
    """Return whom a triplet that counts puts together with a leaf of the pruned subtree, if it is outside; else -1."""
    triplets = state.triplets
    if leaf == triplets[row, C] or triplets[row, WEIGHT] == 0:
        return -1
    other = triplets[row, B] if leaf == triplets[row, A] else triplets[row, A]
    return -1 if state.marks[other] == state.clock[0] else np.int64(other)


@part
def size_of_meeting(state: Any, cut: Any, place: Any, other: int) -> Any:
    """Return the size of the clade in which a leaf outside and the subtree meet, once it is at its new place."""
    links, rows, path = state.links, state.rows, state.path
    v = np.int64(place.v)
    m = np.int64(mrca_by_age(links, rows, np.uint32(other), np.uint32(v)))
    size = np.int64(links[m, SIZE])
    join = rows[path[place.j], AGE]
    if m == v:
        # They meet at the new place itself, above v, which has lost the subtree if it is on the path.
        return size if place.on_path and place.j > 0 else size + cut.size
    # Above the node of the path where both ways meet, the subtree is lost and gained.
    is_common = rows[m, AGE] > join or (rows[m, AGE] == join and (place.on_path or place.j > 0))
    return size if is_common else size + cut.size


@part
def change_of_log_sizes(state: Any, cut: Any, place: Any) -> float:
    """Return what a regraft changes in `log_sizes`; the leaves of the subtree have been listed and marked."""
    links, path, entries, start, meetings = state.links, state.path, state.entries, state.entry_start, state.meetings
    k = cut.size
    total = 0.0
    for i in range(k):
        leaf = state.leaves[i]
        for e in range(start[leaf], start[leaf + np.uint32(1)]):
            other = partner_outside(state, leaf, entries[e])
            if other >= 0:
                low = state.triplets[entries[e], LOW]
                weight = np.int64(state.triplets[entries[e], WEIGHT])
                meetings[low] -= weight
                total += weight * math.log(size_of_meeting(state, cut, place, other) / np.int64(links[low, SIZE]))
    # Those whose pairs are both outside: nodes that lose the subtree, then nodes that gain it.
    for i in range(1, place.j + 1 if place.on_path else place.j):
        if meetings[path[i]] > 0:
            size = np.int64(links[path[i], SIZE])
            total += meetings[path[i]] * math.log((size - k) / size)
    if not place.on_path:
        w = np.int64(place.v)
        join = np.int64(path[place.j])
        while w != join:
            w = np.int64(links[w, PARENT])
            if meetings[w] > 0 and (w != join or place.j == 0):
                size = np.int64(links[w, SIZE])
                total += meetings[w] * math.log((size + k) / size)
    for i in range(k):
        leaf = state.leaves[i]
        for e in range(start[leaf], start[leaf + np.uint32(1)]):
            if partner_outside(state, leaf, entries[e]) >= 0:
                meetings[state.triplets[entries[e], LOW]] += state.triplets[entries[e], WEIGHT]
    return total
