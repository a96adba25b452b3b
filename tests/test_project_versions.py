"""A project made by any version opens in all later ones: files of each version are stored beside these tests."""

import contextlib
import os
import shutil
import sqlite3
import stat

import numpy as np
import pytest

from projects import (
    CURRENT,
    ITEMS,
    PNG,
    STORED,
    VERSION_1,
    VERSION_2,
    VERSION_3,
    VERSION_4,
    X,
    change,
    looked_at,
    rows,
    schema_of,
)
from treetalk import Project, open_project
from treetalk.project import database, schema
from treetalk.project.making import create

NEXT = "ALTER TABLE items ADD COLUMN colour TEXT; UPDATE items SET colour = 'grey';"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "animals.treetalk"


@pytest.mark.parametrize("stored", [VERSION_1, VERSION_2, VERSION_3, VERSION_4], ids=lambda stored: stored.stem)
def test_the_stored_file_of_a_version_opens_with_all_that_is_in_it(path, stored):
    shutil.copyfile(stored, path)
    with open_project(path) as project:
        assert project.items == tuple(ITEMS)
        assert project.texts[4] == "é, 魚"
        assert project.more[4] == {"legs": None, "weight": 0.5}
        assert project.picture("cat") == (PNG, "image/png")
        np.testing.assert_array_equal(project.X, X)
        assert project.names == {frozenset({0, 1}): "felines", frozenset({4, 5}): "fish"}
        assert [answer.kind for answer in project.answers] == (
            ["triplet", "triplet", "accept", "same", "skip", "triplet", "triplet", "retract", "triplet", "triplet"]
        )
        assert [conflict.answer.id for conflict in project.conflicts] == [8]
        # What was called alike tells more now than when version 4 was stored, so its trees need not be draws any more.
        assert len(project.session.put_away().snapshots) > 0
        project.answer(project.ask(), (0, 1, 7))


def test_the_stored_file_of_version_2_has_gestures_and_comments(path):
    shutil.copyfile(VERSION_2, path)
    with open_project(path) as project:
        assert project.of_gesture("first") == (0, 1)
        assert [(comment.answer, comment.who) for comment in project.comments] == [(1, "Ben")]
        assert project.comments[0].text == "wolves are dogs, more or less"


def test_the_stored_file_of_version_3_knows_how_a_piece_was_shown(path):
    shutil.copyfile(VERSION_3, path)
    with open_project(path) as project:
        assert [answer.sizes is not None for answer in project.answers] == [True, True, *[False] * 8]


@pytest.mark.parametrize("is_borne_out", [0, 1])
def test_a_file_of_version_4_knows_whether_trees_bear_out_what_follows_for_classes(path, is_borne_out):
    shutil.copyfile(VERSION_4, path)
    change(path, f"UPDATE sampling SET is_borne_out = {is_borne_out}")
    with open_project(path) as project:
        assert project.session.put_away().is_borne_out == is_borne_out


def test_an_answer_from_before_pieces_were_written_down_tells_of_none(path):
    shutil.copyfile(VERSION_2, path)
    with open_project(path) as project:
        assert {answer.sizes for answer in project.answers} == {None}
        project.accept(project.ask_about(["cat", "lynx", "dog", "wolf"]))
        assert project.answers[-1].sizes is not None


def test_an_answer_from_before_there_were_gestures_has_none(path):
    shutil.copyfile(VERSION_1, path)
    with open_project(path) as project:
        assert {record.gesture for record in project.records} == {None}
        assert project.comments == ()
        project.comment(0, "later")
        assert [comment.text for comment in project.comments] == ["later"]


def test_the_scripts_of_all_versions_are_what_made_the_stored_files(path):
    create(path, X, ITEMS)
    assert schema_of(path) == schema_of(CURRENT)
    shutil.copyfile(VERSION_1, path)
    assert looked_at(path) == "opened"
    assert schema_of(path) == schema_of(CURRENT)
    assert len(schema.MIGRATIONS) == len(list(STORED.glob("version-*.treetalk")))


def test_an_older_project_is_brought_up_to_date_when_it_is_opened_for_writing(path, monkeypatch):
    shutil.copyfile(CURRENT, path)
    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, NEXT])
    monkeypatch.setattr(database, "MIGRATIONS", schema.MIGRATIONS)
    assert looked_at(path, read_only=True) == "opened"
    assert path.read_bytes() == CURRENT.read_bytes()
    assert looked_at(path) == "opened"
    assert rows(path, "PRAGMA user_version") == [(len(schema.MIGRATIONS),)]
    assert rows(path, "SELECT DISTINCT colour FROM items") == [("grey",)]
    assert looked_at(path, read_only=True) == "opened"


def test_a_step_to_the_next_version_that_fails_half_way_leaves_the_file_as_it_was(path, monkeypatch):
    shutil.copyfile(CURRENT, path)
    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, NEXT + "INSERT INTO nowhere VALUES (1);"])
    monkeypatch.setattr(database, "MIGRATIONS", schema.MIGRATIONS)
    for read_only in (True, False):
        assert "no such table: nowhere" in looked_at(path, read_only=read_only)
        assert path.read_bytes() == CURRENT.read_bytes()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError, match="no such table: nowhere"):
            schema.migrate(connection)
        assert not connection.in_transaction
    assert path.read_bytes() == CURRENT.read_bytes()
    assert os.listdir(path.parent) == [path.name]
    monkeypatch.undo()
    assert looked_at(path) == "opened"


def test_a_new_project_is_readable_by_others_as_any_new_file(path):
    Project.create(path, X, ITEMS).close()
    other = path.with_name("other")
    other.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)
