"""Where the branches of a tree stand in a drawing, and the lines, triangles and words that show them.

Large trees are drawn with so many rows at most: branches that are too small for a row of each of their leaves are shut,
and drawn as a triangle in one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.clades import clade_keys
from treetalk.formats.arcs import support_of
from treetalk.layout.labels import shortened
from treetalk.layout.order import drawn, steady_order
from treetalk.layout.visible import KEY_LENGTH, Canvas
from treetalk.plots.paper import QUIET, SMALL_PRINT, ground_of, ink, plain
from treetalk.wording import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from treetalk.plots.coloring import Groups, Scale
    from treetalk.tree import Tree

ORIENTATIONS = ("right", "left", "top", "bottom")
THIN, THICK = 0.6, 1.6
HALF_ROW = 0.36  # of a row, which a triangle takes to each side
LONGEST_LABEL = 44
BOLD_LETTER = 0.66  # of its size: how wide a bold letter is on average
SURE = 0.995  # from here on, support is 1.00 in print


@dataclass(frozen=True)
class Branches:
    """What is seen of a tree, from top to bottom. Arrays are indexed by what is seen, not by node.

    Attributes
    ----------
    tree : Tree
        The tree.
    nodes : int array
        The node of the tree that each is.
    above : int array
        The index of each one's parent; -1 for the root.
    depth, row : float arrays
        Where it stands: along the time axis, and across it.
    is_row, is_shut : bool arrays
        Whether it takes a row for itself, and whether that stands for a whole branch.
    labels : list of str
        What it is called.
    order : int array
        All leaves from top to bottom.
    has_times : bool
        Whether `depth` is time.
    """

    tree: Tree
    nodes: NDArray[np.int64]
    above: NDArray[np.int64]
    depth: NDArray[np.float64]
    row: NDArray[np.float64]
    is_row: NDArray[np.bool_]
    is_shut: NDArray[np.bool_]
    labels: list[str]
    order: NDArray[np.int32]
    has_times: bool

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        return int(np.count_nonzero(self.is_row))

    @property
    def end(self) -> float:
        """Where the last leaf stands along the time axis."""
        return 1.0 if not self.has_times else float(np.max(self.tree.time[: self.tree.num_leaves]))  # type: ignore[index]

    def typical_leaves(self) -> NDArray[np.int64]:
        """Return a leaf that stands for each row, from top to bottom: itself, or one of the largest part of a branch."""
        picture = drawn(self.tree, self.order)
        return picture.typical[picture.number[self.nodes[self.is_row]]].astype(np.int64)

    def row_of_leaves(self) -> NDArray[np.int64]:
        """Return the row in which each leaf is."""
        sizes = self.tree.sizes[self.nodes[self.is_row]]
        result = np.empty(self.tree.num_leaves, np.int64)
        result[self.order] = np.repeat(np.arange(self.num_rows), sizes)
        return result


def branches_of(
    tree: Tree,
    max_rows: int,
    *,
    order: NDArray[np.int32] | None = None,
    labels: Sequence[str] | None = None,
    times: bool = True,
    longest: int = LONGEST_LABEL,
    shut: Iterable[str] = (),
) -> Branches:
    """Return what is seen of a tree in so many rows.

    Parameters
    ----------
    order : int array of shape (num_leaves,), optional
        The leaves from top to bottom.
    labels : sequence of str, optional
        What the leaves are called.
    times : bool
        Whether nodes stand at their times, if they have some; levels otherwise.
    longest : int
        How many characters a label has at most, the number of items aside.
    shut : iterable of str
        The keys of branches that take one row however large they are, see `branch_keys`.
    """
    chosen = steady_order(tree) if order is None else order
    canvas = Canvas(tree, chosen, labels=labels)
    seen = canvas.view(detail=max_rows, limit=max_rows + tree.num_leaves, shut=shut)["nodes"]
    index = {each["branch"]: i for i, each in enumerate(seen)}
    node_of = {key: v for v, key in enumerate(branch_keys(tree))}
    nodes = np.array([node_of[each["branch"]] for each in seen], np.int64)
    states = [each["state"] for each in seen]
    is_shut = np.array([state == "shut" for state in states], bool)
    has_times = times and tree.time is not None
    above = np.array([-1 if each["parent"] is None else index[each["parent"]] for each in seen], np.int64)
    if has_times and tree.time is not None:
        depth = tree.time[nodes]
    else:
        depth = np.array([each["x"] for each in seen], np.float64)
        # All rows stand at level 1; a triangle needs some length.
        depth[is_shut] = np.maximum(depth[above[is_shut]] * 0.7 + 0.3, 0.96) if len(nodes) > 1 else 0.0
    return Branches(
        tree,
        nodes,
        above,
        depth,
        np.array([each["y"] for each in seen], np.float64),
        is_shut | np.array([state == "item" for state in states], bool),
        is_shut,
        [_label(each, longest) for each in seen],
        np.asarray(chosen, np.int32),
        has_times,
    )


def branch_keys(tree: Tree) -> list[str]:
    """Return what the branch of each node is called; those with the same leaves are called the same in all trees."""
    return [f"{key:0{KEY_LENGTH}x}" for key in clade_keys(tree).tolist()]


def _label(seen: dict[str, Any], longest: int) -> str:
    """Return what a row is called, short enough to leave room for the tree; the number of items is never cut off."""
    if seen["state"] != "shut":
        return shortened(str(seen["label"]), longest)
    count = f" ({seen['size']:,})"
    name = one_line(seen["name"]) if seen["name"] else str(seen["label"]).removesuffix(count)
    return shortened(name, longest) + count


class Pen:
    """Draws branches into axes.

    Parameters
    ----------
    ax : Axes
        The axes.
    orientation : str
        As in SciPy: branches grow to the "right" or to the "left", or the root is at the "top" or at the "bottom".
    at : function from depths to positions, optional
        Where depths are on the axis; as they are by default.
    """

    def __init__(self, ax: Axes, orientation: str = "right", at: Any = None) -> None:
        self.ax = ax
        self.is_flat = orientation in {"right", "left"}
        self.at = at or (lambda depths: depths)

    def points(self, depth: NDArray[np.float64], row: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where things are in the axes, of shape (..., 2)."""
        along, across = self.at(np.asarray(depth, float)), np.asarray(row, float)
        return np.stack([along, across] if self.is_flat else [across, along], axis=-1)

    def lines(self, what: Branches, colors: Sequence[Any], widths: Any, start: float | None = None) -> Any:
        """Draw the edge of each branch, with a corner at its parent's depth; that of the root begins at `start`."""
        from matplotlib.collections import LineCollection

        chosen = np.flatnonzero(what.above >= 0)
        above = what.above[chosen]
        corners = self.points(what.depth[above], what.row[chosen])
        begin, end = self.points(what.depth[above], what.row[above]), self.points(what.depth[chosen], what.row[chosen])
        paths = list(np.stack([begin, corners, end], axis=1))
        kept = chosen.tolist()
        if start is not None and what.depth[0] > start:
            paths.append(np.stack([self.points(np.array(start), what.row[0]), self.points(what.depth[0], what.row[0])]))
            kept.append(0)
        drawn_lines = LineCollection(
            paths,
            colors=[colors[i] for i in kept],
            linewidths=[widths[i] for i in kept],
            capstyle="projecting",
            joinstyle="miter",
            gid="branches",
        )
        self.ax.add_collection(drawn_lines)
        return drawn_lines

    def triangles(self, what: Branches, colors: Sequence[Any]) -> None:
        """Draw what is shut, as wide as a row, and as long as it is down to its last leaf."""
        from matplotlib.collections import PolyCollection

        shut = np.flatnonzero(what.is_shut)
        if not shut.size:
            return
        tip, row = what.depth[shut], what.row[shut]
        last = np.full(shut.size, what.end) if not what.has_times else _last_times(what.tree, what.nodes[shut])
        shapes = np.stack(
            [self.points(tip, row), self.points(last, row - HALF_ROW), self.points(last, row + HALF_ROW)], axis=1
        )
        faces = [colors[i] for i in shut.tolist()]
        triangles = PolyCollection(
            list(shapes), facecolors=faces, edgecolors=faces, linewidths=THIN, alpha=0.45, gid="shut branches"
        )
        self.ax.add_collection(triangles)

    def leaders(self, what: Branches) -> None:
        """Lead from leaves that end early to where their names stand."""
        from matplotlib.collections import LineCollection

        rows = np.flatnonzero(what.is_row & ~what.is_shut & (what.depth < what.end - 1e-9 * max(abs(what.end), 1)))
        if rows.size:
            begin = self.points(what.depth[rows], what.row[rows])
            end = self.points(np.full(rows.size, what.end), what.row[rows])
            dotted = LineCollection(
                list(np.stack([begin, end], axis=1)),
                colors=QUIET,
                linewidths=0.5,
                linestyles=(0, (1, 2)),
                gid="leaders",
            )
            self.ax.add_collection(dotted)

    def words(self, what: Branches, *, support: bool, size: float, points_per_depth: float, reach: float) -> None:
        """Write the names of open branches above their edges, and support below 1 beneath them, where there is room.

        Parameters
        ----------
        size : float
            The size of letters, in points.
        points_per_depth : float
            How long a unit of depth is in the drawing.
        reach : float
            The depth at which the edge of the root begins.
        """
        values, names = support_of(what.tree), what.tree.names
        # A ground of its own keeps a word legible where it crosses a line. (An outline would turn letters into shapes.)
        ground = {"facecolor": ground_of(self.ax), "edgecolor": "none", "pad": 0.4, "alpha": 0.85}
        for i in np.flatnonzero(~what.is_row):
            node = int(what.nodes[i])
            begin = what.depth[what.above[i]] if what.above[i] >= 0 else min(reach, what.depth[i])
            room = abs(float(self.at(np.array(what.depth[i])) - self.at(np.array(begin)))) * points_per_depth
            where = self.points(what.depth[i], what.row[i])
            name = None if names is None else names[node]
            if name:
                # A long name at the beginning of the tree is moved along, to where it stays within the axes.
                from_edge = abs(float(self.at(np.array(what.depth[i])) - self.at(np.array(reach)))) * points_per_depth
                shift = max(0.0, BOLD_LETTER * size * len(one_line(name)) - from_edge)
                look: dict[str, Any] = {"size": size + 0.5, "color": ink(), "bbox": ground, "weight": "bold"}
                self._word(one_line(name), where, above=True, shift=shift, **look)
            if support and values is not None and values[node] < SURE and room > 2.2 * size:
                self._word(
                    f"{values[node]:.2f}", where, above=False, size=size, color=SMALL_PRINT, bbox=ground, zorder=1.5
                )

    def _word(self, text: str, where: Any, *, above: bool, size: float, shift: float = 0, **look: Any) -> None:
        if self.is_flat:
            toward: float = -2 if not self.ax.xaxis_inverted() else 2
            moved = toward + shift if toward < 0 else toward - shift
            offset: tuple[float, float] = (moved, 1.5 if above else -1.5)
            ha, va = "right" if toward < 0 else "left", "bottom" if above else "top"
        else:
            toward = 3 if self.ax.yaxis_inverted() else -3
            offset = (-1.5 if above else 1.5, toward)
            ha, va = "right" if above else "left", "bottom" if toward > 0 else "top"
        plain(
            self.ax.annotate(
                text,
                where,
                xytext=offset,
                textcoords="offset points",
                ha=ha,
                va=va,
                fontsize=size,
                **look,
            )
        )


def branch_colors(what: Branches, coloring: Groups | Scale | None, mixed: str) -> list[Any]:
    """Return a colour for each branch; the one for mixed branches if colours stand for nothing."""
    if coloring is None:
        return [mixed] * len(what.nodes)
    colors = coloring.of_nodes(what.tree, mixed)
    return [colors[v] for v in what.nodes.tolist()]


def widths_by_support(what: Branches, *, support: bool, thick: float = THICK) -> NDArray[np.float64]:
    """Return how wide the line of each branch is: the better its support, the wider. Leaves are never in doubt."""
    values = support_of(what.tree)
    if not support or values is None:
        return np.full(len(what.nodes), (thick + THIN) / 2)
    known = np.where(np.isnan(values[what.nodes]), 1.0, values[what.nodes])
    return np.asarray(THIN + (thick - THIN) * np.clip(known, 0, 1))


def _last_times(tree: Tree, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the time of the last leaf under each of some nodes."""
    assert tree.time is not None
    latest = tree.time.copy()
    for v in tree.preorder[::-1]:
        p = tree.parent[v]
        if p != -1 and latest[v] > latest[p]:
            latest[p] = latest[v]
    return latest[nodes]
