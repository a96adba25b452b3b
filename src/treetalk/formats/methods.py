"""What a tree can be written as and read from, as methods of `Tree`: each is one line here, and a module of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from treetalk.arguments import Frozen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from treetalk.tree import Tree


class Written(Frozen):
    """A base of `Tree`: the formats."""

    @classmethod
    def from_newick(cls, text: str | bytes, items: Iterable[object] | None = None) -> Tree:
        """Return the tree that a Newick text holds; see `treetalk.formats.newick` for what is understood."""
        from treetalk.formats import newick

        return newick.from_newick(text, items)

    def to_newick(self, *, node_labels: str = "both") -> str:
        """Return the tree as Newick text, with branch lengths where it has times.

        `node_labels` says what stands at internal nodes: "support", "names", or "both"; see `treetalk.formats.newick`.
        """
        from treetalk.formats import newick

        return newick.to_newick(self._whole, node_labels=node_labels)

    @classmethod
    def from_linkage(cls, linkage: ArrayLike, items: Iterable[object] | None = None) -> Tree:
        """Return the tree of a SciPy linkage matrix; see `treetalk.formats.linkage`."""
        from treetalk.formats import linkage as scipy_linkage

        return scipy_linkage.from_linkage(linkage, items)

    def to_linkage(self) -> NDArray[np.float64]:
        """Return the tree as a SciPy linkage matrix; multifurcations become merges at equal height."""
        from treetalk.formats import linkage as scipy_linkage

        return scipy_linkage.to_linkage(self._whole)

    @classmethod
    def from_json(cls, text: str | bytes) -> Tree:
        """Return the tree of a JSON text, flat or nested; see `treetalk.formats.json`."""
        from treetalk.formats import json

        return json.from_json(text)

    def to_json(self) -> str:
        """Return the tree as flat JSON: the parallel arrays, bit for bit. Works at any depth."""
        from treetalk.formats import json

        return json.to_json(self._whole)

    def to_nested_json(self) -> str:
        """Return the tree as nested JSON, as d3 reads it. Not for very deep trees, which few readers of JSON take."""
        from treetalk.formats import json

        return json.to_nested_json(self._whole)

    @classmethod
    def from_networkx(cls, graph: Any) -> Tree:
        """Return the tree of a networkx graph with edges from parent to child; see `treetalk.formats.networks`."""
        from treetalk.formats import networks

        return networks.from_networkx(graph)

    def to_networkx(self) -> Any:
        """Return the tree as a networkx DiGraph with edges from parent to child; see `treetalk.formats.networks`."""
        from treetalk.formats import networks

        return networks.to_networkx(self._whole)

    def to_graphml(self) -> str:
        """Return the tree as GraphML, which Gephi, Cytoscape and yEd read; see `treetalk.formats.networks`."""
        from treetalk.formats import networks

        return networks.to_graphml(self._whole)

    @classmethod
    def from_graphml(cls, text: str | bytes) -> Tree:
        """Return the tree of a GraphML text with edges from parent to child; see `treetalk.formats.networks`."""
        from treetalk.formats import networks

        return networks.from_graphml(text)

    @classmethod
    def from_edges(cls, edges: Any) -> Tree:
        """Return the tree of a data frame with a row for each edge; see `treetalk.formats.edges`."""
        from treetalk.formats import edges as edge_list

        return edge_list.from_edges(edges)

    def to_edges(self) -> Any:
        """Return a pandas data frame with a row for each edge; see `treetalk.formats.edges`."""
        from treetalk.formats import edges

        return edges.to_edges(self._whole)

    def to_skos(self, *, base: str | None = None, title: str | None = None, language: str | None = None) -> str:
        """Return the tree as a SKOS thesaurus in Turtle; see `treetalk.formats.skos`."""
        from treetalk.formats import skos

        return skos.to_skos(self._whole, base=base, title=title, language=language)

    def to_outline(self, max_depth: int | None = None) -> str:
        """Return the tree as a nested list in Markdown, down to so many levels; see `treetalk.formats.outline`."""
        from treetalk.formats import outline

        return outline.to_outline(self._whole, max_depth)

    def draw(
        self, *, width: int | None = None, max_lines: int | None = None, names: bool = False, percents: bool = False
    ) -> str:
        """Return a drawing in text that fits a terminal; see `treetalk.formats.text.draw`."""
        from treetalk.formats import text

        return text.draw(self._whole, width=width, max_lines=max_lines, names=names, percents=percents)

    @property
    def _whole(self) -> Tree:
        from treetalk.tree import as_tree

        return as_tree(self)
