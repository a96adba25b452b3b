"""What is shown: a piece of a tree, to be accepted or corrected, or three items of which one may be the odd one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk.again import AGAIN
from treetalk.arguments import Frozen
from treetalk.arrays import frozen
from treetalk.tree import Tree, as_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

KINDS = ("subtree", "triple")
# The strategy of a query about items that somebody chose.
CHOSEN = "chosen"


class Query(Frozen):
    """What is shown to a user: a piece of a tree, or three items of which one may be the odd one. It never changes.

    Parameters
    ----------
    kind : "subtree" or "triple"
        Whether the tree is to be accepted or corrected, or the odd one of three items is to be named.
    leaves : sequence of int
        The numbers of the items in X.
    tree : Tree
        The restriction of a hierarchy to these items: its leaf i is ``leaves[i]``.
    strategy : str, optional
        The name of the strategy that chose the items.
    """

    def __init__(self, kind: str, leaves: Sequence[int] | NDArray[np.integer], tree: Tree, strategy: str = "") -> None:
        if kind not in KINDS:
            raise ValueError(f'a query is a "subtree" or a "triple", not {kind!r}')
        if len(leaves) != as_tree(tree).num_leaves:
            raise ValueError(f"{len(leaves)} items were given for a tree with {tree.num_leaves} leaves")
        if kind == "triple" and len(leaves) != 3:
            raise ValueError(f"a triple is three items, not {len(leaves)}")
        self._kind, self._tree, self._strategy = kind, tree, strategy
        self._leaves = frozen(np.array(leaves, np.int32))

    @property
    def kind(self) -> str:
        """What is asked: "subtree" (is this right?) or "triple" (which is the odd one?)."""
        return self._kind

    @property
    def leaves(self) -> NDArray[np.int32]:
        """The numbers of the items in X."""
        return self._leaves

    @property
    def tree(self) -> Tree:
        """The hierarchy restricted to these items: its leaf i is ``leaves[i]``."""
        return self._tree

    @property
    def strategy(self) -> str:
        """The name of the strategy that chose the items."""
        return self._strategy

    @property
    def heading(self) -> str:
        """The question in words, without the items."""
        if self._kind == "triple":
            return (
                "Once more, to be sure: which is the odd one?" if self._strategy == AGAIN else "Which is the odd one?"
            )
        return f"Is this right for these {len(self._leaves)} items?"

    @property
    def question(self) -> str:
        """The question in words."""
        if self._kind == "triple":
            one, two, three = self._tree.items or self._leaves.tolist()
            return f"{self.heading[:-1]}: {one}, {two} or {three}?"
        return self.heading

    def __str__(self) -> str:
        if self._kind == "triple":
            return self.question
        return f"{self.question}\n{self._named.draw()}"

    def _repr_html_(self) -> str:
        from treetalk.formats import svg

        drawing = "" if self._kind == "triple" else svg.to_svg(self._named)
        return svg.as_html(drawing, self.question)

    @property
    def _named(self) -> Tree:
        # Leaves of the restriction are numbered anew; what is typed as an answer are numbers of X.
        return self._tree if self._tree.items is not None else self._tree.with_items(map(str, self._leaves.tolist()))

    def __repr__(self) -> str:
        return f"<treetalk.Query: {self._kind} of {len(self._leaves)} items>"


def query_about(tree: Tree, leaves: NDArray[np.int32], kind: str, strategy: str) -> Query:
    """Return the query that shows a tree's restriction to some items."""
    return Query(kind, leaves, tree.restrict(leaves), strategy)
