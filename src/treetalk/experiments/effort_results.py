"""The dialogues put together, by data set and way of asking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from treetalk.datasets import Benchmark
from treetalk.experiments.effort_measures import Comparison, compare
from treetalk.experiments.effort_plan import WAYS, Dialogue
from treetalk.experiments.results import Curve
from treetalk.experiments.runs import Record


@dataclass(frozen=True)
class Effort:
    """Everything that is written about how many answers hierarchies cost."""

    benchmarks: Mapping[str, Benchmark]  # where data are drawn, those of the first run
    curves: Mapping[tuple[str, str], Curve]  # by data set and way
    num_triplets: Mapping[tuple[str, str], float]  # in force at the end, the mean over runs
    num_runs: int
    seed: int
    left_out: Mapping[str, str] = field(default_factory=dict)  # data sets that could not be had, and why
    mistakes: float = 0.0  # the share of the triplets said that are wrong

    def ways(self, name: str) -> list[str]:
        """Return the ways in which a data set was asked about."""
        return [way for way in WAYS if (name, way) in self.curves]

    def num_queries(self, name: str) -> int:
        """Return how many queries the longest runs on a data set had."""
        return max(int(curve.distances.shape[1]) - 1 for (data, _), curve in self.curves.items() if data == name)

    def comparison(self, name: str) -> Comparison | None:
        """Return where treetalk is worse than the paper's way; None if not both were run."""
        ours, theirs = self.curves.get((name, "treetalk")), self.curves.get((name, "paper"))
        return None if ours is None or theirs is None else compare(ours.distances, theirs.distances)


def gather(
    benchmarks: Mapping[str, Benchmark],
    records: Iterable[tuple[Dialogue, Record]],
    seed: int,
    left_out: Mapping[str, str],
    mistakes: float = 0.0,
) -> Effort:
    """Return the runs put together by everything but the seed, in the order of seeds."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for run, record in sorted(records, key=lambda pair: pair[0].seed):
        groups.setdefault((run.benchmark, run.way), []).append(record)
    curves = {
        key: Curve(
            np.array([record.triplet_distance for record in group]),
            np.array([record.log_likelihood for record in group]),
        )
        for key, group in groups.items()
    }
    num_triplets = {key: float(np.mean([len(record.triplets) for record in group])) for key, group in groups.items()}
    num_runs = max((curve.num_runs for curve in curves.values()), default=0)
    return Effort(benchmarks, curves, num_triplets, num_runs, seed, left_out, mistakes)
