"""Groups of items that triplets put together: a with b, b with d, so a, b and d.

For someone who has flat classes in mind, a group lies in one class, and whatever joins two of its items joins all of them.
For someone with a hierarchy in mind it need not: ab|c and bd|e may speak of clades of any size. What tells the two apart is
a group with an odd one inside: ab|c where c is linked with a and b by other triplets. Such a group is *split*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.arguments import A, B, C

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The most that a pair weighs, where there are groups of few items, and where everything is in a group.
MOST_AT_FIRST, MOST_WEIGHT = 4.0, 16.0


class Groups(NamedTuple):
    """The groups of some items."""

    labels: NDArray[np.int32]  # the number of each item's group, from 0
    is_split: NDArray[np.bool_]  # of each group

    @property
    def sizes(self) -> NDArray[np.intp]:
        """The number of items in each group."""
        return np.bincount(self.labels, minlength=len(self.is_split))


def groups_of(triplets: NDArray[np.int32], num_items: int) -> Groups:
    """Return the groups of items that triplets of shape (m, 3) put together; an item of which nothing is said is alone."""
    if not len(triplets):
        return Groups(np.arange(num_items, dtype=np.int32), np.zeros(num_items, bool))
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(triplets), np.int8), (triplets[:, A], triplets[:, B])), shape=(num_items, num_items))
    count, labels = connected_components(links, directed=False)
    is_split = np.zeros(count, bool)
    is_split[labels[triplets[odd_ones_inside(triplets, labels), A]]] = True
    return Groups(labels, is_split)


def class_labels(triplets: NDArray[np.int32], num_items: int) -> NDArray[np.intp]:
    """Return the number of each item's group, from 0, where everyone in a group that is split stands for himself."""
    groups = groups_of(triplets, num_items)
    own = np.where(groups.is_split[groups.labels], len(groups.is_split) + np.arange(num_items), groups.labels)
    return np.unique(own, return_inverse=True)[1]


def odd_ones_inside(triplets: NDArray[np.int32], labels: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return for each triplet ab|c whether c is in the group of a and b."""
    return np.asarray(labels[triplets[:, A]] == labels[triplets[:, C]])


def most_weight(groups: Groups) -> float:
    """Return the most that a pair weighs: it grows with the fourth power of the share of the items that are not alone."""
    share = float((groups.sizes[groups.labels] > 1).mean())
    return MOST_AT_FIRST + (MOST_WEIGHT - MOST_AT_FIRST) * share**4


def pair_weights(triplets: NDArray[np.int32], num_items: int, flatness: float) -> NDArray[np.float64]:
    """Return how much it weighs that the pair a, b of each triplet stands close: 0 where an earlier one has the same pair.

    The pairs of a group of g items share equally what the g - 1 links weigh that it takes to hold it together: five items
    that somebody sorted into one class are ten pairs, and mean no more than the four that somebody else names one by one.

    Without flatness a link weighs 1. With flatness 1 it weighs 2 (g - 1) in a group that is not split: who says so much
    about one class means all of its pairs, not only the links. In between it is in between. It is at most 4, and 16 as more
    and more items are in groups: a group that is to stand close keeps out others of its class that nothing was said of.
    """
    weights = np.zeros(len(triplets))
    if len(triplets):
        _, first = np.unique(np.sort(triplets[:, [A, B]], axis=1), axis=0, return_index=True)
        groups = groups_of(triplets, num_items)
        own = groups.labels[triplets[first, A]]
        num_links, num_pairs = groups.sizes[own] - 1, np.bincount(own)[own]
        as_flat = np.minimum(2.0 * num_links, most_weight(groups))
        of_a_link = np.where(groups.is_split[own], 1.0, 1.0 + flatness * (as_flat - 1.0))
        weights[first] = of_a_link * num_links / num_pairs
    return weights
