"""Taking in triplets that a tree violates, keeping of the tree what can be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk._kernels.layout import Layout


def repair(
    parent: NDArray[np.int32], ages: NDArray[np.float64], triplets: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return parents and ages of a binary tree that satisfies consistent triplets, as close to the given one as may be.

    What does not lie below the meeting point of a violated triplet stays as it is; see `treetalk._kernels.repair`.
    """
    new_parent, wanted = _kernels.repair.repair(_layout(parent), ages, triplets.copy())
    return new_parent, apart(new_parent, wanted)


def rebuild(
    parent: NDArray[np.int32], ages: NDArray[np.float64], triplets: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return parents and ages of a binary tree that satisfies consistent triplets, the paper's way.

    Below the meeting point of a violated triplet BUILD makes it anew; see `treetalk._kernels.rebuild`.
    """
    new_parent, wanted = _kernels.rebuild.rebuild(_layout(parent), ages, triplets.copy())
    return new_parent, apart(new_parent, wanted)


def _layout(parent: NDArray[np.int32]) -> Layout:
    layout: Layout = _kernels.layout.make_layout(parent.copy(), (parent.size + 1) // 2)
    return layout


def apart(parent: NDArray[np.int32], ages: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ages that grow strictly towards the root, below 1, from ages that nowhere shrink towards it.

    Nodes of one age in a row are spread evenly between the age above and the next younger one below.
    """
    result: NDArray[np.float64] = _kernels.ages.apart(parent, ages, top_down(parent))
    return result


def top_down(parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the internal nodes, each before its children."""
    num_leaves = (parent.size + 1) // 2
    preorder: NDArray[np.int32] = _kernels.layout.make_layout(parent.copy(), num_leaves).preorder
    return preorder[preorder >= num_leaves]
