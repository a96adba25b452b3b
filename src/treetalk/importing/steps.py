"""From columns to features: what was learned of a group of columns, so that new items are treated alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from treetalk.importing.cells import Cells
from treetalk.importing.components import Components, components_of
from treetalk.importing.groups import ALL_NUMBERS, Group
from treetalk.importing.pictures import Pictures
from treetalk.importing.roles import TRUE_WORDS, is_yes_or_no
from treetalk.importing.table import FEWEST_IN_SERIES, Table
from treetalk.importing.units import Unit, unit_of, unit_of_indicators
from treetalk.wording import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEITHER = 0.5  # of two words, of which one is 0 and the other 1
Arrays = dict[str, "NDArray[Any]"]
Record = tuple[dict[str, Any], Arrays]


class Given(NamedTuple):
    """What is known of the rows."""

    table: Table
    cells: dict[str, Cells]
    pictures: Pictures | None


class Step(Protocol):
    """What was learned of a group of columns."""

    group: Group
    names: tuple[str, ...]  # of the features

    def features(self, given: Given) -> NDArray[np.float64]:
        """Return the features of the rows."""

    def to_record(self) -> Record:
        """Return what was learned as a dict that JSON can hold and named arrays."""


class Numbers:
    """Columns of numbers, or a block of them, as they are or as their principal components."""

    def __init__(
        self,
        group: Group,
        names: tuple[str, ...],
        width: int,  # the number of columns
        kept: NDArray[np.int64],  # which of the columns; the others are constant
        fills: NDArray[np.float64],  # for missing values, one for each kept column
        components: tuple[float, Components] | None,  # of the columns divided by a number
        unit: Unit,
    ) -> None:
        self.group, self.names, self.width, self.kept, self.fills = group, names, width, kept, fills
        self.components, self.unit = components, unit

    @classmethod
    def learn(cls, group: Group, given: Given, dimensions: int, seed: int, notes: list[str]) -> Numbers | None:
        """Learn from the rows; None if every column is constant."""
        values = _raw(group, given.cells)
        missing = np.isnan(values)
        is_constant = np.array([_is_constant(column) for column in values.T])
        # Single columns that are mostly missing were put aside before, unless they were asked for.
        is_sparse = np.isin(np.arange(values.shape[1]), group.unused)
        kept = np.flatnonzero(~is_constant & ~is_sparse)
        _note_left_out(group, is_constant, is_sparse, notes)
        if not kept.size:
            return None
        fills = np.array([_fill(values[:, number], _words_at(group, number)) for number in kept.tolist()])
        _note_filled(group, given.table, values[:, kept], fills, kept, notes)
        values = np.where(missing[:, kept], fills, values[:, kept])
        names = tuple(_name_of(group, number) for number in kept.tolist())
        components = None
        if group.is_shared and len(kept) > dimensions and (group.kind == "block" or group.name != ALL_NUMBERS):
            size = float(np.abs(values).max())
            found = components_of(values / size, dimensions, seed)
            assert found is not None, "constant columns are left out, so rows differ"
            components = (size, found)
            notes.append(
                f"The {len(kept)} columns of {group.name!r} were reduced to "
                f"{counted(len(found.directions), 'principal component')}."
            )
            values = found.apply(values / size)
            names = tuple(f"{group.name} {number + 1}" for number in range(values.shape[1]))
        return cls(group, names, missing.shape[1], kept, fills, components, unit_of(values, is_shared=group.is_shared))

    def features(self, given: Given) -> NDArray[np.float64]:
        """Return the features of the rows."""
        values = _raw(self.group, given.cells)[:, self.kept]
        values = np.where(np.isnan(values), self.fills, values)
        if self.components is not None:
            size, components = self.components
            values = components.apply(values / size)
        return self.unit.apply(values)

    def to_record(self) -> Record:
        """Return what was learned as a dict that JSON can hold and named arrays."""
        arrays: Arrays = {"kept": self.kept, "fills": self.fills, **self.unit._asdict()}
        record: dict[str, Any] = {"width": self.width}
        if self.components is not None:
            record["divisor"], components = self.components
            arrays |= components._asdict()
        return record, arrays

    @classmethod
    def from_record(cls, group: Group, names: tuple[str, ...], record: Mapping[str, Any], arrays: Arrays) -> Numbers:
        """Return the step of a record."""
        components = None
        if "divisor" in record:
            components = (float(record["divisor"]), Components(arrays["mean"], arrays["directions"]))
        return cls(group, names, record["width"], arrays["kept"], arrays["fills"], components, unit_from(arrays))


class Categories:
    """A column of categories, each of which becomes a feature; together they weigh as much as a column of numbers."""

    def __init__(self, group: Group, names: tuple[str, ...], values: tuple[str, ...], unit: Unit) -> None:
        self.group, self.names, self.values, self.unit = group, names, values, unit

    @classmethod
    def learn(cls, group: Group, given: Given, notes: list[str]) -> Categories | None:
        """Learn from the rows; None if there is but one category."""
        column = given.cells[group.columns[0]]
        if len(column.counts) < 2:
            notes.append(f"Column {group.name!r} is the same in every row, so it is not used.")
            return None
        values = tuple(sorted(column.counts))
        if column.missing.any():
            notes.append(_not_filled(given.table, group.name, column.missing, "none of the categories"))
        names = tuple(f"{group.name}={value}" for value in values)
        return cls(group, names, values, unit_of_indicators(_one_hot(column, values)))

    def features(self, given: Given) -> NDArray[np.float64]:
        """Return the features of the rows; an empty cell, or a category that was not there before, is none of the others."""
        return self.unit.apply(_one_hot(given.cells[self.group.columns[0]], self.values))

    def to_record(self) -> Record:
        """Return what was learned as a dict that JSON can hold and named arrays."""
        return {"values": list(self.values)}, dict(self.unit._asdict())

    @classmethod
    def from_record(cls, group: Group, names: tuple[str, ...], record: Mapping[str, Any], arrays: Arrays) -> Categories:
        """Return the step of a record."""
        return cls(group, names, tuple(record["values"]), unit_from(arrays))


def unit_from(arrays: Arrays) -> Unit:
    """Return the unit among the arrays of a record."""
    return Unit(arrays["size"], arrays["centre"], arrays["spread"])


def _raw(group: Group, cells: dict[str, Cells]) -> NDArray[np.float64]:
    if group.kind == "block":
        return cells[group.columns[0]].numbers
    columns = []
    for name in group.columns:
        words = group.words.get(name)
        if words is None:
            columns.append(cells[name].numbers)
        else:
            texts = cells[name].strings
            columns.append(np.array([np.nan if text is None else words[text.casefold()] for text in texts]))
    return np.column_stack(columns)


def _is_constant(column: NDArray[np.float64]) -> bool:
    filled = column[~np.isnan(column)]
    return filled.size == 0 or bool((filled == filled[0]).all())


def _words_at(group: Group, number: int) -> dict[str, float] | None:
    return None if group.kind == "block" else group.words.get(group.columns[number])


def _fill(column: NDArray[np.float64], words: dict[str, float] | None) -> float:
    if words is not None and not is_yes_or_no(words):
        return NEITHER
    filled = column[~np.isnan(column)]
    values, counts = np.unique(filled, return_counts=True)
    # Of two values, the median may be neither.
    return float(values[counts.argmax()] if len(values) == 2 else np.median(filled))


def _one_hot(column: Cells, values: tuple[str, ...]) -> NDArray[np.float64]:
    numbers: dict[str | None, int] = {value: number for number, value in enumerate(values)}
    found = np.array([numbers.get(text, -1) for text in column.strings])
    return np.asarray(found[:, None] == np.arange(len(values)), dtype=np.float64)


def _name_of(group: Group, number: int) -> str:
    if group.kind == "block":
        return f"{group.name} {number + 1}"
    name = group.columns[number]
    words = group.words.get(name)
    if words is None or list(words)[1] in TRUE_WORDS:
        return name
    return f"{name}={list(words)[1]}"


def _note_left_out(
    group: Group, is_constant: NDArray[np.bool_], is_sparse: NDArray[np.bool_], notes: list[str]
) -> None:
    total = len(is_constant)
    if total == 1 and is_constant[0]:
        notes.append(f"Column {group.columns[0]!r} is the same in every row, so it is not used.")
        return
    for which, reason in ((is_constant, "the same in every row"), (is_sparse & ~is_constant, "mostly missing")):
        number = int(which.sum())
        if number:
            left_out = "1 column is" if number == 1 else f"{number} columns are"
            notes.append(f"Of the {total} columns of {group.name!r}, {left_out} {reason} and not used.")


def _note_filled(
    group: Group,
    table: Table,
    values: NDArray[np.float64],
    fills: NDArray[np.float64],
    kept: NDArray[np.int64],
    notes: list[str],
) -> None:
    missing = np.isnan(values)
    is_series = len(group.columns) >= FEWEST_IN_SERIES and group.name != ALL_NUMBERS
    if group.kind == "block" or is_series:
        if missing.any():
            number = int(missing.sum())
            values_were = "1 missing value was" if number == 1 else f"{number} missing values were"
            where = table.first_of(np.asarray(missing.any(axis=1)))
            notes.append(f"Of {group.name!r}, {values_were} filled in with the median of the column ({where}).")
        return
    for place in np.flatnonzero(missing.any(axis=0)).tolist():
        name = group.columns[int(kept[place])]
        words = group.words.get(name)
        if words is not None and fills[place] == NEITHER:
            first, second = words
            notes.append(_not_filled(table, name, missing[:, place], f"neither {first!r} nor {second!r}"))
            continue
        shown = f"{fills[place]:g}" if words is None else repr(list(words)[int(fills[place])])
        is_binary = len(np.unique(values[~missing[:, place], place])) == 2
        how = "the most common value" if is_binary else "the median"
        notes.append(_filled(table, name, missing[:, place], shown, how))


def _not_filled(table: Table, name: str, missing: NDArray[np.bool_], taken_for: str) -> str:
    number = int(missing.sum())
    cells = "1 empty cell is" if number == 1 else f"{number} empty cells are"
    return f"Column {name!r}: {cells} taken for {taken_for} ({table.first_of(missing)})."


def _filled(table: Table, name: str, missing: NDArray[np.bool_], value: str, how: str) -> str:
    number = int(missing.sum())
    values = "1 missing value was" if number == 1 else f"{number} missing values were"
    return f"Column {name!r}: {values} filled in with {value}, {how} ({table.first_of(missing)})."
