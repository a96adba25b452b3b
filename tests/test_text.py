import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import trees
from treetalk import Tree, tree_of_labels


def lines_of(*lines: str) -> str:
    return "\n".join(lines)


def test_each_leaf_has_a_line():
    tree = Tree.from_newick("(((a,b)0.9,c),(d,e,f)x,g);")
    assert tree.draw(width=80) == lines_of(
        "┬─┬─0.9─┬─ a",
        "│ │     └─ b",
        "│ └─ c",
        "├─┬─ d",
        "│ ├─ e",
        "│ └─ f",
        "└─ g",
    )


def test_support_is_written_in_whole_percents_on_request_and_not_at_the_root():
    tree = Tree.from_newick("(((a,b)0.904,c)0.0538,d)1;")
    assert tree.draw(width=80, percents=True) == lines_of("┬─5─┬─90─┬─ a", "│   │    └─ b", "│   └─ c", "└─ d")


def test_names_of_internal_nodes_are_written_on_request():
    tree = Tree.from_newick("(((cat,lynx)cats,dog)beasts,eel);")
    assert tree.draw(width=80, names=True) == lines_of(
        "┬─beasts─┬─cats─┬─ cat",
        "│        │      └─ lynx",
        "│        └─ dog",
        "└─ eel",
    )


def test_a_label_at_the_root_shifts_the_whole_tree():
    assert Tree.from_newick("((a,b)90,c)1000;").draw(width=80) == lines_of(
        "1000─┬─90─┬─ a", "     │    └─ b", "     └─ c"
    )


def test_wide_letters_count_twice():
    tree = Tree.from_newick("(犬犬犬犬犬犬犬犬犬犬,b);")
    assert tree.draw(width=18).split("\n")[0] == "┬─ 犬犬犬犬犬犬犬…"


def test_the_smallest_branches_are_collapsed_first():
    tree = Tree.from_newick("(((a,b),c,d)big,(e,f)small,g);")
    assert tree.draw(width=80, max_lines=5) == lines_of(
        "┬─┬─▸ 2 leaves: a, b",
        "│ ├─ c",
        "│ └─ d",
        "├─▸ small (2): e, f",
        "└─ g",
    )
    assert tree.draw(width=80, max_lines=1) == "7 leaves: a, b, c, d, e, f, g"


def test_a_node_with_too_many_children_shows_the_largest():
    tree = Tree.from_newick("(a,b,(c,d),e,f);")
    assert tree.draw(width=80, max_lines=3) == lines_of(
        "┬─ a", "├─▸ 2 leaves: c, d", "└─… 3 more branches with 3 leaves"
    )


@given(trees(max_leaves=20), st.integers(18, 60), st.integers(1, 30))
def test_a_drawing_fits_and_shows_every_leaf_it_has_room_for(tree, width, max_lines):
    lines = tree.draw(width=width, max_lines=max_lines).split("\n")
    assert len(lines) <= max_lines
    assert max(map(len, lines)) <= width
    full = tree.with_items(f"item{i:02}" for i in range(tree.num_leaves)).draw(width=400)
    assert full.count("\n") + 1 == tree.num_leaves
    assert all(f"item{i:02}" in full for i in range(tree.num_leaves))


@pytest.mark.parametrize("num_leaves", [100, 5000])
def test_a_deep_tree_and_a_wide_one_are_cut_to_the_terminal(num_leaves):
    for tree in (reference.caterpillar(num_leaves), tree_of_labels([0] * num_leaves)):
        lines = tree.draw(width=60, max_lines=25).split("\n")
        assert len(lines) <= 25
        assert max(map(len, lines)) <= 60


def test_a_tree_prints_itself():
    assert str(Tree.from_newick("(a,(b,c));")) == "┬─ a\n└─┬─ b\n  └─ c"
    assert str(Tree.from_newick("a;")) == "a"


def test_too_small_a_drawing_is_refused():
    tree = Tree.from_newick("(a,b);")
    with pytest.raises(ValueError, match="at least 18 columns; 5 were given"):
        tree.draw(width=5)
    with pytest.raises(ValueError, match="max_lines is 0"):
        tree.draw(max_lines=0)


def test_names_with_line_breaks_stay_on_their_line():
    tree = Tree.from_newick("(('a\nb',c)'x\ny',d);")
    assert tree.draw(width=40, names=True) == lines_of("┬─x y─┬─ a b", "│     └─ c", "└─ d")
    assert tree.draw(width=40, max_lines=2) == lines_of("┬─▸ x y (2): a b, c", "└─ d")
