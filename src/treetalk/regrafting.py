"""Triplets that a chain's tree violates, taken in by one regraft each, the one that the posterior likes best.

Where there are several, those come first whose items meet highest in the tree: that moves what is large, and what is below
comes along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk.constraints import Constraints
from treetalk.state import Engine
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Violated triplets times items: beyond, one regraft after the other takes too long. And in trees of more items even a single
# one takes longer to find than to undo.
MOST_WORK, MOST_ITEMS = 200_000, 5_000


def regraft_all(engine: Engine, constraints: Constraints) -> bool:
    """Have an engine's tree satisfy constraints, one violated triplet after the other; return whether that did it."""
    num_said = len(constraints.needed)
    together = np.concatenate([constraints.needed, constraints.presumed])
    tree = _tree_of(engine)
    holds = tree.satisfies(together)
    violated = np.flatnonzero(~holds)
    if len(violated) * engine.num_leaves > MOST_WORK or engine.num_leaves > MOST_ITEMS:
        return False
    violated = _from_above(tree, together, violated)
    for i, row in enumerate(violated):
        if not tree.satisfies(together[[row]])[0]:
            engine.set_triplets(together[:num_said][holds[:num_said]], together[num_said:][holds[num_said:]])
            rest = together[violated[i + 1 :]]
            if not engine.take_in(together[row], rest[~tree.satisfies(rest)]):
                return False
            tree = _tree_of(engine)
        holds[row] = True
    return True


def _from_above(tree: Tree, triplets: NDArray[np.int32], rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return rows of triplets in the order of the sizes of the clades in which their items meet, the largest first."""
    sizes = [tree.sizes[tree.mrca(*triplet)] for triplet in triplets[rows].tolist()]
    return rows[np.argsort(-np.array(sizes, np.int64), kind="stable")]


def _tree_of(engine: Engine) -> Tree:
    return Tree(engine.parents_and_ages()[0])
