"""Files of comparisons as rows of cells: CSV or TSV with a header or without one, and NumPy's arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treetalk.arguments import Items, column_names, is_missing, stacked
from treetalk.dialects.said import Circumstances, Finder, Said
from treetalk.errors import FormatError
from treetalk.importing.delimited import SEPARATORS, decode
from treetalk.importing.triplet_file import rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Row = tuple[int, list[str]]
ARRAY_ENDINGS = (".npy", ".npz")


class Sheet(NamedTuple):
    """A file with a header: where each column stands, and the rows with their lines."""

    name: str
    columns: dict[str, int]
    rows: list[Row]

    def cell(self, row: list[str], column: str) -> str:
        """Return a cell without blanks around it; empty if it is not there."""
        place = self.columns.get(column)
        return row[place].strip() if place is not None and place < len(row) else ""


def read_rows(path: str | os.PathLike[str], encoding: str | None = None) -> list[Row]:
    """Return the rows of a CSV or TSV file that are not empty, each with its line."""
    file = Path(path)
    text = decode(file.read_bytes(), file.name, encoding)
    if not text.strip():
        raise FormatError("the file is empty", source=file.name)
    first = text.lstrip("\r\n").splitlines()[0]
    return list(rows_of(text, max(SEPARATORS, key=first.count), file.name))


def read_sheet(path: str | os.PathLike[str], needed: Sequence[str], meaning: str, encoding: str | None = None) -> Sheet:
    """Return a file whose header must have some columns; `meaning` says what they are for."""
    name = Path(path).name
    (line, header), *rows = read_rows(path, encoding)
    names = [cell.strip().lower() for cell in header]
    for column in needed:
        if names.count(column) != 1:
            fault = f"has no column {column!r}" if column not in names else f"has the column {column!r} twice"
            shown = ",".join(cell.strip() for cell in header)
            raise FormatError(f"the header {fault}: it is {shown!r}; {meaning}", line=line, source=name)
    return Sheet(name, {column: place for place, column in reversed(list(enumerate(names)))}, rows)


def sheet_of_frame(frame: Any, needed: Sequence[str], meaning: str) -> Sheet:
    """Return a data frame as if it were a file, numbers and empty cells as text; its rows are counted from 0."""
    names = column_names(frame) or []
    for column in needed:
        if names.count(column) != 1:
            raise ValueError(f"{meaning}; there is no single column {column!r}" + (f" among {names}" if names else ""))
    columns = {column: place for place, column in reversed(list(enumerate(names)))}
    cells = stacked(frame, list(columns)).astype(object).tolist()
    columns = {column: place for place, column in enumerate(columns)}
    return Sheet("", columns, [(row, list(map(_as_text, values))) for row, values in enumerate(cells)])


def _as_text(cell: Any) -> str:
    return "" if is_missing(cell) else str(cell)


def in_known_order(source: Any, headers: Sequence[Sequence[str]], what: str, last: str | None = None) -> Any:
    """Return a data frame as an array, its columns in the order of that header which names them; others as they are.

    `last` is a column that may follow.
    """
    names = column_names(source)
    if names is None:
        return np.asarray(source) if hasattr(source, "columns") and hasattr(source, "__array__") else source
    for header in headers:
        for order in (header, (*header, *([] if last is None else [last]))):
            if sorted(names) == sorted(order):
                return stacked(source, order)
    known = " or ".join(f"({', '.join(header)})" for header in headers) + ("" if last is None else f", and {last}")
    raise ValueError(
        f"the columns of {what} are called {known}; these are {', '.join(map(repr, names))}: name them so, or give an "
        "array with the columns in this order"
    )


def is_header(row: Sequence[str], known: Sequence[Sequence[str]], items: Items | None) -> bool:
    """Return whether a row holds the usual names of columns, and not three items that happen to be called so."""
    cells = [cell.strip().lower() for cell in row]
    is_data = items is not None and all(cell.strip() in items.numbers for cell in row[:3])
    return not is_data and any(cells[: len(names)] == list(names) for names in known)


def read_named_columns(
    path: str | os.PathLike[str],
    columns: Sequence[str],
    meaning: str,
    *,
    items: Items | None,
    num_leaves: int | None,
    by: str,
    encoding: str | None = None,
    about: Callable[[Sheet, list[str]], Circumstances] | None = None,
) -> Said:
    """Return the triplets of a file whose columns have names, given in the order a, b, c."""
    sheet = read_sheet(path, columns, meaning, encoding)
    finder = Finder(items, num_leaves, by, sheet.name)
    triplets, known = [], []
    for line, row in sheet.rows:
        try:
            triplets.append(finder.triplet([sheet.cell(row, column) for column in columns], columns))
            known.append((Circumstances() if about is None else about(sheet, row))._replace(line=line))
        except ValueError as error:
            finder.note(line, error)
    finder.check()
    return Said(triplets, known, items=items)


def who_and_comment(sheet: Sheet, row: list[str]) -> Circumstances:
    """Return what the columns who and comment say, where they are there."""
    return Circumstances(who=sheet.cell(row, "who") or None, comment=sheet.cell(row, "comment") or None)


def is_file(source: object) -> bool:
    """Return whether a source is the path of a file."""
    return isinstance(source, str | os.PathLike)


def load_arrays(path: Path) -> dict[str, NDArray[Any]] | None:
    """Return the arrays of a .npy file, called "", or of a .npz file; None for any other file."""
    ending = path.suffix.lower()
    if ending not in ARRAY_ENDINGS:
        return None
    try:
        with path.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            return {"": loaded} if ending == ".npy" else {name: loaded[name] for name in loaded.files}
    except (ValueError, EOFError, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise FormatError(f"this is no {ending} file of numbers ({error})", source=path.name) from None
