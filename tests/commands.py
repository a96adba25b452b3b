"""The treetalk command, run as a person runs it, or within the process of the tests."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from treetalk.cli import app

COMMAND = Path(sys.executable).parent / "treetalk"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments], env=os.environ | environment, capture_output=True, text=True, check=False
    )


class Done(NamedTuple):
    code: int
    printed: str
    said: str


def invoke(capsys, *arguments: object) -> Done:
    """Run a command within this process, which is quicker."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        app([str(argument) for argument in arguments], prog_name="treetalk")
    captured = capsys.readouterr()
    return Done(int(end.value.code or 0), captured.out, captured.err)
