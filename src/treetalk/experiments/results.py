"""The runs put together: curves with mean and spread, what they are compared with, and a table of all of it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.datasets import Benchmark
from treetalk.experiments.plan import SETTINGS, STRATEGIES, Run
from treetalk.experiments.published import Points, Published
from treetalk.experiments.runs import Record
from treetalk.metrics import triplet_distance
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEAR = 0.05  # the triplet distance that "found" means
CHECKPOINTS = (10, 20, 50, 100, 200, 300, 400, 600)
HEADER = (
    "data", "setting", "strategy", "num_moves", "num_queries", "num_runs", "triplet_distance", "triplet_distance_sd",
    "log_likelihood", "log_likelihood_sd", "log_likelihood_median",
    "published_triplet_distance",
)  # fmt: skip


class Mean(NamedTuple):
    """A mean over runs, and their standard deviation: NaN for a single run, which has none."""

    mean: float
    sd: float
    num_runs: int


class Curve(NamedTuple):
    """All runs that differ in their seed alone."""

    distances: NDArray[np.float64]  # shape (num_runs, num_queries + 1)
    log_likelihoods: NDArray[np.float64]

    @property
    def num_runs(self) -> int:
        """How many runs there are."""
        return len(self.distances)

    @property
    def mean_distance(self) -> NDArray[np.float64]:
        """The mean triplet distance after each number of queries."""
        return np.asarray(self.distances.mean(axis=0))

    def distance_at(self, num_queries: int) -> Mean:
        """Return the distance after a number of queries."""
        return _mean(self.distances[:, num_queries])

    def queries_to(self, distance: float = NEAR) -> int | None:
        """Return after how many queries the mean distance is down to a distance; None if it never is."""
        below = np.flatnonzero(self.mean_distance <= distance)
        return int(below[0]) if below.size else None

    def final_log_likelihood(self) -> Mean:
        """Return the log likelihood at the end: the mean over runs of the median over the last tenth of the queries.

        A chain never stands still, and where a triplet makes BUILD start afresh the likelihood is for a while that of a tree
        that has not seen the data: means over queries would tell of nothing else.
        """
        num_last = max(1, self.log_likelihoods.shape[1] // 10)
        return _mean(np.median(self.log_likelihoods[:, -num_last:], axis=1))


def spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation over runs, the first axis; NaN for a single run, which has none."""
    return np.asarray(values.std(axis=0, ddof=1) if len(values) > 1 else np.full(values.shape[1:], np.nan))


def _mean(values: NDArray[np.float64]) -> Mean:
    return Mean(float(values.mean()), float(spread(values)), len(values))


Key = tuple[str, str, str, int | None]  # data set, setting, strategy, moves between queries


@dataclass(frozen=True)
class Results:
    """Everything that a report is made of."""

    benchmarks: Mapping[str, Benchmark]
    curves: Mapping[Key, Curve]
    linkage: Mapping[str, float]  # the triplet distance of average linkage, by data set
    published: Published
    num_queries: int
    num_runs: int
    left_out: Mapping[str, str] = field(default_factory=dict)  # data sets that could not be had, and why

    def curve(self, data: str, setting: str, strategy: str, num_moves: int | None = None) -> Curve | None:
        """Return a curve, if it was asked for."""
        return self.curves.get((data, setting, strategy, num_moves))

    def settings(self, data: str) -> list[str]:
        """Return the settings in which a data set was run."""
        return [setting for setting in SETTINGS if self.strategies(data, setting)]

    def strategies(self, data: str, setting: str) -> list[str]:
        """Return the strategies that a data set was run with in a setting."""
        return [strategy for strategy in STRATEGIES if self.curve(data, setting, strategy)]

    def points(self, data: str, strategy: str) -> Points | None:
        """Return the published curve as far as our own goes; None if nothing is left of it."""
        points = self.published.get((data, strategy))
        if points is None:
            return None
        shown = points.num_queries <= self.num_queries
        return Points(points.num_queries[shown], points.triplet_distance[shown]) if shown.any() else None

    def checkpoints(self) -> list[int]:
        """Return the numbers of queries that tables show: five at most, and the end is one of them."""
        passed = [number for number in CHECKPOINTS if number < self.num_queries]
        return [*passed[-4:], self.num_queries]


def gather(
    benchmarks: Mapping[str, Benchmark],
    records: Iterable[tuple[Run, Record]],
    published: Published,
    num_queries: int,
    left_out: Mapping[str, str],
) -> Results:
    """Return the runs put together by everything but the seed, and average linkage beside them."""
    groups: dict[Key, list[tuple[int, Record]]] = {}
    for run, record in records:
        groups.setdefault((run.data, run.setting, run.strategy, run.num_moves), []).append((run.seed, record))
    curves = {}
    for key, group in groups.items():
        in_order = [record for _, record in sorted(group, key=lambda pair: pair[0])]
        curves[key] = Curve(
            np.array([record.triplet_distance for record in in_order]),
            np.array([record.log_likelihood for record in in_order]),
        )
    linkage = {name: linkage_distance(benchmark) for name, benchmark in benchmarks.items()}
    num_runs = max((curve.num_runs for curve in curves.values()), default=0)
    return Results(benchmarks, curves, linkage, published, num_queries, num_runs, left_out)


def linkage_distance(benchmark: Benchmark) -> float:
    """Return the triplet distance of the tree of average linkage."""
    from scipy.cluster.hierarchy import linkage

    tree = Tree.from_linkage(linkage(benchmark.X, "average"))
    # By leaf number, for these leaves have no names.
    return triplet_distance(benchmark.target, tree)


def write_csv(results: Results, path: Path) -> None:
    """Write every curve, a row for each number of queries, and a row for average linkage of each data set."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for data, distance in results.linkage.items():
            writer.writerow([data, "", "average linkage", "", 0, "", f"{distance:.6f}", "", "", "", "", ""])
        for key, curve in results.curves.items():
            writer.writerows(_rows(key, curve, results.published.get((key[0], key[2]))))


def _rows(key: Key, curve: Curve, published: Points | None) -> Sequence[list[object]]:
    data, setting, strategy, num_moves = key
    read = {} if published is None else dict(zip(*(column.tolist() for column in published), strict=True))
    columns = (
        curve.mean_distance,
        spread(curve.distances),
        curve.log_likelihoods.mean(axis=0),
        spread(curve.log_likelihoods),
        np.median(curve.log_likelihoods, axis=0),
    )
    return [
        [
            data, setting, strategy, "" if num_moves is None else num_moves, number, curve.num_runs,
            f"{values[0]:.6f}", _if_known(values[1], 6), f"{values[2]:.4f}", _if_known(values[3], 4), f"{values[4]:.4f}",
            read.get(number, ""),
        ]
        for number, values in enumerate(zip(*columns, strict=True))
    ]  # fmt: skip


def _if_known(value: float, digits: int) -> str:
    return "" if np.isnan(value) else f"{value:.{digits}f}"
