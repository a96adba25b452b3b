"""The command line. Each command is a thin face: it reads its arguments, calls the library, and prints."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

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
    ask: Annotated[bool, typer.Option("--ask", help="You are the user: answer the questions yourself.")] = False,
    report: Annotated[
        Path | None,
        typer.Option(help="Where to write the report, an HTML page; by default treetalk-demo.html.", dir_okay=False),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Also save what is printed as an SVG picture.", dir_okay=False)
    ] = None,
) -> None:
    """Correct the hierarchy of the built-in animals: a simulated user does, or you.

    Example: treetalk demo

    Example: treetalk demo --ask
    """
    from treetalk import demo as demonstration
    from treetalk import drawing

    if ask:
        if report is not None or picture is not None:
            _fail("With --ask there is no report and no picture; leave out --report and --picture.")
        _talk_about_animals()
        return
    report = report or Path("treetalk-demo.html")
    for path in (report, picture):
        if path is not None:
            _check_writable(path)
    console = Console()
    if picture is not None:
        console = Console(record=True, width=demonstration.PICTURE_WIDTH, force_terminal=True)
    with _falling_bar(demonstration.NUM_QUERIES) as tell:
        dialogue = demonstration.converse(tell)
    _save(report, demonstration.report(dialogue))
    try:
        for part in demonstration.parts(dialogue, console.width):
            console.print(part)
    except OSError as error:
        # What could not be printed would be tried again at the end of the process.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        _fail(f"The output cannot be written ({error.strerror}); the report is there: {report.resolve()}")
    if picture is not None:
        _save(picture, demonstration.as_svg(console))
    if not drawing.can_draw():
        typer.echo(f"{drawing.MISSING}.", err=True)
    typer.echo(f"\nThe report, with all questions and answers: {report.resolve()}")


@contextmanager
def _falling_bar(num_queries: int) -> Iterator[Callable[[float], None]]:
    """Show how far a dialogue is and how far the tree is from the target, where a person is watching."""
    if not sys.stderr.isatty():
        yield lambda distance: None
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[distance]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        waiting = "Sampling hierarchies of 101 animals (the first time, kernels are compiled: up to a minute)"
        task = bar.add_task(waiting, total=num_queries, distance="")

        def tell(distance: float) -> None:
            described = "A user corrects the tree"
            bar.update(task, advance=1, description=described, distance=f"{distance:.1%} of the triplets wrong")

        yield tell


def _talk_about_animals() -> None:
    from treetalk.datasets import load_animals
    from treetalk.session import Session
    from treetalk.terminal import talk

    animals = load_animals()
    console = Console()
    with Console(stderr=True).status("Sampling hierarchies of 101 animals (up to a minute the first time)"):
        session = Session(animals.X, animals.items, seed=0)
        session.advance(4 * session.setting.num_moves)
    talk(session, console)
    count = len(session.in_force)
    console.print(f"\nThe hierarchy after {count} corrections; numbers are how sure each group is:", highlight=False)
    console.print(session.tree.draw(width=max(console.width, 40), max_lines=60), markup=False, highlight=False)


def _check_writable(path: Path) -> None:
    """Refuse a path that cannot be written to, before any work is done for it."""
    try:
        with path.open("a", encoding="utf-8"):
            pass
        if path.stat().st_size == 0:
            path.unlink()
    except OSError as error:
        _fail(f"{path} cannot be written to: {error.strerror}.")


def _save(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        _fail(f"{path} cannot be written to: {error.strerror}.")


def _fail(sentence: str) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(1)


@app.command()
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
    data_dir: Annotated[
        Path | None,
        typer.Option(
            help="A folder to read data from instead of fetching them, with mnist/mnist_2000.npz, "
            "newsgroups/newsgroups_1000.npz, zoo/zoo93.csv and zoo/zoo_authors_tol.nwk.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
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
    runs: Annotated[int, typer.Option(help="How often each is run.", min=1)] = 4,
    queries: Annotated[int, typer.Option(help="How many queries a run has.", min=1)] = 400,
    jobs: Annotated[int | None, typer.Option(help="How many runs at once; by default, one per core.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="The first seed; the others follow it.", min=0)] = 0,
) -> None:
    """Run the paper's experiments and write a report. Interrupted, it goes on from there when started again.

    Example: treetalk reproduce iris --runs 2 --queries 100
    """
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
        _fail(f"{out} cannot be written to: {error.strerror or error}.")
    except experiments.Failed as error:
        _fail(str(error))
    except TreetalkError as error:
        _fail(f"{error}.")
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
