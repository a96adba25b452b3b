"""Cells as numbers: which words mark a missing value, and what is read as a number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treetalk.importing.table import Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "?"})
# In a column of strings these two are values: no pain, a negative test.
MISSING_AMONG_NUMBERS = MISSING | {"none", "-"}
MOSTLY = 0.8  # a column of which so many cells are of a kind is meant to be of that kind
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?")  # 1.234.567,8


class Found(NamedTuple):
    """The numbers in a column; arrays with an entry for each row."""

    numbers: NDArray[np.float64]  # NaN where there is none
    missing: NDArray[np.bool_]
    bad: NDArray[np.bool_]  # where a cell is neither missing nor a finite number
    num_like_numbers: int  # also of infinite ones


def numbers_in(values: Values, *, has_decimal_commas: bool = False, is_of_numbers: bool = False) -> Found:
    """Return the numbers in a column.

    Parameters
    ----------
    values : list or array
        The cells.
    has_decimal_commas : bool
        Whether 1,5 is one and a half, and 1.500 is one and a half thousand.
    is_of_numbers : bool
        Whether the column is known to be one of numbers, in which "none" and "-" mark a missing value; otherwise it is
        one of numbers if most of its other cells are.
    """
    if isinstance(values, np.ndarray):
        numbers = values.astype(np.float64)
    else:
        # Python takes 1.500 for one and a half.
        found = None if has_decimal_commas else _all_numbers(values)
        if found is None:
            return _one_by_one(values, has_decimal_commas, is_of_numbers)
        numbers = found
    missing, infinite = np.isnan(numbers), np.isinf(numbers)
    if numbers.ndim == 2:
        missing, infinite = np.asarray(missing.any(axis=1)), np.asarray(infinite.any(axis=1))
    else:
        numbers[infinite] = np.nan
    return Found(numbers, missing, infinite, len(values) - int(missing.sum()))


def is_missing(value: Any, words: frozenset[str] = MISSING) -> bool:
    """Return whether a cell is empty, or holds a word that says so."""
    return value is None or (isinstance(value, str) and value.strip().lower() in words)


def _all_numbers(values: list[Any]) -> NDArray[np.float64] | None:
    """Return the cells as numbers if Python reads each of them as one, which is the quick way."""
    try:
        numbers = np.array(list(map(float, values)))
    except (ValueError, TypeError, OverflowError):
        return None
    # Python reads 1_000 as a number, people do not.
    has_underscores = any(isinstance(value, str) and "_" in value for value in values)
    return None if has_underscores else numbers


def _one_by_one(values: list[Any], uses_commas: bool, is_of_numbers: bool) -> Found:
    numbers = np.full(len(values), np.nan)
    missing, unsure, bad = (np.zeros(len(values), bool) for _ in range(3))
    is_percentage = _are_percentages(values, uses_commas)
    num_like_numbers = 0
    for row, value in enumerate(values):
        if is_missing(value, MISSING_AMONG_NUMBERS):
            (missing if is_missing(value) else unsure)[row] = True
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
    filled = len(values) - int((missing | unsure).sum())
    is_of_numbers = is_of_numbers or (filled > 0 and num_like_numbers >= MOSTLY * filled)
    (missing if is_of_numbers else bad)[unsure] = True
    return Found(numbers, missing, bad, num_like_numbers)


def _are_percentages(values: list[Any], uses_commas: bool) -> bool:
    """Return whether every cell that is not missing is a number with a percent sign."""
    # 12% beside 0.12 is left as it is: nobody knows whether the latter is a share or a percentage.
    has_any = False
    for value in values:
        if is_missing(value, MISSING_AMONG_NUMBERS):
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
