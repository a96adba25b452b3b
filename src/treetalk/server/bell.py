"""Telling everybody who listens, in whatever event loop, that something changed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Bell:
    """Rung in one thread, heard in others."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal may ring in the middle of it
        self._ears: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    @property
    def num_listeners(self) -> int:
        """How many listen."""
        return len(self._ears)

    def ring(self) -> None:
        """Wake all who listen."""
        with self._lock:
            for event, loop in list(self._ears.items()):
                if not loop.is_closed():
                    loop.call_soon_threadsafe(event.set)

    @contextmanager
    def listening(self) -> Iterator[asyncio.Event]:
        """Have an event set whenever the bell rings, within the running event loop."""
        event = asyncio.Event()
        with self._lock:
            self._ears[event] = asyncio.get_running_loop()
        try:
            yield event
        finally:
            with self._lock:
                del self._ears[event]
