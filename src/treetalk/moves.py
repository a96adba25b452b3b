"""The kinds of moves that a chain makes, and how often it makes each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.arguments import as_weight

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The order is that of the kernels' numbers.
MOVES = ("walk", "guided", "local", "times")
MIXTURE = {"walk": 0.1, "guided": 0.3, "local": 0.4, "times": 0.2}


class MoveCounts(NamedTuple):
    """How often a move was tried, and how often the proposed tree was accepted."""

    tried: int
    accepted: int


def cumulative(moves: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the cumulative probabilities of the kinds of moves, given the weight of each."""
    if not isinstance(moves, Mapping):
        raise TypeError(f"moves must be a mapping such as {MIXTURE}, not {moves!r}")
    weights = np.zeros(len(MOVES))
    for name, weight in moves.items():
        if name not in MOVES:
            raise ValueError(f"there is no move {name!r}; there are {', '.join(MOVES)}")
        weights[MOVES.index(name)] = as_weight(weight, f"the weight of move {name!r}")
    if weights.sum() == 0:
        raise ValueError("moves must give at least one kind of move a positive weight")
    result: NDArray[np.float64] = np.cumsum(weights) / weights.sum()
    result[np.flatnonzero(weights)[-1] :] = 1.0
    return result
