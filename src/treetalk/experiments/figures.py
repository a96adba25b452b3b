"""The figures, as SVG text: the curves of a data set in one setting, as in the paper, and what sampling contributes.

Needs matplotlib, the extra ``plot``; it is imported when a figure is drawn.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.experiments.plan import ABLATED_STRATEGY
from treetalk.experiments.published import Points
from treetalk.experiments.results import Results, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

# Told apart by the colour-blind too (Okabe and Ito's), and strong enough for a light and a dark page.
COLOURS = {
    "simple": "#e69f00",
    "smart": "#cc79a7",
    "random": "#56b4e9",
    "active": "#009e73",
    "interleaved": "#d55e00",
    "none": "#8b929c",
}
DEEP = 10_000  # nats below 0 from which on the axis is logarithmic
SETTING_COLOURS = {"treetalk": "#d55e00", "paper": "#3a8fd0", "authors": "#009e73"}
# A page may put its own colours in place of these two.
INK, GRID = "#24292f", "#d9dde2"
DOTS: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 3.8}
STYLE: Any = {
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud, and takes the page's colour
    "svg.hashsalt": "treetalk",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.labelcolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": GRID,
    "ytick.color": GRID,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
}


def can_draw() -> bool:
    """Return whether matplotlib is there."""
    return find_spec("matplotlib") is not None


def curves_figure(results: Results, data: str, setting: str) -> str:
    """Return the triplet distance and the log likelihood against the number of queries; dots are the published curves."""
    with _figure(9.2, 3.7) as figure:
        left, right = figure.subplots(1, 2)
        for strategy in results.strategies(data, setting):
            curve = results.curve(data, setting, strategy)
            assert curve is not None
            look: dict[str, Any] = {
                "color": COLOURS[strategy],
                "linewidth": 2.2 if strategy == ABLATED_STRATEGY else 1.4,
            }
            _draw(left, curve.distances, label=_label(strategy), **look)
            _draw_likelihood(right, curve.log_likelihoods, **look)
            points = results.points(data, strategy) if setting == "authors" else None
            if points is not None:
                _draw_points(left, points, COLOURS[strategy])
        left.axhline(results.linkage[data], color=INK, linewidth=1, linestyle=(0, (1, 2)), label="average linkage")
        _distance_axis(left, results)
        right.set_title("Log likelihood of the data, in nats")
        _query_axis(right, results)
        lowest, highest = right.dataLim.intervaly
        if lowest < -DEEP:
            right.set_yscale("symlog", linthresh=100)
            right.set_ylim(2 * lowest, max(2 * highest, 0))
        has_points = setting == "authors" and any(key[0] == data for key in results.published)
        _legend(figure, left, has_points=has_points)
        return _svg(figure, f"{data}-{setting}")


def sampling_figure(results: Results, data: str) -> str:
    """Return the interleaved curves of all settings, dashed where no moves are made; dots are the published curve."""
    with _figure(9.2, 3.5) as figure:
        axes = figure.subplots()
        for setting in results.settings(data):
            look = {"color": SETTING_COLOURS[setting]}
            sampled = results.curve(data, setting, ABLATED_STRATEGY)
            if sampled is not None:
                _draw(axes, sampled.distances, label=setting, linewidth=2, **look)
            unsampled = results.curve(data, setting, ABLATED_STRATEGY, 0)
            if unsampled is not None:
                label = f"{setting}, no moves"
                _draw(axes, unsampled.distances, label=label, linewidth=1.4, linestyle=(0, (4, 2)), **look)
        points = results.points(data, ABLATED_STRATEGY)
        if points is not None:
            _draw_points(axes, points, INK)
        axes.axhline(results.linkage[data], color=INK, linewidth=1, linestyle=(0, (1, 2)), label="average linkage")
        _distance_axis(axes, results)
        _legend(figure, axes, has_points=points is not None)
        return _svg(figure, f"{data}-sampling")


@contextmanager
def _figure(width: float, height: float) -> Iterator[Figure]:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def _label(strategy: str) -> str:
    return "no queries" if strategy == "none" else strategy


def _draw(axes: Axes, values: NDArray[np.float64], *, color: str, **look: Any) -> None:
    """Draw the mean of runs, and one standard deviation to both sides."""
    mean, sd = values.mean(axis=0), spread(values)
    x = np.arange(len(mean))
    axes.fill_between(x, mean - sd, mean + sd, color=color, alpha=0.16, linewidth=0)
    axes.plot(x, mean, color=color, **look)


def _draw_likelihood(axes: Axes, values: NDArray[np.float64], *, color: str, **look: Any) -> None:
    """Draw the median of runs, smoothed, and their range: trees that BUILD made afresh lie very deep."""
    width = max(1, values.shape[1] // 20)
    padded = np.pad(values, ((0, 0), (width // 2, (width - 1) // 2)), mode="symmetric")
    smooth = np.median(np.lib.stride_tricks.sliding_window_view(padded, width, axis=1), axis=2)
    x = np.arange(values.shape[1])
    axes.fill_between(x, smooth.min(axis=0), smooth.max(axis=0), color=color, alpha=0.16, linewidth=0)
    axes.plot(x, np.median(smooth, axis=0), color=color, **look)


def _draw_points(axes: Axes, points: Points, color: str) -> None:
    """Draw a published curve; its last point may lie on the edge."""
    (dots,) = axes.plot(*points, **DOTS, color=color, clip_on=False, zorder=3)
    dots.set_in_layout(False)


def _query_axis(axes: Axes, results: Results) -> None:
    axes.set_xlim(0, max(results.num_queries, 1))
    axes.set_xlabel("queries")
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)


def _distance_axis(axes: Axes, results: Results) -> None:
    axes.set_title("Triplet distance to the target")
    axes.set_ylim(bottom=0)
    _query_axis(axes, results)


def _legend(figure: Figure, axes: Axes, *, has_points: bool) -> None:
    """Put the legend above, in one row."""
    from matplotlib.lines import Line2D

    handles, labels = axes.get_legend_handles_labels()
    if has_points:
        handles, labels = [*handles, Line2D([], [], **DOTS, color=INK)], [*labels, "published"]
    figure.legend(
        handles, labels, loc="outside upper left", ncols=len(labels), fontsize=9, handlelength=1.4, columnspacing=1.2
    )


def _svg(figure: Figure, name: str) -> str:
    """Return a figure as text that can stand in a page beside others."""
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    svg = text.getvalue()[text.getvalue().index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # A hundredth of a point is finer than any screen, and halves the text.
    svg = re.sub(r"(\d\.\d\d)\d+", r"\1", svg)
    # In one page, a name must not stand for two things.
    return re.sub(r'(\bid="|url\(#|xlink:href="#)', rf"\g<1>{name}-", svg)
