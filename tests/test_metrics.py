import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from sklearn.datasets import load_iris

import reference
from strategies import topologies, trees
from treetalk import (
    Tree,
    cophenetic_distances,
    edge_distances,
    num_triplets,
    path_distances,
    tree_of_labels,
    triplet_distance,
)


@st.composite
def pairs_of_trees(draw) -> tuple[Tree, Tree]:
    tree = Tree.from_parents(draw(topologies(1, 11)))
    return tree, Tree.from_parents(draw(topologies(tree.num_leaves, tree.num_leaves)))


@given(pairs_of_trees())
def test_the_distance_is_the_share_of_triplets_not_had(pair):
    target, tree = pair
    assert triplet_distance(target, tree) == pytest.approx(reference.triplet_distance(target, tree), abs=1e-15)
    assert num_triplets(tree) == len(reference.triplets_of(tree))


def test_the_distance_agrees_with_counting_on_larger_random_trees():
    rng = np.random.default_rng(0)
    for _ in range(40):
        n = int(rng.integers(12, 26))
        target, tree = (reference.random_tree(n, rng, rng.choice([0, 0.3, 0.7])) for _ in range(2))
        assert triplet_distance(target, tree) == pytest.approx(reference.triplet_distance(target, tree), abs=1e-15)


@given(pairs_of_trees())
def test_a_tree_refines_another_if_and_only_if_it_has_all_its_triplets(pair):
    target, tree = pair
    assert tree.is_refinement_of(target) == (reference.triplets_of(tree) >= reference.triplets_of(target))
    assert tree.is_refinement_of(target) == (triplet_distance(target, tree) == 0)


@given(topologies(2, 11), st.data())
def test_class_labels_are_a_target_of_two_levels(parent, data):
    tree = Tree.from_parents(parent)
    labels = data.draw(st.lists(st.sampled_from("xyz"), min_size=tree.num_leaves, max_size=tree.num_leaves))
    expected = reference.triplet_distance(tree_of_labels(labels), tree)
    assert triplet_distance(labels, tree) == pytest.approx(expected, abs=1e-15)
    clades = {frozenset(np.flatnonzero(np.array(labels) == name).tolist()) for name in set(labels)}
    assert set(tree_of_labels(labels).clades()) == clades | {frozenset(range(len(labels)))} | {
        frozenset([v]) for v in range(len(labels))
    }


def test_average_linkage_on_iris_has_the_published_distance():
    X, y = load_iris(return_X_y=True)
    assert triplet_distance(y, Tree.from_linkage(linkage(X, "average"))) == pytest.approx(0.1015047619, abs=1e-10)


def test_average_linkage_on_the_papers_zoo_is_near_its_published_distance(shared_data):
    import csv

    with (shared_data / "zoo" / "zoo93.csv").open() as file:
        rows = list(csv.DictReader(file))
    X = np.array([[float(row[key]) for key in list(rows[0])[2:-1]] for row in rows])
    target = Tree.from_newick((shared_data / "zoo" / "zoo_authors_tol.nwk").read_text(), [row["name"] for row in rows])
    # Zoo has many equal distances, and average linkage depends on how they are broken.
    assert triplet_distance(target, Tree.from_linkage(linkage(X, "average"))) == pytest.approx(0.3158, abs=0.03)


def test_trees_are_matched_by_name_where_both_have_names():
    target = Tree.from_newick("(((a,b),c),(d,e));")
    assert triplet_distance(target, Tree.from_newick("((e,d),(c,(b,a)));")) == 0
    assert triplet_distance(target, Tree.from_newick("((,),(,(,)));")) > 0
    with pytest.raises(ValueError, match="'x' is only in one, 'd' in the other"):
        triplet_distance(target, Tree.from_newick("((e,x),(c,(b,a)));"))


def test_a_target_without_triplets_is_at_distance_zero():
    assert triplet_distance(Tree.from_newick("(a,b,c);"), Tree.from_newick("((a,b),c);")) == 0
    assert triplet_distance([1, 1, 1], Tree.from_newick("((a,b),c);")) == 0
    assert triplet_distance(Tree.from_newick("a;"), Tree.from_newick("a;")) == 0


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([0, 1], "2 labels were given for a tree with 3 leaves"),
        ([[0, 1, 1]], "its shape is (1, 3)"),
        ([0, np.nan, 1], "the label of leaf 1 is missing"),
        (np.array(["x", None, "y"], dtype=object), "the label of leaf 1 is missing"),
        (np.array(["2020-01-01", "2021-01-01", "NaT"], dtype="M8[ns]"), "the label of leaf 2 is missing"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels, sentence):
    with pytest.raises(ValueError) as caught:
        triplet_distance(labels, Tree.from_newick("((a,b),c);"))
    assert sentence in str(caught.value)


def test_a_tree_is_needed_as_the_second_argument():
    with pytest.raises(TypeError, match="a Tree as its second argument, not list"):
        triplet_distance([0, 1, 1], [0, 1, 1])
    for ask in (num_triplets, edge_distances, path_distances, cophenetic_distances):
        with pytest.raises(TypeError, match="a Tree is needed here, not NoneType"):
            ask(None)


@pytest.mark.parametrize("target", [None, "x"])
def test_a_tree_or_labels_are_needed_as_the_first_argument(target):
    with pytest.raises(TypeError, match=f"the target must be a Tree or a label for each leaf, not {target!r}"):
        triplet_distance(target, Tree.from_newick("((a,b),c);"))


def test_labels_of_different_types_are_different_classes():
    labels = np.array([1, "1", 1, "1"], dtype=object)
    assert set(tree_of_labels(labels).clades()) > {frozenset([0, 2]), frozenset([1, 3])}


@given(trees(min_leaves=2, with_times=True))
def test_distances_between_leaves_follow_the_paths(tree):
    def ancestors(v: int) -> list[int]:
        path = [v]
        while tree.parent[path[-1]] != -1:
            path.append(int(tree.parent[path[-1]]))
        return path

    edges, paths, heights = (
        squareform(distances(tree)) for distances in (edge_distances, path_distances, cophenetic_distances)
    )
    latest = tree.time[: tree.num_leaves].max()
    for a in range(tree.num_leaves):
        for b in range(a):
            up, other = ancestors(a), ancestors(b)
            join = next(v for v in up if v in other)
            assert edges[a, b] == up.index(join) + other.index(join)
            assert paths[a, b] == pytest.approx(tree.time[a] + tree.time[b] - 2 * tree.time[join], abs=1e-6)
            assert heights[a, b] == latest - tree.time[join]


def test_lengths_need_times():
    tree = Tree.from_newick("((a,b),c);")
    assert edge_distances(tree).tolist() == [2, 3, 3]
    assert edge_distances(tree, ["c", "a"]).tolist() == [3]
    for distances in (path_distances, cophenetic_distances):
        with pytest.raises(ValueError, match="the tree has no times"):
            distances(tree)
