"""Who may use the session: one at a time, and people before the sampler."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """A lock with two doors. Python's own locks are not fair: a thread that samples all the time would keep others out."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._is_taken = False
        self._num_waiting = 0  # people, that is

    @contextmanager
    def person(self) -> Iterator[None]:
        """Take a turn for somebody who waits for the result."""
        with self._changed:
            self._num_waiting += 1
            try:
                while self._is_taken:
                    self._changed.wait()
            finally:
                self._num_waiting -= 1
            self._is_taken = True
        try:
            yield
        finally:
            self._pass_on()

    @contextmanager
    def background(self) -> Iterator[None]:
        """Take a turn for work that can wait, as soon as no person waits."""
        with self._changed:
            while self._is_taken or self._num_waiting:
                self._changed.wait()
            self._is_taken = True
        try:
            yield
        finally:
            self._pass_on()

    def _pass_on(self) -> None:
        with self._changed:
            self._is_taken = False
            self._changed.notify_all()
