"""The arrays that a chain's kernels work on, made from a tree, data and triplets."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk import _kernels
from treetalk.arguments import NO_TRIPLETS
from treetalk.groups import pair_weights
from treetalk.tree import Tree, as_tree
from treetalk.unsaid import Piece, as_shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from treetalk._kernels.state import State
    from treetalk.divergence import Divergence

ROUNDING = 1e-12
# Points and weights of the Gauss-Legendre rules that kernels use for integrals along edges.
RULE = np.concatenate([np.column_stack(np.polynomial.legendre.leggauss(order)) for order in (4, 8)])


class Engine:
    """A mutable binary tree with ages over standardised data; see `treetalk._kernels.state` for its arrays.

    Parameters
    ----------
    Z : float array of shape (n, d)
        Data, centred on the origin and divided by the scale.
    noise : float
        The variance of an observation, in units of the scale.
    divergence : Divergence
        The divergence function.
    seed : int
        The seed of the random numbers.
    closeness : float
        The weight of the clades in which the triplets' pairs meet; see `treetalk._kernels.closeness`.
    """

    def __init__(
        self, Z: NDArray[np.float64], noise: float, divergence: Divergence, seed: int, closeness: float = 0.0
    ) -> None:
        kernels = _kernels.state
        n, num_dims = Z.shape
        self.num_leaves = n
        self.flatness = 0.0  # by which the pairs of triplets are weighed, once they are set: see `treetalk.groups`
        rows = np.empty((4 * n, kernels.MEAN + num_dims))
        rows[: 2 * n] = 0.0
        rows[:n, kernels.MEAN :] = Z
        rows[:n, kernels.VARIANCE] = noise
        self._state: State = kernels.State(
            links=np.zeros((2 * n, kernels.NUM_LINKS), np.uint32),
            rows=rows,
            slot_node=np.zeros(2 * n, np.uint32),
            slot_other=np.zeros(2 * n, np.uint32),
            path=np.zeros(2 * n + 1, np.uint32),
            leaves=np.zeros(n, np.uint32),
            marks=np.full(2 * n, -1, np.int64),
            clock=np.zeros(1, np.int64),
            triplets=np.empty((0, kernels.NUM_TRIPLET_COLUMNS), np.uint32),
            entry_start=np.zeros(n + 1, np.int64),
            entries=np.empty(0, np.uint32),
            meetings=np.zeros(2 * n, np.int64),
            closeness=np.array([closeness / kernels.UNITS]),
            shown=as_shown((), n, 0.0),
            harmonic=np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n + 1))]),
            divergence=_kernels.hazard.Divergence(*divergence.code),
            rng=np.random.SeedSequence(seed).generate_state(4, np.uint64).astype(np.uint64),
            counts=np.zeros((_kernels.chain.NUM_KINDS, 2), np.int64),
        )

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many moves of each kind were tried, and accepted."""
        return self._state.counts

    @property
    def data(self) -> NDArray[np.float64]:
        """The standardised data."""
        return self._state.rows[: self.num_leaves, _kernels.state.MEAN :].copy()

    @property
    def random_state(self) -> NDArray[np.uint64]:
        """The state of the random numbers."""
        return self._state.rng

    # --- the tree

    def set_tree(self, parent: NDArray[np.int32], ages: NDArray[np.float64]) -> None:
        """Take over a binary tree whose ages grow strictly from the leaves, where they are 0, towards the root."""
        by_age = np.argsort(ages[self.num_leaves :], kind="stable") + self.num_leaves
        _kernels.state.fill(self._state, parent.astype(np.int64), np.array(ages, np.float64), by_age)
        _kernels.unsaid.count_unsaid(self._state)

    def set_data(self, Z: NDArray[np.float64], noise: float) -> None:
        """Take over other data of as many columns, observed with some noise."""
        self._state.rows[: self.num_leaves, _kernels.state.MEAN :] = Z
        self._state.rows[: self.num_leaves, _kernels.state.VARIANCE] = noise
        self.set_tree(*self.parents_and_ages())

    def parents_and_ages(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the tree as a parent array, -1 for the root, and the nodes' ages."""
        origin = 2 * self.num_leaves - 1
        parent = self._state.links[:origin, _kernels.state.PARENT].astype(np.int32)
        parent[parent == origin] = -1
        return parent, self._state.rows[:origin, _kernels.state.AGE].copy()

    def insert_all(self, order: NDArray[np.int64]) -> None:
        """Build a tree by greedy insertion of the leaves in an order."""
        _kernels.insertion.insert_all(self._state, order)
        _kernels.state.find_mrcas(self._state)
        _kernels.unsaid.count_unsaid(self._state)

    # --- what the answers say

    def set_triplets(self, said: NDArray[np.int32], presumed: NDArray[np.int32] = NO_TRIPLETS) -> None:
        """Take over triplets that the tree satisfies, in place of the old ones; those presumed ask for no closeness."""
        triplets = np.concatenate([said, presumed])
        kernels = _kernels.state
        table = np.empty((len(triplets), kernels.NUM_TRIPLET_COLUMNS), np.uint32)
        table[:, :3] = triplets
        table[:, kernels.WEIGHT] = 0
        table[: len(said), kernels.WEIGHT] = np.rint(kernels.UNITS * pair_weights(said, self.num_leaves, self.flatness))
        flat = triplets.ravel()
        start = np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=self.num_leaves))]).astype(np.int64)
        entries = (np.argsort(flat, kind="stable") // 3).astype(np.uint32)
        self._state = self._state._replace(triplets=table, entry_start=start, entries=entries)
        self._state.clock[0] += 1  # what the old triplets banned is free
        kernels.find_mrcas(self._state)
        _kernels.unsaid.count_unsaid(self._state)  # for `take_in` does not

    def set_shown(self, pieces: Sequence[Piece], weight: float) -> None:
        """Take over what was shown, in place of what there was; see `treetalk.unsaid`."""
        self._state = self._state._replace(shown=as_shown(pieces, self.num_leaves, weight))
        _kernels.unsaid.count_unsaid(self._state)

    def take_in(self, triplet: NDArray[np.int32], others: NDArray[np.int32] = NO_TRIPLETS) -> bool:
        """Make a triplet that the tree violates hold by one regraft that keeps what was set; return whether one can.

        `others` are violated too, and are to be taken in next.
        """
        leaves, places = np.unique(others, return_inverse=True)
        rows = places.reshape(-1, 3).astype(np.int64)
        with np.errstate(over="ignore"):
            return bool(_kernels.regrafting.take_in(self._state, triplet, leaves.astype(np.int64), rows))

    def allowed_edges(self, s: int) -> NDArray[np.bool_]:
        """Return for each node whether the subtree s may be regrafted onto the edge above it, times left aside.

        Nodes of the subtree and its parent, which is pruned with it, have no such edge.
        """
        out = np.zeros(2 * self.num_leaves - 1, np.bool_)
        last = _kernels.prune.trace(self._state, s)
        _kernels.region.allowed_edges(self._state, s, last, out)
        return out

    # --- sampling

    def run(self, cumulative: NDArray[np.float64], num_moves: int) -> None:
        """Make moves of kinds drawn with the given cumulative probabilities."""
        with np.errstate(over="ignore"):
            _kernels.chain.run(self._state, cumulative, num_moves)

    def log_densities(self) -> tuple[float, float]:
        """Return the log prior, and the log likelihood of the standardised data."""
        log_prior, log_likelihood = _kernels.state.log_densities(self._state)
        return log_prior - self._log_factorial, log_likelihood

    @property
    def log_closeness(self) -> float:
        """The log of the factor for the sizes of the clades in which the triplets' pairs meet."""
        if self._state.closeness[0] == 0.0:
            return 0.0
        return -float(self._state.closeness[0] * _kernels.closeness.log_sizes(self._state))

    @property
    def log_unsaid(self) -> float:
        """The log of the factor for what was shown and left unsaid."""
        return -float(self._state.shown.weight[0] * _kernels.unsaid.log_unsaid(self._state))

    @cached_property
    def _log_factorial(self) -> float:
        """log (n - 1)!, from the product of the factorials of all nodes."""
        return float(np.log(np.arange(1, self.num_leaves)).sum())

    def record(
        self,
        cumulative: NDArray[np.float64],
        num_moves: NDArray[np.int64],
        parents: NDArray[np.int32],
        ages: NDArray[np.float64],
        densities: NDArray[np.float64],
    ) -> None:
        """Make some moves, and write the tree and its log densities down, for each row."""
        with np.errstate(over="ignore"):
            _kernels.snapshots.record(self._state, cumulative, num_moves, parents, ages, densities)
        densities[:, 0] -= self._log_factorial

    # --- values

    def node_means(self, preorder: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the posterior mean of every node's standardised value."""
        out = np.empty((preorder.size, self._state.rows.shape[1] - _kernels.state.MEAN))
        _kernels.values.node_means(self._state.links, self._state.rows, preorder.copy(), out)
        return out

    def node_draw(self, preorder: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return a joint draw of the standardised values of all nodes."""
        out = np.empty((preorder.size, self._state.rows.shape[1] - _kernels.state.MEAN))
        with np.errstate(over="ignore"):
            _kernels.values.node_draw(self._state.links, self._state.rows, preorder.copy(), self._state.rng, out)
        return out

    # --- new leaves

    def edge_probabilities(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability that a new leaf goes to the edge above each node, for each row of standardised values."""
        state, num_nodes = self._state, 2 * self.num_leaves - 1
        out = np.empty((len(points), num_nodes))
        kernels = _kernels.placing
        # A point may be too far away for the square of the distance.
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.edge_probabilities(
                state.links,
                state.rows,
                state.divergence,
                self._downward(),
                points,
                RULE,
                np.empty((1 + points.shape[1], num_nodes)),
                np.empty((points.shape[1], self.num_leaves)),
                np.empty((num_nodes, kernels.NUM_COLUMNS)),
                np.empty((num_nodes, kernels.NUM_FACTS, kernels.NUM_TABLED)),
                np.empty((4, num_nodes)),
                np.empty(kernels.NUM_ENDS),
                out,
            )
        return out

    def add_shares(
        self, probabilities: NDArray[np.float64], groups: NDArray[np.int64], out: NDArray[np.float64]
    ) -> None:
        """Share the probability of each edge out among the leaves below it, and add that to the groups of the leaves."""
        room = np.empty(2 * self.num_leaves - 1)
        _kernels.placing.add_shares(self._state.links, self._downward(), probabilities, groups, room, out)

    def _downward(self) -> NDArray[np.int64]:
        """Return all nodes, each after its parent."""
        return np.argsort(-self._state.rows[: 2 * self.num_leaves - 1, _kernels.state.AGE], kind="stable")

    # --- as a Python object

    def __getstate__(self) -> dict[str, Any]:
        # The room for proposals need not be kept.
        rows = self._state.rows[: 2 * self.num_leaves]
        return {
            "num_leaves": self.num_leaves,
            "flatness": self.flatness,
            "state": self._state._replace(rows=rows),
        }

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.num_leaves, self.flatness = kept["num_leaves"], kept["flatness"]
        state = kept["state"]
        rows = np.empty((4 * self.num_leaves, state.rows.shape[1]))
        rows[: 2 * self.num_leaves] = state.rows
        self._state = state._replace(rows=rows)


def diffusion_ages(tree: Tree) -> NDArray[np.float64]:
    """Return the ages of a binary tree's nodes, checked: 0 at the leaves, strictly growing towards the root, below 1."""
    problem = why_no_diffusion(tree)
    if problem is not None:
        raise ValueError(f"the tree is no diffusion tree: {problem}")
    ages = _ages(tree)
    assert ages is not None
    return ages


def _ages(tree: Tree) -> NDArray[np.float64] | None:
    """Return the ages, those of leaves made 0 where sums of branch lengths, as in Newick, have missed it by rounding."""
    if tree.age is None:
        return None
    ages = tree.age.copy()
    leaves = ages[: tree.num_leaves]
    leaves[np.abs(leaves) < ROUNDING] = 0.0
    return ages


def why_no_diffusion(tree: Tree) -> str | None:
    """Return what is wrong with a tree's shape or times as those of a diffusion, or None."""
    if not as_tree(tree).is_binary:
        return "it has a node with more than two children"
    age = _ages(tree)
    if age is None:
        return "it has no times"
    assert tree.time is not None
    n = tree.num_leaves
    late = np.flatnonzero(age[:n] != 0)
    if late.size:
        return f"leaves must have time 1; that of leaf {late[0]} is {tree.time[late[0]]}"
    wrong = n + np.flatnonzero(~((age[n:] > 0) & (age[n:] < 1)))
    if wrong.size:
        return f"a divergence must have a time between 0 and 1; that of node {wrong[0]} is {tree.time[wrong[0]]}"
    child = np.flatnonzero(tree.parent != -1)
    tied = child[age[child] >= age[tree.parent[child]]]
    if tied.size:
        return f"node {tied[0]} does not come after its parent, node {tree.parent[tied[0]]}"
    return None
