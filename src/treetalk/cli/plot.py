"""``treetalk plot``: pictures of the hierarchy, and of how sure it is."""

from __future__ import annotations

import io
import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treetalk.cli import outcome
from treetalk.cli.delivery import check_free, deliver, is_stdout
from treetalk.cli.options import NOT_SAMPLED, Force, ProjectFile
from treetalk.cli.waiting import waiting
from treetalk.extras import imported
from treetalk.wording import listed

if TYPE_CHECKING:
    from treetalk.project import Project
    from treetalk.tree import Tree

ENDINGS = (".svg", ".png", ".pdf")
DOTS_PER_INCH = 200
MOST_LISTED = 12


class Picture(StrEnum):
    """What is drawn; see `treetalk.plots`."""

    dendrogram = "dendrogram"
    diffusion = "diffusion"
    traces = "traces"
    disagreement = "disagreement"
    tanglegram = "tanglegram"
    before_after = "before-after"


COLORED = {Picture.dendrogram, Picture.diffusion, Picture.tanglegram}
COLLAPSED = {Picture.dendrogram, Picture.disagreement}


def plot(
    file: ProjectFile,
    kind: Annotated[Picture, typer.Argument(metavar="KIND", help="What is drawn.")] = Picture.dendrogram,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="OUT", help="The file to write: .svg, .png or .pdf.", show_default="FILE-KIND.svg"
        ),
    ] = None,
    other: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="OTHER",
            help="With tanglegram: the other hierarchy, in a Newick or NEXUS file or a project, or a column of groups.",
        ),
    ] = None,
    clusters: Annotated[
        int | None, typer.Option(metavar="K", help="Cut the tree into so many clusters, and colour them.", min=1)
    ] = None,
    color: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Colour items by this column of the project, or by this feature."),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="With dendrogram and disagreement: collapse what is more than so many rows.", min=2
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Draw the hierarchy, or how sure it is, into a file.

    KIND is dendrogram; diffusion, the paths that part, from the origin to the items; traces, whether the samples can be
    trusted; disagreement, which items they cannot place; tanglegram, the hierarchy face to face with another one, given by
    --with; or before-after, the hierarchy without any answer, and the one now.

    Example: treetalk plot zoo.treetalk

    Example: treetalk plot zoo.treetalk dendrogram --color type --output zoo.png

    Example: treetalk plot zoo.treetalk tanglegram --with taxonomy.nwk --output both.pdf
    """
    from treetalk.project import open_project

    _check_usage(kind, other=other, clusters=clusters, color=color, rows=rows)
    out = file.with_name(f"{file.stem}-{kind}.svg") if output is None else output
    if not is_stdout(out) and out.suffix.lower() not in ENDINGS:
        raise typer.BadParameter(f"{str(out)!r} ends with none of {', '.join(ENDINGS)}", param_hint="--output")
    # What is not installed is said before any work is done.
    imported("matplotlib", "drawing", extra="plot").use("agg")
    with waiting(f"Drawing {file.name}"), open_project(file, read_only=True) as project:
        check_free(out, project.path, force=force)
        options: dict[str, Any] = {} if rows is None else {"max_rows": rows}
        if clusters is not None:
            options["colors"] = clusters
        elif color is not None:
            options["colors"] = _column(project, color)
        num_draws = project.session.snapshots.num_draws
        figure = _figure(project, kind, other, options)
        data = _saved(figure, "svg" if is_stdout(out) else out.suffix.lower()[1:])
    if num_draws == 0:
        outcome.say(NOT_SAMPLED.format(file=file))
    deliver(data, out)
    if not is_stdout(out):
        outcome.say(f"Written to {out}.")


def _check_usage(
    kind: Picture, *, other: str | None, clusters: int | None, color: str | None, rows: int | None
) -> None:
    if (other is not None) != (kind == Picture.tanglegram):
        raise typer.BadParameter(
            "tanglegram needs --with, the other hierarchy" if other is None else "--with goes with tanglegram only"
        )
    if clusters is not None and color is not None:
        raise typer.BadParameter("--clusters and --color are two ways to colour; give one of them")
    if (clusters is not None or color is not None) and kind not in COLORED:
        given = "--clusters" if color is None else "--color"
        raise typer.BadParameter(f"{given} goes with {', '.join(sorted(COLORED))} only, not with {kind}")
    if rows is not None and kind not in COLLAPSED:
        raise typer.BadParameter(f"--rows goes with {', '.join(sorted(COLLAPSED))} only, not with {kind}")


def _column(project: Project, name: str) -> Column:
    """Return the values of a column or of a feature of the project; a scale as numbers, however they are written."""
    from treetalk.arguments import nearest
    from treetalk.plots.coloring import is_scale

    columns = list(dict.fromkeys(column for more in project.more for column in more))
    known = list(dict.fromkeys([*columns, *project.feature_names]))
    if name not in known:
        near = [repr(column) for column in nearest(name, known)]
        verb = "is" if len(known) == 1 else "are"
        there = f"there {verb} {listed([repr(column) for column in known], MOST_LISTED)}"
        hint = f"did you mean {' or '.join(near)}?" if near else there
        outcome.fail(f"{project.path} has no column {name!r}; {hint}")
    if name not in columns:
        return Column(project.X[:, project.feature_names.index(name)].tolist(), name)
    values = [more.get(name) for more in project.more]
    told = [None if value == "" else value for value in values]
    numbers = _as_numbers(told)
    # Few different numbers are names of groups, which stay as they are written.
    return Column(told if numbers is None or not is_scale(numbers) else numbers, name)


class Column(list[Any]):
    """The values of a column, with its name."""

    def __init__(self, values: list[Any], name: str) -> None:
        super().__init__(values)
        self.name = name


def _as_numbers(values: list[Any]) -> list[Any] | None:
    """Return values that are all numbers, or missing, as numbers, however they are written; None if some are not."""
    try:
        return [None if value is None else float(value) for value in values]
    except (TypeError, ValueError):
        return None


def _figure(project: Project, kind: Picture, other: str | None, options: dict[str, Any]) -> Any:
    from treetalk import plots

    if kind == Picture.traces:
        return plots.traces(project)
    if kind == Picture.disagreement:
        return plots.disagreement(project, **options)
    if kind == Picture.before_after:
        return plots.before_after(project)
    if kind == Picture.tanglegram:
        titles = project.path.stem, Path(other or "").stem
        return plots.tanglegram(project, _other(project, other or ""), titles=titles, **options).figure
    if kind == Picture.diffusion:
        return plots.diffusion(project, **options).figure
    return plots.dendrogram(project, **options).figure


def _other(project: Project, given: str) -> Tree:
    """Return the hierarchy to compare with."""
    from treetalk.project import open_project
    from treetalk.targets import target_from

    if Path(given).suffix == project.path.suffix and Path(given).is_file():
        with open_project(given, read_only=True) as second:
            return second.tree
    return target_from(given, project.items, project.more)


def _saved(figure: Any, ending: str) -> bytes:
    """Return a figure as the bytes of a file; characters that the font lacks are boxes in all but SVG, which is said."""
    import matplotlib

    from treetalk.drawing import STYLE

    file = io.BytesIO()
    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with warnings.catch_warnings(record=True) as caught, matplotlib.rc_context(STYLE):
        warnings.simplefilter("always")
        figure.savefig(file, format=ending, dpi=DOTS_PER_INCH, metadata=dated.get(ending))
    if ending != "svg" and any("missing from font" in str(each.message) for each in caught):
        outcome.say("The font lacks some characters of the names, which are drawn as boxes; SVG has them all.")
    return file.getvalue()
