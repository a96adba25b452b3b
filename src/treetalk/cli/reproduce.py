"""``treetalk reproduce``: the paper's experiments, and a report about them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from treetalk.cli import outcome
from treetalk.cli.options import DataDir, FirstSeed, Jobs, NumRuns


def reproduce(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[iris|zoo|mnist|newsgroups|digits|all]",
            help="Which data sets; all of them by default.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder to write to.", file_okay=False)] = Path("treetalk-reproduce"),
    data_dir: DataDir = None,
    settings: Annotated[
        str,
        typer.Option(help="Which settings, with commas between: ours, what the paper says, and the published code's."),
    ] = "treetalk,paper,authors",
    strategies: Annotated[
        str,
        typer.Option(
            help="Which query schemes, with commas between: simple, smart, random, active, interleaved, and none, the chain "
            "without queries; all of them by default.",
            show_default=False,
        ),
    ] = "simple,smart,random,active,interleaved,none",
    runs: NumRuns = 4,
    queries: Annotated[int, typer.Option(help="How many queries a run has.", min=1)] = 400,
    jobs: Jobs = None,
    seed: FirstSeed = 0,
) -> None:
    """Run the paper's experiments and write a report. Interrupted, it goes on from there when started again.

    Example: treetalk reproduce iris --runs 2 --queries 100
    """
    from treetalk.experiments import plan
    from treetalk.experiments import reproduce as experiments

    outcome.use_question_marks()
    try:
        with outcome.writing(out):
            found = experiments.reproduce(
                chosen("data set", data or ["all"], [*plan.DATA, "all"]),
                out,
                data_dir=data_dir,
                settings=chosen("setting", settings.split(","), plan.SETTINGS),
                strategies=chosen("strategy", strategies.split(","), plan.STRATEGIES),
                num_runs=runs,
                num_queries=queries,
                num_jobs=jobs or os.cpu_count() or 1,
                seed=seed,
                say=lambda sentence: print(sentence, file=sys.stderr),  # which a shown bar takes in above itself
            )
    except experiments.Interrupted as interruption:
        outcome.fail(str(interruption), outcome.INTERRUPTED)
    except experiments.Failed as error:
        outcome.fail(str(error))
    Console().print(experiments.final(found))
    typer.echo(f"The report: {out / 'report.html'}")


def chosen(what: str, names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return names that were asked for, each once; one that is not known is an error that says which are."""
    chosen = list(dict.fromkeys(name.strip() for name in names))
    for name in chosen:
        if name not in known:
            raise typer.BadParameter(f"there is no {what} called {name!r}; there are {', '.join(known)}")
    return chosen
