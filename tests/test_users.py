"""Simulated users, each against a search through all triplets."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import clades_of, has_triplet, random_tree, triplets_of
from strategies import seeds
from treetalk import GestureUser, LabelUser, NoisyUser, Query, SortingUser, Tree, TreeUser, tree_of_labels
from treetalk.users import User


def violated_by_level(target: Tree, shown: Tree, leaves) -> set[tuple[int, int, int]]:
    """The triplets of the target that the shown tree's splits violate, on the first level that violates any.

    Triplets are in leaf numbers of the target; leaf i of the shown tree is ``leaves[i]``.
    """
    wanted = {t for t in triplets_of(target) if set(t) <= set(leaves)}
    level = [shown.root]
    while level:
        found = set()
        for v in level:
            parts = [{leaves[i] for i in shown.leaves(child)} for child in shown.children(v)]
            side = {leaf: i for i, part in enumerate(parts) for leaf in part}
            found |= {t for t in wanted if set(t) <= set(side) and side[t[0]] != side[t[1]]}
        if found:
            return found
        level = [int(child) for v in level for child in shown.children(v)]
    return set()


def a_query(num_items: int, size: int, rng) -> Query:
    leaves = rng.choice(num_items, size, replace=False)
    return Query("subtree", leaves, random_tree(size, rng, multifurcation=0.2))


@given(seeds, st.integers(3, 9))
def test_a_tree_user_names_a_triplet_that_a_search_through_all_finds_violated(seed, num_items):
    rng = np.random.default_rng(seed)
    target = random_tree(num_items, rng, multifurcation=0.3)
    query = a_query(num_items, int(rng.integers(3, num_items + 1)), rng)
    expected = violated_by_level(target, query.tree, query.leaves.tolist())
    response = TreeUser(target, seed).respond(query)
    if expected:
        a, b, c = response
        assert (min(a, b), max(a, b), c) in expected
    else:
        assert response == "accept"
        local = {int(leaf): i for i, leaf in enumerate(query.leaves)}
        shown = clades_of(query.tree)
        wanted = (t for t in triplets_of(target) if set(t) <= set(local))
        assert all(has_triplet(shown, tuple(local[leaf] for leaf in t)) for t in wanted)


@pytest.mark.large
@settings(max_examples=5)
@given(seeds)
def test_each_violated_triplet_of_the_first_level_is_as_likely(seed):
    rng = np.random.default_rng(seed)
    target = random_tree(8, rng, multifurcation=0.3)
    query = a_query(8, 7, rng)
    expected = violated_by_level(target, query.tree, query.leaves.tolist())
    if not expected:
        return
    user = TreeUser(target, seed)
    counts = Counter((min(a, b), max(a, b), c) for a, b, c in (user.respond(query) for _ in range(4_000)))
    assert set(counts) == expected
    share = 4_000 / len(expected)
    statistic = sum((counts[t] - share) ** 2 / share for t in expected)
    # The chi-squared statistic has mean k - 1 and variance 2 (k - 1).
    assert statistic < len(expected) - 1 + 5 * np.sqrt(2 * len(expected)) + 5


@given(seeds, st.integers(3, 9))
def test_asked_for_the_odd_one_a_tree_user_says_what_the_target_has(seed, num_items):
    rng = np.random.default_rng(seed)
    target = random_tree(num_items, rng, multifurcation=0.5)
    wanted = triplets_of(target)
    user = TreeUser(target)
    for three in combinations(range(num_items), 3):
        response = user.respond(Query("triple", three, random_tree(3, rng)))
        holds = [t for t in wanted if set(t) == set(three)]
        if holds:
            a, b, c = response
            assert (min(a, b), max(a, b), c) == holds[0]
        else:
            assert response == "same"


@given(seeds, st.integers(3, 9), st.integers(1, 4))
def test_a_label_user_wants_the_tree_of_the_labels(seed, num_items, num_classes):
    rng = np.random.default_rng(seed)
    labels = rng.integers(num_classes, size=num_items)
    query = a_query(num_items, num_items, rng)
    assert LabelUser(labels, seed).respond(query) == TreeUser(tree_of_labels(labels), seed).respond(query)


@pytest.mark.parametrize("kind", [TreeUser, SortingUser, GestureUser])
def test_a_user_takes_labels_for_the_tree_of_the_labels(kind):
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=9)
    query = a_query(9, 9, rng)
    assert kind(labels).respond(query) == kind(tree_of_labels(labels)).respond(query)
    with pytest.raises(TypeError, match=r"^the target must be a Tree or a label for each leaf, not None$"):
        kind(None)


def test_items_are_matched_by_name_where_both_sides_have_names():
    target = Tree.from_newick("((dog,wolf),(cat,lynx));")
    shown = Tree.from_newick("((cat,dog),wolf);")
    a, b, c = TreeUser(target).respond(Query("subtree", [7, 5, 3], shown))
    assert ({a, b}, c) == ({5, 3}, 7)


def test_a_noisy_user_errs_as_often_as_it_should():
    target = Tree.from_newick("((a,b),c);")
    wrong = Query("subtree", [0, 1, 2], Tree([3, 4, 3, 4, -1]))
    user = NoisyUser(TreeUser(target), flip=0.3, seed=5)
    said = Counter(user.respond(wrong)[2] for _ in range(2_000))
    assert said[2] / 2_000 == pytest.approx(0.7, abs=0.05)
    assert said[0] / 2_000 == pytest.approx(0.15, abs=0.04)
    assert NoisyUser(TreeUser(target), flip=0).respond(wrong)[2] == 2
    right = Query("subtree", [0, 1, 2], target.with_items(None))
    assert NoisyUser(TreeUser(target), flip=1).respond(right) == "accept"


@pytest.mark.parametrize(
    "said", [[0, 1, 2], (0, 1, 2), np.array([[0, 1, 2]]), ((0, 1, 2), (3, 4, 5)), ["cat", "dog", "eel"]]
)
def test_a_noisy_user_takes_all_that_a_session_takes(said):
    class Says:
        def respond(self, query):
            return said

    response = NoisyUser(Says(), flip=1).respond(None)
    rows = response if isinstance(response, list) else [response]
    expected = [tuple(row) for row in (said if len(np.shape(said)) == 2 else [said])]
    assert [set(row) for row in rows] == [set(row) for row in expected]
    assert all(row[2] != given[2] for row, given in zip(rows, expected, strict=True))


def test_a_noisy_user_knows_the_target_and_takes_a_probability():
    target = Tree.from_newick("((a,b),c);")
    assert NoisyUser(TreeUser(target)).target == target
    with pytest.raises(ValueError, match=r"flip must be a probability from 0 to 1, not 1\.5"):
        NoisyUser(TreeUser(target), flip=1.5)
    with pytest.raises(TypeError, match="user must have a method respond"):
        NoisyUser(3)


def test_a_query_about_an_item_that_the_target_lacks_is_refused():
    user = TreeUser(Tree.from_newick("((a,b),c);").with_items(None))
    with pytest.raises(ValueError, match="the target has 3 leaves, and the query is about item 5"):
        user.respond(Query("triple", [0, 1, 5], Tree([3, 3, 4, 4, -1])))
    with pytest.raises(TypeError, match="a user responds to a Query, not to None"):
        user.respond(None)


def test_whoever_has_a_method_respond_is_a_user():
    class Yes:
        def respond(self, query):
            return "accept"

    assert isinstance(Yes(), User)
    assert isinstance(TreeUser(Tree([-1])), User)


@given(seeds, st.integers(3, 12))
def test_a_sorting_user_says_all_that_it_wants_of_what_is_shown_and_nothing_else(seed, num_items):
    rng = np.random.default_rng(seed)
    target, shown = random_tree(num_items, rng, 0.4), random_tree(num_items, rng)
    leaves = rng.permutation(num_items)[: rng.integers(3, num_items + 1)]
    response = SortingUser(target, seed).respond(Query("subtree", leaves, shown.restrict(leaves)))
    among = set(leaves.tolist())
    wanted = {triplet for triplet in triplets_of(target) if set(triplet) <= among}
    said = [] if response == "accept" else [(min(a, b), max(a, b), c) for a, b, c in response]
    assert len(said) == len(set(said))
    assert set(said) == wanted


def test_a_sorting_user_knows_the_target_and_answers_large_pieces_and_triples_as_a_tree_user():
    target = random_tree(25, np.random.default_rng(1))
    user = SortingUser(target, seed=3).with_seed(4)
    query = Query("subtree", range(25), random_tree(25, np.random.default_rng(2)))
    assert user.target == target
    assert user.respond(query) == TreeUser(target, seed=4).respond(query)
    three = Query("triple", [0, 1, 2], target.restrict([0, 1, 2]))
    assert user.respond(three) == TreeUser(target).respond(three)
    assert repr(user) == "<treetalk.SortingUser: 25 items>"
