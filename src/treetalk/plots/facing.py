"""Two hierarchies of the same items, face to face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.layout.labels import item_label
from treetalk.layout.order import num_inversions, steady_order
from treetalk.metrics import triplet_distance
from treetalk.plots.branches import THICK, Branches, Pen, branch_colors, branches_of, widths_by_support
from treetalk.plots.paper import (
    QUIET,
    axes_for,
    bare,
    group_colors,
    ink,
    legend_of_groups,
    plain,
    points_of,
)
from treetalk.plots.sources import groups_of, names_of, tree_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from treetalk.tree import Tree

MOST_TURNS = 20
MOST_NAMED = 120
LONGEST_NAME = 24
LETTER = 0.56  # of its size: how wide a letter is on average
TALLEST = 9.0  # inches of a figure without names
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

    Parameters
    ----------
    one, other : Tree, Session, Project or fitted estimator
        What has the hierarchies. Items are matched by name where both have names, else by number.
    labels : bool, mapping from items, or sequence
        What items are called; by default their names. Beyond 120 items they are left out.
    colors : int, mapping from items, or sequence, optional
        The group of each item, or the number of clusters into which the first tree is cut; by default its largest branches.
    titles : two strings, optional
        What stands above each tree.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    """
    pair = facing(tree_of(one), tree_of(other))
    tree = pair.one
    # By default the largest branches of the first tree: clusters by time are often one that is large, and single items.
    groups = groups_of(tree, colors)
    if groups is None:
        groups = branches_of(tree, USUAL_GROUPS, order=pair.order).row_of_leaves(), []
    palette = group_colors(groups[0], int(groups[0].max(initial=-1)) + 1)
    line_colors = [palette[group] if group >= 0 else QUIET for group in groups[0].tolist()]
    with axes_for(ax, *facing_size(tree.num_leaves)) as axes:
        names = names_of(tree, labels) if tree.num_leaves <= MOST_NAMED else None
        draw_facing(axes, pair, names, line_colors, [groups[0], palette], titles)
        forth, back = triplet_distance(pair.one, pair.other), triplet_distance(pair.other, pair.one)
        told = f"Triplet distance {forth:.3f}"
        if f"{back:.3f}" != f"{forth:.3f}":
            told = f"Triplet distance: left to right {forth:.3f}, right to left {back:.3f}"
        if groups[1]:
            legend_of_groups(axes, groups[1], palette)
        axes.set_title(told, loc="left", pad=6 + 16 * bool(groups[1]) + 14 * (titles is not None), fontsize=10)
        return axes


def facing_size(num_leaves: int) -> tuple[float, float]:
    """Return the width and the height of a new figure, in inches."""
    height = min(0.6 + 0.2 * num_leaves, 4 + 0.11 * num_leaves)
    return 8.4, height if num_leaves <= MOST_NAMED else TALLEST


def draw_facing(
    axes: Axes,
    pair: Facing,
    names: Sequence[str] | None,
    line_colors: Sequence[str],
    groups: Sequence[Any],
    titles: tuple[str, str] | None = None,
    faint: NDArray[np.bool_] | None = None,
) -> None:
    """Draw two trees, the names of their leaves, and the lines between them; those that are `faint` are thin and pale."""
    from matplotlib.collections import LineCollection

    num_leaves = pair.one.num_leaves
    width, height = points_of(axes)
    row_points = height / num_leaves
    size = min(max(0.78 * row_points, 4.0), 8.5)
    texts = None if names is None else [item_label(name, leaf, LONGEST_NAME) for leaf, name in enumerate(names)]
    wide = 4.0 if texts is None else max(map(len, texts)) * LETTER * size + 8
    tree_wide = max((width - 2 * wide) * 0.36, 0.15 * width)
    ranks, other_ranks = ranks_of(pair.order), ranks_of(pair.other_order)
    bare(axes)
    axes.set_xlim(-2, width + 2)
    axes.set_ylim(num_leaves - 0.5, -0.5)
    look = {"lines": THICK if num_leaves <= 200 else 0.9}
    for tree, order, is_left in ((pair.one, pair.order, True), (pair.other, pair.other_order, False)):
        what = branches_of(tree, num_leaves, order=order)
        at = _position(what, tree_wide, width, is_left=is_left)
        pen = Pen(axes, "right" if is_left else "left", at)
        colors = branch_colors(what, groups[0], groups[1], ink())
        start = min(0.0, float(what.depth[0])) if what.has_times else None
        pen.lines(what, colors, widths_by_support(what, support=True, thick=look["lines"]), start=start)
        if what.has_times:
            pen.leaders(what)
    begin, end = tree_wide + wide, width - tree_wide - wide
    is_faint = np.zeros(num_leaves, bool) if faint is None else faint
    thin, strong = (0.9, 0.85) if num_leaves <= 200 else (0.35, 0.45)
    lines = LineCollection(
        [[(begin, ranks[leaf]), (end, other_ranks[leaf])] for leaf in range(num_leaves)],
        colors=list(line_colors),
        linewidths=np.where(is_faint, 0.5 * thin, 1.3 * thin if faint is not None else thin),
        alpha=np.where(is_faint, 0.5 * strong, strong).tolist(),
        gid="between",
    )
    axes.add_collection(lines)
    if texts is not None:
        for leaf, text in enumerate(texts):
            look_of: dict[str, Any] = {"fontsize": size, "va": "center_baseline", "color": line_colors[leaf]}
            plain(axes.text(tree_wide + 4, ranks[leaf], text, ha="left", **look_of))
            plain(axes.text(width - tree_wide - 4, other_ranks[leaf], text, ha="right", **look_of))
    if titles is not None:
        above: dict[str, Any] = {"xytext": (0, 4), "textcoords": "offset points", "va": "bottom"}
        for x, title, ha in ((0, titles[0], "left"), (width, titles[1], "right")):
            plain(axes.annotate(title, (x, -0.5), ha=ha, annotation_clip=False, fontsize=9, weight="bold", **above))


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
