"""A tree as its arcs, from child to parent, between nodes that are called anything: what edge lists and graphs have."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk import _kernels
from treetalk.arguments import Items
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

Attributes = Mapping[str, Any]
_WHOLE = re.compile(r"0|-?[1-9][0-9]*")


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


def support_of(tree: Tree) -> NDArray[np.float64] | None:
    """Return the support of each node as a share: other programs write percents."""
    if tree.support is None:
        return None
    return tree.support / 100 if (tree.support > 1).any() else tree.support


def tree_of_arcs(
    parents: Mapping[Hashable, Hashable],
    attributes: Mapping[Hashable, Attributes],
    lengths: Mapping[Hashable, float] | None = None,
    *,
    hint: str = "",
) -> Tree:
    """Return the tree of some arcs. A node with a single child is collapsed.

    What a node is called is its name, unless it has another: that of an item if it is a leaf, of a cluster if it is called
    by a word. Numbers, which may be written as text, name items alone, and not even these where they only count: where
    leaves have items of their own, or are 0, 1, 2 and so on, as the leaves of a `Tree` are. Leaves are then in the order of
    these numbers, else as they appear.

    Parameters
    ----------
    parents : dict
        What is above each node but the root.
    attributes : dict
        Of some nodes or all, what `attributes_of` gives. Times are taken from here; `size` is not looked at.
    lengths : dict, optional
        The length of the edge above each node, where no node has a time: times are then distances from the root. What is
        negative counts as 0, with a warning.
    hint : str
        What to add to the sentence that says that an item is missing.
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
    numbers = _as_numbers(called)
    is_counted = numbers is not None and (
        any(not is_missing(attributes.get(leaf, {}).get("item")) for leaf in leaves)
        or {numbers[leaf] for leaf in leaves} == set(range(num_leaves))
    )
    order = numbers if numbers is not None and is_counted else calls
    place = sorted(range(num_leaves), key=lambda leaf: order[leaves[leaf]])
    # Nothing refers to a leaf but its own entries.
    parent[:num_leaves], origin[:num_leaves] = parent[place], origin[place]
    known = [attributes.get(called[v], {}) for v in origin]
    own = [called[v] for v in origin]
    inner = [None if is_missing(record.get("name")) else as_name(record["name"]) for record in known[num_leaves:]]
    if numbers is None and all(isinstance(call, str) for call in called):
        inner = [str(call) if name is None else name for name, call in zip(inner, own[num_leaves:], strict=True)]
    time = _numbers("time", known)
    if time is None and lengths is not None:
        _warn_of_negative(lengths)
        time = _distances(above, [lengths.get(call, math.nan) for call in called], origin)
    return Tree(
        parent,
        time=time,
        items=_items(own[:num_leaves], known[:num_leaves], hint, is_counted=is_counted),
        support=_numbers("support", known),
        names=[None] * num_leaves + inner,
    )


def is_missing(value: object) -> bool:
    """Return whether a value stands for none: None, NaN, or what pandas has for it."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType"


def as_name(value: object) -> str:
    """Return a name; that of a whole number, which tables with gaps have as a float, is without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def as_number(value: Any) -> float:
    """Return a number that may be written as text; NaN for none."""
    return math.nan if is_missing(value) or (isinstance(value, str) and not value.strip()) else float(value)


def _as_numbers(called: Sequence[Hashable]) -> dict[Hashable, int] | None:
    """Return the numbers that nodes are called by, if all are: whole ones, or text that has them."""
    numbers: dict[Hashable, int] = {}
    for call in called:
        is_text = isinstance(call, str) and _WHOLE.fullmatch(call)
        if (
            not is_text
            and not isinstance(call, int | np.integer)
            and not (isinstance(call, float) and call.is_integer())
        ):
            return None
        numbers[call] = int(call)  # type: ignore[call-overload]
    return numbers


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


def _items(own: list[Hashable], known: list[Attributes], hint: str, *, is_counted: bool) -> list[str] | None:
    given = [record.get("item") for record in known]
    if is_counted:
        gaps = [call for call, item in zip(own, given, strict=True) if is_missing(item)]
        if len(gaps) == len(own):
            return None
        if gaps:
            raise ValueError(f"node {gaps[0]!r} has no item, where other leaves have one{hint}")
    return [as_name(call if is_missing(item) else item) for item, call in zip(given, own, strict=True)]


def _numbers(key: str, known: list[Attributes]) -> list[float] | None:
    values = [as_number(record.get(key)) for record in known]
    return None if all(map(math.isnan, values)) else values


def _warn_of_negative(lengths: Mapping[Hashable, float]) -> None:
    negative = [call for call, length in lengths.items() if length < 0]
    if negative:
        found = "a negative length is" if len(negative) == 1 else f"{len(negative)} negative lengths are"
        first = "it" if len(negative) == 1 else "the first"
        warnings.warn(f"{found} read as 0; {first} is that of the edge above {negative[0]!r}", stacklevel=5)


def _distances(above: Any, lengths: list[float], origin: Any) -> Any:
    """Return the distance of some nodes from the root; None if no length is known."""
    if all(map(math.isnan, lengths)):
        return None
    own = np.where(np.isnan(lengths) | (above == -1), 0.0, lengths)
    return _kernels.newick.cumulated(above, own)[origin]
