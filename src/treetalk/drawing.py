"""How figures look, and how they become SVG text that stands in a page.

Needs matplotlib, the extra ``plot``; it is imported when a figure is drawn.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from treetalk.page import GRID, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MISSING = 'No figures were drawn, because matplotlib is not there: pip install "treetalk[plot]"'
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


@contextmanager
def new_figure(width: float, height: float) -> Iterator[Figure]:
    """Give an empty figure, of so many inches, in which everything is drawn in one style."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def without_frame(axes: Axes) -> None:
    """Leave the grid and the bottom line only."""
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)


def as_svg(figure: Figure, name: str) -> str:
    """Return a figure as text that can stand in a page beside others of other names."""
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    svg = text.getvalue()[text.getvalue().index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # A hundredth of a point is finer than any screen, and halves the text.
    svg = re.sub(r"(\d\.\d\d)\d+", r"\1", svg)
    # In one page, a name must not stand for two things.
    return re.sub(r'(\bid="|url\(#|xlink:href="#)', rf"\g<1>{name}-", svg)
