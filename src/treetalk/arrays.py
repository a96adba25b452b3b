"""The arrays that a tree is made of: checked, copied and frozen."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from treetalk import _kernels
from treetalk.arguments import as_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Scalar = TypeVar("Scalar", bound=np.generic)


def frozen(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return the array, made read-only."""
    array.flags.writeable = False
    return array


def read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return a view that cannot be written to."""
    return frozen(array.view())


def as_parents(parent: ArrayLike) -> NDArray[np.int32]:
    """Return a parent array whose values are node numbers, or -1."""
    array = as_array(parent, "parent")
    if array.ndim != 1 or array.size == 0:
        raise ValueError(
            f"parent must be a one-dimensional array with a value for each node; its shape is {array.shape}"
        )
    if array.dtype.kind not in "iu":
        raise TypeError(f"parent must hold integers; its dtype is {array.dtype}")
    outside = np.flatnonzero((array < -1) | (array >= array.size))
    if outside.size:
        v = int(outside[0])
        raise ValueError(f"node {v} has the parent {array[v]}; parents are numbered from 0 to {array.size - 1}, or -1")
    return frozen(array.astype(np.int32))


def check_parents(parent: NDArray[np.int32]) -> int:
    """Return the number of leaves, or raise an error that names the node at fault."""
    layout = _kernels.layout
    fault, v, other, num_leaves = layout.check_parents(parent)
    if fault == layout.NO_ROOT:
        raise ValueError("no node has the parent -1, so the tree has no root")
    if fault == layout.SECOND_ROOT:
        raise ValueError(f"nodes {other} and {v} both have the parent -1; a tree has one root")
    if fault == layout.LEAF_NOT_FIRST:
        raise ValueError(
            f"leaves must be numbered from 0 on, before internal nodes; node {v} has no children, node {other} has some"
        )
    if fault == layout.CYCLE:
        raise ValueError(f"node {v} is its own ancestor: following parents from it leads back to it")
    if fault == layout.SINGLE_CHILD:
        raise ValueError(f"node {v} has a single child; every internal node needs at least two")
    return int(num_leaves)


def as_support(values: ArrayLike, num_nodes: int) -> NDArray[np.float64] | None:
    """Return the support of each node, or None if none has any."""
    support = as_values(values, "support", num_nodes)
    endless = np.flatnonzero(np.isinf(support))
    if endless.size:
        raise ValueError(f"support must be finite, or NaN for none; that of node {endless[0]} is infinite")
    return None if np.isnan(support).all() else support


def as_values(values: ArrayLike, what: str, num_nodes: int) -> NDArray[np.float64]:
    """Return one number for each node."""
    array = np.array(values, dtype=np.float64)
    if array.shape != (num_nodes,):
        raise ValueError(f"{what} must have one value for each of the {num_nodes} nodes; its shape is {array.shape}")
    return frozen(array)
