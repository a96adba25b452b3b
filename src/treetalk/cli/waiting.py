"""What a person sees while a command is at work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from treetalk.cli import outcome
from treetalk.progress import progress_told_to


def is_watched() -> bool:
    """Return whether a person sees what goes to standard error, and wants to."""
    return sys.stderr.isatty() and not outcome.is_quiet()


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say what is going on, and how far it is, for as long as it takes, where a person is watching."""
    if not is_watched():
        with silent_bars():
            yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{what} (the first time, kernels are compiled: up to a minute)") as status:

        def tell(part: str, done: int, total: int) -> None:
            status.update(f"{what}: {part.lower()}, {done:,} of {total:,}")

        with progress_told_to(tell):
            yield


@contextmanager
def silent_bars() -> Iterator[None]:
    """Let whatever runs within show no bars."""
    with progress_told_to(lambda what, done, total: None):
        yield
