import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from strategies import trees
from treetalk import Tree, cophenetic_distances
from treetalk.datasets import load_animals


@pytest.mark.parametrize("method", ["single", "complete", "average", "ward"])
def test_a_linkage_matrix_comes_back_as_it_was(method):
    X = np.random.default_rng(0).normal(size=(60, 3))
    linkage = hierarchy.linkage(X, method)
    tree = Tree.from_linkage(linkage)
    np.testing.assert_allclose(tree.to_linkage(), linkage, atol=1e-12)
    np.testing.assert_allclose(cophenetic_distances(tree), hierarchy.cophenet(linkage), atol=1e-12)
    square = squareform(hierarchy.cophenet(linkage))
    np.testing.assert_allclose(squareform(cophenetic_distances(tree, [5, 3, 8])), square[np.ix_([5, 3, 8], [5, 3, 8])])


def test_ties_are_kept_as_merges_of_their_own():
    X = np.array([[0.0], [1], [2], [3], [3], [3]])
    linkage = hierarchy.linkage(X, "single")
    tree = Tree.from_linkage(linkage)
    assert tree.is_binary
    np.testing.assert_allclose(tree.to_linkage(), linkage)
    np.testing.assert_allclose(hierarchy.cophenet(tree.canonical().to_linkage()), hierarchy.cophenet(linkage))


@pytest.mark.parametrize("method", ["single", "average", "complete"])
def test_a_matrix_with_many_ties_comes_back_row_by_row(method):
    linkage = hierarchy.linkage(load_animals().X, method)
    assert len(np.unique(linkage[:, 2])) < 60
    np.testing.assert_allclose(Tree.from_linkage(linkage).to_linkage(), linkage)


def test_an_inversion_is_lifted_as_scipy_lifts_it_with_a_warning():
    X = np.array([[0.0, 0], [1, 0], [0.5, 0.87]])
    linkage = hierarchy.linkage(X, "centroid")
    assert linkage[1, 2] < linkage[0, 2]
    with pytest.warns(UserWarning, match="row 1 of the linkage matrix merges lower"):
        tree = Tree.from_linkage(linkage)
    np.testing.assert_allclose(tree.to_linkage()[:, 2], hierarchy.maxdists(linkage))


@given(trees(min_leaves=2, with_times=True))
def test_any_tree_is_a_valid_linkage_with_the_same_heights(tree):
    linkage = tree.to_linkage()
    assert hierarchy.is_valid_linkage(linkage)
    assert hierarchy.is_monotonic(linkage)
    scale = max(tree.time.max(), 1)
    np.testing.assert_allclose(hierarchy.cophenet(linkage), cophenetic_distances(tree), atol=1e-9 * scale)
    assert Tree.from_linkage(linkage, tree.items).is_refinement_of(tree)


@given(trees(min_leaves=2, with_times=False))
def test_without_times_heights_count_edges(tree):
    linkage = tree.to_linkage()
    assert hierarchy.is_valid_linkage(linkage)
    assert hierarchy.is_monotonic(linkage)
    assert Tree.from_linkage(linkage, tree.items).is_refinement_of(tree)


def test_a_multifurcation_becomes_merges_at_equal_height():
    linkage = Tree.from_newick("(a:2,b:2,(c:1,d:1):1);").to_linkage()
    assert linkage.tolist() == [[2, 3, 1, 2], [0, 1, 2, 2], [4, 5, 2, 4]]


@given(trees(min_leaves=2, with_times=True), st.data())
def test_cuts_agree_with_scipy_where_no_two_heights_are_equal(tree, data):
    linkage = tree.to_linkage()
    if len(np.unique(linkage[:, 2])) < len(linkage):
        return
    k = data.draw(st.integers(1, tree.num_leaves))
    ours, scipys = tree.cut(k), hierarchy.cut_tree(linkage, k).ravel()
    assert len(set(zip(ours.tolist(), scipys.tolist(), strict=True))) == k


@pytest.mark.parametrize(
    ("linkage", "sentence"),
    [
        ([[0, 1, 1.0]], "this one has (1, 3)"),
        ([[0, 1], [2]], "rows of different lengths"),
        ([["a", "b", "c", "d"]], "its dtype is object"),
        (np.empty((0, 4)), "this one has (0, 4)"),
        ([[0, 1, 1, 2], [0, 2, 2, 3]], "row 1 of the linkage matrix joins the clusters 0 and 2"),
        ([[0, 0, 1, 2]], "row 0"),
        ([[0, 5, 1, 2]], "row 0"),
        ([[0, 0.5, 1, 2]], "row 0"),
        ([[0.5, 1, 1, 2], [0, 2, 2, 3]], "row 0 of the linkage matrix joins the clusters 0.5 and 1"),
        ([[0, 1e300, 1, 2]], "row 0 of the linkage matrix joins the clusters 0 and 1e+300"),
        ([[0, 1, -1, 2]], "negative height"),
        ([[0, 1, np.nan, 2]], "not finite"),
    ],
)
def test_a_matrix_that_is_no_linkage_is_refused_with_the_row(linkage, sentence):
    with pytest.raises((ValueError, TypeError)) as caught:
        Tree.from_linkage(linkage)
    assert sentence in str(caught.value)


def test_a_single_leaf_has_no_linkage():
    with pytest.raises(ValueError, match="at least two leaves"):
        Tree.from_parents([-1]).to_linkage()
