"""How sure it is that items belong together: of a triplet and its two alternatives, or of a group, in numbers and in words.

What follows from the answers is certain, and what contradicts them is in no hierarchy; for the rest, it is the share of the
sampled hierarchies.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk import _kernels
from treetalk.arguments import as_leaves, as_rows, as_triplets, format_item
from treetalk.triplets import TripletSet
from treetalk.wording import listed, one_line, percent

if TYPE_CHECKING:
    from treetalk.session import Session
    from treetalk.snapshots import Snapshots
    from treetalk.users import Triplet

NUM_NAMED = 10


@dataclass(frozen=True)
class Statement:
    """What is known of something that may be said of a hierarchy.

    Attributes
    ----------
    claim : str
        What is said: "cat and lynx belong together, apart from dog".
    certain : bool
        Whether it follows from the answers.
    possible : bool
        Whether some hierarchy that satisfies the answers has it.
    count, of : int
        How many sampled hierarchies have it, of how many.
    num_draws : int
        How many of these are draws under the present answers; with none, `count` is to be taken with care.
    """

    claim: str
    certain: bool
    possible: bool
    count: int
    of: int
    num_draws: int

    @property
    def support(self) -> float:
        """The share of the sampled hierarchies that have it."""
        return self.count / self.of

    @property
    def sentence(self) -> str:
        """How sure it is, in words."""
        return f"{self.claim}: {self._verdict}."

    @property
    def _verdict(self) -> str:
        if self.certain:
            return "certain, it follows from your answers"
        if not self.possible:
            return "no hierarchy that satisfies your answers has it"
        return f"{percent(self.support)} sure (in {self.count} of {self.of} sampled hierarchies)"

    def as_record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        names = ("support", "count", "of", "num_draws", "certain", "possible")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class TripletStatement(Statement):
    """What is known of a triplet.

    Attributes
    ----------
    triplet : tuple of three int
        The triplet (a, b, c) in item numbers, the odd one last.
    alternatives : tuple of TripletStatement
        The two other ways to part the three items; those have none.
    """

    triplet: Triplet
    alternatives: tuple[TripletStatement, ...] = ()


@dataclass(frozen=True)
class GroupStatement(Statement):
    """What is known of a cluster with just these items.

    Attributes
    ----------
    leaves : tuple of int
        The items.
    is_everything : bool
        Whether they are all items there are.
    """

    leaves: tuple[int, ...]
    is_everything: bool

    @property
    def _verdict(self) -> str:
        return "certain, for they are all items" if self.is_everything else super()._verdict


def about_triplet(
    session: Session, triplet: Sequence[int | str], labels: Sequence[str] | None = None
) -> TripletStatement:
    """Return what is known of a triplet, and of the two other ways to part its items.

    Parameters
    ----------
    session : Session
        Whose answers and draws are looked at.
    triplet : sequence of three int or str
        Items by number or name, the odd one last.
    labels : sequence of str, optional
        What items are called in words; by default, their names.
    """
    array = as_triplets(np.array(as_rows(triplet), dtype=object), session.num_items, session.items)
    a, b, c = array[0].tolist()
    three = [(a, b, c), (a, c, b), (b, c, a)]
    known, snapshots, num_draws = _evidence(session)
    counts = snapshots.satisfied(np.array(three, np.int32)).sum(axis=0).tolist()
    names = session.items if labels is None else labels
    first, *others = (
        TripletStatement(
            _claim(each, names),
            certain=known.implied(each),
            possible=_is_possible(known, [each]),
            count=count,
            of=len(snapshots),
            num_draws=num_draws,
            triplet=each,
        )
        for each, count in zip(three, counts, strict=True)
    )
    return replace(first, alternatives=tuple(others))


def about_group(session: Session, leaves: Iterable[object], labels: Sequence[str] | None = None) -> GroupStatement:
    """Return what is known of a cluster of some items, given by number or name, and no others; see `about_triplet`."""
    chosen = as_leaves(leaves, session.num_items, session.items)
    if len(chosen) < 2:
        raise ValueError(f"a group has two items or more, not {len(chosen)}")
    known, snapshots, num_draws = _evidence(session)
    # Items that no answer mentions can be anywhere: they make nothing impossible, and leave nothing certain.
    mentioned = set(known.triplets.ravel().tolist())
    inside = [leaf for leaf in chosen.tolist() if leaf in mentioned]
    outside = sorted(mentioned - set(inside))
    is_everything = len(chosen) == session.num_items
    is_all_mentioned = len(inside) == len(chosen) and len(outside) == session.num_items - len(chosen)
    # Neighbours in the list are enough: of pairs that belong together, apart from an item, one leads to the next.
    needed = [(a, b, c) for a, b in itertools.pairwise(inside) for c in outside]
    names = session.items if labels is None else labels
    named = [one_line(format_item(leaf, names)) for leaf in chosen]
    return GroupStatement(
        f"{listed(named, NUM_NAMED)} are a cluster of their own",
        certain=is_everything or (is_all_mentioned and all(known.implied(triplet) for triplet in needed)),
        possible=_is_possible(known, needed),
        count=round(snapshots.frequency_of_clade(chosen) * len(snapshots)),
        of=len(snapshots),
        num_draws=num_draws,
        leaves=tuple(chosen.tolist()),
        is_everything=is_everything,
    )


def _evidence(session: Session) -> tuple[TripletSet, Snapshots, int]:
    """Return the triplets in force, the trees to count in, and how many draws are among them."""
    snapshots = session.snapshots
    return TripletSet(session.triplets, session.num_items), snapshots.draws(), snapshots.num_draws


def _is_possible(known: TripletSet, more: list[Triplet]) -> bool:
    """Return whether some hierarchy has the triplets that are known and more."""
    together = np.concatenate([known.triplets, np.array(more, np.int32).reshape(-1, 3)])
    parent, _ = _kernels.build.build(together, known.num_leaves)
    return bool(parent.size)


def _claim(triplet: Triplet, names: Sequence[str] | None) -> str:
    one, other, odd = (one_line(format_item(leaf, names)) for leaf in triplet)
    return f"{one} and {other} belong together, apart from {odd}"
