"""What people can do with a project, all of them at once: everything that the page asks for, without a word of HTTP."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk import __version__, checks
from treetalk.checks import CHECK
from treetalk.errors import TreetalkError
from treetalk.exporting import FORMATS, Format, exported, filename
from treetalk.layout import Canvas
from treetalk.project import Project
from treetalk.project.holding import user_name
from treetalk.queries import SUBSET_SIZE, Query, query_about
from treetalk.server.asked import Asked
from treetalk.server.bell import Bell
from treetalk.server.board import Board
from treetalk.server.cards import Cards
from treetalk.server.history import History
from treetalk.server.sampler import Sampler
from treetalk.server.turns import Turns
from treetalk.server.windows import Windows, surroundings
from treetalk.statements import about_triplet

if TYPE_CHECKING:
    from treetalk.project.store import Picture

NOTHING_LEFT = "Nothing is left to ask: what your answers leave open was accepted, or is alike to you."
MOST_CONFLICTS = 20


class NotThere(TreetalkError):
    """Something was asked for that is not there."""


class Desk:
    """A project, and everybody who works on it.

    Parameters
    ----------
    project : Project
        The project, open for writing.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._session = project.session
        self._turns, self.bell = Turns(), Bell()
        self._cards = Cards(project)
        self._board = Board(self._cards.labels)
        self._asked = Asked(project.items, self._cards, self._board)
        self._subset_size = int(project.settings.get("subset_size", SUBSET_SIZE))
        self._windows = Windows(project, self._subset_size)
        self._history = History(project, self._cards.labels)
        self._sampler = Sampler(project, self._turns, self._board, tell=self.bell.ring, prepare=self._windows.prepare)
        self.start_id = secrets.token_hex(8)
        self.is_closing = False
        self._counted: tuple[tuple[int, float], dict[str, Any]] = (-1, 0.0), {}

    def start(self) -> None:
        """Begin to sample."""
        self._sampler.start()

    def let_go(self) -> None:
        """Have all who listen stop to do so: the end is near."""
        self.is_closing = True
        self.bell.ring()

    def close(self) -> None:
        """Stop sampling, put the trees away, and close the project."""
        self._sampler.stop()
        self._project.close()

    # --- what there is

    @cached_property
    def about(self) -> dict[str, Any]:
        """What the project is."""
        return {
            "name": self._project.path.name,
            "num_items": self._project.num_items,
            "has_pictures": self._cards.has_pictures,
            "has_texts": self._cards.has_texts,
            "who": user_name(),
            "strategy": str(self._project.settings.get("strategy", "interleaved")),
            "subset_size": self._subset_size,
            "version": __version__,
            "is_read_only": self._project.is_read_only,
            "exports": [
                {"format": str(each), "words": described.words, "filename": filename(self._project, each)}
                for each, described in FORMATS.items()
            ],
        }

    def item(self, number: int) -> dict[str, Any]:
        """Return all that is known of an item, and the branches that it is in."""
        self._asked.check_items([number])
        return self._cards.card(number) | {
            "more": self._project.more[number],
            "path": self._board.shown.canvas.path(number),
        }

    def picture(self, number: int) -> Picture:
        """Return an item's image."""
        self._asked.check_items([number])
        picture = self._project.picture(number)
        if picture is None:
            raise NotThere(f"item {number} has no picture")
        return picture

    def search(self, words: str, limit: int) -> dict[str, Any]:
        """Return items and named branches that have some words in them."""
        items, num_found = self._cards.found(words, limit)
        canvas = self._board.shown.canvas
        wanted = words.strip().casefold()
        clusters = [
            {"branch": canvas.key(node), "name": name, "size": int(canvas.tree.sizes[node])}
            for node, name in enumerate(canvas.tree.names or ())
            if name is not None and wanted and wanted in name.casefold()
        ]
        return {"items": items, "clusters": clusters[:limit], "num_found": num_found + len(clusters)}

    def tree(
        self,
        focus: str | None,
        detail: int,
        opened: Sequence[str],
        shut: Sequence[str],
        offset: int,
        limit: int,
        mark: Sequence[int],
        since: int | None,
    ) -> dict[str, Any]:
        """Return what is visible of the hierarchy."""
        self._asked.check_items(mark)
        shown = self._board.shown
        canvas = shown.canvas
        asked = dict.fromkeys([*([] if focus is None else [focus]), *opened, *shut])
        # Keys of branches that are like none any more are passed over.
        now = {key: canvas.resolve(key, shown.former) or "" for key in asked}
        before = None if since is None or since == shown.revision else shown.since(since)
        moved = None if before is None else canvas.moved_since(before)
        view = canvas.view(
            focus=None if focus is None else now[focus] or None,
            detail=detail,
            open=[now[key] for key in opened],
            shut=[now[key] for key in shut],
            offset=offset,
            limit=limit,
            mark=mark,
            moved=moved,
        )
        for node in view["nodes"]:
            node["item"] = None if node["item"] is None else self._cards.card(node["item"])
        return view | {"renamed": {key: other for key, other in now.items() if other not in {"", key}}}

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
        self._asked.check_items(leaves or ())
        with self._turns.person():
            self._sampler.line_up()
            query = self._windows.about(leaves or ())
            self._windows.show(window, query)
        return {"question": self._asked.as_question(query)}

    def rearrange(self, **gesture: Any) -> dict[str, Any]:
        """Return what dropping a branch of a piece onto another one comes to, and what it means."""
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
        """Record what was said, once however often it is sent, and return the next question."""
        query = None if asked is None else self._asked.as_query(**asked)
        if query is None and isinstance(response, str):
            raise ValueError(f'"{response}" answers a question, and none was sent along')
        with self._turns.person():
            ids = self._project.of_gesture(gesture)
            aside = set(self._session.set_aside)
            if not ids:
                if query is None:
                    self._project.answer(None, response, gesture=gesture, **circumstances)
                else:
                    self._project.respond(query, response, gesture=gesture, **circumstances)
                self._history.take_in()
                ids = self._project.of_gesture(gesture)
                self._sampler.wake()
                self._sampler.line_up()
                following = self._windows.present(window) if query is None else self._windows.next(window)
            else:
                self._sampler.line_up()
                following = self._windows.present(window)
            answers = [self._history.answer(number) for number in ids]
            conflicts = self._new_conflicts(aside)
        return {
            "answers": answers,
            "conflicts": conflicts,
            "question": self._asked.as_question(following),
            "words": None if following else NOTHING_LEFT,
            "state": self.state(),
        }

    def retract(
        self, gesture: str, window: str, takes_back: str | None, ids: Sequence[int] | None, **circumstances: Any
    ) -> dict[str, Any]:
        """Take back a gesture, or some answers, and return the question that was answered."""
        with self._turns.person():
            done = self._project.of_gesture(gesture)
            aside = set(self._session.set_aside)
            if not done:
                chosen = self._retractable(takes_back, ids)
                self._project.retract(chosen, gesture=gesture, **circumstances)
                self._history.take_in()
                done = self._project.of_gesture(gesture)
                self._sampler.wake()
            self._sampler.line_up()
            following = self._asked_before(done, window)
            answers = [self._history.answer(number) for number in done]
            back = [self._history.answer(number) for number in sorted(aside - set(self._session.set_aside))]
            conflicts = self._new_conflicts(aside)
        in_force = [answer for answer in back if answer["standing"] == "in force"]
        return {
            "answers": answers,
            "back_in_force": in_force,
            "conflicts": conflicts,
            "question": self._asked.as_question(following),
            "state": self.state(),
        }

    def comment(self, number: int, text: str, who: str | None) -> dict[str, Any]:
        """Remark on an answer."""
        with self._turns.person():
            self._project.comment(number, text, who=who)
            comment = self._project.comments[-1]
        self.bell.ring()
        return {"comment": {"who": comment.who, "time": comment.time, "text": comment.text}}

    def name(self, branch: str, name: str | None, who: str | None) -> dict[str, Any]:
        """Give the items of a branch a name."""
        canvas, node = self._branch(branch)
        with self._turns.person():
            self._project.name_cluster(canvas.tree.leaves(node).tolist(), name, who=who)
        self._sampler.show_again()
        return {"revision": canvas.revision}

    def history(self, before: int | None, limit: int) -> dict[str, Any]:
        """Return what was said, the newest first."""
        with self._turns.person():
            return self._history.page(before, limit)

    def conflicts(self) -> dict[str, Any]:
        """Return the first contradictions, and how many there are."""
        with self._turns.person():
            conflicts = self._project.conflicts
            return {
                "conflicts": [self._history.conflict(each) for each in conflicts[:MOST_CONFLICTS]],
                "num_conflicts": len(conflicts),
            }

    def statement(self, a: int, b: int, c: int) -> dict[str, Any]:
        """Return how sure it is that two items belong together, apart from a third."""
        self._asked.check_items([a, b, c])
        with self._turns.person():
            known = about_triplet(self._session, (a, b, c), self._cards.labels)
        return {
            "words": known.sentence,
            "support": known.support,
            "certain": known.certain,
            "possible": known.possible,
            "alternatives": [
                {"words": each.sentence, "support": each.support, "triplet": each.triplet}
                for each in known.alternatives
            ],
        }

    def state(self) -> dict[str, Any]:
        """Return how far things are."""
        settled, sure = self._sampler.sureness
        return self._count(self._history.num_records, settled) | {
            "revision": self._board.shown.revision,
            "sure": sure,
            "sampling": self._sampler.status._asdict(),
            "people": self._windows.num_lately,
            "start": self.start_id,
        }

    def _count(self, num_records: int, settled: float) -> dict[str, Any]:
        """Return what was said, in numbers. It is asked for often, and changes with an answer only."""
        key, counted = self._counted
        if key == (num_records, settled):
            return counted
        counts = self._history.counts()
        said = self._history.records, self._history.retracted, self._project.items
        found = checks.estimate(*said, open_share=1.0 - settled)
        counted = {
            "num_records": num_records,
            "answered": counts.total(),
            "corrections": counts["triplet"],
            "accepted": counts["accept"],
            "skipped": counts["skip"],
            "alike": counts["same"],
            "in_force": len(self._session.in_force),
            "set_aside": len(self._session.set_aside),
            "settled": settled,
            "wrong": None if found is None else found._asdict(),
            "checks_needed": max(0, checks.checks_needed(*said)),
        }
        self._counted = (num_records, settled), counted
        return counted

    def export(self, format_: str) -> tuple[str | bytes, str, str]:
        """Return the hierarchy in a format, its media type, and a name for the file."""
        if format_ not in list(Format):
            raise NotThere(f"there is no format {format_!r}; there are {', '.join(Format)}")
        chosen = Format(format_)
        with self._turns.person():
            self._session.stand_in(self._board.shown.tree)
            data = exported(self._project, chosen)
        return data, FORMATS[chosen].media_type, filename(self._project, chosen)

    # --- within

    def _branch(self, key: str) -> tuple[Canvas, int]:
        """Return the latest drawing that has a branch, and its node: what a person means is what they saw."""
        shown = self._board.shown
        for canvas in (shown.canvas, *shown.former):
            node = canvas.node(key)
            if node is not None:
                return canvas, node
        raise NotThere("that branch is no longer there; the hierarchy has changed")

    def _new_conflicts(self, before: set[int]) -> list[dict[str, Any]]:
        """Return the contradictions that were not there before."""
        new = [each for each in self._project.conflicts if each.answer.id not in before]
        return [self._history.conflict(each) for each in new[:MOST_CONFLICTS]]

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
            raise ValueError("that has been taken back already")
        return left

    def _asked_before(self, retractions: Sequence[int], window: str) -> Query | None:
        """Return the question again to which answers were taken back; the window shows it."""
        records = self._history.records
        for number in retractions:
            retracted = records[number].answer.retracts
            answer = None if retracted is None else records[retracted].answer
            if answer is not None and answer.leaves is not None and len(answer.leaves) >= 3:
                kind = "triple" if answer.strategy in {CHECK, "simple"} else "subtree"
                query = query_about(self._session.tree, np.array(answer.leaves, np.int32), kind, answer.strategy or "")
                self._windows.show(window, query)
                return query
        return self._windows.present(window)
