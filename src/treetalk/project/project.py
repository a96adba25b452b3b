"""A project: a dialogue that is kept in one file, and can be gone on with tomorrow."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from treetalk.again import AGAIN
from treetalk.answers import Answer
from treetalk.arguments import as_count, as_leaves
from treetalk.diagnostics import Diagnosis
from treetalk.errors import ProjectError, ProjectHeld
from treetalk.project.accepted import Accepted
from treetalk.project.checking import NONSENSE, as_circumstances, as_options, as_text, for_each
from treetalk.project.contents import Contents
from treetalk.project.database import Database, existing
from treetalk.project.holding import Hold, user_name, who_holds
from treetalk.project.store import Comment, Record, Store, now
from treetalk.queries import Query
from treetalk.resuming import Kept
from treetalk.session import Session
from treetalk.tree import Tree
from treetalk.wording import counted

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from treetalk.answers import Conflict
    from treetalk.users import Response

Value = TypeVar("Value")
# The trees are put away after so many rounds of sampling; answers always at once.
ROUNDS_BETWEEN_SAVES = 20
# After so many pieces that were accepted already, nothing is left to ask.
MOST_PASSED_OVER = 50
# Seconds to wait for whoever only looks whether somebody works on the project.
PATIENCE = 0.3
# What a session takes from the settings as it is.
OPTIONS = ("strategy", "setting", "subset_size", "num_candidates", "seed")


class Project(Contents):
    """A dialogue about the hierarchy of some items, in a file.

    It is used as a `Session` is: `ask`, `answer`, `accept`, `same`, `skip`, `retract`, `advance`. An answer is on the disk
    before such a call returns; where the trees of the chains are is written now and then, and by `save` and `close`.

    `open_project` opens one, `Project.create` makes one.

    Parameters
    ----------
    path : str or path
        The file.
    read_only : bool
        Whether to look only: then nothing is written, and other processes may work on the project.
    options :
        For this time only, in place of what the project's settings say: `strategy`, `subset_size`, `num_candidates`.
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False, **options: Any) -> None:
        file = existing(Path(path))
        self._is_read_only = read_only
        self._options = as_options(options)
        self._lock = threading.RLock()
        self._hold: Hold | None = None
        self._circumstances: dict[str, Any] = {}
        self._asked: weakref.WeakKeyDictionary[Query, float] = weakref.WeakKeyDictionary()
        self._session: Session | None = None
        self._accepted: Accepted | None = None
        self._rounds = 0
        self._is_changed = False  # since the trees were put away
        self._tell: Callable[[], object] | None = None  # somebody that an answer was written down
        self._database = Database(file, is_read_only=True)
        super().__init__(file, Store(self._database))
        if not read_only:
            self._take_hold()

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], X: ArrayLike, items: Iterable[object] | None = None, **parts: Any
    ) -> Project:
        """Make a project from data, and open it; see `treetalk.project.making.create`."""
        from treetalk.project.making import create

        create(path, X, items, **parts)
        return cls(path)

    def _take_hold(self) -> None:
        hold = Hold(self._path)
        try:
            is_free = hold.acquire(PATIENCE)
        except OSError as error:
            self._database.close()
            raise ProjectError(
                f"{self._path} cannot be written to: {error.strerror}; it can be opened for reading only"
            ) from error
        if not is_free:
            who = self._store.holder() or "another process"
            self._database.close()
            raise ProjectHeld(f"{self._path} is being worked on by {who}; it can be opened for reading only")
        try:
            self._database.close()
            self._database = Database(self._path, is_read_only=False)
            self._store = Store(self._database)
            with self._database.transaction():
                self._store.put_holder(who_holds())
        except BaseException:
            self._database.close()
            hold.release()
            raise
        self._hold = hold

    # --- who works on it

    @property
    def is_read_only(self) -> bool:
        """Whether nothing can be written."""
        return self._is_read_only

    @property
    def holder(self) -> str | None:
        """Who works on the project now, in words."""
        if self._hold is not None:
            return self._store.holder()
        return self._read(self._store.holder) if Hold(self._path).is_held() else None

    def tell_holder(self, more: str) -> None:
        """Say more about who works on the project, for those who come later: where to find them, for example."""
        self._check_writable()
        with self._lock, self._database.transaction():
            self._store.put_holder(f"{who_holds()}, {as_text(more, 'what is told')}")

    # --- the session

    @property
    def session(self) -> Session:
        """The dialogue. It is best used through the project, which records who answered, and when."""
        if self._session is None:
            with self._lock:
                if self._session is None:  # another thread may have been first
                    with self._database.reading():
                        answers = [record.answer for record in self.records]
                        kept = self._kept(len(answers))
                    # Whoever works on the project waits for readers, so the transaction ends before the work begins.
                    session = self._taken_up(kept, answers) or self._read(lambda: self._started(answers))
                    session.keep_journal(self._write_down)
                    self._session = session
        return self._session

    def _kept(self, num_answers: int) -> Kept | None:
        """Return where the session was put away; None if it was not, or if that makes no sense."""
        try:
            kept = self._store.kept()
            return kept if kept is not None and kept.is_sound(self.num_items, num_answers) else None
        except (ProjectError, *NONSENSE):
            return None

    def _taken_up(self, kept: Kept | None, answers: list[Answer]) -> Session | None:
        """Return a session that goes on from where it was put away; None if that is nowhere, or makes no sense."""
        if kept is None:
            return None
        try:
            session = self._new_session([chain.tree() for chain in kept.chains])
            session.take_up(kept, answers)
        except (ProjectError, *NONSENSE):
            return None
        return session

    def _started(self, answers: list[Answer]) -> Session:
        session = self._new_session()
        session.replay(answers)
        return session

    def _new_session(self, starts: list[Tree] | None = None) -> Session:
        options = {name: value for name, value in self.settings.items() if name in OPTIONS} | self._options
        return Session(self.X, self.items, model=self.model, starts=starts, **options)

    def refresh(self) -> None:
        """Take in what was recorded in the file since: by another process, or just before an interruption."""
        with self._lock:
            records = self._read(lambda: self._records(len(self.session.answers)))
            if records:
                self.session.replay([record.answer for record in records])

    @property
    def tree(self) -> Tree:
        """The hierarchy as it is now, with support, and the names that were given to clusters."""
        return self.named(self.session.tree)

    @property
    def samples(self) -> list[Tree]:
        """Recent trees of the chains, oldest first."""
        return self.session.samples

    def support(self, triplet: Sequence[int | str]) -> float:
        """Return the posterior probability of a triplet, as `Session.support`."""
        return self.session.support(triplet)

    def clade_support(self, leaves: Iterable[object]) -> float:
        """Return the posterior probability that some items are a clade, as `Session.clade_support`."""
        return self.session.clade_support(leaves)

    def consensus(self, kind: str = "majority") -> Tree:
        """Return another summary of recent draws, as `Session.consensus`, with the names of clusters."""
        return self.named(self.session.consensus(kind))

    def diagnose(self) -> Diagnosis:
        """Return whether the recent draws can be trusted."""
        return self.session.diagnose()

    @property
    def column_weights(self) -> NDArray[np.float64]:
        """For how many columns each feature counts, as far as the answers tell, as `Session.column_weights`."""
        return self.session.column_weights

    @property
    def answers(self) -> tuple[Answer, ...]:
        """All answers, retractions included."""
        return self.session.answers

    @property
    def in_force(self) -> tuple[Answer, ...]:
        """The answers that every tree satisfies."""
        return self.session.in_force

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The answers set aside, each with those in force that it contradicts."""
        return self.session.conflicts

    # --- the dialogue

    def ask(self) -> Query | None:
        """Return what to show next, or None if nothing is left to ask.

        A piece of the tree that was accepted as it is now is not shown again.
        """
        self._is_changed = True
        for _ in range(MOST_PASSED_OVER):
            query = self.session.ask()
            if query is None or query.strategy == AGAIN or not self.is_accepted(query):
                return self._asking(query)
        return None

    def is_accepted(self, query: Query) -> bool:
        """Return whether a piece of the tree was accepted as it is shown."""
        with self._lock:
            accepted = self._accepted = self._accepted or Accepted(self.items)
            accepted.take_in(self._read(lambda: self._records(accepted.num_records)))
            return accepted.has(query)

    def ask_about(self, leaves: Iterable[object]) -> Query:
        """Return a query about some items, given by number or id."""
        query = self.session.ask_about(leaves)
        self._asking(query)
        return query

    def _asking(self, query: Query | None) -> Query | None:
        if query is not None:
            self._asked[query] = time.monotonic()
        return query

    def answer(
        self, query: Query | None, triplets: ArrayLike | Sequence[int | str], **circumstances: Any
    ) -> tuple[Answer, ...]:
        """Record one triplet or several; as `Session.answer`, with `who`, `comment` and `seconds` if they are given.

        Each of these may be a list with one for each triplet. A `gesture` is an id of your own that they have in common:
        `of_gesture` finds them by it.
        """
        with self._saying(query, circumstances):
            return self.session.answer(query, triplets)

    def accept(self, query: Query, **circumstances: Any) -> Answer:
        """Record that what was shown is right."""
        with self._saying(query, circumstances):
            return self.session.accept(query)

    def same(self, query: Query, **circumstances: Any) -> Answer:
        """Record that the items are all alike to the user."""
        with self._saying(query, circumstances):
            return self.session.same(query)

    def skip(self, query: Query, **circumstances: Any) -> Answer:
        """Record that the user does not answer."""
        with self._saying(query, circumstances):
            return self.session.skip(query)

    def respond(self, query: Query, response: Response | ArrayLike, **circumstances: Any) -> None:
        """Record what a user returned: "accept", "same", "skip", a triplet or several."""
        with self._saying(query, circumstances):
            self.session.respond(query, response)

    def retract(self, answer_id: int | Answer | Sequence[int | Answer], **circumstances: Any) -> Answer:
        """Take answers back: all that are given, or none if one of them cannot be."""
        with self._saying(None, circumstances):
            return self.session.retract(answer_id)

    def comment(self, answer_id: int, text: str, *, who: str | None = None) -> None:
        """Remark on an answer that was given before."""
        self._check_writable()
        number = as_count(answer_id, "answer_id")
        if number >= len(self.answers):
            raise ValueError(f"there is no answer {number}; there are {len(self.answers)} answers, numbered from 0")
        if not as_text(text, "a comment").strip():
            raise ValueError("a comment is a word or more")
        if who is not None:
            as_text(who, "who comments")
        with self._lock, self._database.transaction():
            self._store.put_comment(Comment(number, now(), who or user_name(), text.strip()))

    @contextmanager
    def _saying(self, query: Query | None, circumstances: Mapping[str, Any]) -> Iterator[None]:
        """Have what is said within written down with its circumstances."""
        given = as_circumstances(circumstances)
        self._check_writable()
        asked = self._asked.get(query) if query is not None else None
        measured = None if asked is None else round(time.monotonic() - asked, 3)
        shown = None if query is None else _as_newick(query.tree)
        with self._lock:
            self.refresh()
            self._circumstances = {"who": user_name(), "seconds": measured, "shown": shown} | given
            try:
                yield
            finally:
                self._circumstances = {}

    def _write_down(self, answers: tuple[Answer, ...]) -> None:
        """Commit answers to the disk: only then does the session know of them."""
        self._check_writable()
        num_said = sum(answer.kind != "retract" for answer in answers)
        about = for_each(self._circumstances, num_said or len(answers))
        # What is taken back by saying otherwise is an entry by itself.
        about += [{"who": about[0].get("who")}] * (len(answers) - len(about))
        with self._database.transaction():
            self._store.put_records(Record(answer, now(), **about[i]) for i, answer in enumerate(answers))
        self._is_changed = True
        if self._tell is not None:
            self._tell()

    def _check_writable(self) -> None:
        if self._is_read_only:
            raise ProjectError(f"{self._path} was opened for reading only")

    # --- sampling

    def advance(self, num_moves: int | None = None, num_snapshots: int | None = None) -> Project:
        """Sample, as `Session.advance`, and return the project; the trees are put away now and then."""
        self.session.advance(num_moves, num_snapshots)
        self._is_changed = True
        self._rounds += 1
        if self._rounds >= ROUNDS_BETWEEN_SAVES and not self._is_read_only:
            self.save()
        return self

    def save(self, *, patience: float | None = None) -> None:
        """Write down where the trees are, so that the next one who opens the project goes on from there.

        If another program is using the file, wait so many seconds for it, by default 10.
        """
        self._check_writable()
        with self._lock:
            kept = self.session.put_away()
            with self._database.transaction(patience):
                self._store.put_kept(kept)
            self._rounds, self._is_changed = 0, False

    # --- names

    def name_cluster(self, leaves: Iterable[object], name: str | None, *, who: str | None = None) -> None:
        """Give a cluster, its items given by number or id, a name; None takes it away."""
        self._check_writable()
        chosen = as_leaves(leaves, self.num_items, self.items).tolist()
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise ValueError(f"the name of a cluster is a word or more, not {name!r}")
        for text, what in ((name, "the name of a cluster"), (who, "who names a cluster")):
            if text is not None:
                as_text(text, what)
        with self._lock, self._database.transaction():
            self._store.put_name(chosen, None if name is None else name.strip(), who or user_name())

    # --- the end

    def close(self) -> None:
        """Put the trees away, and let others work on the project."""
        with self._lock:
            hold, self._hold = self._hold, None
            if hold is None:
                self._database.close()
                return
            try:
                if self._is_changed:
                    self.save()
                with self._database.transaction():
                    self._store.put_holder(None)
            finally:
                self._database.close()
                hold.release()

    def __enter__(self) -> Project:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> NoReturn:
        raise TypeError(
            f"{self._path} is open, and cannot be copied or pickled; its session can: project.session.copy()"
        )

    def __repr__(self) -> str:
        try:
            inside = f": {counted(self.num_items, 'item')}, {counted(len(self.records), 'answer')}"
        except ProjectError:  # closed, or damaged
            inside = ""
        return f"<treetalk.Project {str(self._path)!r}{inside}>"

    def _repr_html_(self) -> str:
        try:
            return self.session._as_html(self.tree, len(self.answers), "project")
        except ProjectError as error:  # closed, or damaged
            return f"<div>{escape(str(error))}</div>"


def open_project(path: str | os.PathLike[str], *, read_only: bool = False, **options: Any) -> Project:
    """Open a project; use it in a ``with`` statement, or close it. Arguments are those of `Project`.

    Raises
    ------
    ProjectHeld
        If another process works on the project; it can still be opened for reading.
    ProjectError
        If the file is no project, is damaged, or was made by a newer version.
    """
    return Project(path, read_only=read_only, **options)


def _as_newick(tree: Tree) -> str:
    """Return the shape of a tree."""
    return Tree(tree.parent, items=tree.items).to_newick()
