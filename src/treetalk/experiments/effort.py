"""How many answers a hierarchy costs: load the data, hold the dialogues that are missing, and write what was counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import RenderableType

from treetalk import drawing
from treetalk.datasets import Benchmark
from treetalk.datasets.effort_data import DRAWN, EFFORT_DATA, load_effort_data
from treetalk.experiments.effort_figure import effort_figure
from treetalk.experiments.effort_plan import WAYS, data_of, hold, plan
from treetalk.experiments.effort_report import as_json, effort_table, markdown
from treetalk.experiments.effort_results import Effort, gather
from treetalk.experiments.reproduce import Failed, Say, folder_of_runs, had_of, printable, records_of
from treetalk.experiments.tables import Table


def names_of(asked: Sequence[str]) -> list[str]:
    """Return the data sets that were asked for, each once, in one order; "all" is all."""
    return [name for name in EFFORT_DATA if name in asked or "all" in asked]


def effort(
    names: Sequence[str],
    out: Path,
    *,
    data_dir: Path | None,
    ways: Sequence[str],
    num_runs: int,
    num_queries: int | None,
    num_jobs: int,
    seed: int,
    say: Say,
    mistakes: float = 0.0,
) -> Effort:
    """Count answers and write a report, a figure and all numbers into a folder, going on from what is there.

    Parameters
    ----------
    names : sequence of str
        Some of `treetalk.datasets.effort_data.EFFORT_DATA`, or "all".
    out : Path
        The folder; made where it is not there.
    data_dir : Path or None
        Where data are read instead of being fetched; see `treetalk.datasets.load_benchmark`.
    ways : sequence of str
        Which of `treetalk.experiments.effort_plan.WAYS` to go.
    num_runs : int
        How often each is run, with growing seeds.
    num_queries : int or None
        How many queries a run has; None leaves it to the data set.
    num_jobs : int
        How many runs are made at the same time.
    seed : int
        The first seed.
    say : callable
        Takes a sentence for the user to read.
    mistakes : float
        The share of the triplets said that are wrong; see `treetalk.NoisyUser`.

    Raises
    ------
    OSError
        If the folder cannot be written to.
    Failed
        If no data set could be had, or if a process was killed from outside.
    Interrupted
        After Ctrl-C.
    """
    kept = folder_of_runs(out)

    def load(name: str) -> dict[str, Benchmark]:
        seeds = range(seed, seed + num_runs) if name in DRAWN else [seed]
        return {data_of(name, each): load_effort_data(name, data_dir, each) for each in seeds}

    benchmarks, left_out = had_of(names_of(names), load, say)
    had = [name for name in names_of(names) if name not in left_out]
    if not had:
        raise Failed("No data set could be had, so nothing was run.")
    chosen = [way for way in WAYS if way in ways]
    runs = plan(had, chosen, num_runs=num_runs, num_queries=num_queries, seed=seed, mistakes=mistakes)
    records = records_of(runs, benchmarks, kept, num_jobs, say, hold)
    first = {name: benchmarks[data_of(name, seed)] for name in had}
    found = gather(first, ((run, records[run]) for run in runs), seed, left_out, mistakes)
    _write(found, out, say)
    return found


def final(found: Effort) -> RenderableType:
    """Return the table to print at the end: of the sizes only n - K, for terminals are narrow."""
    caption, header, rows = effort_table(found)
    shown = Table(caption, header[:2] + header[4:], [row[:2] + row[4:] for row in rows])
    return printable(shown, "{}")


def _write(found: Effort, out: Path, say: Say) -> None:
    """Write the figure where matplotlib is there, the numbers, and the report."""
    name = "effort.svg"
    if drawing.can_draw():
        (out / name).write_text(effort_figure(found), encoding="utf-8")
    else:
        say(drawing.MISSING)
    numbers = json.dumps(as_json(found), ensure_ascii=False, allow_nan=False, indent=1)
    (out / "effort.json").write_text(numbers + "\n", encoding="utf-8")
    (out / "report.md").write_text(markdown(found, name if drawing.can_draw() else None), encoding="utf-8")
