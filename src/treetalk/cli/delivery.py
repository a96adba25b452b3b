"""What is taken away: to standard output, or to a file that is whole or not there at all."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from treetalk.cli import outcome


def is_stdout(out: Path | None) -> bool:
    """Return whether a path means standard output."""
    return out is None or str(out) == "-"


def check_free(out: Path | None, project: Path, *, force: bool) -> None:
    """Refuse, before any work is done, to overwrite a file that nobody allowed to, or the project itself."""
    if out is None or is_stdout(out) or not out.exists():
        return
    if out.samefile(project):
        outcome.fail(f"{out} is the project itself; choose another name")
    if out.is_file() and not force:
        outcome.fail(f"{out} is there already; --force overwrites it")


def deliver(data: str | bytes, out: Path | None) -> None:
    """Write text, in UTF-8, or bytes to a file or to standard output."""
    content = data.encode() if isinstance(data, str) else data
    if out is None or is_stdout(out):
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with outcome.writing(out):
        target = out.resolve()
        if target.exists() and not target.is_file():
            # A pipe or a device: nothing to protect, and nothing to rename.
            with target.open("wb") as file:
                file.write(content)
            return
        # A new file beside the old one, then one rename: a failure half-way leaves the old file as it was.
        draft = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            with draft.open("xb") as file:
                file.write(content)
            if target.exists():
                shutil.copymode(target, draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
