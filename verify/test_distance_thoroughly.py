"""The triplet distance against the formula over pairs, on trees of a thousand leaves and of all shapes."""

from itertools import product

import numpy as np
import pytest

import reference
from treetalk import Tree, tree_of_labels, triplet_distance

NUM_LEAVES = 700


def by_pairs(target: Tree, tree: Tree) -> float:
    """TD = 1 - sum(n - |u*| - |u| + |u* & u|) / sum(n - |u*|) over pairs, u* and u their mrca's in both trees."""
    n = target.num_leaves
    wanted = had = 0
    members = [np.zeros((t.num_nodes, n), bool) for t in (target, tree)]
    for t, inside in zip((target, tree), members, strict=True):
        for v in range(t.num_nodes):
            inside[v, t.leaves(v)] = True
    common = members[0].astype(np.float32) @ members[1].T.astype(np.float32)
    for a in range(n):
        for b in range(a):
            u, v = target.mrca(a, b), tree.mrca(a, b)
            outside = n - int(target.sizes[u])
            wanted += outside
            had += outside - int(tree.sizes[v]) + int(common[u, v])
    return 1 - had / wanted


def shapes(rng: np.random.Generator) -> dict[str, Tree]:
    deep = reference.caterpillar(NUM_LEAVES)
    shuffled = deep.parent.copy()
    shuffled[:NUM_LEAVES] = rng.permutation(shuffled[:NUM_LEAVES])
    return {
        "binary": reference.random_tree(NUM_LEAVES, rng),
        "multifurcating": reference.random_tree(NUM_LEAVES, rng, 0.6),
        "deep": Tree(shuffled),
        "classes": tree_of_labels(rng.integers(12, size=NUM_LEAVES)),
    }


PAIRS = list(product(["binary", "multifurcating", "deep", "classes"], repeat=2))


@pytest.mark.parametrize(("target", "tree"), PAIRS)
def test_the_distance_agrees_with_the_formula_over_pairs(target, tree):
    rng = np.random.default_rng(PAIRS.index((target, tree)))
    first, second = shapes(rng)[target], shapes(rng)[tree]
    assert triplet_distance(first, second) == pytest.approx(by_pairs(first, second), abs=1e-12)
