"""When answers contradict each other, the fewest are given up: one that several others contradict is the one in error.

The first of two answers that contradict each other is in force, and the other one is set aside: nothing tells who is right.
But one early mistake may contradict much that is said later. If it stayed in force, all that would be set aside, one right
answer after the other, and nobody could put the tree right any more. So when an answer is set aside, a larger set of answers
that agree is looked for.

To find the largest one is NP-hard; this finds larger ones, not always the largest. First, one answer in force is given up
for two that are set aside, the newest and another about two of the same items, if that is possible. If not, all are voted
on. Each answer that is set aside has a minimal conflict with those in force, which is a vote against everyone in it. All
answers are then taken in afresh, first those with the fewest votes. Then others may be set aside, and are voted on in turn:
votes add up from round to round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels
from treetalk.build import minimal_conflict

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Among fewer, some agree by chance; and where more than this share is set aside after all, nobody is right.
FEWEST_SAID, MOST_ASIDE = 20, 1 / 3
MOST_SAID = 4_000  # of more it would take too long: they go by their order
MOST_TRIED = 50  # answers in force that may be given up for two others
NUM_ROUNDS, NUM_VOTING = 8, 10  # in each round, so many of those set aside vote, the latest ones
MOST_READ = 300_000  # triplets that are given to BUILD: some tenth of a second
LARGE = 500  # triplets: to find a conflict among more of them takes as long as several times BUILD
EACH_TIME = 8  # so many set aside: all are voted on with each one more, and then less and less often


def is_due(num_aside: int) -> bool:
    """Return whether to vote on all, now that so many triplets are set aside."""
    return num_aside > 1 and num_aside % 2 ** max((num_aside // EACH_TIME).bit_length() - 1, 0) == 0


def larger_agreement(
    triplets: NDArray[np.int32], in_force: Sequence[int], set_aside: Sequence[int]
) -> list[int] | None:
    """Return the numbers of more triplets that agree than are in force; None if none were found.

    Parameters
    ----------
    triplets : array of shape (m, 3)
        The triplets, each once, in the order in which they were said.
    in_force : sequence of int
        The numbers of triplets that agree.
    set_aside : sequence of int
        The numbers of the others, each of which contradicts those in force, the newest last.
    """
    every = sorted([*in_force, *set_aside])
    if len(every) < FEWEST_SAID or len(set_aside) < 2:
        return None
    reading = _Reading(triplets)
    best = reading.with_two_for_one(list(in_force), list(set_aside))
    if best is None:
        best = reading.after_a_vote(list(in_force), list(set_aside)) if is_due(len(set_aside)) else list(in_force)
    is_larger = len(best) > len(in_force) and len(every) - len(best) <= MOST_ASIDE * len(every)
    return sorted(best) if is_larger else None


class _Reading:
    """Which triplets agree, given by their numbers."""

    def __init__(self, triplets: NDArray[np.int32]) -> None:
        leaves, local = np.unique(triplets, return_inverse=True)
        self._triplets, self._num_leaves = local.reshape(-1, 3).astype(np.int32), len(leaves)
        self._num_read = 0  # a triplet as often as it was read

    def with_two_for_one(self, in_force: list[int], aside: list[int]) -> list[int] | None:
        """Return those in force but for one, with the newest one set aside and others; None if that are not more."""
        newest = aside[-1]
        rivals = [number for number in self.conflict(in_force, newest) if number != newest]
        best = None
        for rival in rivals[:MOST_TRIED]:
            if self._num_read > MOST_READ:
                break
            is_near = np.isin(self._triplets[aside], self._triplets[rival]).sum(axis=1) >= 2
            near = [number for number, yes in zip(aside, is_near, strict=True) if yes and number != newest]
            without = [number for number in in_force if number != rival]
            if near and self._reason([*without, newest]) is None:
                kept = self.taken_in(near[-NUM_VOTING:], [*without, newest])
                best = kept if len(kept) > len(best or in_force) else best
        # The one that is given up may have been in the way of others too.
        others = [] if best is None else [number for number in aside if number not in best]
        return None if best is None else self.taken_in(others, best, in_time=False)

    def after_a_vote(self, in_force: list[int], aside: list[int]) -> list[int]:
        """Return the largest set of triplets that agree which is found by voting, perhaps those in force."""
        best = kept = in_force
        every = sorted([*in_force, *aside])
        votes: Counter[int] = Counter()
        for _ in range(NUM_ROUNDS):
            for one in aside[-NUM_VOTING:]:
                votes.update(self.conflict(kept, one))
            kept = self.taken_in(sorted(every, key=lambda one: (votes[one], one)), [])
            aside = sorted(set(every).difference(kept))
            if self._num_read > 2 * MOST_READ:
                break  # in the midst of it: those left out may agree
            best = kept if len(kept) > len(best) else best
            if not aside or self._num_read > MOST_READ:
                break
        return best

    def taken_in(self, numbers: list[int], kept: list[int], *, in_time: bool = True) -> list[int]:
        """Return some that are kept, and those that agree with all that are kept or were taken in before them.

        If it is to be done in time, some of them may be left out.
        """
        batches = [numbers]
        while batches and not (in_time and self._num_read > 2 * MOST_READ):
            batch = batches.pop()
            if self._reason(kept + batch) is None:
                kept = kept + batch
            elif len(batch) > 1:
                half = len(batch) // 2
                batches += [batch[half:], batch[:half]]
        return kept

    def conflict(self, kept: list[int], one: int) -> list[int]:
        """Return a minimal set of triplets that contradict each other, one and some of those kept; if none do, none."""
        together = [*kept, one]
        reason = self._reason(together)
        if reason is None:
            return []
        self._num_read += len(together) * (len(together) // LARGE)
        return [together[row] for row in minimal_conflict(self._triplets[together], reason).tolist()]

    def _reason(self, numbers: list[int]) -> NDArray[np.integer] | None:
        """Return why some triplets contradict each other, as BUILD has it; None if they agree."""
        self._num_read += len(numbers)
        parent, reason = _kernels.build.build(self._triplets[numbers], self._num_leaves)
        return None if parent.size else reason
