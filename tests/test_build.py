import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import topologies
from treetalk import InconsistentTriplets, Tree, build


def conflict_of(triplets, num_leaves: int) -> np.ndarray:
    with pytest.raises(InconsistentTriplets) as caught:
        build(triplets, num_leaves)
    np.testing.assert_array_equal(np.asarray(triplets)[caught.value.rows], caught.value.conflict)
    return caught.value.conflict


def check_that_conflict_is_minimal(conflict: np.ndarray, num_leaves: int) -> None:
    rows = [tuple(row) for row in conflict.tolist()]
    assert not reference.is_consistent(rows, num_leaves)
    for i in range(len(rows)):
        assert reference.is_consistent(rows[:i] + rows[i + 1 :], num_leaves)


def test_all_sets_of_triplets_on_four_leaves_agree_with_trying_every_tree():
    triplets = reference.all_triplets(4)
    trees = [{t for t in triplets if reference.has_triplet(clades, t)} for clades in reference.all_binary_trees(4)]
    assert len(trees) == 15
    num_consistent = 0
    for size in range(len(triplets) + 1):
        for chosen in combinations(triplets, size):
            consistent = any(tree.issuperset(chosen) for tree in trees)
            num_consistent += consistent
            if consistent:
                assert set(build(chosen, 4).clades()) == reference.build(frozenset(range(4)), chosen)
            elif size <= 4:
                check_that_conflict_is_minimal(conflict_of(chosen, 4), 4)
            else:
                with pytest.raises(InconsistentTriplets):
                    build(chosen, 4)
    assert 100 < num_consistent < 1000


@given(st.integers(3, 9), st.data())
def test_build_agrees_with_the_textbook_and_conflicts_are_minimal(num_leaves, data):
    three = st.permutations(range(num_leaves)).map(lambda order: tuple(order[:3]))
    triplets = data.draw(st.lists(three, max_size=12))
    clades = reference.build(frozenset(range(num_leaves)), triplets)
    if clades is None:
        check_that_conflict_is_minimal(conflict_of(triplets, num_leaves), num_leaves)
    else:
        tree = build(triplets, num_leaves)
        assert set(tree.clades()) == clades
        assert tree.satisfies(triplets).all()


@given(topologies(1, 9))
def test_all_triplets_of_a_tree_build_that_tree(parent):
    tree = Tree.from_parents(parent)
    assert build(sorted(reference.triplets_of(tree)), tree.num_leaves).same_topology(tree)


def test_items_that_no_triplet_names_are_children_of_the_root():
    assert build([(0, 1, 2)], 5).same_topology(Tree.from_newick("((,),,,);"))
    assert build([], 3).same_topology(Tree.from_newick("(,,);"))
    assert build([], 1).num_nodes == 1
    assert build([], 2).num_nodes == 3


def test_repeated_triplets_do_no_harm():
    assert build([(0, 1, 2), (1, 0, 2), (0, 1, 2)], 3) == build([(0, 1, 2)], 3)


def test_names_are_understood_and_kept():
    tree = build([("cat", "lynx", "dog")], 3, items=["dog", "cat", "lynx"])
    assert tree.same_topology(Tree.from_newick("((cat,lynx),dog);"))


def test_the_error_names_the_triplets_that_clash():
    with pytest.raises(InconsistentTriplets) as caught:
        build(
            [("eel", "cat", "crow"), ("cat", "lynx", "dog"), ("lynx", "dog", "cat")],
            5,
            items=["cat", "lynx", "dog", "crow", "eel"],
        )
    assert str(caught.value) == (
        "no tree satisfies these 2 triplets together, though it would without any one of them: "
        "cat, lynx | dog (row 1); lynx, dog | cat (row 2)"
    )
    assert caught.value.rows.tolist() == [1, 2]
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.conflict.tolist() == caught.value.conflict.tolist()


def test_a_long_conflict_is_shortened_in_the_message():
    n = 30
    ring = [((i + 1) % n, (i + 2) % n, i) for i in range(n)]
    conflict = conflict_of(ring, n)
    check_that_conflict_is_minimal(conflict, n)
    assert len(conflict) > 20
    with pytest.raises(InconsistentTriplets, match=rf"; and {len(conflict) - 10} more$"):
        build(ring, n)


def test_the_smallest_of_the_conflicts_found_is_given():
    assert conflict_of([(2, 0, 3), (3, 0, 2), (1, 2, 3), (3, 1, 0)], 4).tolist() == [[2, 0, 3], [3, 0, 2]]


def test_build_agrees_with_tralda_on_random_triplets():
    from tralda.supertree import Build

    rng = np.random.default_rng(5)
    num_inconsistent = 0
    for _ in range(150):
        n = int(rng.integers(4, 30))
        tree = reference.random_tree(n, rng, rng.choice([0, 0.4]))
        triplets = reference.random_triplets(tree, int(rng.integers(1, 3 * n)), rng)
        if rng.random() < 0.3 and len(triplets):
            row = int(rng.integers(len(triplets)))
            triplets[row] = triplets[row][[0, 2, 1]]
        peer = Build([tuple(map(int, row)) for row in triplets], list(range(n)), mincut=False).build_tree()
        if peer is None:
            num_inconsistent += 1
            with pytest.raises(InconsistentTriplets):
                build(triplets, n)
        else:
            assert set(build(triplets, n).clades()) == {frozenset(clade) for clade in peer.get_hierarchy()}
    assert 10 < num_inconsistent < 100


@pytest.mark.large
def test_a_conflict_with_a_long_tail_is_found():
    # One after the other, each leaf hangs on those before it; only the first three contradict each other.
    n = 20_000
    i = np.arange(3, n)
    tail = np.column_stack([i - 1, i, i - 2])
    assert conflict_of(np.concatenate([[(0, 1, 2), (1, 2, 0)], tail]), n).tolist() == [[0, 1, 2], [1, 2, 0]]


@pytest.mark.large
def test_a_conflict_among_many_triplets_is_minimal():
    rng = np.random.default_rng(6)
    tree = reference.random_tree(1000, rng)
    triplets = reference.random_triplets(tree, 100_000, rng)
    wrong = rng.choice(len(triplets), 500, replace=False)
    triplets[wrong] = triplets[wrong][:, [0, 2, 1]]
    conflict = conflict_of(triplets, 1000)
    assert len(conflict) < 60
    check_that_conflict_is_minimal(conflict, 1000)


@pytest.mark.large
@pytest.mark.parametrize("turned", [False, True])
def test_a_hundred_thousand_levels_are_built_from_one_triplet_each(turned):
    n = 100_000
    i = np.arange(n - 2)
    triplets = np.column_stack([i + 2, i + 1, i] if turned else [i + 1, i + 2, i])
    tree = build(triplets[::-1] if turned else triplets, n)
    assert tree.is_binary
    assert tree.depths.max() == n - 1
    assert tree.satisfies(triplets).all()


@pytest.mark.large
def test_a_million_triplets_over_a_hundred_thousand_leaves_are_built():
    rng = np.random.default_rng(7)
    n = 100_000
    tree = reference.random_tree(n, rng)
    triplets = reference.random_triplets(tree, 1_000_000, rng)
    built = build(triplets, n)
    assert built.satisfies(triplets).all()
