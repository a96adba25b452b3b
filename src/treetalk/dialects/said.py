"""What was said elsewhere, as triplets: with the line on which each stands, who said it, and how long it took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treetalk.arguments import (
    A,
    B,
    C,
    Frozen,
    Items,
    as_count,
    as_items,
    as_triplets,
    format_triplet,
    is_missing,
    items_of,
    no_items,
    unknown_item,
)
from treetalk.errors import FormatError
from treetalk.wording import counted, in_one_sentence

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

NUM_SHOWN = 10
WAYS = ("number", "name")


class Circumstances(NamedTuple):
    """Where a triplet stands in its source, and what is known beside it."""

    line: int | None = None  # of a file from 1, of an array from 0
    who: str | None = None
    seconds: float | None = None
    comment: str | None = None


NOTHING_KNOWN = Circumstances()


class Said(Frozen):
    """Triplets ab|c that were said elsewhere, in the order in which they stand there. It never changes.

    It may be given wherever triplets are: ``session.answer(None, said)``, ``Chain(X, said)``,
    ``TripletSet(said.distinct(), num_leaves)``; and with what is known of each,
    ``project.answer(None, said, **said.circumstances)``.

    Attributes
    ----------
    triplets : int array of shape (m, 3)
        Item numbers, the odd one last.
    items : Items or None
        The names of the items, where they have names.
    num_left_out : int
        How many rows of the source say nothing: undecided, or not answered, or links without what they need.
    note : str or None
        Why there are no triplets, where that may surprise.
    """

    def __init__(
        self,
        triplets: Iterable[Sequence[int]],
        known: Iterable[Circumstances] | None = None,
        *,
        items: Items | None = None,
        num_left_out: int = 0,
        note: str | None = None,
    ) -> None:
        given = triplets if isinstance(triplets, np.ndarray) else list(triplets)
        self._triplets: NDArray[np.int32] = np.array(given, np.int32).reshape(-1, 3)
        self._triplets.flags.writeable = False
        self._known = tuple(known) if known is not None else (NOTHING_KNOWN,) * len(self._triplets)
        self._items, self._num_left_out, self._note = items, num_left_out, note

    @property
    def triplets(self) -> NDArray[np.int32]:
        """The triplets as an array of shape (m, 3), the odd one last."""
        return self._triplets

    @property
    def items(self) -> Items | None:
        """The names of the items, where they have names."""
        return self._items

    @property
    def num_left_out(self) -> int:
        """How many rows of the source say nothing."""
        return self._num_left_out

    @property
    def note(self) -> str | None:
        """Why there are no triplets, where that may surprise."""
        return self._note

    @property
    def known(self) -> tuple[Circumstances, ...]:
        """What is known of each triplet: its line, who said it, the seconds it took, a comment."""
        return self._known

    @property
    def lines(self) -> tuple[int | None, ...]:
        """Where each triplet stands in the source."""
        return tuple(each.line for each in self._known)

    @property
    def circumstances(self) -> dict[str, list[Any]]:
        """Who said each triplet, in how many seconds, with what comment, as `Project.answer` records it."""
        columns = {name: [getattr(each, name) for each in self._known] for name in ("who", "seconds", "comment")}
        return {name: values for name, values in columns.items() if any(value is not None for value in values)}

    def distinct(self) -> Said:
        """Return the same with each triplet once, the first: ab|c and ba|c are the same triplet."""
        keys = np.column_stack([np.sort(self._triplets[:, :C], axis=1), self._triplets[:, C]])
        _, first = np.unique(keys, axis=0, return_index=True)
        rows = np.sort(first)
        return self._with(self._triplets[rows], [self._known[row] for row in rows.tolist()])

    def at(self, lines: Sequence[int]) -> Said:
        """Return the same with the line of each row, where the triplets stand in rows so far."""
        known = [each if each.line is None else each._replace(line=lines[each.line]) for each in self._known]
        return self._with(self._triplets, known)

    def _with(self, triplets: NDArray[np.int32], known: list[Circumstances]) -> Said:
        return Said(triplets, known, items=self._items, num_left_out=self._num_left_out, note=self._note)

    def __len__(self) -> int:
        return len(self._triplets)

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        return ((a, b, c) for a, b, c in self._triplets.tolist())

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._triplets, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        aside = f", {counted(self._num_left_out, 'row')} left out" if self._num_left_out else ""
        why = f": {self._note}" if self._note else ""
        return f"<treetalk.dialects.Said: {counted(len(self), 'triplet')}{aside}{why}>"


class Finder:
    """Finds items by what a file calls them, and remembers what is wrong with its rows.

    Parameters
    ----------
    items : Items or None
        The names of the items.
    num_leaves : int or None
        Their number, where they have no names.
    by : {"number", "name"}
        Whether the cells of a file hold item numbers, counted from 0, or names.
    source : str or None
        The file's name; None where rows are not those of a file.
    """

    def __init__(self, items: Items | None, num_leaves: int | None, by: str, source: str | None) -> None:
        if by not in WAYS:
            raise ValueError(f'by must be "number" or "name", not {by!r}')
        if by == "name" and items is None:
            raise ValueError(f"{source or 'the source'} names its items, so items must hold the names")
        self.items, self.by, self.source = items, by, source
        self.num_leaves = len(items) if items is not None else num_leaves
        self.wrong: list[str] = []
        # To find names that are alike takes time, so it is done once for each name.
        self._unknown = cache(lambda name: unknown_item(name, self.items or ()))

    def item(self, cell: str, what: str) -> int:
        """Return the number of the item that a cell means; `what` is the cell's column."""
        if not cell:
            raise ValueError(f"{what} is empty")
        if self.by == "name":
            assert self.items is not None, "whoever names items knows their names"
            if cell not in self.items.numbers:
                raise ValueError(self._unknown(cell) if len(self.wrong) < NUM_SHOWN else f"there is no item {cell!r}")
            return self.items.numbers[cell]
        # Programs that keep whole numbers among others write 3.0 for 3.
        digits = cell.removesuffix(".0")
        if not (digits.isascii() and digits.isdigit()):
            advice = "say so: by name" if self.items is not None else "items must hold the names"
            named = f"; if the file names its items, {advice}"
            raise ValueError(f"{what} is {cell!r}, and no item number, which counts from 0{named}")
        number = int(digits)
        if self.num_leaves is not None and number >= self.num_leaves:
            raise ValueError(f"there is no item {number}: items are numbered from 0 to {self.num_leaves - 1}")
        return number

    def triplet(self, cells: Sequence[str], columns: Sequence[str]) -> tuple[int, int, int]:
        """Return the triplet of three cells, the odd one last."""
        a, b, c = (self.item(cell, what) for cell, what in zip(cells, columns, strict=True))
        self.check_distinct((a, b, c))
        return a, b, c

    def check_distinct(self, triplet: tuple[int, int, int]) -> None:
        """Refuse a triplet that names an item twice."""
        if len(set(triplet)) < 3:
            raise ValueError(f"{format_triplet(triplet, self.items)} names an item twice")

    def note(self, line: int, problem: object) -> None:
        """Remember what is wrong with a line."""
        self.wrong.append(f"{'row' if self.source is None else 'line'} {line}: {problem}")

    def check(self) -> None:
        """Raise an error about all that was wrong: everything is read, or nothing."""
        if self.wrong:
            raise FormatError(in_one_sentence(self.wrong, NUM_SHOWN), source=self.source)


def as_names(items: Iterable[object] | None, num_leaves: int | None) -> tuple[Items | None, int | None]:
    """Return the names of the items, if they have any, and their number, if it is known."""
    names = None if items is None else as_items(items, num_leaves)
    if names is not None:
        return names, len(names)
    return None, None if num_leaves is None else as_count(num_leaves, "num_leaves", 1)


def as_numbered(
    triplets: Any, items: Iterable[object] | None, num_leaves: int | None
) -> tuple[NDArray[np.int32], Items | None, int]:
    """Return triplets to be written as item numbers, the names of the items, if they have any, and how many there are."""
    names, count = as_names(items_of(triplets) if items is None else items, num_leaves)
    if count is None:
        array = np.asarray(triplets)
        count = int(array.max()) + 1 if array.size and array.dtype.kind in "iu" else 1
    return as_triplets(triplets, count, names), names, count


def item_numbers(
    array: NDArray[Any], items: Items | None, num_leaves: int | None, what: str, rows: NDArray[Any] | None = None
) -> NDArray[np.int64]:
    """Return an array of item numbers or names as numbers.

    In errors, `what` is what a row is called, and `rows` are the numbers of the rows in their source.
    """
    most = num_leaves if num_leaves is not None else np.iinfo(np.int32).max
    numbered = "0 on" if num_leaves is None else f"0 to {num_leaves - 1}"

    def wrong(row: int, problem: str) -> ValueError:
        shown = ", ".join("" if is_missing(value) else str(value) for value in array[row].tolist())
        return ValueError(f"{what} {row if rows is None else rows[row]} ({shown}): {problem}")

    if array.dtype.kind in "iu":
        bad = np.argwhere((array < 0) | (array >= most))
        if bad.size:
            row, column = bad[0].tolist()
            raise wrong(row, f"there is no item {array[row, column]}; items are numbered from {numbered}")
        return array.astype(np.int64)
    if array.dtype.kind not in "OTU":
        raise no_items(array, "queries" if what == "query" else f"{what}s")
    result = np.empty(array.shape, np.int64)
    for (row, column), value in np.ndenumerate(array):
        if isinstance(value, str) and items is not None and value in items.numbers:
            result[row, column] = items.numbers[value]
        elif isinstance(value, int | np.integer) and not isinstance(value, bool):
            if not 0 <= value < most:
                raise wrong(row, f"there is no item {value}; items are numbered from {numbered}")
            result[row, column] = value
        elif is_missing(value):
            raise wrong(row, "an item is missing")
        elif not isinstance(value, str):
            raise wrong(row, f"an item is given by its number, an integer, or its name, not by {value!r}")
        elif items is None:
            raise wrong(row, f"{value!r} is a name, but the items have no names")
        else:
            raise wrong(row, unknown_item(value, items))
    return result


def said_rows(
    numbers: NDArray[np.int64], rows: NDArray[Any], what: str, *, items: Items | None, num_left_out: int = 0
) -> Said:
    """Return triplets of item numbers as what was said; `rows` are the rows of the source, `what` is what one is called."""
    for left, right in ((A, B), (A, C), (B, C)):
        same = np.flatnonzero(numbers[:, left] == numbers[:, right])
        if same.size:
            shown = format_triplet(numbers[same[0]], items)
            raise ValueError(f"{what} {rows[same[0]]} ({shown}) names an item twice")
    return Said(numbers, [Circumstances(row) for row in rows.tolist()], items=items, num_left_out=num_left_out)
