"""Embeddings from a file of their own, put beside the rows of a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from treetalk.errors import TreetalkError
from treetalk.importing.cells import Cells, understand
from treetalk.importing.decimals import decimals_of
from treetalk.importing.ids import distinct, guess_id, ids_of, is_code, is_numbering
from treetalk.importing.options import Options
from treetalk.importing.roles import EMBEDDING
from treetalk.importing.sources import read_source
from treetalk.importing.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray


def with_embeddings(table: Table, path: Path, id: str | None) -> Table:
    """Return a table with a further column, the embedding of each row.

    Arrays have their rows in the order of the table; any other file has a column with the names of the items.
    """
    source = read_source(path, Options())
    if path.suffix.lower() in {".npy", ".npz"}:
        block = next(
            values for values in source.columns.values() if isinstance(values, np.ndarray) and values.ndim == 2
        )
        if len(block) != table.num_rows_in_file:
            raise TreetalkError(
                f"{path.name} has {len(block)} rows, but {table.name} has {table.num_rows_in_file}; "
                "there must be an embedding for each item, in the same order"
            )
        embedding = block[table.rows]
    else:
        embedding = _by_name(table, source, id)
    # Those that are given take the place of those in the table.
    return replace(table, columns={**table.columns, EMBEDDING: embedding})


def _by_name(table: Table, source: Table, id: str | None) -> NDArray[np.float64]:
    if id is None:
        raise table.error(f"no column names the items, so the rows of {source.name} cannot be matched; say --id")
    cells = understand(source, decimals_of(source).commas)
    key = id if id in cells else guess_id(source, cells, Options())
    if key is None:
        raise source.error(f"no column names the items; there must be one like {id!r} of {table.name}")
    columns = [column for name, column in cells.items() if name != key and column.is_numeric]
    used = [column for column in columns if column.is_block or not (is_numbering(column) or is_code(column))]
    if not used:
        raise source.error("there is no column of numbers beside the names of the items")
    _refuse_faults(source, used)
    numbers = np.hstack([column.numbers.reshape(len(source), -1) for column in used])
    # The second of two items of one name has the second embedding of that name, if there is one.
    places = {name: row for row, name in enumerate(distinct(ids_of(cells[key])))}
    wanted = ids_of(Cells(id, table.columns[id]))
    embedding = np.full((len(table), numbers.shape[1]), np.nan)
    for row, (name, own) in enumerate(zip(wanted, distinct(wanted), strict=True)):
        if not name:
            continue  # refused or left out where items get their names
        if name not in places:
            raise table.error(f"there is no embedding of {name!r} in {source.name}, column {key!r}", row)
        embedding[row] = numbers[places.get(own, places[name])]
    return embedding


def _refuse_faults(source: Table, columns: list[Cells]) -> None:
    for column in columns:
        if column.bad.size:
            row = int(column.bad[0])
            raise source.error(f"column {column.name!r}: {column.values[row]!r} is not a finite number", row)
