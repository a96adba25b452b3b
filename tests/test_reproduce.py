"""The paper's experiments, made small, through the command that a person types."""

import csv
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

from treetalk.errors import FormatError
from treetalk.experiments import plan as plans
from treetalk.experiments.comparisons import contributions, likelihood_gains, likenesses
from treetalk.experiments.findings import findings, summary
from treetalk.experiments.plan import SETTINGS, STRATEGIES, Run, plan
from treetalk.experiments.published import BAND_MEAN, published_curves
from treetalk.experiments.report import report
from treetalk.experiments.results import gather
from treetalk.experiments.runs import Record

COMMAND = Path(sys.executable).parent / "treetalk"
SMALL = ("--runs", "2", "--queries", "6", "--settings", "paper", "--strategies", "random,none")


def reproduce(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, "reproduce", *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The folder of a small run on Iris, and what the command said."""
    out = tmp_path_factory.mktemp("small")
    result = reproduce("iris", "--out", out, *SMALL, "--jobs", 2)
    assert result.returncode == 0, result.stderr
    return out, result


@pytest.mark.large
def test_the_command_prints_a_table_and_where_the_report_is(small):
    out, result = small
    assert re.search(r"Iris\s+paper\s+0\.\d+", result.stdout)
    assert str(out / "report.html") in result.stdout.replace("\n", "")
    assert result.stderr.splitlines() == ["4 runs to make, about 1 minute.", "Iris is done."]


@pytest.mark.large
def test_the_table_of_curves_has_a_row_for_each_number_of_queries(small):
    rows = list(csv.DictReader((small[0] / "curves.csv").read_text().splitlines()))
    linkage, *curves = rows
    assert (linkage["strategy"], linkage["triplet_distance"]) == ("average linkage", "0.101505")
    assert [(row["strategy"], int(row["num_queries"])) for row in curves] == [
        (strategy, number) for strategy in ("random", "none") for number in range(7)
    ]
    assert {row["num_runs"] for row in curves} == {"2"}
    record = [json.loads(path.read_text()) for path in (small[0] / "runs").glob("*-none-*.json")]
    assert float(curves[-1]["triplet_distance"]) == pytest.approx(
        np.mean([run["triplet_distance"][-1] for run in record]), abs=1e-6
    )


@pytest.mark.large
def test_the_report_loads_nothing_from_elsewhere_and_says_what_was_found(small):
    pytest.importorskip("matplotlib")
    page = (small[0] / "report.html").read_text()
    loaded = re.findall(r'(?:src|href|action|data)\s*=\s*"([^"#][^"]*)"', page)
    assert loaded == ["https://arxiv.org/abs/1602.03258"]
    assert not re.search(r"<script|<link|<img|<iframe|@import|url\((?!#)", page)
    assert page.count("<svg ") == 1
    assert "Does interaction raise the likelihood of the data" in page
    assert re.search(r"Interaction (raised|lowered|made no clear difference to) the likelihood in setting paper", page)
    names = re.findall(r'\bid="([^"]*)"', page)
    assert len(names) == len(set(names))
    assert (small[0] / "figures" / "iris-paper.svg").read_text().startswith("<svg")


@pytest.mark.large
def test_a_second_start_makes_only_what_is_missing_or_damaged(small):
    out, _ = small
    first, second, *others = sorted((out / "runs").iterdir())
    kept, text = {path: path.stat().st_mtime_ns for path in others}, first.read_text()
    first.unlink()
    second.write_text('{"key": ')
    result = reproduce("iris", "--out", out, *SMALL, "--jobs", 1)
    assert (result.returncode, result.stderr.splitlines()[0]) == (
        0,
        "2 runs to make, about 1 minute; 2 of 4 are there from before.",
    )
    assert {path: path.stat().st_mtime_ns for path in others} == kept
    assert first.read_text() == text  # the same seed, the same run
    assert sorted((out / "runs").iterdir()) == [first, second, *others]


@pytest.mark.large
def test_ctrl_c_keeps_what_is_done_and_leaves_no_process_behind(tmp_path):
    arguments = ["iris", "--out", tmp_path, "--runs", 500, *SMALL[2:]]
    process = subprocess.Popen(
        [COMMAND, "reproduce", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while len(list((tmp_path / "runs").glob("*.json"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    kept = len(list((tmp_path / "runs").glob("*.json")))
    assert f"Interrupted: {kept} of 1000 runs are kept" in said
    assert len(said.splitlines()) == 2, said
    assert not list((tmp_path / "runs").glob("*.tmp"))
    # joblib's tracker of resources ends a moment after its parent.
    while (left := processes_of_session(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left


def processes_of_session(session: int) -> list[str]:
    listed = subprocess.run(["ps", "-s", str(session), "-o", "pid=,stat=,args="], capture_output=True, text=True).stdout
    return [line for line in listed.splitlines() if line.split()[1][0] != "Z"]


@pytest.mark.large
def test_data_that_cannot_be_had_are_left_out_and_the_others_run(tmp_path):
    empty = tmp_path / "data"
    empty.mkdir()
    one = ("--runs", "1", "--queries", "2", "--settings", "paper", "--strategies", "random", "--jobs", "1")
    result = reproduce("mnist", "iris", "--out", tmp_path / "out", "--data-dir", empty, *one)
    assert result.returncode == 0, result.stderr
    assert f"mnist is left out: {empty / 'mnist' / 'mnist_2000.npz'}" in result.stderr
    assert "Mnist was left out" in (tmp_path / "out" / "report.html").read_text()


def test_without_any_data_nothing_is_run(tmp_path):
    result = reproduce("mnist", "--out", tmp_path / "out", "--data-dir", tmp_path)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == "No data set could be had, so nothing was run."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["irises"], "there is no data set called 'irises'; there are iris, zoo, mnist, newsgroups, digits, all"),
        (["--settings", "paper,ours"], "there is no setting called 'ours'; there are treetalk, paper, authors"),
        (["--strategies", "x"], "there is no strategy called 'x'; there are simple, smart,"),
    ],
)
def test_a_name_that_is_not_known_is_one_sentence_with_those_that_are(arguments, sentence, tmp_path):
    result = reproduce(*arguments, "--out", tmp_path)
    assert result.returncode == 2
    assert sentence in " ".join(re.sub(r"[│╭╰─╮╯]", "", result.stderr).split())


def test_a_folder_that_cannot_be_written_to_is_found_before_anything_is_run(tmp_path):
    (tmp_path / "file").write_text("")
    result = reproduce("iris", "--out", tmp_path / "file" / "out")
    assert result.returncode == 1
    assert result.stderr == f"{tmp_path / 'file' / 'out'} cannot be written to: Not a directory.\n"


def test_every_setting_has_every_strategy_and_two_are_also_run_without_moves():
    runs = plan(["iris", "zoo"], num_runs=3, num_queries=5, seed=7)
    assert len(set(runs)) == len(runs) == 2 * 3 * (3 * 6 + 2)
    assert {run.seed for run in runs} == {7, 8, 9}
    assert {(run.setting, run.strategy) for run in runs if run.num_moves == 0} == {
        ("authors", "interleaved"),
        ("treetalk", "interleaved"),
    }
    assert plans.benchmarks_of(["all"]) == ("iris", "zoo", "zoo-right", "mnist", "newsgroups", "digits")


def test_the_published_points_that_come_along_are_those_of_the_finer_reading(shared_data):
    built_in, read = published_curves(None), published_curves(shared_data)
    assert built_in.keys() == read.keys()
    for key, points in built_in.items():
        for number, distance in zip(*points, strict=True):
            assert distance == pytest.approx(read[key].at(number), abs=0.0051)


def test_a_damaged_table_of_published_curves_is_an_error_with_the_line(tmp_path):
    path = tmp_path / "paper_curves.csv"
    path.write_text("data,strategy,num_queries,triplet_distance\niris,smart,ten,0.6\n")
    with pytest.raises(FormatError, match=re.escape(f"{path}, line 2: the number of queries or the distance")):
        published_curves(tmp_path)
    path.write_text("a,b\n")
    with pytest.raises(FormatError, match="its columns must be data, strategy"):
        published_curves(tmp_path)


@pytest.fixture
def made_up():
    """Results of curves that are known: published ones shifted by 0.05, a likelihood that queries raise by 30 nats."""
    from treetalk.datasets import load_benchmark

    published = published_curves(None)
    records = []
    for run in plan(["iris"], num_runs=4, num_queries=400):
        records.append((run, made_up_record(run, published["iris", run.strategy])))
    return gather({"iris": load_benchmark("iris")}, records, published, 400, {"mnist": "there is no network"})


def made_up_record(run: Run, points) -> Record:
    x = np.arange(run.num_queries + 1)
    distance = np.interp(x, *points) + 0.05 + (0.1 if run.num_moves == 0 else 0.0)
    likelihood = np.full(x.shape, (-70.0 if run.strategy == "none" else -40.0) + run.seed)
    return Record(distance, likelihood, likelihood - 9, ("triplet",) * run.num_queries, (), "(a,b);")


@pytest.mark.large
def test_what_is_compared_is_computed_from_the_runs(made_up):
    gains = likelihood_gains(made_up, "iris", "paper")
    assert [gain.strategy for gain in gains] == [strategy for strategy in STRATEGIES if strategy != "none"]
    assert gains[0].difference == pytest.approx(30)
    assert gains[0].error == pytest.approx(np.sqrt(2 * np.var(range(4), ddof=1) / 4))
    assert gains[0].verdict == "raised"
    for like in likenesses(made_up, "iris"):
        assert (like.mean, like.largest) == (pytest.approx(0.05), pytest.approx(0.05))
        assert like.is_inside == (BAND_MEAN >= 0.05)
    for part in contributions(made_up, "iris"):
        assert (part.mean, part.largest, part.up_to) == (pytest.approx(0.1), pytest.approx(0.1), 400)


@pytest.mark.large
def test_findings_have_the_numbers_of_the_runs_in_every_setting(made_up):
    said = " ".join(findings(made_up, "iris"))
    for setting in SETTINGS:
        assert f"Interaction raised the likelihood in setting {setting}: with interleaved queries" in said
    assert "ends at −38.5 (spread 1.3), without queries at −68.5 (spread 1.3): +30.0 ± 0.9 nats." in said
    assert (
        "Sampling helps in setting authors: without any moves, up to 400 queries, the distance differs by +0.100"
        in said
    )
    overall = " ".join(summary(made_up))
    assert "6 of 6 lie within the band (0.1 on average, 0.25 at most)" in overall
    assert "Mnist was left out: there is no network." in overall


@pytest.mark.large
def test_a_report_without_figures_still_has_its_tables(made_up):
    page = report(made_up, {})
    assert "<figure" not in page
    assert page.count("<table") == 1 + 3 + 1 + 1


@pytest.mark.large
def test_without_matplotlib_a_sentence_says_what_to_install(tmp_path, made_up, monkeypatch):
    from treetalk.experiments import reproduce as module

    said: list[str] = []
    monkeypatch.setattr(module.drawing, "can_draw", lambda: False)
    module._write(made_up, tmp_path, said.append)
    assert said == ['No figures were drawn, because matplotlib is not there: pip install "treetalk[plot]"']
    assert {path.name for path in tmp_path.iterdir()} == {"curves.csv", "report.html"}
