"""Server-sent events: every open page is told what changed, as it changes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treetalk.server.desk import Desk

# Seconds: between two events of one page, and until a sign of life is sent where nothing changes.
SHORTEST_PAUSE, HEARTBEAT = 0.1, 10.0
# How long a page waits before it tries again, in milliseconds.
RETRY = 1_000
MOST_LISTENERS = 500


async def told(desk: Desk) -> AsyncIterator[str]:
    """Yield the state now, and again whenever something changed, until the server stops."""
    try:
        with desk.bell.listening() as rung:
            desk.bell.ring()  # the others hear that there is one more
            yield f"retry: {RETRY}\n\n"
            while not desk.is_closing:
                rung.clear()
                state = await asyncio.to_thread(desk.state)
                yield f"event: state\ndata: {json.dumps(state)}\n\n"
                await asyncio.sleep(SHORTEST_PAUSE)
                while not desk.is_closing and not await _waited(rung):
                    yield ": still here\n\n"
    finally:
        desk.bell.ring()  # and that there is one less


async def _waited(rung: asyncio.Event) -> bool:
    """Return whether the bell rang before it was time for a sign of life."""
    try:
        async with asyncio.timeout(HEARTBEAT):
            await rung.wait()
    except TimeoutError:
        return False
    return True
