"""How much the answers look like those of someone who has flat classes in mind, and not a hierarchy of many levels.

Three things tell. Someone with classes in mind accepts a piece of ten items now and then, when the few of them that are of
one class stand together; someone who knows of every three which is the odd one hardly ever does, until all is right. Someone
with classes, who says several things about one piece, sorts it into groups: see `treetalk.heard`. And someone with classes
never calls an item the odd one that other answers link with the other two: see `treetalk.groups`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from treetalk.groups import groups_of, odd_ones_inside
from treetalk.heard import ACCEPTED, CORRECTED, SORTED, Heard

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

ENOUGH_ITEMS = 8  # a smaller piece is right by chance too often
PRIOR_LOG_ODDS = math.log(1 / 3)
# How often a piece is accepted, sorted or otherwise corrected by those with classes, and by the others; and how often there
# seems to be an odd one inside.
LOG_RATIOS = {ACCEPTED: math.log(0.1 / 0.01), SORTED: math.log(0.8 / 0.2), CORRECTED: math.log(0.9 / 0.99)}
LOG_RATIO_INSIDE = math.log(0.05 / 1.0)
STEPS = 4  # it is told in quarters, so that what is sampled does not change with every answer


def flatness_of(heard: Sequence[Heard], triplets: NDArray[np.int32], num_items: int) -> float:
    """Return the probability that the answers are of someone who has flat classes in mind, in quarters."""
    log_odds = PRIOR_LOG_ODDS
    for kind, piece in heard:
        if len(piece) >= ENOUGH_ITEMS:
            log_odds += LOG_RATIOS[kind]
    log_odds += LOG_RATIO_INSIDE * int(odd_ones_inside(triplets, groups_of(triplets, num_items).labels).sum())
    return round(STEPS / (1.0 + math.exp(min(-log_odds, 700.0)))) / STEPS
