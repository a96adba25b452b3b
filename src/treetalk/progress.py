"""A progress bar for whatever takes longer than two seconds, where a person is watching."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from treetalk.extras import imported

PATIENCE = 2.0
SECONDS_BETWEEN_DRAWINGS = 0.1


class Progress:
    """Count steps; show a bar on the terminal, or in the notebook, once two seconds have passed.

    Parameters
    ----------
    total : int
        The number of steps.
    what : str
        What is going on.
    """

    _is_any_shown = False  # a terminal has room for one bar: what runs within a shown one stays silent
    _listener: Callable[[str, int, int], None] | None = None

    def __init__(self, total: int, what: str) -> None:
        self._total, self._what = total, what
        self._done = 0
        self._bar: Any = None
        self._task: Any = None
        self._start = time.monotonic()
        self._is_in_notebook = "ipykernel" in sys.modules
        self._is_watched = total > 0 and (sys.stderr.isatty() or self._is_in_notebook)

    def __enter__(self) -> Progress:
        return self

    def advance(self, steps: int) -> None:
        """Count some steps."""
        self._done += steps
        if Progress._listener is not None:
            Progress._listener(self._what, self._done, self._total)
            return
        if not self._is_watched:
            return
        if self._bar is None:
            if Progress._is_any_shown or time.monotonic() - self._start < PATIENCE:
                return
            self._show()
        self._bar.update(self._task, completed=self._done)

    def _show(self) -> None:
        Progress._is_any_shown = True
        if self._is_in_notebook:
            self._bar = CellBar(self._what, self._total)
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(self._what, total=self._total)
        self._bar.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            Progress._is_any_shown = False


class CellBar:
    """A bar in a cell of a notebook: one element that is drawn again and again, which needs no widgets.

    Parameters
    ----------
    what : str
        What is going on.
    total : int
        The number of steps.
    """

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total = what, total
        self._handle: Any = None
        self._drawn = -SECONDS_BETWEEN_DRAWINGS

    def update(self, _: Any, *, completed: int) -> None:
        """Show how many steps are made."""
        now = time.monotonic()
        if now - self._drawn >= SECONDS_BETWEEN_DRAWINGS:
            self._drawn = now
            count = f"{completed:,} / {self._total:,}"
            self._draw(f'{self._what} <progress value="{completed}" max="{self._total}"></progress> {count}')

    def stop(self) -> None:
        """Take it away."""
        if self._handle is not None:
            self._draw("")

    def _draw(self, html: str) -> None:
        shown = imported("IPython.display", "a bar in a notebook", package="ipython")
        if self._handle is None:
            self._handle = shown.display(shown.HTML(html), display_id=True)
        else:
            self._handle.update(shown.HTML(html))


@contextmanager
def progress_told_to(listener: Callable[[str, int, int], None]) -> Iterator[None]:
    """Show no bars for what runs within; tell a listener what is going on, the steps made, and the number of all steps."""
    before, Progress._listener = Progress._listener, listener
    try:
        yield
    finally:
        Progress._listener = before
