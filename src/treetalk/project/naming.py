"""Names that people give to clusters, put onto trees that change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray


def with_names(tree: Tree, names: Mapping[frozenset[int], str]) -> Tree:
    """Return a tree with names on its internal nodes, in place of those that it has.

    A name stays with the clade that is most like the items that were named: most items in common, of all items in either.
    It is left out while there is none that has more than half of them.
    """
    found: dict[int, tuple[float, str]] = {}
    for items, name in names.items():
        likeness = _likeness(tree, np.fromiter(items, np.int64, len(items)))
        v = int(likeness.argmax())
        if likeness[v] > max(0.5, found.get(v, (0.0, ""))[0]):
            found[v] = float(likeness[v]), name
    labels = [found[v][1] if v in found else None for v in range(tree.num_nodes)]
    times = tree._times_at(slice(None))
    return Tree(tree.parent, **times, items=tree.items, support=tree.support, names=labels if found else None)


def _likeness(tree: Tree, items: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each internal node the share of items that it has in common with some, of those in either; 0 for leaves."""
    is_named = np.zeros(tree.num_leaves, np.int64)
    is_named[items] = 1
    # The leaves of a node stand side by side in the drawing order.
    before = np.concatenate([[0], np.cumsum(is_named[tree.leaves()])])
    first = tree._layout.first.astype(np.int64)
    sizes = tree.sizes.astype(np.int64)
    common = before[first + sizes] - before[first]
    likeness: NDArray[np.float64] = common / (sizes + len(items) - common)
    likeness[: tree.num_leaves] = 0.0
    return likeness
