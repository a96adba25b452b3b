"""Who may use the session: one at a time, people before the sampler, and those first who came first."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

# Seconds after which work that people wait to see is let in before them.
LONGEST_WAIT = 0.1


class _Ticket:
    """A place in a queue."""

    def __init__(self) -> None:
        self.since = time.monotonic()
        self._is_called = threading.Event()

    def call(self) -> None:
        self._is_called.set()

    def wait(self, patience: float | None = None) -> bool:
        return self._is_called.wait(patience)


class Turns:
    """A lock with a queue. Python's own locks are not fair: a thread that samples all the time would keep others out."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_taken = False
        self._people: deque[_Ticket] = deque()
        self._background: deque[_Ticket] = deque()

    @contextmanager
    def person(self) -> Iterator[None]:
        """Take a turn for somebody who waits for the result."""
        self._wait_in(self._people)
        try:
            yield
        finally:
            self._pass_on()

    @contextmanager
    def background(self) -> Iterator[None]:
        """Take a short turn for work whose result people will look at: when nobody waits, or after a tenth of a second."""
        self._wait_in(self._background)
        try:
            yield
        finally:
            self._pass_on()

    @contextmanager
    def spare(self, patience: float) -> Iterator[bool]:
        """Take a turn if there is one to spare within some seconds; what is yielded says whether there was."""
        deadline = time.monotonic() + patience
        while not (is_mine := self._take_if_free()) and time.monotonic() < deadline:
            time.sleep(patience / 20)
        try:
            yield is_mine
        finally:
            if is_mine:
                self._pass_on()

    def _take_if_free(self) -> bool:
        with self._lock:
            if self._is_taken:
                return False
            self._is_taken = True
            return True

    def _wait_in(self, queue: deque[_Ticket]) -> None:
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return
            ticket = _Ticket()
            queue.append(ticket)
        ticket.wait()

    def _pass_on(self) -> None:
        """Call the next one; the turn goes from hand to hand, so that nobody slips in between."""
        with self._lock:
            overdue = self._background and time.monotonic() - self._background[0].since > LONGEST_WAIT
            queue = self._background if overdue or not self._people else self._people
            if queue:
                queue.popleft().call()
            else:
                self._is_taken = False
