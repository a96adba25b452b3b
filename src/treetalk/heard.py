"""What was said of the pieces that were shown: accepted, corrected, sorted, or, of three items, that they are all alike.

A piece is *sorted* when what was said about it puts its items into two groups or more, with nobody of a group being called
the odd one of it: whoever goes through all of a piece says so, and then those whom nothing puts together are apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.again import AGAIN
from treetalk.groups import groups_of
from treetalk.unsaid import Piece, in_order

if TYPE_CHECKING:
    from treetalk.answers import Ledger


ACCEPTED, SORTED, CORRECTED, ALIKE = "accepted", "sorted", "corrected", "alike"
MOST_OF_THEM = 0.75  # of the pieces of which something was said
MOST_OF_IT = 0.5  # of the triples of a piece: of so many nobody speaks who corrects one thing, or moves one item


class Heard(NamedTuple):
    """What was said of one piece."""

    kind: str  # one of the four
    piece: tuple[int, ...]  # its items
    said: tuple[tuple[int, int, int], ...] = ()  # the triplets, but for those set aside
    sizes: tuple[int, ...] | None = None  # how it was shown: see `treetalk.unsaid.clade_sizes`


def what_was_heard(ledger: Ledger) -> tuple[Heard, ...]:
    """Return what was said of each piece, in this order, as far as it was neither taken back nor set aside."""
    heard = []
    aside = ledger.set_aside
    said: list[tuple[int, int, int]] = []
    # What is asked for again was heard before.
    pieces = (entry for entry in ledger.entries if entry.leaves is not None and entry.strategy != AGAIN)
    entries = [entry for entry in pieces if not ledger.is_retracted(entry.id)]
    for i, entry in enumerate(entries):
        assert entry.leaves is not None
        if entry.kind == "accept":
            heard.append(Heard(ACCEPTED, entry.leaves, sizes=entry.sizes))
        elif entry.kind == "same":
            heard.append(Heard(ALIKE, entry.leaves))
        elif entry.triplet is not None:
            said += [] if entry.id in aside else [entry.triplet]
            following = entries[i + 1] if i + 1 < len(entries) else None
            shown = entry.leaves, entry.sizes
            if following is None or following.triplet is None or (following.leaves, following.sizes) != shown:
                kind = SORTED if makes_groups(said) else CORRECTED
                heard.append(Heard(kind, entry.leaves, tuple(said), entry.sizes))
                said = []
    return tuple(heard)


def makes_groups(triplets: Sequence[tuple[int, int, int]]) -> bool:
    """Return whether triplets make two groups or more, none of which has an odd one inside."""
    group: dict[int, set[int]] = {}
    for a, b, _ in triplets:
        one, other = group.get(a, {a}), group.get(b, {b})
        if one is not other:
            merged = one | other
            group.update(dict.fromkeys(merged, merged))
    num_groups = len({id(members) for members in group.values()})
    return num_groups > 1 and not any(c in group[a] for a, _, c in triplets)


def tells_most(heard: Sequence[Heard]) -> bool:
    """Return whether the user went through the last piece that was not accepted, and spoke of most triples in it."""
    for each in reversed(heard):
        if each.kind in {SORTED, CORRECTED}:
            inside = {frozenset(triplet) for triplet in each.said if set(triplet) <= set(each.piece)}
            return len(inside) >= MOST_OF_IT * comb(len(each.piece), 3)
    return False


def sorts(heard: Iterable[Heard]) -> bool:
    """Return whether pieces are sorted into classes, as a rule: all that is said of a piece is what these have of it."""
    spoken_of = [is_whole(each) for each in heard if each.said and len(each.piece) > 3]
    return sum(spoken_of) > MOST_OF_THEM * len(spoken_of)


def says_several(heard: Iterable[Heard]) -> bool:
    """Return whether, as a rule, several things are said of a piece at once: by hand, for example, or by sorting it."""
    are_several = [len(each.said) > 1 for each in heard if each.said and len(each.piece) > 3]
    return 2 * sum(are_several) > len(are_several)


def calls_alike(heard: Iterable[Heard]) -> bool:
    """Return whether three items are called all alike at least as often as one of them is named as the odd one."""
    of_three = [each.kind == ALIKE for each in heard if len(each.piece) == 3]
    return 2 * sum(of_three) >= max(len(of_three), 1)


def is_whole(each: Heard) -> bool:
    """Return whether what was said of a piece are all the triplets that some classes have of its items."""
    if len(each.said) < len(each.piece) - 2:
        return False  # two of one class, apart from all others, are so many triplets
    place = {item: i for i, item in enumerate(each.piece)}
    inside = [[place[item] for item in triplet] for triplet in each.said if place.keys() >= set(triplet)]
    said = {(min(a, b), max(a, b), c) for a, b, c in inside}
    groups = groups_of(np.array(inside, np.int32).reshape(-1, 3), len(place))
    sizes = groups.sizes
    return len(said) == (sizes * (sizes - 1) // 2 * (len(place) - sizes)).sum() and not groups.is_split.any()


def pieces_of(heard: Iterable[Heard]) -> tuple[Piece, ...]:
    """Return the pieces about which something may have been left unsaid, in the order in which they were last shown.

    Who sorts a piece says everything. A correction that was set aside says nothing, and nor does saying the same twice.
    """
    pieces: dict[Piece, None] = {}
    for each in heard:
        if each.sizes is not None and each.kind != SORTED and (each.said or each.kind == ACCEPTED):
            piece = in_order(Piece(each.piece, each.sizes, each.said))
            pieces.pop(piece, None)
            pieces[piece] = None
    return tuple(pieces)
