"""The words of the command line: items as people type them, and numbers, lists and tables as it prints them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treetalk.arguments import Items
from treetalk.cli.wording import counted, listed, local_time, percent, table
from treetalk.reading import read_group, read_triplet

names = st.text("ab |,", min_size=1, max_size=4).map(str.strip).filter(lambda name: name and " " * 2 not in name)


@given(st.lists(names, min_size=3, max_size=5, unique=True))
def test_what_a_triplet_reads_as_is_what_was_written_or_called_ambiguous(written):
    items = Items(written)
    text = f"{items[0]}, {items[1]} | {items[2]}"
    try:
        assert read_triplet(text, items) == (0, 1, 2)
    except ValueError as error:
        assert f'"{text}"' in str(error)
        assert "can mean" in str(error)


def test_names_with_blanks_are_matched_in_every_way():
    items = Items(["sea", "sea lion", "lion cub", "cub", "crow"])
    assert read_triplet("sea cub|crow", items) == (0, 3, 4)
    assert read_triplet("sea, lion cub | crow", items) == (0, 2, 4)
    with pytest.raises(ValueError, match=r"can mean \"sea, lion cub \| crow\" or \"sea lion, cub \| crow\""):
        read_triplet("sea lion cub | crow", items)
    with pytest.raises(ValueError, match="'x y z' does not hold the names of two items"):
        read_triplet("x y z | crow", items)


def test_a_group_takes_names_that_hold_commas():
    items = Items(["a", "b", "a, b", "c"])
    assert read_group("a, b, c", items) == [2, 3]
    assert read_group("b,c ,a", items) == [1, 3, 0]
    with pytest.raises(ValueError, match="there is no item 'd'"):
        read_group("c, d", items)
    with pytest.raises(ValueError, match="a group has two items or more"):
        read_group("c", items)


def test_numbers_of_things_are_counted_in_words():
    assert [counted(number, "item") for number in (0, 1, 2, 1234)] == ["no items", "1 item", "2 items", "1,234 items"]


def test_names_are_listed_with_how_many_more_there_are():
    assert [listed(list("abc")[:count]) for count in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert listed(list("abcd"), 2) == "a, b and 2 more"


def test_only_none_and_all_are_0_and_100_percent():
    shares = [0.0, 0.001, 0.006, 0.5, 0.994, 0.9999, 1.0]
    assert [percent(share) for share in shares] == [
        "0 %", "less than 1 %", "1 %", "50 %", "99 %", "more than 99 %", "100 %",
    ]  # fmt: skip


def test_a_table_keeps_its_columns_whatever_the_cells_hold():
    assert table(["n", "what", ""], [[1, "a\nb", "x"], [10, None, ""], [2, "犬", "y"]]).splitlines() == [
        " n  what",
        " 1  a b   x",
        "10  -",
        " 2  犬    y",
    ]


def test_what_is_no_time_is_shown_as_it_is():
    assert local_time("yesterday") == "yesterday"
    assert local_time(None) == "-"
