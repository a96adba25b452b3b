"""Numbers, lists and tables as commands print them: plain text that a person reads and a program can cut up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.cells import cell_len

from treetalk.answers import Answer, Conflict
from treetalk.arguments import Items
from treetalk.wording import counted, listed, one_line, percent

__all__ = ["conflict_in_words", "counted", "listed", "local_time", "percent", "table"]


def local_time(time: str | None) -> str:
    """Return a time, given in ISO 8601, as the clock on the wall shows it; as it is, if it is something else."""
    try:
        return datetime.fromisoformat(time or "").astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return time or "-"


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return rows as columns of text with two blanks between them, numbers to the right."""
    texts = [list(header), *([one_line("-" if cell is None else str(cell)) for cell in row] for row in rows)]
    widths = [max(cell_len(line[column]) for line in texts) for column in range(len(header))]
    is_number = [all(isinstance(row[column], int) for row in rows) for column in range(len(header))]
    lines = []
    for line in texts:
        cells = []
        for text, width, to_the_right in zip(line, widths, is_number, strict=True):
            blanks = " " * (width - cell_len(text))
            cells.append(blanks + text if to_the_right else text + blanks)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def conflict_in_words(conflict: Conflict, items: Items, places: Mapping[int, str] | None = None) -> str:
    """Return which answers contradict each other; those that come from a file by their places, the others by number."""

    def named(answer: Answer) -> str:
        place = (places or {}).get(answer.id, f"answer {answer.id}")
        return f"{one_line(answer.in_words(items))} ({place})"

    return f"{named(conflict.answer)} contradicts {listed([named(other) for other in conflict.clashes_with], most=5)}"
