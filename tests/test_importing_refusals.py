"""What cannot be imported is refused in one sentence that names the culprit."""

import re
import subprocess
import sys

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from test_importing import write
from treetalk import DataNotFound, FormatError, TreetalkError
from treetalk.importing import Options, import_source


def refusal(path, options: Options | None = None) -> str:
    """The sentence by which a source is refused."""
    with pytest.raises((TreetalkError, ValueError)) as caught:
        import_source(path, options)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


TABLES = {
    "an empty file": ([], "a.csv: the file is empty"),
    "blank lines": (["", ""], "a.csv: the file is empty"),
    "a header alone": (["name,x"], "a.csv, line 1: there is a header but no row"),
    "one row": (["name,x", "a,1"], "a.csv: there is one row that can be used; a hierarchy needs at least 2 items"),
    "two columns of one name": (
        ["name,legs,size,legs", "a,1,2,3"],
        "a.csv, line 1: columns 2 and 4 are both called 'legs'; give them distinct names",
    ),
    "two columns without a name": (
        ["name,,x,", "a,1,2,3", "b,1,2,4"],
        "a.csv, line 1: columns 2 and 4 both have no name; give them distinct names",
    ),
    "too few cells": (
        ["name,x,z", "a,1,2", 'b,"1', '2",3', "c,1", "d,2"],
        "a.csv, line 5: there are 2 cells, but the header has 3; so it is with 1 more line; correct this, or leave such "
        "rows out with --skip-bad-rows",
    ),
    "too many cells": (
        ["name,x", "a,1", "b,1,5"],
        "a.csv, line 3: there are 3 cells, but the header has 2; correct this, or leave such rows out with --skip-bad-rows",
    ),
    "no header": (
        ["1.5,2,3,4,5", "2,3,4,5,6"],
        "a.csv, line 1: there are numbers (1.5, 2, 3, 4, ...) where the names of the columns should be; add a first line "
        "with names",
    ),
    "a negative number among the names": (
        ["sp0,0.13,-0.13", "sp1,0.5,0.25", "sp2,1,2"],
        "a.csv, line 1: there is the number 0.13 where the name of column 2 should be; add a first line with names",
    ),
    "a name that is a whole but negative number": (
        ["plant,-3", "a,1", "b,2"],
        "a.csv, line 1: there is the number -3 where the name of column 2 should be; add a first line with names",
    ),
    "a decimal comma among the names": (
        ["sp0;1;0,13", "sp1;2;0,25", "sp2;3;0,5"],
        "a.csv, line 1: there is the number 0,13 where the name of column 3 should be; add a first line with names",
    ),
    "a quotation mark that is not closed": (
        ["name,x", "a,1", 'b,"2', "c,3"],
        "a.csv, line 3: a quoted cell of the row that begins here never ends; a closing quotation mark is missing",
    ),
    "a quotation mark within a quoted cell": (
        ["name,x", 'a,"1"5', "b,2"],
        "a.csv, line 2: a quotation mark ends a cell of the row that begins here, but the cell goes on; within a quoted "
        "cell, write two of them",
    ),
    "a null character": (
        ["name,x", "a,1\0", "b,2"],
        "a.csv, line 2: there is a null character; this is no text, or its encoding has to be named: --encoding utf-16",
    ),
    "a cell that is no number": (
        ["name,legs", "a,4", "b,2", "c,4", "d,four", "e,2"],
        "a.csv: line 5, column 'legs': 'four' is not a number; correct this, or say --skip-bad-rows, --categorical legs or "
        "--leave-out legs",
    ),
    "a cell that is no number, in a column whose name has to be quoted": (
        ["name,mass [g]", "a,4", "b,2", "c,4", "d,four", "e,2"],
        "a.csv: line 5, column 'mass [g]': 'four' is not a number; correct this, or say --skip-bad-rows, "
        "--categorical 'mass [g]' or --leave-out 'mass [g]'",
    ),
    "an infinite number": (
        ["name,legs", "a,4", "b,2", "c,inf"],
        "a.csv: line 4, column 'legs': 'inf' is not a finite number; correct this, or say --skip-bad-rows, "
        "--categorical legs or --leave-out legs",
    ),
    "no feature": (
        ["name,type,day", "a,1,2024-01-01", "b,2,2024-01-02"],
        "a.csv: no column serves as a feature: 'name' (names the items), 'type' (looks like a label), 'day' (holds dates); "
        "name some with --features, or --text",
    ),
    "distances": (
        ["name,a,b,c", "a,0,1,2", "b,1,0,3", "c,2,3,0"],
        "a.csv: the 3 by 3 numbers are square and symmetric with a zero diagonal: a distance matrix; treetalk needs "
        "features, a row for each item; sklearn.manifold.MDS makes features of distances",
    ),
}


@pytest.mark.parametrize("what", TABLES)
def test_a_table_is_refused_with_its_fault(tmp_path, what):
    lines, sentence = TABLES[what]
    assert refusal(write(tmp_path / "a.csv", *lines)) == sentence


def test_ten_bad_cells_are_listed_and_the_others_counted(tmp_path):
    rows = [f"{row}.5" for row in range(60)]
    rows[10:22] = [f"bad{row}" for row in range(12)]
    sentence = refusal(write(tmp_path / "a.csv", "x", *rows))
    assert sentence.startswith("a.csv: line 12, column 'x': 'bad0' is not a number; line 13, column 'x': 'bad1' is not")
    assert "; line 21, column 'x': 'bad9' is not a number; and 2 more; correct this" in sentence


def test_an_error_knows_its_line(tmp_path):
    with pytest.raises(FormatError) as caught:
        import_source(write(tmp_path / "a.csv", "x", "1", "2", "3", "4", "five"))
    assert (caught.value.source, caught.value.line) == ("a.csv", 6)


def test_bytes_that_are_not_utf_8_are_refused_with_their_place(tmp_path):
    (tmp_path / "a.csv").write_bytes("name,x\nBär,1\n".encode("latin-1"))
    assert refusal(tmp_path / "a.csv") == (
        "a.csv, line 2, column 2: the byte 0xe4 is not UTF-8 text; save the file as UTF-8, or name its encoding: "
        "--encoding cp1252"
    )


def test_an_unknown_encoding_is_refused(tmp_path):
    sentence = refusal(write(tmp_path / "a.csv", "x", "1", "2"), Options(encoding="utf-9"))
    assert sentence == "there is no encoding 'utf-9'; usual ones are utf-8, utf-16, latin-1 and cp1252"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"id": "nam"}, "--id: there is no column 'nam'; did you mean 'name'? (a.csv)"),
        ({"leave_out": ("q",)}, "--leave-out: there is no column 'q'; there are 'name', 'legs', 'story' (a.csv)"),
        ({"label": "storey"}, "--label: there is no column 'storey'; did you mean 'story'? (a.csv)"),
        ({"features": ("Leg",)}, "--features: there is no column 'Leg'; did you mean 'legs'? (a.csv)"),
        (
            {"features": ("story",)},
            "a.csv: column 'story' has 4 different values in 4 rows, so it is no feature as it is; have it read as text "
            "with --text story, or as categories with --categorical story",
        ),
        (
            {"id": "legs"},
            "a.csv, line 4: column 'legs': the item '4' is on line 2 already; names must be distinct, or choose another "
            "column with --id",
        ),
        (
            {"missing": "refuse"},
            "a.csv, line 5: column 'legs': a value is missing here; fill it in, or say --missing fill or drop",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path, options, sentence):
    path = write(tmp_path / "a.csv", "name,legs,story", "a,4,s1", "b,2,s2", "c,4,s3", "d,,s4")
    assert refusal(path, Options(**options)) == sentence


def test_an_empty_name_of_an_item_is_refused(tmp_path):
    path = write(tmp_path / "a.csv", "name,x", "a,1", " ,2", "c,3")
    assert refusal(path, Options(id="name")) == "a.csv, line 3: column 'name': the name of the item is missing"


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"scaling": "all"}, ValueError, "scaling must be 'auto', 'each' or 'together', not 'all'"),
        ({"missing": "keep"}, ValueError, "missing must be 'fill', 'drop' or 'refuse', not 'keep'"),
        ({"dimensions": 0}, ValueError, "dimensions must be 1 or more, not 0"),
        ({"text": "story"}, TypeError, "text must be a sequence of column names, not the string 'story'"),
        (
            {"features": ("x",), "leave_out": ("x",)},
            ValueError,
            "column 'x' is both among features and in leave_out; it cannot be both",
        ),
    ],
)
def test_wrong_options_are_refused(options, error, sentence):
    with pytest.raises(error, match=re.escape(sentence)):
        Options(**options)


def test_a_source_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DataNotFound, match=r"^there is no file or folder '.*nothing\.csv'$"):
        import_source(tmp_path / "nothing.csv")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a.xls", "this is Excel's old format; save it as .xlsx or CSV"),
        ("a.json", "JSON can hold anything; make a table of it, with a row for each item (CSV)"),
        ("a.pickle", "a pickle can run any code when it is opened; save the data as Parquet, CSV or .npy"),
        ("a.txt", "a text is one item; put the texts into a folder, or call the file .csv if it is a table"),
    ],
)
def test_other_kinds_of_files_are_refused_with_the_reason(tmp_path, name, reason):
    assert refusal(write(tmp_path / name, "x")) == f"{name} cannot be read: {reason}"


def test_an_unknown_ending_is_refused_with_what_is_taken(tmp_path):
    assert refusal(write(tmp_path / "a.doc", "x")).startswith(
        "a.doc cannot be read: the ending '.doc' is not known; treetalk takes"
    )


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (
            np.ones(4),
            "a.npy: the array has the shape (4,); there must be a row for each item and a column for each feature",
        ),
        (np.ones((0, 3)), "a.npy: the array is empty; its shape is (0, 3)"),
        (np.array([["a", "b"]]), "a.npy: the array holds no numbers; its dtype is <U1"),
        (1 - np.eye(4), "a.npy: the 4 by 4 numbers are square and symmetric with a zero diagonal: a distance matrix"),
        (
            np.array([[1, 2], [3, np.inf]]),
            "a.npy: row 1, column 'x[1]': inf is not a finite number; correct this, or say --skip-bad-rows",
        ),
        (np.array([[None]]), "a.npy: the array holds Python objects, which may run any code when opened; save numbers"),
    ],
)
def test_arrays_are_refused_with_the_reason(tmp_path, array, sentence):
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    assert refusal(tmp_path / "a.npy").startswith(sentence)


def test_a_sparse_matrix_is_refused_with_advice(tmp_path):
    from scipy.sparse import csr_array, save_npz

    save_npz(tmp_path / "a.npz", csr_array(np.eye(3)))
    assert refusal(tmp_path / "a.npz").startswith(
        "a.npz: this is a sparse matrix; reduce it to some dozens of columns first"
    )


def test_an_archive_of_several_matrices_is_refused(tmp_path):
    np.savez(tmp_path / "a.npz", one=np.ones((3, 2)), two=np.ones((3, 2)))
    assert refusal(tmp_path / "a.npz") == (
        "a.npz: one two-dimensional array of numbers is needed, there are 2 ('one' and 'two'); call the right one 'X', "
        "'features', 'embeddings' or 'data'"
    )


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("a.npy", "a.npy: this is no .npy file of NumPy"),
        ("a.npz", "a.npz: this is no .npz file of NumPy"),
        ("a.xlsx", "a.xlsx: this is no Excel file (.xlsx)"),
        ("a.parquet", "a.parquet: this is no Parquet file"),
    ],
)
def test_a_file_of_another_kind_than_its_name_says_is_refused(tmp_path, name, sentence):
    assert refusal(write(tmp_path / name, "this is something else")).startswith(sentence)


def test_excel_sheets_are_refused_with_the_reason(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "one"
    book.save(tmp_path / "a.xlsx")
    assert refusal(tmp_path / "a.xlsx") == "a.xlsx: the sheet 'one' is empty"
    assert (
        refusal(tmp_path / "a.xlsx", Options(sheet="on"))
        == "--sheet: there is no sheet 'on'; did you mean 'one'? (a.xlsx)"
    )
    book.active.append(["name", "x"])
    book.save(tmp_path / "a.xlsx")
    assert refusal(tmp_path / "a.xlsx") == "a.xlsx: the sheet 'one' has a header in row 1 but no row below"
    for row in (["a", 1], ["b", "2"], ["c", "x"], ["d", 4], ["e", 5]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert refusal(tmp_path / "a.xlsx").startswith("a.xlsx: row 4, column 'x': 'x' is not a number; correct this")


def test_an_excel_sheet_without_a_header_is_refused(tmp_path):
    book = openpyxl.Workbook()
    book.active.append([1, 2.5])
    book.active.append([2, 3.5])
    book.save(tmp_path / "a.xlsx")
    assert refusal(tmp_path / "a.xlsx") == (
        "a.xlsx: there are numbers in row 1 (1 and 2.5) where the names of the columns should be; add a row with names above"
    )


def test_an_excel_sheet_whose_header_is_data_is_refused(tmp_path):
    book = openpyxl.Workbook()
    for row in (["sp0", 2020, -0.5], ["sp1", 2021, 0.5], ["sp2", 2022, 1.5]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert refusal(tmp_path / "a.xlsx") == (
        "a.xlsx: there is the number -0.5 in row 1 where the name of column 3 should be; add a row with names above"
    )


def test_parquet_without_rows_is_refused(tmp_path):
    pq.write_table(pa.table({"x": pa.array([], pa.float64())}), tmp_path / "a.parquet")
    assert refusal(tmp_path / "a.parquet") == "a.parquet: there are columns but no row"


def test_folders_are_refused_with_the_reason(tmp_path):
    folder = tmp_path / "things"
    folder.mkdir()
    assert refusal(folder) == "the folder things is empty"
    write(folder / "a.csv", "x")
    assert (
        refusal(folder) == "the folder things holds no images or texts (.txt, .md); the first of its 1 files is 'a.csv'"
    )
    write(folder / "b.txt", "words")
    Image.new("RGB", (2, 2)).save(folder / "c.png")
    assert refusal(folder) == (
        "the folder things holds both images (1, the first is 'c.png') and texts (1, the first is 'b.txt'); put them into "
        "folders of their own"
    )


def test_a_folder_with_more_than_a_stray_file_of_the_other_kind_is_refused(tmp_path):
    for number in range(8):
        Image.new("RGB", (2, 2), (30 * number, 0, 0)).save(tmp_path / f"{number}.png")
    write(tmp_path / "readme.txt", "words")
    assert "holds both images (8, the first is '0.png') and texts (1, the first is 'readme.txt')" in refusal(tmp_path)


def test_a_picture_that_cannot_be_read_is_named(tmp_path):
    for number in range(3):
        Image.new("RGB", (9, 9), (number * 90, 0, 0)).save(tmp_path / f"{number}.png")
    (tmp_path / "3.png").write_bytes((tmp_path / "2.png").read_bytes()[:40])
    write(tmp_path / "4.jpg", "no picture")
    sentence = refusal(tmp_path)
    assert f"{tmp_path.name}: file '3.png', column 'image': '3.png' cannot be read as a picture (" in sentence
    assert (
        "; file '4.jpg', column 'image': '4.jpg' cannot be read as a picture (its format is not known); correct"
        in sentence
    )
    assert import_source(tmp_path, Options(skip_bad_rows=True)).items == ("0", "1", "2")


def test_a_picture_that_is_not_there_is_named(tmp_path):
    for number in range(3):
        Image.new("RGB", (9, 9), (number * 90, 0, 0)).save(tmp_path / f"{number}.png")
    path = write(tmp_path / "a.csv", "name,photo", "a,0.png", "b,1.png", "c,2.png", "d,7.png")
    assert (
        refusal(path) == "a.csv: line 5, column 'photo': there is no file '7.png'; correct this, or say --skip-bad-rows"
    )


def test_a_text_that_cannot_be_decoded_is_named(tmp_path):
    write(tmp_path / "a.txt", "plain words here")
    write(tmp_path / "b.txt", "other words there")
    (tmp_path / "c.txt").write_bytes("one\nzwölf".encode("latin-1"))
    assert refusal(tmp_path).startswith("c.txt, line 2, column 3: the byte 0xf6 is not UTF-8 text")
    assert import_source(tmp_path, Options(skip_bad_rows=True)).items == ("a", "b")


def test_embeddings_that_do_not_fit_are_refused(tmp_path):
    path = write(tmp_path / "a.csv", "name,size", "a,1", "b,5", "c,7")
    np.save(tmp_path / "e.npy", np.ones((2, 4)))
    assert refusal(path, Options(embeddings=tmp_path / "e.npy")) == (
        "e.npy has 2 rows, but a.csv has 3; there must be an embedding for each item, in the same order"
    )
    vectors = write(tmp_path / "e.csv", "name,u", "a,1", "c,3")
    assert (
        refusal(path, Options(embeddings=vectors))
        == "a.csv, line 3: there is no embedding of 'b' in e.csv, column 'name'"
    )


@pytest.mark.parametrize(("library", "name"), [("pyarrow", "a.parquet"), ("openpyxl", "a.xlsx"), ("PIL", "pictures")])
def test_a_library_that_is_missing_is_named(tmp_path, library, name):
    if name == "pictures":
        (tmp_path / name).mkdir()
        write(tmp_path / name / "a.png", "x")
    else:
        write(tmp_path / name, "x")
    code = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "from treetalk.importing import import_source\n"
        "try:\n    import_source(sys.argv[1])\nexcept Exception as error:\n    print(type(error).__name__, error)"
    )
    result = subprocess.run([sys.executable, "-c", code, tmp_path / name], capture_output=True, text=True, check=True)
    needed = "pillow" if library == "PIL" else library
    assert result.stdout.startswith("MissingPackage ")
    assert f'needs {needed}, which is not installed: pip install "treetalk[io]"' in result.stdout
