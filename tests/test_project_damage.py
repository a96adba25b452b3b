"""What is no project, or no longer a whole one, is said in a sentence, and is left as it is to the last byte."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from projects import CURRENT, ITEMS, PNG, X, change, looked_at, new_project, rows
from treetalk import open_project
from treetalk.errors import ProjectError, ProjectHeld
from treetalk.project.making import _put_in_place, create
from treetalk.project.schema import MIGRATIONS


@pytest.fixture
def path(tmp_path):
    return tmp_path / "animals.treetalk"


# --- foreign files


def another_database(path: Path) -> None:
    change(path, "CREATE TABLE other (id); INSERT INTO other VALUES (1)")


def newer_project(path: Path) -> None:
    create(path, X, ITEMS)
    change(path, "PRAGMA user_version = 99")


FOREIGN = {
    "text": (lambda path: path.write_text("cat,dog\n1,2\n"), "is no treetalk project, or it is damaged"),
    "long text": (lambda path: path.write_text("cat,dog\n1,2\n" * 5_000), "is no treetalk project, or it is damaged"),
    "one byte": (
        lambda path: path.write_bytes(b"S"),
        "is no treetalk project: it is too short to be one; it is left as it is",
    ),
    "a picture": (lambda path: path.write_bytes(PNG), "is no treetalk project, or it is damaged"),
    "empty": (lambda path: path.touch(), "is no treetalk project: it is an empty file; it is left as it is"),
    "another database": (
        another_database,
        "is no treetalk project: it is a SQLite database, but not of treetalk; it is left as it is",
    ),
    "newer": (
        newer_project,
        f"was made by a newer treetalk: its format is version 99, and this treetalk knows versions up to {len(MIGRATIONS)}; "
        "update treetalk to open it",
    ),
    "no version": (
        lambda path: (create(path, X, ITEMS), change(path, "PRAGMA user_version = 0")),
        "is damaged: there is no version 0 of its format; it is left as it is",
    ),
}


@pytest.mark.parametrize("read_only", [True, False], ids=["reading", "writing"])
@pytest.mark.parametrize(("make", "sentence"), FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_project_is_said_in_a_sentence_and_left_as_it_is(path, make, sentence, read_only):
    make(path)
    before = path.read_bytes()
    with pytest.raises(ProjectError) as caught:
        open_project(path, read_only=read_only)
    assert str(caught.value).startswith(f"{path} {sentence}")
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_what_is_no_file_is_said(tmp_path):
    missing = tmp_path / "none.treetalk"
    with pytest.raises(ProjectError) as caught:
        open_project(missing)
    assert str(caught.value) == f"there is no file {missing}; `treetalk new {missing} SOURCE` makes a project"
    with pytest.raises(ProjectError) as caught:
        open_project(tmp_path)
    assert str(caught.value) == f"{tmp_path} is a folder; a project is a file"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ProjectError, match="is a device or a pipe; a project is a file"):
        open_project(tmp_path / "pipe")
    with pytest.raises(ProjectError, match="cannot be opened: File name too long"):
        open_project(tmp_path / ("a" * 300))
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_file_that_is_there_is_never_overwritten(path):
    path.write_text("precious")
    with pytest.raises(ProjectError) as caught:
        create(path, X, ITEMS)
    assert (
        str(caught.value) == f"{path} is there already, and is left as it is; choose another name, or remove it first"
    )
    link = path.with_name("link.treetalk")
    link.symlink_to(path.with_name("nowhere"))
    with pytest.raises(ProjectError, match="is there already"):
        create(link, X, ITEMS)
    with pytest.raises(ProjectError, match="cannot be made: there is no folder"):
        create(path.parent / "none" / "a.treetalk", X, ITEMS)
    assert path.read_text() == "precious"
    assert sorted(os.listdir(path.parent)) == [path.name, link.name]


def test_a_file_that_came_to_be_while_a_project_was_made_is_not_overwritten(path):
    draft = path.with_name("draft")
    draft.write_text("new")
    path.write_text("precious")
    with pytest.raises(ProjectError, match="is there already"):
        _put_in_place(draft, path)
    assert path.read_text() == "precious"


def test_any_name_of_a_file_will_do(tmp_path):
    for name in (b"what? #1 100%.treetalk", b"d\xe9j\xe0 \xff.treetalk", "漢字 'a' \"b\".treetalk".encode()):
        path = tmp_path / os.fsdecode(name)
        new_project(path).close()
        with open_project(path) as project:
            assert project.items == tuple(ITEMS)
        path.unlink()
        assert os.listdir(tmp_path) == []


def test_a_link_to_a_project_is_the_project(path):
    link = path.with_name("link.treetalk")
    link.symlink_to(path)
    with new_project(path), pytest.raises(ProjectHeld):
        open_project(link)


# --- damaged files


def test_a_file_cut_off_anywhere_is_damaged_and_left_as_it_is(path):
    whole = CURRENT.read_bytes()
    pages = range(0, len(whole), 4096)
    lengths = {0, 1, 15, 16, 17, 99, 100, 101, 511, 512, 1000, *pages, *(page + 1 for page in pages), len(whole) - 1}
    for length in sorted(lengths):
        path.write_bytes(whole[:length])
        for read_only in (True, False):
            assert str(path) in looked_at(path, read_only=read_only), f"cut off at {length}"
            assert path.read_bytes() == whole[:length]


def test_a_file_with_wrong_bytes_opens_or_is_damaged_and_is_left_as_it_is(path):
    whole = CURRENT.read_bytes()
    rng = np.random.default_rng(0)
    # Every byte of the header that says something; then some of those within pages, where rows are.
    places = [[place] for place in range(100) if whole[place]] + [rng.integers(0, len(whole), 4) for _ in range(150)]
    opened = 0
    for number, where in enumerate(places):
        wrong = bytearray(whole)
        for place in where:
            wrong[place] ^= int(rng.integers(1, 256))
        path.write_bytes(wrong)
        with np.errstate(all="ignore"):  # numbers may be very large by now
            said = looked_at(path, read_only=True)
        assert path.read_bytes() == bytes(wrong), f"change {number} was followed by another"
        opened += said == "opened"
    assert 20 < opened < len(places)


def test_a_damaged_file_that_cannot_be_opened_for_writing_is_left_as_it_is(path):
    whole = CURRENT.read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(60):
        wrong = bytearray(whole)
        page = int(rng.integers(0, len(whole) // 4096)) * 4096
        wrong[page + 100 * (page == 0) : page + 108] = rng.bytes(8 if page == 0 else 108)
        path.write_bytes(wrong)
        try:
            open_project(path).close()
        except ProjectError:
            refused += 1
            assert path.read_bytes() == bytes(wrong)
    assert refused > 0


ROWS = {
    "an item without a number": "DELETE FROM items WHERE number = 3",
    "an item's name": "UPDATE items SET id = x'00ff' WHERE number = 3",
    "an item's text": "UPDATE items SET text = x'00ff'",
    "text that is none": "UPDATE items SET text = CAST(x'ff' AS TEXT)",
    "columns": "UPDATE items SET more = '[1, 2]'",
    "columns no JSON": "UPDATE items SET more = '{'",
    "columns too deep": f"UPDATE items SET more = '{'[' * 100_000}'",
    "a picture": "UPDATE images SET data = 'cat'",
    "features lost": "DELETE FROM features WHERE item = 7",
    "features of other items": "UPDATE features SET item = item + 1 WHERE item = 7",
    "features cut off": "UPDATE features SET vector = substr(vector, 1, 8) WHERE item = 3",
    "features no numbers": "UPDATE features SET vector = x'000000000000f87f000000000000f87f000000000000f87f'",
    "no features": "UPDATE features SET vector = x''",
    "a setting": "UPDATE settings SET value = '\"clever\"' WHERE key = 'strategy'",
    "a seed": "UPDATE settings SET value = '-1' WHERE key = 'seed'",
    "a model": "UPDATE settings SET value = '[1]' WHERE key = 'model'",
    "a model's scale": "UPDATE settings SET value = '{\"scale\": \"tiny\"}' WHERE key = 'model'",
    "an unknown kind": "UPDATE answers SET kind = 'shout' WHERE id = 2",
    "an answer lost": "DELETE FROM answers WHERE id = 2",
    "an item that is not there": "UPDATE answers SET a = 99 WHERE id = 0",
    "a triplet without an item": "UPDATE answers SET a = NULL WHERE id = 0",
    "an item twice": "UPDATE answers SET a = b WHERE id = 0",
    "an item that is no number": "UPDATE answers SET a = 0.5 WHERE id = 0",
    "a retraction of what comes later": "UPDATE answers SET retracts = 9 WHERE kind = 'retract'",
    "a retraction of half an answer": "UPDATE answers SET retracts = 0.5 WHERE kind = 'retract'",
    "items shown that are not there": "UPDATE answers SET shown = '[99]' WHERE id = 2",
    "shown that is no list": "UPDATE answers SET shown = '7' WHERE id = 2",
    "named items that are not there": "UPDATE names SET items = '[99]'",
    "named items that are no numbers": "UPDATE names SET items = '[\"cat\"]'",
    "a name that is none": "UPDATE names SET name = x'00'",
    "a table lost": "DROP TABLE names",
}


@pytest.mark.parametrize("statement", ROWS.values(), ids=ROWS)
def test_rows_that_make_no_sense_are_an_error_of_the_file(path, statement):
    shutil.copyfile(CURRENT, path)
    triggers = [name for (name,) in rows(path, "SELECT name FROM sqlite_master WHERE type = 'trigger'")]
    script = "".join(f"DROP TRIGGER {name};" for name in triggers)
    change(path, f"PRAGMA ignore_check_constraints = ON; {script} {statement}")
    before = path.read_bytes()
    said = looked_at(path, read_only=True)
    assert said.startswith((f"{path} is damaged", f"{path}: Could not decode to UTF-8"))
    assert path.read_bytes() == before
