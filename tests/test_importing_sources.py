"""Sources of every kind: Parquet, Excel, arrays, folders of images and of texts."""

import datetime
import io

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from test_importing import assert_alike, roles, write
from treetalk.errors import FormatError
from treetalk.importing import Options, import_source


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def write_excel(path, sheets: dict[str, list[list[object]]]):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def picture(colour, size=(40, 30)) -> Image.Image:
    return Image.new("RGB", size, colour)


def test_tab_separated_values_are_read(tmp_path):
    path = write(tmp_path / "a.tsv", "name\tx\tnote", "a\t1.5\tone, two; three", "b\t2\t|", "c\t0\t,")
    imported = import_source(path)
    assert imported.items == ("a", "b", "c")
    assert imported.more[0] == {"x": 1.5, "note": "one, two; three"}


def test_decimal_commas_are_read_where_semicolons_separate(tmp_path):
    path = write(tmp_path / "a.csv", "name;x;large;whole", "a;1,5;1.234,5;4", "b;2;12;2", "c;-0,25;1.000;0")
    imported = import_source(path)
    assert [row["x"] for row in imported.more] == [1.5, 2.0, -0.25]
    assert [row["large"] for row in imported.more] == [1234.5, 12.0, 1000.0]
    assert [row["whole"] for row in imported.more] == [4, 2, 0]


def test_the_separator_that_excel_states_is_used(tmp_path):
    imported = import_source(write(tmp_path / "a.csv", "sep=|", "name|x", "a|1", "b|2"))
    assert imported.items == ("a", "b")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_byte_order_mark_says_the_encoding(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_text("name,größe\nBär,1\nÜhu,2\n", encoding=encoding)
    imported = import_source(path)
    assert (imported.items, imported.feature_names) == (("Bär", "Ühu"), ("größe",))


def test_an_encoding_can_be_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("name,x\nBär,1\nUhu,2\n", encoding="cp1252")
    imported = import_source(path, Options(encoding="cp1252"))
    assert imported.items == ("Bär", "Uhu")
    assert_alike(imported, path)


def test_lines_that_end_with_a_separator_have_no_further_column(tmp_path):
    imported = import_source(write(tmp_path / "a.csv", "name,x,", "a,1,", "b,2,"))
    assert [column.name for column in imported.columns] == ["name", "x"]


def test_parquet_is_read(tmp_path):
    table = pa.table(
        {
            "size": pa.array([1.5, None, 3.5, 9.0]),
            "legs": pa.array([4, 2, None, 4]),
            "kind": pa.array(["a", "b", "a", "b"]).dictionary_encode(),
            "tame": pa.array([True, False, True, True]),
            "seen": pa.array([datetime.date(2024, 1, day) for day in (1, 2, 3, 5)]),
            "number": pa.array([2**60 + 1, 2**60 + 2, 2**60 + 3, 2**60 + 5]),
            "name": pa.array(["w", "x", "y", "z"]),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    imported = import_source(tmp_path / "a.parquet")
    assert imported.items == ("w", "x", "y", "z")
    assert imported.feature_names == ("size", "legs", "kind=b", "tame")
    expected = {"size": None, "legs": 2, "kind": "b", "tame": False, "seen": "2024-01-02", "number": 2**60 + 2}
    assert imported.more[1] == expected
    assert "Column 'size': 1 missing value was filled in with 3.5, the median (row 2)." in imported.notes
    assert_alike(imported, tmp_path / "a.parquet")


def test_a_parquet_column_of_lists_is_an_embedding(tmp_path, rng):
    vectors = rng.normal(size=(10, 4))
    table = pa.table({"id": [f"i{row}" for row in range(10)], "vector": pa.array(vectors.tolist())})
    pq.write_table(table, tmp_path / "a.parquet")
    imported = import_source(tmp_path / "a.parquet")
    assert roles(imported)["vector"] == "embedding"
    ratio = imported.X.std(axis=0) / vectors.std(axis=0)
    np.testing.assert_allclose(ratio, ratio[0])
    assert_alike(imported, tmp_path / "a.parquet")


def test_excel_is_read(tmp_path):
    rows = [
        ["Name", "Size", "Tame", "Seen"],
        ["cat", 4, True, datetime.datetime(2024, 1, 2)],
        ["dog", 30.5, True, None],
    ]
    path = write_excel(tmp_path / "a.xlsx", {"pets": [*rows, ["eel", None, False, None], ["fox", 9, False, None]]})
    imported = import_source(path)
    assert imported.items == ("cat", "dog", "eel", "fox")
    assert imported.feature_names == ("Size", "Tame")
    assert imported.more[0] == {"Size": 4.0, "Tame": True, "Seen": "2024-01-02T00:00:00"}
    assert "Column 'Size': 1 missing value was filled in with 9, the median (row 4)." in imported.notes
    assert_alike(imported, path)


def test_the_first_sheet_is_read_unless_another_is_named(tmp_path):
    sheets = {"one": [["name", "x"], ["a", 1], ["b", 2]], "two": [["name", "x"], ["c", 1], ["d", 2]]}
    path = write_excel(tmp_path / "a.xlsx", sheets)
    imported = import_source(path)
    assert imported.items == ("a", "b")
    assert "The first of 2 sheets, 'one', was read; choose another one with --sheet." in imported.notes
    assert import_source(path, Options(sheet="two")).items == ("c", "d")


def test_an_array_is_read_in_one_unit(tmp_path, rng):
    data = rng.normal(size=(20, 3)) * [1, 2, 5] + 7
    np.save(tmp_path / "a.npy", data)
    imported = import_source(tmp_path / "a.npy")
    assert imported.items == tuple(map(str, range(20)))
    ratio = imported.X.std(axis=0) / data.std(axis=0)
    np.testing.assert_allclose(ratio, ratio[0])
    assert imported.source == "a.npy: 20 rows, 3 columns"
    assert imported.notes == ("Items are named by the number of their row, counted from 0.",)
    assert_alike(imported, tmp_path / "a.npy")


def test_a_wide_array_is_reduced(tmp_path, rng):
    np.save(tmp_path / "a.npy", rng.normal(size=(20, 30)).astype(np.float32))
    imported = import_source(tmp_path / "a.npy", Options(dimensions=5))
    assert imported.feature_names == ("x 1", "x 2", "x 3", "x 4", "x 5")
    assert (np.diff(imported.X.var(axis=0)) < 0).all()
    assert_alike(imported, tmp_path / "a.npy")


@pytest.mark.parametrize("num_rows", [400, 4_100])  # the second is large enough for the randomised algorithm
def test_the_strongest_components_are_found_whatever_the_mean(tmp_path, rng, num_rows):
    strong = rng.normal(size=(num_rows, 2)) * [30, 10]
    mixing = np.linalg.qr(rng.normal(size=(500, 2)))[0]
    np.save(tmp_path / "a.npy", 1e9 + strong @ mixing.T + 0.1 * rng.normal(size=(num_rows, 500)))
    imported = import_source(tmp_path / "a.npy", Options(dimensions=2))
    for place in range(2):
        assert abs(np.corrcoef(imported.X[:, place], strong[:, place])[0, 1]) > 0.99
    assert_alike(imported, tmp_path / "a.npy")


def test_columns_of_an_array_that_say_nothing_are_left_out(tmp_path, rng):
    data = rng.normal(size=(9, 4))
    data[:, 1] = 7
    data[:6, 2] = np.nan
    data[0, 3] = np.nan
    np.save(tmp_path / "a.npy", data)
    imported = import_source(tmp_path / "a.npy")
    assert imported.feature_names == ("x 1", "x 4")
    assert imported.notes[1:] == (
        "Of the 4 columns of 'x', 1 column is the same in every row and not used.",
        "Of the 4 columns of 'x', 1 column is mostly missing and not used.",
        "Of 'x', 1 missing value was filled in with the median of the column (row 0).",
    )
    assert_alike(imported, tmp_path / "a.npy")


def test_a_column_of_an_array_that_is_not_used_drops_no_row(tmp_path, rng):
    data = rng.normal(size=(9, 4))
    data[:6, 2] = np.nan
    data[0, 3] = np.nan
    np.save(tmp_path / "a.npy", data)
    imported = import_source(tmp_path / "a.npy", Options(missing="drop"))
    assert imported.items == tuple("12345678")
    assert imported.feature_names == ("x 1", "x 2", "x 4")
    assert_alike(imported, tmp_path / "a.npy")


def test_new_rows_of_an_array_must_be_as_wide(tmp_path, rng):
    np.save(tmp_path / "a.npy", rng.normal(size=(20, 3)))
    np.save(tmp_path / "b.npy", rng.normal(size=(1, 4)))
    with pytest.raises(ValueError, match=r"^b\.npy: 'x' has 4 columns; 3 are needed, as in the first source$"):
        import_source(tmp_path / "a.npy").recipe.transform(tmp_path / "b.npy")


def test_arrays_beside_the_features_are_further_columns(tmp_path, rng):
    names = np.array([f"n{row}" for row in range(12)])
    np.savez(tmp_path / "a.npz", X=rng.normal(size=(12, 3)), name=names, y=np.arange(12) % 3, pca=np.eye(2))
    imported = import_source(tmp_path / "a.npz")
    assert imported.items == tuple(names)
    assert imported.more[4] == {"y": 1}
    assert imported.X.shape == (12, 3)
    assert_alike(imported, tmp_path / "a.npz")


def test_a_folder_of_texts_is_read(tmp_path):
    texts = {
        "cats/tom.txt": "lion tiger cat mouse",
        "cats/kim.md": "cat tiger lion milk",
        "cars/vw.txt": "car motor wheel",
    }
    for name, text in (texts | {"cars/ford.txt": "motor car brake wheel", ".hidden/x.txt": "motor"}).items():
        (tmp_path / "texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "texts" / name).write_text(text)
    imported = import_source(tmp_path / "texts")
    assert imported.items == ("ford", "vw", "kim", "tom")
    assert imported.texts[2] == "cat tiger lion milk"
    assert imported.more[0] == {"path": "cars/ford.txt", "folder": "cars"}
    assert imported.source == "texts: 4 texts"
    assert imported.feature_names[0] == "text 1"
    distance = np.linalg.norm(imported.X[:, None] - imported.X, axis=2)
    assert max(distance[0, 1], distance[2, 3]) < distance[:2, 2:].min()
    assert_alike(imported, tmp_path / "texts")


def test_a_stray_file_of_the_other_kind_is_left_out_and_named(tmp_path):
    folder = tmp_path / "pets"
    folder.mkdir()
    for number in range(9):
        picture((25 * number, 100, 0)).save(folder / f"{number}.png")
    (folder / "readme.txt").write_text("All these are pets.")
    imported = import_source(folder)
    assert imported.items == tuple("012345678")
    assert "1 text was left out among the images (the first: 'readme.txt')." in imported.notes
    assert_alike(imported, folder)


def test_texts_that_differ_in_no_word_that_counts_are_refused_without_a_warning(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"the cat sat on mat number {number}")
    with pytest.raises(FormatError, match="no column serves as a feature"):
        import_source(tmp_path)


def test_a_stray_image_among_texts_is_left_out_and_named(tmp_path):
    folder = tmp_path / "letters"
    folder.mkdir()
    for number in range(18):
        (folder / f"{number:02d}.txt").write_text(
            f"dear {'aunt' if number % 2 else 'uncle'}, thanks for the {number} cakes"
        )
    picture("red").save(folder / "me.png")
    picture("red").save(folder / "you.png")
    imported = import_source(folder)
    assert len(imported.items) == 18
    assert "2 images were left out among the texts (the first: 'me.png')." in imported.notes
    assert_alike(imported, folder)


def test_long_texts_are_shortened_for_display(tmp_path):
    (tmp_path / "texts").mkdir()
    for name, word in (("a", "cat "), ("b", "dog ")):
        (tmp_path / "texts" / f"{name}.txt").write_text(word * 1_000)
    assert [len(text) for text in import_source(tmp_path / "texts").texts] == [2_000, 2_000]


def test_files_of_one_stem_are_named_by_their_path(tmp_path):
    for name in ("a/x.png", "b/x.png", "b/y.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        picture((len(name) * 20, ord(name[0]), ord(name[2]))).save(tmp_path / name)
    assert import_source(tmp_path).items == ("a/x.png", "b/x.png", "y")


@pytest.fixture
def pictures(tmp_path, rng):
    folder = tmp_path / "pictures"
    for number, ending in enumerate(["png", "jpg", "gif", "webp", "bmp", "tif", "jpeg", "png"]):
        shade = 40 if number % 2 else 200
        data = rng.integers(shade - 30, shade + 30, size=(100 + 60 * number, 400, 3)).astype(np.uint8)
        (folder / "ab"[number % 2]).mkdir(parents=True, exist_ok=True)
        Image.fromarray(data).save(folder / "ab"[number % 2] / f"p{number}.{ending}")
    (folder / "notes.csv").write_text("x\n")
    return folder


def test_a_folder_of_images_is_looked_at(pictures):
    imported = import_source(pictures)
    assert imported.items == ("p0", "p2", "p4", "p6", "p1", "p3", "p5", "p7")
    assert imported.feature_names == tuple(f"pixels {number}" for number in range(1, 8))
    assert imported.more[0] == {"image": "a/p0.png", "folder": "a"}
    first = imported.X[:, 0]
    assert (first[:4].max() < first[4:].min()) or (first[:4].min() > first[4:].max())
    assert "1 file was passed over, being neither image nor text (the first: 'notes.csv')." in imported.notes
    assert_alike(imported, pictures)


def test_small_pictures_are_made_for_display(pictures):
    for image in import_source(pictures).images:
        with Image.open(io.BytesIO(image.data)) as opened:
            assert max(opened.size) <= 320
            assert opened.get_format_mimetype() == image.media_type


def test_a_picture_is_turned_as_the_camera_said(tmp_path):
    upright = picture("white", (20, 60))
    upright.paste("black", (0, 0, 20, 30))
    upright.save(tmp_path / "upright.png")
    turned = upright.rotate(90, expand=True)
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees to the right
    turned.save(tmp_path / "turned.jpg", exif=exif, quality=100)
    picture("blue").save(tmp_path / "other.png")
    imported = import_source(tmp_path)
    by_name = dict(zip(imported.items, imported.X, strict=True))
    assert np.linalg.norm(by_name["turned"] - by_name["upright"]) < 0.1 * np.linalg.norm(
        by_name["other"] - by_name["upright"]
    )
    with Image.open(io.BytesIO(imported.images[imported.items.index("turned")].data)) as small:
        assert small.size == (20, 60)


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "CMYK", "I;16", "I", "F"])
def test_pictures_of_every_mode_are_read(tmp_path, mode):
    for number in range(3):
        grey = Image.new("L", (8, 8), 60 * number + 40)
        grey.putpixel((number, 0), 255)
        if mode in {"I;16", "I", "F"}:
            values = np.asarray(grey).astype({"I;16": np.uint16, "I": np.int32, "F": np.float32}[mode])
            made = Image.fromarray(values * 257 if mode == "I;16" else values)
        else:
            made = grey.convert("RGB").convert(mode) if mode in {"CMYK", "P"} else grey.convert(mode)
        made.save(tmp_path / f"p{number}.{'tif' if mode in {'CMYK', 'I', 'F'} else 'png'}")
    imported = import_source(tmp_path)
    assert imported.X.shape[0] == 3
    assert_alike(imported, tmp_path)


def test_a_column_of_images_is_found(tmp_path):
    rows = []
    (tmp_path / "photos").mkdir()
    for number in range(5):
        picture((50 * number, 10, 200 - 40 * number)).save(tmp_path / "photos" / f"{number}.png")
        rows.append(f"item{number},photos/{number}.png,{number * number}")
    path = write(tmp_path / "a.csv", "name,photo,size", *rows, "bare,,7")
    imported = import_source(path)
    assert roles(imported) == {"name": "id", "photo": "image", "size": "number"}
    assert [image is None for image in imported.images] == [False] * 5 + [True]
    assert "Column 'photo': 1 row has no picture (line 7); the mean one is taken." in imported.notes
    pixels = [number for number, name in enumerate(imported.feature_names) if name.startswith("pixels")]
    np.testing.assert_allclose(imported.X[5, pixels], 0, atol=1e-9)
    assert_alike(imported, path)


def test_embeddings_stand_for_pixels(pictures, tmp_path, rng):
    embeddings = rng.normal(size=(8, 4))
    np.save(tmp_path / "e.npy", embeddings)
    imported = import_source(pictures, Options(embeddings=tmp_path / "e.npy"))
    assert imported.feature_names == ("embedding 1", "embedding 2", "embedding 3", "embedding 4")
    assert all(image is not None for image in imported.images)
    assert np.corrcoef(imported.X[:, 2], embeddings[:, 2])[0, 1] == pytest.approx(1)
    assert_alike(imported, pictures)
