"""The clades of a tree as a sequence, and a key for each that tells clades of different trees apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


def clade_keys(tree: Tree) -> NDArray[np.uint64]:
    """Return a key for the clade of each node: in trees over the same leaf numbers, equal clades have equal keys.

    A key is the sum of random words, one for each leaf. Among a million different clades, two share a key with a
    probability of less than one in ten million.
    """
    layout = tree._layout
    sums = np.zeros(tree.num_leaves + 1, np.uint64)
    np.cumsum(leaf_words(tree.num_leaves)[layout.leaf_order], out=sums[1:])
    keys: NDArray[np.uint64] = sums[layout.first + layout.size] - sums[layout.first]
    return keys


def leaf_words(num_leaves: int) -> NDArray[np.uint64]:
    """Return a random word for each leaf number, always the same ones (the mixing function of SplitMix64)."""
    word = np.arange(1, num_leaves + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
