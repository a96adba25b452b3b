"""A question as it goes to the page and comes back: the page sends along what it showed, so nothing is lost in a restart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk import gestures
from treetalk.layout import piece_of
from treetalk.queries import CHOSEN, Query
from treetalk.tree import Tree

if TYPE_CHECKING:
    from treetalk.arguments import Items
    from treetalk.server.board import Board
    from treetalk.server.cards import Cards


class Asked:
    """Between questions of a session and those of the page.

    Parameters
    ----------
    items : Items
        The ids of the items.
    cards : Cards
        The items as the page shows them.
    board : Board
        Where the hierarchy is shown: a piece has its items in the same order.
    """

    def __init__(self, items: Items, cards: Cards, board: Board) -> None:
        self._items, self._cards, self._board = items, cards, board

    def as_question(self, query: Query | None) -> dict[str, Any] | None:
        """Return a question for the page."""
        if query is None:
            return None
        leaves = query.leaves.tolist()
        is_chosen = query.kind == "subtree" and query.strategy == CHOSEN
        words = f"You asked about these {len(leaves)} items. Is this right?" if is_chosen else query.heading
        return {
            "kind": query.kind,
            "strategy": query.strategy,
            "words": words,
            "leaves": leaves,
            "items": self._cards.cards(leaves),
            "piece": self._drawn(query.tree, leaves),
        }

    def as_query(self, kind: str, strategy: str, leaves: Sequence[int], parents: Sequence[int]) -> Query:
        """Return a question that comes back from the page."""
        return Query(kind, list(leaves), self._as_piece(leaves, parents), strategy)

    def rearrange(
        self,
        leaves: Sequence[int],
        original: Sequence[int],
        current: Sequence[int],
        moved: Sequence[int],
        node: int,
        onto: int,
    ) -> dict[str, Any]:
        """Return what dropping a branch of a piece onto another one comes to, and what it means."""
        place = {item: leaf for leaf, item in enumerate(leaves)}
        self.check_items(moved)
        missing = [item for item in moved if item not in place]
        if missing:
            raise ValueError(f"item {missing[0]} was moved, and is none of those shown")
        shown, before = (self._as_piece(leaves, parents) for parents in (original, current))
        for name, value in (("node", node), ("onto", onto)):
            if value >= before.num_nodes:
                raise ValueError(f"{name} is {value}, and the piece has the nodes 0 to {before.num_nodes - 1}")
        after = gestures.rearranged(before, node, onto)
        now_moved = sorted({*(place[item] for item in moved), *before.leaves(node).tolist()})
        triplets = np.asarray(leaves, np.int32)[gestures.triplets_of_gesture(shown, after, now_moved)]
        return {
            "piece": self._drawn(after, leaves),
            "moved": [leaves[leaf] for leaf in now_moved],
            "triplets": triplets.tolist(),
            "words": gestures.in_words(triplets, self._cards.labels) if len(triplets) else [],
        }

    def check_items(self, numbers: Sequence[int]) -> None:
        """Raise ValueError if one of some numbers is of no item."""
        for number in numbers:
            if not 0 <= number < len(self._items):
                raise ValueError(f"there is no item {number}: items are numbered from 0 to {len(self._items) - 1}")

    def _as_piece(self, leaves: Sequence[int], parents: Sequence[int]) -> Tree:
        self.check_items(leaves)
        if len(set(leaves)) < len(leaves):
            raise ValueError("an item is there twice among those shown")
        tree = Tree(list(parents))
        if tree.num_leaves != len(leaves):
            raise ValueError(f"{len(leaves)} items were sent for a piece with {tree.num_leaves} leaves")
        return tree.with_items([self._items[leaf] for leaf in leaves])

    def _drawn(self, tree: Tree, leaves: Sequence[int]) -> dict[str, Any]:
        return piece_of(tree, leaves, self._board.shown.canvas.ranks)
