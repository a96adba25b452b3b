"""Columns that become features together, and what in them stands in the way: cells that are bad, cells that are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treetalk.importing.cells import Cells
from treetalk.importing.options import Options
from treetalk.importing.pictures import Pictures
from treetalk.importing.roles import Plan, two_words
from treetalk.importing.table import series_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUM_SHOWN = 10
NUMBERS = ("number", "binary")
ALL_NUMBERS = "all numbers"  # the name of the group of all columns of numbers


class Group(NamedTuple):
    """Columns that are centred and scaled together."""

    kind: str  # "numbers", "block", "categories", "text" or "pixels"
    name: str
    columns: tuple[str, ...]
    is_shared: bool  # whether all columns have one unit
    words: dict[str, dict[str, float]]  # what the two words of a binary column stand for
    unused: tuple[int, ...] = ()  # columns of a block that say nothing

    def faults(self, cells: dict[str, Cells], pictures: Pictures | None) -> list[Fault]:
        """Return the cells that cannot be used."""
        if self.kind == "pixels":
            problems = {} if pictures is None else pictures.problems
            return [Fault(row, self.columns[0], problem, "pictures") for row, problem in sorted(problems.items())]
        if self.kind == "block":
            return _faults_of_block(cells[self.columns[0]])
        if self.kind == "numbers":
            return [fault for name in self.columns for fault in self._faults_of_column(cells[name])]
        return []

    def _faults_of_column(self, column: Cells) -> list[Fault]:
        words = self.words.get(column.name)
        if words is None:
            return [
                Fault(row, column.name, _not_a_number(column.values[row]), "numbers") for row in column.bad.tolist()
            ]
        first, second = words
        return [
            Fault(row, column.name, f"{text!r} is neither {first!r} nor {second!r}", "words")
            for row, text in enumerate(column.strings)
            if text is not None and text.casefold() not in words
        ]

    def missing(self, cells: dict[str, Cells]) -> dict[str, NDArray[np.bool_]]:
        """Return where the cells of each column are missing."""
        if self.kind == "block" and self.unused:
            column = cells[self.columns[0]]
            used = np.setdiff1d(np.arange(column.numbers.shape[1]), self.unused)
            return {column.name: np.asarray(np.isnan(column.numbers[:, used]).any(axis=1))}
        return {name: cells[name].missing for name in self.columns}


class Fault(NamedTuple):
    """A cell that cannot be used."""

    row: int
    column: str
    problem: str
    kind: str  # "numbers", "block", "words" or "pictures"


def groups_of(plan: Plan, cells: dict[str, Cells], options: Options) -> list[Group]:
    """Return the groups of the columns that are features, in the order of the source."""
    numeric = plan.with_role(*NUMBERS)
    member_of: dict[str, tuple[str, tuple[str, ...]]] = {}
    if options.scaling == "together":
        member_of = dict.fromkeys(numeric, (ALL_NUMBERS, tuple(numeric)))
    elif options.scaling == "auto":
        for stem, members in series_of(numeric).items():
            member_of |= dict.fromkeys(members, (stem.rstrip(" _-.") or "column", members))
    groups: list[Group] = []
    done: set[str] = set()
    for name, column in plan.columns.items():
        if name in done:
            continue
        if column.role in NUMBERS:
            title, members = member_of.get(name, (name, (name,)))
            done |= set(members)
            words = {member: _words_of(cells[member]) for member in members}
            known = {member: pair for member, pair in words.items() if pair is not None}
            groups.append(Group("numbers", title, members, len(members) > 1, known))
        elif column.role == "embedding":
            unused = _unused(cells[name].numbers)
            groups.append(Group("block", name, (name,), options.scaling != "each", {}, unused))
        elif column.role == "category":
            groups.append(Group("categories", name, (name,), True, {}))
        elif column.role == "text":
            groups.append(Group("text", name, (name,), True, {}))
        elif column.role == "image" and options.embeddings is None:
            groups.append(Group("pixels", "pixels", (name,), True, {}))
    return groups


def _words_of(column: Cells) -> dict[str, float] | None:
    return None if column.is_numeric else two_words(column)


def _unused(block: NDArray[np.float64]) -> tuple[int, ...]:
    """Return the columns of a block that are mostly missing, or the same wherever they are not."""
    missing = np.isnan(block)
    if not missing.any():
        return ()  # what is constant is found without a second look
    is_sparse = missing.sum(axis=0) > len(block) / 2
    lowest = np.where(missing, np.inf, block).min(axis=0)
    highest = np.where(missing, -np.inf, block).max(axis=0)
    return tuple(np.flatnonzero(is_sparse | (lowest >= highest)).tolist())


def _faults_of_block(column: Cells) -> list[Fault]:
    faults = []
    for row in column.bad.tolist():
        place = int(np.flatnonzero(np.isinf(column.numbers[row]))[0])
        faults.append(Fault(row, f"{column.name}[{place}]", _not_a_number(column.numbers[row, place]), "block"))
    return faults


def _not_a_number(value: Any) -> str:
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return f"{_shortened(value.strip())!r} is not a number"
        if np.isfinite(number) and "." in value:
            return f"{value.strip()!r} has a decimal point, but other numbers of the column have a comma"
        return f"{value.strip()!r} is not a finite number"
    if isinstance(value, int | float | np.number):
        return f"{value} is not a finite number"
    return f"{_shortened(str(value))!r} is not a number"


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
