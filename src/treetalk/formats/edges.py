"""The edges of a tree as a table, with a row for each: a pandas data frame, or CSV for any other program.

Each row has the numbers of the node and of the one above it, `parent` and `child`, and what is known of the child: `item`
(its name if it is an item), `name` (that of a cluster), `length` (of the edge), `time`, `support`, and `size` (the number
of items under it). `parent_name`, `parent_time` and `parent_support` are those of the cluster above, so that nothing is lost
of the root, which has no edge above it and is the one parent that is no child. What is not known is missing.

CSV does not tell what is missing from an item called "", and pandas takes one called NA for missing too. With such items,
``pandas.read_csv(path, dtype={"item": str}, keep_default_na=False)`` reads what is understood here.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from treetalk.extras import imported
from treetalk.formats.arcs import as_number, attributes_of, is_missing, lengths_of, tree_of_arcs

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
    "parent_time": "float64",
    "parent_support": "float64",
}
_KNOWN = ("item", "name", "time", "support")
_ABOVE = ("name", "time", "support")
_HINT = (
    "; if the table was read from CSV, items called NA, None, nan or nothing at all are kept by "
    'read_csv(..., dtype={"item": str}, keep_default_na=False)'
)


def to_edges(tree: Tree) -> Any:
    """Return a tree as a pandas data frame with a row for each edge, parents before their children.

    A tree of a single item has no edge: its table has no rows, and the item does not come back from it.
    """
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
        "parent_time": [known[v].get("time", math.nan) for v in parents],
        "parent_support": [known[v].get("support", math.nan) for v in parents],
    }


def from_edges(edges: Any) -> Tree:
    """Return the tree of a table with a row for each edge.

    Parameters
    ----------
    edges : DataFrame or mapping of columns
        The columns `parent` and `child` are needed, the others that `to_edges` writes are used where they are there.
        Nodes may be called by numbers or by words. Words are the names of items and clusters; numbers are those of items
        alone, unless there is a column `item`, or they only count, as in a table that `to_edges` made. A length below 0
        is read as 0, with a warning.

    Raises
    ------
    ValueError
        If the edges are no tree, or only some leaves have an item. The sentence names the node that has two parents,
        stands above itself, or has no item.
    """
    missing = [name for name in ("parent", "child") if name not in edges]
    if missing:
        raise ValueError(f"a table of edges has the columns parent and child; {missing[0]!r} is not there")
    columns = _columns(edges)
    parents: dict[Hashable, Hashable] = {}
    known: dict[Hashable, dict[str, Any]] = {}
    uppers: dict[Hashable, dict[str, Any]] = {}
    lengths: dict[Hashable, float] = {}
    for row, (above, child) in enumerate(zip(columns["parent"], columns["child"], strict=True)):
        for call, what in ((above, "parent"), (child, "child")):
            if is_missing(call):
                raise ValueError(f"row {row} of the edges has no {what}")
        if child in parents:
            raise ValueError(f"row {row} of the edges: {child!r} is below {parents[child]!r} already, not {above!r}")
        parents[child] = above
        known.setdefault(child, {}).update({key: columns[key][row] for key in _KNOWN if key in columns})
        uppers[above] = {key: columns[f"parent_{key}"][row] for key in _ABOVE if f"parent_{key}" in columns}
        if "length" in columns and not is_missing(columns["length"][row]):
            lengths[child] = columns["length"][row]
    if not parents:
        raise ValueError("the table of edges has no rows; a tree of a single item has no edge, and so no such table")
    for above, record in uppers.items():
        own = known.setdefault(above, {})
        own.update({key: value for key, value in record.items() if is_missing(own.get(key)) and not is_missing(value)})
    _time_of_root(parents, known, lengths)
    return tree_of_arcs(parents, known, lengths, hint=_HINT)


def _time_of_root(
    parents: dict[Hashable, Hashable], known: dict[Hashable, dict[str, Any]], lengths: dict[Hashable, float]
) -> None:
    """Write down when the root diverges, if no row says so: it follows from its children, but for rounding."""
    top = [child for child, above in parents.items() if above not in parents]
    times = [float(known[child]["time"]) for child in top if not is_missing(known[child].get("time"))]
    if top and len(times) == len(top):
        begins = [time - lengths.get(child, 0.0) for child, time in zip(top, times, strict=True)]
        known.setdefault(parents[top[0]], {}).setdefault("time", min(begins + times))


def _columns(edges: Any) -> dict[str, list[Any]]:
    """Return the columns that a table has, with numbers for numbers, and None for names that are not there."""
    columns: dict[str, list[Any]] = {}
    for name in COLUMNS:
        if name in edges:
            columns[name] = edges[name].tolist() if hasattr(edges[name], "tolist") else list(edges[name])
        if name in columns and COLUMNS[name] == "float64":
            columns[name] = [_number(value, name, row) for row, value in enumerate(columns[name])]
    # No leaf has the name of a cluster: where nothing is missing there, what is empty is what is missing.
    if not any(map(is_missing, columns.get("name", columns.get("parent_name", ())))):
        for name in columns.keys() & {"name", "parent_name"}:
            columns[name] = [None if value == "" else value for value in columns[name]]
    return columns


def _number(value: Any, column: str, row: int) -> float:
    try:
        return as_number(value)
    except (TypeError, ValueError):
        raise ValueError(f"row {row} of the edges: {column} must be a number, not {value!r}") from None
