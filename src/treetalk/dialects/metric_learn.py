"""Tuples as metric-learn has them (https://github.com/scikit-learn-contrib/metric-learn, version 0.7).

- A *triplet* (anchor, positive, negative) says that the first is nearer to the second than to the third
  (`_TripletsClassifierMixin.predict`). Anchor and positive belong together, apart from the negative; see
  `treetalk.dialects.cblearn` on what that means in a hierarchy.
- A *quadruplet* (a, b, c, d) says that a and b are nearer to each other than c and d are
  (`_QuadrupletsClassifierMixin.predict`). That says something about a hierarchy only if the two pairs share an item.
- *Pairs* with 1 or -1 are must-links and cannot-links: `treetalk.dialects.from_links` reads them.

Items are numbers of rows of X, as for metric-learn's `preprocessor`, or the rows themselves.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import Items, as_array, format_item
from treetalk.data import as_data
from treetalk.dialects.said import Finder, Said, as_names, as_numbered, item_numbers, said_rows
from treetalk.dialects.tables import in_known_order, is_header, load_arrays, read_rows
from treetalk.errors import FormatError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

HEADERS = (("anchor", "positive", "negative"),)
QUADRUPLET = ("a", "b", "c", "d")
SIZES = (3, 4)


def from_metric_learn(
    tuples: ArrayLike,
    *,
    X: ArrayLike | None = None,
    items: Iterable[object] | None = None,
    num_leaves: int | None = None,
) -> Said:
    """Return the triplets of metric-learn's triplets or quadruplets.

    Parameters
    ----------
    tuples : array of shape (m, 3), (m, 4), (m, 3, d) or (m, 4, d), or data frame
        Numbers of rows of X, counted from 0, or names where `items` is given; or the rows themselves. The columns of
        a data frame are called anchor, positive and negative, in any order, or a, b, c and d, or are only numbered.
    X : array of shape (num_items, d), optional
        The data, needed to find out which rows these are. Each must be equal to exactly one row.
    items : sequence of str, optional
        The names of the items.
    num_leaves : int, optional
        The number of items; by default that of the rows of X, if it is given.
    """
    array = as_array(in_known_order(tuples, (*HEADERS, QUADRUPLET), "metric-learn's tuples"), "tuples")
    rows_of_items = None if X is None else as_data(X)
    names, count = as_names(items, num_leaves)
    if rows_of_items is not None:
        if count is not None and count != len(rows_of_items):
            raise ValueError(f"X has {len(rows_of_items)} rows, and there are {count} items")
        count = len(rows_of_items)
    if array.size == 0 and array.ndim < 2:
        return Said([], items=names)
    if array.ndim not in {2, 3} or array.shape[1] not in SIZES:
        pairs = "; pairs are must-links and cannot-links: from_links" if array.ndim > 1 and array.shape[1] == 2 else ""
        shapes = "(m, 3) or (m, 4), of item numbers, or (m, 3, d) or (m, 4, d), of points"
        raise ValueError(f"tuples must have the shape {shapes}; their shape is {array.shape}{pairs}")
    what = "triplet" if array.shape[1] == 3 else "quadruplet"
    if array.ndim == 3:
        if rows_of_items is None:
            raise ValueError("the tuples hold points, so X is needed to find out which rows these are")
        numbers = _rows_of_points(array, rows_of_items, what)
    else:
        numbers = item_numbers(array, names, count, what)
    if what == "quadruplet":
        numbers = _of_quadruplets(numbers, names)
    return said_rows(numbers, np.arange(len(numbers)), what, items=names)


def to_metric_learn(
    triplets: ArrayLike,
    *,
    X: ArrayLike | None = None,
    items: Iterable[object] | None = None,
    num_leaves: int | None = None,
) -> NDArray[np.int64] | NDArray[np.float64]:
    """Return triplets (anchor, positive, negative) for metric-learn: numbers of rows, or the rows of X if it is given.

    The triplets are of item numbers, or of names where there are `items`.
    """
    data = None if X is None else as_data(X)
    numbers = as_numbered(triplets, items, num_leaves if data is None else len(data))[0].astype(np.int64)
    return numbers if data is None else data[numbers]


def read_metric_learn(
    path: str | os.PathLike[str],
    *,
    by: str = "number",
    X: ArrayLike | None = None,
    items: Iterable[object] | None = None,
    num_leaves: int | None = None,
    encoding: str | None = None,
) -> Said:
    """Return the triplets of a .npy file, or of a CSV or TSV file with three or four items in each row.

    A CSV file needs no header, for the dialect says what the columns are.
    """
    file = Path(path)
    names, count = as_names(items, num_leaves)
    arrays = load_arrays(file)
    try:
        if arrays is not None:
            if len(arrays) != 1:
                raise ValueError(f"one array of tuples is needed; there are {', '.join(map(repr, arrays)) or 'none'}")
            return from_metric_learn(next(iter(arrays.values())), X=X, items=names, num_leaves=count)
        rows = read_rows(file, encoding)
        if is_header(rows[0][1], HEADERS, names if by == "name" else None):
            rows = rows[1:]
        finder = Finder(names, count, by, file.name)
        tuples = _of_rows(rows, finder)
        said = from_metric_learn(np.array(tuples, np.int64), X=X, items=names, num_leaves=count)
    except FormatError:
        raise
    except (TypeError, ValueError) as error:
        raise FormatError(str(error), source=file.name) from None
    return said.at([line for line, _ in rows])


def _of_rows(rows: list[tuple[int, list[str]]], finder: Finder) -> list[list[int]]:
    width = len(rows[0][1]) if rows else 3
    if width not in SIZES:
        raise FormatError(f"there are {width} cells, and 3 or 4 are needed", line=rows[0][0], source=finder.source)
    tuples = []
    for line, row in rows:
        try:
            if len(row) != width:
                raise ValueError(f"there are {len(row)} cells, and {width} are needed")
            numbers = [finder.item(cell.strip(), f"cell {place}") for place, cell in enumerate(row, 1)]
            if width == 3:
                finder.check_distinct((numbers[0], numbers[1], numbers[2]))
            else:
                _of_quadruplet(numbers, finder.items)
            tuples.append(numbers)
        except ValueError as error:
            finder.note(line, error)
    finder.check()
    return tuples


def _of_quadruplets(numbers: NDArray[np.int64], items: Items | None) -> NDArray[np.int64]:
    triplets = np.empty((len(numbers), 3), np.int64)
    for row, four in enumerate(numbers.tolist()):
        try:
            triplets[row] = _of_quadruplet(four, items)
        except ValueError as error:
            raise ValueError(f"quadruplet {row}: {error}") from None
    return triplets


def _of_quadruplet(four: list[int], items: Items | None) -> tuple[int, int, int]:
    """Return the triplet that a quadruplet says, if its pairs share one item: nearer to one than to another."""
    near, far = set(four[:2]), set(four[2:])
    shared = near & far
    if len(near) == len(far) == 2 and len(shared) == 1:
        (both,), (one,), (other,) = shared, near - shared, far - shared
        return both, one, other
    a, b, c, d = (format_item(item, items) for item in four)
    compares = f"{a} and {b} with {c} and {d}"
    if len(near) < 2 or len(far) < 2 or len(shared) == 2:
        raise ValueError(f"it compares {compares}, and so says nothing about three different items")
    raise ValueError(
        f"it compares {compares}; which of two pairs without a common item are nearer says nothing about which of them "
        "belong together in a hierarchy, so it cannot be taken in"
    )


def _rows_of_points(points: NDArray[Any], X: NDArray[np.float64], what: str) -> NDArray[np.int64]:
    """Return which rows of X points of shape (m, k, d) are."""
    if points.dtype.kind not in "biuf" or points.shape[2] != X.shape[1]:
        raise ValueError(f"points have {points.shape[2]} features, and X has {X.shape[1]}")
    # Adding 0 makes 0 of -0, which is the same number in other bytes.
    places: dict[bytes, list[int]] = {}
    for row, point in enumerate(X + 0.0):
        places.setdefault(point.tobytes(), []).append(row)
    numbers = np.empty(points.shape[:2], np.int64)
    values = np.ascontiguousarray(points, np.float64) + 0.0
    for row, place in np.ndindex(*numbers.shape):
        found = places.get(values[row, place].tobytes(), [])
        if len(found) != 1:
            equal = f"equal to rows {found[0]} and {found[1]} of X" if found else "equal to no row of X"
            advice = "; give row numbers instead" if found else ""
            raise ValueError(f"{what} {row}: point {place} is {equal}{advice}")
        numbers[row, place] = found[0]
    return numbers
