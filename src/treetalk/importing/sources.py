"""Any source as a table: the kind of file, or of folder, says how it is read."""

from __future__ import annotations

from pathlib import Path

from treetalk.errors import DataNotFound, TreetalkError
from treetalk.importing.delimited import read_delimited
from treetalk.importing.options import Options
from treetalk.importing.table import Table

TAKEN = "treetalk takes CSV, TSV, Parquet, Excel (.xlsx), .npy, .npz and .h5ad files, and folders of images or texts"
REFUSED = {
    ".xls": "this is Excel's old format; save it as .xlsx or CSV",
    ".ods": "save the sheet as .xlsx or CSV",
    ".json": "JSON can hold anything; make a table of it, with a row for each item (CSV)",
    ".jsonl": "make a table of it, with a row for each item (CSV)",
    ".pickle": "a pickle can run any code when it is opened; save the data as Parquet, CSV or .npy",
    ".pkl": "a pickle can run any code when it is opened; save the data as Parquet, CSV or .npy",
    ".txt": "a text is one item; put the texts into a folder, or call the file .csv if it is a table",
    ".md": "a text is one item; put the texts into a folder",
    ".zip": "unpack it first",
    ".gz": "unpack it first",
    ".nwk": "this is a tree, not data; treetalk needs features, a row for each item",
    ".treetalk": "this is a project already; open it with: treetalk ask",
}


def read_source(path: Path, options: Options) -> Table:
    """Read a file or a folder as a table."""
    if not path.exists():
        raise DataNotFound(f"there is no file or folder {str(path)!r}")
    for option in ("layer", "obsm"):
        if getattr(options, option) is not None and path.suffix.lower() != ".h5ad":
            raise ValueError(f"--{option} chooses a matrix of an AnnData file (.h5ad), and {path.name} is none")
    if path.is_dir():
        from treetalk.importing.folders import read_folder

        return read_folder(path, options)
    ending = path.suffix.lower()
    if path.stat().st_size == 0:
        raise TreetalkError(f"{path.name}: the file is empty")
    if ending in {".csv", ".tsv", ".tab"}:
        return read_delimited(path, options)
    if ending in {".parquet", ".pq"}:
        from treetalk.importing.parquet import read_parquet

        return read_parquet(path)
    if ending in {".xlsx", ".xlsm"}:
        from treetalk.importing.excel import read_excel

        return read_excel(path, options)
    if ending in {".npy", ".npz"}:
        from treetalk.importing.arrays import read_array

        return read_array(path)
    if ending == ".h5ad":
        from treetalk.importing.anndata import read_h5ad

        return read_h5ad(path, options)
    if ending in REFUSED:
        raise TreetalkError(f"{path.name} cannot be read: {REFUSED[ending]}")
    raise TreetalkError(f"{path.name} cannot be read: the ending {ending!r} is not known; {TAKEN}")
