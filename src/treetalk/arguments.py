"""What users pass in, turned into arrays; what is wrong with it, said in one sentence that names the culprit."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

A, B, C = 0, 1, 2  # the columns of an array of triplets
NO_TRIPLETS = np.empty((0, 3), np.int32)
COLUMNS = ("a", "b", "c")  # those of a data frame
MOST_COMPARED = 10_000
MOST_WEIGHT = 1e100


class Frozen:
    """A base for objects that never change: attributes are set once, in ``__init__``, and begin with an underscore."""

    def __setattr__(self, name: str, value: object) -> None:
        # cached_property writes to __dict__ directly, so it does not pass through here.
        if name in self.__dict__ or not name.startswith("_"):
            raise AttributeError(f"a {type(self).__name__} never changes: {name!r} cannot be set")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} never changes: {name!r} cannot be deleted")


class Items(tuple[str, ...]):
    """The names of items: a tuple that also knows the number of each."""

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each item."""
        return {name: number for number, name in enumerate(self)}


def as_items(items: Iterable[object], num_leaves: int | None = None) -> Items:
    """Return item names, distinct strings, `num_leaves` of them if given.

    Names are strings. The numbers 0, 1, 2, ... are taken for names too, but no other ones: whoever wrote 7 later would
    mean the item called 7, and get item number 7.
    """
    if isinstance(items, str | bytes | Mapping | Set) or not isinstance(items, Iterable):
        raise TypeError(f"items must be a sequence of names, not {type(items).__name__}")
    if isinstance(items, Items) and num_leaves in {None, len(items)}:
        return items
    given = tuple(items)
    for number, name in enumerate(given):
        if isinstance(name, str):
            continue
        if isinstance(name, bool | np.bool_) or not isinstance(name, int | np.integer):
            raise TypeError(f"item names must be strings; that of item {number} is {name!r}")
        if name != number:
            raise TypeError(f"item {number} is named {name!r}, a number, which means another item; use str({name!r})")
    names = Items(map(str, given))
    if num_leaves is not None and len(names) != num_leaves:
        raise ValueError(f"{len(names)} item names were given for a tree with {num_leaves} leaves")
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        first = names.index(twice)
        second = names.index(twice, first + 1)
        raise ValueError(f"item names must be unique: {twice!r} is the name of items {first} and {second}")
    return names


def nearest(wanted: str, names: Iterable[str], most: int = 3) -> list[str]:
    """Return the names that are most like one that was wanted; capitals do not matter."""
    by_folded: dict[str, list[str]] = {}
    for name in names:
        by_folded.setdefault(name.casefold(), []).append(name)
    near = difflib.get_close_matches(wanted.casefold(), by_folded, n=most)
    return [name for folded in near for name in by_folded[folded]][:most]


def unknown_item(name: object, known: Iterable[str]) -> str:
    """Return a sentence about a name that no item has, with the nearest ones that there are."""
    wanted = str(name)
    # Comparing with very many names would take seconds, so compare with those that begin alike.
    names = list(known)
    if len(names) > MOST_COMPARED:
        names = [known_name for known_name in names if known_name[:2].lower() == wanted[:2].lower()][:MOST_COMPARED]
    near = nearest(wanted, names)
    return f"there is no item {name!r}" + (f"; did you mean {' or '.join(map(repr, near))}?" if near else "")


def as_leaf(value: object, num_leaves: int, items: Items | None) -> int:
    """Return a leaf given by its number or its item's name."""
    if isinstance(value, str):
        if items is None:
            raise ValueError(f"{value!r} is a name, but the items have no names; give the item's number")
        if value not in items.numbers:
            raise ValueError(unknown_item(value, items))
        return items.numbers[value]
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"an item is given by its number or its name, not by {value!r}")
    if not 0 <= value < num_leaves:
        raise ValueError(f"there is no item {value}: items are numbered from 0 to {num_leaves - 1}")
    return int(value)


def as_leaves(values: Iterable[object], num_leaves: int, items: Items | None) -> NDArray[np.int32]:
    """Return distinct leaves, given by number or name, in the order given."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"leaves must be a sequence of items, not {values!r}")
    array = as_array(values if hasattr(values, "__array__") else list(values), "leaves")
    if array.ndim != 1:
        raise ValueError(f"leaves must be a one-dimensional sequence; its shape is {array.shape}")
    if array.size == 0:
        raise ValueError("no leaves were given; at least one is needed")
    if array.dtype.kind in "iu":
        outside = np.flatnonzero((array < 0) | (array >= num_leaves))
        if outside.size:
            as_leaf(int(array[outside[0]]), num_leaves, None)
    else:
        array = np.array([as_leaf(value, num_leaves, items) for value in array.tolist()])
    leaves = array.astype(np.int32)
    in_order = np.sort(leaves)
    repeated = in_order[1:][in_order[1:] == in_order[:-1]]
    if repeated.size:
        times = np.count_nonzero(leaves == repeated[0])
        raise ValueError(f"item {format_item(repeated[0], items)} was given {times} times; leaves must be distinct")
    return leaves


def items_of(triplets: object) -> Items | None:
    """Return the item names that a set of triplets carries, None for a plain array."""
    names = getattr(triplets, "items", None)
    return names if isinstance(names, Items) else None


def as_array(values: Any, what: str) -> NDArray[Any]:
    """Return an array in which strings are Python's: NumPy's own drop null characters at the end."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{what} must be an array, and an array cannot have rows of different lengths") from None
    return np.asarray(values, dtype=object) if array.dtype.kind in "US" else array


def column_names(table: Any) -> list[str] | None:
    """Return the names of the columns of a data frame or a structured array, in small letters, as files have them too.

    None stands for what has no such names: another object, or a data frame whose columns are only numbered.
    """
    names: Any = getattr(getattr(table, "dtype", None), "names", None)
    if names is None:
        columns = getattr(table, "columns", None)
        if columns is None or callable(columns) or not hasattr(table, "__array__"):
            return None
        names = _original_names(table)
        # As pandas and Polars number them.
        if names in (list(range(len(names))), [f"column_{place}" for place in range(len(names))]):
            return None
    return [str(name).strip().lower() for name in names]


def stacked(table: Any, order: Sequence[str]) -> NDArray[Any]:
    """Return columns of a data frame or a structured array, each of which it has once, side by side in this order."""
    names, original = column_names(table) or [], _original_names(table)
    columns = [np.asarray(table[original[names.index(name)]]) for name in order]
    is_numeric = all(column.dtype.kind in "iuf" for column in columns)
    return np.column_stack(columns if is_numeric else [column.astype(object) for column in columns])


def _original_names(table: Any) -> list[Any]:
    fields = getattr(getattr(table, "dtype", None), "names", None)
    if fields is not None:
        return list(fields)
    # The columns of an Arrow table are what is in them.
    return list(table.column_names if hasattr(type(table), "column_names") else table.columns)


def in_order(triplets: Any) -> Any:
    """Return triplets whose columns have names, a, b and c in any order, as an array; others as they are."""
    names = column_names(triplets)
    if names is None:
        labels: Any = getattr(triplets, "index", None)
        is_row = labels is not None and not callable(labels) and np.shape(triplets) == (3,)
        if is_row and sorted(map(str, labels)) == list(COLUMNS):
            return np.array([triplets[name] for name in COLUMNS], dtype=object)  # a row of a data frame
        return triplets
    if sorted(names) == list(COLUMNS):
        return stacked(triplets, COLUMNS)
    meaning = "the columns of triplets are a, b and c, of which c is the odd one"
    if set(COLUMNS) <= set(names) and len(set(names)) == len(names):
        further = ", ".join(repr(name) for name in names if name not in COLUMNS)
        raise ValueError(
            f"{meaning}; here {further} would be lost: select a, b and c, or take in what the others say with "
            "treetalk.dialects.read_triplets(frame, 'treetalk', items=...)"
        )
    raise ValueError(
        f"{meaning}; these are {', '.join(map(repr, names))}: name them so, or give an array in this order"
    )


def is_missing(value: Any) -> bool:
    """Return whether a cell of a data frame is empty: None, not a number, or what pandas has for that."""
    return value is None or type(value).__name__ == "NAType" or bool(np.ndim(value) == 0 and value != value)


def no_items(array: NDArray[Any], what: str) -> TypeError:
    """Return an error about an array that holds no items; `what` is what its rows are called."""
    advice = ""
    if array.dtype.kind == "f" and array.size:
        missing = np.argwhere(np.isnan(array))
        if missing.size:
            advice = f", and in row {missing[0][0]} one is missing"
        elif np.array_equal(array, np.floor(array)):
            advice = "; make integers of them: .astype(int)"
    return TypeError(f"{what} must hold item numbers (integers) or item names; their dtype is {array.dtype}{advice}")


def as_triplets(triplets: ArrayLike, num_leaves: int, items: Items | None = None) -> NDArray[np.int32]:
    """Return triplets ab|c as a new int array of shape (m, 3), the odd one last.

    Items are given by number, or by name where `items` holds their names; the columns of a data frame are a, b and c, in
    any order. A wrong dtype or shape, an unknown item and a triplet that names one item twice are errors that say which
    row is at fault. Numbers are integers here and everywhere: 3.0 is refused, as it is where NumPy takes an index.
    """
    triplets = in_order(triplets)
    names = items_of(triplets)
    if names is not None and items is not None and names != items:
        # A set over other items, or the same in another order: its names count, not its numbers.
        triplets = np.array(names, dtype=object)[np.asarray(triplets)]
    if isinstance(triplets, Iterable) and not isinstance(triplets, Sequence) and not hasattr(triplets, "__array__"):
        triplets = cast("ArrayLike", list(triplets))  # a set, a generator
    try:
        array = as_array(triplets, "triplets")
    except ValueError:
        rows = enumerate(cast("Iterable[Any]", triplets))
        for row, given in rows:
            three = list(given) if isinstance(given, Iterable) else []
            if len(three) != 3 or any(isinstance(item, list | tuple) for item in three):
                raise ValueError(f"triplet {row} is {given!r}; a triplet has three items, the odd one last") from None
        raise
    if array.shape in {(0,), (0, 0), (0, 3)}:
        return np.empty((0, 3), np.int32)
    if array.ndim == 1 and array.shape[0] == 3:
        raise ValueError("triplets must have the shape (m, 3); wrap a single triplet: [(a, b, c)]")
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"triplets must have the shape (m, 3), the odd one last; their shape is {array.shape}")
    if array.dtype.kind in "iu":
        bad_row, bad_column = np.nonzero((array < 0) | (array >= num_leaves))
        if bad_row.size:
            row = int(bad_row[0])
            shown = ", ".join(map(str, array[row].tolist()))
            raise ValueError(
                f"triplet {row} ({shown}): there is no item {array[row, bad_column[0]]}; "
                f"items are numbered from 0 to {num_leaves - 1}"
            )
        result = array.astype(np.int32, order="C")
    elif array.dtype.kind in "OT":
        result = _triplets_by_name(array, num_leaves, items)
    else:
        raise no_items(array, "triplets")
    for left, right in ((A, B), (A, C), (B, C)):
        same = np.flatnonzero(result[:, left] == result[:, right])
        if same.size:
            row = int(same[0])
            raise ValueError(
                f"triplet {row} ({format_triplet(result[row], items)}): {'abc'[left]} and {'abc'[right]} are the same "
                f"item, {format_item(result[row, left], items)}"
            )
    return result


def as_rows(said: object) -> list[tuple[object, ...]]:
    """Return what a user said, one triplet (a, b, c) or several, as a list of triplets; what is in them is not looked at."""
    said = in_order(said)
    wrong = TypeError(f"an answer is a triplet (a, b, c), the odd one last, or several, not {said!r}")
    if isinstance(said, str | bytes | Mapping | Set):
        raise wrong
    if hasattr(said, "__array__"):
        array = np.asarray(said)
        if array.ndim not in {1, 2}:
            raise wrong
        said = array.tolist()
    if not isinstance(said, Iterable):
        raise wrong
    rows = list(said)
    is_one = bool(rows) and not any(isinstance(row, Iterable) and not isinstance(row, str) for row in rows)
    if is_one:
        rows = [rows]
    triplets = [tuple(row) if isinstance(row, Iterable) and not isinstance(row, str) else (row,) for row in rows]
    for triplet in triplets:
        if len(triplet) != 3:
            shown = triplet[0] if len(triplet) == 1 else triplet
            raise ValueError(f"a triplet has three items, the odd one last, not {shown!r}")
    return triplets


def _triplets_by_name(array: NDArray[Any], num_leaves: int, items: Items | None) -> NDArray[np.int32]:
    result = np.empty(array.shape, np.int32)
    for row, values in enumerate(array.tolist()):
        for column, value in enumerate(values):
            if is_missing(value):
                raise ValueError(f"triplet {row}: {COLUMNS[column]} is missing")
            try:
                result[row, column] = as_leaf(value, num_leaves, items)
            except (TypeError, ValueError) as error:
                shown = ", ".join(map(str, values))
                raise type(error)(f"triplet {row} ({shown}): {error}") from None
    return result


def as_one_row(triplet: object) -> NDArray[np.object_]:
    """Return one triplet as an array of one row."""
    three = tuple(triplet) if isinstance(triplet, Iterable) and not isinstance(triplet, str) else (triplet,)
    if len(three) != 3:
        raise ValueError(f"a triplet has three items, the odd one last, not {triplet!r}")
    return np.array([three], dtype=object)


def as_seed(seed: object) -> int:
    """Return a seed: an integer, 0 or more."""
    if isinstance(seed, bool | np.bool_) or not isinstance(seed, int | np.integer):
        raise TypeError(f"seed must be an integer, not {seed!r}")
    if seed < 0:
        raise ValueError(f"seed must be 0 or more, not {seed}")
    return int(seed)


def as_count(value: object, what: str, least: int = 0) -> int:
    """Return a number of things: an integer, `least` or more."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{what} must be an integer, not {value!r}")
    if value < least:
        raise ValueError(f"{what} must be {least} or more, not {value}")
    return int(value)


def as_weight(value: object, what: str) -> float:
    """Return a weight: a number from 0 to `MOST_WEIGHT`."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= MOST_WEIGHT:  # type: ignore[operator]
        raise ValueError(f"{what} must be a number from 0 to {MOST_WEIGHT:g}, not {value!r}")
    return float(value)  # type: ignore[arg-type]


def format_item(item: object, items: Sequence[str] | None = None) -> str:
    """Return an item's name if there is one, else its number."""
    return items[int(item)] if items is not None else str(item)  # type: ignore[call-overload]


def format_triplet(triplet: Iterable[object], items: Sequence[str] | None = None) -> str:
    """Return a triplet in words: ``cat, lynx | dog``."""
    a, b, c = (format_item(item, items) for item in triplet)
    return f"{a}, {b} | {c}"
