"""A session's questions: what is shown next, chosen by a strategy among what the answers leave open."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from treetalk.again import AGAIN, most_doubtful
from treetalk.arguments import as_leaves
from treetalk.flatness import flatness_but_for_odd_ones_inside
from treetalk.heard import says_several
from treetalk.locking import alone
from treetalk.loosening import LooseChain
from treetalk.misfits import Fit, fit_of
from treetalk.posterior import Posterior
from treetalk.presuming import CERTAIN
from treetalk.queries import CHOSEN, Query, query_about
from treetalk.settled import Settled
from treetalk.snapshots import Snapshots
from treetalk.strategies import Strategy, View, in_turn
from treetalk.triplets import TripletSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A strategy that only comes up with what is settled is helped after so many candidates.
MOST_TRIED = 200


class Inquirer(Posterior):
    """What a session does to ask: it shows a strategy how things stand, and takes the first candidate that is open."""

    _strategy: Strategy
    _known: TripletSet | None
    _num_kept: int
    _loosened: (
        tuple[tuple[int, int], Snapshots] | None
    )  # after how many moves and answers, and what the loose chain drew

    @alone
    def ask(self) -> Query | None:
        """Return what to show next, or None if nothing is left to ask.

        What the answers in force imply is not asked, nor is a triple again that the user called alike.
        """
        query = self.prepare(self._num_asked)
        if query is not None:
            self.count_asked()
        return query

    @alone
    def prepare(self, turn: int) -> Query | None:
        """Return what would be shown as the query of this number, without counting it as asked.

        For those who show a query later, perhaps to somebody else: `renew` checks it again then, `count_asked` counts it.
        """
        view = View(
            self.tree,
            self._snapshots.latest(self._setting.num_kept),
            turn,
            self._chains[0].triplets,
            self._heard,
            self._flatness,
            loose=self._loose_draws,
            classes=self._class_draws,
            doubtful=self._doubtful,
            fit=self._fit,
            errs=bool(self._repeated.revised),
        )
        chosen = in_turn(self._strategy, view)
        candidates = chosen.candidates(view, self._rng)
        if not isinstance(candidates, Iterable):
            raise TypeError(f"strategy {chosen.name!r}: candidates must yield sets of items, not {candidates!r}")
        size = 3
        settled = self._settled
        for candidate in itertools.islice(candidates, MOST_TRIED):
            leaves = as_leaves(candidate, self.num_items, self.items)
            if chosen.name == AGAIN or not settled.covers(self.tree, leaves):
                return query_about(self.tree, leaves, chosen.kind, chosen.name)
            size = len(leaves)
        rest = settled.open_triple(self.tree)
        if rest is None:
            return None
        if chosen.kind == "subtree":
            others = np.setdiff1d(np.arange(self.num_items), rest)
            more = self._rng.choice(others, min(max(size - 3, 0), len(others)), replace=False)
            rest = np.concatenate([rest, more])
        return query_about(self.tree, rest.astype(np.int32), chosen.kind, chosen.name)

    @alone
    def renew(self, query: Query) -> Query | None:
        """Return a query that was prepared before, about the tree as it is now; None if the answers settle it by now."""
        self._check_query(query)
        if query.strategy == AGAIN:
            is_settled = frozenset(query.leaves.tolist()) in self._repeated.settled
        else:
            is_settled = self._settled.covers(self.tree, query.leaves)
        if is_settled:
            return None
        return query_about(self.tree, query.leaves, query.kind, query.strategy)

    @alone
    def count_asked(self) -> None:
        """Count a query that was prepared before as asked."""
        self._num_asked += 1

    @property
    def num_asked(self) -> int:
        """How many queries were asked."""
        return self._num_asked

    @alone
    def ask_about(self, leaves: Iterable[object]) -> Query:
        """Return a query about some items, given by number or name, whether or not the answers settle it."""
        chosen = as_leaves(leaves, self.num_items, self.items)
        if len(chosen) < 3:
            raise ValueError(f"a query is about three items or more, not {len(chosen)}")
        return query_about(self.tree, chosen, "subtree", CHOSEN)

    def _loose_draws(self) -> Snapshots:
        """Return trees that believe the features less, the same ones until the chains move or something is said."""
        now = sum(counts.tried for counts in self._chains[0].info.values()), len(self._ledger.entries)
        if self._loose is None:
            self._loose = LooseChain(self._chains[0], self._X)
            self._loosened = None
        if self._loosened is None or self._loosened[0] != now:
            self._loosened = now, self._loose.draws(self._chains[0], self._moves_so_far, self._num_kept)
        return self._loosened[1]

    def _doubtful(self) -> tuple[int, int, int] | None:
        """Return the answer to ask for again, if one may well be a mistake."""
        # Who drops an item onto another one of its class says more than he means: odd ones inside are no mistakes of his.
        looks_like_classes = flatness_but_for_odd_ones_inside(self._heard) >= CERTAIN
        may_be_classes = looks_like_classes and not says_several(self._heard)
        return most_doubtful(self._ledger, self._repeated, self._compared.surprises, may_be_classes=may_be_classes)

    def _fit(self, labels: NDArray[np.intp]) -> Fit:
        """Return how well items fit into their groups."""
        return fit_of(self._compared.points, labels)

    @property
    def _settled(self) -> Settled:
        if self._known is None:
            self._known = TripletSet(self._chains[0].triplets, self.num_items)
        alike = (
            frozenset(answer.leaves)
            for answer in self._ledger.entries
            if answer.kind == "same" and answer.leaves is not None and not self._ledger.is_retracted(answer.id)
        )
        return Settled(self._known, set(alike))

    def _check_query(self, query: Query | None, *, is_needed: bool = True) -> None:
        if not isinstance(query, Query) and (query is not None or is_needed):
            raise TypeError(f"a query is what ask() returned, not {query!r}")
        if query is not None:
            numbers = query.leaves.tolist()
            wrong = [number for number in numbers if not 0 <= number < self.num_items]
            if wrong or len(set(numbers)) < len(numbers):
                found = f"item {wrong[0]}" if wrong else "an item twice"
                raise ValueError(f"the query is about {found}, and there are {self.num_items} items")
