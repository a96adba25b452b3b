"""The likelihood-guided proposal: the paper's walk, with each choice tilted by how well the subtree fits there.

An edge is scored by the density that the subtree's message and that of the edge's lower node give each other,
N(difference; 0, s), at the best s that an age on the edge allows. At each edge the walk stops on it or goes on to one
of the two below, with the paper's probabilities times exp(score), mixed with the untilted ones, so that no allowed
place is out of reach. The age is drawn around the best one: log s from a logistic distribution cut off at the edge's
ends, mixed with the paper's waiting time.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from treetalk._kernels._jit import part
from treetalk._kernels.hazard import age_of_hazard, hazard_of_age, log_rate
from treetalk._kernels.prune import Place, row_on_path
from treetalk._kernels.random import exponential, uniform
from treetalk._kernels.state import AGE, HAZARD, LEFT, MEAN, PARENT, RIGHT, SIZE, VARIANCE, squared_distance
from treetalk._kernels.walk import TINY, is_end, log_certain, size_on_path, way_to_old_place

FLOOR = 0.05  # the share of untilted choices


class Edge(NamedTuple):
    """An edge of the pruned tree as a walk sees it."""

    v: int  # its lower node
    row: int  # the row of that node's message
    size: int  # the number of leaves below
    above: float  # the age of its upper node
    hazard: float  # and A there
    is_end: bool  # whether no place below v is allowed
    distance: float  # the squared distance of v's mean from the subtree's
    score: float


class Choice(NamedTuple):
    """An edge chosen for the subtree; see `prune.Place` for `j` and `on_path`."""

    edge: Edge
    j: int
    on_path: bool
    old_edge: Edge  # that of the old place
    log_ratio: float  # the log probability of choosing the old edge, less that of choosing this one


class Fork(NamedTuple):
    """The three choices at an edge and their probabilities."""

    left: Edge
    right: Edge
    stop: float
    go_left: float
    go_right: float


@part
def see(state: Any, cut: Any, v: int, row: int, size: int, top: int) -> Any:
    """Return the edge from node `top` down to v, with its score."""
    rows = state.rows
    above = rows[top, AGE]
    num_dims = rows.shape[1] - MEAN
    distance = squared_distance(rows, row, cut.s)
    score = 0.0
    if num_dims > 0:
        fixed = rows[row, VARIANCE] - rows[v, AGE] + rows[cut.s, VARIANCE] - cut.age
        low = fixed + 2.0 * max(rows[v, AGE], cut.age)
        spread = min(max(distance / num_dims, low), max(fixed + 2.0 * above, low))
        score = -0.5 * (num_dims * math.log(spread) + distance / spread)
    return Edge(v, row, size, above, rows[top, HAZARD], is_end(state, cut, v), distance, score)


@part
def see_path(state: Any, cut: Any, i: int) -> Any:
    """Return the edge above ``path[i]``."""
    node, top = np.int64(state.path[i]), np.int64(state.path[i + 1])
    return see(state, cut, node, row_on_path(state, i), size_on_path(state, cut, i), top)


@part
def tilt(log_density: float) -> float:
    """Return the exponential of a log density relative to the best; most are the best, or hopeless."""
    if log_density == 0.0:
        return 1.0
    return math.exp(log_density) if log_density > -40.0 else 0.0


@part
def fork(state: Any, cut: Any, edge: Any, i: int) -> Any:
    """Return the choices at an edge that is no end; i is its index on the path, -1 if it is not on it."""
    links, rows = state.links, state.rows
    v = edge.v
    left, right = np.int64(links[v, LEFT]), np.int64(links[v, RIGHT])
    left_row, right_row = left, right
    left_size, right_size = np.int64(links[left, SIZE]), np.int64(links[right, SIZE])
    if i > 0:
        below = cut.p if i == 1 else np.int64(state.path[i - 1])
        node, row, size = np.int64(state.path[i - 1]), row_on_path(state, i - 1), size_on_path(state, cut, i - 1)
        if left == below:
            left, left_row, left_size = node, row, size
        else:
            right, right_row, right_size = node, row, size
    left_edge = see(state, cut, left, left_row, left_size, v)
    right_edge = see(state, cut, right, right_row, right_size, v)
    stop_share = -math.expm1(-(rows[v, HAZARD] - edge.hazard) / edge.size)
    left_share = (1.0 - stop_share) * left_edge.size / edge.size
    right_share = (1.0 - stop_share) * right_edge.size / edge.size
    best = max(edge.score, left_edge.score, right_edge.score)
    stop = stop_share * tilt(edge.score - best)
    go_left = left_share * tilt(left_edge.score - best)
    go_right = right_share * tilt(right_edge.score - best)
    total = stop + go_left + go_right
    # The best edge may be one that an untilted walk as good as never takes.
    scale, floor = ((1.0 - FLOOR) / total, FLOOR) if total > TINY else (0.0, 1.0)
    return Fork(
        left_edge,
        right_edge,
        max(scale * stop + floor * stop_share, TINY),
        scale * go_left + floor * left_share,
        scale * go_right + floor * right_share,
    )


@part
def age_law(state: Any, cut: Any, edge: Any) -> Any:
    """Return (fixed, centre, width, low, high) of the law of an age: s = fixed + 2 age, log s logistic between bounds."""
    rows = state.rows
    num_dims = rows.shape[1] - MEAN
    fixed = rows[edge.row, VARIANCE] - rows[edge.v, AGE] + rows[cut.s, VARIANCE] - cut.age
    low = math.log(fixed + 2.0 * max(rows[edge.v, AGE], cut.age))
    high = math.log(fixed + 2.0 * edge.above)
    centre = math.log(max(edge.distance / max(num_dims, 1), TINY))
    return fixed, min(max(centre, low), high), 1.0 / math.sqrt(max(num_dims, 1)), low, high


@part
def logistic(x: float) -> float:
    """Return the logistic distribution function."""
    return 1.0 / (1.0 + math.exp(min(-x, 700.0)))


@part
def most_rise(state: Any, cut: Any, edge: Any) -> float:
    """Return how much A can grow from the top of an edge to a place on it."""
    return min(state.rows[edge.v, HAZARD], state.rows[cut.s, HAZARD]) - edge.hazard


@part
def draw_age(state: Any, cut: Any, edge: Any) -> float:
    """Return an age on an edge."""
    if uniform(state.rng) < FLOOR:
        most = most_rise(state, cut, edge) / edge.size
        wait = exponential(state.rng)
        if most < math.inf:
            wait -= math.floor(wait / max(most, TINY)) * most
        return age_of_hazard(state.divergence, edge.hazard + edge.size * wait)
    fixed, centre, width, low, high = age_law(state, cut, edge)
    least, most = logistic((low - centre) / width), logistic((high - centre) / width)
    level = least + uniform(state.rng) * (most - least)
    if not 0.0 < level < 1.0:
        return 0.0
    return 0.5 * (math.exp(centre + width * math.log(level / (1.0 - level))) - fixed)


@part
def log_density_of_age(state: Any, cut: Any, edge: Any, age: float) -> float:
    """Return the log density with which `draw_age` gives an age."""
    rise = hazard_of_age(state.divergence, age) - edge.hazard
    waiting = log_rate(state.divergence, age) - math.log(edge.size) - rise / edge.size
    waiting -= log_certain(most_rise(state, cut, edge) / edge.size)
    fixed, centre, width, low, high = age_law(state, cut, edge)
    share = logistic((high - centre) / width) - logistic((low - centre) / width)
    spread = fixed + 2.0 * age
    level = logistic((math.log(spread) - centre) / width)
    density = FLOOR * math.exp(waiting)
    if share > 0.0:
        density += (1.0 - FLOOR) * level * (1.0 - level) * 2.0 / (width * share * spread)
    return math.log(max(density, TINY))


@part
def guided(state: Any, cut: Any) -> Any:
    """Return an edge chosen by a guided walk; the path up to ``path[cut.top]`` has been lifted."""
    j = cut.top
    on_path = True
    edge = see_path(state, cut, j)
    old_edge = edge
    log_new, log_old = 0.0, 0.0  # over the choices that are not common to both places
    while not edge.is_end:
        choices = fork(state, cut, edge, j if on_path else -1)
        chosen = uniform(state.rng)
        is_stop = chosen < choices.stop
        is_left = chosen < choices.stop + choices.go_left
        probability = choices.stop if is_stop else (choices.go_left if is_left else choices.go_right)
        if on_path:
            if j == 0:
                log_old += math.log(choices.stop)
            else:
                path_is_left = choices.left.v == np.int64(state.path[j - 1])
                if not is_stop and is_left == path_is_left:
                    edge = choices.left if is_left else choices.right
                    old_edge = edge
                    j -= 1
                    continue
                log_old += math.log(choices.go_left if path_is_left else choices.go_right)
                old_edge = choices.left if path_is_left else choices.right
        log_new += math.log(probability)
        if is_stop:
            break
        edge = choices.left if is_left else choices.right
        on_path = False
    # The rest of the way to the old place, of which `old_edge` is the first edge that was not walked.
    for i in range(j - 1, -1, -1):
        if not old_edge.is_end:
            choices = fork(state, cut, old_edge, i)
            if i == 0:
                log_old += math.log(choices.stop)
            else:
                path_is_left = choices.left.v == np.int64(state.path[i - 1])
                log_old += math.log(choices.go_left if path_is_left else choices.go_right)
                old_edge = choices.left if path_is_left else choices.right
    return Choice(edge, j, on_path, old_edge, log_old - log_new)


@part
def settle(state: Any, cut: Any, choice: Any) -> Any:
    """Draw an age on a chosen edge.

    Return the place, and the log ratio of prior and proposal density there, less that of the old place.
    """
    edge = choice.edge
    age = draw_age(state, cut, edge)
    place = Place(edge.v, choice.j, choice.on_path, age)
    if not max(cut.age, state.rows[edge.v, AGE]) < age < edge.above:
        return place, -math.inf
    log_ratio = choice.log_ratio + log_prior_ratio(state, cut, place)
    log_ratio -= log_density_of_age(state, cut, edge, age)
    log_ratio += log_density_of_age(state, cut, choice.old_edge, state.rows[cut.p, AGE])
    return place, log_ratio


@part
def log_prior_ratio(state: Any, cut: Any, place: Any) -> float:
    """Return the log prior with the subtree at a place, less that at the old place."""
    links, rows, path, harmonic = state.links, state.rows, state.path, state.harmonic
    k = cut.size
    hazard = hazard_of_age(state.divergence, place.age)
    exponent = 0.0
    lower = hazard
    n = size_on_path(state, cut, place.j) if place.on_path else np.int64(links[place.v, SIZE])
    if not place.on_path:
        up = links[place.v, PARENT]
        while True:
            exponent += (lower - rows[up, HAZARD]) * (harmonic[n + k - 1] - harmonic[n - 1])
            lower = rows[up, HAZARD]
            n = np.int64(links[up, SIZE])
            if up == path[place.j]:
                break
            up = links[up, PARENT]
    if place.on_path or place.j == 0:
        exponent += (lower - rows[path[place.j + 1], HAZARD]) * (harmonic[n + k - 1] - harmonic[n - 1])
    _, old_exponent, _ = way_to_old_place(state, cut, place.j if place.on_path else place.j - 1)
    log_ratio = log_rate(state.divergence, place.age) - log_rate(state.divergence, rows[cut.p, AGE])
    log_ratio += (hazard - rows[cut.p, HAZARD]) * harmonic[k - 1]
    return log_ratio - (exponent - old_exponent)
