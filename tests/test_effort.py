"""How many answers a hierarchy costs: the counting on curves that are known, and the command that a person types."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from treetalk import Tree, tree_of_labels, triplet_distance
from treetalk.datasets import zoo
from treetalk.datasets.effort_data import EFFORT_DATA, load_effort_data
from treetalk.errors import DataNotFound
from treetalk.experiments.effort import names_of
from treetalk.experiments.effort_measures import compare, measure, num_classes
from treetalk.experiments.effort_plan import WAYS, hold, plan
from treetalk.experiments.effort_report import as_json, effort_table, markdown, verdicts
from treetalk.experiments.effort_results import gather
from treetalk.experiments.results import Curve
from treetalk.experiments.runs import Record

COMMAND = Path(sys.executable).parent / "treetalk"
SMALL = ("--runs", "2", "--queries", "4")


def effort(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, "effort", *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The folder of a small run on Iris, and what the command said."""
    out = tmp_path_factory.mktemp("small")
    result = effort("iris", "--out", out, *SMALL, "--jobs", 2)
    assert result.returncode == 0, result.stderr
    return out, result


# --- the data


def test_the_animals_that_are_misplaced_are_left_out_and_the_target_is_that_of_the_others():
    whole, part = load_effort_data("zoo"), load_effort_data("zoo-86")
    assert len(part.X) == part.target.num_leaves == len(whole.X) - len(zoo.MISPLACED) == 86
    assert set(part.items) == set(whole.items) - set(zoo.MISPLACED)
    assert triplet_distance(part.target, whole.target.restrict(part.items)) == 0
    rows = [whole.items.index(name) for name in part.items]
    np.testing.assert_array_equal(part.X, whole.X[rows])
    assert part.target.items == part.items


def test_trees_that_are_drawn_are_others_for_each_seed_and_the_same_for_the_same():
    first, again, other = (load_effort_data("diffusion-150", seed=seed) for seed in (0, 0, 1))
    assert first.X.shape == (150, 5)
    assert first.target.is_binary
    assert first.target == again.target != other.target
    np.testing.assert_array_equal(first.X, again.X)


@pytest.mark.parametrize(("name", "shape", "num_classes"), [("wine", (178, 13), 3), ("breast-cancer", (150, 30), 2)])
def test_data_with_columns_in_units_of_their_own_come_with_their_classes(name, shape, num_classes):
    data, again = load_effort_data(name), load_effort_data(name, seed=1)
    assert data.X.shape == shape
    assert len(data.target.children(data.target.root)) == num_classes
    assert data.target.num_leaves == len(data.X)
    assert np.array_equal(data.X, again.X)


def test_data_that_are_not_known_are_one_sentence_with_those_that_are(tmp_path):
    with pytest.raises(ValueError, match="there is no data set called 'irises'; there are iris, zoo-86, zoo, mnist"):
        load_effort_data("irises")
    with pytest.raises(DataNotFound, match=re.escape(str(tmp_path / "zoo" / "zoo93.csv"))):
        load_effort_data("zoo-86", tmp_path)


# --- the plan


def test_every_data_set_is_asked_about_in_every_way_and_drawn_ones_anew_for_each_run():
    runs = plan(["iris", "diffusion-1000"], WAYS, num_runs=3, num_queries=None, seed=5)
    assert len(set(runs)) == len(runs) == 2 * 4 * 3
    assert {(run.way, run.setting, run.strategy) for run in runs} == {
        ("paper", "paper", "interleaved"),
        ("treetalk", "treetalk", "default"),
        ("gestures", "treetalk", "default"),
        ("pieces", "treetalk", "default"),
    }
    assert {run.data for run in runs} == {"iris", "diffusion-1000-5", "diffusion-1000-6", "diffusion-1000-7"}
    assert {run.num_queries for run in runs if run.way != "pieces"} == {100}
    assert {run.num_queries for run in runs if run.way == "pieces"} == {50}
    assert {run.num_queries for run in plan(["zoo"], WAYS, num_runs=1, num_queries=7, seed=0)} == {7}
    assert [run.benchmark for run in runs] == ["iris"] * 12 + ["diffusion-1000"] * 12


def test_all_is_all():
    assert names_of(["all"]) == list(EFFORT_DATA)
    assert names_of(["zoo", "iris", "zoo"]) == ["iris", "zoo"]


# --- what is counted


def a_curve(*distances: list[float]) -> Curve:
    return Curve(np.array(distances), np.zeros((len(distances), len(distances[0]))))


def test_a_run_is_down_to_a_distance_when_it_is_there_for_the_first_time():
    found = measure(a_curve([0.5, 0.1, 0.3, 0.05, 0.0], [0.5, 0.4, 0.08, 0.03, 0.02]))
    assert [each.counts for each in found.reached] == [(1, 2), (3, 3), (4, None)]
    assert [each.in_words() for each in found.reached] == [("1.5", "± 0.7"), ("3.0", "± 0.0"), ("> 4", "(1 of 2)")]
    assert found.mean_curve_reached == 3


def test_a_single_run_has_no_spread():
    assert [each.in_words() for each in measure(a_curve([0.3, 0.07, 0.05])).reached] == [
        ("1.0", ""),
        ("2.0", ""),
        ("> 2", "(0 of 1)"),
    ]


def test_the_first_hundred_are_those_after_an_answer():
    curve = a_curve([9.0, *[0.2] * 100, *[0.0] * 50], [9.0, *[0.4] * 100, *[0.1] * 50])
    found = measure(curve)
    assert found.first == pytest.approx((0.3, np.std([0.2, 0.4], ddof=1), 2))
    assert found.final == pytest.approx((0.05, np.std([0.0, 0.1], ddof=1), 2))
    assert measure(a_curve([9.0, 0.2, 0.4])).first.mean == pytest.approx(0.3)


def test_a_target_is_classes_or_a_deeper_hierarchy():
    assert num_classes(tree_of_labels([0, 0, 1, 1, 1, 2])) == 3
    assert num_classes(Tree.from_newick("((a,b),(c,(d,e)));")) is None


def noisy(seed: int, shift: float = 0.0, num_runs: int = 8) -> np.ndarray:
    rng = np.random.default_rng(seed)
    curves = 0.3 + 0.03 * rng.standard_normal((num_runs, 40)).cumsum(axis=1) / np.sqrt(np.arange(1, 41))
    curves[:, 10:20] += shift
    return curves


def test_what_is_worse_by_far_is_found_where_it_is_and_what_is_better_is_not_worse():
    found = compare(noisy(0, 0.5), noisy(1))
    assert set(range(10, 20)) == set(found.worse_at)
    assert found.largest == pytest.approx((noisy(0, 0.5) - noisy(1)).mean(axis=0).max())
    assert found.at in range(10, 20)
    assert not compare(noisy(0, -0.5), noisy(1)).worse_at


def test_being_far_better_elsewhere_does_not_hide_where_it_is_worse():
    ours = noisy(0, 0.06)
    ours[:, 25:] -= 0.2 * np.arange(8)[:, None]
    assert set(compare(ours, noisy(1)).worse_at) & set(range(10, 20))


def test_noise_alone_is_seldom_worse_anywhere():
    found = sum(bool(compare(noisy(2 * seed), noisy(2 * seed + 1)).worse_at) for seed in range(100))
    assert found <= 12  # of a hundred comparisons, each of which errs in five of a hundred


def test_runs_that_all_agree_are_no_reason_to_call_the_least_difference_worse():
    flat = np.full((8, 5), 0.3)
    assert not compare(flat + 1e-4, flat).worse_at
    assert compare(flat + 0.1, flat).worse_at == (0, 1, 2, 3, 4)


def test_many_runs_are_compared_too_and_few_cannot_tell():
    assert compare(noisy(0, 0.5, 14), noisy(1, num_runs=14)).worse_at == tuple(range(10, 20))
    few = compare(noisy(0, 0.5, 4), noisy(1, num_runs=4))
    assert not few.can_tell
    assert not few.worse_at


# --- what is written


@pytest.fixture
def made_up():
    """Eight runs of each way on Iris, on known curves: treetalk is near after 20, the paper's way never."""
    fall = {"paper": 0.002, "treetalk": 0.02, "gestures": 0.04, "pieces": 0.05}
    records = []
    for run in plan(["iris"], WAYS, num_runs=8, num_queries=50, seed=0):
        distance = np.maximum(0.45 - fall[run.way] * np.arange(51), 0.0) + 0.001 * run.seed
        if run.way == "treetalk":
            distance[3:5] += 0.3
        records.append((run, Record(distance, distance, distance, ("triplet",) * 50, ((0, 1, 2),) * 50, "(a,b);")))
    return gather({"iris": load_effort_data("iris")}, records, 0, {"mnist": "there is no network"})


def test_the_table_has_what_was_counted(made_up):
    table = effort_table(made_up)
    assert table.header[:5] == ("data", "way", "n", "K", "n − K")
    rows = {row[1][0]: [" ".join(filter(None, cell)) for cell in row] for row in table.rows}
    assert list(rows) == list(WAYS)
    assert rows["paper"][2:9] == ["150", "3", "147", *["> 50 (0 of 8)"] * 3, "> 50"]
    assert rows["treetalk"][5:9] == ["18.0 ± 0.0", "20.9 ± 0.4", "> 50 (1 of 8)", "21"]
    assert rows["treetalk"][-1] == "0.004 ± 0.002"


def test_a_sentence_says_where_treetalk_is_worse(made_up):
    (said,) = verdicts(made_up)
    assert said == "Iris: treetalk is worse than paper beyond noise after 3 to 4 queries, by 0.246 at most, after 3."


def test_the_report_has_the_table_the_sentences_and_what_was_left_out(made_up):
    report = markdown(made_up, "effort.svg")
    assert "![Mean distance against the number of answers](effort.svg)" in report
    assert "| Iris | treetalk | 150 | 3 | 147 | 18.0 ± 0.0 |" in report
    assert verdicts(made_up)[0] in report
    assert "Mnist was left out: there is no network." in report
    assert "effort.svg" not in markdown(made_up, None)


def test_the_numbers_are_json_and_the_same_as_in_the_table(made_up):
    found = json.loads(json.dumps(as_json(made_up), allow_nan=False))
    (iris,) = found["data"]
    assert (iris["num_items"], iris["num_classes"], iris["enough_for_build"], iris["num_queries"]) == (150, 3, 147, 50)
    assert iris["ways"]["treetalk"]["reached"][0] == {
        "distance": 0.1,
        "counts": [18] * 8,
        "num_reached": 8,
        "mean": 18.0,
        "sd": 0.0,
    }
    assert len(iris["ways"]["paper"]["distances"]) == 51
    assert iris["worse_than_paper"]["worse_at"] == [3, 4]
    assert [row[1] for row in found["rows"]] == list(WAYS)
    assert len(found["columns"]) == len(found["rows"][0])


def test_users_who_err_have_runs_of_their_own_and_the_report_says_how_often():
    (right,), (wrong,) = (
        plan(["iris"], ["treetalk"], num_runs=1, num_queries=3, seed=0, mistakes=share) for share in (0.0, 1.0)
    )
    assert right != wrong
    iris = load_effort_data("iris")
    record = hold(wrong, iris)
    assert record.triplets
    assert not iris.target.satisfies(record.triplets).any()
    found = gather({"iris": iris}, [(wrong, record)], 0, {}, 1.0)
    assert "Of the triplets named, 100 % are wrong ones." in markdown(found, None)
    assert "are wrong ones" not in markdown(gather({"iris": iris}, [(right, record)], 0, {}), None)
    assert as_json(found)["mistakes"] == 1.0


def test_one_run_has_no_spread_in_json_either():
    (run,) = plan(["iris"], ["paper"], num_runs=1, num_queries=2, seed=0)
    curve = np.array([0.3, 0.2, 0.1])
    record = Record(curve, curve, curve, ("triplet",) * 2, (), "(a,b);")
    found = as_json(gather({"iris": load_effort_data("iris")}, [(run, record)], 0, {}))
    assert found["data"][0]["ways"]["paper"]["first"] == {"mean": pytest.approx(0.15), "sd": None}
    assert found["data"][0]["worse_than_paper"] is None
    assert found["verdicts"] == []


def test_the_figure_has_a_panel_for_each_data_set_and_text_that_can_be_read(made_up):
    pytest.importorskip("matplotlib")
    from treetalk.experiments.effort_figure import effort_figure

    svg = effort_figure(made_up)
    assert svg.startswith("<svg")
    for text in (
        "Iris",
        "paper",
        "treetalk",
        "treetalk, gestures",
        "treetalk, whole pieces",
        "distance 0.05",
        "answers",
    ):
        assert f">{text}</text>" in svg


def test_without_matplotlib_a_sentence_says_what_to_install(tmp_path, made_up, monkeypatch):
    from treetalk.experiments import effort as module

    said: list[str] = []
    monkeypatch.setattr(module.drawing, "can_draw", lambda: False)
    module._write(made_up, tmp_path, said.append)
    assert said == ['No figures were drawn, because matplotlib is not there: pip install "treetalk[plot]"']
    assert {path.name for path in tmp_path.iterdir()} == {"effort.json", "report.md"}


def test_the_documentation_shows_what_was_counted_and_does_without(made_up, tmp_path, monkeypatch):
    from pages import measured

    monkeypatch.setattr(measured, "COUNTED", tmp_path / "effort.json")
    assert "No counts are kept in this checkout" in measured.effort()
    measured.COUNTED.write_text(json.dumps(as_json(made_up)), encoding="utf-8")
    page = measured.effort()
    assert "| Iris | treetalk | 150 | 3 | 147 | 18.0 ± 0.0 |" in page
    assert verdicts(made_up)[0] in page
    assert "effort.svg" not in page
    (tmp_path / "effort.svg").write_text("<svg/>")
    assert "](../measured/effort.svg)" in measured.effort()
    assert "are wrong" not in measured.effort()
    err = dataclasses.replace(made_up, mistakes=0.05)
    (tmp_path / "mistakes.json").write_text(json.dumps(as_json(err)), encoding="utf-8")
    assert "Of the triplets said, 5 % are wrong." in measured.effort("mistakes")


# --- the command


@pytest.mark.large
def test_the_command_prints_a_table_a_verdict_and_where_the_report_is(small):
    out, result = small
    assert re.search(r"Iris\s+paper\s+147\s+> 4", result.stdout)
    assert re.search(r"Iris\s+gestures\s+147", result.stdout)
    assert (
        "Iris: 2 runs of each cannot tell whether treetalk is worse than paper anywhere; 5 are needed." in result.stdout
    )
    assert str(out / "report.md") in result.stdout.replace("\n", "")
    assert result.stderr.splitlines() == ["8 runs to make, about 1 minute.", "Iris is done."]


@pytest.mark.large
def test_the_command_writes_all_numbers(small):
    out, _ = small
    found = json.loads((out / "effort.json").read_text(encoding="utf-8"))
    kept = [json.loads(path.read_text()) for path in (out / "runs").glob("*.json")]
    for way, counted in found["data"][0]["ways"].items():
        runs = [run["triplet_distance"] for run in kept if run["key"]["way"] == way]
        assert counted["distances"] == pytest.approx(np.mean(runs, axis=0).tolist(), abs=1e-6)
    assert found["data"][0]["ways"]["gestures"]["num_triplets"] > 4 >= found["data"][0]["ways"]["paper"]["num_triplets"]
    assert (out / "report.md").read_text(encoding="utf-8").startswith("# How many answers a hierarchy costs")


@pytest.mark.large
def test_a_second_start_makes_only_what_is_missing(small):
    out, _ = small
    first, *others = sorted((out / "runs").iterdir())
    kept, text = {path: path.stat().st_mtime_ns for path in others}, first.read_text()
    first.unlink()
    result = effort("iris", "--out", out, *SMALL, "--jobs", 1)
    assert (result.returncode, result.stderr.splitlines()[0]) == (
        0,
        "1 run to make, about 1 minute; 7 of 8 are there from before.",
    )
    assert {path: path.stat().st_mtime_ns for path in others} == kept
    assert first.read_text() == text  # the same seed, the same run


@pytest.mark.large
def test_ctrl_c_keeps_what_is_done(tmp_path):
    arguments = ["iris", "--out", tmp_path, "--runs", 500, "--queries", 4, "--settings", "paper"]
    process = subprocess.Popen(
        [COMMAND, "effort", *map(str, arguments)], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while len(list((tmp_path / "runs").glob("*.json"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    kept = len(list((tmp_path / "runs").glob("*.json")))
    assert f"Interrupted: {kept} of 500 runs are kept" in said


@pytest.mark.large
def test_data_that_cannot_be_had_are_left_out_and_the_others_run(tmp_path):
    one = ("--runs", "1", "--queries", "2", "--settings", "paper", "--jobs", "1")
    result = effort("mnist", "diffusion-150", "--out", tmp_path / "out", "--data-dir", tmp_path, *one)
    assert result.returncode == 0, result.stderr
    assert f"mnist is left out: {tmp_path / 'mnist' / 'mnist_2000.npz'}" in result.stderr
    assert "Mnist was left out" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert re.search(r"Diffusion,\s+150", (tmp_path / "out" / "report.md").read_text(encoding="utf-8"))


def test_without_any_data_nothing_is_run(tmp_path):
    result = effort("mnist", "--out", tmp_path / "out", "--data-dir", tmp_path)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == "No data set could be had, so nothing was run."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["irises"], "there is no data set called 'irises'; there are iris, zoo-86, zoo, mnist, newsgroups, digits,"),
        (["--settings", "paper,authors"], "there is no setting called 'authors'; there are paper, treetalk"),
    ],
)
def test_a_name_that_is_not_known_is_one_sentence_with_those_that_are(arguments, sentence, tmp_path):
    result = effort(*arguments, "--out", tmp_path)
    assert result.returncode == 2
    assert sentence in " ".join(re.sub(r"[│╭╰─╮╯]", "", result.stderr).split())


def test_a_folder_that_cannot_be_written_to_is_found_before_anything_is_run(tmp_path):
    (tmp_path / "file").write_text("")
    result = effort("iris", "--out", tmp_path / "file" / "out")
    assert result.returncode == 1
    assert result.stderr == f"{tmp_path / 'file' / 'out'} cannot be written to: Not a directory.\n"
