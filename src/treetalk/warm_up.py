"""``python -m treetalk.warm_up`` compiles the kernels of a session now, on two cores, so that later commands start at once.

The compiled code is kept in the user's cache folder; where it is there already, this takes a second or two.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from treetalk.answers import Ledger
from treetalk.chain import Chain
from treetalk.classes import classes_of
from treetalk.columns import Columns
from treetalk.datasets import load_animals
from treetalk.heard import SORTED, Heard
from treetalk.layout import Canvas, piece
from treetalk.metrics import triplet_distance
from treetalk.models import DirichletDiffusion
from treetalk.placing import edge_probabilities
from treetalk.queries import Query
from treetalk.repair import repair
from treetalk.strategies import subset_variances
from treetalk.summary import central_tree
from treetalk.tree import Tree
from treetalk.triplets import TripletSet
from treetalk.unsaid import Piece
from treetalk.users import TreeUser

TRIPLETS = np.array([(0, 1, 2), (2, 3, 1), (4, 5, 0)], np.int32)


def sampling() -> None:
    """Use what chains are made of."""
    X = DirichletDiffusion().simulate(8, 2)[1]
    chain = Chain(X, TRIPLETS)
    chain.set_shown([Piece((0, 1, 2, 3), (2, 4, 4, 4, 4, 2))], 1.0)
    chain.record([10, 10])
    _ = chain.log_target
    Chain(X, start="insertion")
    Columns(X, chain.model).weights(TRIPLETS, np.ones(len(TRIPLETS)))
    edge_probabilities(chain.model, chain.tree, X, X[:1])


def answering() -> None:
    """Use what queries, answers and distances are made of."""
    animals = load_animals()
    some = animals.target.restrict(range(8)).with_items(None)
    trees = [DirichletDiffusion()._simulate_tree(8, np.random.default_rng(seed)) for seed in range(4)]
    for tree in trees:
        triplet_distance(some, tree)
        TreeUser(some).respond(Query("subtree", range(8), tree))
        assert tree.age is not None
        repair(tree.parent, tree.age, TRIPLETS)
    subset_variances(np.array([tree.parent for tree in trees]), np.array([[0, 1, 2, 3]]))
    classes = classes_of(TRIPLETS, [Heard(SORTED, (0, 2, 4))], 8)
    central_tree(trees, classes=classes)
    ledger = Ledger(8)
    said = [(a, b, c) for a, b, c in [*TRIPLETS.tolist(), (0, 2, 1)]]
    ledger.extend(ledger.next_entries("triplet", None, None, said))
    known = TripletSet(TRIPLETS, 8)
    known.implied((0, 1, 3))
    Tree.from_newick(some.to_newick())
    drawing(some, trees[0])


def drawing(some: Tree, other: Tree) -> None:
    """Use what drawings are made of."""
    canvas, former = Canvas(some), Canvas(other)
    canvas.view()
    canvas.moved_since(former)
    for v in range(other.num_nodes):
        canvas.resolve(former.key(v), [former])
    piece(some, range(4), canvas.ranks)


def main() -> None:
    """Do one part here and the other in a second process."""
    if len(sys.argv) > 1:
        answering()
        return
    other = subprocess.Popen([sys.executable, "-m", "treetalk.warm_up", "answering"])
    sampling()
    sys.exit(other.wait())


if __name__ == "__main__":
    main()
