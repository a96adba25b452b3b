"""SciPy linkage matrices: row i joins two clusters, at a height, into cluster n + i.

Times run the other way: `Tree.time` is the height of the last merge minus the height of the node, so that the root has
time 0 and all leaves the same time.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels
from treetalk.arguments import as_array
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def from_linkage(linkage: ArrayLike, items: Iterable[object] | None = None) -> Tree:
    """Return the tree of a linkage matrix; node n + i is the cluster made by row i.

    Every merge is a node of its own, also where heights are equal. Where a merge is lower than one below it (an
    inversion, as centroid and median linkage produce), it is lifted to that height, as
    `scipy.cluster.hierarchy.maxdists` has it, with a warning.
    """
    matrix = as_array(linkage, "a linkage matrix")
    if matrix.dtype.kind not in "iuf":
        raise TypeError(f"a linkage matrix holds numbers; its dtype is {matrix.dtype}")
    matrix = matrix.astype(np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != 4 or matrix.shape[0] == 0:
        raise ValueError(f"a linkage matrix has the shape (n - 1, 4) with n at least 2; this one has {matrix.shape}")
    num_leaves = matrix.shape[0] + 1
    wrong = np.flatnonzero(~np.isfinite(matrix).all(axis=1) | (matrix[:, 2] < 0))
    if wrong.size:
        raise ValueError(f"row {wrong[0]} of the linkage matrix holds a negative height or a value that is not finite")
    # What is no whole number, or too large for one, becomes -1, which is no cluster.
    is_number = (matrix[:, :2] == np.floor(matrix[:, :2])) & (np.abs(matrix[:, :2]) < 2 * num_leaves)
    merges = np.where(is_number, matrix[:, :2], -1).astype(np.int64)
    parent, row = _kernels.linkage.parents_of_merges(merges, num_leaves)
    if row != -1:
        raise ValueError(
            f"row {row} of the linkage matrix joins the clusters {matrix[row, 0]:g} and {matrix[row, 1]:g}, which are "
            f"not two different clusters made before it and not joined yet"
        )
    height, inverted = _kernels.linkage.lifted(merges, matrix[:, 2].copy(), num_leaves)
    if inverted != -1:
        warnings.warn(
            f"row {inverted} of the linkage matrix merges lower than a row below it; such merges are lifted to that height",
            stacklevel=3,
        )
    time = height[-1] - np.concatenate([np.zeros(num_leaves), height])
    return Tree(parent, time=time, items=items)


def to_linkage(tree: Tree) -> NDArray[np.float64]:
    """Return the linkage matrix of a tree, its rows in the order of their heights.

    A multifurcation becomes several merges at equal height. The height of a node is the time of the latest leaf minus
    its own; in a tree without times, it is the number of edges down to the farthest leaf.
    """
    if tree.num_leaves < 2:
        raise ValueError("a linkage matrix needs at least two leaves; the tree has one")
    layout = tree._layout
    if tree._time is None:
        height = _kernels.linkage.levels(layout).astype(np.float64)
    else:
        lateness = tree._time if tree._age is None else -tree._age
        height = lateness[: tree.num_leaves].max() - lateness
    internal = np.arange(tree.num_leaves, tree.num_nodes)
    above = tree._parent[internal]
    # Among equal heights, children come before their parents: in the order of their numbers, so that the tree of a
    # linkage matrix gives back the same rows; or, where numbers do not grow upwards, in the reverse of preorder.
    numbers_grow = bool(((above > internal) | (above == -1)).all())
    tie_break = internal if numbers_grow else -layout.rank[internal]
    by_height = internal[np.lexsort((tie_break, height[internal]))].astype(np.int32)
    matrix: NDArray[np.float64] = _kernels.linkage.merges_of_tree(layout, height, by_height)
    return matrix
