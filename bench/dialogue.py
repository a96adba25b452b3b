"""What a query costs: choosing it, answering it, taking the answer in, and scoring the tree."""

import numpy as np
from rich import box
from rich.table import Table

from bench.timing import SEED, best_of
from treetalk import Session, Tree, TreeUser, simulate, tree_distance_variance, tree_of_labels, triplet_distance
from treetalk.queries import Active, View

NUM_SNAPSHOTS = 100
NUM_QUERIES = 30
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
