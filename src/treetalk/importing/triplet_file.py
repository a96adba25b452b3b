"""Files of triplets: a table with the columns a, b and c, of which c is the odd one.

The header must be there. Other programs put the odd one first, or the winner second; a file that does not say what its
columns are would be read the wrong way by half of its readers.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from treetalk.arguments import COLUMNS, Items, unknown_item
from treetalk.errors import FormatError
from treetalk.importing.delimited import SEPARATORS, decode
from treetalk.wording import in_one_sentence

HEADER = COLUMNS
NUM_SHOWN = 10


class SaidTriplet(NamedTuple):
    """A triplet of a file."""

    triplet: tuple[int, int, int]
    line: int
    who: str | None
    comment: str | None


def read_triplet_file(
    path: str | os.PathLike[str], items: Items, *, encoding: str | None = None
) -> tuple[SaidTriplet, ...]:
    """Return the triplets of a file; items are given by name, exactly as they are written.

    Parameters
    ----------
    path : str or path
        A CSV or TSV file with a header. Columns a, b and c must be there, who and comment may be. Where there is a column
        kind, as in what ``treetalk answers --export OUT --all`` writes, only the rows of kind "triplet" count, and of
        these not the ones whose id a row of kind "retract" has in its column retracts. Other columns are not looked at.
    items : Items
        The names of the items.
    encoding : str, optional
        How the text is encoded; by default UTF-8, or what the file's first bytes say.

    Raises
    ------
    FormatError
        If there is no such header, or a row is no triplet of known items: all is read, or nothing.
    """
    file = Path(path)
    text = decode(file.read_bytes(), file.name, encoding)
    if not text.strip():
        raise FormatError("the file is empty; its first line must be a,b,c, the odd one last", source=file.name)
    first = text.lstrip("\r\n").splitlines()[0]
    separator = max(SEPARATORS, key=first.count)
    return _read(rows_of(text, separator, file.name), items, file.name)


def rows_of(text: str, separator: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, each with the line on which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True, skipinitialspace=True)
    begins = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield begins, row
            begins = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(str(error), line=begins, source=source) from None


def _read(rows: Iterator[tuple[int, list[str]]], items: Items, source: str) -> tuple[SaidTriplet, ...]:
    columns = _columns(*next(rows), source)
    said = [
        (line, {name: row[place].strip() for name, place in columns.items() if place < len(row)}) for line, row in rows
    ]
    retracted = retracted_ids(cells for _, cells in said)
    found: list[SaidTriplet] = []
    wrong: list[str] = []
    # To find names that are alike takes time, so it is done for what is shown, and once for each name.
    unknown = cache(lambda name: unknown_item(name, items))
    for line, cells in said:
        try:
            if not is_in_force(cells, retracted, "id" in columns):
                continue
            triplet = _triplet(cells, items, unknown if len(wrong) < NUM_SHOWN else repr)
        except ValueError as error:
            wrong.append(f"line {line}: {error}")
            continue
        found.append(SaidTriplet(triplet, line, cells.get("who") or None, cells.get("comment") or None))
    if wrong:
        raise FormatError(in_one_sentence(wrong, NUM_SHOWN), source=source)
    return tuple(found)


def retracted_ids(said: Iterable[dict[str, str]]) -> set[str]:
    """Return the ids of the answers that rows of kind "retract" take back."""
    return {_id(cells, "retracts") for cells in said if cells.get("kind") == "retract"}


def is_in_force(cells: dict[str, str], retracted: set[str], has_ids: bool) -> bool:
    """Return whether a row is a triplet that was not taken back; one that takes back must say which."""
    kind = cells.get("kind", "triplet")
    if kind == "retract" and not (_id(cells, "retracts") and has_ids):
        raise ValueError("it takes an answer back, but columns id and retracts do not say which one")
    return kind == "triplet" and not (_id(cells, "id") and _id(cells, "id") in retracted)


def _id(cells: dict[str, str], column: str) -> str:
    """Return the id in a column; programs that know no empty whole number make 3.0 of 3."""
    return cells.get(column, "").removesuffix(".0")


def _columns(line: int, row: list[str], source: str) -> dict[str, int]:
    """Return the place of each column that counts."""
    names = [cell.strip().lower() for cell in row]
    for name in HEADER:
        if names.count(name) != 1:
            shown = ",".join(cell.strip() for cell in row)
            problem = f"has no column {name!r}" if name not in names else f"has the column {name!r} twice"
            raise FormatError(
                f"the header {problem}: it is {shown!r}; the first line must be a,b,c, where c is the odd one, "
                "for without it nobody can tell which of the three that is",
                line=line,
                source=source,
            )
    return {name: names.index(name) for name in (*HEADER, "id", "who", "comment", "kind", "retracts") if name in names}


def _triplet(cells: dict[str, str], items: Items, unknown: Callable[[str], str]) -> tuple[int, int, int]:
    numbers = []
    for name in HEADER:
        value = cells.get(name, "")
        if not value:
            raise ValueError(f"{name} is empty")
        if value not in items.numbers:
            raise ValueError(unknown(value))
        numbers.append(items.numbers[value])
    a, b, c = numbers
    if len({a, b, c}) < 3:
        raise ValueError(f"{cells['a']}, {cells['b']} | {cells['c']} names an item twice")
    return a, b, c
