"""The sampler: moves and effective samples per second of each proposal, and how the cost of a move grows."""

import subprocess
import sys
import tempfile
import time
from collections import Counter
from os import environ

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.progress import track
from rich.table import Table
from sklearn.datasets import load_iris

from bench.timing import SEED, best_of, random_triplets
from treetalk import Chain, DirichletDiffusion, Tree
from treetalk.datasets import load_animals
from treetalk.diagnostics import effective_sample_size
from treetalk.moves import MIXTURE, MOVES

NUM_DRAWS = 1_000
MOST_CLADES = 50


def proposals() -> Table:
    """Each proposal alone and the default mixture, on a chain that has settled.

    Times alone leave the clades as they are. The mixture's acceptance is that of its regrafts: times are always accepted.
    """
    table = Table("data", "moves", "moves/s", "accepted", "ESS/s, log posterior", "ESS/s, clades", box=box.MARKDOWN)
    data = {
        "animals": (load_animals().X, 0, 1_000),
        "Iris": (load_iris().data, 0, 1_000),
        "Iris, 100 triplets": (load_iris().data, 100, 1_000),
        "1,000 items, d = 10": (simulated(1_000), 0, 2_000),
    }
    kinds = {**{move: {move: 1.0} for move in MOVES}, "mixture": MIXTURE}
    for name, (X, num_triplets, num_moves) in track(data.items(), "proposals", transient=True):
        settled = Chain(X, seed=SEED).run(200 * len(X))
        triplets = random_triplets(settled.tree, num_triplets, np.random.default_rng(SEED)) if num_triplets else ()
        for label, moves in kinds.items():
            chain = Chain(X, triplets, start=settled.tree, seed=SEED, moves=moves).run(num_moves)
            table.add_row(name, label, *measure(chain, num_moves))
    return table


def simulated(num_items: int) -> NDArray[np.float64]:
    """Return data drawn from the model."""
    return DirichletDiffusion().simulate(num_items, 10, SEED)[1]


def measure(chain: Chain, num_moves: int) -> list[str]:
    """Return moves per second, acceptance, and effective samples per second of the log posterior and of clades.

    Of the clades that are there in a fifth to four fifths of the draws, the median of their effective sample sizes counts.
    """
    signature = np.random.default_rng(SEED).integers(1 << 62, size=chain.tree.num_leaves).astype(np.uint64)
    logs, clades = [], []
    seconds = 0.0
    before = np.array(list(chain.info.values()))
    for _ in range(NUM_DRAWS):
        start = time.perf_counter()
        chain.run(num_moves)
        seconds += time.perf_counter() - start
        logs.append(chain.log_posterior)
        clades.append(set(clade_signatures(chain.tree, signature).tolist()))
    made = np.array(list(chain.info.values())) - before
    regrafts = made[: MOVES.index("times")].sum(axis=0)
    proposed = regrafts if regrafts[0] > 0 else made.sum(axis=0)
    counts = Counter(clade for draw in clades for clade in draw)
    uncertain = [clade for clade, count in counts.items() if 0.2 < count / NUM_DRAWS < 0.8][:MOST_CLADES]
    worth = [effective_sample_size([float(clade in draw) for draw in clades]) for clade in uncertain]
    return [
        f"{NUM_DRAWS * num_moves / seconds:,.0f}",
        f"{proposed[1] / proposed[0]:.1%}",
        f"{effective_sample_size(logs) / seconds:,.1f}",
        f"{np.median(worth) / seconds:,.1f}" if worth else "",
    ]


def clade_signatures(tree: Tree, signature: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a number for each internal node that only its set of leaves decides: the sum of the leaves' own numbers."""
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(signature[tree.leaves()])])
    position = np.empty(tree.num_leaves, np.int64)
    position[tree.leaves()] = np.arange(tree.num_leaves)
    first = np.array([position[tree.leaves(v)[0]] for v in range(tree.num_leaves, tree.num_nodes)])
    result: NDArray[np.uint64] = sums[first + tree.sizes[tree.num_leaves :]] - sums[first]
    return result


def growth() -> Table:
    """What a move costs as items and triplets grow, each pair measured side by side."""
    table = Table("a move with the", "from", "to", "time per move", "ratio", box=box.MARKDOWN)
    few, many = 1_000, 100_000
    chains = {size: settled_chain(size) for size in (few, many)}
    for label, moves in (("paper's walk", {"walk": 1.0}), ("mixture", MIXTURE)):
        first, second = (Chain(X, start=tree, moves=moves, seed=SEED) for X, tree in chains.values())
        table.add_row(label, f"{few:,} items", f"{many:,} items", *side_by_side(first, second))
    X, tree = chains[few]
    rng = np.random.default_rng(SEED)
    for label, moves in (("paper's walk", {"walk": 1.0}), ("mixture", MIXTURE)):
        first, second = (
            Chain(X, random_triplets(tree, count, rng), start=tree, moves=moves, seed=SEED) for count in (100, 100_000)
        )
        table.add_row(label, "100 triplets", "100,000 triplets", *side_by_side(first, second))
    return table


def settled_chain(num_items: int) -> tuple[NDArray[np.float64], Tree]:
    """Return data and a tree that a chain has reached."""
    tree, X = DirichletDiffusion().simulate(num_items, 10, SEED)
    return X, Chain(X, start=tree, seed=SEED).run(200_000).tree


def side_by_side(first: Chain, second: Chain, num_moves: int = 20_000) -> tuple[str, str]:
    """Return the time per move of two chains, and their ratio."""
    ours, theirs = best_of(9, lambda: first.run(num_moves), lambda: second.run(num_moves))
    return f"{ours / num_moves * 1e6:.2f} µs → {theirs / num_moves * 1e6:.2f} µs", f"{theirs / ours:.1f} ×"


COLD = """
import time
start = time.perf_counter()
import numpy, treetalk
chain = treetalk.Chain(numpy.random.default_rng(0).normal(size=(150, 4))).run(1_000)
chain.tree
print(time.perf_counter() - start)
"""


def first_call() -> Table:
    """A new process that imports, makes a chain, and runs 1,000 moves: without and with compiled kernels on disk."""
    table = Table("first chain of a process", "seconds", box=box.MARKDOWN)
    with tempfile.TemporaryDirectory() as folder:
        for label in ("kernels compiled now", "kernels on disk"):
            done = subprocess.run(
                [sys.executable, "-c", COLD],
                env={**environ, "TREETALK_KERNEL_CACHE": folder},
                check=True,
                capture_output=True,
                text=True,
            )
            table.add_row(label, f"{float(done.stdout):.1f}")
    return table
