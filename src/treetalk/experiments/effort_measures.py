"""What is counted: answers until a hierarchy is found, and whether one way of asking is worse than another."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.experiments.results import Curve, Mean, spread
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

DISTANCES = (0.1, 0.05, 0.0)
ROUNDING = 1e-12  # a distance is a sum of shares
NUM_FIRST = 100
LEVEL = 0.05  # how often one way is called worse than another, somewhere, that is equally good everywhere
FEWEST_RUNS = 5  # fewer have too few patterns of signs to tell at that level
MOST_PATTERNS = 4096
# Differences of distances vary between runs by at least so much, as far as the comparison knows, and count from at least so
# many standard errors on: where all runs happen to agree, the least difference would count otherwise.
LEAST_SPREAD, LEAST_ERRORS = 0.005, 2.0


class Reached(NamedTuple):
    """After how many answers runs are down to a distance, for the first time."""

    distance: float
    counts: tuple[int | None, ...]  # one for each run; None if it never is
    num_queries: int

    @property
    def num_reached(self) -> int:
        """How many runs get there."""
        return sum(count is not None for count in self.counts)

    @property
    def mean(self) -> Mean | None:
        """The mean over runs, if all of them get there."""
        values = np.array([count for count in self.counts if count is not None], dtype=np.float64)
        if len(values) < len(self.counts):
            return None
        return Mean(float(values.mean()), float(spread(values)), len(values))

    def in_words(self) -> tuple[str, str]:
        """Return the mean and how far runs differ; or that more answers are needed, and by how many runs they are not."""
        mean = self.mean
        if mean is None:
            return f"> {self.num_queries}", f"({self.num_reached} of {len(self.counts)})"
        return f"{mean.mean:.1f}", "" if math.isnan(mean.sd) else f"± {mean.sd:.1f}"


class Measure(NamedTuple):
    """What one way of asking costs on one data set."""

    reached: tuple[Reached, ...]  # one for each of `DISTANCES`
    mean_curve_reached: int | None  # after so many answers the mean over runs is near; None if it never is
    first: Mean  # of the distances after each of the first hundred answers, or of all if there are fewer
    final: Mean


def measure(curve: Curve) -> Measure:
    """Return what is counted on runs that differ in their seed alone."""
    num_queries = curve.distances.shape[1] - 1
    reached = tuple(Reached(to, _first_at(curve.distances, to), num_queries) for to in DISTANCES)
    early = curve.distances[:, 1 : NUM_FIRST + 1].mean(axis=1)
    return Measure(reached, curve.queries_to(), _mean(early), curve.distance_at(num_queries))


def _first_at(distances: NDArray[np.float64], to: float) -> tuple[int | None, ...]:
    near = distances <= to + ROUNDING
    return tuple(int(row.argmax()) if row.any() else None for row in near)


def _mean(values: NDArray[np.float64]) -> Mean:
    return Mean(float(values.mean()), float(spread(values)), len(values))


def num_classes(target: Tree) -> int | None:
    """Return the number of classes of a target that is nothing but classes; None if it is a deeper hierarchy.

    With K classes of n items, n - K well-chosen triplets are enough for BUILD alone to return a tree at distance 0: each
    class of m items is held together by m - 1.
    """
    inner = [v for v in range(target.num_leaves, target.num_nodes) if v != target.root]
    if any(target.parent[v] != target.root for v in inner):
        return None
    return len(target.children(target.root))


class Comparison(NamedTuple):
    """Where one way of asking is worse than another beyond noise."""

    num_runs: int
    worse_at: tuple[int, ...]  # numbers of queries
    largest: float  # the largest mean difference there; 0 if there is none
    at: int  # the number of queries there

    @property
    def can_tell(self) -> bool:
        """Whether there are enough runs."""
        return self.num_runs >= FEWEST_RUNS


def compare(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Comparison:
    """Return where the distances of our runs are larger than theirs, run by run, at any number of queries.

    Run i of the one is paired with run i of the other: they have the same seed, and the same data where these are drawn. The
    mean difference counts where it is so many standard errors above 0 that noise alone would hardly take it there at any
    number of queries: the largest over all of them stays below that in 95 of 100 patterns of signs that the runs' deviations
    from their mean are given (a wild bootstrap of the largest t value; all patterns, or 4,096 drawn ones).
    """
    differences = ours - theirs
    num_runs = len(differences)
    if num_runs < FEWEST_RUNS:
        return Comparison(num_runs, (), 0.0, 0)
    mean = differences.mean(axis=0)
    values = _t_values(np.ones((1, num_runs)), differences)[0]
    noise = _t_values(_patterns(num_runs), differences - mean).max(axis=1)
    worse = np.flatnonzero(values > max(np.quantile(noise, 1 - LEVEL, method="higher"), LEAST_ERRORS))
    if not worse.size:
        return Comparison(num_runs, (), 0.0, 0)
    at = int(worse[mean[worse].argmax()])
    return Comparison(num_runs, tuple(worse.tolist()), float(mean[at]), at)


def _patterns(num_runs: int) -> NDArray[np.float64]:
    if 2**num_runs <= MOST_PATTERNS:
        return np.array(list(itertools.product([-1.0, 1.0], repeat=num_runs)))
    return np.random.default_rng(0).choice([-1.0, 1.0], (MOST_PATTERNS, num_runs))


def _t_values(signs: NDArray[np.float64], differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean over runs in standard errors, for each pattern of signs and each number of queries."""
    num_runs = len(differences)
    means = signs @ differences / num_runs
    squares = (differences**2).sum(axis=0)  # signs do not change them
    spreads = np.sqrt(np.maximum(squares - num_runs * means**2, 0) / (num_runs - 1))
    return np.asarray(means / (np.maximum(spreads, LEAST_SPREAD) / math.sqrt(num_runs)))
