"""The map of disagreement: which items the posterior cannot place, and with whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import as_count
from treetalk.layout.labels import shortened
from treetalk.plots.branches import Branches, branches_of
from treetalk.plots.dendrograms import draw_branches
from treetalk.plots.paper import NOTHING, QUIET, SPREAD_COLORS, bare, figure_for, plain, points_of
from treetalk.plots.sources import names_of, session_of, tree_of
from treetalk.plots.spread import join_spread, snapshots_of
from treetalk.summary import central_tree
from treetalk.wording import one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from treetalk.snapshots import Snapshots
    from treetalk.tree import Tree

MOST_ROWS = 60
MOST_LEAVES = 600  # between which disagreement is computed
NUM_PAIRS = 6
LONGEST_NAME = 26
LEAST_SPREAD = 0.02  # of all items: less is not worth a name


def disagreement(
    source: object,
    *,
    labels: Any = True,
    max_rows: int = MOST_ROWS,
    num_pairs: int = NUM_PAIRS,
    fig: Any = None,
    seed: int = 0,
) -> Figure:
    """Draw how much the draws disagree about every two items, in the order of the tree, which stands beside it.

    For two items, the standard deviation over the draws of the share of all items that are in the smallest cluster with
    both. The dark pairs are those that are worth a question. The most uncertain ones are marked and named: each item in one
    pair at most, and where rows are branches, one pair of every two of them at most.

    Parameters
    ----------
    source : Session, Project, fitted estimator, or sequence of Tree
        What has the draws, or draws of your own: binary trees with the times of a diffusion, over the same items.
    labels : bool, mapping from items, or sequence
        What items are called; by default their names.
    max_rows : int
        How many rows there are at most; with more items, a row is a branch, and shows the mean of its items.
    num_pairs : int
        How many pairs are named.
    fig : Figure or SubFigure, optional
        Where to draw; by default a new figure.
    seed : int
        The seed of which items stand for their branches, where there are more than 600.
    """
    tree, snapshots = _draws_of(source)
    names = names_of(tree, labels)
    what = branches_of(tree, as_count(max_rows, "max_rows", 2), labels=names)
    leaves = _chosen_leaves(what, np.random.default_rng(seed))
    spread = join_spread(snapshots.draws(), None if len(leaves) == tree.num_leaves else leaves)
    if len(leaves) == tree.num_leaves:
        spread = spread[np.ix_(leaves, leaves)]
    rows = what.row_of_leaves()[leaves]
    table = _by_row(spread, rows, what.num_rows)
    pairs = top_pairs(spread, as_count(num_pairs, "num_pairs"), rows)
    known = names_of(tree, True) if names is None else names
    assert known is not None
    row_inches = 0.15 if what.num_rows > 30 else 0.22
    side = max(row_inches * what.num_rows, 2.6)
    with figure_for(fig, side + 4.2, side + 0.9 + 0.2 * (len(pairs) + 1)) as figure:
        beside, axes, words = _grid(figure, side, len(pairs))
        draw_branches(beside, what, "right", support=False)
        bare(beside)
        beside.set_xlabel("")
        _draw_map(figure, axes, what, table)
        _mark(axes, [(int(rows[i]), int(rows[j])) for i, j in pairs])
        told = [(known[leaves[i]], known[leaves[j]], spread[i, j]) for i, j in pairs]
        _tell(words, told, snapshots.num_draws)
        return figure  # type: ignore[no-any-return]


def _draws_of(source: object) -> tuple[Tree, Snapshots]:
    """Return the tree that is drawn, and the draws."""
    if isinstance(source, Sequence):
        return central_tree(source), snapshots_of(source)
    snapshots = session_of(source).snapshots
    if snapshots.num_draws == 0:
        raise ValueError(
            "nothing was sampled under the present answers, so there is no disagreement: call advance first"
        )
    return tree_of(source), snapshots


def top_pairs(
    spread: NDArray[np.float64], num_pairs: int, rows: NDArray[np.int64] | None = None
) -> list[tuple[int, int]]:
    """Return the pairs of the largest spread, each number in one pair at most, and none that is hardly uncertain.

    Of the pairs between the same two rows, or within the same one, only one is taken.
    """
    row = (np.arange(len(spread)) if rows is None else rows).tolist()
    upper = np.triu(spread, 1)
    order = np.argsort(-upper, axis=None, kind="stable")
    pairs: list[tuple[int, int]] = []
    used: set[int] = set()
    cells: set[tuple[int, int]] = set()
    for flat in order.tolist():
        i, j = divmod(flat, len(spread))
        if len(pairs) == num_pairs or upper[i, j] < LEAST_SPREAD:
            break
        cell = (min(row[i], row[j]), max(row[i], row[j]))
        if i not in used and j not in used and cell not in cells:
            pairs.append((i, j))
            used |= {i, j}
            cells.add(cell)
    return pairs


def _chosen_leaves(what: Branches, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return leaves that stand for all, in the order of the tree: all if there are few, else as many of each row."""
    num_leaves = what.tree.num_leaves
    if num_leaves <= MOST_LEAVES:
        return what.order.astype(np.int64)
    sizes = what.tree.sizes[what.nodes[what.is_row]].astype(np.int64)
    each = max(1, MOST_LEAVES // what.num_rows)
    ends = np.cumsum(sizes)
    chosen = [
        begin + np.sort(rng.choice(size, min(each, size), replace=False))
        for begin, size in zip((ends - sizes).tolist(), sizes.tolist(), strict=True)
    ]
    leaves: NDArray[np.int64] = what.order[np.concatenate(chosen)].astype(np.int64)
    return leaves


def _by_row(spread: NDArray[np.float64], rows: NDArray[np.int64], num_rows: int) -> NDArray[np.float64]:
    """Return the mean over pairs of different items for every two rows; NaN for a single item with itself."""
    member = np.zeros((len(rows), num_rows))
    member[np.arange(len(rows)), rows] = 1.0
    counts = member.sum(axis=0)
    num_pairs = np.outer(counts, counts) - np.diag(counts)
    sums = member.T @ spread @ member
    return np.where(num_pairs > 0, sums / np.maximum(num_pairs, 1), np.nan)


def _grid(figure: Any, side: float, num_pairs: int) -> tuple[Any, Any, Any]:
    """Return axes for the tree, the map and the words below both."""
    spec = figure.add_gridspec(
        2, 2, width_ratios=[1.5, side], height_ratios=[side, 0.2 * (num_pairs + 1)], wspace=0.0, hspace=0.02
    )
    return figure.add_subplot(spec[0, 0]), figure.add_subplot(spec[0, 1]), figure.add_subplot(spec[1, :])


def _draw_map(figure: Any, axes: Any, what: Branches, table: NDArray[np.float64]) -> None:
    row_points = points_of(axes)[1] / what.num_rows
    image = axes.imshow(
        table, cmap=SPREAD_COLORS, vmin=0, vmax=max(float(np.nanmax(table, initial=0)), 0.05), aspect="auto"
    )
    axes.set_facecolor(NOTHING)
    axes.set_xticks([])
    labels = [label for label, is_row in zip(what.labels, what.is_row, strict=True) if is_row]
    axes.set_yticks(range(what.num_rows), labels=labels)
    axes.yaxis.tick_right()
    axes.tick_params(axis="y", length=0, labelsize=min(max(0.72 * row_points, 4.0), 8.5), pad=3)
    for text, is_shut in zip(axes.get_yticklabels(), what.is_shut[what.is_row].tolist(), strict=True):
        plain(text).set_style("italic" if is_shut else "normal")
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.grid(False)
    axes.set_title("How much draws disagree about two items", loc="left", fontsize=10)
    bar = figure.colorbar(image, ax=axes, location="bottom", fraction=0.04, pad=0.015, aspect=40, format="{x:.0%}")
    bar.set_label("standard deviation of their smallest common cluster, in % of all items", fontsize=8)
    bar.ax.tick_params(labelsize=8, length=2)
    bar.outline.set_visible(False)


def _mark(axes: Any, places: Sequence[tuple[int, int]]) -> None:
    """Put the numbers of pairs on their places, above the diagonal."""
    for number, (row, column) in enumerate(places, start=1):
        across, down = max(row, column), min(row, column)
        box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none", "alpha": 0.9}
        look = {"fontsize": 6.5, "color": "black", "ha": "center", "va": "center", "bbox": box}
        axes.text(across, down, str(number), gid="mark", **look)


def _tell(axes: Any, told: Sequence[tuple[str, str, float]], num_draws: int) -> None:
    """Write down the most uncertain pairs."""
    axes.axis("off")
    if told:
        title = f"The most uncertain pairs, in {num_draws:,} draws:"
    else:
        title = f"In {num_draws:,} draws, no pair of items is uncertain."
    step = 1 / (len(told) + 1)
    axes.text(0, 1 - step / 2, title, transform=axes.transAxes, fontsize=9, va="center", weight="bold")
    for i, (one, other, value) in enumerate(told, start=1):
        pair = f"{shortened(one_line(one), LONGEST_NAME)} and {shortened(one_line(other), LONGEST_NAME)}"
        y = 1 - (i + 0.5) * step
        look = {"transform": axes.transAxes, "fontsize": 8.5, "va": "center"}
        axes.text(0.0, y, f"{i}", color=QUIET, **look)
        plain(axes.text(0.03, y, f"{pair}: {value:.0%}", gid="pair", **look))
