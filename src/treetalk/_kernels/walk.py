"""The paper's proposal: the path of a new point through the tree, from the top of the allowed region down.

On an edge with n leaves below it the point diverges at the rate a(t) / n; at a node it follows a child in proportion to
the child's leaves. Where the walk may go no further, at a leaf, at a node as young as the subtree or at one that ends
the region, it diverges for certain, and the density is divided by the probability that it would have done so of itself.

The choices of children multiply to n_v / n_top, which cancels with the rate's 1 / n_v: the density of a place is
a(t) exp(-sum of (A below - A above) / n over the way) / n_top.
"""

import math
from typing import Any

import numpy as np

from treetalk._kernels._jit import part
from treetalk._kernels.hazard import age_of_hazard
from treetalk._kernels.prune import Place
from treetalk._kernels.random import exponential, uniform
from treetalk._kernels.state import AGE, HAZARD, LEFT, RIGHT, SIZE

TINY = 1e-300  # two ages next to each other may have the same hazard


@part
def is_end(state: Any, cut: Any, v: int) -> bool:
    """Return whether no place strictly below v is allowed."""
    return state.rows[v, AGE] <= cut.age or state.marks[v] == state.clock[0]


@part
def size_on_path(state: Any, cut: Any, i: int) -> Any:
    """Return the number of leaves under ``path[i]`` in the pruned tree."""
    size = np.int64(state.links[state.path[i], SIZE])
    return size if i == 0 else size - cut.size


@part
def log_certain(hazard: float) -> float:
    """Return the log probability that an exponential waiting time is less than `hazard`."""
    if hazard > 700.0:
        return 0.0
    return math.log(-math.expm1(-max(hazard, TINY)))


@part
def walk(state: Any, cut: Any) -> Any:
    """Return a place, and the log ratio of prior and proposal density there, less that of the old place."""
    links, rows, path, harmonic = state.links, state.rows, state.path, state.harmonic
    k = cut.size
    wait = exponential(state.rng)
    j = cut.top
    v = path[j]
    on_path = True
    above = rows[path[j + 1], HAZARD]
    # Sums over the part of the way that is not common to the old place: of the waiting time, and of the prior's exponent.
    waited = 0.0
    prior = 0.0
    log_norm = 0.0
    while True:
        n = size_on_path(state, cut, j) if on_path else np.int64(links[v, SIZE])
        slope = harmonic[n + k - 1] - harmonic[n - 1]
        if is_end(state, cut, v):
            most = (min(rows[v, HAZARD], rows[cut.s, HAZARD]) - above) / n
            if most < math.inf:
                # An exponential variable modulo `most` is one below `most`.
                wait -= math.floor(wait / max(most, TINY)) * most
                log_norm = log_certain(most)
            break
        rise = rows[v, HAZARD] - above
        if wait * n < rise:
            break
        wait -= rise / n
        waited += rise / n
        prior += rise * slope
        above = rows[v, HAZARD]
        chosen = uniform(state.rng) * n
        if on_path and j > 0:
            waited = 0.0
            prior = 0.0
            if chosen < size_on_path(state, cut, j - 1):
                j -= 1
                v = path[j]
            else:
                below = cut.p if j == 1 else path[j - 1]
                left = links[v, LEFT]
                v = links[v, RIGHT] if left == below else left
                on_path = False
        else:
            left = links[v, LEFT]
            v = left if chosen < np.int64(links[left, SIZE]) else links[v, RIGHT]
            on_path = False
    hazard = above + n * wait
    waited += wait
    prior += n * wait * slope
    place = Place(np.int64(v), j, on_path, age_of_hazard(state.divergence, hazard))
    old_waited, old_prior, old_norm = way_to_old_place(state, cut, j if on_path else j - 1)
    # a(t) is in both densities.
    log_ratio = (hazard - rows[cut.p, HAZARD]) * harmonic[k - 1]
    log_ratio -= prior - old_prior
    log_ratio += (waited - old_waited) + (log_norm - old_norm)
    return place, log_ratio


@part
def way_to_old_place(state: Any, cut: Any, i: int) -> Any:
    """Return the sums of `walk` over the way from the top of the edge above ``path[i]`` down to the old place."""
    rows, path, harmonic = state.rows, state.path, state.harmonic
    k = cut.size
    waited = 0.0
    prior = 0.0
    i = max(i, 0)
    while i > 0:
        n = size_on_path(state, cut, i)
        rise = rows[path[i], HAZARD] - rows[path[i + 1], HAZARD]
        waited += rise / n
        prior += rise * (harmonic[n + k - 1] - harmonic[n - 1])
        i -= 1
    n = size_on_path(state, cut, 0)
    above = rows[path[1], HAZARD]
    rise = rows[cut.p, HAZARD] - above
    waited += rise / n
    prior += rise * (harmonic[n + k - 1] - harmonic[n - 1])
    log_norm = 0.0
    if is_end(state, cut, path[0]):
        log_norm = log_certain((min(rows[path[0], HAZARD], rows[cut.s, HAZARD]) - above) / n)
    return waited, prior, log_norm
