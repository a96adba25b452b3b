"""The installed command, run as a person runs it."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import treetalk

COMMAND = Path(sys.executable).parent / "treetalk"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments], env=os.environ | environment, capture_output=True, text=True, check=False
    )


def test_the_version_is_printed():
    assert run("--version").stdout.strip() == f"treetalk {treetalk.__version__}"


def test_python_m_treetalk_is_the_same_command():
    result = subprocess.run(
        [sys.executable, "-m", "treetalk", "--version"], capture_output=True, text=True, check=False
    )
    assert result.stdout.strip() == f"treetalk {treetalk.__version__}"


@pytest.mark.large
def test_the_demo_survives_a_terminal_that_is_narrow_and_knows_only_ascii(tmp_path):
    result = run(
        "demo", "--report", str(tmp_path / "demo.html"), COLUMNS="15", PYTHONIOENCODING="ascii", PYTHONUTF8="0"
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_every_command_is_documented_with_an_example():
    from treetalk.cli import app

    for command in app.registered_commands:
        assert command.callback is not None
        assert "Example: treetalk " in (command.callback.__doc__ or "")


class Demo(NamedTuple):
    columns: int
    printed: str
    report: Path
    picture: Path | None


@pytest.fixture(scope="module")
def demos(tmp_path_factory) -> list[Demo]:
    """The demo in a narrow window and in a wide one, the second with a picture."""
    folder = tmp_path_factory.mktemp("demo")
    found = []
    for columns, picture in ((80, None), (140, folder / "demo.svg")):
        report = folder / f"{columns}.html"
        options = [] if picture is None else ["--picture", str(picture)]
        result = run("demo", "--report", str(report), *options, COLUMNS=str(columns))
        assert result.returncode == 0, result.stderr
        found.append(Demo(columns, result.stdout, report, picture))
    return found


@pytest.mark.large
def test_the_demo_shows_the_trees_the_distance_falling_and_what_was_said(demos):
    for demo in demos:
        shown = " ".join(demo.printed.split())
        assert "Before: from 16 features alone" in shown
        assert re.search(r"After \d+ corrections", shown)
        assert shown.count("together") >= 4
        before, after = (float(found) for found in re.findall(r"([\d.]+)% wrong", shown))
        assert after < 0.3 * before
        assert str(demo.report) in demo.printed.replace("\n", "")
        if demo.picture is None:
            assert max(map(len, demo.printed.splitlines())) <= max(demo.columns, 60 + len(str(demo.report)))


@pytest.mark.large
def test_the_report_of_the_demo_loads_nothing_from_elsewhere_and_holds_every_correction(demos):
    text = demos[0].report.read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=.https?:|@import|url\(http", text)
    count = int(re.search(r"After (\d+) corrections", demos[0].printed)[1])
    assert text.count(" together, apart from ") == count
    assert "<svg" in text


@pytest.mark.large
def test_the_demo_draws_a_picture_that_loads_nothing_from_elsewhere(demos):
    text = demos[1].picture.read_text()
    assert text.startswith("<svg")
    assert "url(http" not in text


@pytest.mark.parametrize("option", ["--picture", "--report"])
def test_what_cannot_be_saved_is_one_sentence_before_any_work(tmp_path, option):
    path = tmp_path / "no" / "such" / "folder.svg"
    options = {"--report": str(tmp_path / "demo.html"), option: str(path)}
    result = run("demo", *(word for pair in options.items() for word in pair))
    assert result.returncode == 1
    assert result.stderr == f"{path} cannot be written to: No such file or directory.\n"
    assert result.stdout == ""


@pytest.mark.large
def test_a_person_can_answer_the_demos_questions():
    result = subprocess.run(
        [COMMAND, "demo", "--ask"], input="1 2 3\n\n?\ns\nu\nq\n", capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "Enter if this is right" in result.stdout
    assert result.stdout.count("Enter if this is right") == 2
    assert "The hierarchy after 1 corrections; numbers are how sure each group is:" in result.stdout
    assert "Taken back: skip." in result.stdout
    assert "Traceback" not in result.stderr


@pytest.mark.large
def test_the_kernels_of_a_session_can_be_compiled_ahead():
    result = subprocess.run([sys.executable, "-m", "treetalk.warm_up"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.large
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_an_output_that_is_full_is_one_sentence_and_the_report_is_kept(tmp_path):
    report = tmp_path / "demo.html"
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [COMMAND, "demo", "--report", report], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode == 1
    assert result.stderr == f"The output cannot be written (No space left on device); the report is there: {report}\n"
    assert report.read_text().startswith("<!DOCTYPE html>")
