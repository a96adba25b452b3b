"""Which items moved from one tree to the next, as a person would say it.

An item that leaves one group for another has moved; those that it left, those that it joined and those that make room for
it on the screen have not. So: take away as few items as possible such that both trees are the same without them. Those
moved. It is a matter of trees, not of drawings: turning a branch round moves nothing. Of several smallest sets, one is
taken whose items also changed their place among the others from top to bottom, where there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk import _kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk._kernels.drawing import Drawn

MOST_CELLS = 6_000_000  # of the tables for exact solutions: some tens of milliseconds, some tens of megabytes


def moved_leaves(now: Drawn, then: Drawn, match: NDArray[np.int32], most_cells: int = MOST_CELLS) -> NDArray[np.bool_]:
    """Return for each leaf whether it moved between two trees over the same leaves.

    For binary trees these are as few as can be, as long as no part of the tree in which nothing stayed together has more
    than about a thousand branches. In a part larger than that, those moved that changed their order from top to bottom.

    Parameters
    ----------
    now, then : Drawn
        The trees as they are drawn.
    match : int array of shape (num_nodes,)
        The node of `then` that has the leaves of each node of `now`, -1 for none; both numbered as drawn.
    most_cells : int
        The size of the tables for exact solutions, all together.
    """
    position = then.first[then.number]  # by leaf, as numbered in the tree
    leaves = now.node[now.size == 1]
    stays = np.zeros(leaves.size, np.int64)
    stays[leaves] = _kernels.agreement.heaviest_increasing(position[leaves], np.ones(leaves.size, np.int64))
    # One more item always counts for more than any number that keep their order.
    weight = stays + (leaves.size + 1)
    is_kept: NDArray[np.bool_] = _kernels.agreement.agreeing(now, then, match, weight, most_cells)
    return ~is_kept
