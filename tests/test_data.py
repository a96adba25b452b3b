"""Data as users have them: data frames, and matrices of distances, which are refused."""

from decimal import Decimal

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import pairwise_distances

from commands import invoke
from treetalk import Chain, DirichletDiffusion, Project, Session
from treetalk.data import as_data, looks_like_distances, names_of_rows
from treetalk.importing import import_source

X = np.random.default_rng(0).normal(size=(7, 3))
DISTANCES = squareform(pdist(X))
ITEMS = [f"item {row}" for row in range(len(X))]
MAKERS = {
    "Session": Session,
    "Chain": Chain,
    "for_data": lambda D: DirichletDiffusion().for_data(D),
}

points = st.integers(3, 8).flatmap(
    lambda count: st.lists(
        st.tuples(st.integers(-1000, 1000), st.integers(-1000, 1000)), min_size=count, max_size=count, unique=True
    )
)


@pytest.mark.parametrize("maker", MAKERS)
def test_a_matrix_of_distances_is_refused_with_the_reason(maker):
    with pytest.raises(ValueError) as error:
        MAKERS[maker](DISTANCES)
    assert str(error.value) == (
        "X looks like a matrix of distances (square, symmetric, zeros on the diagonal): the model needs the features of the "
        "items, a row for each, because it describes how these came about; sklearn.manifold.MDS makes features of "
        "distances; if these really are features, append a column of zeros: np.column_stack([X, np.zeros(len(X))])"
    )


def test_a_project_of_distances_is_not_made(tmp_path):
    with pytest.raises(ValueError, match="X looks like a matrix of distances"):
        Project.create(tmp_path / "p.treetalk", DISTANCES)
    assert not list(tmp_path.iterdir())


def test_a_file_of_distances_is_refused(tmp_path, capsys):
    pandas.DataFrame(DISTANCES, index=ITEMS, columns=ITEMS).to_csv(tmp_path / "d.csv")
    done = invoke(capsys, "new", tmp_path / "p.treetalk", tmp_path / "d.csv")
    assert done.code == 1
    assert "a distance matrix; treetalk needs features" in done.said
    assert "MDS" in done.said


def test_features_that_look_like_distances_are_taken_with_a_further_column():
    wider = np.column_stack([DISTANCES, np.zeros(len(DISTANCES))])
    chain = Chain(wider).run(20)
    assert np.isfinite(chain.log_posterior)


def test_condensed_distances_are_refused_with_the_reason():
    with pytest.raises(ValueError) as error:
        Session(pdist(X))
    assert str(error.value).startswith(
        "X must have the shape (items, features); its shape is (21,); a single feature is X.reshape(-1, 1); if these are "
        "the distances between 7 items: the model needs the features"
    )


def test_a_flat_array_that_is_no_vector_of_distances_may_be_one_feature():
    with pytest.raises(ValueError, match=r"its shape is \(7,\); a single feature is X.reshape\(-1, 1\)$"):
        Session(X[:, 0])


@given(points, st.sampled_from(["euclidean", "cityblock", "sqeuclidean", "cosine"]), st.floats(1e-3, 1e3))
def test_distances_are_recognised_in_any_unit_and_however_computed(rows, metric, unit):
    given_points = np.array(rows, float) + 0.5
    assert looks_like_distances(unit * squareform(pdist(given_points, "euclidean")))
    computed = unit * pairwise_distances(given_points, metric=metric)
    if computed.max() > 1e-3 * unit:
        assert looks_like_distances(computed)


@pytest.mark.parametrize("number", [np.float64, np.float32])
@pytest.mark.parametrize("far", [0, 10])
def test_distances_by_products_are_recognised_though_they_leave_something_on_the_diagonal(far, number):
    given_points = (np.random.default_rng(0).normal(size=(30, 4)) + far).astype(number)
    squares = (given_points**2).sum(axis=1)
    gaps = np.sqrt(np.maximum(squares[:, None] + squares - 2 * given_points @ given_points.T, 0))
    assert looks_like_distances(gaps.astype(float))


def test_decimal_numbers_are_numbers():
    assert as_data([[Decimal("1.5")], [Decimal("2")]]).tolist() == [[1.5], [2.0]]


@pytest.mark.parametrize(
    "features",
    [
        np.eye(5),
        np.zeros((4, 4)),
        np.array([[0.0, 1], [1, 0]]),
        np.corrcoef(X),
        DISTANCES[:, ::-1],
        -DISTANCES,
        DISTANCES + np.triu(np.full((7, 7), 0.01), 1),
        DISTANCES[:6],
        np.array([[0, 1, 2], [1, 0, 3], [2, 3.1, 0]]),
    ],
    ids=["one-hot", "zeros", "two items", "correlations", "reversed", "negative", "skew", "not square", "almost"],
)
def test_other_square_data_are_taken(features):
    assert not looks_like_distances(np.asarray(features, float))
    assert as_data(features).shape == features.shape


# --- data frames


def test_nullable_columns_and_booleans_are_numbers():
    frame = pandas.DataFrame(
        {
            "legs": pandas.array([4, 2, 0], dtype="Int64"),
            "size": pandas.array([0.5, 0.1, 0.2], dtype="Float64"),
            "hair": pandas.array([True, False, False], dtype="boolean"),
            "tail": [1, 1, 0],
        }
    )
    assert as_data(frame).tolist() == [[4, 0.5, 1, 1], [2, 0.1, 0, 1], [0, 0.2, 0, 0]]


def test_a_missing_value_is_named_with_the_label_of_its_column():
    frame = pandas.DataFrame({"legs": pandas.array([4, None], dtype="Int64"), "tail": [1, 0]})
    with pytest.raises(ValueError, match=r"the first in row 1, column 0 \('legs'\)"):
        Session(frame)


@pytest.mark.parametrize(
    ("column", "why"),
    [
        (pandas.Categorical([3, 1, 2]), "column 'x' holds categories"),
        (["red", "blue", "red"], "column 'x' holds 'red'"),
        ([1, "two", 3], "column 'x' holds 'two'"),
        (pandas.to_datetime(["2020-01-01"] * 3), "column 'x' holds dates"),
        (pandas.to_timedelta([1, 2, 3], unit="D"), "column 'x' holds durations"),
    ],
)
def test_a_column_that_holds_no_numbers_is_named(column, why):
    frame = pandas.DataFrame({"legs": [4, 2, 0], "x": column})
    with pytest.raises(TypeError) as error:
        Session(frame)
    assert str(error.value).startswith(f"X must hold numbers; {why}; leave these columns out")


def test_all_columns_without_numbers_are_named_at_once():
    frame = pandas.DataFrame({"a": ["x"], "b": [1], "c": ["y"]}, index=["one"])
    with pytest.raises(TypeError, match="column 'a' holds 'x', column 'c' holds 'y'"):
        as_data(frame)


def test_who_imports_a_data_frame_is_told_where_it_is_taken():
    with pytest.raises(TypeError, match=r"reads a file or a folder, not DataFrame; Session and Project.create take"):
        import_source(pandas.DataFrame(X))


def test_labels_of_several_levels_are_joined():
    index = pandas.MultiIndex.from_tuples([("cat", 1), ("cat", 2), ("dog", 1)])
    frame = pandas.DataFrame({"legs": [4, 4, 4], "size": [1, 2, 9]}, index=index)
    assert Session(frame).items == ("cat / 1", "cat / 2", "dog / 1")
    with pytest.raises(ValueError, match="the label of row 1, 'cat / 1', is that of another row too"):
        names_of_rows(frame.iloc[[0, 0]])


def test_a_project_keeps_the_labels_of_rows_and_columns(tmp_path):
    frame = pandas.DataFrame(X, index=ITEMS, columns=["size", "speed", "noise"]).convert_dtypes()
    with Project.create(tmp_path / "p.treetalk", frame) as project:
        assert project.items == tuple(ITEMS)
        assert list(project.feature_names) == ["size", "speed", "noise"]
