"""JSON: flat, which is the parallel arrays of a tree, or nested, which is what d3 and people read.

Flat: ``{"format": "treetalk.Tree", "parent": [...], "time": [...], "items": [...], "support": [...], "names": [...]}``,
where only `format` and `parent` must be there, and a diffusion tree has "age" in place of "time". Numbers are written
so that they are read back bit for bit.

Nested: ``{"name": ..., "time": ..., "support": ..., "children": [...]}``, where all keys are optional but that a node
without children is a leaf. Leaves are numbered as they appear, and a node with a single child is collapsed.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from treetalk import _kernels
from treetalk.errors import FormatError
from treetalk.tree import Tree

FORMAT = "treetalk.Tree"


def to_json(tree: Tree) -> str:
    """Return a tree as flat JSON."""
    record: dict[str, Any] = {"format": FORMAT, "parent": tree.parent.tolist()}
    for key, values in tree._times_at(slice(None)).items():
        if values is not None:
            record[key] = values.tolist()
    if tree.items is not None:
        record["items"] = tree.items
    if tree.support is not None:
        record["support"] = [None if math.isnan(value) else value for value in tree.support.tolist()]
    if tree.names is not None:
        record["names"] = tree.names
    return json.dumps(record, ensure_ascii=False, allow_nan=False)


def to_nested_json(tree: Tree) -> str:
    """Return a tree as nested JSON. A very deep tree raises a ValueError: nested JSON is read by recursion."""
    try:
        return json.dumps(nested(tree), ensure_ascii=False, allow_nan=False)
    except RecursionError:
        raise ValueError(
            f"the tree is {tree.depths.max()} levels deep, too deep for nested JSON; to_json() is flat"
        ) from None


def nested(tree: Tree) -> dict[str, Any]:
    """Return a tree as nested dictionaries."""
    records: list[dict[str, Any]] = []
    for v in range(tree.num_nodes):
        record: dict[str, Any] = {}
        if v < tree.num_leaves:
            record["name"] = str(v) if tree.items is None else tree.items[v]
        elif tree.names is not None and tree.names[v] is not None:
            record["name"] = tree.names[v]
        if tree.time is not None:
            record["time"] = float(tree.time[v])
        if tree.support is not None and not np.isnan(tree.support[v]):
            record["support"] = float(tree.support[v])
        if v >= tree.num_leaves:
            record["children"] = []
        records.append(record)
    for v in tree.preorder[1:].tolist():
        records[tree.parent[v]]["children"].append(records[v])
    return records[tree.root]


def from_json(text: str | bytes) -> Tree:
    """Return the tree of a JSON text, flat or nested."""
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(error.msg, line=error.lineno, column=error.colno) from None
    except UnicodeDecodeError:
        raise FormatError("this is not UTF-8 text") from None
    except RecursionError:
        raise FormatError("the tree is too deep for nested JSON; write it flat, with to_json()") from None
    except ValueError as error:  # such as a number with too many digits
        raise FormatError(str(error)) from None
    if not isinstance(record, dict):
        raise FormatError(f"a tree in JSON is an object, not {type(record).__name__}")
    if "parent" in record:
        return _from_flat(record)
    if "children" not in record and "name" not in record:
        raise FormatError("this object is no tree: it has neither 'parent' (flat) nor 'children' nor 'name' (nested)")
    return from_nested(record)


def _from_flat(record: dict[str, Any]) -> Tree:
    unknown = sorted(record.keys() - {"format", "parent", "time", "age", "items", "support", "names"})
    if unknown:
        raise FormatError(f"a tree in flat JSON has no key {unknown[0]!r}")
    if record.get("format", FORMAT) != FORMAT:
        raise FormatError(f"the format is {record['format']!r}, not {FORMAT!r}")
    support = record.get("support")
    try:
        return Tree(
            record["parent"],
            time=record.get("time"),
            age=record.get("age"),
            items=record.get("items"),
            support=None if support is None else [math.nan if value is None else value for value in support],
            names=record.get("names"),
        )
    except (TypeError, ValueError) as error:
        raise FormatError(str(error)) from None


def from_nested(record: dict[str, Any]) -> Tree:
    """Return the tree of nested dictionaries."""
    found: list[dict[str, Any]] = []
    parents: list[int] = []
    stack: list[tuple[Any, int]] = [(record, -1)]
    while stack:
        node, p = stack.pop()
        if not isinstance(node, dict):
            raise FormatError(f"a node in nested JSON is an object, not {node!r}")
        children = node.get("children") or []
        if not isinstance(children, list):
            raise FormatError(f"the children of {node.get('name', 'a node')!r} must be a list, not {children!r}")
        stack.extend((child, len(found)) for child in reversed(children))
        found.append(node)
        parents.append(p)
    parent, origin = _kernels.restriction.without_single_children(np.array(parents, np.int64))
    nodes = [found[v] for v in origin]
    num_leaves = sum(not node.get("children") for node in nodes)
    items = [node.get("name") for node in nodes[:num_leaves]]
    if any(name is None for name in items) and any(name is not None for name in items):
        raise FormatError(f"leaf {items.index(None)} has no name, where other leaves have one")
    names = [None] * num_leaves + [node.get("name") for node in nodes[num_leaves:]]
    try:
        return Tree(
            parent,
            time=_values("time", nodes),
            items=None if items[0] is None else items,
            support=_values("support", nodes),
            names=None if all(name is None for name in names) else names,
        )
    except (TypeError, ValueError) as error:
        raise FormatError(str(error)) from None


def _values(key: str, nodes: list[dict[str, Any]]) -> list[float] | None:
    values = [node.get(key) for node in nodes]
    if all(value is None for value in values):
        return None
    for value in values:
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise FormatError(f"{key} must be a number, not {value!r}")
    return [math.nan if value is None else float(value) for value in values]
