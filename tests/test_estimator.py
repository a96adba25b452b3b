"""The scikit-learn estimator: its conventions, what it learns, and what it says about new rows."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, is_valid_linkage
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from treetalk import InconsistentTriplets, TripletSet
from treetalk.arrays import read_only
from treetalk.datasets import load_animals
from treetalk.dialects import from_triplets
from treetalk.estimator import InteractiveClustering
from treetalk.placing import Placement

QUICK = {"n_moves": 60, "n_draws": 4}


@pytest.fixture(scope="module")
def blobs():
    """Three blobs, far apart, and their labels in the order of appearance."""
    X, y = make_blobs([5, 5, 5], centers=[[0, 0], [10, 0], [0, 10]], random_state=0)
    return X, y


@pytest.fixture(scope="module")
def fitted(blobs):
    return InteractiveClustering(3, **QUICK).fit(blobs[0])


def same(one: InteractiveClustering, other: InteractiveClustering) -> bool:
    return one.tree_ == other.tree_ and np.array_equal(one.distances_, other.distances_)


@pytest.mark.large
@parametrize_with_checks([InteractiveClustering(n_moves=1_500, n_draws=5)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


# --- the hierarchy


def test_blobs_are_found(fitted, blobs):
    assert adjusted_rand_score(blobs[1], fitted.labels_) == 1.0
    assert fitted.n_clusters_ == 3
    assert fitted.n_leaves_ == 15


@pytest.mark.large
def test_the_defaults_do_well_on_iris():
    X, y = load_iris(return_X_y=True)
    labels = InteractiveClustering(n_clusters=3).fit_predict(X)
    assert adjusted_rand_score(y, labels) > 0.5


def test_children_and_distances_are_a_linkage_that_never_falls(fitted):
    merges = np.column_stack([fitted.children_, fitted.distances_, fitted.tree_.sizes[15:]]).astype(float)
    assert is_valid_linkage(merges)
    assert (np.diff(fitted.distances_) >= 0).all()
    by_scipy = fcluster(merges, 3, "maxclust")
    assert adjusted_rand_score(by_scipy, fitted.labels_) == 1.0


def test_the_encoding_is_that_of_agglomerative_clustering(fitted, blobs):
    other = AgglomerativeClustering(3).fit(blobs[0])
    assert fitted.children_.shape == other.children_.shape
    assert fitted.children_.dtype.kind == other.children_.dtype.kind
    assert fitted.labels_.shape == other.labels_.shape
    assert sorted(fitted.children_.ravel()) == list(range(2 * 15 - 2))


def test_nodes_of_the_tree_are_numbered_as_children_has_them(fitted):
    for i, pair in enumerate(fitted.children_):
        assert sorted(fitted.tree_.children(15 + i)) == sorted(pair)


def test_support_is_that_of_the_clade_of_each_node(fitted):
    for i, support in enumerate(fitted.support_):
        assert support == pytest.approx(fitted.session_.clade_support(fitted.tree_.leaves(15 + i)))


def test_a_distance_threshold_cuts_as_agglomerative_clustering_does(blobs, fitted):
    threshold = float(fitted.distances_[-4])
    cut = InteractiveClustering(None, distance_threshold=threshold, **QUICK).fit(blobs[0])
    assert cut.n_clusters_ == 5
    assert np.array_equal(cut.labels_, fitted.tree_.cut(5))


# --- triplets


def test_every_triplet_holds(blobs):
    triplets = [(0, 7, 1), (3, 12, 8)]
    told = InteractiveClustering(3, **QUICK).fit(blobs[0], triplets=triplets)
    assert told.tree_.satisfies(triplets).all()
    assert all(tree.satisfies(triplets).all() for tree in told.session_.samples)


def test_triplets_may_repeat(blobs):
    told = InteractiveClustering(3, **QUICK).fit(blobs[0], triplets=[(0, 7, 1), (7, 0, 1)])
    assert len(told.session_.triplets) == 1


@pytest.mark.parametrize("give", [np.array, list, lambda rows: TripletSet(rows, 15)], ids=["array", "list", "set"])
def test_triplets_come_as_arrays_lists_and_sets(blobs, give):
    told = InteractiveClustering(3, **QUICK).fit(blobs[0], triplets=give([(0, 7, 1)]))
    assert told.session_.triplets.tolist() == [[0, 7, 1]]


def test_triplets_in_the_place_of_y_are_taken(blobs):
    assert InteractiveClustering(3, **QUICK).fit(blobs[0], [(0, 7, 1)]).session_.triplets.tolist() == [[0, 7, 1]]


def test_labels_in_the_place_of_y_are_ignored(blobs, fitted):
    assert same(InteractiveClustering(3, **QUICK).fit(*blobs), fitted)


def test_contradictions_are_named(blobs):
    with pytest.raises(InconsistentTriplets, match=r"0, 7 \| 1 \(row 0\); 0, 1 \| 7 \(row 1\)"):
        InteractiveClustering(3, **QUICK).fit(blobs[0], triplets=[(0, 7, 1), (0, 1, 7)])


def test_a_set_over_other_items_is_refused(blobs):
    with pytest.raises(ValueError, match="the triplets are over 9 items, and X has 15 rows"):
        InteractiveClustering(3, **QUICK).fit(blobs[0], triplets=TripletSet([(0, 7, 1)], 9))


def test_triplets_pass_through_a_pipeline_by_the_name_of_the_step(blobs):
    pipe = make_pipeline(StandardScaler(), InteractiveClustering(3, **QUICK))
    pipe.fit(blobs[0], interactiveclustering__triplets=[(0, 7, 1)])
    assert pipe[-1].tree_.satisfies([(0, 7, 1)]).all()
    assert pipe.predict(blobs[0]).shape == (15,)


def test_triplets_pass_through_a_pipeline_by_metadata_routing(blobs):
    with config_context(enable_metadata_routing=True):
        last = InteractiveClustering(3, **QUICK).set_fit_request(triplets=True)
        pipe = make_pipeline(StandardScaler(), last).fit(blobs[0], triplets=[(0, 7, 1)])
    assert pipe[-1].session_.triplets.tolist() == [[0, 7, 1]]


def test_fit_predict_and_fit_transform_take_triplets(blobs):
    estimator = InteractiveClustering(3, **QUICK)
    estimator.fit_predict(blobs[0], triplets=[(0, 7, 1)])
    assert len(estimator.session_.triplets) == 1
    assert estimator.fit_transform(blobs[0], triplets=[(0, 7, 1), (0, 7, 2)]).shape == (15, 3)
    assert len(estimator.session_.triplets) == 2


# --- going on


def test_partial_fit_takes_more_triplets_and_keeps_the_others(blobs):
    estimator = InteractiveClustering(3, **QUICK).fit(blobs[0], triplets=[(0, 7, 1)])
    session = estimator.session_
    estimator.partial_fit(triplets=[(3, 12, 8)])
    assert estimator.session_ is session
    assert estimator.tree_.satisfies([(0, 7, 1), (3, 12, 8)]).all()
    assert estimator.n_iter_ == 2 * QUICK["n_moves"]
    assert estimator.partial_fit(blobs[0]).n_iter_ == 3 * QUICK["n_moves"]


def test_partial_fit_before_fit_fits(blobs, fitted):
    assert same(InteractiveClustering(3, **QUICK).partial_fit(blobs[0]), fitted)
    with pytest.raises(ValueError, match="partial_fit needs X the first time"):
        InteractiveClustering(3).partial_fit(triplets=[(0, 1, 2)])


def test_partial_fit_with_other_data_is_an_error(blobs):
    estimator = InteractiveClustering(3, **QUICK).fit(blobs[0])
    with pytest.raises(ValueError, match="the same 15 rows, and X has other data"):
        estimator.partial_fit(blobs[0] + 1)


def test_a_contradiction_to_what_was_said_before_changes_nothing(blobs):
    estimator = InteractiveClustering(3, **QUICK).fit(blobs[0], triplets=[(0, 7, 1)])
    before = estimator.tree_
    with pytest.raises(InconsistentTriplets, match="in force"):
        estimator.partial_fit(triplets=[(0, 1, 7)])
    assert estimator.session_.triplets.tolist() == [[0, 7, 1]]
    assert estimator.tree_ == before


def test_what_a_person_says_to_the_session_counts_in_the_next_partial_fit(blobs):
    estimator = InteractiveClustering(3, **QUICK).fit(blobs[0])
    query = estimator.session_.ask()
    estimator.session_.answer(query, (0, 7, 1))
    assert estimator.partial_fit().tree_.satisfies([(0, 7, 1)]).all()


# --- new rows


def test_rows_of_blobs_are_predicted_as_they_are_labelled(fitted, blobs):
    assert np.array_equal(fitted.predict(blobs[0]), fitted.labels_)
    centers = np.array([blobs[0][blobs[1] == k].mean(axis=0) for k in range(3)])
    expected = [fitted.labels_[blobs[1] == k][0] for k in range(3)]
    assert fitted.predict(centers).tolist() == expected


@pytest.mark.large
def test_animals_are_predicted_as_they_are_labelled():
    animals = load_animals()
    estimator = InteractiveClustering(7, n_moves=10_000, n_draws=10).fit(animals.X)
    assert (estimator.predict(animals.X) == estimator.labels_).mean() > 0.95


def test_transform_gives_probabilities(fitted, blobs):
    probabilities = fitted.transform(blobs[0] + 0.5)
    assert probabilities.shape == (15, 3)
    assert (probabilities >= 0).all()
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(15))


def test_a_column_that_never_varied_says_nothing_about_new_rows(blobs):
    X = np.column_stack([blobs[0], np.ones(15)])
    estimator = InteractiveClustering(3, **QUICK).fit(X)
    moved = X.copy()
    moved[:, 2] = 7.0
    assert np.array_equal(estimator.transform(moved), estimator.transform(X))


def test_place_tells_the_node_of_the_tree_and_the_nearest_rows(fitted, blobs):
    (placed,) = fitted.place(blobs[0][:1])
    assert isinstance(placed, Placement)
    assert 0 in fitted.tree_.leaves(placed.node)
    assert 0.5 < placed.probability <= 1.0
    assert placed.nearest[0] == 0


def test_predicting_needs_fitting(blobs):
    with pytest.raises(NotFittedError):
        InteractiveClustering().predict(blobs[0])


# --- conventions


def test_the_same_random_state_gives_the_same_result(blobs, fitted):
    assert same(InteractiveClustering(3, **QUICK).fit(blobs[0]), fitted)
    twice = [InteractiveClustering(3, random_state=np.random.RandomState(5), **QUICK).fit(blobs[0]) for _ in "ab"]
    assert same(*twice)
    assert not same(twice[0], fitted)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_the_result_depends_on_neither_jobs_nor_backend(blobs, fitted, backend):
    with joblib.parallel_config(backend=backend):
        other = InteractiveClustering(3, n_jobs=2, **QUICK).fit(blobs[0]).partial_fit(triplets=[(0, 7, 1)])
    here = clone(other).set_params(n_jobs=None).fit(blobs[0]).partial_fit(triplets=[(0, 7, 1)])
    assert same(other, here)
    assert np.array_equal(other.transform(blobs[0]), here.transform(blobs[0]))


def test_it_survives_pickling(fitted, blobs):
    again = pickle.loads(pickle.dumps(fitted))
    assert same(again, fitted)
    assert np.array_equal(again.transform(blobs[0]), fitted.transform(blobs[0]))


def test_it_can_be_searched_over(blobs):
    X, y = blobs
    search = GridSearchCV(
        InteractiveClustering(**QUICK), {"n_clusters": [2, 3]}, scoring="adjusted_rand_score", cv=[(np.arange(15),) * 2]
    ).fit(X, y)
    assert search.best_params_ == {"n_clusters": 3}


def test_it_is_shown_in_notebooks():
    assert "InteractiveClustering" in InteractiveClustering(3)._repr_html_()


@pytest.mark.parametrize("change", [np.float32, np.asfortranarray, read_only], ids=lambda change: change.__name__)
def test_arrays_of_other_kinds_are_taken(blobs, change):
    X = change(blobs[0])
    assert adjusted_rand_score(InteractiveClustering(3, **QUICK).fit(X).labels_, blobs[1]) == 1.0


# --- data frames


@pytest.fixture(scope="module")
def frame(blobs):
    pandas = pytest.importorskip("pandas")
    names = [f"item {i}" for i in range(15)]
    return pandas.DataFrame(blobs[0], index=names, columns=["width", "height"])


def test_rows_of_a_data_frame_are_named_in_triplets(frame):
    told = InteractiveClustering(3, **QUICK).fit(frame, triplets=[("item 0", "item 7", "item 1")])
    assert told.session_.triplets.tolist() == [[0, 7, 1]]
    assert told.tree_.items == tuple(frame.index)
    assert told.feature_names_in_.tolist() == ["width", "height"]
    with pytest.raises(ValueError, match="there is no item 'item 99'"):
        told.partial_fit(triplets=[("item 0", "item 99", "item 1")])


def test_repeated_labels_of_rows_are_no_names(frame):
    repeated = frame.set_axis(["same"] * 15)
    assert InteractiveClustering(3, **QUICK).fit(repeated).tree_.items is None


def test_transform_gives_a_data_frame_if_asked_to(frame):
    estimator = InteractiveClustering(3, **QUICK).set_output(transform="pandas").fit(frame)
    out = estimator.transform(frame)
    assert out.columns.tolist() == estimator.get_feature_names_out().tolist()
    assert out.columns[0] == "interactiveclustering0"
    assert out.index.tolist() == frame.index.tolist()


# --- refusals


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_clusters": None}, "exactly one of n_clusters and distance_threshold has to be given"),
        ({"distance_threshold": 0.5}, "exactly one of n_clusters and distance_threshold has to be given"),
        ({"n_clusters": 16}, "cannot make more clusters than samples: n_clusters is 16, and n_samples is 15"),
        ({"n_clusters": 0}, "n_clusters must be 1 or more, not 0"),
        ({"n_clusters": None, "distance_threshold": -1}, "distance_threshold must be a number, 0 or more, not -1"),
        ({"n_moves": 0}, "n_moves must be 1 or more, not 0"),
        ({"concentration": -1.0}, "concentration must be positive"),
        ({"noise": 0.0}, "noise must be positive"),
    ],
)
def test_wrong_parameters_are_refused_in_fit(blobs, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        InteractiveClustering(**parameters).fit(blobs[0])


def test_missing_values_are_refused_in_scikit_learns_words(blobs):
    X = blobs[0].copy()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        InteractiveClustering().fit(X)


def test_sparse_data_are_refused(blobs):
    from scipy.sparse import csr_array

    with pytest.raises(TypeError, match="Sparse data was passed"):
        InteractiveClustering().fit(csr_array(blobs[0]))


def test_one_sample_is_refused():
    with pytest.raises(ValueError, match="a minimum of 2 is required"):
        InteractiveClustering().fit([[1.0, 2.0]])


def test_new_rows_with_other_columns_are_refused(fitted):
    with pytest.raises(ValueError, match="3 features, but InteractiveClustering is expecting 2 features"):
        fitted.predict(np.zeros((1, 3)))


# --- what might be meant otherwise

X = np.random.default_rng(0).normal(size=(12, 3))


def quick() -> InteractiveClustering:
    return InteractiveClustering(3, **QUICK)


def test_a_target_with_three_columns_is_not_taken_for_triplets():
    target = np.eye(3, dtype=int)[np.arange(len(X)) % 3]
    with pytest.raises(ValueError, match=r"these may be triplets or not; give triplets as fit\(X, triplets=\.\.\.\)"):
        quick().fit(X, target)


def test_triplets_in_the_place_of_y_count_in_every_form_and_in_fit_predict():
    rows = np.array([(0, 1, 2)])
    for given in (rows, rows.tolist(), TripletSet(rows, len(X)), from_triplets(rows, num_leaves=len(X))):
        assert quick().fit(X, given).session_.triplets.tolist() == [[0, 1, 2]]
    fitted = quick()
    np.testing.assert_array_equal(fitted.fit_predict(X, rows), fitted.labels_)
    assert fitted.session_.triplets.tolist() == [[0, 1, 2]]


def test_numbers_that_are_labels_of_other_rows_are_refused_in_triplets():
    frame = pd.DataFrame(X, index=range(len(X), 0, -1))
    quick().fit(frame)
    with pytest.raises(ValueError, match=rf"the label of row 0 is {len(X)}, so a number in a triplet might be either"):
        quick().fit(frame, triplets=[(0, 1, 2)])


def test_labels_that_are_doubled_are_refused_in_triplets_only():
    names = ["a", "a", *map(str, range(2, len(X)))]
    frame = pd.DataFrame(X, index=names)
    assert quick().fit(frame).tree_.items is None
    with pytest.raises(ValueError, match="the label of row 1, 'a', is that of another row too"):
        quick().fit(frame, triplets=[("2", "3", "4")])


def test_a_partial_fit_that_fails_has_changed_nothing():
    fitted = quick().fit(X)
    for wrong in ({"n_clusters": len(X) + 1}, {"n_jobs": 0}, {"n_draws": 0}):
        before = fitted.n_iter_, fitted.labels_.tolist(), fitted.get_params()
        with pytest.raises(ValueError):
            fitted.set_params(**wrong).partial_fit(triplets=[(0, 1, 2)])
        fitted.set_params(**before[2])
        assert (fitted.n_iter_, fitted.labels_.tolist()) == before[:2]
        assert len(fitted.session_.triplets) == 0


def test_a_fit_that_fails_leaves_what_was_fitted_before():
    fitted = quick().fit(X)
    with pytest.raises(ValueError):
        fitted.set_params(n_jobs=0).fit(X + 1)
    assert fitted.set_params(n_jobs=None).partial_fit(X, triplets=[(0, 1, 2)]).n_iter_ > 0


def test_the_same_data_under_other_labels_are_other_data():
    names = [f"row {i}" for i in range(len(X))]
    fitted = quick().fit(pd.DataFrame(X, index=names))
    with pytest.raises(ValueError, match="X has other labels; fit begins anew"):
        fitted.partial_fit(pd.DataFrame(X, index=names[::-1]))


def test_new_rows_may_look_like_distances():
    fitted = quick().fit(np.random.default_rng(0).normal(size=(12, 3)))
    assert fitted.predict(1 - np.eye(3)).shape == (3,)


def test_more_rows_are_given_more_moves_and_the_estimator_says_whether_it_was_enough():
    few, many = (InteractiveClustering(n_draws=2).fit(np.arange(float(n))[:, None]) for n in (10, 250))
    assert (few.n_iter_, many.n_iter_) == (20_000, 25_000)
    assert many.diagnosis_.sentence
