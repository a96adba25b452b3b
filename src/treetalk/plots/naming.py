"""Names beside points, none over another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk.layout.labels import shortened
from treetalk.plots.paper import plain, points_of
from treetalk.wording import listed, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

SIZE = 7.5  # of letters, in points
LETTER = 0.58  # of its size: how wide a letter is on average
SAME_PLACE = 5.0  # points: what is nearer is named together
MOST_TOGETHER = 3
LONGEST_NAME = 28
GAP = 4.0  # points from a point to its name
SIDES = ((True, True), (False, True), (True, False), (False, False))  # right of it, above it


def name_points(axes: Axes, places: NDArray[np.float64], names: Sequence[str]) -> None:
    """Write names beside points in the plane, to one of four sides; those that have room at none are left out.

    Points in one place are named together. The limits of the axes have to be set before.
    """
    width, height = points_of(axes)
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    drawn = (places - [left, bottom]) / [right - left, top - bottom] * [width, height]
    together: dict[tuple[int, int], list[int]] = {}
    for i, (x, y) in enumerate((drawn // SAME_PLACE).astype(int).tolist()):
        together.setdefault((x, y), []).append(i)
    taken: list[tuple[float, float, float, float]] = []
    for members in together.values():
        text = listed([shortened(one_line(names[i]), LONGEST_NAME) for i in members], MOST_TOGETHER)
        x, y = drawn[members[0]].tolist()
        wide, high = LETTER * SIZE * len(text), 1.15 * SIZE
        for right_of, above in SIDES:
            box_x = x + GAP if right_of else x - GAP - wide
            box_y = y + 1 if above else y - 1 - high
            box = (box_x, box_y, box_x + wide, box_y + high)
            is_outside = box[0] < 0 or box[2] > width
            if is_outside or any(_overlap(box, other) for other in taken):
                continue
            taken.append(box)
            plain(
                axes.annotate(
                    text,
                    tuple(places[members[0]]),
                    xytext=(GAP if right_of else -GAP, 1 if above else -1),
                    textcoords="offset points",
                    ha="left" if right_of else "right",
                    va="bottom" if above else "top",
                    fontsize=SIZE,
                    zorder=4,
                )
            )
            break


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def spread_apart(places: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Return places on a line at least `gap` apart, in the same order and as near as can be to where they were.

    Neighbours that are too close become a block, which stands around the mean of what its places wanted; blocks that meet
    become one.
    """
    order = np.argsort(places, kind="stable")
    blocks: list[tuple[float, int]] = []  # the first place of each, and how many there are in it
    for wanted in places[order].tolist():
        start, count = wanted, 1
        while blocks and blocks[-1][0] + blocks[-1][1] * gap > start:
            before, number = blocks.pop()
            start = (before * number + (start - number * gap) * count) / (number + count)
            count += number
        blocks.append((start, count))
    result = np.empty(len(places))
    result[order] = np.concatenate([start + gap * np.arange(count) for start, count in blocks])
    return result
