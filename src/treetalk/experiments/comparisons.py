"""What is compared: with the chain without queries, with the published curves, and with the loop without moves."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from treetalk.experiments.plan import ABLATED_SETTINGS, ABLATED_STRATEGY, QUERYING
from treetalk.experiments.published import BAND_LARGEST, BAND_MEAN
from treetalk.experiments.results import Mean, Results

# How many standard errors a difference must be to count: more than two, for a handful of runs tells little of their spread.
CLEAR = 3.0
COMPARED_SETTING = "authors"  # the published curves were made with these query schemes


class LikelihoodGain(NamedTuple):
    """How much higher the log likelihood ends with queries than without, in nats."""

    strategy: str
    queried: Mean
    unqueried: Mean

    @property
    def difference(self) -> float:
        """The difference of the means."""
        return self.queried.mean - self.unqueried.mean

    @property
    def error(self) -> float:
        """The standard error of the difference."""
        return math.sqrt(sum(side.sd**2 / side.num_runs for side in (self.queried, self.unqueried)))

    @property
    def verdict(self) -> str:
        """Whether queries raised the likelihood, lowered it, or made no clear difference; one run cannot tell."""
        if min(self.queried.num_runs, self.unqueried.num_runs) < 2:
            return "one run cannot tell"
        if abs(self.difference) <= CLEAR * self.error:
            return "no clear difference"
        return "raised" if self.difference > 0 else "lowered"


def likelihood_gains(results: Results, data: str, setting: str) -> list[LikelihoodGain]:
    """Return the gain of each strategy; none, if the chain without queries was not run."""
    unqueried = results.curve(data, setting, "none")
    if unqueried is None:
        return []
    gains = []
    for strategy in QUERYING:
        curve = results.curve(data, setting, strategy)
        if curve is not None:
            gains.append(LikelihoodGain(strategy, curve.final_log_likelihood(), unqueried.final_log_likelihood()))
    return gains


def main_gain(results: Results, data: str, setting: str) -> LikelihoodGain | None:
    """Return the gain of interleaved queries, or of the last strategy that was run instead."""
    gains = likelihood_gains(results, data, setting)
    return next((gain for gain in gains if gain.strategy == ABLATED_STRATEGY), gains[-1] if gains else None)


class Likeness(NamedTuple):
    """How far the mean of our runs is from a published curve, at the points that were read off."""

    strategy: str
    mean: float  # of the absolute differences
    largest: float  # with its sign: positive where ours is higher
    at: int  # the number of queries there
    up_to: int  # the last number of queries compared
    num_points: int

    @property
    def is_inside(self) -> bool:
        """Whether the curve is no further away than the band allows, on average and at most."""
        return self.mean <= BAND_MEAN and abs(self.largest) <= BAND_LARGEST


def likenesses(results: Results, data: str, num_moves: int | None = None) -> list[Likeness]:
    """Return how like the published curves ours are, in the setting that is meant to be."""
    found = []
    for strategy in results.strategies(data, COMPARED_SETTING):
        points = results.points(data, strategy)
        curve = results.curve(data, COMPARED_SETTING, strategy, num_moves)
        if points is None or curve is None:
            continue
        differences = curve.mean_distance[points.num_queries] - points.triplet_distance
        worst = int(np.abs(differences).argmax())
        found.append(
            Likeness(
                strategy,
                float(np.abs(differences).mean()),
                float(differences[worst]),
                int(points.num_queries[worst]),
                int(points.num_queries[-1]),
                len(differences),
            )
        )
    return found


class Contribution(NamedTuple):
    """What sampling contributes: the distance without any moves minus that with them, until both have been near the target.

    Beyond, there is nothing left to contribute to. Where one of them never comes near, all queries count.
    """

    setting: str
    up_to: int  # the last number of queries that counts
    mean: float
    largest: float  # the difference furthest from 0
    at: int  # the number of queries there
    queries_with: int | None  # to come near the target
    queries_without: int | None


def contributions(results: Results, data: str) -> list[Contribution]:
    """Return what sampling contributes in each setting that was also run without moves."""
    found = []
    for setting in results.settings(data):
        sampled = results.curve(data, setting, ABLATED_STRATEGY)
        unsampled = results.curve(data, setting, ABLATED_STRATEGY, 0)
        if setting not in ABLATED_SETTINGS or sampled is None or unsampled is None:
            continue
        near = sampled.queries_to(), unsampled.queries_to()
        up_to = results.num_queries if None in near else max(count for count in near if count is not None)
        differences = (unsampled.mean_distance - sampled.mean_distance)[: up_to + 1]
        worst = int(np.abs(differences).argmax())
        found.append(
            Contribution(
                setting,
                up_to,
                float(differences.mean()),
                float(differences[worst]),
                worst,
                *near,
            )
        )
    return found
