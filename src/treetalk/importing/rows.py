"""Which rows of a table can be used, and what is said about the others."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

import numpy as np

from treetalk.importing.cells import Cells
from treetalk.importing.groups import NUM_SHOWN, Fault, Group
from treetalk.importing.ids import ids_of
from treetalk.importing.options import Options
from treetalk.importing.pictures import Pictures
from treetalk.importing.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.errors import FormatError


def usable_rows(
    table: Table,
    cells: dict[str, Cells],
    groups: list[Group],
    pictures: Pictures | None,
    options: Options,
    id: str | None,
) -> tuple[NDArray[np.bool_], list[str]]:
    """Return which rows can be used, and sentences about the others; refuse the table if the options ask for that."""
    notes = []
    is_kept = np.ones(len(table), bool)
    if id is not None and options.skip_bad_rows:
        is_nameless = np.array([not name for name in ids_of(Cells(id, table.columns[id]))])
        if is_nameless.any():
            rows = "1 row was" if is_nameless.sum() == 1 else f"{is_nameless.sum()} rows were"
            notes.append(f"Column {id!r}: {rows} left out for a missing name ({table.first_of(is_nameless)}).")
            is_kept &= ~is_nameless
    faults = sorted(fault for group in groups for fault in group.faults(cells, pictures) if is_kept[fault.row])
    if faults:
        if not options.skip_bad_rows:
            raise _refusal(table, faults)
        is_kept[[fault.row for fault in faults]] = False
        notes.append(_left_out(table, faults))
    for group in groups:
        for name, missing in group.missing(cells).items():
            gone = np.flatnonzero(missing & is_kept)
            if not gone.size:
                continue
            if options.missing == "refuse":
                also = f" and in {gone.size - 1} more" if gone.size > 1 else ""
                problem = f"column {name!r}: a value is missing here{also}; fill it in, or say --missing fill or drop"
                raise table.error(problem, int(gone[0]))
            if options.missing == "drop":
                rows = "1 row was" if gone.size == 1 else f"{gone.size} rows were"
                where = table.first_of(missing & is_kept)
                notes.append(f"Column {name!r}: {rows} left out for a missing value ({where}).")
                is_kept[gone] = False
    if not is_kept.any():
        raise table.error("no row is left: each has a value that is missing or cannot be read")
    return is_kept, notes


def _refusal(table: Table, faults: list[Fault]) -> FormatError:
    shown = [f"{table.where(fault.row)}, column {fault.column!r}: {fault.problem}" for fault in faults[:NUM_SHOWN]]
    rest = len(faults) - len(shown)
    if rest:
        shown.append(f"and {rest} more")
    first = faults[0]
    advice = "correct this, or say --skip-bad-rows"
    if first.kind == "numbers":
        column = quote(first.column)
        advice += f", --categorical {column} or --leave-out {column}"
    error = table.error(f"{'; '.join(shown)}; {advice}")
    error.line = int(table.lines[first.row])
    return error


def _left_out(table: Table, faults: list[Fault]) -> str:
    first, num_rows = faults[0], len({fault.row for fault in faults})
    rows = "1 row was left out" if num_rows == 1 else f"{num_rows} rows were left out"
    which = "" if num_rows == 1 else ", the first of them"
    return f"{rows}{which} for {table.where(first.row)}, column {first.column!r}: {first.problem}."
