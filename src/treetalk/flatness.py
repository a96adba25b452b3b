"""How much the answers look like those of someone who has flat classes in mind, and not a hierarchy of many levels.

Four things tell. Someone with classes in mind accepts a piece of ten items now and then, when the few of them that are of
one class stand together; someone who knows of every three which is the odd one hardly ever does, until all is right. Someone
with classes, who says several things about one piece, sorts it into groups: see `treetalk.heard`. And someone with classes
never calls an item the odd one that other answers link with the other two: see `treetalk.groups`. So it tells something too
if that does not happen where it easily could have: where many triplets of a piece would have put an odd one inside a group.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from treetalk.arguments import A, B, C
from treetalk.groups import groups_of, odd_ones_inside
from treetalk.heard import ACCEPTED, ALIKE, CORRECTED, SORTED, Heard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

ENOUGH_ITEMS = 8  # a smaller piece is right by chance too often
PRIOR_LOG_ODDS = math.log(1 / 3)
# How often a piece is accepted, not corrected, by those with classes, and by the others: beta distributions.
WITH_CLASSES, WITH_A_HIERARCHY = (0.5, 4.0), (1.0, 80.0)
# How much more often those with classes sort a piece, and how often there seems to be an odd one inside for them.
LOG_RATIO_SORTED = math.log(0.8 / 0.2)
LOG_RATIO_INSIDE = math.log(0.05 / 1.0)
# How often three items are called all alike, and none of them the odd one.
ALIKE_WITH_CLASSES, ALIKE_WITH_A_HIERARCHY = (1.0, 1.0), (0.2, 20.0)
MOST_CHANCE = 0.95  # that a triplet is one that it might be: for no hierarchy all are as likely
MOST_LOOKED_AT = 300  # pieces: by then all is clear
STEPS = 4  # it is told in quarters, so that what is sampled does not change with every answer


def flatness_of(heard: Sequence[Heard], triplets: NDArray[np.int32], num_items: int) -> float:
    """Return the probability that the answers are of someone who has flat classes in mind, in quarters."""
    num_inside = int(odd_ones_inside(triplets, groups_of(triplets, num_items).labels).sum())
    return _in_quarters(_log_odds(heard) + LOG_RATIO_INSIDE * num_inside)


def flatness_but_for_odd_ones_inside(heard: Sequence[Heard]) -> float:
    """Return the same as if no odd one were inside a group: what else tells of classes."""
    return _in_quarters(_log_odds(heard))


def _in_quarters(log_odds: float) -> float:
    return round(STEPS / (1.0 + math.exp(min(-log_odds, 700.0)))) / STEPS


def _log_odds(heard: Sequence[Heard]) -> float:
    """Return the log odds of classes, but for odd ones inside."""
    count = Counter(each.kind for each in heard if len(each.piece) >= ENOUGH_ITEMS)
    told = count[ACCEPTED], count[CORRECTED]
    log_odds = PRIOR_LOG_ODDS + _log_evidence(told, WITH_CLASSES) - _log_evidence(told, WITH_A_HIERARCHY)
    log_odds += LOG_RATIO_SORTED * count[SORTED]
    three = Counter(each.kind for each in heard if len(each.piece) == 3)
    told = three[ALIKE], three[CORRECTED]
    log_odds += _log_evidence(told, ALIKE_WITH_CLASSES) - _log_evidence(told, ALIKE_WITH_A_HIERARCHY)
    chances = chances_of_odd_ones_inside(heard[:MOST_LOOKED_AT])
    return log_odds - sum(math.log1p(-MOST_CHANCE * chance) for chance in chances)


def _log_evidence(counts: tuple[int, int], beta: tuple[float, float]) -> float:
    """Return the log probability that so many were accepted and corrected, in this order, if the share has a beta law."""
    accepted, corrected = counts[0] + beta[0], counts[1] + beta[1]
    return _log_beta(accepted, corrected) - _log_beta(*beta)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def chances_of_odd_ones_inside(heard: Sequence[Heard]) -> list[float]:
    """Return for each corrected piece the share of all triplets of its items that would put an odd one inside a group.

    Only of the pieces up to the first one of which that came true: then classes are no longer the question.
    """
    chances = []
    group: dict[int, int] = {}  # of each item that was spoken of
    members: dict[int, set[int]] = {}
    apart: dict[int, set[int]] = {}
    for kind, piece, said, _ in heard:
        if kind == CORRECTED and len(piece) >= ENOUGH_ITEMS:
            chances.append(_chance([group.get(item, -1 - item) for item in piece], apart))
        for triplet in said:
            for item in triplet:
                if item not in group:
                    group[item], members[item], apart[item] = item, {item}, set()
            one, other = group[triplet[A]], group[triplet[B]]
            if other in apart[one]:
                return chances
            if one != other:
                group.update(dict.fromkeys(members[other], one))
                members[one] |= members.pop(other)
                for third in apart.pop(other):
                    apart[third].remove(other)
                    apart[third].add(one)
                    apart[one].add(third)
            odd = group[triplet[C]]
            if odd == one:
                return chances
            apart[one].add(odd)
            apart[odd].add(one)
    return chances


def _chance(groups: Sequence[int], apart: Mapping[int, set[int]]) -> float:
    """Return the share of all triplets of items, given by their groups, after which an odd one is inside a group."""
    count = 0
    k = len(groups)
    size = Counter(groups)
    for i, one in enumerate(groups):
        for other in groups[:i]:
            if one == other:
                count += size[one] - 2
            else:
                count += k - 2 if other in apart.get(one, ()) else size[one] + size[other] - 2
    return count / (k * (k - 1) * (k - 2) // 2)
