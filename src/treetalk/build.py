"""Aho's BUILD, and a minimal set of triplets to blame where there is no tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels
from treetalk.arguments import as_items, as_triplets, items_of
from treetalk.errors import InconsistentTriplets
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# How many conflicts are grown to choose the smallest from; in a set of many triplets, each takes a good part of a second.
MOST_SEEDS, FEWEST_SEEDS, LARGE = 16, 3, 100_000


def build(triplets: ArrayLike, num_leaves: int, *, items: Iterable[object] | None = None) -> Tree:
    """Return a tree with all the triplets, as unresolved as they leave it (Aho et al. 1981).

    Parameters
    ----------
    triplets : array of shape (m, 3)
        Item numbers, or names where `items` is given; the odd one last. Repetitions do no harm.
    num_leaves : int
        The number of items. One that no triplet names is a child of the root.
    items : sequence of str, optional
        The names of the items; by default those of `triplets`, if it is a `TripletSet` with names.

    Raises
    ------
    InconsistentTriplets
        If there is no such tree. Its `conflict` is a minimal set of triplets that contradict each other.
    """
    size = as_num_leaves(num_leaves)
    names = items_of(triplets) if items is None else as_items(items, size)
    array = as_triplets(triplets, size, names)
    parent, reason = _kernels.build.build(array, size)
    if parent.size == 0:
        rows = minimal_conflict(array, reason)
        raise InconsistentTriplets(array[rows], rows, names)
    return Tree(parent, items=names)


def as_num_leaves(num_leaves: object) -> int:
    """Return a number of leaves, at least 1."""
    if isinstance(num_leaves, bool | np.bool_) or not isinstance(num_leaves, int | np.integer):
        raise TypeError(f"num_leaves must be an integer, not {num_leaves!r}")
    if num_leaves < 1:
        raise ValueError(f"num_leaves must be at least 1, not {num_leaves}")
    return int(num_leaves)


def minimal_conflict(triplets: NDArray[np.int32], reason: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the rows of a minimal inconsistent set of triplets: without any one of them it is consistent.

    `reason` holds the rows that BUILD gave: they connect a set of leaves which admits no tree. Conflicts within that set
    are grown from several triplets, and the smallest is stripped of what it does not need.
    """
    conflict = _kernels.conflict
    inside = np.zeros(triplets.max() + 1, bool)
    inside[triplets[reason]] = True
    rows = np.flatnonzero(inside[triplets].all(axis=1))
    local, num_leaves = _renumbered(triplets[rows])
    seeds = conflict.bridges(local, num_leaves)
    if seeds.size == 0:
        seeds = np.arange(len(local))
    num_tried = min(len(seeds), MOST_SEEDS if len(local) < LARGE else FEWEST_SEEDS)
    smallest = rows[:0]
    for seed in seeds[np.linspace(0, len(seeds) - 1, num_tried).astype(int)]:
        limit = len(smallest) if smallest.size else num_leaves + 1
        grown = conflict.grow(local, num_leaves, seed, limit)
        if grown.size:
            smallest = rows[grown]
    return _core(triplets, smallest)


def _core(triplets: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the minimal conflict within triplets that contradict each other and whose edges are a tree.

    A conflict in a tree of edges is a subtree that also holds the odd one of each of its edges. If the rest is consistent
    without some triplet, every conflict holds that triplet, hence its three leaves, the paths between them, the odd ones
    of these edges, and so on. What this leads to is itself a conflict, and all others hold it: it is minimal.
    """
    while True:
        local, num_leaves = _renumbered(triplets[rows])
        middle = len(rows) // 2  # an end of the tree may be needed by nothing, many times over
        _, reason = _kernels.build.build(np.delete(local, middle, axis=0), num_leaves)
        if reason.size == 0:
            core = _kernels.conflict.grow(local, num_leaves, middle, num_leaves + 1)
            return np.sort(rows[core])
        rows = np.delete(rows, middle)[reason]  # BUILD's reason is a tree of edges too


def _renumbered(triplets: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """Return the triplets over the leaves that they name, and the number of these."""
    leaves, local = np.unique(triplets, return_inverse=True)
    return local.reshape(-1, 3).astype(np.int32), len(leaves)
