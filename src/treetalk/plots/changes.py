"""What the answers changed: the hierarchy before any of them and the one now, with what moved between them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import as_count
from treetalk.parallel import side_by_side
from treetalk.plots.curves import answers_curve
from treetalk.plots.dendrograms import rows_that_fit
from treetalk.plots.facing import Look, draw_facing, facing, facing_size, sides_of
from treetalk.plots.moves import MORE_THAN_CHANCE, moved_items
from treetalk.plots.paper import ACCENT, QUIET, figure_for
from treetalk.plots.sources import has_session, names_of, session_of, tree_of
from treetalk.progress import Progress
from treetalk.snapshots import Snapshots
from treetalk.summary import central_tree
from treetalk.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from treetalk.session import Session
    from treetalk.simulation import Simulation
    from treetalk.tree import Tree

NUM_MOVES, NUM_SNAPSHOTS = 40_000, 50
MOST_TOLD = 8


def before_after(
    before: object,
    after: object | None = None,
    *,
    record: Simulation | Iterable[Simulation] | None = None,
    labels: Any = True,
    num_moves: int = NUM_MOVES,
    fig: Any = None,
) -> Figure:
    """Draw two hierarchies of the same items face to face, and highlight the items that moved from one to the other.

    Those moved that have to be taken away so that no branches of the two trees contradict each other by more than chance:
    overlap, with neither within the other, though their supports add up to more than 1.1. In draws of one posterior, these
    add up to 1 at most. Other differences are drawn, but not counted. In trees without support, all branches count. Beyond
    120 items rows are branches, see `tanglegram`.

    Parameters
    ----------
    before : Tree, Session, Project or fitted estimator
        The hierarchy as it was. If nothing else is given, what has a session is drawn as it is now, against a hierarchy that
        is sampled afresh without any answer, on copies of its chains.
    after : Tree, Session, Project or fitted estimator, optional
        The hierarchy as it is now.
    record : Simulation or several, optional
        Whose triplet distances are drawn below, against the number of queries.
    labels : bool, mapping from items, or sequence
        What items are called; by default their names.
    num_moves : int
        The moves of each chain when sampled afresh.
    fig : Figure or SubFigure, optional
        Where to draw; by default a new figure.
    """
    now = tree_of(before if after is None else after)
    if after is not None:
        then = tree_of(before)
    elif has_session(before):
        session = session_of(before)
        count = as_count(num_moves, "num_moves", 1)
        # Without answers nothing can have moved but by chance.
        then = unanswered(session, count) if len(session.triplets) else now
    else:
        raise ValueError(
            "before_after needs two hierarchies, or one that has a session, such as a Session or a Project"
        )
    pair = facing(then, now)
    moved = moved_items(pair.one, pair.other)
    rows = max(side.num_rows for side in sides_of(pair, rows_that_fit(None, "right", now.num_leaves)))
    width, height = facing_size(rows)
    with figure_for(fig, width, height + 0.5 + (0 if record is None else 2.4)) as figure:
        if record is None:
            axes = figure.subplots()
        else:
            axes, below = figure.subplots(2, 1, height_ratios=[height, 2.2])
            answers_curve(record, ax=below)
        colors = [ACCENT if is_moved else QUIET for is_moved in moved.tolist()]
        draw_facing(axes, pair, names_of(pair.one, labels), Look(colors, None, ("before", "after"), ~moved))
        has_support = pair.one.support is not None or pair.other.support is not None
        sentence = _sentence(moved, names_of(pair.one, True) or [], has_support=has_support)
        axes.set_title(textwrap.fill(sentence, 100), loc="left", pad=18, fontsize=10).set_parse_math(False)
        return figure  # type: ignore[no-any-return]


def unanswered(session: Session, num_moves: int = NUM_MOVES) -> Tree:
    """Return the hierarchy that a session would have come to without its answers; the session stays as it is."""
    chains = [chain.copy() for chain in session.chains]
    between = [num_moves // 2, *[max(num_moves // 2 // NUM_SNAPSHOTS, 1)] * NUM_SNAPSHOTS]
    for chain in chains:
        chain.replace_triplets(np.empty((0, 3), np.int32))
    with Progress(sum(between) * len(chains), "Sampling without answers") as progress:
        recordings = side_by_side(chains, lambda chain, advance, stop: chain.record(between, advance, stop), progress)
    # The first half of the moves leads away from where the answers had the chains.
    drawn = Snapshots.of_recordings(recordings).latest(NUM_SNAPSHOTS * len(chains))
    return central_tree(drawn, items=session.items)


def _sentence(moved: NDArray[np.bool_], names: Any, *, has_support: bool) -> str:
    """Say what moved, and what was counted."""
    which = [names[leaf] for leaf in np.flatnonzero(moved).tolist()]
    rule = f"whose supports add up to more than {MORE_THAN_CHANCE} (by chance, to 1 at most)"
    if not which:
        return f"Nothing moved: there are no contradicting branches {rule}." if has_support else "Nothing moved."
    told = f"{len(which):,} of {counted(len(moved), 'item')} moved"
    told += "." if len(which) > MOST_TOLD else f": {listed(which)}."
    return f"{told} Counted are contradicting branches {rule}." if has_support else told
