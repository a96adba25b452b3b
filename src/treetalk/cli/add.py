"""``treetalk add``: triplets from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from treetalk.cli import outcome
from treetalk.cli.options import AsJson, ProjectFile, TripletFile, Who
from treetalk.cli.waiting import waiting
from treetalk.cli.wording import conflict_in_words, counted

if TYPE_CHECKING:
    from treetalk.importing.triplet_file import SaidTriplet
    from treetalk.project import Project


MOST_TOLD = 10


def add(
    file: ProjectFile,
    triplets: TripletFile,
    who: Who = None,
    comment: Annotated[str | None, typer.Option(help="A comment on all of them.")] = None,
    encoding: Annotated[str | None, typer.Option(help="The encoding of the file; UTF-8 by default.")] = None,
    json: AsJson = False,
) -> None:
    """Record the triplets of a CSV file, all of them or, if one cannot be read, none.

    The file begins with the line a,b,c: a and b belong together, apart from c. Columns who and comment may follow. What was
    said before is left out. A triplet that contradicts others is recorded and set aside, and the exit code is 2.

    Example: treetalk add zoo.treetalk triplets.csv --who anna
    """
    from treetalk.importing.triplet_file import read_triplet_file
    from treetalk.project import open_project
    from treetalk.sampling import sample_a_little

    with waiting("Taking in triplets"), open_project(file) as project:
        read = read_triplet_file(triplets, project.items, encoding=encoding)
        fresh = _not_said_before(project, read)
        if fresh:
            project.answer(
                None,
                [each.triplet for each in fresh],
                who=[who or each.who or _login() for each in fresh],
                comment=[comment or each.comment for each in fresh],
            )
            sample_a_little(project)
        # Also those that were set aside before: whoever runs this again is told again.
        lines = {_key(each.triplet): each.line for each in read}
        conflicts = [each for each in project.conflicts if _key(each.answer.triplet) in lines]
        items = project.items
    if json:
        outcome.as_json(
            {
                "read": len(read),
                "added": len(fresh),
                "said_before": len(read) - len(fresh),
                "set_aside": [conflict.answer.id for conflict in conflicts],
            }
        )
    else:
        again = f"; {counted(len(read) - len(fresh), 'triplet')} had been said before" if len(read) > len(fresh) else ""
        outcome.show(outcome.as_sentence(f"{counted(len(fresh), 'triplet')} added to {file}{again}"))
    for conflict in conflicts[:MOST_TOLD]:
        line = lines[_key(conflict.answer.triplet)]
        outcome.say(f"{triplets.name}, line {line}, is set aside: {conflict_in_words(conflict, items)}")
    if len(conflicts) > MOST_TOLD:
        outcome.say(f"{counted(len(conflicts) - MOST_TOLD, 'more triplet')} set aside; treetalk check {file} tells why")
    if conflicts:
        raise typer.Exit(outcome.CONTRADICTION)


def _not_said_before(project: Project, read: tuple[SaidTriplet, ...]) -> list[SaidTriplet]:
    """Return the triplets that neither the project's answers nor earlier lines say."""
    retracted = {answer.retracts for answer in project.answers}
    said = {_key(answer.triplet) for answer in project.answers if answer.triplet and answer.id not in retracted}
    fresh = []
    for each in read:
        if _key(each.triplet) not in said:
            said.add(_key(each.triplet))
            fresh.append(each)
    return fresh


def _key(triplet: tuple[int, int, int] | None) -> tuple[frozenset[int], int] | None:
    """Return what two triplets share that say the same: the order of the first two does not count."""
    return None if triplet is None else (frozenset(triplet[:2]), triplet[2])


def _login() -> str | None:
    from treetalk.project.holding import user_name

    return user_name()
