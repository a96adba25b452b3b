"""``treetalk export``: the hierarchy for other programs, in the formats that they read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treetalk.cli import outcome
from treetalk.cli.delivery import check_free, deliver, is_stdout
from treetalk.cli.options import KIND_HELP, Force, Kind, ProjectFile
from treetalk.cli.waiting import waiting
from treetalk.exporting import ENDINGS, Format, WrongKind, check_options, exported, usual_clusters


def export(
    file: ProjectFile,
    out: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="The file to write; - or nothing for standard output.")
    ] = None,
    wanted: Annotated[
        Format | None, typer.Option("--format", help="The format; by default, what the name of OUT ends with.")
    ] = None,
    clusters: Annotated[
        int | None,
        typer.Option(metavar="K", help="With labels: how many clusters; by default, the root of n / 2.", min=1),
    ] = None,
    samples: Annotated[
        bool, typer.Option("--samples", help="With newick and nexus: all sampled hierarchies, not one summary.")
    ] = False,
    kind: Annotated[Kind | None, typer.Option(help=KIND_HELP, show_default="central")] = None,
    depth: Annotated[
        int | None, typer.Option(help="With outline: collapse what is deeper than so many levels.", min=1)
    ] = None,
    force: Force = False,
) -> None:
    """Write the hierarchy in a format that other programs read.

    newick (.nwk, .newick, .tree); nexus (.nex, .nexus, .nxs), which has all sampled hierarchies unless --kind is given;
    linkage, SciPy's matrix with the items numbered as in the project (.npy, or .csv with --format linkage); json, the
    parallel arrays of the tree (.json); nested-json, as d3 reads it; labels, the cluster of each item (.csv); outline, a
    nested list in Markdown (.md); triplets, the answers in force; and answers, everything that was ever said.

    Example: treetalk export zoo.treetalk zoo.nwk

    Example: treetalk export zoo.treetalk clusters.csv --clusters 7
    """
    from treetalk.project import open_project

    chosen = wanted or _format_of(out, clusters)
    try:
        check_options(chosen, clusters=clusters, samples=samples, kind=kind, depth=depth)
    except ValueError as error:
        raise typer.BadParameter(f"--{error}") from None
    as_array = chosen == Format.linkage and out is not None and out.suffix.lower() == ".npy"
    with waiting(f"Reading {file.name}"), open_project(file, read_only=True) as project:
        check_free(out, project.path, force=force)
        count = usual_clusters(project.num_items) if chosen == Format.labels and clusters is None else clusters
        try:
            data = exported(project, chosen, clusters=count, samples=samples, kind=kind, depth=depth, as_array=as_array)
        except WrongKind as error:
            outcome.fail(f"{error.problem}; use {' or '.join(f'--kind {each}' for each in error.kinds)}")
    if count != clusters:
        outcome.say(f"The tree is cut into {count} clusters; --clusters asks for another number.")
    deliver(data, out)
    if not is_stdout(out):
        outcome.say(f"Written to {out}.")


def _format_of(out: Path | None, clusters: int | None) -> Format:
    if out is None or is_stdout(out):
        return Format.newick if clusters is None else Format.labels
    ending = out.suffix.lower()
    if ending not in ENDINGS:
        raise typer.BadParameter(
            f"{str(out)!r} ends with none of {', '.join(ENDINGS)}, so --format must say what is wanted"
        )
    return ENDINGS[ending]
