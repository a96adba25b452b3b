"""Bands between the rows of two trees, face to face, whose rows are branches: what share of each is where in the other."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.plots.branches import HALF_ROW, Branches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

STRONG, FAINT = 0.55, 0.22  # how opaque bands are


def row_colors(what: Branches, leaf_colors: Sequence[Any]) -> list[Any | None]:
    """Return the colour of each row, from top to bottom: that of its leaves if all have the same, else None."""
    rows: list[set[Any]] = [set() for _ in range(what.num_rows)]
    for row, color in zip(what.row_of_leaves().tolist(), leaf_colors, strict=True):
        rows[row].add(color)
    return [next(iter(colors)) if len(colors) == 1 else None for colors in rows]


def draw_bands(
    axes: Axes,
    one: Branches,
    other: Branches,
    ends: tuple[float, float],
    leaf_colors: Sequence[Any],
    faint: NDArray[np.bool_] | None = None,
) -> None:
    """Draw a band for the leaves that two rows have in common, in the colour that most of them have.

    At either end a band takes the share of the row that its leaves are. Those that are `faint` have pale bands of their
    own.
    """
    from matplotlib.collections import PolyCollection

    is_faint = np.zeros(one.tree.num_leaves, bool) if faint is None else faint
    mine, others = one.row_of_leaves(), other.row_of_leaves()
    members: dict[tuple[int, int, bool], list[int]] = {}
    for leaf, key in enumerate(zip(mine.tolist(), others.tolist(), is_faint.tolist(), strict=True)):
        members.setdefault(key, []).append(leaf)
    keys = sorted(members)
    left = _stacked(one, [(row, len(members[row, far, pale])) for row, far, pale in keys])
    by_far = sorted(range(len(keys)), key=lambda k: (keys[k][1], keys[k][0], keys[k][2]))
    right: list[tuple[float, float]] = [(0.0, 0.0)] * len(keys)
    stacked = _stacked(other, [(keys[k][1], len(members[keys[k]])) for k in by_far])
    for k, place in zip(by_far, stacked, strict=True):
        right[k] = place
    # What is pale lies below.
    order = sorted(range(len(keys)), key=lambda k: not keys[k][2])
    shapes = [_shape(ends, left[k], right[k]) for k in order]
    most = [Counter(leaf_colors[leaf] for leaf in members[keys[k]]).most_common(1)[0][0] for k in order]
    bands = PolyCollection(
        shapes,
        facecolors=most,
        edgecolors=most,
        linewidths=0.3,
        alpha=[FAINT if keys[k][2] else STRONG for k in order],
        gid="between",
    )
    axes.add_collection(bands)


def _stacked(what: Branches, parts: list[tuple[int, int]]) -> list[tuple[float, float]]:
    """Return the top and the bottom of parts of rows, given as row and number of leaves, sorted by row."""
    middles, sizes = what.row[what.is_row], what.tree.sizes[what.nodes[what.is_row]]
    done = np.zeros(what.num_rows)
    places = []
    for row, count in parts:
        begin = done[row]
        done[row] += count / sizes[row]
        places.append(
            (
                float(middles[row] - HALF_ROW + 2 * HALF_ROW * begin),
                float(middles[row] - HALF_ROW + 2 * HALF_ROW * done[row]),
            )
        )
    return places


def _shape(
    ends: tuple[float, float], left: tuple[float, float], right: tuple[float, float], steps: int = 16
) -> NDArray[np.float64]:
    """Return the outline of a band that leaves one row level and arrives at the other level."""
    share = np.linspace(0, 1, steps)
    bend = share * share * (3 - 2 * share)
    x = ends[0] + share * (ends[1] - ends[0])
    top, bottom = (near + bend * (far - near) for near, far in zip(left, right, strict=True))
    return np.concatenate([np.column_stack([x, top]), np.column_stack([x, bottom])[::-1]])
