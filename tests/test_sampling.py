"""Sampling until the draws can be trusted."""

from typing import NamedTuple

import numpy as np
import pytest

from treetalk import Session
from treetalk.sampling import FIRST_ROUNDS, NUM_PARTS, sample


class Alone(NamedTuple):
    """A session that samples by itself."""

    session: Session

    def advance(self, *counts: int) -> Session:
        return self.session.advance(*counts)


def clusters(num_items: int = 12) -> Alone:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(num_items, 2)) + 10 * (np.arange(num_items) % 3)[:, None]
    return Alone(Session(X))


@pytest.mark.large
def test_it_goes_on_until_the_diagnostics_are_content():
    sampled = clusters()
    assert not sampled.session.diagnose().is_trustworthy
    diagnosis = sample(sampled)
    assert diagnosis.is_trustworthy
    assert diagnosis == sampled.session.diagnose()


def test_it_stops_when_the_time_is_up_and_says_how_far_it_is():
    told = []
    sampled = clusters()
    num_moves = FIRST_ROUNDS * sampled.session.num_moves // NUM_PARTS
    verdict = sampled.session.diagnose().sentence
    diagnosis = sample(sampled, seconds=0.0, tell=lambda made, verdict: told.append((made, verdict)))
    assert told == [(num_moves, verdict)]
    assert not diagnosis.is_trustworthy


@pytest.mark.parametrize("num_moves", [1, 7, 2000])
def test_the_number_of_moves_can_be_said(num_moves):
    sampled = clusters()
    sample(sampled, num_moves=num_moves)
    for chain in sampled.session.chains:
        assert sum(counts.tried for counts in chain.info.values()) == num_moves


@pytest.mark.large
def test_a_longer_attempt_keeps_trees_that_are_further_apart_not_more_of_them():
    sampled = clusters()
    sample(sampled, num_moves=50_000)
    num_kept = len(sampled.session.samples)
    sample(sampled, num_moves=100_000)
    assert len(sampled.session.samples) == num_kept == 2 * sampled.session.num_kept
