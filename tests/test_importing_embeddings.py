"""Embeddings from a file of their own, beside a table."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from test_importing import assert_alike, roles, write
from treetalk import FormatError
from treetalk.importing import Options, import_source


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_beside_embeddings_no_column_is_a_feature_unless_it_is_named(tmp_path, rng):
    path = write(tmp_path / "a.csv", "name,x,colour,type", "a,1,red,u", "b,2,red,v", "c,four,blue,u", "d,5,blue,v")
    np.save(tmp_path / "e.npy", rng.normal(size=(4, 2)))
    imported = import_source(path, Options(embeddings=tmp_path / "e.npy"))
    assert imported.feature_names == ("embedding 1", "embedding 2")
    assert ("colour", "aside", "not used beside embeddings") in imported.columns
    (note,) = [note for note in imported.notes if "embeddings" in note]
    assert note == (
        "Only the embeddings are features, so column 'colour' is not used; to use columns beside them, name these with "
        "--features."
    )
    assert_alike(imported, path)
    imported = import_source(path, Options(features=("colour",), embeddings=tmp_path / "e.npy"))
    assert imported.feature_names == ("colour=red", "embedding 1", "embedding 2")
    assert_alike(imported, path)


def test_nothing_is_said_of_embeddings_that_put_no_column_aside(tmp_path, rng):
    path = write(tmp_path / "a.csv", "name,type", "a,u", "b,v", "c,u", "d,v")
    np.save(tmp_path / "e.npy", rng.normal(size=(4, 2)))
    assert "embeddings" not in " ".join(import_source(path, Options(embeddings=tmp_path / "e.npy")).notes)


def test_two_items_of_one_name_have_the_embeddings_of_that_name_in_turn(tmp_path):
    path = write(tmp_path / "a.csv", "name,story", *(f"{name},x" for name in [*"abcdefghi", "a"]))
    vectors = write(
        tmp_path / "e.csv", "name,u", "a,9", *(f"{name},{row}" for row, name in enumerate("bcdefghi")), "a,7"
    )
    imported = import_source(path, Options(id="name", embeddings=vectors))
    assert imported.items[-1] == "a (2)"
    assert np.corrcoef(imported.X[:, 0], [9, *range(8), 7])[0, 1] == pytest.approx(1)
    assert_alike(imported, path)


def test_embeddings_follow_the_rows_when_some_are_left_out(tmp_path, rng):
    path = write(tmp_path / "a.csv", "name,x", "a,1", "b,2,3", "c,4", "d,five", "e,6", "f,8", "g,9", "h,10")
    embeddings = rng.normal(size=(8, 2))
    np.save(tmp_path / "e.npy", embeddings)
    imported = import_source(path, Options(features=("x",), embeddings=tmp_path / "e.npy", skip_bad_rows=True))
    assert imported.items == ("a", "c", "e", "f", "g", "h")
    assert np.corrcoef(imported.X[:, 1], embeddings[[0, 2, 4, 5, 6, 7], 0])[0, 1] == pytest.approx(1)
    assert_alike(imported, path)


def test_embeddings_with_names_are_matched_by_them(tmp_path):
    path = write(tmp_path / "a.csv", "name,story", *(f"n{row},a story of {row} words or more" for row in range(4)))
    vectors = write(tmp_path / "e.csv", "item,u,v", "n3,3,9", "n1,1,1", "n0,0,0", "n2,2,4", "n7,7,49")
    imported = import_source(path, Options(embeddings=vectors))
    assert roles(imported)["story"] == "aside"
    assert np.corrcoef(imported.X[:, 0], [0, 1, 2, 3])[0, 1] == pytest.approx(1)
    assert_alike(imported, path)


def test_new_items_bring_their_embeddings(tmp_path):
    path = write(tmp_path / "a.csv", "name,size", "a,1", "b,5", "c,7")
    np.save(tmp_path / "e.npy", np.array([[1.0, 2.0], [3.0, 1.0], [0.0, 5.0]]))
    imported = import_source(path, Options(features=("size",), embeddings=tmp_path / "e.npy"))
    new = write(tmp_path / "new.csv", "name,size", "d,5")
    np.save(tmp_path / "f.npy", np.array([[0.0, 5.0]]))
    items, X = imported.recipe.transform(new, embeddings=tmp_path / "f.npy")
    assert items == ("d",)
    np.testing.assert_allclose(X[0], np.append(imported.X[1, 0], imported.X[2, 1:]))


def lists_in_parquet(path, lists):
    table = pa.table({"name": [f"item {row}" for row in range(len(lists))], "embedding": lists})
    pq.write_table(table, path)
    return path


def test_a_list_that_is_not_there_is_a_missing_value(tmp_path):
    lists = np.random.default_rng(0).normal(size=(6, 3)).tolist()
    path = lists_in_parquet(tmp_path / "a.parquet", [None, *lists])
    assert len(import_source(path).items) == 7
    imported = import_source(path, Options(missing="drop"))
    assert imported.items == tuple(f"item {row}" for row in range(1, 7))
    assert "Column 'embedding': 1 row was left out for a missing value (row 1)." in imported.notes


def test_a_list_of_another_length_is_named_by_its_row(tmp_path):
    path = lists_in_parquet(tmp_path / "a.parquet", [[1.0, 2.0], [3.0, 4.0], [5.0]])
    with pytest.raises(FormatError) as error:
        import_source(path)
    assert str(error.value).startswith("a.parquet: row 3, column 'embedding': a list of 1 numbers, where others have 2")


def test_embeddings_that_are_given_take_the_place_of_those_in_the_table(tmp_path):
    path = lists_in_parquet(tmp_path / "a.parquet", [[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    np.save(tmp_path / "b.npy", np.eye(3))
    assert import_source(path, Options(embeddings=tmp_path / "b.npy")).X.shape == (3, 3)


def test_an_array_that_pandas_wrote_with_numbered_columns_is_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(",0,1,2\n0,1.5,2,3\n1,2.5,1,4\n2,0.5,3,9\n")
    assert import_source(path).X.shape == (3, 3)
