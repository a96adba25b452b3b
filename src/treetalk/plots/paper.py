"""The figure that pictures are drawn on, and the colours that they use.

A new figure has an opaque white ground, so that it reads the same on a dark page and in print; axes of the user's own keep
their colours, and what is drawn takes the colour of their text.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.drawing import STYLE
from treetalk.extras import imported

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Told apart by the colour-blind, by their lightness where not by their hue (the tests look through their eyes), and seen on
# white. The first ones after Okabe and Ito.
GROUPS = (
    *("#0072b2", "#d55e00", "#009e73", "#b65c94", "#573c05", "#0cc4e9", "#050557", "#e99f0c", "#516cf6", "#055749"),
    *("#c20a29", "#b6b668", "#722183", "#83c3ae", "#0c0ce9", "#5b6e35", "#6e9cf7", "#3a1503", "#08089b", "#4f2956"),
)
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


def width_of(text: str, size: float) -> float:
    """Return how wide a text is in points, with letters of this size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    with warnings.catch_warnings():
        # What the font lacks is said when the figure is saved.
        warnings.simplefilter("ignore")
        width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return float(width)


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
