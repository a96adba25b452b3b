"""Consensus trees and support, against counting by hand."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import clades_of, random_tree, random_triplets
from strategies import seeds
from treetalk import (
    Chain,
    DirichletDiffusion,
    Session,
    Tree,
    central_tree,
    credible_tree,
    majority_tree,
    triplet_distance,
    triplet_support,
)
from treetalk.clades import clade_keys
from treetalk.repair import repair
from treetalk.snapshots import mean_joins
from treetalk.summary import MOST_WORK, tree_of_clades, with_support

SUMMARIES = (central_tree, credible_tree, majority_tree)


def constrained(num_leaves: int, num_trees: int, num_triplets: int, seed: int):
    """Diffusion trees that all satisfy some triplets, and these."""
    rng = np.random.default_rng(seed)
    triplets = random_triplets(random_tree(num_leaves, rng), num_triplets, rng)
    trees = []
    for i in range(num_trees):
        tree = DirichletDiffusion().simulate(num_leaves, 0, seed + i)[0]
        parent, ages = repair(tree.parent, tree.age, triplets)
        trees.append(Tree(parent, age=ages))
    return trees, triplets


@given(seeds, st.integers(3, 14), st.integers(1, 8), st.integers(0, 12))
def test_every_summary_satisfies_the_triplets_that_all_trees_satisfy(seed, num_leaves, num_trees, num_triplets):
    trees, triplets = constrained(num_leaves, num_trees, num_triplets, seed)
    for summary in SUMMARIES:
        assert summary(trees, triplets).satisfies(triplets).all()


@given(seeds, st.integers(3, 10), st.integers(1, 9))
def test_support_is_the_share_of_the_trees_that_have_the_clade(seed, num_leaves, num_trees):
    trees, _ = constrained(num_leaves, num_trees, 3, seed)
    counts = Counter(clade for tree in trees for clade in clades_of(tree))
    for summary in SUMMARIES:
        found = summary(trees)
        for v in range(found.num_leaves, found.num_nodes):
            assert found.support[v] == pytest.approx(counts[found.clades()[v]] / num_trees)
        assert np.isnan(found.support[: found.num_leaves]).all()


@given(seeds, st.integers(3, 10), st.integers(1, 9))
def test_without_triplets_the_majority_tree_has_the_clades_of_more_than_half(seed, num_leaves, num_trees):
    trees, _ = constrained(num_leaves, num_trees, 5, seed)
    counts = Counter(clade for tree in trees for clade in clades_of(tree))
    assert clades_of(majority_tree(trees)) == {clade for clade, count in counts.items() if count > num_trees / 2}


def test_a_majority_that_leaves_a_triplet_open_is_completed():
    items = list("abcde")
    trees = []
    for text in ["(((a,d),b),(c,e));", "(((a,e),b),(c,d));", "((a,b),((c,d),e));"]:
        shape = Tree.from_newick(text, items)
        age = np.where(shape.sizes == 1, 0.0, shape.sizes / 6)
        trees.append(Tree(shape.parent, age=age, items=items))
    said = [("a", "b", "c")]
    assert all(tree.satisfies(said).all() for tree in trees)
    assert not majority_tree(trees).satisfies(said).all()
    assert majority_tree(trees, said).satisfies(said).all()


@given(seeds, st.integers(3, 10), st.integers(1, 9))
def test_the_most_credible_tree_is_one_of_the_trees_with_the_largest_product(seed, num_leaves, num_trees):
    trees, _ = constrained(num_leaves, num_trees, 2, seed)
    counts = Counter(clade for tree in trees for clade in clades_of(tree))
    scores = [sum(np.log(counts[clade]) for clade in clades_of(tree)) for tree in trees]
    found = credible_tree(trees)
    assert sum(np.log(counts[clade]) for clade in clades_of(found)) == pytest.approx(max(scores))
    assert any(found.same_topology(tree) for tree in trees)


@given(seeds, st.integers(2, 70), st.integers(1, 6))
def test_the_mean_joins_of_two_items_are_those_over_all_trees(seed, num_leaves, num_trees):
    trees = [DirichletDiffusion().simulate(num_leaves, 0, seed + i)[0] for i in range(num_trees)]
    sizes, heights = mean_joins(np.array([tree.parent for tree in trees]), np.array([tree.age for tree in trees]))
    assert (sizes.diagonal() == 0).all()
    assert (heights.diagonal() == 0).all()
    for a, b in np.random.default_rng(seed).integers(num_leaves, size=(20, 2)).tolist():
        if a != b:
            meets = [(tree, tree.mrca(a, b)) for tree in trees]
            assert sizes[a, b] == pytest.approx(np.mean([tree.sizes[v] for tree, v in meets]))
            assert heights[a, b] == pytest.approx(np.mean([tree.age[v] for tree, v in meets]))


@given(seeds, st.integers(2, 12))
def test_the_summary_of_one_tree_is_that_tree(seed, num_leaves):
    tree = DirichletDiffusion().simulate(num_leaves, 0, seed)[0]
    for summary in SUMMARIES:
        assert summary([tree]).same_topology(tree)
    np.testing.assert_allclose(np.sort(central_tree([tree]).age), np.sort(tree.age), atol=1e-9)


@given(seeds, st.integers(3, 12), st.integers(2, 8))
def test_the_central_tree_has_the_times_of_a_diffusion(seed, num_leaves, num_trees):
    trees, triplets = constrained(num_leaves, num_trees, 4, seed)
    assert np.isfinite(DirichletDiffusion().log_prior(central_tree(trees, triplets)))


@given(seeds, st.integers(4, 12), st.integers(2, 8))
def test_a_central_tree_that_triplets_have_changed_is_no_further_from_the_trees_than_each_of_them(
    seed, num_leaves, num
):
    trees, triplets = constrained(num_leaves, num, 10, seed)
    if central_tree(trees).satisfies(triplets).all():
        return

    def mean_distance(tree, others):
        return np.mean([triplet_distance(tree, other) for other in others])

    best = min(mean_distance(tree, trees[:i] + trees[i + 1 :]) for i, tree in enumerate(trees))
    # Triples are drawn at random, so it need not be exactly the best one.
    assert mean_distance(central_tree(trees, triplets), trees) <= best + 0.05


@given(seeds, st.integers(4, 14), st.integers(1, 8), st.integers(1, 12))
def test_a_central_tree_has_the_triplets_even_where_the_trees_have_them_not(seed, num_leaves, num_trees, num_triplets):
    trees, _ = constrained(num_leaves, num_trees, 0, seed)
    rng = np.random.default_rng(seed + 1)
    triplets = random_triplets(random_tree(num_leaves, rng), num_triplets, rng)
    assert central_tree(trees, triplets).satisfies(triplets).all()


@pytest.mark.large
def test_where_linkage_takes_too_long_triplets_are_met_all_the_same():
    num_leaves = 800
    trees, triplets = constrained(num_leaves, 4, 400, 0)
    violated = int((~central_tree(trees).satisfies(triplets)).sum())
    assert violated * num_leaves**2 > MOST_WORK
    assert central_tree(trees, triplets).satisfies(triplets).all()


@pytest.mark.large
def test_the_central_tree_is_nearer_to_the_truth_than_a_draw():
    better = 0
    for seed in range(6):
        target, X = DirichletDiffusion().simulate(40, 5, seed=seed)
        trees = list(Chain(X, seed=seed).run(20_000).samples(50, 500))
        mean = np.mean([triplet_distance(target, tree) for tree in trees])
        better += triplet_distance(target, central_tree(trees)) < mean
    assert better >= 5


@given(seeds, st.integers(3, 9), st.integers(1, 8))
def test_the_support_of_a_triplet_is_the_share_of_the_trees_that_satisfy_it(seed, num_leaves, num_trees):
    rng = np.random.default_rng(seed)
    trees, _ = constrained(num_leaves, num_trees, 2, seed)
    triplets = random_triplets(random_tree(num_leaves, rng), 6, rng)
    expected = np.mean([tree.satisfies(triplets) for tree in trees], axis=0)
    np.testing.assert_allclose(triplet_support(trees, triplets), expected)


@given(seeds, st.integers(1, 12))
def test_trees_have_a_key_in_common_exactly_for_each_clade_that_they_share(seed, num_leaves):
    rng = np.random.default_rng(seed)
    one, other = (random_tree(num_leaves, rng, multifurcation=0.3) for _ in range(2))
    shared = set(clade_keys(one).tolist()) & set(clade_keys(other).tolist())
    assert len(shared) == len(clades_of(one) & clades_of(other))


@given(seeds, st.integers(1, 12))
def test_a_tree_is_made_of_its_clades(seed, num_leaves):
    tree = random_tree(num_leaves, np.random.default_rng(seed), multifurcation=0.3)
    clades = [np.array(sorted(clade), np.int32) for clade in clades_of(tree)]
    assert tree_of_clades(clades, num_leaves).same_topology(tree)


def test_trees_over_other_items_are_refused():
    one, other = (DirichletDiffusion().simulate(n, 0, 0)[0] for n in (4, 5))
    with pytest.raises(ValueError, match="trees over the same items; these have different numbers of leaves"):
        central_tree([one, other])
    with pytest.raises(ValueError, match="a summary needs at least one tree"):
        majority_tree([])
    with pytest.raises(ValueError, match="the same order"):
        credible_tree([one.with_items(list("abcd")), one.with_items(list("abdc"))])


def test_names_of_items_and_nodes_are_kept():
    tree = DirichletDiffusion().simulate(4, 0, 1)[0].with_items(list("abcd"))
    for summary in SUMMARIES:
        assert summary([tree]).items == tuple("abcd")
    assert with_support(tree, [tree]).items == tuple("abcd")


def test_support_counts_by_name_where_the_trees_have_their_items_in_another_order():
    tree = Tree.from_newick("((a:0.25,b:0.25):0.25,(c:0.25,d:0.25):0.25):0.5;")
    other = Tree.from_newick("((c:0.25,b:0.25):0.25,(a:0.25,d:0.25):0.25):0.5;")
    assert list(other.items) == list("cbad")
    pair = tree.mrca("a", "b")
    assert with_support(tree, [other, other]).support[pair] == 0
    assert with_support(tree, [other, tree.restrict(list("dbca"))]).support[pair] == 0.5
    assert with_support(tree, [other.with_items(None)]).support[pair] == 1
    with pytest.raises(ValueError, match="the trees have different leaves: 'a' is only in one, 'x' in the other"):
        with_support(tree, [other.with_items(list("cbxd"))])


def test_draws_over_another_number_of_items_support_nothing():
    session = Session(np.random.default_rng(0).normal(size=(5, 2)), seed=0).advance(10)
    tree = Tree.from_newick("((a,b),(c,d));")
    with pytest.raises(ValueError, match="the tree has 4 leaves, and the trees that support it 5"):
        with_support(tree, session.snapshots)
    with pytest.raises(ValueError, match="the trees have different leaves: 4 against 5"):
        with_support(tree, [session.tree])
