"""The drawing of a piece of a tree: the few items that a question shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk import _kernels
from treetalk.arguments import as_leaves
from treetalk.layout.order import drawn, steady_order
from treetalk.tree import as_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.tree import Tree

NUM_DIGITS = 5  # of x and y: finer than any pixel


def piece(tree: Tree, leaves: Iterable[object], ranks: NDArray[np.int64] | None = None) -> dict[str, Any]:
    """Return the drawing of a tree restricted to some leaves.

    Parameters
    ----------
    tree : Tree
        The whole tree.
    leaves : iterable of int or str
        The items in the piece, by number or name; leaf i of the piece is ``leaves[i]``.
    ranks : int array of shape (num_leaves,), optional
        Where each item of the whole tree stands elsewhere, which the piece follows as far as it can. By default, items
        stand in the order in which they are given.

    Returns
    -------
    dict
        `parents`, the parent array; `num_rows`; and `nodes` from top to bottom, each with its `node` number, `parent` (None
        for the root), `x` (0 for the root, 1 for leaves), `y`, the rows it spans (`first`, `last`), `size` and `leaf`, the
        number of the item (None for branches).
    """
    chosen = as_leaves(leaves, as_tree(tree).num_leaves, tree.items)
    return piece_of(tree.restrict(chosen), chosen.tolist(), ranks)


def piece_of(small: Tree, leaves: Iterable[int], ranks: NDArray[np.int64] | None = None) -> dict[str, Any]:
    """Return the drawing of a tree that is a piece already: its leaf i is item ``leaves[i]``. See `piece`."""
    numbers = [int(leaf) for leaf in leaves]
    if len(numbers) != as_tree(small).num_leaves:
        raise ValueError(f"{len(numbers)} items were given for a piece with {small.num_leaves} leaves")
    order = steady_order(small, None if ranks is None else np.asarray(ranks)[numbers])
    tree = drawn(small, order)
    shown, above, first, last, x, y = _kernels.drawing.placed(tree, 0, tree.size > 1)
    node = tree.node[shown].tolist()
    rows = zip(
        node,
        [None, *(node[k] for k in above[1:].tolist())],
        np.round(x, NUM_DIGITS).tolist(),
        np.round(y, NUM_DIGITS).tolist(),
        first.tolist(),
        last.tolist(),
        tree.size[shown].tolist(),
        strict=True,
    )
    nodes = [
        {
            "node": v,
            "parent": parent,
            "x": across,
            "y": down,
            "first": top,
            "last": bottom,
            "size": size,
            "leaf": numbers[v] if v < len(numbers) else None,
        }
        for v, parent, across, down, top, bottom, size in rows
    ]
    return {"parents": small.parent.tolist(), "num_rows": len(numbers), "nodes": nodes}
