"""The frozen tree that users hold: a hierarchy over items, of any arity, as parallel arrays indexed by node."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk import _kernels
from treetalk.arguments import Items, as_items, as_leaves, as_triplets, unknown_item
from treetalk.arrays import as_parents, as_support, as_values, check_parents, read_only
from treetalk.clades import Clades
from treetalk.formats.methods import Written
from treetalk.wording import counted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from treetalk._kernels.layout import Layout


class Tree(Written):
    """A rooted tree over items. It never changes.

    Leaves are the nodes 0 to n - 1, internal nodes have the numbers after that in any order, and each has at least two
    children. Two trees are equal if they are the same hierarchy of the same items, with the same times, support and
    names. Leaves are compared by the names of their items, or by their numbers if they have no names; the numbers of
    internal nodes do not matter. A single item is a tree of one leaf.

    Parameters
    ----------
    parent : int array of shape (num_nodes,)
        The parent of each node, -1 for the root.
    time : float array of shape (num_nodes,), optional
        When each node diverges. No node comes before its parent.
    age : float array of shape (num_nodes,), optional
        1 - time, in place of `time`: very late divergences stay apart.
    items : sequence of str, optional
        The names of the leaves.
    support : float array of shape (num_nodes,), optional
        How well each clade is supported; NaN where that is not known.
    names : sequence of (str or None), optional
        The names of the nodes, None for none. Those of leaves are `items`, and are not given here.
    """

    def __init__(
        self,
        parent: ArrayLike,
        *,
        time: ArrayLike | None = None,
        age: ArrayLike | None = None,
        items: Iterable[object] | None = None,
        support: ArrayLike | None = None,
        names: Iterable[str | None] | None = None,
    ) -> None:
        self._parent = as_parents(parent)
        self._num_leaves = check_parents(self._parent)
        if time is not None and age is not None:
            raise TypeError("a tree has times or ages, not both: age is 1 - time")
        self._age = None if age is None else as_values(age, "age", self._parent.size)
        if self._age is not None:
            time = 1 - self._age
        self._time = None if time is None else as_values(time, "time", self._parent.size)
        self._support = None if support is None else as_support(support, self._parent.size)
        self._items = None if items is None else as_items(items, self._num_leaves)
        self._names = None if names is None else self._as_names(names)
        if self._time is not None:
            self._check_time(self._time)

    @classmethod
    def from_parents(
        cls,
        parent: ArrayLike,
        time: ArrayLike | None = None,
        items: Iterable[object] | None = None,
        support: ArrayLike | None = None,
        names: Iterable[str | None] | None = None,
        age: ArrayLike | None = None,
    ) -> Tree:
        """Return the tree with this parent array; see the class for the parameters."""
        return cls(parent, time=time, age=age, items=items, support=support, names=names)

    def _check_time(self, time: NDArray[np.float64]) -> None:
        wrong = np.flatnonzero(~np.isfinite(time))
        if wrong.size:
            raise ValueError(f"time must be finite; that of node {wrong[0]} is {time[wrong[0]]}")
        child = np.flatnonzero(self._parent != -1)
        lateness = time if self._age is None else -self._age
        early = child[lateness[child] < lateness[self._parent[child]]]
        if early.size:
            v = int(early[0])
            p = int(self._parent[v])
            raise ValueError(
                f"time must grow from the root down; node {v} has time {time[v]}, its parent {p} has {time[p]}"
            )

    def _as_names(self, names: Iterable[str | None]) -> tuple[str | None, ...] | None:
        result = tuple(None if name is None else str(name) for name in names)
        if len(result) != self.num_nodes:
            raise ValueError(f"{len(result)} node names were given for a tree with {self.num_nodes} nodes")
        for v, name in enumerate(result[: self.num_leaves]):
            if name is not None:
                raise ValueError(f"node {v} is a leaf: its name {name!r} belongs in items, not in names")
        return result if any(name is not None for name in result) else None

    # --- what a tree consists of

    @property
    def num_leaves(self) -> int:
        """The number of leaves."""
        return self._num_leaves

    @property
    def num_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return int(self._parent.size)

    @property
    def parent(self) -> NDArray[np.int32]:
        """The parent of each node, -1 for the root."""
        return self._parent

    @property
    def time(self) -> NDArray[np.float64] | None:
        """When each node diverges: it grows from the root down."""
        return self._time

    @property
    def age(self) -> NDArray[np.float64] | None:
        """1 - time: as it was given, so that divergences later than rounding can tell from 1 stay apart."""
        if self._age is None and self._time is not None:
            return 1 - self._time
        return self._age

    @property
    def support(self) -> NDArray[np.float64] | None:
        """How well each clade is supported, NaN where that is not known."""
        return self._support

    @property
    def names(self) -> tuple[str | None, ...] | None:
        """The name of each node, None for none; leaves have theirs in `items`."""
        return self._names

    @property
    def items(self) -> Items | None:
        """The names of the leaves."""
        return self._items

    @property
    def root(self) -> int:
        """The node without a parent."""
        return int(self._layout.preorder[0])

    @property
    def is_binary(self) -> bool:
        """Whether every internal node has two children."""
        return self.num_nodes == 2 * self.num_leaves - 1

    @cached_property
    def _layout(self) -> Layout:
        # Writable, like the layouts that kernels make: one compiled version of a kernel serves both. Users get views.
        layout: Layout = _kernels.layout.make_layout(self._parent.copy(), self._num_leaves)
        return layout

    # --- finding one's way

    def children(self, node: int) -> NDArray[np.int32]:
        """Return the children of a node, in the order of the smallest leaf under each; none for a leaf."""
        v = self._as_node(node)
        start = self._layout.child_start
        return read_only(self._layout.child[start[v] : start[v + 1]])

    def leaves(self, node: int | None = None) -> NDArray[np.int32]:
        """Return the leaves under a node (under the root by default), in drawing order."""
        v = self.root if node is None else self._as_node(node)
        first = self._layout.first[v]
        return read_only(self._layout.leaf_order[first : first + self._layout.size[v]])

    @property
    def sizes(self) -> NDArray[np.int32]:
        """The number of leaves under each node."""
        return read_only(self._layout.size)

    @property
    def depths(self) -> NDArray[np.int32]:
        """The number of edges from each node up to the root."""
        return read_only(self._layout.depth)

    @property
    def preorder(self) -> NDArray[np.int32]:
        """All nodes, each before its children; read backwards, each after its children."""
        return read_only(self._layout.preorder)

    def node(self, name: str) -> int:
        """Return the number of the item or, failing that, of the internal node with this name."""
        if not isinstance(name, str):
            raise TypeError(f"a name is a string, not {name!r}")
        if self._items is not None and name in self._items.numbers:
            return self._items.numbers[name]
        names = self._names or ()
        if name in names:
            return names.index(name)
        known = [*(self._items or ()), *(known for known in names if known is not None)]
        raise ValueError(unknown_item(name, known))

    def mrca(self, *nodes: int | str) -> int:
        """Return the most recent common ancestor of one or more nodes, given by number or name.

        O(log n) for each node, once the tree has been looked at.
        """
        if not nodes:
            raise ValueError("mrca needs at least one node")
        return int(_kernels.layout.mrca_of_all(self._layout, np.array([self._as_node(v) for v in nodes], np.int32)))

    def clades(self) -> Clades:
        """Return the clade of every node, made when asked for: ``tree.clades()[v]`` is the frozenset of leaves under v."""
        return Clades(self)

    def _as_node(self, value: object) -> int:
        if isinstance(value, str):
            return self.node(value)
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
            raise TypeError(f"a node is given by its number or its name, not by {value!r}")
        if not 0 <= value < self.num_nodes:
            raise ValueError(f"there is no node {value}: nodes are numbered from 0 to {self.num_nodes - 1}")
        return int(value)

    # --- asking it questions

    def satisfies(self, triplets: ArrayLike) -> NDArray[np.bool_]:
        """Return for each triplet ab|c whether a and b stand together, apart from c.

        Parameters
        ----------
        triplets : array of shape (m, 3)
            Item numbers, or names where the items have names; the odd one last.
        """
        array = as_triplets(triplets, self.num_leaves, self.items)
        result: NDArray[np.bool_] = _kernels.layout.satisfied(self._layout, array)
        return result

    def is_refinement_of(self, other: Tree) -> bool:
        """Return whether every clade of `other` is a clade of this tree: it says the same, and maybe more."""
        leaf_map = self._leaf_map(as_tree(other))
        image = _kernels.layout.clade_images(self._layout, other._layout, leaf_map)
        return bool((self._layout.size[image] == other._layout.size).all())

    def same_topology(self, other: Tree) -> bool:
        """Return whether both trees have the same clades."""
        return self.is_refinement_of(other) and self.num_nodes == other.num_nodes

    def _leaf_map(self, other: Tree) -> NDArray[np.int32]:
        """Return the leaf of this tree for each leaf of `other`: by name where both have names, else by number."""
        if self.num_leaves != other.num_leaves:
            raise ValueError(f"the trees have different leaves: {self.num_leaves} against {other.num_leaves}")
        if self._items is None or other._items is None or self._items == other._items:
            return np.arange(self.num_leaves, dtype=np.int32)
        numbers = self._items.numbers
        for name in other._items:
            if name not in numbers:
                missing = next(item for item in self._items if item not in other._items.numbers)
                raise ValueError(f"the trees have different leaves: {missing!r} is only in one, {name!r} in the other")
        return np.array([numbers[name] for name in other._items], np.int32)

    # --- making other things of it

    def restrict(self, leaves: Iterable[object]) -> Tree:
        """Return the tree induced on some leaves, given by number or name; new leaf i is ``leaves[i]``.

        Times, item names and node names are kept. Support is not: it speaks of clades with other leaves.
        """
        chosen = as_leaves(leaves, self.num_leaves, self.items)
        by_position = np.argsort(self._layout.first[chosen]).astype(np.int32)
        parent, origin = _kernels.restriction.restrict(self._layout, chosen, by_position)
        return Tree(
            parent,
            **self._times_at(origin),
            items=None if self._items is None else [self._items[v] for v in chosen],
            names=None if self._names is None else [self._names[v] for v in origin],
        )

    def cut(self, num_clusters: int) -> NDArray[np.int32]:
        """Return a cluster number for each leaf: undo the ``num_clusters - 1`` earliest divergences.

        A multifurcation counts as binary divergences at one time, from which the last children are split off first, as
        `to_linkage` has them. Clusters are numbered by their smallest leaf.
        """
        lateness = self._lateness_to_cut()
        if isinstance(num_clusters, bool) or not isinstance(num_clusters, int | np.integer):
            raise TypeError(f"num_clusters must be an integer, not {num_clusters!r}")
        if num_clusters > self.num_leaves:
            raise ValueError(
                f"a tree cannot be cut into more clusters than it has leaves: "
                f"{num_clusters} clusters were asked for, it has {self.num_leaves} leaves"
            )
        if num_clusters < 1:
            raise ValueError(f"a tree can be cut into one cluster or more, not into {num_clusters}")
        internal = np.arange(self.num_leaves, self.num_nodes)
        earliest_first = internal[np.lexsort((self._layout.rank[internal], lateness[internal]))]
        start = self._layout.child_start
        num_divergences = start[earliest_first + 1] - start[earliest_first] - 1
        before = np.cumsum(num_divergences) - num_divergences
        num_undone = np.zeros(self.num_nodes, np.int32)
        num_undone[earliest_first] = np.clip(num_clusters - 1 - before, 0, num_divergences)
        labels: NDArray[np.int32] = _kernels.layout.cut_labels(self._layout, num_undone)
        return labels

    def cut_at(self, time: float) -> NDArray[np.int32]:
        """Return a cluster number for each leaf: undo all divergences before a time; clusters are numbered as by `cut`.

        With the heights of `to_linkage`, this is what SciPy's ``fcluster(Z, height, "distance")`` gives at the height that
        is so much below the latest leaf.
        """
        lateness = self._lateness_to_cut()
        if isinstance(time, bool) or not isinstance(time, int | float | np.integer | np.floating):
            raise TypeError(f"the time of a cut must be a number, not {time!r}")
        if np.isnan(time):
            raise ValueError("the time of a cut must be a number, not nan")
        at = time if self._age is None else time - 1
        num_undone = np.where(lateness < at, np.diff(self._layout.child_start) - 1, 0).astype(np.int32)
        num_undone[: self.num_leaves] = 0
        labels: NDArray[np.int32] = _kernels.layout.cut_labels(self._layout, num_undone)
        return labels

    def _lateness_to_cut(self) -> NDArray[np.float64]:
        if self._time is None:
            raise ValueError("a tree without times cannot be cut: nothing says which divergence is the earliest")
        return self._time if self._age is None else -self._age

    def with_items(self, items: Iterable[object] | None) -> Tree:
        """Return the same tree with other names for the leaves, or with none."""
        return Tree(self._parent, **self._times_at(slice(None)), items=items, support=self._support, names=self._names)

    def canonical(self) -> Tree:
        """Return the same tree with its internal nodes numbered in preorder, the root first."""
        order = self._canonical_order
        number = np.empty(self.num_nodes, np.int32)
        number[order] = np.arange(self.num_nodes)
        above = self._parent[order]
        return Tree(
            np.where(above == -1, -1, number[above]),
            **self._times_at(order),
            items=self._items,
            support=None if self._support is None else self._support[order],
            names=None if self._names is None else [self._names[v] for v in order],
        )

    def _times_at(self, order: Any) -> dict[str, Any]:
        """Return the times of some nodes, or their ages if the tree was made from ages, as an argument for a new tree."""
        if self._age is not None:
            return {"age": self._age[order]}
        return {"time": None if self._time is None else self._time[order]}

    @cached_property
    def _canonical_order(self) -> NDArray[np.int32]:
        preorder = self._layout.preorder
        return np.concatenate([np.arange(self.num_leaves, dtype=np.int32), preorder[preorder >= self.num_leaves]])

    # --- as a Python object

    def __repr__(self) -> str:
        leaves = "1 leaf" if self.num_leaves == 1 else f"{self.num_leaves:,} leaves"
        parts = [leaves, counted(self.num_nodes - self.num_leaves, "internal node")]
        parts += [
            word
            for word, value in (("times", self._time), ("support", self._support), ("items", self._items))
            if value is not None
        ]
        return f"<treetalk.Tree: {', '.join(parts)}>"

    def __str__(self) -> str:
        return self.draw(max_lines=60)

    def _repr_html_(self) -> str:
        from treetalk.formats import svg

        return svg.as_html(svg.to_svg(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        mine, others = self._essence, other._essence
        if self._age is not None and other._age is not None and not np.array_equal(mine[5], others[5]):
            return False
        return all(
            np.array_equal(m, o, equal_nan=True) if isinstance(m, np.ndarray) and isinstance(o, np.ndarray) else m is o
            for m, o in zip(mine[:3], others[:3], strict=True)
        ) and (mine[3:5] == others[3:5])

    def __hash__(self) -> int:
        return hash((self._essence[0].tobytes(), self._essence[4]))

    @cached_property
    def _essence(self) -> tuple[Any, ...]:
        tree = self
        if self._items is not None:
            # Leaves in the order of their names. Nothing refers to a leaf but its own row.
            order = np.arange(self.num_nodes)
            order[: self.num_leaves] = sorted(range(self.num_leaves), key=self._items.__getitem__)
            tree = Tree(
                self._parent[order],
                **self._times_at(order),
                items=[self._items[v] for v in order[: self.num_leaves]],
                support=None if self._support is None else self._support[order],
                names=self._names,
            )
        tree = tree.canonical()
        # Ages tell more than times do, but only where both trees have them.
        return tree._parent, tree._time, tree._support, tree._names, tree._items, tree._age

    def __reduce__(self) -> tuple[Any, ...]:
        time = self._time if self._age is None else None
        return Tree.from_parents, (self._parent, time, self._items, self._support, self._names, self._age)


def as_tree(value: object) -> Tree:
    """Return the value if it is a tree."""
    if not isinstance(value, Tree):
        raise TypeError(f"a Tree is needed here, not {type(value).__name__}")
    return value
