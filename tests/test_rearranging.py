"""The user who corrects with the hand, against a search through all droppings one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import clades_of, has_triplet, is_consistent, is_implied, random_tree, triplets_of
from strategies import seeds
from treetalk import Query, Tree, TreeUser, build
from treetalk.gestures import rearranged, triplets_of_gesture
from treetalk.rearranging import MOST_LEAVES, GestureUser, defining_triplets, gestures_for
from treetalk.users import User

sizes = st.integers(3, 6)


def naive_gestures(target: Tree, shown: Tree) -> dict[tuple[int, int], tuple[int, set[tuple[int, int, int]]]]:
    """The droppings (node, onto) that may be made, each with its gain and its triplets, made and counted one by one."""
    wanted, before = triplets_of(target), triplets_of(shown)
    found = {}
    for node in range(shown.num_nodes):
        for onto in range(shown.num_nodes):
            if node == shown.root or shown.mrca(node, onto) == node:
                continue
            now = rearranged(shown, node, onto)
            said = {tuple(row) for row in triplets_of_gesture(shown, now, shown.leaves(node)).tolist()}
            gain = len(wanted & triplets_of(now)) - len(wanted & before)
            if gain > 0 and not any(contradicts(wanted, triplet) for triplet in said):
                found[node, onto] = gain, said
    return found


def contradicts(wanted: set[tuple[int, int, int]], triplet: tuple[int, int, int]) -> bool:
    a, b, c = triplet
    return bool({(min(a, c), max(a, c), b), (min(b, c), max(b, c), a)} & wanted)


def a_pair(seed: int, num_leaves: int) -> tuple[Tree, Tree]:
    rng = np.random.default_rng(seed)
    return random_tree(num_leaves, rng, 0.3), random_tree(num_leaves, rng, float(rng.choice([0.0, 0.3])))


def numbered(newick: str) -> Tree:
    """A tree whose leaves have the numbers that are written, and no names."""
    tree = Tree.from_newick(newick)
    return tree.restrict([str(leaf) for leaf in range(tree.num_leaves)]).with_items(None)


def refined(tree: Tree, rng: np.random.Generator) -> Tree:
    """A tree in which each node has two children: its own joined at random."""
    parent = tree.parent.tolist()
    for v in range(tree.num_leaves, tree.num_nodes):
        tops = rng.permutation(tree.children(v)).tolist()
        while len(tops) > 2:
            parent[tops[0]] = parent[tops[1]] = len(parent)
            tops = [*tops[2:], len(parent)]
            parent.append(v)
    return Tree(parent)


@settings(max_examples=40)
@given(seeds, sizes)
def test_gestures_are_those_of_a_search_through_all_droppings(seed, num_leaves):
    target, shown = a_pair(seed, num_leaves)
    found = gestures_for(target, shown)
    assert {
        (each.node, each.onto): (each.gain, set(map(tuple, each.triplets.tolist()))) for each in found
    } == naive_gestures(target, shown)
    for each in found:
        now = rearranged(shown, each.node, each.onto)
        expected = triplets_of_gesture(shown, now, shown.leaves(each.node))
        np.testing.assert_array_equal(each.triplets, expected)  # in the order in which the page sends them


@given(seeds, sizes)
def test_a_user_makes_the_best_gesture_that_goes_together_with_the_target(seed, num_leaves):
    target, shown = a_pair(seed, num_leaves)
    found = [
        (gain, said)
        for gain, said in naive_gestures(target, shown).values()
        if is_consistent(said | triplets_of(target), num_leaves)
    ]
    best = max((gain for gain, _ in found), default=0)
    response = GestureUser(target, seed).respond(Query("subtree", range(num_leaves), shown))
    if found:
        assert set(response) in [said for gain, said in found if gain == best]
    else:
        assert not isinstance(response, list)


@given(seeds, sizes)
def test_a_user_is_true_to_the_target_and_to_its_word(seed, num_leaves):
    rng = np.random.default_rng(seed)
    target = random_tree(num_leaves, rng, 0.5)
    user, said = GestureUser(target, seed), triplets_of(target)
    for _ in range(6):
        response = user.respond(Query("subtree", range(num_leaves), random_tree(num_leaves, rng)))
        said |= {(min(a, b), max(a, b), c) for a, b, c in response} if isinstance(response, list) else set()
        assert is_consistent(said, num_leaves)


@given(seeds, sizes)
def test_what_defines_a_tree_is_satisfied_by_it_and_implies_all_its_triplets(seed, num_leaves):
    tree = random_tree(num_leaves, np.random.default_rng(seed), 0.4)
    defining = [tuple(row) for row in defining_triplets(tree).tolist()]
    assert all(tree.satisfies(defining)) if defining else not triplets_of(tree)
    assert all(is_implied(defining, triplet, num_leaves) for triplet in triplets_of(tree))


@given(seeds, sizes)
def test_a_user_never_says_anything_against_the_target(seed, num_leaves):
    target, shown = a_pair(seed, num_leaves)
    response = GestureUser(target, seed).respond(Query("subtree", range(num_leaves), shown))
    said = response if isinstance(response, list) else [] if response == "accept" else [response]
    assert not any(contradicts(triplets_of(target), triplet) for triplet in said)
    assert not any(has_triplet(clades_of(shown), triplet) for triplet in said)
    assert (response == "accept") == (triplets_of(target) <= triplets_of(shown))


@given(seeds, sizes)
def test_after_enough_gestures_what_is_shown_is_accepted(seed, num_leaves):
    rng = np.random.default_rng(seed)
    target, shown = random_tree(num_leaves, rng), random_tree(num_leaves, rng)
    user, said = GestureUser(target, seed), []
    for _ in range(len(triplets_of(target)) + 1):
        response = user.respond(Query("subtree", range(num_leaves), shown))
        if response == "accept":
            break
        said += response if isinstance(response, list) else [response]
        shown = refined(build(said, num_leaves), rng)
    assert response == "accept"
    assert triplets_of(shown) == triplets_of(target)


@given(seeds, sizes)
def test_the_same_seed_gives_the_same_answers(seed, num_leaves):
    target, shown = a_pair(seed, num_leaves)
    query = Query("subtree", range(num_leaves), shown)
    first, second = GestureUser(target, seed), GestureUser(target, seed + 1).with_seed(seed)
    assert [first.respond(query) for _ in range(3)] == [second.respond(query) for _ in range(3)]


def test_equally_good_gestures_are_all_made_now_and_then():
    # Either of the two can be carried to the other.
    target, shown = numbered("((0,1),2,3,4);"), numbered("((0,2),((1,3),4));")
    found = gestures_for(target, shown)
    best = max(each.gain for each in found)
    expected = {frozenset(map(tuple, each.triplets.tolist())) for each in found if each.gain == best}
    assert len(expected) > 1
    query = Query("subtree", range(5), shown)
    assert {frozenset(GestureUser(target, seed).respond(query)) for seed in range(60)} == expected


def test_a_gesture_is_told_in_the_numbers_of_the_items():
    target = Tree.from_newick("((a,b),(c,d),e);")
    shown = Tree.from_newick("(((a,c),b),d);")
    query = Query("subtree", [0, 2, 1, 3], shown.with_items(["a", "c", "b", "d"]))
    for triplet in GestureUser(target).respond(query):
        assert set(triplet) <= {0, 1, 2, 3}
        assert not contradicts(triplets_of(target), triplet)


def test_where_no_gesture_is_free_of_faults_a_triplet_is_named():
    target, shown = numbered("((0,1),(2,3));"), numbered("((0,2),(1,3));")
    assert not gestures_for(target, shown)
    query = Query("subtree", range(4), shown)
    assert GestureUser(target, 5).respond(query) == TreeUser(target, 5).respond(query)


def test_of_three_items_the_odd_one_is_named():
    user = GestureUser(numbered("((0,1),2,3);"))
    assert user.respond(Query("triple", [2, 0, 1], numbered("(0,1,2);"))) == (0, 1, 2)
    assert user.respond(Query("triple", [2, 0, 3], numbered("(0,1,2);"))) == "same"


@pytest.mark.large
def test_of_too_many_items_one_triplet_is_named():
    rng = np.random.default_rng(0)
    target, shown = random_tree(MOST_LEAVES + 1, rng), random_tree(MOST_LEAVES + 1, rng)
    assert len(GestureUser(target).respond(Query("subtree", range(MOST_LEAVES + 1), shown))) == 3


def test_it_is_a_user_who_can_be_looked_at():
    target = numbered("((0,1),2,3);")
    user = GestureUser(target)
    assert isinstance(user, User)
    assert user.target == target
    assert repr(user) == "<treetalk.GestureUser: 4 items>"
    with pytest.raises(TypeError, match="a user responds to a Query"):
        user.respond("tiger")
