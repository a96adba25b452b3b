"""Small trees as their clusters, and what they say about three items: worked out with sets, to compare the page with.

A cluster is the set of the items below a node; a tree is the set of all its clusters, from the single items to all of them.
"""

import itertools
import re
from collections.abc import Iterable

Cluster = frozenset[int]
Clusters = frozenset[Cluster]
Statement = tuple[frozenset[int], int]  # two items that belong together, and the one apart from which they do


def clusters_of(nodes: Iterable[tuple[int, int | None]]) -> list[Cluster]:
    """The cluster of each node, given level by level: (level, item or None), a branch before what it holds."""
    listed = list(nodes)
    clusters = []
    for place, (level, item) in enumerate(listed):
        after = listed[place + 1 :]
        size = next((number for number, (other, _) in enumerate(after) if other <= level), len(after))
        clusters.append(frozenset(each for _, each in [(level, item), *after[:size]] if each is not None))
    return clusters


def after_drop(tree: Clusters, node: Cluster, onto: Cluster) -> Clusters:
    """The tree in which a node has become the sister of another one."""
    inside = {cluster for cluster in tree if cluster <= node}
    left = {cluster - node for cluster in tree - inside} - {frozenset()}
    sister = onto - node
    around = {cluster | node for cluster in left if cluster > sister}
    beside = {cluster for cluster in left if not cluster > sister}
    return frozenset(inside | around | beside | {sister | node})


def statements_of(tree: Clusters) -> set[Statement]:
    """All that a tree says about three of its items."""
    everything = frozenset().union(*tree)
    return {
        (frozenset(pair), odd)
        for cluster in tree
        for pair in itertools.combinations(cluster, 2)
        for odd in everything - cluster
    }


def meant(shown: Clusters, now: Clusters, moved: Cluster) -> set[Statement]:
    """What a rearrangement means: what involves something moved, and was not shown."""
    new = statements_of(now) - statements_of(shown)
    return {(pair, odd) for pair, odd in new if (pair | {odd}) & moved}


def as_statements(triplets: Iterable[tuple[int, int, int]]) -> set[Statement]:
    return {(frozenset({a, b}), c) for a, b, c in triplets}


def said_by(sentence: str, items: list[str]) -> set[Statement]:
    """What a sentence of the page says, such as "cat and lynx together with dog, apart from eel, owl and crow"."""
    found = re.fullmatch(r"(?:That says: )?(.+?) together(?: with (.+))?, apart from (.+?)\.?", sentence)
    assert found, sentence
    one, other, apart = (
        [items.index(name) for name in re.split(r", | and ", part or "") if name] for part in found.groups()
    )
    pairs = itertools.product(one, other) if other else itertools.combinations(one, 2)
    return {(frozenset(pair), odd) for pair in pairs for odd in apart}
