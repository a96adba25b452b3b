"""The edges of a tree as a table, with a row for each: a pandas data frame, or CSV for any other program.

Each row has the numbers of the node and of the one above it, `parent` and `child`, and what is known of the child: `item`
(its name if it is an item), `name` (that of a cluster), `length` (of the edge), `time`, `support`, and `size` (the number
of items under it). `parent_name` is the name of the cluster above. What is not known is missing. The root, which has no
edge above it, is the one parent that is no child: its own name is in `parent_name`, its support is in no row.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from treetalk.extras import imported
from treetalk.formats.arcs import attributes_of, is_missing, lengths_of, tree_of_arcs

if TYPE_CHECKING:
    from treetalk.tree import Tree

# Each column with the dtype that pandas has for it.
COLUMNS = {
    "parent": "int64",
    "child": "int64",
    "item": "string",
    "name": "string",
    "length": "float64",
    "time": "float64",
    "support": "float64",
    "size": "int64",
    "parent_name": "string",
}
_KNOWN = ("item", "name", "time", "support")


def to_edges(tree: Tree) -> Any:
    """Return a tree as a pandas data frame with a row for each edge, parents before their children."""
    pandas = imported("pandas", "a table of edges", extra="io")
    columns = edge_columns(tree)
    return pandas.DataFrame({name: pandas.array(columns[name], dtype=dtype) for name, dtype in COLUMNS.items()}).astype(
        {name: dtype for name, dtype in COLUMNS.items() if dtype != "string"}
    )


def to_edges_csv(tree: Tree) -> str:
    """Return the same table as CSV, where what is not known is left empty."""
    columns = edge_columns(tree)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in zip(*(columns[name] for name in COLUMNS), strict=True):
        writer.writerow(["" if is_missing(value) else value for value in row])
    return text.getvalue()


def edge_columns(tree: Tree) -> dict[str, list[Any]]:
    """Return the columns of the table; None or NaN where something is not known."""
    children = tree.preorder[1:].tolist()
    parents = tree.parent[children].tolist()
    known, lengths = attributes_of(tree), lengths_of(tree)
    return {
        "parent": parents,
        "child": children,
        "item": [known[v].get("item") for v in children],
        "name": [known[v].get("name") for v in children],
        "length": [lengths[v] for v in children],
        "time": [known[v].get("time", math.nan) for v in children],
        "support": [known[v].get("support", math.nan) for v in children],
        "size": [known[v]["size"] for v in children],
        "parent_name": [known[v].get("name") for v in parents],
    }


def from_edges(edges: Any) -> Tree:
    """Return the tree of a table with a row for each edge.

    Parameters
    ----------
    edges : DataFrame or mapping of columns
        The columns `parent` and `child` are needed, the others that `to_edges` writes are used where they are there.
        Nodes may be called by numbers or by words; words are then the names of items and clusters.

    Raises
    ------
    ValueError
        If the edges are no tree. The sentence names the node that has two parents, or stands above itself.
    """
    missing = [name for name in ("parent", "child") if name not in edges]
    if missing:
        raise ValueError(f"a table of edges has the columns parent and child; {missing[0]!r} is not there")
    columns = {name: _values(edges[name]) for name in COLUMNS if name in edges}
    parents: dict[Hashable, Hashable] = {}
    known: dict[Hashable, dict[str, Any]] = {}
    lengths: dict[Hashable, float] = {}
    for row, (above, child) in enumerate(zip(columns["parent"], columns["child"], strict=True)):
        for call, what in ((above, "parent"), (child, "child")):
            if is_missing(call):
                raise ValueError(f"row {row} of the edges has no {what}")
        if child in parents:
            raise ValueError(f"row {row} of the edges: {child!r} is below {parents[child]!r} already, not {above!r}")
        parents[child] = above
        known.setdefault(child, {}).update({key: columns[key][row] for key in _KNOWN if key in columns})
        if "parent_name" in columns and not is_missing(columns["parent_name"][row]):
            known.setdefault(above, {})["name"] = columns["parent_name"][row]
        if "length" in columns and not is_missing(columns["length"][row]):
            lengths[child] = float(columns["length"][row])
    if not parents:
        raise ValueError("the table of edges has no rows")
    _time_of_root(parents, known, lengths)
    return tree_of_arcs(parents, known, lengths)


def _time_of_root(
    parents: dict[Hashable, Hashable], known: dict[Hashable, dict[str, Any]], lengths: dict[Hashable, float]
) -> None:
    """Write down when the root diverges, which follows from its children, but for rounding."""
    top = [child for child, above in parents.items() if above not in parents]
    times = [float(known[child]["time"]) for child in top if not is_missing(known[child].get("time"))]
    if top and len(times) == len(top):
        begins = [time - lengths.get(child, 0.0) for child, time in zip(top, times, strict=True)]
        known.setdefault(parents[top[0]], {}).setdefault("time", min(begins + times))


def _values(column: Any) -> list[Any]:
    values: list[Any] = column.tolist() if hasattr(column, "tolist") else list(column)
    return values
