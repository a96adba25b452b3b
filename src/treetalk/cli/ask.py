"""``treetalk ask``: the dialogue in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treetalk.cli import outcome
from treetalk.cli.options import ProjectFile, StrategyName, Who
from treetalk.cli.waiting import waiting
from treetalk.cli.wording import counted
from treetalk.reading import read_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treetalk.project import Project
    from treetalk.queries import Query


def ask(
    file: ProjectFile,
    num: Annotated[int | None, typer.Option(help="Stop after so many answers.", min=1)] = None,
    about: Annotated[
        str | None,
        typer.Option(metavar="ITEMS", help="Ask about these items first, three or more, with commas between."),
    ] = None,
    strategy: Annotated[
        StrategyName | None,
        typer.Option(help="What to ask; by default, what was chosen when the project was made.", show_default=False),
    ] = None,
    size: Annotated[
        int | None, typer.Option(help="How many items to show at a time.", min=3, show_default=False)
    ] = None,
    who: Who = None,
    plain: Annotated[bool, typer.Option("--plain", help="Type lines only, without arrow keys.")] = False,
) -> None:
    """Answer questions in the terminal: is this piece of the hierarchy right, and if not, what is wrong?

    Enter says that it is right. Otherwise pick with the arrow keys, or type, two items that belong together, and one that
    does not. Undo, skip, and quit at any time: every answer is on the disk before the next question comes.

    Example: treetalk ask zoo.treetalk

    Example: treetalk ask zoo.treetalk --about "lion, lynx, wolf, seal" --who anna
    """
    from rich.console import Console

    from treetalk.project import open_project
    from treetalk.terminal import talk

    with open_project(file, strategy=None if strategy is None else str(strategy), subset_size=size) as project:
        with waiting("Opening the project"):
            dialogue = _Asked(project, who, None if about is None else read_group(about, project.items))
        outcome.say(_state(project))
        talk(dialogue, Console(highlight=False), labels=_labels(project), num_queries=num, plain=plain)
    outcome.say(f"All of it is in {file}; treetalk show {file} draws the hierarchy")


class _Asked:
    """A project's dialogue, with one person who answers, and perhaps a first question of their own."""

    def __init__(self, project: Project, who: str | None, about: Sequence[int] | None) -> None:
        self._project, self._who = project, who
        self._first = None if about is None else project.ask_about(about)
        self.items = project.items
        project.session  # noqa: B018  loaded now, where the person expects to wait

    def ask(self) -> Query | None:
        first, self._first = self._first, None
        return self._project.ask() if first is None else first

    def ask_about(self, leaves: Sequence[int], /) -> Query:
        return self._project.ask_about(leaves)

    def respond(self, query: Query, response: Any, /) -> None:
        self._project.respond(query, response, who=self._who)

    def retract(self, answer_id: int, /) -> object:
        return self._project.retract(answer_id, who=self._who)

    def advance(self) -> None:
        self._project.advance()

    @property
    def answers(self) -> Any:
        return self._project.answers

    @property
    def conflicts(self) -> Any:
        return self._project.conflicts


def _labels(project: Project) -> list[str | None] | None:
    """Return what is shown of each item beside its name, where it says more than the name."""
    labels = [text if text != item else None for text, item in zip(project.texts, project.items, strict=True)]
    return labels if any(labels) else None


def _state(project: Project) -> str:
    retracted = {answer.retracts for answer in project.answers}
    said = [answer for answer in project.answers if answer.kind != "retract" and answer.id not in retracted]
    so_far = f"{counted(len(said), 'answer')} so far" if said else "nothing said yet"
    return f"{project.path.name}: {counted(project.num_items, 'item')}, {so_far}"
