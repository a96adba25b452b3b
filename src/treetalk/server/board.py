"""What everybody sees: the hierarchy, drawn, and how sure it is. It is replaced as a whole, so that nobody waits to look."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from treetalk.layout import Canvas, steady_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treetalk.tree import Tree

# Trees from before, by which a page that still shows one of them is understood; so many nodes of them in all.
MOST_FORMER, MOST_NODES = 30, 2_000_000


class Shown(NamedTuple):
    """One state of the board."""

    canvas: Canvas
    former: tuple[Canvas, ...]  # the newest first

    @property
    def tree(self) -> Tree:
        """The hierarchy."""
        return self.canvas.tree

    @property
    def revision(self) -> int:
        """The number of the canvas: larger than those of all before, also of those before a restart."""
        return self.canvas.revision

    def since(self, revision: int) -> Canvas | None:
        """Return the canvas of an earlier revision, if it is still known."""
        return next((canvas for canvas in (self.canvas, *self.former) if canvas.revision == revision), None)


class Board:
    """Where the hierarchy is shown. One thread draws, and puts up what it drew; anybody looks.

    Parameters
    ----------
    labels : sequence of str
        What is shown of each item.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = labels
        self._shown: Shown | None = None
        num_kept = max(2, min(MOST_FORMER, MOST_NODES // (2 * len(labels))))
        self._former: deque[Canvas] = deque(maxlen=num_kept)

    @property
    def shown(self) -> Shown:
        """What is shown now."""
        if self._shown is None:
            raise RuntimeError("nothing is shown yet")
        return self._shown

    def draw(self, tree: Tree) -> Canvas:
        """Draw a tree with support and names, to be put on the board. Leaves keep their order, as far as the tree allows."""
        before = self._shown
        ranks = None if before is None else before.canvas.ranks
        revision = round(time.time() * 1000)
        if before is not None:
            revision = max(revision, before.revision + 1)
        return Canvas(tree, steady_order(tree, ranks), revision=revision, labels=self._labels)

    def put(self, canvas: Canvas) -> None:
        """Show a drawing."""
        if self._shown is not None:
            self._former.appendleft(self._shown.canvas)
        self._shown = Shown(canvas, tuple(self._former))
