"""Taking in a triplet by one regraft: of all that make it hold and break no other, the one that the target likes best.

To have ab|c, the subtree of a goes to b's side of the mrca of b and c, or that of b to a's side, or that of c out of the
clade in which a and b meet. The subtree may be the leaf alone or any clade around it that has neither of the other two: so
those who stand with a leaf for good reasons may go with it.

Where several triplets are to be taken in, each that a regraft makes hold besides spares another regraft, and counts for it.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from treetalk._kernels._jit import kernel, part
from treetalk._kernels.closeness import change_of_log_sizes, size_of_meeting
from treetalk._kernels.guide import log_prior_ratio
from treetalk._kernels.local import Spot, see_spot
from treetalk._kernels.prune import Cut, Place, carry_out, lift, price, row_on_path, trace
from treetalk._kernels.region import allowed_edges, allowed_top, mark_leaves
from treetalk._kernels.state import AGE, LEFT, MEAN, PARENT, RIGHT, SIZE, UNITS, VARIANCE, mrca_by_age
from treetalk._kernels.unsaid import change_of_log_unsaid

# Of the places for one subtree, so many with the best fit to what is there are priced.
NUM_PRICED = 12
# A subtree is grafted no nearer to the end of an edge, as a share of its length.
MARGIN = 0.1
# What a triplet counts for that holds besides, in the log density.
SPARED = 2.0


class Others(NamedTuple):
    """Triplets that the tree violates, all of which are to be taken in, and what is known of a regraft that is looked at."""

    leaves: Any  # their leaves, each once
    rows: Any  # shape (k, 3): the triplets, each leaf by its place among the leaves
    ages: Any  # at which two of the leaves meet
    are_inside: Any  # which of the leaves are in the subtree
    after: Any  # the age at which a leaf outside of it will meet it


class Option(NamedTuple):
    """A regraft, and what the log density of the target gains by it."""

    gain: float
    s: int
    v: int
    j: int
    on_path: bool
    age: float


@part
def moved_and_staying(triplet: Any, role: int) -> Any:
    """Return which of a, b, c moves, and the two that stay: for a and b, first the one that it goes to."""
    a, b, c = np.int64(triplet[0]), np.int64(triplet[1]), np.int64(triplet[2])
    if role == 0:
        return a, b, c
    if role == 1:
        return b, a, c
    return c, a, b


@part
def meeting(state: Any, u: int, v: int) -> Any:
    """Return the mrca of two nodes."""
    return np.int64(mrca_by_age(state.links, state.rows, np.uint32(u), np.uint32(v)))


@part
def top_of_region(state: Any, cut: Any, role: int, stays: int, other: int) -> Any:
    """Return the node at whose edge the places begin that make the triplet hold."""
    if role == 2:
        return np.int64(state.path[cut.last])
    m = meeting(state, stays, other)
    y = stays
    while np.int64(state.links[y, PARENT]) != m:
        y = np.int64(state.links[y, PARENT])
    return y


@part
def spot_of(state: Any, index: Any, v: int) -> Any:
    """Return the edge above v; `index` has the place of each node on the path, -1 if it is not there."""
    w = v
    while index[w] < 0:
        w = np.int64(state.links[w, PARENT])
    return Spot(v, index[w], w == v)


@part
def age_on(state: Any, cut: Any, spot: Any, distance: float) -> float:
    """Return an age on an edge that fits the distance of the two messages; 0 if the subtree is too old for the edge."""
    rows = state.rows
    above = np.int64(state.path[spot.j + 1]) if spot.on_path else np.int64(state.links[spot.v, PARENT])
    row = row_on_path(state, spot.j) if spot.on_path else spot.v
    low, high = max(rows[spot.v, AGE], cut.age), rows[above, AGE]
    if not low < high:
        return 0.0
    fixed = rows[row, VARIANCE] - rows[spot.v, AGE] + rows[cut.s, VARIANCE] - cut.age
    wanted = 0.5 * (distance / max(rows.shape[1] - MEAN, 1) - fixed)
    margin = MARGIN * (high - low)
    age = min(max(wanted, low + margin), high - margin)
    return age if low < age < high else 0.0


@part
def list_places(state: Any, cut: Any, top: int, end: int, allowed: Any, index: Any, stack: Any, options: Any) -> int:
    """List the edges from `top` down, but not below `end`, where the subtree may go: lower node, age, and fit."""
    links = state.links
    num_leaves = links.shape[0] // 2
    count = 0
    stack[0] = top
    height = 1
    while height > 0:
        height -= 1
        v = stack[height]
        if v == cut.s:
            continue
        if v == cut.p:
            v = np.int64(state.path[0])
        if v >= num_leaves and v != end:
            stack[height] = np.int64(links[v, LEFT])
            stack[height + 1] = np.int64(links[v, RIGHT])
            height += 2
        if not allowed[v]:
            continue
        spot = spot_of(state, index, v)
        edge = see_spot(state, cut, spot)
        age = age_on(state, cut, spot, edge.distance)
        if age > 0.0:
            options[count, 0] = v
            options[count, 1] = age
            options[count, 2] = edge.score
            count += 1
    return count


@part
def see_meetings(state: Any, others: Any) -> None:
    """Write down the ages at which the leaves meet."""
    for i in range(others.leaves.size):
        for j in range(i):
            age = state.rows[meeting(state, others.leaves[i], others.leaves[j]), AGE]
            others.ages[i, j] = age
            others.ages[j, i] = age


@part
def see_inside(state: Any, s: int, others: Any) -> None:
    """Write down which of the leaves are in a subtree."""
    for i in range(others.leaves.size):
        others.are_inside[i] = meeting(state, others.leaves[i], s) == s


@part
def age_after(others: Any, i: int, j: int) -> float:
    """Return the age at which two leaves will meet."""
    if others.are_inside[i] == others.are_inside[j]:
        return others.ages[i, j]
    return others.after[j] if others.are_inside[i] else others.after[i]


@part
def num_spared(state: Any, place: Any, others: Any) -> int:
    """Return how many triplets a regraft makes hold."""
    for i in range(others.leaves.size):
        if not others.are_inside[i]:
            m = meeting(state, others.leaves[i], place.v)
            others.after[i] = place.age if m == place.v else state.rows[m, AGE]
    count = 0
    for row in range(others.rows.shape[0]):
        a, b, c = others.rows[row, 0], others.rows[row, 1], others.rows[row, 2]
        if age_after(others, a, b) < age_after(others, a, c):
            count += 1
    return count


@part
def gain_of(state: Any, cut: Any, place: Any, role: int, stays: int, other: int, others: Any) -> float:
    """Return what the log density of the target gains by a regraft, the new triplets' own share included."""
    change, _ = price(state, cut, place, 0)
    change += log_prior_ratio(state, cut, place)
    change += SPARED * num_spared(state, place, others)
    closeness = state.closeness[0]
    if closeness > 0.0:
        if state.triplets.shape[0] > 0:
            change -= closeness * change_of_log_sizes(state, cut, place)
        if role == 2:
            change -= closeness * UNITS * math.log(np.int64(state.links[meeting(state, stays, other), SIZE]) - cut.size)
        else:
            change -= closeness * UNITS * math.log(size_of_meeting(state, cut, place, stays))
    if state.shown.weight[0] > 0.0 and state.shown.num_items.size > 0:
        state.clock[0] += 1  # what a look at another place has marked is not this one's
        mark_leaves(state, cut.s)
        more, _ = change_of_log_unsaid(state, cut, place)
        change -= state.shown.weight[0] * more
    return change


@part
def best_place(
    state: Any,
    cut: Any,
    role: int,
    stays: int,
    other: int,
    others: Any,
    best: Any,
    allowed: Any,
    index: Any,
    stack: Any,
    options: Any,
) -> Any:
    """Return the best of an option and of the places for a subtree that has been traced."""
    path = state.path
    allowed[:] = False
    allowed_edges(state, cut.s, cut.last, allowed)
    for i in range(cut.last + 2):
        index[path[i]] = i
    lift(state, cut, cut.last)
    see_inside(state, cut.s, others)
    end = meeting(state, stays, other) if role == 2 else -1
    count = list_places(state, cut, top_of_region(state, cut, role, stays, other), end, allowed, index, stack, options)
    for _ in range(min(count, NUM_PRICED)):
        chosen = np.argmax(options[:count, 2])
        options[chosen, 2] = -math.inf
        spot = spot_of(state, index, np.int64(options[chosen, 0]))
        place = Place(spot.v, spot.j, spot.on_path, options[chosen, 1])
        gain = gain_of(state, cut, place, role, stays, other, others)
        if gain > best.gain:
            best = Option(gain, cut.s, spot.v, spot.j, spot.on_path, place.age)
    for i in range(cut.last + 2):
        index[path[i]] = -1
    return best


@part
def cut_above(state: Any, s: int) -> Any:
    """Trace the path of the tree without s and return the cut above it."""
    links = state.links
    last = trace(state, s)
    return Cut(s, np.int64(links[s, PARENT]), np.int64(links[s, SIZE]), state.rows[s, AGE], last, last)


@kernel
def take_in(state: Any, triplet: Any, leaves: Any, rows: Any) -> bool:
    """Change a tree that violates a triplet so that it holds; return whether one regraft can do that.

    Other triplets that it violates, and that are to be taken in too, are given as in `Others`.
    """
    count = leaves.size
    others = Others(leaves, rows, np.zeros((count, count)), np.zeros(count, np.bool_), np.zeros(count))
    see_meetings(state, others)
    links = state.links
    num_rows = links.shape[0]
    origin = np.int64(num_rows - 1)
    allowed = np.zeros(num_rows, np.bool_)
    index = np.full(num_rows, -1, np.int64)
    stack = np.empty(num_rows, np.int64)
    options = np.empty((num_rows, 3))
    best = Option(-math.inf, np.int64(-1), np.int64(-1), np.int64(-1), False, 0.0)
    for role in range(3):
        s, stays, other = moved_and_staying(triplet, role)
        while np.int64(links[s, PARENT]) != origin:
            cut = cut_above(state, s)
            best = best_place(state, cut, role, stays, other, others, best, allowed, index, stack, options)
            s = cut.p
            if meeting(state, s, stays) == s or meeting(state, s, other) == s:
                break
    if best.s < 0:
        return False
    cut = cut_above(state, best.s)
    allowed_top(state, best.s, cut.last)  # marks the leaves that move, for those who look for new mrcas
    place = Place(best.v, best.j, best.on_path, best.age)
    _, count = price(state, cut, place, 0)
    carry_out(state, cut, place, count)
    return True
