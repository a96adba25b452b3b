"""Two hierarchies of the same items, face to face."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.layout.order import num_inversions, steady_order
from treetalk.metrics import triplet_distance
from treetalk.plots.bands import draw_bands, row_colors
from treetalk.plots.branches import Branches, Pen, branch_colors, branch_keys, branches_of, widths_by_support
from treetalk.plots.coloring import LEGEND_ROW, Groups, Scale, coloring_of, group_colors
from treetalk.plots.dendrograms import rows_that_fit
from treetalk.plots.paper import axes_for, bare, ink, plain, points_of, width_of
from treetalk.plots.sources import names_of, tree_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from treetalk.tree import Tree

MOST_TURNS = 20
LONGEST_NAME = 24
LETTER = 0.56  # of its size: how wide a letter is on average
TITLE_POINTS = 16.0  # of the titles of the two trees
USUAL_GROUPS = 6


@dataclass(frozen=True)
class Facing:
    """Two trees with their leaves in orders in which few lines between them cross.

    Attributes
    ----------
    one, other : Tree
        The trees; leaf i is the same item in both.
    order, other_order : int arrays of shape (num_leaves,)
        The leaves of each from top to bottom.
    """

    one: Tree
    other: Tree
    order: NDArray[np.int32]
    other_order: NDArray[np.int32]

    @property
    def num_crossings(self) -> int:
        """How many pairs of lines cross."""
        return num_inversions(self.other_order, ranks_of(self.order))


def facing(one: Tree, other: Tree) -> Facing:
    """Turn the branches of two trees, in turns, until no turn takes away crossings any more.

    Each turn is the best one for its tree while the other stands still, as long as nodes have two children.
    """
    other = _with_items_of(one, other)
    best: Facing | None = None
    # Two beginnings, as turns only lead to where no single tree can do better.
    for first in (steady_order(one), steady_order(one, ranks_of(steady_order(other)))):
        order = first
        here = Facing(one, other, order, steady_order(other, ranks_of(order)))
        for _ in range(MOST_TURNS):
            order = steady_order(one, ranks_of(here.other_order))
            there = Facing(one, other, order, steady_order(other, ranks_of(order)))
            if there.num_crossings >= here.num_crossings:
                break
            here = there
        if best is None or here.num_crossings < best.num_crossings:
            best = here
    assert best is not None
    return best


def ranks_of(order: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the position of each leaf in an order."""
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def tanglegram(
    one: object,
    other: object,
    *,
    labels: Any = True,
    colors: Any = None,
    titles: tuple[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw two hierarchies of the same items face to face, with a line between the two places of each item.

    Branches are turned so that few lines cross; what is left of crossings is where the hierarchies differ. The title has the
    triplet distance between them: from left to right, the share of the left one's triplets that the right one lacks.

    Beyond 120 items, or what has room in the axes, small branches are drawn as one row with the number of their items, and
    those that are in both trees alike; bands show what share of a row is in which row of the other tree.

    Parameters
    ----------
    one, other : Tree, Session, Project or fitted estimator
        What has the hierarchies. Items are matched by name where both have names, else by number.
    labels : bool, mapping from items, or sequence
        What items are called; by default their names.
    colors : int, mapping from items, or sequence, optional
        The group of each item, or the number of clusters into which the first tree is cut; by default its largest branches.
        Many different numbers are a scale.
    titles : two strings, optional
        What stands above each tree.
    ax : Axes, optional
        Where to draw; by default in a new figure. In axes of your own, everything but the title stands within them.
    """
    pair = facing(tree_of(one), tree_of(other))
    tree = pair.one
    # By default the largest branches of the first tree: clusters by time are often one that is large, and single items.
    coloring = coloring_of(tree, colors)
    if coloring is None:
        rows = branches_of(tree, USUAL_GROUPS, order=pair.order).row_of_leaves()
        coloring = Groups(rows, [], group_colors(rows, int(rows.max()) + 1))
    sides = sides_of(pair, rows_that_fit(ax, "right", tree.num_leaves))
    with axes_for(ax, *facing_size(max(side.num_rows for side in sides))) as axes:
        num_above = coloring.explain(axes, is_given=ax is not None)
        look = Look(coloring.of_leaves(), coloring, titles, is_given=ax is not None)
        draw_facing(axes, pair, names_of(tree, labels), look)
        forth, back = triplet_distance(pair.one, pair.other), triplet_distance(pair.other, pair.one)
        told = f"Triplet distance {forth:.3f}"
        if f"{back:.3f}" != f"{forth:.3f}":
            told = f"Triplet distance: left to right {forth:.3f}, right to left {back:.3f}"
        pad = 6 + LEGEND_ROW * num_above + 14 * (titles is not None and ax is None)
        size = 10 if ax is None else 9
        told = textwrap.fill(told, max(20, int(points_of(axes)[0] / (LETTER * size))))
        axes.set_title(told, loc="left", pad=pad, fontsize=size)
        return axes


def facing_size(num_rows: int) -> tuple[float, float]:
    """Return the width and the height of a new figure, in inches."""
    return 8.4, min(0.6 + 0.2 * num_rows, 4 + 0.11 * num_rows)


def sides_of(
    pair: Facing, max_rows: int, names: Sequence[str] | None = None, longest: int = LONGEST_NAME
) -> tuple[Branches, Branches]:
    """Return what is seen of two trees in so many rows each: all leaves, or branches, those in both trees alike.

    A branch of both trees that takes one row in one of them takes one row in the other, so that few rows are split.
    """
    trees = ((pair.one, pair.order), (pair.other, pair.other_order))
    shut: set[str] = set()
    if pair.one.num_leaves > max_rows:
        keys = [branch_keys(tree) for tree, _ in trees]
        for (tree, order), mine in zip(trees, keys, strict=True):
            what = branches_of(tree, max_rows, order=order)
            shut |= {mine[v] for v in what.nodes[what.is_shut].tolist()}
        shut &= set(keys[0]) & set(keys[1])
    one, other = (
        branches_of(tree, max_rows, order=order, labels=names, longest=longest, shut=shut) for tree, order in trees
    )
    # Both are as high as the one with more rows.
    most = max(one.num_rows, other.num_rows)
    return tuple(  # type: ignore[return-value]
        replace(side, row=(side.row + 0.5) * (most / side.num_rows) - 0.5) for side in (one, other)
    )


@dataclass(frozen=True)
class Look:
    """How two trees are drawn.

    Attributes
    ----------
    line_colors : sequence of colours
        That of the line of each leaf.
    coloring : Groups or Scale, optional
        What the colours of branches stand for.
    titles : two strings, optional
        What stands above each tree.
    faint : bool array of shape (num_leaves,), optional
        The leaves whose lines are thin and pale.
    is_given : bool
        Whether the axes are the user's: everything stays within them then.
    """

    line_colors: Sequence[Any]
    coloring: Groups | Scale | None = None
    titles: tuple[str, str] | None = None
    faint: NDArray[np.bool_] | None = None
    is_given: bool = False


def draw_facing(axes: Axes, pair: Facing, names: Sequence[str] | None, look: Look) -> None:
    """Draw two trees, what their rows are called, and the lines between them, or bands where rows are branches."""
    width, height = points_of(axes)
    limit = rows_that_fit(axes if look.is_given else None, "right", pair.one.num_leaves)
    longest = max(5, int(0.2 * width / (LETTER * 6.5))) if look.is_given else LONGEST_NAME
    sides = sides_of(pair, limit, names, min(longest, LONGEST_NAME))
    num_rows = max(side.num_rows for side in sides)
    above = TITLE_POINTS / height * num_rows if look.titles is not None and look.is_given else 0.0
    size = min(max(0.78 * height / (num_rows + above), 4.0), 8.5)
    texts = [_row_texts(side, named=names is not None) for side in sides]
    wide = max(4.0, *(width_of(text, size) + 8 for each in texts for text in each if text))
    tree_wide = max((width - 2 * wide) * 0.36, 0.15 * width)
    bare(axes)
    axes.set_xlim(-2, width + 2)
    axes.set_ylim(num_rows - 0.5, -0.5 - above)
    for what, labels, is_left in ((sides[0], texts[0], True), (sides[1], texts[1], False)):
        pen = Pen(axes, "right" if is_left else "left", _position(what, tree_wide, width, is_left=is_left))
        colors = branch_colors(what, look.coloring, ink())
        start = min(0.0, float(what.depth[0])) if what.has_times else None
        pen.lines(what, colors, widths_by_support(what, support=True), start=start)
        pen.triangles(what, colors)
        if what.has_times:
            pen.leaders(what)
        x, ha = (tree_wide + 4, "left") if is_left else (width - tree_wide - 4, "right")
        for row, text, color in zip(what.row[what.is_row], labels, row_colors(what, look.line_colors), strict=True):
            plain(axes.text(x, row, text, ha=ha, va="center_baseline", fontsize=size, color=color or ink()))
    ends = (tree_wide + wide, width - tree_wide - wide)
    if any(side.is_shut.any() for side in sides):
        draw_bands(axes, *sides, ends, look.line_colors, look.faint)
    else:
        _draw_lines(axes, pair, ends, look)
    if look.titles is not None:
        over: dict[str, Any] = {"xytext": (0, 4), "textcoords": "offset points", "va": "bottom"}
        for x, title, ha in ((0, look.titles[0], "left"), (width, look.titles[1], "right")):
            plain(axes.annotate(title, (x, -0.5), ha=ha, annotation_clip=False, fontsize=9, weight="bold", **over))


def _row_texts(what: Branches, *, named: bool) -> list[str]:
    """Return what rows are called; those of branches have their number of items even if nothing is named."""
    rows = np.flatnonzero(what.is_row).tolist()
    return [what.labels[i] if named else f"{what.tree.sizes[what.nodes[i]]:,}" if what.is_shut[i] else "" for i in rows]


def _draw_lines(axes: Axes, pair: Facing, ends: tuple[float, float], look: Look) -> None:
    """Draw a line between the two places of each leaf."""
    from matplotlib.collections import LineCollection

    ranks, other_ranks = ranks_of(pair.order), ranks_of(pair.other_order)
    is_faint = np.zeros(len(ranks), bool) if look.faint is None else look.faint
    lines = LineCollection(
        [[(ends[0], ranks[leaf]), (ends[1], other_ranks[leaf])] for leaf in range(len(ranks))],
        colors=list(look.line_colors),
        linewidths=np.where(is_faint, 0.45, 0.9 if look.faint is None else 1.2),
        alpha=np.where(is_faint, 0.45, 0.85).tolist(),
        gid="between",
    )
    axes.add_collection(lines)


def _position(what: Branches, tree_wide: float, width: float, *, is_left: bool) -> Any:
    """Return the function from depths to places: from the edge of the drawing inwards."""
    begin = min(0.0, float(what.depth[0])) if what.has_times else 0.0
    span = max(what.end - begin, 1e-12)

    def at(depth: NDArray[np.float64]) -> NDArray[np.float64]:
        inward = (depth - begin) / span * tree_wide
        return inward if is_left else width - inward

    return at


def _with_items_of(one: Tree, other: Tree) -> Tree:
    """Return the other tree with its leaves numbered as in the first; different items are an error that names one."""
    if one.items is not None and other.items is not None:
        for mine, others, which in ((one.items, other.items, "first"), (other.items, one.items, "second")):
            missing = next((item for item in mine if item not in others.numbers), None)
            if missing is not None:
                raise ValueError(f"the trees have different items: {missing!r} is only in the {which}")
        if one.items != other.items:
            # Support speaks of clades, which stay the same.
            place = np.arange(other.num_nodes)
            place[: other.num_leaves] = [other.items.numbers[item] for item in one.items]
            return _renumbered(other, place, one)
        return other
    if one.num_leaves != other.num_leaves:
        raise ValueError(
            f"the trees have different items: the first has {one.num_leaves}, the second {other.num_leaves}"
        )
    return other


def _renumbered(tree: Tree, place: NDArray[np.int64], like: Tree) -> Tree:
    from treetalk.tree import Tree

    return Tree(
        tree.parent[place],
        time=None if tree.time is None else tree.time[place],
        items=like.items,
        support=None if tree.support is None else tree.support[place],
        names=tree.names,
    )
