"""Run all comparisons and print a table of times and ratios.

Ratios count, not seconds: both sides take turns in the same process, and the best of several turns is taken, for noise
only ever adds time. Kernels are compiled before the clock starts. A package that is not installed is skipped.
"""

import argparse
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import treetalk
from bench import dialogue, files, sampler, serving
from bench.keeping import as_data, keep
from bench.timing import SEED, best_of, random_tree, random_triplets
from treetalk import Tree

Row = tuple[str, str, float, float | None]


def newick() -> list[Row]:
    """Parsing Newick text with names and branch lengths."""
    text = random_tree(10_000, np.random.default_rng(SEED)).to_newick()
    Tree.from_newick(text)
    if not find_spec("treeswift"):
        return [("Newick, 10,000 leaves", "treeswift", best_of(7, lambda: Tree.from_newick(text))[0], None)]
    import treeswift

    ours, theirs = best_of(7, lambda: Tree.from_newick(text), lambda: treeswift.read_tree_newick(text))
    return [("Newick, 10,000 leaves", "treeswift", ours, theirs)]


def distance(num_leaves: int, turns: int) -> list[Row]:
    """The triplet distance of two random binary trees; tqdist's includes its parsing, ours likewise."""
    rng = np.random.default_rng(SEED)
    first, second = (random_tree(num_leaves, rng).to_newick() for _ in range(2))

    def ours() -> float:
        return treetalk.triplet_distance(Tree.from_newick(first), Tree.from_newick(second))

    ours()
    name = f"triplet distance, {num_leaves:,} leaves"
    if not find_spec("tqdist"):
        return [(name, "tqdist", best_of(turns, ours)[0], None)]
    import tqdist

    if abs(ours() - tqdist.triplet_distance(first, second)) > 1e-6:
        raise AssertionError("binary trees: both distances must agree")
    times = best_of(turns, ours, lambda: tqdist.triplet_distance(first, second))
    return [(name, "tqdist", times[0], times[1])]


def build(num_leaves: int, num_triplets: int, with_peer: bool) -> list[Row]:
    """BUILD of random triplets of a random tree."""
    rng = np.random.default_rng(SEED)
    triplets = random_triplets(random_tree(num_leaves, rng), num_triplets, rng)
    treetalk.build(triplets[:100], num_leaves)
    name = f"BUILD, {num_leaves:,} leaves, {num_triplets:,} triplets"
    if not with_peer or not find_spec("tralda"):
        return [(name, "tralda", best_of(3, lambda: treetalk.build(triplets, num_leaves))[0], None)]
    from tralda.supertree import Build

    rows = [(a, b, c) for a, b, c in triplets.tolist()]
    leaves = list(range(num_leaves))
    times = best_of(3, lambda: treetalk.build(triplets, num_leaves), lambda: Build(rows, leaves).build_tree())
    return [(name, "tralda", times[0], times[1])]


def start_up() -> list[Row]:
    """A new process that only imports; Python's own start is measured beside it and taken off both."""

    def run(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    bare, ours, theirs = best_of(7, run("pass"), run("import treetalk"), run("import sklearn.cluster"))
    return [("import", "sklearn.cluster", ours - bare, theirs - bare)]


def main() -> None:
    """Print all tables, and keep them if a file is named."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=main.__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to keep what was measured")
    file = parser.parse_args().json
    console = Console(width=120)
    tables: list[dict[str, Any]] = []
    for title, part in (
        ("first call", sampler.first_call),
        ("proposals", sampler.proposals),
        ("growth", sampler.growth),
        ("dialogue", dialogue.dialogue),
        ("between questions", dialogue.between_questions),
        ("project files", files.files),
        ("serving", serving.serving),
        ("looking", serving.looking),
    ):
        with console.status(title):
            table = part()
        console.print(table)
        tables.append(as_data(title, part.__doc__, table))
    tables.append(as_data("next to other packages", compare.__doc__, compare(console)))
    if file is not None:
        keep(file, tables)


def compare(console: Console) -> Table:
    """Times side by side in one process, the best of several turns; a ratio above 1 means that treetalk is faster."""
    parts: list[tuple[str, Callable[[], list[Row]]]] = [
        ("import", start_up),
        ("Newick", newick),
        ("triplet distance, 150 leaves", lambda: distance(150, 9)),
        ("triplet distance, 10,000 leaves", lambda: distance(10_000, 5)),
        ("triplet distance, 100,000 leaves", lambda: distance(100_000, 2)),
        ("BUILD, 1,000 leaves", lambda: build(1_000, 100_000, with_peer=True)),
        ("BUILD, 100,000 leaves", lambda: build(100_000, 1_000_000, with_peer=False)),
    ]
    table = Table("what", "treetalk", "other package", "its time", "ratio", box=box.MARKDOWN)
    for title, part in parts:
        with console.status(title):
            rows = part()
        for what, peer, ours, theirs in rows:
            if theirs is not None:
                table.add_row(what, milliseconds(ours), peer, milliseconds(theirs), f"{theirs / ours:.1f} ×")
            else:
                reason = "not run" if find_spec(peer) else "not installed"
                table.add_row(what, milliseconds(ours), peer, reason, "")
    console.print(table)
    return table


def milliseconds(seconds: float) -> str:
    """Return a time as the table shows it."""
    return f"{seconds * 1000:,.1f} ms"


if __name__ == "__main__":
    main()
