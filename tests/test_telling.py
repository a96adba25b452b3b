"""How much the features tell about classes."""

import numpy as np
import pytest

from treetalk.telling import AT_FIRST, Likeness, weight_of_answers

NO_TRIPLETS = np.empty((0, 3), np.int32)
RNG = np.random.default_rng(0)


def test_two_of_a_class_are_as_much_alike_as_any_where_features_know_nothing():
    likeness = Likeness(RNG.normal(size=(200, 4)), np.ones(4))
    assert likeness.within(np.arange(200) % 20, NO_TRIPLETS) == pytest.approx(0.5, abs=0.05)


def test_two_of_a_class_are_more_alike_than_almost_any_where_features_tell_everything():
    labels = np.arange(200) % 20
    X = RNG.normal(size=(20, 4))[labels] + 0.01 * RNG.normal(size=(200, 4))
    assert Likeness(X, np.ones(4)).within(labels, NO_TRIPLETS) > 0.95


def test_units_do_not_matter_and_columns_that_do_not_vary_say_nothing():
    X = RNG.normal(size=(60, 3))
    labels = np.arange(60) % 6
    scaled = np.column_stack([X * (1.0, 10.0, 100.0), np.full(60, 7.0)])
    expected = Likeness(X, np.ones(3)).within(labels, NO_TRIPLETS)
    assert Likeness(scaled, np.array([1.0, 100.0, 10_000.0, 0.0])).within(labels, NO_TRIPLETS) == pytest.approx(
        expected
    )


def test_items_that_are_all_the_same_are_no_more_alike_than_any():
    labels = np.arange(60) % 6
    assert Likeness(np.zeros((60, 2)), np.zeros(2)).within(labels, NO_TRIPLETS) == pytest.approx(0.5, abs=0.01)


def test_pairs_that_were_named_do_not_count():
    X = np.array([0.0, 0.1, 9.0, *range(20, 60)])[:, None]
    likeness = Likeness(X, np.ones(1))
    labels = np.concatenate([[0, 0, 0], np.arange(1, 41)])
    far = likeness.within(labels, np.array([(0, 1, 5)], np.int32))  # 0 and 2, 1 and 2 are left
    near = likeness.within(labels, np.array([(0, 2, 5), (2, 1, 5)], np.int32))  # 0 and 1 are left
    assert far < near


def test_without_a_pair_the_features_are_taken_to_tell_something():
    likeness = Likeness(RNG.normal(size=(30, 2)), np.ones(2))
    assert likeness.within(np.arange(30), NO_TRIPLETS) == AT_FIRST


def test_answers_weigh_less_the_more_the_features_tell():
    weights = [weight_of_answers(likeness) for likeness in (0.3, 0.5, 0.55, 0.65, 0.8, 1.0)]
    assert weights[:2] == [1, 1]
    assert weights == sorted(weights, reverse=True)
    assert weights[2] > 0.98
    assert weights[3] == pytest.approx(0.5)
    assert weights[4] < 0.1
