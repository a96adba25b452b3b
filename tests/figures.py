"""What the tests of figures have in common: data that are the same everywhere, and what to look for in axes."""

from typing import Any

import numpy as np

from treetalk import DirichletDiffusion, Tree

ITEMS = ["cat", "lynx", "dog", "wolf", "eel", "trout", "crow", "owl"]
NEWICK = "((((cat,lynx)felines,(dog,wolf)),(eel,trout)),(crow,owl)birds);"
OTHER = "((((cat,dog),(lynx,wolf)),(eel,trout)),(crow,owl)birds);"


def eight(newick: str = NEWICK, *, support: float = 0.5) -> Tree:
    """Eight animals. A node k edges above its furthest leaf is at time 1 - k / 6; all clades but pairs have the support."""
    tree = Tree.from_newick(newick, ITEMS)
    height = np.zeros(tree.num_nodes)
    for v in tree.preorder[:0:-1]:
        height[tree.parent[v]] = max(height[tree.parent[v]], height[v] + 1)
    values = np.where(tree.sizes == 1, np.nan, np.where(tree.sizes > 2, support, 1.0))
    return Tree(tree.parent, age=height / 6, items=ITEMS, names=tree.names, support=values)


def eight_values() -> np.ndarray:
    """One column of data for the eight: what stands together has like values."""
    return np.array([[1.0], [1.1], [0.8], [0.7], [-0.4], [-0.6], [0.1], [0.3]])


def many(num_leaves: int, num_dims: int = 2) -> tuple[Tree, np.ndarray]:
    return DirichletDiffusion().simulate(num_leaves, num_dims, seed=5)


def found(axes: Any, gid: str) -> list[Any]:
    """The parts of axes that are called so."""
    return [artist for artist in axes.get_children() if artist.get_gid() == gid]


def segments(axes: Any, gid: str) -> list[np.ndarray]:
    return [segment for collection in found(axes, gid) for segment in collection.get_segments()]


def words(axes: Any) -> list[str]:
    """All texts in axes, tick labels aside."""
    return [text.get_text() for text in axes.texts]


def rows(axes: Any) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]
