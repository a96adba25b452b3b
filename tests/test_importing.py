"""What is guessed of tables, what features come out of them, and that new items are treated alike."""

import json
import subprocess
import sys

import numpy as np
import pytest

from treetalk.datasets import load_animals
from treetalk.importing import Imported, Options, Recipe, import_source


def write(path, *lines: str):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def pets(tmp_path):
    return write(
        tmp_path / "pets.csv",
        "name,legs,colour,furry,weight,species",
        "rex,4,brown,yes,31.5,dog",
        "tom,4,black,yes,4.25,cat",
        "kim,4,brown,yes,3.75,cat",
        "pip,2,yellow,no,0.125,bird",
        "pop,2,black,no,0.5,bird",
        "ida,0,yellow,no,1.5,fish",
    )


def roles(imported: Imported) -> dict[str, str]:
    return {column.name: column.role for column in imported.columns}


def stored(recipe: Recipe) -> Recipe:
    record, arrays = recipe.to_record()
    assert all(array.dtype in (np.float64, np.int64, np.uint8) for array in arrays.values())
    return Recipe.from_record(json.loads(json.dumps(record)), arrays)


def assert_alike(imported: Imported, path) -> None:
    """Check that the recipe, as it is and after it was stored, makes the same of the same source."""
    for recipe in (imported.recipe, stored(imported.recipe)):
        items, X = recipe.transform(path)
        assert items == imported.items
        np.testing.assert_allclose(X, imported.X, rtol=1e-9, atol=1e-9)


def test_the_roles_of_columns_are_guessed(pets):
    imported = import_source(pets)
    assert roles(imported) == {
        "name": "id",
        "legs": "number",
        "colour": "category",
        "furry": "binary",
        "weight": "number",
        "species": "aside",
    }
    assert imported.items == ("rex", "tom", "kim", "pip", "pop", "ida")
    assert imported.feature_names == ("legs", "colour=black", "colour=brown", "colour=yellow", "furry", "weight")
    assert imported.source == "pets.csv: 6 rows, 6 columns"


def test_a_column_of_categories_has_variance_one_in_all_as_a_column_of_numbers_has(pets):
    X = import_source(pets).X
    assert X.shape == (6, 6)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X[:, [0, 4]].var(axis=0), 1)
    assert X[:, 1:4].var(axis=0).sum() == pytest.approx(1)


def test_further_columns_keep_their_values(pets):
    first = import_source(pets).more[0]
    assert first == {"legs": 4, "colour": "brown", "furry": "yes", "weight": 31.5, "species": "dog"}
    assert isinstance(first["legs"], int)


def test_a_label_is_not_used_and_that_is_said(pets):
    (note,) = [note for note in import_source(pets).notes if "species" in note]
    assert note.startswith("Column 'species' looks like a label, so it is not used as a feature")


def test_a_label_that_is_named_is_used(pets):
    imported = import_source(pets, Options(features=("species", "legs")))
    assert imported.feature_names == ("legs", "species=bird", "species=cat", "species=dog", "species=fish")
    assert roles(imported)["colour"] == "aside"


def test_options_override_what_is_guessed(pets):
    options = Options(id="weight", categorical=("legs",), leave_out=("colour",))
    imported = import_source(pets, options)
    assert imported.items == ("31.5", "4.25", "3.75", "0.125", "0.5", "1.5")
    assert imported.feature_names == ("legs=0", "legs=2", "legs=4", "furry")
    assert imported.more[0]["colour"] == "brown"


def test_the_same_source_gives_the_same_features_again(pets):
    assert_alike(import_source(pets), pets)


def test_new_items_are_treated_like_the_old_ones(pets, tmp_path):
    imported = import_source(pets)
    new = write(
        tmp_path / "new.csv",
        "colour,weight,name,furry,legs",
        "black,4.25,tim,Yes,4",
        ",0.125,zoe,no,",
        "pink,1.5,uma,no,0",
    )
    items, X = stored(imported.recipe).transform(new)
    assert items == ("tim", "zoe", "uma")
    np.testing.assert_allclose(X[0], imported.X[1])
    # The median of legs is 3.
    assert X[1, 0] == pytest.approx((imported.X[0, 0] + imported.X[3, 0]) / 2)
    np.testing.assert_allclose(X[1, 4:], imported.X[3, 4:])
    # No colour, and an unknown one, are none of the known ones: rex is not black, tom is not brown, rex is not yellow.
    for row in (1, 2):
        np.testing.assert_allclose(X[row, 1:4], imported.X[[0, 1, 0], [1, 2, 3]])


def test_a_single_new_item_is_enough(pets, tmp_path):
    new = write(tmp_path / "new.csv", "name,legs,colour,furry,weight", "tim,4,black,yes,4.25")
    items, X = import_source(pets).recipe.transform(new)
    assert items == ("tim",)
    assert X.shape == (1, 6)


def test_new_items_without_a_column_are_refused(pets, tmp_path):
    new = write(tmp_path / "new.csv", "name,leg,colour,furry,weight", "tim,4,black,yes,4.25")
    with pytest.raises(ValueError, match=r"^new\.csv: there is no column 'legs'; did you mean 'leg'\?$"):
        import_source(pets).recipe.transform(new)


def test_a_new_value_of_a_binary_column_is_refused(pets, tmp_path):
    new = write(tmp_path / "new.csv", "name,legs,colour,furry,weight", "tim,4,black,rather,4.25")
    with pytest.raises(
        ValueError, match=r"^new\.csv: line 2, column 'furry': 'rather' is neither 'no' nor 'yes'; correct"
    ):
        import_source(pets).recipe.transform(new)


def test_the_built_in_animals_give_their_features(tmp_path):
    animals = load_animals()
    rows = [
        f"{item},{','.join(map(str, row))},{label}"
        for item, row, label in zip(animals.items, animals.X, animals.labels, strict=True)
    ]
    imported = import_source(write(tmp_path / "animals.csv", f"animal,{','.join(animals.feature_names)},type", *rows))
    assert imported.items == animals.items
    assert imported.feature_names == animals.feature_names
    for ours, theirs in zip(imported.X.T, animals.X.T, strict=True):
        assert np.corrcoef(ours, theirs)[0, 1] == pytest.approx(1)


def test_the_table_of_the_zoo_is_understood(shared_data):
    path = shared_data / "zoo" / "zoo93.csv"
    imported = import_source(path)
    assert imported.items[:3] == ("aardvark", "antelope", "bass")
    assert roles(imported)["row_in_97"] == roles(imported)["type"] == "aside"
    assert imported.X.shape == (93, 16)
    assert_alike(imported, path)


def test_a_name_that_is_there_twice_gets_a_number_and_that_is_said(shared_data):
    path = shared_data / "zoo" / "zoo_all101.csv"
    imported = import_source(path)
    assert imported.items[25:27] == ("frog", "frog (2)")
    said = "'frog' is there twice, on line 27 and line 28: the second one is called 'frog (2)', and so on."
    assert said in imported.notes
    assert_alike(imported, path)


def test_a_column_that_often_has_the_same_name_names_no_items(tmp_path):
    imported = import_source(write(tmp_path / "a.csv", "name,x", "cat,1", "cat,2", "dog,3"))
    assert imported.items == ("1", "2", "3")
    assert "Column 'name' does not name the items, since 'cat' is there twice: line 2 and line 3." in imported.notes


@pytest.mark.parametrize(
    ("header", "rows", "expected"),
    [
        ("id,name,x", ["7,ann,1", "9,bob,2"], "id"),
        ("ID,name,x", ["1,ann,1", "2,bob,3", "3,cyd,3", "4,dan,7", "5,eve,9"], "name"),
        ("title,key,x", ["a,k1,1", "b,k2,2"], "key"),
        ("x,town,colour", ["1,Rome,red", "2,Oslo,red", "3,Bonn,blue"], "town"),
        ("index,x", ["5,1.5", "3,2.5"], "index"),
        ("productName,x", ["a,1", "b,2"], "productName"),
    ],
)
def test_the_id_is_found_by_its_name_or_its_kind(tmp_path, header, rows, expected):
    imported = import_source(write(tmp_path / "a.csv", header, *rows))
    assert roles(imported)[expected] == "id"


def test_without_an_id_rows_are_counted(tmp_path):
    imported = import_source(write(tmp_path / "a.csv", "x,z", "1.5,3", "2.5,3", "2.5,4"))
    assert imported.items == ("1", "2", "3")
    assert imported.notes == (
        "No column was found that names the items, so they are named by the number of their row, counted from 1; choose a "
        "column with --id.",
    )


def test_a_column_that_counts_rows_is_no_feature(tmp_path):
    imported = import_source(
        write(tmp_path / "a.csv", "n,x,z", *(f"{row},{row * row},{row % 2}" for row in range(1, 7)))
    )
    assert roles(imported) == {"n": "aside", "x": "number", "z": "binary"}


def test_y_beside_x_is_a_place_and_no_label(tmp_path):
    imported = import_source(write(tmp_path / "a.csv", "x,y", "1.5,2.5", "2,7", "0,3"))
    assert roles(imported) == {"x": "number", "y": "number"}


def test_a_constant_column_is_put_aside(tmp_path):
    imported = import_source(write(tmp_path / "a.csv", "x,z", "1.5,2", "2,2", "0,2"))
    assert [column.how for column in imported.columns] == ["from 0 to 2", "is the same in every row"]


def test_dates_are_put_aside(tmp_path):
    imported = import_source(
        write(tmp_path / "a.csv", "x,seen", "1.5,2024-01-02", "2,2024-01-02", "3,2025-12-24", "4,2025-12-24")
    )
    assert roles(imported)["seen"] == "aside"


def test_missing_values_are_filled_and_counted(tmp_path):
    path = write(
        tmp_path / "a.csv",
        "name,legs,colour",
        "a,4,red",
        "b,NA,red",
        "c,2,",
        "d,?,blue",
        "e,4,blue",
        "f,0,red",
        "g,2,red",
    )
    imported = import_source(path)
    assert "Column 'legs': 2 missing values were filled in with 2, the median (the first: line 3)." in imported.notes
    assert "Column 'colour': 1 empty cell is taken for neither 'blue' nor 'red' (line 4)." in imported.notes
    assert imported.X[1, 0] == imported.X[2, 0]
    assert imported.more[1] == {"legs": None, "colour": "red"}
    assert_alike(imported, path)


def test_rows_with_missing_values_can_be_dropped(tmp_path):
    path = write(tmp_path / "a.csv", "name,legs,size", "a,4,1", "b,,2", "c,2,5", "d,2,", "e,0,7")
    imported = import_source(path, Options(missing="drop"))
    assert imported.items == ("a", "c", "e")
    assert "Column 'legs': 1 row was left out for a missing value (line 3)." in imported.notes
    assert_alike(imported, path)


def test_a_column_that_is_mostly_missing_is_put_aside(tmp_path):
    imported = import_source(write(tmp_path / "a.csv", "x,z", "1.5,", "2,", "0,2", "0,"))
    assert roles(imported)["z"] == "aside"
    assert "Column 'z' is not used as a feature: 3 of 4 values are missing." in imported.notes


def test_bad_rows_can_be_skipped(tmp_path):
    path = write(tmp_path / "a.csv", "x,z", "1,3", "2,3,4", "two,4", "3,5", "4,5", "5,6", "6")
    imported = import_source(path, Options(skip_bad_rows=True))
    assert imported.items == ("1", "4", "5", "6")
    assert (
        imported.notes[0]
        == "2 rows were left out for a number of cells other than the header's 2: the first on line 3."
    )
    assert "1 row was left out for line 4, column 'x': 'two' is not a number." in imported.notes
    assert_alike(imported, path)


def test_numbered_columns_have_one_unit(tmp_path):
    rng = np.random.default_rng(0)
    data = rng.normal(size=(30, 20)) * np.linspace(1, 5, 20)
    header = ",".join(["id", *(f"v{number}" for number in range(20)), "other"])
    rows = [f"i{row}," + ",".join(map(repr, values.tolist())) + f",{row * row}" for row, values in enumerate(data)]
    path = write(tmp_path / "a.csv", header, *rows)
    imported = import_source(path)
    ratio = imported.X[:, :20].std(axis=0) / data.std(axis=0)
    np.testing.assert_allclose(ratio, ratio[0])
    assert [column.name for column in imported.columns] == ["id", "v0 to v19", "other"]
    assert imported.more[3] == {"other": 9}
    each = import_source(path, Options(scaling="each")).X
    np.testing.assert_allclose(each[:, :20].std(axis=0), 1, rtol=0.1)
    together = import_source(path, Options(scaling="together")).X
    assert together[:, 20].std() > 10 * together[:, 0].std()
    assert_alike(imported, path)


def test_numbered_columns_are_reduced_to_components(tmp_path):
    data = np.random.default_rng(0).normal(size=(30, 20)) * np.linspace(1, 5, 20)
    rows = [",".join(map(repr, values.tolist())) for values in data]
    path = write(tmp_path / "a.csv", ",".join(f"v{number}" for number in range(20)), *rows)
    imported = import_source(path, Options(dimensions=3))
    assert imported.feature_names == ("v 1", "v 2", "v 3")
    assert "The 20 columns of 'v' were reduced to 3 principal components." in imported.notes
    assert_alike(imported, path)


@pytest.mark.parametrize("factor", [1e300, 1e-300, 1.0])
def test_huge_and_tiny_numbers_do_not_overflow(tmp_path, factor):
    rows = [f"{value * factor!r},{value * value}" for value in (1.0, 2.0, 4.0, 7.0)]
    path = write(tmp_path / "a.csv", "x,z", *rows)
    X = import_source(path).X
    expected = np.array([1.0, 2.0, 4.0, 7.0])
    np.testing.assert_allclose(X[:, 0], (expected - expected.mean()) / expected.std())
    assert np.isfinite(import_source(path, Options(scaling="together")).X).all()


def test_text_is_read(tmp_path):
    wild = ["the lion hunts in the wide savanna", "a tiger hunts in the deep jungle", "the lion sleeps in the savanna"]
    tame = ["my old motor car needs new brakes", "new brakes for an old lorry motor", "the car has brakes and a motor"]
    rows = [f"d{number},{text}" for number, text in enumerate([*wild, *tame, "12 + 34 = 46 &c. 99"])]
    path = write(tmp_path / "a.csv", "id,story", *rows)
    imported = import_source(path, Options(dimensions=2))
    assert roles(imported)["story"] == "text"
    assert imported.feature_names == ("story 1", "story 2")
    assert imported.texts[0] == wild[0]
    distance = np.linalg.norm(imported.X[:, None] - imported.X, axis=2)
    assert distance[0, 2] < distance[0, 3]
    assert distance[3, 4] < distance[1, 3]
    assert "Column 'story': 1 text has no word that counts (line 8)." in imported.notes
    assert_alike(imported, path)


def test_a_single_word_is_one_component(tmp_path):
    rows = [f"item{i},{'apple' if i % 2 else ''},{i}.5" for i in range(6)]
    imported = import_source(write(tmp_path / "a.csv", "id,word,x", *rows), Options(text=("word",)))
    assert "Column 'word' was read: 1 word, reduced to 1 component." in imported.notes
    assert imported.feature_names == ("word 1", "x")
    assert (imported.X[1::2, 0] > imported.X[::2, 0]).all()


def test_a_single_word_that_all_texts_have_is_not_used(tmp_path):
    rows = [f"item{i},apple,{i}.5" for i in range(6)]
    imported = import_source(write(tmp_path / "a.csv", "id,word,x", *rows), Options(text=("word",)))
    assert "Column 'word' has no words by which its texts could be told apart, so it is not used." in imported.notes
    assert imported.feature_names == ("x",)


def test_text_need_not_be_read(tmp_path):
    rows = [f"{number},the number of this row is {number}" for number in (5, 3, 9)]
    imported = import_source(write(tmp_path / "a.csv", "x,story", *rows), Options(text=()))
    assert imported.feature_names == ("x",)


def test_components_are_the_same_in_every_process(tmp_path):
    data = np.random.default_rng(0).normal(size=(40, 60))
    np.save(tmp_path / "a.npy", data)
    code = "import sys; from treetalk.importing import import_source; print(import_source(sys.argv[1]).X[3].tolist())"
    result = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "a.npy"], capture_output=True, text=True, check=True
    )
    np.testing.assert_allclose(json.loads(result.stdout), import_source(tmp_path / "a.npy").X[3], rtol=1e-9)


def test_libraries_for_formats_are_not_imported_before_they_are_needed():
    code = (
        "import sys; import treetalk.importing; "
        "print(sorted({'numba', 'scipy', 'sklearn', 'pandas', 'pyarrow', 'PIL', 'openpyxl', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
