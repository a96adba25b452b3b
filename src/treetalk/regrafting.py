"""Triplets that a chain's tree violates, taken in by one regraft each, the one that the posterior likes best."""

from __future__ import annotations

import numpy as np

from treetalk.constraints import Constraints
from treetalk.state import Engine
from treetalk.tree import Tree

# More triplets at once are taken in together, and in larger trees one regraft takes longer to find than to undo.
MOST_REGRAFTED, MOST_ITEMS_REGRAFTED = 20, 5_000


def regraft_all(engine: Engine, constraints: Constraints) -> bool:
    """Have an engine's tree satisfy constraints, one violated triplet after the other; return whether that did it."""
    num_said = len(constraints.needed)
    together = np.concatenate([constraints.needed, constraints.presumed])
    holds = _tree_of(engine).satisfies(together)
    violated = np.flatnonzero(~holds)
    if len(violated) > MOST_REGRAFTED or engine.num_leaves > MOST_ITEMS_REGRAFTED:
        return False
    for row in violated:
        engine.set_triplets(together[:num_said][holds[:num_said]], together[num_said:][holds[num_said:]])
        if not _tree_of(engine).satisfies(together[[row]])[0] and not engine.take_in(together[row]):
            return False
        holds[row] = True
    return True


def _tree_of(engine: Engine) -> Tree:
    return Tree(engine.parents_and_ages()[0])
