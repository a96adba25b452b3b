"""The hierarchy that a simulated user has in mind: a tree in a file, or groups in a column or a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treetalk.arguments import Items, nearest, unknown_item
from treetalk.errors import FormatError, TreetalkError
from treetalk.formats.files import read_trees
from treetalk.importing.delimited import read_records
from treetalk.metrics import tree_of_labels
from treetalk.tree import Tree


def target_from(given: str, items: Items, columns: Sequence[Mapping[str, Any]]) -> Tree:
    """Return a target over the items: a column of theirs with groups, a Newick or NEXUS file, or a table item,cluster.

    Parameters
    ----------
    given : str
        The name of a column, or the path of a file.
    items : Items
        The ids of the items.
    columns : sequence of dict
        The further columns of each item.
    """
    known = list(dict.fromkeys(name for more in columns for name in more))
    if given in known:
        return _of_column(given, items, columns)
    path = Path(given)
    if not path.is_file():
        near = nearest(given, known)
        there = (
            f"did you mean {' or '.join(map(repr, near))}?" if near else f"columns are {', '.join(map(repr, known))}"
        )
        raise TreetalkError(f"there is neither a column nor a file {given!r} to aim at{'; ' + there if known else ''}")
    if path.suffix.lower() in {".csv", ".tsv"}:
        return _of_table(path, items)
    trees = list(read_trees(path))
    if len(trees) != 1:
        raise TreetalkError(f"{path} must hold one tree to aim at; it has {len(trees)}")
    (tree,) = trees
    missing = [name for name in items if tree.items is None or name not in tree.items.numbers]
    if missing:
        raise TreetalkError(f"{path} lacks {len(missing)} of the {len(items)} items, the first of them {missing[0]!r}")
    return tree.restrict(items)


def columns_with_groups(columns: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns whose values put items into groups: at least two of them, of two items on average."""
    names = list(dict.fromkeys(name for more in columns for name in more))
    found = []
    for name in names:
        values = [more.get(name) for more in columns]
        if None not in values and 2 <= len(set(map(str, values))) <= len(values) // 2:
            found.append(name)
    return found


def _of_column(name: str, items: Items, columns: Sequence[Mapping[str, Any]]) -> Tree:
    labels = [more.get(name) for more in columns]
    empty = next((items[i] for i, label in enumerate(labels) if label is None or label == ""), None)
    if empty is not None:
        raise TreetalkError(f"column {name!r} has no value for {empty!r}, so it does not say where that item belongs")
    return _of_labels(labels, items)


def _of_table(path: Path, items: Items) -> Tree:
    (first, names), *rows = read_records(path)
    header = [name.strip().lower() for name in names]
    if header.count("item") != 1 or header.count("cluster") != 1:
        raise FormatError("the first line must be item,cluster", line=first, source=path.name)
    item, cluster = header.index("item"), header.index("cluster")
    labels: dict[str, str] = {}
    lines: dict[str, int] = {}
    for line, row in rows:
        if not any(row):
            continue
        if len(row) < len(header) or any(row[len(header) :]):
            cells = "there is 1 cell" if len(row) == 1 else f"there are {len(row)} cells"
            raise FormatError(f"{cells}, but the header has {len(header)}", line=line, source=path.name)
        name = row[item] if row[item] in items.numbers else row[item].strip()
        label = row[cluster].strip()
        if name not in items.numbers:
            raise FormatError(unknown_item(name, items), line=line, source=path.name)
        if labels.setdefault(name, label) != label:
            raise FormatError(
                f"the item {name!r} is in cluster {label!r} here, but in cluster {labels[name]!r} on line {lines[name]}",
                line=line,
                source=path.name,
            )
        lines.setdefault(name, line)
    missing = [name for name in items if name not in labels]
    if missing:
        raise TreetalkError(f"{path} lacks {len(missing)} of the {len(items)} items, the first of them {missing[0]!r}")
    return _of_labels([labels[name] for name in items], items)


def _of_labels(labels: Sequence[Any], items: Items) -> Tree:
    _, numbers = np.unique(np.array(list(map(str, labels)), dtype=object).astype(str), return_inverse=True)
    return tree_of_labels(numbers).with_items(items)
