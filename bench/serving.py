"""How long a person waits for the page: a real server in a process of its own, which samples all the while."""

import contextlib
import http.client
import json
import re
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.table import Table

from bench.timing import SEED
from treetalk import DirichletDiffusion, Project, Query, Tree, TreeUser

SIZES = (150, 1_000, 10_000)
LARGE = 50_000
NUM_ANSWERS, NUM_VIEWS, NUM_ROWS = 60, 20, 300
THINKING = 0.4  # seconds between an answer and the next, on average
PATIENCE = 120.0
TOKEN = secrets.token_hex(16)
HEADERS = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}


class Page:
    """A page: it asks and answers, and hears of new revisions of the hierarchy while it does."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection = self._connected()
        self._state: dict[str, Any] = {}
        self._news = threading.Condition()
        self.window = secrets.token_hex(8)
        threading.Thread(target=self._listen, daemon=True).start()

    def look(self, path: str) -> Any:
        """Get something."""
        return json.loads(self._sent("GET", path, None))

    def give(self, path: str, body: dict[str, Any]) -> Any:
        """Send something, and return what comes back."""
        return json.loads(self.given(path, body))

    def given(self, path: str, body: dict[str, Any]) -> bytes:
        """Send something, and return what comes back as it is."""
        return self._sent("POST", path, json.dumps(body))

    def heard(self, is_wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until the events tell of a state that is wanted."""
        with self._news:
            if not self._news.wait_for(lambda: bool(self._state) and is_wanted(self._state), PATIENCE):
                raise TimeoutError("the server told nothing new")
            return self._state

    def _listen(self) -> None:
        connection = self._connected()
        connection.request("GET", "/api/v1/events", headers=HEADERS)
        answer = connection.getresponse()
        with contextlib.suppress(OSError, http.client.HTTPException):
            while line := answer.readline():
                if line.startswith(b"data: "):
                    with self._news:
                        self._state = json.loads(line.removeprefix(b"data: "))
                        self._news.notify_all()

    def _sent(self, method: str, path: str, body: str | None) -> bytes:
        self._connection.request(method, f"/api/v1{path}", body, HEADERS)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{method} {path}: {answer.status} {content.decode()}")
        return content

    def _connected(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)


@contextlib.contextmanager
def served(num_items: int) -> Iterator[tuple[Page, Tree]]:
    """Serve a project with data from the model: a page, and the hierarchy that they come from."""
    target, X = DirichletDiffusion().simulate(num_items, 10, seed=SEED)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "project.treetalk"
        Project.create(path, X, seed=SEED).close()
        command = [sys.executable, "-m", "treetalk", "serve", str(path), "--port", "0", "--token", TOKEN]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert server.stdout is not None
        try:
            found = re.search(r"http://127\.0\.0\.1:(\d+)", server.stdout.readline())
            if found is None:
                raise RuntimeError("the server did not start")
            yield Page(int(found[1])), target
        finally:
            server.terminate()
            server.communicate(timeout=PATIENCE)


def serving() -> Table:
    """Measure answering, for some sizes of projects: p50 and p95 of 60 answers of one person, while it samples."""
    table = Table(
        "a project of", "GET question", "answer → next question", "answer → seen in the hierarchy", box=box.MARKDOWN
    )
    for num_items in SIZES:
        with served(num_items) as (page, target):
            table.add_row(f"{num_items:,} items", *(_spread(seconds) for seconds in _answering(page, target)))
    return table


def _answering(page: Page, target: Tree) -> tuple[list[float], list[float], list[float]]:
    """Return how long it took to get a question, and from an answer to the next one and to the hierarchy that has it."""
    user, rng = TreeUser(target, SEED), np.random.default_rng(SEED)
    asking: list[float] = []
    following: list[float] = []
    seeing: list[float] = []
    state = page.heard(lambda state: True)
    for _ in range(NUM_ANSWERS):
        start = time.perf_counter()
        question = page.look(f"/question?window={page.window}")["question"]
        asking.append(time.perf_counter() - start)
        response = user.respond(Query(question["kind"], question["leaves"], Tree(question["piece"]["parents"])))
        time.sleep(rng.uniform(0.5, 1.5) * THINKING)
        before = page.heard(lambda state: True)["revision"]
        start = time.perf_counter()
        state = page.give("/answers", _answer(page.window, question, response))["state"]
        following.append(time.perf_counter() - start)
        # What accepts or skips changes no hierarchy.
        if not isinstance(response, str):
            said = state["num_records"]
            page.heard(lambda state: state["num_records"] >= said and state["revision"] > before)  # noqa: B023
            page.given("/tree", {"mark": question["leaves"], "since": before})
            seeing.append(time.perf_counter() - start)
    return asking, following, seeing


def _answer(window: str, question: Any, response: Any) -> dict[str, Any]:
    asked = {name: question[name] for name in ("kind", "strategy", "leaves")} | {
        "parents": question["piece"]["parents"]
    }
    said = {"kind": response} if isinstance(response, str) else {"kind": "triplets", "triplets": [list(response)]}
    return {"gesture": secrets.token_hex(8), "window": window, "asked": asked, "response": said}


def looking() -> Table:
    """Measure a view of the hierarchy of many items: what is visible of it is sent, however many there are."""
    table = Table(f"a view of {NUM_ROWS} rows of", "time", "size", box=box.MARKDOWN)
    with served(LARGE) as (page, _):
        seconds = []
        for _ in range(NUM_VIEWS):
            start = time.perf_counter()
            content = page.given("/tree", {"detail": NUM_ROWS, "limit": NUM_ROWS})
            seconds.append(time.perf_counter() - start)
        table.add_row(f"{LARGE:,} items", _spread(seconds), f"{len(content) / 1e3:,.0f} kB")
    return table


def _spread(seconds: list[float]) -> str:
    p50, p95 = 1000 * np.percentile(seconds, [50, 95])
    return f"p50 {p50:,.0f} ms, p95 {p95:,.0f} ms"


if __name__ == "__main__":
    from rich.console import Console

    for part in (serving, looking):
        Console(width=120).print(part())
