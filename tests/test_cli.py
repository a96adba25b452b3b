"""The installed command, run as a person runs it."""

import os
import re
import subprocess
import sys
from pathlib import Path

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
def test_the_demo_survives_a_terminal_that_is_narrow_or_knows_only_ascii():
    for environment in ({"COLUMNS": "15"}, {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}):
        result = run("demo", **environment)
        assert (result.returncode, result.stderr) == (0, "")


def test_every_command_is_documented_with_an_example():
    from treetalk.cli import app

    for command in app.registered_commands:
        assert command.callback is not None
        assert "Example: treetalk " in (command.callback.__doc__ or "")


@pytest.mark.large
def test_the_demo_shows_the_tree_before_and_after_and_what_was_violated():
    for columns in ("80", "140"):
        result = run("demo", COLUMNS=columns)
        assert result.returncode == 0, result.stderr
        shown = " ".join(result.stdout.split())
        assert "A draw of the posterior, from 16 features" in shown
        assert "A draw after 8 triplets" in shown
        assert shown.count("✗ violated") >= 4
        assert shown.count("✓ satisfied") >= 8
        before, after = (float(found) for found in re.findall(r"([\d.]+)% (?:wrong|after)", shown))
        assert after < 0.7 * before
        assert max(map(len, result.stdout.splitlines())) <= int(columns)


@pytest.mark.large
def test_the_demo_draws_a_picture_that_loads_nothing_from_elsewhere(tmp_path):
    picture = tmp_path / "demo.svg"
    assert run("demo", "--picture", str(picture)).returncode == 0
    text = picture.read_text()
    assert text.startswith("<svg")
    assert "url(http" not in text


@pytest.mark.large
def test_a_picture_that_cannot_be_saved_is_one_sentence(tmp_path):
    result = run("demo", "--picture", str(tmp_path / "no" / "such" / "folder.svg"))
    assert result.returncode == 1
    assert "The picture cannot be saved" in result.stderr
    assert "Traceback" not in result.stderr
