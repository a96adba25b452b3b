"""``treetalk add``: triplets from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treetalk.cli import outcome
from treetalk.cli.dialect import By, Dialect, DialectName
from treetalk.cli.options import AsJson, ProjectFile, TripletFile, Who
from treetalk.cli.waiting import waiting
from treetalk.cli.wording import conflict_in_words, counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from treetalk.answers import Conflict
    from treetalk.arguments import Items
    from treetalk.dialects import Said
    from treetalk.project import Project


MOST_TOLD = 10


def add(
    file: ProjectFile,
    triplets: TripletFile,
    dialect: Dialect = DialectName.treetalk,
    by: Annotated[
        By | None,
        typer.Option(
            help="What the file calls the items by: their names, or their numbers in the project, counted from 0. By "
            "default numbers for cblearn, metric-learn and salmon, else names."
        ),
    ] = None,
    who: Who = None,
    comment: Annotated[str | None, typer.Option(help="A comment on all of them.")] = None,
    encoding: Annotated[str | None, typer.Option(help="The encoding of the file; UTF-8 by default.")] = None,
    json: AsJson = False,
) -> None:
    """Record the triplets of a file, all of them or, if one cannot be read, none.

    The file begins with the line a,b,c: a and b belong together, apart from c. Columns who and comment may follow. What was
    said before is left out. A triplet that contradicts others is recorded and set aside, and the exit code is 2.

    Files of other tools are read with --dialect:

    anchor-positive-negative: columns of these names; anchor and positive belong together, apart from negative.

    cblearn: rows i, j, k, CSV or .npy; i is nearer to j than to k, so i and j belong together, apart from k. With a response
    as fourth column: cblearn-boolean, cblearn-count. With the odd one first: cblearn-odd-one-out.

    salmon: columns head, winner, loser; head and winner belong together, apart from loser. puid and response_time are kept.

    metric-learn: rows anchor, positive, negative, or quadruplets whose pairs share an item, CSV or .npy.

    links: columns a, b, kind (must-link or cannot-link) and level, of which the coarsest is the smallest.

    newick: a tree over some of the items, Newick or NEXUS; all that it says.

    Example: treetalk add zoo.treetalk triplets.csv --who anna

    Example: treetalk add zoo.treetalk responses.csv --dialect salmon --by name

    Example: treetalk add zoo.treetalk backbone.nwk --dialect newick
    """
    from treetalk.dialects import read_triplets
    from treetalk.project import open_project
    from treetalk.sampling import sample_a_little

    options: dict[str, Any] = {"encoding": encoding} | ({} if by is None else {"by": str(by)})
    with waiting("Taking in triplets"), open_project(file) as project:
        read = read_triplets(triplets, str(dialect), items=project.items, **options)
        fresh = _not_said_before(project, read)
        aside = set(project.session.set_aside)
        if fresh:
            known = [read.known[row] for row in fresh]
            project.answer(
                None,
                read.triplets[fresh],
                who=[who or each.who or _login() for each in known],
                seconds=[each.seconds for each in known],
                comment=[comment or each.comment for each in known],
            )
            sample_a_little(project)
        # Also those that were set aside before: whoever runs this again is told again. And earlier answers, if outvoted.
        lines = {_key(triplet): line for triplet, line in zip(read, read.lines, strict=True)}
        conflicts = [
            each for each in project.conflicts if _key(each.answer.triplet) in lines or each.answer.id not in aside
        ]
        items = project.items
    if json:
        outcome.as_json(
            {
                "read": len(read),
                "added": len(fresh),
                "said_before": len(read) - len(fresh),
                "left_out": read.num_left_out,
                "set_aside": [conflict.answer.id for conflict in conflicts],
            }
        )
    else:
        again = f"; {counted(len(read) - len(fresh), 'triplet')} had been said before" if len(read) > len(fresh) else ""
        nothing = f"; {counted(read.num_left_out, 'row')} of the file said nothing" if read.num_left_out else ""
        outcome.show(outcome.as_sentence(f"{counted(len(fresh), 'triplet')} added to {file}{again}{nothing}"))
    if read.note:
        outcome.say(read.note[0].upper() + read.note[1:])
    _tell_of(conflicts, lines, file, triplets, items)
    if conflicts:
        raise typer.Exit(outcome.CONTRADICTION)


def _tell_of(
    conflicts: list[Conflict], lines: Mapping[Any, int | None], file: Path, triplets: Path, items: Items
) -> None:
    """Say which triplets of a file are set aside, and which answers that they outvote."""
    for conflict in conflicts[:MOST_TOLD]:
        said = _key(conflict.answer.triplet)
        where = _where(triplets, lines[said]) if said in lines else f"Answer {conflict.answer.id}"
        outcome.say(f"{where} is set aside: {conflict_in_words(conflict, items)}")
    if len(conflicts) > MOST_TOLD:
        more = counted(len(conflicts) - MOST_TOLD, "more triplet")
        outcome.say(f"{more} set aside; treetalk check {file} tells why")


def _not_said_before(project: Project, read: Said) -> list[int]:
    """Return the rows of the triplets that neither the project's answers nor earlier rows say."""
    retracted = {answer.retracts for answer in project.answers}
    said = {_key(answer.triplet) for answer in project.answers if answer.triplet and answer.id not in retracted}
    fresh = []
    for row, triplet in enumerate(read):
        if _key(triplet) not in said:
            said.add(_key(triplet))
            fresh.append(row)
    return fresh


def _where(file: Path, line: int | None) -> str:
    """Return where in a file a triplet stands; an array has rows, a tree has no lines."""
    if line is None:
        return f"What {file.name} says"
    return f"{file.name}, {'row' if file.suffix.lower() in {'.npy', '.npz'} else 'line'} {line},"


def _key(triplet: tuple[int, int, int] | None) -> tuple[frozenset[int], int] | None:
    """Return what two triplets share that say the same: the order of the first two does not count."""
    return None if triplet is None else (frozenset(triplet[:2]), triplet[2])


def _login() -> str | None:
    from treetalk.project.holding import user_name

    return user_name()
