"""The installed command, run as a person runs it."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import typer

import treetalk
from commands import COMMAND, invoke, run
from treetalk.cli import app, outcome

ROOT = Path(__file__).parents[1]
NO_SPACE = "The output cannot be written: No space left on device.\n"


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


def test_every_command_is_documented_with_an_example_and_stands_in_the_readme():
    readme = (ROOT / "README.md").read_text()
    for command in app.registered_commands:
        assert command.callback is not None
        assert "Example: treetalk " in (command.callback.__doc__ or "")
        assert f"treetalk {command.name or command.callback.__name__}" in readme


def test_the_help_groups_the_commands_and_lists_the_exit_codes(capsys):
    printed = invoke(capsys, "--help").printed
    for title in ("A project", "Look", "Take away", "Experiments"):
        assert title in printed
    for code, meaning in outcome.CODES.items():
        assert f"{code}: {meaning}" in " ".join(printed.split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_the_command(shell):
    # Without detection the shell is named, and not looked for among the processes above this one.
    result = run("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert result.returncode == 0, result.stderr
    assert "_TREETALK_COMPLETE" in result.stdout


# --- how commands end


@pytest.fixture(scope="module")
def animals(tmp_path_factory) -> Path:
    """A project whose tree is some pages of JSON."""
    from treetalk.datasets import load_animals
    from treetalk.project import Project

    path = tmp_path_factory.mktemp("projects") / "animals.treetalk"
    data = load_animals()
    Project.create(path, data.X, data.items).advance(1_000).close()
    return path


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("there is no item 'a'", "There is no item 'a'."),
        ("did you mean 'b'?", "Did you mean 'b'?"),
        ("it is kept.", "It is kept."),
        ("zoo.csv, line 3: a cell is empty", "zoo.csv, line 3: a cell is empty."),
        ("X has no columns", "X has no columns."),
    ],
)
def test_a_message_becomes_a_sentence_with_one_full_stop(text, sentence):
    assert outcome.as_sentence(text) == sentence


def test_a_sentence_may_begin_with_a_file_that_the_user_named(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["treetalk", "show", "zoo"])
    assert outcome.as_sentence("zoo is a folder") == "zoo is a folder."
    monkeypatch.setattr(sys, "argv", ["treetalk", "show", "files/my zoo"])
    assert outcome.as_sentence("my zoo is a folder") == "my zoo is a folder."


def test_what_is_no_project_is_one_sentence(capsys, tmp_path):
    (tmp_path / "text").write_text("hello " * 1000)
    for path in (tmp_path / "text", tmp_path / "absent", tmp_path):
        done = invoke(capsys, "show", path)
        assert (done.code, done.printed, done.said.count("\n")) == (1, "", 1)
        assert str(path) in done.said
        assert done.said.endswith(".\n")
        assert not done.said.endswith("..\n")


@pytest.mark.large
def test_remarks_are_left_out_on_request(capsys, animals):
    assert invoke(capsys, "show", animals, "--quiet").said == ""
    assert invoke(capsys, "show", animals).said == "101 items, with how sure each cluster is in percent.\n"


def test_what_libraries_and_treetalk_raise_is_told_apart():
    with pytest.raises(typer.Exit), outcome.telling():
        treetalk.Tree.from_newick("(a,b);").mrca("c")
    with pytest.raises(ValueError, match="invalid literal"), outcome.telling():
        int("a mistake in the program")
    with pytest.raises(KeyError), outcome.telling():
        _ = {}["a mistake in the program"]


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (FileNotFoundError(2, "No such file or directory", "a.csv"), 1, "a.csv: No such file or directory.\n"),
        (treetalk.TreetalkError("it cannot be"), 1, "It cannot be.\n"),
        (treetalk.errors.ProjectHeld("anna works on it"), 3, "Anna works on it.\n"),
    ],
)
def test_what_goes_wrong_is_a_sentence_and_a_code(capsys, error, code, sentence):
    with pytest.raises(typer.Exit) as end, outcome.telling():
        raise error
    assert (end.value.exit_code, capsys.readouterr().err) == (code, sentence)


def test_triplets_that_contradict_each_other_have_a_code_of_their_own():
    with pytest.raises(typer.Exit) as end, outcome.telling():
        treetalk.build([(0, 1, 2), (0, 2, 1)], 3)
    assert end.value.exit_code == outcome.CONTRADICTION


@pytest.mark.large
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("arguments", [["--help"], ["show", "--quiet"], ["export"]], ids=" ".join)
def test_an_output_that_is_full_is_one_sentence(animals, arguments):
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [COMMAND, *arguments, animals], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (result.returncode, result.stderr) == (1, NO_SPACE)


@pytest.mark.large
def test_a_reader_that_has_had_enough_is_no_reason_for_a_traceback(animals):
    reading, writing = os.pipe()
    os.close(reading)
    command = [COMMAND, "show", animals, "--json"]
    result = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (result.returncode, result.stderr) == (1, "")


@pytest.mark.large
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has pipes so small that the command has to wait")
def test_ctrl_c_ends_a_command_without_a_traceback(animals):
    command = [COMMAND, "show", animals, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pipesize=4096) as process:
        # It has begun to write then, and cannot go on: nobody reads the rest.
        process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        assert (process.wait(), process.stderr.read()) == (130, b"Interrupted.\n")


# --- the demo


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
    assert "The hierarchy after 1 correction, with how sure each cluster is in percent:" in result.stdout
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
