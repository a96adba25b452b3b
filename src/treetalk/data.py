"""Data as users have them, turned into an array of numbers; what is wrong with them, said with its row and column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import as_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def as_data(X: ArrayLike, *, at_least: int = 2) -> NDArray[np.float64]:
    """Return data as a new array of finite numbers, of shape (items, features)."""
    if hasattr(X, "toarray"):
        raise TypeError(f"X is a sparse {type(X).__name__}; reduce it to some dozens of columns first (TruncatedSVD)")
    if isinstance(X, str | bytes) or not (isinstance(X, Iterable) or hasattr(X, "__array__")):
        raise TypeError(f"X must be an array with a row for each item, not {X!r}")
    given: Any = X
    if np.ma.isMaskedArray(given):
        given = np.ma.filled(np.ma.array(given, dtype=np.float64), np.nan)
    array = as_array(given if hasattr(given, "__array__") else list(given), "X")
    if array.size == 0 and (array.ndim < 2 or len(array) == 0):
        raise ValueError(f"X is empty: its shape is {array.shape}; at least {at_least} items are needed")
    if array.ndim != 2:
        raise ValueError(f"X must have the shape (items, features); its shape is {array.shape}")
    num_items, num_columns = array.shape
    if num_columns == 0:
        raise ValueError(f"X has {num_items} rows but no columns; Chain.of_prior samples hierarchies without data")
    if num_items < at_least:
        raise ValueError(f"X has one row; a hierarchy needs at least {at_least} items")
    numbers = _as_numbers(array)
    for wrong, what in ((np.isnan(numbers), "missing values (NaN)"), (np.isinf(numbers), "infinite values")):
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise ValueError(
                f"X has {what}, the first in row {row}, column {column}; "
                "fill them in or leave out these rows or columns first"
            )
    return numbers


def names_of_rows(X: object) -> list[str] | None:
    """Return the labels of a data frame's rows, if they are strings."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or not isinstance(index, Iterable):
        return None
    labels = list(index)
    if not all(isinstance(label, str) for label in labels):
        return None
    seen: set[str] = set()
    for row, label in enumerate(labels):
        if label in seen:
            raise ValueError(
                f"the label of row {row}, {label!r}, is that of another row too; give items, or use reset_index(drop=True)"
            )
        seen.add(label)
    return labels


def _as_numbers(array: NDArray[Any]) -> NDArray[np.float64]:
    if array.dtype.kind in "biuf":
        return np.array(array, dtype=np.float64, order="C")
    if array.dtype.kind != "O":
        raise TypeError(f"X must hold numbers; its dtype is {array.dtype}")
    result = np.empty(array.shape)
    for (row, column), value in np.ndenumerate(array):
        if value is None or type(value).__name__ in {"NAType", "NaTType"}:
            result[row, column] = np.nan
        elif isinstance(value, bool | int | float | np.number | np.bool_) and not isinstance(value, np.complexfloating):
            try:
                result[row, column] = float(value)
            except OverflowError:
                result[row, column] = np.inf
        else:
            raise TypeError(f"X must hold numbers; row {row}, column {column} holds {value!r}")
    return result
