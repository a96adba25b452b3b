"""CSV files and their kin: the encoding, the separator, the rows and where each of them begins."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

import numpy as np

from treetalk.errors import FormatError
from treetalk.importing.options import Options
from treetalk.importing.table import Table, Values, number_among, series_of, without_repeats

SEPARATORS = ",;\t|"
NUM_TRIED = 100  # rows by which the separator is found
MOST_TRIED = 1_000_000  # characters, likewise
CHUNK = 4_000  # rows
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
NO_NUMBER = re.compile(r"_|^\s*0\d+\s*$", re.MULTILINE)  # 1_000 is one for Python alone, 01067 is a code
GROUPED = re.compile(r"^\s*[+-]?[1-9]\d{0,2}\.\d{3}\s*$", re.MULTILINE)  # 1.234 may be a thousand and more
DECIMAL = re.compile(r"^\s*[+-]?(?:0?\.\d|\d+\.(?!\d{3}\s*$))", re.MULTILINE)  # 0.5 and 1.25 are not
LARGEST_CELL = 2**31 - 1


def read_delimited(path: Path, options: Options) -> Table:
    """Read a table in which a separator stands between cells."""
    with _cells_of_any_length():
        separator, records = _records_of(path, options.encoding)
        header_line, cells = next(records)
        header = [name.strip() for name in cells]
        _check_header(header, header_line, path.name)
        reading = _Reading(header, path.name, options.skip_bad_rows, separator)
        for line, record in records:
            reading.add(line, record)
    return reading.table(path, header_line=header_line)


def read_records(path: Path, encoding: str | None = None) -> list[tuple[int, list[str]]]:
    """Return the records of a table, the header first, each with the line on which it begins."""
    with _cells_of_any_length():
        _, records = _records_of(path, encoding)
        return list(records)


def decode(data: bytes, name: str, encoding: str | None) -> str:
    """Return text from bytes: UTF-8 or what the byte order mark says, if no encoding is given."""
    used = encoding or next((marked for mark, marked in MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(used)
    except LookupError:
        raise ValueError(
            f"there is no encoding {encoding!r}; usual ones are utf-8, utf-16, latin-1 and cp1252"
        ) from None
    except UnicodeDecodeError as error:
        before = data[: error.start]
        # A line break is one byte in everything but UTF-16 and its like, where counting bytes is no good.
        is_wide = used.lower().replace("_", "-").startswith(("utf-16", "utf-32"))
        line = None if is_wide else before.count(b"\n") + 1
        column = None if is_wide else len(before[before.rfind(b"\n") + 1 :].decode(used, errors="replace")) + 1
        shown = " ".join(f"0x{byte:02x}" for byte in data[error.start : error.start + 1])
        raise FormatError(
            f"the byte {shown} is not {used.removesuffix('-sig').upper()} text; "
            "save the file as UTF-8, or name its encoding: --encoding cp1252",
            line=line,
            column=column,
            source=name,
        ) from None
    text = text.removeprefix("\ufeff")
    null = text.find("\0")
    if null >= 0:
        line = text.count("\n", 0, null) + 1
        advice = "this is no text, or its encoding has to be named: --encoding utf-16"
        raise FormatError(f"there is a null character; {advice}", line=line, source=name)
    return text


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    allowed = csv.field_size_limit(LARGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(allowed)


def _records_of(path: Path, encoding: str | None) -> tuple[str, Iterator[tuple[int, list[str]]]]:
    """Return the separator of a file, and its records."""
    text = decode(path.read_bytes(), path.name, encoding)
    if not text.strip():
        raise FormatError("the file is empty", source=path.name)
    # A StringIO would hold four bytes for each character.
    lines = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", newline="")
    separator, first_line = _stated_separator(text)
    if separator is None:
        separator = _find_separator(text, "\t" if path.suffix.lower() in {".tsv", ".tab"} else ",")
    for _ in range(first_line):
        lines.readline()
    return separator, _records(csv.reader(lines, delimiter=separator, strict=True), path.name, first_line)


def _stated_separator(text: str) -> tuple[str | None, int]:
    """Return the separator that Excel's first line ``sep=;`` states, and how many lines to pass over."""
    first, _, _ = text.partition("\n")
    stated = first.strip()
    if stated.lower().startswith("sep=") and len(stated) == 5:
        return stated[4], 1
    return None, 0


def _find_separator(text: str, usual: str) -> str:
    """Return the separator by which the header has several names, and most rows as many cells as the header."""
    best, best_score = usual, (0.0, 0, False)
    head = text[:MOST_TRIED]
    for separator in SEPARATORS:
        reader = csv.reader(io.StringIO(head, newline=""), delimiter=separator)
        widths = [len(record) for record in islice(reader, NUM_TRIED) if record]
        if len(head) < len(text) and 1 < len(widths) < NUM_TRIED:
            widths.pop()  # cut off
        if not widths or widths[0] < 2:
            continue
        score = (sum(width == widths[0] for width in widths) / len(widths), widths[0], separator == usual)
        if score > best_score:
            best, best_score = separator, score
    return best


def _records(reader: Iterator[list[str]], name: str, line: int) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the line on which it begins; blank lines are no records."""
    skipped = line
    while True:
        start = skipped + reader.line_num + 1  # type: ignore[attr-defined]
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "unexpected end" in str(error):
                problem = "a quoted cell of the row that begins here never ends; a closing quotation mark is missing"
            elif "expected after" in str(error):
                problem = (
                    "a quotation mark ends a cell of the row that begins here, but the cell goes on; "
                    "within a quoted cell, write two of them"
                )
            else:
                problem = str(error)
            raise FormatError(problem, line=start, source=name) from None
        if record:
            yield start, record


def _counts_columns(header: list[str]) -> bool:
    """Return whether columns are called 0, 1, 2, ... or 1, 2, 3, ..., as pandas calls those of an array."""
    filled = [cell for cell in header if cell]
    return len(filled) > 2 and any(
        filled == [str(number) for number in range(first, first + len(filled))] for first in (0, 1)
    )


def _check_header(header: list[str], line: int, name: str) -> None:
    if all(_is_number(cell) for cell in header if cell) and not _counts_columns(header):
        shown = ", ".join(header[:4]) + (", ..." if len(header) > 4 else "")
        raise FormatError(
            f"there are numbers ({shown}) where the names of the columns should be; add a first line with names",
            line=line,
            source=name,
        )
    number = number_among(header)
    if number is not None:
        raise FormatError(
            f"there is the number {number} where the name of column {header.index(number) + 1} should be; "
            "add a first line with names",
            line=line,
            source=name,
        )
    filled = [cell for cell in header if cell]
    if len(filled) == len(header) or header.count("") == 1:
        without_repeats(header, name, line)
    else:
        without_repeats(filled, name, line)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


class _Reading:
    """Rows on their way to columns. Numbered columns become numbers in time, for wide files would fill the memory."""

    def __init__(self, header: list[str], name: str, skip_bad_rows: bool, separator: str) -> None:
        self.header, self.name, self.skip_bad_rows, self.separator = header, name, skip_bad_rows, separator
        self.in_series = {member for members in series_of(header).values() for member in members}
        self.parts: list[list[Values]] = [[] for _ in header]
        self.pending: list[list[str]] = []
        self.lines: list[int] = []
        self.rows: list[int] = []
        self.num_rows = self.num_blank = 0
        self.skipped: list[tuple[int, int]] = []

    def add(self, line: int, record: list[str]) -> None:
        width = len(self.header)
        if len(record) != width:
            if not any(record):
                self.num_blank += 1
                return
            if len(record) > width and not any(record[width:]):
                record = record[:width]
            else:
                self.skipped.append((line, len(record)))
                self.num_rows += 1
                return
        elif not any(record):
            self.num_blank += 1
            return
        self.lines.append(line)
        self.rows.append(self.num_rows)
        self.num_rows += 1
        self.pending.append(record)
        if len(self.pending) == CHUNK:
            self._flush()

    def _flush(self) -> None:
        for number, cells in enumerate(zip(*self.pending, strict=True)):
            values: Values = list(cells)
            if self.header[number] in self.in_series and self._are_numbers("\n".join(cells)):
                with suppress(ValueError):
                    values = np.fromiter(map(float, cells), np.float64, len(cells))
            self.parts[number].append(values)
        self.pending = []

    def _are_numbers(self, cells: str) -> bool:
        if NO_NUMBER.search(cells):
            return False
        return self.separator == "," or not GROUPED.search(cells) or DECIMAL.search(cells) is not None

    def table(self, path: Path, *, header_line: int) -> Table:
        self._flush()
        notes = self._judge_skipped()
        if not self.lines:
            raise FormatError("there is a header but no row", line=header_line, source=self.name)
        columns: dict[str, Values] = {}
        unnamed = []
        for number, (name, parts) in enumerate(zip(self.header, self.parts, strict=True), 1):
            values = _joined(parts)
            if not name:
                # Lines that end with a separator have one more cell, which is empty.
                if not any(values):
                    continue
                unnamed.append(number)
            columns[name] = values
        if len(unnamed) > 1:
            problem = f"columns {unnamed[0]} and {unnamed[1]} both have no name; give them distinct names"
            raise FormatError(problem, line=header_line, source=self.name)
        if self.num_blank:
            notes.append(f"{self.num_blank} rows with no entry at all were passed over.")
        return Table(
            name=self.name,
            columns=columns,
            lines=np.array(self.lines, np.int64),
            rows=np.array(self.rows, np.int64),
            num_rows_in_file=self.num_rows,
            folder=path.parent,
            separator=self.separator,
            notes=tuple(notes),
        )

    def _judge_skipped(self) -> list[str]:
        if not self.skipped:
            return []
        line, width = self.skipped[0]
        others = len(self.skipped) - 1
        if not self.skip_bad_rows:
            also = f"; so it is with {others} more {'line' if others == 1 else 'lines'}" if others else ""
            cells = "there is 1 cell" if width == 1 else f"there are {width} cells"
            problem = f"{cells}, but the header has {len(self.header)}{also}"
            advice = "correct this, or leave such rows out with --skip-bad-rows"
            raise FormatError(f"{problem}; {advice}", line=line, source=self.name)
        which = f"line {line}" if not others else f"the first on line {line}"
        rows = "1 row was" if not others else f"{others + 1} rows were"
        return [f"{rows} left out for a number of cells other than the header's {len(self.header)}: {which}."]


def _joined(parts: list[Values]) -> Values:
    if parts and all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    joined: list[object] = []
    for part in parts:
        joined.extend(part.tolist() if isinstance(part, np.ndarray) else part)
    return joined
