"""BUILD and its conflicts on everything small, and on much that is random."""

from itertools import combinations, product

import numpy as np
import pytest

import reference
from treetalk import InconsistentTriplets, TripletSet, build


def test_all_choices_of_triplets_on_five_leaves_agree_with_trying_every_tree():
    """For each three of five leaves, one of the three triplets or none: 4^10 sets, 56,776 of them consistent."""
    threes = list(combinations(range(5), 3))
    options = [[None, (a, b, c), (a, c, b), (b, c, a)] for a, b, c in threes]
    bit = {t: 1 << i for i, t in enumerate(t for option in options for t in option[1:])}
    trees = np.array(
        [sum(bit[t] for t in bit if reference.has_triplet(clades, t)) for clades in reference.all_binary_trees(5)]
    )
    assert len(trees) == 105
    num_consistent = 0
    for chosen in product(*options):
        triplets = [t for t in chosen if t is not None]
        mask = sum(bit[t] for t in triplets)
        consistent = bool(((trees & mask) == mask).any())
        array = np.array(triplets, np.int32).reshape(-1, 3)
        assert TripletSet(array, 5).is_consistent == consistent
        num_consistent += consistent
    assert num_consistent == 56_776


@pytest.mark.parametrize("seed", range(20))
def test_random_conflicts_are_minimal(seed):
    rng = np.random.default_rng(seed)
    num_conflicts = 0
    for _ in range(100):
        n = int(rng.integers(4, 60))
        tree = reference.random_tree(n, rng, rng.choice([0, 0.3, 0.6]))
        triplets = reference.random_triplets(tree, int(rng.integers(n, 6 * n)), rng)
        wrong = rng.random(len(triplets)) < 0.03
        triplets[wrong] = triplets[wrong][:, [0, 2, 1]]
        try:
            built = build(triplets, n)
        except InconsistentTriplets as error:
            num_conflicts += 1
            rows = [tuple(row) for row in error.conflict.tolist()]
            assert not reference.is_consistent(rows, n)
            assert all(reference.is_consistent(rows[:i] + rows[i + 1 :], n) for i in range(len(rows)))
        else:
            clades = reference.build(frozenset(range(n)), [tuple(row) for row in triplets.tolist()])
            assert set(built.clades()) == clades
    assert num_conflicts > 20


@pytest.mark.parametrize("seed", range(5))
def test_reductions_of_random_sets_are_irredundant(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        n = int(rng.integers(5, 14))
        tree = reference.random_tree(n, rng, rng.choice([0, 0.4, 0.7]))
        given = reference.without_repetitions(reference.random_triplets(tree, int(rng.integers(1, 80)), rng))
        reduced = [tuple(row) for row in TripletSet(given, n).reduce().triplets.tolist()]
        reference.check_reduction([tuple(row) for row in given.tolist()], reduced, n)
