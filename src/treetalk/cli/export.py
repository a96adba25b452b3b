"""``treetalk export``: the hierarchy for other programs, in the formats that they read."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from treetalk.cli import outcome
from treetalk.cli.delivery import check_free, deliver, is_stdout
from treetalk.cli.options import KIND_HELP, Force, Kind, ProjectFile
from treetalk.cli.waiting import waiting
from treetalk.exporting import (
    ENDINGS,
    Format,
    Options,
    WrongKind,
    check_options,
    exported,
    usual_clusters,
    usual_groups,
)
from treetalk.wording import listed

PICTURES = {".svg", ".png", ".pdf", ".jpg", ".jpeg", ".html"}


class NodeLabels(StrEnum):
    """What stands at the clusters of a tree in Newick; see `treetalk.formats.newick`."""

    both = "both"
    support = "support"
    names = "names"


def export(
    file: ProjectFile,
    out: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="The file to write; - or nothing for standard output.")
    ] = None,
    wanted: Annotated[
        Format | None, typer.Option("--format", help="The format; by default, what the name of OUT ends with.")
    ] = None,
    clusters: Annotated[
        str | None,
        typer.Option(
            metavar="K",
            help="With labels: how many clusters; by default, the root of n / 2. Several, as 4,12,40, are columns.",
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="With labels: cut at a time from 0 to 1, or at several, as 0.3,0.5."),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="K",
            help="Bring the hierarchy to a few levels first, with about so many groups each: 4,12,40.",
        ),
    ] = None,
    min_size: Annotated[
        int | None, typer.Option(metavar="N", help="With --groups and levels: no group under so many items.", min=1)
    ] = None,
    samples: Annotated[
        bool, typer.Option("--samples", help="With newick and nexus: all sampled hierarchies, not one summary.")
    ] = False,
    kind: Annotated[Kind | None, typer.Option(help=KIND_HELP, show_default="central")] = None,
    depth: Annotated[
        int | None, typer.Option(help="With outline: collapse what is deeper than so many levels.", min=1)
    ] = None,
    node_labels: Annotated[
        NodeLabels | None,
        typer.Option(
            help="With newick and nexus: what stands at clusters. ETE reads support by default, and names on request.",
            show_default="both",
        ),
    ] = None,
    base: Annotated[str | None, typer.Option(metavar="IRI", help="With skos: what all IRIs begin with.")] = None,
    language: Annotated[
        str | None, typer.Option(metavar="TAG", help="With skos: the language of the labels, such as en.")
    ] = None,
    force: Force = False,
) -> None:
    """Write the hierarchy in a format that other programs read.

    newick (.nwk, .newick, .tree); nexus (.nex, .nexus, .nxs), which has all sampled hierarchies unless --kind or --groups is
    given; linkage, SciPy's matrix with the items numbered as in the project (.npy, or .csv with --format linkage); json,
    the parallel arrays of the tree (.json); nested-json, as d3 reads it; labels, the cluster of each item (.csv); levels,
    the group of each item on a few levels (.csv with --groups); outline, a nested list in Markdown (.md); skos, a thesaurus
    in Turtle (.ttl); edges, a table with a row for each branch; graphml, for Gephi, Cytoscape and yEd (.graphml); triplets,
    the answers in force; and answers, everything that was ever said.

    Example: treetalk export zoo.treetalk zoo.nwk

    Example: treetalk export zoo.treetalk clusters.csv --clusters 7

    Example: treetalk export zoo.treetalk levels.csv --groups 4,12,40 --min-size 3

    Example: treetalk export zoo.treetalk zoo.ttl --groups 4,12 --base https://example.org/zoo/
    """
    options = Options(
        clusters=_counts(clusters, "--clusters"),
        at=_times(at),
        groups=_counts(groups, "--groups"),
        min_size=min_size,
        samples=samples,
        kind=kind,
        depth=depth,
        node_labels=node_labels,
        base=base,
        language=language,
    )
    chosen = wanted or _format_of(out, options)
    _check(chosen, options)
    options["as_array"] = chosen == Format.linkage and out is not None and out.suffix.lower() == ".npy"
    _write(file, out, chosen, options, force=force)


def _check(chosen: Format, options: Options) -> None:
    """Refuse options that do not go with a format, as they are called here."""
    try:
        check_options(chosen, **options)
    except ValueError as error:
        option, _, rest = str(error).partition(" ")
        raise typer.BadParameter(f"--{option.replace('_', '-')} {rest}") from None


def _write(file: Path, out: Path | None, chosen: Format, options: Options, *, force: bool) -> None:
    """Write a project in a format, and say what was chosen on the way."""
    from treetalk.project import open_project

    told: list[str] = []
    with waiting(f"Reading {file.name}"), open_project(file, read_only=True) as project:
        check_free(out, project.path, force=force)
        told += _chosen_for(chosen, options, project.num_items)
        try:
            data = exported(project, chosen, say=told.append, **options)
        except WrongKind as error:
            outcome.fail(f"{error.problem}; use {' or '.join(f'--kind {each}' for each in error.kinds)}")
    for sentence in told:
        outcome.say(sentence)
    deliver(data, out)
    if not is_stdout(out):
        outcome.say(f"Written to {out}.")


def _chosen_for(chosen: Format, options: Options, num_items: int) -> list[str]:
    """Fill in what nobody asked for, and return a sentence that says so."""
    if chosen == Format.labels and options.get("clusters") is None and options.get("at") is None:
        count = options["clusters"] = usual_clusters(num_items)
        return [f"The tree is cut into {count} clusters; --clusters asks for another number."]
    if chosen == Format.levels and options.get("groups") is None:
        numbers = options["groups"] = usual_groups(num_items)
        return [f"The levels have about {listed(list(map(str, numbers)))} groups; --groups asks for other numbers."]
    return []


def _counts(text: str | None, option: str) -> list[int] | None:
    """Return whole numbers, 1 or more, between commas."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    wrong = next((part for part in parts if not (part.isascii() and part.isdigit() and int(part) > 0)), None)
    if wrong is not None:
        raise typer.BadParameter(
            f"{option} takes whole numbers, 1 or more, with commas between them; {wrong!r} is none"
        )
    numbers = [int(part) for part in parts]
    twice = next((number for number in numbers if numbers.count(number) > 1), None)
    if twice is not None:
        raise typer.BadParameter(f"{option} has {twice} twice")
    if option == "--groups" and sorted(set(numbers)) != numbers:
        raise typer.BadParameter(f"--groups takes numbers that grow, from coarse to fine, not {text}")
    return numbers


def _times(text: str | None) -> list[float] | None:
    """Return numbers between commas."""
    if text is None:
        return None
    times = []
    for part in text.split(","):
        try:
            times.append(float(part))
        except ValueError:
            times.append(math.nan)
        if not math.isfinite(times[-1]):
            raise typer.BadParameter(f"--at takes numbers with commas between them; {part.strip()!r} is none")
    return times


def _format_of(out: Path | None, options: Options) -> Format:
    """Return the format that the name of the file, or failing that an option, asks for."""
    is_cut = options.get("clusters") is not None or options.get("at") is not None
    is_shaped = options.get("groups") is not None and not is_cut
    if out is None or is_stdout(out):
        return Format.labels if is_cut else Format.levels if is_shaped else Format.newick
    ending = out.suffix.lower()
    if ending in PICTURES:
        raise typer.BadParameter(f"{str(out)!r} would be a picture, which `treetalk plot` draws")
    if ending not in ENDINGS:
        raise typer.BadParameter(
            f"{str(out)!r} ends with none of {', '.join(ENDINGS)}, so --format must say what is wanted"
        )
    return Format.levels if is_shaped and ENDINGS[ending] == Format.labels else ENDINGS[ending]
