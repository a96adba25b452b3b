"""What a gesture means: the rearranged tree, its new triplets, and the words for them."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import all_triplets, clades_of, has_triplet, is_consistent, random_tree, triplets_of
from strategies import topologies
from treetalk import Tree
from treetalk.gestures import Group, group, in_words, rearranged, triplets_of_gesture

ZOO = Tree.from_newick("(((tiger,elephant),(wolf,dog)),((leopard,lion),(ant,bee)));")
CATS, DOGS = ZOO.mrca("leopard", "lion"), ZOO.mrca("wolf", "dog")


@st.composite
def drops(draw) -> tuple[Tree, int, int]:
    """A tree of any arity, a node of it, and another one that it can be dropped onto."""
    tree = Tree(draw(topologies(min_leaves=2, max_leaves=8)))
    node = draw(st.sampled_from([v for v in range(tree.num_nodes) if v != tree.root]))
    below = set(tree.leaves(node).tolist())
    onto = draw(st.sampled_from([w for w in range(tree.num_nodes) if not set(tree.leaves(w).tolist()) <= below]))
    return tree, node, onto


@st.composite
def gestures(draw) -> tuple[Tree, Tree, set[int]]:
    """A tree, what it is after one drop or several, and the leaves that were moved."""
    shown, node, onto = draw(drops())
    now, moved = rearranged(shown, node, onto), set(shown.leaves(node).tolist())
    for _ in range(draw(st.integers(0, 2))):
        node = draw(st.sampled_from([v for v in range(now.num_nodes) if v != now.root]))
        onto = draw(st.integers(0, now.num_nodes - 1))
        if now.mrca(node, onto) != node:
            moved |= set(now.leaves(node).tolist())
            now = rearranged(now, node, onto)
    return shown, now, moved


sets_of_triplets = st.integers(3, 7).flatmap(
    lambda count: st.sets(st.sampled_from(all_triplets(count)), min_size=1, max_size=40)
)


def now_after(node: int | str, onto: int | str) -> Tree:
    return rearranged(ZOO, ZOO.mrca(node), ZOO.mrca(onto))


def said_by(node: int | str, onto: int | str) -> list[str]:
    moved = ZOO.leaves(ZOO.mrca(node)).tolist()
    return in_words(triplets_of_gesture(ZOO, now_after(node, onto), moved), ZOO.items)


# --- the tree after it


@given(drops())
def test_what_is_dropped_becomes_the_sister_and_all_else_stays(drop):
    tree, node, onto = drop
    now = rearranged(tree, node, onto)
    moved = frozenset(tree.leaves(node).tolist())
    rest = frozenset(tree.leaves(onto).tolist()) - moved
    # Naively: take what was moved out of all clades around it, put it into those around its new place, and join the two.
    outside = {clade - moved for clade in clades_of(tree) if not clade <= moved}
    inside = {clade for clade in clades_of(tree) if clade <= moved}
    around = {clade | moved if clade > rest else clade for clade in outside}
    assert clades_of(now) == around | inside | {rest | moved}


def test_a_leaf_a_branch_and_the_root_can_be_dropped_onto():
    assert now_after("tiger", "lion").to_newick() == "((((tiger,lion),leopard),(ant,bee)),(elephant,(wolf,dog)));"
    assert now_after("tiger", CATS).to_newick() == "(((tiger,(leopard,lion)),(ant,bee)),(elephant,(wolf,dog)));"
    assert now_after(DOGS, ZOO.root).to_newick() == "(((tiger,elephant),((leopard,lion),(ant,bee))),(wolf,dog));"


def test_dropped_onto_its_sister_or_its_parent_in_a_binary_tree_all_stays_as_it_is():
    for node, onto in (("ant", "bee"), ("ant", ZOO.mrca("ant", "bee")), (CATS, ZOO.mrca("ant", "bee"))):
        assert now_after(node, onto).parent.tolist() == ZOO.parent.tolist()
    top, other = ZOO.children(ZOO.root).tolist()
    assert now_after(top, other).same_topology(ZOO)
    assert now_after(top, ZOO.root).same_topology(ZOO)


def test_dropped_onto_one_of_several_sisters_two_stand_together():
    star = Tree.from_newick("(a,b,c);")
    assert rearranged(star, 0, 1).to_newick() == "((a,b),c);"
    assert rearranged(star, 0, star.root).to_newick() == "(a,(b,c));"


def test_leaves_keep_their_items_and_what_spoke_of_the_old_tree_is_gone():
    tree = Tree([3, 3, 4, 4, -1], age=[0, 0, 0, 0.5, 1], items=["x", "y", "z"], support=[np.nan] * 3 + [0.5, 1])
    now = rearranged(tree, 0, 2)
    assert (now.items, now.time, now.support) == (("x", "y", "z"), None, None)
    assert now.to_newick() == "((x,z),y);"


@pytest.mark.parametrize(
    ("node", "onto", "sentence"),
    [
        ("tiger", "tiger", "tiger cannot be dropped onto itself"),
        (CATS, CATS, "leopard and lion cannot be dropped onto themselves"),
        (CATS, "lion", "leopard and lion cannot be dropped onto lion, which is one of them"),
        (
            ZOO.mrca("tiger", "dog"),
            DOGS,
            "tiger, elephant, wolf and 1 more cannot be dropped onto wolf and dog, which are among them",
        ),
        (ZOO.root, "ant", "tiger, elephant, wolf and 5 more are all there is, and cannot be moved to somewhere else"),
    ],
)
def test_a_wrong_drop_is_a_sentence_that_names_the_items(node, onto, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        now_after(node, onto)


def test_items_without_names_are_named_by_their_numbers():
    with pytest.raises(ValueError, match=r"^item 1 cannot be dropped onto itself$"):
        rearranged(Tree([3, 3, 4, 4, -1]), 1, 1)


def test_a_node_that_is_not_there_is_a_sentence():
    with pytest.raises(ValueError, match="there is no node 99: nodes are numbered from 0 to 14"):
        rearranged(ZOO, 0, 99)


# --- its triplets


@given(gestures())
def test_the_triplets_are_those_of_the_new_tree_that_are_new_and_involve_what_was_moved(gesture):
    shown, now, moved = gesture
    found = [tuple(row) for row in triplets_of_gesture(shown, now, moved).tolist()]
    new = triplets_of(now) - triplets_of(shown)
    assert found == sorted(triplet for triplet in new if moved & set(triplet))


@given(gestures())
def test_the_triplets_go_together_with_all_that_was_shown_of_what_was_not_moved(gesture):
    shown, now, moved = gesture
    found = [tuple(row) for row in triplets_of_gesture(shown, now, moved).tolist()]
    kept = [triplet for triplet in triplets_of(shown) if not moved & set(triplet)]
    assert is_consistent([*kept, *found], now.num_leaves)
    clades = clades_of(now)
    assert all(has_triplet(clades, triplet) for triplet in [*kept, *found])


def test_triplets_are_a_sorted_array_of_whole_numbers():
    found = triplets_of_gesture(ZOO, now_after("tiger", "lion"), ["tiger", 0, "tiger"])
    assert (found.dtype, found.shape) == (np.int32, (19, 3))
    assert found.tolist() == sorted(found.tolist())
    assert (found[:, 0] < found[:, 1]).all()


def test_a_gesture_that_changes_or_moves_nothing_means_nothing():
    assert triplets_of_gesture(ZOO, now_after("ant", "bee"), ["ant"]).shape == (0, 3)
    assert triplets_of_gesture(ZOO, now_after("tiger", "lion"), []).shape == (0, 3)


def test_trees_with_different_leaves_are_refused():
    for other in (Tree.from_newick("(a,b);"), ZOO.with_items(None)):
        with pytest.raises(ValueError, match="have different leaves"):
            triplets_of_gesture(ZOO, other, [0])


# --- its words


def test_a_drop_is_said_in_few_words():
    assert said_by("tiger", "lion") == [
        "tiger together with leopard, lion, ant and bee, apart from elephant, wolf and dog",
        "tiger together with leopard and lion, apart from ant and bee",
        "elephant together with wolf and dog, apart from tiger",
        "tiger and lion together, apart from leopard",
    ]
    assert said_by(DOGS, CATS) == [
        "wolf and dog together with leopard and lion, apart from tiger, elephant, ant and bee",
        "wolf and dog together with ant and bee, apart from tiger and elephant",
    ]
    assert said_by("ant", "bee") == []


@pytest.mark.parametrize(
    ("triplets", "sentences"),
    [
        ([(0, 4, 1)], ["tiger and leopard together, apart from elephant"]),
        ([(4, 0, 1)], ["tiger and leopard together, apart from elephant"]),
        (
            [(0, b, c) for b in (4, 5) for c in (1, 2, 6)],
            ["tiger together with leopard and lion, apart from elephant, wolf and ant"],
        ),
        ([(0, 4, 1), (0, 5, 1), (4, 5, 1)], ["tiger, leopard and lion together, apart from elephant"]),
        ([(0, 4, 1), (0, 5, 1)], ["tiger together with leopard and lion, apart from elephant"]),
    ],
)
def test_only_where_all_pairs_are_there_all_are_said_to_be_together(triplets, sentences):
    assert in_words(triplets, ZOO.items) == sentences
    assert in_words(np.array(triplets), lambda item: ZOO.items[item]) == sentences


@given(sets_of_triplets)
def test_groups_have_all_triplets_and_no_others(triplets):
    groups = group(list(triplets))
    assert set().union(*(each.triplets() for each in groups)) == triplets


@given(sets_of_triplets)
def test_nothing_can_be_left_out_of_groups(triplets):
    groups = group(list(triplets))
    for place, each in enumerate(groups):
        others = set().union(*(other.triplets() for other in groups[:place] + groups[place + 1 :]))
        for role, part in enumerate(each):
            for item in part:
                fewer = each._replace(**{Group._fields[role]: tuple(other for other in part if other != item)})
                is_empty = not fewer.together_a or not fewer.apart or bool(each.together_b) > bool(fewer.together_b)
                assert others | (set() if is_empty else fewer.triplets()) != triplets


@given(sets_of_triplets)
def test_the_order_in_which_triplets_are_given_does_not_matter(triplets):
    turned = [(b, a, c) for a, b, c in sorted(triplets, reverse=True)]
    assert group(turned) == group(sorted(triplets)) == group([*turned, *turned])


@given(gestures())
def test_a_gesture_takes_no_more_sentences_than_there_are_pairs(gesture):
    triplets = triplets_of_gesture(*gesture).tolist()
    groups = group(triplets)
    assert len(groups) <= len({(a, b) for a, b, _ in triplets})
    assert sum(len(each.triplets()) for each in groups) >= len(triplets)


def test_a_large_gesture_is_said_in_a_few_sentences():
    tree = random_tree(100, np.random.default_rng(3))
    now = rearranged(tree, 5, 60)
    triplets = triplets_of_gesture(tree, now, [5])
    groups = group(triplets)
    assert len(triplets) > 500
    assert len(groups) < 20
    assert set().union(*(each.triplets() for each in groups)) == set(map(tuple, triplets.tolist()))


def test_more_than_can_be_compared_is_said_exactly_too():
    pairs = enumerate(itertools.combinations(range(50), 2), start=1)
    triplets = {(a, b, 50 + bit) for number, (a, b) in pairs for bit in range(11) if number >> bit & 1}
    groups = group(sorted(triplets))
    assert set().union(*(each.triplets() for each in groups)) == triplets


def test_what_more_sentences_would_say_is_counted():
    triplets = [(a, b, 9) for a, b in itertools.pairwise(range(8))]
    labels = [f"item {i}" for i in range(10)]
    assert len(in_words(triplets, labels)) == 4
    told = in_words(triplets, labels, most=2)
    assert told == ["item 1 together with item 0 and item 2, apart from item 9", "and 5 more statements"]
    assert in_words(triplets, labels, most=4)[-1] == "item 6 and item 7 together, apart from item 9"
    assert in_words(triplets, labels, most=3)[-1] == "and 3 more statements"


def test_one_statement_left_is_one_statement():
    triplets = [(0, 1, 2), (3, 4, 5), (3, 4, 0), (6, 7, 2), (6, 7, 3)]
    assert in_words(triplets, list("abcdefgh"), most=2) == [
        "d and e together, apart from a and f",
        "and 3 more statements",
    ]
    assert in_words(triplets[:3], list("abcdefgh"), most=2)[1] == "a and b together, apart from c"


def test_labels_stay_on_their_line_and_long_lists_are_cut_short():
    labels = ["a\nb", *(f"i{place}" for place in range(1, 30))]
    told = in_words([(0, 1, c) for c in range(2, 30)], labels)
    assert told == [f"a b and i1 together, apart from {', '.join(labels[2:14])} and 16 more"]
