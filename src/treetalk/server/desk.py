"""What people can do with a project, all of them at once: everything that the page asks for, without a word of HTTP."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from treetalk import __version__, checks
from treetalk.exporting import FORMATS, Format, check_options, exported, filename
from treetalk.project import Project
from treetalk.project.holding import user_name
from treetalk.server.asked import Asked
from treetalk.server.bell import Bell
from treetalk.server.board import Board
from treetalk.server.cards import Cards
from treetalk.server.dialogue import Dialogue
from treetalk.server.history import History
from treetalk.server.refusals import Mistaken, NotThere, Refused, refusing
from treetalk.server.sampler import Sampler
from treetalk.server.takeaway import Takeaway
from treetalk.server.turns import Turns
from treetalk.server.windows import Windows
from treetalk.statements import about_triplet
from treetalk.strategies import SUBSET_SIZE
from treetalk.wording import folded

if TYPE_CHECKING:
    from treetalk.project.store import Picture


NUM_PICTURES = 3


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
        self.identity = _identity(project)
        self._turns, self.bell = Turns(), Bell()
        self._cards = Cards(project, self.identity)
        self._board = Board(self._cards.labels)
        self._asked = Asked(project.items, self._cards, self._board)
        self._subset_size = int(project.settings.get("subset_size", SUBSET_SIZE))
        self._windows = Windows(project, self._subset_size)
        self._history = History(project, self._cards.labels)
        self._sampler = Sampler(project, self._turns, self._board, tell=self.bell.ring, prepare=self._windows.prepare)
        self.dialogue = Dialogue(
            project, self._turns, self.bell, self._board, self._windows, self._history, self._sampler, self._asked
        )
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

    def stop(self) -> None:
        """Stop sampling, and put the trees away; the project stays open."""
        self._sampler.stop()

    def close(self) -> None:
        """Stop sampling, put the trees away, and close the project."""
        self.stop()
        self._project.close()

    def notice(self) -> None:
        """Take in what was said elsewhere in this process: it is to be shown, and sampled on from there."""
        with self._turns.person():
            before = self._history.num_records
            self._history.take_in()
        if self._history.num_records > before:
            self._sampler.wake()

    def check_meant(self, identity: str | None) -> None:
        """Refuse what is meant for another project, which was served here before."""
        if identity not in {None, self.identity}:
            raise Mistaken(f"that is about another project; this is {self._project.path.name} now")

    # --- what there is

    @cached_property
    def about(self) -> dict[str, Any]:
        """What the project is."""
        return {
            "id": self.identity,
            "name": self._project.path.name,
            "num_items": self._project.num_items,
            "has_pictures": self._cards.has_pictures,
            "has_texts": self._cards.has_texts,
            "who": user_name(),
            "strategy": str(self._project.settings.get("strategy", "grouped")),
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
        with refusing():
            self._asked.check_items([number])
        return self._cards.card(number) | {
            "more": self._project.more[number],
            "path": self._board.shown.canvas.path(number),
        }

    def picture(self, number: int) -> Picture:
        """Return an item's image."""
        with refusing():
            self._asked.check_items([number])
        picture = self._project.picture(number)
        if picture is None:
            raise NotThere(f"item {number} has no picture")
        return picture

    def search(self, words: str, limit: int) -> dict[str, Any]:
        """Return items and named branches that have some words in them."""
        items, num_found = self._cards.found(words, limit)
        canvas = self._board.shown.canvas
        wanted = folded(words.strip())
        clusters = [
            {"branch": canvas.key(node), "name": name, "size": int(canvas.tree.sizes[node])}
            for node, name in enumerate(canvas.tree.names or ())
            if name is not None and wanted and wanted in folded(name)
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
        with refusing():
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
            if node["state"] == "shut" and self._cards.has_pictures:
                some = canvas.tree.leaves(canvas.node(node["branch"]))
                node["pictures"] = self._cards.pictures(
                    some[:: max(1, len(some) // NUM_PICTURES)][:NUM_PICTURES].tolist()
                )
        return view | {"renamed": {key: other for key, other in now.items() if other not in {"", key}}}

    # --- what was said

    def history(self, before: int | None, limit: int) -> dict[str, Any]:
        """Return what was said, the newest first."""
        with self._turns.person():
            return self._history.page(before, limit)

    def statement(self, a: int, b: int, c: int) -> dict[str, Any]:
        """Return how sure it is that two items belong together, apart from a third."""
        with self._turns.person(), refusing():
            self._asked.check_items([a, b, c])
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
            "project": self.identity,
            "revision": self._board.shown.revision,
            "num_comments": self._history.num_comments,
            "sure": sure,
            "sampling": self._sampler.status._asdict(),
            "people": self.bell.num_listeners,
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
            "answered": counts.total() - counts["skip"],
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

    def export(self, format_: str, clusters: int | None = None) -> tuple[str | bytes, str, str]:
        """Return the hierarchy in a format, its media type, and a name for the file; labels for so many clusters."""
        if format_ not in list(Format):
            raise NotThere(f"there is no format {format_!r}; there are {', '.join(Format)}")
        chosen = Format(format_)
        # What is taken away never changes, so it can be written while others go on.
        with self._turns.person():
            tree = self._project.named(self._session.stand_in(self._board.shown.tree))
            records, in_force = tuple(self._history.records), self._project.in_force
            taken = Takeaway(self._project.path, self._project.items, tree, self._session.snapshots, records, in_force)
        with refusing():
            check_options(chosen, clusters=clusters)
            if clusters is not None and clusters > self._project.num_items:
                raise Refused(f"{self._project.num_items} items cannot be parted into {clusters} clusters")
        return exported(taken, chosen, clusters=clusters), FORMATS[chosen].media_type, filename(self._project, chosen)


def _identity(project: Project) -> str:
    """Return an id of a project: that of its place and its items, so that no answer goes to another one by mistake."""
    words = hashlib.sha256(os.fsencode(project.path))
    for item in project.items:
        words.update(b"\0" + item.encode())
    return words.hexdigest()[:24]
