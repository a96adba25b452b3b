"""Pieces of the tree that a person accepted, so that the same piece is not shown again."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treetalk.arguments import Items
from treetalk.project.store import Record
from treetalk.queries import Query
from treetalk.tree import Tree


class Accepted:
    """What was accepted and not taken back.

    Parameters
    ----------
    items : Items
        The ids of the items.
    """

    def __init__(self, items: Items) -> None:
        self._items = items
        self._pieces: dict[frozenset[int], dict[int, str]] = {}  # Newick by items, and by the number of the answer
        self._leaves: dict[int, frozenset[int]] = {}  # of each answer
        self.num_records = 0  # taken in so far

    def take_in(self, records: Iterable[Record]) -> None:
        """Take in further records."""
        for record in records:
            answer = record.answer
            self.num_records += 1
            if answer.retracts in self._leaves:
                self._pieces[self._leaves[answer.retracts]].pop(answer.retracts, None)
            elif answer.kind == "accept" and answer.leaves is not None and record.shown is not None:
                leaves = self._leaves[answer.id] = frozenset(answer.leaves)
                self._pieces.setdefault(leaves, {})[answer.id] = record.shown

    def has(self, query: Query) -> bool:
        """Return whether just this piece was accepted."""
        leaves = sorted(query.leaves.tolist())
        accepted = self._pieces.get(frozenset(leaves), {}).values()
        if not accepted:
            return False
        # Leaves in the order of their numbers, so that pieces can be compared.
        shown = query.tree.with_items(None).restrict(np.argsort(query.leaves))
        names = [self._items[leaf] for leaf in leaves]
        return any(self._is_same(shown, newick, names) for newick in accepted)

    @staticmethod
    def _is_same(shown: Tree, newick: str, names: list[str]) -> bool:
        try:
            return shown.same_topology(Tree.from_newick(newick, names).with_items(None))
        except ValueError:  # a row that makes no sense: at worst, something is asked once more
            return False
