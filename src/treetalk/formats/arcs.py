"""A tree as its arcs, from child to parent, between nodes that are called anything: what edge lists and graphs have."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from treetalk import _kernels
from treetalk.arguments import Items
from treetalk.tree import Tree

Attributes = Mapping[str, Any]


def attributes_of(tree: Tree) -> list[dict[str, Any]]:
    """Return what is known of each node: `item` or `name`, `size`, and `time` and `support` where they are known."""
    labels = item_names(tree)
    records: list[dict[str, Any]] = []
    for v in range(tree.num_nodes):
        record: dict[str, Any] = {}
        if v < tree.num_leaves:
            record["item"] = labels[v]
        elif tree.names is not None and tree.names[v] is not None:
            record["name"] = tree.names[v]
        record["size"] = int(tree.sizes[v])
        if tree.time is not None:
            record["time"] = float(tree.time[v])
        if tree.support is not None and not math.isnan(tree.support[v]):
            record["support"] = float(tree.support[v])
        records.append(record)
    return records


def lengths_of(tree: Tree) -> list[float]:
    """Return the length of the edge above each node; NaN for the root, and in a tree without times."""
    if tree.time is None:
        return [math.nan] * tree.num_nodes
    lateness = tree.time if tree._age is None else -tree._age
    lengths: list[float] = np.where(tree.parent == -1, np.nan, lateness - lateness[tree.parent]).tolist()
    return lengths


def item_names(tree: Tree) -> Sequence[str]:
    """Return the names of the items, which are their numbers if they have none."""
    return tree.items or Items(map(str, range(tree.num_leaves)))


def tree_of_arcs(
    parents: Mapping[Hashable, Hashable],
    attributes: Mapping[Hashable, Attributes],
    lengths: Mapping[Hashable, float] | None = None,
) -> Tree:
    """Return the tree of some arcs. A node with a single child is collapsed.

    Leaves are numbered in the order of their own numbers if all nodes are called by numbers, else as they appear.

    Parameters
    ----------
    parents : dict
        What is above each node but the root.
    attributes : dict
        Of some nodes or all, what `attributes_of` gives. Times are taken from here; `size` is not looked at.
    lengths : dict, optional
        The length of the edge above each node, where no node has a time: times are then distances from the root.
    """
    calls: dict[Hashable, int] = {}
    for child, upper in parents.items():
        calls.setdefault(upper, len(calls))
        calls.setdefault(child, len(calls))
    for call in attributes:
        calls.setdefault(call, len(calls))
    if not calls:
        raise ValueError("there is no tree here: neither an edge nor a node")
    called = _in_preorder(parents, list(calls))
    number = {call: v for v, call in enumerate(called)}
    above = np.array([number[parents[call]] if call in parents else -1 for call in called], np.int64)
    parent, origin = _kernels.restriction.without_single_children(above)
    num_leaves = int(np.count_nonzero(~np.isin(np.arange(len(parent)), parent)))
    leaves = [called[v] for v in origin[:num_leaves]]
    is_numbered = all(isinstance(call, int | np.integer) for call in called)
    place = sorted(range(num_leaves), key=lambda leaf: leaves[leaf] if is_numbered else calls[leaves[leaf]])
    # Nothing refers to a leaf but its own entries.
    parent[:num_leaves], origin[:num_leaves] = parent[place], origin[place]
    known = [attributes.get(called[v], {}) for v in origin]
    own = [called[v] for v in origin]
    inner = [None if is_missing(record.get("name")) else str(record["name"]) for record in known[num_leaves:]]
    if all(isinstance(call, str) for call in called):
        # Nodes that are called by words have these for their names, unless they have others.
        inner = [str(call) if name is None else name for name, call in zip(inner, own[num_leaves:], strict=True)]
    time = _numbers("time", known)
    if time is None and lengths is not None:
        time = _distances(above, [lengths.get(call, math.nan) for call in called], origin)
    return Tree(
        parent,
        time=time,
        items=_items(own[:num_leaves], known[:num_leaves]),
        support=_numbers("support", known),
        names=[None] * num_leaves + inner,
    )


def is_missing(value: object) -> bool:
    """Return whether a value stands for none: None, NaN, or what pandas has for it."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType"


def _in_preorder(parents: Mapping[Hashable, Hashable], calls: list[Hashable]) -> list[Hashable]:
    """Return the nodes, the root first and each before its children; what is no tree is refused by naming the culprit."""
    roots = [call for call in calls if call not in parents]
    if len(roots) > 1:
        raise ValueError(f"a tree has one root; here {roots[0]!r} and {roots[1]!r} have nothing above them")
    children: dict[Hashable, list[Hashable]] = {call: [] for call in calls}
    for child, above in parents.items():
        children[above].append(child)
    order: list[Hashable] = []
    waiting = list(roots)
    while waiting:
        call = waiting.pop()
        order.append(call)
        waiting.extend(reversed(children[call]))
    if len(order) < len(calls):
        call = next(iter(parents.keys() - set(order)))
        for _ in calls:  # after so many steps up, the walk is in the circle
            call = parents[call]
        raise ValueError(f"a tree has no circle; here {call!r} stands above itself")
    return order


def _items(own: list[Hashable], known: list[Attributes]) -> list[str] | None:
    items = [None if is_missing(record.get("item")) else str(record["item"]) for record in known]
    if any(item is None for item in items):
        if all(isinstance(call, int | np.integer) for call in own):
            if all(item is None for item in items):
                return None
            missing = own[items.index(None)]
            raise ValueError(f"node {missing!r} has no item, where other leaves have one")
        items = [str(call) if item is None else item for item, call in zip(items, own, strict=True)]
    return items  # type: ignore[return-value]


def _numbers(key: str, known: list[Attributes]) -> list[float] | None:
    values = [math.nan if is_missing(record.get(key)) else float(record[key]) for record in known]
    return None if all(map(math.isnan, values)) else values


def _distances(above: Any, lengths: list[float], origin: Any) -> Any:
    """Return the distance of some nodes from the root; None if no length is known."""
    if all(map(math.isnan, lengths)):
        return None
    own = np.where(np.isnan(lengths) | (above == -1), 0.0, lengths)
    return _kernels.newick.cumulated(above, own)[origin]
