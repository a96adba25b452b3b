"""Which column names the items, codes that are no numbers, and what is shown beside the names."""

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from test_importing import assert_alike, roles, write
from treetalk import open_project
from treetalk.importing import Options, import_source

SIZES = (3.5, 1.25, 9, 7, 2, 6)


def table(path, header: str, codes):
    """Write codes, each beside a size."""
    return write(path, f"{header},size", *(f"{code},{size}" for code, size in zip(codes, SIZES, strict=True)))


@pytest.mark.parametrize(
    "name",
    ["Artikelnr", "Kundennummer", "Artikel-Nr.", "partNo", "part_no", "EANCode", "sku", "ISBN", "Catalogue", "userid"],
)
def test_a_column_of_codes_names_the_items_and_is_no_feature(tmp_path, name):
    path = table(tmp_path / "a.csv", name, range(100_000, 100_042, 7))
    imported = import_source(path)
    assert roles(imported) == {name: "id", "size": "number"}
    assert imported.items[:2] == ("100000", "100007")
    assert_alike(imported, path)


@pytest.mark.parametrize("name", ["num_rooms", "number of legs", "NoOfSeats", "catalog_price", "acid", "anno", "mean"])
def test_a_count_or_a_measurement_is_a_feature_though_its_name_has_a_word_of_codes(tmp_path, name):
    imported = import_source(table(tmp_path / "a.csv", name, range(100_000, 100_042, 7)))
    assert imported.feature_names == (name, "size")


def test_a_name_is_a_better_id_than_a_code(tmp_path):
    rows = [f"{100_000 + 7 * row},{animal},{row * row}" for row, animal in enumerate(["cat", "dog", "eel", "fox"])]
    imported = import_source(write(tmp_path / "a.csv", "Artikelnr,Tier,size", *rows))
    assert imported.items == ("cat", "dog", "eel", "fox")
    assert imported.columns[0] == ("Artikelnr", "aside", "looks like a code")
    assert imported.feature_names == ("size",)


def test_a_code_with_gaps_is_no_feature_and_no_id(tmp_path):
    imported = import_source(table(tmp_path / "a.csv", "Kundennummer", [100, 207, "", 300, 411, 512]))
    assert imported.columns[0] == ("Kundennummer", "aside", "looks like a code")
    assert imported.items == tuple("123456")


def test_a_code_that_is_named_is_a_feature(tmp_path):
    path = table(tmp_path / "a.csv", "Artikelnr", range(100, 700, 100))
    assert import_source(path, Options(features=("Artikelnr",))).feature_names == ("Artikelnr",)


def test_codes_beyond_the_precision_of_numbers_are_told_apart(tmp_path):
    codes = [2**60 + row for row in range(6)]
    imported = import_source(table(tmp_path / "a.csv", "barcode", codes))
    assert imported.items == tuple(map(str, codes))


def test_digits_with_leading_zeros_are_categories(tmp_path):
    path = table(tmp_path / "a.csv", "plz", ["01067", "01067", "80331", "80331", "50667", "50667"])
    imported = import_source(path)
    assert imported.feature_names == ("plz=01067", "plz=50667", "plz=80331", "size")
    assert imported.more[0]["plz"] == "01067"
    assert_alike(imported, path)


def test_digits_with_leading_zeros_that_differ_in_every_row_are_no_feature_and_no_id(tmp_path):
    imported = import_source(table(tmp_path / "a.csv", "plz", ["01067", "10115", "80331", "50667", "20095", "60311"]))
    assert imported.columns[0] == ("plz", "aside", "looks like a code")
    assert imported.items == tuple("123456")


def test_digits_with_leading_zeros_name_the_items_where_the_name_says_so(tmp_path):
    path = table(tmp_path / "a.csv", "SKU", ["00107", "10115", "80331", "50667", "20095", "60311"])
    imported = import_source(path)
    assert imported.items[:2] == ("00107", "10115")
    assert_alike(imported, path)


def test_a_row_that_is_left_out_does_not_make_numbers_of_codes(tmp_path):
    path = table(tmp_path / "a.csv", "plz", ["01067", "10115", "10115", "50667", "50667", "10115"])
    path.write_text(path.read_text().replace("3.5", "much"))
    imported = import_source(path, Options(skip_bad_rows=True))
    assert imported.more[0]["plz"] == "10115"
    assert "plz=50667" in imported.feature_names
    assert_alike(imported, path)


def test_codes_in_numbered_columns_stay_codes(tmp_path):
    header = ",".join(f"code{number}" for number in range(16))
    rows = [",".join([code] * 16) for code in ("007", "012", "100", "007", "012", "100")]
    imported = import_source(table(tmp_path / "a.csv", header, rows))
    assert imported.feature_names[:3] == ("code0=007", "code0=012", "code0=100")


def test_codes_are_known_in_excel_and_parquet_too(tmp_path):
    numbers, codes = list(range(500, 560, 10)), ["01067", "01067", "80331", "80331", "50667", "50667"]
    book = openpyxl.Workbook()
    for row in [("Artikelnr", "plz", "size"), *zip(numbers, codes, SIZES, strict=True)]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    pq.write_table(pa.table({"Artikelnr": numbers, "plz": codes, "size": SIZES}), tmp_path / "a.parquet")
    for name in ("a.xlsx", "a.parquet"):
        imported = import_source(tmp_path / name)
        assert roles(imported) == {"Artikelnr": "id", "plz": "category", "size": "number"}
        assert_alike(imported, tmp_path / name)


def test_few_repeats_in_a_column_that_was_chosen_get_numbers_and_that_is_said(tmp_path):
    path = write(
        tmp_path / "a.csv", "key,pet,x", *(f"k{row},{pet},{row * row}" for row, pet in enumerate("abcdefghia"))
    )
    imported = import_source(path, Options(id="pet"))
    assert imported.items == (*"abcdefghi", "a (2)")
    assert "'a' is there twice, on line 2 and line 11: the second one is called 'a (2)', and so on." in imported.notes
    assert_alike(imported, path)


def test_more_repeats_in_a_column_that_was_chosen_are_an_error(tmp_path):
    path = write(
        tmp_path / "a.csv", "key,pet,x", *(f"k{row},{pet},{row * row}" for row, pet in enumerate("abcdefghab"))
    )
    with pytest.raises(
        ValueError, match=r"^a\.csv, line 10: column 'pet': the item 'a' is on line 2 already; names must"
    ):
        import_source(path, Options(id="pet"))


def test_a_repeat_in_a_row_that_is_left_out_is_none(tmp_path):
    path = write(tmp_path / "a.csv", "pet,x", "a,1", "b,2", "c,9", "d,4", "a,five", "e,6")
    imported = import_source(path, Options(id="pet", skip_bad_rows=True))
    assert imported.items == tuple("abcde")
    assert "twice" not in " ".join(imported.notes)
    assert_alike(imported, path)


def test_a_row_without_a_name_can_be_skipped(tmp_path):
    path = write(tmp_path / "a.csv", "pet,x", "a,1", "b,2", ",nine", "c,4", "d,5", "e,6")
    imported = import_source(path, Options(id="pet", skip_bad_rows=True))
    assert imported.items == tuple("abcde")
    assert imported.notes == ("Column 'pet': 1 row was left out for a missing name (line 4).",)
    assert_alike(imported, path)


def test_a_row_without_a_name_can_be_skipped_where_embeddings_are_found_by_name(tmp_path):
    path = write(tmp_path / "a.csv", "pet,x", "a,1", ",2", "c,4")
    vectors = write(tmp_path / "e.csv", "pet,u", "a,3", "c,5")
    imported = import_source(path, Options(id="pet", embeddings=vectors, skip_bad_rows=True))
    assert imported.items == ("a", "c")
    assert_alike(imported, path)


def test_a_label_is_shown_beside_the_ids(tmp_path):
    path = write(tmp_path / "a.csv", "id,title,kind,x", "k1,Cats,pet,1", "k2,Dogs,,2", "k3,Eels,fish,4")
    assert import_source(path).texts == ("Cats", "Dogs", "Eels")
    imported = import_source(path, Options(label="kind"))
    assert imported.texts == ("pet", None, "fish")
    assert_alike(imported, path)


def test_the_command_takes_a_label(tmp_path, treetalk):
    path = write(tmp_path / "a.csv", "id,kind,x", "k1,pet,1", "k2,,2", "k3,fish,4")
    result = treetalk("new", tmp_path / "a.treetalk", path, "--label", "kind")
    assert result.code == 0, result.said
    with open_project(tmp_path / "a.treetalk", read_only=True) as project:
        assert tuple(project.texts) == ("pet", None, "fish")


@given(
    codes=st.lists(st.from_regex(r"[0-9]{1,6}", fullmatch=True), min_size=6, max_size=6),
    name=st.sampled_from(["Artikelnr", "plz", "code", "id", "n"]),
    missing=st.sampled_from(["fill", "drop"]),
)
def test_whatever_digits_a_column_holds_they_are_treated_alike(tmp_path_factory, codes, name, missing):
    path = table(tmp_path_factory.mktemp("codes") / "a.csv", name, codes)
    imported = import_source(path, Options(missing=missing))
    assert len(set(imported.items)) == 6
    if any(len(code) > 1 and code.startswith("0") for code in codes):
        assert roles(imported)[name] != "number"
    assert_alike(imported, path)
