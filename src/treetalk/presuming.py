"""What someone with flat classes in mind has said without saying it.

Groups that answers have put together lie in one class each; see `treetalk.groups`. Two groups are *apart* when a triplet of
the one has somebody of the other as the odd one, or when a piece was sorted and they are in different parts of it. Then they
are in different classes, and nobody of the one is in the midst of the other: for any a and b of the one and any c of the
other, ab|c. Someone with a hierarchy in mind has implied no such thing.

It can never clash with what was said: a tree in which each group is a clade has all of it. Groups with an odd one inside,
which are split, are no classes; everyone in them stands for himself.

Late in a dialogue the pieces of a hierarchy are right as well, are accepted, and so look like those of classes. But then the
trees, which satisfy all that was said, have hardly more of what would follow for classes than by chance: it is presumed only
if it is *borne out* by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from treetalk.arguments import NO_TRIPLETS, A, C
from treetalk.groups import class_labels, groups_of
from treetalk.heard import SORTED, Heard

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.tree import Tree

CERTAIN = 1.0  # the flatness from which on answers are read as those of someone with classes in mind
NEXT_TO_CERTAIN = 0.75  # the most if trees do not bear it out, and nobody has called items alike or sorted them
# The share of what would be presumed that trees have by themselves: some nine tenths where there are classes, even if the
# features know little of them, and about half of it in a hierarchy.
LEAST_BORNE_OUT = 3 / 4


def presumed_of(
    triplets: NDArray[np.int32], heard: Sequence[Heard], num_items: int, flatness: float
) -> NDArray[np.int32]:
    """Return triplets from which all that follows for flat classes follows, if the answers look like such; else none.

    Only triplets with a group's first item, and with the first one of another group as the odd one: ab|c and cd|a imply
    ab|d and cd|b, so these imply all others.
    """
    if flatness < CERTAIN or not len(triplets):
        return NO_TRIPLETS
    groups = groups_of(triplets, num_items)
    labels = class_labels(triplets, num_items)
    first = np.unique(labels, return_index=True)[1]
    of_classes = triplets[~groups.is_split[groups.labels[triplets[:, A]]]]
    pieces = [each.piece for each in heard if each.kind == SORTED]
    sorted_apart = [pair for piece in pieces for pair in combinations(labels[list(piece)], 2)]
    apart = np.concatenate([labels[of_classes[:, [A, C]]], np.array(sorted_apart, np.intp).reshape(-1, 2)])
    apart = np.unique(np.concatenate([apart, apart[:, ::-1]]), axis=0)
    apart = apart[apart[:, 0] != apart[:, 1]]
    # Each item but its group's first one, with each group that its own is apart from.
    others = np.setdiff1d(np.arange(num_items), first)
    members = {own: others[labels[others] == own].tolist() for own in np.unique(labels[others]).tolist()}
    rows = [(item, odd) for own, odd in apart.tolist() for item in members.get(own, ())]
    item, odd = np.array(sorted(rows), np.intp).reshape(-1, 2).T
    return np.column_stack([first[labels[item]], item, first[odd]]).astype(np.int32)


def is_borne_out(presumed: NDArray[np.int32], trees: Iterable[Tree]) -> bool:
    """Return whether trees that need not have what would be presumed have most of it all the same."""
    return not len(presumed) or float(np.mean([tree.satisfies(presumed) for tree in trees])) >= LEAST_BORNE_OUT


def is_still_presumed(
    before: NDArray[np.int32], now: NDArray[np.int32], triplets: NDArray[np.int32], num_items: int
) -> bool:
    """Return whether what was presumed follows from what is presumed now that there are more triplets, in these words."""
    if not len(before):
        return True
    groups = groups_of(triplets, num_items)
    return len(now) > 0 and not groups.is_split[groups.labels[before[:, A]]].any()
