"""A tree drawn in text: one line for each leaf, or for each branch that is collapsed so that all fits.

::

    ┬─┬─ cat
    │ └─ lynx
    └─▸ 3 leaves: crow, dove, duck
"""

from __future__ import annotations

import heapq
import math
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from rich.cells import cell_len, set_cell_size

from treetalk.arguments import as_count
from treetalk.wording import one_line

if TYPE_CHECKING:
    from treetalk.tree import Tree

STEP = 2  # columns from a node to its children
ROOM_FOR_NAMES = 16  # columns kept free at the right of the deepest branch
NUM_NAMED = 50  # leaves of a collapsed branch that are looked at for its line; more never fit


def draw(
    tree: Tree,
    *,
    width: int | None = None,
    max_lines: int | None = None,
    names: bool = False,
    percents: bool = False,
    max_depth: int | None = None,
) -> str:
    """Return a drawing of a tree that fits a terminal.

    Parameters
    ----------
    width : int, optional
        The longest line allowed; by default the width of the terminal. What is too deep for it is collapsed.
    max_lines : int, optional
        The most lines allowed; by default there is one for each leaf. The smallest branches are collapsed first.
    names : bool
        Whether to write the names of internal nodes on their branches. Support is always written there.
    percents : bool
        Whether support, a share, is written in whole percents, and not at the root, which is there in any case.
    max_depth : int, optional
        The number of levels below the root that are drawn; by default all. What is deeper is collapsed.
    """
    columns = shutil.get_terminal_size().columns if width is None else width
    lines = tree.num_leaves if max_lines is None else max_lines
    if columns < STEP + ROOM_FOR_NAMES:
        raise ValueError(f"a drawing needs a width of at least {STEP + ROOM_FOR_NAMES} columns; {columns} were given")
    if lines < 1:
        raise ValueError(f"a drawing needs at least one line; max_lines is {lines}")
    levels = tree.num_nodes if max_depth is None else as_count(max_depth, "max_depth")
    if tree.num_leaves == 1:
        return _shortened(_leaf_text(tree, 0), columns)
    plan = _Plan(tree, columns, lines, names, percents, levels)
    return "\n".join(_shortened(line, columns) for line in plan.lines())


@dataclass
class _Shown:
    """An expanded node: where its branches leave, and which of them are drawn."""

    column: int
    label: str
    children: list[int] = field(default_factory=list)
    num_left_out: int = 0  # children that share a last line


class _Plan:
    """Which nodes are expanded, the largest first, as long as width, lines and levels last."""

    def __init__(self, tree: Tree, width: int, max_lines: int, names: bool, percents: bool, max_depth: int) -> None:
        self.tree, self.names, self.percents = tree, names, percents
        self.shown: dict[int, _Shown] = {}
        sizes = tree.sizes
        spare = max_lines - 1
        heap = [(-int(sizes[tree.root]), tree.root)]
        while heap:
            _, v = heapq.heappop(heap)
            label = self._label(v)
            above = self.shown.get(int(tree.parent[v]))
            column = (cell_len(label) + 1 if label else 0) + (0 if above is None else above.column + STEP)
            if column + STEP + ROOM_FOR_NAMES > width or spare < 1 or tree.depths[v] >= max_depth:
                continue
            children = tree.children(v)
            # One line takes the place of this one, and each further child needs one more.
            num_drawn = len(children) if len(children) - 1 <= spare else spare
            if num_drawn < len(children):
                largest = np.argsort(-sizes[children], kind="stable")[:num_drawn]
                children = children[np.sort(largest)]
            shown = _Shown(column, label, children.tolist(), len(tree.children(v)) - num_drawn)
            spare -= num_drawn - 1 + bool(shown.num_left_out)
            self.shown[v] = shown
            for u in shown.children:
                if u >= tree.num_leaves:
                    heapq.heappush(heap, (-int(sizes[u]), u))

    def _label(self, node: int) -> str:
        parts = []
        if self.names and self.tree.names is not None:
            parts.append(one_line(self.tree.names[node] or ""))
        support = math.nan if self.tree.support is None else float(self.tree.support[node])
        if not math.isnan(support) and not (self.percents and node == self.tree.root):
            parts.append(_short_number(round(100 * support) if self.percents else support))
        return " ".join(part for part in parts if part)

    def lines(self) -> list[str]:
        """Return the lines, one for each leaf, collapsed branch, or rest of the branches of a node."""
        root = self.tree.root
        if root not in self.shown:
            return [_collapsed_text(self.tree, root)]
        result: list[str] = []
        line = ""  # what stands at the left of the node that comes next
        path: list[tuple[int, int]] = []  # expanded nodes from the root down, with the number of branches drawn
        v = root
        while True:
            if v in self.shown:
                shown = self.shown[v]
                line += (f"{shown.label}─" if shown.label else "") + "┬─"
                path.append((v, 0))
                v = shown.children[0]
                continue
            if v < self.tree.num_leaves:
                result.append(f"{line} {_leaf_text(self.tree, v)}")
            else:
                result.append(f"{line}▸ {_collapsed_text(self.tree, v)}")
            # Climb to the nearest node with a branch still to draw.
            while path:
                p, index = path.pop()
                shown = self.shown[p]
                if index + 1 < len(shown.children):
                    break
                if shown.num_left_out:
                    text = _left_out_text(self.tree, p, shown)
                    result.append(f"{self._margin(path, shown)}└─… {text}")
            else:
                return result
            path.append((p, index + 1))
            is_last = index + 2 == len(shown.children) and not shown.num_left_out
            line = self._margin(path[:-1], shown) + ("└─" if is_last else "├─")
            v = shown.children[index + 1]

    def _margin(self, above: list[tuple[int, int]], shown: _Shown) -> str:
        """Return what stands on a line before the column of a node: the trunks of nodes above it that go on below."""
        margin = [" "] * shown.column
        for u, index in above:
            ancestor = self.shown[u]
            if index + 1 < len(ancestor.children) or ancestor.num_left_out:
                margin[ancestor.column] = "│"
        return "".join(margin)


def _short_number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _leaf_text(tree: Tree, leaf: int) -> str:
    return str(leaf) if tree.items is None else one_line(tree.items[leaf])


def _collapsed_text(tree: Tree, node: int) -> str:
    leaves = tree.leaves(node)
    some = ", ".join(_leaf_text(tree, int(leaf)) for leaf in leaves[:NUM_NAMED])
    more = ", …" if len(leaves) > NUM_NAMED else ""
    name = one_line(tree.names[node] or "") if tree.names is not None else ""
    head = f"{name} ({len(leaves):,})" if name else f"{len(leaves):,} leaves"
    return f"{head}: {some}{more}"


def _left_out_text(tree: Tree, node: int, shown: _Shown) -> str:
    num_leaves = int(tree.sizes[node]) - int(tree.sizes[shown.children].sum())
    branches = "branch" if shown.num_left_out == 1 else "branches"
    return f"{shown.num_left_out:,} more {branches} with {num_leaves:,} {'leaf' if num_leaves == 1 else 'leaves'}"


def _shortened(line: str, width: int) -> str:
    return line if cell_len(line) <= width else set_cell_size(line, width - 1) + "…"
