"""Arguments and options that several commands have, with the same words in the help of each."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Kind(StrEnum):
    """How one tree is made of many; see `treetalk.summary`."""

    central = "central"
    majority = "majority"
    credible = "credible"


class StrategyName(StrEnum):
    """What is asked; see `treetalk.strategies`."""

    grouped = "grouped"
    loose = "loose"
    interleaved = "interleaved"
    active = "active"
    random = "random"
    simple = "simple"
    smart = "smart"


class SettingName(StrEnum):
    """How a session goes about its work; see `treetalk.settings`."""

    treetalk = "treetalk"
    paper = "paper"
    authors = "authors"


Asked = Annotated[
    StrategyName | None,
    typer.Option(help="What is asked; by default grouped, or interleaved with --setting paper.", show_default=False),
]
ProjectFile = Annotated[Path, typer.Argument(metavar="FILE", help="The project.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Who = Annotated[
    str | None, typer.Option("--who", metavar="NAME", help="Who says so; by default, whoever is logged in.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a file that is there already.")]
TripletFile = Annotated[
    Path,
    typer.Argument(metavar="TRIPLETS", help="A CSV file with the header a,b,c, the odd one last, or see --dialect."),
]
Seed = Annotated[int, typer.Option(help="The seed of everything random.", min=0)]
DataDir = Annotated[
    Path | None,
    typer.Option(
        help="A folder to read data from instead of fetching them, with mnist/mnist_2000.npz, "
        "newsgroups/newsgroups_1000.npz, zoo/zoo93.csv and zoo/zoo_authors_tol.nwk.",
        exists=True,
        file_okay=False,
    ),
]
NumRuns = Annotated[int, typer.Option(help="How often each is run.", min=1)]
Jobs = Annotated[int | None, typer.Option(help="How many runs at once; by default, one per core.", min=1)]
FirstSeed = Annotated[int, typer.Option(help="The first seed; the others follow it.", min=0)]
KIND_HELP = (
    "Which summary of the sampled hierarchies: the central one, which has all details; what more than half of them have, or "
    "the answers demand, and no more; or the most credible one of them."
)
NOT_SAMPLED = "Nothing was sampled under the present answers, so take numbers with care; now: treetalk sample {file}"
