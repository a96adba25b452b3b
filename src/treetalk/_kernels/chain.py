"""The Metropolis-Hastings chain over trees: choose a move, propose, accept or not."""

from typing import Any

import numpy as np

from treetalk._kernels._jit import hot, part
from treetalk._kernels.closeness import change_of_log_sizes
from treetalk._kernels.guide import guided, settle
from treetalk._kernels.local import furthest, local
from treetalk._kernels.prune import Cut, carry_out, lift, price, trace
from treetalk._kernels.random import below, exponential, uniform
from treetalk._kernels.region import allowed_top
from treetalk._kernels.state import AGE, LEFT, PARENT, SIZE
from treetalk._kernels.times import renew_times
from treetalk._kernels.unsaid import change_of_log_unsaid, take_over
from treetalk._kernels.walk import walk

# The kinds of moves, as rows of `State.counts`.
WALK, GUIDED, LOCAL, TIMES = 0, 1, 2, 3
NUM_KINDS = 4
TRIED, ACCEPTED = 0, 1


@part
def prune_somewhere(state: Any) -> Any:
    """Choose a node other than the root, each with the same probability, and return the cut above it."""
    links = state.links
    num_nodes = links.shape[0] - 1
    s = below(state.rng, num_nodes - 1)
    if s >= np.int64(links[num_nodes, LEFT]):
        s += 1
    last = trace(state, s)
    top = allowed_top(state, s, last)
    return Cut(s, np.int64(links[s, PARENT]), np.int64(links[s, SIZE]), state.rows[s, AGE], last, top)


@part
def is_between(state: Any, cut: Any, place: Any) -> bool:
    """Return whether a place's age is strictly within its edge and above the subtree: rounding can put it on an end."""
    above = state.path[place.j + 1] if place.on_path else state.links[place.v, PARENT]
    return max(cut.age, state.rows[place.v, AGE]) < place.age < state.rows[above, AGE]


@part
def regraft(state: Any, kind: int) -> bool:
    """Prune a subtree, propose another place for it, and move it there or not."""
    cut = prune_somewhere(state)
    num_lifted = 0
    if kind == WALK:
        place, log_ratio = walk(state, cut)
    else:
        num_lifted = cut.top if kind == GUIDED else furthest(cut)
        lift(state, cut, num_lifted)
        choice = guided(state, cut) if kind == GUIDED else local(state, cut)
        place, log_ratio = settle(state, cut, choice)
    if not is_between(state, cut, place):
        return False
    change, count = price(state, cut, place, num_lifted)
    if state.closeness[0] > 0.0 and state.triplets.shape[0] > 0:
        change -= state.closeness[0] * change_of_log_sizes(state, cut, place)
    # Written so that a ratio that is not a number, as data of extreme size may give, is no reason to move.
    if not log_ratio + change >= -exponential(state.rng):
        return False
    if state.shown.weight[0] > 0.0 and state.shown.num_items.size > 0:
        # In a second stage, for it takes longer: what the first one refuses, as if there were no such factor, needs no look.
        more, num_changed = change_of_log_unsaid(state, cut, place)
        if not -state.shown.weight[0] * more >= -exponential(state.rng):
            return False
        take_over(state, num_changed)
    carry_out(state, cut, place, count)
    return True


@hot
def run(state: Any, cumulative: Any, num_moves: int) -> None:
    """Make moves of kinds drawn with the given cumulative probabilities."""
    for _ in range(num_moves):
        chosen = uniform(state.rng)
        kind = 0
        while chosen >= cumulative[kind]:
            kind += 1
        accepted = True
        if kind == TIMES:
            renew_times(state)
        else:
            accepted = regraft(state, kind)
        state.counts[kind, TRIED] += 1
        if accepted:
            state.counts[kind, ACCEPTED] += 1
