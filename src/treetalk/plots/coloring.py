"""What colours say: the group of each item, or a number for each; and the legend or the bar that tells which is which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.layout.labels import shortened
from treetalk.plots.paper import GROUPS, QUIET, plain, points_of
from treetalk.plots.sources import for_items
from treetalk.wording import counted, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from treetalk.tree import Tree

MOST_CLASSES = 8  # of numbers with decimals; more of them are a scale
SCALE = "viridis"
LONGEST_GROUP = 30
LEGEND_SIZE, LEGEND_ROW, LETTER = 8.0, 12.0, 0.56  # points, and of its size: how wide a letter is on average
MOST_LEGEND_ROWS = 2  # above axes that are given, in which a title has room


@dataclass(frozen=True)
class Groups:
    """The group of each leaf, by number, -1 for none; what the groups are called, and the colour of each."""

    of_leaf: NDArray[np.int64]
    names: list[str]
    palette: list[str]

    def of_nodes(self, tree: Tree, mixed: Any) -> list[Any]:
        """Return a colour for each node: that of its group if all its leaves have the same, else the one for mixed ones."""
        several, unseen = -2, -3
        found = np.full(tree.num_nodes, unseen, np.int64)
        found[: tree.num_leaves] = self.of_leaf
        for v in tree.preorder[:0:-1]:
            p = tree.parent[v]
            found[p] = found[v] if found[p] in {unseen, found[v]} else several
        return [self.palette[group] if group >= 0 else mixed for group in found.tolist()]

    def of_leaves(self) -> list[Any]:
        """Return a colour for each leaf."""
        return [self.palette[group] if group >= 0 else QUIET for group in self.of_leaf.tolist()]

    def explain(self, axes: Axes, *, is_given: bool) -> int:
        """Say above the axes which colour is which group; return in how many rows. Axes that are given have room for two."""
        if not self.names:
            return 0
        told = [
            (shortened(one_line(name), LONGEST_GROUP), color)
            for name, color in zip(self.names, self.palette, strict=True)
            if color != QUIET
        ]
        num_others = len(self.names) - len(told)
        width = points_of(axes)[0]
        others = QUIET
        while True:
            shown = [*told, (counted(num_others, "more group"), others)] if num_others else told
            each = (max(len(name) for name, _ in shown) * LETTER + 3.2) * LEGEND_SIZE
            num_columns = max(1, min(len(shown), int(width / each)))
            num_rows = -(-len(shown) // num_columns)
            if not is_given or num_rows <= MOST_LEGEND_ROWS or len(told) <= 1:
                break
            # These have colours, for which there is no room here.
            told, num_others, others = told[:-1], num_others + 1, "none"
        _put_legend(axes, shown, num_columns)
        return num_rows


@dataclass(frozen=True)
class Scale:
    """A number for each leaf, NaN for none, drawn from dark to light."""

    of_leaf: NDArray[np.float64]
    name: str = ""

    def _colors(self, values: NDArray[np.float64], otherwise: Any) -> list[Any]:
        shades = self._mappable().to_rgba(np.nan_to_num(values))
        return [
            tuple(shade) if known else otherwise
            for shade, known in zip(shades, np.isfinite(values).tolist(), strict=True)
        ]

    def _mappable(self) -> Any:
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LinearSegmentedColormap, Normalize

        # The palest yellow is lost on white.
        shades = LinearSegmentedColormap.from_list("scale", colormaps[SCALE](np.linspace(0, 0.86, 64)))
        low, high = float(np.nanmin(self.of_leaf)), float(np.nanmax(self.of_leaf))
        return ScalarMappable(Normalize(low, high), shades)

    def of_nodes(self, tree: Tree, mixed: Any) -> list[Any]:
        """Return a colour for each node: that of the mean of its leaves."""
        sums, counts = np.zeros(tree.num_nodes), np.zeros(tree.num_nodes)
        known = np.isfinite(self.of_leaf)
        sums[: tree.num_leaves], counts[: tree.num_leaves] = np.where(known, self.of_leaf, 0.0), known
        for v in tree.preorder[:0:-1]:
            sums[tree.parent[v]] += sums[v]
            counts[tree.parent[v]] += counts[v]
        return self._colors(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan), mixed)

    def of_leaves(self) -> list[Any]:
        """Return a colour for each leaf."""
        return self._colors(self.of_leaf, QUIET)

    def explain(self, axes: Axes, *, is_given: bool) -> int:
        """Put a bar beside the axes that has the numbers; return the rows that it takes above them, none."""
        bar = axes.figure.colorbar(self._mappable(), ax=axes, fraction=0.03, pad=0.02, aspect=30)
        bar.ax.set_gid("scale")
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=8, length=2)
        if self.name:
            plain(bar.ax.yaxis.label)
            bar.set_label(self.name, fontsize=8)
        return 0


def coloring_of(tree: Tree, colors: Any) -> Groups | Scale | None:
    """Return what colours stand for; None for nothing.

    Parameters
    ----------
    colors : None, int, or a value for each item
        A number of clusters into which the tree is cut, or the group of each item. An item without one has none of the
        colours. Numbers are a scale if there are more than 20 different ones, or more than 8 that are not all whole.
    """
    if colors is None:
        return None
    if isinstance(colors, bool):
        raise TypeError(f"colors must be a number of clusters or a group for each item, not {colors!r}")
    if isinstance(colors, int | np.integer):
        return _clusters(tree.cut(int(colors)).astype(np.int64))
    given = [None if value is None or value != value else value for value in for_items(colors, tree, "colors")]
    if is_scale(given):
        name = getattr(colors, "name", None)
        return Scale(
            np.array([np.nan if value is None else float(value) for value in given]), "" if name is None else str(name)
        )
    names = list(dict.fromkeys(str(value) for value in given if value is not None))
    number = {name: i for i, name in enumerate(names)}
    groups = np.array([-1 if value is None else number[str(value)] for value in given], np.int64)
    return Groups(groups, names, group_colors(groups, len(names)))


def _clusters(labels: NDArray[np.int64]) -> Groups:
    """Return clusters as groups, numbered from 1 by size."""
    counts = np.bincount(labels)
    by_size = np.argsort(-counts, kind="stable")
    number = np.empty(len(counts), np.int64)
    number[by_size] = np.arange(len(counts))
    names = [f"{i}: {counted(int(counts[label]), 'item')}" for i, label in enumerate(by_size.tolist(), start=1)]
    return Groups(number[labels], names, group_colors(number[labels], len(names)))


def is_scale(values: list[Any]) -> bool:
    """Return whether values, of which some may be None, are so many different numbers that they are no names of groups."""
    known = [value for value in values if value is not None]
    if not all(isinstance(value, int | float | np.number) and not isinstance(value, bool) for value in known):
        return False
    numbers = {float(value) for value in known}
    if not np.isfinite(list(numbers)).all():
        return False
    is_whole = all(number.is_integer() for number in numbers)
    return len(numbers) > (len(GROUPS) if is_whole else MOST_CLASSES)


def group_colors(groups: NDArray[np.int64], num_groups: int) -> list[str]:
    """Return the colour of each group: the twenty largest have one of their own if there are more, the others none."""
    if num_groups <= len(GROUPS):
        return list(GROUPS[:num_groups])
    counts = np.bincount(groups[groups >= 0], minlength=num_groups)
    largest = np.sort(np.argsort(-counts, kind="stable")[: len(GROUPS)])
    colors = [QUIET] * num_groups
    for color, group in zip(GROUPS, largest.tolist(), strict=True):
        colors[group] = color
    return colors


def _put_legend(axes: Axes, shown: list[tuple[str, str]], num_columns: int) -> None:
    from matplotlib.lines import Line2D

    legend = axes.legend(
        [Line2D([], [], color=color, linewidth=2.5) for _, color in shown],
        [name for name, _ in shown],
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=num_columns,
        frameon=False,
        borderaxespad=0.2,
        borderpad=0,
        handlelength=1.1,
        columnspacing=1.2,
        labelspacing=0.25,
        fontsize=LEGEND_SIZE,
    )
    for text in legend.get_texts():
        plain(text)
