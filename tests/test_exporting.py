"""What can be taken away from a project, in every format that a menu offers."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from projects import ITEMS, new_project, talk_about_animals
from treetalk import Tree, read_trees
from treetalk.exporting import ENDINGS, FORMATS, Format, WrongKind, check_options, exported, filename, usual_clusters
from treetalk.importing.triplet_file import read_triplet_file
from treetalk.project import Project, open_project

pytestmark = pytest.mark.large


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    path = tmp_path_factory.mktemp("projects") / "animals.treetalk"
    with new_project(path, seed=3) as made:
        talk_about_animals(made)
        made.name_cluster(ITEMS, "animals")
    with open_project(path, read_only=True) as opened:
        yield opened


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("chosen", list(Format))
def test_every_format_has_a_sentence_a_media_type_and_a_name_for_its_file(project, chosen):
    described = FORMATS[chosen]
    assert re.fullmatch(r"[A-Z][\w ]+: [a-zA-Z].*[^.]", described.words)
    assert re.fullmatch(r"(text|application)/[a-z]+", described.media_type)
    assert filename(project, chosen) == f"animals{described.ending}"
    assert exported(project, chosen)


def test_names_of_files_differ_and_have_endings_that_programs_know():
    endings = [described.ending for described in FORMATS.values()]
    assert len(set(endings)) == len(endings)
    assert {Path(f"x{ending}").suffix for ending in endings} <= set(ENDINGS)


def test_the_hierarchy_comes_back_from_what_was_written(project):
    tree = project.tree
    assert Tree.from_newick(exported(project, "newick"), ITEMS).same_topology(tree)
    assert Tree.from_json(exported(project, Format.json)) == tree
    assert Tree.from_json(exported(project, "nested-json")).same_topology(tree)
    assert exported(project, "newick", kind="central") == exported(project, "newick")
    matrix = np.loadtxt(io.StringIO(exported(project, "linkage")), delimiter=",")
    assert Tree.from_linkage(matrix, ITEMS).same_topology(tree)
    np.testing.assert_array_equal(np.load(io.BytesIO(exported(project, "linkage", as_array=True))), matrix)


def test_names_of_clusters_are_in_every_summary(project):
    for kind in ("central", "majority", "credible"):
        tree = Tree.from_json(exported(project, "json", kind=kind))
        assert tree.names[tree.root] == "animals"
    assert Tree.from_json(exported(project, "json", kind="majority")) == project.consensus("majority")


def test_samples_are_all_sampled_hierarchies(project, tmp_path):
    for chosen, options in (("newick", {"samples": True}), ("nexus", {"samples": True}), ("nexus", {})):
        path = tmp_path / filename(project, chosen)
        path.write_text(exported(project, chosen, **options))
        pairs = zip(read_trees(path, ITEMS), project.samples, strict=True)
        assert all(found.same_topology(tree) for found, tree in pairs)


def test_nexus_has_one_summary_on_request(project, tmp_path):
    path = tmp_path / "one.nex"
    path.write_text(exported(project, "nexus", kind="majority"))
    assert [tree.same_topology(project.consensus("majority")) for tree in read_trees(path, ITEMS)] == [True]


def test_labels_are_of_as_many_clusters_as_wanted_or_as_usual(project):
    rows = rows_of(exported(project, "labels", clusters=5))
    assert [row["item"] for row in rows] == ITEMS
    assert len({row["cluster"] for row in rows}) == 5
    assert len({row["cluster"] for row in rows_of(exported(project, "labels"))}) == usual_clusters(8) == 2
    assert [usual_clusters(count) for count in (1, 2, 3, 50, 101)] == [1, 1, 1, 5, 7]
    with pytest.raises(ValueError, match="9 clusters were asked for, it has 8 leaves"):
        exported(project, "labels", clusters=9)


def test_an_outline_is_as_deep_as_wanted(project):
    assert exported(project, "outline", depth=1).count("\n") == 3
    assert exported(project, "outline").count("\n") == project.tree.num_nodes


def test_triplets_are_the_answers_in_force_and_can_be_read_again(project, tmp_path):
    path = tmp_path / "triplets.csv"
    path.write_text(exported(project, "triplets"))
    assert [row["who"] for row in rows_of(path.read_text())] == ["Ada", "Ada", "Ben", "Ada"]
    found = [each.triplet for each in read_triplet_file(path, project.items)]
    assert found == [answer.triplet for answer in project.in_force]


def test_answers_are_everything_that_was_ever_said(project):
    rows = rows_of(exported(project, "answers"))
    assert [int(row["id"]) for row in rows] == list(range(len(project.records)))
    assert [row["kind"] for row in rows] == [record.answer.kind for record in project.records]
    assert rows[0]["comment"] == "by family"
    assert [row["retracts"] for row in rows if row["kind"] == "retract"] == ["5"]


def test_a_summary_that_a_format_cannot_hold_is_a_sentence_with_those_that_it_can(project):
    with pytest.raises(WrongKind) as refused:
        exported(project, "labels", kind="majority")
    assert str(refused.value) == "only a tree with times can be cut into clusters; use the kind 'central' or 'credible'"
    assert refused.value.kinds == ("central", "credible")


def test_a_linkage_of_a_tree_that_joins_several_at_once_is_refused(tmp_path):
    # Alike items of which nothing is known: hardly any cluster is in more than half of the draws.
    with Project.create(tmp_path / "alike.treetalk", np.zeros((9, 2)), seed=1) as alike:
        alike.advance(2_000)
        assert not alike.consensus("majority").is_binary
        with pytest.raises(
            WrongKind, match=r"a linkage matrix joins two clusters at a time, .*; use the kind 'central'"
        ):
            exported(alike, "linkage", kind="majority")


@pytest.mark.parametrize(
    ("chosen", "options", "sentence"),
    [
        ("json", {"clusters": 3}, "clusters is for labels; the format is json"),
        ("json", {"samples": True}, "samples is for newick and nexus; the format is json"),
        ("json", {"depth": 2}, "depth is for outline; the format is json"),
        ("json", {"as_array": True}, "as_array is for linkage; the format is json"),
        (
            "answers",
            {"kind": "central"},
            "kind is for newick, nexus, linkage, json, nested-json, labels and outline; the format is answers",
        ),
        ("newick", {"kind": "mean"}, "kind is one of central, majority, credible, not 'mean'"),
        (
            "newick",
            {"samples": True, "kind": "central"},
            "samples are all sampled hierarchies, and a kind is one summary of them; give one of both",
        ),
    ],
)
def test_options_that_do_not_go_with_a_format_are_refused(project, chosen, options, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        check_options(Format(chosen), **options)
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        exported(project, chosen, **options)


def test_a_format_that_is_not_there_is_a_sentence(project):
    with pytest.raises(ValueError, match="there is no format 'xml'; there are newick, nexus, linkage, json, "):
        exported(project, "xml")
    with pytest.raises(ValueError, match="there is no format 'xml'"):
        filename(project, "xml")


def test_nothing_but_text_and_whole_files_is_written(project):
    for chosen in Format:
        text = exported(project, chosen)
        assert isinstance(text, str)
        assert text.endswith("\n")
    json.loads(exported(project, "json"))
