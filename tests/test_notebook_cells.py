"""What somebody meets who goes on in other cells: a project that is open already, a kernel that runs something else."""

import multiprocessing
import re

import pytest

from projects import new_project
from serving import wait_until
from treetalk import Project, open_project
from treetalk.errors import ProjectHeld
from treetalk.notebook.channel import Channel
from treetalk.notebook.room import Room
from treetalk.notebook.subject import subject
from treetalk.server import events


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "zoo.treetalk"
    new_project(path).close()
    return path


def hold(path, is_held, is_done):
    with open_project(path):
        is_held.set()
        is_done.wait()


def test_a_path_that_this_notebook_has_open_is_refused_with_what_to_do(path):
    with (
        open_project(path),
        pytest.raises(ProjectHeld, match=f"this notebook has {re.escape(str(path))} open: pass that"),
    ):
        subject(path)
    project, is_own = subject(path)
    assert is_own
    project.close()


def test_a_path_that_another_process_has_open_is_refused_with_who_has_it(path):
    context = multiprocessing.get_context("spawn")
    is_held, is_done = context.Event(), context.Event()
    other = context.Process(target=hold, args=(path, is_held, is_done))
    other.start()
    try:
        assert is_held.wait(60)
        with pytest.raises(ProjectHeld, match=f"is being worked on by .*process {other.pid}"):
            subject(path)
    finally:
        is_done.set()
        other.join(60)


def test_who_listens_gets_signs_of_life_while_nothing_changes(path, monkeypatch):
    monkeypatch.setattr(events, "HEARTBEAT", 0.05)
    with Project(path) as project:
        room = Room.enter(project)
        came = []
        channel = Channel(room, lambda message, buffers: came.append(message))
        channel.hear({"kind": "listen", "id": "a", "address": "/api/v1/events"})
        wait_until(lambda: any(message["text"].startswith(":") for message in came if message["kind"] == "event"))
        channel.close()
        room.leave()
    assert {message["kind"] for message in came} >= {"event"}
