"""The command line. Each command is a thin face: it reads its arguments, calls the library, and prints."""

from __future__ import annotations

import io
import sys
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
