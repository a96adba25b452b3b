"""Times measured side by side, and the random trees and triplets to measure on."""

import time
from collections.abc import Callable

import numpy as np

from treetalk import Tree

SEED = 0


def best_of(turns: int, *functions: Callable[[], object]) -> list[float]:
    """Return the shortest time of each function, the functions taking turns."""
    best = [float("inf")] * len(functions)
    for _ in range(turns):
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def random_tree(num_leaves: int, rng: np.random.Generator) -> Tree:
    """Join two random subtrees until one is left; branches have random lengths."""
    parent = [-1] * num_leaves
    tops = list(range(num_leaves))
    while len(tops) > 1:
        for _ in range(2):
            i = int(rng.integers(len(tops)))
            tops[i], tops[-1] = tops[-1], tops[i]
            parent[tops.pop()] = len(parent)
        tops.append(len(parent))
        parent.append(-1)
    time_of = np.zeros(len(parent))
    for v in range(len(parent) - 2, -1, -1):
        time_of[v] = time_of[parent[v]] + rng.random()
    return Tree(parent, time=time_of, items=[f"item{v}" for v in range(num_leaves)])


def random_triplets(tree: Tree, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return triplets of a binary tree, drawn at random."""
    three = rng.integers(tree.num_leaves, size=(2 * count, 3))
    three = three[(three[:, 0] != three[:, 1]) & (three[:, 0] != three[:, 2]) & (three[:, 1] != three[:, 2])][:count]
    return np.concatenate([t[tree.satisfies(t)] for t in (three, three[:, [0, 2, 1]], three[:, [1, 2, 0]])])
