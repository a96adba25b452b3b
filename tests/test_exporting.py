"""What can be taken away from a project, in every format that a menu offers."""

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from projects import ITEMS, new_project, talk_about_animals
from treetalk import Tree, levels, read_trees
from treetalk.exporting import (
    ENDINGS,
    FORMATS,
    Format,
    WrongKind,
    check_options,
    exported,
    filename,
    usual_clusters,
    usual_groups,
)
from treetalk.formats.cuts import cut_columns, to_labels_csv
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


def test_labels_of_several_cuts_are_several_columns(project):
    rows = rows_of(exported(project, "labels", clusters=[2, 3, 5], at=[0.5, 0.75]))
    assert list(rows[0]) == ["item", "clusters_2", "clusters_3", "clusters_5", "at_0.5", "at_0.75"]
    for column, labels in (("clusters_3", project.tree.cut(3)), ("at_0.5", project.tree.cut_at(0.5))):
        assert [int(row[column]) for row in rows] == labels.tolist()
    assert [row["cluster"] for row in rows_of(exported(project, "labels", at=0.5))] == [row["at_0.5"] for row in rows]


def test_cuts_at_times_that_hardly_differ_are_columns_of_their_own(project):
    columns = cut_columns(project.tree, [], [0.5, 0.50000001, 1])
    assert list(columns) == ["at_0.5", "at_0.50000001", "at_1"]


@pytest.mark.parametrize(
    ("clusters", "at", "cut"), [([2, 3, 2], [], "into 2 clusters"), ([], [0.5, 0.5], "at 0.5"), ([2, 2], [], "into 2")]
)
def test_a_cut_that_is_wanted_twice_is_refused(project, clusters, at, cut):
    with pytest.raises(ValueError, match=f"a cut {cut}.* is wanted twice"):
        to_labels_csv(project.tree, clusters, at)


def test_levels_have_a_column_each_and_no_group_too_small(project):
    rows = rows_of(exported(project, "levels", groups=[2, 3], min_size=2))
    assert [row["item"] for row in rows] == ITEMS
    assert list(rows[0]) == ["item", "level_1", "level_2"]
    for column in ("level_1", "level_2"):
        assert min(Counter(row[column] for row in rows).values()) >= 2
    assert len({(row["level_1"], row["level_2"]) for row in rows}) == len({row["level_2"] for row in rows})
    assert list(rows_of(exported(project, "levels"))[0]) == ["item", "level_1", "level_2"]
    assert [usual_groups(count) for count in (1, 2, 8, 400)] == [(1,), (2,), (2, 3), (4, 11, 36)]


def test_any_format_of_a_tree_can_have_a_few_levels(project):
    wanted = {"groups": [2, 4], "min_size": 2}
    shaped = levels(project, [2, 4], min_size=2).tree
    assert Tree.from_newick(exported(project, "newick", **wanted), ITEMS).same_topology(shaped)
    assert Tree.from_json(exported(project, "json", **wanted)) == shaped
    assert exported(project, "outline", **wanted) == shaped.to_outline()
    assert exported(project, "nexus", **wanted).count("tree tree_") == 1
    edges = rows_of(exported(project, "edges", **wanted))
    assert len(edges) == shaped.num_nodes - 1
    assert exported(project, "skos", **wanted).count("a skos:Concept ;") == shaped.num_nodes - 1
    assert exported(project, "graphml", kind="majority", **wanted).count("<node ") >= len(ITEMS)


def test_what_levels_cannot_have_is_told(project):
    told = []
    exported(project, "levels", groups=[7], min_size=6, say=told.append)
    assert told == [
        "Level 1 has 1 group, where about 7 were wanted; with no group under 6 items, the tree has at most 1."
    ]


def test_a_thesaurus_is_called_as_its_root_or_as_the_project(project):
    assert 'skos:prefLabel "animals"@en ;' in exported(project, "skos", language="en")
    assert "<https://zoo.org/item/cat>" in exported(project, "skos", base="https://zoo.org")


def test_what_stands_at_clusters_is_chosen(project):
    assert "animals" in exported(project, "newick")
    assert "animals" not in exported(project, "newick", node_labels="support")
    assert "support=" not in exported(project, "nexus", kind="central", node_labels="names")


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


def test_a_linkage_of_a_tree_that_joins_several_at_once_has_several_merges_at_equal_height(tmp_path):
    # Alike items of which nothing is known: hardly any cluster is in more than half of the draws.
    with Project.create(tmp_path / "alike.treetalk", np.zeros((9, 2)), seed=1) as alike:
        alike.advance(2_000)
        tree = alike.consensus("majority")
        assert not tree.is_binary
        matrix = np.loadtxt(io.StringIO(exported(alike, "linkage", kind="majority")), delimiter=",")
        np.testing.assert_array_equal(matrix, tree.to_linkage())
        assert len(set(matrix[:, 2])) < len(matrix) == 8


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
            "kind is for newick, nexus, linkage, json, nested-json, labels, levels, outline, skos, edges and graphml; "
            "the format is answers",
        ),
        ("newick", {"at": 0.5}, "at is for labels; the format is newick"),
        ("labels", {"at": 2}, "at is a time from 0 to 1, not 2"),
        ("labels", {"at": [0.5, -0.25]}, "at is a time from 0 to 1, not -0.25"),
        (
            "labels",
            {"groups": [2, 4]},
            "groups is for newick, nexus, json, nested-json, levels, outline, skos, edges and graphml; "
            "the format is labels",
        ),
        (
            "outline",
            {"min_size": 2},
            "min_size is the fewest items of a group, and goes with groups, which were not given",
        ),
        ("json", {"node_labels": "names"}, "node_labels is for newick and nexus; the format is json"),
        ("newick", {"node_labels": "all"}, "node_labels is one of both, support, names, not 'all'"),
        ("outline", {"base": "https://example.org/"}, "base is for skos; the format is outline"),
        ("outline", {"language": "en"}, "language is for skos; the format is outline"),
        (
            "newick",
            {"samples": True, "groups": 3},
            "samples are all sampled hierarchies, and groups are made of one summary of them; give one of both",
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


# --- the command


def test_the_name_of_the_file_and_the_options_choose_the_format(project, treetalk, tmp_path):
    for name, options, chosen, same in (
        ("zoo.ttl", [], "skos", {}),
        ("zoo.graphml", [], "graphml", {}),
        ("levels.csv", ["--groups", "2,3", "--min-size", 2], "levels", {"groups": [2, 3], "min_size": 2}),
        ("labels.csv", ["--clusters", "2,4"], "labels", {"clusters": [2, 4]}),
        ("cut.csv", ["--at", "0.5"], "labels", {"at": 0.5}),
        ("few.md", ["--groups", "2,3"], "outline", {"groups": [2, 3]}),
        ("plain.nwk", ["--node-labels", "support"], "newick", {"node_labels": "support"}),
        ("base.ttl", ["--base", "https://zoo.org/", "--language", "en"], "skos",
         {"base": "https://zoo.org/", "language": "en"}),
    ):  # fmt: skip
        done = treetalk("export", project.path, tmp_path / name, *options)
        assert (done.code, done.said) == (0, f"Written to {tmp_path / name}.\n")
        assert (tmp_path / name).read_text() == exported(project, chosen, **same)
    assert treetalk("export", project.path, "--format", "edges").printed == exported(project, "edges")
    assert treetalk("export", project.path, "--groups", 3).printed == exported(project, "levels", groups=3)


def test_the_command_says_what_it_chose_and_what_cannot_be_had(project, treetalk):
    done = treetalk("export", project.path, "--format", "levels")
    assert done.said == "The levels have about 2 and 3 groups; --groups asks for other numbers.\n"
    done = treetalk("export", project.path, "--groups", 7, "--min-size", 6)
    assert done.said.startswith("Level 1 has 1 group, where about 7 were wanted")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--clusters", "4,x"], "--clusters takes whole numbers, 1 or more, with commas between them; 'x' is none"),
        (["--groups", "0"], "--groups takes whole numbers, 1 or more, with commas between them; '0' is none"),
        (["--groups", "12,4"], "--groups takes numbers that grow, from coarse to fine, not 12,4"),
        (["--at", "early"], "--at takes numbers with commas between them; 'early' is none"),
        (["--at", "2"], "--at is a time from 0 to 1, not 2"),
        (["--at=-1"], "--at is a time from 0 to 1, not -1"),
        (["--format", "labels", "--clusters", "2,3,2"], "--clusters has 2 twice"),
        (["--at", "nan"], "--at takes numbers with commas between them; 'nan' is none"),
        (["--format", "json", "--min-size", "2"], "--min-size is the fewest items of a group, and goes with groups"),
        (["--format", "json", "--node-labels", "names"], "--node-labels is for newick and nexus; the format is json"),
    ],
)
def test_options_that_make_no_sense_are_a_usage_error(project, treetalk, options, sentence):
    done = treetalk("export", project.path, *options)
    assert (done.code, done.printed) == (2, "")
    said = " ".join(done.said.replace("│", " ").split())
    assert sentence in said
