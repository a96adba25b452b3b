"""The cells of a column, understood: which are missing, which are numbers, and which are neither."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.importing.results import Value
from treetalk.importing.table import Table, Values, select

if TYPE_CHECKING:
    from numpy.typing import NDArray

MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "?", "-"})
MOSTLY = 0.8  # a column of which so many cells are of a kind is meant to be of that kind
GROUPED = re.compile(r"[+-]?\d{1,3}(\.\d{3})+(,\d*)?")  # 1.234.567,8
ZEROS_FIRST = re.compile(r"\s*0\d+\s*")  # 01067: a post code, an article, but no number
FEWEST_WORDS, FEWEST_CHARACTERS = 4, 30  # of what is text to be read
NUM_LOOKED_AT = 2_000
DATE = re.compile(r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ]\d{1,2}:\d{2}.*)?")


class Cells:
    """A column and what its cells are.

    Attributes
    ----------
    numbers : float array
        The numbers, NaN where a cell is missing or holds something else. Of shape (rows, k) for a block.
    missing : bool array
        Where a cell is missing; of a block, where any of a row's numbers is.
    bad : int array
        The rows whose cell is neither missing nor a finite number.
    """

    def __init__(self, name: str, values: Values, *, has_decimal_commas: bool = False) -> None:
        self.name, self.values = name, values
        self.is_block = isinstance(values, np.ndarray) and values.ndim == 2
        self.numbers, self.missing, is_bad, self._num_like_numbers = _understood(values, has_decimal_commas)
        self.bad = np.flatnonzero(is_bad)

    def __len__(self) -> int:
        return len(self.values)

    def keep(self, mask: NDArray[np.bool_]) -> Cells:
        """Return the cells in some of the rows; what they are was found from all of them."""
        kept = Cells.__new__(Cells)
        kept.name, kept.values, kept.is_block = self.name, select(self.values, mask), self.is_block
        kept.numbers, kept.missing = self.numbers[mask], self.missing[mask]
        is_bad = np.zeros(len(self), bool)
        is_bad[self.bad] = True
        kept.bad = np.flatnonzero(is_bad[mask])
        kept.is_numeric, kept.is_coded = self.is_numeric, self.is_coded
        return kept

    @cached_property
    def is_numeric(self) -> bool:
        """Whether most of the cells that are not missing hold numbers, and no code."""
        return self.is_block or (self._is_mostly_numbers and not self.is_coded)

    @cached_property
    def is_coded(self) -> bool:
        """Whether these look like numbers, but some have leading zeros, as post codes have."""
        if not self._is_mostly_numbers or isinstance(self.values, np.ndarray):
            return False
        return any(isinstance(value, str) and "0" in value and ZEROS_FIRST.fullmatch(value) for value in self.values)

    @cached_property
    def _is_mostly_numbers(self) -> bool:
        filled = len(self) - int(self.missing.sum())
        return filled > 0 and self._num_like_numbers >= MOSTLY * filled

    @cached_property
    def is_empty(self) -> bool:
        """Whether every cell is missing."""
        return bool(self.missing.all())

    @cached_property
    def is_whole(self) -> bool:
        """Whether the cells that are not missing are all whole numbers."""
        filled = self.numbers[~self.missing]
        return (
            not self.is_block and not self.bad.size and bool(filled.size) and bool((filled == np.floor(filled)).all())
        )

    @cached_property
    def strings(self) -> list[str | None]:
        """The cells as strings without blanks around them, None where missing."""
        texts = [as_string(value) for value in self.values]
        return [None if gone else text for text, gone in zip(texts, self.missing.tolist(), strict=True)]

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each string occurs."""
        return Counter(text for text in self.strings if text is not None)

    @cached_property
    def is_date(self) -> bool:
        """Whether most of the cells that are not missing are dates."""
        total = sum(self.counts.values())
        found = sum(count for text, count in self.counts.items() if DATE.fullmatch(text))
        return total > 0 and found >= MOSTLY * total

    @cached_property
    def is_long(self) -> bool:
        """Whether the strings are texts to be read rather than names."""
        texts = [text for text in self.strings[:NUM_LOOKED_AT] if text is not None]
        if not texts:
            return False
        num_words = median(len(text.split()) for text in texts)
        is_one_word = num_words < 2 and all(text.isascii() for text in texts)  # an address or a code
        return num_words >= FEWEST_WORDS or (median(map(len, texts)) >= FEWEST_CHARACTERS and not is_one_word)

    @cached_property
    def is_constant(self) -> bool:
        """Whether all cells that are not missing are the same."""
        if self.is_numeric:
            filled = self.numbers[~self.missing]
            return len(filled) == 0 or bool((filled == filled[0]).all())
        return len(self.counts) <= 1

    def shown(self) -> list[Value]:
        """Return the cells as they are shown: numbers as numbers, anything else as it was written, None where empty."""
        if isinstance(self.values, np.ndarray):
            return [None if value != value else value for value in self.values.tolist()]
        if not self.is_numeric:
            return [_written(value) for value in self.values]
        is_whole = self.is_whole and not any(_has_fraction(value) for value in self.values)
        cells = zip(self.values, self.numbers.tolist(), self.missing.tolist(), strict=True)
        result: list[Value] = []
        for value, number, gone in cells:
            if gone:
                result.append(None)
            elif number != number or isinstance(value, bool):
                result.append(_written(value))
            elif is_whole:
                result.append(_whole(value, number))
            else:
                result.append(number)
        return result


def understand(table: Table, names: list[str] | None = None) -> dict[str, Cells]:
    """Return the cells of a table's columns, or of some of them."""
    commas = table.has_decimal_commas
    wanted = table.columns if names is None else names
    return {name: Cells(name, table.columns[name], has_decimal_commas=commas) for name in wanted}


def as_string(value: Any) -> str:
    """Return a cell as a string without blanks around it; whole numbers have no decimal point."""
    if value is None:
        return ""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    return str(value).strip()


def _written(value: Any) -> Value:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return value if value.strip() else None
    return as_string(value)


def _has_fraction(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, str) and ("." in value or "," in value))


def _whole(value: Any, number: float) -> int:
    try:
        return int(value)  # exact beyond the 53 bits of a float
    except ValueError:
        return int(number)


def _understood(
    values: Values, has_decimal_commas: bool
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], int]:
    """Return the numbers, where they are missing, where a cell is no finite number, and how many look like numbers."""
    if isinstance(values, np.ndarray):
        numbers = values.astype(np.float64)
    else:
        found = _all_numbers(values)
        if found is None:
            return _one_by_one(values, has_decimal_commas)
        numbers = found
    missing, infinite = np.isnan(numbers), np.isinf(numbers)
    if numbers.ndim == 2:
        missing, infinite = np.asarray(missing.any(axis=1)), np.asarray(infinite.any(axis=1))
    else:
        numbers[infinite] = np.nan
    return numbers, missing, infinite, len(values) - int(missing.sum())


def _all_numbers(values: list[Any]) -> NDArray[np.float64] | None:
    """Return the cells as numbers if Python reads each of them as one, which is the quick way."""
    try:
        numbers = np.array(list(map(float, values)))
    except (ValueError, TypeError, OverflowError):
        return None
    # Python reads 1_000 as a number, people do not.
    has_underscores = any(isinstance(value, str) and "_" in value for value in values)
    return None if has_underscores else numbers


def _one_by_one(
    values: list[Any], has_decimal_commas: bool
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], int]:
    numbers = np.full(len(values), np.nan)
    missing, bad = np.zeros(len(values), bool), np.zeros(len(values), bool)
    uses_commas = has_decimal_commas and any(isinstance(value, str) and "," in value for value in values)
    is_percentage = _are_percentages(values, uses_commas)
    num_like_numbers = 0
    for row, value in enumerate(values):
        if _is_missing(value):
            missing[row] = True
            continue
        number = _number(value.rstrip()[:-1] if is_percentage else value, uses_commas)
        if number is None:
            bad[row] = True
        elif number != number:
            missing[row] = True
        else:
            num_like_numbers += 1
            if abs(number) == np.inf:
                bad[row] = True
            else:
                numbers[row] = number
    return numbers, missing, bad, num_like_numbers


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in MISSING)


def _are_percentages(values: list[Any], uses_commas: bool) -> bool:
    """Return whether every cell that is not missing is a number with a percent sign."""
    # 12% beside 0.12 is left as it is: nobody knows whether the latter is a share or a percentage.
    has_any = False
    for value in values:
        if _is_missing(value):
            continue
        if not isinstance(value, str) or not value.rstrip().endswith("%"):
            return False
        if _number(value.rstrip()[:-1], uses_commas) is None:
            return False
        has_any = True
    return has_any


def _number(value: Any, uses_commas: bool) -> float | None:
    if isinstance(value, str):
        text = value.strip()
        if "_" in text:
            return None
        if uses_commas:
            if "." in text and not GROUPED.fullmatch(text):
                return None
            text = text.replace(".", "").replace(",", ".")
    elif isinstance(value, int | float | np.number | np.bool_):
        text = value  # type: ignore[assignment]
    else:
        return None
    try:
        return float(text)
    except ValueError:
        return None
    except OverflowError:
        return np.inf
