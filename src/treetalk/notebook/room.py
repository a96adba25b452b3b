"""A desk in the kernel's own process, which all widgets about the same project share.

The requests of a page are answered by the app that the web server has, called without a network between: so its guard, which
is there for the network, is left out.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

from treetalk.errors import TreetalkError
from treetalk.project.around import tell_answers
from treetalk.server.app import unguarded_app
from treetalk.server.desk import Desk
from treetalk.server.failures import UNFORESEEN, failure

if TYPE_CHECKING:
    from treetalk.project import Project

log = logging.getLogger("treetalk.notebook")

Value = TypeVar("Value")
SECONDS_TO_END = 10.0


class Reply(NamedTuple):
    """What the app answers."""

    status: int
    media_type: str
    body: bytes


class Room:
    """A desk, its app, and a thread in which requests are answered.

    `enter` gives the room of a project, and `leave` is called by whoever entered it; after the last one it is closed.

    Parameters
    ----------
    project : Project
        The project, open for writing.
    is_own : bool
        Whether the project is closed with the room.
    """

    _rooms: dict[Project, Room] = {}  # noqa: RUF012, it is shared on purpose
    _lock = threading.Lock()

    def __init__(self, project: Project, *, is_own: bool = False) -> None:
        self.project, self._is_own = project, is_own
        self._num_inside = 0
        self.desk = Desk(project)
        self._app = unguarded_app(self.desk)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="treetalk notebook", daemon=True)
        self._thread.start()
        self.desk.start()
        # The session may be used in other cells too.
        tell_answers(project, self._told)
        atexit.register(self._close)

    @classmethod
    def enter(cls, project: Project, *, is_own: bool = False) -> Room:
        """Return the room of a project, a new one if nobody talks about it now."""
        with cls._lock:
            room = cls._rooms.get(project)
            if room is None:
                room = cls._rooms[project] = cls(project, is_own=is_own)
            room._num_inside += 1
            return room

    def leave(self) -> None:
        """Leave; the last one stops the sampling."""
        with self._lock:
            self._num_inside -= 1
            if self._num_inside > 0:
                return
            self._rooms.pop(self.project, None)
        self._close()

    def run(self, work: Coroutine[Any, Any, Value]) -> Future[Value]:
        """Have something done in the room's thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def answer(self, method: str, address: str, body: str | None = None) -> Reply:
        """Return what the app answers to a request; what goes wrong has the same shape as everywhere."""
        status, media_type, parts = 500, "", []

        async def send(message: Any) -> None:
            nonlocal status, media_type
            if message["type"] == "http.response.start":
                status, media_type = message["status"], _media_type(message["headers"])
            else:
                parts.append(message.get("body", b""))

        try:
            await self._app(_scope(method, address), _said(body), send)
        except Exception:
            log.exception("%s %s", method, address)
            return Reply(500, "application/json", bytes(failure(500, UNFORESEEN).body))
        return Reply(status, media_type, b"".join(parts))

    async def listen(self, address: str, hear: Callable[[str], None]) -> None:
        """Pass on the events of the app until this is cancelled, or the room is closed."""

        async def receive() -> Any:
            return await asyncio.Event().wait()  # nobody disconnects: this is cancelled instead

        async def send(message: Any) -> None:
            # Signs of life too: they come while a cell runs, so a page that gets none knows that the kernel is gone.
            if text := message.get("body", b"").decode():
                hear(text)

        await self._app(_scope("GET", address), receive, send)

    def _told(self) -> None:
        # It may be closed in just that moment; the answer is recorded all the same.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._notice)

    def _notice(self) -> None:
        task = self._loop.run_in_executor(None, self.desk.notice)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    def _close(self) -> None:
        atexit.unregister(self._close)
        tell_answers(self.project, None)
        if self._loop.is_closed():
            return
        self.desk.let_go()
        try:
            self.desk.stop()
            if self._is_own:
                self.project.close()
        except TreetalkError as error:
            # Somebody closed the project before. Answers were recorded as they came.
            log.warning("the trees were not put away: %s", error)
        finally:
            self.run(self._end()).result(SECONDS_TO_END)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(SECONDS_TO_END)
            self._loop.close()

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._loop.shutdown_default_executor()


def _scope(method: str, address: str) -> dict[str, Any]:
    """Return a request as ASGI has it."""
    parts = urlsplit(address)
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(b"host", b"kernel"), (b"content-type", b"application/json")],
        "client": None,
        "server": None,
    }


def _said(body: str | None) -> Callable[[], Coroutine[Any, Any, Any]]:
    """Return how an app receives a body."""
    is_sent = False

    async def receive() -> Any:
        nonlocal is_sent
        if is_sent:
            await asyncio.Event().wait()
        is_sent = True
        return {"type": "http.request", "body": (body or "").encode(errors="replace"), "more_body": False}

    return receive


def _media_type(headers: list[tuple[bytes, bytes]]) -> str:
    return next((value.decode("latin-1") for name, value in headers if name.lower() == b"content-type"), "")
