"""A window onto a hierarchy of any size: which branches are open, and which rows of them are looked at.

A `Canvas` holds a tree as it is drawn, one for each revision of the tree. A view of it costs little more than the rows in
its window: what is outside is counted but not made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from treetalk import _kernels
from treetalk.arguments import Frozen, as_count, as_leaf
from treetalk.arrays import read_only
from treetalk.clades import clade_keys
from treetalk.layout.labels import MOST_IN_LABEL, cluster_label, item_label
from treetalk.layout.moved import moved_leaves
from treetalk.layout.order import drawn, steady_order
from treetalk.layout.piece import NUM_DIGITS
from treetalk.tree import as_tree
from treetalk.wording import one_line

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from treetalk.tree import Tree

Labels = Sequence[str] | Callable[[int], str]

KEY_LENGTH = 16
KEY = re.compile(f"[0-9a-f]{{{KEY_LENGTH}}}")
MOST_ON_TRAIL = (
    100  # branches named on the way down to one; of more, those nearest the root are left out, but for the root
)


class Canvas(Frozen):
    """A tree as it is drawn. It never changes.

    Branches are spoken of by *keys*: strings that stay the same from tree to tree while a clade has the same items.

    Parameters
    ----------
    tree : Tree
        With support and names where there are any; leaf i is item number i.
    order : int array of shape (num_leaves,), optional
        The leaves from top to bottom, see `steady_order`, which is the default.
    revision : int
        What this state of the tree is called.
    labels : sequence of str, or function from item number to str, optional
        What items are called; by default as in the tree, or else by their numbers.
    """

    def __init__(
        self, tree: Tree, order: ArrayLike | None = None, *, revision: int = 0, labels: Labels | None = None
    ) -> None:
        self._tree = as_tree(tree)
        self._revision = revision
        self._drawn = drawn(tree, steady_order(tree) if order is None else order)
        self._labels: Labels | None = tree.items if labels is None else labels
        # Made when first asked for.
        self._cluster_labels: dict[int, str] = {}
        self._moved: WeakKeyDictionary[Canvas, NDArray[np.bool_]] = WeakKeyDictionary()
        keys = clade_keys(tree)[self._drawn.node]
        by_key = np.argsort(keys).astype(np.int32)
        self._keys, self._by_key, self._sorted_keys = keys, by_key, keys[by_key]

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self._tree

    @property
    def revision(self) -> int:
        """What this state of the tree is called."""
        return self._revision

    @cached_property
    def order(self) -> NDArray[np.int32]:
        """The leaves from top to bottom."""
        return read_only(self._drawn.node[self._drawn.size == 1])

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """The position of each leaf from the top: what `steady_order` needs for the next tree."""
        return read_only(self._drawn.first[self._drawn.number[: self._tree.num_leaves]].astype(np.int64))

    def __repr__(self) -> str:
        return f"<treetalk.layout.Canvas: revision {self._revision}, {self._tree.num_leaves} leaves>"

    # --- keys

    def key(self, node: int) -> str:
        """Return the key of a node of the tree."""
        return self._key(int(self._drawn.number[self._tree._as_node(node)]))

    def node(self, key: str) -> int | None:
        """Return the node of the tree with this key, None if there is none."""
        found = self._find([key])
        return int(self._drawn.node[found[0]]) if found.size else None

    def _key(self, i: int) -> str:
        return f"{int(self._keys[i]):0{KEY_LENGTH}x}"

    def _find(self, keys: Iterable[str]) -> NDArray[np.int32]:
        """Return the numbers in the drawing of the nodes with these keys, as far as there are any."""
        found = self._find_words(_as_words(keys))
        known: NDArray[np.int32] = found[found != -1]
        return known

    def _find_words(self, words: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the numbers in the drawing of the nodes with these keys, -1 where there is none."""
        place = np.minimum(np.searchsorted(self._sorted_keys, words), self._sorted_keys.size - 1)
        found: NDArray[np.int32] = np.where(self._sorted_keys[place] == words, self._by_key[place], np.int32(-1))
        return found

    def resolve(self, key: str, former: Iterable[Canvas] = ()) -> str | None:
        """Return the key of the branch that is now what a branch of this or a former tree was.

        That is the key itself if it is there. Otherwise, from the newest of the `former` canvases that has it, the clade
        that is most like it: most items in common, of all items in either. None if no clade has more than half in common.
        """
        if self.node(key) is not None:
            return key
        for other in sorted(former, key=lambda canvas: canvas.revision, reverse=True):
            node = other.node(key)
            if node is not None:
                return self._most_alike(other.tree.leaves(node))
        return None

    def _most_alike(self, leaves: NDArray[np.int32]) -> str | None:
        """Return the key of the clade most like some leaves, if more than half alike."""
        known = leaves[leaves < self._tree.num_leaves]
        i, likeness = _kernels.drawing.most_alike(self._drawn, known, leaves.size - known.size)
        return self._key(int(i)) if likeness > 0.5 else None

    # --- words

    def label(self, node: int) -> str:
        """Return what is written beside a node: its item's label, its name, or some of its items and their number."""
        return self._label(int(self._drawn.number[self._tree._as_node(node)]))

    def _label(self, i: int) -> str:
        v = int(self._drawn.node[i])
        if v < self._tree.num_leaves:
            return self._item_label(v)
        name = self._tree.names[v] if self._tree.names is not None else None
        if name is not None and one_line(name):
            return one_line(name)
        if i not in self._cluster_labels:
            some = [self._item_label(leaf, MOST_IN_LABEL) for leaf in self._typical(i)]
            self._cluster_labels[i] = cluster_label(some, int(self._drawn.size[i]))
        return self._cluster_labels[i]

    def _item_label(self, leaf: int, *most: int) -> str:
        if self._labels is None:
            return str(leaf)
        return item_label(self._labels(leaf) if callable(self._labels) else self._labels[leaf], leaf, *most)

    def _typical(self, i: int) -> list[int]:
        """Return two or three leaves of a branch, from its largest parts; in each, largest branches lead to them."""
        heirs, size = self._drawn.heirs, self._drawn.size
        parts = [int(part) for part in heirs[i, :2]]
        more = [int(part) for part in (heirs[i, 2], *(heirs[part, 1] for part in parts)) if part != -1]
        if more:
            parts.append(max(more, key=lambda part: (size[part], -part)))
        return [int(self._drawn.typical[part]) for part in parts]

    def path(self, leaf: int) -> list[dict[str, Any]]:
        """Return `branch` (its key), `label` and `size` of what stands above a leaf, from the root to its parent."""
        number = self._drawn.number[as_leaf(leaf, self._tree.num_leaves, None)]
        return self._trail(int(self._drawn.parent[number]))

    def _trail(self, i: int) -> list[dict[str, Any]]:
        """Return the same for a node and what stands above it; without those below the root where they are too many."""
        steps: list[int] = []
        while i != -1 and len(steps) < MOST_ON_TRAIL:
            steps.append(i)
            i = int(self._drawn.parent[i])
        if i != -1:
            steps[-1] = 0
        sizes = self._drawn.size
        return [{"branch": self._key(j), "label": self._label(j), "size": int(sizes[j])} for j in reversed(steps)]

    # --- what changed

    def moved_since(self, other: Canvas) -> NDArray[np.bool_]:
        """Return for each leaf whether it moved since another canvas; see `treetalk.layout.moved`. New leaves did."""
        moved = self._moved.get(other)
        if moved is None:
            moved = self._moved[other] = read_only(self._find_moved(other))
        return moved

    def _find_moved(self, other: Canvas) -> NDArray[np.bool_]:
        num_leaves, num_former = self._tree.num_leaves, other._tree.num_leaves
        if num_leaves == num_former:
            return moved_leaves(self._drawn, other._drawn, other._find_words(self._keys))
        num_both = min(num_leaves, num_former)
        moved = np.ones(num_leaves, np.bool_)
        moved[:num_both] = self._restricted(num_both)._find_moved(other._restricted(num_both))
        return moved

    def _restricted(self, num_leaves: int) -> Canvas:
        """Return a canvas with the first so many items only."""
        if num_leaves == self._tree.num_leaves:
            return self
        return Canvas(self._tree.restrict(range(num_leaves)), self.order[self.order < num_leaves])

    # --- the window

    def view(
        self,
        focus: str | None = None,
        *,
        detail: int = 40,
        open: Iterable[str] = (),
        shut: Iterable[str] = (),
        offset: int = 0,
        limit: int = 300,
        mark: Iterable[int] = (),
        moved: NDArray[np.bool_] | None = None,
    ) -> dict[str, Any]:
        """Return what is seen of a branch through a window of rows.

        By itself, the largest branches are open, as many as fit into `detail` rows; the `focus` always is. Beyond that, a
        branch is open if its key is in `open`, with all that stands above it, unless it or something above it is in
        `shut`. So opening or shutting one branch leaves the others alone. Keys that no branch has are passed over.

        Parameters
        ----------
        focus : str, optional
            The key of the branch that is drawn, by default the root.
        detail : int
            About how many rows there are when nothing was opened or shut.
        open, shut : iterables of str
            Keys of branches.
        offset, limit : int
            The window: the first row, and how many.
        mark : iterable of int
            Items to be counted in each branch.
        moved : bool array of shape (num_leaves,), optional
            The items that moved, see `moved_since`. A branch moved if at least half of its items did.

        Returns
        -------
        dict
            `revision`, `focus` (its key), `trail` from the root to the focus, `num_rows`, `offset`, `num_moved` in the whole
            tree, and `nodes` from top to bottom: those whose rows meet the window. Each has `branch` (its key), `parent`
            (None for the focus), `x` (0 for the focus, 1 for rows), `y`, `first`, `last`, `state` ("item", "open" or
            "shut"), `item` (a number or None), `label`, `name`, `size`, `support`, `marked` and `moved`.
        """
        found = self._find([] if focus is None else [focus])
        if focus is not None and not found.size:
            raise ValueError(f"there is no branch {focus!r} in revision {self._revision} of the tree")
        top = int(found[0]) if found.size else 0
        as_count(offset, "offset")
        as_count(limit, "limit", 1)
        is_open = self._opened(top, as_count(detail, "detail", 1), self._find(open), self._find(shut))
        shown, _, first, last, x, y = _kernels.drawing.placed(self._drawn, top, is_open)
        seen = np.flatnonzero((first < offset + limit) & (last >= offset))
        numbers = shown[seen]
        facts: dict[str, list[Any]] = {
            "branch": [f"{key:0{KEY_LENGTH}x}" for key in self._keys[numbers].tolist()],
            "parent": self._parents(numbers, top),
            "x": np.round(x[seen], NUM_DIGITS).tolist(),
            "y": np.round(y[seen], NUM_DIGITS).tolist(),
            "first": first[seen].tolist(),
            "last": last[seen].tolist(),
        }
        facts |= self._facts(numbers, is_open)
        facts["marked"] = self._num_under(numbers, self._flags(mark)).tolist()
        facts["moved"] = [False] * seen.size
        if moved is not None:
            facts["moved"] = (2 * self._num_under(numbers, moved) >= self._drawn.size[numbers]).tolist()
        return {
            "revision": self._revision,
            "focus": self._key(top),
            "trail": self._trail(top),
            "num_rows": int(last[0]) + 1,
            "offset": int(offset),
            "nodes": [dict(zip(facts, row, strict=True)) for row in zip(*facts.values(), strict=True)],
            "num_moved": 0 if moved is None else int(np.count_nonzero(moved)),
        }

    def _opened(self, top: int, detail: int, asked: NDArray[np.int32], shut: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which nodes are open."""
        is_open = np.zeros(self._drawn.size.size, np.bool_)
        _kernels.drawing.open_largest(self._drawn, top, detail, is_open)
        is_shut = np.zeros_like(is_open)
        is_shut[shut] = True
        _kernels.drawing.open_asked(self._drawn, top, asked, is_shut, is_open)
        return is_open

    def _parents(self, numbers: NDArray[np.int32], top: int) -> list[str | None]:
        words = self._keys[self._drawn.parent[numbers]].tolist()
        pairs = zip(numbers.tolist(), words, strict=True)
        return [None if i == top else f"{word:0{KEY_LENGTH}x}" for i, word in pairs]

    def _facts(self, numbers: NDArray[np.int32], is_open: NDArray[np.bool_]) -> dict[str, list[Any]]:
        """Return what there is to say about some nodes wherever they stand."""
        num_leaves, names, support = self._tree.num_leaves, self._tree.names, self._tree.support
        nodes = self._drawn.node[numbers]
        listed = nodes.tolist()
        known = [None] * nodes.size if support is None else support[nodes].tolist()
        states = np.where(nodes < num_leaves, "item", np.where(is_open[numbers], "open", "shut"))
        return {
            "state": states.tolist(),
            "item": [v if v < num_leaves else None for v in listed],
            "label": [self._label(i) for i in numbers.tolist()],
            "name": [None if names is None else names[v] for v in listed],
            "size": self._drawn.size[numbers].tolist(),
            "support": [None if value is None or np.isnan(value) else value for value in known],
        }

    def _flags(self, items: Iterable[int]) -> NDArray[np.bool_]:
        flags = np.zeros(self._tree.num_leaves, np.bool_)
        flags[[as_leaf(item, self._tree.num_leaves, None) for item in items]] = True
        return flags

    def _num_under(self, numbers: NDArray[np.int32], flags: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many of the flagged leaves are under each of some nodes."""
        before = np.concatenate([[0], np.cumsum(flags[self.order])])
        first = self._drawn.first[numbers]
        counts: NDArray[np.int64] = before[first + self._drawn.size[numbers]] - before[first]
        return counts


def _as_words(keys: Iterable[str]) -> NDArray[np.uint64]:
    """Return the numbers that keys stand for, without those that are no keys."""
    digits = "".join(key for key in keys if isinstance(key, str) and KEY.fullmatch(key))
    return np.frombuffer(bytes.fromhex(digits), ">u8").astype(np.uint64)
