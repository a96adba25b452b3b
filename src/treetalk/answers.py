"""What was said: an append-only list of answers, and which of them are in force."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treetalk import _kernels
from treetalk.arguments import Items, format_triplet
from treetalk.build import minimal_conflict
from treetalk.outvoting import MOST_SAID, larger_agreement
from treetalk.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


# Answers compared with the tree at a time.
NUM_LOOKED_AT = 1_000


class Answer(NamedTuple):
    """One entry of the list. It is never changed: a retraction is another entry.

    Attributes
    ----------
    id : int
        Its place in the list, from 0.
    kind : str
        "triplet", "accept", "same", "skip" or "retract".
    triplet : tuple of three int, or None
        (a, b, c), the odd one last, in item numbers.
    leaves : tuple of int, or None
        What was shown; None for what was said unasked.
    strategy : str or None
        Who chose what was shown.
    retracts : int or None
        The id of the answer that a "retract" takes back.
    sizes : tuple of int, or None
        How the leaves were shown: for each two of them, (0, 1), (0, 2) and so on, the size of the smallest cluster that has
        both. None for what was no piece of 4 to 20 items, in twos, and in older files.
    """

    id: int
    kind: str
    triplet: tuple[int, int, int] | None = None
    leaves: tuple[int, ...] | None = None
    strategy: str | None = None
    retracts: int | None = None
    sizes: tuple[int, ...] | None = None

    def in_words(self, items: Items | None = None) -> str:
        """Return the answer as a phrase."""
        if self.kind == "retract":
            return f"answer {self.retracts} taken back"
        return format_triplet(self.triplet, items) if self.triplet is not None else self.kind


class Conflict:
    """An answer that was set aside, and those in force that it contradicts; it can be unpacked as the two.

    No tree satisfies all of them; without any one of them, some tree does.

    Parameters
    ----------
    answer : Answer
        The answer.
    find : callable
        Returns those that it contradicts: that takes some time, so it is done when somebody asks.
    """

    def __init__(self, answer: Answer, find: Callable[[], tuple[Answer, ...]]) -> None:
        self.answer, self._find = answer, find

    @cached_property
    def clashes_with(self) -> tuple[Answer, ...]:
        """The answers in force that it contradicts: earlier ones, if these are enough to contradict it."""
        return self._find()

    def __iter__(self) -> Iterator[Any]:
        return iter((self.answer, self.clashes_with))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conflict):
            return NotImplemented
        return self.answer == other.answer and self.clashes_with == other.clashes_with

    def __hash__(self) -> int:
        return hash(self.answer)

    def __repr__(self) -> str:
        return f"Conflict(answer={self.answer!r}, clashes_with={self.clashes_with!r})"


class _Standing(NamedTuple):
    """How answers stand."""

    entries: list[Answer]
    table: NDArray[np.int32]  # the triplet of each entry, -1 where there is none
    retracted: frozenset[int]
    in_force: list[int]
    set_aside: dict[int, int]  # and how many in force, from the first on, contradict it
    pending: list[int]  # not looked at yet: there are some only after an interruption
    num_changes: int
    tree: Tree | None  # one that has all triplets in force


class Ledger:
    """The answers of a session, in the order in which they came.

    A triplet is in force unless it was retracted or contradicts others in force: then it is set aside. What is in
    force depends on the answers that were not retracted, and on their order, alone.

    Parameters
    ----------
    num_items : int
        The number of items.
    outvotes : bool
        Whether an answer in force is set aside where that brings more others into force; see `treetalk.outvoting`.
    """

    def __init__(self, num_items: int, *, outvotes: bool = False) -> None:
        self._num_items, self._outvotes = num_items, outvotes
        self._now = _Standing([], np.empty((0, 3), np.int32), frozenset(), [], {}, [], 0, None)
        self._clashes: dict[int, tuple[Answer, ...]] = {}  # of answers set aside, found when they are asked for
        # What votes came to: whoever takes back the last answer goes through all others again.
        self._votes: dict[bytes, NDArray[np.int32] | None] = {}

    @property
    def entries(self) -> tuple[Answer, ...]:
        """All answers, retractions included."""
        return tuple(self._now.entries)

    @property
    def in_force(self) -> tuple[Answer, ...]:
        """The triplets in force."""
        self._admit()
        return tuple(self._now.entries[i] for i in self._now.in_force)

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The triplets set aside, each with those that it contradicts."""
        self._admit()
        now, found = self._now, self._clashes
        return tuple(Conflict(now.entries[i], partial(self._clashes_of, i, now, found)) for i in now.set_aside)

    def is_retracted(self, answer_id: int) -> bool:
        """Return whether an answer was taken back."""
        return answer_id in self._now.retracted

    def triplets(self) -> NDArray[np.int32]:
        """Return the triplets in force, of shape (m, 3)."""
        self._admit()
        return self._triplets(self._now.in_force)

    @property
    def num_changes(self) -> int:
        """How often what is in force may have changed."""
        return self._now.num_changes

    def next_entries(
        self,
        kind: str,
        leaves: tuple[int, ...] | None,
        strategy: str | None,
        triplets: Sequence[tuple[int, int, int] | None] = (None,),
        sizes: tuple[int, ...] | None = None,
    ) -> tuple[Answer, ...]:
        """Return what would be written down next, an entry for each triplet; `extend` writes it down."""
        first = len(self._now.entries)
        return tuple(
            Answer(first + i, kind, triplet, leaves, strategy, sizes=sizes) for i, triplet in enumerate(triplets)
        )

    def next_retractions(self, answer_ids: Sequence[int], num_before: int = 0) -> tuple[Answer, ...]:
        """Return the entries that take answers back, after so many others that come first; `extend` writes them down."""
        first = len(self._now.entries) + num_before
        return tuple(Answer(first + i, "retract", retracts=number) for i, number in enumerate(answer_ids))

    def extend(self, entries: Sequence[Answer]) -> None:
        """Write entries down. Triplets come into force or are set aside.

        After a retraction, what clashed with it may come into force, and then in its turn set others aside.
        """
        now = self._now
        known = [*now.entries, *entries]
        rows = [entry.triplet or (-1, -1, -1) for entry in entries]
        table = np.concatenate([now.table, np.array(rows, np.int32).reshape(-1, 3)])
        taken_back = {entry.retracts for entry in entries if entry.retracts is not None}
        retracted = now.retracted | taken_back
        said = [entry.id for entry in entries if entry.triplet is not None and entry.id not in taken_back]
        changed = any(known[number].triplet is not None for number in taken_back)
        in_force, set_aside, pending, tree = now.in_force, now.set_aside, [*now.pending, *said], now.tree
        if changed and set_aside:
            # Everything is gone through again: what is in force depends on what was not taken back, and its order, alone.
            in_force, set_aside, tree = [], {}, None
            pending = [each.id for each in known if each.triplet is not None and each.id not in retracted]
            self._clashes = {}
        elif changed:
            # A tree of more triplets is one of fewer.
            in_force = [number for number in in_force if number not in taken_back]
            pending = [number for number in pending if number not in taken_back]
        num_changes = now.num_changes + bool(said or changed)
        # All at once: whoever is interrupted finds all of it, or nothing.
        self._now = _Standing(known, table, retracted, in_force, set_aside, pending, num_changes, tree)
        self._admit()

    @property
    def set_aside(self) -> dict[int, int]:
        """The ids of the triplets set aside, and how many triplets in force, from the first on, contradict each of them."""
        self._admit()
        return dict(self._now.set_aside)

    def restore(self, entries: Sequence[Answer], set_aside: Mapping[int, int]) -> None:
        """Write down the first entries of all, of which it is known which are set aside: that takes long to find out.

        If what is known does not fit, it is found out anew.
        """
        retracted = frozenset(entry.retracts for entry in entries if entry.retracts is not None)
        said = [entry.id for entry in entries if entry.triplet is not None and entry.id not in retracted]
        in_force = [number for number in said if number not in set_aside]
        rows = np.array([entry.triplet or (-1, -1, -1) for entry in entries], np.int32).reshape(-1, 3)
        fits = set_aside.keys() <= set(said) and all(0 <= count <= len(in_force) for count in set_aside.values())
        parent, _ = _kernels.build.build(rows[np.array(in_force, np.int64)], self._num_items)
        if not fits or not parent.size:
            self.extend(entries)
            return
        tree = Tree(parent)
        self._now = _Standing(list(entries), rows, retracted, in_force, dict(set_aside), [], 1, tree)

    def _admit(self) -> None:
        """Let pending answers come into force one after the other; those that contradict the ones before are set aside."""
        size = len(self._now.pending)
        while self._now.pending:
            self._admit_displayed()
            now = self._now
            batch, rest = now.pending[:size], now.pending[size:]
            together = [*now.in_force, *batch]
            parent, _ = _kernels.build.build(self._triplets(together), self._num_items)
            if parent.size:
                self._now = now._replace(in_force=together, pending=rest, tree=Tree(parent))
                size *= 2
            elif len(batch) > 1:
                size = max(len(batch) // 4, 1)
            else:
                aside = now._replace(set_aside=now.set_aside | {batch[0]: len(now.in_force)}, pending=rest)
                # At once: whoever is interrupted in between would find it set aside for good.
                self._now = self._put_to_the_vote(aside) if self._outvotes else aside

    def _put_to_the_vote(self, now: _Standing) -> _Standing:
        """Return how answers stand when the fewest are given up, now that one more is set aside."""
        if len(now.in_force) + len(now.set_aside) > MOST_SAID:
            return now
        ids = np.array(sorted([*now.in_force, *now.set_aside]), np.int64)
        said = now.table[ids]
        said[:, :2].sort(axis=1)
        # Who repeats himself has one vote, that of the first time.
        _, first, again = np.unique(said, axis=0, return_index=True, return_inverse=True)
        original = first[again.reshape(-1)]
        is_aside = np.isin(ids, list(now.set_aside))[first]
        stand = np.array([*now.in_force, -1, *now.set_aside], np.int32)
        known = blake2b(stand.tobytes(), digest_size=16).digest()
        if known not in self._votes:
            found = larger_agreement(said, np.sort(first[~is_aside]).tolist(), np.sort(first[is_aside]).tolist())
            self._votes[known] = None if found is None else np.array(found, np.int32)
        agreed = self._votes[known]
        if agreed is None:
            return now
        agrees = np.isin(original, agreed)
        in_force, others = ids[agrees].tolist(), ids[~agrees].tolist()
        tree = Tree(_kernels.build.build(self._triplets(in_force), self._num_items)[0])
        set_aside = {number: self._num_needed(in_force, number) for number in others}
        self._clashes = {}
        return now._replace(in_force=in_force, set_aside=set_aside, tree=tree)

    def _num_needed(self, in_force: list[int], number: int) -> int:
        """Return how many answers in force, from the first on, contradict another: the earlier ones, or else all."""
        earlier = [each for each in in_force if each < number]
        parent, _ = _kernels.build.build(self._triplets([*earlier, number]), self._num_items)
        return len(in_force) if parent.size else len(earlier)

    def _admit_displayed(self) -> None:
        """Let pending answers come into force that the tree of those in force has anyway: nothing contradicts them."""
        now = self._now
        if now.tree is None:
            return
        some = now.pending[:NUM_LOOKED_AT]
        violated = np.flatnonzero(~now.tree.satisfies(self._triplets(some)))
        count = int(violated[0]) if violated.size else len(some)
        self._now = now._replace(in_force=[*now.in_force, *some[:count]], pending=now.pending[count:])

    def _clashes_of(self, answer_id: int, then: _Standing, found: dict[int, tuple[Answer, ...]]) -> tuple[Answer, ...]:
        """Return the answers that were in force and that one contradicts: a minimal set. What was found is kept."""
        if answer_id not in found:
            together = [*then.in_force[: then.set_aside[answer_id]], answer_id]
            triplets = then.table[np.array(together, np.int64)]
            _, reason = _kernels.build.build(triplets, self._num_items)
            rows = minimal_conflict(triplets, reason).tolist()
            found[answer_id] = tuple(then.entries[together[row]] for row in rows if together[row] != answer_id)
        return found[answer_id]

    def _triplets(self, answers: list[int]) -> NDArray[np.int32]:
        return self._now.table[np.array(answers, np.int64)]
