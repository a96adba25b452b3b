"""The hierarchy as a dendrogram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from treetalk.arguments import as_count
from treetalk.plots.branches import (
    LONGEST_LABEL,
    ORIENTATIONS,
    Branches,
    Pen,
    branch_colors,
    branches_of,
    widths_by_support,
)
from treetalk.plots.coloring import Groups, Scale, coloring_of
from treetalk.plots.paper import axes_for, ink, plain, points_of, width_of
from treetalk.plots.sources import names_of, pictures_of, tree_of
from treetalk.plots.thumbnails import as_thumbnail, put_thumbnails
from treetalk.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Up to so many leaves, all are drawn. In larger trees most rows stand for branches, of which fewer are easier to read.
MOST_LEAVES, MOST_ROWS, FEWEST_ROWS = 120, 60, 8
LEAST_POINTS = 8.5  # of a row with a name, if axes are given
SMALLEST_LETTERS, LARGEST_LETTERS = 4.0, 9.0
OF_ROW = 0.78  # of the height of a row: the size of its letters
LETTER = 0.56  # of its size: how wide a letter is on average
# In axes that are given: the share of them for names, the fewest letters that a name is shortened to, and the share of all
# that stands beside the leaves.
MOST_FOR_NAMES, FEWEST_LETTERS, MOST_ROOM = 0.36, 6, 0.6
# Inches: of a new figure, of a row of it when there are few and when there are many, and of one with a picture.
WIDTH, MARGIN, WIDE_ROW, ROW, PICTURE_ROW = 7.0, 0.9, 0.24, 0.15, 0.42
MANY = 40
LABEL_SIDES = {"right": "right", "left": "left", "top": "bottom", "bottom": "top"}


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
        have its colour; of more than 20 groups, the largest 20 have one. Many different numbers are a scale, and a branch
        has the colour of the mean of its items.
    max_rows : int, optional
        How many rows there are at most. In larger trees the smallest branches are drawn as triangles, with the number of
        their items. By default as many as fit into the axes; in a new figure all leaves up to 120, and 60 of larger trees.
    times : bool
        Whether nodes stand at their times, if the tree has some. Otherwise edges are as equally long as can be.
    orientation : "right", "left", "top" or "bottom"
        As in SciPy: branches grow to the right or to the left, or the root is at the top or at the bottom.
    ax : Axes, optional
        Where to draw; by default in a new figure that is as high as it has to be. In axes of your own, names stand within
        the axes, beside the tree, and are shortened to fit.
    """
    tree = tree_of(source)
    if orientation not in ORIENTATIONS:
        raise ValueError(f"orientation must be one of {', '.join(map(repr, ORIENTATIONS))}, not {orientation!r}")
    names = names_of(tree, labels)
    coloring = coloring_of(tree, colors)
    pictures = pictures_of(source, images, tree)
    limit = rows_that_fit(ax, orientation, tree.num_leaves) if max_rows is None else as_count(max_rows, "max_rows", 2)
    longest = LONGEST_LABEL if ax is None else letters_that_fit(ax, orientation)
    what = branches_of(tree, limit, labels=names, times=times, longest=longest)
    size = figure_size(what.num_rows, orientation, with_pictures=pictures is not None)
    with axes_for(ax, *size) as axes:
        if coloring is not None:
            # Before anything is measured: a bar takes room from the axes.
            coloring.explain(axes, is_given=ax is not None)
        row_points = _row_points(axes, what.num_rows, orientation)
        side = 0.0 if pictures is None else min(0.86 * row_points, 60.0)
        pad = 3.0 if pictures is None else 6.0 + side
        texts = _texts(what, row_points, named=names is not None)
        room = 0.0 if ax is None else pad + _widest(texts, row_points)
        draw_branches(axes, what, orientation, support=support, coloring=coloring, room=room)
        if pictures is not None:
            _put_pictures(axes, what, pictures, orientation, side, is_given=ax is not None)
        if ax is not None:
            # Names stand at this line, wherever a layout may put the edge of the axes.
            axes.spines[LABEL_SIDES[orientation]].set_position(("data", what.end))
        _put_names(axes, what, texts, orientation, row_points, pad=pad, coloring=coloring)
        return axes


def rows_that_fit(ax: Axes | None, orientation: str, num_leaves: int) -> int:
    """Return how many rows with names have room in given axes, or how many a new figure has at most."""
    if ax is None:
        return MOST_LEAVES if num_leaves <= MOST_LEAVES else MOST_ROWS
    width, height = points_of(ax)
    return max(FEWEST_ROWS, int((height if orientation in {"right", "left"} else width) / LEAST_POINTS))


def letters_that_fit(ax: Axes, orientation: str) -> int:
    """Return how many letters a name may have in given axes, most of which are for the tree."""
    width, height = points_of(ax)
    along = width if orientation in {"right", "left"} else height
    return min(LONGEST_LABEL, max(FEWEST_LETTERS, int(MOST_FOR_NAMES * along / (LETTER * LEAST_POINTS * OF_ROW))))


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
    coloring: Groups | Scale | None = None,
    room: float = 0.0,
) -> None:
    """Draw the lines, the triangles and the words of a tree, and the axis of its times.

    So many points of `room` are left in the axes beside the leaves.
    """
    pen = Pen(axes, orientation)
    colors = branch_colors(what, coloring, ink())
    begin = min(0.0, float(what.depth[0])) if what.has_times else 0.0
    pen.lines(what, colors, widths_by_support(what, support=support), start=begin if what.has_times else None)
    pen.triangles(what, colors)
    if what.has_times:
        pen.leaders(what)
    along = points_of(axes)[0 if pen.is_flat else 1]
    room = min(room, MOST_ROOM * along)
    _set_axes(axes, what, orientation, begin, room / along)
    letters = min(7.0, 0.6 * _row_points(axes, what.num_rows, orientation))
    span = max(what.end - begin, 1e-12)
    pen.words(
        what, support=support, size=max(letters, SMALLEST_LETTERS), points_per_depth=(along - room) / span, reach=begin
    )


def _texts(what: Branches, row_points: float, *, named: bool) -> list[str]:
    """Return what each row is called; what is shut keeps its number of items even if nothing else is named."""
    rows = np.flatnonzero(what.is_row).tolist()
    texts = [
        what.labels[i] if named else f"{what.tree.sizes[what.nodes[i]]:,}" if what.is_shut[i] else "" for i in rows
    ]
    # Where rows are lower than the smallest letters, only some have room for a name.
    step = max(1, int(np.ceil(SMALLEST_LETTERS / row_points)))
    return [text if place % step == 0 else "" for place, text in enumerate(texts)]


def _letters(row_points: float) -> float:
    return min(max(OF_ROW * row_points, SMALLEST_LETTERS), LARGEST_LETTERS)


def _widest(texts: list[str], row_points: float) -> float:
    # A little more, as layouts make axes smaller once all is drawn.
    return 1.06 * max(width_of(text, _letters(row_points)) for text in texts) + 3


def _put_names(
    axes: Axes,
    what: Branches,
    texts: list[str],
    orientation: str,
    row_points: float,
    *,
    pad: float,
    coloring: Groups | Scale | None,
) -> None:
    """Write beside each row what it is called, so many points from where the leaves end."""
    rows = np.flatnonzero(what.is_row)
    is_flat = orientation in {"right", "left"}
    axis = axes.yaxis if is_flat else axes.xaxis
    axis.set_ticks(what.row[rows].tolist(), labels=texts)
    places = ("left", "right") if is_flat else ("top", "bottom")
    shown = {f"label{place}": place == LABEL_SIDES[orientation] for place in places} | dict.fromkeys(places, False)
    turned = {} if is_flat else {"labelrotation": 90}
    name: Literal["x", "y"] = "y" if is_flat else "x"
    axes.tick_params(axis=name, length=0, labelsize=_letters(row_points), pad=pad, **shown, **turned)
    colors = branch_colors(what, coloring, ink())
    for text, i in zip(axis.get_ticklabels(), rows.tolist(), strict=True):
        plain(text)
        text.set_color(colors[i])
        if what.is_shut[i]:
            text.set_fontstyle("italic")


def _put_pictures(
    axes: Axes, what: Branches, pictures: list[Any], orientation: str, side: float, *, is_given: bool
) -> None:
    tree = what.tree
    shown = what.typical_leaves().tolist()
    called = [tree.items[leaf] if tree.items is not None else str(leaf) for leaf in shown]
    images = [as_thumbnail(pictures[leaf], item) for leaf, item in zip(shown, called, strict=True)]
    put_thumbnails(axes, what.row[what.is_row], images, orientation, side, what.end if is_given else None)


def _set_axes(axes: Axes, what: Branches, orientation: str, begin: float, share: float) -> None:
    """Set the limits, with a share of the axes left free beside the leaves, and the axis of times."""
    is_flat = orientation in {"right", "left"}
    room = 0.01 * (what.end - begin)
    # A root without an edge above it needs room for its own line.
    first = begin if what.depth[0] > begin else begin - room
    along = (first, first + (what.end + room - first) / (1 - share))
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
    if share > 0:
        from matplotlib.ticker import MaxNLocator

        ticks = np.asarray(MaxNLocator(5).tick_values(begin, what.end))
        slack = 1e-9 * abs(what.end - begin)
        time_axis.set_ticks(ticks[(ticks >= begin - slack) & (ticks <= what.end + slack)])
        axes.spines[time_spine].set_bounds(begin, what.end)


def time_word(tree: Tree) -> str:
    """Return what the times of a tree are: those of a diffusion end at 1, others are distances from the root."""
    assert tree.time is not None
    ends = tree.time[: tree.num_leaves]
    return "time" if np.allclose(ends, 1.0) and tree.time[tree.root] >= 0 else "distance from the root"


def _row_points(axes: Axes, num_rows: int, orientation: str) -> float:
    width, height = points_of(axes)
    return (height if orientation in {"right", "left"} else width) / max(num_rows, 1)
