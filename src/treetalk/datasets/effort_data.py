"""The data on which answers are counted: those of the paper's experiments, two more, and trees drawn from the model.

Beside those of `load_benchmark` there are the paper's animals without the seven that its target misplaces, which no geometry
can find; two of scikit-learn's whose columns have units of their own, and repeat each other; and synthetic data whose true
tree is known: a new one for each seed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from treetalk.datasets import zoo
from treetalk.datasets.benchmarks import Benchmark, load_benchmark
from treetalk.metrics import tree_of_labels
from treetalk.models import DirichletDiffusion
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUM_DIMS = 5
NUM_PATIENTS = 150
DRAWN = {"diffusion-150": 150, "diffusion-1000": 1_000}  # the number of items
EFFORT_DATA = ("iris", "zoo-86", "zoo", "mnist", "newsgroups", "digits", "wine", "breast-cancer", *DRAWN)


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
    if name == "zoo-86":
        return _zoo_86(data_dir)
    return MEASURED[name]() if name in MEASURED else load_benchmark(name, data_dir)


def _wine() -> Benchmark:
    from sklearn.datasets import load_wine

    data = load_wine()
    note = "178 wines of three growers, from scikit-learn: all rows in their order, 13 columns in units of their own."
    return _of_classes("wine", "Wine", data.data, data.target, note)


def _breast_cancer() -> Benchmark:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    rows = np.sort(np.random.default_rng(0).choice(len(data.data), NUM_PATIENTS, replace=False))
    note = (
        f"{NUM_PATIENTS} tumours, benign or malignant, drawn from scikit-learn's {len(data.data)}: 30 columns, of which "
        "many say nearly the same."
    )
    return _of_classes("breast-cancer", "Breast cancer", data.data[rows], data.target[rows], note)


MEASURED = {"wine": _wine, "breast-cancer": _breast_cancer}


def _of_classes(name: str, title: str, X: NDArray[np.float64], labels: NDArray[np.int64], note: str) -> Benchmark:
    return Benchmark(name, title, X, tree_of_labels(labels), None, X.var(axis=0, ddof=1) / 2, note)


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
