"""Average linkage among the trees that have some triplets, against its definition spelt out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

from reference import clades_of, random_tree, random_triplets
from strategies import seeds
from treetalk import Tree
from treetalk.joining import join

Rows = list[tuple[int, int, int]]


def some_distances(num_items: int, seed: int) -> np.ndarray:
    return squareform(pdist(np.random.default_rng(seed).normal(size=(num_items, 2))))


def last_merge(distances: np.ndarray, items: list[int]) -> list[set[int]]:
    """The two sides that average linkage joins last."""
    sets = [{item} for item in items]
    for one, other, *_ in linkage(squareform(distances[np.ix_(items, items)], checks=False), "average"):
        sets.append(sets[int(one)] | sets[int(other)])
    return [sets[int(one)], sets[int(other)]]


def naive_join(distances: np.ndarray, triplets: Rows, items: set[int]) -> set[frozenset[int]]:
    """The clades: every set is linked by itself, split where it was joined last, and so on."""
    if len(items) == 1:
        return {frozenset(items)}
    among = [triplet for triplet in triplets if set(triplet) <= items]
    sides = last_merge(distances, sorted(items))
    if any((a in sides[0]) != (b in sides[0]) for a, b, _ in among):
        glued = distances.copy()
        component = {item: {item} for item in items}
        for a, b, _ in among:
            merged = component[a] | component[b]
            component.update(dict.fromkeys(merged, merged))
        for a in items:
            for b in component[a] - {a}:
                glued[a, b] = -1.0
        sides = last_merge(glued, sorted(items))
    return {frozenset(items)}.union(*(naive_join(distances, among, side) for side in sides))


@given(seeds, st.integers(2, 16), st.integers(0, 14))
def test_it_is_what_splitting_set_by_set_gives(seed, num_items, num_triplets):
    rng = np.random.default_rng(seed)
    triplets = random_triplets(random_tree(num_items, rng), num_triplets if num_items > 2 else 0, rng)
    distances = some_distances(num_items, seed)
    found = Tree(join(distances, triplets))
    assert found.is_binary
    assert found.satisfies(triplets).all()
    assert clades_of(found) == naive_join(distances, triplets.tolist(), set(range(num_items)))


@given(seeds, st.integers(2, 20))
def test_triplets_that_the_linkage_has_change_nothing(seed, num_items):
    distances = some_distances(num_items, seed)
    plain = Tree.from_linkage(linkage(squareform(distances), "average"))
    triplets = random_triplets(plain, 10 if num_items > 2 else 0, np.random.default_rng(seed))
    assert Tree(join(distances, triplets)).same_topology(plain)
    assert Tree(join(distances, triplets[:0])).same_topology(plain)


def test_one_item_that_goes_to_another_cluster_leaves_the_others_where_they_are():
    # Two clusters on a line, and an item of the first that belongs to the second.
    points = np.array([0.0, 1.0, 2.5, 4.5, 100.0, 101.0, 102.5])
    found = Tree(join(np.abs(points[:, None] - points), np.array([[3, 5, 0]], np.int32)))
    assert {frozenset({0, 1, 2}), frozenset({3, 4, 5, 6}), frozenset({4, 5, 6})} <= clades_of(found)


def test_equal_items_and_a_long_row_of_answers_are_no_hindrance():
    num_items = 60
    rows = [[i, i + 1, i + 2] for i in range(num_items - 2)]
    found = Tree(join(np.zeros((num_items, num_items)), np.array(rows, np.int32)))
    assert found.satisfies(rows).all()
