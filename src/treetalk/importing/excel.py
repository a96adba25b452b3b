"""Sheets of Excel files as tables."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from treetalk.errors import FormatError
from treetalk.extras import imported
from treetalk.importing.cells import as_string
from treetalk.importing.options import Options, in_words, nearest
from treetalk.importing.table import Table, Values, number_among, without_repeats


def read_excel(path: Path, options: Options) -> Table:
    """Read a sheet of an Excel file: values, not formulas; rows are counted as Excel does."""
    openpyxl = imported("openpyxl", "reading Excel files", extra="io")
    InvalidFileException = imported("openpyxl.utils.exceptions", "reading Excel files", extra="io").InvalidFileException
    with warnings.catch_warnings():
        # openpyxl warns of formats and validations that it cannot keep; nothing is written back here.
        warnings.simplefilter("ignore")
        try:
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        except (InvalidFileException, BadZipFile, KeyError, OSError, ValueError):
            raise FormatError("this is no Excel file (.xlsx)", source=path.name) from None
        try:
            names = [sheet.title for sheet in book.worksheets]
            chosen = _chosen(names, options.sheet, path.name)
            sheet = book[chosen]
            # Some programs store a wrong size of the sheet, by which rows would get lost.
            sheet.reset_dimensions()
            rows = [(number, row) for number, row in enumerate(sheet.iter_rows(values_only=True), 1) if _is_filled(row)]
        finally:
            book.close()
    notes = []
    if len(names) > 1 and options.sheet is None:
        notes.append(f"The first of {len(names)} sheets, {chosen!r}, was read; choose another one with --sheet.")
    return _table(path, rows, chosen, notes)


def _chosen(names: list[str], asked: str | None, source: str) -> str:
    if not names:
        raise FormatError("there is no sheet with cells", source=source)
    if asked is None:
        return names[0]
    if asked not in names:
        raise ValueError(f"--sheet: {nearest(asked, names, 'sheet')} ({source})")
    return asked


def _is_filled(row: tuple[Any, ...]) -> bool:
    return any(cell is not None and cell != "" for cell in row)


def _table(path: Path, rows: list[tuple[int, tuple[Any, ...]]], sheet: str, notes: list[str]) -> Table:
    if not rows:
        raise FormatError(f"the sheet {sheet!r} is empty", source=path.name)
    (header_row, header), *body = rows
    if not body:
        raise FormatError(f"the sheet {sheet!r} has a header in row {header_row} but no row below", source=path.name)
    width = max(len(row) for _, row in rows)
    names = [as_string(name) for name in header] + [""] * (width - len(header))
    filled = [name for name in header if name is not None and name != ""]
    if all(isinstance(name, int | float) for name in filled):
        raise FormatError(
            f"there are numbers in row {header_row} ({in_words(filled[:4], 'and')}) where the names of the columns should "
            "be; add a row with names above",
            source=path.name,
        )
    stray = number_among(names)
    if stray is not None:
        raise FormatError(
            f"there is the number {stray} in row {header_row} where the name of column {names.index(stray) + 1} "
            "should be; add a row with names above",
            source=path.name,
        )
    columns: dict[str, Values] = {}
    kept = []
    for number, name in enumerate(names):
        values: list[Any] = [row[number] if number < len(row) else None for _, row in body]
        if name or any(value is not None for value in values):
            kept.append(name)
            columns[name] = values
    without_repeats(kept, path.name)
    places = np.arange(len(body))
    return Table(
        name=path.name,
        columns=columns,
        lines=np.array([number for number, _ in body]),
        rows=places,
        num_rows_in_file=len(body),
        folder=path.parent,
        place="row",
        notes=tuple(notes),
    )
