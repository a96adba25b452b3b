"""Servers for tests: a real one in a thread, and a real one in a process of its own that can be killed."""

import contextlib
import os
import re
import secrets
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from commands import COMMAND
from projects import ITEMS, PNG, new_project
from treetalk import open_project
from treetalk.server.admission import Admission
from treetalk.server.app import create_app
from treetalk.server.desk import Desk
from treetalk.server.serving import listen

TOKEN = "a-token-for-tests-only"
PATIENCE = 60.0
TEXTS = ["a small cat", None, "", "grey", "<b>bold</b> & 'quoted'", None, None, "hoots"]


class Api(httpx.Client):
    """A program that uses the HTTP API."""

    def __init__(self, address: str, **options: Any) -> None:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        super().__init__(base_url=f"{address}/api/v1", headers=headers, timeout=PATIENCE, **options)
        self.window = secrets.token_hex(8)

    def look(self, path: str, **parameters: Any) -> Any:
        return self.get(path, params=parameters).raise_for_status().json()

    def give(self, path: str, **body: Any) -> Any:
        return self.post(path, json=body).raise_for_status().json()

    def question(self) -> Any:
        return self.look("/question", window=self.window)["question"]

    def answer(self, question: Any, response: Any, **more: Any) -> Any:
        return self.give("/answers", **self.answering(question, response, **more))

    def answering(self, question: Any, response: Any, **more: Any) -> dict[str, Any]:
        """The body of an answer."""
        kind = {"kind": response} if isinstance(response, str) else {"kind": "triplets", "triplets": response}
        asked = None if question is None else as_asked(question)
        return {"gesture": new_id(), "window": self.window, "asked": asked, "response": kind} | more

    def say(self, *triplets: tuple[int, int, int], **more: Any) -> Any:
        return self.answer(None, [list(triplet) for triplet in triplets], **more)

    def tree(self, **view: Any) -> Any:
        return self.give("/tree", **view)


def made_zoo(path: Path) -> Path:
    """A project with all that items can have: texts, pictures of which one is none, and a further column."""
    pictures = [(PNG, "image/png"), (b"<svg/>", "image/svg+xml"), *[None] * 6]
    more = [{"legs": 4}, *[{} for _ in ITEMS[1:]]]
    with new_project(path, texts=TEXTS, pictures=pictures, more=more) as project:
        project.advance(200, num_snapshots=10)
    return path


def new_id() -> str:
    return secrets.token_hex(8)


def as_asked(question: Any) -> dict[str, Any]:
    """A question as the page sends it back."""
    return {name: question[name] for name in ("kind", "strategy", "leaves")} | {"parents": question["piece"]["parents"]}


@contextlib.contextmanager
def served(path: Path) -> Iterator[tuple[str, Desk]]:
    """A server in a thread of this process: its address, and its desk."""
    listening = listen("127.0.0.1", 0)
    desk = Desk(open_project(path))
    app = create_app(desk, Admission(path, TOKEN), {"localhost"})
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="on")
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", desk
    finally:
        desk.let_go()
        server.should_exit = True
        thread.join()
        listening.close()


class Served:
    """A server in a process of its own, as ``treetalk serve`` starts it, or ``treetalk demo --serve`` without a port."""

    def __init__(self, path: Path, port: int | None, *options: str) -> None:
        command = ["demo", "--serve"] if port is None else ["serve", str(path), "--port", str(port)]
        self._process = subprocess.Popen(
            [str(COMMAND), *command, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TREETALK_TOKEN": TOKEN},
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found = re.search(r"http://[^/]+", line)
        assert found, line + self._process.communicate()[1]
        self.address = found[0]

    def kill(self) -> None:
        """End it without any warning."""
        self._process.kill()
        self._process.communicate()

    def interrupt(self) -> int:
        """End it as Ctrl-C does, and return its exit code."""
        import signal

        self._process.send_signal(signal.SIGINT)
        self._process.communicate(timeout=PATIENCE)
        return self._process.returncode


def free_port() -> int:
    """A port that nobody uses just now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_until(holds: Any, patience: float = PATIENCE) -> None:
    """Wait for something to become true."""
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.01)
