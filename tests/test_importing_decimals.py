"""Decimal commas, and dots between thousands: a file is read in one way, and what remains unclear is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from test_importing import assert_alike, roles, stored, write
from treetalk import TreetalkError
from treetalk.importing import Options, import_source


def table(path, separator: str, header: str, *rows: str):
    """Write rows whose cells are separated by blanks."""
    return write(path, *(line.replace(" ", separator) for line in (header, *rows)))


def column(imported, name: str):
    return [row[name] for row in imported.more]


@pytest.mark.parametrize(("separator", "ending"), [(";", "csv"), ("\t", "tsv")])
def test_a_dot_stands_between_thousands_where_another_column_has_decimal_commas(tmp_path, separator, ending):
    rows = ["a 135,71 1.234 7", "b 2,5 15.600 8", "c 8 950 9"]
    path = table(tmp_path / f"a.{ending}", separator, "key size price stock", *rows)
    imported = import_source(path)
    assert column(imported, "size") == [135.71, 2.5, 8.0]
    assert column(imported, "price") == [1234, 15600, 950]
    assert column(imported, "stock") == [7, 8, 9]
    assert not [note for note in imported.notes if "decimal" in note]
    assert_alike(imported, path)


def test_two_dots_stand_between_thousands_without_further_evidence(tmp_path):
    path = table(tmp_path / "a.csv", ";", "key price", "a 1.234.567", "b 15.600", "c 950")
    imported = import_source(path)
    assert column(imported, "price") == [1234567, 15600, 950]
    assert_alike(imported, path)


def test_numbered_columns_have_dots_between_thousands_too(tmp_path):
    header = "key size " + " ".join(f"v{number}" for number in range(16))
    rows = [f"k{row} {row},5 " + " ".join([f"{row + 1}.250"] * 15 + ["950"]) for row in range(4)]
    imported = import_source(table(tmp_path / "a.csv", ";", header, *rows), Options(scaling="together"))
    # From 1,250 to 4,250 beside 0.5 to 3.5: a thousand times as wide.
    spread = dict(zip(imported.feature_names, imported.X.std(axis=0), strict=True))
    assert spread["v0"] == pytest.approx(1000 * spread["size"])


def test_a_dot_that_may_be_a_decimal_point_is_one_and_that_is_said(tmp_path):
    path = table(tmp_path / "a.csv", ";", "key price size", "a 1.234 2.500", "b 15.600 1.250", "c 950 3.125")
    imported = import_source(path)
    assert column(imported, "price") == [1.234, 15.6, 950.0]
    assert (
        "Column 'price' (and so it is with 1 more column): '1.234' is read with a decimal point; if it stands between "
        "thousands, write the numbers without it." in imported.notes
    )
    assert_alike(imported, path)


def test_a_file_with_both_commas_and_points_is_ambiguous(tmp_path):
    imported = import_source(table(tmp_path / "a.csv", ";", "key x y price", "a 1,5 0.25 1.234", "b 2 1.5 15.600"))
    assert column(imported, "x") == [1.5, 2.0]
    assert column(imported, "y") == [0.25, 1.5]
    assert column(imported, "price") == [1.234, 15.6]
    assert any(note.startswith("Column 'price': '1.234' is read with a decimal point") for note in imported.notes)


def test_where_other_columns_have_decimal_points_nothing_need_be_said(tmp_path):
    imported = import_source(table(tmp_path / "a.csv", ";", "key x price", "a 0.5 1.234", "b 2.25 15.600"))
    assert column(imported, "price") == [1.234, 15.6]
    assert not [note for note in imported.notes if "decimal" in note]


def test_a_comma_in_a_text_is_no_decimal_comma(tmp_path):
    path = write(tmp_path / "a.csv", "key;town;price", "a;Rome, Italy;1.234", "b;Oslo;15.600", "c;Bonn;950")
    assert column(import_source(path), "price") == [1.234, 15.6, 950.0]


def test_a_comma_that_may_stand_between_thousands_is_said_where_semicolons_separate(tmp_path):
    imported = import_source(table(tmp_path / "a.csv", ";", "key price", "a 1,234", "b 15,600", "c 950"))
    assert column(imported, "price") == [1.234, 15.6, 950.0]
    assert any(note.startswith("Column 'price': '1,234' is read with a decimal comma; if") for note in imported.notes)


def test_a_comma_that_may_stand_between_thousands_is_no_number_where_tabs_separate(tmp_path):
    imported = import_source(table(tmp_path / "a.tsv", "\t", "key price x", "a 1,234 3", "b 1,234 4", "c 950 7"))
    assert roles(imported)["price"] != "number"
    assert any(note.startswith("Column 'price': '1,234' is not read as a number, since") for note in imported.notes)


def test_one_comma_among_points_is_a_bad_cell(tmp_path):
    path = table(tmp_path / "a.csv", ";", "key x", *(f"k{row} {row}.5" for row in range(9)), "z 2,5")
    with pytest.raises(TreetalkError, match=r"^a\.csv: line 11, column 'x': '2,5' is not a number"):
        import_source(path)


def test_a_decimal_point_among_commas_is_a_bad_cell(tmp_path):
    path = table(tmp_path / "a.csv", ";", "key x", *(f"k{row} {row},5" for row in range(9)), "z 0.125")
    problem = r"'0\.125' has a decimal point, but other numbers of the column have a comma"
    with pytest.raises(TreetalkError, match=rf"^a\.csv: line 11, column 'x': {problem}; correct this"):
        import_source(path)


def test_a_new_item_that_does_not_show_how_numbers_are_written_is_read_like_the_first_ones(tmp_path):
    path = table(tmp_path / "a.csv", ";", "key size price", "a 135,71 1.234", "b 2,5 15.600", "c 8 950")
    imported = import_source(path)
    new = table(tmp_path / "new.csv", ";", "key size price", "d 8 15.600")
    _, X = stored(imported.recipe).transform(new)
    assert X[0].tolist() == pytest.approx([imported.X[2, 0], imported.X[1, 1]])


CELLS = st.sampled_from(["1,5", "2.5", "1.234", "1,234", "1.234.567", "1.234,5", "950", "0.125", "-", "none", "x, y"])


@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=3, max_size=8),
    separator=st.sampled_from(";\t|"),
    skip_bad_rows=st.booleans(),
)
def test_however_numbers_are_written_they_come_out_alike(tmp_path_factory, rows, separator, skip_bad_rows):
    path = write(
        tmp_path_factory.mktemp("decimals") / "a.csv",
        separator.join(["key", "x", "y", "z", "size"]),
        *(separator.join([f"k{row}", *cells, str(row * row)]) for row, cells in enumerate(rows)),
    )
    try:
        imported = import_source(path, Options(skip_bad_rows=skip_bad_rows))
    except TreetalkError:
        return  # a bad cell, or no row is left
    assert_alike(imported, path)
