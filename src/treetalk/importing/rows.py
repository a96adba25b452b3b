"""Which rows of a table can be used, and what is said about the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk.importing.cells import Cells
from treetalk.importing.groups import NUM_SHOWN, Fault, Group
from treetalk.importing.options import Options
from treetalk.importing.pictures import Pictures
from treetalk.importing.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.errors import FormatError


def usable_rows(
    table: Table, cells: dict[str, Cells], groups: list[Group], pictures: Pictures | None, options: Options
) -> tuple[NDArray[np.bool_], list[str]]:
    """Return which rows can be used, and sentences about the others; refuse the table if the options ask for that."""
    notes = []
    is_kept = np.ones(len(table), bool)
    faults = sorted(fault for group in groups for fault in group.faults(cells, pictures))
    if faults:
        if not options.skip_bad_rows:
            raise _refusal(table, faults)
        is_kept[[fault.row for fault in faults]] = False
        notes.append(_left_out(table, faults, int((~is_kept).sum())))
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
    column = first.column.partition("[")[0]
    advice = {
        "numbers": f"correct this, or say --skip-bad-rows, --categorical {column} or --leave-out {column}",
        "words": "correct this, or say --skip-bad-rows",
        "pictures": "correct this, or say --skip-bad-rows",
    }[first.kind]
    error = table.error(f"{'; '.join(shown)}; {advice}")
    error.line = int(table.lines[first.row])
    return error


def _left_out(table: Table, faults: list[Fault], num_rows: int) -> str:
    first = faults[0]
    rows = "1 row was left out" if num_rows == 1 else f"{num_rows} rows were left out"
    which = "" if num_rows == 1 else ", the first of them"
    return f"{rows}{which} for {table.where(first.row)}, column {first.column!r}: {first.problem}."
