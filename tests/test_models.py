"""The model: densities against dense linear algebra, simulation against closed forms, and what is taken from data."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest, multivariate_normal

from exact import all_binary_trees, harmonic, topology_prior
from reference import clades_of
from strategies import seeds
from treetalk import DirichletDiffusion, Tree
from treetalk.divergence import Reciprocal, ReciprocalSquare

DIVERGENCES = [Reciprocal(1.0), Reciprocal(0.4), ReciprocalSquare(0.0, 0.3), ReciprocalSquare(0.5, 0.05)]


def naive_log_prior(tree: Tree, divergence) -> float:
    """The product over nodes as the design has it, with the factorials that cancel in the end."""
    total = 0.0
    for v in range(tree.num_leaves, tree.num_nodes):
        left, right = (int(tree.sizes[child]) for child in tree.children(v))
        above = 0.0 if tree.parent[v] == -1 else divergence.hazard(tree.age[tree.parent[v]])
        total += math.log(divergence.rate(tree.age[v]))
        total -= (divergence.hazard(tree.age[v]) - above) * harmonic(left + right - 1)
        total += math.lgamma(left) + math.lgamma(right) - math.lgamma(left + right)
    return total


def covariance(tree: Tree) -> np.ndarray:
    """The covariance of all nodes' values in units of the scale: two nodes share the time up to their mrca."""
    return np.array([[tree.time[tree.mrca(u, v)] for v in range(tree.num_nodes)] for u in range(tree.num_nodes)])


# --- densities


@pytest.mark.parametrize("divergence", DIVERGENCES, ids=str)
@given(seeds, st.integers(2, 12))
def test_the_log_prior_is_the_product_over_nodes(divergence, seed, num_leaves):
    model = DirichletDiffusion(divergence=divergence)
    tree, _ = model.simulate(num_leaves, 1, seed)
    assert model.log_prior(tree) == pytest.approx(naive_log_prior(tree, divergence), rel=1e-9, abs=1e-9)


@given(seeds, st.integers(2, 12), st.integers(1, 4))
def test_the_log_likelihood_is_that_of_a_dense_normal(seed, num_leaves, num_dims):
    rng = np.random.default_rng(seed)
    scale, origin, noise = rng.uniform(0.2, 3, num_dims), rng.normal(size=num_dims), rng.uniform(0.001, 1)
    model = DirichletDiffusion(0.7, scale=scale, noise=noise, origin=origin)
    tree, X = model.simulate(num_leaves, num_dims, seed)
    shared = covariance(tree)[:num_leaves, :num_leaves] + noise * np.eye(num_leaves)
    expected = sum(
        multivariate_normal.logpdf(X[:, j], np.full(num_leaves, origin[j]), scale[j] * shared) for j in range(num_dims)
    )
    assert model.log_likelihood(tree, X) == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_the_densities_of_two_items():
    tree = Tree.from_parents([2, 2, -1], time=[1, 1, 0.25])
    assert DirichletDiffusion(2.0).log_prior(tree) == pytest.approx(math.log(2.0 * 0.75 ** (2.0 - 1)))


def test_a_tree_read_back_from_newick_has_the_same_density():
    model = DirichletDiffusion()
    tree, X = model.simulate(40, 2, seed=1)
    again = Tree.from_newick(tree.to_newick(), items=[str(i) for i in range(40)])
    assert model.log_prior(again) == pytest.approx(model.log_prior(tree))
    assert model.log_likelihood(again, X) == pytest.approx(model.log_likelihood(tree, X))


def test_node_values_are_conditional_normals():
    model = DirichletDiffusion(scale=[2.0, 0.5], noise=0.3, origin=[1.0, -1.0])
    tree, X = model.simulate(6, 2, seed=3)
    full = covariance(tree)
    observed = full[:6, :6] + 0.3 * np.eye(6)
    gain = full[:, :6] @ np.linalg.inv(observed)
    mean = model.origin + gain @ (X - model.origin)
    np.testing.assert_allclose(model.node_means(tree, X), mean, rtol=1e-9)
    left = full - gain @ full[:6]
    draws = np.array([model.node_draw(tree, X, seed=seed) for seed in range(4_000)])
    deviation = np.sqrt(np.outer(np.diag(left), model.scale))
    assert np.abs(draws.mean(axis=0) - mean).max() < 5 * deviation.max() / math.sqrt(4_000)
    found = np.cov(draws[:, :, 0], rowvar=False) / 2.0
    assert np.abs(found - left).max() < 6 * left.max() / math.sqrt(4_000) * 1.5


# --- simulation


@pytest.mark.parametrize("divergence", DIVERGENCES, ids=str)
def test_simulated_topologies_have_the_closed_form(divergence):
    model = DirichletDiffusion(divergence=divergence)
    drawn = [model.simulate(4, 0, seed)[0] for seed in range(3_000)]
    counts = Counter(frozenset(clades_of(tree)) for tree in drawn)
    trees = [frozenset(clades) for clades in all_binary_trees(4)]
    expected = np.array([topology_prior(tree) for tree in trees])
    assert expected.sum() == pytest.approx(1)
    assert chisquare([counts[tree] for tree in trees], 3_000 * expected).pvalue > 1e-4
    # A at the root is exponential with rate H_3.
    assert kstest([divergence.hazard(tree.age[tree.root]) * harmonic(3) for tree in drawn], "expon").pvalue > 1e-4


def test_simulated_data_have_the_model_s_covariance():
    model = DirichletDiffusion(2.0, scale=[1.0, 9.0], noise=0.5, origin=[0.0, 10.0])
    X = np.array([model.simulate(3, 2, seed)[1] for seed in range(3_000)])
    assert X.mean(axis=(0, 1)) == pytest.approx([0.0, 10.0], abs=0.3)
    assert X[:, 0].var(axis=0) == pytest.approx([1.5, 13.5], rel=0.1)
    # Two items share the time before their mrca, whose mean age is c / (c + 1).
    shared = np.mean((X[:, 0] - model.origin) * (X[:, 1] - model.origin), axis=0)
    assert shared == pytest.approx([1 / 3, 3.0], rel=0.15)


def test_the_same_seed_simulates_the_same():
    first, second = (DirichletDiffusion().simulate(30, 3, seed=5) for _ in range(2))
    assert first[0] == second[0]
    assert (first[1] == second[1]).all()
    assert first[0] != DirichletDiffusion().simulate(30, 3, seed=6)[0]


def test_a_concentration_that_is_small_makes_times_that_only_ages_tell_apart():
    tree, _ = DirichletDiffusion(0.05).simulate(200, 1, seed=0)
    assert len(np.unique(tree.time[200:])) < 199
    assert len(np.unique(tree.age[200:])) == 199
    assert math.isfinite(DirichletDiffusion(0.05).log_prior(tree))


@pytest.mark.parametrize("divergence", DIVERGENCES, ids=str)
def test_hazard_and_age_are_each_other_s_inverse(divergence):
    hazards = np.array([1e-12, 1e-3, 0.5, 3.0, 40.0])
    np.testing.assert_allclose(divergence.hazard(divergence.age(hazards)), hazards, rtol=1e-6, atol=1e-15)
    ages = np.array([0.999, 0.5, 1e-3])
    step = 1e-6 * ages
    slope = (divergence.hazard(ages - step) - divergence.hazard(ages + step)) / (2 * step)
    np.testing.assert_allclose(slope, divergence.rate(ages), rtol=1e-5)


# --- what is taken from the data


def test_the_scale_follows_the_units_of_each_column():
    X = DirichletDiffusion().simulate(50, 3, seed=1)[1]
    model = DirichletDiffusion().for_data(X)
    changed = DirichletDiffusion().for_data(X * [1e-8, 1.0, 1e6] + [5.0, 0.0, -3e7])
    np.testing.assert_allclose(changed.scale, model.scale * [1e-16, 1.0, 1e12], rtol=1e-6)
    np.testing.assert_allclose(model.scale, 2 * X.var(axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.origin, X.mean(axis=0))


def test_a_constant_column_says_nothing():
    tree, X = DirichletDiffusion().simulate(20, 2, seed=1)
    with_constant = np.column_stack([X, np.full(20, 0.1 + 0.2)])
    model = DirichletDiffusion()
    assert model.for_data(with_constant).scale[2] == 0
    assert model.log_likelihood(tree, with_constant) == model.log_likelihood(tree, X)
    assert (model.node_means(tree, with_constant)[:, 2] == 0.1 + 0.2).all()


def test_a_common_scale_is_the_mean_over_the_columns_that_vary():
    X = np.column_stack([np.random.default_rng(3).normal(size=(50, 3)) * [1.0, 2.0, 3.0], np.ones(50)])
    alone, common = DirichletDiffusion().for_data(X).scale, DirichletDiffusion(scale="common").for_data(X).scale
    np.testing.assert_allclose(common, [*[alone[:3].mean()] * 3, 0.0], rtol=1e-12)
    assert DirichletDiffusion(scale="common").for_data(np.ones((5, 2))).scale.tolist() == [0.0, 0.0]
    assert DirichletDiffusion(scale="common") != DirichletDiffusion()
    assert "scale='common'" in repr(DirichletDiffusion(scale="common"))


def test_with_a_common_scale_it_does_not_matter_how_the_axes_are_turned():
    tree, X = DirichletDiffusion().simulate(30, 2, seed=1)
    X = X * [1.0, 5.0]
    turned = X @ [[0.6, 0.8], [-0.8, 0.6]]
    common = DirichletDiffusion(scale="common")
    assert common.log_likelihood(tree, turned) == pytest.approx(common.log_likelihood(tree, X))
    assert DirichletDiffusion().log_likelihood(tree, turned) != pytest.approx(
        DirichletDiffusion().log_likelihood(tree, X)
    )


def test_a_balanced_scale_lets_columns_that_vary_more_count_for_more_within_bounds():
    rng = np.random.default_rng(0)
    deviations = np.array([1.0, 2.0, 100.0, 0.0])
    X = rng.normal(size=(200, 4)) * deviations
    own = DirichletDiffusion().for_data(X).scale
    ratio = own[:3] / DirichletDiffusion(scale="balanced").for_data(X).scale[:3]
    typical = np.exp(np.log(np.sqrt(own[:3])).mean())
    assert ratio == pytest.approx(np.clip(np.sqrt(own[:3]) / typical, 0.25, 4.0))
    assert ratio[0] < ratio[1] < ratio[2]


@pytest.mark.parametrize(("num_columns", "noise"), [(1, 0.01), (4, 0.01), (30, 0.075), (64, 0.16), (768, 0.25)])
def test_a_balanced_noise_grows_with_the_columns_that_vary(num_columns, noise):
    X = np.random.default_rng(0).normal(size=(20, num_columns))
    X = np.column_stack([X, np.ones(20)])
    model = DirichletDiffusion(noise="balanced")
    assert model.noise == "balanced"
    assert model.for_data(X).noise == pytest.approx(noise)
    assert model != DirichletDiffusion()


def test_a_few_outliers_do_not_decide_the_scale():
    X = np.random.default_rng(0).normal(size=(200, 1))
    spoilt = X.copy()
    spoilt[7] = 1e9
    assert DirichletDiffusion().for_data(spoilt).scale == pytest.approx(DirichletDiffusion().for_data(X).scale, rel=0.2)
    assert abs(DirichletDiffusion().for_data(spoilt).origin[0]) < 0.5


def test_a_column_of_few_ones_has_its_variance():
    X = np.zeros((101, 1))
    X[:6] = 1
    assert DirichletDiffusion().for_data(X).scale == pytest.approx(2 * X.var(axis=0))


def test_the_mean_distance_of_items_is_what_the_prior_expects():
    for c in (0.5, 1.0, 3.0):
        scale = DirichletDiffusion(c).for_data([[0.0], [2.0]]).scale
        assert scale == pytest.approx((c + 1) / c, rel=1e-3)


def test_equal_rows_have_a_finite_likelihood():
    tree, _ = DirichletDiffusion().simulate(10, 1, seed=0)
    assert math.isfinite(DirichletDiffusion().log_likelihood(tree, np.zeros((10, 40))))
    assert math.isfinite(DirichletDiffusion().log_likelihood(tree, np.repeat(np.eye(5), 2, axis=0)))


# --- what is refused

BINARY = Tree.from_parents([3, 3, 4, 4, -1], time=[1, 1, 1, 0.5, 0.25])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: DirichletDiffusion(0), "concentration must be positive and finite, not 0"),
        (lambda: DirichletDiffusion("one"), "concentration must be a number, not 'one'"),
        (lambda: DirichletDiffusion(scale=-1), "scale must be positive, or 0 for a column that never varies, not -1.0"),
        (
            lambda: DirichletDiffusion(scale="big"),
            'scale must be numbers or "auto", "common" or "balanced", not \'big\'',
        ),
        (
            lambda: DirichletDiffusion(noise="loud"),
            'noise must be a positive number, "auto" or "balanced", not \'loud\'',
        ),
        (lambda: DirichletDiffusion(noise=0), "noise must be positive and finite, not 0"),
        (lambda: DirichletDiffusion(noise=1e300), "noise must be at most 1e+100 times the scale, not 1e+300"),
        (
            lambda: DirichletDiffusion(scale=[1, -2]),
            "scale must be positive, or 0 for a column that never varies, not -2.0 for column 1",
        ),
        (
            lambda: DirichletDiffusion(scale=None),
            'scale must be a number, one number per dimension or "auto", not None',
        ),
        (lambda: DirichletDiffusion().simulate(3, 1, seed=None), "seed must be an integer, not None"),
        (lambda: DirichletDiffusion(origin=math.nan), "origin must be finite, not nan"),
        (lambda: DirichletDiffusion(scale=[1, 2]).for_data(np.eye(3)), "scale has 2 values, and X has 3 columns"),
        (
            lambda: DirichletDiffusion(scale=0.0, origin=0.0).log_likelihood(BINARY, [[0], [0], [1]]),
            "column 0 has scale 0, so it never leaves the origin, but row 2 does",
        ),
        (
            lambda: DirichletDiffusion().log_likelihood(BINARY, np.eye(4)),
            "the tree has 3 leaves, and X has 4 rows",
        ),
        (
            lambda: DirichletDiffusion().log_prior(Tree.from_newick("(a,b,c);")),
            "the tree is no diffusion tree: it has a node with more than two children",
        ),
        (
            lambda: DirichletDiffusion().log_prior(Tree.from_newick("((a,b),c);")),
            "the tree is no diffusion tree: it has no times",
        ),
        (
            lambda: DirichletDiffusion().log_prior(Tree.from_parents([3, 3, 4, 4, -1], time=[1, 1, 1, 0.5, 0.5])),
            "the tree is no diffusion tree: node 3 does not come after its parent, node 4",
        ),
        (
            lambda: DirichletDiffusion().log_prior(Tree.from_parents([2, 2, -1], time=[1, 2, 0.5])),
            "the tree is no diffusion tree: leaves must have time 1; that of leaf 1 is 2.0",
        ),
        (lambda: DirichletDiffusion().simulate(0, 1), "num_leaves must be at least 1, not 0"),
        (lambda: DirichletDiffusion(scale=[1, 2]).simulate(3, 5), "scale has 2 values, and num_dims is 5"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, sentence):
    with pytest.raises((TypeError, ValueError)) as error:
        make()
    assert str(error.value) == sentence


def test_models_with_the_same_parameters_are_equal():
    assert DirichletDiffusion() == DirichletDiffusion()
    assert DirichletDiffusion(scale=[1, 2]) == DirichletDiffusion(scale=[1.0, 2.0])
    assert (
        len({DirichletDiffusion(), DirichletDiffusion(), DirichletDiffusion(2.0), DirichletDiffusion(noise=0.1)}) == 3
    )


def test_a_divergence_is_an_object_not_a_class():
    with pytest.raises(TypeError, match="divergence must be a divergence function such as Reciprocal"):
        DirichletDiffusion(divergence=Reciprocal)


def test_a_model_never_changes():
    model = DirichletDiffusion(scale=2.0)
    with pytest.raises(AttributeError):
        model.scale = 3.0
    with pytest.raises(ValueError):
        model.scale[...] = 3.0
