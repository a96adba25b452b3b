"""A chain sent out afresh, to see whether the others have been led astray.

Answers come one by one, and each is taken in by changing a chain's tree a little. When ten answers move a whole group, item
by item, a chain may end up at a tree from which it would take very long to come to where the posterior is: hundreds of nats
below it. Scouts go other ways, in turn: from the average linkage of the data among the trees that satisfy all the answers at
once, see `treetalk.joining`; and from the plain one, taking in the answers one by one in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.joining import join
from treetalk.start import ages_from_data
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.chain import Chain
    from treetalk.models import DirichletDiffusion

# Items, and triplets times the square of the number of items: beyond, setting out takes longer than the moves.
MOST_ITEMS, MOST_WORK = 500, 20_000_000
MOST_RETAKEN = 60  # answers that are taken in one by one; the others at once
# How far a chain has come is seen by looking so many times, this share of the moves between two queries apart: the log
# density of a single draw varies by more than what tells a good tree from a bad one.
NUM_LOOKS, SHARE_BETWEEN = 10, 0.01
NUM_BEFORE = 5  # as many moves as between so many looks come first, for an answer has just changed the tree
FAR_BEHIND = 1.5  # in roots of the number of items


class Scouts:
    """Where chains set out afresh, by how far apart items are in the data of the chains."""

    def __init__(self) -> None:
        self._measured: tuple[DirichletDiffusion, NDArray[np.float64]] | None = None  # under which model, and distances

    def lead(self, chains: Sequence[Chain], turn: int, num_moves: int) -> list[int]:
        """Have chains that answers have left far behind go on from the best tree that is known; return which.

        That is the tree of another chain or of a scout. All are on their way to the same distribution, and where they set
        out from, after an answer has changed it, is free. The chains themselves make no moves, and if none are to be made
        between two queries, nobody is led.
        """
        if num_moves == 0:
            return []
        scout = self.send(chains[0], turn, num_moves)
        known = [*chains] if scout is None else [*chains, scout]
        if len(known) == 1:
            return []
        heights = np.array([_height(chain, turn, num_moves) for chain in known])
        best = int(heights.argmax())
        is_behind = heights[: len(chains)] < heights[best] - FAR_BEHIND * np.sqrt(chains[0].num_items)
        behind: list[int] = np.flatnonzero(is_behind).tolist()
        for i in behind:
            chains[i].go_to(known[best].tree)
        return behind

    def send(self, chain: Chain, turn: int, num_moves: int) -> Chain | None:
        """Return a copy of a chain that has set out afresh and made some moves; None where that takes too long.

        Which way it goes depends on the turn, and on nothing else that is random.
        """
        triplets, presumed = chain.triplets, chain.presumed
        num_items = chain.num_items
        if len(triplets) == 0 or num_items > MOST_ITEMS:
            return None
        if (len(triplets) + len(presumed)) * num_items**2 > MOST_WORK:
            return None
        if turn % 2:
            triplets = np.random.default_rng(turn).permutation(triplets)
            at_once, one_by_one = triplets[:-MOST_RETAKEN], triplets[-MOST_RETAKEN:]
        else:
            at_once, one_by_one = triplets, triplets[:0]
        scout = chain.copy()
        scout.replace_triplets(triplets[:0])
        parent = join(self._distances(chain), np.concatenate([at_once, presumed]))
        assert not isinstance(chain.model.noise, str)
        scout.go_to(Tree(parent, age=ages_from_data(parent, chain.data, chain.model.noise)))
        scout.replace_triplets(at_once, presumed)
        for triplet in one_by_one:
            scout.add_triplet(triplet)
            scout.run(num_moves // len(one_by_one))
        return scout if turn % 2 else scout.run(num_moves)

    def _distances(self, chain: Chain) -> NDArray[np.float64]:
        if self._measured is None or self._measured[0] != chain.model:
            from scipy.spatial.distance import pdist, squareform

            self._measured = chain.model, squareform(pdist(chain.data))
        return self._measured[1]

    def __getstate__(self) -> dict[str, Any]:
        # What is found out when it is needed is not worth keeping.
        return {"_measured": None}


def _height(chain: Chain, turn: int, num_moves: int) -> float:
    """Return the mean log density of what a chain comes to by itself.

    A copy goes ahead, with other random numbers: the chain must not be chosen by the very moves that it will make.
    """
    ahead = chain.apart(turn)
    step = max(int(SHARE_BETWEEN * num_moves), 1)
    ahead.run(NUM_BEFORE * step)
    return float(np.mean([ahead.run(step).log_target for _ in range(NUM_LOOKS)]))
