"""What is written is read by the programs that people already use: ETE, Biopython, SciPy, networkx, pandas and d3."""

import importlib
import io
import json
import math
import warnings
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import topologies, trees
from treetalk import Tree, read_trees
from treetalk.errors import FormatError
from treetalk.formats.edges import to_edges_csv
from treetalk.formats.nexus import to_nexus

# What names of items look like in the wild; each of them means something in Newick or NEXUS.
ODD_NAMES = [
    "big cat", "x,y", "(p)", "[q]", "ü 魚", 'say "hi"', "under_score", "c:d", "e;f", "g=h", "12", "0.5", "a/b", "#x",
    "e-mail", "a+b", "R&D", "50%", "~z", "x|y", "me@home", "$5", "wow!", "x^2", "why?", "back\\slash", "a*b", "<b>", "{c}",
]  # fmt: skip
NEWICK = "((cat:1,lynx:1)0.97:2,((crow:0.5,owl:0.5)0.6:1.5,eel:2)0.31:1)1.0;"
NAMED = "((cat:1,lynx:1)'big cats'[&support=0.97]:2,((crow:0.5,owl:0.5)0.6:1.5,eel:2):1)animals[&support=1.0];"


def other_program(name: str) -> ModuleType:
    """Import what not everybody has; the warnings of other programs about themselves are not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"{name} is not installed", exc_type=ImportError)


def odd_tree() -> Tree:
    """One cluster within the other, each with one more of the odd names."""
    items = sorted(ODD_NAMES)
    parent = [-1] * len(items)
    top = 0
    for leaf in range(1, len(items)):
        parent[top] = parent[leaf] = len(parent)
        top = len(parent)
        parent.append(-1)
    num_inner = len(parent) - len(items)
    time = np.concatenate([np.ones(len(items)), np.linspace(0.9, 0.1, num_inner)])
    support = np.concatenate([np.full(len(items), np.nan), np.linspace(0.05, 0.95, num_inner)])
    return Tree(parent, time=time, items=items, support=support)


def known_clades(tree: Tree) -> dict[frozenset[str], tuple[float, float]]:
    """The support and the length of each cluster but the root, by the names of its items."""
    return {
        frozenset(tree.items[leaf] for leaf in tree.leaves(v).tolist()): (
            pytest.approx(float(tree.support[v])),
            pytest.approx(float(tree.time[v] - tree.time[tree.parent[v]])),
        )
        for v in range(tree.num_leaves, tree.num_nodes)
        if v != tree.root
    }


# --- Newick and NEXUS


@pytest.mark.parametrize("tree", [Tree.from_newick(NEWICK), odd_tree()], ids=["plain", "odd"])
def test_biopython_reads_clusters_names_lengths_and_support_in_newick(tree):
    phylo = other_program("Bio.Phylo")
    found = phylo.read(io.StringIO(tree.to_newick()), "newick")
    assert {clade.name for clade in found.get_terminals()} == set(tree.items)
    assert {
        frozenset(leaf.name for leaf in clade.get_terminals()): (clade.confidence, clade.branch_length)
        for clade in found.get_nonterminals()
        if clade is not found.root
    } == known_clades(tree)


@pytest.mark.parametrize("tree", [Tree.from_newick(NEWICK), odd_tree()], ids=["plain", "odd"])
def test_biopython_reads_all_trees_of_a_nexus_file(tree):
    phylo = other_program("Bio.Phylo")
    found = list(phylo.parse(io.StringIO("".join(to_nexus([tree, tree, tree]))), "nexus"))
    assert len(found) == 3
    for each in found:
        # Biopython leaves names in their quotes here.
        assert {
            frozenset(leaf.name.strip("'") for leaf in clade.get_terminals()): (clade.confidence, clade.branch_length)
            for clade in each.get_nonterminals()
            if clade is not each.root
        } == known_clades(tree)


@pytest.mark.parametrize("tree", [Tree.from_newick(NEWICK), odd_tree()], ids=["plain", "odd"])
def test_ete_3_reads_clusters_names_lengths_and_support(tree):
    ete3 = other_program("ete3")
    found = ete3.Tree(tree.to_newick(), quoted_node_names=True)
    assert set(found.get_leaf_names()) == set(tree.items)
    assert {
        frozenset(node.get_leaf_names()): (node.support, node.dist)
        for node in found.traverse()
        if not node.is_leaf() and not node.is_root()
    } == known_clades(tree)


@pytest.mark.parametrize("tree", [Tree.from_newick(NEWICK), odd_tree()], ids=["plain", "odd"])
def test_ete_4_reads_clusters_names_lengths_and_support(tree):
    ete4 = other_program("ete4")
    found = ete4.Tree(tree.to_newick(), parser="support")
    assert set(found.leaf_names()) == set(tree.items)
    assert {
        frozenset(node.leaf_names()): (node.support, node.dist)
        for node in found.traverse()
        if not node.is_leaf and not node.is_root
    } == known_clades(tree)


def test_an_apostrophe_is_read_by_biopython_and_ete_4():
    tree = Tree.from_newick("((o'hara,'it''s'),c);")
    phylo, ete4 = other_program("Bio.Phylo"), other_program("ete4")
    names = {leaf.name for leaf in phylo.read(io.StringIO(tree.to_newick()), "newick").get_terminals()}
    assert names == set(ete4.Tree(tree.to_newick()).leaf_names()) == {"o'hara", "it's", "c"}


def test_names_of_clusters_are_read_beside_their_support():
    tree = Tree.from_newick(NAMED)
    phylo, ete3, ete4 = other_program("Bio.Phylo"), other_program("ete3"), other_program("ete4")
    inner = phylo.read(io.StringIO(tree.to_newick()), "newick").get_nonterminals()
    assert {(clade.name, clade.confidence) for clade in inner} == {
        ("animals", None),
        ("big cats", None),
        (None, None),
        (None, 0.6),
    }
    cats = ete3.Tree(tree.to_newick(), format=1, quoted_node_names=True).get_common_ancestor("cat", "lynx")
    assert (cats.name, float(cats.support), cats.dist) == ("big cats", 0.97, 2.0)
    cats = ete4.Tree(tree.to_newick(), parser="name").common_ancestor(["cat", "lynx"])
    assert (cats.name, float(cats.support), cats.dist) == ("big cats", 0.97, 2.0)


def test_support_alone_is_read_by_the_defaults_of_ete_whatever_names_there_are():
    text = Tree.from_newick(NAMED).to_newick(node_labels="support")
    cats = other_program("ete3").Tree(text).get_common_ancestor("cat", "lynx")
    assert (cats.name, cats.support) == ("", 0.97)
    cats = other_program("ete4").Tree(text, parser="support").common_ancestor(["cat", "lynx"])
    assert cats.support == 0.97


def test_names_alone_leave_no_support_behind():
    text = Tree.from_newick(NAMED).to_newick(node_labels="names")
    assert "0.97" not in text
    found = Tree.from_newick(text)
    assert found.support is None
    assert set(found.names) == {None, "big cats", "animals"}
    with pytest.raises(ValueError, match="node_labels is one of both, support, names, not 'all'"):
        found.to_newick(node_labels="all")


def test_plain_names_stand_in_the_trees_of_a_nexus_file_as_they_are():
    phylo = other_program("Bio.Phylo")
    text = "".join(to_nexus([Tree.from_newick("((venomous-frog,slow_worm),c.elegans);")]))
    (found,) = phylo.parse(io.StringIO(text), "nexus")
    assert {leaf.name for leaf in found.get_terminals()} == {"venomous-frog", "slow_worm", "c.elegans"}


def test_a_nexus_file_with_names_in_quotes_has_each_once_and_is_read_back(tmp_path):
    both = Tree.from_newick(NEWICK), Tree.from_newick("('barn owl',(dodo,eel));")
    text = "".join(to_nexus(both))
    assert [text.count(name) for name in ("cat", "eel", "barn owl")] == [1, 1, 1]
    path = tmp_path / "two.nex"
    path.write_text(text)
    for found, tree in zip(read_trees(path), both, strict=True):
        assert found.same_topology(tree)
    assert "translate" not in "".join(to_nexus([Tree([2, 2, -1])]))


# --- SciPy


@given(trees(min_leaves=2, with_times=True), st.data())
def test_scipy_takes_the_matrix_and_cuts_it_at_the_same_height(tree, data):
    from scipy.cluster.hierarchy import dendrogram, fcluster, is_valid_linkage

    matrix = tree.to_linkage()
    assert is_valid_linkage(matrix)
    assert sorted(dendrogram(matrix, no_plot=True)["leaves"]) == list(range(tree.num_leaves))
    latest = float(tree.time[: tree.num_leaves].max())
    v = data.draw(st.integers(tree.num_leaves, tree.num_nodes - 1))
    # A little to either side of a divergence: rounding does not decide.
    for time in (tree.time[v] * (1 - 1e-6) - 1e-6, tree.time[v] * (1 + 1e-6) + 1e-6):
        theirs, ours = fcluster(matrix, latest - time, "distance"), tree.cut_at(time)
        np.testing.assert_array_equal(ours[:, None] == ours, theirs[:, None] == theirs)


def test_a_cut_at_a_time_undoes_what_diverged_before():
    tree = Tree.from_newick(NEWICK)
    assert [tree.cut_at(time).tolist() for time in (-1, 0, 0.5, 1.5, 2.2, 9)] == [
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 1, 1, 1],
        [0, 0, 1, 1, 2],
        [0, 1, 2, 2, 3],
        [0, 1, 2, 3, 4],
    ]
    with pytest.raises(ValueError, match="a tree without times cannot be cut"):
        Tree([2, 2, -1]).cut_at(0.5)
    with pytest.raises(TypeError, match="the time of a cut must be a number, not '1'"):
        tree.cut_at("1")
    with pytest.raises(ValueError, match="must be a number, not nan"):
        tree.cut_at(math.nan)


# --- graphs and tables


def with_names(tree: Tree) -> Tree:
    return tree if tree.items is not None else tree.with_items(map(str, range(tree.num_leaves)))


@given(trees())
def test_networkx_has_an_arborescence_from_which_the_tree_comes_back(tree):
    networkx = other_program("networkx")
    graph = tree.to_networkx()
    assert networkx.is_arborescence(graph)
    found = Tree.from_networkx(graph)
    assert found == with_names(tree)
    assert found.items == with_names(tree).items
    if tree.time is not None:
        far = networkx.single_source_dijkstra_path_length(graph, tree.root, weight="length")
        np.testing.assert_allclose([far[v] + tree.time[tree.root] for v in range(tree.num_nodes)], tree.time, atol=1e-6)


def test_attributes_of_nodes_and_edges_are_there_where_something_is_known():
    graph = Tree.from_newick(NAMED).to_networkx()
    assert graph.nodes[0] == {"item": "cat", "size": 1, "time": 3.0}
    cats = next(iter(graph.predecessors(0)))
    assert graph.nodes[cats] == {"name": "big cats", "size": 2, "time": 2.0, "support": 0.97}
    assert graph.edges[cats, 0] == {"length": 1.0}


def test_a_graph_of_other_making_is_a_tree_with_the_names_of_its_nodes():
    networkx = other_program("networkx")
    graph = networkx.DiGraph([("life", "animals"), ("animals", "cat"), ("animals", "eel"), ("life", "oak")])
    tree = Tree.from_networkx(graph)
    assert tree.same_topology(Tree.from_newick("((cat,eel),oak);"))
    assert set(tree.names) == {None, "life", "animals"}
    graph.add_weighted_edges_from(
        [("life", "animals", 2), ("animals", "cat", 1), ("animals", "eel", 1.5), ("life", "oak", 4)]
    )
    tree = Tree.from_networkx(graph)
    assert {item: tree.time[leaf] for leaf, item in enumerate(tree.items)} == {"cat": 3, "eel": 3.5, "oak": 4}


@pytest.mark.parametrize(
    ("edges", "problem"),
    [
        ([("a", "b"), ("a", "c"), ("d", "b")], "'b' is below 'a' already, not 'd'"),
        ([("a", "b"), ("a", "c"), ("d", "e"), ("d", "f")], "here 'a' and 'd' have nothing above them"),
        ([("r", "x"), ("r", "y"), ("a", "b"), ("b", "a")], "a tree has no circle; here '[ab]' stands above itself"),
        ([], "there is no tree here"),
    ],
)
def test_a_graph_that_is_no_tree_is_refused_by_name(edges, problem):
    networkx = other_program("networkx")
    with pytest.raises(ValueError, match=problem):
        Tree.from_networkx(networkx.DiGraph(edges))
    with pytest.raises(ValueError, match="the graph has no directions"):
        Tree.from_networkx(networkx.Graph([("a", "b")]))
    with pytest.raises(TypeError, match="a networkx graph is needed here, not list"):
        Tree.from_networkx([])


names_in_xml = st.text("ab <>&\"'é魚", min_size=1, max_size=5).filter(lambda name: name.strip())


@given(trees(min_leaves=2), st.data())
def test_the_tree_comes_back_from_graphml(tree, data):
    other_program("networkx")
    n = tree.num_leaves
    items = data.draw(st.lists(names_in_xml, min_size=n, max_size=n, unique=True))
    inner = data.draw(st.lists(st.none() | names_in_xml, min_size=tree.num_nodes - n, max_size=tree.num_nodes - n))
    named = Tree(tree.parent, time=tree.time, items=items, support=tree.support, names=[None] * n + inner)
    found = Tree.from_graphml(named.to_graphml())
    assert found == named
    assert found.items == named.items
    assert Tree.from_graphml(named.to_graphml().encode()) == named


def test_labels_in_graphml_of_other_making_are_names():
    networkx = other_program("networkx")
    graph = networkx.DiGraph([("n0", "n1"), ("n0", "n2"), ("n2", "n3"), ("n2", "n4")])
    networkx.set_node_attributes(graph, {"n1": "oak", "n2": "fish", "n3": "eel", "n4": "cod"}, "label")
    tree = Tree.from_graphml("\n".join(networkx.generate_graphml(graph)))
    assert tree.items == ("oak", "eel", "cod")
    assert tree.names[tree.mrca("eel", "cod")] == "fish"


@pytest.mark.parametrize("text", ["", "<graphml", "<svg/>", b"\xff\xfe"])
def test_what_is_no_graphml_is_refused(text):
    other_program("networkx")
    with pytest.raises(FormatError, match="this is no GraphML"):
        Tree.from_graphml(text)


@given(trees())
def test_graphml_is_read_by_networkx(tree):
    networkx = other_program("networkx")
    graph = networkx.read_graphml(io.BytesIO(tree.to_graphml().encode()), node_type=int)
    ours = tree.to_networkx()
    assert set(graph.edges) == set(ours.edges)
    for v, known in ours.nodes(data=True):
        label = known.get("item", known.get("name"))
        found = {key: value for key, value in graph.nodes[v].items() if key != "label"}
        if label is None or all(letter.isprintable() for letter in label):
            # An element without text, and one with blanks alone, is nothing to some readers of XML.
            assert graph.nodes[v].get("label") in {label, None if not (label or "").strip() else label}
            assert {key: value for key, value in found.items() if key not in {"item", "name"}} == {
                key: value for key, value in known.items() if key not in {"item", "name"}
            }


def test_what_xml_holds_comes_back_from_graphml_and_what_it_does_not_is_a_question_mark():
    networkx = other_program("networkx")
    tree = Tree([2, 2, -1], items=["a\rb\n<c>&'\"d", "bell\a"])
    graph = networkx.read_graphml(io.BytesIO(tree.to_graphml().encode()), node_type=int)
    assert [graph.nodes[leaf]["item"] for leaf in (0, 1)] == ["a\rb\n<c>&'\"d", "bell?"]


@given(topologies(min_leaves=2))
def test_nested_json_has_the_shape_that_d3_reads(parent):
    items = [f"item {leaf}" for leaf in range(parent.index(-1) + 1) if leaf not in parent]
    tree = Tree(parent, items=items)
    waiting, leaves = [json.loads(tree.to_nested_json())], []
    while waiting:
        node = waiting.pop()
        assert isinstance(node.get("children", []), list)
        # d3.hierarchy takes a node without children for a leaf, and shows its name.
        leaves += [] if "children" in node else [node["name"]]
        waiting += node.get("children", [])
    assert sorted(leaves) == sorted(items)


def test_what_is_not_installed_is_asked_for_by_name(monkeypatch):
    from treetalk.errors import MissingPackage

    real = importlib.import_module

    def absent(name, *rest):
        if name in {"networkx", "pandas"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", absent)
    tree = Tree.from_newick(NEWICK)
    with pytest.raises(MissingPackage, match="a graph of a tree needs networkx"):
        tree.to_networkx()
    with pytest.raises(MissingPackage, match="a table of edges needs pandas"):
        tree.to_edges()
    assert tree.to_graphml()
    assert to_edges_csv(tree)
