"""Which items are of one class, for someone with flat classes in mind, as far as the answers alone tell.

Answers put items into groups that lie in one class each; see `treetalk.groups`. Which groups are of one class is drawn at
random, again and again, in proportion to a prior of partitions (see `treetalk._kernels.partitions`) and to what was said and
left unsaid of the pieces:

- groups that a triplet has apart, or a piece that was sorted, are never of one class;
- who corrects a piece names something at a split of it. Had two items of one class stood on the two sides of a split
  further up, that would have been the first thing to see; and of several such pairs at the split itself one is named, and
  it would be a coincidence that it was just this one;
- what is accepted has, as a rule, nobody of one class apart.

The features have no say here. So where there are many classes and the features know next to nothing of them (see
`treetalk.telling`), this tells what to ask, for of ten items at random often no two are of one class, and who goes with
whom: somebody who is in none of the other classes is in the one that is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk import _kernels
from treetalk.arguments import A, C
from treetalk.groups import class_labels
from treetalk.heard import ACCEPTED, ALIKE, CORRECTED, SORTED, Heard, is_whole, sorts
from treetalk.unsaid import table_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

SINGLE = 0.5  # the probability that there is a single class, before anything is said
# By how many factors e less likely it is that two of one class stand on the two sides of: a split above the one that was
# corrected; this split itself, and are not the two that were named; a split of what was accepted.
ABOVE, BESIDE, ACCEPTED_APART = 2.0, 0.5, 1.5
MOST_OF_A_CLASS = 3  # items that stand together in what is accepted, and may well be all of one class
# How often groups are put into a class anew, all together; how many draws that are; and what share comes before the first.
NUM_UPDATES, FEWEST_DRAWS, MOST_DRAWS, SHARE_BEFORE = 40_000, 30, 250, 0.2
MANY = 0.7  # of some random items: if they are of so many classes or more, there are many classes
MOST_ITEMS = 2_000  # for more, a tree of all pairs is not made either


class Classes(NamedTuple):
    """Draws of who is of one class with whom.

    Attributes
    ----------
    labels : int array of shape (num_items,)
        The number of each item's group.
    draws : int array of shape (num_draws, num_groups)
        For each draw the number of each group's class.
    are_sorted : bool
        Whether pieces are sorted, and not corrected in one thing.
    weight : float
        How far they are to be gone by, from 0 to 1: less, the more the features tell.
    """

    labels: NDArray[np.intp]
    draws: NDArray[np.int32]
    are_sorted: bool
    weight: float = 1.0

    def are_many(self, size: int) -> bool:
        """Return whether so many items at random are of almost as many classes, on average over the draws."""
        shares = self._counts() / len(self.labels)
        return bool((1.0 - (1.0 - shares) ** size).sum(axis=1).mean() >= MANY * size)

    def _counts(self) -> NDArray[np.int64]:
        """Return the number of items in each class, a row for each draw."""
        by_item = self.draws[:, self.labels].astype(np.int64)
        width = int(by_item.max()) + 1
        rows = by_item + width * np.arange(len(by_item))[:, None]
        return np.bincount(rows.ravel(), minlength=width * len(by_item)).reshape(-1, width)

    def mean_sizes(self) -> NDArray[np.float64]:
        """Return for every two items the mean size of the class that has both, or of everything where none has."""
        sizes: NDArray[np.float64] = _kernels.partitions.mean_sizes(self.draws, self.labels.astype(np.int64))
        return sizes

    def subsets(self, size: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """Yield items of different groups about which most is open: who of them is of one class with whom.

        One is random. Then the group is added, again and again, of which it is least sure which of the others it goes
        with, if any.
        """
        num_groups = self.draws.shape[1]
        while True:
            order = rng.permutation(len(self.labels))
            _, first = np.unique(self.labels[order], return_index=True)
            standing = order[first]  # the item that stands for each group
            chosen = [int(rng.integers(num_groups))]
            goes_with = np.zeros(self.draws.shape, bool)  # whether a group is in a class of one that is chosen
            which = np.zeros(num_groups)
            while len(chosen) < min(size, num_groups):
                with_last = self.draws == self.draws[:, chosen[-1], None]
                goes_with |= with_last
                which += _entropy(with_last.mean(axis=0))
                open_yet = which + _entropy(1.0 - goes_with.mean(axis=0)) + 1e-9 * rng.random(num_groups)
                open_yet[chosen] = -1.0
                chosen.append(int(open_yet.argmax()))
            items = standing[chosen]
            others = order[~np.isin(order, items)]
            yield np.concatenate([items, others[: size - len(items)]])


def _entropy(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    return -shares * np.log(np.maximum(shares, 1e-12))


def classes_of(triplets: NDArray[np.int32], heard: Sequence[Heard], num_items: int) -> Classes:
    """Return draws of who is of one class with whom. They are the same for the same answers."""
    labels = class_labels(triplets, num_items)
    sizes = np.bincount(labels)
    pairs, weights = hints_of(triplets, heard, labels)
    return Classes(labels, drawn(sizes, pairs, weights, *_lengths(len(sizes)), seed=0), sorts(heard))


def _lengths(num_groups: int) -> tuple[int, int]:
    """Return how many sweeps are made before the first draw, and how many draws, one for each further sweep."""
    draws = int(np.clip(NUM_UPDATES / (1.0 + SHARE_BEFORE) / num_groups, FEWEST_DRAWS, MOST_DRAWS))
    return round(SHARE_BEFORE * draws), draws


def drawn(
    sizes: NDArray[np.intp],
    pairs: NDArray[np.intp],
    weights: NDArray[np.float64],
    num_before: int,
    num_draws: int,
    seed: int,
) -> NDArray[np.int32]:
    """Return draws of partitions of groups, of these sizes, into classes: the class of each group in each draw.

    Parameters
    ----------
    sizes : int array
        The number of items in each group.
    pairs : int array of shape (m, 2)
        Two groups each, perhaps the same two several times.
    weights : array of length m
        The log of how much likelier a partition is that has the two in one class.
    num_before, num_draws : int
        How often all groups are put into a class anew, before the first draw and for the draws.
    seed : int
        The seed of the random numbers.
    """
    from scipy.sparse import coo_array

    both = np.concatenate([pairs, pairs[:, ::-1]])
    twice = np.concatenate([weights, weights])
    table = coo_array((twice, (both[:, 0], both[:, 1])), shape=(len(sizes), len(sizes))).tocsr()
    hints = table.indptr.astype(np.int64), table.indices.astype(np.int64), table.data
    rng = np.random.SeedSequence(seed).generate_state(4, np.uint64)
    with np.errstate(over="ignore"):
        draws: NDArray[np.int32] = _kernels.partitions.draw(
            sizes.astype(np.int64), *hints, SINGLE, num_before, num_draws, rng
        )
    return draws


def hints_of(
    triplets: NDArray[np.int32], heard: Sequence[Heard], labels: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return pairs of groups, and the log of how much likelier it is that the two are of one class: never more likely."""
    apart = labels[triplets[:, [A, C]]]
    is_sorted = sorts(heard)
    pairs, weights = [apart], [np.full(len(apart), -np.inf)]
    for each in heard:
        rows, columns = np.triu_indices(len(each.piece), 1)
        weight = _weights_sorted(each) if is_sorted else _weights(each)
        if weight is not None:
            groups = labels[list(each.piece)]
            pairs.append(np.column_stack([groups[rows], groups[columns]]))
            weights.append(weight[rows, columns])
    together, log_factors = np.concatenate(pairs), np.concatenate(weights)
    is_told = (together[:, 0] != together[:, 1]) & (log_factors < 0.0)
    return together[is_told], log_factors[is_told]


def _weights_sorted(each: Heard) -> NDArray[np.float64] | None:
    """Return the same for someone who sorts what he is shown: whom he does not put together are apart."""
    if each.kind == ALIKE or (each.said and not is_whole(each)):
        return None
    return np.full((len(each.piece), len(each.piece)), -np.inf)


def _weights(each: Heard) -> NDArray[np.float64] | None:
    """Return a table of what was said and left unsaid about every two items of a piece; None where that tells nothing."""
    if each.kind == SORTED:
        return np.full((len(each.piece), len(each.piece)), -np.inf)
    if each.sizes is None:
        return None
    sizes = table_of(each.piece, each.sizes)
    if each.kind == ACCEPTED:
        return np.where(sizes > MOST_OF_A_CLASS, -ACCEPTED_APART, 0.0)
    place = {item: i for i, item in enumerate(each.piece)}
    if each.kind != CORRECTED or len(each.said) != 1 or not set(each.said[0]) <= place.keys():
        return None
    a, b, c = (place[item] for item in each.said[0])
    if sizes[a, b] < sizes[a, c]:
        return None  # the piece had that already: it is not what was wrong with it
    # Where the two of a pair meet at a split that has a on one of its sides, that is where one of the two meets a.
    has_a = sizes == np.maximum.outer(sizes[a], sizes[a])
    weights = np.where(has_a & (sizes > sizes[a, b]), -ABOVE, np.where(has_a & (sizes == sizes[a, b]), -BESIDE, 0.0))
    weights[a, b] = weights[b, a] = 0.0
    return weights
