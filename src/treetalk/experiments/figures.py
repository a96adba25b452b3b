"""The figures, as SVG text: the curves of a data set in one setting, as in the paper, and what sampling contributes.

Needs matplotlib, the extra ``plot``; it is imported when a figure is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.drawing import as_svg, new_figure, without_frame
from treetalk.experiments.plan import ABLATED_STRATEGY
from treetalk.experiments.published import Points
from treetalk.experiments.results import Results, spread
from treetalk.page import INK

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
DOTS: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 3.8}


def curves_figure(results: Results, data: str, setting: str) -> str:
    """Return the triplet distance and the log likelihood against the number of queries; dots are the published curves."""
    with new_figure(9.2, 3.7) as figure:
        left, right = figure.subplots(1, 2)
        for strategy in results.strategies(data, setting):
            curve = results.curve(data, setting, strategy)
            assert curve is not None
            look: dict[str, Any] = {
                "color": COLOURS[strategy],
                "linewidth": 2.2 if strategy == ABLATED_STRATEGY else 1.4,
            }
            draw_mean(left, curve.distances, label=_label(strategy), **look)
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
        return as_svg(figure, f"{data}-{setting}")


def sampling_figure(results: Results, data: str) -> str:
    """Return the interleaved curves of all settings, dashed where no moves are made; dots are the published curve."""
    with new_figure(9.2, 3.5) as figure:
        axes = figure.subplots()
        for setting in results.settings(data):
            look = {"color": SETTING_COLOURS[setting]}
            sampled = results.curve(data, setting, ABLATED_STRATEGY)
            if sampled is not None:
                draw_mean(axes, sampled.distances, label=setting, linewidth=2, **look)
            unsampled = results.curve(data, setting, ABLATED_STRATEGY, 0)
            if unsampled is not None:
                label = f"{setting}, no moves"
                draw_mean(axes, unsampled.distances, label=label, linewidth=1.4, linestyle=(0, (4, 2)), **look)
        points = results.points(data, ABLATED_STRATEGY)
        if points is not None:
            _draw_points(axes, points, INK)
        axes.axhline(results.linkage[data], color=INK, linewidth=1, linestyle=(0, (1, 2)), label="average linkage")
        _distance_axis(axes, results)
        _legend(figure, axes, has_points=points is not None)
        return as_svg(figure, f"{data}-sampling")


def _label(strategy: str) -> str:
    return "no queries" if strategy == "none" else strategy


def draw_mean(axes: Axes, values: NDArray[np.float64], *, color: str, **look: Any) -> None:
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
    without_frame(axes)


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
