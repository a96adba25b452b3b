"""The triplets that a chain must satisfy, and the fewer ones that imply them all."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels
from treetalk.arguments import NO_TRIPLETS, A, B, C, Frozen, Items, format_triplet
from treetalk.build import minimal_conflict
from treetalk.errors import InconsistentTriplets
from treetalk.triplets import TripletSet

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Those that others imply are left out first when there are so many triplets per item, or in all, whichever is less (but two
# per item are none too many); then whenever as many have come as were left, at least so many, and so large a share of all.
MANY_PER_ITEM, MANY, FEW_PER_ITEM = 10, 2_000, 2
MORE, SHARE = 500, 1 / 8


class Constraints(Frozen):
    """Triplets in force. It never changes: more or fewer triplets are other constraints.

    Moves look at `needed` only: triplets that imply the others. Finding these takes time, and few triplets per item slow
    no move down: so it is done now and then as triplets come. When, and what is left out, depends on the triplets and
    their order alone, not on how many came at a time.

    What is *presumed* is needed too, but nobody has said it: see `treetalk.presuming`.
    """

    def __init__(
        self,
        num_leaves: int,
        items: Items | None = None,
        triplets: NDArray[np.int32] = NO_TRIPLETS,
        *,
        before: Constraints | None = None,
        rows: NDArray[np.int64] | None = None,
        presumed: NDArray[np.int32] = NO_TRIPLETS,
    ) -> None:
        self._num_leaves, self._items = num_leaves, items
        self._triplets, self._presumed = triplets, presumed
        # What is needed of the first triplets, as far as that is known, and how many may be before some are left out.
        fewest = min(MANY_PER_ITEM * num_leaves, max(MANY, FEW_PER_ITEM * num_leaves))
        self._needed_of_first, self._most, self._num_first = (
            (NO_TRIPLETS, fewest, 0) if before is None else before._known_of_first
        )
        # Where each triplet stands among those given last, -1 if it was in force before.
        self._rows = np.full(len(triplets), -1) if rows is None else rows

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
        if len(presumed) > MANY_PER_ITEM * self._num_leaves:
            presumed = TripletSet(presumed, self._num_leaves).reduce().triplets
        return Constraints(
            self._num_leaves, self._items, self._triplets, before=self, rows=self._rows, presumed=presumed
        )

    def with_more(self, triplets: NDArray[np.int32]) -> Constraints:
        """Return the constraints with more triplets; the same object if all of them are in force already."""
        rows = np.flatnonzero(self._first_of_each(triplets))
        if len(rows) == 0:
            return self
        together = np.concatenate([self._triplets, triplets[rows]])
        places = np.concatenate([np.full(len(self._triplets), -1), rows])
        return Constraints(self._num_leaves, self._items, together, before=self, rows=places, presumed=self._presumed)

    def replaced_by(self, triplets: NDArray[np.int32], presumed: NDArray[np.int32]) -> Constraints:
        """Return the constraints with these triplets and these presumed, in place of all; repetitions do no harm."""
        none = Constraints(self._num_leaves, self._items)
        rows = np.flatnonzero(none._first_of_each(triplets))
        wanted, num_before = triplets[rows], len(self._triplets)
        # What is known of those that come first, as they did before, need not be found out again.
        before = self if np.array_equal(wanted[:num_before], self._triplets) else None
        said = Constraints(self._num_leaves, self._items, wanted, before=before, rows=rows)
        return said.presuming(presumed)

    def _first_of_each(self, triplets: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which of the triplets are not in force, and not repetitions of one before."""
        keys = _keys(np.concatenate([self._triplets, triplets]), self._num_leaves)
        is_first = np.zeros(len(keys), bool)
        is_first[np.unique(keys, return_index=True)[1]] = True
        return is_first[len(self._triplets) :]

    def without(self, triplet: NDArray[np.int32]) -> Constraints:
        """Return the constraints without a triplet, which must be in force."""
        keys = _keys(np.concatenate([self._triplets, triplet[np.newaxis]]), self._num_leaves)
        same = keys[:-1] == keys[-1]
        if not same.any():
            raise ValueError(f"there is no triplet {format_triplet(triplet, self._items)} to take back")
        # What the triplet implied together with others may be needed now.
        return Constraints(self._num_leaves, self._items, self._triplets[~same], presumed=self._presumed)

    @property
    def needed(self) -> NDArray[np.int32]:
        """Triplets that imply all that were said, and are among them."""
        return self._known_of_all[0]

    @cached_property
    def _known_of_all(self) -> tuple[NDArray[np.int32], int, int]:
        """What is needed of all triplets, how many may be before some are left out, and the number of all."""
        needed, most, begin = self._known_of_first
        end = len(self._triplets)
        if len(needed) + end - begin > most:
            self.check()
        while len(needed) + end - begin > most:
            upto = begin + most - len(needed) + 1
            together = np.concatenate([needed, self._triplets[begin:upto]])
            needed = TripletSet(together, self._num_leaves).reduce().triplets
            most, begin = len(needed) + max(len(needed), MORE, int(SHARE * upto)), upto
        return np.concatenate([needed, self._triplets[begin:]]), most, end

    @property
    def _known_of_first(self) -> tuple[NDArray[np.int32], int, int]:
        """The same, of as many triplets as it is known of."""
        found: tuple[NDArray[np.int32], int, int] = self.__dict__.get(
            "_known_of_all", (self._needed_of_first, self._most, self._num_first)
        )
        return found

    def are_satisfied_by(self, parent: NDArray[np.int32]) -> bool:
        """Return whether a tree has all the triplets, said and presumed."""
        layout = _kernels.layout.make_layout(parent.copy(), self._num_leaves)
        of_first, _, num_first = self._known_of_first
        rest = of_first, self._triplets[num_first:], self._presumed
        return bool(_kernels.layout.satisfied(layout, np.concatenate(rest)).all())

    def check(self) -> None:
        """Raise `InconsistentTriplets`, with a minimal conflict, if no tree has all the triplets."""
        together = np.concatenate([self._triplets, self._presumed])
        parent, reason = _kernels.build.build(together, self._num_leaves)
        if parent.size == 0:
            rows = minimal_conflict(together, reason)
            given = np.concatenate([self._rows, np.full(len(self._presumed), -1)])
            raise InconsistentTriplets(together[rows], given[rows], self._items)


def _keys(triplets: NDArray[np.int32], num_leaves: int) -> NDArray[np.int64]:
    """Return a number for each triplet that only equal ones share, whichever of a and b comes first."""
    wide = triplets.astype(np.int64)
    low, high = np.minimum(wide[:, A], wide[:, B]), np.maximum(wide[:, A], wide[:, B])
    return np.asarray((low * num_leaves + high) * num_leaves + wide[:, C])
