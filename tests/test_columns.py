"""For how many columns each column counts, as far as the answers tell."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from strategies import seeds
from treetalk import DirichletDiffusion, LabelUser, Session, SortingUser, TreeUser
from treetalk.columns import DEVIATIONS, MOST_COLUMNS, MOST_TRIPLETS, Columns, _Fit, shares_of
from treetalk.heard import CORRECTED, SORTED, Heard
from treetalk.metrics import tree_of_labels

# Four classes that only the first of eight columns knows of.
LABELS = np.arange(60) % 4
X = np.random.default_rng(0).normal(size=(60, 8))
X[:, 0] = LABELS + 0.1 * X[:, 0]
TELLING = [(i, i + 4, i + 5) for i in range(30)]
MODEL = DirichletDiffusion(scale="balanced", noise="balanced")


def columns_of(data: np.ndarray) -> Columns:
    return Columns(data, MODEL.for_data(data))


def weights_of(data: np.ndarray, triplets, shares=None) -> np.ndarray:
    array = np.array(triplets, np.int32).reshape(-1, 3)
    return columns_of(data).weights(array, np.ones(len(array)) if shares is None else np.array(shares))


def plain_log_density(x: np.ndarray, margins, shares, spread, root) -> float:
    """The log of what a fit is about, as it is written down."""
    weights = np.exp(root @ x) / np.exp(root @ x).mean()
    scores = 1.7 * (margins @ weights) / np.linalg.norm(spread @ weights)
    return float((shares * np.log(1 / (1 + np.exp(-scores)))).sum() - 0.5 * (x**2).sum())


def some_fit(seed: int, num_triplets: int, num_columns: int, deviation: float = 1.0):
    rng = np.random.default_rng(seed)
    root = deviation * np.linalg.cholesky(np.corrcoef(rng.normal(size=(9, num_columns)), rowvar=False))
    parts = rng.normal(size=(num_triplets, num_columns)), rng.random(num_triplets), rng.normal(size=(20, num_columns))
    return _Fit(*parts, root), (*parts, root)


@given(seeds, st.integers(1, 6), st.integers(2, 5), st.sampled_from(DEVIATIONS))
def test_density_and_gradient_are_those_of_the_definition(seed, num_triplets, num_columns, deviation):
    fit, parts = some_fit(seed, num_triplets, num_columns, deviation)
    x = np.random.default_rng(seed).normal(size=num_columns)
    loss, gradient = fit.loss(x)
    assert loss == pytest.approx(-plain_log_density(x, *parts))
    np.testing.assert_allclose(gradient, -approx_fprime(x, plain_log_density, 1e-7, *parts), atol=1e-5)


@given(seeds, st.integers(1, 5), st.integers(2, 4))
def test_the_slopes_of_scores_are_those_of_the_scores(seed, num_triplets, num_columns):
    fit, _ = some_fit(seed, num_triplets, num_columns)
    x = np.random.default_rng(seed).normal(size=num_columns)
    weights, _, slope = fit.slopes(x)
    assert weights.mean() == pytest.approx(1.0)
    numeric = approx_fprime(x, lambda y: fit.slopes(y)[1], 1e-7)
    np.testing.assert_allclose(slope, numeric.reshape(slope.shape), atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_how_likely_a_deviation_makes_the_answers_is_nearly_what_quadrature_says(seed):
    """Laplace's approximation, without the volume of which this would be 0.5 to 1 too large."""
    rng = np.random.default_rng(seed)
    root = np.linalg.cholesky(np.corrcoef(rng.normal(size=(9, 2)), rowvar=False))
    parts = 3 + 3 * rng.normal(size=(40, 2)), np.ones(40), rng.normal(size=(20, 2)), root
    places, step = np.linspace(-6, 6, 101, retstep=True)
    logs = np.array([plain_log_density(np.array([x, y]), *parts) for x in places for y in places])
    exact = logs.max() + np.log(np.exp(logs - logs.max()).sum() * step**2 / (2 * np.pi))
    assert _Fit(*parts).log_evidence == pytest.approx(exact, abs=0.25)


def test_a_column_in_which_those_put_together_are_alike_counts_for_more():
    few, many = weights_of(X, TELLING[:8]), weights_of(X, TELLING)
    assert few.argmax() == many.argmax() == 0
    assert 1.5 < few[0] < many[0] < 8
    assert few.mean() == pytest.approx(1)
    assert few.min() > 0


def test_columns_count_alike_as_long_as_nothing_tells_otherwise():
    assert (weights_of(X, []) == 1).all()
    rng = np.random.default_rng(1)
    data, labels = rng.normal(size=(80, 5)), np.arange(80) % 4
    data += 3 * rng.normal(size=(4, 5))[labels]
    triplets = [(i, i + 4, i + 5) for i in range(0, 70, 3)]
    assert np.abs(weights_of(data, triplets) - 1).max() < 0.6
    assert (columns_of(X[:, :1]).weights(np.array(TELLING, np.int32), np.ones(len(TELLING))) == 1).all()


def test_columns_that_say_the_same_count_for_the_same():
    rng = np.random.default_rng(3)
    twice = np.column_stack([X, X[:, 0] + 1e-3 * rng.normal(size=60)])
    weights = weights_of(twice, TELLING)
    assert weights[0] == pytest.approx(weights[8], rel=0.02)
    assert weights[0] > 1.5
    the_same = weights_of(np.column_stack([X, X[:, 0]]), TELLING)
    assert the_same[0] == pytest.approx(the_same[8])


def test_of_very_many_columns_each_counts_alike():
    data = np.random.default_rng(0).normal(size=(20, MOST_COLUMNS + 1))
    assert (weights_of(data, [(0, 1, 2)]) == 1).all()
    assert (weights_of(data[:, 1:], [(0, 1, 2)]) != 1).any()


def test_units_do_not_matter():
    other = X * np.array([1e-3, 1.0, 5.0, 1e4, 1.0, 2.0, 0.1, 1.0]) + 7.0
    model = DirichletDiffusion()
    triplets, shares = np.array(TELLING, np.int32), np.ones(len(TELLING))
    one, two = (Columns(data, model.for_data(data)).weights(triplets, shares) for data in (X, other))
    np.testing.assert_allclose(one, two, rtol=1e-3)


def test_a_column_that_never_varies_counts_for_nothing():
    data = np.column_stack([X, np.full(60, 3.0)])
    columns = columns_of(data)
    weights = columns.weights(np.array(TELLING, np.int32), np.ones(len(TELLING)))
    assert weights.shape == (8,)
    assert columns.of_features(weights).tolist() == [*weights, 0.0]
    assert columns.model_for(weights).scale[8] == 0


@pytest.mark.parametrize("varying", [0.0, 1e-200, 1e-12])
def test_a_column_with_a_scale_that_hardly_varies_counts_as_one(varying):
    data = np.column_stack([X, 3.0 * (varying == 0) + varying * X[:, 0]])
    weights = Columns(data, DirichletDiffusion(scale=2.0).for_data(data)).weights(
        np.array(TELLING, np.int32), np.ones(len(TELLING))
    )
    assert weights[8] == 1
    assert weights[:8].argmax() == 0
    assert weights.mean() == pytest.approx(1)
    session = Session(data, seed=0, model=DirichletDiffusion(scale=2.0))
    session.answer(None, TELLING)
    assert (session.column_weights == weights).all()


@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_the_size_of_all_columns_does_not_matter(size):
    model = DirichletDiffusion(scale=2.0)
    one, two = (
        Columns(data, model.for_data(data)).weights(np.array(TELLING, np.int32), np.ones(len(TELLING)))
        for data in (X, X * size)
    )
    np.testing.assert_allclose(one, two)


def test_of_very_many_triplets_some_stand_for_all_from_the_first_to_the_last():
    columns, triplets = columns_of(X), np.array(TELLING, np.int32)
    many = np.concatenate([triplets] * 3 * (MOST_TRIPLETS // len(triplets)))
    shares = np.full(len(many), 0.01)
    all_of_them = columns.weights(triplets, np.full(len(triplets), shares.sum() / len(triplets)))
    np.testing.assert_allclose(columns.weights(many, shares), all_of_them, rtol=0.1)
    assert all_of_them[0] > 1.2 * columns.weights(many[:MOST_TRIPLETS], shares[:MOST_TRIPLETS])[0]
    assert columns.weights(many[::-1], shares)[0] == pytest.approx(all_of_them[0], rel=0.1)


def test_what_is_said_of_one_cluster_in_one_piece_counts_for_one_triplet():
    piece = tuple(range(10))
    # Two classes of two, all others apart.
    classes = tuple((0, 1, c) for c in range(2, 10)) + tuple((2, 3, c) for c in (0, 1, *range(4, 10)))
    # One cluster within another one: 0 and 1 within 0, 1, 2.
    nested = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))
    single = ((10, 11, 12),)
    heard = [Heard(SORTED, piece, classes), Heard(CORRECTED, (10, 11, 12, 13), single)]
    said = [*classes, *single, (20, 21, 22)]
    assert shares_of(np.array(said, np.int32), heard).tolist() == [1 / 8] * 16 + [1, 1]
    assert shares_of(np.array(nested, np.int32), [Heard(SORTED, (0, 1, 2, 3), nested)]).tolist() == [0.5] * 4


def test_weights_lie_between_ones_and_the_likeliest_ones():
    columns, triplets = columns_of(X[:, :2]), np.array(TELLING[:3], np.int32)
    likeliest = [
        _Fit(columns._margins(triplets), np.ones(3), columns._spread, deviation * columns._root).weights
        for deviation in DEVIATIONS
    ]
    found = columns.weights(triplets, np.ones(3))
    every = np.array([np.ones(2), *likeliest])
    assert (every.min(axis=0) < found).all()
    assert (found < every.max(axis=0)).all()


# --- in a session


def talk(session: Session, num_answers: int, user=None) -> Session:
    user = LabelUser(LABELS, seed=0) if user is None else user
    for _ in range(num_answers):
        query = session.ask()
        session.respond(query, user.respond(query))
        session.advance(200)
    return session


def test_a_session_finds_the_columns_that_somebody_has_in_mind():
    session = Session(X, seed=0).advance(200)
    assert (session.column_weights == 1).all()
    before = session.chains[0].model
    talk(session, 12)
    weights = session.column_weights
    assert weights.argmax() == 0
    assert weights[0] > 3
    for chain in session.chains:
        np.testing.assert_allclose(chain.model.scale * weights, before.scale)
        assert (chain.model.noise, chain.model.divergence) == (before.noise, before.divergence)
        assert chain.log_likelihood == pytest.approx(chain.model.log_likelihood(chain.tree, X))


def test_draws_from_before_an_answer_are_compared_by_the_columns_as_they_count_now():
    session = Session(X, seed=0).advance(2_000)
    drawn = session.snapshots
    assert (session.comparable.densities == drawn.densities).all()
    model = Columns(X, session.chains[0].model).model_for(np.array([4.5, *[0.5] * 7]))
    compared = drawn.under(model, X)
    np.testing.assert_allclose(
        compared.densities[:, 1], [model.log_likelihood(drawn.tree(i), X) for i in range(len(drawn))]
    )
    assert (np.abs(compared.densities[:, 1] - drawn.densities[:, 1]) > 1).all()
    assert (compared.densities[:, 0] == drawn.densities[:, 0]).all()
    assert (compared.parents == drawn.parents).all()
    talk(session, 12)
    expected = session.snapshots.under(session.chains[0].model, X)
    assert (session.comparable.densities == expected.densities).all()
    paper = talk(Session(X, seed=0, setting="paper"), 3)
    assert paper.comparable is paper.snapshots


def test_who_takes_everything_back_has_all_columns_alike_again():
    session = talk(Session(X, seed=0).advance(200), 8)
    model = Session(X, seed=0).chains[0].model
    session.retract([entry.id for entry in session.answers if entry.kind != "retract"])
    assert (session.column_weights == 1).all()
    assert all(chain.model == model for chain in session.chains)


@pytest.mark.parametrize("user", [TreeUser(tree_of_labels(LABELS)), SortingUser(LABELS)], ids=["corrects", "sorts"])
def test_a_session_that_was_put_away_goes_on_with_the_same_weights(user):
    one = talk(Session(X, seed=0).advance(200), 6, copy.deepcopy(user))
    kept = one.put_away()
    other = Session(X, seed=0, starts=[chain.tree() for chain in kept.chains])
    other.take_up(kept, one.answers)
    assert (one.column_weights == other.column_weights).all()
    again = copy.deepcopy(user)
    for session, who in ((one, copy.deepcopy(user)), (other, again)):
        talk(session, 3, who)
    assert one.tree == other.tree


def test_the_papers_setting_weighs_no_columns():
    session = talk(Session(X, seed=0, setting="paper").advance(200), 6)
    assert (session.column_weights == 1).all()
    assert session.chains[0].model == Session(X, seed=0, setting="paper").chains[0].model
