"""Leaves keep their order between trees as far as the trees allow."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import seeds, topologies
from treetalk import Tree, tree_of_labels
from treetalk.layout import num_inversions, steady_order

NUM_LEAVES = 50_000


def inversions(order, ranks) -> int:
    """Look at every pair."""
    return sum(ranks[a] > ranks[b] for i, a in enumerate(order) for b in order[i + 1 :])


def all_orders(tree: Tree) -> list[list[int]]:
    """Turn the children of a binary tree in every way."""

    def turned(v: int, turns: dict[int, bool]) -> list[int]:
        if v < tree.num_leaves:
            return [v]
        a, b = tree.children(v).tolist()
        return turned(b, turns) + turned(a, turns) if turns[v] else turned(a, turns) + turned(b, turns)

    inner = range(tree.num_leaves, tree.num_nodes)
    ways = product([False, True], repeat=len(inner))
    return [turned(tree.root, dict(zip(inner, way, strict=True))) for way in ways]


def keeps_clades_together(tree: Tree, order) -> bool:
    position = np.argsort(order)
    return all(np.ptp(position[tree.leaves(v)]) == tree.sizes[v] - 1 for v in range(tree.num_nodes))


@given(seeds, st.integers(1, 8), st.integers(1, 12))
def test_no_way_of_turning_children_has_fewer_inversions(seed, num_leaves, num_ranks):
    rng = np.random.default_rng(seed)
    tree = reference.random_tree(num_leaves, rng)
    ranks = rng.integers(num_ranks, size=num_leaves)  # some are equal
    order = steady_order(tree, ranks).tolist()
    orders = all_orders(tree)
    assert order in orders
    assert inversions(order, ranks) == min(inversions(other, ranks) for other in orders)


@given(topologies(), st.data())
def test_the_leaves_of_every_clade_stand_side_by_side_whatever_the_arity(parent, data):
    tree = Tree(parent)
    ranks = data.draw(st.permutations(range(tree.num_leaves)))
    order = steady_order(tree, ranks)
    assert sorted(order.tolist()) == list(range(tree.num_leaves))
    assert keeps_clades_together(tree, order)


@given(topologies(), st.data())
def test_an_order_in_which_the_tree_can_be_drawn_is_kept(parent, data):
    tree = Tree(parent)
    ranks = data.draw(st.permutations(range(tree.num_leaves)))
    order = steady_order(tree, ranks)
    assert steady_order(tree, np.argsort(order)).tolist() == order.tolist()


def test_more_than_two_children_stand_by_their_mean_rank():
    tree = Tree.from_newick("((a,b),c,(d,e));", items=list("abcde"))
    assert steady_order(tree, [4, 2, 1, 0, 3]).tolist() == [2, 3, 4, 1, 0]


def test_where_two_ways_are_equal_the_smaller_mean_comes_first():
    tree = Tree.from_newick("(((a,b),(c,d)),(e,f));", items=list("abcdef"))
    # Of the four pairs between (a, b) and (c, d), two stand either way round.
    assert steady_order(tree, [0, 5, 1, 2, 3, 4]).tolist() == [2, 3, 0, 1, 4, 5]
    assert steady_order(tree, [0, 5, 3, 4, 1, 2]).tolist() == [4, 5, 0, 1, 2, 3]


def test_without_ranks_items_stand_as_they_were_given_as_far_as_they_can():
    tree = Tree.from_newick("((e,b),(a,(d,c)));", items=list("abcde"))
    assert steady_order(tree).tolist() == [0, 2, 3, 1, 4]


@given(st.lists(st.integers(-3, 6), max_size=12))
def test_inversions_are_counted_as_by_looking_at_every_pair(ranks):
    order = np.random.default_rng(len(ranks)).permutation(len(ranks))
    assert num_inversions(order, np.array(ranks, int)) == inversions(order.tolist(), ranks)


def test_ranks_of_the_wrong_shape_or_type_are_refused():
    tree = reference.caterpillar(4)
    with pytest.raises(ValueError, match=r"one number for each of 4 leaves; their shape is \(3,\)"):
        steady_order(tree, [0, 1, 2])
    with pytest.raises(TypeError, match="ranks must be integers, not float64"):
        steady_order(tree, [0.0, 1.0, 2.0, 3.0])


@pytest.mark.large
@pytest.mark.parametrize("shape", ["deep", "wide", "bushy"])
def test_trees_of_any_shape_are_put_in_order(shape):
    rng = np.random.default_rng(1)
    if shape == "deep":
        tree = reference.caterpillar(NUM_LEAVES)
    elif shape == "wide":
        tree = tree_of_labels(np.arange(NUM_LEAVES) % 7)
    else:
        tree = reference.random_tree(NUM_LEAVES, rng)
    ranks = rng.permutation(NUM_LEAVES)
    order = steady_order(tree, ranks)
    assert np.array_equal(np.sort(order), np.arange(NUM_LEAVES))
    before = num_inversions(tree.leaves(), ranks)
    assert num_inversions(order, ranks) < before
    # Nothing is left to improve.
    assert np.array_equal(steady_order(tree, np.argsort(order)), order)
