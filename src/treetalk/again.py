"""What to ask for again: answers that may be mistakes, because they contradict others.

Who errs is noticed when answers contradict each other, and then one of a few is the mistake. Nothing tells which one: so
one after the other is asked for again, as the odd one of its three items, and what is said then counts.

For someone with flat classes in mind, answers clash long before no tree has them all. When links, a with b, b with d, join
two that other answers have apart, one of these answers is wrong, or there are no classes after all; see `treetalk.groups`.
As long as nothing else tells against classes, these are asked for again too. Who says the same again, and again, has none.
Also a mistake may be made twice: what was said again, and is part of many clashes, is asked for once more.

Who does not contradict himself, in one way or the other, is not asked for anything again.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.arguments import A, B, C
from treetalk.groups import groups_of, odd_ones_inside

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.answers import Answer, Ledger

AGAIN = "again"  # the strategy of such a query
NUM_CONFLICTS = 10  # the latest contradictions, whose answers have a vote each
MOST_LOOKED_AT = 100  # odd ones inside a group, the latest
# Someone has no classes in mind who has said more than so often what he said before, for each time that he did not.
MOST_IN_VAIN = 6
# What was said again is worth another question if it is part of more clashes than so many, times the square of how often.
MOST_BY_CHANCE = 4

Triplet = tuple[int, int, int]
Three = frozenset[int]
Surprises = Callable[["NDArray[np.int32]"], "NDArray[np.float64]"]


class Again:
    """The odd one of three items, of which it was said before.

    Parameters
    ----------
    leaves : sequence of int
        The three items.
    """

    name, kind = AGAIN, "triple"

    def __init__(self, leaves: Sequence[int]) -> None:
        self._leaves = np.array(leaves, np.int64)

    def candidates(self, view: object, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """Yield the three items."""
        yield self._leaves


class Repeated(NamedTuple):
    """What was asked for again, by the three items.

    Attributes
    ----------
    passed : set of frozenset of int
        Which were skipped, or called all alike, when they were asked about again.
    confirmed : dict from frozenset of int to int
        How often the same was said again, where it was. What is said otherwise is asked for until two agree.
    revised : set of frozenset of int
        Where something else was said than before: this user errs.
    """

    passed: frozenset[Three] = frozenset()
    confirmed: Mapping[Three, int] = {}
    revised: frozenset[Three] = frozenset()

    @property
    def settled(self) -> frozenset[Three]:
        """What need not be asked for once more to know which of two answers counts."""
        return self.passed | self.confirmed.keys()

    @property
    def num_in_vain(self) -> int:
        """How many questions brought nothing new."""
        return len(self.passed) + sum(self.confirmed.values())


def what_was_repeated(ledger: Ledger) -> Repeated:
    """Return what was asked for again, and what came of it."""
    entries = ledger.entries
    repeats = _not_undone(entries)
    if not repeats:
        return Repeated()
    asked = {three for _, three in repeats}
    replaced = {each for entry, _ in repeats for each in replaced_by(entries, entry.id)}
    about = [(entry, frozenset(entry.triplet)) for entry in entries if entry.triplet is not None]
    in_force, ever = Counter[tuple[Three, int]](), Counter[tuple[Three, int]]()
    for entry, three in about:
        statement = three, entry.triplet[C]  # type: ignore[index]
        in_force[statement] += not ledger.is_retracted(entry.id)
        ever[statement] += entry.id in replaced or not ledger.is_retracted(entry.id)
    revised = {
        three
        for entry, three in about
        if three in asked and ledger.is_retracted(entry.id) and not in_force[three, entry.triplet[C]]  # type: ignore[index]
    }
    confirmed: dict[Three, int] = {}
    for (three, _), count in ever.items():
        if three in asked and count > 1:
            confirmed[three] = max(confirmed.get(three, 0), count - 1)
    passed = frozenset(three for entry, three in repeats if entry.triplet is None)
    return Repeated(passed, confirmed, frozenset(revised))


def _not_undone(entries: Sequence[Answer]) -> list[tuple[Answer, Three]]:
    """Return what was said when something was asked for again, and about which three items.

    What was taken back before the same was asked for once more is left out: that was done by hand.
    """
    found: dict[int, tuple[Answer, Three]] = {}
    latest: dict[Three, int] = {}
    for entry in entries:
        if entry.strategy == AGAIN and entry.leaves is not None:
            three = frozenset(entry.leaves)
            found[entry.id], latest[three] = (entry, three), entry.id
        elif entry.retracts in found and latest[found[entry.retracts][1]] == entry.retracts:
            del found[entry.retracts]
    return list(found.values())


def replaced_by(entries: Sequence[Answer], answer_id: int) -> list[int]:
    """Return the ids of the answers that were taken back because an answer said otherwise when it was asked for again."""
    answer = entries[answer_id]
    if answer.strategy != AGAIN:
        return []
    following = itertools.takewhile(lambda entry: entry.retracts is not None, entries[answer_id + 1 :])
    earlier = [entry.retracts for entry in following if entry.retracts is not None and entry.retracts < answer_id]
    return [each for each in earlier if set(entries[each].triplet or ()) == set(answer.leaves or ())]


def most_doubtful(ledger: Ledger, repeated: Repeated, surprises: Surprises, *, may_be_classes: bool) -> Triplet | None:
    """Return the triplet to ask for again, of those that are part of most contradictions; None if there are none.

    Parameters
    ----------
    ledger : Ledger
        What was said.
    repeated : Repeated
        What of it was asked for again.
    surprises : callable
        Returns for each of some triplets how much the features speak against it: the most surprising one is asked for.
    may_be_classes : bool
        Whether all else looks like the answers of someone with flat classes in mind.
    """
    votes: Counter[Triplet] = Counter()
    for conflict in ledger.conflicts[-NUM_CONFLICTS:]:
        members = [conflict.answer, *conflict.clashes_with]
        votes.update(each.triplet for each in members if each.triplet is not None)
    weights = {triplet: float(count) for triplet, count in votes.items() if frozenset(triplet) not in repeated.settled}
    if may_be_classes and repeated.num_in_vain <= MOST_IN_VAIN * (1 + len(repeated.revised)):
        clashing = Counter(triplet for clash in clashes_of_classes(ledger.triplets()) for triplet in clash)
        for triplet, count in clashing.items():
            if weight := _weight_in_clashes(frozenset(triplet), count, repeated):
                weights[triplet] = weights.get(triplet, 0.0) + weight
    largest = max(weights.values(), default=0.0)
    most = [triplet for triplet, weight in weights.items() if weight == largest]
    return most[int(np.argmax(surprises(np.array(most, np.int32))))] if most else None


def _weight_in_clashes(three: Three, count: int, repeated: Repeated) -> float:
    """Return how much it counts for a triplet that it is part of so many clashes; 0 if it is not asked for once more."""
    confirmed = repeated.confirmed.get(three, 0)
    if three in repeated.passed or (confirmed and count <= MOST_BY_CHANCE * confirmed**2):
        return 0.0
    return count / (1.0 + confirmed)


def clashes_of_classes(triplets: NDArray[np.int32]) -> list[list[Triplet]]:
    """Return for each triplet with its odd one inside its group itself and the fewest triplets that put it there."""
    num_items = int(triplets.max(initial=-1)) + 1
    inside = np.flatnonzero(odd_ones_inside(triplets, groups_of(triplets, num_items).labels))[-MOST_LOOKED_AT:]
    if not len(inside):
        return []
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    own = {frozenset(pair): row for row, pair in reversed(list(enumerate(triplets[:, [A, B]].tolist())))}
    links = coo_array((np.ones(len(triplets)), (triplets[:, A], triplets[:, B])), shape=(num_items, num_items)).tocsr()
    odd = np.unique(triplets[inside, C])
    distance, before = dijkstra(links, directed=False, indices=odd, unweighted=True, return_predecessors=True)
    clashes = []
    for row in inside.tolist():
        a, b, c = triplets[row].tolist()
        start = int(np.searchsorted(odd, c))
        item = a if distance[start, a] <= distance[start, b] else b
        clash = [row]
        while item != c:
            following = int(before[start, item])
            clash.append(own[frozenset((item, following))])
            item = following
        clashes.append([tuple(triplets[each].tolist()) for each in clash])
    return clashes
