"""One process at a time works on a project; the others are told which.

A lock on a file beside the project says *that* somebody works on it: the system gives it up when the process ends, however
it ends. A row in the project says *who*, in words.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import platform
import sys
import time
from datetime import datetime
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def user_name() -> str | None:
    """Return who is at work, if the system knows."""
    try:
        return _printable(os.environ.get("TREETALK_USER") or getpass.getuser())
    except (KeyError, OSError, ImportError):
        return None


def this_process() -> str:
    """Return which process this is, of all that might hold a project."""
    return f"process {os.getpid()} on {platform.node()}"


def who_holds() -> str:
    """Return a phrase about this process."""
    command = Path(sys.argv[0]).name if sys.argv and sys.argv[0] not in {"", "-c"} else "python"
    words = _printable(" ".join([command, *sys.argv[1:2]]))
    since = datetime.now().astimezone().strftime("%H:%M on %d %B")
    return f"{user_name() or 'somebody'}, {this_process()} ({words}, since {since})"


def _printable(words: str) -> str:
    """Return words of the system, which may be any bytes, as text."""
    return words.encode(errors="replace").decode()


class Hold:
    """The right to write to a project, until it is released or the process ends.

    Parameters
    ----------
    path : Path
        The project.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}.lock")
        self._descriptor: int | None = None

    def is_held(self) -> bool:
        """Return whether somebody has it; nothing is written, and nobody is kept out for more than a moment."""
        try:
            descriptor = os.open(self._path, os.O_RDONLY)
        except OSError:
            return False
        try:
            _lock(descriptor)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        return False

    def acquire(self, patience: float = 0.0) -> bool:
        """Return whether the hold was free within so many seconds, and is had now.

        An OSError says that there can be none here.
        """
        end = time.monotonic() + patience
        while not self._acquire():
            if time.monotonic() >= end:
                return False
            time.sleep(0.02)
        return True

    def _acquire(self) -> bool:
        while True:
            descriptor = self._opened()
            try:
                _lock(descriptor)
                # Whoever held it before may have removed the file that was just locked: then another one is the lock.
                if _is_at(descriptor, self._path):
                    self._descriptor = descriptor
                    return True
            except (BlockingIOError, PermissionError):
                os.close(descriptor)
                return False
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)

    def _opened(self) -> int:
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        except PermissionError:
            # Another person's file, who works on the project or was killed: for a lock, reading is enough.
            with contextlib.suppress(OSError):
                return os.open(self._path, os.O_RDONLY)
            raise

    def release(self) -> None:
        """Let others have it."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        if sys.platform == "win32":
            os.close(descriptor)
            # Another process may have it already.
            with contextlib.suppress(OSError):
                self._path.unlink()
        else:
            with contextlib.suppress(OSError):
                self._path.unlink()
            os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Return whether an open file is the one at a path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False
