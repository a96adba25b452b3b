"""Where a new leaf would go in a tree: the probability of each edge, its time integrated out.

Along the edge above v, with m leaves below it, the path of a new point parts at the rate a(t) / m. In terms of y, by which A
has risen since the top of the edge, it gets there with the probability `reach` and parts with the density exp(-y / m) / m.

At an age u on the edge the diffusion given all other data is normal. With b = v_b + u - u_v the variance of the message from
below, a that of the message from above, S = a + b, which is the same all along the edge, and w = b / S, the new point has

    the variance  a b / S + u + noise,  and the squared distance  D(u) = (1 - w) D_b + w D_a - w (1 - w) D_ab

from the mean, where D_b, D_a and D_ab are the squared distances of the point and the two messages: once these are known, an
age costs no look at the features. Nor does a message, for its mean lies on the line between two others: only the distances
from the leaves are sums over features.

The integral over y is by a Gauss-Legendre rule: of low order on short edges, on others of two orders, on panels that are
halved until both agree. The rules for the whole edge are the same for all points, so what they need is kept in a table and
one exponential is left to do; where they do not agree, panels are made for the point. Most edges are left out: a bound on
what they can contribute shows that it is nothing.
"""

import math
from typing import Any

from treetalk._kernels._jit import hot, part
from treetalk._kernels.hazard import hazard_of_age
from treetalk._kernels.quadrature import (
    HIGH_ORDER,
    LONG,
    MOST_PANELS,
    NUM_POINTS,
    TOLERANCE,
    Edge,
    adaptive,
    highest,
    log_density,
    place_at,
    variance_at,
    width_of,
)
from treetalk._kernels.state import AGE, HAZARD, LEFT, MEAN, PARENT, RIGHT, SIZE, VARIANCE, sibling
from treetalk._kernels.state import GAP as LINK_GAP
from treetalk._kernels.state import SPREAD as LINK_SPREAD

NEGLIGIBLE = -16.0  # the log of what an edge may lack, relative to what the others have
# Where it may change by more, beside the prior on a leaf's edge, both orders may overlook where it is large.
STEEP = 100.0
CALM = 1.5  # where the log of the integrand changes by no more, the lower order is as good
# On a leaf's edge the age goes to 0. Below this share of the noise, divided by the number of features, it makes next to no
# difference any more.
FINEST = 1e-3
MOST_RISE = 700.0  # of A: what comes later has no probability
# The columns of a table with a row for each edge: log reach, log of the probability to part on it, the largest y, S,
# D_ab, the variance of a new point at its lower and its upper end, their logs and inverses, w at these ends, 1 / (2 D_ab).
REACH, MASS, RISE, SPREAD, GAP, LOW, HIGH, LOG_LOW, LOG_HIGH = 0, 1, 2, 3, 4, 5, 6, 7, 8
INVERSE_LOW, INVERSE_HIGH, FIRST_W, LAST_W, INVERSE_GAP = 9, 10, 11, 12, 13
# How D_a comes from those of the parent and the sibling: the share of the sibling, and what is taken off. Likewise for D_b,
# from those of the children: the share of the left one.
BESIDE, OFF_ABOVE, LEFT_SHARE, OFF_BELOW = 14, 15, 16, 17
# What of the change along the edge is the same for all points, and whether the points of the rules are in their table.
CHANGE, TABLED = 18, 19
NUM_COLUMNS = 20
# The table of all edges' points has the rules' points and one more, for what is left of a leaf's edge. Its facts: w, half
# the inverse of the variance, and the log of all that does not depend on the distance.
W, PRECISION, WEIGHT, NUM_FACTS = 0, 1, 2, 3
NUM_TABLED = NUM_POINTS + 1
NUM_ENDS = MOST_PANELS + 1
UNTABLED, NARROW, WIDE = 0.0, 1.0, 2.0
HUGE = 1e300
LEAST = -700.0  # the log of the least number that counts


@part
def send_down(links: Any, rows: Any, above: Any, edges: Any, v: int) -> None:
    """Write the message from above to the top of the edge of v into column v of `above`: its variance, then its mean."""
    p = links[v, PARENT]
    edges[v, BESIDE], edges[v, OFF_ABOVE] = 0.0, 0.0
    if p == links.shape[0] - 1:
        above[:, v] = 0.0
        return
    other = sibling(links, v)
    from_above = above[0, p] + rows[links[p, PARENT], AGE] - rows[p, AGE]
    beside = rows[other, VARIANCE] + rows[p, AGE] - rows[other, AGE]
    inverse = 1.0 / (from_above + beside)
    above[0, v] = from_above * beside * inverse
    gap = 0.0
    for j in range(rows.shape[1] - MEAN):
        difference = above[1 + j, p] - rows[other, MEAN + j]
        gap += difference * difference
        above[1 + j, v] = (beside * above[1 + j, p] + from_above * rows[other, MEAN + j]) * inverse
    edges[v, BESIDE] = from_above * inverse
    edges[v, OFF_ABOVE] = edges[v, BESIDE] * beside * inverse * gap


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
    edges[v, INVERSE_LOW], edges[v, INVERSE_HIGH] = 1.0 / edges[v, LOW], 1.0 / edges[v, HIGH]
    edges[v, FIRST_W], edges[v, LAST_W] = below / spread, 1.0 - above[0, v] / spread
    edges[v, INVERSE_GAP] = min(0.5 / gap, HUGE) if gap > 0.0 else HUGE
    of_variance = (rows.shape[1] - MEAN) * (edges[v, LOG_HIGH] - edges[v, LOG_LOW])
    edges[v, CHANGE] = 0.5 * (of_variance + length / spread * gap * edges[v, INVERSE_LOW]) + edges[v, RISE] / size
    edges[v, TABLED] = UNTABLED
    if links[v, SIZE] > 1:
        right = links[v, RIGHT]
        share = (rows[right, VARIANCE] + rows[v, AGE] - rows[right, AGE]) / rows[v, LINK_SPREAD]
        edges[v, LEFT_SHARE] = share
        edges[v, OFF_BELOW] = share * (1.0 - share) * rows[v, LINK_GAP] * rows[v, LINK_SPREAD]


@part
def measure(links: Any, downward: Any, points: Any, k: int, leaves: Any, edges: Any, near: Any) -> None:
    """Write the squared distances of a point from the messages into `near`: D_b and D_a."""
    num_nodes = downward.size
    num_leaves = leaves.shape[1]
    for v in range(num_leaves):
        near[0, v] = 0.0
    origin = 0.0
    # All leaves for one feature, then for the next: so several of them are taken at a time.
    for j in range(leaves.shape[0]):
        x = points[k, j]
        origin += x * x
        for v in range(num_leaves):
            near[0, v] += (x - leaves[j, v]) * (x - leaves[j, v])
    for i in range(num_nodes):
        v = downward[num_nodes - 1 - i]
        if v >= num_leaves:
            left, right = near[0, links[v, LEFT]], near[0, links[v, RIGHT]]
            near[0, v] = max(right + edges[v, LEFT_SHARE] * (left - right) - edges[v, OFF_BELOW], 0.0)
    for i in range(num_nodes):
        v = downward[i]
        p = links[v, PARENT]
        if p == num_nodes:
            near[1, v] = origin
            continue
        other = near[0, sibling(links, v)]
        near[1, v] = max(near[1, p] + edges[v, BESIDE] * (other - near[1, p]) - edges[v, OFF_ABOVE], 0.0)


@part
def find_best(edges: Any, num_dims: int, near: Any) -> Any:
    """Write the smallest D on each edge into `near`, and a bound on its log probability times the likelihood on it.

    The log likelihood is a concave function of the log of the variance, so it is below its tangents at both ends. Return
    the edge where the closer bound of `most_likely` is the highest, and that.
    """
    best, offset = 0, -math.inf
    for v in range(near.shape[1]):
        from_below, gap = near[0, v], edges[v, GAP]
        tilt = near[1, v] - from_below - gap
        w = min(max(-tilt * edges[v, INVERSE_GAP], edges[v, FIRST_W]), edges[v, LAST_W])
        distance = max(from_below + w * (tilt + w * gap), 0.0)
        of_low, of_high = distance * edges[v, INVERSE_LOW], distance * edges[v, INVERSE_HIGH]
        log_low, log_high = edges[v, LOG_LOW], edges[v, LOG_HIGH]
        low = num_dims * log_low + of_low - (log_high - log_low) * max(of_low - num_dims, 0.0)
        high = num_dims * log_high + of_high - (log_high - log_low) * max(num_dims - of_high, 0.0)
        near[2, v] = edges[v, MASS] - 0.5 * max(low, high)
        near[3, v] = distance
        if near[2, v] > offset:
            bound, _ = most_likely(edges, num_dims, v, distance)
            if bound > offset:
                best, offset = v, bound
    return best, offset


@part
def most_likely(edges: Any, num_dims: int, v: int, distance: float) -> Any:
    """Return a bound on the log probability of an edge times the likelihood on it, and the variance that would reach it.

    The smallest distance on the edge, at the variance that suits it best.
    """
    variance, log_variance = edges[v, LOW], edges[v, LOG_LOW]
    if distance > num_dims * variance:
        variance, log_variance = edges[v, HIGH], edges[v, LOG_HIGH]
        if distance < num_dims * variance:
            variance = distance / num_dims
            log_variance = math.log(variance)
    return edges[v, MASS] - 0.5 * (num_dims * log_variance + distance / variance), variance


@part
def tabulate(divergence: Any, edge: Any, edges: Any, v: int, rule: Any, table: Any) -> None:
    """Fill the rows of an edge in the table of points, for rules on the whole of it."""
    half = 0.5 * edges[v, RISE]
    for i in range(NUM_TABLED):
        # What is left of a leaf's edge, where the likelihood hardly changes any more: at the mean of the y that are left.
        rise, weight = edges[v, RISE] + 1.0, 1.0
        if i < NUM_POINTS:
            rise, weight = half * (1.0 + rule[i, 0]), math.log(rule[i, 1] * half / edge.size)
        w, variance = place_at(divergence, edge, rise)
        table[v, W, i], table[v, PRECISION, i] = w, 0.5 / variance
        table[v, WEIGHT, i] = weight - rise / edge.size - 0.5 * edge.num_dims * math.log(variance)
    # Elsewhere the likelihood or the prior may have a peak that a rule overlooks.
    narrow = edges[v, LOG_HIGH] - edges[v, LOG_LOW] < width_of(edge.num_dims) and edges[v, RISE] <= LONG * edge.size
    edges[v, TABLED] = NARROW if narrow else WIDE


@part
def exponential(x: float) -> float:
    """Return exp(x), to eleven digits for x between -100 and 1, to six for all below: exp(x / 16384), squared 14 times.

    Without a branch or a call, so that the compiler takes several at a time.
    """
    z = x * (1.0 / 16384.0)
    root = 1.0 + z * (1.0 + z * (1.0 / 2.0 + z * (1.0 / 6.0 + z * (1.0 / 24.0 + z * (1.0 / 120.0)))))
    return root**16384 if x > LEAST else 0.0


@part
def densities(
    table: Any, v: int, count: int, offset: float, from_below: float, tilt: float, gap: float, out: Any
) -> None:
    """Write the densities at the first points of an edge, times their weights and exp(-offset).

    A loop of its own, for then the compiler takes several points at a time.
    """
    for i in range(count):
        w = table[v, W, i]
        distance = max(from_below + w * (tilt + w * gap), 0.0)
        out[i] = exponential(table[v, WEIGHT, i] - offset - table[v, PRECISION, i] * distance)


@part
def by_table(
    edges: Any, table: Any, v: int, is_leaf: bool, offset: float, from_below: float, from_above: float, room: Any
) -> Any:
    """Return exp(-offset) times the integral over an edge, and how far off the lower order is, or -1 where that is used.

    All in one function, for a call costs more than most of what is done here.
    """
    gap = edges[v, GAP]
    tilt = from_above - from_below - gap
    # A bound on how much the log of the integrand changes along the edge.
    of_variance = max(from_below, from_above) * (edges[v, INVERSE_LOW] - edges[v, INVERSE_HIGH])
    of_mean = (edges[v, LAST_W] - edges[v, FIRST_W]) * abs(from_above - from_below) * edges[v, INVERSE_LOW]
    change = edges[v, CHANGE] + 0.5 * (of_variance + of_mean)
    if change - (edges[v, RISE] if is_leaf else 0.0) > STEEP:
        return 0.0, math.inf
    count = NUM_TABLED
    if not is_leaf:
        count = HIGH_ORDER if change < CALM else NUM_POINTS
    densities(table, v, count, offset, from_below, tilt, gap, room)
    coarse = room[0] + room[1] + room[2] + room[3]
    if count == HIGH_ORDER:
        return coarse, -1.0
    fine = 0.0
    for i in range(HIGH_ORDER, NUM_POINTS):
        fine += room[i]
    return fine + (room[NUM_POINTS] if is_leaf else 0.0), abs(fine - coarse)


@part
def edge_seen(links: Any, rows: Any, edges: Any, near: Any, v: int) -> Edge:
    """Return the edge above v."""
    p = links[v, PARENT]
    return Edge(
        rows.shape[1] - MEAN,
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


@part
def integrate(
    links: Any,
    rows: Any,
    divergence: Any,
    rule: Any,
    edges: Any,
    table: Any,
    near: Any,
    ends: Any,
    best: int,
    offset: float,
    out: Any,
) -> float:
    """Write exp(-offset) times the integral over each edge into `out`; return the sum of them."""
    num_dims = rows.shape[1] - MEAN
    total, counted, threshold = 0.0, 0.0, -math.inf
    for i in range(out.size + 1):
        # The best edge comes first: next to it, most others are nothing.
        v = best if i == 0 else i - 1
        if i > 0 and v == best:
            continue
        out[v] = 0.0
        if not near[2, v] - offset > threshold:
            continue
        if edges[v, TABLED] == UNTABLED:
            tabulate(divergence, edge_seen(links, rows, edges, near, v), edges, v, rule, table)
        is_leaf, less_reach = links[v, SIZE] == 1, offset - edges[v, REACH]
        value, error = by_table(edges, table, v, is_leaf, less_reach, near[0, v], near[1, v], ends)
        if error >= 0.0 and (edges[v, TABLED] == WIDE or not error <= TOLERANCE * (total + value)):
            bound, peak = most_likely(edges, num_dims, v, near[3, v])
            value = 0.0
            if bound - offset > threshold:
                edge = edge_seen(links, rows, edges, near, v)
                value = adaptive(divergence, edge, less_reach, edges[v, RISE], peak, total, rule, ends)
                if is_leaf:
                    value += math.exp(1.0 + log_density(divergence, edge, edges[v, RISE] + 1.0) - less_reach)
        out[v] = value
        total += value
        if total > 1.5 * counted:
            counted, threshold = total, math.log(total) + NEGLIGIBLE
    return total


@hot
def edge_probabilities(
    links: Any,
    rows: Any,
    divergence: Any,
    downward: Any,
    points: Any,
    rule: Any,
    above: Any,
    leaves: Any,
    edges: Any,
    table: Any,
    near: Any,
    ends: Any,
    out: Any,
) -> None:
    """Write the probability that each new point goes to the edge above each node into its row of `out`.

    `downward` lists all nodes, each after its parent. `above` (messages, a column for each node), `leaves` (their values, a
    column for each), `edges`, `table`, `near` (D_b, D_a and the bound in its rows) and `ends` serve as room.
    """
    num_nodes = links.shape[0] - 1
    num_dims = rows.shape[1] - MEAN
    for i in range(num_nodes):
        send_down(links, rows, above, edges, downward[i])
        look_at(links, rows, divergence, above, edges, downward[i])
    for v in range(leaves.shape[1]):
        for j in range(num_dims):
            leaves[j, v] = rows[v, MEAN + j]
    for k in range(points.shape[0]):
        measure(links, downward, points, k, leaves, edges, near)
        best, offset = find_best(edges, num_dims, near)
        total = integrate(links, rows, divergence, rule, edges, table, near, ends, best, offset, out[k])
        if total == 0.0:
            # All edges are so far from where the bounds would have them that no number is left: begin from what they have.
            offset = -math.inf
            for v in range(num_nodes):
                _, peak = most_likely(edges, num_dims, v, near[3, v])
                edge = edge_seen(links, rows, edges, near, v)
                offset = max(offset, edges[v, REACH] + highest(divergence, edge, edges[v, RISE], peak))
            total = integrate(links, rows, divergence, rule, edges, table, near, ends, best, offset, out[k])
        for v in range(num_nodes):
            # A point so far away that even then no number is left goes where the prior would have it.
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
