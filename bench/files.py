"""What a project file costs, next to the same session in memory alone."""

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from rich import box
from rich.table import Table

from bench.timing import SEED, random_tree, random_triplets
from treetalk import DirichletDiffusion, Project, Session, open_project

NUM_ANSWERS = 20


def files() -> Table:
    """Measure answering, saving and opening for some sizes of projects."""
    table = Table("a project of", "answer, in memory", "answer, on disk", "save", "open", "file", box=box.MARKDOWN)
    for num_items in (150, 1_000, 10_000):
        _, X = DirichletDiffusion().simulate(num_items, 10, seed=SEED)
        rng = np.random.default_rng(SEED)
        triplets = random_triplets(random_tree(num_items, rng), NUM_ANSWERS, rng).tolist()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "project.treetalk"
            session = Session(X, seed=SEED).advance()
            in_memory = np.median([_timed(partial(session.answer, None, triplet)) for triplet in triplets])
            with Project.create(path, X, seed=SEED) as project:
                project.advance()
                on_disk = np.median([_timed(partial(project.answer, None, triplet)) for triplet in triplets])
                saving = _timed(project.save)
            opening = _timed(partial(_open, path))
            size = path.stat().st_size / 1e6
        shown = [f"{1000 * seconds:,.1f} ms" for seconds in (in_memory, on_disk, saving, opening)]
        table.add_row(f"{num_items:,} items", *shown, f"{size:,.1f} MB")
    return table


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _open(path: Path) -> None:
    with open_project(path) as project:
        project.session.samples[-1]
