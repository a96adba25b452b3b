"""A source as rows and columns, before anything is made of it, and where in the source a row stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.errors import FormatError

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST_IN_SERIES = 16
NUMBERED = re.compile(r"(.*?)(\d+)", re.DOTALL)

Values = list[Any] | np.ndarray[Any, Any]


@dataclass(frozen=True)
class Table:
    """Rows and columns of a source.

    The values of a column are a list of cells (strings, or what Excel and Parquet make of them), an array of numbers,
    or an array with several numbers in each row.
    """

    name: str  # the file's name
    columns: dict[str, Values]
    lines: NDArray[np.int64]  # where each row begins in the file
    rows: NDArray[np.int64]  # the number of each row among all rows of the file, counted from 0
    num_rows_in_file: int
    folder: Path  # paths in cells begin here
    place: str = "line"  # what `lines` count
    labels: str | None = None  # the column that says where a row stands, where rows are files
    description: str = ""  # "pets: 12 images"; what is in a table is counted
    separator: str | None = None  # what stands between cells, where these were written as text
    id: str | None = None  # the column that names the items, where the kind of source says so
    text: str | None = None  # likewise the column to be read
    image: str | None = None  # and that with the paths of images
    only: str | None = None  # the one column of features, unless others are asked for
    first: int = 1  # the number of the first row where rows themselves are the ids
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.lines)

    def where(self, row: int) -> str:
        """Return where a row stands: ``line 7``."""
        if self.labels is not None:
            return f"{self.place} {self.columns[self.labels][row]!r}"
        return f"{self.place} {self.lines[row]}"

    def first_of(self, mask: NDArray[np.bool_]) -> str:
        """Return where the rows stand for which something holds: ``line 7``, or ``the first: line 7``."""
        rows = np.flatnonzero(mask)
        return ("the first: " if rows.size > 1 else "") + self.where(int(rows[0]))

    def error(self, problem: str, row: int | None = None) -> FormatError:
        """Return an error about the source, or about a row of it."""
        error = FormatError(problem, source=self.name)
        if row is not None:
            error = FormatError(problem, source=f"{self.name}, {self.where(row)}")
            error.source, error.line = self.name, None if self.labels else int(self.lines[row])
        return error

    def in_words(self) -> str:
        """Return what there is: ``animals.csv: 101 rows, 18 columns``."""
        columns = self.columns.values()
        width = sum(values.shape[1] if isinstance(values, np.ndarray) and values.ndim == 2 else 1 for values in columns)
        return self.description or f"{self.name}: {self.num_rows_in_file} rows, {width} columns"

    def keep(self, mask: NDArray[np.bool_]) -> Table:
        """Return the table with some of its rows."""
        columns = {name: select(values, mask) for name, values in self.columns.items()}
        return replace(self, columns=columns, lines=self.lines[mask], rows=self.rows[mask])


def select(values: Values, mask: NDArray[np.bool_]) -> Values:
    """Return the values in some of the rows."""
    if isinstance(values, np.ndarray):
        return values[mask]
    return [value for value, is_kept in zip(values, mask.tolist(), strict=True) if is_kept]


def series_of(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns that are numbered, such as x0, x1, x2, ...: at least 16 with one stem and no gap."""
    found: dict[str, dict[int, str]] = {}
    for name in names:
        match = NUMBERED.fullmatch(name)
        if match:
            found.setdefault(match[1], {})[int(match[2])] = name
    return {
        stem: tuple(numbered[number] for number in sorted(numbered))
        for stem, numbered in found.items()
        if len(numbered) >= FEWEST_IN_SERIES and max(numbered) - min(numbered) + 1 == len(numbered)
    }


def number_among(header: Iterable[str]) -> str | None:
    """Return the first name that is a number no column is called by: a negative or fractional one, unlike a year."""
    for name in header:
        try:
            number = float(name.replace(",", "."))
        except ValueError:
            continue
        is_plain = number.is_integer() and not any(sign in name for sign in "-.,")
        if np.isfinite(number) and not is_plain and "_" not in name:
            return name
    return None


def without_repeats(names: Iterable[str], source: str, line: int | None = None) -> None:
    """Refuse two columns of one name."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if name in seen:
            called = f"are both called {name!r}" if name else "both have no name"
            raise FormatError(
                f"columns {seen[name]} and {number} {called}; give them distinct names", line=line, source=source
            )
        seen[name] = number
