"""Which triplets of a consistent set the others imply, settled in batches.

Take BUILD's tree of the set and a pair of siblings X, Y in it. Whether a triplet ab|c with a, b under X and c under Y is
implied depends on the triplets within X and Y together alone (see `treetalk._kernels.closure`). Call those with leaves on
both sides *crossing*. As long as one exists, look at the components that all these triplets make, of X and of Y:

- If X is one component and Y is one, then X and Y are apart in every tree of these triplets. The crossing triplets that
  a spanning forest needs imply the others, and none of them can go.
- If the crossing triplets are all needed by a spanning forest, each is the only link between two parts: none can go.
- Otherwise ac|b would join the component of a and b with that of c, and no others, so the question for ab|c is the same
  one again, for these two components in place of X and Y.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk._kernels.layout import Layout


def irredundant(layout: Layout, triplets: NDArray[np.int32], ranks: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which triplets to keep: they imply all others, and none of them is implied by the rest.

    `layout` is that of BUILD's tree, and the triplets are sorted by the preorder `ranks` of their mrca in it.
    """
    sides = _kernels.closure.sides_of_triplets(layout, triplets, ranks)
    # Pairs of sides together, those below before those above: what is dropped below makes the work above less.
    low, high = sides.min(axis=1), sides.max(axis=1)
    by_pair = np.lexsort((high, low, -ranks))
    kept: NDArray[np.bool_]
    kept, undecided = _kernels.closure.spanning(layout, triplets, sides, by_pair)
    left = by_pair[undecided[by_pair]]
    if left.size == 0:
        return kept
    new_pair = (np.diff(low[left]) != 0) | (np.diff(high[left]) != 0)
    for crossing in np.split(left, np.flatnonzero(new_pair) + 1):
        x, y = int(low[crossing[0]]), int(high[crossing[0]])
        internal = np.concatenate([_rows_within(layout, ranks, v) for v in (x, y)])
        _settle(triplets, kept, crossing, internal[kept[internal]], int(layout.size[x] + layout.size[y]))
    return kept


def _rows_within(layout: Layout, ranks: NDArray[np.int32], node: int) -> NDArray[np.int64]:
    """Return the rows of the triplets whose three leaves are under a node."""
    rank = int(layout.rank[node])
    start, end = np.searchsorted(ranks, [rank, rank + int(layout.num_below[node])])
    return np.arange(start, end)


def _settle(
    triplets: NDArray[np.int32],
    kept: NDArray[np.bool_],
    crossing: NDArray[np.int64],
    internal: NDArray[np.int64],
    num_leaves: int,
) -> None:
    """Decide which crossing triplets of a pair are kept; `num_leaves` are on its two sides together."""
    waiting = [(crossing, internal, num_leaves)]
    while waiting:
        crossing, internal, num_leaves = waiting.pop()
        if len(crossing) == 1:
            continue
        leaves, local = np.unique(triplets[np.concatenate([internal, crossing])], return_inverse=True)
        local = local.reshape(-1, 3).astype(np.int32)
        component, joins = _kernels.closure.join(local, len(leaves))
        needed = joins[len(internal) :]
        if needed.all():
            continue
        if np.count_nonzero(joins) == num_leaves - 2:
            kept[crossing[~needed]] = False
            continue
        ends = component[local[:, [0, 2]]]
        sides = np.sort(ends[len(internal) :], axis=1)
        order = np.lexsort((sides[:, 1], sides[:, 0]))
        sizes = np.bincount(component)
        stays = np.flatnonzero(ends[: len(internal), 0] == ends[: len(internal), 1])
        stays = stays[np.argsort(ends[stays, 0], kind="stable")]
        for part in np.split(order, np.flatnonzero(np.diff(sides[order], axis=0).any(axis=1)) + 1):
            pair = sides[part[0]]
            within = [stays[slice(*np.searchsorted(ends[stays, 0], [side, side + 1]))] for side in pair]
            waiting.append((crossing[part], internal[np.concatenate(within)], int(sizes[pair].sum())))
