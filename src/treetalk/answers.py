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

    @property
    def entries(self) -> tuple[Answer, ...]:
        """All answers, retractions included."""
        return tuple(self._entries)

    @property
    def in_force(self) -> tuple[Answer, ...]:
        """The triplets in force."""
        return tuple(self._entries[i] for i in self._in_force)

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The triplets set aside, each with those that it contradicts."""
        return tuple(
            Conflict(self._entries[i], tuple(self._entries[j] for j in others)) for i, others in self._set_aside.items()
        )

    def is_retracted(self, answer_id: int) -> bool:
        """Return whether an answer was taken back."""
        return answer_id in self._retracted

    def triplets(self) -> NDArray[np.int32]:
        """Return the triplets in force, of shape (m, 3)."""
        return self._triplets(self._in_force)

    def note(
        self,
        kind: str,
        leaves: tuple[int, ...] | None,
        strategy: str | None,
        triplet: tuple[int, int, int] | None = None,
    ) -> Answer:
        """Write an answer down; one with a triplet comes into force or is set aside."""
        answer = Answer(len(self._entries), kind, triplet, leaves, strategy)
        self._append(answer)
        if triplet is not None:
            self._num_changes += 1
            self._admit([answer.id])
        return answer

    def _append(self, entry: Answer) -> None:
        self._entries.append(entry)
        row = np.array([entry.triplet or (-1, -1, -1)], np.int32)
        self._table = np.concatenate([self._table, row])

    @property
    def num_changes(self) -> int:
        """How often what is in force may have changed."""
        return self._num_changes

    def retract(self, answer_id: int) -> Answer:
        """Take an answer back; what clashed with it may come into force, and then in its turn set others aside."""
        taken_back = self._entries[answer_id]
        entry = Answer(len(self._entries), "retract", retracts=answer_id)
        self._append(entry)
        self._retracted.add(answer_id)
        if taken_back.triplet is None:
            return entry
        self._num_changes += 1
        if not self._set_aside:
            self._in_force.remove(answer_id)
            return entry
        said = [each.id for each in self._entries if each.triplet is not None and each.id not in self._retracted]
        self._in_force, self._set_aside = [], {}
        self._admit(said)
        return entry

    def _admit(self, answers: list[int]) -> None:
        """Let answers come into force one after the other; those that contradict the ones before are set aside."""
        while answers:
            count = self._num_consistent(answers)
            self._in_force += answers[:count]
            if count == len(answers):
                return
            clashing = answers[count]
            together = [*self._in_force, clashing]
            rows = self._conflict(together)
            self._set_aside[clashing] = tuple(together[row] for row in rows if together[row] != clashing)
            answers = answers[count + 1 :]

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
