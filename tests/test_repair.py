"""Taking in violated triplets: the tree has them afterwards, and keeps what it can."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import clades_of, random_tree, random_triplets
from strategies import seeds
from treetalk import Chain, DirichletDiffusion, Tree
from treetalk.repair import apart, repair, top_down
from treetalk.start import random_tree as random_start


def repaired(tree: Tree, triplets) -> Tree:
    parent, ages = repair(tree.parent, tree.age, np.array(triplets, np.int32))
    return Tree(parent, age=ages)


@given(seeds, st.integers(3, 25), st.integers(1, 40))
def test_a_repaired_tree_is_a_diffusion_tree_with_all_the_triplets(seed, num_leaves, num_triplets):
    rng = np.random.default_rng(seed)
    tree = DirichletDiffusion().simulate(num_leaves, 0, seed)[0]
    triplets = random_triplets(random_tree(num_leaves, rng, multifurcation=0.3), num_triplets, rng)
    found = repaired(tree, triplets)
    assert found.satisfies(triplets).all()
    assert found.is_binary
    assert np.isfinite(DirichletDiffusion().log_prior(found))  # which refuses ages that do not grow


@given(seeds, st.integers(3, 25), st.integers(1, 10))
def test_what_is_not_below_a_violated_triplet_stays(seed, num_leaves, num_triplets):
    rng = np.random.default_rng(seed)
    tree = DirichletDiffusion().simulate(num_leaves, 0, seed)[0]
    triplets = random_triplets(random_tree(num_leaves, rng), num_triplets, rng)
    violated = triplets[~tree.satisfies(triplets)]
    below = set()
    for triplet in violated:
        z = tree.mrca(*triplet)
        below |= {v for v in range(tree.num_nodes) if v != z and tree.mrca(v, z) == z}
    found = repaired(tree, triplets)
    kept = {frozenset(tree.leaves(v).tolist()): tree.age[v] for v in range(tree.num_nodes) if v not in below}
    ages = {frozenset(found.leaves(v).tolist()): found.age[v] for v in range(found.num_nodes)}
    assert kept.items() <= ages.items()


def test_a_tree_with_all_the_triplets_is_not_changed():
    tree = DirichletDiffusion().simulate(30, 0, seed=1)[0]
    assert repaired(tree, random_triplets(tree, 100, np.random.default_rng(0))) == tree


def test_one_violated_triplet_moves_one_leaf():
    # 0 and 1 on the left, with 2; 3, 4 and 5 on the right. The triplet pulls 2 over to 3.
    tree = Tree.from_newick("(((0:1,1:1):1,2:2):1,((3:1,4:1):1,5:2):1):1;", items=list("012345"))
    tree = Tree(tree.parent, age=(4 - tree.time) / 5)
    found = repaired(tree, [(2, 3, 0)])
    assert frozenset({0, 1}) in clades_of(found)
    assert frozenset({2, 3, 4, 5}) in clades_of(found)
    assert frozenset({3, 4, 5}) in clades_of(found)
    assert frozenset({3, 4}) in clades_of(found)


def test_clades_that_no_violated_triplet_touches_are_mostly_kept():
    tree = DirichletDiffusion().simulate(200, 0, seed=3)[0]
    triplet = next(
        t
        for t in np.random.default_rng(0).integers(200, size=(100, 3))
        if len(set(t)) == 3 and not tree.satisfies([t])[0]
    )
    kept = clades_of(tree) & clades_of(repaired(tree, [triplet]))
    assert len(kept) > 0.9 * tree.num_nodes


@given(seeds, st.integers(2, 30))
def test_equal_ages_are_pulled_apart_and_others_kept(seed, num_leaves):
    rng = np.random.default_rng(seed)
    parent, ages = random_start(num_leaves, rng)
    ages[num_leaves:] = np.floor(ages[num_leaves:] * 4) / 4 + 0.01
    found = apart(parent, ages)
    Tree(parent, age=found)
    inner = top_down(parent)[1:]
    assert (found[inner] < found[parent[inner]]).all()
    assert (found[num_leaves:] > 0).all()
    assert found.max() < 1
    first = [v for v in range(num_leaves, len(parent)) if parent[v] == -1 or ages[v] < ages[parent[v]]]
    np.testing.assert_array_equal(found[first], ages[first])


def test_ages_without_room_between_them_are_spread_by_height():
    parent = np.array([5, 5, 6, 7, 8, 6, 7, 8, -1], np.int32)
    ages = np.array([0.0] * 5 + [5e-324] * 3 + [1e-323])
    assert apart(parent, ages)[5:].tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8])


@pytest.mark.large
def test_many_triplets_at_once_are_taken_in_by_a_large_tree():
    rng = np.random.default_rng(0)
    target = random_tree(20_000, rng)
    triplets = random_triplets(target, 50_000, rng)
    chain = Chain(rng.normal(size=(20_000, 3)), triplets)
    assert chain.tree.satisfies(triplets).all()
    assert chain.run(10_000).tree.satisfies(triplets).all()
