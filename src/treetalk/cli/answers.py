"""``treetalk answers``: what was said, how each answer stands, and taking answers back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treetalk.cli import outcome
from treetalk.cli.delivery import check_free, deliver, is_stdout
from treetalk.cli.options import AsJson, Force, ProjectFile, Who
from treetalk.cli.waiting import waiting
from treetalk.cli.wording import counted, listed, local_time, table
from treetalk.exporting import Format, answer_as_row, answer_rows, answers_as_csv

if TYPE_CHECKING:
    from treetalk.project import Project, Record

IN_FORCE, TAKEN_BACK, NEITHER = "in force", "taken back", "-"


def answers(
    file: ProjectFile,
    retract: Annotated[
        list[int] | None, typer.Option(metavar="NUMBER", help="Take this answer back; may be given several times.")
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(metavar="OUT", help="Write the triplets in force to a CSV file, or to - for standard output."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="With --export: write everything that was ever said.")
    ] = False,
    last: Annotated[int | None, typer.Option(help="Only so many, the latest.", min=1)] = None,
    comment: Annotated[str | None, typer.Option(metavar="TEXT", help="With --retract: why.")] = None,
    who: Who = None,
    force: Force = False,
    json: AsJson = False,
) -> None:
    """List what was said, the latest last, and how each answer stands.

    An answer is in force, was set aside because it contradicts others, or was taken back. Those that accept what was shown,
    or skip it, constrain nothing. `treetalk add` reads what --export writes.

    Example: treetalk answers zoo.treetalk --last 20

    Example: treetalk answers zoo.treetalk --retract 17 --comment "a slip"

    Example: treetalk answers zoo.treetalk --export answers.csv
    """
    from treetalk.project import open_project

    _check_options(retract, export, everything=everything, comment=comment, who=who, last=last)
    if retract:
        with open_project(file) as project:
            _retract(project, retract, who, comment, json=json)
        return
    with open_project(file, read_only=True) as project:
        if export is not None:
            check_free(export, project.path, force=force)
            chosen = Format.answers if everything else Format.triplets
            rows = answer_rows(project, chosen)
            deliver(answers_as_csv(rows, chosen), export)
            if not is_stdout(export):
                outcome.say(f"{counted(len(rows), 'answer')} written to {export}.")
            return
        records = project.records[-(last or 0) :]
        standings = _standings(project, records)
        if json:
            outcome.as_json([_as_record(project, record, standings[record.answer.id]) for record in records])
        elif not records:
            outcome.show("No answers yet.")
        else:
            _print_table(project, records, standings)


def _check_options(
    retract: list[int] | None,
    export: Path | None,
    *,
    everything: bool,
    comment: str | None,
    who: str | None,
    last: int | None,
) -> None:
    if retract and export is not None:
        raise typer.BadParameter("--retract and --export are two commands; give one of them")
    if everything and export is None:
        raise typer.BadParameter("--all says what --export writes, and --export is not there")
    if (comment is not None or who is not None) and not retract:
        raise typer.BadParameter("--comment and --who go with --retract, which is not there")
    if last is not None and (retract or export is not None):
        raise typer.BadParameter("--last is for the list of answers, not for --retract or --export")


def _retract(project: Project, numbers: list[int], who: str | None, comment: str | None, *, json: bool) -> None:
    from treetalk.sampling import sample_a_little

    before = {answer.id for answer in project.session.in_force}
    said = {record.answer.id: record.answer for record in project.records}
    with waiting("Sampling without them"):
        project.retract(numbers, who=who, comment=comment)
        sample_a_little(project)
    now = {answer.id for answer in project.session.in_force}
    back, aside = sorted(now - before), sorted(before - now - set(numbers))
    if json:
        outcome.as_json({"taken_back": list(dict.fromkeys(numbers)), "back_in_force": back, "set_aside": aside})
        return
    for title, ids in (("Taken back", dict.fromkeys(numbers)), ("Back in force", back), ("Set aside now", aside)):
        for number in ids:
            outcome.show(f"{title}: {number} ({said[number].in_words(project.items)}).")


def _standings(project: Project, records: tuple[Record, ...]) -> dict[int, tuple[str, tuple[int, ...]]]:
    """Return how each of some answers stands, and for one that was set aside those that it contradicts."""
    session = project.session
    stands = {answer.id: IN_FORCE for answer in session.in_force}
    stands |= {answer.retracts: TAKEN_BACK for answer in session.answers if answer.retracts is not None}
    aside = {conflict.answer.id: conflict for conflict in session.conflicts}
    found: dict[int, tuple[str, tuple[int, ...]]] = {}
    for number in (record.answer.id for record in records):
        if number in aside:
            # That takes some time, so only for those that are shown.
            found[number] = "set aside", tuple(other.id for other in aside[number].clashes_with)
        else:
            found[number] = stands.get(number, NEITHER), ()
    return found


def _print_table(
    project: Project, records: tuple[Record, ...], standings: dict[int, tuple[str, tuple[int, ...]]]
) -> None:
    rows = []
    for record in records:
        stands, clashes_with = standings[record.answer.id]
        if clashes_with:
            stands += f": contradicts {listed([str(number) for number in clashes_with], most=10)}"
        what = record.answer.in_words(project.items)
        rows.append([record.answer.id, local_time(record.time), record.who, what, stands, record.comment or ""])
    outcome.show(table(["number", "when", "who", "what", "how it stands", ""], rows))


def _as_record(project: Project, record: Record, standing: tuple[str, tuple[int, ...]]) -> dict[str, Any]:
    """Return an answer as a row of names and values, with how it stands."""
    return answer_as_row(project, record) | {"stands": standing[0], "contradicts": list(standing[1])}
