"""Of whom it is least sure where they belong: with which of the large groups they go in recent trees.

For someone who sorts all that is shown into classes, everyone in a piece is told of. So a piece is made of those who go now
with this group, now with that one, each with the two groups that it is about. Where there are so many classes that few of a
piece go together, nothing is gained by it: then ten of whom nothing is known tell more of each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels
from treetalk.groups import groups_of
from treetalk.heard import SORTED, Heard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_ANCHORS, MOST_ASKED, MOST_TREES = 20, 300, 100
MOST_PARTS = 0.7  # of the items of a piece: if it was sorted into more, there are too many classes
# Groups are taken as often as the square of their entropy says, which is never nothing, times the root of their size.
POWER_OF_ENTROPY, LEAST_ENTROPY, POWER_OF_SIZE = 2.0, 0.02, 0.5
# A group is shown with each one of these two with which it goes in a tenth of the trees or more.
NUM_SHOWN_WITH, LEAST_SHARE = 2, 0.1


def has_few_classes(heard: Sequence[Heard]) -> bool:
    """Return whether what was heard last is a piece that was sorted into few parts."""
    if not heard or heard[-1].kind != SORTED:
        return False
    piece, said = heard[-1].piece, heard[-1].said
    place = {item: i for i, item in enumerate(piece)}
    among = [[place[item] for item in triplet] for triplet in said if place.keys() >= set(triplet)]
    parts = groups_of(np.array(among, np.int32).reshape(-1, 3), len(piece))
    return len(parts.is_split) <= MOST_PARTS * len(piece)


def doubtful_subset(
    parents: NDArray[np.int32],
    labels: NDArray[np.intp],
    log_less: NDArray[np.float64],
    size: int,
    rng: np.random.Generator,
) -> NDArray[np.int64] | None:
    """Return items of different groups of which trees are unsure where they belong; None where there is nothing to tell.

    Parameters
    ----------
    parents : int array of shape (num_trees, num_nodes)
        Binary trees.
    labels : int array
        The number of each item's group.
    log_less : array of shape (num_groups, num_groups)
        By how many factors e less two groups are to be thought of as one.
    size : int
        How many items.
    rng : Generator
        Where random numbers come from.
    """
    sizes = np.bincount(labels)
    large = np.argsort(-(sizes + rng.random(len(sizes))))[: min(MOST_ANCHORS, int((sizes > 1).sum()))]
    if len(large) < 2 or len(sizes) <= size:
        return None
    order = rng.permutation(len(labels))
    _, first = np.unique(labels[order], return_index=True)
    standing = order[first]  # the item that stands for each group
    asked = np.union1d(large, rng.permutation(len(sizes))[:MOST_ASKED])
    own = np.full(len(sizes), -1)
    own[large] = np.arange(len(large))
    trees, looking, anchors = parents[-MOST_TREES:], standing[asked].astype(np.int32), standing[large].astype(np.int32)
    shares = _kernels.snapshots.nearest_shares(trees, looking, anchors, own[asked])
    shares *= np.exp(-log_less[np.ix_(asked, large)])
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1e-12)
    entropies = -(shares * np.log(np.maximum(shares, 1e-12))).sum(axis=1)
    rates = POWER_OF_ENTROPY * np.log(entropies + LEAST_ENTROPY) + POWER_OF_SIZE * np.log(sizes[asked])
    # The smallest of exponential waiting times is that of each group with a probability in proportion to its rate.
    chosen: list[int] = []
    for i in np.argsort(np.log(rng.exponential(size=len(asked))) - rates):
        likely = [k for k in np.argsort(-shares[i])[:NUM_SHOWN_WITH] if shares[i, k] > LEAST_SHARE]
        chosen += [group for group in (asked[i], *large[likely]) if group not in chosen]
        if len(chosen) >= size:
            break
    return standing[chosen[:size]]
