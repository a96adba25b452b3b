"""What was said: an append-only list of answers, and which of them are in force."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk import _kernels
from treetalk.arguments import Items, format_triplet
from treetalk.build import minimal_conflict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


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
    """

    id: int
    kind: str
    triplet: tuple[int, int, int] | None = None
    leaves: tuple[int, ...] | None = None
    strategy: str | None = None
    retracts: int | None = None

    def in_words(self, items: Items | None = None) -> str:
        """Return the answer as a phrase."""
        if self.kind == "retract":
            return f"answer {self.retracts} taken back"
        return format_triplet(self.triplet, items) if self.triplet is not None else self.kind


class Conflict(NamedTuple):
    """An answer that was set aside, and the earlier ones in force that it contradicts.

    No tree satisfies all of them; without any one of them, some tree does.
    """

    answer: Answer
    clashes_with: tuple[Answer, ...]


class Ledger:
    """The answers of a session, in the order in which they came.

    A triplet is in force unless it was retracted or contradicts earlier ones in force: then it is set aside. What is in
    force depends on the answers that were not retracted, and on their order, alone.

    Parameters
    ----------
    num_items : int
        The number of items.
    """

    def __init__(self, num_items: int) -> None:
        self._num_items = num_items
        self._entries: list[Answer] = []
        self._table = np.empty((0, 3), np.int32)  # the triplet of each entry, -1 where there is none
        self._num_changes = 0
        self._retracted: set[int] = set()
        self._in_force: list[int] = []
        self._set_aside: dict[int, tuple[int, ...]] = {}
        self._pending: list[int] = []  # not looked at yet: there are some only after an interruption

    @property
    def entries(self) -> tuple[Answer, ...]:
        """All answers, retractions included."""
        return tuple(self._entries)

    @property
    def in_force(self) -> tuple[Answer, ...]:
        """The triplets in force."""
        self._admit()
        return tuple(self._entries[i] for i in self._in_force)

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The triplets set aside, each with those that it contradicts."""
        self._admit()
        return tuple(
            Conflict(self._entries[i], tuple(self._entries[j] for j in others)) for i, others in self._set_aside.items()
        )

    def is_retracted(self, answer_id: int) -> bool:
        """Return whether an answer was taken back."""
        return answer_id in self._retracted

    def triplets(self) -> NDArray[np.int32]:
        """Return the triplets in force, of shape (m, 3)."""
        self._admit()
        return self._triplets(self._in_force)

    def next_entries(
        self,
        kind: str,
        leaves: tuple[int, ...] | None,
        strategy: str | None,
        triplets: Sequence[tuple[int, int, int] | None] = (None,),
    ) -> tuple[Answer, ...]:
        """Return what would be written down next, an entry for each triplet; `extend` writes it down."""
        first = len(self._entries)
        return tuple(Answer(first + i, kind, triplet, leaves, strategy) for i, triplet in enumerate(triplets))

    def next_retractions(self, answer_ids: Sequence[int]) -> tuple[Answer, ...]:
        """Return the entries that take answers back; `extend` writes them down."""
        first = len(self._entries)
        return tuple(Answer(first + i, "retract", retracts=number) for i, number in enumerate(answer_ids))

    def extend(self, entries: Sequence[Answer]) -> None:
        """Write entries down. Triplets come into force or are set aside.

        After a retraction, what clashed with it may come into force, and then in its turn set others aside.
        """
        self._entries += entries
        rows = [entry.triplet or (-1, -1, -1) for entry in entries]
        self._table = np.concatenate([self._table, np.array(rows, np.int32).reshape(-1, 3)])
        taken_back = [entry.retracts for entry in entries if entry.retracts is not None]
        said = [entry.id for entry in entries if entry.triplet is not None and entry.id not in taken_back]
        changed = [number for number in taken_back if self._entries[number].triplet is not None]
        self._retracted.update(taken_back)
        if said or changed:
            self._num_changes += 1
        if changed and self._set_aside:
            # Everything is gone through again: what is in force depends on what was not taken back, and its order, alone.
            self._in_force, self._set_aside, self._pending = [], {}, []
            said = [each.id for each in self._entries if each.triplet is not None and each.id not in self._retracted]
        elif changed:
            gone = set(changed)
            self._in_force = [number for number in self._in_force if number not in gone]
        self._pending += said
        self._admit()

    @property
    def num_changes(self) -> int:
        """How often what is in force may have changed."""
        return self._num_changes

    def _admit(self) -> None:
        """Let pending answers come into force one after the other; those that contradict the ones before are set aside."""
        while self._pending:
            count = self._num_consistent(self._pending)
            fit, rest = self._pending[:count], self._pending[count:]
            if rest:
                together = [*self._in_force, *fit, rest[0]]
                rows = self._conflict(together)
                self._set_aside[rest[0]] = tuple(together[row] for row in rows if together[row] != rest[0])
            self._in_force, self._pending = [*self._in_force, *fit], rest[1:]

    def _num_consistent(self, answers: list[int]) -> int:
        """Return how many of the answers, from the first on, are consistent with those in force, by bisection."""
        if self._is_consistent(answers):
            return len(answers)
        fits, fails = 0, len(answers)
        while fails - fits > 1:
            middle = (fits + fails) // 2
            if self._is_consistent(answers[:middle]):
                fits = middle
            else:
                fails = middle
        return fits

    def _is_consistent(self, more: list[int]) -> bool:
        parent, _ = _kernels.build.build(self._triplets([*self._in_force, *more]), self._num_items)
        return bool(parent.size > 0)

    def _conflict(self, answers: list[int]) -> Sequence[int]:
        triplets = self._triplets(answers)
        _, reason = _kernels.build.build(triplets, self._num_items)
        rows: list[int] = minimal_conflict(triplets, reason).tolist()
        return rows

    def _triplets(self, answers: list[int]) -> NDArray[np.int32]:
        return self._table[np.array(answers, np.int64)]
