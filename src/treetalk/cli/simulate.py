"""``treetalk simulate``: how many questions would it take? A simulated user answers, on a project's data."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from treetalk.cli import outcome
from treetalk.cli.delivery import check_free, deliver
from treetalk.cli.options import AsJson, Asked, Force, ProjectFile, Seed, SettingName
from treetalk.cli.waiting import waiting
from treetalk.cli.wording import counted, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.project import Project

DISTANCES = (0.1, 0.05, 0.0)
NUM_LINES = 11


def simulate(
    file: ProjectFile,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="TARGET",
            help="What the user has in mind: a column with groups, a tree in Newick or NEXUS, or a CSV file item,cluster; "
            "by default the one column with groups that is not used as a feature.",
            show_default=False,
        ),
    ] = None,
    queries: Annotated[int, typer.Option(help="How many questions a run has.", min=1)] = 100,
    runs: Annotated[int, typer.Option(help="How many runs, with one seed after the other.", min=1)] = 4,
    strategy: Asked = None,
    setting: Annotated[SettingName, typer.Option(help="How the session works: our way, or the paper's.")] = (
        SettingName.treetalk
    ),
    flip: Annotated[float, typer.Option(help="The share of answers that are wrong.", min=0, max=1)] = 0.0,
    jobs: Annotated[int | None, typer.Option(help="How many runs at once; by default, one per core.", min=1)] = None,
    out: Annotated[Path | None, typer.Option(help="Also write all curves to a CSV file.", dir_okay=False)] = None,
    force: Force = False,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Let a simulated user with a hierarchy in mind answer questions, and say how the tree comes nearer to it.

    The project's own answers play no part, and none are recorded. The distance is the share of the target's triplets that
    the tree violates.

    Example: treetalk simulate zoo.treetalk --target type --queries 50

    Example: treetalk simulate zoo.treetalk --target taxonomy.nwk --strategy active --out curves.csv
    """
    from treetalk.project import open_project
    from treetalk.simulation import simulate_runs
    from treetalk.targets import target_from
    from treetalk.users import NoisyUser, TreeUser

    check_free(out, file, force=force)
    with open_project(file, read_only=True) as project:
        chosen = target or _guessed(project)
        aim = target_from(chosen, project.items, project.more)
        X, items, model = project.X, project.items, project.model
        subset_size = int(project.settings.get("subset_size", 10))
    user: Any = TreeUser(aim)
    with waiting(f"{counted(runs, 'dialogue')} of {counted(queries, 'question')}"):
        found = simulate_runs(
            X,
            NoisyUser(user, flip=flip) if flip else user,
            num_runs=runs,
            num_jobs=jobs,
            seed=seed,
            strategy=strategy and str(strategy),
            num_queries=queries,
            setting=str(setting),
            items=items,
            model=model if setting is SettingName.treetalk else None,
            subset_size=subset_size,
        )
    curves = _padded([run.triplet_distance for run in found], queries)
    if out is not None:
        deliver(_as_csv(curves, seed), out)
    if json:
        outcome.as_json({"target": chosen, "queries_until": _until(curves), "triplet_distance": curves.tolist()})
        return
    outcome.show(_drawn(curves, chosen))


def _guessed(project: Project) -> str:
    """Return the one column that can be aimed at."""
    from treetalk.targets import columns_with_groups

    used = {name for name, role, _ in project.settings.get("columns", ()) if role not in {"aside", "id"}}
    found = [name for name in columns_with_groups(project.more) if name not in used]
    if len(found) == 1:
        outcome.say(f"The user has the groups of column {found[0]!r} in mind")
        return found[0]
    there = (
        f"columns with groups are {', '.join(map(repr, found))}" if found else "no column puts the items into groups"
    )
    outcome.fail(f"Say with --target what the simulated user has in mind: {there}")


def _padded(curves: list[Any], num_queries: int) -> NDArray[np.float64]:
    """Return curves as rows; one that ended early, since nothing was left to ask, stays where it was."""
    rows = [
        np.concatenate([curve, np.full(num_queries + 1 - len(curve), curve[-1])]) for curve in map(np.asarray, curves)
    ]
    return np.array(rows)


def _until(curves: NDArray[np.float64]) -> dict[str, int | None]:
    """Return after how many questions the mean distance is first at each mark, or below."""
    mean = curves.mean(axis=0)
    found: dict[str, int | None] = {}
    for mark in DISTANCES:
        there = np.flatnonzero(mean <= mark)
        found[f"{mark:g}"] = int(there[0]) if there.size else None
    return found


def _drawn(curves: NDArray[np.float64], target: str) -> str:
    mean, spread = curves.mean(axis=0), curves.std(axis=0)
    marks = np.unique(np.linspace(0, len(mean) - 1, NUM_LINES).round().astype(int))
    room = max(shutil.get_terminal_size(fallback=(100, 0)).columns - 40, 10)
    rows = [
        (int(i), f"{mean[i]:.3f}", f"± {spread[i]:.3f}", "█" * round(room * mean[i] / max(mean.max(), 1e-9)))
        for i in marks
    ]
    until = ", ".join(
        f"{mark} after {'more than ' + str(len(mean) - 1) if count is None else count}"
        for mark, count in _until(curves).items()
    )
    head = f"Distance to {target}, mean and spread of {counted(len(curves), 'run')}:"
    drawn = table(("questions", "distance", "", ""), rows)
    return f"{head}\n\n{drawn}\n\nThe first time at a mean distance of {until} questions."


def _as_csv(curves: NDArray[np.float64], seed: int) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("seed", "questions", "triplet_distance"))
    for run, curve in enumerate(curves.tolist(), start=seed):
        writer.writerows((run, i, distance) for i, distance in enumerate(curve))
    return file.getvalue()
