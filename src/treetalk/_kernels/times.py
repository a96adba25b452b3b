"""Times as a move: a new age for an internal node, and for those below it, each drawn from its conditional by slice
sampling.

The likelihood as a function of one node's age takes three messages: the two from below, and the one from above, which is
computed on the way down from the root. Their three squared distances are all that it needs, so that a try costs nothing.

The slice (Neal 2003, shrinkage from the whole edge) is taken in log age or, for a node with two leaves, whose age has no
lower bound, in exp(-A), which is uniform a priori.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from treetalk._kernels._jit import part
from treetalk._kernels.hazard import age_of_hazard, hazard_of_age, log_rate
from treetalk._kernels.random import below, exponential, uniform
from treetalk._kernels.state import (
    AGE,
    HAZARD,
    LEFT,
    MEAN,
    PARENT,
    RIGHT,
    SIZE,
    VARIANCE,
    refresh,
    refresh_above,
    sibling,
    squared_distance,
)

MOST_LEAVES = 64  # a clade of at most so many leaves is gone through as a whole
MOST_TRIES = 200


class Conditional(NamedTuple):
    """What the density of one node's age depends on."""

    num_dims: int
    exponent: float  # J = H_{l+r-1} - H_{l-1} - H_{r-1}
    left: float  # the variance of the message from the left, as if it had age 0
    right: float
    above: float  # likewise from above
    left_right: float  # squared distances of the messages' means
    left_above: float
    right_above: float


@part
def log_likelihood(conditional: Any, age: float) -> float:
    """Return the log likelihood as a function of an age, up to a constant."""
    left, right = conditional.left + age, conditional.right + age
    spread = left + right
    left_weight, right_weight = right / spread, left / spread
    to_above = left * right / spread + conditional.above - age
    gap = left_weight * conditional.left_above + right_weight * conditional.right_above
    gap = max(gap - left_weight * right_weight * conditional.left_right, 0.0)
    return -0.5 * (
        conditional.num_dims * math.log(spread * to_above) + conditional.left_right / spread + gap / to_above
    )


@part
def slice_age(state: Any, conditional: Any, age: float, low: float, high: float) -> float:
    """Return an age between two bounds, drawn from its conditional by one step of slice sampling."""
    divergence, rng = state.divergence, state.rng
    is_free = low <= 0.0
    if is_free:
        x = math.exp(-hazard_of_age(divergence, age))
        left, right = 0.0, math.exp(-hazard_of_age(divergence, high))
    else:
        x, left, right = math.log(age), math.log(low), math.log(high)
    new = age
    y = x
    level = -math.inf
    for step in range(MOST_TRIES):
        if low < new < high:
            # exp(-A) is uniform a priori for a node with two leaves; for log age, the density is that of the age times
            # the age.
            density = log_likelihood(conditional, new)
            if not is_free:
                hazard = hazard_of_age(divergence, new)
                density += log_rate(divergence, new) - hazard * conditional.exponent + y
            if step == 0:
                level = density - exponential(rng)
            elif density >= level:
                return new
        if step > 0:
            if y < x:
                left = y
            else:
                right = y
        y = left + uniform(rng) * (right - left)
        new = 0.0
        if not is_free:
            new = math.exp(y)
        elif y > 0.0:
            new = age_of_hazard(divergence, -math.log(y))
    return age


@part
def renew_age(state: Any, v: int, above_row: int, above_variance: float) -> None:
    """Draw a new age for node v; the message from above, at its parent, has its mean in a row of the room."""
    links, rows, harmonic = state.links, state.rows, state.harmonic
    left, right = links[v, LEFT], links[v, RIGHT]
    above_age = rows[links[v, PARENT], AGE]
    left_size, right_size = np.int64(links[left, SIZE]), np.int64(links[right, SIZE])
    conditional = Conditional(
        rows.shape[1] - MEAN,
        harmonic[left_size + right_size - 1] - harmonic[left_size - 1] - harmonic[right_size - 1],
        rows[left, VARIANCE] - rows[left, AGE],
        rows[right, VARIANCE] - rows[right, AGE],
        above_variance + above_age,
        squared_distance(rows, left, right),
        squared_distance(rows, left, above_row),
        squared_distance(rows, right, above_row),
    )
    low = max(rows[left, AGE], rows[right, AGE])
    rows[v, AGE] = slice_age(state, conditional, rows[v, AGE], low, above_age)
    rows[v, HAZARD] = hazard_of_age(state.divergence, rows[v, AGE])


@part
def message_from_above(state: Any, v: int, other: int, above_row: int, above_variance: float, out: int) -> float:
    """Write the mean of the message that v sends down past its child `other` into row `out`; return its variance."""
    links, rows = state.links, state.rows
    above = above_variance + rows[links[v, PARENT], AGE] - rows[v, AGE]
    beside = rows[other, VARIANCE] + rows[v, AGE] - rows[other, AGE]
    inverse = 1.0 / (above + beside)
    above_weight, beside_weight = beside * inverse, above * inverse
    for j in range(MEAN, rows.shape[1]):
        rows[out, j] = above_weight * rows[above_row, j] + beside_weight * rows[other, j]
    return above * beside * inverse


@part
def message_to(state: Any, v: int, row: int) -> Any:
    """Compute the message from above to node v, in one of the rows `row` and `row + 1`; return which, and its variance."""
    links, rows, path = state.links, state.rows, state.path
    origin = links.shape[0] - 1
    length = 0
    path[0] = v
    while np.int64(links[path[length], PARENT]) != origin:
        path[length + 1] = links[path[length], PARENT]
        length += 1
    for j in range(MEAN, rows.shape[1]):
        rows[row, j] = 0.0
    variance = 0.0
    current = row
    for i in range(length, 0, -1):
        following = row + 1 if current == row else row
        variance = message_from_above(state, path[i], sibling(links, path[i - 1]), current, variance, following)
        current = following
    return current, variance


@part
def renew_times(state: Any) -> None:
    """Choose an internal node and draw its age anew; if its clade is small, all ages in it, from the top down."""
    links, rows, stack = state.links, state.rows, state.slot_node
    room = links.shape[0]
    num_leaves = room // 2
    # Slots 0 and 1 serve on the way down. Slot 2 + depth keeps the message from above for the node at that depth of the
    # stack: its mean, its variance and, in the column AGE, how many of the node's children are done, -1 if not even
    # itself.
    base = room + 2
    top = num_leaves + below(state.rng, num_leaves - 1)
    row, variance = message_to(state, top, room)
    for j in range(MEAN, rows.shape[1]):
        rows[base, j] = rows[row, j]
    rows[base, VARIANCE] = variance
    rows[base, AGE] = -1.0
    goes_down = np.int64(links[top, SIZE]) <= MOST_LEAVES
    stack[0] = top
    depth = 0
    while depth >= 0:
        v = stack[depth]
        here = base + depth
        if rows[here, AGE] < 0.0:
            renew_age(state, v, here, rows[here, VARIANCE])
            rows[here, AGE] = 0.0 if goes_down else 2.0
        done = int(rows[here, AGE])
        if done == 2:
            refresh(links, rows, v)
            depth -= 1
            continue
        rows[here, AGE] += 1.0
        child = links[v, LEFT] if done == 0 else links[v, RIGHT]
        if np.int64(child) >= num_leaves:
            other = links[v, RIGHT] if done == 0 else links[v, LEFT]
            depth += 1
            stack[depth] = child
            rows[here + 1, VARIANCE] = message_from_above(state, v, other, here, rows[here, VARIANCE], here + 1)
            rows[here + 1, AGE] = -1.0
    refresh_above(links, rows, top)
