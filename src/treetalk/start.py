"""The tree that a chain starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels
from treetalk.arguments import Items, as_items, items_of
from treetalk.joining import linkage_parents
from treetalk.repair import apart, top_down
from treetalk.state import Engine, diffusion_ages, why_no_diffusion
from treetalk.tree import Tree, as_tree
from treetalk.triplets import check_size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    ParentsAndAges = tuple[NDArray[np.int32], NDArray[np.float64]]

# Average linkage takes time and memory proportional to the square of the number of items: half a second for so many.
MOST_FOR_LINKAGE = 3_000


def start_auto(engine: Engine, Z: NDArray[np.float64], noise: float, rng: np.random.Generator) -> None:
    """Start from average linkage or, for many items, greedy insertion; at random where there are no data."""
    if Z.shape[1] == 0:
        engine.set_tree(*random_tree(len(Z), rng))
    elif len(Z) <= MOST_FOR_LINKAGE:
        parent = linkage_parents(Z)
        engine.set_tree(parent, ages_from_data(parent, Z, noise))
    else:
        start_by_insertion(engine, Z, noise, rng)


def start_by_insertion(engine: Engine, Z: NDArray[np.float64], noise: float, rng: np.random.Generator) -> None:
    """Start from greedy insertion of the items in a random order, each where it fits best."""
    engine.insert_all(rng.permutation(len(Z)))
    # Insertion leaves ages within their edges, but a long row of halved edges may end in equal numbers.
    parent, ages = engine.parents_and_ages()
    engine.set_tree(parent, apart(parent, ages))


def start_random(engine: Engine, Z: NDArray[np.float64], noise: float, rng: np.random.Generator) -> None:
    """Start from a tree that has nothing to do with the data: random subtrees are joined until one is left."""
    engine.set_tree(*random_tree(len(Z), rng))


def start_from(tree: Tree, Z: NDArray[np.float64], noise: float, rng: np.random.Generator) -> ParentsAndAges:
    """Return a tree's shape with its times or, where these are not those of a diffusion, with times that fit the data.

    Multifurcations are resolved by average linkage of the children's means.
    """
    if why_no_diffusion(tree) is None:
        return tree.parent, diffusion_ages(tree)
    parent = tree.parent if tree.is_binary else binary_parents(tree, Z, rng)
    if Z.shape[1] == 0:
        return parent, _kernels.ages.spread(parent, top_down(parent), tree.num_leaves)
    return parent, ages_from_data(parent, Z, noise)


def ages_from_data(parent: NDArray[np.int32], Z: NDArray[np.float64], noise: float) -> NDArray[np.float64]:
    """Return ages for a binary tree that fit standardised data."""
    ages: NDArray[np.float64] = _kernels.ages.ages_from_data(parent, top_down(parent), Z, noise)
    return apart(parent, ages)


def random_tree(num_leaves: int, rng: np.random.Generator) -> ParentsAndAges:
    """Return the parents and ages of a random tree: any two subtrees are as likely to be joined next."""
    parent = np.full(2 * num_leaves - 1, -1, np.int32)
    tops = np.arange(num_leaves)
    for v in range(num_leaves, 2 * num_leaves - 1):
        left = 2 * num_leaves - 1 - v  # subtrees beside the one drawn first
        for last in (left, left - 1):
            i = rng.integers(last + 1)
            parent[tops[i]] = v
            tops[i] = tops[last]
        tops[left - 1] = v
    ages = np.zeros(2 * num_leaves - 1)
    ages[num_leaves:] = np.arange(1, num_leaves) / num_leaves
    return parent, ages


def binary_parents(tree: Tree, Z: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int32]:
    """Return the parent array of a tree with its multifurcations resolved."""
    n = tree.num_leaves
    means = np.zeros((tree.num_nodes, Z.shape[1]))
    parent = np.full(2 * n - 1, -1, np.int32)
    number = np.arange(tree.num_nodes)
    used = n
    for v in tree.preorder[::-1].tolist():
        if v < n:
            means[v] = Z[v]
            continue
        children = tree.children(v)
        sizes = tree.sizes[children]
        means[v] = sizes @ means[children] / sizes.sum()
        inner = _join(means[children], rng)
        # Children of the multifurcation, then the merges of the linkage, the last of which is v itself.
        local = np.concatenate([number[children], np.arange(used, used + len(children) - 1)])
        used += len(children) - 1
        parent[local[:-1]] = local[inner[:-1]]
        number[v] = local[-1]
    return parent


def _join(means: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int32]:
    """Return the parents in a binary tree over some points."""
    if len(means) == 2:
        return np.array([2, 2, -1], np.int32)
    if means.shape[1] == 0 or len(means) > MOST_FOR_LINKAGE:
        return random_tree(len(means), rng)[0]
    return linkage_parents(means)


def with_leaves(tree: Tree, num_leaves: int, items: Items | None) -> Tree:
    """Return a tree with its leaves in the order of the rows of X."""
    if as_tree(tree).num_leaves != num_leaves:
        raise ValueError(f"the start has {tree.num_leaves} leaves, and there are {num_leaves} items")
    if items is None or tree.items is None or tree.items == items:
        return tree
    missing = next((name for name in items if name not in tree.items.numbers), None)
    if missing is not None:
        raise ValueError(f"the start has other leaves than the items: {missing!r} is not among them")
    return tree.restrict(items)


def names_of_items(
    num_leaves: int, items: Iterable[object] | None, triplets: ArrayLike, start: str | Tree
) -> Items | None:
    """Return the names of a chain's items: those given, or those that the triplets or the start have."""
    check_size(triplets, num_leaves)
    if items is not None:
        names = as_items(items)
        if len(names) != num_leaves:
            raise ValueError(f"{len(names)} item names were given for {num_leaves} items")
        return names
    names_given = items_of(triplets)
    return names_given if names_given is not None or not isinstance(start, Tree) else start.items
