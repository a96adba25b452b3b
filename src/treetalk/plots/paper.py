"""The figure that pictures are drawn on, and the colours that they use.

A new figure has an opaque white ground, so that it reads the same on a dark page and in print; axes of the user's own keep
their colours, and what is drawn takes the colour of their text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.drawing import STYLE
from treetalk.extras import imported

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

# Told apart by the colour-blind (after Okabe and Ito), and dark enough for small letters on white.
GROUPS = ("#0072b2", "#d55e00", "#009e73", "#b65c94", "#b07d00", "#3d9bd8", "#7a5c3e", "#5b5ea6")
QUIET, SMALL_PRINT, ACCENT = "#8b929c", "#6b727c", "#d55e00"
NOTHING = "#dfe2e6"  # where there is no value
SPREAD_COLORS = "Blues"
NEW: dict[str, Any] = {
    **STYLE,
    "axes.grid": False,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "savefig.facecolor": "white",
    "font.size": 9,
    "axes.titlesize": 10.5,
    "figure.titlesize": 10.5,
}


@contextmanager
def axes_for(ax: Axes | None, width: float, height: float) -> Iterator[Axes]:
    """Give the axes to draw into: the user's, or new ones on a figure of so many inches in one style."""
    if ax is not None:
        if not hasattr(ax, "add_collection"):
            raise TypeError(f"ax must be matplotlib axes, not {type(ax).__name__}")
        yield ax
        return
    with figure_for(None, width, height) as figure:
        yield figure.subplots()


@contextmanager
def figure_for(fig: Any, width: float, height: float) -> Iterator[Any]:
    """Give the figure to draw into: the user's figure or subfigure, or a new one that a notebook shows."""
    if fig is not None:
        if not hasattr(fig, "add_subplot"):
            raise TypeError(f"fig must be a matplotlib figure, not {type(fig).__name__}")
        yield fig
        return
    matplotlib = imported("matplotlib", "drawing", extra="plot")
    pyplot = imported("matplotlib.pyplot", "drawing", extra="plot")
    with matplotlib.rc_context(NEW):
        figure: Figure = pyplot.figure(figsize=(width, height), layout="constrained")
        try:
            yield figure
        except BaseException:
            # A notebook would show what is half drawn.
            pyplot.close(figure)
            raise
        is_interactive = matplotlib.is_interactive()
    # The first figure of a notebook turns this on, and without it the notebook shows no other one.
    matplotlib.interactive(is_interactive)


def ink() -> str:
    """Return the colour of text and lines."""
    import matplotlib

    color: str = matplotlib.rcParams["text.color"]
    return color


def ground_of(ax: Axes) -> Any:
    """Return the colour on which axes are drawn."""
    color: Any = ax.get_facecolor()
    return color if color[3] > 0 else ax.figure.get_facecolor()


def points_of(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of axes in points, as they are before the figure is laid out."""
    box = ax.get_position()
    figure: Any = ax.figure
    size = figure.bbox.size / figure.dpi * 72
    return float(box.width * size[0]), float(box.height * size[1])


def group_colors(groups: NDArray[np.int64], num_groups: int) -> list[str]:
    """Return the colour of each group: the eight largest have one of their own if there are more, the others none."""
    if num_groups <= len(GROUPS):
        return list(GROUPS[:num_groups])
    counts = np.bincount(groups[groups >= 0], minlength=num_groups)
    largest = np.sort(np.argsort(-counts, kind="stable")[: len(GROUPS)])
    colors = [QUIET] * num_groups
    for color, group in zip(GROUPS, largest.tolist(), strict=True):
        colors[group] = color
    return colors


def time_colors() -> Any:
    """Return the colours of times: early ones are dark, late ones pale, for late edges are many and less telling."""
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("times", colormaps["YlGnBu_r"](np.linspace(0, 0.72, 64)))


def plain(text: Any) -> Any:
    """Have a text drawn as it is written: names may hold dollar signs, which matplotlib takes for mathematics."""
    text.set_parse_math(False)
    return text


def bare(ax: Axes) -> None:
    """Leave axes without ticks and lines."""
    ax.set_xticks([])
    ax.set_yticks([])
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set_visible(False)


def legend_of_groups(ax: Axes, names: list[str], colors: list[str], others: str = "others") -> None:
    """Say beside the axes which colour is which group."""
    from matplotlib.lines import Line2D

    told = [(name, color) for name, color in zip(names, colors, strict=True) if color != QUIET]
    if len(told) < len(names):
        told.append((others, QUIET))
    handles = [Line2D([], [], color=color, linewidth=2.5) for _, color in told]
    legend = ax.legend(
        handles,
        [name for name, _ in told],
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=len(told) if sum(len(name) + 6 for name, _ in told) < 95 else min(len(told), 4),
        frameon=False,
        borderaxespad=0.2,
        borderpad=0,
        handlelength=1.1,
        columnspacing=1.2,
        fontsize=8,
    )
    for text in legend.get_texts():
        plain(text)
