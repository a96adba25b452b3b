"""Parquet files as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from treetalk.errors import FormatError
from treetalk.extras import imported
from treetalk.importing.table import Table, Values, without_repeats


def read_parquet(path: Path) -> Table:
    """Read a Parquet file; its rows are counted from 1."""
    pyarrow = imported("pyarrow", "reading Parquet", extra="io")
    parquet = imported("pyarrow.parquet", "reading Parquet", extra="io")
    try:
        content = parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise FormatError(f"this is no Parquet file ({str(error).splitlines()[0]})", source=path.name) from None
    without_repeats(content.column_names, path.name)
    if not content.num_rows:
        raise FormatError("there are columns but no row", source=path.name)
    columns = {name: _values(content.column(name), name, path.name) for name in content.column_names}
    rows = np.arange(content.num_rows)
    return Table(
        name=path.name,
        columns=columns,
        lines=rows + 1,
        rows=rows,
        num_rows_in_file=content.num_rows,
        folder=path.parent,
        place="row",
    )


def _values(column: Any, name: str, source: str) -> Values:
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if types.is_decimal(kind) or (types.is_floating(kind) and not types.is_float64(kind)):
        return np.asarray(column.cast("float64").to_numpy(), dtype=np.float64)
    if types.is_float64(kind) or (types.is_integer(kind) and not column.null_count):
        return np.asarray(column.to_numpy())
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        block = _block(column, name, source)
        if block is not None:
            return block
    cells: list[Any] = column.to_pylist()
    return cells


def _block(column: Any, name: str, source: str) -> Values | None:
    """Return a column of lists of numbers as an array, with missing values for a list that is not there.

    None if these are no numbers; a list that is shorter or longer than the others is an error.
    """
    import pyarrow.compute
    from pyarrow import types

    inner = column.type.value_type
    if not (types.is_floating(inner) or types.is_integer(inner)):
        return None
    lengths = pyarrow.compute.fill_null(pyarrow.compute.list_value_length(column), -1).to_numpy()
    there = lengths >= 0
    if not there.any() or lengths.max() == 0:
        return None
    width = int(np.bincount(lengths[there]).argmax())
    odd = np.flatnonzero(there & (lengths != width))
    if odd.size:
        problem = f"row {odd[0] + 1}, column {name!r}: a list of {lengths[odd[0]]} numbers, where others have {width}"
        raise FormatError(f"{problem}; make them equal, or leave out the column", source=source)
    flat = column.combine_chunks().flatten().cast("float64").to_numpy(zero_copy_only=False)
    block = np.full((len(column), width), np.nan)
    block[there] = np.asarray(flat, dtype=np.float64).reshape(-1, width)
    return block
