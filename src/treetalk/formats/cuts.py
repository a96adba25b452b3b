"""The cluster of each item when a tree is cut, as CSV: a row for each item, and a column for each cut."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from treetalk.formats.arcs import item_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treetalk.tree import Tree


def cut_columns(tree: Tree, clusters: Sequence[int] = (), at: Sequence[float] = ()) -> dict[str, NDArray[np.int32]]:
    """Return the labels of several cuts by the names of their columns.

    Parameters
    ----------
    tree : Tree
        A tree with times.
    clusters : sequence of int
        Cuts into so many clusters: ``clusters_12``.
    at : sequence of float
        Cuts at times: ``at_0.5``.

    Returns
    -------
    dict of str to int array of shape (num_leaves,)
        A single cut is called ``cluster``.

    Raises
    ------
    ValueError
        If a cut is wanted twice.
    """
    columns: dict[str, NDArray[np.int32]] = {}
    for count in clusters:
        _add(columns, f"clusters_{count}", tree.cut(count))
    for time in at:
        # All digits, so that times that differ have columns of different names.
        _add(columns, f"at_{repr(float(time)).removesuffix('.0')}", tree.cut_at(time))
    return {"cluster": next(iter(columns.values()))} if len(columns) == 1 else columns


def _add(columns: dict[str, NDArray[np.int32]], name: str, labels: NDArray[np.int32]) -> None:
    if name in columns:
        what, _, number = name.partition("_")
        raise ValueError(f"a cut {f'into {number} clusters' if what == 'clusters' else f'at {number}'} is wanted twice")
    columns[name] = labels


def to_labels_csv(tree: Tree, clusters: Sequence[int] = (), at: Sequence[float] = ()) -> str:
    """Return the labels of one cut or several as CSV, with the item in the first column."""
    columns = cut_columns(tree, clusters, at)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["item", *columns])
    labels: Iterable[list[int]] = (column.tolist() for column in columns.values())
    writer.writerows(zip(item_names(tree), *labels, strict=True))
    return text.getvalue()
