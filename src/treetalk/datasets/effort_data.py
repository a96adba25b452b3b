"""The data on which answers are counted: those of the paper's experiments, and trees that are drawn from the model.

Beside those of `load_benchmark` there are the paper's animals without the seven that its target misplaces, which no geometry
can find, and synthetic data whose true tree is known: a new one for each seed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treetalk.datasets import zoo
from treetalk.datasets.benchmarks import Benchmark, load_benchmark
from treetalk.models import DirichletDiffusion
from treetalk.tree import Tree

NUM_DIMS = 5
DRAWN = {"diffusion-150": 150, "diffusion-1000": 1_000}  # the number of items
EFFORT_DATA = ("iris", "zoo-86", "zoo", "mnist", "newsgroups", "digits", *DRAWN)


def load_effort_data(name: str, data_dir: str | Path | None = None, seed: int = 0) -> Benchmark:
    """Return data, and the hierarchy to aim at.

    Parameters
    ----------
    name : str
        One of `EFFORT_DATA`.
    data_dir : str or Path, optional
        As for `treetalk.datasets.load_benchmark`.
    seed : int
        Of data that are drawn; the others are the same for all seeds.

    Raises
    ------
    DataNotFound
        If a file is not in the folder, or not what it should be, or if fetching failed.
    """
    if name not in EFFORT_DATA:
        raise ValueError(f"there is no data set called {name!r}; there are {', '.join(EFFORT_DATA)}")
    if name in DRAWN:
        return _drawn(name, seed)
    return _zoo_86(data_dir) if name == "zoo-86" else load_benchmark(name, data_dir)


def _zoo_86(data_dir: str | Path | None) -> Benchmark:
    whole = load_benchmark("zoo", data_dir)
    assert whole.items is not None
    rows = [row for row, item in enumerate(whole.items) if item not in zoo.MISPLACED]
    items = tuple(whole.items[row] for row in rows)
    note = (
        f"The paper's animals of the UCI Zoo (CC BY 4.0) without the seven that its target misplaces, and that target "
        f"for the other {len(items)}."
    )
    X = whole.X[rows]
    return Benchmark("zoo-86", "Zoo, 86", X, whole.target.restrict(items), items, X.var(axis=0, ddof=1) / 4, note)


def _drawn(name: str, seed: int) -> Benchmark:
    num_leaves = DRAWN[name]
    tree, X = DirichletDiffusion().simulate(num_leaves, num_dims=NUM_DIMS, seed=seed)
    note = (
        f"{num_leaves:,} items with {NUM_DIMS} features, drawn from the Dirichlet diffusion tree itself, for each run anew; "
        "the target is the tree that they were drawn with."
    )
    scale = np.asarray(X.var(axis=0, ddof=1) / 2)
    return Benchmark(name, f"Diffusion, {num_leaves:,}", X, Tree(tree.parent), None, scale, note)
