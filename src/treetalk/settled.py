"""What the answers settle, so that it need not be asked.

A binary tree over k leaves follows from k - 2 of its triplets, one for each internal edge: whatever satisfies these has the
same topology. So only these are looked at, and not all triples.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treetalk.tree import Tree
from treetalk.triplets import TripletSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_LOOKED_AT = 20_000  # triples, in search of one that is open


class Settled:
    """What follows from triplets, and what was called alike.

    Parameters
    ----------
    known : TripletSet
        The triplets in force.
    alike : set of frozenset of int
        Sets of items that are not to be asked about again.
    """

    def __init__(self, known: TripletSet, alike: set[frozenset[int]]) -> None:
        self._known, self._alike = known, alike

    def covers(self, tree: Tree, leaves: NDArray[np.int32]) -> bool:
        """Return whether nothing is open about some leaves of a tree that satisfies the triplets."""
        if len(leaves) < 3 or frozenset(leaves.tolist()) in self._alike:
            return True
        if len(self._known) < len(leaves) - 2:
            return False
        shown = tree.restrict(leaves)
        return shown.is_binary and all(self._known.implied(leaves[triplet]) for triplet in edge_triplets(shown))

    def open_triple(self, tree: Tree) -> NDArray[np.int32] | None:
        """Return three leaves of a tree that satisfies the triplets about which something is open, if there are any."""
        for triplet in itertools.islice(triplets_by_edge(tree, others=bool(self._alike)), MOST_LOOKED_AT):
            if frozenset(triplet.tolist()) not in self._alike and not self._known.implied(triplet):
                return triplet
        return None


def edge_triplets(tree: Tree) -> list[NDArray[np.int32]]:
    """Return a triplet for each internal edge of a binary tree: two leaves that part below it, and one that parted above."""
    return list(triplets_by_edge(tree, others=False))


def triplets_by_edge(tree: Tree, *, others: bool) -> Iterator[NDArray[np.int32]]:
    """Yield a triplet for each internal edge of a binary tree and then, if wanted, all other ones of each edge."""
    edges = [v for v in range(tree.num_leaves, tree.num_nodes) if tree.parent[v] != -1]

    def parts(v: int) -> tuple[NDArray[np.int32], ...]:
        sibling = next(u for u in tree.children(int(tree.parent[v])).tolist() if u != v)
        return tuple(tree.leaves(u) for u in (*tree.children(v)[:2].tolist(), sibling))

    for v in edges:
        yield np.array([part[0] for part in parts(v)], np.int32)
    if others:
        for v in edges:
            for triplet in itertools.islice(itertools.product(*parts(v)), 1, None):
                yield np.array(triplet, np.int32)
