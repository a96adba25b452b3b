"""``treetalk check``: do the answers contradict each other?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treetalk.cli import outcome
from treetalk.cli.dialect import By, Dialect, DialectName
from treetalk.cli.options import AsJson, ProjectFile
from treetalk.cli.waiting import waiting
from treetalk.cli.wording import conflict_in_words, counted

if TYPE_CHECKING:
    from treetalk.answers import Conflict
    from treetalk.arguments import Items


MOST_TOLD = 20


def check(
    file: ProjectFile,
    triplets: Annotated[
        Path | None,
        typer.Argument(metavar="[TRIPLETS]", help="A file of triplets to check together with the answers; not added."),
    ] = None,
    dialect: Dialect = DialectName.treetalk,
    by: Annotated[By | None, typer.Option(help="What the file calls the items by, as treetalk add takes it.")] = None,
    encoding: Annotated[str | None, typer.Option(help="The encoding of the file; UTF-8 by default.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Tell all contradictions, however many.")] = False,
    json: AsJson = False,
) -> None:
    """Say whether the answers are consistent, and if not, which ones contradict each other; then the exit code is 2.

    Without any one of the answers that are named together, the others would be consistent.

    Example: treetalk check zoo.treetalk

    Example: treetalk check zoo.treetalk more-triplets.csv

    Example: treetalk check zoo.treetalk triplets.npy --dialect cblearn
    """
    from treetalk.answers import Ledger
    from treetalk.dialects import Said, read_triplets
    from treetalk.project import open_project

    with waiting(f"Reading {file.name}"), open_project(file, read_only=True) as project:
        items, records = project.items, project.records
        set_aside, outvotes = project.session.set_aside, project.session.setting.outvotes
    options: dict[str, Any] = {"encoding": encoding} | ({} if by is None else {"by": str(by)})
    read = Said([]) if triplets is None else read_triplets(triplets, str(dialect), items=items, **options)
    ledger = Ledger(len(items), outvotes=outvotes)
    ledger.restore([record.answer for record in records], set_aside)
    ledger.extend(ledger.next_entries("triplet", None, None, list(read)))
    lines = {len(records) + i: line for i, line in enumerate(read.lines)}
    conflicts, num_in_force = ledger.conflicts, len(ledger.in_force)
    if json:
        outcome.as_json(
            {
                "is_consistent": not conflicts,
                "num_in_force": num_in_force,
                "conflicts": [_as_record(conflict, items, lines) for conflict in conflicts],
            }
        )
    elif conflicts:
        told = conflicts if everything else conflicts[:MOST_TOLD]
        for conflict in told:
            outcome.show(f"{conflict_in_words(conflict, items, _places(triplets, lines))}.")
        if len(told) < len(conflicts):
            outcome.show(f"And {len(conflicts) - len(told):,} more; --all tells them too.")
        are_answers = any(other.id not in lines for each in told for other in (each.answer, *each.clashes_with))
        advice = (
            f" To settle it, take one of each back: treetalk answers {file} --retract NUMBER" if are_answers else ""
        )
        outcome.show(f"{counted(len(conflicts), 'triplet')} set aside, {num_in_force:,} in force.{advice}")
    else:
        outcome.show(f"The answers are consistent: {counted(num_in_force, 'triplet')} in force.")
    if conflicts:
        raise typer.Exit(outcome.CONTRADICTION)


def _places(file: Path | None, lines: dict[int, int | None]) -> dict[int, str]:
    """Return where each triplet of a file stands: an array has rows, a tree has no lines."""
    if file is None:
        return {}
    what = "row" if file.suffix.lower() in {".npy", ".npz"} else "line"
    return {number: f"in {file.name}" if line is None else f"{what} {line}" for number, line in lines.items()}


def _as_record(conflict: Conflict, items: Items, lines: dict[int, int | None]) -> dict[str, Any]:
    def answer(number: int, triplet: Any) -> dict[str, Any]:
        place = {"line": lines[number]} if number in lines else {"id": number}
        return place | {"triplet": [items[i] for i in triplet]}

    return {
        "set_aside": answer(conflict.answer.id, conflict.answer.triplet),
        "contradicts": [answer(other.id, other.triplet) for other in conflict.clashes_with],
    }
