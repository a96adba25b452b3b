"""Questions and answers, of everybody who works on a project at once: each is recorded in turn, and nobody waits long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.again import AGAIN, replaced_by
from treetalk.checks import CHECK
from treetalk.queries import CHOSEN, Query, query_about
from treetalk.server.refusals import Mistaken, NotThere, Refused, refusing
from treetalk.server.windows import surroundings

if TYPE_CHECKING:
    from treetalk.layout import Canvas
    from treetalk.project import Project
    from treetalk.server.asked import Asked
    from treetalk.server.bell import Bell
    from treetalk.server.board import Board
    from treetalk.server.history import History
    from treetalk.server.sampler import Sampler
    from treetalk.server.turns import Turns
    from treetalk.server.windows import Windows

NOTHING_LEFT = "Nothing is left to ask: what your answers leave open was accepted, or is alike to you."
MOST_CONFLICTS = 20


class Dialogue:
    """What people say. All of it is written down before it is acknowledged, and once however often it is sent.

    Parameters
    ----------
    project : Project
        Where it is written down.
    turns, bell, board, windows, history, sampler, asked :
        The desk's.
    """

    def __init__(
        self,
        project: Project,
        turns: Turns,
        bell: Bell,
        board: Board,
        windows: Windows,
        history: History,
        sampler: Sampler,
        asked: Asked,
    ) -> None:
        self._project, self._session = project, project.session
        self._turns, self._bell, self._board = turns, bell, board
        self._windows, self._history, self._sampler, self._asked = windows, history, sampler, asked

    # --- questions

    def question(self, window: str) -> dict[str, Any]:
        """Return the question that a window shows."""
        with self._turns.person():
            self._sampler.line_up()
            query = self._windows.present(window)
        return {"question": self._asked.as_question(query), "words": None if query else NOTHING_LEFT}

    def ask_about(self, window: str, leaves: Sequence[int] | None, branch: str | None) -> dict[str, Any]:
        """Have a window show a question about some items, or about those of a branch."""
        if branch is not None:
            canvas, node = self._branch(branch)
            tree = canvas.tree
            leaves = tree.leaves(surroundings(tree.sizes, tree.parent, node)).tolist()
        with refusing():
            self._asked.check_items(leaves or ())
        with self._turns.person():
            self._sampler.line_up()
            with refusing():
                query = self._windows.about(leaves or ())
            self._windows.show(window, query)
        return {"question": self._asked.as_question(query)}

    def rearrange(self, **gesture: Any) -> dict[str, Any]:
        """Return what dropping a branch of a piece onto another one comes to, and what it means."""
        with refusing():
            return self._asked.rearrange(**gesture)

    # --- answers

    def answer(
        self,
        gesture: str,
        window: str,
        asked: dict[str, Any] | None,
        response: str | list[tuple[int, int, int]],
        **circumstances: Any,
    ) -> dict[str, Any]:
        """Record what was said, and return the next question."""
        with refusing():
            query = None if asked is None else self._asked.as_query(**asked)
        if query is None and isinstance(response, str):
            raise Refused(f'"{response}" answers a question, and none was sent along')
        with self._turns.person():
            self._history.take_in()
            ids = self._project.of_gesture(gesture)
            aside = set(self._session.set_aside)
            is_new = not ids
            if is_new:
                self._record(gesture, query, response, circumstances)
                self._history.take_in()
                ids = self._project.of_gesture(gesture)
                self._sampler.wake()
            else:
                self._check_same(ids, response)
            self._sampler.line_up()
            following = self._windows.next(window) if is_new and query is not None else self._windows.present(window)
            answers = [self._history.answer(number) for number in ids]
            # Whoever sends something again did not hear what became of it.
            conflicts = self._conflicts(aside if is_new else aside - set(ids))
            taken_back = [self._history.answer(number) for number in self._taken_back_by(ids)]
        return {
            "answers": answers,
            "taken_back": taken_back,
            "conflicts": conflicts,
            "question": self._asked.as_question(following),
            "words": None if following else NOTHING_LEFT,
        }

    def _record(self, gesture: str, query: Query | None, response: Any, circumstances: dict[str, Any]) -> None:
        """Write down what was said; what makes no sense is refused, as long as nothing was written."""
        try:
            if query is None:
                self._project.answer(None, response, gesture=gesture, **circumstances)
            else:
                self._project.respond(query, response, gesture=gesture, **circumstances)
        except (TypeError, ValueError) as error:
            if self._project.of_gesture(gesture):
                raise RuntimeError("an answer was recorded and could not be taken in") from error
            raise Refused(str(error)) from error

    def _check_same(self, ids: Sequence[int], response: str | list[tuple[int, int, int]]) -> None:
        """Refuse a gesture that was used for something else."""
        answers = [self._history.records[number].answer for number in ids]
        said = [answer.triplet if answer.triplet is not None else answer.kind for answer in answers]
        if said != ([response] if isinstance(response, str) else [tuple(triplet) for triplet in response]):
            raise Mistaken("something else was said before with this gesture; each has an id of its own")

    def retract(
        self, gesture: str, window: str, takes_back: str | None, ids: Sequence[int] | None, **circumstances: Any
    ) -> dict[str, Any]:
        """Take back a gesture, or some answers, and return the question that was answered."""
        with self._turns.person():
            self._history.take_in()
            done = self._project.of_gesture(gesture)
            aside = set(self._session.set_aside)
            if not done:
                chosen = self._retractable(takes_back, ids)
                with refusing():
                    self._project.retract(chosen, gesture=gesture, **circumstances)
                self._history.take_in()
                done = self._project.of_gesture(gesture)
                self._sampler.wake()
            elif any(self._history.records[number].answer.kind != "retract" for number in done):
                raise Mistaken("something else was said before with this gesture; each has an id of its own")
            self._sampler.line_up()
            following = self._asked_before(done, window)
            answers = [self._history.answer(number) for number in done]
            back = [self._history.answer(number) for number in sorted(aside - set(self._session.set_aside))]
            entries = [self._history.records[number].answer for number in done]
            replaced = self._taken_back_by([each.retracts for each in entries if each.retracts is not None])
            conflicts = self._conflicts(aside)
        return {
            "answers": answers,
            "stay_taken_back": [self._history.answer(number) for number in replaced],
            "back_in_force": [answer for answer in back if answer["standing"] == "in force"],
            "conflicts": conflicts,
            "question": self._asked.as_question(following),
        }

    def comment(self, number: int, text: str, who: str | None) -> dict[str, Any]:
        """Remark on an answer."""
        with self._turns.person():
            with refusing():
                self._project.comment(number, text, who=who)
            comment = self._history.take_in_comments()[-1]
        self._bell.ring()
        return {"comment": {"who": comment.who, "time": comment.time, "text": comment.text}}

    def name(self, branch: str, name: str | None, who: str | None) -> dict[str, Any]:
        """Give the items of a branch a name."""
        canvas, node = self._branch(branch)
        leaves = canvas.tree.leaves(node).tolist()
        if len(leaves) < 2:
            raise Refused("a group has two items or more; an item has its name already")
        with self._turns.person(), refusing():
            self._project.name_cluster(leaves, name, who=who)
        self._sampler.show_again()
        return {"revision": canvas.revision}

    def conflicts(self) -> dict[str, Any]:
        """Return the first contradictions, and how many there are."""
        with self._turns.person():
            return {"conflicts": self._conflicts(set()), "num_conflicts": len(self._project.conflicts)}

    # --- within

    def _branch(self, key: str) -> tuple[Canvas, int]:
        """Return the latest drawing that has a branch, and its node: what a person means is what they saw."""
        shown = self._board.shown
        for canvas in (shown.canvas, *shown.former):
            node = canvas.node(key)
            if node is not None:
                return canvas, node
        raise NotThere("that branch is no longer there; the hierarchy has changed")

    def _conflicts(self, known: set[int]) -> list[dict[str, Any]]:
        """Return the first contradictions but for those that are known."""
        new = [each for each in self._project.conflicts if each.answer.id not in known]
        return [self._history.conflict(each) for each in new[:MOST_CONFLICTS]]

    def _taken_back_by(self, ids: Sequence[int]) -> list[int]:
        """Return the ids of the answers that were taken back because something else was said when it was asked again."""
        return [each for number in ids for each in replaced_by(self._session.answers, number)]

    def _retractable(self, takes_back: str | None, ids: Sequence[int] | None) -> list[int]:
        """Return the ids of the answers of a gesture that were not taken back yet, or those that were given."""
        if takes_back is None:
            return list(ids or ())
        found = list(self._project.of_gesture(takes_back))
        if not found and takes_back.isdecimal() and int(takes_back) < self._history.num_records:
            found = [int(takes_back)]  # an answer from before there were gestures is one by itself
        if not found:
            raise NotThere(f"there is no gesture {takes_back!r} to take back")
        left = [number for number in found if number not in self._history.retracted]
        if not left:
            raise Refused("that has been taken back already")
        return left

    def _asked_before(self, retractions: Sequence[int], window: str) -> Query | None:
        """Return the question again to which answers were taken back; the window shows it."""
        records = self._history.records
        for number in retractions:
            retracted = records[number].answer.retracts
            answer = None if retracted is None else records[retracted].answer
            if answer is not None and answer.leaves is not None and len(answer.leaves) >= 3:
                kind = "triple" if answer.strategy in {CHECK, AGAIN, "simple"} else "subtree"
                # The tree has seen the first answer to a check, so a second one is no check any more.
                strategy = CHOSEN if answer.strategy == CHECK else answer.strategy or ""
                query = query_about(self._session.tree, np.array(answer.leaves, np.int32), kind, strategy)
                self._windows.show(window, query)
                return query
        return self._windows.present(window)
