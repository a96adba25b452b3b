"""Trees as graphs with edges from parent to child: for networkx, and as GraphML for Gephi, Cytoscape and yEd.

Nodes have the numbers that they have in the tree. A node has the attributes `item` (the name of an item) or `name` (that of
a cluster), `size` (the number of items under it), `time` and `support`, an edge has `length`; each only where it is known.
In GraphML a node with an item or a name has the same as its `label` too, which is what those programs show.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError
from xml.sax.saxutils import escape

from treetalk.errors import FormatError
from treetalk.extras import imported
from treetalk.formats.arcs import attributes_of, lengths_of, tree_of_arcs

if TYPE_CHECKING:
    from treetalk.tree import Tree

_NODE_KEYS = {
    "label": "string",
    "item": "string",
    "name": "string",
    "size": "int",
    "time": "double",
    "support": "double",
}
# What XML 1.0 cannot hold, not even escaped.
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_networkx(tree: Tree) -> Any:
    """Return a tree as a networkx DiGraph, an arborescence."""
    networkx = imported("networkx", "a graph of a tree", extra="io")
    graph = networkx.DiGraph()
    known, lengths = attributes_of(tree), lengths_of(tree)
    graph.add_nodes_from((v, known[v]) for v in tree.preorder.tolist())
    for v in tree.preorder[1:].tolist():
        length = {} if math.isnan(lengths[v]) else {"length": lengths[v]}
        graph.add_edge(int(tree.parent[v]), v, **length)
    return graph


def from_networkx(graph: Any) -> Tree:
    """Return the tree of a networkx graph with edges from parent to child.

    Nodes may be called anything: words are the names of items and clusters, unless these have the attribute `item` or
    `name`; numbers are the names of items, unless these have the attribute or are 0, 1, 2 and so on. Times are the attribute
    `time` of nodes, or else distances from the root by the attribute `length` or `weight` of edges.

    Raises
    ------
    ValueError
        If the graph is no tree. The sentence names the node that has two parents, or stands above itself.
    """
    if not hasattr(graph, "is_directed") or not hasattr(graph, "edges"):
        raise TypeError(f"a networkx graph is needed here, not {type(graph).__name__}")
    if not graph.is_directed():
        raise ValueError("the graph has no directions; a tree is a DiGraph with edges from parent to child")
    parents: dict[Any, Any] = {}
    lengths: dict[Any, float] = {}
    for above, child, record in graph.edges(data=True):
        if child in parents:
            raise ValueError(f"{child!r} is below {parents[child]!r} already, not {above!r}")
        parents[child] = above
        length = record.get("length", record.get("weight"))
        if length is not None:
            lengths[child] = float(length)
    return tree_of_arcs(parents, dict(graph.nodes(data=True)), lengths)


def to_graphml(tree: Tree) -> str:
    """Return a tree as GraphML. Characters that XML cannot hold become question marks."""
    known, lengths = attributes_of(tree), lengths_of(tree)
    used = {"label"}.union(*known)
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns '
        'http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n'
    ]
    for key, kind in _NODE_KEYS.items():
        if key in used:
            parts.append(f'  <key id="{key}" for="node" attr.name="{key}" attr.type="{kind}"/>\n')
    if tree.time is not None:
        parts.append('  <key id="length" for="edge" attr.name="length" attr.type="double"/>\n')
    parts.append('  <graph id="tree" edgedefault="directed">\n')
    for v in tree.preorder.tolist():
        label = known[v].get("item", known[v].get("name"))
        record = known[v] if label is None else {"label": label, **known[v]}
        data = "".join(f'<data key="{key}">{_text(value)}</data>' for key, value in record.items())
        parts.append(f'    <node id="{v}">{data}</node>\n')
    for v in tree.preorder[1:].tolist():
        data = "" if math.isnan(lengths[v]) else f'<data key="length">{lengths[v]!r}</data>'
        parts.append(f'    <edge source="{tree.parent[v]}" target="{v}">{data}</edge>\n')
    parts.append("  </graph>\n</graphml>\n")
    return "".join(parts)


def from_graphml(text: str | bytes) -> Tree:
    """Return the tree of a GraphML text whose edges go from parent to child; see `from_networkx`.

    Nodes without the attribute `item` or `name` are called by their `label`, if they have one.
    """
    networkx = imported("networkx", "a tree of GraphML", extra="io")
    try:
        graph = networkx.parse_graphml(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except (ParseError, UnicodeDecodeError, networkx.NetworkXError) as error:
        raise FormatError(f"this is no GraphML: {error}") from None
    for _, record in graph.nodes(data=True):
        if "label" in record:
            record.setdefault("item", record["label"])
            record.setdefault("name", record["label"])
    return from_networkx(graph)


def _text(value: object) -> str:
    # A carriage return as it is would be read as a line feed.
    return escape(_NOT_IN_XML.sub("?", str(value)), {"\r": "&#13;"})
