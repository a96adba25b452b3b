"""The order in which the leaves of a tree are drawn, so that a tree that changes keeps its place on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels
from treetalk.tree import as_tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from treetalk._kernels.drawing import Drawn
    from treetalk.tree import Tree


def steady_order(tree: Tree, ranks: ArrayLike | None = None) -> NDArray[np.int32]:
    """Return the leaves of a tree in an order in which it can be drawn and that is as near to a former order as can be.

    Of all ways to turn the children of nodes round, this one leaves the fewest pairs of leaves the other way round than
    before, as long as nodes have two children. Where two ways are equal, the child with the smaller mean rank comes first.
    More than two children stand in the order of their mean ranks. O(n log^2 n) at worst.

    Parameters
    ----------
    tree : Tree
    ranks : int array of shape (num_leaves,), optional
        The former position of each leaf: any numbers, also equal ones; only their order matters. By default the leaves' own
        numbers, so that items stand as they were given as far as the tree allows.
    """
    as_tree(tree)
    dense = _dense(np.arange(tree.num_leaves) if ranks is None else ranks, tree.num_leaves)
    order: NDArray[np.int32] = _kernels.order.steady(tree._layout, dense)
    return order


def num_inversions(order: ArrayLike, ranks: ArrayLike) -> int:
    """Return how many pairs of leaves stand the other way round in an order than their former positions say."""
    leaves = np.asarray(order)
    return int(_kernels.order.num_inversions(_dense(ranks, leaves.size)[leaves]))


def drawn(tree: Tree, order: ArrayLike) -> Drawn:
    """Return the nodes of a tree as they are drawn with its leaves in this order, from top to bottom."""
    leaves = np.asarray(order)
    if leaves.shape != (tree.num_leaves,) or not np.array_equal(np.sort(leaves), np.arange(tree.num_leaves)):
        raise ValueError(f"an order must have each of the {tree.num_leaves} leaves once")
    result: Drawn
    result, apart = _kernels.drawing.drawn(tree._layout, leaves.astype(np.int32))
    if apart != -1:
        raise ValueError(f"the tree cannot be drawn in this order: it takes the leaves under node {apart} apart")
    return result


def _dense(ranks: ArrayLike, num_leaves: int) -> NDArray[np.int64]:
    """Return former positions as numbers from 0 on, in the same order."""
    array = np.asarray(ranks)
    if array.shape != (num_leaves,):
        raise ValueError(f"ranks must be one number for each of {num_leaves} leaves; their shape is {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"ranks must be integers, not {array.dtype}")
    return np.unique(array, return_inverse=True)[1].astype(np.int64)
