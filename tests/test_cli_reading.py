"""The commands that read a project, on a small one: mostly within this process, since a process of its own takes seconds."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from commands import run
from treetalk import Tree, read_trees
from treetalk.project import Project, open_project

pytestmark = pytest.mark.large

ITEMS = ["cat", "lynx", "sea lion", "dog", "crow", "dove", "duck", "wasp", "gnat", "flea"]
GROUPS = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A project of ten items in three clear groups, with answers of every kind, one of which contradicts another."""
    path = tmp_path_factory.mktemp("projects") / "zoo.treetalk"
    rng = np.random.default_rng(0)
    X = 50.0 * np.eye(3)[GROUPS] + rng.normal(size=(10, 3))
    about = {
        "source": "zoo.csv",
        "notes": ["2 rows were left out"],
        "columns": [["name", "id", ""], ["legs", "number", ""]],
    }
    with Project.create(path, X, ITEMS, about=about) as project:
        project.answer(None, [("cat", "lynx", "dog"), ("crow", "duck", "dove")], who="anna", comment="by the book")
        project.answer(None, ("lynx", "dog", "cat"), who="bob")
        project.advance(10_000)
        project.accept(project.ask_about(["cat", "crow", "wasp"]), who="bob")
        project.name_cluster(["crow", "dove", "duck"], "birds")
    return path


@pytest.fixture(scope="module")
def sure(made) -> float:
    """The support of the birds."""
    with open_project(made, read_only=True) as project:
        return project.session.clade_support(["crow", "dove", "duck"])


def items_of(record) -> set[str]:
    return set().union(*map(items_of, record["children"])) if "children" in record else {record["name"]}


# --- show


def test_the_tree_is_drawn_with_percents_and_the_names_of_clusters(treetalk, made, sure):
    shown = treetalk("show", made)
    assert shown.code == 0
    assert all(item in shown.printed for item in ITEMS)
    assert f"birds {100 * sure:.0f}─┬─" in shown.printed
    assert "\x1b" not in shown.printed
    assert shown.said == "10 items, with how sure each cluster is in percent.\n"
    assert "birds─┬─" in treetalk("show", made, "--no-support").printed


def test_items_are_shown_with_their_texts(treetalk, tmp_path):
    path = tmp_path / "texts.treetalk"
    texts = ["a small one", "x" * 60, None, "dog"]
    Project.create(path, np.arange(8.0).reshape(4, 2) ** 2, ITEMS[:4], texts=texts).close()
    shown = treetalk("show", path, "--no-support")
    assert shown.said.startswith("Nothing was sampled under the present answers, so take numbers with care")
    printed = shown.printed
    assert "─ cat: a small one\n" in printed
    assert f"─ lynx: {'x' * 39}…\n" in printed
    assert "─ sea lion\n" in printed
    assert "─ dog\n" in f"{printed}\n"
    assert '"text": "a small one"' in treetalk("show", path, "--json").printed


def test_what_is_deeper_than_asked_for_is_collapsed(treetalk, made):
    lines = treetalk("show", made, "--depth", 1).printed.splitlines()
    assert len(lines) == 2
    assert all("▸" in line and ": " in line for line in lines)
    assert "leaves: " in lines[0]
    assert len(treetalk("show", made, "--lines", 4).printed.splitlines()) <= 4


def test_the_smallest_cluster_around_an_item_is_drawn(treetalk, made):
    assert set(treetalk("show", made, "--around", "dove", "--size", 2, "--no-support").printed.split()) >= {
        "crow",
        "dove",
    }
    printed = treetalk("show", made, "--around", "dove", "--size", 3).printed
    assert [item in printed for item in ITEMS] == [group == 1 for group in GROUPS]
    assert treetalk("show", made, "--around", "birds", "--size", 2).printed == printed
    assert treetalk("show", made, "--around", "cat", "--size", 99).printed == treetalk("show", made).printed


def test_a_misspelt_item_is_answered_with_suggestions(treetalk, made):
    shown = treetalk("show", made, "--around", "lynks")
    assert (shown.code, shown.printed, shown.said) == (1, "", "There is no item 'lynks'; did you mean 'lynx'?\n")


def test_a_tree_in_json_has_names_support_and_sizes(treetalk, made, sure):
    shown = treetalk("show", made, "--json")
    assert shown.said == ""
    top = json.loads(shown.printed)
    assert (top["size"], items_of(top)) == (10, set(ITEMS))
    stack, named = [top], {}
    while stack:
        record = stack.pop()
        assert record["size"] == len(items_of(record))
        stack += record.get("children", [])
        named[record.get("name")] = record
    assert items_of(named["birds"]) == {"crow", "dove", "duck"}
    assert named["birds"]["support"] == sure
    cut = json.loads(treetalk("show", made, "--json", "--depth", 1, "--no-support").printed)
    assert [child["size"] for child in cut["children"]] == [child["size"] for child in top["children"]]
    assert all("children" not in child and "support" not in child for child in cut["children"])


def test_other_summaries_have_the_same_items(treetalk, made):
    for kind in ("majority", "credible"):
        assert items_of(json.loads(treetalk("show", made, "--kind", kind, "--json").printed)) == set(ITEMS)
    assert treetalk("show", made, "--kind", "none").code == 2


def test_a_terminal_without_box_drawing_gets_plain_signs(made, sure):
    result = run("show", str(made), PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (result.returncode, result.stderr) == (0, "10 items, with how sure each cluster is in percent.\n")
    assert result.stdout.isascii()
    assert f"birds {100 * sure:.0f}-+-" in result.stdout
    assert "?" not in result.stdout


# --- support


def test_what_follows_from_the_answers_is_certain_and_its_opposite_in_no_hierarchy(treetalk, made):
    assert treetalk("support", made, "cat lynx | dog").printed.splitlines() == [
        "cat and lynx belong together, apart from dog: certain, it follows from your answers.",
        "",
        "The alternatives:",
        "cat and dog belong together, apart from lynx: no hierarchy that satisfies your answers has it.",
        "lynx and dog belong together, apart from cat: no hierarchy that satisfies your answers has it.",
    ]


def test_what_the_answers_leave_open_has_shares_that_add_up(treetalk, made):
    printed = treetalk("support", made, "sea lion, dog | wasp").printed
    with open_project(made, read_only=True) as project:
        of, share = len(project.session.samples), project.session.support(("sea lion", "dog", "wasp"))
    assert printed.startswith("sea lion and dog belong together, apart from wasp: ")
    assert f"sure (in {round(share * of)} of {of} sampled hierarchies)." in printed
    found = json.loads(treetalk("support", made, "sea lion dog | wasp", "--json").printed)
    assert (found["together"], found["apart"], found["support"]) == (["sea lion", "dog"], "wasp", share)
    assert found["count"] + sum(other["count"] for other in found["alternatives"]) == found["of"] == of
    assert (found["certain"], found["possible"]) == (False, True)


def test_a_group_has_a_probability_too(treetalk, made, sure):
    found = json.loads(treetalk("support", made, "--group", "crow, dove, duck", "--json").printed)
    assert (found["support"], found["certain"], found["possible"]) == (sure, False, True)
    printed = treetalk("support", made, "--group", "crow,dove, duck").printed
    assert printed.startswith(f"crow, dove and duck are a cluster of their own: {100 * sure:.0f} % sure (in ")
    printed = treetalk("support", made, "--group", "cat, dog").printed
    assert printed == "cat and dog are a cluster of their own: no hierarchy that satisfies your answers has it.\n"
    printed = treetalk("support", made, "--group", ", ".join(ITEMS)).printed
    assert (
        "cat, lynx, sea lion, dog, crow, dove, duck, wasp, gnat and flea are a cluster of their own: certain" in printed
    )


def test_a_group_that_follows_from_the_answers_is_certain(treetalk, tmp_path):
    path = tmp_path / "four.treetalk"
    with Project.create(path, np.arange(4.0)[:, None], list("abcd")) as project:
        project.answer(None, [("a", "b", "c"), ("a", "b", "d")])
    assert treetalk("support", path, "--group", "b, a").printed == (
        "b and a are a cluster of their own: certain, it follows from your answers.\n"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cat lynks | dog", "There is no item 'lynks'; did you mean 'lynx'?"),
        ("cat lynx | dgo", "There is no item 'dgo'; did you mean 'dog'?"),
        ("cat lynx dog", 'write "a, b | c" for two that belong together, apart from a third one.'),
        ("cat | dog", 'write "a, b | c" for two that belong together, apart from a third one.'),
        ("cat cat | dog", "'cat cat | dog' names an item twice; a triplet has three different items."),
    ],
)
def test_a_triplet_that_is_not_understood_is_one_sentence(treetalk, made, text, sentence):
    done = treetalk("support", made, text)
    assert (done.code, done.printed, done.said.count("\n")) == (1, "", 1)
    assert done.said.endswith(f"{sentence}\n")


def test_a_triplet_or_a_group_is_needed_and_not_both(treetalk, made):
    assert treetalk("support", made).code == 2
    assert treetalk("support", made, "cat lynx | dog", "--group", "cat, lynx").code == 2


# --- answers


def test_answers_are_listed_with_how_they_stand(treetalk, made):
    header, *rows = treetalk("answers", made).printed.splitlines()
    assert header.split() == ["number", "when", "who", "what", "how", "it", "stands"]
    assert [row.split()[0] for row in rows] == ["0", "1", "2", "3"]
    assert "anna  cat, lynx | dog" in rows[0]
    assert rows[0].endswith("by the book")
    assert rows[2].endswith("set aside: contradicts 0")
    assert rows[3].split()[-3:] == ["bob", "accept", "-"]
    assert treetalk("answers", made, "--last", 1).printed.splitlines()[1].split()[0] == "3"


def test_answers_in_json_have_everything(treetalk, made):
    first, _, third, last = json.loads(treetalk("answers", made, "--json").printed)
    assert [first[key] for key in ("id", "kind", "a", "b", "c", "who", "stands")] == [
        0, "triplet", "cat", "lynx", "dog", "anna", "in force",
    ]  # fmt: skip
    assert (third["stands"], third["contradicts"]) == ("set aside", [0])
    assert (last["kind"], last["a"], last["strategy"]) == ("accept", None, "chosen")
    assert set(Tree.from_newick(last["shown"]).items) == {"cat", "crow", "wasp"}


def test_taking_an_answer_back_brings_what_it_contradicts_into_force(treetalk, zoo):
    done = treetalk("answers", zoo, "--retract", 0, "--comment", "a slip", "--who", "dora")
    assert done.printed.splitlines() == ["Taken back: 0 (cat, lynx | dog).", "Back in force: 2 (lynx, dog | cat)."]
    rows = treetalk("answers", zoo).printed.splitlines()[1:]
    assert next(row for row in rows if "taken back" in row).startswith("     0")
    assert "in force" in rows[2]
    assert ["answer 0 taken back" in rows[4], "dora" in rows[4], rows[4].endswith("a slip")] == [True] * 3


def test_either_all_answers_are_taken_back_or_none(treetalk, zoo):
    done = treetalk("answers", zoo, "--retract", 1, "--retract", 99)
    assert (done.code, done.said) == (1, "There is no answer 99; there are 4 answers, numbered from 0.\n")
    assert len(json.loads(treetalk("answers", zoo, "--json").printed)) == 4
    done = treetalk("answers", zoo, "--retract", 1, "--retract", 3, "--json")
    assert json.loads(done.printed) == {"taken_back": [1, 3], "back_in_force": [], "set_aside": []}


def test_answers_in_force_are_exported_as_triplets(treetalk, made, tmp_path):
    out = tmp_path / "answers.csv"
    done = treetalk("answers", made, "--export", out)
    assert (done.printed, done.said) == ("", f"2 answers written to {out}.\n")
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert list(rows[0]) == ["a", "b", "c", "who", "time", "comment"]
    assert [(row["a"], row["b"], row["c"], row["who"]) for row in rows] == [
        ("cat", "lynx", "dog", "anna"),
        ("crow", "duck", "dove", "anna"),
    ]
    rows = list(csv.DictReader(io.StringIO(treetalk("answers", made, "--export", "-", "--all").printed)))
    assert ",".join(rows[0]) == "id,time,who,kind,a,b,c,retracts,strategy,seconds,comment,shown,gesture"
    assert [row["kind"] for row in rows] == ["triplet", "triplet", "triplet", "accept"]


def test_options_that_do_not_go_together_are_refused(treetalk, made):
    for options in (["--all"], ["--comment", "x"], ["--retract", 0, "--export", "-"], ["--last", 2, "--export", "-"]):
        assert treetalk("answers", made, *options).code == 2


def test_a_project_without_answers_says_so(treetalk, tmp_path):
    path = tmp_path / "new.treetalk"
    Project.create(path, np.arange(6.0).reshape(3, 2)).close()
    assert treetalk("answers", path).printed == "No answers yet.\n"
    assert treetalk("answers", path, "--export", "-").printed == "a,b,c,who,time,comment\n"
    assert "none yet" in treetalk("info", path).printed
    assert treetalk("show", path).code == 0


# --- export


@pytest.mark.parametrize("ending", ["nwk", "newick", "tree", "json"])
def test_the_tree_is_exported_as_it_is(treetalk, made, tmp_path, ending):
    out = tmp_path / f"tree.{ending}"
    assert treetalk("export", made, out).said == f"Written to {out}.\n"
    with open_project(made, read_only=True) as project:
        tree = project.tree
    found = Tree.from_json(out.read_text()) if ending == "json" else next(read_trees(out, ITEMS))
    assert found.same_topology(tree)
    if ending == "json":
        assert found == tree


def test_nexus_has_the_sampled_trees_and_one_summary_on_request(treetalk, made, tmp_path):
    out = tmp_path / "trees.nex"
    treetalk("export", made, out)
    with open_project(made, read_only=True) as project:
        samples = project.session.samples
    assert [found.same_topology(tree) for found, tree in zip(read_trees(out, ITEMS), samples, strict=True)] == [
        True
    ] * len(samples)
    treetalk("export", made, out, "--kind", "majority", "--force")
    assert len(list(read_trees(out))) == 1
    lines = treetalk("export", made, "--samples").printed.splitlines()
    assert len(lines) == len(samples)
    assert Tree.from_newick(lines[0], ITEMS).same_topology(samples[0])


def test_linkage_is_scipys_matrix_in_numpys_format_or_as_csv(treetalk, made, tmp_path):
    treetalk("export", made, tmp_path / "tree.npy")
    matrix = np.load(tmp_path / "tree.npy")
    with open_project(made, read_only=True) as project:
        assert Tree.from_linkage(matrix, ITEMS).same_topology(project.tree)
    treetalk("export", made, tmp_path / "tree.csv", "--format", "linkage")
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "tree.csv", delimiter=","), matrix)
    assert treetalk("export", made, "--format", "linkage").printed == (tmp_path / "tree.csv").read_text()


def test_labels_have_a_cluster_for_each_item(treetalk, made, tmp_path):
    done = treetalk("export", made, "--clusters", 3)
    rows = list(csv.DictReader(io.StringIO(done.printed)))
    assert [row["item"] for row in rows] == ITEMS
    assert [int(row["cluster"]) for row in rows] == GROUPS
    done = treetalk("export", made, tmp_path / "labels.csv")
    assert "cut into 2 clusters" in done.said
    assert len({line.split(",")[1] for line in (tmp_path / "labels.csv").read_text().splitlines()[1:]}) == 2
    done = treetalk("export", made, "--clusters", 11)
    assert (done.code, done.printed) == (1, "")
    assert "11 clusters were asked for, it has 10 leaves" in done.said
    done = treetalk("export", made, "--format", "labels", "--kind", "majority")
    assert done.said.endswith(
        "Only a tree with times can be cut into clusters; use --kind central or --kind credible.\n"
    )


def test_an_outline_and_nested_json_are_written(treetalk, made, sure, tmp_path):
    treetalk("export", made, tmp_path / "tree.md")
    assert f"- birds: 3 items, {100 * sure:.0f} % sure\n" in (tmp_path / "tree.md").read_text()
    assert treetalk("export", made, "--format", "outline", "--depth", 1).printed.count("\n") == 3
    assert items_of(json.loads(treetalk("export", made, "--format", "nested-json").printed)) == set(ITEMS)


def test_a_file_is_overwritten_only_on_request_and_the_project_never(treetalk, zoo, tmp_path):
    out = tmp_path / "tree.nwk"
    out.write_text("kept")
    done = treetalk("export", zoo, out)
    assert (done.code, done.said) == (1, f"{out} is there already; --force overwrites it.\n")
    assert out.read_text() == "kept"
    assert treetalk("export", zoo, out, "--force").code == 0
    assert out.read_text().endswith(";\n")
    before = zoo.read_bytes()
    done = treetalk("export", zoo, zoo, "--format", "json", "--force")
    assert done.said == f"{zoo} is the project itself; choose another name.\n"
    assert zoo.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tree.nwk", "zoo.treetalk"]


def test_a_path_that_cannot_be_written_to_is_one_sentence(treetalk, made, tmp_path):
    path = tmp_path / "no" / "tree.nwk"
    assert treetalk("export", made, path).said == f"{path} cannot be written to: No such file or directory.\n"
    done = treetalk("export", made, tmp_path, "--format", "json")
    assert done.said == f"{tmp_path} cannot be written to: Is a directory.\n"


def test_who_wants_a_picture_is_told_what_draws_it(treetalk, made, tmp_path):
    done = treetalk("export", made, tmp_path / "zoo.svg")
    assert done.code == 2
    assert "would be a picture, which `treetalk plot` draws" in " ".join(done.said.replace("│", " ").split())


def test_what_a_format_does_not_have_is_a_usage_error(treetalk, made, tmp_path):
    for options in (
        [tmp_path / "tree.xyz"],
        ["--format", "json", "--clusters", 3],
        ["--format", "json", "--samples"],
        ["--samples", "--kind", "central"],
        ["--format", "json", "--depth", 2],
    ):
        assert treetalk("export", made, *options).code == 2


# --- info and name


def test_info_says_what_is_in_a_project(treetalk, made):
    printed = treetalk("info", made).printed
    lines = dict(line.split(":", 1) for line in printed.splitlines() if not line.startswith("column"))
    assert lines["items"].strip().startswith("10: cat, lynx,")
    assert lines["features"].strip() == "3: 0, 1 and 2"
    assert lines["note"].strip() == "2 rows were left out"
    assert "column:       legs: number" in printed
    assert lines["answers"].strip() == "3 triplet, 1 accept"
    assert lines["said by"].strip() == "2 anna, 2 bob"
    assert lines["in force"].strip() == "2 triplets, 1 triplet set aside"
    assert lines["held by"].strip() == "nobody"
    assert "seed 0" in lines["settings"]
    assert lines["sampling"].strip().startswith("20,000 moves in 2 chains")
    found = json.loads(treetalk("info", made, "--json").printed)
    assert (found["num_items"], found["bytes"]) == (10, made.stat().st_size)
    assert found["sampling"]["diagnosis"] == lines["diagnosis"].strip()


def test_a_cluster_is_named_by_items_that_it_holds(treetalk, zoo):
    done = treetalk("name", zoo, "insects", "wasp", "gnat", "flea")
    assert done.printed in {
        f"insects: 3 items ({three}).\n" for three in ("wasp, gnat and flea", "wasp, flea and gnat")
    }
    assert treetalk("name", zoo, "--list").printed.splitlines() == [
        "birds: 3 items (crow, dove and duck)",
        "insects: 3 items (wasp, gnat and flea)",
    ]
    assert "insects" in treetalk("show", zoo).printed
    assert treetalk("name", zoo, "fowl", "crow", "dove", "duck").printed.endswith("; it was called 'birds' before.\n")
    assert (
        treetalk("name", zoo, "fowl", "--remove").printed == "3 items (crow, dove and duck): no longer called 'fowl'.\n"
    )
    assert json.loads(treetalk("name", zoo, "--list", "--json").printed) == [
        {"name": "insects", "items": ["wasp", "gnat", "flea"]}
    ]
    done = treetalk("name", zoo, "all", "cat", "wasp", "crow")
    assert "that is every item" in done.printed


def test_names_that_are_not_known_or_taken_are_one_sentence(treetalk, zoo):
    assert treetalk("name", zoo, "brds", "--remove").said == "No cluster is called 'brds'; did you mean 'birds'?\n"
    assert treetalk("name", zoo, "cats", "cat", "lnyx").said == "There is no item 'lnyx'; did you mean 'lynx'?\n"
    done = treetalk("name", zoo, "birds", "wasp", "flea", "gnat")
    assert (done.code, "(crow, dove and duck) is called 'birds' already" in done.said) == (1, True)
    assert treetalk("name", zoo, "cats", "cat").code == 2
    assert treetalk("name", zoo).code == 2


# --- beside other processes


def test_a_project_that_another_process_holds_can_be_read_but_not_written_to(treetalk, zoo):
    code = "import sys, treetalk.project as p; held = p.open_project(sys.argv[1]); print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(zoo)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        other.stdout.readline()
        done = treetalk("name", zoo, "x", "cat", "lynx")
        assert (done.code, done.printed, done.said.count("\n")) == (3, "", 1)
        assert str(other.pid) in done.said
        assert treetalk("answers", zoo, "--retract", 0).code == 3
        assert treetalk("show", zoo).code == 0
        assert str(other.pid) in treetalk("info", zoo).printed
        other.communicate("")
