"""The messages between a page in a cell and the kernel.

From the page::

    {"kind": "page"}                                              the parts of the page are wanted
    {"kind": "request", "id", "method", "address", "body"}        as for the web server
    {"kind": "pictures", "id", "addresses"}                       several pictures at once
    {"kind": "listen", "id", "address"}                           events are wanted; again from time to time
    {"kind": "unlisten", "id"}

and back, bytes in the buffers that notebooks send beside a message::

    {"kind": "page", "modules", "style", "body"}
    {"kind": "response", "id", "status", "type"}                  one buffer
    {"kind": "pictures", "id", "types"}                           a buffer for each; the type of one that is not there is ""
    {"kind": "event", "id", "text"}
    {"kind": "ended", "id"}                                       no more events
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from treetalk.notebook.sources import page_parts

if TYPE_CHECKING:
    from treetalk.notebook.room import Room

log = logging.getLogger("treetalk.notebook")

Send = Callable[[dict[str, Any], Sequence[bytes]], None]

# What is said is recorded before the kernel turns to the next cell, which may ask for it; so many seconds at most.
PATIENCE = 10.0
# A page that was closed without a word listens no longer, after so many seconds.
LONGEST_SILENCE = 180.0


class Channel:
    """One widget's end of the line.

    Parameters
    ----------
    room : Room
        Where requests are answered.
    send : callable
        Sends a message and its buffers; called from other threads too.
    """

    def __init__(self, room: Room, send: Send) -> None:
        self._room, self._send = room, send
        self._listeners: dict[str, Future[None]] = {}
        self._heard: dict[str, float] = {}

    @property
    def num_listeners(self) -> int:
        """How many pages listen."""
        return len(self._listeners)

    def hear(self, message: Mapping[str, Any]) -> None:
        """Take in a message; what cannot be understood is passed over."""
        kind, id_ = message.get("kind"), str(message.get("id", ""))
        if kind == "page":
            self._send(page_parts(), [])
        elif kind == "request":
            self._request(id_, str(message.get("method")), str(message.get("address")), message.get("body"))
        elif kind == "pictures":
            self._room.run(self._pictures(id_, [str(each) for each in message.get("addresses", ())]))
        elif kind == "listen":
            self._listen(id_, str(message.get("address")))
        elif kind == "unlisten":
            self._unlisten(id_)
        else:
            log.warning("a message of an unknown kind came: %r", kind)

    def close(self) -> None:
        """Let go of all who listen."""
        for id_ in list(self._listeners):
            self._unlisten(id_)

    def _request(self, id_: str, method: str, address: str, body: Any) -> None:
        work = self._room.run(self._answer(id_, method, address, None if body is None else str(body)))
        if method != "GET":
            try:
                work.result(PATIENCE)
            except TimeoutError:
                log.warning("%s %s takes long, and goes on in the background", method, address)

    async def _answer(self, id_: str, method: str, address: str, body: str | None) -> None:
        reply = await self._room.answer(method, address, body)
        self._send({"kind": "response", "id": id_, "status": reply.status, "type": reply.media_type}, [reply.body])

    async def _pictures(self, id_: str, addresses: Sequence[str]) -> None:
        replies = [await self._room.answer("GET", address) for address in addresses]
        types = [reply.media_type if reply.status == 200 else "" for reply in replies]
        self._send({"kind": "pictures", "id": id_, "types": types}, [reply.body for reply in replies])

    def _listen(self, id_: str, address: str) -> None:
        now = time.monotonic()
        self._heard[id_] = now
        for other, heard in list(self._heard.items()):
            if now - heard > LONGEST_SILENCE:
                self._unlisten(other)
        if id_ not in self._listeners:
            self._listeners[id_] = self._room.run(self._events(id_, address))

    def _unlisten(self, id_: str) -> None:
        self._heard.pop(id_, None)
        listener = self._listeners.pop(id_, None)
        if listener is not None:
            listener.cancel()

    async def _events(self, id_: str, address: str) -> None:
        def hear(text: str) -> None:
            self._send({"kind": "event", "id": id_, "text": text}, [])

        try:
            await self._room.listen(address, hear)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("listening to %s", address)
        self._listeners.pop(id_, None)
        self._send({"kind": "ended", "id": id_}, [])
