import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import trees
from treetalk import FormatError, Tree


def assert_equal_but_for_rounding(tree: Tree, other: Tree) -> None:
    """Newick holds differences of times, which add up to the times but for rounding."""
    if tree.time is None or other.time is None:
        assert tree == other
        return
    tree, other = tree.canonical(), other.canonical()
    np.testing.assert_allclose(other.time, tree.time, rtol=1e-12)
    assert Tree(other.parent, time=tree.time, items=other.items, support=other.support, names=other.names) == tree


@given(trees())
def test_newick_is_read_back_as_the_same_tree(tree):
    named = tree if tree.items is not None else tree.with_items(range(tree.num_leaves))
    assert_equal_but_for_rounding(named, Tree.from_newick(tree.to_newick(), named.items))


def test_leaves_are_numbered_as_they_appear_or_as_the_items():
    assert Tree.from_newick("((b,c),a);").items == ("b", "c", "a")
    tree = Tree.from_newick("((b,c),a);", items=["a", "b", "c"])
    assert tree.items == ("a", "b", "c")
    assert tree.satisfies([(1, 2, 0)]).all()


def test_quoted_names_may_hold_anything():
    tree = Tree.from_newick("""('it''s','a (b)',"c;""d"",", 'e\nf', '');""")
    assert tree.items == ("it's", "a (b)", 'c;"d",', "e\nf", "")


def test_a_quote_within_a_plain_name_is_part_of_it():
    assert Tree.from_newick("(O'Brien,o'Neil);").items == ("O'Brien", "o'Neil")


def test_comments_are_passed_over_wherever_they_stand():
    text = "[&R] [a [nested] one] ( [x] a [y] : [z] 1 [w] , 'b]' [;] ) [q] : [r] 2 [s] ; [end]"
    tree = Tree.from_newick(text)
    assert tree.items == ("a", "b]")
    assert tree.time.tolist() == [3, 2, 2]


def test_white_space_and_line_breaks_do_not_matter():
    assert Tree.from_newick("\t(\r\n a ,\n( b , c )\n) ;\n \n") == Tree.from_newick("(a,(b,c));")


def test_times_are_distances_from_the_root_and_its_own_branch_comes_first():
    assert Tree.from_newick("((a:1,b:2):3,c:4);").time.tolist() == [4, 5, 4, 0, 3]
    assert Tree.from_newick("((a:1,b:2):3,c:4):10;").time.tolist() == [14, 15, 14, 10, 13]
    assert Tree.from_newick("((a,b),c);").time is None
    assert Tree.from_newick("((a:1,b),c);").time.tolist() == [1, 0, 0, 0, 0]


@given(
    st.floats(0, 1e300).map(repr)
    | st.from_regex(r"\+?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][-+]?[0-9]{1,2})?", fullmatch=True)
)
def test_branch_lengths_are_rounded_as_python_rounds_them(number):
    assert Tree.from_newick(f"(a:{number},b);").time[0] == float(number)


def test_a_negative_length_is_read_as_none_with_a_warning():
    with pytest.warns(UserWarning, match=r"line 1, column 4: a negative branch length is read as 0") as caught:
        tree = Tree.from_newick("(a:-0.5,b:1);")
    assert tree.time.tolist() == [0, 1, 0]
    assert caught[0].filename == __file__


def test_numbers_at_internal_nodes_are_support_and_words_are_names():
    tree = Tree.from_newick("((a,b)0.9,(c,d)Felidae,(e,f)'7',(g,h)[&posterior=.5,rate=2],(i,j)x[&&NHX:B=80:S=y])root;")
    assert tree.items == tuple("abcdefghij")
    assert [None if np.isnan(s) else s for s in tree.support[10:]] == [None, 0.9, None, None, 0.5, 80]
    assert tree.names[10:] == ("root", None, "Felidae", "7", None, "x")


def test_support_in_comments_is_found_wherever_programs_put_it():
    text = '[&R] ((a,b)[&rate=1]:2[&posterior="0.75"],(c,d)[&bootstrap=80]:1)[&support=1];'
    assert Tree.from_newick(text).support[4:].tolist() == [1, 0.75, 80]


def test_names_that_look_like_support_are_quoted_when_written():
    tree = Tree.from_newick("((a,b)'12',(c,d)nan);")
    assert tree.names[5:] == ("12", "nan")
    assert Tree.from_newick(tree.to_newick()) == tree


def test_nodes_with_a_single_child_are_collapsed_and_their_lengths_add_up():
    tree = Tree.from_newick("((((a:1):2,(b:1,c:1):1):1));")
    assert tree == Tree.from_newick("(a:3,(b:1,c:1):1):1;")
    assert Tree.from_newick("((a));").num_nodes == 1


def test_leaves_without_names_are_fine_if_all_are():
    tree = Tree.from_newick("(,(,));")
    assert (tree.num_leaves, tree.items) == (3, None)


def test_text_in_any_script_and_as_bytes():
    tree = Tree.from_newick("(Löwe,(猫,'Ελέ φας'));".encode())
    assert tree.items == ("Löwe", "猫", "Ελέ φας")
    assert Tree.from_newick("\ufeff(a,b);").items == ("a", "b")


@pytest.mark.parametrize(
    ("text", "line", "column", "problem"),
    [
        ("", 1, 1, "no tree"),
        (" \n[only a comment]", 2, 17, "no tree"),
        (";", 1, 1, "without any node"),
        ("((a,b);", 1, 7, "the '(' at line 1, column 1 is still open"),
        ("(a,\n(b,c);", 2, 6, "the '(' at line 1, column 1 is still open"),
        ("((a,b)", 1, 7, "is still open"),
        ("(a,b));", 1, 6, "')' closes nothing"),
        ("(a,b)", 1, 6, "does not end with ';'"),
        ("a,b;", 1, 2, "outside of any parentheses"),
        ("(a,,b);", 1, 4, "without a name"),
        ("(a,b,);", 1, 6, "without a name"),
        ("(a b,c);", 1, 4, "needs quotes"),
        ("(a,b)c d;", 1, 8, "needs quotes"),
        ("(ä,\n é:x);", 2, 4, "'x' is not a branch length"),
        ("(a:,b);", 1, 4, "a branch length is missing"),
        ("(a:1e,b);", 1, 4, "'1e' is not a branch length"),
        ("(a:nan,b);", 1, 4, "'nan' is not a branch length"),
        ("(a:1e999,b);", 1, 4, "too large"),
        ("((a:1e308,b:1):1e308,c:1);", 1, 1, "add up to more than a number can hold"),
        ("#NEXUS\nbegin trees;", 1, 1, "this is NEXUS"),
        ("trees.nwk", 1, 10, "a file is read by treetalk.read_trees"),
        ("(a:1:2,b);", 1, 5, "second branch length"),
        ("(a:1 c,b);", 1, 6, "text after a branch length"),
        ("('a,b);", 1, 2, "quoted name begins here"),
        ("(a,b[c);", 1, 5, "comment begins here"),
        ("(a:[b,c);", 1, 4, "comment begins here"),
        ("(a,b]);", 1, 5, "closes no comment"),
        ("(a,b)(c,d);", 1, 6, "follows a finished node"),
        ("(a(b,c));", 1, 3, "follows a finished node"),
        ("(a,(b,a));", 1, 7, "'a' occurs twice, first at line 1, column 2"),
        ("(a,b); (c,d);", 1, 8, "more text after the tree"),
    ],
)
def test_malformed_text_is_refused_with_line_and_column(text, line, column, problem):
    with pytest.raises(FormatError) as caught:
        Tree.from_newick(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert problem in str(caught.value)
    assert str(caught.value).startswith(f"line {line}, column {column}: ")


@pytest.mark.parametrize(
    ("text", "items", "problem"),
    [
        ("(a,(b,d));", ["a", "b", "c"], "line 1, column 7: there is no item 'd'"),
        ("(a,b);", ["a", "b", "c"], "2 leaves for 3 items; 'c' is missing"),
        ("(,);", ["a", "b"], "the leaves have no names"),
    ],
)
def test_leaves_that_do_not_match_the_items_are_named(text, items, problem):
    with pytest.raises(FormatError) as caught:
        Tree.from_newick(text, items)
    assert problem in str(caught.value)


def test_what_is_not_text_is_refused():
    with pytest.raises(TypeError, match="not NoneType"):
        Tree.from_newick(None)
    with pytest.raises(FormatError, match="line 1, column 3: this is not UTF-8 text"):
        Tree.from_newick(b"(a\xff,b);")


@given(st.text("ab(),:;[]'\" 1.e\n", max_size=25))
def test_any_text_is_a_tree_or_a_format_error(text):
    try:
        tree = Tree.from_newick(text)
    except FormatError as error:
        assert error.line is not None
        assert error.column is not None
    else:
        assert tree.num_leaves >= 1
