"""Local regrafts: to one of the allowed edges near the old place, chosen by how well the subtree fits there.

Two edges are neighbours if they share a node. The candidates are the old edge and its neighbours, four at most. A
candidate's weight is the square root of its density relative to the old edge's: a locally balanced proposal (Zanella
2020). The age on the chosen edge is drawn as in the guided walk.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from treetalk._kernels._jit import part
from treetalk._kernels.guide import Choice, Edge, see, see_path
from treetalk._kernels.prune import child_off_path, row_on_path
from treetalk._kernels.random import uniform
from treetalk._kernels.state import LEFT, PARENT, RIGHT, SIZE, sibling
from treetalk._kernels.walk import is_end, size_on_path

SQUARE_ROOT = 0.5
FLOOR = 0.05  # the least weight, so that no candidate is out of reach
MOST = 50.0


class Spot(NamedTuple):
    """An edge of the pruned tree; see `prune.Place`."""

    v: int
    j: int
    on_path: bool


class Chosen(NamedTuple):
    """One of the candidates, its weight, and the weight of all."""

    spot: Spot
    edge: Edge
    weight: float
    total: float


@part
def see_spot(state: Any, cut: Any, spot: Any) -> Any:
    """Return an edge with its score."""
    j = spot.j
    if spot.on_path:
        row, size, top = row_on_path(state, j), size_on_path(state, cut, j), np.int64(state.path[j + 1])
    else:
        row = spot.v
        size, top = np.int64(state.links[spot.v, SIZE]), np.int64(state.links[spot.v, PARENT])
    return see(state, cut, spot.v, row, size, top)


@part
def has_above(cut: Any, spot: Any) -> bool:
    """Return whether the edges at the upper end of an edge are allowed."""
    return not (spot.on_path and spot.j == cut.top)


@part
def above(state: Any, spot: Any) -> Any:
    """Return the edge above."""
    if spot.on_path:
        return Spot(np.int64(state.path[spot.j + 1]), spot.j + 1, True)
    p = np.int64(state.links[spot.v, PARENT])
    return Spot(p, spot.j, p == np.int64(state.path[spot.j]))


@part
def beside(state: Any, cut: Any, spot: Any) -> Any:
    """Return the other edge down from the same node."""
    if spot.on_path:
        return Spot(np.int64(child_off_path(state, cut, spot.j + 1)), spot.j + 1, False)
    if spot.j > 0 and state.links[spot.v, PARENT] == state.path[spot.j]:
        return Spot(np.int64(state.path[spot.j - 1]), spot.j - 1, True)
    return Spot(np.int64(sibling(state.links, spot.v)), spot.j, False)


@part
def left_below(state: Any, spot: Any) -> Any:
    """Return one of the two edges below."""
    if spot.on_path and spot.j > 0:
        return Spot(np.int64(state.path[spot.j - 1]), spot.j - 1, True)
    return Spot(np.int64(state.links[spot.v, LEFT]), spot.j, False)


@part
def right_below(state: Any, cut: Any, spot: Any) -> Any:
    """Return the other one."""
    if spot.on_path and spot.j > 0:
        return Spot(np.int64(child_off_path(state, cut, spot.j)), spot.j, False)
    return Spot(np.int64(state.links[spot.v, RIGHT]), spot.j, False)


@part
def weigh(score: float, reference: float) -> float:
    """Return the weight of a candidate."""
    return FLOOR + math.exp(min(max(SQUARE_ROOT * (score - reference), -MOST), MOST))


@part
def candidate(state: Any, cut: Any, spot: Any, i: int) -> Any:
    """Return the i-th neighbour of an edge: 0 and 1 are below, 2 and 3 at its upper end."""
    if i == 0:
        return left_below(state, spot)
    if i == 1:
        return right_below(state, cut, spot)
    if i == 2:
        return beside(state, cut, spot)
    return above(state, spot)


@part
def choose(state: Any, cut: Any, spot: Any, edge: Any) -> Any:
    """Return an edge or one of its neighbours, chosen by weight."""
    chosen = spot
    chosen_edge = edge
    total = chosen_weight = weigh(edge.score, edge.score)
    first = 2 if is_end(state, cut, spot.v) else 0
    last = 4 if has_above(cut, spot) else 2
    for i in range(first, last):
        other = candidate(state, cut, spot, i)
        other_edge = see_spot(state, cut, other)
        weight = weigh(other_edge.score, edge.score)
        total += weight
        if uniform(state.rng) * total < weight:
            chosen = other
            chosen_edge = other_edge
            chosen_weight = weight
    return Chosen(chosen, chosen_edge, chosen_weight, total)


@part
def local(state: Any, cut: Any) -> Any:
    """Return an edge near the old place; the path has been lifted up to `furthest`."""
    spot = Spot(np.int64(state.path[0]), 0, True)
    old_edge = see_path(state, cut, 0)
    edge = old_edge
    log_ratio = 0.0
    # There, and as it were back again; one call in a loop, so that it is compiled once.
    for way in range(2):
        chosen = choose(state, cut, spot, edge)
        if way == 0:
            log_ratio -= math.log(chosen.weight / chosen.total)
            spot = chosen.spot
            edge = chosen.edge
        else:
            log_ratio += math.log(weigh(old_edge.score, edge.score) / chosen.total)
    return Choice(edge, spot.j, spot.on_path, old_edge, log_ratio)


@part
def furthest(cut: Any) -> int:
    """Return the greatest index on the path that a local regraft or its way back looks at."""
    return min(cut.top, 2)
