"""A person who knows the right hierarchy, and says so with the page alone: by dragging, clicking and keys, in turn."""

import itertools
from collections import Counter

from browser import Window
from pieces import Cluster, Clusters, Statement, after_drop, meant, statements_of
from treetalk import Tree

WAYS = ["drag", "click", "keys"]


class Person:
    """Answers the questions that a window asks.

    Parameters
    ----------
    target : Tree
        What is right.
    items : sequence of str
        What the items are called.
    """

    def __init__(self, target: Tree, items: tuple[str, ...]) -> None:
        self._target, self._items = target, list(items)
        self._ways = itertools.cycle(WAYS)
        self.done: Counter[str] = Counter()

    def answer(self, window: Window) -> None:
        """Answer the question that is shown."""
        if window.at("odd-1").count():
            self.done[self._choose(window)] += 1
        else:
            self.done[self._correct(window)] += 1

    def knows(self, items: list[int]) -> set[Statement]:
        """What is right about some items."""
        piece = self._target.restrict(items)
        clusters = {frozenset(items[leaf] for leaf in piece.leaves(node).tolist()) for node in range(piece.num_nodes)}
        return statements_of(frozenset(clusters))

    def _choose(self, window: Window) -> str:
        cards = [self._items.index(name) for name in window.cards]
        known = self.knows(cards)
        if not known:
            window.click("alike")
            return "alike"
        ((_, odd),) = known
        window.press_to_send(str(cards.index(odd) + 1))
        return "odd"

    def _correct(self, window: Window) -> str:
        shown, items = window.shown, window.items
        right = self.knows(items)
        missing = sorted(right - statements_of(shown), key=lambda statement: (sorted(statement[0]), statement[1]))
        if not missing:
            window.press_to_send("Enter")
            return "accept"
        way = next(self._ways)
        drop = best_drop(shown, right) if way == "drag" else None
        if drop is not None:
            window.drag(*drop)
            window.click("send")
            return "drag"
        pair, odd = missing[0]
        picks = [*pair, odd]
        if way == "keys" and all(items.index(item) < 10 for item in picks):
            window.press(*(str((items.index(item) + 1) % 10) for item in picks))
            window.press_to_send("Enter")
            return "keys"
        window.pick(*picks)
        window.click("send")
        return "click"


def best_drop(shown: Clusters, right: set[Statement]) -> tuple[Cluster, Cluster] | None:
    """The drop that says most of what is right and nothing else, if there is one."""
    best, most = None, 0
    for node, onto in itertools.permutations(sorted(shown, key=sorted), 2):
        if onto <= node or node == max(shown, key=len):
            continue
        said = meant(shown, after_drop(shown, node, onto), node)
        if said <= right and len(said) > most:
            best, most = (node, onto), len(said)
    return best
