"""How much the features tell about classes: whether two of one class are more alike than others.

Only pairs that nobody named count, such as a and d where a and b, and b and d were put together: what is corrected are those
whom the tree has wrong, so the two that are named are less alike than others of their class.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from treetalk.arguments import A, B

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUM_PAIRS = 20_000  # random ones, to compare with
MOST_OF_A_GROUP = 20  # items of each, whose pairs are looked at
# As if so many pairs had been seen that are as much alike as where features tell something.
AT_FIRST, NUM_AT_FIRST = 0.7, 4
# By chance two of one class are more alike than half of all pairs. With so much more, features and answers weigh the same.
BY_CHANCE, AS_MUCH, POWER = 0.5, 0.15, 4


class Likeness:
    """How much alike two items are, compared with two random ones."""

    def __init__(self, X: NDArray[np.float64], scale: NDArray[np.float64]) -> None:
        varies = scale > 0
        self.points: NDArray[np.float64] = X[:, varies] / np.sqrt(scale[varies])
        rng = np.random.default_rng(0)
        one, step = rng.integers(len(X), size=NUM_PAIRS), rng.integers(1, len(X), size=NUM_PAIRS)
        self._distances = np.sort(self._distance(one, (one + step) % len(X)))

    def _distance(self, one: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.float64]:
        return np.asarray(((self.points[one] - self.points[other]) ** 2).sum(axis=1))

    def surprises(self, triplets: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return by how much more the two of each triplet differ than one of them does from the odd one."""
        a, b, c = triplets.T
        others = np.minimum(self._distance(a, c), self._distance(b, c))
        return np.asarray(np.sqrt(self._distance(a, b)) - np.sqrt(others))

    def within(self, labels: NDArray[np.intp], named: NDArray[np.int32]) -> float:
        """Return the share of random pairs that are less alike than two of one group, on average over these.

        Parameters
        ----------
        labels : int array
            The number of each item's group.
        named : int array of shape (m, 3)
            Triplets whose pairs do not count, nor those of groups of one item.
        """
        left_out = set(map(frozenset, named[:, [A, B]].tolist()))
        groups = np.flatnonzero(np.bincount(labels) > 1)
        members = [np.flatnonzero(labels == k)[:MOST_OF_A_GROUP].tolist() for k in groups]
        pairs = [pair for group in members for pair in combinations(group, 2) if frozenset(pair) not in left_out]
        if not pairs:
            return AT_FIRST
        one, other = np.array(pairs).T
        distances = self._distance(one, other)
        # Those that are as much alike count for half.
        nearer = np.mean([np.searchsorted(self._distances, distances, side) for side in ("left", "right")], axis=0)
        less = 1.0 - nearer / NUM_PAIRS
        return float((less.sum() + NUM_AT_FIRST * AT_FIRST) / (len(pairs) + NUM_AT_FIRST))


def weight_of_answers(likeness: float) -> float:
    """Return how far to go by the answers alone, from 0 to 1, where two of one class are so much alike."""
    return 1.0 / (1.0 + (max(likeness - BY_CHANCE, 0.0) / AS_MUCH) ** POWER)
