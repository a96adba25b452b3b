"""Sampling until the draws can be trusted, or the time is up."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from treetalk.diagnostics import Diagnosis
from treetalk.session import Session

NUM_PARTS = 20
A_FEW_ROUNDS = 4
FIRST_ROUNDS = 10  # so many times the moves between two queries, in the first attempt


class Sampled(Protocol):
    """What samples: a project, or a session by itself."""

    @property
    def session(self) -> Session:
        """The session."""

    def advance(self, num_moves: int | None = None, num_snapshots: int | None = None) -> object:
        """Make moves."""


def sample_a_little(sampled: Sampled) -> None:
    """Sample so much that there are draws under the present answers, and the next question is worth asking."""
    sampled.advance(A_FEW_ROUNDS * sampled.session.num_moves)


def sample(
    sampled: Sampled,
    *,
    seconds: float | None = None,
    num_moves: int | None = None,
    tell: Callable[[int, str], None] | None = None,
) -> Diagnosis:
    """Sample until the diagnostics are content, if they are not; return the last diagnosis.

    Each attempt makes twice as many moves as the one before, and keeps as many trees, further apart: what one attempt keeps
    takes the place of the last one's.

    Parameters
    ----------
    sampled : Project
        What samples.
    seconds : float, optional
        To stop after so many seconds in any case; without it, and without `num_moves`, it goes on until the draws can be
        trusted.
    num_moves : int, optional
        To make exactly so many moves in each chain instead, and look at the diagnostics at the end.
    tell : callable, optional
        Called after each part with the number of moves made so far in each chain, and the latest verdict.
    """
    session = sampled.session
    start = time.monotonic()
    made = 0
    before = session.diagnose()
    if num_moves is None and before.is_trustworthy:
        return before  # more of them would take the place of draws that are good
    verdict = before.sentence
    attempt = num_moves if num_moves is not None else FIRST_ROUNDS * session.num_moves
    while True:
        parts = min(NUM_PARTS, attempt)
        for part in range(parts):
            count = attempt * (part + 1) // parts - attempt * part // parts
            kept = session.num_kept * (part + 1) // parts - session.num_kept * part // parts
            sampled.advance(count, max(kept, 1))
            made += count
            if tell is not None:
                tell(made, verdict)
            if seconds is not None and time.monotonic() - start >= seconds:
                return session.diagnose()
        diagnosis = session.diagnose()
        if num_moves is not None or diagnosis.is_trustworthy:
            return diagnosis
        verdict = diagnosis.sentence
        attempt *= 2
