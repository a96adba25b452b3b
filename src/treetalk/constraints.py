"""The triplets that a chain must satisfy, and the fewer ones that imply them all."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels
from treetalk.arguments import NO_TRIPLETS, Frozen, Items, format_triplet
from treetalk.build import minimal_conflict
from treetalk.errors import InconsistentTriplets
from treetalk.triplets import TripletSet

if TYPE_CHECKING:
    from numpy.typing import NDArray


MANY = 10


class Constraints(Frozen):
    """Triplets in force. It never changes: more or fewer triplets are other constraints.

    Moves look at `needed` only: triplets that imply the others. Finding these takes time, and few triplets per item slow
    no move down: so it is done once there are `MANY` triplets per item, and again whenever their number has doubled.

    What is *presumed* is needed too, but nobody has said it: see `treetalk.presuming`.
    """

    def __init__(
        self,
        num_leaves: int,
        items: Items | None = None,
        triplets: NDArray[np.int32] | None = None,
        needed: NDArray[np.int32] | None = None,
        sorted_out: int = 0,
        rows: NDArray[np.int64] | None = None,
        presumed: NDArray[np.int32] | None = None,
    ) -> None:
        self._num_leaves, self._items = num_leaves, items
        self._triplets = NO_TRIPLETS if triplets is None else triplets
        self._needed = NO_TRIPLETS if needed is None else needed
        self._sorted_out = sorted_out
        # Where each triplet stands among those given last, -1 if it was in force before.
        self._rows = np.full(len(self._triplets), -1) if rows is None else rows
        self._presumed = NO_TRIPLETS if presumed is None else presumed

    @property
    def triplets(self) -> NDArray[np.int32]:
        """All triplets in force, each once, in the order in which they came."""
        self._triplets.flags.writeable = False  # a copy or a pickle would not keep that
        return self._triplets

    @property
    def presumed(self) -> NDArray[np.int32]:
        """Triplets that hold although nobody has said so."""
        return self._presumed

    def presuming(self, triplets: NDArray[np.int32]) -> Constraints:
        """Return the constraints with these triplets presumed, as far as they were not said, and no others."""
        presumed = triplets[self._first_of_each(triplets)]
        if len(presumed) > MANY * self._num_leaves:
            presumed = TripletSet(presumed, self._num_leaves).reduce().triplets
        kept = self._num_leaves, self._items, self._triplets, self._needed, self._sorted_out, self._rows
        return Constraints(*kept, presumed)

    def with_more(self, triplets: NDArray[np.int32]) -> Constraints:
        """Return the constraints with more triplets; the same object if all of them are in force already."""
        rows = np.flatnonzero(self._first_of_each(triplets))
        if len(rows) == 0:
            return self
        new = triplets[rows]
        return Constraints(
            self._num_leaves,
            self._items,
            np.concatenate([self._triplets, new]),
            np.concatenate([self._needed, new]),
            self._sorted_out,
            np.concatenate([np.full(len(self._triplets), -1), rows]),
            self._presumed,
        )

    def _first_of_each(self, triplets: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which of the triplets are not in force, and not repetitions of one before."""
        together = _turned(np.concatenate([self._triplets, triplets]))
        _, first = np.unique(together, axis=0, return_index=True)
        is_first = np.zeros(len(together), bool)
        is_first[first] = True
        return is_first[len(self._triplets) :]

    def without(self, triplet: NDArray[np.int32]) -> Constraints:
        """Return the constraints without a triplet, which must be in force."""
        same = (_turned(self._triplets) == _turned(triplet[np.newaxis])).all(axis=1)
        if not same.any():
            raise ValueError(f"there is no triplet {format_triplet(triplet, self._items)} to take back")
        left = self._triplets[~same]
        # What the triplet implied together with others may be needed now.
        return Constraints(self._num_leaves, self._items, left, left, presumed=self._presumed)

    @cached_property
    def needed(self) -> NDArray[np.int32]:
        """Triplets that imply all that were said, and are among them."""
        if len(self._needed) <= max(2 * self._sorted_out, MANY * self._num_leaves):
            return self._needed
        self.check()
        needed = TripletSet(self._needed, self._num_leaves).reduce().triplets
        # cached_property and this note are the only things that are ever set.
        self.__dict__["_sorted_out"] = len(needed)
        self.__dict__["_needed"] = needed
        return needed

    def are_satisfied_by(self, parent: NDArray[np.int32]) -> bool:
        """Return whether a tree has all the triplets, said and presumed."""
        layout = _kernels.layout.make_layout(parent.copy(), self._num_leaves)
        return bool(_kernels.layout.satisfied(layout, np.concatenate([self._needed, self._presumed])).all())

    def check(self) -> None:
        """Raise `InconsistentTriplets`, with a minimal conflict, if no tree has all the triplets."""
        together = np.concatenate([self._triplets, self._presumed])
        parent, reason = _kernels.build.build(together, self._num_leaves)
        if parent.size == 0:
            rows = minimal_conflict(together, reason)
            given = np.concatenate([self._rows, np.full(len(self._presumed), -1)])
            raise InconsistentTriplets(together[rows], given[rows], self._items)


def _turned(triplets: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return triplets with a < b."""
    return np.column_stack([np.sort(triplets[:, :2], axis=1), triplets[:, 2]])
