"""Two processes that compute ahead, and a report of what was measured at the end of the run, kept beside the plots."""

import json
import os
import platform
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import version
from multiprocessing import get_context
from typing import Any

import pytest

from browser import started_browser
from plots import FOLDER

LINES = pytest.StashKey[list[str]]()


def pytest_configure(config):
    config.stash[LINES] = []


@pytest.fixture(scope="session")
def report(request) -> Callable[[str], None]:
    """Give a function that takes in a line for the end of the run."""
    return request.config.stash[LINES].append


def pytest_terminal_summary(terminalreporter, config):
    if config.stash[LINES]:
        terminalreporter.section("what was measured")
        for line in config.stash[LINES]:
            terminalreporter.line(line)
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / "measured.txt").write_text("\n".join(config.stash[LINES]) + "\n")
        (FOLDER / "measured.json").write_text(json.dumps(found(terminalreporter, config.stash[LINES]), indent=1) + "\n")


def found(terminalreporter: Any, lines: list[str]) -> dict[str, Any]:
    """Return the outcomes file by file and what was measured, for the documentation."""
    outcomes: dict[str, Counter[str]] = {}
    for outcome, name in (("passed", "passed"), ("failed", "failed"), ("error", "failed"), ("skipped", "skipped")):
        for each in terminalreporter.getreports(outcome):
            outcomes.setdefault(each.nodeid.partition("::")[0], Counter())[name] += 1
    versions = {"Python": platform.python_version()} | {name: version(name) for name in ("treetalk", "numpy", "numba")}
    date = datetime.now(UTC).date().isoformat()
    return {"date": date, "cores": os.cpu_count(), "versions": versions, "outcomes": outcomes, "lines": lines}


@pytest.fixture(scope="session")
def processes() -> Iterator[Executor]:
    # A fork of a process with threads may hang: these start from nothing.
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def computed(request, processes) -> Callable[..., Any]:
    """Give what the module's function `compute` returns for the parameters of a test.

    Those of all tests that were selected are under way from the first call on.
    """
    futures = {
        tuple(sorted(item.callspec.params.items())): processes.submit(request.module.compute, **item.callspec.params)
        for item in request.session.items
        if item.module is request.module and "computed" in item.fixturenames
    }
    return lambda **parameters: futures[tuple(sorted(parameters.items()))].result()


@pytest.fixture(scope="module")
def browser():
    """A browser for the tests of the page."""
    with started_browser() as browser:
        yield browser


@pytest.fixture
def state(tmp_path, monkeypatch):
    """What servers keep for the user goes to a folder of the test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
