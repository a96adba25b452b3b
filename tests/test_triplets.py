import numpy as np
import pytest

import reference
from treetalk import InconsistentTriplets, Tree, TripletSet, build

ANIMALS = ["cat", "lynx", "dog", "crow"]


@pytest.mark.parametrize(
    ("triplets", "error", "sentence"),
    [
        ([(0, 1, 2), (1, 0, 2)], ValueError, "triplet 1 (lynx, cat | dog) repeats triplet 0"),
        ([(0, 1, 2), (3, 3, 2)], ValueError, "triplet 1 (crow, crow | dog): a and b are the same item, crow"),
        ([(0, 1, 0)], ValueError, "triplet 0 (cat, lynx | cat): a and c are the same item, cat"),
        ([(0, 1, 1)], ValueError, "triplet 0 (cat, lynx | lynx): b and c are the same item, lynx"),
        ([(0, 1, 4)], ValueError, "triplet 0 (0, 1, 4): there is no item 4; items are numbered from 0 to 3"),
        ([(0, -1, 2)], ValueError, "triplet 0 (0, -1, 2): there is no item -1"),
        (
            [("cat", "lynx", "dgo")],
            ValueError,
            "triplet 0 (cat, lynx, dgo): there is no item 'dgo'; did you mean 'dog'?",
        ),
        ([(0.0, 1.0, 2.0)], TypeError, "their dtype is float64"),
        ([(True, False, True)], TypeError, "their dtype is bool"),
        ([(0, 1)], ValueError, "their shape is (1, 2)"),
        ((0, 1, 2), ValueError, "wrap a single triplet"),
        ([(0, 1, 2), (0, 1)], ValueError, "triplet 1 is (0, 1); a triplet has three items"),
        ([(0, 1, 2), 5], ValueError, "triplet 1 is 5; a triplet has three items"),
        (3, ValueError, "their shape is ()"),
    ],
)
def test_bad_triplets_are_refused_with_the_culprit(triplets, error, sentence):
    with pytest.raises(error) as caught:
        TripletSet(triplets, 4, items=ANIMALS)
    assert sentence in str(caught.value)


def test_names_without_item_names_are_refused():
    with pytest.raises(ValueError, match="'cat' is a name, but the items have no names"):
        TripletSet([("cat", "lynx", "dog")], 4)


@pytest.mark.parametrize(
    ("num_leaves", "error"), [(0, ValueError), (-3, ValueError), (2.5, TypeError), (True, TypeError)]
)
def test_a_number_of_leaves_that_is_none_is_refused(num_leaves, error):
    with pytest.raises(error, match="num_leaves must be"):
        TripletSet([], num_leaves)


def test_a_set_is_a_collection_of_triplets():
    triplets = TripletSet([(0, 1, 2), (0, 2, 3)], 4)
    assert len(triplets) == 2
    assert list(triplets) == [(0, 1, 2), (0, 2, 3)]
    assert (1, 0, 2) in triplets
    assert (0, 2, 1) not in triplets
    assert np.asarray(triplets).tolist() == [[0, 1, 2], [0, 2, 3]]
    assert TripletSet(triplets, 4).triplets.tolist() == triplets.triplets.tolist()
    assert TripletSet({(0, 1, 2)}, 4).triplets.tolist() == [[0, 1, 2]]
    with pytest.raises(ValueError, match="read-only"):
        triplets.triplets[0, 0] = 3


def test_items_can_be_given_by_name():
    triplets = TripletSet([("cat", "lynx", "dog")], 4, items=ANIMALS)
    assert list(triplets) == [(0, 1, 2)]
    assert triplets.implied(("cat", "lynx", "dog"))
    assert triplets.tree.items == tuple(ANIMALS)
    assert triplets.restrict(["dog", "lynx", "cat"]).triplets.tolist() == [[2, 1, 0]]
    assert len(triplets.restrict(["cat", "lynx"])) == 0


def test_the_names_of_a_set_count_wherever_it_goes():
    triplets = TripletSet([("a", "b", "c")], 3, items=["a", "b", "c"])
    tree = Tree.from_newick("((c,a),b);")
    assert not tree.satisfies(triplets).any()
    assert build(triplets, 3).items == ("a", "b", "c")
    turned = build(triplets, 3, items=["c", "b", "a"])
    assert turned.same_topology(Tree.from_newick("((a,b),c);"))
    assert TripletSet(triplets, 3).items == ("a", "b", "c")
    with pytest.raises(ValueError, match="there is no item 'c'"):
        build(triplets, 3, items=["a", "b", "x"])


def test_a_set_never_changes():
    triplets = TripletSet([(0, 1, 2)], 3)
    triplets.of_leaf(0)[:] = 99
    assert triplets.of_leaf(0).tolist() == [0]
    with pytest.raises(AttributeError, match="a TripletSet never changes"):
        triplets.tree = None
    with pytest.raises(ValueError, match="a triplet has three items"):
        triplets.implied((0, 1))


def test_rows_that_name_an_item_are_found():
    triplets = TripletSet([(0, 1, 2), (1, 2, 3), (0, 3, 4)], 6)
    assert [triplets.of_leaf(v).tolist() for v in range(6)] == [[0, 2], [0, 1], [0, 1], [1, 2], [2], []]


def test_an_empty_set_says_nothing():
    empty = TripletSet([], 3)
    assert empty.is_consistent
    assert empty.conflict() is None
    assert empty.tree.same_topology(Tree.from_newick("(,,);"))
    assert not empty.implied((0, 1, 2))
    assert len(empty.reduce()) == 0


def test_a_chain_of_triplets_implies_the_long_way():
    # a and b apart from c, b and c apart from d: so a and c apart from d.
    triplets = TripletSet([(0, 1, 2), (1, 2, 3)], 4)
    assert triplets.implied((0, 2, 3))
    assert triplets.implied((0, 1, 3))
    assert not triplets.implied((0, 2, 1))
    assert not TripletSet([(0, 1, 2)], 4).implied((0, 1, 3))


def test_a_set_that_contradicts_itself_implies_nothing_and_says_why():
    triplets = TripletSet([(0, 1, 2), (1, 2, 0), (0, 1, 3)], 4)
    assert not triplets.is_consistent
    assert triplets.conflict().tolist() == [[0, 1, 2], [1, 2, 0]]
    for ask in (lambda: triplets.implied((0, 1, 3)), lambda: triplets.tree, triplets.reduce):
        with pytest.raises(InconsistentTriplets, match=r"0, 1 \| 2 \(row 0\); 1, 2 \| 0 \(row 1\)"):
            ask()


def test_what_is_implied_agrees_with_trying_both_alternatives():
    rng = np.random.default_rng(1)
    num_implied = 0
    for _ in range(60):
        n = int(rng.integers(3, 8))
        tree = reference.random_tree(n, rng, rng.choice([0, 0.4]))
        given = reference.without_repetitions(reference.random_triplets(tree, int(rng.integers(1, 16)), rng))
        triplets = TripletSet(given, n)
        for triplet in reference.all_triplets(n):
            implied = reference.is_implied(map(tuple, given.tolist()), triplet, n)
            assert triplets.implied(triplet) == implied, (given, triplet)
            num_implied += implied
    assert num_implied > 200


def test_a_reduction_implies_everything_and_nothing_in_it_is_implied_by_the_rest():
    rng = np.random.default_rng(2)
    num_dropped = 0
    for _ in range(80):
        n = int(rng.integers(3, 9))
        tree = reference.random_tree(n, rng, rng.choice([0, 0.4, 0.7]))
        given = reference.without_repetitions(reference.random_triplets(tree, int(rng.integers(1, 25)), rng))
        reduced = [tuple(row) for row in TripletSet(given, n).reduce().triplets.tolist()]
        reference.check_reduction([tuple(row) for row in given.tolist()], reduced, n)
        num_dropped += len(given) - len(reduced)
    assert num_dropped > 100


def test_all_triplets_of_a_binary_tree_reduce_to_one_for_each_inner_edge():
    tree = reference.random_tree(12, np.random.default_rng(3))
    triplets = TripletSet(sorted(reference.triplets_of(tree)), 12)
    assert len(triplets.reduce()) == 12 - 2
    assert build(triplets.reduce(), 12).same_topology(tree)


@pytest.mark.large
@pytest.mark.parametrize("num_triplets", [20_000, 60_000])
def test_sparse_triplets_over_many_leaves_are_reduced(num_triplets):
    rng = np.random.default_rng(5)
    tree = reference.random_tree(20_000, rng)
    given = reference.without_repetitions(reference.random_triplets(tree, num_triplets, rng))
    triplets = TripletSet(given, 20_000)
    reduced = triplets.reduce()
    assert reduced.tree.same_topology(triplets.tree)
    kept = {tuple(row) for row in reduced.triplets.tolist()}
    for row in rng.choice(len(given), 20):
        if tuple(given[row].tolist()) in kept:
            others = reduced.triplets[(reduced.triplets != given[row]).any(axis=1)]
            assert not TripletSet(others, 20_000).implied(given[row])
        else:
            assert reduced.implied(given[row])


@pytest.mark.large
def test_a_hundred_thousand_triplets_of_one_tree_are_reduced_and_settle_what_they_did():
    rng = np.random.default_rng(4)
    tree = reference.random_tree(1000, rng)
    given = reference.without_repetitions(reference.random_triplets(tree, 100_000, rng))
    triplets = TripletSet(given, 1000)
    reduced = triplets.reduce()
    assert len(reduced) < 2000
    assert reduced.tree.same_topology(triplets.tree)
    for row in rng.choice(len(given), 50):
        assert reduced.implied(given[row])
