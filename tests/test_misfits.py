"""Who fits badly with those he was linked with."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treetalk.heard import ACCEPTED, CORRECTED, Heard
from treetalk.misfits import MOST_COMPARED, Fit, fit_of, misfits, share_of_misfits

# Two groups far from each other, and item 4 in the wrong one.
POINTS = np.array([[0.0], [1.0], [2.0], [3.0], [50.0], [49.0], [51.0], [52.0], [20.0], [30.0]])
LABELS = np.array([0, 0, 0, 0, 0, 1, 1, 1, 2, 3])


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_silhouettes_are_those_of_scikit_learn(seed):
    from sklearn.metrics import silhouette_samples

    rng = np.random.default_rng(seed)
    labels = rng.integers(4, size=25)
    labels = np.unique(labels, return_inverse=True)[1]
    points = rng.normal(size=(25, 3))
    fit = fit_of(points, labels)
    expected = silhouette_samples(points, labels)
    inside = np.bincount(labels)[labels] > 1
    if inside.all() and labels.max() > 0:
        assert fit.items.tolist() == list(range(25))
        assert fit.silhouettes == pytest.approx(expected)


def test_items_of_which_nothing_was_said_are_not_looked_at():
    fit = fit_of(POINTS, LABELS)
    assert fit.items.tolist() == list(range(8))
    assert fit.items[fit.silhouettes < 0].tolist() == [4]
    assert fit.rivals[4] == 1


def test_of_many_items_as_many_of_each_group_are_compared():
    labels = np.repeat([0, 1], [5 * MOST_COMPARED, 40])
    fit = fit_of(np.random.default_rng(0).normal(size=(len(labels), 2)), labels)
    assert len(fit.items) == MOST_COMPARED
    assert np.bincount(labels[fit.items]).tolist() == [MOST_COMPARED - 40, 40]


@pytest.mark.parametrize("labels", [np.zeros(10, int), np.arange(10)])
def test_with_a_single_group_or_none_nobody_fits_badly(labels):
    assert misfits(fit_of(POINTS, labels), labels, (), 10, np.random.default_rng(0)) is None


def test_equal_rows_fit_anywhere():
    fit = fit_of(np.ones((10, 2)), LABELS)
    assert fit.silhouettes.tolist() == [0.0] * 8


def test_a_misfit_is_shown_with_one_of_its_group_and_one_of_the_other_that_fit_best():
    fit = fit_of(POINTS, LABELS)
    piece = misfits(fit, LABELS, (), 6, np.random.default_rng(0))
    assert piece is not None
    assert piece[0] == 4
    assert LABELS[piece[1:3]].tolist() == [0, 1]
    best = [fit.items[k] for k in np.argsort(-fit.silhouettes)]
    assert piece[1] == next(item for item in best if LABELS[item] == 0)
    assert len(set(piece.tolist())) == 6


def test_whoever_was_accepted_beside_another_one_of_the_group_is_left_out():
    fit, rng = fit_of(POINTS, LABELS), np.random.default_rng(0)
    assert misfits(fit, LABELS, (Heard(ACCEPTED, (4, 5, 8, 9)),), 6, rng) is not None
    assert misfits(fit, LABELS, (Heard(CORRECTED, (4, 0, 5, 9)),), 6, rng) is not None
    assert misfits(fit, LABELS, (Heard(ACCEPTED, (4, 0, 5, 9)),), 6, rng) is None


def test_no_more_are_shown_than_there_is_room_for():
    labels = np.repeat(np.arange(10), 3)
    points = np.random.default_rng(1).normal(size=(30, 2))
    for size in (3, 4, 10, 30):
        piece = misfits(fit_of(points, labels), labels, (), size, np.random.default_rng(0))
        assert piece is not None
        assert len(piece) == len(set(piece.tolist())) == size


def test_the_more_is_accepted_and_the_more_someone_errs_the_more_often_they_are_shown():
    def share(num_accepted: int, *, errs: bool = False) -> float:
        heard = [Heard(ACCEPTED if i < num_accepted else CORRECTED, tuple(range(10))) for i in range(10)]
        return share_of_misfits(heard, errs=errs)

    assert share(10) == 1.0
    assert share(8) == pytest.approx(0.64)
    assert share(0) == pytest.approx(1 / 16)
    assert share(0, errs=True) == pytest.approx(1 / 4)
    assert share_of_misfits((), errs=False) == pytest.approx(1 / 16)


def test_those_who_stand_for_groups_are_the_ones_that_fit_best():
    fit = Fit(np.arange(4), np.array([1, 1, 0, 0]), np.array([-0.5, 0.5, 0.2, 0.1]))
    piece = misfits(fit, np.array([0, 0, 1, 1, 2]), (), 3, np.random.default_rng(0))
    assert piece is not None
    assert piece.tolist() == [0, 1, 2]
