"""Whether the draws can be trusted: what the chains went through, and how well they agree."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.diagnostics import effective_sample_size, split_rhat
from treetalk.plots.paper import GROUPS, QUIET, figure_for, ink
from treetalk.plots.sources import session_of
from treetalk.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

LOG_POSTERIOR, LOG_LIKELIHOOD = "log posterior", "log likelihood"
FEWEST_DRAWS = 8
FEWEST_BINS, MOST_BINS = 4, 20


def traces(source: object, *, fig: Any = None) -> Figure:
    """Draw the log posterior and the log likelihood of the recent draws, chain by chain, and how the chains' ranks compare.

    On the left, each chain's values over its draws, and in bold their mean so far: chains that agree lie over each other and
    have no trend. On the right, how the values of all chains together, ranked from low to high, are spread over the chains:
    each chain has an equal share of every rank if they agree. Above stands what the numbers say, in words.

    Parameters
    ----------
    source : Session, Project or fitted estimator, table, or mapping from names to tables
        What has the draws; or values of your own, of shape (num_chains, num_draws), such as the log posterior of several
        chains, by the name of what they are.
    fig : Figure or SubFigure, optional
        Where to draw; by default a new figure.
    """
    tables, sentence = _tables_of(source)
    num_chains = max(len(values) for values in tables.values())
    with figure_for(fig, 8.4, 0.6 + 2.2 * len(tables)) as figure:
        axes = figure.subplots(len(tables), 2, width_ratios=[2.3, 1], sharex="col", squeeze=False)
        for row, (what, values) in zip(axes, tables.items(), strict=True):
            _draw_traces(row[0], what, values)
            _draw_ranks(row[1], values)
        axes[0, 1].set_title("Ranks", loc="left", fontsize=10)
        axes[-1, 0].set_xlabel("draw")
        axes[-1, 1].set_xlabel("rank among all draws")
        if num_chains > 1:
            axes[0, 0].legend(loc="lower right", ncols=min(num_chains, 4), fontsize=8, handlelength=1.2)
        if sentence:
            figure.suptitle(textwrap.fill(sentence, 105), x=0.01, ha="left", fontsize=9.5)
        return figure  # type: ignore[no-any-return]


def _tables_of(source: Any) -> tuple[dict[str, NDArray[np.float64]], str]:
    """Return what is drawn, by name, and what is to be said about it."""
    if isinstance(source, Mapping):
        if not source:
            raise ValueError("the mapping is empty, so there is nothing to draw")
        return {str(name): _as_table(values, str(name)) for name, values in source.items()}, ""
    if isinstance(source, Sequence) or hasattr(source, "__array__"):
        return {"values": _as_table(source, "values")}, ""
    session = session_of(source)
    snapshots = session.comparable
    rows = snapshots.draws_by_chain(len(session.chains))
    if rows.shape[1] == 0:
        raise ValueError("nothing was sampled under the present answers, so there is no trace: call advance first")
    densities = snapshots.densities[rows]
    tables = {LOG_POSTERIOR: densities.sum(axis=2), LOG_LIKELIHOOD: densities[:, :, 1]}
    return tables, session.diagnose().sentence


def _as_table(values: Any, what: str) -> NDArray[np.float64]:
    table = np.atleast_2d(np.asarray(values, np.float64))
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"{what} must have the shape (chains, draws); its shape is {np.shape(values)}")
    if not np.isfinite(table).all():
        chain, draw = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(f"{what} must be finite; that of chain {chain}, draw {draw} is {table[chain, draw]}")
    return table


def verdict(values: NDArray[np.float64]) -> str:
    """Return R-hat and what draws are worth in a few words; what is too little for them is said."""
    num_chains, num_draws = values.shape
    if num_draws < FEWEST_DRAWS:
        return f"only {counted(num_draws, 'draw')} of each chain, too few to judge"
    rhat, worth = split_rhat(values), effective_sample_size(values)
    shown = "infinite" if np.isinf(rhat) else f"{rhat:.2f}"
    return f"R-hat {shown}, {num_chains * num_draws:,} draws worth {worth:,.0f}"


def _draw_traces(axes: Axes, what: str, values: NDArray[np.float64]) -> None:
    num_draws = values.shape[1]
    x = np.arange(1, num_draws + 1)
    for chain, series in enumerate(values):
        color = GROUPS[chain % len(GROUPS)]
        axes.plot(x, series, color=color, linewidth=0.7, alpha=0.5, gid="trace")
        axes.plot(x, np.cumsum(series) / x, color=color, linewidth=1.8, label=f"chain {chain}", gid="running mean")
    axes.set_title(f"{what[0].upper()}{what[1:]}: {verdict(values)}", loc="left", fontsize=10)
    axes.set_ylabel("nats" if what in {LOG_POSTERIOR, LOG_LIKELIHOOD} else "")
    axes.set_xlim(1, max(num_draws, 2))
    axes.grid(False)


def _draw_ranks(axes: Axes, values: NDArray[np.float64]) -> None:
    """Draw the share of each chain in the ranks, with the share that chains in agreement have."""
    num_draws = values.shape[1]
    ranks = np.argsort(np.argsort(values, axis=None, kind="stable"), kind="stable").reshape(values.shape)
    num_bins = min(max(FEWEST_BINS, num_draws // 10), MOST_BINS)
    edges = np.linspace(0, values.size, num_bins + 1)
    for chain, row in enumerate(ranks):
        counts, _ = np.histogram(row, edges)
        share = counts * num_bins / num_draws
        axes.stairs(share, edges, color=GROUPS[chain % len(GROUPS)], linewidth=1.3, baseline=None, gid="ranks")
    axes.axhline(1, color=QUIET, linewidth=0.8, linestyle=(0, (3, 2)))
    axes.set_xlim(0, values.size)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("share / equal share", color=ink())
    axes.grid(False)
