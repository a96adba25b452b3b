"""A hierarchy as a SKOS thesaurus in Turtle, which editors of vocabularies and catalogues read.

The hierarchy is a `skos:ConceptScheme`. Its clusters and its items are `skos:Concept`, each with `skos:broader` for the
cluster above and `skos:narrower` for what is below; the root is the scheme itself, so what stands below the root are its top
concepts. The `skos:notation` of a concept is its place, ``2.1.3`` for the third below the first below the second; in a
tree of more than 100 levels, where that gets long, it is the number of the concept. Size and support of a cluster are
properties of treetalk's own, ``<urn:treetalk:size>`` and ``<urn:treetalk:support>``, on the scheme for the root.

The IRI of an item ends with its id, that of a cluster with a key of the items in it, so that both are the same in the next
export as long as the items are. The W3C's "SKOS Reference" says what each word means.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np

from treetalk.formats.arcs import item_names, support_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.tree import Tree

BASE = "https://example.org/treetalk/"
TITLE = "Hierarchy"
MOST_LEVELS = 100
NUM_NAMED = 3  # items in the label of a cluster without a name
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>\"{}|^`\\]+")
_LANGUAGE = re.compile(r"[A-Za-z]+(-[A-Za-z0-9]+)*")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_HEAD = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix treetalk: <urn:treetalk:> .
"""


def to_skos(tree: Tree, *, base: str | None = None, title: str | None = None, language: str | None = None) -> str:
    """Return a tree as a SKOS thesaurus in Turtle.

    Parameters
    ----------
    tree : Tree
        The tree.
    base : str, optional
        What all IRIs begin with, and the IRI of the scheme; by default one that is meant for examples.
    title : str, optional
        The label of the scheme; by default the name of the root.
    language : str, optional
        The language of all labels, such as "en"; by default they have none.
    """
    start = as_base(BASE if base is None else base)
    if language is not None and not _LANGUAGE.fullmatch(language):
        raise ValueError(f"language is a tag such as 'en' or 'pt-BR', not {language!r}")
    names = tree.names or (None,) * tree.num_nodes
    labels = _labels(tree)
    iris = _iris(tree, start)
    notations = _notations(tree)
    tag = "" if language is None else f"@{language}"

    scheme = [("a", ["skos:ConceptScheme"])]
    scheme.append(("skos:prefLabel", [_literal(title or names[tree.root] or TITLE) + tag]))
    top = [tree.root] if tree.num_nodes == 1 else tree.children(tree.root).tolist()
    scheme.append(("skos:hasTopConcept", [iris[v] for v in top]))
    support = support_of(tree)
    about_all = _numbers(tree, tree.root, support) if tree.num_nodes > 1 else []
    parts = [_HEAD, _statement(f"<{start}>", scheme + about_all)]
    for v in tree.preorder.tolist():
        if v == tree.root and tree.num_nodes > 1:
            continue
        about = [("a", ["skos:Concept"]), ("skos:inScheme", [f"<{start}>"])]
        about.append(("skos:prefLabel", [_literal(labels[v]) + tag]))
        about.append(("skos:notation", [_literal(notations[v])]))
        is_top = tree.parent[v] in {-1, tree.root}
        about.append(("skos:topConceptOf", [f"<{start}>"]) if is_top else ("skos:broader", [iris[int(tree.parent[v])]]))
        if v >= tree.num_leaves:
            about.append(("skos:narrower", [iris[u] for u in tree.children(v).tolist()]))
            about += _numbers(tree, v, support)
        parts.append(_statement(iris[v], about))
    return "\n".join(parts)


def as_base(base: str) -> str:
    """Return what IRIs begin with: an absolute IRI, with a slash at its end unless it ends with a sign that parts."""
    if not isinstance(base, str) or not _IRI.fullmatch(base):
        raise ValueError(f"the base of IRIs is an absolute IRI such as 'https://example.org/zoo/', not {base!r}")
    return base if base[-1] in "/#:=" else f"{base}/"


def _statement(subject: str, about: Sequence[tuple[str, list[str]]]) -> str:
    lines = [f"    {verb} {', '.join(objects)}" for verb, objects in about]
    return f"{subject}\n" + " ;\n".join(lines) + " .\n"


def _numbers(tree: Tree, node: int, support: NDArray[np.float64] | None) -> list[tuple[str, list[str]]]:
    found = [("treetalk:size", [str(int(tree.sizes[node]))])]
    if support is not None and not math.isnan(support[node]):
        found.append(("treetalk:support", [f'"{float(support[node])!r}"^^xsd:double']))
    return found


def _literal(text: str) -> str:
    """Return a text as Turtle has it; half characters, which no UTF-8 holds, become question marks."""
    whole = text.encode("utf-8", "replace").decode()
    return '"' + "".join(_ESCAPES.get(letter) or _plain(letter) for letter in whole) + '"'


def _plain(letter: str) -> str:
    return f"\\u{ord(letter):04X}" if ord(letter) < 0x20 or ord(letter) == 0x7F else letter


def _labels(tree: Tree) -> list[str]:
    """Return a label for each node: its name, or some of its items and how many there are."""
    items = item_names(tree)
    labels = list(items)
    for v in range(tree.num_leaves, tree.num_nodes):
        name = None if tree.names is None else tree.names[v]
        if not name:
            first = int(tree._layout.first[v])
            some = [items[leaf] for leaf in tree._layout.leaf_order[first : first + NUM_NAMED]]
            more = " …" if tree.sizes[v] > len(some) else ""
            name = f"{', '.join(some[: tree.sizes[v]])}{more} ({tree.sizes[v]:,})"
        labels.append(name)
    return labels


def _iris(tree: Tree, base: str) -> list[str]:
    items = item_names(tree)
    iris = [f"<{base}item/{quote(item, safe='', errors='replace')}>" for item in items]
    # A sum of words, one for each item, whatever their order; see `treetalk.clades`, whose words are of leaf numbers.
    words = np.array(
        [int.from_bytes(hashlib.blake2b(item.encode("utf-8", "replace"), digest_size=8).digest()) for item in items],
        np.uint64,
    )
    layout = tree._layout
    sums = np.zeros(tree.num_leaves + 1, np.uint64)
    np.cumsum(words[layout.leaf_order], out=sums[1:])
    keys = sums[layout.first + layout.size] - sums[layout.first]
    return iris + [f"<{base}cluster/{key:016x}>" for key in keys[tree.num_leaves :].tolist()]


def _notations(tree: Tree) -> list[str]:
    notations = [""] * tree.num_nodes
    if int(tree.depths.max()) > MOST_LEVELS:
        for number, v in enumerate(tree.preorder.tolist()):
            notations[v] = str(number)
        return notations
    if tree.num_nodes == 1:
        return ["1"]
    for v in tree.preorder.tolist():
        above = f"{notations[v]}." if notations[v] else ""
        for place, u in enumerate(tree.children(v).tolist(), 1):
            notations[u] = f"{above}{place}"
    return notations
