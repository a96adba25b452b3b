"""What a person calls moved: as few items as possible, such that without them nothing changed."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import seeds, topologies
from treetalk import Tree
from treetalk.layout import Canvas, steady_order
from treetalk.layout.moved import moved_leaves

ITEMS = "abcdefghij"
NUM_LEAVES = 50_000


def canvases(then: Tree, now: Tree) -> tuple[Canvas, Canvas]:
    former = Canvas(then)
    return former, Canvas(now, steady_order(now, former.ranks), revision=1)


def moved(then: str, now: str) -> str:
    items = sorted(letter for letter in then if letter.isalpha())
    former, canvas = canvases(Tree.from_newick(then, items), Tree.from_newick(now, items))
    return "".join(items[leaf] for leaf in np.flatnonzero(canvas.moved_since(former)))


def regrafted(tree: Tree, s: int, onto: int) -> Tree:
    """The tree with node s as the sister of another."""
    parent = tree.parent.copy()
    p = parent[s]
    sister = next(int(u) for u in tree.children(p) if u != s)
    parent[sister] = parent[p]
    parent[p] = parent[onto]
    parent[onto] = p
    return Tree(parent)


def test_nothing_moved_when_the_tree_is_the_same():
    assert moved("((a,b),(c,(d,e)));", "((a,b),(c,(d,e)));") == ""


def test_branches_that_are_turned_round_did_not_move():
    tree = Tree.from_newick("((a,b),(c,(d,e)));", list("abcde"))
    assert not Canvas(tree, [3, 4, 2, 1, 0]).moved_since(Canvas(tree)).any()


def test_an_item_that_jumps_from_one_group_to_another_moved_alone():
    assert moved("(((a,b),(c,x)),((d,e),(f,g)));", "(((a,b),c),((d,e),(f,(g,x))));") == "x"


def test_an_item_that_changes_groups_without_changing_its_row_moved():
    assert moved("(((a,b),x),((d,e),f));", "((a,b),(x,((d,e),f)));") == "x"
    assert moved("(((a,b),(c,x)),((d,e),(f,g)));", "(((a,b),c),(((x,d),e),(f,g)));") == "x"


def test_a_branch_that_moved_is_all_that_moved():
    assert moved("(((a,b),((x,y),z)),((d,e),(f,g)));", "((a,b),((d,e),((f,g),((x,y),z))));") in {"xyz", "ab"}
    assert moved("((((a,b),c),(x,y)),((d,e),(f,g)));", "(((a,b),c),((d,e),((f,g),(x,y))));") == "xy"


def test_an_item_that_moved_within_a_branch_and_another_between_branches_are_both_found():
    then = "((((a,b),c),((d,e),x)),((f,g),((h,i),j)));"
    assert moved(then, "((((a,b),c),(d,e)),((f,g),(((h,x),i),j)));") == "x"
    assert moved(then, "((((a,(b,x)),c),(d,e)),((f,g),((h,i),j)));") == "x"
    assert len(moved(then, "((((a,b),(c,x)),(d,e)),(g,((h,i),(j,f))));")) == 2


def test_of_three_items_that_change_partners_one_moved():
    assert len(moved("(((a,b),c),((d,e),f));", "((a,(b,c)),((d,e),f));")) == 1


def test_new_items_moved_and_the_others_did_not():
    then, now = Tree.from_newick("((a,b),c);", list("abc")), Tree.from_newick("((a,(b,d)),c);", list("abcd"))
    assert Canvas(now).moved_since(Canvas(then)).tolist() == [False, False, False, True]
    assert Canvas(then).moved_since(Canvas(now)).tolist() == [False, False, False]


@given(seeds, st.integers(2, 7), st.integers(0, 3))
def test_in_binary_trees_no_fewer_items_could_be_taken_away(seed, num_leaves, num_moves):
    rng = np.random.default_rng(seed)
    then = now = reference.random_tree(num_leaves, rng)
    if num_moves == 3:
        now = reference.random_tree(num_leaves, rng)
    for _ in range(num_moves % 3):
        s = int(rng.choice([v for v in range(now.num_nodes) if v != now.root]))
        inside = set(now.leaves(s).tolist())
        elsewhere = [v for v in range(now.num_nodes) if not inside & set(now.leaves(v).tolist())]
        now = regrafted(now, s, int(rng.choice(elsewhere)))
    former, canvas = canvases(then, now)
    stay = np.flatnonzero(~canvas.moved_since(former))
    assert then.restrict(stay).same_topology(now.restrict(stay))
    for more in combinations(range(num_leaves), len(stay) + 1):
        assert not then.restrict(more).same_topology(now.restrict(more))


@given(topologies(max_leaves=10), topologies(max_leaves=10))
def test_without_what_moved_trees_of_any_arity_are_the_same(then, now):
    num_both = min(Tree(then).num_leaves, Tree(now).num_leaves)
    former, canvas = canvases(Tree(then).restrict(range(num_both)), Tree(now).restrict(range(num_both)))
    stay = np.flatnonzero(~canvas.moved_since(former))
    assert former.tree.restrict(stay).same_topology(canvas.tree.restrict(stay))


@given(seeds, st.integers(4, 30))
def test_without_room_for_tables_what_stays_keeps_its_order(seed, num_leaves):
    rng = np.random.default_rng(seed)
    former, canvas = canvases(reference.random_tree(num_leaves, rng), reference.random_tree(num_leaves, rng))
    match = former._find_words(canvas._keys)
    stays = ~moved_leaves(canvas._drawn, former._drawn, match, most_cells=0)
    then = [leaf for leaf in former.order.tolist() if stays[leaf]]
    units = [v for v in range(canvas.tree.num_nodes) if former.node(canvas.key(v)) is not None]
    assert len(then) >= 2
    # Clades in common may have been turned round as a whole; what is between them may not.
    for a, b in combinations(then, 2):
        if canvas.ranks[a] > canvas.ranks[b]:
            assert any({a, b} <= set(canvas.tree.leaves(v).tolist()) for v in units if v != canvas.tree.root)


@pytest.mark.large
def test_one_item_is_found_among_fifty_thousand():
    rng = np.random.default_rng(3)
    tree = reference.random_tree(NUM_LEAVES, rng)
    now = regrafted(tree, 17, 4711)
    former, canvas = canvases(tree, now)
    assert np.flatnonzero(canvas.moved_since(former)).tolist() == [17]


@pytest.mark.large
def test_nearly_all_of_fifty_thousand_moved_when_everything_is_shuffled():
    rng = np.random.default_rng(4)
    former, canvas = canvases(reference.random_tree(NUM_LEAVES, rng), reference.random_tree(NUM_LEAVES, rng))
    assert canvas.moved_since(former).mean() > 0.95
