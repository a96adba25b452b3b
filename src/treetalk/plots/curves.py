"""How far a dialogue has come: the distance to the target, query by query."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from treetalk.plots.paper import GROUPS, axes_for
from treetalk.simulation import Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def answers_curve(records: Simulation | Iterable[Simulation], *, ax: Axes | None = None) -> Axes:
    """Draw the triplet distance to the target against the number of queries.

    Parameters
    ----------
    records : Simulation or several
        What `simulate` or `simulate_runs` returned. Runs with one strategy and setting are drawn as their mean, with one
        standard deviation to both sides.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    """
    runs = list(records) if isinstance(records, Iterable) else [records]
    for run in runs:
        if not isinstance(run, Simulation):
            raise TypeError(f"a Simulation, as simulate returns it, is needed here, not {type(run).__name__}")
    if not runs:
        raise ValueError("no run was given, so there is no curve")
    if all(np.isnan(run.triplet_distance).all() for run in runs):
        raise ValueError("the user of these runs has no target, so there is no distance to draw")
    kinds = list(dict.fromkeys((run.strategy, run.setting, run.num_queries) for run in runs))
    with axes_for(ax, 6.0, 3.2) as axes:
        for number, (strategy, setting, num_queries) in enumerate(kinds):
            alike = [
                run for run in runs if (run.strategy, run.setting, run.num_queries) == (strategy, setting, num_queries)
            ]
            values = np.array([run.triplet_distance for run in alike])
            mean, color, x = values.mean(axis=0), GROUPS[number % len(GROUPS)], np.arange(num_queries + 1)
            if len(alike) > 1:
                spread = values.std(axis=0, ddof=1)
                axes.fill_between(x, mean - spread, mean + spread, color=color, alpha=0.16, linewidth=0)
            axes.plot(x, mean, color=color, linewidth=1.8, label=f"{strategy}, {setting}")
        axes.set_xlim(0, max(max(num_queries for *_, num_queries in kinds), 1))
        axes.set_ylim(bottom=0)
        axes.set_xlabel("queries")
        axes.set_ylabel("triplet distance")
        axes.grid(False)
        if len(kinds) > 1:
            axes.legend(fontsize=8)
        return axes
