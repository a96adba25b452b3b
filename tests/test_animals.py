from collections import Counter

from treetalk import Tree, num_triplets, triplet_distance
from treetalk.datasets import load_animals


def test_there_are_101_animals_with_distinct_names_and_16_features():
    animals = load_animals()
    assert len(set(animals.items)) == len(animals.items) == 101
    assert {"frog", "venomous-frog"} < set(animals.items)
    assert animals.X.shape == (101, 16)
    assert "type" not in animals.feature_names
    assert Counter(animals.labels) == {
        "mammal": 41, "bird": 20, "reptile": 5, "fish": 13, "amphibian": 4, "insect": 8, "invertebrate": 10
    }  # fmt: skip


def test_legs_is_the_only_feature_that_is_not_binary():
    animals = load_animals()
    assert animals.feature_names[12] == "legs"
    binary = [set(column) <= {0, 1} for column in animals.X.T]
    assert [name for name, is_binary in zip(animals.feature_names, binary, strict=True) if not is_binary] == ["legs"]


def test_the_hierarchy_is_over_the_animals_and_keeps_birds_and_insects_together():
    animals = load_animals()
    assert animals.target.items == animals.items
    for kind in ("mammal", "bird", "insect", "amphibian"):
        members = {v for v, label in enumerate(animals.labels) if label == kind}
        assert members in animals.target.clades()


def test_the_table_is_that_of_the_paper(shared_data):
    import csv

    animals = load_animals()
    with (shared_data / "zoo" / "zoo_all101.csv").open() as file:
        _, *rows = csv.reader(file)
    ours = sorted([f"{value:g}" for value in row] for row in animals.X)
    assert ours == sorted(row[1:-1] for row in rows)


def test_the_open_tree_of_life_only_resolves_more(shared_data):
    animals = load_animals()
    tree_of_life = Tree.from_newick((shared_data / "zoo" / "zoo_tol_pruned86.nwk").read_text())
    ours = animals.target.restrict(tree_of_life.items)
    assert tree_of_life.is_refinement_of(ours)
    assert triplet_distance(ours, tree_of_life) == 0
    assert (num_triplets(tree_of_life), num_triplets(tree_of_life) - num_triplets(ours)) == (102_340, 371)
