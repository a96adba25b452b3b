"""``treetalk sample``: sampling until the hierarchy can be trusted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from treetalk.cli import outcome
from treetalk.cli.options import AsJson, ProjectFile
from treetalk.cli.waiting import is_watched, silent_bars
from treetalk.cli.wording import counted


def sample(
    file: ProjectFile,
    seconds: Annotated[
        float, typer.Option("--time", metavar="SECONDS", help="Stop after so many seconds at the latest.", min=0)
    ] = 60.0,
    moves: Annotated[
        int | None, typer.Option(help="Make exactly so many moves in each chain instead.", min=1, show_default=False)
    ] = None,
    json: AsJson = False,
) -> None:
    """Sample hierarchies until the diagnostics are content, or the time is up; the result is kept in the project.

    Ctrl-C stops too, and keeps what was sampled.

    Example: treetalk sample zoo.treetalk --time 300
    """
    from treetalk.project import open_project
    from treetalk.sampling import sample as sample_until

    with open_project(file) as project:
        with _bar(None if moves is not None else seconds, moves) as tell:
            try:
                diagnosis = sample_until(
                    project, seconds=None if moves is not None else seconds, num_moves=moves, tell=tell
                )
                interrupted = False
            except KeyboardInterrupt:
                diagnosis, interrupted = project.session.diagnose(), True
        project.save()
        made = sum(counts.tried for chain in project.session.chains for counts in chain.info.values())
    if json:
        outcome.as_json(
            {
                "is_trustworthy": diagnosis.is_trustworthy,
                "sentence": diagnosis.sentence,
                "moves_made": made,
                **{name: _as_number(value) for name, value in diagnosis._asdict().items()},
            }
        )
    else:
        outcome.show(f"{diagnosis.sentence}\n{counted(made, 'move')} made in all.")
    if interrupted:
        raise typer.Exit(outcome.INTERRUPTED)


def _as_number(value: float) -> float | None:
    """Return a number that JSON knows: NaN is none."""
    return value if value == value and abs(value) != float("inf") else None


@contextmanager
def _bar(seconds: float | None, moves: int | None) -> Iterator[Callable[[int, str], None]]:
    """Show how far it is in time or in moves, and the latest verdict, where a person is watching."""
    if not is_watched():
        with silent_bars():
            yield lambda made, verdict: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    start = time.monotonic()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar, silent_bars():
        task = bar.add_task("Sampling", total=moves or seconds)

        def tell(made: int, verdict: str) -> None:
            done = made if moves is not None else time.monotonic() - start
            bar.update(task, completed=done, description=f"{made:,} moves in each chain. {verdict.split(':')[0]}.")

        yield tell
