"""``treetalk demo``: the main job on the built-in animals, by a simulated user or by the person at the terminal."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from treetalk.cli import outcome
from treetalk.cli.waiting import is_watched
from treetalk.cli.wording import counted


def demo(
    ask: Annotated[bool, typer.Option("--ask", help="You are the user: answer the questions yourself.")] = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="You are the user, in your browser: the project is treetalk-demo.treetalk.")
    ] = False,
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

    Example: treetalk demo --serve
    """
    from treetalk import demo as demonstration
    from treetalk import drawing

    outcome.use_question_marks()
    if ask and serve:
        outcome.fail("--ask is for the terminal and --serve for the browser; give one of both.")
    if ask or serve:
        if report is not None or picture is not None:
            which = "--ask" if ask else "--serve"
            outcome.fail(f"With {which} there is no report and no picture; leave out --report and --picture.")
        if ask:
            _talk_about_animals()
        else:
            _serve_animals(Path("treetalk-demo.treetalk"))
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
    with outcome.writing(report):
        report.write_text(demonstration.report(dialogue), encoding="utf-8")
    try:
        for part in demonstration.parts(dialogue, console.width):
            console.print(part)
    except BrokenPipeError:
        raise
    except OSError as error:
        outcome.give_up_output()
        # The path comes last and without a full stop, to be copied.
        typer.echo(
            f"The output cannot be written ({error.strerror}); the report is there: {report.resolve()}", err=True
        )
        raise typer.Exit(outcome.FAILED) from None
    if picture is not None:
        with outcome.writing(picture):
            picture.write_text(demonstration.as_svg(console), encoding="utf-8")
    if not drawing.can_draw():
        outcome.say(drawing.MISSING)
    typer.echo(f"\nThe report, with all questions and answers: {report.resolve()}")


def _check_writable(path: Path) -> None:
    """Refuse a path that cannot be written to, before any work is done for it."""
    with outcome.writing(path):
        with path.open("a", encoding="utf-8"):
            pass
        if path.stat().st_size == 0:
            path.unlink()


@contextmanager
def _falling_bar(num_queries: int) -> Iterator[Callable[[float], None]]:
    """Show how far a dialogue is and how far the tree is from the target, where a person is watching."""
    if not is_watched():
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
        session.advance(4 * session.num_moves)
    talk(session, console)
    count = len(session.in_force)
    told = f"The hierarchy after {counted(count, 'correction')}, with how sure each cluster is in percent:"
    console.print(f"\n{told}", highlight=False)
    drawn = session.tree.draw(width=max(console.width, 40), max_lines=60, percents=True)
    console.print(drawn, markup=False, highlight=False)


def _serve_animals(path: Path) -> None:
    """Serve the project of the animals in this folder, made if it is not there."""
    from treetalk.cli.serve import check_installed, run
    from treetalk.datasets import load_animals
    from treetalk.project import open_project
    from treetalk.project.making import create

    check_installed()
    if not path.exists():
        animals = load_animals()
        create(path, animals.X, animals.items, feature_names=animals.feature_names)
    with open_project(path) as project:
        run(project, token=os.environ.get("TREETALK_TOKEN"))
    outcome.say(f"What was said is in {path}; the next demo --serve goes on from there")
