"""NumPy's .npy and .npz files as tables: a block of numbers, with further columns beside it."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from treetalk.errors import FormatError
from treetalk.importing.options import in_words
from treetalk.importing.table import Table, Values

BLOCK = "x"  # what the numbers of a .npy file are called
USUAL = ("X", "features", "embeddings", "data")
MAGIC = (b"\x93NUMPY", b"PK")
OF_SPARSE = {"indices", "indptr", "shape", "format"}


def read_array(path: Path) -> Table:
    """Read a .npy or .npz file; its rows are counted from 0, as NumPy does."""
    columns: dict[str, Values]
    if path.suffix.lower() == ".npy":
        columns = {BLOCK: _as_block(_load(path), path.name, "the array")}
    else:
        columns = _of_archive(path)
    rows = np.arange(len(next(iter(columns.values()))))
    return Table(
        name=path.name,
        columns=columns,
        lines=rows,
        rows=rows,
        num_rows_in_file=len(rows),
        folder=path.parent,
        place="row",
        first=0,
    )


def _load(path: Path) -> Any:
    with path.open("rb") as file:
        is_of_numpy = file.read(6).startswith(MAGIC)
    try:
        # What has not NumPy's first bytes would be taken for a pickle.
        if is_of_numpy:
            return np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        if "allow_pickle" in str(error):
            raise _of_objects(path.name, "the array") from None
    raise FormatError(f"this is no {path.suffix.lower()} file of NumPy", source=path.name)


def _of_objects(source: str, what: str) -> FormatError:
    problem = (
        f"{what} holds Python objects, which may run any code when opened; save numbers: np.save(file, X.astype(float))"
    )
    return FormatError(problem, source=source)


def _as_block(array: Any, source: str, what: str) -> Any:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
        raise FormatError(f"{what} holds no numbers; its dtype is {getattr(array, 'dtype', None)}", source=source)
    if array.ndim != 2:
        problem = f"{what} has the shape {array.shape}; there must be a row for each item and a column for each feature"
        raise FormatError(problem, source=source)
    if array.shape[0] < 1 or array.shape[1] < 1:
        raise FormatError(f"{what} is empty; its shape is {array.shape}", source=source)
    return array.astype(np.float64)


def _of_archive(path: Path) -> dict[str, Values]:
    arrays: dict[str, Any] = {}
    with _load(path) as archive:
        for name in archive.files:
            try:
                arrays[name] = archive[name]
            except ValueError:
                raise _of_objects(path.name, f"array {name!r}") from None
    if set(arrays) >= OF_SPARSE or {"row", "col", "data", "shape"} <= set(arrays):
        raise FormatError(
            "this is a sparse matrix; reduce it to some dozens of columns first (scikit-learn's TruncatedSVD), and save "
            "those with np.save",
            source=path.name,
        )
    flat = [name for name, array in arrays.items() if array.ndim == 2 and array.dtype.kind in "biuf"]
    usual = [name for name in USUAL if name in flat]
    if len(usual) != 1 and len(flat) != 1:
        found = f"{len(flat)} ({in_words(flat, 'and')})" if flat else "none"
        raise FormatError(
            f"one two-dimensional array of numbers is needed, there {'are' if flat else 'is'} {found}; "
            f"call the right one {in_words(USUAL)}",
            source=path.name,
        )
    chosen = usual[0] if len(usual) == 1 else flat[0]
    block = _as_block(arrays[chosen], path.name, f"array {chosen!r}")
    columns: dict[str, Values] = {chosen: block}
    for name, array in arrays.items():
        if array.ndim == 1 and len(array) == len(block):
            is_number = array.dtype.kind in "iuf"
            columns[name] = array if is_number else [_text(value) for value in array.tolist()]
    return columns


def _text(value: Any) -> Any:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
