"""The hierarchy as a dendrogram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import as_count
from treetalk.plots.branches import (
    ORIENTATIONS,
    Branches,
    Pen,
    branch_colors,
    branches_of,
    widths_by_support,
)
from treetalk.plots.paper import axes_for, group_colors, ink, legend_of_groups, plain, points_of
from treetalk.plots.sources import groups_of, names_of, pictures_of, tree_of
from treetalk.plots.thumbnails import as_thumbnail, put_thumbnails
from treetalk.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

# Up to so many leaves, all are drawn. In larger trees most rows stand for branches, of which fewer are easier to read.
MOST_LEAVES, MOST_ROWS, FEWEST_ROWS = 120, 60, 8
LEAST_POINTS = 8.5  # of a row with a name, if axes are given
SMALLEST_LETTERS, LARGEST_LETTERS = 4.0, 9.0
# Inches: of a new figure, of a row of it when there are few and when there are many, and of one with a picture.
WIDTH, MARGIN, WIDE_ROW, ROW, PICTURE_ROW = 7.0, 0.9, 0.24, 0.15, 0.42
MANY = 40


def dendrogram(
    source: object,
    *,
    support: bool = True,
    images: Any = None,
    labels: Any = True,
    colors: Any = None,
    max_rows: int | None = None,
    times: bool = True,
    orientation: str = "right",
    ax: Axes | None = None,
) -> Axes:
    """Draw a hierarchy.

    Branches of good support are drawn thick, and support below 1 is written beneath them where there is room. Names that
    were given to clusters stand above their branches.

    Parameters
    ----------
    source : Tree, Session, Project or fitted estimator
        What has the hierarchy.
    support : bool
        Whether support is shown, if the tree has some.
    images : mapping from items, or sequence, or False, optional
        A picture for each item, or for some of them: paths, bytes, arrays or PIL images. By default those of a project;
        False leaves them out.
    labels : bool, mapping from items, or sequence
        What items are called; by default their names. False leaves them out.
    colors : int, mapping from items, or sequence, optional
        A number of clusters, into which the tree is cut, or the group of each item. Branches whose items have one group
        have its colour.
    max_rows : int, optional
        How many rows there are at most. In larger trees the smallest branches are drawn as triangles, with the number of
        their items. By default as many as fit into the axes; in a new figure all leaves up to 120, and 60 of larger trees.
    times : bool
        Whether nodes stand at their times, if the tree has some. Otherwise edges are as equally long as can be.
    orientation : "right", "left", "top" or "bottom"
        As in SciPy: branches grow to the right or to the left, or the root is at the top or at the bottom.
    ax : Axes, optional
        Where to draw; by default in a new figure that is as high as it has to be.
    """
    tree = tree_of(source)
    if orientation not in ORIENTATIONS:
        raise ValueError(f"orientation must be one of {', '.join(map(repr, ORIENTATIONS))}, not {orientation!r}")
    names = names_of(tree, labels)
    groups = groups_of(tree, colors)
    pictures = pictures_of(source, images, tree)
    limit = rows_that_fit(ax, orientation, tree.num_leaves) if max_rows is None else as_count(max_rows, "max_rows", 2)
    what = branches_of(tree, limit, labels=names, times=times)
    size = figure_size(what.num_rows, orientation, with_pictures=pictures is not None)
    with axes_for(ax, *size) as axes:
        draw_branches(axes, what, orientation, support=support, groups=groups)
        row_points = _row_points(axes, what.num_rows, orientation)
        pad = 3.0
        if pictures is not None:
            side = min(0.86 * row_points, 60.0)
            _put_pictures(axes, what, pictures, orientation, side)
            pad += side + 3
        put_names(axes, what, orientation, row_points, pad=pad, groups=groups, named=names is not None)
        if groups is not None and groups[1]:
            legend_of_groups(axes, groups[1], group_colors(groups[0], len(groups[1])))
        return axes


def rows_that_fit(ax: Axes | None, orientation: str, num_leaves: int) -> int:
    """Return how many rows with names have room in given axes, or how many a new figure has at most."""
    if ax is None:
        return MOST_LEAVES if num_leaves <= MOST_LEAVES else MOST_ROWS
    width, height = points_of(ax)
    return max(FEWEST_ROWS, int((height if orientation in {"right", "left"} else width) / LEAST_POINTS))


def figure_size(num_rows: int, orientation: str, *, with_pictures: bool) -> tuple[float, float]:
    """Return the width and the height of a new figure, in inches."""
    share = min(max(num_rows - MANY / 2, 0) / MANY, 1)
    row = PICTURE_ROW if with_pictures else WIDE_ROW + share * (ROW - WIDE_ROW)
    across = max(num_rows * row + MARGIN, 2.0)
    return (WIDTH, across) if orientation in {"right", "left"} else (across, WIDTH * 0.75)


def draw_branches(
    axes: Axes,
    what: Branches,
    orientation: str,
    *,
    support: bool,
    groups: tuple[NDArray[np.int64], list[str]] | None = None,
) -> None:
    """Draw the lines, the triangles and the words of a tree, and the axis of its times."""
    pen = Pen(axes, orientation)
    num_groups = 0 if groups is None else int(groups[0].max(initial=-1)) + 1
    palette = [] if groups is None else group_colors(groups[0], num_groups)
    colors = branch_colors(what, None if groups is None else groups[0], palette, ink())
    begin = min(0.0, float(what.depth[0])) if what.has_times else 0.0
    pen.lines(what, colors, widths_by_support(what, support=support), start=begin if what.has_times else None)
    pen.triangles(what, colors)
    if what.has_times:
        pen.leaders(what)
    _set_axes(axes, what, orientation, begin)
    along = points_of(axes)[0 if pen.is_flat else 1]
    letters = min(7.0, 0.6 * _row_points(axes, what.num_rows, orientation))
    span = max(what.end - begin, 1e-12)
    pen.words(what, support=support, size=max(letters, SMALLEST_LETTERS), points_per_depth=along / span, reach=begin)


def put_names(
    axes: Axes,
    what: Branches,
    orientation: str,
    row_points: float,
    *,
    pad: float = 3.0,
    groups: tuple[NDArray[np.int64], list[str]] | None = None,
    named: bool = True,
) -> None:
    """Write beside each row what it is called; what is shut keeps its number of items even if nothing else is named."""
    rows = np.flatnonzero(what.is_row)
    is_flat = orientation in {"right", "left"}
    axis = axes.yaxis if is_flat else axes.xaxis
    texts = [
        what.labels[i] if named else f"{what.tree.sizes[what.nodes[i]]:,}" if what.is_shut[i] else "" for i in rows
    ]
    letters = min(max(0.78 * row_points, SMALLEST_LETTERS), LARGEST_LETTERS)
    axis.set_ticks(what.row[rows].tolist(), labels=texts)
    side = {"right": "right", "left": "left", "top": "bottom", "bottom": "top"}[orientation]
    places = ("left", "right") if is_flat else ("top", "bottom")
    shown = {f"label{place}": place == side for place in places} | dict.fromkeys(places, False)
    turned = {} if is_flat else {"labelrotation": 90}
    axes.tick_params(axis="y" if is_flat else "x", length=0, labelsize=letters, pad=pad, **shown, **turned)
    palette: list[str] = []
    if groups is not None:
        palette = group_colors(groups[0], int(groups[0].max(initial=-1)) + 1)
    colors = branch_colors(what, None if groups is None else groups[0], palette, ink())
    for text, i in zip(axis.get_ticklabels(), rows.tolist(), strict=True):
        plain(text)
        text.set_color(colors[i])
        if what.is_shut[i]:
            text.set_fontstyle("italic")


def _put_pictures(axes: Axes, what: Branches, pictures: list[Any], orientation: str, side: float) -> None:
    tree = what.tree
    shown = what.typical_leaves().tolist()
    called = [tree.items[leaf] if tree.items is not None else str(leaf) for leaf in shown]
    images = [as_thumbnail(pictures[leaf], item) for leaf, item in zip(shown, called, strict=True)]
    put_thumbnails(axes, what.row[what.is_row], images, orientation, side)


def _set_axes(axes: Axes, what: Branches, orientation: str, begin: float) -> None:
    is_flat = orientation in {"right", "left"}
    room = 0.01 * (what.end - begin)
    # A root without an edge above it needs room for its own line.
    along = (begin if what.depth[0] > begin else begin - room, what.end + room)
    across = (what.num_rows - 0.5, -0.5)
    if orientation in {"left", "top"}:
        along = (along[1], along[0])
    if is_flat:
        axes.set_xlim(*along)
        axes.set_ylim(*across)
    else:
        axes.set_xlim(across[1], across[0])
        axes.set_ylim(*along)
    axes.grid(False)
    time_axis, time_spine = (axes.xaxis, "bottom") if is_flat else (axes.yaxis, "left")
    for name, spine in axes.spines.items():
        spine.set_visible(name == time_spine and what.has_times)
    if not what.has_times:
        time_axis.set_ticks([])
        return
    label = time_word(what.tree)
    (axes.set_xlabel if is_flat else axes.set_ylabel)(label)
    time_axis.set_tick_params(length=3)


def time_word(tree: Tree) -> str:
    """Return what the times of a tree are: those of a diffusion end at 1, others are distances from the root."""
    assert tree.time is not None
    ends = tree.time[: tree.num_leaves]
    return "time" if np.allclose(ends, 1.0) and tree.time[tree.root] >= 0 else "distance from the root"


def _row_points(axes: Axes, num_rows: int, orientation: str) -> float:
    width, height = points_of(axes)
    return (height if orientation in {"right", "left"} else width) / max(num_rows, 1)
