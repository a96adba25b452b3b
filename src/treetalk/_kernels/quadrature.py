"""The integral over one edge for one new point, on panels that are made for that point; see `placing`.

In terms of y, by which A has risen since the top of the edge, by Gauss-Legendre rules of two orders. The first panels end
where the likelihood may have its peak, and beside it; they are smaller near the ends of the edge, where it may fall from the
first point on, however steeply. They are halved until both orders agree.
"""

import math
from typing import Any, NamedTuple

from treetalk._kernels._jit import part
from treetalk._kernels.hazard import age_of_hazard, hazard_of_age

TOLERANCE = 1e-4  # of the lower of two orders; the higher one, which counts, is off by about the square of it
MOST_PANELS = 48  # waiting at a time
LONG = 40.0  # times its size is a rise of A that needs more than one panel to begin with
SPLIT = 3.0  # so many standard deviations beside the peak of the likelihood are the first panels' ends
# The first panels next to each end of the edge: so many, each so much longer than the one before.
NUM_GRADES, GRADE = 7, 0.25
# The rows of a rule: orders 4 and 8.
LOW_ORDER, HIGH_ORDER, NUM_POINTS = 0, 4, 12


class Edge(NamedTuple):
    """An edge as a new point sees it."""

    num_dims: int
    size: float  # m
    hazard: float  # A at its top
    top: float  # the ages of its ends
    bottom: float
    below: float  # the variance of the message from below, at the bottom
    spread: float  # S
    noise: float
    from_below: float  # D_b
    from_above: float  # D_a
    gap: float  # D_ab


@part
def variance_at(spread: float, below: float, age: float, noise: float) -> float:
    """Return the variance of a new point; `below` is that of the message from below at that age."""
    return below * max(spread - below, 0.0) / spread + age + noise


@part
def age_at(divergence: Any, edge: Any, rise: float) -> float:
    """Return the age at which A has risen so much since the top of the edge."""
    return min(max(age_of_hazard(divergence, edge.hazard + rise), edge.bottom), edge.top)


@part
def place_at(divergence: Any, edge: Any, rise: float) -> Any:
    """Return w and the variance of a new point where A has risen so much."""
    age = age_at(divergence, edge, rise)
    below = edge.below + age - edge.bottom
    return min(below / edge.spread, 1.0), variance_at(edge.spread, below, age, edge.noise)


@part
def distance_at(edge: Any, w: float) -> float:
    """Return D."""
    return max(edge.from_below + w * (edge.from_above - edge.from_below - (1.0 - w) * edge.gap), 0.0)


@part
def log_density(divergence: Any, edge: Any, rise: float) -> float:
    """Return the log of the density of parting there, times the likelihood."""
    w, variance = place_at(divergence, edge, rise)
    return -rise / edge.size - 0.5 * (edge.num_dims * math.log(variance) + distance_at(edge, w) / variance)


@part
def width_of(num_dims: int) -> float:
    """Return how far beside its peak, in terms of the log of the variance, the likelihood is next to nothing."""
    return SPLIT * math.sqrt(2.0 / num_dims) if num_dims > 0 else math.inf


@part
def rise_of(divergence: Any, edge: Any, variance: float) -> float:
    """Return by how much A has risen where a new point has a variance: 2 b - b^2 / S = variance - (u_v - v_b + noise)."""
    excess = min(max((variance - edge.bottom + edge.below - edge.noise) / edge.spread, 0.0), 1.0)
    below = edge.spread * excess / (1.0 + math.sqrt(1.0 - excess))
    age = min(max(below - edge.below + edge.bottom, edge.bottom), edge.top)
    return hazard_of_age(divergence, age) - edge.hazard


@part
def nearest_mean(edge: Any) -> float:
    """Return the weight of the message from above with which the mean is the nearest to the point."""
    if edge.gap <= 0.0:
        return 0.5
    return min(max(0.5 * (1.0 - (edge.from_above - edge.from_below) / edge.gap), 0.0), 1.0)


@part
def rise_of_mean(divergence: Any, edge: Any, w: float) -> float:
    """Return by how much A has risen where the message from above has the weight w; outside of the edge, at its end."""
    age = min(max(edge.bottom - edge.below + w * edge.spread, edge.bottom), edge.top)
    return hazard_of_age(divergence, age) - edge.hazard


@part
def panel(
    divergence: Any, edge: Any, offset: float, start: float, end: float, rule: Any, first: int, last: int
) -> float:
    """Return the integral over a panel by the rule in some rows: points between -1 and 1, and their weights."""
    half = 0.5 * (end - start)
    total = 0.0
    for i in range(first, last):
        total += rule[i, 1] * math.exp(log_density(divergence, edge, start + half * (1.0 + rule[i, 0])) - offset)
    return total * half / edge.size


@part
def put_in(ends: Any, count: int, end: float) -> int:
    """Put another end among those of the first panels, which fall; return how many there are then."""
    if not 0.0 < end < ends[0]:
        return count
    i = count
    while ends[i - 1] < end:
        ends[i] = ends[i - 1]
        i -= 1
    ends[i] = end
    return count + 1


@part
def adaptive(
    divergence: Any, edge: Any, offset: float, most: float, peak: float, before: float, rule: Any, ends: Any
) -> float:
    """Return exp(-offset) times the integral over an edge, up to y = `most`, on as many panels as it takes.

    `peak` is the variance at which the likelihood may have its peak, `before` is what the edges before this one have.
    """
    ends[0] = most
    waiting = 1
    if most > LONG * edge.size:
        # The prior has its own scale, beside which a rule may overlook it.
        ends[1], ends[2] = 0.5 * LONG * edge.size, 0.1 * LONG * edge.size
        waiting = 3
    if edge.num_dims > 0:
        width = math.exp(width_of(edge.num_dims))
        factor = 1.0 / width
        for _ in range(3):
            waiting = put_in(ends, waiting, rise_of(divergence, edge, peak * factor))
            factor *= width
    if edge.gap > 0.0:
        # Where the mean is the nearest to the point, and three standard deviations beside it.
        nearest = nearest_mean(edge)
        _, variance = place_at(divergence, edge, rise_of_mean(divergence, edge, nearest))
        beside = SPLIT * math.sqrt(variance / edge.gap)
        for i in range(3):
            waiting = put_in(ends, waiting, rise_of_mean(divergence, edge, nearest + (i - 1) * beside))
    share = 1.0
    for _ in range(NUM_GRADES):
        share *= GRADE
        waiting = put_in(ends, waiting, share * most)
        waiting = put_in(ends, waiting, (1.0 - share) * most)
    start = 0.0
    total = 0.0
    while waiting > 0:
        end = ends[waiting - 1]
        coarse = panel(divergence, edge, offset, start, end, rule, LOW_ORDER, HIGH_ORDER)
        fine = panel(divergence, edge, offset, start, end, rule, HIGH_ORDER, NUM_POINTS)
        # What is no number any more agrees too: it would for ever be halved.
        differ = abs(fine - coarse) > TOLERANCE * (before + total + fine)
        if not differ or waiting == MOST_PANELS:
            total += fine
            start = end
            waiting -= 1
        else:
            ends[waiting] = 0.5 * (start + end)
            waiting += 1
    return total


@part
def highest(divergence: Any, edge: Any, most: float, peak: float) -> float:
    """Return the largest log density among some places of an edge: where it may have its peak, and towards its ends."""
    found = max(log_density(divergence, edge, 0.0), log_density(divergence, edge, most))
    found = max(found, log_density(divergence, edge, rise_of(divergence, edge, peak)))
    found = max(found, log_density(divergence, edge, rise_of_mean(divergence, edge, nearest_mean(edge))))
    share = 1.0
    for _ in range(2 * NUM_GRADES):
        share *= 0.5
        found = max(found, log_density(divergence, edge, share * most))
        found = max(found, log_density(divergence, edge, (1.0 - share) * most))
    return found
