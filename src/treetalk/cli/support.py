"""``treetalk support``: how sure it is that items belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treetalk.cli import outcome
from treetalk.cli.options import NOT_SAMPLED, AsJson, ProjectFile
from treetalk.cli.waiting import waiting
from treetalk.reading import read_group, read_triplet

if TYPE_CHECKING:
    from treetalk.arguments import Items
    from treetalk.statements import TripletStatement


def support(
    file: ProjectFile,
    triplet: Annotated[
        str | None,
        typer.Argument(
            metavar='"A, B | C"', help="Two items that belong together, and after a bar one apart from them."
        ),
    ] = None,
    group: Annotated[
        str | None, typer.Option(metavar='"A, B, ..."', help="Items that may be a cluster of their own.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Say how sure it is that two items belong together, apart from a third one, or that items are a cluster.

    What follows from the answers is certain, and what contradicts them is in no hierarchy; for the rest, it is the share of
    the sampled hierarchies. A cluster holds the items given and no others.

    Example: treetalk support zoo.treetalk "cat, lynx | dog"

    Example: treetalk support zoo.treetalk --group "cat, lynx, lion"
    """
    from treetalk.project import open_project
    from treetalk.statements import about_group, about_triplet

    if (triplet is None) == (group is None):
        raise typer.BadParameter('one thing is needed: "a, b | c", or --group "a, b, ..."')
    with waiting(f"Reading {file.name}"), open_project(file, read_only=True) as project:
        items = project.items
        if triplet is not None:
            found = about_triplet(project.session, read_triplet(triplet, items))
            record = _as_record(found, items)
            told = [found.sentence, "", "The alternatives:", *(each.sentence for each in found.alternatives)]
        else:
            cluster = about_group(project.session, read_group(group or "", items))
            named = [items[leaf] for leaf in cluster.leaves]
            record = {"group": named, "is_everything": cluster.is_everything, **cluster.as_record()}
            told = [cluster.sentence]
    if record["num_draws"] == 0:
        outcome.say(NOT_SAMPLED.format(file=file))
    if json:
        outcome.as_json(record)
    else:
        outcome.show("\n".join(told))


def _as_record(statement: TripletStatement, items: Items) -> dict[str, Any]:
    """Return what is known of a triplet, and of its alternatives if it has them, by name."""
    one, other, odd = (items[leaf] for leaf in statement.triplet)
    record = {"together": [one, other], "apart": odd, **statement.as_record()}
    if statement.alternatives:
        record["alternatives"] = [_as_record(each, items) for each in statement.alternatives]
    return record
