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
        self._pieces: dict[int, tuple[frozenset[int], Tree]] = {}  # by the number of the answer
        self.num_records = 0  # taken in so far

    def take_in(self, records: Iterable[Record]) -> None:
        """Take in further records."""
        for record in records:
            answer = record.answer
            self.num_records += 1
            if answer.retracts is not None:
                self._pieces.pop(answer.retracts, None)
            elif answer.kind == "accept" and answer.leaves is not None and record.shown is not None:
                # Leaves in the order of their numbers, so that pieces can be compared.
                names = [self._items[leaf] for leaf in sorted(answer.leaves)]
                piece = Tree.from_newick(record.shown, names).with_items(None)
                self._pieces[answer.id] = frozenset(answer.leaves), piece

    def has(self, query: Query) -> bool:
        """Return whether just this piece was accepted."""
        leaves = frozenset(query.leaves.tolist())
        pieces = [piece for known, piece in self._pieces.values() if known == leaves]
        if not pieces:
            return False
        shown = query.tree.with_items(None).restrict(np.argsort(query.leaves))
        return any(shown.same_topology(piece) for piece in pieces)
