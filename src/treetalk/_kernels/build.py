"""Aho's BUILD: the tree of all triplets, or a set of leaves that shows why there is none.

BUILD looks at a set of leaves and at the triplets within it. Each triplet ab|c is an edge between a and b; the connected
components are the children of the set, and BUILD goes on with each of them and the triplets within it. A set of two
leaves or more that stays connected admits no tree (Aho, Sagiv, Szymanski & Ullman 1981).

Done plainly, every level costs as much as all that is left. Here a set is never searched as a whole. When it falls
apart, only edges whose c went to another part disappear, so the next components all touch an end of such an edge. Those
ends are searched in lock step, one edge at a time, and the searches that meet are joined; once all but one are
exhausted, the last one is the rest of the set, and is not searched on. Mostly the smaller parts are what is paid for.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treetalk._kernels._jit import kernel

IntArray = NDArray[np.int32]


class Graph(NamedTuple):
    """The triplets as edges that can be taken away.

    Edge t has two half-edges, 2t at a and 2t + 1 at b. Those at leaf v are half[start[v] : start[v] + degree[v]].
    """

    triplets: IntArray
    start: IntArray
    degree: IntArray
    half: IntArray
    place: IntArray  # where a half-edge stands in `half`
    odd_start: IntArray  # triplets whose odd one is v: odd[odd_start[v] : odd_start[v + 1]]
    odd: IntArray
    alive: NDArray[np.bool_]


class Parts(NamedTuple):
    """The current sets of leaves. The leaves of set s are order[start[s] : end[s]]."""

    order: IntArray
    place: IntArray  # where a leaf stands in `order`
    label: IntArray  # the set of a leaf
    start: IntArray
    end: IntArray
    touched: IntArray  # first entry of the list of leaves that lost an edge, -1 for none
    next_touched: IntArray  # two entries for each edge taken away
    touched_leaf: IntArray


class Search(NamedTuple):
    """Searches in lock step; each is named by the number it began with, and joined ones share a root in `joined`."""

    group: IntArray  # the search that found a leaf, -1 for none
    next_edge: IntArray  # of a leaf
    next_leaf: IntArray  # the leaf after it in the queue of its search
    queue_head: IntArray
    queue_tail: IntArray
    joined: IntArray
    found: IntArray  # leaves found, in order
    running: IntArray
    finished: NDArray[np.bool_]


@kernel
def make_graph(triplets: Any, num_leaves: int) -> Any:
    """Return the Graph of all triplets."""
    m = triplets.shape[0]
    start = np.zeros(num_leaves + 1, np.int32)
    odd_start = np.zeros(num_leaves + 1, np.int32)
    for t in range(m):
        start[triplets[t, 0] + 1] += 1
        start[triplets[t, 1] + 1] += 1
        odd_start[triplets[t, 2] + 1] += 1
    for v in range(num_leaves):
        start[v + 1] += start[v]
        odd_start[v + 1] += odd_start[v]
    degree = np.zeros(num_leaves, np.int32)
    odd_filled = odd_start[:-1].copy()
    half = np.empty(2 * m, np.int32)
    place = np.empty(2 * m, np.int32)
    odd = np.empty(m, np.int32)
    for t in range(m):
        for side in range(2):
            v = triplets[t, side]
            where = start[v] + degree[v]
            half[where] = 2 * t + side
            place[2 * t + side] = where
            degree[v] += 1
        c = triplets[t, 2]
        odd[odd_filled[c]] = t
        odd_filled[c] += 1
    return Graph(triplets, start, degree, half, place, odd_start, odd, np.ones(m, np.bool_))


@kernel
def _take_away(graph: Any, t: int) -> None:
    graph.alive[t] = False
    for side in range(2):
        h = 2 * t + side
        v = graph.triplets[t, side]
        graph.degree[v] -= 1
        last = graph.start[v] + graph.degree[v]
        where = graph.place[h]
        moved = graph.half[last]
        graph.half[where] = moved
        graph.place[moved] = where
        graph.half[last] = h
        graph.place[h] = last


@kernel
def find(joined: Any, g: int) -> int:
    """Return the representative of g in a union-find; paths are halved on the way."""
    while joined[g] != g:
        joined[g] = joined[joined[g]]
        g = joined[g]
    return g


@kernel
def _start_searches(parts: Any, search: Any, s: int) -> Any:
    """Begin a search at each leaf of set s that lost an edge; return how many, and empty the list."""
    count = 0
    entry = parts.touched[s]
    while entry != -1:
        v = parts.touched_leaf[entry]
        if search.group[v] == -1:
            search.group[v] = count
            search.next_edge[v] = 0
            search.next_leaf[v] = -1
            search.queue_head[count] = v
            search.queue_tail[count] = v
            search.joined[count] = count
            search.running[count] = count
            search.finished[count] = False
            search.found[count] = v
            count += 1
        entry = parts.next_touched[entry]
    parts.touched[s] = -1
    return count


@kernel
def _step(graph: Any, search: Any, g: int, num_found: int) -> Any:
    """Look at one edge of search g; return (number of leaves found, whether another search was joined to it)."""
    v = search.queue_head[g]
    if search.next_edge[v] == graph.degree[v]:
        search.queue_head[g] = search.next_leaf[v]
        return num_found, False
    h = graph.half[graph.start[v] + search.next_edge[v]]
    search.next_edge[v] += 1
    w = graph.triplets[h // 2, 1 - h % 2]
    if search.group[w] == -1:
        search.group[w] = g
        search.next_edge[w] = 0
        search.next_leaf[w] = -1
        search.next_leaf[search.queue_tail[g]] = w
        search.queue_tail[g] = w
        search.found[num_found] = w
        return num_found + 1, False
    r = find(search.joined, search.group[w])
    if r == g:
        return num_found, False
    # A search that still runs has a queue, and so has g: v is its head.
    search.joined[r] = g
    search.next_leaf[search.queue_tail[g]] = search.queue_head[r]
    search.queue_tail[g] = search.queue_tail[r]
    return num_found, True


@kernel
def _search(graph: Any, search: Any, num_searches: int) -> Any:
    """Search until one runs; return (number of leaves found, number of searches that finished)."""
    num_found = num_searches
    num_running = num_searches
    num_listed = num_searches
    num_finished = 0
    while num_running > 1:
        kept = 0
        for i in range(num_listed):
            g = search.running[i]
            if search.joined[g] != g:
                continue
            if num_running > 1:
                num_found, has_joined = _step(graph, search, g, num_found)
                if has_joined:
                    num_running -= 1
                if search.queue_head[g] == -1:
                    search.finished[g] = True
                    num_finished += 1
                    num_running -= 1
                    continue
            search.running[kept] = g
            kept += 1
        num_listed = kept
    return num_found, num_finished


@kernel
def _split_off(parts: Any, search: Any, s: int, num_found: int, num_searches: int, num_sets: int) -> Any:
    """Make a set of the leaves of each finished search, out of set s; return (new number of sets, leaves moved).

    The leaves that moved are the last of the old set's part of `order`, those of each new set together.
    """
    # Sort the leaves of finished searches by search: count, then place.
    count = np.zeros(num_searches + 1, np.int32)
    for i in range(num_found):
        g = find(search.joined, search.group[search.found[i]])
        search.group[search.found[i]] = g
        if search.finished[g]:
            count[g + 1] += 1
    for g in range(num_searches):
        count[g + 1] += count[g]
    num_moved = count[num_searches]
    moved = np.empty(num_moved, np.int32)
    for i in range(num_found):
        v = search.found[i]
        g = search.group[v]
        if search.finished[g]:
            moved[count[g]] = v
            count[g] += 1
    tail = parts.end[s]
    previous = -1
    for i in range(num_moved):
        v = moved[i]
        if search.group[v] != previous:
            previous = search.group[v]
            parts.end[num_sets] = tail
            parts.touched[num_sets] = -1
            num_sets += 1
        tail -= 1
        u = parts.order[tail]
        where = parts.place[v]
        parts.order[where] = u
        parts.place[u] = where
        parts.order[tail] = v
        parts.place[v] = tail
        parts.label[v] = num_sets - 1
        parts.start[num_sets - 1] = tail
    parts.end[s] = tail
    for i in range(num_found):
        search.group[search.found[i]] = -1
    return num_sets, moved


@kernel
def _take_away_crossing(graph: Any, parts: Any, moved: Any, num_entries: int) -> int:
    """Take away the edges of triplets that now lie in two sets; their ends are touched. Return the number of entries."""
    for v in moved:
        label = parts.label[v]
        i = 0
        while i < graph.degree[v]:
            t = graph.half[graph.start[v] + i] // 2
            if parts.label[graph.triplets[t, 2]] == label:
                i += 1
            else:
                num_entries = _touch(parts, graph.triplets, t, num_entries)
                _take_away(graph, t)
        for i in range(graph.odd_start[v], graph.odd_start[v + 1]):
            t = graph.odd[i]
            if graph.alive[t] and parts.label[graph.triplets[t, 0]] != label:
                num_entries = _touch(parts, graph.triplets, t, num_entries)
                _take_away(graph, t)
    return num_entries


@kernel
def _touch(parts: Any, triplets: Any, t: int, num_entries: int) -> int:
    for side in range(2):
        v = triplets[t, side]
        s = parts.label[v]
        parts.touched_leaf[num_entries] = v
        parts.next_touched[num_entries] = parts.touched[s]
        parts.touched[s] = num_entries
        num_entries += 1
    return num_entries


@kernel
def build(triplets: Any, num_leaves: int) -> Any:
    """Return (parent, reason): the tree of the triplets, or an empty array and the triplets that show there is none.

    The reason holds one triplet less than some set has leaves, all of them within it: enough to keep it connected.
    """
    n, m = num_leaves, triplets.shape[0]
    graph = make_graph(triplets, n)
    leaves = np.arange(n).astype(np.int32)
    parts = Parts(
        leaves.copy(),
        leaves.copy(),
        np.zeros(n, np.int32),
        np.zeros(2 * n, np.int32),
        np.zeros(2 * n, np.int32),
        np.full(2 * n, -1, np.int32),
        np.empty(2 * m + n, np.int32),
        np.empty(2 * m + n, np.int32),
    )
    search = Search(
        np.full(n, -1, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.zeros(n, np.bool_),
    )
    # At first every leaf is touched.
    parts.end[0] = n
    for v in range(n):
        parts.touched_leaf[v] = v
        parts.next_touched[v] = v - 1
    parts.touched[0] = n - 1
    num_entries = n
    num_sets = 1

    parent = np.full(2 * n, -1, np.int32)
    num_nodes = n
    waiting_set = np.zeros(n, np.int32)
    waiting_parent = np.full(n, -1, np.int32)
    num_waiting = 1 if n > 1 else 0
    while num_waiting > 0:
        num_waiting -= 1
        s = waiting_set[num_waiting]
        num_searches = _start_searches(parts, search, s)
        num_found, num_finished = _search(graph, search, num_searches)
        if num_finished == 0:
            return parent[:0], _reason(graph, parts, s)
        node = num_nodes
        num_nodes += 1
        parent[node] = waiting_parent[num_waiting]
        first_new = num_sets
        num_sets, moved = _split_off(parts, search, s, num_found, num_searches, num_sets)
        num_entries = _take_away_crossing(graph, parts, moved, num_entries)
        for child in range(first_new - 1, num_sets):
            part = s if child < first_new else child
            if parts.end[part] - parts.start[part] == 1:
                parent[parts.order[parts.start[part]]] = node
            else:
                waiting_set[num_waiting] = part
                waiting_parent[num_waiting] = node
                num_waiting += 1
    return parent[:num_nodes], np.empty(0, np.int32)


@kernel
def _reason(graph: Any, parts: Any, s: int) -> Any:
    """Return the triplets of a spanning tree of set s."""
    size = parts.end[s] - parts.start[s]
    reason = np.empty(size - 1, np.int32)
    seen = np.zeros(parts.order.size, np.bool_)
    queue = np.empty(size, np.int32)
    queue[0] = parts.order[parts.start[s]]
    seen[queue[0]] = True
    num_seen = 1
    head = 0
    while num_seen < size:
        v = queue[head]
        head += 1
        for i in range(graph.degree[v]):
            h = graph.half[graph.start[v] + i]
            w = graph.triplets[h // 2, 1 - h % 2]
            if not seen[w]:
                seen[w] = True
                reason[num_seen - 1] = h // 2
                queue[num_seen] = w
                num_seen += 1
    return reason
