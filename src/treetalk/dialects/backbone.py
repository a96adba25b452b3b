"""A tree over some of the items as triplets: the backbone that every hierarchy is to have.

Of all triplets of the tree, so many are taken that they imply the others: for an internal node v with children v1, v2,
..., and each of its siblings w, one leaf of v1 and one of vi belong together, apart from one leaf of w. A binary tree over
n leaves needs n - 2. Lengths and support are not looked at; where a node has more than two children, nothing is said about
which of them belong together.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from treetalk.arguments import unknown_item
from treetalk.dialects.said import Said, as_names, as_numbered
from treetalk.errors import FormatError
from treetalk.formats.files import read_trees
from treetalk.tree import Tree
from treetalk.triplets import TripletSet


def from_newick(tree: Tree | str, *, items: Iterable[object] | None = None) -> Said:
    """Return triplets that imply all those of a tree.

    Parameters
    ----------
    tree : Tree or str
        A tree, or Newick text; its leaves have the names of items, not necessarily of all. A tree whose leaves have no
        names is over the items of these numbers.
    items : sequence of str, optional
        The names of the items, in the order in which they are numbered; by default those of the tree.
    """
    given = tree if isinstance(tree, Tree) else Tree.from_newick(tree)
    names, _ = as_names(given.items if items is None else items, None)
    numbers = np.arange(given.num_leaves)
    if given.items is not None and names is not None:
        for name in given.items:
            if name not in names.numbers:
                raise ValueError(f"the tree has a leaf {name!r}, but {unknown_item(name, names)}")
        numbers = np.array([names.numbers[name] for name in given.items])
    elif names is not None and given.num_leaves > len(names):
        raise ValueError(f"the tree has {given.num_leaves} leaves, and there are {len(names)} items")
    return Said(numbers[_triplets_of(given)], items=names)


def read_newick(
    path: str | os.PathLike[str],
    *,
    items: Iterable[object] | None = None,
    num_leaves: int | None = None,
    by: str = "name",
    encoding: str | None = None,
) -> Said:
    """Return triplets that imply all those of the one tree in a Newick or NEXUS file; its leaves are named as items are."""
    name = Path(path).name
    if by != "name":
        raise ValueError(f"the leaves of a tree have names; {name} cannot be read by {by}")
    if encoding is not None and encoding.lower().replace("_", "-") not in {"utf-8", "utf8", "ascii"}:
        raise ValueError(f"files of trees are UTF-8 text; {name} cannot be read as {encoding}")
    names, _ = as_names(items, num_leaves)
    trees = read_trees(path)
    tree = next(trees, None)
    if tree is None or next(trees, None) is not None:
        raise FormatError(f"one tree is needed, and there {'is none' if tree is None else 'are several'}", source=name)
    try:
        return from_newick(tree, items=names)
    except ValueError as error:
        raise FormatError(str(error), source=name) from None


def to_newick(triplets: Any, *, items: Iterable[object] | None = None, num_leaves: int | None = None) -> str:
    """Return the tree of all triplets (Aho's BUILD) as Newick text, over the items that they name, as far as they say.

    Raises `InconsistentTriplets` if there is none.
    """
    numbers, names, count = as_numbered(triplets, items, num_leaves)
    if not len(numbers):
        raise ValueError("there are no triplets, and so there is no tree of the items that they name")
    whole = TripletSet(Said(numbers).distinct(), count, items=names)
    return whole.tree.restrict(np.unique(whole.triplets)).to_newick()


def _triplets_of(tree: Tree) -> Any:
    """Return triplets of leaf numbers, as an array of shape (m, 3), that imply all those of a tree."""
    layout = tree._layout
    first = layout.leaf_order[layout.first]  # a leaf under each node
    found = [np.empty((0, 3), np.int64)]
    for v in range(tree.num_leaves, tree.num_nodes):
        parent = int(tree.parent[v])
        if parent < 0:
            continue
        inner = first[tree.children(v)]
        siblings = tree.children(parent)
        outer = first[siblings[siblings != v]]
        others, odd = np.repeat(inner[1:], len(outer)), np.tile(outer, len(inner) - 1)
        found.append(np.column_stack([np.full(len(others), inner[0]), others, odd]))
    return np.concatenate(found)
