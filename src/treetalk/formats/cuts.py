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
    """
    columns = {f"clusters_{count}": tree.cut(count) for count in clusters}
    columns |= {f"at_{time:g}": tree.cut_at(time) for time in at}
    return {"cluster": next(iter(columns.values()))} if len(columns) == 1 else columns


def to_labels_csv(tree: Tree, clusters: Sequence[int] = (), at: Sequence[float] = ()) -> str:
    """Return the labels of one cut or several as CSV, with the item in the first column."""
    columns = cut_columns(tree, clusters, at)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["item", *columns])
    labels: Iterable[list[int]] = (column.tolist() for column in columns.values())
    writer.writerows(zip(item_names(tree), *labels, strict=True))
    return text.getvalue()
