"""What was said, as the page tells it: answers that were given at once are one entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from treetalk import gestures

if TYPE_CHECKING:
    from treetalk.answers import Answer, Conflict
    from treetalk.project import Project
    from treetalk.project.store import Comment, Record

WORDS = {
    "accept": "right as it was shown",
    "same": "all alike",
    "skip": "skipped",
}
MOST_SENTENCES, MOST_IN_WORDS = 3, 500
MOST_LISTED, MOST_NAMED = 200, 12  # triplets and items of an entry
NOTED, IN_FORCE, ASIDE, BACK = "noted", "in force", "set aside", "taken back"


class History:
    """The answers of a project, in the order in which they came. Used within a turn only.

    Parameters
    ----------
    project : Project
        The project.
    labels : sequence of str
        What is shown of each item.
    """

    def __init__(self, project: Project, labels: Sequence[str]) -> None:
        self._project, self._labels = project, labels
        self._records: list[Record] = []
        self._retracted: set[int] = set()
        self._said: dict[tuple[int, int], str] = {}
        self._comments: tuple[Comment, ...] = ()
        self.take_in()
        self.take_in_comments()

    def take_in(self) -> None:
        """Take in what was recorded since."""
        new = self._project.records_from(len(self._records))
        self._records += new
        self._retracted |= {record.answer.retracts for record in new if record.answer.retracts is not None}

    def take_in_comments(self) -> tuple[Comment, ...]:
        """Take in what was remarked since, and return all comments."""
        self._comments = self._project.comments
        return self._comments

    @property
    def num_comments(self) -> int:
        """How many comments were made after the answers that they are about."""
        return len(self._comments)

    @property
    def num_records(self) -> int:
        """How many answers there are, retractions included."""
        return len(self._records)

    @property
    def records(self) -> Sequence[Record]:
        """All answers with their circumstances."""
        return self._records

    @property
    def retracted(self) -> set[int]:
        """The ids of the answers that were taken back."""
        return self._retracted

    def counts(self) -> Counter[str]:
        """Return how many gestures of each kind there are that were not taken back."""
        return Counter(
            group[0].answer.kind
            for group in self._grouped(self._records)
            if group[0].answer.kind != "retract" and any(record.answer.id not in self._retracted for record in group)
        )

    def standing(self, answer: Answer) -> str:
        """Return how an answer stands."""
        if answer.id in self._retracted:
            return BACK
        if answer.kind != "triplet":
            return NOTED
        return ASIDE if answer.id in self._project.session.set_aside else IN_FORCE

    def answer(self, number: int) -> dict[str, Any]:
        """Return an answer as the page tells it."""
        record = self._records[number]
        return {
            "id": number,
            "gesture": record.gesture or str(number),
            "kind": record.answer.kind,
            "words": self.words([record.answer]),
            "who": record.who,
            "time": record.time,
            "standing": self.standing(record.answer),
        }

    def conflict(self, conflict: Conflict) -> dict[str, Any]:
        """Return a contradiction as the page tells it."""
        clashes = [self.answer(each.id) for each in conflict.clashes_with]
        one = self.answer(conflict.answer.id)
        others = "; and ".join(f"“{each['words']}”" for each in clashes)
        return {"answer": one, "clashes_with": clashes, "words": f"“{one['words']}” contradicts {others}."}

    def words(self, answers: Sequence[Answer]) -> str:
        """Return what answers that were given at once say."""
        kind = answers[0].kind
        if kind == "retract":
            taken_back = [self._records[each.retracts].answer for each in answers if each.retracts is not None]
            return f"taken back: {self.words(taken_back)}"
        if kind != "triplet":
            return WORDS[kind]
        # They never change, and many at once take a while to be said well.
        key = answers[0].id, answers[-1].id
        if key not in self._said:
            triplets = [answer.triplet for answer in answers if answer.triplet is not None]
            if len(triplets) > MOST_IN_WORDS:
                num_items = len({item for triplet in triplets for item in triplet})
                self._said[key] = f"{len(triplets):,} statements about {num_items:,} items"
            else:
                self._said[key] = "; ".join(gestures.in_words(triplets, self._labels, MOST_SENTENCES))
        return self._said[key]

    def page(self, before: int | None, limit: int) -> dict[str, Any]:
        """Return gestures from before an answer on, the newest first, and where to go on."""
        end = len(self._records) if before is None else min(before, len(self._records))
        comments: dict[int, list[dict[str, Any]]] = {}
        for comment in self._comments:
            comments.setdefault(comment.answer, []).append(
                {"who": comment.who, "time": comment.time, "text": comment.text}
            )
        entries: list[dict[str, Any]] = []
        for group in self._grouped(reversed(self._records[:end])):
            if len(entries) == limit:
                break
            entries.append(self._entry(group[::-1], comments))
        last = entries[-1]["ids"][0] if entries else 0
        return {"gestures": entries, "next": last if last > 0 else None, "num_records": len(self._records)}

    def _entry(self, group: list[Record], comments: dict[int, list[dict[str, Any]]]) -> dict[str, Any]:
        first = group[0]
        triplets = [record.answer.triplet for record in group if record.answer.triplet is not None]
        said = [{"who": first.who, "time": first.time, "text": first.comment}] if first.comment else []
        later = [comment for record in group for comment in comments.get(record.answer.id, [])]
        standings = {self.standing(record.answer) for record in group}
        if len(standings) > 1:
            standings.discard(BACK)  # the others are what still counts
        return {
            "gesture": first.gesture or str(first.answer.id),
            "ids": [record.answer.id for record in group],
            "kind": first.answer.kind,
            "words": self.words([record.answer for record in group]),
            "num_triplets": len(triplets),
            "triplets": triplets[:MOST_LISTED],
            "leaves": list(first.answer.leaves or ()),
            "items": [self._labels[leaf] for leaf in (first.answer.leaves or ())[:MOST_NAMED]],
            "who": first.who,
            "time": first.time,
            "seconds": first.seconds,
            "comments": said + later,
            "standing": standings.pop() if len(standings) == 1 else "partly set aside",
        }

    @staticmethod
    def _grouped(records: Iterable[Record]) -> Iterator[list[Record]]:
        """Yield records that were given at once together."""
        group: list[Record] = []
        for record in records:
            if group and (record.gesture is None or record.gesture != group[-1].gesture):
                yield group
                group = []
            group.append(record)
        if group:
            yield group
