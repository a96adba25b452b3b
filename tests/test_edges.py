"""Trees as tables with a row for each edge: as pandas has them, as CSV, and of other making."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given

from strategies import trees
from test_interchange import NAMED, other_program, with_names
from treetalk import Tree
from treetalk.formats.edges import COLUMNS, to_edges_csv


@given(trees(min_leaves=2))
def test_a_table_of_edges_has_a_row_for_each_and_the_tree_comes_back(tree):
    other_program("pandas")
    frame = tree.to_edges()
    assert list(frame.columns) == list(COLUMNS)
    assert [str(dtype) for dtype in frame.dtypes] == list(COLUMNS.values())
    assert len(frame) == tree.num_nodes - 1
    assert dict(zip(frame["child"], frame["parent"], strict=True)) == {
        v: tree.parent[v] for v in range(tree.num_nodes) if v != tree.root
    }
    found = Tree.from_edges(frame)
    assert found == with_names(tree)
    assert found.items == with_names(tree).items


def test_a_table_of_edges_as_csv_is_what_pandas_reads():
    pandas = other_program("pandas")
    tree = Tree.from_newick(NAMED)
    found = pandas.read_csv(io.StringIO(to_edges_csv(tree)))
    pandas.testing.assert_frame_equal(found, tree.to_edges(), check_dtype=False)
    assert Tree.from_edges(found).same_topology(tree)
    rows = list(csv.DictReader(io.StringIO(to_edges_csv(tree))))
    assert [row["support"] for row in rows if row["item"] == "cat"] == [""]


def test_edges_between_words_are_a_tree_and_what_is_wrong_is_named():
    pandas = other_program("pandas")
    frame = pandas.DataFrame({"parent": ["life", "life", "fish", "fish"], "child": ["fish", "oak", "eel", "cod"]})
    tree = Tree.from_edges(frame)
    assert tree.items == ("oak", "eel", "cod")
    assert tree.names[tree.mrca("eel", "cod")] == "fish"
    with pytest.raises(ValueError, match="row 1 of the edges: 'x' is below 'a' already, not 'b'"):
        Tree.from_edges({"parent": ["a", "b"], "child": ["x", "x"]})
    with pytest.raises(ValueError, match="the columns parent and child; 'child' is not there"):
        Tree.from_edges({"parent": ["a", "b"]})
    with pytest.raises(ValueError, match="row 0 of the edges has no parent"):
        Tree.from_edges({"parent": [None], "child": ["x"]})
    with pytest.raises(ValueError, match="row 1 of the edges: time must be a number, not 'late'"):
        Tree.from_edges({"parent": ["a", "a"], "child": ["x", "y"], "time": ["1", "late"]})


@pytest.mark.parametrize("kind", [int, str, float, np.int64])
def test_numbers_that_are_no_count_are_the_names_of_items(kind):
    parent, child = [100, 100, 50, 50], [7, 50, 9, 8]
    tree = Tree.from_edges({"parent": list(map(kind, parent)), "child": list(map(kind, child))})
    assert tree.to_newick() == "(7,(9,8));"
    assert tree.items == ("7", "9", "8")
    networkx = other_program("networkx")
    graph = networkx.relabel_nodes(networkx.balanced_tree(2, 2, create_using=networkx.DiGraph), kind)
    assert Tree.from_networkx(graph).to_newick() == "((3,4),(5,6));"


@given(trees(min_leaves=2))
def test_leaves_that_are_counted_keep_their_numbers(tree):
    other_program("networkx")
    plain = Tree(tree.parent, time=tree.time)
    for found in (
        Tree.from_networkx(plain.to_networkx()),
        Tree.from_edges(plain.to_edges()),
        Tree.from_graphml(plain.to_graphml()),
    ):
        assert found.items == tuple(map(str, range(plain.num_leaves)))
        assert found.names is None
    bare = Tree.from_edges(plain.to_edges()[["parent", "child"]])
    assert bare == Tree(tree.parent)


def test_items_that_are_numbers_come_back_from_csv():
    pandas = other_program("pandas")
    tree = Tree.from_newick("((101,102),(103,(104,(105,106))));")
    frame = pandas.read_csv(io.StringIO(to_edges_csv(tree)))
    assert frame["item"].dtype == float
    assert Tree.from_edges(frame) == tree


def test_items_that_pandas_takes_for_missing_are_kept_as_the_error_says():
    pandas = other_program("pandas")
    tree = Tree.from_newick(NAMED).with_items(["nan", "NA", "None", "", "101"])
    text = to_edges_csv(tree)
    with pytest.raises(ValueError, match=r'node \d has no item.*dtype=\{"item": str\}, keep_default_na=False'):
        Tree.from_edges(pandas.read_csv(io.StringIO(text)))
    assert Tree.from_edges(pandas.read_csv(io.StringIO(text), dtype={"item": str}, keep_default_na=False)) == tree
    # Likewise where everything is text.
    rows = list(csv.DictReader(io.StringIO(text)))
    assert Tree.from_edges({name: [row[name] for row in rows] for name in COLUMNS}) == tree


def test_a_negative_length_is_read_as_0_with_a_warning():
    edges = {"parent": ["x", "x", "r", "r"], "child": ["a", "b", "x", "c"], "length": [1.0, -1.0, 2.0, 3.0]}
    with pytest.warns(UserWarning, match="^a negative length is read as 0; it is that of the edge above 'b'$"):
        tree = Tree.from_edges(edges)
    assert tree.time[[tree.items.numbers[item] for item in "abc"]].tolist() == [3.0, 2.0, 3.0]
    edges["length"][3] = -0.5
    message = "^2 negative lengths are read as 0; the first is that of the edge above 'b'$"
    with pytest.warns(UserWarning, match=message):
        Tree.from_edges(edges)
    networkx = other_program("networkx")
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(zip(edges["parent"], edges["child"], edges["length"], strict=True))
    with pytest.warns(UserWarning, match=message):
        Tree.from_networkx(graph)


def test_a_tree_of_a_single_item_has_no_edges_and_that_is_said():
    other_program("pandas")
    frame = Tree([-1], items=["cat"]).to_edges()
    assert len(frame) == 0
    with pytest.raises(ValueError, match="the table of edges has no rows; a tree of a single item has no edge"):
        Tree.from_edges(frame)
