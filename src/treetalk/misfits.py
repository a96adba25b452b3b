"""Who fits badly with those he was linked with: linked by mistake, perhaps.

Someone with flat classes in mind who errs links two items that are of different classes. No other answer need contradict
that, and where nobody of a group is shown beside another one of it, nothing ever will. So now and then a piece has those in
it whose features speak against their group, beside one of their group and one of the group that they are more like. One
piece tells of several. Who accepts it has cleared them; who corrects it says something that clashes with the mistake, and
then `treetalk.again` asks for what may be wrong.

Who fits is told by silhouettes: P. J. Rousseeuw (1987), Silhouettes: a graphical aid to the interpretation and validation of
cluster analysis, Journal of Computational and Applied Mathematics 20, 53-65.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.heard import ACCEPTED, Heard

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_GROUPS, MOST_COMPARED = 50, 500  # large groups, and items of these
# How often such a piece is shown: as often as the square of the share of the last pieces that were accepted. There is little
# to be learnt then from others. That share is taken to be at least so much, and more for someone who is known to err.
NUM_LATELY = 10
LEAST_SHARE, LEAST_SHARE_WITH_MISTAKES = 0.25, 0.5


class Fit(NamedTuple):
    """How well items fit into their groups.

    Attributes
    ----------
    items : int array of shape (m,)
        Items of groups of two or more.
    rivals : int array of shape (m,)
        The other group that each is most like.
    silhouettes : array of shape (m,)
        From -1, an item that is much more like its rival, to 1.
    """

    items: NDArray[np.intp]
    rivals: NDArray[np.intp]
    silhouettes: NDArray[np.float64]


def fit_of(points: NDArray[np.float64], labels: NDArray[np.intp]) -> Fit:
    """Return how well items, given by rows of features and the number of each one's group, fit into large groups."""
    sizes = np.bincount(labels)
    large = np.argsort(-sizes, kind="stable")[:MOST_GROUPS]
    large = np.sort(large[sizes[large] > 1])
    items = np.flatnonzero(np.isin(labels, large))
    if len(large) < 2:
        return Fit(items[:0], items[:0], np.empty(0))
    if len(items) > MOST_COMPARED:
        # As many of each group, for those who stand for it.
        turn = np.argsort(np.argsort(labels[items], kind="stable")) - np.searchsorted(
            np.sort(labels[items]), labels[items]
        )
        items = np.sort(items[np.argsort(turn, kind="stable")[:MOST_COMPARED]])
    own = np.searchsorted(large, labels[items])
    rows, counts = np.arange(len(items)), np.bincount(own, minlength=len(large))
    sums = _distances(points[items]) @ np.eye(len(large))[own]
    means = sums / np.maximum(counts - (own[:, None] == np.arange(len(large))), 1)
    within = means[rows, own]
    means[rows, own] = np.inf
    rivals = means.argmin(axis=1)
    beside = means[rows, rivals]
    largest = np.maximum(within, beside)
    silhouettes = np.divide(beside - within, largest, out=np.zeros(len(items)), where=(largest > 0) & (counts[own] > 1))
    return Fit(items, large[rivals], silhouettes)


def _distances(points: NDArray[np.float64]) -> NDArray[np.float64]:
    squares = (points**2).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(squares[:, None] + squares - 2.0 * points @ points.T, 0.0)))


def share_of_misfits(heard: Sequence[Heard], *, errs: bool) -> float:
    """Return how often a piece of misfits is shown; more often to someone who is known to err."""
    lately = [each.kind == ACCEPTED for each in heard if len(each.piece) > 3][-NUM_LATELY:]
    return float(max(sum(lately) / NUM_LATELY, LEAST_SHARE_WITH_MISTAKES if errs else LEAST_SHARE) ** 2)


def misfits(
    fit: Fit, labels: NDArray[np.intp], heard: Sequence[Heard], size: int, rng: np.random.Generator
) -> NDArray[np.int64] | None:
    """Return items of which the features speak against their group, with one of it and of its rival; None if there are none.

    Those that were looked at in a piece that was accepted, beside another one of their group, are left out.
    """
    cleared: set[int] = set()
    for each in heard:
        if each.kind == ACCEPTED:
            count = Counter(labels[list(each.piece)].tolist())
            cleared.update(item for item in each.piece if count[int(labels[item])] > 1)
    order = np.argsort(fit.silhouettes, kind="stable").tolist()
    best = {int(labels[fit.items[i]]): int(fit.items[i]) for i in order}  # the one that fits best stands for its group
    chosen: dict[int, None] = {}
    for i in order:
        item = int(fit.items[i])
        if fit.silhouettes[i] < 0 and item not in cleared:
            more = dict.fromkeys((item, best[int(labels[item])], best[int(fit.rivals[i])]))
            if len(chosen | more) <= size:
                chosen |= more
    if not chosen:
        return None
    others = np.setdiff1d(np.arange(len(labels)), list(chosen))
    more_items = rng.choice(others, min(size - len(chosen), len(others)), replace=False)
    return np.concatenate([np.array(list(chosen), np.int64), more_items])
