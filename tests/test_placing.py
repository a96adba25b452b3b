"""Where new items go: against trees with the new leaf in them, their densities summed over a fine grid."""

import math

import numpy as np
import pytest

from treetalk import DirichletDiffusion, Session, Tree
from treetalk.datasets import load_animals
from treetalk.divergence import Reciprocal, ReciprocalSquare
from treetalk.placing import affinities, cluster_probabilities, edge_probabilities, place

YOUNGEST = 1e-10  # below, too little is left of the prior to matter


def with_new_leaf(tree: Tree, v: int, age: float) -> Tree:
    """The tree with another leaf, its last one, that parts from the edge above v at an age."""
    n = tree.num_leaves
    number = np.concatenate([np.arange(n), np.arange(n + 1, 2 * n)])  # of the old nodes
    parent, ages = np.full(2 * n + 1, -1), np.zeros(2 * n + 1)
    parent[number] = np.where(tree.parent == -1, -1, number[tree.parent])
    ages[number] = tree.age
    joint = 2 * n
    parent[joint], ages[joint] = parent[number[v]], age
    parent[number[v]] = parent[n] = joint
    return Tree(parent, age=ages)


def probabilities_on_a_grid(
    model: DirichletDiffusion, tree: Tree, X: np.ndarray, x: np.ndarray, num_points: int
) -> np.ndarray:
    """The posterior of all places (edge, age), summed over points of log age, and normalised."""
    every = np.vstack([X, x])
    base = model.log_prior(tree) + model.log_likelihood(tree, X)
    points, weights = np.polynomial.legendre.leggauss(num_points)
    total = np.zeros(tree.num_nodes)
    for v in range(tree.num_nodes):
        top = 1.0 if tree.parent[v] == -1 else tree.age[tree.parent[v]]
        low = math.log(max(tree.age[v], YOUNGEST))
        half = (math.log(top) - low) / 2
        for point, weight in zip(points, weights, strict=True):
            age = math.exp(low + half * (1 + point))
            if tree.age[v] < age < top:
                new = with_new_leaf(tree, v, age)
                log_density = model.log_prior(new) + model.log_likelihood(new, every)
                total[v] += weight * half * age * math.exp(log_density - base)
    return total / total.sum()


@pytest.fixture(scope="module")
def session():
    """Two blobs far apart, four items each."""
    rng = np.random.default_rng(0)
    return Session(np.vstack([rng.normal(size=(4, 2)), rng.normal(size=(4, 2)) + 20]), seed=0).advance(200, 5)


# --- one tree


@pytest.mark.parametrize(("num_dims", "noise"), [(1, 0.5), (3, 0.01), (12, 1e-3)])
@pytest.mark.parametrize(
    "divergence", [Reciprocal(1.0), Reciprocal(0.6), Reciprocal(3.0), ReciprocalSquare(0.2, 0.3)], ids=str
)
def test_the_probability_of_an_edge_is_that_of_all_trees_with_the_new_leaf_on_it(divergence, noise, num_dims):
    model = DirichletDiffusion(scale=2.0, noise=noise, origin=0.5, divergence=divergence)
    tree, X = model.simulate(3, num_dims, seed=num_dims)
    for x in (X[1] + 0.02, X.mean(axis=0)):
        expected = probabilities_on_a_grid(model, tree, X, x, num_points=60)
        assert edge_probabilities(model, tree, X, x[np.newaxis])[0] == pytest.approx(expected, abs=1e-3)


@pytest.mark.large
@pytest.mark.parametrize(("num_dims", "noise"), [(2, 0.01), (40, 1e-4)])
def test_it_is_exact_to_six_digits(num_dims, noise):
    model = DirichletDiffusion(scale=1.0, noise=noise, origin=0.0)
    tree, X = model.simulate(5, num_dims, seed=3)
    for x in (X[0] + 0.01, X[:2].mean(axis=0)):
        expected = probabilities_on_a_grid(model, tree, X, x, num_points=250)
        assert edge_probabilities(model, tree, X, x[np.newaxis])[0] == pytest.approx(expected, abs=1e-6)


def test_without_features_that_vary_the_prior_decides():
    model = DirichletDiffusion(1.5)
    tree, _ = model.simulate(5, 1, seed=2)
    same = np.ones((5, 2))
    found = edge_probabilities(model, tree, same, np.array([[1.0, 1.0], [9.0, -9.0]]))
    reach, expected = np.ones(tree.num_nodes), np.zeros(tree.num_nodes)
    for v in tree.preorder:
        p = tree.parent[v]
        above = 0.0 if p == -1 else -1.5 * math.log(tree.age[p])
        if p != -1:
            over = 0.0 if tree.parent[p] == -1 else -1.5 * math.log(tree.age[tree.parent[p]])
            reach[v] = reach[p] * math.exp(-(above - over) / tree.sizes[p]) * tree.sizes[v] / tree.sizes[p]
        stays = 0.0 if v < 5 else math.exp(-(-1.5 * math.log(tree.age[v]) - above) / tree.sizes[v])
        expected[v] = reach[v] * (1 - stays)
    assert found[0] == pytest.approx(expected, rel=1e-6)
    assert found[1] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("distance", [1e3, 1e8, 1e200])
def test_items_far_from_all_others_have_probabilities_too(distance):
    model = DirichletDiffusion(scale=1.0, noise=0.01, origin=0.0)
    tree, X = model.simulate(6, 2, seed=0)
    found = edge_probabilities(model, tree, X, np.array([[distance, 0.0]]))
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(1.0)


def test_a_peak_at_the_very_top_of_an_edge_is_not_overlooked():
    tree = Tree([3, 4, 4, -1, 3], time=[1, 1, 1, 0.04, 0.19])
    data = np.array([[2.1, 16.3], [-0.4, -2.9], [-2, 3.3]])
    model = DirichletDiffusion(0.3, [1, 0.6], 0.5, [0, 0])
    new = np.array([8.5, -5.1])
    expected = probabilities_on_a_grid(model, tree, data, new, 2_000)
    assert expected[0] > 0.04
    np.testing.assert_allclose(edge_probabilities(model, tree, data, [new])[0], expected, atol=1e-3)


def test_data_that_do_not_fit_the_tree_at_all_still_decide():
    tree = Tree.from_newick("((0:0.02,((1:0.001,2:0.001):0.008,3:0.009):0.011):0.13,4:0.15):0.85;")
    tree = Tree(tree.parent, age=np.concatenate([np.zeros(5), tree.age[5:]]))
    data = np.array([[33.0, 22, -17], [-38, 32, 7], [22, -12, -18], [-23, 35, 9], [32, -46, 15]])
    found = edge_probabilities(DirichletDiffusion(0.5, 1.0, 0.01, 0.0), tree, data, data[:1])[0]
    assert found[tree.root] > 0.99


@pytest.mark.parametrize("noise", [1e-4, 0.5])
def test_items_placed_together_go_where_each_goes_alone(noise):
    model = DirichletDiffusion(scale=1.0, noise=noise, origin=0.0)
    tree, X = model.simulate(12, 3, seed=5)
    new = np.vstack([X[:3] + 0.01, X[3:6].mean(axis=0), [[9.0, 0.0, 0.0]]])
    alone = np.vstack([edge_probabilities(model, tree, X, x[np.newaxis]) for x in new])
    assert np.array_equal(edge_probabilities(model, tree, X, new), alone)


def test_equal_rows_are_no_trouble():
    X = np.repeat([[0.0, 0.0], [3.0, 3.0]], 4, axis=0)
    session = Session(X, seed=0).advance(100, 4)
    assert cluster_probabilities(session, X, np.repeat([0, 1], 4)).argmax(axis=1).tolist() == [0] * 4 + [1] * 4


# --- the posterior


def test_clusters_have_the_probability_of_the_edges_shared_out_among_the_leaves_below(session):
    new = np.array([[1.0, 1.0], [10.0, 10.0], [19.0, 21.0]])
    labels = np.array([0, 0, 1, 1, 2, 2, 2, 0])
    X = session.chains[0].model._in_units(session.chains[0]._engine.data)
    expected = np.zeros((3, 3))
    for tree in session.samples:
        edges = edge_probabilities(session.chains[0].model, tree, X, new)
        for v in range(tree.num_nodes):
            share = np.bincount(labels[tree.leaves(v)], minlength=3) / tree.sizes[v]
            expected += edges[:, v, np.newaxis] * share / len(session.samples)
    assert cluster_probabilities(session, new, labels) == pytest.approx(expected)


def test_affinities_are_the_probabilities_of_clusters_of_one(session):
    new = np.array([[1.0, 1.0], [19.0, 21.0]])
    found = affinities(session, new)
    assert found == pytest.approx(cluster_probabilities(session, new, np.arange(8)))
    assert found[0, :4].sum() > 0.9
    assert found[1, 4:].sum() > 0.9


def test_the_number_of_threads_changes_nothing(session):
    new = np.random.default_rng(3).normal(size=(5, 2))
    assert np.array_equal(affinities(session, new), affinities(session, new, num_threads=3))


def test_so_many_draws_are_looked_at(session):
    new = np.array([[1.0, 1.0]])
    first = session.samples[0]
    X = session.chains[0].model._in_units(session.chains[0]._engine.data)
    edges = edge_probabilities(session.chains[0].model, first, X, new)[0]
    expected = sum(edges[v] * np.isin(np.arange(8), first.leaves(v)) / first.sizes[v] for v in range(15))
    assert affinities(session, new, most_draws=1)[0] == pytest.approx(expected)


def test_an_item_is_placed_in_the_smallest_clade_to_which_it_belongs_more_probably_than_not(session):
    new = np.array([[1.0, 1.0], [19.0, 21.0], [300.0, -300.0]])
    tree = session.tree
    X = session.chains[0].model._in_units(session.chains[0]._engine.data)
    belongs = np.zeros((3, tree.num_nodes))
    for draw in session.samples:
        edges = edge_probabilities(session.chains[0].model, draw, X, new)
        for v in range(draw.num_nodes):
            for w in range(tree.num_nodes):
                if set(draw.leaves(v)) <= set(tree.leaves(w)):
                    belongs[:, w] += edges[:, v] / len(session.samples)
    for row, placed in enumerate(place(session, new, num_nearest=3)):
        assert placed.probability == pytest.approx(belongs[row, placed.node])
        likely = np.flatnonzero(belongs[row] > 0.5)
        assert tree.sizes[placed.node] == tree.sizes[likely].min()
        assert placed.nearest == tuple(np.argsort(-affinities(session, new)[row], kind="stable")[:3])


def test_a_tree_with_its_items_in_another_order_has_its_leaves_by_name(session):
    items = list("abcdefgh")
    named = Session(session.chains[0].model._in_units(session.chains[0]._engine.data), items, seed=0).advance(50, 5)
    new = np.random.default_rng(4).normal(size=(6, 2)) * 3 + 10 * np.arange(6)[:, None] % 20
    tree, turned = named.tree, named.tree.restrict(items[::-1])

    def told(found, whole):
        return [({whole.items[i] for i in whole.leaves(each.node)}, each.nearest) for each in found]

    usual, other = place(named, new), place(named, new, tree=turned)
    assert told(other, turned) == told(usual, tree)
    assert [each.probability for each in other] == pytest.approx([each.probability for each in usual])
    with pytest.raises(ValueError, match="the trees have different leaves: 'x' is only in one, 'h' in the other"):
        place(named, new, tree=tree.with_items(list("abcdefgx")))


@pytest.mark.large
def test_animals_find_their_own_kind():
    animals = load_animals()
    out = np.arange(0, len(animals.X), 10)
    rest = np.setdiff1d(np.arange(len(animals.X)), out)
    session = Session(animals.X[rest], seed=0).advance(10_000, 20)
    nearest = [rest[placed.nearest[0]] for placed in place(session, animals.X[out])]
    top = animals.target.children(animals.target.root)
    kind = np.empty(len(animals.X), int)
    for number, v in enumerate(top):
        kind[animals.target.leaves(v)] = number
    assert (kind[nearest] == kind[out]).mean() > 0.8


# --- refusals


def test_new_items_with_other_columns_are_refused(session):
    with pytest.raises(ValueError, match="the new items have 3 columns, and the data have 2"):
        affinities(session, np.zeros((1, 3)))


def test_labels_of_other_shapes_are_refused(session):
    with pytest.raises(ValueError, match=r"labels must be a cluster number, 0 or more, for each of the 8 items"):
        cluster_probabilities(session, np.zeros((1, 2)), [0, 1])


def test_a_tree_over_other_items_is_refused(session):
    with pytest.raises(ValueError, match="the tree has 2 leaves, and the session has 8 items"):
        place(session, np.zeros((1, 2)), tree=Tree([2, 2, -1]))


def test_missing_values_are_refused(session):
    with pytest.raises(ValueError, match="row 0, column 1"):
        affinities(session, np.array([[0.0, np.nan]]))
