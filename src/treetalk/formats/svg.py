"""Trees as drawings in a page: SVG whose text is text, in the colour of whatever is around it, light or dark.

The root stands at the left and the leaves in a column at the right. The thicker a branch, the surer. Of a large tree the
largest branches are opened first, and what finds no room is shown as a wedge with the number of its leaves.
"""

from __future__ import annotations

import heapq
import math
import unicodedata
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.arguments import as_count
from treetalk.formats.arcs import support_of
from treetalk.wording import counted, one_line, percent

if TYPE_CHECKING:
    from treetalk.tree import Tree

MAX_ROWS = 60
# Pixels.
ROW, MARGIN, STEM, GAP, LINE = 18, 6, 12, 6, 12
WIDEST, SHORTEST_STEP, LONGEST_STEP, WEDGE = 420, 7, 26, 22
LETTER = 7.2  # of a font of 12 pixels, on average with something to spare
THINNEST, THICKEST = 0.8, 3.2
MOST_LETTERS, MOST_IN_CLUSTER, NUM_NAMED = 60, 24, 3


class _Row(NamedTuple):
    """What stands at the end of a branch: a leaf, a shut branch, or the rest of the children of a node."""

    node: int
    words: str
    is_leaf: bool


class _Drawing:
    """Which nodes of a tree are drawn, and where.

    A rest of children for which there is no room is written as the bitwise complement of their parent: it is below 0.
    """

    def __init__(self, tree: Tree, max_rows: int) -> None:
        self.tree = tree
        self.opened = _opened(tree, max_rows)
        self.order: list[int] = []  # each before its children
        stack = [tree.root]
        while stack:
            v = stack.pop()
            self.order.append(v)
            stack.extend(reversed(self.opened.get(v, [])))
        self.rows = [self._row(v) for v in self.order if v not in self.opened]
        self.y = {row.node: MARGIN + ROW * (i + 0.5) for i, row in enumerate(self.rows)}
        height: dict[int, int] = {}
        for v in reversed(self.order):
            children = self.opened.get(v, [])
            height[v] = 1 + max((height[u] for u in children), default=-1)
            if children:
                self.y[v] = (self.y[children[0]] + self.y[children[-1]]) / 2
        levels = max(height[tree.root], 1)
        step = min(max(WIDEST / levels, SHORTEST_STEP), LONGEST_STEP)
        self.names = self._names()
        # A name ends where its branch divides, and those near the root may be longer than what is left of it.
        needed = max((_width(name) + step * (height[v] - levels) for v, name in self.names.items()), default=0.0)
        self.right = MARGIN + max(STEM, needed) + step * levels
        self.x = {v: self.right - step * height[v] for v in self.order}

    def _names(self) -> dict[int, str]:
        """Return what nodes that are drawn open are called, as far as they have names."""
        given = self.tree.names
        if given is None:
            return {}
        words = {v: _shortened(one_line(given[v] or ""), MOST_IN_CLUSTER) for v in self.order if v in self.opened}
        return {v: name for v, name in words.items() if name}

    def _row(self, v: int) -> _Row:
        if v < 0:
            drawn = [u for u in self.opened[~v] if u >= 0]
            num_leaves = int(self.tree.sizes[~v] - self.tree.sizes[drawn].sum())
            return _Row(v, f"… and {counted(num_leaves, 'more leaf').replace('leafs', 'leaves')}", False)
        if v < self.tree.num_leaves:
            return _Row(v, _name(self.tree, v), True)
        return _Row(v, _cluster(self.tree, v), False)


def to_svg(tree: Tree, *, max_rows: int = MAX_ROWS) -> str:
    """Return a tree as an SVG element, for a page.

    Parameters
    ----------
    tree : Tree
        With support where there is some: it is the width of the branches.
    max_rows : int
        The most rows; branches for which there are none are drawn shut.
    """
    drawing = _Drawing(tree, as_count(max_rows, "max_rows", 2))
    num_rows = len(drawing.rows)
    words = max((_width(row.words) for row in drawing.rows), default=0.0)
    width = math.ceil(drawing.right + WEDGE + GAP + words + MARGIN)
    height = num_rows * ROW + 2 * MARGIN
    title = f"Tree of {tree.num_leaves:,} {'leaf' if tree.num_leaves == 1 else 'leaves'}"
    if num_rows < tree.num_leaves:
        title += f", drawn in {num_rows:,} rows"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(title)}" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" font-size="12" '
        f'fill="currentColor" stroke="none"><title>{escape(title)}</title>',
        '<g stroke="currentColor" fill="none" stroke-linecap="round">',
        *_lines(drawing),
        "</g>",
        *_texts(drawing),
        "</svg>",
    ]
    return "".join(parts)


def as_html(svg: str, *lines: str) -> str:
    """Return a drawing for a page, with lines of plain text above it; a wide one scrolls within its own place."""
    above = "".join(f'<div style="margin:2px 0">{escape(line)}</div>' for line in lines)
    return f'<div class="treetalk-tree">{above}<div style="overflow-x:auto;max-width:100%">{svg}</div></div>'


def mean_support(tree: Tree) -> str | None:
    """Return in words how sure the branches are on average; None for a tree without support."""
    inner = np.arange(tree.num_leaves, tree.num_nodes)
    inner = inner[inner != tree.root]
    support = support_of(tree)
    known = np.array([]) if support is None else support[inner]
    known = known[~np.isnan(known)]
    return f"branches have a support of {percent(float(known.mean()))} on average" if known.size else None


def _opened(tree: Tree, max_rows: int) -> dict[int, list[int]]:
    """Return the nodes that are drawn open, the largest first as far as there are rows, and their children."""
    opened: dict[int, list[int]] = {}
    spare = max_rows - 1
    heap = [(-int(tree.sizes[tree.root]), tree.root)]
    while heap and spare > 0:
        _, v = heapq.heappop(heap)
        children = tree.children(v)
        if not len(children):
            continue
        # One row takes the place of this one, and each further child needs one more.
        if len(children) - 1 > spare:
            largest = np.sort(np.argsort(-tree.sizes[children], kind="stable")[:spare])
            drawn = [*children[largest].tolist(), ~v]
        else:
            drawn = children.tolist()
        spare -= len(drawn) - 1
        opened[v] = drawn
        for u in drawn:
            if u >= tree.num_leaves:
                heapq.heappush(heap, (-int(tree.sizes[u]), u))
    return opened


def _lines(drawing: _Drawing) -> list[str]:
    tree, x, y = drawing.tree, drawing.x, drawing.y
    root = tree.root
    lines = [_line(f"M{x[root] - STEM:.1f} {y[root]:.1f}H{x[root]:.1f}", THINNEST, "")]
    for v, children in drawing.opened.items():
        lines.append(_line(f"M{x[v]:.1f} {y[children[0]]:.1f}V{y[children[-1]]:.1f}", _thickness(tree, v), ""))
        for u in children:
            lines.append(_line(f"M{x[v]:.1f} {y[u]:.1f}H{x[u]:.1f}", _thickness(tree, u), _told(tree, u)))
    for row in drawing.rows:
        if not row.is_leaf and row.node >= 0:
            left, middle = x[row.node], y[row.node]
            shape = f"M{left:.1f} {middle:.1f}l{WEDGE} -6v12z"
            lines.append(f'<path d="{shape}" fill="currentColor" fill-opacity=".25" stroke-width="{THINNEST}"/>')
    return lines


def _line(path: str, width: float, told: str) -> str:
    inside = f"><title>{escape(told)}</title></path>" if told else "/>"
    return f'<path d="{path}" stroke-width="{width:.2f}"{inside}'


def _texts(drawing: _Drawing) -> list[str]:
    texts = []
    for row in drawing.rows:
        left = drawing.right + GAP + (0 if row.is_leaf or row.node < 0 else WEDGE)
        look = "" if row.is_leaf else ' fill-opacity=".75"'
        texts.append(f'<text x="{left:.1f}" y="{drawing.y[row.node] + 4:.1f}"{look}>{escape(row.words)}</text>')
    taken: list[tuple[float, float, float]] = []
    for v, name in sorted(drawing.names.items(), key=lambda named: -int(drawing.tree.sizes[named[0]])):
        right, y = drawing.x[v] - 3, drawing.y[v] - 4
        left = right - _width(name)
        # Where two names would stand on each other, that of the larger branch is read.
        if any(
            left < other_right and other_left < right and abs(y - other) < LINE
            for other_left, other_right, other in taken
        ):
            continue
        taken.append((left, right, y))
        look = 'text-anchor="end" font-size="11" font-weight="600" fill-opacity=".8"'
        texts.append(f'<text x="{right:.1f}" y="{y:.1f}" {look}>{escape(name)}</text>')
    return texts


def _support(tree: Tree, node: int) -> float | None:
    support = support_of(tree)
    if support is None or not tree.num_leaves <= node or np.isnan(support[node]):
        return None
    return float(support[node])


def _thickness(tree: Tree, node: int) -> float:
    support = _support(tree, node)
    return THINNEST if support is None else THINNEST + (THICKEST - THINNEST) * min(max(support, 0.0), 1.0)


def _told(tree: Tree, node: int) -> str:
    """Return what a branch says of itself when the mouse rests on it."""
    support = _support(tree, node)
    return "" if support is None else f"{_cluster(tree, node)}: support {support:.3g}"


def _name(tree: Tree, leaf: int) -> str:
    text = str(leaf) if tree.items is None else one_line(tree.items[leaf])
    return _shortened(text, MOST_LETTERS) or f"item {leaf}"


def _cluster(tree: Tree, node: int) -> str:
    given = None if tree.names is None else tree.names[node]
    leaves = tree.leaves(node)
    some = ", ".join(_shortened(_name(tree, int(leaf)), MOST_IN_CLUSTER) for leaf in leaves[:NUM_NAMED])
    more = " …" if len(leaves) > NUM_NAMED else ""
    words = _shortened(one_line(given), MOST_LETTERS) if given else some + more
    return f"{words} ({len(leaves):,})"


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _width(text: str) -> float:
    """Return about how wide a text is."""
    return LETTER * sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)
