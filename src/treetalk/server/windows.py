"""Which window is shown which question, and questions that are ready before anybody needs them."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from treetalk.again import AGAIN
from treetalk.checks import CHECK
from treetalk.queries import CHOSEN, Query, query_about
from treetalk.strategies import subset_variances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.project import Project

# Every fifth question of a window is a random one of three items: from these it is estimated how much is still wrong.
CHECK_EVERY, FIRST_CHECK = 5, 3
# So many are ready, at least for as many windows as were seen lately.
FEWEST_READY, MOST_READY = 2, 8
# After so many that are settled, were accepted already or are being answered elsewhere, nothing is left to ask.
MOST_PASSED_OVER, MOST_ELSEWHERE = 50, 10
MOST_WINDOWS = 1_000
LATELY = 300.0  # seconds
NUM_CANDIDATES = 20


@dataclass
class Window:
    """A window of somebody's browser."""

    question: Query | None = None
    num_asked: int = 0
    seen: float = field(default_factory=time.monotonic)


class Windows:
    """All windows, and the questions that are ready for them. Used within a turn only.

    Parameters
    ----------
    project : Project
        The project.
    subset_size : int
        How many items of a larger branch are asked about.
    """

    def __init__(self, project: Project, subset_size: int) -> None:
        self._project, self._session, self._subset_size = project, project.session, subset_size
        self._windows: OrderedDict[str, Window] = OrderedDict()
        self._lock = threading.Lock()  # windows are also counted by those who have no turn
        self._empty_at: int | None = None  # the number of answers at which nothing was left to ask
        self._ready: deque[Query] = deque()
        self._check: Query | None = None
        self._rng = np.random.default_rng()

    def present(self, name: str) -> Query | None:
        """Return the question that a window shows; another one if the answers have settled it, or if there is none."""
        window = self._seen(name)
        query = None if window.question is None else self._session.renew(window.question)
        if query is None or self._is_known(query):
            return self.next(name)
        window.question = query
        return query

    def next(self, name: str) -> Query | None:
        """Return the next question for a window, None if nothing is left to ask."""
        window = self._seen(name)
        window.question = None
        elsewhere = {
            frozenset(each.question.leaves.tolist()) for each in self._windows.values() if each.question is not None
        }
        is_check = window.num_asked % CHECK_EVERY == FIRST_CHECK
        query = self._next_check() if is_check else self._next_ready(elsewhere)
        if query is not None:
            window.num_asked += 1
        window.question = query
        return query

    def show(self, name: str, query: Query) -> None:
        """Have a window show a question."""
        self._seen(name).question = query

    def about(self, leaves: Iterable[int]) -> Query:
        """Return a question about some items; of many, those about which the draws disagree most."""
        chosen = np.fromiter(leaves, np.int64)
        if len(chosen) > self._subset_size:
            subsets = np.array(
                [self._rng.choice(chosen, self._subset_size, replace=False) for _ in range(NUM_CANDIDATES)]
            )
            variances = subset_variances(self._session.snapshots.parents, subsets)
            chosen = subsets[int(np.argmax(variances))]
        return self._session.ask_about(chosen.tolist())

    @property
    def num_lately(self) -> int:
        """How many windows were seen lately."""
        now = time.monotonic()
        with self._lock:
            return sum(now - window.seen < LATELY for window in self._windows.values())

    # --- questions that are ready

    def prepare(self) -> None:
        """Make questions ready; those from before may no longer be the best ones."""
        self._ready.clear()
        self._check = self._empty_at = None
        self.refill()

    def refill(self) -> None:
        """Make more questions ready, if there are too few."""
        for _ in range(min(max(FEWEST_READY, self.num_lately), MOST_READY) - len(self._ready)):
            query = self._session.prepare(self._session.num_asked + len(self._ready))
            if query is None:
                break
            self._ready.append(query)
        if self._check is None:
            self._check = self._random_triple()

    def _next_ready(self, elsewhere: set[frozenset[int]]) -> Query | None:
        if self._empty_at == len(self._session.answers):
            return None  # to find that out takes a while
        for passed_over in range(MOST_PASSED_OVER):
            # Every other turn may have the same question.
            another = partial(self._session.prepare, self._session.num_asked + passed_over)
            query = self._fresh(self._ready.popleft() if self._ready else None, another)
            if query is None:
                break
            if self._is_known(query):
                continue
            # Of few items there are not enough questions for everybody.
            if passed_over < MOST_ELSEWHERE and frozenset(query.leaves.tolist()) in elsewhere:
                continue
            self._session.count_asked()
            return query
        self._empty_at = len(self._session.answers)
        return None

    def _is_known(self, query: Query) -> bool:
        """Return whether somebody accepted just this already; sampling may have turned another question into it."""
        return query.strategy not in {CHOSEN, AGAIN} and self._project.is_accepted(query)

    def _next_check(self) -> Query | None:
        check, self._check = self._check, None
        # Where hardly a random triple is open any more, an ordinary question does more.
        return self._fresh(check, self._random_triple) or self._next_ready(set())

    def _random_triple(self) -> Query | None:
        """Return three random items about which the answers settle nothing, None if it takes too long to find some."""
        for _ in range(MOST_PASSED_OVER if self._session.num_items >= 3 else 0):
            leaves = self._rng.choice(self._session.num_items, 3, replace=False).astype(np.int32)
            query = self._session.renew(query_about(self._session.tree, leaves, "triple", CHECK))
            if query is not None:
                return query
        return None

    def _fresh(self, query: Query | None, another: Callable[[], Query | None]) -> Query | None:
        """Return a question about the tree as it is now: the one that is ready, or another one if it is settled by now."""
        renewed = None if query is None else self._session.renew(query)
        return another() if renewed is None else renewed

    def _seen(self, name: str) -> Window:
        with self._lock:
            window = self._windows.setdefault(name, Window())
            window.seen = time.monotonic()
            self._windows.move_to_end(name)
            while len(self._windows) > MOST_WINDOWS:
                self._windows.popitem(last=False)
            return window


def surroundings(sizes: NDArray[np.int32], parent: NDArray[np.int32], node: int) -> int:
    """Return the smallest branch around a node that has three items or more."""
    while sizes[node] < 3 and parent[node] != -1:
        node = int(parent[node])
    return node
