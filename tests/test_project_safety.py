"""Full disks, protected files and folders, and several processes: said in a sentence, and nothing is lost."""

import contextlib
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

import numpy as np
import pytest

from children import Child, forever, outcome
from projects import CURRENT, ITEMS, X, looked_at, new_project, read_everything, rows, talk_about_animals
from treetalk import open_project
from treetalk.errors import ProjectError, ProjectHeld
from treetalk.project import database
from treetalk.project.making import create


@pytest.fixture
def path(tmp_path):
    return tmp_path / "animals.treetalk"


@pytest.fixture
def open_folder():
    """A folder that anybody may look into: those of pytest are for their owner alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


# --- full disks


def test_a_full_disk_takes_no_answer_and_the_project_works_on_when_there_is_room(path):
    with new_project(path) as project:
        project.answer(None, (0, 1, 2))
        connection = project._database._connection
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(ProjectError) as caught:
            project.answer(None, (3, 4, 5), comment="long " * 2_000)
        assert (
            str(caught.value)
            == f"the disk is full: nothing more was written to {path}; what was recorded before is safe"
        )
        with pytest.raises(ProjectError, match="the disk is full"):
            project.name_cluster([0, 1], "long " * 2_000)
        assert len(project.answers) == len(project.session.in_force) == len(project.records) == 1
        assert not path.with_name(f"{path.name}-journal").exists()
        connection.execute("PRAGMA max_page_count = 100000")
        assert project.answer(None, (3, 4, 5), comment="long " * 2_000)[0].id == 1
        assert len(project.records) == len(project.session.in_force) == 2


def in_little_room(path: Path, room: int, function) -> str:
    """What a function comes to in a process whose files cannot grow beyond some size."""
    import resource

    def act():
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        with contextlib.suppress(ProjectError):
            return function()
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        return "refused"

    return outcome(act)


def test_a_file_that_cannot_grow_keeps_what_it_has(path):
    with new_project(path) as project:
        talk_about_animals(project)
    records = len(rows(path, "SELECT id FROM answers"))
    size = path.stat().st_size

    def answer_on():
        with open_project(path) as project:
            while path.stat().st_size < 2 * size:
                project.answer(None, (0, 1, 2), comment="long " * 2_000)
                project.save()
        return "grown"

    assert in_little_room(path, size + 8192, answer_on) == "refused"
    assert looked_at(path) == "opened"
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert len(rows(path, "SELECT id FROM answers")) >= records


def test_a_project_that_there_is_no_room_for_is_not_made(path):
    assert in_little_room(path, 8192, lambda: create(path, X, ITEMS)) == "refused"
    assert in_little_room(path, 100_000, lambda: create(path, np.ones((400, 400)))) == "refused"
    assert os.listdir(path.parent) == []


# --- protected files and folders


def test_a_protected_file_can_be_looked_at_and_says_why_it_cannot_be_written_to(open_folder):
    path = open_folder / "animals.treetalk"
    shutil.copyfile(CURRENT, path)
    path.chmod(0o444)
    open_folder.chmod(0o555)
    assert outcome(lambda: looked_at(path, read_only=True), as_nobody=True) == "opened"
    assert (
        outcome(lambda: looked_at(path), as_nobody=True)
        == f"{path} cannot be written to: Permission denied; it can be opened for reading only"
    )
    open_folder.chmod(0o777)
    said = outcome(lambda: looked_at(path), as_nobody=True)
    assert said == f"{path} cannot be written to: it, or its folder, is protected"
    assert path.read_bytes() == CURRENT.read_bytes()
    assert os.listdir(open_folder) == [path.name]


def test_a_file_that_may_not_be_read_is_said(open_folder):
    path = open_folder / "animals.treetalk"
    shutil.copyfile(CURRENT, path)
    path.chmod(0)
    said = outcome(lambda: looked_at(path, read_only=True), as_nobody=True)
    assert said == f"{path} cannot be opened: it, or its folder, is protected"
    open_folder.chmod(0)
    said = outcome(lambda: looked_at(path, read_only=True), as_nobody=True)
    assert said == f"{path} cannot be opened: Permission denied"


def test_a_project_in_a_protected_folder_is_not_made(open_folder):
    open_folder.chmod(0o555)
    path = open_folder / "new.treetalk"
    assert outcome(lambda: create(path, X, ITEMS), as_nobody=True) == (
        f"ProjectError: {path} cannot be made: Permission denied"
    )


def half_written(path: Path) -> None:
    """Leave a file as a process leaves it that is killed while it writes: changed pages, and a journal to undo them."""

    def write(say):
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE items SET text = hex(randomblob(20000))")
        connection.execute("UPDATE settings SET value = hex(randomblob(20000))")
        say("written")
        forever()

    child = Child(write)
    child.hear(1)
    child.kill()
    journal = path.with_name(f"{path.name}-journal")
    assert journal.stat().st_size > 512
    journal.chmod(0o644)


def test_what_a_killed_process_left_half_written_is_undone(path):
    shutil.copyfile(CURRENT, path)
    half_written(path)
    assert path.read_bytes() != CURRENT.read_bytes()
    assert looked_at(path, read_only=True) == "opened"
    assert path.read_bytes() == CURRENT.read_bytes()


def test_what_a_killed_process_left_half_written_can_be_looked_at_in_a_protected_folder(open_folder):
    path = open_folder / "animals.treetalk"
    shutil.copyfile(CURRENT, path)
    half_written(path)
    files = {name: (open_folder / name).read_bytes() for name in os.listdir(open_folder)}
    path.chmod(0o444)
    open_folder.chmod(0o555)

    def texts():
        with open_project(path, read_only=True) as project:
            read_everything(project)
            return project.texts[0]

    assert outcome(texts, as_nobody=True) == "a small cat"
    assert {name: (open_folder / name).read_bytes() for name in os.listdir(open_folder)} == files


# --- several processes


def hold(path: Path) -> Child:
    def work(say):
        project = open_project(path)
        say("open")
        project.answer(None, (0, 1, 2), who="Ada")
        say("answered")
        forever()

    return Child(work)


def test_the_second_process_is_told_who_holds_the_project_and_may_look(path, monkeypatch):
    monkeypatch.setenv("TREETALK_USER", "Ada")
    new_project(path).close()
    child = hold(path)
    child.hear(2)
    try:
        with pytest.raises(ProjectHeld) as caught:
            open_project(path)
        said = str(caught.value)
        assert said.startswith(f"{path} is being worked on by Ada, process {child.pid} on {os.uname().nodename} (")
        assert said.endswith("); it can be opened for reading only")
        with open_project(path, read_only=True) as project:
            assert project.holder in said
            assert len(project.answers) == 1
            with pytest.raises(ProjectError, match="was opened for reading only"):
                project.answer(None, (0, 1, 2))
    finally:
        child.kill()
    # The hold ends with the process, however it ends.
    with open_project(path) as project:
        assert f"process {os.getpid()} on" in project.holder
        assert len(project.answers) == 1
    assert os.listdir(path.parent) == [path.name]


def test_who_looks_sees_new_answers_after_refreshing(path):
    with new_project(path) as writing, open_project(path, read_only=True) as reading:
        assert reading.answers == ()
        writing.answer(None, [(0, 1, 2), (4, 5, 0)])
        writing.retract(0)
        reading.refresh()
        assert reading.answers == writing.answers
        assert reading.session.in_force == writing.session.in_force
        assert all(tree.satisfies([(4, 5, 0)]).all() for tree in reading.session.samples)


def test_nobody_holds_a_project_that_is_closed(path):
    with new_project(path) as project:
        assert path.with_name(f"{path.name}.lock").exists()
        assert f"process {os.getpid()}" in project.holder
    with open_project(path, read_only=True) as project:
        assert project.holder is None
    assert os.listdir(path.parent) == [path.name]


def test_one_who_looks_writes_nothing(path):
    shutil.copyfile(CURRENT, path)
    before = path.stat()
    with open_project(path, read_only=True) as project:
        read_everything(project)
        project.advance(50)
        with pytest.raises(ProjectError, match="was opened for reading only"):
            project.save()
        with pytest.raises(ProjectError, match="was opened for reading only"):
            project.name_cluster([0, 1], "cats")
        with pytest.raises(ProjectError, match="was opened for reading only"):
            project.session.answer(None, (0, 1, 2))
    assert path.read_bytes() == CURRENT.read_bytes()
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_a_lock_that_another_person_left_behind_is_no_hindrance(open_folder):
    path = open_folder / "animals.treetalk"
    shutil.copyfile(CURRENT, path)
    lock = path.with_name(f"{path.name}.lock")
    lock.touch(0o644)
    path.chmod(0o666)
    open_folder.chmod(0o777)
    assert outcome(lambda: looked_at(path), as_nobody=True) == "opened"
    assert not lock.exists()


def test_another_program_that_goes_on_writing_is_named_as_such(path, monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    with new_project(path) as project, contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ProjectHeld, match="is being written to by another program"):
            project.answer(None, (0, 1, 2))
        other.rollback()
        assert project.answers == ()
        assert project.answer(None, (0, 1, 2))[0].id == 0
