"""What a person sees while a command is at work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from treetalk.cli import outcome
from treetalk.progress import Progress


def is_watched() -> bool:
    """Return whether a person sees what goes to standard error, and wants to."""
    return sys.stderr.isatty() and not outcome.is_quiet()


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say what is going on for as long as it takes, where a person is watching; the first time, kernels are compiled."""
    if not is_watched():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{what} (the first time, kernels are compiled: up to a minute)"), silent_bars():
        yield


@contextmanager
def silent_bars() -> Iterator[None]:
    """Let the bars of whatever runs within be silent: a terminal has room for one."""
    before, Progress._is_any_shown = Progress._is_any_shown, True
    try:
        yield
    finally:
        Progress._is_any_shown = before
