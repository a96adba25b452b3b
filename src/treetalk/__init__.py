"""Hierarchical clustering that listens.

treetalk holds a posterior over hierarchies, shows a person small pieces of it, and takes corrections as triplets:
``(a, b, c)`` says that a and b belong together, apart from c.
"""

import importlib
from typing import TYPE_CHECKING, Any

from treetalk.build import build
from treetalk.chain import Chain
from treetalk.errors import (
    DataNotFound,
    FormatError,
    InconsistentTriplets,
    MissingPackage,
    ProjectError,
    ProjectHeld,
    TreetalkError,
)
from treetalk.formats.files import read_trees, write_trees
from treetalk.leveling import Levels, levels
from treetalk.metrics import (
    cophenetic_distances,
    edge_distances,
    num_triplets,
    path_distances,
    tree_of_labels,
    triplet_distance,
)
from treetalk.models import DirichletDiffusion
from treetalk.parallel import run_chains
from treetalk.project import Project, open_project
from treetalk.queries import Query
from treetalk.rearranging import GestureUser
from treetalk.session import Session
from treetalk.settings import Setting
from treetalk.simulation import Simulation, simulate, simulate_runs
from treetalk.strategies import tree_distance_variance
from treetalk.summary import central_tree, credible_tree, majority_tree, triplet_support
from treetalk.tree import Tree
from treetalk.triplets import TripletSet
from treetalk.users import LabelUser, NoisyUser, SortingUser, TreeUser

if TYPE_CHECKING:
    from treetalk.estimator import InteractiveClustering

__version__ = "0.1.0"

__all__ = [
    "Chain",
    "DataNotFound",
    "DirichletDiffusion",
    "FormatError",
    "GestureUser",
    "InconsistentTriplets",
    "InteractiveClustering",
    "LabelUser",
    "Levels",
    "MissingPackage",
    "NoisyUser",
    "Project",
    "ProjectError",
    "ProjectHeld",
    "Query",
    "Session",
    "Setting",
    "Simulation",
    "SortingUser",
    "Tree",
    "TreeUser",
    "TreetalkError",
    "TripletSet",
    "build",
    "central_tree",
    "cophenetic_distances",
    "credible_tree",
    "edge_distances",
    "levels",
    "majority_tree",
    "num_triplets",
    "open_project",
    "path_distances",
    "read_trees",
    "run_chains",
    "simulate",
    "simulate_runs",
    "tree_distance_variance",
    "tree_of_labels",
    "triplet_distance",
    "triplet_support",
    "write_trees",
]


# Parts that not everybody needs are loaded when they are asked for.
_PARTS = {"datasets", "dialects", "estimator", "importing", "notebook", "plots", "terminal"}


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return importlib.import_module(f"treetalk.{name}")
    if name == "InteractiveClustering":
        return importlib.import_module("treetalk.estimator").InteractiveClustering
    raise AttributeError(f"module 'treetalk' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PARTS})
