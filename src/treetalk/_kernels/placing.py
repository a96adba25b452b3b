"""Where a new leaf would go in a tree: the probability of each edge, its time integrated out.

Along the edge above v, with m leaves below it, the path of a new point parts at the rate a(t) / m. In terms of y, by which A
has risen since the top of the edge, it gets there with the probability `reach` and parts with the density exp(-y / m) / m.

At an age u on the edge the diffusion given all other data is normal. With b = v_b + u - u_v the variance of the message from
below, a that of the message from above, S = a + b, which is the same all along the edge, and w = b / S, the new point has

    the variance  a b / S + u + noise,  and the squared distance  D(u) = (1 - w) D_b + w D_a - w (1 - w) D_ab

from the mean, where D_b, D_a and D_ab are the squared distances of the point and the two messages: once these are known, an
age costs no look at the features. The integral over y is by a Gauss-Legendre rule: of low order on short edges, on others of
two orders, on panels that are halved until both agree. Most edges are left out: a bound on what they can contribute shows
that it is nothing.
"""

import math
from typing import Any, NamedTuple

from treetalk._kernels._jit import hot, part
from treetalk._kernels.hazard import age_of_hazard, hazard_of_age
from treetalk._kernels.state import AGE, HAZARD, MEAN, PARENT, SIZE, VARIANCE, sibling

NEGLIGIBLE = -20.0  # the log of what an edge may lack, relative to what the others have
TOLERANCE = 1e-4  # of the lower of two orders; the higher one, which counts, is off by about the square of it
STEADY, CALM = 0.3, 1.5  # where the log of the integrand changes by no more, the two lower orders are as good
MOST_PANELS = 48  # waiting at a time
# On a leaf's edge the age goes to 0. Below this share of the noise, divided by the number of features, it makes next to no
# difference any more.
FINEST = 1e-3
MOST_RISE = 700.0  # of A: what comes later has no probability
LONG = 40.0  # times its size is a rise of A that needs more than one panel to begin with
SPLIT = 3.0  # so many standard deviations beside the peak of the likelihood are the first panels' ends
# The columns of a table with a row for each edge: log reach, log of the probability to part on it, the largest y, S,
# D_ab, the variance of a new point at its lower and its upper end, and their logs.
REACH, MASS, RISE, SPREAD, GAP, LOW, HIGH, LOG_LOW, LOG_HIGH = 0, 1, 2, 3, 4, 5, 6, 7, 8
NUM_COLUMNS = 9
# The rows of a rule: orders 2, 4 and 8.
LOW_ORDER, MIDDLE_ORDER, HIGH_ORDER, NUM_POINTS = 0, 2, 6, 14


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
def send_down(links: Any, rows: Any, above: Any, v: int) -> None:
    """Write the message from above to the top of the edge of v into column v of `above`: its variance, then its mean."""
    p = links[v, PARENT]
    if p == links.shape[0] - 1:
        above[:, v] = 0.0
        return
    other = sibling(links, v)
    from_above = above[0, p] + rows[links[p, PARENT], AGE] - rows[p, AGE]
    beside = rows[other, VARIANCE] + rows[p, AGE] - rows[other, AGE]
    inverse = 1.0 / (from_above + beside)
    above[0, v] = from_above * beside * inverse
    for j in range(rows.shape[1] - MEAN):
        above[1 + j, v] = (beside * above[1 + j, p] + from_above * rows[other, MEAN + j]) * inverse


@part
def look_at(links: Any, rows: Any, divergence: Any, above: Any, edges: Any, v: int) -> None:
    """Fill the row of the edge above v; that of the edge above its parent has been filled."""
    origin = links.shape[0] - 1
    p = links[v, PARENT]
    noise = rows[0, VARIANCE]
    size = float(links[v, SIZE])
    reach = 0.0
    if p != origin:
        over = float(links[p, SIZE])
        reach = edges[p, REACH] - edges[p, RISE] / over + math.log(size / over)
    rise = rows[v, HAZARD] - rows[p, HAZARD]
    parts = -math.expm1(-rise / size)
    mass = reach + math.log(parts) if parts > 0.0 else -math.inf
    if rows[v, AGE] <= 0.0:
        finest = min(FINEST * noise / (rows.shape[1] - MEAN + 1), 0.5 * rows[p, AGE])
        rise = min(hazard_of_age(divergence, finest) - rows[p, HAZARD], MOST_RISE * max(divergence.first, 1.0))
    edges[v, REACH] = reach
    edges[v, MASS] = mass
    edges[v, RISE] = rise
    length = rows[p, AGE] - rows[v, AGE]
    below = rows[v, VARIANCE]
    spread = below + length + above[0, v]
    edges[v, SPREAD] = spread
    gap = 0.0
    for j in range(rows.shape[1] - MEAN):
        difference = rows[v, MEAN + j] - above[1 + j, v]
        gap += difference * difference
    edges[v, GAP] = gap
    edges[v, LOW] = variance_at(spread, below, rows[v, AGE], noise)
    edges[v, HIGH] = max(variance_at(spread, below + length, rows[p, AGE], noise), edges[v, LOW])
    edges[v, LOG_LOW] = math.log(edges[v, LOW])
    edges[v, LOG_HIGH] = math.log(edges[v, HIGH])


@part
def most_likely(
    edges: Any, num_dims: int, v: int, above: float, below: float, from_below: float, from_above: float
) -> Any:
    """Return a bound on the log likelihood anywhere on an edge, and the variance at which it would be reached.

    The smallest distance on the edge, at the variance that suits it best. `above` and `below` are the variances of the
    messages at the ends from which they come.
    """
    gap = edges[v, GAP]
    tilt = from_above - from_below - gap
    low, high = below / edges[v, SPREAD], 1.0 - above / edges[v, SPREAD]
    w = low if tilt > 0.0 else high
    if gap > 0.0:
        w = min(max(-0.5 * tilt / gap, low), high)
    distance = max(from_below + w * (tilt + w * gap), 0.0)
    variance, log_variance = edges[v, LOW], edges[v, LOG_LOW]
    if distance > num_dims * variance:
        variance, log_variance = edges[v, HIGH], edges[v, LOG_HIGH]
        if distance < num_dims * variance:
            variance = distance / num_dims
            log_variance = math.log(variance)
    return -0.5 * (num_dims * log_variance + distance / variance), variance


@part
def age_at(divergence: Any, edge: Any, rise: float) -> float:
    """Return the age at which A has risen so much since the top of the edge."""
    return min(max(age_of_hazard(divergence, edge.hazard + rise), edge.bottom), edge.top)


@part
def log_density(divergence: Any, edge: Any, rise: float) -> float:
    """Return the log of the density of parting there, times the likelihood."""
    age = age_at(divergence, edge, rise)
    below = edge.below + age - edge.bottom
    variance = variance_at(edge.spread, below, age, edge.noise)
    w = min(below / edge.spread, 1.0)
    distance = max(edge.from_below + w * (edge.from_above - edge.from_below - (1.0 - w) * edge.gap), 0.0)
    return -rise / edge.size - 0.5 * (edge.num_dims * math.log(variance) + distance / variance)


@part
def rise_of(divergence: Any, edge: Any, variance: float) -> float:
    """Return by how much A has risen where a new point has a variance: 2 b - b^2 / S = variance - (u_v - v_b + noise)."""
    excess = min(max((variance - edge.bottom + edge.below - edge.noise) / edge.spread, 0.0), 1.0)
    below = edge.spread * excess / (1.0 + math.sqrt(1.0 - excess))
    age = min(max(below - edge.below + edge.bottom, edge.bottom), edge.top)
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
def change(edge: Any, edges: Any, v: int) -> float:
    """Return a bound on how much the log of the integrand changes along an edge."""
    low, high = edges[v, LOW], edges[v, HIGH]
    of_variance = edge.num_dims * (edges[v, LOG_HIGH] - edges[v, LOG_LOW])
    farthest = max(edge.from_below, edge.from_above)
    share = (edge.top - edge.bottom) / edge.spread
    of_distance = (
        farthest * (1.0 / low - 1.0 / high) + share * (abs(edge.from_above - edge.from_below) + edge.gap) / low
    )
    return 0.5 * (of_variance + of_distance) + edges[v, RISE] / edge.size


@part
def put_in(ends: Any, count: int, end: float) -> int:
    """Put another end among those of the first panels, which fall; return how many there are then."""
    if not 1e-3 * ends[count - 1] < end < 0.999 * ends[0]:
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
        width = math.exp(SPLIT * math.sqrt(2.0 / edge.num_dims))
        factor = 1.0 / width
        for _ in range(3):
            waiting = put_in(ends, waiting, rise_of(divergence, edge, peak * factor))
            factor *= width
    start = 0.0
    total = 0.0
    while waiting > 0:
        end = ends[waiting - 1]
        coarse = panel(divergence, edge, offset, start, end, rule, MIDDLE_ORDER, HIGH_ORDER)
        fine = panel(divergence, edge, offset, start, end, rule, HIGH_ORDER, NUM_POINTS)
        agree = abs(fine - coarse) <= TOLERANCE * (before + total + fine)
        if agree or waiting == MOST_PANELS:
            total += fine
            start = end
            waiting -= 1
        else:
            ends[waiting] = 0.5 * (start + end)
            waiting += 1
    return total


@part
def integral(
    divergence: Any, edge: Any, edges: Any, v: int, offset: float, peak: float, before: float, rule: Any, ends: Any
) -> float:
    """Return exp(-offset) times the integral over an edge; see `adaptive`."""
    most = edges[v, RISE]
    if edge.bottom <= 0.0:
        # What is left of a leaf's edge, where the likelihood hardly changes any more: at the mean of the y that are left.
        rest = math.exp(1.0 + log_density(divergence, edge, most + 1.0) - offset)
        return rest + adaptive(divergence, edge, offset, most, peak, before, rule, ends)
    changes = change(edge, edges, v)
    if changes < STEADY:
        return panel(divergence, edge, offset, 0.0, most, rule, LOW_ORDER, MIDDLE_ORDER)
    if changes < CALM:
        return panel(divergence, edge, offset, 0.0, most, rule, MIDDLE_ORDER, HIGH_ORDER)
    return adaptive(divergence, edge, offset, most, peak, before, rule, ends)


@hot
def edge_probabilities(
    links: Any,
    rows: Any,
    divergence: Any,
    downward: Any,
    points: Any,
    rule: Any,
    above: Any,
    below: Any,
    edges: Any,
    near: Any,
    ends: Any,
    out: Any,
) -> None:
    """Write the probability that each new point goes to the edge above each node into its row of `out`.

    `downward` lists all nodes, each after its parent. `above` and `below` (messages, a column for each node), `edges`,
    `near` (D_b, D_a and the bound in its rows) and `ends` serve as room.
    """
    num_nodes = links.shape[0] - 1
    num_dims = rows.shape[1] - MEAN
    for i in range(num_nodes):
        send_down(links, rows, above, downward[i])
        look_at(links, rows, divergence, above, edges, downward[i])
        for j in range(num_dims):
            below[j, i] = rows[i, MEAN + j]
    for k in range(points.shape[0]):
        for v in range(num_nodes):
            near[0, v], near[1, v] = 0.0, 0.0
        # All nodes for one feature, then for the next: so several of them are taken at a time.
        for j in range(num_dims):
            x = points[k, j]
            for v in range(num_nodes):
                near[0, v] += (x - below[j, v]) * (x - below[j, v])
            for v in range(num_nodes):
                near[1, v] += (x - above[1 + j, v]) * (x - above[1 + j, v])
        best = 0
        for v in range(num_nodes):
            bound, _ = most_likely(edges, num_dims, v, above[0, v], rows[v, VARIANCE], near[0, v], near[1, v])
            near[2, v] = edges[v, MASS] + bound
            if near[2, v] > near[2, best]:
                best = v
        offset = near[2, best]
        total = 0.0
        threshold = -math.inf
        for i in range(num_nodes + 1):
            # The best edge comes first: next to it, most others are nothing.
            v = best if i == 0 else i - 1
            if i > 0 and v == best:
                continue
            out[k, v] = 0.0
            if not near[2, v] - offset > threshold:
                continue
            p = links[v, PARENT]
            edge = Edge(
                num_dims,
                float(links[v, SIZE]),
                rows[p, HAZARD],
                rows[p, AGE],
                rows[v, AGE],
                rows[v, VARIANCE],
                edges[v, SPREAD],
                rows[0, VARIANCE],
                near[0, v],
                near[1, v],
                edges[v, GAP],
            )
            _, peak = most_likely(edges, num_dims, v, above[0, v], edge.below, edge.from_below, edge.from_above)
            out[k, v] = integral(divergence, edge, edges, v, offset - edges[v, REACH], peak, total, rule, ends)
            total += out[k, v]
            threshold = math.log(total) + NEGLIGIBLE if total > 0.0 else -math.inf
        for v in range(num_nodes):
            # A point so far away that no number is left of its likelihood goes where the prior would have it.
            out[k, v] = out[k, v] / total if 0.0 < total < math.inf else math.exp(edges[v, MASS])


@hot
def add_shares(links: Any, downward: Any, probabilities: Any, groups: Any, room: Any, out: Any) -> None:
    """Share the probability of each edge out among the leaves below it, equally, and add that to the leaves' groups."""
    num_nodes = downward.size
    num_leaves = (num_nodes + 1) // 2
    for k in range(probabilities.shape[0]):
        for i in range(num_nodes):
            v = downward[i]
            p = links[v, PARENT]
            room[v] = probabilities[k, v] / links[v, SIZE]
            if p != num_nodes:
                room[v] += room[p]
        for v in range(num_leaves):
            out[k, groups[v]] += room[v]


@hot
def add_images(probabilities: Any, images: Any, out: Any) -> None:
    """Add the probability of each edge to that of its image among the nodes of another tree."""
    for k in range(probabilities.shape[0]):
        for v in range(images.size):
            out[k, images[v]] += probabilities[k, v]
