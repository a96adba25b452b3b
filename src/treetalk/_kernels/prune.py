"""Prune and regraft: taking a subtree out on paper, pricing the tree with it elsewhere, and carrying the change out.

Nothing is changed before a move is accepted. To prune s is to write down the path of the pruned tree from the place
where s was up to the origin: ``path[0]`` is the sibling, ``path[1]`` the grandparent, ``path[last]`` the root,
``path[last + 1]`` the origin. All but the first of these have s's leaves under them as yet, and ``path[1]`` still has
p, the parent of s, for a child.

A *place* is an edge of the pruned tree, named by its lower node v, and an age on it. Every place that a move can reach
is below some node of the path or on it, and the move knows which: it stands on the path if v is ``path[j]``; otherwise
``path[j]`` is the mrca of v and the old place.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from treetalk._kernels._jit import hot, part
from treetalk._kernels.hazard import hazard_of_age
from treetalk._kernels.state import (
    AGE,
    GAP,
    HAZARD,
    LEFT,
    LOW,
    MEAN,
    PARENT,
    RIGHT,
    SIZE,
    SPREAD,
    TOP,
    VARIANCE,
    WEIGHT,
    A,
    B,
    C,
    merge,
    merge_origin,
    mrca_by_age,
    replace_child,
    sibling,
)

# A product of so many ratios of spreads is turned into its logarithm before it can overflow.
HUGE = 1e150


class Cut(NamedTuple):
    """What is pruned, from where, and where it may go."""

    s: int  # the node whose subtree is pruned
    p: int  # its parent, which goes with it
    size: int  # the number of its leaves
    age: float
    last: int  # path[last] is the root of the pruned tree
    top: int  # the allowed places are on the edge above path[top] and below it, but for banned ones


class Place(NamedTuple):
    """Where to regraft."""

    v: int  # the edge's lower node
    j: int  # path[j] is v, or the mrca of v and the old place
    on_path: bool  # which of these
    age: float


@hot
def trace(state: Any, s: int) -> int:
    """Write the path of the tree without s into ``state.path`` and return `last`."""
    links, path = state.links, state.path
    origin = np.uint32(links.shape[0] - 1)
    path[0] = sibling(links, s)
    last = 0
    w = links[links[s, PARENT], PARENT]
    while w != origin:
        last += 1
        path[last] = w
        w = links[w, PARENT]
    path[last + 1] = origin
    return last


@part
def child_off_path(state: Any, cut: Any, i: int) -> int:
    """Return the child of ``path[i]``, i > 0, that is not on the path."""
    below = cut.p if i == 1 else state.path[i - 1]
    w = state.path[i]
    left = state.links[w, LEFT]
    return state.links[w, RIGHT] if left == below else left


@part
def row_on_path(state: Any, i: int) -> Any:
    """Return the row with the message of ``path[i]`` in the pruned tree, once it has been lifted."""
    return np.int64(state.path[0]) if i == 0 else np.int64(state.links.shape[0] + i - 1)


@part
def plan_lift(state: Any, cut: Any, upto: int) -> None:
    """Write down that ``path[1]`` to ``path[upto]`` lose the subtree."""
    for i in range(1, upto + 1):
        state.slot_node[i - 1] = state.path[i]
        state.slot_other[i - 1] = child_off_path(state, cut, i)


@part
def merge_slots(state: Any, cut: Any, first: int, last: int, place_slot: int, place_age: float) -> None:
    """Compute the messages of slots `first` to ``last - 1``.

    Each node's children are the node of the slot before and ``slot_other``; but the path begins with the sibling, and at
    `place_slot` the pruned subtree comes in.
    """
    rows, slot_node, slot_other = state.rows, state.slot_node, state.slot_other
    room = np.int64(state.links.shape[0])
    for i in range(first, last):
        age = rows[slot_node[i], AGE]
        x = room + i - 1
        if i == place_slot:
            age = place_age
            x = np.int64(cut.s)
        elif i == 0:
            x = np.int64(state.path[0])
        y = np.int64(slot_other[i])
        rows[room + i, AGE] = age
        merge(rows, x, age - rows[x, AGE], y, age - rows[y, AGE], room + i)


@part
def lift(state: Any, cut: Any, upto: int) -> None:
    """Compute the messages of ``path[1]`` to ``path[upto]`` without the pruned subtree."""
    plan_lift(state, cut, upto)
    merge_slots(state, cut, 0, upto, -1, 0.0)


@part
def price(state: Any, cut: Any, place: Any, num_lifted: int) -> Any:
    """Return the change of the log likelihood if the subtree moves to a place, and how many messages change.

    The new messages are in the slots. Those of ``path[1]`` to ``path[num_lifted]`` were lifted before.
    """
    links, rows, path, slot_node, slot_other = state.links, state.rows, state.path, state.slot_node, state.slot_other
    room = links.shape[0]
    # The part of the path that loses the subtree for good, then the parent at its new place.
    place_slot = place.j if place.on_path else max(place.j - 1, 0)
    plan_lift(state, cut, place_slot)
    slot_node[place_slot] = cut.p
    slot_other[place_slot] = row_on_path(state, place.j) if place.on_path else place.v
    count = place_slot + 1
    if not place.on_path:
        # Nodes between the new place and the path, then the node of the path where both ways meet.
        before = np.int64(place.v)
        w = np.int64(links[before, PARENT])
        while w != np.int64(path[place.j]):
            slot_node[count] = w
            slot_other[count] = sibling(links, before)
            count += 1
            before = w
            w = np.int64(links[w, PARENT])
        slot_node[count] = w
        slot_other[count] = np.int64(sibling(links, before)) if place.j == 0 else row_on_path(state, place.j - 1)
        count += 1
    # The common way up to the origin.
    for i in range(place.j + 1, cut.last + 1):
        slot_node[count] = path[i]
        slot_other[count] = child_off_path(state, cut, i)
        count += 1
    merge_slots(state, cut, min(num_lifted, place_slot), count, place_slot, place.age)
    top = room + count - 1
    merge_origin(rows, top, rows[top, AGE], room + count)
    slot_node[count] = room - 1
    count += 1
    return change_of_log_likelihood(state, count), count


@part
def change_of_log_likelihood(state: Any, count: int) -> float:
    """Return what the new messages in the room change."""
    rows, slot_node = state.rows, state.slot_node
    room = state.links.shape[0]
    product = 1.0
    log_ratio = 0.0
    gap = 0.0
    for i in range(count):
        w = slot_node[i]
        product *= rows[room + i, SPREAD] / rows[w, SPREAD]
        if product > HUGE or product < 1.0 / HUGE:
            log_ratio += math.log(product)
            product = 1.0
        gap += rows[room + i, GAP] - rows[w, GAP]
    log_ratio += math.log(product)
    return -0.5 * ((rows.shape[1] - MEAN) * log_ratio + gap)


@part
def carry_out(state: Any, cut: Any, place: Any, count: int) -> None:
    """Move the subtree to a place whose `count` messages have been computed."""
    links, rows, path = state.links, state.rows, state.path
    room = links.shape[0]
    for i in range(count):
        w = state.slot_node[i]
        for j in range(VARIANCE, rows.shape[1]):
            rows[w, j] = rows[room + i, j]
    # Sizes: those that lose the subtree, then those that gain it.
    for i in range(1, place.j + 1 if place.on_path else place.j):
        links[path[i], SIZE] = np.int64(links[path[i], SIZE]) - cut.size
    links[cut.p, SIZE] = np.int64(links[place.v, SIZE]) + cut.size
    if not place.on_path:
        join = path[place.j]
        w = links[place.v, PARENT]
        while w != join:
            links[w, SIZE] = np.int64(links[w, SIZE]) + cut.size
            w = links[w, PARENT]
        if place.j == 0:
            links[join, SIZE] = np.int64(links[join, SIZE]) + cut.size
    # Links: the sibling takes the parent's old place, the parent its new one.
    replace_child(links, path[1], cut.p, path[0])
    above = links[place.v, PARENT]
    replace_child(links, above, place.v, cut.p)
    links[cut.p, LEFT] = cut.s
    links[cut.p, RIGHT] = place.v
    links[place.v, PARENT] = cut.p
    rows[cut.p, AGE] = place.age
    rows[cut.p, HAZARD] = hazard_of_age(state.divergence, place.age)
    if state.triplets.shape[0] > 0:
        find_mrcas_again(state, cut)


@part
def find_mrcas_again(state: Any, cut: Any) -> None:
    """Find the mrcas of triplets that have changed: those of one leaf inside the moved subtree and one outside."""
    links, rows, triplets, marks = state.links, state.rows, state.triplets, state.marks
    now = state.clock[0]
    for i in range(cut.size):
        leaf = state.leaves[i]
        for k in range(state.entry_start[leaf], state.entry_start[leaf + np.uint32(1)]):
            row = state.entries[k]
            a, b, c = triplets[row, A], triplets[row, B], triplets[row, C]
            if leaf == c:
                if marks[a] != now:
                    triplets[row, TOP] = mrca_by_age(links, rows, cut.p, a)
            else:
                other = b if leaf == a else a
                if marks[other] != now:
                    state.meetings[triplets[row, LOW]] -= triplets[row, WEIGHT]
                    triplets[row, LOW] = mrca_by_age(links, rows, cut.p, other)
                    state.meetings[triplets[row, LOW]] += triplets[row, WEIGHT]
                elif leaf == a and marks[c] != now:
                    triplets[row, TOP] = mrca_by_age(links, rows, cut.p, c)
