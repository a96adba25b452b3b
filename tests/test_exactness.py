"""The chain against exact answers: topologies and the root's time, for every move alone and for the mixture.

With 6,000 draws a test finds an error that misplaces about 5 % of the probability, with 99 % certainty;
`verify/test_exactness_thoroughly.py` says more precisely what it finds, and shows it with samplers broken on purpose.
"""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from exact import (
    LEVEL,
    Comparison,
    ExactPosterior,
    closeness_factor,
    reciprocal,
    topology_of,
    topology_prior,
    tree_of,
    unsaid_factor,
)
from reference import all_binary_trees, has_triplet
from treetalk import Chain, DirichletDiffusion, Tree
from treetalk.columns import Columns
from treetalk.divergence import ReciprocalSquare
from treetalk.presuming import presumed_of
from treetalk.unsaid import Piece, clade_sizes

pytestmark = pytest.mark.large

NUM_DRAWS = 6_000
NOISE = 0.2
CLOSENESS = 1.5
ALONE = [{"walk": 1}, {"guided": 1}, {"local": 1}]
MIXED = {"walk": 1, "guided": 1, "local": 1, "times": 1}
X3 = np.array([[0.3, -0.5], [0.1, 0.4], [-0.9, 0.2]])
X4 = np.array([[0.3, -0.5], [0.1, 0.4], [-0.9, 0.2], [0.5, 0.1]])
CASES = {
    "three, prior": (np.empty((3, 0)), []),
    "three, data": (X3, []),
    "three, data, a triplet": (X3, [(0, 2, 1)]),
    "four, prior": (np.empty((4, 0)), []),
    "four, prior, a triplet": (np.empty((4, 0)), [(1, 3, 0)]),
    "four, data": (X4, []),
    "four, data, a triplet": (X4, [(0, 2, 1)]),
    "four, data, two triplets": (X4, [(0, 1, 3), (1, 0, 2)]),
    "four, data, two crossing triplets": (X4, [(0, 1, 3), (2, 3, 1)]),
}


def make_chain(Z, triplets, divergence=None, **options) -> Chain:
    model = DirichletDiffusion(scale=1.0, noise=NOISE, origin=0.0, divergence=divergence)
    if Z.shape[1] == 0:
        return Chain.of_prior(len(Z), triplets, model, **options)
    return Chain(Z, triplets, model, **options)


@pytest.fixture(scope="module")
def exact_posterior():
    known = {}

    def find(case: str) -> ExactPosterior:
        if case not in known:
            Z, triplets = CASES[case]
            known[case] = ExactPosterior(Z, NOISE, reciprocal(1.0), triplets, num_points=4, num_points_below=16)
        return known[case]

    return find


@pytest.mark.parametrize("moves", [*ALONE, MIXED], ids=lambda moves: "+".join(moves))
@pytest.mark.parametrize("case", CASES)
def test_draws_have_the_exact_distribution(case, moves, exact_posterior):
    Z, triplets = CASES[case]
    chain = make_chain(Z, triplets, start="random", moves=moves, seed=12)
    found = Comparison(exact_posterior(case), chain, NUM_DRAWS, num_moves=100)
    assert found.independence > 0.8
    assert found.pvalue > LEVEL


@pytest.mark.parametrize("moves", [*ALONE, MIXED], ids=lambda moves: "+".join(moves))
@pytest.mark.parametrize(
    "case", [case for case, (_, triplets) in CASES.items() if triplets and case.startswith("four")]
)
def test_draws_have_the_exact_distribution_where_pairs_are_to_be_close(case, moves):
    Z, triplets = CASES[case]
    exact = ExactPosterior(Z, NOISE, reciprocal(1.0), triplets, num_points=4, num_points_below=16, closeness=CLOSENESS)
    chain = make_chain(Z, triplets, start="random", moves=moves, seed=12, closeness=CLOSENESS)
    found = Comparison(exact, chain, NUM_DRAWS, num_moves=100)
    assert found.independence > 0.8
    assert found.pvalue > LEVEL


def shown(newick: str, leaves: tuple[int, ...], said: list) -> tuple[Piece, tuple]:
    """A piece as a chain takes it, and as the exact answer does; its leaves are named by their numbers."""
    tree = Tree.from_newick(newick, [str(leaf) for leaf in leaves])
    sizes = clade_sizes(tree)
    assert sizes is not None
    clades = frozenset(frozenset(leaves[i] for i in clade) for clade in topology_of(tree))
    return Piece(leaves, sizes, tuple(said)), (clades, said)


@pytest.mark.parametrize("moves", [*ALONE, MIXED], ids=lambda moves: "+".join(moves))
@pytest.mark.parametrize("case", ["four, data", "four, data, a triplet", "four, data, two crossing triplets"])
def test_draws_have_the_exact_distribution_where_something_was_left_unsaid(case, moves):
    Z, triplets = CASES[case]
    pieces = [shown("(((0,1),2),3);", (2, 0, 3, 1), triplets[:1]), shown("((0,2),(1,3));", (0, 1, 2, 3), [])]
    exact = ExactPosterior(
        Z,
        NOISE,
        reciprocal(1.0),
        triplets,
        num_points=4,
        num_points_below=16,
        pieces=[p for _, p in pieces],
        unsaid=1.5,
    )
    chain = make_chain(Z, triplets, start="random", moves=moves, seed=12)
    chain.set_shown([piece for piece, _ in pieces], 1.5)
    found = Comparison(exact, chain, NUM_DRAWS, num_moves=100)
    assert found.independence > 0.8
    assert found.pvalue > LEVEL


@pytest.mark.parametrize("moves", [*ALONE, MIXED], ids=lambda moves: "+".join(moves))
def test_draws_have_the_exact_distribution_where_columns_count_for_more_or_less(moves):
    """A column that counts for w columns: its density is to the power of w, as that of w times the variance is."""
    X = np.random.default_rng(3).normal(size=(4, 2)) * 0.7
    triplets, weights = [(0, 2, 1)], np.array([1.7, 0.3])
    model = DirichletDiffusion(scale=1.0, noise=NOISE, origin=0.0).for_data(X)
    exact = ExactPosterior(X, NOISE, reciprocal(1.0), triplets, num_points=4, num_points_below=16, powers=weights)
    chain = Chain(X, triplets, model, start="random", seed=6, moves=moves)
    chain.set_model(Columns(X, model).model_for(weights), X)
    found = Comparison(exact, chain, NUM_DRAWS, num_moves=60)
    assert found.independence > 0.8
    assert found.pvalue > LEVEL


@pytest.mark.parametrize("triplets", [[], [(0, 3, 5)]], ids=["without a triplet", "with a triplet"])
def test_six_leaves_differ_from_what_was_shown_as_they_should(triplets):
    """Regrafts over longer ways than four leaves have, of larger subtrees, and pieces with some of the leaves only."""
    pieces = [
        shown("(((0,1),2),(3,5));", (0, 1, 2, 3, 5), triplets),
        shown("((((5,4),3),2),(0,1));", (0, 1, 2, 3, 4, 5), []),
        shown("((1,4),(2,5));", (5, 2, 4, 1), []),
    ]
    expected = Counter()
    for clades in all_binary_trees(6):
        if all(has_triplet(clades, triplet) for triplet in triplets):
            topology = frozenset(clades)
            factors = tuple(round(unsaid_factor(topology, [piece], -1.0)) for _, piece in pieces)
            expected[factors] += topology_prior(topology) * unsaid_factor(topology, [p for _, p in pieces], 2.0)
    chain = Chain.of_prior(6, triplets, moves={"walk": 1, "local": 1}, seed=4)
    chain.set_shown([piece for piece, _ in pieces], 2.0)
    found = Counter(
        tuple(round(unsaid_factor(topology_of(tree), [piece], -1.0)) for _, piece in pieces)
        for tree in chain.samples(NUM_DRAWS, 100)
    )
    assert found.keys() <= expected.keys()
    share = np.array(list(expected.values())) / expected.total()
    observed = np.array([found[each] for each in expected])
    few = NUM_DRAWS * share < 8
    share, observed = np.append(share[~few], share[few].sum()), np.append(observed[~few], observed[few].sum())
    assert float(chisquare(observed, NUM_DRAWS * share).pvalue) > LEVEL


def test_six_leaves_have_pairs_as_close_as_they_should_be():
    """Longer ways through the tree than four leaves have: sizes change on both sides of the node where they meet."""
    triplets, closeness = [(0, 1, 2), (3, 4, 5)], 4.0  # so much that a mistake shows

    def sizes(topology) -> tuple[int, ...]:
        return tuple(min(len(clade) for clade in topology if {a, b} <= clade) for a, b, _ in triplets)

    expected = Counter()
    for clades in all_binary_trees(6):
        if all(has_triplet(clades, triplet) for triplet in triplets):
            factor = closeness_factor(frozenset(clades), triplets, closeness)
            expected[sizes(clades)] += topology_prior(frozenset(clades)) * factor
    chain = Chain.of_prior(6, triplets, moves={"walk": 1, "local": 1}, closeness=closeness, seed=4)
    found = Counter(sizes(topology_of(tree)) for tree in chain.samples(NUM_DRAWS, 80))
    assert found.keys() <= expected.keys()
    share = np.array(list(expected.values())) / expected.total()
    assert float(chisquare([found[each] for each in expected], NUM_DRAWS * share).pvalue) > LEVEL


def test_six_leaves_have_pairs_as_close_as_their_groups_ask_for():
    """Three pairs of one group share what two links weigh, four times as much each; the one of the other group has twice."""
    triplets, closeness = [(0, 1, 5), (1, 2, 5), (0, 2, 5), (3, 4, 5)], 0.75
    shared = round(64 * 4 * 2 / 3) / 64
    weights = {
        frozenset(pair): weight
        for pair, weight in (((0, 1), shared), ((1, 2), shared), ((0, 2), shared), ((3, 4), 2.0))
    }

    def sizes(topology) -> tuple[int, ...]:
        return tuple(min(len(clade) for clade in topology if {a, b} <= clade) for a, b, _ in triplets)

    expected = Counter()
    for clades in all_binary_trees(6):
        if all(has_triplet(clades, triplet) for triplet in triplets):
            factor = closeness_factor(frozenset(clades), triplets, closeness, weights)
            expected[sizes(clades)] += topology_prior(frozenset(clades)) * factor
    chain = Chain.of_prior(6, triplets, moves={"walk": 1, "local": 1}, closeness=closeness, seed=4)
    chain.set_flatness(1.0)
    found = Counter(sizes(topology_of(tree)) for tree in chain.samples(NUM_DRAWS, 80))
    assert found.keys() <= expected.keys()
    share = np.array(list(expected.values())) / expected.total()
    assert min(NUM_DRAWS * share) > 5
    assert float(chisquare([found[each] for each in expected], NUM_DRAWS * share).pvalue) > LEVEL


def test_six_leaves_have_what_is_presumed_and_closeness_is_of_what_was_said():
    """Two groups, {0, 1, 2} and {3, 4}, are apart: so neither has anybody of the other inside."""
    triplets, closeness = [(0, 1, 3), (1, 2, 5), (3, 4, 5)], 0.75
    weights = {frozenset(pair): weight for pair, weight in (((0, 1), 4.0), ((1, 2), 4.0), ((3, 4), 2.0))}
    implied = [(0, 1, 3), (0, 1, 4), (0, 2, 3), (0, 2, 4), (1, 2, 3), (1, 2, 4), (3, 4, 0), (3, 4, 1), (3, 4, 2)]
    implied += [(0, 1, 5), (0, 2, 5)]

    def sizes(topology) -> tuple[int, ...]:
        return tuple(min(len(clade) for clade in topology if {a, b} <= clade) for a, b, _ in triplets)

    expected = Counter()
    for clades in all_binary_trees(6):
        if all(has_triplet(clades, triplet) for triplet in triplets + implied):
            factor = closeness_factor(frozenset(clades), triplets, closeness, weights)
            expected[sizes(clades)] += topology_prior(frozenset(clades)) * factor
    chain = Chain.of_prior(6, triplets, moves={"walk": 1, "local": 1}, closeness=closeness, seed=4)
    chain.set_flatness(1.0)
    chain.replace_triplets(triplets, presumed_of(chain.triplets, (), 6, 1.0))
    found = Counter(sizes(topology_of(tree)) for tree in chain.samples(NUM_DRAWS, 80))
    assert found.keys() == expected.keys()
    share = np.array(list(expected.values())) / expected.total()
    assert float(chisquare([found[each] for each in expected], NUM_DRAWS * share).pvalue) > LEVEL


@pytest.mark.parametrize("case", ["four, prior", "four, data"])
def test_times_alone_have_the_exact_distribution_given_the_topology(case, exact_posterior):
    Z, _ = CASES[case]
    exact = exact_posterior(case)
    for topology in (exact.topologies[0], exact.topologies[7]):
        given = ExactPosterior(Z, NOISE, reciprocal(1.0), num_points=4, num_points_below=16)
        given.topologies, given.row = [topology], {topology: 0}
        row = exact.probability[[exact.row[topology]]]
        given.probability = row / row.sum()
        chain = make_chain(Z, [], start=tree_of(topology), moves={"times": 1}, seed=2)
        found = Comparison(given, chain, NUM_DRAWS, num_moves=10)
        assert topology_of(chain.tree) == topology
        assert found.pvalue > LEVEL


@pytest.mark.parametrize("moves", [*ALONE, MIXED], ids=lambda moves: "+".join(moves))
def test_another_divergence_function_fits_the_same_sampler(moves):
    divergence = ReciprocalSquare(0.5, 0.1)
    exact = ExactPosterior(X4, NOISE, divergence.age, [(0, 2, 1)], num_points=4, num_points_below=16)
    chain = make_chain(X4, [(0, 2, 1)], divergence, moves=moves, seed=4)
    assert Comparison(exact, chain, NUM_DRAWS, num_moves=40).pvalue > LEVEL


def test_the_likelihood_of_simulated_trees_averages_to_the_evidence():
    """Constants are right too: the mean likelihood of trees simulated from the prior is the evidence, by quadrature."""
    exact = ExactPosterior(X3, NOISE, reciprocal(1.0))
    rng = np.random.default_rng(0)
    model = DirichletDiffusion(scale=1.0, noise=NOISE, origin=0.0)
    weights = [
        np.exp(model.log_likelihood(model.simulate(3, 0, int(seed))[0], X3)) for seed in rng.integers(1e9, size=4_000)
    ]
    assert np.log(np.mean(weights)) == pytest.approx(
        exact.log_evidence, abs=5 * np.std(weights) / np.mean(weights) / 63
    )


def test_the_constrained_walk_agrees_with_the_naive_one_that_rejects_violations(exact_posterior):
    case = "four, data, two crossing triplets"
    Z, triplets = CASES[case]

    class Naive:
        """A chain without triplets that takes back each move to a tree that violates one."""

        def __init__(self) -> None:
            self._chain = make_chain(Z, triplets, moves={"walk": 1}, seed=5)
            for triplet in triplets:
                self._chain.remove_triplet(triplet)
            self._engine = self._chain._engine
            self.num_rejected = 0

        def run(self, num_moves: int) -> None:
            for _ in range(num_moves):
                parent, ages = self._engine.parents_and_ages()
                self._chain.run(1)
                if not self._chain.tree.satisfies(triplets).all():
                    self._engine.set_tree(parent, ages)
                    self.num_rejected += 1

    naive = Naive()
    found = Comparison(exact_posterior(case), naive, 1_500, num_moves=12)
    assert naive.num_rejected > 1_000
    assert found.pvalue > LEVEL
