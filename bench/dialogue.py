"""What a query costs: choosing it, answering it, taking the answer in, and scoring the tree."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from rich import box
from rich.table import Table

from bench.timing import SEED, best_of
from treetalk import (
    DirichletDiffusion,
    Session,
    Tree,
    TreeUser,
    simulate,
    tree_distance_variance,
    tree_of_labels,
    triplet_distance,
)
from treetalk.strategies import Active, View

NUM_SNAPSHOTS = 100
NUM_QUERIES = 30
NUM_STEPS = 20  # answers between which times are taken
NUM_COLUMNS = 10
PAPER_SECONDS = 11.8  # one active query of the paper's code at this size, measured elsewhere, once


def dialogue() -> Table:
    """Measure the steps of a session on Iris: 150 items, 100 snapshots."""
    from sklearn.datasets import load_iris

    X, labels = load_iris(return_X_y=True)
    session = Session(X, strategy="active", seed=SEED).advance(50 * NUM_SNAPSHOTS * 10)
    trees = session.samples[:NUM_SNAPSHOTS]
    view = View(session.tree, session._snapshots.latest(NUM_SNAPSHOTS), 0)
    rng = np.random.default_rng(SEED)
    target = tree_of_labels(labels)
    user = TreeUser(target)
    query = session.ask()
    assert query is not None

    def choose() -> object:
        return next(Active().candidates(view, rng))

    def choose_naively() -> object:
        subsets = [rng.choice(150, 10, replace=False) for _ in range(20)]
        return max(subsets, key=lambda subset: tree_distance_variance(trees, subset))

    def draw() -> Tree:
        session._tree = None
        return session.tree

    choose()
    user.respond(query)
    compiled, naive = best_of(3, choose, choose_naively)
    ask, respond, distance, summary = best_of(
        9,
        session.ask,
        lambda: user.respond(query),
        lambda: triplet_distance(target, session.tree),
        draw,
    )
    run = {}
    for setting in ("treetalk", "paper", "authors"):
        simulate(X, TreeUser(target), num_queries=2, setting=setting)
        (seconds,) = best_of(2, lambda: simulate(X, TreeUser(target), num_queries=NUM_QUERIES, setting=setting))  # noqa: B023
        run[setting] = seconds / NUM_QUERIES
    table = Table("Iris, 150 items, 100 snapshots", "time", "next to", "ratio", box=box.MARKDOWN)
    choosing = f"{compiled * 1e3:.1f} ms"
    table.add_row(
        "an active query chosen", choosing, f"tree by tree in Python: {naive:.2f} s", f"{naive / compiled:,.0f} ×"
    )
    table.add_row("", "", f"the paper's code: {PAPER_SECONDS} s", f"{PAPER_SECONDS / compiled:,.0f} ×")
    table.add_row("the same, with its checks and its picture", f"{ask * 1e3:.1f} ms", "", "")
    table.add_row("a simulated answer", f"{respond * 1e3:.2f} ms", "", "")
    table.add_row("the summary of 200 snapshots", f"{summary * 1e3:.1f} ms", "", "")
    table.add_row("one triplet distance", f"{distance * 1e3:.2f} ms", "", "")
    for setting, seconds in run.items():
        table.add_row(f"a whole query, setting {setting}, interleaved", f"{seconds * 1e3:.1f} ms", "", "")
    return table


@contextmanager
def one_core() -> Iterator[None]:
    """Keep to one core, where the system lets us choose."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def between_questions() -> Table:
    """Measure what passes between an answer and the next question, on one core."""
    table = Table(
        "from an answer to the next question, one core, median",
        "the answer taken in",
        "moves",
        "summary",
        "next question",
        "in all",
        box=box.MARKDOWN,
    )
    with one_core():
        for num_items in (150, 1_000):
            target, X = DirichletDiffusion().simulate(num_items, NUM_COLUMNS, seed=SEED)
            session, user = Session(X, seed=SEED).advance(20_000), TreeUser(target)
            steps = []
            query = session.ask()
            for _ in range(NUM_STEPS):
                assert query is not None
                response = user.respond(query)
                times = [time.perf_counter()]
                session.respond(query, response)
                times.append(time.perf_counter())
                session.advance()
                times.append(time.perf_counter())
                assert session.tree.num_leaves == num_items
                times.append(time.perf_counter())
                query = session.ask()
                times.append(time.perf_counter())
                steps.append([*np.diff(times), times[-1] - times[0]])
            median = np.median(steps, axis=0) * 1e3
            name = f"{num_items:,} items, {NUM_COLUMNS} columns, 2 × {session.num_moves:,} moves"
            table.add_row(name, *(f"{each:.1f} ms" for each in median))
    return table
