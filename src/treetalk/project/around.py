"""A project around a session that is there already, for faces that work on a project."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from treetalk.project.making import create
from treetalk.project.project import Project
from treetalk.project.store import Record, now
from treetalk.session import Session
from treetalk.strategies import SUBSET_SIZE


def project_of(session: Session) -> Project | None:
    """Return the project that writes down what is said in a session, None if there is none."""
    keeper = getattr(session._journal, "__self__", None)
    return keeper if isinstance(keeper, Project) else None


def around(
    session: Session,
    *,
    texts: Iterable[str | None] | None = None,
    pictures: Iterable[tuple[bytes, str] | None] | None = None,
    name: str = "session",
) -> Project:
    """Return a project whose session is this very one, in a temporary file.

    What is said through the project is said in the session, and the other way round. The file has the answers, the names
    of clusters and the comments, but not the data, which stay in the session; it goes away with the project.

    Parameters
    ----------
    session : Session
        The session. From now on, its answers are written down in the project.
    texts, pictures :
        What is shown of each item, as for `treetalk.project.making.create`.
    name : str
        What the project is called.
    """
    folder = tempfile.TemporaryDirectory(prefix="treetalk-", ignore_cleanup_errors=True)
    path = Path(folder.name) / f"{name}.treetalk"
    strategy = session._strategy
    about = {"strategy": strategy.name, "subset_size": getattr(strategy, "subset_size", SUBSET_SIZE)}
    # The session has the data, in units of its own: here they would only take room.
    create(path, np.zeros((session.num_items, 1)), session.items, texts=texts, pictures=pictures, about=about)
    project = Project(path)
    with session._lock:
        with project._database.transaction():
            project._store.put_records(Record(answer, now()) for answer in session.answers)
        session.keep_journal(project._write_down)
        project._session = session
    weakref.finalize(project, folder.cleanup)
    return project


def tell_answers(project: Project, tell: Callable[[], object] | None) -> None:
    """Have somebody told whenever an answer was written down, by whomever; None: nobody any more.

    It is called in the middle of things: whoever is told looks later, from another thread.
    """
    project._tell = tell
