"""The built-in animals: the table of the UCI Zoo data set, and a hierarchy from biology to aim at.

The table is Richard Forsyth's Zoo data set (UCI Machine Learning Repository, 1990, https://doi.org/10.24432/C5R59V,
CC BY 4.0): 101 animals, 15 binary features and the number of legs. Changed here: two animals are called frog in it, and
the one that is venomous is called venomous-frog; types are written as words. The type is a label, not a feature.

The hierarchy, ``animals.nwk``, was written for treetalk from what zoologists agree on, and is left unresolved where they do
not, or where a common name does not say which species is meant:

- Percomorpha (bass, seahorse, sole, tuna), the branches of Neoaves, the songbirds lark, sparrow and wren;
- the branches of Scrotifera (bats, horses, even-toed ungulates with whales, carnivores);
- Arctoidea (bears, seals, and the kin of weasels and raccoons) and Rodentia (squirrel, cavy, and hamster with vole);
- the antelopes, of which an oryx is one, and the frogs with the toad.

Against the tree that the paper by Vikram and Dasgupta took from the Open Tree of Life, without the seven animals whose names
were matched to the wrong species there (86 are left): that tree contradicts none of this hierarchy's triplets among them.
It only resolves more, at the nodes above: 371 of its 102,340 triplets.
"""

from __future__ import annotations

import csv
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Animals(NamedTuple):
    """The animals, one row each."""

    items: tuple[str, ...]  # their names
    X: NDArray[np.float64]  # shape (101, 16)
    feature_names: tuple[str, ...]  # one for each column of X
    labels: tuple[str, ...]  # the type of each animal: mammal, bird, ...
    target: Tree  # the hierarchy from biology


def load_animals() -> Animals:
    """Return the built-in animals; see the module for where they come from."""
    folder = resources.files(__package__)
    header, *rows = csv.reader((folder / "animals.csv").read_text(encoding="utf-8").splitlines())
    items = tuple(row[0] for row in rows)
    features = np.array([row[1:-1] for row in rows], dtype=np.float64)
    target = Tree.from_newick((folder / "animals.nwk").read_bytes(), items)
    return Animals(items, features, tuple(header[1:-1]), tuple(row[-1] for row in rows), target)
