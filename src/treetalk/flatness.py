"""How much the answers look like those of someone who has flat classes in mind, and not a hierarchy of many levels.

Two things tell. Someone with classes in mind accepts a piece of ten items now and then, when the few of them that are of one
class stand together; someone who knows of every three which is the odd one hardly ever does, until all is right. And someone
with classes never calls an item the odd one that other answers link with the other two: see `treetalk.groups`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from treetalk.groups import groups_of, odd_ones_inside

if TYPE_CHECKING:
    from treetalk.answers import Ledger

ENOUGH_ITEMS = 8  # a smaller piece is right by chance too often
PRIOR_LOG_ODDS = math.log(1 / 3)
# How often a piece is accepted, and how often an odd one seems to be inside, by those with classes and by the others.
LOG_RATIO_ACCEPTED = math.log(0.1 / 0.01)
LOG_RATIO_CORRECTED = math.log(0.9 / 0.99)
LOG_RATIO_INSIDE = math.log(0.05 / 1.0)
STEPS = 4  # it is told in quarters, so that what is sampled does not change with every answer


def flatness_of(ledger: Ledger, num_items: int) -> float:
    """Return the probability that the answers are of someone who has flat classes in mind, in quarters."""
    accepted = corrected = 0
    before = None
    for answer in ledger.entries:
        shown = answer.leaves
        if shown is None or len(shown) < ENOUGH_ITEMS or ledger.is_retracted(answer.id):
            continue
        accepted += answer.kind == "accept"
        # What was said of one piece counts once.
        corrected += answer.kind == "triplet" and shown != before
        before = shown if answer.kind == "triplet" else None
    triplets = ledger.triplets()
    inside = int(odd_ones_inside(triplets, groups_of(triplets, num_items).labels).sum())
    log_odds = PRIOR_LOG_ODDS + accepted * LOG_RATIO_ACCEPTED + corrected * LOG_RATIO_CORRECTED
    log_odds += inside * LOG_RATIO_INSIDE
    return round(STEPS / (1.0 + math.exp(min(-log_odds, 700.0)))) / STEPS
