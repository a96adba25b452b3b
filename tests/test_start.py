"""Where a chain starts, and data that are hard to start with."""

import numpy as np
import pytest

from chains import NUM_MOVES, X, check
from reference import random_tree
from treetalk import Chain, DirichletDiffusion
from treetalk.datasets import load_animals


@pytest.mark.parametrize("start", ["auto", "random"])
@pytest.mark.parametrize("num_items", [2, 3, 50])
def test_a_start_is_a_valid_state(start, num_items):
    data = DirichletDiffusion().simulate(num_items, 3, seed=1)[1]
    check(Chain(data, start=start, seed=1))
    check(Chain(data, start=start, seed=1).run(50))


@pytest.mark.large
def test_many_items_are_inserted_one_by_one():
    data = DirichletDiffusion().simulate(4_000, 5, seed=1)[1]
    chain = Chain(data)
    check(chain)
    assert chain.log_posterior > Chain(data, start="random").log_posterior
    assert chain.tree.depths.max() < 200


@pytest.mark.large
def test_items_that_are_all_equal_are_inserted_too():
    check(Chain(np.zeros((3_500, 2))).run(1_000))
    check(Chain(np.repeat([[0.0], [1.0]], 2_000, axis=0)).run(1_000))


def test_a_given_tree_is_the_start_with_its_times():
    tree, data = DirichletDiffusion().simulate(20, 2, seed=6)
    assert Chain(data, start=tree).tree == tree


def test_a_given_tree_without_times_gets_some():
    tree = random_tree(12, np.random.default_rng(0))
    chain = Chain(X, start=tree)
    assert chain.tree.same_topology(tree)
    check(chain)


def test_multifurcations_of_a_given_tree_are_resolved():
    tree = random_tree(12, np.random.default_rng(0), multifurcation=0.7)
    assert not tree.is_binary
    for chain in (Chain(X, start=tree), Chain.of_prior(12, start=tree)):
        assert chain.tree.is_refinement_of(tree)
        check(chain)


def test_a_start_is_matched_with_the_items_by_name_and_repaired_where_it_violates_a_triplet():
    animals = load_animals()
    turned = animals.target.restrict(animals.items[::-1])
    chain = Chain(animals.X, start=turned, items=animals.items)
    assert chain.tree.is_refinement_of(animals.target)
    wrong = ("bear", "tuna", "calf")
    chain = Chain(animals.X, [wrong], start=turned)
    assert chain.items == turned.items
    assert chain.tree.satisfies([wrong]).all()


def test_equal_rows_and_little_noise_keep_ages_apart():
    data = np.repeat([[0.0, 0.0], [1.0, 1.0]], 4, axis=0)
    chain = Chain(data, model=DirichletDiffusion(0.1, noise=1e-9), seed=0)
    for _ in range(10):
        check(chain.run(100))
    assert chain.tree.age[8:].min() < 1e-6


def test_two_items_are_enough():
    chain = Chain([[0.0], [1.0]], seed=0).run(NUM_MOVES)
    check(chain)
    assert chain.info["walk"].accepted > 0


@pytest.mark.parametrize("size", [1e-150, 1e-9, 1e9, 1e100])
def test_data_of_any_size_keep_the_chain_going(size):
    check(Chain(X * size, seed=0).run(NUM_MOVES))


@pytest.mark.parametrize("far", [1e3, 1e9, 1e150])
def test_an_outlier_however_far_keeps_the_chain_going(far):
    data = X.copy()
    data[3] = far
    chain = Chain(data, [(0, 3, 1)], seed=0).run(NUM_MOVES)
    check(chain)
    assert np.isfinite(chain.log_posterior)
