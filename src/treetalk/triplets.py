"""A set of triplets: validated, and indexed for questions about what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk import _kernels
from treetalk.arguments import A, B, C, Frozen, as_items, as_leaves, as_triplets, format_triplet, items_of
from treetalk.build import as_num_leaves, minimal_conflict
from treetalk.closure import irredundant
from treetalk.errors import InconsistentTriplets
from treetalk.tree import Tree
from treetalk.wording import counted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray


class TripletSet(Frozen):
    """Triplets ab|c over items: a and b belong together, apart from c. It never changes.

    A triplet is (a, b, c), the odd one last; (b, a, c) is the same triplet, and a set holds each one once.

    Parameters
    ----------
    triplets : array of shape (m, 3)
        Item numbers, or names where `items` is given.
    num_leaves : int
        The number of items.
    items : sequence of str, optional
        The names of the items; by default those of `triplets`, if it is a `TripletSet` with names.
    """

    def __init__(self, triplets: ArrayLike, num_leaves: int, *, items: Iterable[object] | None = None) -> None:
        self._num_leaves = as_num_leaves(num_leaves)
        self._items = items_of(triplets) if items is None else as_items(items, self._num_leaves)
        self._triplets = as_triplets(triplets, self._num_leaves, self._items)
        self._check_duplicates()
        self._triplets.flags.writeable = False

    def _check_duplicates(self) -> None:
        keys, order = self._sorted_keys
        repeats = np.flatnonzero(keys[1:] == keys[:-1])
        if repeats.size:
            first, second = sorted(order[repeats[0] : repeats[0] + 2].tolist())
            shown = format_triplet(self._triplets[second], self._items)
            raise ValueError(f"triplet {second} ({shown}) repeats triplet {first}; a set holds each triplet once")

    @cached_property
    def _sorted_keys(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        keys = _keys(self._triplets)
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    @property
    def num_leaves(self) -> int:
        """The number of items."""
        return self._num_leaves

    @property
    def items(self) -> tuple[str, ...] | None:
        """The names of the items."""
        return self._items

    @property
    def triplets(self) -> NDArray[np.int32]:
        """The triplets as an array of shape (m, 3), in the order given."""
        return self._triplets

    def __len__(self) -> int:
        return len(self._triplets)

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        return ((a, b, c) for a, b, c in self._triplets.tolist())

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._triplets, dtype=dtype, copy=copy)

    def __contains__(self, triplet: object) -> bool:
        """Whether this very triplet was given; `implied` says whether it follows."""
        key = _keys(self._one(triplet)[np.newaxis])[0]
        keys, _ = self._sorted_keys
        place = np.searchsorted(keys, key)
        return bool(place < len(keys) and keys[place] == key)

    def _one(self, triplet: object) -> NDArray[np.int32]:
        three = tuple(triplet) if isinstance(triplet, Iterable) else (triplet,)
        if len(three) != 3:
            raise ValueError(f"a triplet has three items, the odd one last; {triplet!r} has {len(three)}")
        one: NDArray[np.int32] = as_triplets(np.array([three], dtype=object), self._num_leaves, self._items)[0]
        return one

    def __repr__(self) -> str:
        return f"<treetalk.TripletSet: {counted(len(self), 'triplet')} over {counted(self.num_leaves, 'item')}>"

    # --- consistency

    @cached_property
    def _build(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        parent, reason = _kernels.build.build(self._triplets.copy(), self._num_leaves)
        return parent, reason

    @property
    def is_consistent(self) -> bool:
        """Whether some tree has all the triplets."""
        return self._build[0].size > 0

    @cached_property
    def _conflict_rows(self) -> NDArray[np.int64]:
        return minimal_conflict(self._triplets, self._build[1])

    def conflict(self) -> NDArray[np.int32] | None:
        """Return a minimal set of triplets that contradict each other, or None if there is none.

        Without any one of them, the others are consistent.
        """
        return None if self.is_consistent else self._triplets[self._conflict_rows]

    @cached_property
    def tree(self) -> Tree:
        """BUILD's tree of the triplets.

        Raises `InconsistentTriplets` if there is none.
        """
        if not self.is_consistent:
            rows = self._conflict_rows
            raise InconsistentTriplets(self._triplets[rows], rows, self._items)
        return Tree(self._build[0], items=self._items)

    # --- what follows

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Rows in the preorder of their mrca in BUILD's tree, the triplets and the ranks in that order."""
        ranks = _kernels.closure.ranks_of_triplets(self.tree._layout, self._triplets.copy())
        rows = np.argsort(ranks, kind="stable")
        return rows, self._triplets[rows], ranks[rows]

    def implied(self, triplet: Sequence[int | str] | NDArray[np.integer]) -> bool:
        """Return whether the set settles ab|c: both ac|b and bc|a contradict it, whether or not ab|c is in it.

        Raises `InconsistentTriplets` if the set contradicts itself.
        """
        one = self._one(triplet)
        _, triplets, ranks = self._sorted
        return bool(_kernels.closure.implied(self.tree._layout, triplets, ranks, one[A], one[B], one[C]))

    def reduce(self) -> TripletSet:
        """Return a selection that implies all the triplets, and of which none is implied by the rest.

        Nothing can be left out of it; another selection may have fewer triplets all the same.
        """
        rows, triplets, ranks = self._sorted
        kept = irredundant(self.tree._layout, triplets, ranks)
        return TripletSet(self._triplets[np.sort(rows[kept])], self._num_leaves, items=self._items)

    def restrict(self, leaves: Iterable[object]) -> TripletSet:
        """Return the triplets within some leaves, given by number or name; new item i is ``leaves[i]``."""
        chosen = as_leaves(leaves, self._num_leaves, self._items)
        number = np.full(self._num_leaves, -1, np.int32)
        number[chosen] = np.arange(len(chosen))
        renumbered = number[self._triplets]
        return TripletSet(
            renumbered[(renumbered >= 0).all(axis=1)],
            len(chosen),
            items=None if self._items is None else [self._items[v] for v in chosen],
        )

    def of_leaf(self, leaf: object) -> NDArray[np.int64]:
        """Return the rows of the triplets that name an item, given by number or name."""
        v = as_leaves([leaf], self._num_leaves, self._items)[0]
        start, rows = self._rows_by_leaf
        return rows[start[v] : start[v + 1]].copy()

    @cached_property
    def _rows_by_leaf(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        flat = self._triplets.ravel()
        order = np.argsort(flat, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=self._num_leaves))])
        return start, order // 3


def _keys(triplets: NDArray[np.int32]) -> NDArray[Any]:
    """Return a value for each triplet that only equal triplets share."""
    keys = np.empty(len(triplets), np.dtype([("low", np.int32), ("high", np.int32), ("odd", np.int32)]))
    keys["low"] = triplets[:, :C].min(axis=1)
    keys["high"] = triplets[:, :C].max(axis=1)
    keys["odd"] = triplets[:, C]
    return keys


def check_size(triplets: ArrayLike, num_leaves: int) -> None:
    """Refuse a set of triplets over another number of items: its numbers mean other items."""
    if isinstance(triplets, TripletSet) and triplets.num_leaves != num_leaves:
        raise ValueError(f"the triplets are over {triplets.num_leaves} items, and there are {num_leaves} items")
