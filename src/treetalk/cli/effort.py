"""``treetalk effort``: how many answers a hierarchy costs, in the paper's way and in treetalk's."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from treetalk.cli import outcome
from treetalk.cli.options import DataDir, FirstSeed, Jobs, NumRuns
from treetalk.cli.reproduce import chosen


def effort(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DATA]",
            help="Which data sets: iris, zoo-86 (without the animals that the paper's target misplaces), zoo, mnist, "
            "newsgroups, digits, wine, breast-cancer, diffusion-150 and diffusion-1000 (trees drawn from the model, for "
            "each run anew), or all, the default.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder to write to.", file_okay=False)] = Path("treetalk-effort"),
    data_dir: DataDir = None,
    settings: Annotated[
        str, typer.Option(help="Which settings, with commas between: what the paper says, and ours.")
    ] = "paper,treetalk",
    gestures: Annotated[
        bool,
        typer.Option(
            help="Whether setting treetalk is also run with users who correct by hand: one dropping an answer, or all that "
            "is shown sorted."
        ),
    ] = True,
    runs: NumRuns = 8,
    queries: Annotated[
        int | None,
        typer.Option(
            help="How many queries a run has; by default 200 for newsgroups, 150 for zoo and mnist, else 100.",
            min=1,
        ),
    ] = None,
    mistakes: Annotated[
        float, typer.Option(help="The share of the triplets said that are wrong, for users who err.", min=0, max=1)
    ] = 0.0,
    jobs: Jobs = None,
    seed: FirstSeed = 0,
) -> None:
    """Count the answers that a hierarchy costs, and write a report. Interrupted, it goes on from there when started again.

    Example: treetalk effort iris --runs 2 --queries 40

    Example: treetalk effort zoo-86 --mistakes 0.05 --out mistakes
    """
    from treetalk.datasets.effort_data import EFFORT_DATA
    from treetalk.experiments import effort as experiments
    from treetalk.experiments import effort_plan, effort_report
    from treetalk.experiments.reproduce import Failed, Interrupted

    outcome.use_question_marks()
    names = chosen("data set", data or ["all"], [*EFFORT_DATA, "all"])
    ways = chosen("setting", settings.split(","), effort_plan.SETTINGS)
    if gestures and "treetalk" in ways:
        ways += effort_plan.BY_HAND
    try:
        with outcome.writing(out):
            found = experiments.effort(
                names,
                out,
                data_dir=data_dir,
                ways=ways,
                num_runs=runs,
                num_queries=queries,
                num_jobs=jobs or os.cpu_count() or 1,
                seed=seed,
                say=lambda sentence: print(sentence, file=sys.stderr),  # which a shown bar takes in above itself
                mistakes=mistakes,
            )
    except Interrupted as interruption:
        outcome.fail(str(interruption), outcome.INTERRUPTED)
    except Failed as error:
        outcome.fail(str(error))
    Console().print(experiments.final(found))
    for sentence in effort_report.verdicts(found):
        typer.echo(sentence)
    typer.echo(f"The report: {out / 'report.md'}")
