"""Tables with awkward cells, written by Python's csv, are read as they were, and treated alike when read again."""

import csv
import io
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from test_importing import assert_alike
from treetalk import TreetalkError
from treetalk.importing import Options, import_source
from treetalk.importing.numerals import MISSING_AMONG_NUMBERS

# Quotation marks, separators, line breaks and letters of several scripts, but no null and no lone surrogate.
CHARACTERS = st.one_of(
    st.sampled_from("\"',;\t|\n\r \u00e9\u4e2d\U0001f40d"),
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
)
CELLS = st.text(CHARACTERS, max_size=12)
NAMES = st.text(CHARACTERS, min_size=1, max_size=12).filter(lambda name: name == name.strip())
NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)


@st.composite
def tables(draw):
    """The ids, numbers, categories and further cells of some rows."""
    ids = draw(st.lists(NAMES, min_size=2, max_size=12, unique=True))
    size = len(ids)
    numbers = draw(st.lists(NUMBERS, min_size=size, max_size=size))
    colours = draw(st.lists(st.sampled_from(["red", 'so-called "blue"', "grün, hell"]), min_size=size, max_size=size))
    cells = draw(st.lists(CELLS, min_size=size, max_size=size))
    return list(zip(ids, numbers, colours, cells, strict=True))


def written(path, rows, separator, line_end):
    text = io.StringIO(newline="")
    # Before Python 3.13, csv leaves a carriage return without quotation marks unless lines end with one.
    has_returns = any("\r" in cell for row in rows for cell in row if isinstance(cell, str))
    quoting = csv.QUOTE_NONNUMERIC if has_returns else csv.QUOTE_MINIMAL
    writer = csv.writer(text, delimiter=separator, lineterminator=line_end, quoting=quoting)
    writer.writerows([["key", "size", "colour", "note"], *rows])
    path.write_bytes(text.getvalue().encode())
    return path


@given(rows=tables(), separator=st.sampled_from(",;\t|"), line_end=st.sampled_from(["\n", "\r\n"]))
def test_what_was_written_is_read_and_treated_alike(tmp_path_factory, rows, separator, line_end):
    path = written(tmp_path_factory.mktemp("table") / "a.csv", rows, separator, line_end)
    assume(len({size for _, size, _, _ in rows}) > 1)
    options = Options(id="key", features=("size",), leave_out=("colour", "note"))
    imported = import_source(path, options)
    assert imported.items == tuple(key for key, _, _, _ in rows)
    assert [row["size"] for row in imported.more] == [size for _, size, _, _ in rows]
    assert [row["colour"] for row in imported.more] == [colour for _, _, colour, _ in rows]
    for row, (*_, note) in zip(imported.more, rows, strict=True):
        if isinstance(row["note"], str):
            assert row["note"] == note
        elif row["note"] is None:
            assert note.strip().lower() in MISSING_AMONG_NUMBERS
        else:
            assert math.isclose(row["note"], float(note.replace(",", ".")))
    assert_alike(imported, path)


@given(rows=tables(), separator=st.sampled_from(",;\t|"))
def test_whatever_is_guessed_features_are_finite_and_come_out_alike(tmp_path_factory, rows, separator):
    path = written(tmp_path_factory.mktemp("table") / "a.csv", rows, separator, "\n")
    try:
        imported = import_source(path)
    except TreetalkError:
        return  # a note that is mostly numbers, or no feature at all
    assert np.isfinite(imported.X).all()
    assert len(set(imported.feature_names)) == imported.X.shape[1] > 0
    assert len(set(imported.items)) == len(imported.items) == len(imported.X) == len(rows)
    assert_alike(imported, path)


@given(data=st.lists(st.tuples(NUMBERS, st.floats(allow_nan=False, allow_infinity=False)), min_size=2, max_size=30))
def test_any_finite_numbers_give_finite_features(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("array") / "a.npy"
    np.save(path, np.array(data))
    for scaling in ("each", "together"):
        try:
            imported = import_source(path, Options(scaling=scaling))
        except TreetalkError:
            assert len({tuple(row) for row in data}) == 1
            continue
        assert np.isfinite(imported.X).all()
        assert_alike(imported, path)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_lines_are_counted_as_an_editor_does(tmp_path, separator):
    rows = [("a", 1, "red", "one\ntwo\r\nthree"), ("b", 2, "red", "")]
    path = written(
        tmp_path / "a.csv",
        [*rows, ("c", "many", "red", ""), *[(f"d{row}", row, "x", "") for row in range(9)]],
        separator,
        "\n",
    )
    with pytest.raises(TreetalkError, match=r"^a\.csv: line 6, column 'size': 'many' is not a number"):
        import_source(path)
