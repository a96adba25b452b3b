"""Columns that are no features, empty cells of categories, percentages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from test_importing import assert_alike, roles, write
from treetalk import TreetalkError
from treetalk.importing import Options, import_source


@pytest.mark.parametrize("name", ["comment", "Remarks", "note", "Bemerkungen", "Kommentar", "user_comment", "Memo"])
def test_a_comment_is_no_category(tmp_path, name):
    rows = [f"p{row},{row * row},{'seen twice' if row % 2 else 'lost'}" for row in range(6)]
    imported = import_source(write(tmp_path / "a.csv", f"key,x,{name}", *rows))
    assert imported.columns[2] == (name, "aside", "looks like a comment")
    assert (
        f"Column {name!r} looks like a comment, so it is not used as a feature; to use it, say --text {name} or "
        f"--categorical {name}." in imported.notes
    )


@pytest.mark.parametrize("option", ["text", "features", "categorical"])
def test_a_comment_that_is_named_is_used(tmp_path, option):
    path = write(tmp_path / "a.csv", "key,note", *(f"p{row},{'seen twice' if row % 2 else 'lost'}" for row in range(6)))
    imported = import_source(path, Options(**{option: ("note",)}))
    assert imported.feature_names[0].startswith("note")
    assert_alike(imported, path)


def test_a_note_that_is_a_number_is_a_feature(tmp_path):
    imported = import_source(write(tmp_path / "a.csv", "key,Note", "a,1.3", "b,2.7", "c,5"))
    assert imported.feature_names == ("Note",)


def test_a_comment_names_no_items(tmp_path):
    imported = import_source(write(tmp_path / "a.csv", "note,x", "lost,1", "found,3", "seen,4"))
    assert imported.items == ("1", "2", "3")


def test_a_hint_can_be_pasted_into_a_shell(tmp_path):
    path = write(tmp_path / "a.csv", "key,x,field note", *(f"p{row},{row * row},{'lo'[row % 2]}" for row in range(6)))
    assert "say --text 'field note' or --categorical 'field note'." in " ".join(import_source(path).notes)


def of_colours(path, *colours: str):
    return write(path, "key,x,colour", *(f"p{row},{row * row},{colour}" for row, colour in enumerate(colours)))


def test_an_empty_cell_is_none_of_the_categories(tmp_path):
    path = of_colours(tmp_path / "a.csv", "red", "red", "blue", "blue", "green", "green", "", "red")
    imported = import_source(path)
    assert "Column 'colour': 1 empty cell is taken for none of the categories (line 8)." in imported.notes
    # Neither red nor blue nor green: as blue as the red one, as red as the blue one, as green as the red one.
    X = imported.X[:, 1:]
    assert imported.feature_names[1:] == ("colour=blue", "colour=green", "colour=red")
    np.testing.assert_allclose(X[6], [X[0, 0], X[0, 1], X[2, 2]])
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    assert_alike(imported, path)


def test_an_empty_cell_is_neither_of_two_categories(tmp_path):
    path = of_colours(tmp_path / "a.csv", "red", "red", "blue", "blue", "red", "")
    imported = import_source(path)
    assert "Column 'colour': 1 empty cell is taken for neither 'blue' nor 'red' (line 7)." in imported.notes
    assert imported.X[5, 1] == pytest.approx((imported.X[0, 1] + imported.X[2, 1]) / 2)
    assert_alike(imported, path)


@pytest.mark.parametrize("others", [("red", "blue"), ("red", "blue", "green")])
def test_categories_of_which_more_than_a_quarter_is_missing_are_put_aside(tmp_path, others):
    path = of_colours(tmp_path / "a.csv", *others, *others, "", "", "", "red")
    imported = import_source(path)
    share = f"3 of {2 * len(others) + 4} values are missing"
    assert imported.columns[2] == ("colour", "aside", share)
    assert f"Column 'colour' is not used as a feature: {share}; to use it, say --categorical colour." in imported.notes
    assert len(import_source(path, Options(categorical=("colour",))).feature_names) == 1 + len(others)


def test_categories_of_which_a_quarter_is_missing_are_used(tmp_path):
    imported = import_source(of_colours(tmp_path / "a.csv", "red", "red", "blue", "blue", "green", "green", "", ""))
    assert roles(imported)["colour"] == "category"


def test_answers_of_which_a_third_is_missing_are_filled_in_as_numbers_are(tmp_path):
    imported = import_source(of_colours(tmp_path / "a.csv", "yes", "no", "yes", "no", "yes", "yes", "", "", ""))
    assert roles(imported)["colour"] == "binary"
    assert (
        "Column 'colour': 3 missing values were filled in with 'yes', the most common value (the first: line 8)."
        in imported.notes
    )


def test_no_row_is_dropped_for_a_column_that_is_put_aside(tmp_path):
    path = write(
        tmp_path / "a.csv",
        "key,x,colour,note",
        *(f"p{row},{'' if row == 3 else row * row},{'red' if row % 2 else ''}," for row in range(8)),
    )
    imported = import_source(path, Options(missing="drop"))
    assert imported.items == ("p0", "p1", "p2", "p4", "p5", "p6", "p7")
    assert_alike(imported, path)


def test_no_row_is_dropped_for_a_column_that_tells_no_rows_apart_in_the_end(tmp_path):
    # Without the row in which x is missing, z is the same in all rows that have it.
    path = write(tmp_path / "a.csv", "key,x,z", "a,1,5", "b,,6", "c,3,5", "d,4,", "e,9,5")
    imported = import_source(path, Options(missing="drop"))
    assert imported.items == ("a", "c", "d", "e")
    assert imported.feature_names == ("x",)
    assert ("z", "aside", "the same in all rows, or missing") in imported.columns
    assert "Column 'z' is the same in every row, so it is not used." in imported.notes
    assert_alike(imported, path)


@pytest.mark.parametrize(
    "name",
    [
        *("topic", "Theme", "section", "Department", "Kategorie", "Klasse", "Gruppe", "Warengruppe", "Gattung"),
        *("Familie", "Ordnung", "Sorte", "Typ", "Art", "order", "phylum", "kingdom", "tribe"),
        *("variety", "Diagnosis", "quality", "Survived", "cultivar", "breed", "digit", "outcome", "target_names"),
        *("sentiment", "rating"),
    ],
)
def test_a_label_is_known_by_its_name_in_english_and_german(tmp_path, name):
    imported = import_source(write(tmp_path / "a.csv", f"key,x,{name}", "a,1,u", "b,2,v", "c,4,u", "d,5,v"))
    assert imported.columns[2] == (name, "aside", "looks like a label")


@pytest.mark.parametrize("name", ["Gangart", "water_quality", "rating_count", "breed_size"])
def test_a_word_that_only_ends_or_begins_like_a_label_is_none(tmp_path, name):
    imported = import_source(write(tmp_path / "a.csv", f"key,x,{name}", "a,1,u", "b,2,v", "c,4,u", "d,5,v"))
    assert roles(imported)[name] == "binary"


@pytest.mark.parametrize("word", ["none", "None", "-"])
def test_a_word_for_nothing_is_a_category_among_words(tmp_path, word):
    path = of_colours(tmp_path / "a.csv", *[word, "mild", "severe"] * 4)
    imported = import_source(path)
    assert imported.columns[2] == ("colour", "category", "3 values")
    assert f"colour={word}" in imported.feature_names
    assert_alike(imported, path)


@pytest.mark.parametrize("word", ["", "NA", "n/a", "NaN", "Null", "?"])
def test_a_word_for_what_is_not_known_marks_a_missing_value_among_words(tmp_path, word):
    imported = import_source(of_colours(tmp_path / "a.csv", *["red", "blue", "green"] * 4, word))
    assert imported.columns[2] == ("colour", "category", "3 values")
    assert "Column 'colour': 1 empty cell is taken for none of the categories (line 14)." in imported.notes


@pytest.mark.parametrize("word", ["none", "None", "-", "NA", "?"])
def test_a_word_for_nothing_marks_a_missing_value_among_numbers(tmp_path, word):
    path = of_colours(tmp_path / "a.csv", "1.5", word, "2.5", word, "7")
    imported = import_source(path)
    assert [row["colour"] for row in imported.more] == [1.5, None, 2.5, None, 7.0]
    assert_alike(imported, path)
    # A single new item does not show that the column is one of numbers.
    _, X = imported.recipe.transform(of_colours(tmp_path / "new.csv", word))
    assert X[0, 1] == imported.X[1, 1]


def test_a_column_of_many_categories_weighs_no_more_than_a_column_of_numbers(tmp_path):
    path = of_colours(tmp_path / "a.csv", *(f"c{row % 15}" for row in range(45)))
    imported = import_source(path)
    assert imported.X.shape == (45, 16)
    assert imported.X[:, 1:].var(axis=0).sum() == pytest.approx(1)
    assert "A column of categories weighs as much as a column of numbers." in imported.notes
    assert_alike(imported, path)


def test_a_series_weighs_as_much_as_it_has_columns(tmp_path):
    names = [f"v{number}" for number in range(16)]
    rows = [
        f"k{row},{row * row}," + ",".join(str((row + 1) * (place + 3) % 19) for place in range(16)) for row in range(9)
    ]
    imported = import_source(write(tmp_path / "a.csv", ",".join(["key", "x", *names]), *rows))
    weights = imported.X.var(axis=0)
    width = len(weights) - 1
    assert weights[1:].sum() == pytest.approx(width)
    assert f"'v' weighs as much as {width} columns of numbers." in imported.notes


def test_percentages_are_numbers(tmp_path):
    path = write(tmp_path / "a.csv", "key;fat", "a;12 %", "b;3,5%", "c;", "d;100%", "e;-1%")
    imported = import_source(path)
    assert [row["fat"] for row in imported.more] == [12.0, 3.5, None, 100.0, -1.0]
    assert imported.feature_names == ("fat",)
    assert_alike(imported, path)


def test_percentages_beside_shares_are_no_numbers(tmp_path):
    path = write(tmp_path / "a.csv", "key,fat,x", "a,12%,1", "b,0.12,2", "c,3%,4", "d,4%,5", "e,5%,6")
    assert roles(import_source(path))["fat"] == "aside"


def test_years_may_be_names_of_columns(tmp_path):
    imported = import_source(write(tmp_path / "a.csv", "town,2020,2021", "Rome,1,2", "Oslo,2,7", "Bonn,5,3"))
    assert imported.feature_names == ("2020", "2021")


CELLS = st.sampled_from(["", "1", "2", "7", "red", "blue", "yes", "no", "5%", "007", "NA"])


@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=3, max_size=12),
    missing=st.sampled_from(["fill", "drop"]),
    skip_bad_rows=st.booleans(),
)
def test_whatever_is_put_aside_or_left_out_comes_out_alike(tmp_path_factory, rows, missing, skip_bad_rows):
    path = write(
        tmp_path_factory.mktemp("columns") / "a.csv",
        "key,x,colour,code,size",
        *(f"k{row},{','.join(cells)},{row * row}" for row, cells in enumerate(rows)),
    )
    try:
        imported = import_source(path, Options(missing=missing, skip_bad_rows=skip_bad_rows))
    except TreetalkError:
        return  # a bad cell, or no row is left
    assert np.isfinite(imported.X).all()
    assert_alike(imported, path)
