"""Hierarchical clustering that listens.

treetalk holds a posterior over hierarchies, shows a person small pieces of it, and takes corrections as triplets:
``(a, b, c)`` says that a and b belong together, apart from c.
"""

from treetalk.build import build
from treetalk.chain import Chain, run_chains
from treetalk.errors import FormatError, InconsistentTriplets, TreetalkError
from treetalk.formats.files import read_trees, write_trees
from treetalk.metrics import (
    cophenetic_distances,
    edge_distances,
    num_triplets,
    path_distances,
    tree_of_labels,
    triplet_distance,
)
from treetalk.models import DirichletDiffusion
from treetalk.tree import Tree
from treetalk.triplets import TripletSet

__version__ = "0.1.0"

__all__ = [
    "Chain",
    "DirichletDiffusion",
    "FormatError",
    "InconsistentTriplets",
    "Tree",
    "TreetalkError",
    "TripletSet",
    "build",
    "cophenetic_distances",
    "edge_distances",
    "num_triplets",
    "path_distances",
    "read_trees",
    "run_chains",
    "tree_of_labels",
    "triplet_distance",
    "write_trees",
]
