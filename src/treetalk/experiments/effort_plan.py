"""Which dialogues are made to count answers, and how one is made.

Four ways are compared: what the paper says, treetalk's defaults, and these with users who correct by hand: by one dropping
an answer, or by sorting all that is shown.
Nothing is tuned for a data set; only the paper's way has the scale that the paper gives for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from treetalk.datasets import Benchmark
from treetalk.datasets.effort_data import DRAWN
from treetalk.experiments.plan import SECONDS, Run
from treetalk.experiments.runs import Record, as_record, model_for

SETTINGS = ("paper", "treetalk")
GESTURES, PIECES = "gestures", "pieces"
BY_HAND = (GESTURES, PIECES)
WAYS = (*SETTINGS, *BY_HAND)
DEFAULT = "default"  # the strategy that treetalk takes where none is named
NUM_RUNS = 8
NUM_QUERIES = 200
FEWER_QUERIES = {
    "iris": 100,
    "zoo-86": 100,
    "zoo": 150,
    "mnist": 150,
    "digits": 100,
    "wine": 100,
    "breast-cancer": 100,
    "diffusion-150": 100,
    "diffusion-1000": 100,
}
SLOWER = {"diffusion-1000": 2}  # times as long for a query as 150 items take


@dataclass(frozen=True)
class Dialogue(Run):
    """A run, with who answers. Its `data` are those of this run alone where they are drawn."""

    benchmark: str = ""  # what the data are called, drawn or not
    way: str = ""
    defaults: str = ""  # a fingerprint of what the setting stands for: where it changes, these are other runs
    mistakes: float = 0.0  # the share of the triplets said that are wrong

    @property
    def seconds(self) -> float:
        """How long it may take, good enough to compare runs."""
        return SECONDS[self.setting] * max(self.num_queries, 1) * SLOWER.get(self.benchmark, 1)


def data_of(name: str, seed: int) -> str:
    """Return what the data of a run are called, among those of all runs."""
    return f"{name}-{seed}" if name in DRAWN else name


def queries_for(name: str, way: str, num_queries: int | None) -> int:
    """Return how many queries a data set gets, if no number is given for all of them; half as many whole pieces."""
    if num_queries is not None:
        return num_queries
    return FEWER_QUERIES.get(name, NUM_QUERIES) // (2 if way == PIECES else 1)


def plan(
    names: Sequence[str],
    ways: Sequence[str],
    *,
    num_runs: int,
    num_queries: int | None,
    seed: int,
    mistakes: float = 0.0,
) -> list[Dialogue]:
    """Return the runs in the order in which to start them: one data set after the other, the longest runs first."""
    settings = {way: "paper" if way == "paper" else "treetalk" for way in ways}
    defaults = {way: _defaults(setting) for way, setting in settings.items()}
    runs = [
        Dialogue(
            data_of(name, number),
            setting=settings[way],
            strategy="interleaved" if way == "paper" else DEFAULT,
            seed=number,
            num_queries=queries_for(name, way, num_queries),
            benchmark=name,
            way=way,
            defaults=defaults[way],
            mistakes=mistakes,
        )
        for name in names
        for way in ways
        for number in range(seed, seed + num_runs)
    ]
    return sorted(runs, key=lambda run: (names.index(run.benchmark), -run.seconds))


def _defaults(setting: str) -> str:
    from treetalk.settings import as_setting
    from treetalk.simulation import simulate

    strategy = signature(simulate).parameters["strategy"].default
    chosen = as_setting(setting)
    # The model is a setting's own, too, whatever the data.
    model = chosen.model_for(np.zeros((2, 1)))
    return hashlib.sha256(repr((chosen, strategy, model)).encode()).hexdigest()[:8]


def hold(run: Run, benchmark: Benchmark) -> Record:
    """Simulate a dialogue with a user who has the benchmark's target in mind."""
    from treetalk.rearranging import GestureUser
    from treetalk.simulation import simulate
    from treetalk.users import NoisyUser, SortingUser, TreeUser, User

    assert isinstance(run, Dialogue)
    users: dict[str, type[GestureUser | SortingUser | TreeUser]] = {GESTURES: GestureUser, PIECES: SortingUser}
    user: User = users.get(run.way, TreeUser)(benchmark.target, seed=run.seed)
    if run.mistakes:
        user = NoisyUser(user, flip=run.mistakes, seed=run.seed)
    chosen: dict[str, Any] = {} if run.strategy == DEFAULT else {"strategy": run.strategy}
    result = simulate(
        benchmark.X,
        user,
        num_queries=run.num_queries,
        setting=run.setting,
        seed=run.seed,
        items=benchmark.items,
        model=model_for(run, benchmark),
        progress=False,
        **chosen,
    )
    return as_record(result)
