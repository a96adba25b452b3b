"""Settings for all tests."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Fixed seeds: the same examples in every run. No deadline: the first example may compile a kernel.
settings.register_profile(
    "treetalk", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("treetalk")

# A shell that starts the suite in the background has Ctrl-C ignored, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

JIT_IS_OFF = os.environ.get("NUMBA_DISABLE_JIT", "0") == "1"


def pytest_collection_modifyitems(items):
    if JIT_IS_OFF:
        for item in items:
            if item.get_closest_marker("large"):
                item.add_marker(pytest.mark.skip(reason="too large for kernels that run as plain Python"))


@pytest.fixture
def shared_data() -> Path:
    """The folder with the paper's data, which lies beside a development checkout."""
    folder = Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the paper's data are not on this machine")
    return folder


@pytest.fixture
def zoo(made, tmp_path) -> Path:
    """A copy of the module's project, to write to."""
    path = tmp_path / "zoo.treetalk"
    path.write_bytes(made.read_bytes())
    return path


@pytest.fixture
def treetalk(capsys, monkeypatch):
    """The command, run within this process, in a window of 100 columns."""
    from commands import invoke

    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TREETALK_USER", "carla")
    return partial(invoke, capsys)


@pytest.fixture
def api(zoo):
    """A program that uses the HTTP API of the module's project."""
    from serving import Api, served

    with served(zoo) as (address, _), Api(address) as api:
        yield api


@pytest.fixture
def animals(tmp_path):
    """The same for the built-in animals, which are enough for all kinds of questions: with the desk, and the file."""
    from serving import Api, served
    from treetalk import Project
    from treetalk.datasets import load_animals

    path = tmp_path / "animals.treetalk"
    data = load_animals()
    Project.create(path, data.X, data.items).close()
    with served(path) as (address, desk), Api(address) as api:
        yield api, desk, path
