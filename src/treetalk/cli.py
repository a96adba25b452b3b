"""The command line. Each command is a thin face: it reads its arguments, calls the library, and prints."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from treetalk import __version__

app = typer.Typer(
    name="treetalk",
    help="Hierarchical clustering that listens.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"treetalk {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Hierarchical clustering that listens."""
    # A terminal that knows no box drawing shows question marks rather than an error.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


@app.command()
def demo(
    picture: Annotated[
        Path | None, typer.Option(help="Also save what is printed as an SVG picture.", dir_okay=False, writable=True)
    ] = None,
) -> None:
    """Sample hierarchies of the built-in animals, say some triplets, and show what becomes of them.

    Example: treetalk demo
    """
    from treetalk import demo as demonstration

    console = Console()
    if picture is not None:
        console = Console(record=True, width=demonstration.PICTURE_WIDTH, force_terminal=True)
    with Console(stderr=True).status("Sampling hierarchies of 101 animals (up to a minute the first time)"):
        parts = demonstration.parts(console.width)
    for part in parts:
        console.print(part)
    if picture is not None:
        try:
            picture.write_text(demonstration.as_svg(console), encoding="utf-8")
        except OSError as error:
            typer.echo(f"The picture cannot be saved: {error.filename}: {error.strerror}.", err=True)
            raise typer.Exit(1) from None


@app.command()
def reproduce(
    data: Annotated[
        list[str] | None, typer.Argument(metavar="iris|zoo|mnist|newsgroups|digits|all", help="Which data sets.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder to write to.", file_okay=False)] = Path("treetalk-reproduce"),
    data_dir: Annotated[
        Path | None,
        typer.Option(help="A folder to read data from instead of fetching them.", exists=True, file_okay=False),
    ] = None,
    settings: Annotated[str, typer.Option(help="Which settings, with commas between.")] = "treetalk,paper,authors",
    strategies: Annotated[
        str, typer.Option(help="Which query schemes, with commas between; none is the chain without queries.")
    ] = "simple,smart,random,active,interleaved,none",
    runs: Annotated[int, typer.Option(help="How often each is run.", min=1)] = 4,
    queries: Annotated[int, typer.Option(help="How many queries a run has.", min=1)] = 400,
    jobs: Annotated[int | None, typer.Option(help="How many runs at once; by default, one per core.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="The first seed; the others follow it.", min=0)] = 0,
) -> None:
    """Run the paper's experiments and write a report. Interrupted, it goes on from there when started again.

    Example: treetalk reproduce iris --runs 2 --queries 100
    """
    import os

    from treetalk.errors import TreetalkError
    from treetalk.experiments import plan
    from treetalk.experiments import reproduce as experiments

    try:
        found = experiments.reproduce(
            _chosen("data set", data or ["all"], [*plan.DATA, "all"]),
            out,
            data_dir=data_dir,
            settings=_chosen("setting", settings.split(","), plan.SETTINGS),
            strategies=_chosen("strategy", strategies.split(","), plan.STRATEGIES),
            num_runs=runs,
            num_queries=queries,
            num_jobs=jobs or os.cpu_count() or 1,
            seed=seed,
            say=lambda sentence: print(sentence, file=sys.stderr),  # which a shown bar takes in above itself
        )
    except experiments.Interrupted as interruption:
        typer.echo(interruption, err=True)
        raise typer.Exit(130) from None
    except OSError as error:
        typer.echo(f"{out} cannot be written to: {error.strerror or error}.", err=True)
        raise typer.Exit(1) from None
    except experiments.Failed as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from None
    except TreetalkError as error:
        typer.echo(f"{error}.", err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    Console().print(experiments.final(found))
    typer.echo(f"The report: {out / 'report.html'}")


def _chosen(what: str, names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return names that were asked for, each once; one that is not known is an error that says which are."""
    chosen = list(dict.fromkeys(name.strip() for name in names))
    for name in chosen:
        if name not in known:
            raise typer.BadParameter(f"there is no {what} called {name!r}; there are {', '.join(known)}")
    return chosen
