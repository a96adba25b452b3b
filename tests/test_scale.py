"""Trees as deep, as wide and as large as they come. Nothing here may recurse or take quadratic time."""

import numpy as np
import pytest

import reference
from treetalk import Tree, build, edge_distances, read_trees, tree_of_labels, triplet_distance, write_trees

pytestmark = pytest.mark.large
NUM_LEAVES = 200_000


@pytest.fixture(scope="module")
def deep() -> Tree:
    return reference.caterpillar(NUM_LEAVES)


@pytest.fixture(scope="module")
def wide() -> Tree:
    return tree_of_labels(np.zeros(NUM_LEAVES))


@pytest.mark.parametrize("shape", ["deep", "wide"])
def test_formats_take_any_shape(shape, request, tmp_path):
    tree: Tree = request.getfixturevalue(shape)
    named = tree.with_items(range(NUM_LEAVES))
    assert Tree.from_newick(tree.to_newick(), named.items) == named
    assert Tree.from_json(tree.to_json()) == tree
    assert Tree.from_linkage(tree.to_linkage()).is_refinement_of(tree)
    for name in ("trees.nwk", "trees.nex"):
        write_trees(tmp_path / name, [named, named])
        assert [tree.num_leaves for tree in read_trees(tmp_path / name)] == [NUM_LEAVES] * 2


@pytest.mark.parametrize("shape", ["deep", "wide"])
def test_everything_else_takes_any_shape(shape, request):
    tree: Tree = request.getfixturevalue(shape)
    assert tree.mrca(0, NUM_LEAVES - 1) == tree.root
    half = tree.restrict(np.arange(0, NUM_LEAVES, 2))
    assert half.num_leaves == NUM_LEAVES // 2
    assert tree.is_refinement_of(tree)
    assert tree.canonical() == tree
    timed = Tree(tree.parent, time=tree.depths)
    assert len(set(timed.cut(1000).tolist())) == 1000
    assert len(tree.clades()[tree.root]) == NUM_LEAVES
    assert range(NUM_LEAVES) in tree.clades()
    assert len(tree.draw(max_lines=30).splitlines()) <= 30
    assert triplet_distance(tree, tree) == 0
    assert len(edge_distances(tree, range(100))) == 4950
    assert tree.satisfies([(0, 1, 2)]).tolist() == [shape == "deep"]


def test_distances_between_a_deep_tree_and_its_reverse_are_exact(deep):
    n = NUM_LEAVES
    turned = np.concatenate([deep.parent[:n][::-1], deep.parent[n:]])
    # Of any three leaves, the one that stands apart is the last in one tree and the first in the other.
    assert triplet_distance(deep, Tree(turned)) == 1


def test_build_gives_back_a_wide_tree_of_classes():
    n, num_classes = 100_000, 100
    labels = np.arange(n) % num_classes
    i = np.arange(n - num_classes)
    triplets = np.column_stack([i, i + num_classes, i + 1])
    assert build(triplets, n).same_topology(tree_of_labels(labels))


def test_a_file_of_a_hundred_megabytes_is_read(tmp_path):
    rng = np.random.default_rng(0)
    tree = reference.random_tree(20_000, rng)
    times = np.zeros(tree.num_nodes)
    for v in tree.preorder[1:]:
        times[v] = times[tree.parent[v]] + rng.random()
    text = Tree(tree.parent, time=times, items=[f"item_{v}" for v in range(20_000)]).to_newick() + "\n"
    copies = 100_000_000 // len(text) + 1
    path = tmp_path / "large.nwk"
    with path.open("w") as file:
        for _ in range(copies):
            file.write(text)
    assert path.stat().st_size > 100_000_000
    assert sum(1 for _ in read_trees(path)) == copies
