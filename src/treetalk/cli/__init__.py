"""The command line. Each command is a thin face in a file of its own: it reads its arguments, calls the library, and prints.

What goes wrong is turned into a sentence and an exit code in one place: see `treetalk.cli.outcome`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from treetalk import __version__
from treetalk.cli import (
    add,
    answers,
    ask,
    check,
    demo,
    effort,
    export,
    info,
    name,
    new,
    outcome,
    plot,
    reproduce,
    sample,
    serve,
    show,
    simulate,
    support,
)
from treetalk.cli.quiet import with_quiet

PROJECT, LOOK, TAKE_AWAY, EXPERIMENTS = "A project", "Look", "Take away", "Experiments"
COMMANDS: tuple[tuple[str, Callable[..., None]], ...] = (
    (PROJECT, new.new),
    (PROJECT, ask.ask),
    (PROJECT, serve.serve),
    (PROJECT, add.add),
    (PROJECT, answers.answers),
    (PROJECT, name.name),
    (PROJECT, sample.sample),
    (LOOK, show.show),
    (LOOK, support.support),
    (LOOK, check.check),
    (LOOK, info.info),
    (LOOK, plot.plot),
    (TAKE_AWAY, export.export),
    (EXPERIMENTS, demo.demo),
    (EXPERIMENTS, simulate.simulate),
    (EXPERIMENTS, reproduce.reproduce),
    (EXPERIMENTS, effort.effort),
)


class Commands(TyperGroup):
    """All commands, none of which ends with a traceback for what a user did."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Read the command line; --help and --version print here."""
        with outcome.telling():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with outcome.telling():
            return super().invoke(ctx)


app = typer.Typer(
    name="treetalk",
    cls=Commands,
    help="Hierarchical clustering that listens.",
    epilog="\n\n".join(["Exit codes:", *(f"{code}: {meaning}" for code, meaning in outcome.CODES.items())]),
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


def _flowing(text: str) -> str:
    """Return paragraphs each on a line of its own, which the help wraps to the width of the window."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


for _panel, _command in COMMANDS:
    app.command(rich_help_panel=_panel, help=_flowing(_command.__doc__ or ""))(with_quiet(_command))
