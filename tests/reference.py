"""Naive versions of what treetalk does fast, short enough to be trusted by reading; and ways to make trees for tests."""

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from treetalk import Tree

Triplet = tuple[int, int, int]
Clades = set[frozenset[int]]


def clades_of(tree: Tree) -> Clades:
    """Climb from each leaf to the root and note it at every node on the way."""
    under: dict[int, set[int]] = {v: set() for v in range(tree.num_nodes)}
    for leaf in range(tree.num_leaves):
        v = leaf
        while v != -1:
            under[v].add(leaf)
            v = int(tree.parent[v])
    return {frozenset(leaves) for leaves in under.values()}


def has_triplet(clades: Iterable[frozenset[int]], triplet: Triplet) -> bool:
    """ab|c holds if some clade has a and b but not c."""
    a, b, c = triplet
    return any(a in clade and b in clade and c not in clade for clade in clades)


def all_triplets(num_leaves: int) -> list[Triplet]:
    return [
        (a, b, c)
        for three in combinations(range(num_leaves), 3)
        for a, b, c in ((three[0], three[1], three[2]), (three[0], three[2], three[1]), (three[1], three[2], three[0]))
    ]


def triplets_of(tree: Tree) -> set[Triplet]:
    clades = clades_of(tree)
    return {triplet for triplet in all_triplets(tree.num_leaves) if has_triplet(clades, triplet)}


def triplet_distance(target: Tree, tree: Tree) -> float:
    wanted = triplets_of(target)
    return len(wanted - triplets_of(tree)) / len(wanted) if wanted else 0.0


def build(leaves: frozenset[int], triplets: Iterable[Triplet]) -> Clades | None:
    """Aho's BUILD as in the textbook: the clades of the tree, or None."""
    clades: Clades = {leaves}
    if len(leaves) == 1:
        return clades
    inside = [t for t in triplets if leaves.issuperset(t)]
    parts = {leaf: {leaf} for leaf in leaves}
    for a, b, _ in inside:
        if parts[a] is not parts[b]:
            parts[a] |= parts[b]
            for leaf in parts[b]:
                parts[leaf] = parts[a]
    components = {frozenset(part) for part in parts.values()}
    if len(components) == 1:
        return None
    for component in components:
        below = build(component, inside)
        if below is None:
            return None
        clades |= below
    return clades


def is_consistent(triplets: Iterable[Triplet], num_leaves: int) -> bool:
    return build(frozenset(range(num_leaves)), list(triplets)) is not None


def is_implied(triplets: Iterable[Triplet], triplet: Triplet, num_leaves: int) -> bool:
    """Whether neither alternative can be added."""
    a, b, c = triplet
    given = list(triplets)
    return not is_consistent([*given, (a, c, b)], num_leaves) and not is_consistent([*given, (b, c, a)], num_leaves)


def all_binary_trees(num_leaves: int) -> list[Clades]:
    """Every binary tree over some leaves as its clades: put the last leaf above every node of every smaller tree."""
    trees: list[Clades] = [{frozenset([0])}]
    for leaf in range(1, num_leaves):
        larger = []
        for clades in trees:
            for place in clades:
                grown = {clade | {leaf} if clade > place else clade for clade in clades}
                larger.append(grown | {place, place | {leaf}, frozenset([leaf])})
        trees = larger
    return trees


def random_tree(num_leaves: int, rng: np.random.Generator, multifurcation: float = 0.0) -> Tree:
    """Join random subtrees until one is left: two at a time, more with the given probability."""
    parent = [-1] * num_leaves
    tops = list(range(num_leaves))
    while len(tops) > 1:
        count = 2
        while count < len(tops) and rng.random() < multifurcation:
            count += 1
        for _ in range(count):
            i = int(rng.integers(len(tops)))
            tops[i], tops[-1] = tops[-1], tops[i]
            parent[tops.pop()] = len(parent)
        tops.append(len(parent))
        parent.append(-1)
    return Tree.from_parents(parent)


def random_triplets(tree: Tree, count: int, rng: np.random.Generator) -> np.ndarray:
    """Triplets of a tree: of `count` random sets of three leaves, those that it resolves. Some may repeat."""
    three = np.empty((0, 3), int)
    while len(three) < count:
        drawn = rng.integers(tree.num_leaves, size=(count, 3))
        distinct = (drawn[:, 0] != drawn[:, 1]) & (drawn[:, 0] != drawn[:, 2]) & (drawn[:, 1] != drawn[:, 2])
        three = np.concatenate([three, drawn[distinct]])
    turned = [three[:count, order] for order in ([0, 1, 2], [0, 2, 1], [1, 2, 0])]
    return np.concatenate([t[tree.satisfies(t)] for t in turned])


def caterpillar(num_leaves: int) -> Tree:
    """The deepest tree: leaves 0 and 1 together, then 2, then 3, and so on."""
    n = num_leaves
    leaf_parents = np.concatenate([[n], n + np.arange(n - 1)])
    return Tree.from_parents(np.concatenate([leaf_parents, np.arange(n + 1, 2 * n - 1), [-1]]))


def without_repetitions(triplets: np.ndarray) -> np.ndarray:
    turned = np.column_stack([np.sort(triplets[:, :2], axis=1), triplets[:, 2]])
    return np.unique(turned, axis=0)


def check_reduction(given: list[Triplet], reduced: list[Triplet], num_leaves: int) -> None:
    """What was dropped is implied by what was kept; what was kept is not implied by the rest of it."""
    for triplet in given:
        if triplet in reduced:
            rest = [other for other in reduced if other != triplet]
            assert not is_implied(rest, triplet, num_leaves), (given, reduced)
        else:
            assert is_implied(reduced, triplet, num_leaves), (given, reduced)
