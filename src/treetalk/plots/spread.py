"""Where the posterior is in two minds: how much the place at which two items join differs from draw to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk.snapshots import Snapshots, mean_joins
from treetalk.state import diffusion_ages
from treetalk.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_DRAWS = 200


def snapshots_of(trees: Sequence[Tree]) -> Snapshots:
    """Return binary trees with the times of a diffusion as draws of one chain."""
    return Snapshots(
        np.array([tree.parent for tree in trees]),
        np.array([diffusion_ages(tree) for tree in trees]),
        np.zeros((len(trees), 2)),
        np.zeros(len(trees), np.int64),
        np.ones(len(trees), bool),
    )


def join_spread(snapshots: Snapshots, leaves: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
    """Return, for every two of some leaves, how much the draws differ about where they join; 0 on the diagonal.

    The standard deviation, over the draws, of the share of all items that are in the smallest clade with both: 0 if it is
    as large in all draws, and at most a half.

    Parameters
    ----------
    snapshots : Snapshots
        The trees. Of more than 200, so many are taken at even distances.
    leaves : int array of shape (k,), optional
        The leaves, by default all. Memory grows with the square of their number.

    Returns
    -------
    float array of shape (k, k)
    """
    chosen = np.arange(snapshots.num_leaves) if leaves is None else np.asarray(leaves, np.int64)
    if len(chosen) < 2:
        return np.zeros((len(chosen), len(chosen)))
    which = np.unique(np.linspace(0, len(snapshots) - 1, min(MOST_DRAWS, len(snapshots))).astype(np.int64))
    parents, shares = [], []
    for i in which.tolist():
        tree = snapshots.tree(i)
        # Shares grow towards the root as ages do: as ages they come along when the tree is restricted to some leaves.
        ordered = Tree(tree.parent, age=tree.sizes / tree.num_leaves)
        if leaves is not None:
            ordered = ordered.restrict(chosen)
        assert ordered.age is not None
        parents.append(ordered.parent)
        shares.append(ordered.age)
    stacked, share = np.array(parents), np.array(shares)
    mean = mean_joins(stacked, share)[1]
    # About the mean share of each draw, which is far from nothing: squares of large numbers would cancel badly.
    center = float(mean.mean())
    moved = mean_joins(stacked, (share - center) ** 2)[1]
    variance = moved - (mean - center) ** 2
    np.fill_diagonal(variance, 0.0)
    spread: NDArray[np.float64] = np.sqrt(np.where(variance > 1e-12, variance, 0.0))
    return spread
