"""The SQLite database of a project: opened, checked, written to all or nothing; what SQLite says, as a sentence."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from treetalk.errors import ProjectError, ProjectHeld
from treetalk.project.schema import APPLICATION_ID, MIGRATIONS, migrate

PATIENCE = 10.0  # seconds that one process waits for another to finish writing


class Database:
    """A connection to a project file.

    Parameters
    ----------
    path : Path
        The file, which is there.
    is_read_only : bool
        Whether nothing is written.
    """

    def __init__(self, path: Path, *, is_read_only: bool) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._room: tempfile.TemporaryDirectory[str] | None = None
        self._is_closed = False
        with self._sentences():
            self._connection = self._opened(is_read_only)
        try:
            with self._sentences():
                self._prepare(is_read_only)
        except BaseException:
            self.close()
            raise

    @classmethod
    def make(cls, path: Path) -> Database:
        """Return a new database, in a file that must not be there yet."""
        path.touch(exist_ok=False)
        connection = cls._connect(path)
        try:
            migrate(connection)
        except sqlite3.Error as error:
            kind, sentence = _explained(error, path)
            raise kind(sentence) from error
        finally:
            connection.close()
        return cls(path, is_read_only=False)

    def _opened(self, is_read_only: bool) -> sqlite3.Connection:
        if not is_read_only:
            return self._connect(self._path)
        # Whatever a killed process left half-written is undone by whoever opens the file next, and that means writing; so
        # the file is opened for writing, which falls back to reading where the file is protected.
        connection = self._connect(self._path)
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            connection.close()
            if not getattr(error, "sqlite_errorname", "").startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
                raise
            return self._copied()
        return connection

    def _copied(self) -> sqlite3.Connection:
        """Return a connection to a copy, for a file in a protected folder that a killed process left half-written."""
        self._room = tempfile.TemporaryDirectory(prefix="treetalk-")
        copy = Path(self._room.name) / self._path.name
        for ending in ("", "-journal"):
            part = self._path.with_name(self._path.name + ending)
            if part.exists():
                shutil.copyfile(part, copy.with_name(copy.name + ending))
        return self._connect(copy)

    @staticmethod
    def _connect(path: Path) -> sqlite3.Connection:
        uri = f"file:{quote(os.fsencode(path))}?mode=rw"
        return sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)

    def _prepare(self, is_read_only: bool) -> None:
        connection = self._connection
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if application != APPLICATION_ID:
            kind = "a SQLite database, but not of treetalk"
            if connection.execute("PRAGMA page_count").fetchone() == (0,):
                kind = "an empty file" if self._path.stat().st_size == 0 else "too short to be one"
            raise ProjectError(f"{self._path} is no treetalk project: it is {kind}; it is left as it is")
        if self._room is None:
            self._check_length()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(MIGRATIONS):
            raise ProjectError(
                f"{self._path} was made by a newer treetalk: its format is version {version}, and this treetalk knows "
                f"versions up to {len(MIGRATIONS)}; update treetalk to open it"
            )
        if version < 1:
            raise ProjectError(
                f"{self._path} is damaged: there is no version {version} of its format; it is left as it is"
            )
        if is_read_only and version < len(MIGRATIONS):
            # The file stays as it is; what is looked at is brought up to date in memory.
            self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            try:
                connection.backup(self._connection)
            finally:
                connection.close()
            connection = self._connection
            migrate(connection)
        if is_read_only:
            connection.execute("PRAGMA query_only = ON")
            return
        connection.execute("PRAGMA journal_mode = DELETE")
        # FULL, and the folder too: without it, a power cut just after a commit could bring the journal back, and undo it.
        connection.execute("PRAGMA synchronous = EXTRA")
        # A table that is made anew would take along what refers to it, so references are looked after from then on only.
        migrate(connection)
        connection.execute("PRAGMA foreign_keys = ON")

    def _check_length(self) -> None:
        """Refuse a file that ends within its last page, which SQLite would fill up with zeros."""
        (num_pages,), (page,) = (
            self._connection.execute(f"PRAGMA page_{what}").fetchone() for what in ("count", "size")
        )
        if self._path.stat().st_size < num_pages * page:
            raise ProjectError(f"{self._path} is damaged: its end is cut off; it is left as it is")

    # --- reading and writing

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._lock, self._sentences():
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Have all that is read within come from one moment, whatever another process writes meanwhile."""
        with self._lock, self._sentences():
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.execute("COMMIT")

    @contextmanager
    def transaction(self, patience: float | None = None) -> Iterator[None]:
        """Write all that is written within, or nothing; at the end it is on the disk.

        Whoever does not want to wait as long as others for another program gives the seconds.
        """
        with self._lock, self._sentences(), self._waiting(patience):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk has undone it already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _waiting(self, patience: float | None) -> Iterator[None]:
        if patience is None:
            yield
            return
        self._connection.execute(f"PRAGMA busy_timeout = {round(1000 * patience)}")
        try:
            yield
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {round(1000 * PATIENCE)}")

    def write(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute a statement for each row, within a transaction."""
        self._connection.executemany(statement, rows)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._is_closed = True
            if hasattr(self, "_connection"):
                self._connection.close()
            if self._room is not None:
                self._room.cleanup()

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if self._is_closed:
                raise ProjectError(f"{self._path} was closed") from error
            kind, sentence = _explained(error, self._path)
            raise kind(sentence) from error
        except UnicodeDecodeError as error:  # in what SQLite says about damage
            raise ProjectError(f"{self._path} is damaged; it is left as it is") from error


def existing(path: Path) -> Path:
    """Return the path of a file that is there, links followed: the lock and the journal are beside the file itself."""
    try:
        if path.is_dir():
            raise ProjectError(f"{path} is a folder; a project is a file")
        if not path.exists():
            raise ProjectError(f"there is no file {path}; `treetalk new {path} SOURCE` makes a project")
        if not path.is_file():
            raise ProjectError(f"{path} is a device or a pipe; a project is a file")
        return path.resolve()
    except OSError as error:
        raise ProjectError(f"{path} cannot be opened: {error.strerror}") from error


def _explained(error: sqlite3.Error, path: Path) -> tuple[type[ProjectError], str]:
    """Return what an error of SQLite means."""
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return ProjectError, f"{path} is no treetalk project, or it is damaged ({error}); it is left as it is"
    if name.startswith("SQLITE_FULL"):
        return ProjectError, f"the disk is full: nothing more was written to {path}; what was recorded before is safe"
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return ProjectHeld, f"{path} is being written to by another program, for over {PATIENCE:.0f} seconds now"
    if name.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")):
        return ProjectError, f"{path} cannot be written to: it, or its folder, is protected"
    if name.startswith("SQLITE_CANTOPEN"):
        return ProjectError, f"{path} cannot be opened: it, or its folder, is protected"
    if name.startswith("SQLITE_IOERR"):
        return ProjectError, f"{path} cannot be read or written ({error}); what was recorded before is safe"
    if not name:  # what Python's own module says, such as that the connection is closed
        return ProjectError, f"{path}: {error}"
    return ProjectError, f"{path} is damaged, or was changed by another program ({error})"
