"""From the data to the report: load, make the runs that are missing, and write what was found."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table

from treetalk import drawing
from treetalk.datasets import Benchmark, load_benchmark
from treetalk.errors import DataNotFound
from treetalk.experiments import figures, results, tables
from treetalk.experiments.plan import ABLATED_STRATEGY, Run, benchmarks_of, in_order, plan
from treetalk.experiments.published import published_curves
from treetalk.experiments.report import report
from treetalk.experiments.results import Results, gather
from treetalk.experiments.runs import Record, Store, Work, execute, make, remove_unfinished

Say = Callable[[str], None]


class Interrupted(Exception):
    """Ctrl-C; the message says what is kept."""


class Failed(Exception):
    """The experiments cannot go on; the message says why."""


def reproduce(
    names: Sequence[str],
    out: Path,
    *,
    data_dir: Path | None,
    settings: Sequence[str],
    strategies: Sequence[str],
    num_runs: int,
    num_queries: int,
    num_jobs: int,
    seed: int,
    say: Say,
) -> Results:
    """Run the experiments and write tables, figures and a report into a folder, going on from what is there.

    Parameters
    ----------
    names : sequence of str
        Keys of `treetalk.experiments.plan.DATA`, or "all".
    out : Path
        The folder; made where it is not there.
    data_dir : Path or None
        Where data are read instead of being fetched; see `treetalk.datasets.load_benchmark`.
    settings, strategies : sequence of str
        Which to run.
    num_runs, num_queries : int
        How often each is run, with growing seeds, and for how many queries.
    num_jobs : int
        How many runs are made at the same time.
    seed : int
        The first seed.
    say : callable
        Takes a sentence for the user to read.

    Raises
    ------
    OSError
        If the folder cannot be written to.
    FormatError
        If the published curves in `data_dir` cannot be read.
    Failed
        If no data set could be had, or if a process was killed from outside.
    Interrupted
        After Ctrl-C.
    """
    kept = folder_of_runs(out)
    published = published_curves(data_dir)
    benchmarks, left_out = had_of(benchmarks_of(names), lambda name: {name: load_benchmark(name, data_dir)}, say)
    if not benchmarks:
        raise Failed("No data set could be had, so nothing was run.")
    runs = plan(
        list(benchmarks),
        settings=settings,
        strategies=strategies,
        num_runs=num_runs,
        num_queries=num_queries,
        seed=seed,
    )
    records = records_of(runs, benchmarks, kept, num_jobs, say)
    found = gather(
        benchmarks, ((run, records[run]) for run in sorted(runs, key=in_order)), published, num_queries, left_out
    )
    _write(found, out, say)
    return found


def folder_of_runs(out: Path) -> Path:
    """Return where runs are kept, having tried to write there: better to fail now than after the first run."""
    kept = out / "runs"
    kept.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=kept).close()
    return kept


def final(found: Results) -> RenderableType:
    """Return the table to print at the end."""
    return printable(tables.final_table(found))


def printable(table: tables.Table, small: str = "({})") -> RenderableType:
    """Return a table as a terminal shows it, the smaller line of a cell put into `small`."""
    shown = Table(caption=table.caption, caption_justify="left", box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for number, title in enumerate(table.header):
        shown.add_column(title, justify="left" if number < 2 else "right")
    for row in table.rows:
        shown.add_row(*(f"{text}\n{small.format(more)}" if more else text for text, more in row))
    return shown


def had_of(
    names: Sequence[str], load: Callable[[str], Mapping[str, Benchmark]], say: Say
) -> tuple[dict[str, Benchmark], dict[str, str]]:
    """Return the data that can be had, which `load` gives for a name, and why the others cannot."""
    benchmarks: dict[str, Benchmark] = {}
    left_out = {}
    for name in names:
        try:
            benchmarks |= load(name)
        except DataNotFound as error:
            left_out[name] = str(error)
            say(f"{name} is left out: {error}")
    return benchmarks, left_out


def records_of(
    runs: Sequence[Run],
    benchmarks: Mapping[str, Benchmark],
    kept: Path,
    num_jobs: int,
    say: Say,
    work: Work = execute,
) -> dict[Run, Record]:
    """Return what all runs gave: those on disk as they are, the others made now, and kept at once."""
    remove_unfinished(kept)
    store = Store(kept, benchmarks)
    records = {run: record for run in runs if (record := store.load(run)) is not None}
    missing = [run for run in runs if run not in records]
    if not missing:
        say(f"All {len(runs)} runs are there from before.")
        return records
    count = "1 run" if len(missing) == 1 else f"{len(missing)} runs"
    minutes = max(1, round(sum(run.seconds for run in missing) / num_jobs / 60))
    say(
        f"{count} to make, about {minutes} {'minute' if minutes == 1 else 'minutes'}"
        + (f"; {len(records)} of {len(runs)} are there from before." if records else ".")
    )
    try:
        with _bar(missing) as advance, closing(make(missing, benchmarks, num_jobs, work)) as finished:
            for run, record in finished:
                store.save(run, record)
                records[run] = record
                advance(run)
                title = benchmarks[run.data].title
                if not any(benchmarks[other.data].title == title and other not in records for other in missing):
                    say(f"{title} is done.")
    except KeyboardInterrupt:
        raise Interrupted(f"Interrupted: {_how_far(records, runs, kept)}") from None
    except BrokenProcessPool:
        raise Failed(f"A process was killed, perhaps for want of memory: {_how_far(records, runs, kept)}") from None
    return records


def _how_far(records: Sized, runs: Sized, kept: Path) -> str:
    return f"{len(records)} of {len(runs)} runs are kept in {kept}; start again to go on from there."


@contextmanager
def _bar(runs: Sequence[Run]) -> Iterator[Callable[[Run], None]]:
    """Show a bar with the time left where a person is watching; give what counts a run as done."""
    with ExitStack() as stack:
        if not sys.stderr.isatty():
            yield lambda run: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.fields[done]} of {task.fields[all]} runs"),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("left:"),
            TimeRemainingColumn(),
        )
        # Runs come seldom, so the speed is that of the last ten minutes.
        bar = stack.enter_context(
            Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=600)
        )
        task = bar.add_task("", total=sum(run.seconds for run in runs), done=0, all=len(runs))
        done = 0

        def advance(run: Run) -> None:
            nonlocal done
            done += 1
            bar.update(task, advance=run.seconds, done=done)

        yield advance


def _write(found: Results, out: Path, say: Say) -> None:
    """Write the table of all curves, the figures where matplotlib is there, and the report."""
    results.write_csv(found, out / "curves.csv")
    drawings: dict[str, str] = {}
    if drawing.can_draw():
        for data in found.benchmarks:
            for setting in found.settings(data):
                drawings[f"{data}-{setting}"] = figures.curves_figure(found, data, setting)
            if any(key[0] == data and key[2] == ABLATED_STRATEGY for key in found.curves):
                drawings[f"{data}-sampling"] = figures.sampling_figure(found, data)
        folder = out / "figures"
        folder.mkdir(exist_ok=True)
        for name, svg in drawings.items():
            (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
    else:
        say(drawing.MISSING)
    (out / "report.html").write_text(report(found, drawings), encoding="utf-8")
