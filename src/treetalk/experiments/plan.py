"""Which runs the experiments are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# What can be asked for, and the data sets behind each name.
DATA: dict[str, tuple[str, ...]] = {
    "iris": ("iris",),
    "zoo": ("zoo", "zoo-right"),
    "mnist": ("mnist",),
    "newsgroups": ("newsgroups",),
    "digits": ("digits",),
}
SETTINGS = ("treetalk", "paper", "authors")
STRATEGIES = ("simple", "smart", "random", "active", "interleaved", "none")
QUERYING = tuple(strategy for strategy in STRATEGIES if strategy != "none")
# Where the loop is also run without any moves between queries, to see what sampling contributes.
ABLATED_STRATEGY = "interleaved"
ABLATED_SETTINGS = ("authors", "treetalk")
# Seconds per query, roughly, by setting: long runs first, so that no core waits at the end, and for the time left.
SECONDS = {"treetalk": 0.12, "paper": 0.004, "authors": 0.005}
SECONDS_WITHOUT_MOVES = 0.002


@dataclass(frozen=True)
class Run:
    """One simulated dialogue, given by everything that determines it but the data themselves and the version."""

    data: str
    setting: str
    strategy: str
    seed: int
    num_queries: int
    num_moves: int | None = None  # between two queries; None leaves it to the setting

    @property
    def seconds(self) -> float:
        """How long it may take, good enough to compare runs."""
        each = SECONDS[self.setting] if self.num_moves is None else SECONDS_WITHOUT_MOVES
        return each * max(self.num_queries, 1)


def benchmarks_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the data sets behind names that were asked for, each once; "all" is all."""
    asked = list(names)
    if "all" in asked:
        asked = list(DATA)
    return tuple(dict.fromkeys(benchmark for name in asked for benchmark in DATA[name]))


def plan(
    data: Sequence[str],
    *,
    settings: Sequence[str] = SETTINGS,
    strategies: Sequence[str] = STRATEGIES,
    num_runs: int = 4,
    num_queries: int = 400,
    seed: int = 0,
) -> list[Run]:
    """Return the runs in the order in which to start them: one data set after the other, the longest runs first."""
    runs = []
    for number in range(seed, seed + num_runs):
        for setting in settings:
            runs += [Run(name, setting, strategy, number, num_queries) for strategy in strategies for name in data]
            if setting in ABLATED_SETTINGS and ABLATED_STRATEGY in strategies:
                runs += [Run(name, setting, ABLATED_STRATEGY, number, num_queries, 0) for name in data]
    return sorted(runs, key=lambda run: (data.index(run.data), -run.seconds))


def in_order(run: Run) -> tuple[int, int, int, bool, int]:
    """Return where a run stands in tables."""
    data = [benchmark for benchmarks in DATA.values() for benchmark in benchmarks]
    return (
        data.index(run.data),
        SETTINGS.index(run.setting),
        STRATEGIES.index(run.strategy),
        run.num_moves is not None,
        run.seed,
    )
