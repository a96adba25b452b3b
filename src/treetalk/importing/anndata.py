"""AnnData objects and .h5ad files: observations are items, their names the ids, and a matrix is the features.

What else is known about each observation (`obs`) is shown beside it, and is a feature only if it is asked for: numbers of
counts and the labels of an earlier clustering would lead the hierarchy.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.data import as_data, is_anndata, matrix_of, names_of_rows
from treetalk.errors import FormatError
from treetalk.extras import imported
from treetalk.importing.options import Options
from treetalk.importing.table import Table, Values
from treetalk.wording import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAMES = "obs_names"  # the column that the names of observations become
ANY_WIDTH = 10**9  # a table's features are reduced anyway


def from_anndata(
    adata: Any, *, layer: str | None = None, obsm: str | None = None
) -> tuple[NDArray[np.float64], list[str]]:
    """Return the features and the names of the observations of an AnnData object: ``Session(*from_anndata(adata))``.

    Parameters
    ----------
    adata : AnnData
        The object; `Session` and others take it as it is, too, and use its X then.
    layer : str, optional
        Take this layer instead of X.
    obsm : str, optional
        Take this matrix about the observations, such as "X_pca".

    Returns
    -------
    X : float array of shape (observations, features)
    items : list of str
        The names of the observations.
    """
    if not is_anndata(adata):
        raise TypeError(f"an AnnData object is needed, not {type(adata).__name__}")
    names = names_of_rows(adata)
    assert names is not None, "the names of observations are strings"
    return as_data(_dense(matrix_of(adata, layer=layer, obsm=obsm))), names


def read_h5ad(path: Path, options: Options) -> Table:
    """Read a .h5ad file; its rows are counted from 0, as AnnData does."""
    anndata = imported("anndata", "reading .h5ad files")
    try:
        adata = anndata.read_h5ad(path)
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise FormatError(f"this is no .h5ad file ({str(error).splitlines()[0]})", source=path.name) from None
    try:
        names = names_of_rows(adata)
        matrix = matrix_of(
            adata, layer=options.layer, obsm=options.obsm, widest=ANY_WIDTH, way=lambda key: f"--obsm {key}"
        )
    except ValueError as error:
        raise FormatError(str(error), source=path.name) from None
    block = np.asarray(_dense(matrix), dtype=np.float64)
    block = block.reshape(len(block), -1)
    called = options.obsm or options.layer or "X"
    columns: dict[str, Values] = {NAMES: list(names or ()), called: block}
    columns |= {name: values for name, values in _about(adata.obs).items() if name not in columns}
    rows = np.arange(len(block))
    return Table(
        name=path.name,
        columns=columns,
        lines=rows,
        rows=rows,
        num_rows_in_file=len(rows),
        folder=path.parent,
        place="row",
        first=0,
        id=NAMES,
        only=called,
        description=f"{path.name}: {counted(len(rows), 'observation')}, {counted(block.shape[1], 'column')} in {called}",
    )


def _dense(matrix: Any) -> Any:
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


def _about(obs: Any) -> Mapping[str, Values]:
    """Return what is known about the observations, as columns of a table."""
    columns: dict[str, Values] = {}
    for name in obs.columns:
        values = obs[name]
        if getattr(values.dtype, "kind", "O") in "iuf" and isinstance(values.dtype, np.dtype):
            columns[str(name)] = values.to_numpy()
        else:
            cells = values.astype(object)
            columns[str(name)] = cells.where(cells.notna(), None).tolist()
    return columns
