"""Small sets of triplets that contradict each other.

Triplets contradict each other if, on the leaves that they name, the edges ab of all ab|c connect everything: BUILD then
cannot begin. Such a set is grown from one triplet: as long as a named leaf is not connected to the rest, connect it by
the path that names the fewest new leaves.
"""

import heapq
from typing import Any

import numpy as np

from treetalk._kernels._jit import kernel
from treetalk._kernels.build import make_graph

# An odd one that is not yet named must itself be connected, by several more triplets. Of 1, 3 and 8, the last gave the
# smallest sets on random triplets of random trees with errors in them.
COST_OF_NEW_ODD_ONE = 8
FAR = 1 << 40


@kernel
def bridges(triplets: Any, num_leaves: int) -> Any:
    """Return the triplets that alone connect two parts of the graph (Tarjan 1974): few are, and one in error often is."""
    graph = make_graph(triplets, num_leaves)
    is_bridge = np.zeros(triplets.shape[0], np.bool_)
    number = np.full(num_leaves, -1, np.int64)  # in the order of a depth-first search
    lowest = np.zeros(num_leaves, np.int64)  # the lowest number seen from the subtree, not by the edge down to it
    next_edge = np.zeros(num_leaves, np.int64)
    came_by = np.full(num_leaves, -1, np.int64)
    stack = np.empty(num_leaves, np.int64)
    count = 0
    for root in range(num_leaves):
        if number[root] != -1:
            continue
        stack[0] = root
        top = 1
        number[root] = lowest[root] = count
        count += 1
        while top > 0:
            v = stack[top - 1]
            if next_edge[v] < graph.degree[v]:
                h = graph.half[graph.start[v] + next_edge[v]]
                next_edge[v] += 1
                w = graph.triplets[h // 2, 1 - h % 2]
                if number[w] == -1:
                    number[w] = lowest[w] = count
                    count += 1
                    came_by[w] = h // 2
                    stack[top] = w
                    top += 1
                elif h // 2 != came_by[v]:
                    lowest[v] = min(lowest[v], number[w])
            else:
                top -= 1
                if top > 0:
                    p = stack[top - 1]
                    lowest[p] = min(lowest[p], lowest[v])
                    is_bridge[came_by[v]] = lowest[v] > number[p]
    return np.flatnonzero(is_bridge)


@kernel
def _cheapest_path(graph: Any, named: Any, connected: Any, cost: Any, came_by: Any, start: int) -> Any:
    """Return (nearest connected leaf, leaves visited); `came_by` holds the half-edges back to the start."""
    heap = [(np.int64(0), np.int64(start))]
    visited = [np.int64(start)]
    cost[start] = 0
    while len(heap) > 0:
        so_far, v = heapq.heappop(heap)
        if so_far > cost[v]:
            continue
        if connected[v]:
            return v, visited
        for i in range(graph.start[v], graph.start[v] + graph.degree[v]):
            h = graph.half[i]
            w = np.int64(graph.triplets[h // 2, 1 - h % 2])
            step = 1 if named[w] else 2
            if not named[graph.triplets[h // 2, 2]]:
                step += COST_OF_NEW_ODD_ONE
            if so_far + step < cost[w]:
                if cost[w] == FAR:
                    visited.append(w)
                cost[w] = so_far + step
                came_by[w] = h
                heapq.heappush(heap, (np.int64(so_far + step), w))
    return np.int64(-1), visited


@kernel
def grow(triplets: Any, num_leaves: int, seed: int, limit: int) -> Any:
    """Return fewer rows than a limit that contradict each other, the seed among them; none if it would take more.

    All the triplets together must connect all the leaves.
    """
    graph = make_graph(triplets, num_leaves)
    named = np.zeros(num_leaves, np.bool_)
    connected = np.zeros(num_leaves, np.bool_)
    cost = np.full(num_leaves, FAR, np.int64)
    came_by = np.full(num_leaves, -1, np.int64)
    rows = np.empty(num_leaves - 1, np.int64)
    waiting = np.empty(num_leaves, np.int64)  # named leaves, to be connected in turn
    rows[0] = seed
    num_rows = 1
    waiting[0] = triplets[seed, 2]
    num_waiting = 1
    for i in range(3):
        named[triplets[seed, i]] = True
    connected[triplets[seed, 0]] = True
    connected[triplets[seed, 1]] = True
    next_waiting = 0
    while next_waiting < num_waiting:
        start = waiting[next_waiting]
        next_waiting += 1
        if connected[start]:
            continue
        v, visited = _cheapest_path(graph, named, connected, cost, came_by, start)
        while v != start:
            h = came_by[v]
            t = h // 2
            rows[num_rows] = t
            num_rows += 1
            v = triplets[t, h % 2]
            for w in (np.int64(v), np.int64(triplets[t, 2])):
                if not named[w]:
                    named[w] = True
                    waiting[num_waiting] = w
                    num_waiting += 1
            connected[v] = True
        for w in visited:
            cost[w] = FAR
        # The two leaves of the seed's edge never wait, and there is one row less than there are leaves.
        if num_waiting + 1 >= limit:
            return rows[:0]
    return rows[:num_rows]
