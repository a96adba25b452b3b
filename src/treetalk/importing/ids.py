"""Which column names the items, and what their names are."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treetalk.importing import names
from treetalk.importing.cells import Cells, as_string
from treetalk.importing.options import Options
from treetalk.importing.table import Table

FEWEST_ROWS_TO_COUNT = 5  # with fewer rows, 1, 2, 3 in order may be a measurement
MOST_REPEATS = 0.1  # of the rows; these get numbers


def guess_id(table: Table, cells: dict[str, Cells], options: Options) -> str | None:
    """Return the column that names the items: the one asked for, else the likeliest, None if there is none."""
    if options.id is not None:
        return options.id
    if table.id is not None:
        return table.id
    taken = {name for option, name in options.named if option in {"features", "text", "image", "categorical"}}
    free = [name for name in table.columns if name not in taken and not cells[name].is_block]
    numbering = None
    for name in names.ids_in_order(free):
        if not _names_every_row(cells[name]) or (cells[name].is_numeric and not cells[name].is_whole):
            continue
        if not _counts_rows(cells[name]):
            return name
        numbering = numbering or name  # a name would say more than a number
    for name in free:
        if _is_of_names(cells[name]) and _names_every_row(cells[name]):
            return name
    for name in names.ids_in_order(free):
        if not cells[name].is_numeric and _names_nearly_every_row(cells[name]):
            return name
    codes = [name for name in free if is_code(cells[name]) and _names_every_row(cells[name])]
    counted = [name for name in free if names.is_index(name) and cells[name].is_whole and _names_every_row(cells[name])]
    telling = [name for name in codes if not _counts_rows(cells[name])]
    return next(iter([*telling, *([] if numbering is None else [numbering]), *codes, *counted]), None)


def about_id(table: Table, cells: dict[str, Cells], chosen: str | None, options: Options) -> list[str]:
    """Return sentences on the column that names the items, unless a person or the kind of source has chosen it."""
    if chosen is not None and chosen in {options.id, table.id}:
        return []
    if chosen is not None:
        which = f"column {chosen!r}" if chosen else "the column without a name"
        said = f"Items are named by {which}; choose another one with --id."
    elif table.first == 0:
        said = "Items are named by the number of their row, counted from 0."
    else:
        said = (
            "No column was found that names the items, so they are named by the number of their row, counted from 1; "
            "choose a column with --id."
        )
    return [*_passed_over(table, cells, chosen), said]


def item_names(table: Table, id: str | None, *, is_guessed: bool) -> tuple[str, ...]:
    """Return the names of the items: the cells of a column, distinct and not empty, or the numbers of the rows.

    A name that is there again gets a number; where a person has chosen the column, many such names are an error.
    """
    if id is None:
        return tuple(str(row + table.first) for row in table.rows.tolist())
    found = ids_of(Cells(id, table.columns[id]))
    has_many = not is_guessed and len(found) - len(set(found)) > MOST_REPEATS * len(found)
    repeat = _first_repeat(found) if has_many else None
    empty = found.index("") if "" in found else None
    if empty is not None and (repeat is None or empty < repeat[1]):
        raise table.error(f"column {id!r}: the name of the item is missing", empty)
    if repeat is not None:
        first, row = repeat
        problem = f"column {id!r}: the item {found[row]!r} is on {table.where(first)} already"
        raise table.error(f"{problem}; names must be distinct, or choose another column with --id", row)
    return distinct(found)


def about_repeats(table: Table, id: str | None) -> list[str]:
    """Return a sentence on the first name that is there twice, if there is one."""
    found = [] if id is None else ids_of(Cells(id, table.columns[id]))
    repeat = _first_repeat(found)
    if repeat is None:
        return []
    first, row = repeat
    name, places = found[row], f"{table.where(first)} and {table.where(row)}"
    return [f"{name!r} is there twice, on {places}: the second one is called '{name} (2)', and so on."]


def distinct(strings: Iterable[str]) -> tuple[str, ...]:
    """Return strings with a number behind those that are there already."""
    seen: set[str] = set()
    next_numbers: dict[str, int] = {}
    result = []
    for string in strings:
        own, number = string, next_numbers.get(string, 2)
        while own in seen:
            own, number = f"{string} ({number})", number + 1
        next_numbers[string] = number
        seen.add(own)
        result.append(own)
    return tuple(result)


def ids_of(column: Cells) -> list[str]:
    """Return the cells of a column as the names of items; only an empty cell is no name."""
    values = column.values.tolist() if isinstance(column.values, np.ndarray) else column.values
    return ["" if value != value else as_string(value) for value in values]


def is_numbering(column: Cells) -> bool:
    """Return whether a column counts the rows, or numbers them in some other order, as its name says."""
    if _counts_rows(column):
        return True
    is_complete = column.is_whole and not column.missing.any()
    return names.is_index(column.name) and is_complete and len(np.unique(column.numbers)) == len(column)


def is_code(column: Cells) -> bool:
    """Return whether a column holds whole numbers that tell rows apart, as its name says: Artikelnr, EAN."""
    if not names.is_code(column.name) or not (column.is_whole or column.is_coded):
        return False
    filled = [name for name in ids_of(column) if name]
    return len(set(filled)) == len(filled)


def _passed_over(table: Table, cells: dict[str, Cells], chosen: str | None) -> list[str]:
    """Return a sentence on why the column that is called most like an id is not the one."""
    likely = names.ids_in_order([name for name in table.columns if not cells[name].is_block])
    if not likely or likely[0] == chosen:
        return []
    found = ids_of(cells[likely[0]])
    repeat = _first_repeat(found)
    empty = found.index("") if "" in found else len(found)
    if repeat is not None and repeat[1] < empty:
        places = f"{table.where(repeat[0])} and {table.where(repeat[1])}"
        name = found[repeat[0]]
        return [f"Column {likely[0]!r} does not name the items, since {name!r} is there twice: {places}."]
    if empty < len(found):
        return [f"Column {likely[0]!r} does not name the items, since it is empty on {table.where(empty)}."]
    return []


def _first_repeat(found: list[str]) -> tuple[int, int] | None:
    """Return the rows of the first name that is there twice."""
    seen: dict[str, int] = {}
    for row, name in enumerate(found):
        if name in seen and name:
            return seen[name], row
        seen[name] = row
    return None


def _is_of_names(column: Cells) -> bool:
    """Return whether the cells of a column are strings that may be names."""
    is_string = not column.is_numeric and not column.is_coded and not column.is_date
    return is_string and not column.is_long and not names.is_comment(column.name)


def _names_every_row(column: Cells) -> bool:
    ids = ids_of(column)
    return len(set(ids)) == len(ids) and "" not in ids


def _names_nearly_every_row(column: Cells) -> bool:
    ids = ids_of(column)
    return len(ids) - len(set(ids)) <= MOST_REPEATS * len(ids) and "" not in ids


def _counts_rows(column: Cells) -> bool:
    """Return whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
    if not column.is_whole or column.missing.any() or len(column) < FEWEST_ROWS_TO_COUNT:
        return False
    return column.numbers[0] in {0, 1} and bool((np.diff(column.numbers) == 1).all())
