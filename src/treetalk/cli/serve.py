"""``treetalk serve``: the web page, on this machine."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treetalk.cli import outcome
from treetalk.cli.options import ProjectFile
from treetalk.cli.waiting import waiting

if TYPE_CHECKING:
    from treetalk.project import Project

MISSING = 'The web page needs FastAPI and uvicorn; install them with: pip install "treetalk[web]"'
# More items at once are no question any more, but a page to scroll through.
MOST_AT_ONCE = 60


def serve(
    file: ProjectFile,
    port: Annotated[
        int | None,
        typer.Option(help="The port; 0 takes any.", min=0, max=65535, show_default="8765, or the next that is free"),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on. Others than 127.0.0.1 can be reached from elsewhere.")
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(
            help="The token that a browser must show, at least 16 characters; by default, a new one.",
            envvar="TREETALK_TOKEN",
            show_default=False,
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A further name by which the server may be called; may be repeated."),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", "-o", help="Open the page in your browser.")] = False,
) -> None:
    """Show the web page: answer questions, look at the hierarchy, and see it follow.

    It prints an address with a token; whoever opens it can answer. Several windows and several people may work on one
    project: &user=NAME at the end of the address says who. Ctrl-C stops the server; an open page goes on when it is
    started again.

    Example: treetalk serve zoo.treetalk

    Example: treetalk serve zoo.treetalk --port 9000 --open
    """
    from treetalk.project import open_project

    check_installed()
    if token is not None and len(token) < 16:
        raise typer.BadParameter("a token has at least 16 characters, so that it cannot be guessed")
    with open_project(file, **_options(file)) as project:
        run(project, host=host, port=port, token=token, allowed=allow_host or (), open_browser=open_browser)
    outcome.say(f"All of it is in {file}; treetalk show {file} draws the hierarchy")


def _options(file: Path) -> dict[str, Any]:
    """Return how to ask in place of what the project says, where the page cannot show that."""
    from treetalk.project import open_project

    with open_project(file, read_only=True) as project:
        settings, num_items = project.settings, project.num_items
    if settings.get("strategy") == "smart" and num_items > MOST_AT_ONCE:
        outcome.say(f"The page cannot show all {num_items:,} items at once, and asks about some of them")
        return {"strategy": "grouped"}
    if settings.get("subset_size", 0) > MOST_AT_ONCE:
        outcome.say(f"The page asks about {MOST_AT_ONCE} items at a time, not {settings['subset_size']:,}")
        return {"subset_size": MOST_AT_ONCE}
    return {}


def check_installed() -> None:
    """Stop with a sentence if what the web page needs is not installed."""
    from importlib.util import find_spec

    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        outcome.fail(MISSING)


def run(
    project: Project,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    token: str | None = None,
    allowed: list[str] | tuple[str, ...] = (),
    open_browser: bool = False,
) -> None:
    """Serve an open project until it is interrupted."""
    from treetalk.server.serving import serve as listen_and_serve

    with waiting("Opening the project (up to a minute the first time)"):
        project.session  # noqa: B018  loaded now, where the person expects to wait

    def ready(address: str) -> None:
        typer.echo(f"{project.path.name} is at {address}")
        if host not in {"127.0.0.1", "localhost", "::1"}:
            outcome.say("It listens beyond this machine: whoever has the address can answer, and it is not encrypted")
        outcome.say("Ctrl-C stops it")
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    # Ctrl-C is how one stops a server: no failure.
    with contextlib.suppress(KeyboardInterrupt):
        listen_and_serve(project, host=host, port=port, token=token, allowed=allowed, ready=ready)
