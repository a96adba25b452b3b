import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import topologies, trees
from treetalk import Tree, tree_of_labels


@pytest.fixture
def cats() -> Tree:
    return Tree.from_newick("(((cat,lynx)cats,dog)beasts,(crow,dove)birds,eel);")


def test_children_leaves_and_root_follow_from_the_parents():
    tree = Tree.from_parents([3, 3, 4, 4, -1])
    assert (tree.num_leaves, tree.num_nodes, tree.root) == (3, 5, 4)
    assert tree.children(4).tolist() == [3, 2]
    assert tree.children(0).tolist() == []
    assert tree.leaves(3).tolist() == [0, 1]
    assert tree.leaves().tolist() == [0, 1, 2]
    assert tree.is_binary


def test_a_single_leaf_is_a_tree():
    tree = Tree.from_parents([-1], time=[1.0], items=["only"])
    assert (tree.num_leaves, tree.root, tree.mrca(0)) == (1, 0, 0)
    assert tree.cut(1).tolist() == [0]
    assert tree.restrict(["only"]) == tree


@pytest.mark.parametrize(
    ("parent", "sentence"),
    [
        ([], "shape is (0,)"),
        ([[0]], "shape is (1, 1)"),
        ([[3, 3], [4]], "rows of different lengths"),
        ([0.5, -1], "dtype is float64"),
        ([1, 1, 1], "no node has the parent -1"),
        ([2, 2, -1, -1], "nodes 2 and 3 both have the parent -1"),
        ([2, 7, -1], "node 1 has the parent 7"),
        ([2, -2, -1], "node 1 has the parent -2"),
        ([-1, 0, 0], "node 1 has no children, node 0 has some"),
        ([2, 2, 3, -1], "node 3 has a single child"),
        ([4, 4, 3, 2, -1], "is its own ancestor"),
        ([3, 3, 3, 3, -1], "node 4 has no children, node 3 has some"),
    ],
)
def test_a_parent_array_that_is_no_tree_is_refused_with_the_culprit(parent, sentence):
    with pytest.raises((ValueError, TypeError)) as caught:
        Tree.from_parents(parent)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"time": [1, 1, 1, 0.6, 0.7]}, "node 3 has time 0.6, its parent 4 has 0.7"),
        ({"time": [1, 1, 1, np.nan, 0]}, "that of node 3 is nan"),
        ({"time": [1, 1, 1]}, "one value for each of the 5 nodes"),
        ({"items": ["a", "b"]}, "2 item names were given for a tree with 3 leaves"),
        ({"items": ["a", "b", "a"]}, "'a' is the name of items 0 and 2"),
        ({"items": "abc"}, "not str"),
        ({"items": 5}, "not int"),
        ({"items": {"a", "b", "c"}}, "not set"),
        ({"items": ["a", None, "c"]}, "that of item 1 is None"),
        ({"items": [1, 2, 3]}, "item 0 is named 1, a number"),
        ({"support": [0, 0, 0, np.inf, 1]}, "that of node 3 is infinite"),
        ({"names": ["a", None, None, None, None]}, "node 0 is a leaf"),
        ({"names": [None]}, "1 node names were given for a tree with 5 nodes"),
    ],
)
def test_arrays_that_do_not_fit_a_tree_are_refused_with_the_culprit(arguments, sentence):
    with pytest.raises((ValueError, TypeError)) as caught:
        Tree.from_parents([3, 3, 4, 4, -1], **arguments)
    assert sentence in str(caught.value)


def test_a_tree_never_changes():
    given = np.array([3, 3, 4, 4, -1])
    tree = Tree.from_parents(given, time=[1, 1, 1, 0.5, 0.2])
    given[0] = 4
    assert tree.parent[0] == 3
    for array in (tree.parent, tree.time, tree.leaves(), tree.children(4), tree.sizes, tree.preorder):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError, match="never changes"):
        tree.parent = given
    with pytest.raises(AttributeError, match="never changes"):
        tree._parent = given
    with pytest.raises(AttributeError, match="never changes"):
        del tree._parent


def test_equality_ignores_the_numbers_of_internal_nodes_and_nothing_else():
    tree = Tree.from_parents([5, 5, 4, 4, 6, 6, -1], time=[3, 3, 3, 3, 2, 1, 0])
    same = Tree.from_parents([4, 4, 5, 5, 6, 6, -1], time=[3, 3, 3, 3, 1, 2, 0])
    assert tree == same
    assert hash(tree) == hash(same)
    assert tree != Tree.from_parents([4, 4, 5, 5, 6, 6, -1], time=[3, 3, 3, 3, 2, 1, 0])
    assert tree != Tree.from_parents([4, 4, 5, 5, 6, 6, -1])
    assert tree != same.with_items("abcd"[i] for i in range(4))
    assert tree != "a tree"


def test_equality_goes_by_the_names_of_items_where_they_have_names():
    tree = Tree.from_newick("((a:1,b:2)0.9:1,c:3);")
    turned = Tree.from_newick("(c:3,(b:2,a:1)0.9:1);")
    assert tree == turned
    assert hash(tree) == hash(turned)
    assert tree.parent.tolist() != turned.parent.tolist()
    assert tree != Tree.from_newick("(c:3,(b:1,a:2)0.9:1);")
    assert tree != turned.with_items(None)


@given(trees())
def test_copies_and_pickles_are_equal(tree):
    assert copy.deepcopy(tree) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert tree.canonical() == tree


@given(trees())
def test_leaves_sizes_and_clades_agree_with_climbing_to_the_root(tree):
    clades = list(tree.clades())
    assert set(clades) == reference.clades_of(tree)
    for v in range(tree.num_nodes):
        assert clades[v] == set(tree.leaves(v).tolist()) == tree.clades()[v]
        assert tree.sizes[v] == len(clades[v])
        assert clades[v] in tree.clades()
        assert all(tree.parent[child] == v for child in tree.children(v))
    assert sorted(tree.preorder.tolist()) == list(range(tree.num_nodes))


def test_a_set_of_leaves_that_is_no_clade_is_not_among_the_clades(cats):
    assert {0, 2} not in cats.clades()
    assert set() not in cats.clades()
    assert {0, 99} not in cats.clades()
    assert {0, 1} in cats.clades()
    assert cats.clades()[-1] == cats.clades()[cats.num_nodes - 1]
    with pytest.raises(IndexError):
        cats.clades()[99]


@given(trees(), st.data())
def test_the_mrca_is_the_smallest_clade_with_all_of_them(tree, data):
    nodes = data.draw(st.lists(st.integers(0, tree.num_nodes - 1), min_size=1, max_size=4))
    wanted = frozenset().union(*(tree.clades()[v] for v in nodes))
    smallest = min((clade for clade in reference.clades_of(tree) if clade >= wanted), key=len)
    assert tree.clades()[tree.mrca(*nodes)] == smallest


def test_nodes_can_be_given_by_name(cats):
    assert cats.mrca("cat", "dog") == cats.node("beasts")
    assert cats.mrca("cats", "dog") == cats.node("beasts")
    with pytest.raises(ValueError, match="no item 'lyxn'; did you mean 'lynx'"):
        cats.mrca("cat", "lyxn")
    with pytest.raises(ValueError, match="no node 99"):
        cats.mrca(99)
    with pytest.raises(TypeError, match=r"not by 1\.5"):
        cats.leaves(1.5)
    with pytest.raises(ValueError, match="at least one"):
        cats.mrca()


@given(trees(max_leaves=9))
def test_satisfied_triplets_are_those_with_a_clade_that_leaves_out_the_odd_one(tree):
    triplets = reference.all_triplets(tree.num_leaves)
    clades = reference.clades_of(tree)
    assert tree.satisfies(triplets).tolist() == [reference.has_triplet(clades, t) for t in triplets]


def test_triplets_can_be_given_by_name(cats):
    assert cats.satisfies([("cat", "lynx", "dog"), ("cat", "dog", "lynx"), ("crow", "dove", "eel")]).tolist() == [
        1,
        0,
        1,
    ]
    assert cats.satisfies([]).tolist() == []


@given(trees(min_leaves=2), st.data())
def test_a_restriction_has_the_clades_that_are_left(tree, data):
    order = data.draw(st.permutations(range(tree.num_leaves)))
    chosen = order[: data.draw(st.integers(1, tree.num_leaves))]
    restricted = tree.restrict(chosen)
    number = {leaf: i for i, leaf in enumerate(chosen)}
    wanted = {frozenset(number[v] for v in clade if v in number) for clade in reference.clades_of(tree)} - {frozenset()}
    assert set(restricted.clades()) == wanted
    if tree.items is not None:
        assert restricted.items == tuple(tree.items[v] for v in chosen)
    if tree.time is not None:
        for v in range(restricted.num_nodes):
            old = tree.mrca(*(chosen[leaf] for leaf in restricted.leaves(v)))
            assert restricted.time[v] == tree.time[old]


@pytest.mark.parametrize(
    ("leaves", "sentence"),
    [
        ([], "no leaves were given"),
        ([0, 0], "item cat was given 2 times"),
        ([0, 6], "there is no item 6"),
        (["cat", "dgo"], "did you mean 'dog'"),
        ("cat", "leaves must be a sequence of items, not 'cat'"),
        (5, "leaves must be a sequence of items, not 5"),
        ([["cat"], ["dog", "crow"]], "rows of different lengths"),
        ([0.5], "not by 0.5"),
        ([[0]], "its shape is (1, 1)"),
    ],
)
def test_leaves_that_are_none_are_named(cats, leaves, sentence):
    with pytest.raises((ValueError, TypeError)) as caught:
        cats.restrict(leaves)
    assert sentence in str(caught.value)


@given(st.data())
def test_refinement_means_all_clades_of_the_other(data):
    tree = Tree.from_parents(data.draw(topologies(3, 8)))
    other = Tree.from_parents(data.draw(topologies(tree.num_leaves, tree.num_leaves)))
    assert tree.is_refinement_of(other) == (reference.clades_of(tree) >= reference.clades_of(other))
    assert tree.same_topology(other) == (reference.clades_of(tree) == reference.clades_of(other))
    assert tree.is_refinement_of(tree)
    assert tree.is_refinement_of(tree_of_labels([0] * tree.num_leaves))


def test_trees_are_compared_by_item_names_where_both_have_them():
    tree = Tree.from_newick("((a,b),c);")
    assert tree.same_topology(Tree.from_newick("(c,(b,a));"))
    assert not tree.same_topology(Tree.from_newick("(c,(b,a));").with_items(None))
    with pytest.raises(ValueError, match="'a' is only in one, 'x' in the other"):
        tree.is_refinement_of(Tree.from_newick("(c,(b,x));"))
    for ask in (tree.is_refinement_of, tree.same_topology):
        with pytest.raises(ValueError, match="3 against 2"):
            ask(Tree.from_newick("(a,b);"))


@given(trees(with_times=True), st.data())
def test_a_cut_has_as_many_clusters_as_asked_for_and_undoes_the_earliest_divergences(tree, data):
    k = data.draw(st.integers(1, tree.num_leaves))
    labels = tree.cut(k)
    assert sorted(set(labels.tolist())) == list(range(k))
    assert labels[0] == 0
    # A node whose divergence is not undone comes no earlier than one that is.
    whole = [tree.time[v] for v in range(tree.num_leaves, tree.num_nodes) if len(set(labels[tree.leaves(v)])) == 1]
    split = [tree.time[v] for v in range(tree.num_leaves, tree.num_nodes) if len(set(labels[tree.leaves(v)])) > 1]
    assert not whole or not split or max(split) <= min(whole)


def test_cuts_of_a_small_tree():
    tree = Tree.from_newick("((a:3,b:3):1,(c:2,d:2):2,e:4);")
    assert tree.cut(1).tolist() == [0, 0, 0, 0, 0]
    assert tree.cut(2).tolist() == [0, 0, 0, 0, 1]
    assert tree.cut(3).tolist() == [0, 0, 1, 1, 2]
    assert tree.cut(4).tolist() == [0, 1, 2, 2, 3]
    assert tree.cut(5).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("num_clusters", "sentence"),
    [(6, "6 clusters were asked for, it has 5 leaves"), (0, "not into 0"), (2.0, "not 2.0"), (True, "not True")],
)
def test_cuts_that_cannot_be_made_are_explained(num_clusters, sentence):
    tree = Tree.from_newick("((a:3,b:3):1,(c:2,d:2):2,e:4);")
    with pytest.raises((ValueError, TypeError)) as caught:
        tree.cut(num_clusters)
    assert sentence in str(caught.value)


def test_a_tree_without_times_cannot_be_cut(cats):
    with pytest.raises(ValueError, match="without times"):
        cats.cut(2)


def test_a_tree_says_briefly_what_it_is(cats):
    assert repr(cats) == "<treetalk.Tree: 6 leaves, 4 internal nodes, items>"


def test_numbers_and_names_can_be_mixed():
    tree = Tree.from_parents([3, 3, 4, 4, -1], items=["x", "0", "y"])
    assert tree.restrict(["y", 0]).items == ("y", "x")
    assert tree.satisfies([("x", 1, "y")]).all()


def test_support_and_names_that_say_nothing_are_none():
    tree = Tree.from_parents([2, 2, -1], support=[np.nan] * 3, names=[None] * 3)
    assert tree == Tree.from_parents([2, 2, -1])
    assert tree.support is None
    assert tree.names is None


def test_something_else_than_a_tree_is_refused(cats):
    for ask in (cats.is_refinement_of, cats.same_topology):
        with pytest.raises(TypeError, match="a Tree is needed here, not NoneType"):
            ask(None)
    with pytest.raises(TypeError, match="a name is a string, not None"):
        cats.node(None)


def test_names_are_compared_to_the_last_character():
    tree = Tree.from_parents([2, 2, -1], items=["a", "a\0"])
    assert tree.restrict(["a\0"]).items == ("a\0",)


# --- ages


def test_ages_keep_late_divergences_apart():
    age = np.array([0, 0, 0, 0, 1e-30, 2e-30, 0.5])
    tree = Tree([4, 4, 5, 6, 5, 6, -1], age=age)
    assert tree.time.tolist() == [1, 1, 1, 1, 1, 1, 0.5]
    assert tree.age.tolist() == age.tolist()
    assert tree.cut(3).tolist() == [0, 0, 1, 2]
    for other in (tree.canonical(), tree.with_items(list("abcd")).with_items(None), pickle.loads(pickle.dumps(tree))):
        assert other == tree
    assert Tree.from_json(tree.to_json()).age.tolist() == age.tolist()
    assert sorted(tree.restrict([0, 1, 2]).age.tolist()) == [0, 0, 0, 1e-30, 2e-30]
    assert tree.to_linkage()[:, 2].tolist() == [1e-30, 2e-30, 0.5]
    assert ":1e-30" in tree.to_newick()
    assert tree != Tree([4, 4, 5, 6, 5, 6, -1], age=[0, 0, 0, 0, 1e-30, 3e-30, 0.5])


def test_ages_are_the_time_left():
    assert Tree([2, 2, -1], time=[1, 1, 0.25]).age.tolist() == [0, 0, 0.75]
    assert Tree([2, 2, -1]).age is None


def test_ages_must_not_grow_downward():
    with pytest.raises(ValueError, match="time must grow from the root down; node 3 has time"):
        Tree([3, 3, 4, 4, -1], age=[0, 0, 0, 2e-30, 1e-30])
    with pytest.raises(TypeError, match="times or ages, not both"):
        Tree([2, 2, -1], time=[1, 1, 0], age=[0, 0, 1])
