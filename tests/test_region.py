"""The allowed region of a pruned subtree, and that the constrained moves reach every allowed tree."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exact import topology_of
from reference import all_binary_trees, has_triplet, random_tree, random_triplets
from strategies import seeds
from treetalk import Chain, Tree


def regrafted(tree: Tree, s: int, v: int) -> Tree:
    """The tree with subtree s on the edge above v: the parent of s moves along, and its sibling takes its place."""
    parent = tree.parent.copy()
    p = parent[s]
    sibling = next(int(u) for u in tree.children(p) if u != s)
    parent[sibling] = parent[p]
    parent[p] = parent[v]
    parent[v] = p
    return Tree(parent)


@given(seeds, st.integers(3, 10), st.integers(1, 20))
def test_the_region_is_what_trying_every_edge_finds(seed, num_leaves, num_triplets):
    rng = np.random.default_rng(seed)
    tree = random_tree(num_leaves, rng)
    triplets = random_triplets(tree, num_triplets, rng)
    chain = Chain.of_prior(num_leaves, triplets, start=tree)
    tree = chain.tree
    for s in range(tree.num_nodes):
        if s == tree.root:
            continue
        inside = set(tree.leaves(s).tolist())
        outside = [
            v for v in range(tree.num_nodes) if v != tree.parent[s] and not inside & set(tree.leaves(v).tolist())
        ]
        # Nodes above s keep leaves of their own, so they are places as well.
        above = [v for v in range(tree.num_nodes) if inside < set(tree.leaves(v).tolist()) and v != tree.parent[s]]
        allowed = {v for v in outside + above if regrafted(tree, s, v).satisfies(triplets).all()}
        assert set(np.flatnonzero(chain._engine.allowed_edges(s)).tolist()) == allowed


def spr_neighbours(topology: frozenset[frozenset[int]], num_leaves: int) -> set[frozenset[frozenset[int]]]:
    """All trees that one pruning and regrafting makes of a tree, as sets of clades."""
    found = set()
    for pruned in topology:
        if len(pruned) == num_leaves:
            continue
        rest = {clade - pruned for clade in topology if not clade <= pruned} - {frozenset()}
        for place in rest:
            grown = {clade | pruned if clade > place else clade for clade in rest} | {place, place | pruned}
            found.add(frozenset(grown | {clade for clade in topology if clade <= pruned}))
    return found


def test_pruning_and_regrafting_connects_the_trees_of_every_consistent_set_of_triplets_on_five_leaves():
    """The paper's lemma, by graph search: 56,776 sets of triplets."""
    trees = [frozenset(clades) for clades in all_binary_trees(5)]
    number = {tree: i for i, tree in enumerate(trees)}
    neighbours = [sum(1 << number[other] for other in spr_neighbours(tree, 5)) for tree in trees]
    choices = [
        [sum(1 << i for i, tree in enumerate(trees) if has_triplet(tree, t)) for t in ((a, b, c), (a, c, b), (b, c, a))]
        for a, b, c in combinations(range(5), 3)
    ]
    everything = (1 << len(trees)) - 1
    sets = [everything]  # for each consistent choice of triplets so far, the trees that satisfy it
    for three in choices:
        sets += [trees_left & mask for trees_left in sets for mask in three if trees_left & mask]
    assert len(sets) == 56_776
    for allowed in set(sets):
        reached = frontier = allowed & -allowed
        while frontier:
            i = frontier.bit_length() - 1
            frontier ^= 1 << i
            new = neighbours[i] & allowed & ~reached
            reached |= new
            frontier |= new
        assert reached == allowed


@pytest.mark.large
@pytest.mark.parametrize("move", ["walk", "guided", "local"])
@pytest.mark.parametrize("triplets", [[], [(0, 1, 2)], [(0, 1, 2), (3, 4, 2)], [(0, 1, 4), (2, 3, 4), (0, 1, 2)]])
def test_each_regraft_alone_reaches_all_allowed_trees(move, triplets):
    chain = Chain.of_prior(5, triplets, moves={move: 1})
    allowed = {
        frozenset(clades) for clades in all_binary_trees(5) if all(has_triplet(clades, triplet) for triplet in triplets)
    }
    seen = {topology_of(tree) for tree in chain.samples(4_000, 10)}
    assert seen == allowed
