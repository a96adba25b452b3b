"""What was shown and left unsaid: how many triplets of the pieces that were shown a tree has otherwise.

The target of a chain may have a factor for each piece: 1 / (1 + u) to the power of a weight, where u is the number of
triplets that the tree has otherwise than the piece, less those that were said. A regraft changes u of pieces with items both
inside and outside the subtree. Two items inside and one outside stand as before; what may change is how two items outside
and one inside stand. Which of x, y, z is the odd one is seen by comparing where x meets y with where x meets z: if that is
the same node, it is x.
"""

import math
from typing import Any

import numpy as np

from treetalk._kernels._jit import hot, kernel, part
from treetalk._kernels.state import AGE, PARENT, mrca_by_age


@part
def order(x: float, y: float) -> int:
    """Return whether one number is less than, equal to or greater than another one: -1, 0 or 1."""
    return (1 if x > y else 0) - (1 if x < y else 0)


@part
def order_shown(shown: Any, q: int, x: int, y: int, z: int) -> int:
    """Return whether the piece shows x to meet y below, at or above the node where it meets z."""
    return order(np.float64(shown.sizes[q, x, y]), np.float64(shown.sizes[q, x, z]))


@part
def log_of(num_unsaid: int) -> float:
    """Return log(1 + u). As long as a tree has not all that was said, u may be below 0, and counts as 0."""
    return math.log(1.0 + max(num_unsaid, 0))


@hot
def count_unsaid(state: Any) -> None:
    """Count for each piece the triplets that the tree has otherwise, less those that were said."""
    links, rows, shown = state.links, state.rows, state.shown
    for q in range(shown.num_items.size):
        size = shown.num_items[q]
        wrong = -shown.num_said[q]
        for i in range(size):
            for j in range(i + 1, size):
                shown.after[j] = rows[mrca_by_age(links, rows, shown.items[q, i], shown.items[q, j]), AGE]
            # Each three items once: where two of them meet the first tells all.
            for j in range(i + 1, size):
                for k in range(j + 1, size):
                    if order(shown.after[j], shown.after[k]) != order_shown(shown, q, i, j, k):
                        wrong += 1
        shown.num_unsaid[q] = wrong


@hot
def log_unsaid(state: Any) -> float:
    """Return the sum of log(1 + u) over the pieces."""
    total = 0.0
    for q in range(state.shown.num_items.size):
        total += log_of(state.shown.num_unsaid[q])
    return total


@kernel
def logs_unsaid(parents: Any, ages: Any, shown: Any) -> Any:
    """Return for each of some binary trees, given by rows of parents and ages, the sum of log(1 + u) over the pieces."""
    result = np.zeros(parents.shape[0])
    meets = np.empty(shown.items.shape[1])
    for t in range(parents.shape[0]):
        parent, age = parents[t], ages[t]
        for q in range(shown.num_items.size):
            size = shown.num_items[q]
            wrong = -shown.num_said[q]
            for i in range(size):
                for j in range(i + 1, size):
                    u, v = np.int64(shown.items[q, i]), np.int64(shown.items[q, j])
                    while u != v:
                        if age[u] < age[v]:
                            u = parent[u]
                        else:
                            v = parent[v]
                    meets[j] = age[u]
                for j in range(i + 1, size):
                    for k in range(j + 1, size):
                        if order(meets[j], meets[k]) != order_shown(shown, q, i, j, k):
                            wrong += 1
            result[t] += log_of(wrong)
    return result


@part
def mark_path(state: Any, upto: int) -> None:
    """Write down where each node of the path, up to some place, stands on it."""
    for i in range(upto + 1):
        state.shown.on_path[state.path[i], 0] = state.clock[0]
        state.shown.on_path[state.path[i], 1] = i


@part
def see_meetings(state: Any, cut: Any, place: Any, q: int) -> int:
    """Write down where the items of a piece outside the subtree meet it, before and after; return how many these are.

    Only of those below the node of the path where both ways meet: the others meet the subtree where they did.
    """
    links, rows, path, shown = state.links, state.rows, state.path, state.shown
    now = state.clock[0]
    highest = rows[path[place.j], AGE]
    count = 0
    for x in range(shown.num_items[q]):
        leaf = shown.items[q, x]
        if state.marks[leaf] == now:
            continue
        w = leaf
        while shown.on_path[w, 0] != now and rows[w, AGE] < highest:
            w = links[w, PARENT]
        if shown.on_path[w, 0] != now:
            continue
        i = shown.on_path[w, 1]
        before = rows[path[i], AGE] if i > 0 else rows[cut.p, AGE]
        if place.on_path:
            after = place.age
        elif i < place.j:
            after = highest
        else:
            m = mrca_by_age(links, rows, leaf, np.uint32(place.v))
            after = place.age if m == place.v else rows[m, AGE]
        shown.outside[count] = x
        shown.before[count] = before
        shown.after[count] = after
        count += 1
    return count


@part
def change_in_piece(state: Any, cut: Any, place: Any, q: int) -> int:
    """Return what a regraft changes in the number of a piece's triplets that the tree has otherwise."""
    shown = state.shown
    size = shown.num_items[q]
    count = see_meetings(state, cut, place, q)
    change = 0
    for y in range(count):
        for z in range(y + 1, count):
            before = order(shown.before[y], shown.before[z])
            after = order(shown.after[y], shown.after[z])
            if before != after:
                for x in range(size):
                    if state.marks[shown.items[q, x]] == state.clock[0]:
                        seen = order_shown(shown, q, x, shown.outside[y], shown.outside[z])
                        change += (1 if after != seen else 0) - (1 if before != seen else 0)
    return change


@part
def change_of_log_unsaid(state: Any, cut: Any, place: Any) -> Any:
    """Return what a regraft changes in `log_unsaid`, and of how many pieces; the subtree's leaves have been marked.

    The pieces and what changes in each are written down, for `take_over`.
    """
    shown = state.shown
    now = state.clock[0]
    total = 0.0
    num_changed = 0
    if place.on_path and place.j == 0:
        return total, num_changed
    mark_path(state, place.j)
    for i in range(cut.size):
        leaf = state.leaves[i]
        for e in range(shown.entry_start[leaf], shown.entry_start[leaf + np.uint32(1)]):
            q = shown.entries[e]
            if shown.marks[q] == now:
                continue
            shown.marks[q] = now
            change = change_in_piece(state, cut, place, q)
            if change != 0:
                total += log_of(shown.num_unsaid[q] + change) - log_of(shown.num_unsaid[q])
                shown.changed[num_changed] = q
                shown.changes[num_changed] = change
                num_changed += 1
    return total, num_changed


@part
def take_over(state: Any, num_changed: int) -> None:
    """Keep what a regraft that is carried out changes."""
    for i in range(num_changed):
        state.shown.num_unsaid[state.shown.changed[i]] += state.shown.changes[i]
