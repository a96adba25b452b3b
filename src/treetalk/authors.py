"""The query schemes of the code that made the published curves, which differ from those that the paper describes.

They look at the target themselves:

- simple: a triplet of the target that was not used before, instead of three random items;
- smart and random: all trees since the last query are searched, the oldest first, and not only the last one;
- active: the subsets are tried in falling order of their variance until one is violated by the last tree;
- interleaved: active and *smart* in turn.

The triplet is not drawn, but the first that a scan in the order of item numbers finds, and the items were shuffled before.
Splits are scanned depth first, pairs of one side with an odd one of the other; which side comes first hangs on how a tree
came about, and is drawn here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels
from treetalk.metrics import num_triplets
from treetalk.session import Session
from treetalk.strategies import Strategy, subset_variances
from treetalk.tree import Tree
from treetalk.users import odd_one_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Triplet = tuple[int, int, int]
SCHEMES = ("simple", "smart", "random", "active", "interleaved")


class AuthorsAsking:
    """Queries and answers as in the authors' code.

    Parameters
    ----------
    strategy : str
        One of the five schemes.
    target : Tree
        The hierarchy wanted.
    subset_size, num_candidates, seed : int
        As for `treetalk.Session`.
    """

    def __init__(
        self, strategy: str | Strategy, target: Tree | None, subset_size: int, num_candidates: int, seed: int
    ) -> None:
        if not isinstance(strategy, str) or strategy not in SCHEMES:
            raise ValueError(f'the setting "authors" has the schemes {", ".join(SCHEMES)}, not {strategy!r}')
        if target is None:
            raise ValueError('the setting "authors" needs a user with a target, such as TreeUser')
        self._strategy, self._target = strategy, target
        self._subset_size, self._num_candidates = subset_size, num_candidates
        self._rng = np.random.default_rng([seed, 1])
        self._rank = self._rng.permutation(target.num_leaves)  # the place of each item among the shuffled ones
        self._used: set[Triplet] = set()
        self._num_asked = 0

    def step(self, session: Session) -> str:
        """Let one triplet be answered, if the scheme finds one; return "triplet" or "accept"."""
        turn = self._strategy
        if turn == "interleaved":
            turn = ("active", "smart")[self._num_asked % 2]
        self._num_asked += 1
        triplet = self._unused_triplet() if turn == "simple" else self._violated(turn, session)
        if triplet is None:
            return "accept"
        session.answer(None, [triplet])
        return "triplet"

    def _unused_triplet(self) -> Triplet | None:
        if len(self._used) == num_triplets(self._target):
            return None
        while True:
            three = self._rng.choice(self._target.num_leaves, 3, replace=False)
            triplet = odd_one_of(self._target, np.sort(three).astype(np.int32))
            if triplet is not None and triplet not in self._used:
                self._used.add(triplet)
                return triplet

    def _violated(self, turn: str, session: Session) -> Triplet | None:
        """Return a triplet that is violated where the scheme looks first."""
        n = session.num_items
        if turn != "active":
            leaves = np.arange(n, dtype=np.int32) if turn == "smart" else self._subset(n)
            return self._search(session.parents, leaves)
        subsets = np.array([self._subset(n) for _ in range(self._num_candidates)])
        last = session.parents[-1:]
        for row in np.argsort(-subset_variances(session.parents, subsets), kind="stable"):
            found = self._search(last, subsets[row])
            if found is not None:
                return found
        return None

    def _search(self, parents: NDArray[np.int32], leaves: NDArray[np.int32]) -> Triplet | None:
        part = self._target.restrict(leaves)
        order = np.argsort(self._rank[leaves])
        flips = self._rng.random(2 * len(leaves)) < 0.5
        found = _kernels.answers.first_scanned(part._layout, parents, leaves, order, flips)
        a, b, c = map(int, found)
        return None if a == -1 else (a, b, c)

    def _subset(self, num_items: int) -> NDArray[np.int32]:
        return self._rng.choice(num_items, min(self._subset_size, num_items), replace=False).astype(np.int32)
