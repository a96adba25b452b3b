"""The clades of a tree as a sequence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from treetalk.tree import Tree


class Clades(Sequence[frozenset[int]]):
    """The clade of each node of a tree, made when asked for: all of them together may take quadratic space."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def __len__(self) -> int:
        return self._tree.num_nodes

    @overload
    def __getitem__(self, node: int) -> frozenset[int]: ...
    @overload
    def __getitem__(self, node: slice) -> list[frozenset[int]]: ...
    def __getitem__(self, node: int | slice) -> frozenset[int] | list[frozenset[int]]:
        if isinstance(node, slice):
            return [self[v] for v in range(*node.indices(len(self)))]
        if not -len(self) <= node < len(self):
            raise IndexError(f"there is no node {node}: nodes are numbered from 0 to {len(self) - 1}")
        return frozenset(self._tree.leaves(node % len(self)).tolist())

    def __iter__(self) -> Iterator[frozenset[int]]:
        return (self[v] for v in range(len(self)))

    def __contains__(self, leaves: object) -> bool:
        """Whether these leaves are a clade, in time linear in their number."""
        if not isinstance(leaves, Iterable):
            return False
        try:
            distinct = set(leaves)
        except TypeError:  # something that cannot be in a set, and so in no clade
            return False
        if not distinct or not all(isinstance(v, int | np.integer) for v in distinct):
            return False
        if not all(0 <= v < self._tree.num_leaves for v in distinct):
            return False
        return int(self._tree.sizes[self._tree.mrca(*distinct)]) == len(distinct)

    def __repr__(self) -> str:
        return f"<the clades of {self._tree!r}>"
