"""Newick, with what real files add to it.

Understood: names in single or double quotes (a quote inside is doubled), nested comments in brackets, branch lengths,
multifurcations, white space and line breaks anywhere between words, leaves without names if all of them are.

- The label of an internal node is its support if it is a number without quotes, else its name. Comments of the form
  ``[&support=0.9]`` are support too (likewise ``posterior``, ``prob``, ``bootstrap``, and ``B`` in NHX comments).
- A node with a single child is **collapsed**: the child takes its place, with the length of both branches.
- `Tree.time` is the distance from the root, plus the length of the root's own branch where it has one. A tree without
  any length has no times; where only some branches have a length, the others have length 0. A negative length, which
  neighbour joining produces, is read as 0, with a warning.
- Underscores stay underscores.
- Written lengths are differences of times, so that they can differ from those read in the last digits.

What is written at internal nodes has one place for two things. Most readers take a number there for support and a word for
a name, as Biopython, iTOL and this module do, so that by default a node with a name has its support in a comment after
its branch, ``felines:0.2[&&NHX:support=0.9]``, which ETE reads too. ETE wants to be told what the labels are: names are
``format=1`` (``parser=1`` in ETE 4). Its default is support, for which it takes no words: write ``node_labels="support"``.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk import _kernels
from treetalk.arguments import Items, as_items, unknown_item
from treetalk.errors import FormatError
from treetalk.formats.source import Source
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk._kernels.newick import Parsed

_PROBLEMS = {
    "NO_TREE": "there is no tree here",
    "EMPTY_TREE": "a tree without any node",
    "CLOSES_NOTHING": "')' closes nothing",
    "COMMA_OUTSIDE": "',' stands outside of any parentheses",
    "MISSING_SEMICOLON": "the tree does not end with ';'",
    "UNCLOSED_QUOTE": "a quoted name begins here and does not end",
    "UNCLOSED_COMMENT": "a comment begins here and does not end",
    "COMMENT_CLOSES_NOTHING": "']' closes no comment",
    "PARENTHESIS_AFTER_NODE": "'(' follows a finished node; a ',' or a quote is missing",
    "NAME_AFTER_NAME": "a second name for the same node; a name with blanks in it needs quotes",
    "NAME_AFTER_LENGTH": "text after a branch length",
    "SECOND_LENGTH": "a second branch length for the same node",
}

_SUPPORT_COMMENT = re.compile(rb'[&:,](?:support|posterior|prob|bootstrap|B)="?([-+.\deE]+)')
NODE_LABELS = ("both", "support", "names")
# The comment with the support of a node that has a name, and whether it stands after the branch length.
_NEWICK_COMMENT = "[&&NHX:support={}]", True
_NEXUS_COMMENT = "[&support={}]", False
_NEEDS_QUOTES = re.compile(r"""[\s()\[\]{}:;,='"`\\*<>]""")  # some of these only trouble readers of NEXUS


def from_newick(text: str | bytes, items: Iterable[object] | None = None) -> Tree:
    """Return the one tree of a Newick text.

    Parameters
    ----------
    text : str or bytes
        One tree, ending with a semicolon.
    items : sequence of str, optional
        The items in the order in which to number the leaves; without it they are numbered as they appear.
    """
    source = Source(text)
    if source.data.lstrip()[:6].upper() == b"#NEXUS":
        raise FormatError("this is NEXUS, not Newick; treetalk.read_trees reads both from files", line=1, column=1)
    names = None if items is None else as_items(items)
    tree, end = parse_tree(source, 0, names)
    if not _is_blank(source, end):
        raise source.error(
            end, "more text after the tree's ';'; treetalk.read_trees reads several trees", skip_blank=True
        )
    return tree


def parse_trees(source: Source, items: Items | None = None) -> Iterator[Tree]:
    """Yield the trees of a text, one after the other."""
    position = 0
    while position == 0 or not _is_blank(source, position):
        tree, position = parse_tree(source, position, items)
        yield tree


def _is_blank(source: Source, position: int) -> bool:
    return bool(_kernels.newick.is_blank(source.array, position))


def parse_tree(
    source: Source, position: int, items: Items | None = None, translate: dict[str, str] | None = None
) -> tuple[Tree, int]:
    """Return the tree that begins at a position, and the position after its semicolon.

    `translate` maps leaf labels to names, as NEXUS files do.
    """
    newick = _kernels.newick
    parsed: Parsed = newick.parse(source.array, position)
    if parsed.fault != newick.VALID:
        raise _fault(source, parsed)
    length = _lengths(source, parsed)
    parent, origin = _kernels.restriction.without_single_children(parsed.nodes[:, newick.PARENT])
    nodes = parsed.nodes[origin]
    num_leaves = int(np.count_nonzero(np.bincount(parent + 1, minlength=parent.size + 1)[1:] == 0))
    names = _leaf_names(source, nodes[:num_leaves], translate)
    time = None if length is None else newick.cumulated(parsed.nodes[:, newick.PARENT], length)[origin]
    if time is not None and np.isinf(time).any():
        raise source.error(position, "the branch lengths add up to more than a number can hold", skip_blank=True)
    support, node_names = _internal_labels(source, nodes, num_leaves)
    if items is not None:
        order = _positions(source, nodes, names, items)
        renumber = np.concatenate([order, np.arange(num_leaves, parent.size)])
        parent = _renumbered(parent, renumber)
        time = None if time is None else _moved(time, renumber)
    tree = Tree(parent, time=time, items=names if items is None else items, support=support, names=node_names)
    return tree, int(parsed.position)


def _fault(source: Source, parsed: Parsed) -> FormatError:
    newick = _kernels.newick
    if parsed.fault == newick.UNCLOSED_PARENTHESIS:
        line, column = source.place(parsed.other)
        return source.error(
            parsed.position, f"the tree ends while the '(' at line {line}, column {column} is still open"
        )
    if parsed.fault == newick.BAD_LENGTH:
        word = source.slice(parsed.position, parsed.other)
        return source.error(
            parsed.position, f"{word!r} is not a branch length" if word else "a branch length is missing"
        )
    if parsed.fault == newick.MISSING_SEMICOLON and b"(" not in source.data:
        return source.error(
            parsed.position, "the tree does not end with ';' (a file is read by treetalk.read_trees, not from its name)"
        )
    problem = next(text for name, text in _PROBLEMS.items() if getattr(newick, name) == parsed.fault)
    return source.error(parsed.position, problem)


def _lengths(source: Source, parsed: Parsed) -> NDArray[np.float64] | None:
    """Return the branch length of each node, or None if there is no length at all."""
    newick = _kernels.newick
    kind = parsed.nodes[:, newick.LENGTH_KIND]
    if not kind.any():
        return None
    length = parsed.length
    unparsed = np.flatnonzero(kind == newick.UNPARSED)
    words = source.slices(parsed.nodes[unparsed, newick.LENGTH_START], parsed.nodes[unparsed, newick.LENGTH_END])
    length[unparsed] = list(map(float, words))
    endless = np.flatnonzero(np.isinf(length))
    if endless.size:
        start, end = parsed.nodes[endless[0], newick.LENGTH_START], parsed.nodes[endless[0], newick.LENGTH_END]
        raise source.error(start, f"the branch length {source.slice(start, end)} is too large")
    negative = np.flatnonzero(length < 0)
    if negative.size and not source.has_warned:
        # Once for each file: saying where it stands means counting lines from the beginning.
        source.has_warned = True
        found = "a negative branch length is" if negative.size == 1 else f"{negative.size} negative branch lengths are"
        place = source.error(parsed.nodes[negative[0], newick.LENGTH_START], f"{found} read as 0")
        warnings.warn(str(place), stacklevel=5)
    return length


def _label(source: Source, node: NDArray[np.int64]) -> str:
    newick = _kernels.newick
    start, end = node[newick.LABEL_START], node[newick.LABEL_END]
    label = source.slice(start, end)
    if node[newick.LABEL_KIND] == newick.QUOTED_WITH_DOUBLED_QUOTES:
        quote = source.slice(end, end + 1)
        label = label.replace(quote * 2, quote)
    return label


def _leaf_names(source: Source, leaves: NDArray[np.int64], translate: dict[str, str] | None) -> list[str] | None:
    """Return the names of the leaves, or None if none has one."""
    newick = _kernels.newick
    kinds = leaves[:, newick.LABEL_KIND]
    if not kinds.any():
        return None
    unnamed = np.flatnonzero(kinds == newick.NO_LABEL)
    if unnamed.size:
        raise source.error(leaves[unnamed[0], newick.BEGIN], "a leaf without a name, where other leaves have one")
    names = source.slices(leaves[:, newick.LABEL_START], leaves[:, newick.LABEL_END])
    for v in np.flatnonzero(kinds == newick.QUOTED_WITH_DOUBLED_QUOTES):
        names[v] = _label(source, leaves[v])
    if translate is not None:
        names = [translate.get(name, name) for name in names]
    if len(set(names)) < len(names):
        first: dict[str, int] = {}
        for leaf, name in enumerate(names):
            if name in first:
                line, column = source.place(leaves[first[name], newick.BEGIN])
                raise source.error(
                    leaves[leaf, newick.BEGIN], f"the leaf {name!r} occurs twice, first at line {line}, column {column}"
                )
            first[name] = leaf
    return names


def _internal_labels(
    source: Source, nodes: NDArray[np.int64], num_leaves: int
) -> tuple[NDArray[np.float64] | None, list[str | None] | None]:
    """Return the support and the names of the nodes, None for either if there is none."""
    newick = _kernels.newick
    support = np.full(len(nodes), np.nan)
    names: list[str | None] = [None] * len(nodes)
    has_names = False
    kinds = nodes[num_leaves:, newick.LABEL_KIND]
    for v in (num_leaves + np.flatnonzero(kinds != newick.NO_LABEL)).tolist():
        label = _label(source, nodes[v])
        value = _number(label) if nodes[v, newick.LABEL_KIND] == newick.PLAIN else None
        if value is not None:
            support[v] = value
        else:
            names[v] = label
            has_names = True
    for v in (num_leaves + np.flatnonzero(nodes[num_leaves:, newick.COMMENT_END])).tolist():
        comment = source.data[nodes[v, newick.COMMENT_START] : nodes[v, newick.COMMENT_END]]
        found = _SUPPORT_COMMENT.search(comment)
        value = _number(found[1].decode()) if found else None
        if value is not None and np.isnan(support[v]):
            support[v] = value
    return (None if np.isnan(support).all() else support), (names if has_names else None)


def _number(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    # float() also takes "nan", "infinity", "1_000" and digits of other scripts, which may well be names.
    return value if np.isfinite(value) and word.isascii() and "_" not in word else None


def _positions(source: Source, nodes: NDArray[np.int64], names: list[str] | None, items: Items) -> NDArray[np.int32]:
    """Return the number that each leaf has among the items."""
    newick = _kernels.newick
    if names is None:
        raise source.error(nodes[0, newick.BEGIN], "the leaves have no names, so they cannot be matched with the items")
    numbers = items.numbers
    for v, name in enumerate(names):
        if name not in numbers:
            raise source.error(nodes[v, newick.BEGIN], unknown_item(name, items))
    if len(names) < len(items):
        present = set(names)
        missing = next(item for item in items if item not in present)
        raise source.error(
            nodes[len(names), newick.BEGIN] if len(nodes) > len(names) else nodes[0, newick.BEGIN],
            f"the tree has {len(names)} leaves for {len(items)} items; {missing!r} is missing",
        )
    return np.array([numbers[name] for name in names], np.int32)


def _renumbered(parent: NDArray[np.int32], number: NDArray[Any]) -> NDArray[np.int32]:
    return _moved(np.where(parent == -1, -1, number[parent]).astype(np.int32), number)


def _moved(values: NDArray[Any], number: NDArray[Any]) -> NDArray[Any]:
    result = np.empty_like(values)
    result[number] = values
    return result


def quoted(name: str) -> str:
    """Return a name as Newick writes it: in quotes if it is empty or holds a character with a meaning there."""
    if name and not _NEEDS_QUOTES.search(name):
        return name
    return "'" + name.replace("'", "''") + "'"


def to_newick(tree: Tree, *, node_labels: str = "both") -> str:
    """Return a tree as Newick text, leaves without names as their numbers. Branch lengths are differences of times.

    Parameters
    ----------
    tree : Tree
        The tree.
    node_labels : str
        What stands at internal nodes: "support", "names", or "both", which is the name of a node that has one, with its
        support in a comment, and the support of the others.
    """
    leaf_labels = [str(v) for v in range(tree.num_leaves)] if tree.items is None else [quoted(i) for i in tree.items]
    return written(tree, leaf_labels, node_labels)


def written(tree: Tree, leaf_labels: list[str], node_labels: str = "both", *, in_nexus: bool = False) -> str:
    """Return a tree as Newick text with labels for its leaves; programs that read NEXUS expect other comments."""
    if node_labels not in NODE_LABELS:
        raise ValueError(f"node_labels is one of {', '.join(NODE_LABELS)}, not {node_labels!r}")
    layout = tree._layout
    comment, is_last = _NEXUS_COMMENT if in_nexus else _NEWICK_COMMENT
    suffix = _length_suffixes(tree)
    first_child = np.zeros(tree.num_nodes, bool)
    first_child[layout.child[layout.child_start[tree.num_leaves : -1]]] = True
    parts: list[str] = []
    open_nodes: list[int] = []
    starts_group = first_child.tolist()
    num_missing = np.diff(layout.child_start).tolist()
    parents = layout.parent.tolist()
    for v in layout.preorder.tolist():
        if parts and not starts_group[v]:
            parts.append(",")
        if v >= tree.num_leaves:
            parts.append("(")
            open_nodes.append(v)
            continue
        parts += (leaf_labels[v], suffix[v])
        # Close every node whose last child this was.
        below = v
        while open_nodes:
            p = parents[below]
            num_missing[p] -= 1
            if num_missing[p]:
                break
            open_nodes.pop()
            label, support = _internal_label(tree, p, node_labels)
            remark = comment.format(support) if support else ""
            parts += (")", label, suffix[p], remark) if is_last else (")", label, remark, suffix[p])
            below = p
    parts.append(";")
    return "".join(parts)


def _length_suffixes(tree: Tree) -> list[str]:
    if tree.time is None:
        return [""] * tree.num_nodes
    lateness = tree.time if tree._age is None else -tree._age
    above = np.where(tree.parent == -1, 0.0 if tree._age is None else -1.0, lateness[tree.parent])
    suffixes = [f":{length!r}" for length in (lateness - above).tolist()]
    # A root before time 0 has no branch to write; the tree is read back with its root at 0.
    if tree.time[tree.root] <= 0 and tree.num_nodes > 1:
        suffixes[tree.root] = ""
    return suffixes


def _internal_label(tree: Tree, node: int, node_labels: str) -> tuple[str, str]:
    """Return the label of an internal node, and the support that belongs in a comment beside it."""
    name = None if tree.names is None or node_labels == "support" else tree.names[node]
    value = np.nan if tree.support is None or node_labels == "names" else float(tree.support[node])
    support = "" if np.isnan(value) else repr(value)
    if name is None:
        return support, ""
    # A name that looks like a number is told from support by its quotes.
    return (quoted(name) if _number(name) is None else f"'{name}'"), support
