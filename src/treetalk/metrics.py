"""How far trees are apart, and how far leaves are apart in a tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels
from treetalk.arguments import as_array, as_leaves
from treetalk.tree import Tree, as_tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MOST_LEAVES = 3_000_000  # with more, the number of triplets need not fit into 64 bits


def triplet_distance(target: Tree | ArrayLike, tree: Tree) -> float:
    """Return the share of the target's triplets that a tree does not have.

    It is not symmetric: 0 means that the tree refines the target. A target without any triplet is at distance 0 from
    every tree.

    Parameters
    ----------
    target : Tree or array of shape (num_leaves,)
        A tree of any arity, or a class label for each leaf of `tree`: then the triplets are two of a class and one of
        another. Trees are compared by item names where both have them, else by leaf number.
    tree : Tree
        A tree of any arity over the same leaves.
    """
    if not isinstance(tree, Tree):
        raise TypeError(f"triplet_distance needs a Tree as its second argument, not {type(tree).__name__}")
    target = as_target(target, tree.num_leaves)
    leaf_map = tree._leaf_map(target)
    num_wanted = num_triplets(target)
    if num_wanted == 0:
        return 0.0
    layout = target._layout
    if (leaf_map != np.arange(target.num_leaves)).any():
        parent = target._parent.copy()
        parent[leaf_map] = target._parent[: target.num_leaves]
        layout = Tree(parent)._layout
    num_shared = int(_kernels.distance.num_shared(layout, tree._layout))
    return (num_wanted - num_shared) / num_wanted


def num_triplets(tree: Tree) -> int:
    """Return the number of triplets that a tree resolves: sets of three leaves of which two stand together."""
    if as_tree(tree).num_leaves > MOST_LEAVES:
        raise ValueError(
            f"the triplets of more than {MOST_LEAVES:,} leaves are not counted; the tree has {tree.num_leaves:,}"
        )
    return int(_kernels.distance.num_resolved(tree._layout))


def as_target(target: Tree | ArrayLike, num_leaves: int | None = None) -> Tree:
    """Return a target as a tree: as it is, or that of class labels, for so many leaves if that is known."""
    if isinstance(target, Tree):
        return target
    if target is None or isinstance(target, str | bytes):
        raise TypeError(f"the target must be a Tree or a label for each leaf, not {target!r}")
    return tree_of_labels(target, num_leaves)


def tree_of_labels(labels: ArrayLike, num_leaves: int | None = None) -> Tree:
    """Return the tree of a flat classification: the root, a child for each class, and its members below."""
    array = as_array(labels, "labels")
    if array.ndim != 1 or array.size == 0:
        raise ValueError(
            f"labels must be a one-dimensional array with a label for each leaf; its shape is {array.shape}"
        )
    if num_leaves is not None and array.size != num_leaves:
        raise ValueError(f"{array.size} labels were given for a tree with {num_leaves} leaves")
    missing = np.flatnonzero(np.isnat(array) if array.dtype.kind in "mM" else list(map(_is_missing, array.tolist())))
    if missing.size:
        raise ValueError(f"the label of leaf {missing[0]} is missing")
    if array.dtype.kind == "O":
        numbers: dict[object, int] = {}
        number = np.array([numbers.setdefault(label, len(numbers)) for label in array])
    else:
        _, number = np.unique(array, return_inverse=True)
    counts = np.bincount(number)
    n = array.size
    if n == 1:
        return Tree([-1])
    if len(counts) == 1:
        return Tree([*[n] * n, -1])
    # A class of one is a leaf at the root: a node with a single child would say nothing.
    is_node = counts > 1
    node = n + np.cumsum(is_node)
    return Tree(np.concatenate([np.where(is_node[number], node[number], n), [-1], np.full(is_node.sum(), n)]))


def _is_missing(label: object) -> bool:
    """Return whether a label is None, or one of the values that are not equal to themselves, such as NaN."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas' NA says neither yes nor no
        return True


def edge_distances(tree: Tree, leaves: Iterable[object] | None = None) -> NDArray[np.int64]:
    """Return the number of edges between every two leaves, condensed as by `scipy.spatial.distance.pdist`."""
    chosen, joins = _pairs(as_tree(tree), leaves)
    depth = tree.depths.astype(np.int64)
    i, j = np.triu_indices(len(chosen), 1)
    return depth[chosen[i]] + depth[chosen[j]] - 2 * depth[joins]


def path_distances(tree: Tree, leaves: Iterable[object] | None = None) -> NDArray[np.float64]:
    """Return the length of the path between every two leaves, condensed as by `scipy.spatial.distance.pdist`.

    The length of an edge is the time between its ends.
    """
    time = _times(tree)
    chosen, joins = _pairs(tree, leaves)
    i, j = np.triu_indices(len(chosen), 1)
    return (time[chosen[i]] - time[joins]) + (time[chosen[j]] - time[joins])


def cophenetic_distances(tree: Tree, leaves: Iterable[object] | None = None) -> NDArray[np.float64]:
    """Return the height of the mrca of every two leaves, condensed as by `scipy.spatial.distance.pdist`.

    The height of a node is the time of the latest leaf of the tree minus its own. For the tree of a linkage matrix this
    is `scipy.cluster.hierarchy.cophenet`.
    """
    time = _times(tree)
    _, joins = _pairs(tree, leaves)
    latest = float(time[: tree.num_leaves].max())
    return latest - time[joins]


def _times(tree: Tree) -> NDArray[np.float64]:
    time = as_tree(tree)._time
    if time is None:
        raise ValueError("the tree has no times, so its edges have no lengths; edge_distances counts edges")
    return time


def _pairs(tree: Tree, leaves: Iterable[object] | None) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the leaves, and the mrca of every two of them."""
    chosen = (
        np.arange(tree.num_leaves, dtype=np.int32) if leaves is None else as_leaves(leaves, tree.num_leaves, tree.items)
    )
    return chosen, _kernels.layout.condensed_mrcas(tree._layout, chosen)
