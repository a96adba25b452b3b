"""The figure, as SVG text: a panel for each data set, with the mean distance against the number of answers.

Needs matplotlib, the extra ``plot``; it is imported when a figure is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treetalk.drawing import as_svg, new_figure, without_frame
from treetalk.experiments.effort_results import Effort
from treetalk.experiments.figures import SETTING_COLOURS, draw_mean
from treetalk.experiments.results import NEAR
from treetalk.page import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {
    "paper": SETTING_COLOURS["paper"],
    "treetalk": SETTING_COLOURS["treetalk"],
    "gestures": "#009e73",
    "pieces": "#cc79a7",
}
LABELS = {
    "paper": "paper",
    "treetalk": "treetalk",
    "gestures": "treetalk, gestures",
    "pieces": "treetalk, whole pieces",
}
MOST_COLUMNS = 4
PANEL = 2.5, 2.2  # inches


def effort_figure(effort: Effort) -> str:
    """Return the curves with bands of one standard deviation; dots are where a mean curve is near the target."""
    names = list(effort.benchmarks)
    columns = min(len(names), MOST_COLUMNS)
    rows = -(-len(names) // columns)
    width, height = PANEL
    with new_figure(max(columns, 2) * width, rows * height + 0.4) as figure:
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel in panels[len(names) :]:
            panel.set_visible(False)
        for panel, name in zip(panels, names, strict=False):
            _draw_panel(panel, effort, name)
        for panel in panels[max(0, len(names) - columns) : len(names)]:
            panel.set_xlabel("answers")
        # One entry for each way, wherever it was drawn.
        entries: dict[str, Any] = {}
        for panel in panels:
            handles, labels = panel.get_legend_handles_labels()
            entries.update(zip(labels, handles, strict=True))
        look: dict[str, Any] = {"ncols": len(entries), "fontsize": 9, "handlelength": 1.4, "columnspacing": 1.2}
        figure.legend(entries.values(), entries.keys(), loc="outside upper left", **look)
        return as_svg(figure, "effort")


def _draw_panel(axes: Axes, effort: Effort, name: str) -> None:
    axes.axhline(NEAR, color=INK, linewidth=1, linestyle=(0, (1, 2)), label=f"distance {NEAR}")
    for way in effort.ways(name):
        curve = effort.curves[name, way]
        draw_mean(axes, curve.distances, color=COLOURS[way], label=LABELS[way], linewidth=1.6)
        near = curve.queries_to()
        if near is not None:
            axes.plot([near], [curve.mean_distance[near]], "o", color=COLOURS[way], markersize=4.5, zorder=3)
    axes.set_title(effort.benchmarks[name].title)
    axes.set_xlim(0, max(effort.num_queries(name), 1))
    axes.set_ylim(bottom=0)
    without_frame(axes)
