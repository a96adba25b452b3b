"""Twice as many files, names or faults are twice the work, not four times; work is counted in steps, not in seconds."""

import sys

import pytest

from treetalk import FormatError
from treetalk.arguments import Items
from treetalk.importing import Options
from treetalk.importing.folders import read_folder
from treetalk.importing.ids import distinct
from treetalk.importing.triplet_file import read_triplet_file


def calls_in(run) -> list[str]:
    """Return the names of the Python functions that are called, in order."""
    calls = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        run()
    finally:
        sys.setprofile(before)
    return calls


def lines_in(run, function) -> int:
    """Return how many lines of a function are run."""
    num_lines = 0

    def of_function(frame, event, _):
        nonlocal num_lines
        num_lines += event == "line"
        return of_function

    before = sys.gettrace()
    sys.settrace(lambda frame, *_: of_function if frame.f_code is function.__code__ else None)
    try:
        run()
    finally:
        sys.settrace(before)
    return num_lines


def test_twice_as_many_texts_are_twice_the_work(tmp_path):
    num_calls = []
    for size in (60, 120):
        folder = tmp_path / str(size)
        folder.mkdir()
        for number in range(size):
            (folder / f"{number}.txt").write_text("a text")
        num_calls.append(len(calls_in(lambda folder=folder: read_folder(folder, Options()))))
    assert num_calls[1] < 2.5 * num_calls[0]


def test_twice_as_many_repeats_of_a_name_are_twice_the_work():
    num_lines = [lines_in(lambda size=size: distinct(["cat"] * size), distinct) for size in (100, 200)]
    assert 0 < num_lines[1] < 2.5 * num_lines[0]


def test_repeats_get_the_first_number_that_is_free():
    names = ["cat", "cat (2)", "cat", "dog", "cat", "cat (2)", "cat (4)", "cat"]
    expected = ("cat", "cat (2)", "cat (3)", "dog", "cat (4)", "cat (2) (2)", "cat (4) (2)", "cat (5)")
    assert distinct(names) == expected


@pytest.mark.parametrize(("names", "num_searches"), [([f"item {i}x" for i in range(40)], 10), (["itemm 1"] * 40, 1)])
def test_names_that_are_alike_are_searched_only_for_what_is_shown_and_once_for_each(tmp_path, names, num_searches):
    items = Items([f"item {number}" for number in range(50)])
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "".join(f"item 1,item 2,{name}\n" for name in names))

    def read():
        with pytest.raises(FormatError, match=r"line 2: there is no item .* did you mean .*; and 30 more$"):
            read_triplet_file(path, items)

    assert calls_in(read).count("unknown_item") == num_searches
