"""The mutable tree of a chain: a binary tree with ages, sizes, and one Gaussian message per node.

Two tables with a row per node keep what a move reads together close in memory. Node ids are unsigned, for numba does not
look whether an unsigned index is negative. The last row is the origin of the stem: its children are both the root, its
age is 1, and it is its own parent, so that no link is ever missing.

Messages are those of Felsenstein's pruning, in data that were centred on the origin and divided by the scale. With l and r
the children of p, u the ages and v the variances of the messages:

    v_l' = v_l + u_p - u_l,  v_r' likewise,  s = v_l' + v_r'
    mean_p = (v_r' mean_l + v_l' mean_r) / s,  v_p = v_l' v_r' / s,  factor N(mean_l - mean_r; 0, s) per dimension

All formulas are symmetric in l and r to the last bit: a message does not depend on which child is the left one.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treetalk._kernels._jit import hot, part
from treetalk._kernels.hazard import Divergence, hazard_of_age, log_rate

# The columns of `links`.
PARENT, LEFT, RIGHT, SIZE = 0, 1, 2, 3
NUM_LINKS = 4
# The columns of `rows`: the age 1 - t; A at that age; the message's variance v and, from MEAN on, its mean; for an
# internal node and the origin also s, and |mean_l - mean_r|^2 / s.
AGE, HAZARD, VARIANCE, SPREAD, GAP, MEAN = 0, 1, 2, 3, 4, 5
# The columns of `triplets`: ab|c with the mrca of a and b, and that of all three; and the weight of the pair a, b, in
# units, in one triplet of each pair.
A, B, C, LOW, TOP, WEIGHT = 0, 1, 2, 3, 4, 5
NUM_TRIPLET_COLUMNS = 6
UNITS = 64  # of a pair's weight 1


class Shown(NamedTuple):
    """Pieces that were shown, m of them with up to k items, and room to work on them; see unsaid.py."""

    items: NDArray[np.uint32]  # shape (m, k)
    num_items: NDArray[np.int64]
    sizes: NDArray[np.uint8]  # shape (m, k, k): of the smallest clade of the piece that has two of its items
    num_said: NDArray[np.int64]  # the triplets said that the piece has otherwise
    num_unsaid: NDArray[np.int64]  # the other triplets that the tree and the piece have otherwise
    weight: NDArray[np.float64]  # shape (1,): the exponent
    entry_start: NDArray[np.int64]  # pieces of leaf v: entries[entry_start[v] : entry_start[v + 1]]
    entries: NDArray[np.uint32]
    marks: NDArray[np.int64]  # equal to clock[0] for pieces that were looked at
    changed: NDArray[np.uint32]  # the pieces that a regraft changes,
    changes: NDArray[np.int64]  # and by how much
    on_path: NDArray[np.int64]  # shape (2n, 2): clock[0] for nodes of the path, and where on it they stand
    outside: NDArray[np.int64]  # which items of a piece are outside the subtree,
    before: NDArray[np.float64]  # the ages at which they meet it,
    after: NDArray[np.float64]  # and will meet it


class State(NamedTuple):
    """Everything that a chain's kernels read and write, for n leaves and 2n - 1 nodes."""

    links: NDArray[np.uint32]  # shape (2n, 4): parent, left, right, number of leaves
    rows: NDArray[np.float64]  # shape (4n, 5 + d): a row per node, then 2n slots for messages of a proposed tree
    slot_node: NDArray[np.uint32]  # whose message a slot holds
    slot_other: NDArray[np.uint32]  # the row of that node's child that is not in the slot before
    path: NDArray[np.uint32]  # see prune.py
    leaves: NDArray[np.uint32]  # the leaves of the pruned subtree
    marks: NDArray[np.int64]  # equal to clock[0] for leaves of the pruned subtree, and for banned nodes
    clock: NDArray[np.int64]  # the number of prunings so far
    triplets: NDArray[np.uint32]  # shape (m, 6)
    entry_start: NDArray[np.int64]  # triplets of leaf v: entries[entry_start[v] : entry_start[v + 1]]
    entries: NDArray[np.uint32]
    meetings: NDArray[np.int64]  # the weights of the pairs a, b of triplets that meet at a node, in units
    closeness: NDArray[np.float64]  # shape (1,): the exponent of one unit; see closeness.py
    shown: Shown
    harmonic: NDArray[np.float64]  # the harmonic numbers H_0 to H_n
    divergence: Divergence
    rng: NDArray[np.uint64]
    counts: NDArray[np.int64]  # shape (number of kinds of moves, 2): tried, accepted


@part
def merge(rows: Any, x: int, x_length: float, y: int, y_length: float, out: int) -> None:
    """Write the message of a node, whose children have their messages in rows x and y, into row `out`."""
    x_variance = rows[x, VARIANCE] + x_length
    y_variance = rows[y, VARIANCE] + y_length
    spread = x_variance + y_variance
    inverse = 1.0 / spread
    x_weight = y_variance * inverse
    y_weight = x_variance * inverse
    gap = 0.0
    for j in range(MEAN, rows.shape[1]):
        x_mean = rows[x, j]
        y_mean = rows[y, j]
        difference = x_mean - y_mean
        gap += difference * difference
        rows[out, j] = x_weight * x_mean + y_weight * y_mean
    rows[out, VARIANCE] = x_variance * y_variance * inverse
    rows[out, SPREAD] = spread
    rows[out, GAP] = gap * inverse


@part
def merge_origin(rows: Any, root: int, root_age: float, out: int) -> None:
    """Write the factor of the stem into row `out`: the root's message, in row `root`, against the origin's value."""
    spread = rows[root, VARIANCE] + (1.0 - root_age)
    gap = 0.0
    for j in range(MEAN, rows.shape[1]):
        gap += rows[root, j] * rows[root, j]
    rows[out, SPREAD] = spread
    rows[out, GAP] = gap / spread


@part
def squared_distance(rows: Any, x: int, y: int) -> float:
    """Return the squared distance of two messages' means."""
    total = 0.0
    for j in range(MEAN, rows.shape[1]):
        difference = rows[x, j] - rows[y, j]
        total += difference * difference
    return total


@part
def refresh(links: Any, rows: Any, v: int) -> None:
    """Compute the message of internal node v from those of its children."""
    left, right = links[v, LEFT], links[v, RIGHT]
    merge(rows, left, rows[v, AGE] - rows[left, AGE], right, rows[v, AGE] - rows[right, AGE], v)


@part
def refresh_above(links: Any, rows: Any, v: int) -> None:
    """Compute the messages of all nodes above v, and the factor of the stem."""
    origin = np.uint32(links.shape[0] - 1)
    w = links[v, PARENT]
    while w != origin:
        refresh(links, rows, w)
        w = links[w, PARENT]
    root = links[origin, LEFT]
    merge_origin(rows, root, rows[root, AGE], origin)


@part
def sibling(links: Any, v: int) -> int:
    """Return the other child of v's parent."""
    p = links[v, PARENT]
    left = links[p, LEFT]
    return links[p, RIGHT] if left == v else left


@part
def replace_child(links: Any, p: int, old: int, new: int) -> None:
    """Put `new` in the place of p's child `old`; both places of the origin hold the root."""
    if links[p, LEFT] == old:
        links[p, LEFT] = new
    if links[p, RIGHT] == old:
        links[p, RIGHT] = new
    links[new, PARENT] = p


@part
def mrca_by_age(links: Any, rows: Any, u: int, v: int) -> int:
    """Return the most recent common ancestor: climb from the younger node until both are one."""
    while u != v:
        if rows[u, AGE] < rows[v, AGE]:
            u = links[u, PARENT]
        else:
            v = links[v, PARENT]
    return u


@hot
def fill(state: Any, parent: Any, ages: Any, by_age: Any) -> None:
    """Set up links, sizes, messages and the triplets' mrcas; `by_age` lists the internal nodes, each after its children.

    The leaves' means and variances are in the rows already.
    """
    links, rows = state.links, state.rows
    num_nodes = parent.size
    num_leaves = (num_nodes + 1) // 2
    origin = num_nodes
    links[:, LEFT] = origin
    for v in range(num_nodes):
        p = parent[v] if parent[v] != -1 else origin
        links[v, PARENT] = p
        if links[p, LEFT] == origin:
            links[p, LEFT] = v
        links[p, RIGHT] = v
        rows[v, AGE] = ages[v]
        rows[v, HAZARD] = hazard_of_age(state.divergence, ages[v])
    for v in range(num_leaves):
        links[v, LEFT] = v
        links[v, RIGHT] = v
        links[v, SIZE] = 1
    links[origin, PARENT] = origin
    links[origin, SIZE] = num_leaves
    rows[origin, AGE] = 1.0
    rows[origin, HAZARD] = 0.0
    for v in by_age:
        links[v, SIZE] = links[links[v, LEFT], SIZE] + links[links[v, RIGHT], SIZE]
        refresh(links, rows, v)
    root = links[origin, LEFT]
    merge_origin(rows, root, rows[root, AGE], origin)
    find_mrcas(state)


@hot
def find_mrcas(state: Any) -> None:
    """Find the two mrcas of every triplet."""
    links, rows, triplets = state.links, state.rows, state.triplets
    state.meetings[:] = 0
    for i in range(triplets.shape[0]):
        low = mrca_by_age(links, rows, triplets[i, A], triplets[i, B])
        triplets[i, LOW] = low
        state.meetings[low] += triplets[i, WEIGHT]
        triplets[i, TOP] = mrca_by_age(links, rows, low, triplets[i, C])


@hot
def log_densities(state: Any) -> Any:
    """Return the log prior, and the log likelihood of the centred and scaled data, each without terms that only n decides.

    The prior is prod_v a(t_v) exp(-(A(t_v) - A(t_parent)) H_{size - 1}) / (n - 1)!: the factorials of all nodes but the
    root cancel.
    """
    links, rows = state.links, state.rows
    num_rows = links.shape[0]
    origin = num_rows - 1
    num_dims = rows.shape[1] - MEAN
    log_prior = 0.0
    log_likelihood = 0.0
    for v in range(num_rows // 2, num_rows):
        if v != origin:
            rise = rows[v, HAZARD] - rows[links[v, PARENT], HAZARD]
            log_prior += log_rate(state.divergence, rows[v, AGE]) - rise * state.harmonic[np.int64(links[v, SIZE]) - 1]
        log_likelihood -= 0.5 * (num_dims * math.log(2.0 * math.pi * rows[v, SPREAD]) + rows[v, GAP])
    return log_prior, log_likelihood
