"""The exact prior of a tree's shape, its leaves without names, and of the root's age.

k leaves part into l and r with probability k / (2 l r H_{k-1}), and the parts are independent: a recursion gives the
probability of every shape, also for more leaves than there could be a quadrature for. A at the root is exponential with
rate H_{n-1} whatever the shape. Given the shape every naming of the leaves is as likely, so one triplet, which a third of
them satisfy, changes nothing.
"""

from functools import cache

import numpy as np

from exact import Topology, harmonic

Shape = tuple  # of the shapes of both children, the larger one first; empty for a leaf


@cache
def shapes(num_leaves: int) -> dict[Shape, float]:
    """Every shape with its probability."""
    if num_leaves == 1:
        return {(): 1.0}
    found: dict[Shape, float] = {}
    for left in range(1, num_leaves):
        right = num_leaves - left
        split = num_leaves / (2 * left * right * harmonic(num_leaves - 1))
        for a, p in shapes(left).items():
            for b, q in shapes(right).items():
                shape = tuple(sorted((a, b), reverse=True))
                found[shape] = found.get(shape, 0.0) + split * p * q
    return found


def shape_of(topology: Topology) -> Shape:
    """Join the shapes of clades, small ones first, each to the smallest clade around it."""
    clades = sorted(topology, key=len)
    parts: dict[frozenset[int], list[Shape]] = {clade: [] for clade in clades}
    for i, clade in enumerate(clades):
        shape = tuple(sorted(parts[clade], reverse=True))
        around = next((other for other in clades[i + 1 :] if clade < other), None)
        if around is None:
            return shape
        parts[around].append(shape)
    raise AssertionError("a topology has a clade of all leaves")


class ExactShapes:
    """The probability of every shape with the root's age in every interval, for c = 1; see `exact.ExactPosterior`."""

    def __init__(self, num_leaves: int, num_intervals: int) -> None:
        self.topologies = list(shapes(num_leaves))
        self.row = {shape: i for i, shape in enumerate(self.topologies)}
        share = np.array(list(shapes(num_leaves).values()))
        self.probability = np.repeat(share[:, None] / num_intervals, num_intervals, axis=1)
        # exp(-A H_{n-1}) is uniform, and A = -log age.
        self.age_ends = (np.arange(1, num_intervals) / num_intervals) ** (1 / harmonic(num_leaves - 1))

    def cell(self, topology: Topology, root_age: float) -> tuple[int, int]:
        """The place of a tree in the table."""
        return self.row[shape_of(topology)], int(np.searchsorted(self.age_ends, root_age))
