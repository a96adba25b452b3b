"""A tree as a Markdown outline: a nested list with a line for each cluster and each item, to read or to paste.

::

    - 5 items
      - felines: 2 items, 97 % sure
        - cat
        - lynx
      - 3 items
        - crow
        - dove
        - duck
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from treetalk.arguments import as_count
from treetalk.formats.arcs import support_of
from treetalk.wording import one_line

if TYPE_CHECKING:
    from treetalk.tree import Tree

INDENT = "  "
NUM_NAMED = 10  # items that the line of a collapsed cluster names

# What Markdown takes for something else wherever it stands, with strikethrough, tables and formulas; and what it takes for a
# heading, a list or a rule at the beginning of a line.
_SPECIAL = re.compile(r"[\\`*_\[\]<>&~$|]")
_AT_BEGINNING = re.compile(r"^(?:[#+\-=:]|\d+[.)])")


def to_outline(tree: Tree, max_depth: int | None = None) -> str:
    """Return a tree as a nested Markdown list, with the names, the sizes and the support of its clusters.

    Parameters
    ----------
    tree : Tree
        The tree.
    max_depth : int, optional
        How many levels below the root are listed; a cluster that lies that deep names some of its items on its own line.
    """
    deepest = tree.num_nodes if max_depth is None else as_count(max_depth, "max_depth")
    support = support_of(tree)
    lines = []
    for v in tree.preorder.tolist():
        depth = int(tree.depths[v])
        if depth <= deepest:
            value = np.nan if support is None or v == tree.root else support[v]  # the root is there in any case
            sure = "" if np.isnan(value) else f", {100 * value:.0f} % sure"
            text = _item(tree, v) if v < tree.num_leaves else _cluster(tree, v, sure, is_collapsed=depth == deepest)
            lines.append(f"{INDENT * depth}- {text}\n")
    return "".join(lines)


def _item(tree: Tree, leaf: int) -> str:
    return escaped(str(leaf) if tree.items is None else tree.items[leaf])


def _cluster(tree: Tree, node: int, sure: str, *, is_collapsed: bool) -> str:
    name = one_line(tree.names[node] or "") if tree.names is not None else ""
    text = f"{escaped(name)}: " if name else ""
    text += f"{tree.sizes[node]:,} items{sure}"
    if not is_collapsed:
        return text
    leaves = tree.leaves(node)
    some = ", ".join(_item(tree, leaf) for leaf in leaves[:NUM_NAMED].tolist())
    return f"{text}: {some}" + (", …" if len(leaves) > NUM_NAMED else "")


def escaped(name: str) -> str:
    """Return a name as Markdown that shows it as it is, on one line; a name without any letters as two quotes."""
    text = _SPECIAL.sub(r"\\\g<0>", one_line(name))
    return _AT_BEGINNING.sub(_escape_last, text) or '""'


def _escape_last(found: re.Match[str]) -> str:
    """Escape the last character: the sign itself, or what follows the number of a list."""
    return f"{found[0][:-1]}\\{found[0][-1]}"
