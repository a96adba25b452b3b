"""``treetalk export``: the hierarchy for other programs, in the formats that they read."""

from __future__ import annotations

import csv
import io
import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from treetalk.cli import outcome
from treetalk.cli.delivery import check_free, deliver, is_stdout
from treetalk.cli.options import KIND_HELP, Force, Kind, ProjectFile, tree_of_kind
from treetalk.cli.waiting import waiting

if TYPE_CHECKING:
    from treetalk.project import Project
    from treetalk.tree import Tree


class Format(StrEnum):
    """What can be written."""

    newick = "newick"
    nexus = "nexus"
    linkage = "linkage"
    json = "json"
    nested_json = "nested-json"
    labels = "labels"
    outline = "outline"


ENDINGS = {
    ".nwk": Format.newick,
    ".newick": Format.newick,
    ".tree": Format.newick,
    ".nex": Format.nexus,
    ".nexus": Format.nexus,
    ".nxs": Format.nexus,
    ".npy": Format.linkage,
    ".json": Format.json,
    ".csv": Format.labels,
    ".md": Format.outline,
}


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
    parallel arrays of the tree (.json); nested-json, as d3 reads it; labels, the cluster of each item (.csv); and outline, a
    nested list in Markdown (.md).

    Example: treetalk export zoo.treetalk zoo.nwk

    Example: treetalk export zoo.treetalk clusters.csv --clusters 7
    """
    from treetalk.project import open_project

    chosen = wanted or _format_of(out, clusters)
    _check_options(chosen, clusters=clusters, samples=samples, kind=kind, depth=depth)
    with waiting(f"Reading {file.name}"), open_project(file, read_only=True) as project:
        check_free(out, project.path, force=force)
        data = _written(project, chosen, out, clusters=clusters, samples=samples, kind=kind, depth=depth)
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


def _check_options(
    chosen: Format, *, clusters: int | None, samples: bool, kind: Kind | None, depth: int | None
) -> None:
    if clusters is not None and chosen != Format.labels:
        raise typer.BadParameter(f"--clusters is for labels; the format is {chosen}")
    if samples and chosen not in {Format.newick, Format.nexus}:
        raise typer.BadParameter(f"--samples is for newick and nexus; the format is {chosen}")
    if samples and kind is not None:
        raise typer.BadParameter(
            "--samples are all sampled hierarchies, and --kind is one summary of them; give one of both"
        )
    if depth is not None and chosen != Format.outline:
        raise typer.BadParameter(f"--depth is for outline; the format is {chosen}")


def _written(
    project: Project,
    chosen: Format,
    out: Path | None,
    *,
    clusters: int | None,
    samples: bool,
    kind: Kind | None,
    depth: int | None,
) -> str | bytes:
    """Return what is to be written."""
    from treetalk.formats.nexus import to_nexus
    from treetalk.formats.outline import to_outline

    if samples or (chosen == Format.nexus and kind is None):
        trees = project.session.samples
        return "".join(to_nexus(trees) if chosen == Format.nexus else (f"{tree.to_newick()}\n" for tree in trees))
    tree = tree_of_kind(project, kind)
    if chosen == Format.newick:
        return f"{tree.to_newick()}\n"
    if chosen == Format.nexus:
        return "".join(to_nexus([tree]))
    if chosen == Format.json:
        return f"{tree.to_json()}\n"
    if chosen == Format.nested_json:
        return f"{tree.to_nested_json()}\n"
    if chosen == Format.outline:
        return to_outline(tree, depth)
    if chosen == Format.labels:
        return _labels(tree, clusters)
    return _linkage(tree, as_array=out is not None and out.suffix.lower() == ".npy")


def _linkage(tree: Tree, *, as_array: bool) -> str | bytes:
    """Return SciPy's matrix, as NumPy's file or as CSV without a header."""
    if not tree.is_binary:
        outcome.fail("A linkage matrix joins two clusters at a time, which this tree does not; use --kind central")
    matrix = tree.to_linkage()
    if as_array:
        file = io.BytesIO()
        np.save(file, matrix)
        return file.getvalue()
    rows = ((int(left), int(right), height, int(size)) for left, right, height, size in matrix.tolist())
    return "".join(f"{left},{right},{height!r},{size}\n" for left, right, height, size in rows)


def _labels(tree: Tree, clusters: int | None) -> str:
    """Return the cluster of each item as CSV."""
    if tree.time is None:
        outcome.fail("Only a tree with times can be cut into clusters; use --kind central or --kind credible")
    count = clusters
    if count is None:
        count = min(max(round(math.sqrt(tree.num_leaves / 2)), 1), tree.num_leaves)
        outcome.say(f"The tree is cut into {count} clusters; --clusters asks for another number.")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["item", "cluster"])
    writer.writerows(zip(tree.items or range(tree.num_leaves), tree.cut(count).tolist(), strict=True))
    return text.getvalue()
