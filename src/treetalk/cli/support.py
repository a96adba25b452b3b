"""``treetalk support``: how sure it is that items belong together."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from treetalk.cli import outcome
from treetalk.cli.options import NOT_SAMPLED, AsJson, ProjectFile
from treetalk.cli.waiting import waiting
from treetalk.cli.wording import listed, percent
from treetalk.formats.text import one_line
from treetalk.reading import Triplet, read_group, read_triplet

if TYPE_CHECKING:
    from treetalk.project import Project
    from treetalk.triplets import TripletSet

NUM_NAMED = 10


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

    if (triplet is None) == (group is None):
        raise typer.BadParameter('one thing is needed: "a, b | c", or --group "a, b, ..."')
    with waiting(f"Reading {file.name}"), open_project(file, read_only=True) as project:
        if triplet is not None:
            found = _of_triplets(project, read_triplet(triplet, project.items))
        else:
            found = _of_group(project, read_group(group or "", project.items))
    if found["num_draws"] == 0:
        outcome.say(NOT_SAMPLED.format(file=file))
    if json:
        outcome.as_json(found)
    elif triplet is not None:
        first, *others = (_sentence(each, _told(each)) for each in [found, *found["alternatives"]])
        outcome.show("\n".join([first, "", "The alternatives:", *others]))
    else:
        outcome.show(_sentence(found, _told_of_group(found)))


def _of_triplets(project: Project, triplet: Triplet) -> dict[str, Any]:
    """Return what is known of a triplet, and of the two other ways to part the three items."""
    from treetalk.triplets import TripletSet

    a, b, c = triplet
    three = [(a, b, c), (a, c, b), (b, c, a)]
    known = TripletSet(project.session.triplets, project.num_items)
    snapshots = project.session.snapshots
    draws, num_draws = snapshots.draws(), snapshots.num_draws
    counts = draws.satisfied(np.array(three, np.int32)).sum(axis=0).tolist()
    first, *others = (
        {
            "together": [project.items[one], project.items[other]],
            "apart": project.items[odd],
            "support": count / len(draws),
            "count": count,
            "of": len(draws),
            "num_draws": num_draws,
            "certain": known.implied((one, other, odd)),
            "possible": _is_possible(known, [(one, other, odd)]),
        }
        for (one, other, odd), count in zip(three, counts, strict=True)
    )
    return first | {"alternatives": others}


def _of_group(project: Project, leaves: list[int]) -> dict[str, Any]:
    """Return what is known of a cluster."""
    from treetalk.triplets import TripletSet

    known = TripletSet(project.session.triplets, project.num_items)
    # Items that no answer mentions can be anywhere: they make nothing impossible, and leave nothing certain.
    mentioned = set(project.session.triplets.ravel().tolist())
    inside = [leaf for leaf in leaves if leaf in mentioned]
    outside = sorted(mentioned - set(leaves))
    is_everything = len(leaves) == project.num_items
    is_all_mentioned = len(inside) == len(leaves) and len(outside) == project.num_items - len(leaves)
    # Neighbours in the list are enough: of pairs that belong together, apart from an item, one leads to the next.
    needed = [(a, b, c) for a, b in itertools.pairwise(inside) for c in outside]
    share = project.session.clade_support(leaves)
    snapshots = project.session.snapshots
    num_trees = len(snapshots.draws())
    return {
        "group": [project.items[leaf] for leaf in leaves],
        "support": share,
        "count": round(share * num_trees),
        "of": num_trees,
        "is_everything": is_everything,
        "num_draws": snapshots.num_draws,
        "certain": is_everything or (is_all_mentioned and all(known.implied(triplet) for triplet in needed)),
        "possible": _is_possible(known, needed),
    }


def _is_possible(known: TripletSet, more: list[Triplet]) -> bool:
    """Return whether some hierarchy has the triplets that are known and more."""
    from treetalk.triplets import TripletSet

    # A set holds each triplet once, whichever of the two that belong together comes first.
    all_of_them = {(min(a, b), max(a, b), c) for a, b, c in [*known, *more]}
    return TripletSet(list(all_of_them), known.num_leaves).is_consistent


def _told(found: dict[str, Any]) -> str:
    one, other = map(one_line, found["together"])
    return f"{one} and {other} belong together, apart from {one_line(found['apart'])}"


def _told_of_group(found: dict[str, Any]) -> str:
    return f"{listed([one_line(name) for name in found['group']], NUM_NAMED)} are a cluster of their own"


def _sentence(found: dict[str, Any], told: str) -> str:
    if found.get("is_everything"):
        return f"{told}: certain, for they are all items."
    if found["certain"]:
        return f"{told}: certain, it follows from your answers."
    if not found["possible"]:
        return f"{told}: no hierarchy that satisfies your answers has it."
    return f"{told}: {percent(found['support'])} sure (in {found['count']} of {found['of']} sampled hierarchies)."
