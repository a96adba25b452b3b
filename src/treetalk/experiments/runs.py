"""Make the runs on all cores, and keep each on disk as soon as it is done, so that a later start goes on from there."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import signal
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treetalk import __version__
from treetalk.datasets import Benchmark
from treetalk.experiments.plan import Run
from treetalk.models import DirichletDiffusion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.simulation import Simulation

CURVES = ("triplet_distance", "log_likelihood", "log_posterior")
NOISE = 1e-4  # the paper's, in units of its scale


class Record(NamedTuple):
    """What a run gave: one value before each query, and one at the end."""

    triplet_distance: NDArray[np.float64]  # shape (num_queries + 1,)
    log_likelihood: NDArray[np.float64]
    log_posterior: NDArray[np.float64]
    kinds: tuple[str, ...]  # of the answers
    triplets: tuple[tuple[int, int, int], ...]  # all that was said
    newick: str  # the last tree


Work = Callable[[Run, Benchmark], Record]


def execute(run: Run, benchmark: Benchmark) -> Record:
    """Simulate a dialogue with a user who has the benchmark's target in mind."""
    from treetalk.simulation import simulate
    from treetalk.users import TreeUser

    result = simulate(
        benchmark.X,
        TreeUser(benchmark.target, seed=run.seed),
        run.strategy,
        run.num_queries,
        run.setting,
        run.seed,
        items=benchmark.items,
        model=model_for(run, benchmark),
        num_moves=run.num_moves,
        progress=False,
    )
    return as_record(result)


def model_for(run: Run, benchmark: Benchmark) -> DirichletDiffusion | None:
    """Return the paper's model of the data where a run goes the paper's way; None leaves it to treetalk."""
    if run.setting == "treetalk":
        return None
    return DirichletDiffusion(concentration=1.0, scale=benchmark.scale, noise=NOISE)


def as_record(result: Simulation) -> Record:
    """Return what is kept of a run."""
    return Record(
        triplet_distance=np.asarray(result.triplet_distance, dtype=np.float64),
        log_likelihood=np.asarray(result.log_likelihood, dtype=np.float64),
        log_posterior=np.asarray(result.log_posterior, dtype=np.float64),
        kinds=tuple(map(str, result.kinds)),
        triplets=tuple((int(a), int(b), int(c)) for a, b, c in result.triplets),
        newick=result.tree.to_newick(),
    )


class Store:
    """The folder of finished runs. A file is whole or not there, and says itself which run it holds.

    Parameters
    ----------
    folder : Path
        Where the files are.
    benchmarks : mapping of str to Benchmark
        The data: other data under the same name are other runs.
    """

    def __init__(self, folder: Path, benchmarks: Mapping[str, Benchmark]) -> None:
        self._folder = folder
        self._digests = {name: _digest(benchmark) for name, benchmark in benchmarks.items()}

    def key(self, run: Run) -> dict[str, Any]:
        """Return all that determines what a run gives."""
        return {**dataclasses.asdict(run), "digest": self._digests[run.data], "version": __version__}

    def path(self, run: Run) -> Path:
        """Return where a run is kept."""
        moves = "" if run.num_moves is None else f"-{run.num_moves}-moves"
        key = json.dumps(self.key(run), sort_keys=True)
        name = f"{run.data}-{run.setting}-{run.strategy}{moves}-{run.num_queries}-seed-{run.seed}"
        return self._folder / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.json"

    def save(self, run: Run, record: Record) -> None:
        """Keep a run."""
        arrays = {name: getattr(record, name).tolist() for name in CURVES}
        text = json.dumps({"key": self.key(run), **record._asdict(), **arrays})
        path = self.path(run)
        unfinished = path.with_suffix(f".{os.getpid()}.tmp")
        try:
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)

    def load(self, run: Run) -> Record | None:
        """Return what a run gave; None if it is not there, or damaged."""
        try:
            found = json.loads(self.path(run).read_text(encoding="utf-8"))
            distance, likelihood, posterior = (np.array(found[name], dtype=np.float64) for name in CURVES)
            if found["key"] != self.key(run) or {distance.shape, likelihood.shape, posterior.shape} != {
                (run.num_queries + 1,)
            }:
                return None
            triplets = tuple((int(a), int(b), int(c)) for a, b, c in found["triplets"])
            kinds = tuple(map(str, found["kinds"]))
            return Record(distance, likelihood, posterior, kinds, triplets, str(found["newick"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _digest(benchmark: Benchmark) -> str:
    """Return a short fingerprint of data, their target and their scale."""
    digest = hashlib.sha256()
    for array in (benchmark.X, benchmark.scale, benchmark.target.parent):
        digest.update(repr((array.shape, array.dtype.str)).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def make(
    runs: Sequence[Run], benchmarks: Mapping[str, Benchmark], num_jobs: int, work: Work = execute
) -> Generator[tuple[Run, Record], None, None]:
    """Make the runs in as many processes, and give each as soon as it is done. When closed, no process is left behind."""
    joblib: Any = import_module("joblib")
    parallel = joblib.Parallel(
        num_jobs, backend="loky", return_as="generator_unordered", batch_size=1, initializer=_leave_ctrl_c_to_the_parent
    )
    tasks = (joblib.delayed(_make_one)(run, benchmarks[run.data], work) for run in runs)
    try:
        with closing(parallel(tasks)) as finished:
            yield from finished
    finally:
        # joblib keeps its processes for later calls, even past an interrupt that comes at the wrong moment.
        import_module("joblib.externals.loky").get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)


def _make_one(run: Run, benchmark: Benchmark, work: Work) -> tuple[Run, Record]:
    return run, work(run, benchmark)


def _leave_ctrl_c_to_the_parent() -> None:
    # A terminal sends it to every process; the parent ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed process was writing."""
    for path in folder.glob("*.tmp"):
        if re.fullmatch(r".*\.\d+\.tmp", path.name):
            path.unlink(missing_ok=True)
