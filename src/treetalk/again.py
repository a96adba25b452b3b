"""What to ask for again: answers that may be mistakes, because they contradict others.

Who errs is noticed when answers contradict each other, and then one of a few is the mistake. Nothing tells which one: so
one after the other is asked for again, as the odd one of its three items, and what is said then counts.

For someone with flat classes in mind, answers clash long before no tree has them all. When links, a with b, b with d, join
two that other answers have apart, one of these answers is wrong, or there are no classes after all; see `treetalk.groups`.
As long as nothing else tells against classes, these are asked for again too. If all of them, or several in a row, are
said again, there are none.

Who does not contradict himself, in one way or the other, is not asked for anything again.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.arguments import A, B, C
from treetalk.groups import groups_of, odd_ones_inside

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.answers import Answer, Ledger

AGAIN = "again"  # the strategy of such a query
NUM_CLASHES = 10  # the latest contradictions, whose answers have a vote each
MOST_LOOKED_AT = 100  # odd ones inside a group, the latest
# Someone has no classes in mind who has said more than so often what he said before, for each time that he did not.
MOST_IN_VAIN = 6

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
    settled : set of frozenset of int
        What need not be asked for once more. What was said otherwise is asked for once more: two of three times count.
    revised : set of frozenset of int
        Where something else was said than before: this user errs.
    """

    settled: frozenset[Three] = frozenset()
    revised: frozenset[Three] = frozenset()


def what_was_repeated(ledger: Ledger) -> Repeated:
    """Return what was asked for again, and what came of it."""
    entries = ledger.entries
    repeats = _not_undone(entries)
    if not repeats:
        return Repeated()
    asked = Counter(three for _, three in repeats)
    about = [(entry, frozenset(entry.triplet)) for entry in entries if entry.triplet is not None]
    said = Counter((three, entry.triplet[C]) for entry, three in about if not ledger.is_retracted(entry.id))  # type: ignore[index]
    twice = {three for (three, _), count in said.items() if count > 1}
    unsaid = {three for entry, three in repeats if entry.triplet is None}
    settled = unsaid | {three for three, count in asked.items() if three in twice or count > 1}
    revised = {
        three
        for entry, three in about
        if three in asked and ledger.is_retracted(entry.id) and (three, entry.triplet[C]) not in said  # type: ignore[index]
    }
    return Repeated(frozenset(settled), frozenset(revised))


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
    for conflict in ledger.conflicts[-NUM_CLASHES:]:
        members = [conflict.answer, *conflict.clashes_with]
        votes.update(each.triplet for each in members if each.triplet is not None)
    if may_be_classes:
        for clash in _clashes_worth_asking_about(ledger, repeated)[-NUM_CLASHES:]:
            votes.update(clash)
    left = {triplet: count for triplet, count in votes.items() if frozenset(triplet) not in repeated.settled}
    most = [triplet for triplet, count in left.items() if count == max(left.values())]
    return most[int(np.argmax(surprises(np.array(most, np.int32))))] if most else None


def _clashes_worth_asking_about(ledger: Ledger, repeated: Repeated) -> list[list[Triplet]]:
    """Return what clashes if there are classes, unless it is clear by now that there are none."""
    if len(repeated.settled) > MOST_IN_VAIN * (1 + len(repeated.revised)):
        return []
    clashes = clashes_of_classes(ledger.triplets())
    is_open = all(any(frozenset(triplet) not in repeated.settled for triplet in clash) for clash in clashes)
    return clashes if is_open else []


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
