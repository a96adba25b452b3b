"""The cells of a column, understood: which are missing, which are numbers, and which are neither."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Set
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.importing.numerals import MOSTLY, numbers_in
from treetalk.importing.results import Value
from treetalk.importing.table import Table, Values, select

if TYPE_CHECKING:
    from numpy.typing import NDArray

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

    def __init__(
        self, name: str, values: Values, *, has_decimal_commas: bool = False, is_of_numbers: bool = False
    ) -> None:
        self.name, self.values = name, values
        self.is_block = isinstance(values, np.ndarray) and values.ndim == 2
        found = numbers_in(values, has_decimal_commas=has_decimal_commas, is_of_numbers=is_of_numbers)
        self.numbers, self.missing, self._num_like_numbers = found.numbers, found.missing, found.num_like_numbers
        self.bad = np.flatnonzero(found.bad)

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


def understand(
    table: Table, commas: Set[str], names: Iterable[str] | None = None, numbers: Set[str] = frozenset()
) -> dict[str, Cells]:
    """Return the cells of a table's columns, or of some of them.

    Parameters
    ----------
    table : Table
        The table.
    commas : set of str
        The columns that have decimal commas.
    names : iterable of str, optional
        The columns that are wanted.
    numbers : set of str
        The columns that are known to be numbers, whatever the few cells at hand look like.
    """
    wanted = table.columns if names is None else names
    return {
        name: Cells(name, table.columns[name], has_decimal_commas=name in commas, is_of_numbers=name in numbers)
        for name in wanted
    }


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
