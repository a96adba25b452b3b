"""New items in a hierarchy that is there: where each would go, by the posterior, without sampling anything anew.

In one tree with times, the density of a place (edge, time) of a new leaf with features x is the density with which the path
of a new point parts there, a(t) / m on an edge with m leaves, times the predictive density of x there, given all other data.
The time is integrated out numerically, which leaves a probability for each edge (`edge_probabilities`); the draws of a
session are averaged over. Nothing is random here, and nothing was said about a new item, so every place is allowed.

A new item on the edge above a node stands with the leaves below that node. Shared out among these equally, the probabilities
of the edges say with which items it stands (`affinities`), and in which clusters (`cluster_probabilities`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk import _kernels
from treetalk.arguments import as_count
from treetalk.data import as_data
from treetalk.models import DirichletDiffusion
from treetalk.progress import Progress
from treetalk.state import Engine
from treetalk.tree import Tree, as_tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from treetalk.session import Session
    from treetalk.snapshots import Snapshots

MOST_DRAWS = 50
NUM_NEAREST = 5
# Numbers in the largest array of one step: some sixteen megabytes.
MOST_AT_ONCE = 2_000_000
ENOUGH = 0.5

Adding = Callable[[Engine, int, "NDArray[np.float64]", "NDArray[np.float64]"], None]


class Placement(NamedTuple):
    """Where a new item belongs in a tree."""

    node: int  # of the smallest clade to which it belongs more probably than not
    probability: float  # that it belongs there
    nearest: tuple[int, ...]  # the items with which it stands most probably, the most probable first


def edge_probabilities(model: DirichletDiffusion, tree: Tree, X: ArrayLike, new: ArrayLike) -> NDArray[np.float64]:
    """Return the probability that each new item goes to the edge above each node of one tree.

    Parameters
    ----------
    model : DirichletDiffusion
        What is "auto" is taken from X.
    tree : Tree
        A binary tree with the times of a diffusion.
    X : array of shape (num_leaves, num_features)
        The data; row i belongs to leaf i.
    new : array of shape (num_new, num_features)
        The new items. Columns that never vary in the model say nothing about them.

    Returns
    -------
    array of shape (num_new, num_nodes)
        Each row sums to 1. The edge above the root is the stem: there, a new item stands beside all the others.
    """
    engine, _, fitted = model._with_data(tree, X)
    return engine.edge_probabilities(_standardised(fitted, new))


def affinities(
    session: Session, new: ArrayLike, *, most_draws: int = MOST_DRAWS, num_threads: int = 1
) -> NDArray[np.float64]:
    """Return how probably each new item stands with each item of a session.

    The probability of being placed on an edge is shared out equally among the items below that edge.

    Parameters
    ----------
    session : Session
        The hierarchy so far.
    new : array of shape (num_new, num_features)
        The features of the new items, in the columns and units of the session's data.
    most_draws : int
        The number of draws to average over; if the session has more, so many of them are taken, evenly spaced.
    num_threads : int
        The number of threads. The result does not depend on it.

    Returns
    -------
    array of shape (num_new, num_items)
        Each row sums to 1.
    """
    groups = np.arange(session.num_items)
    return _Draws(session, most_draws, num_threads).shares(new, groups, session.num_items)


def cluster_probabilities(
    session: Session, new: ArrayLike, labels: ArrayLike, *, most_draws: int = MOST_DRAWS, num_threads: int = 1
) -> NDArray[np.float64]:
    """Return how probably each new item belongs to each cluster of a session's items.

    The mean, over the draws, of the sum over edges of the probability of the edge times the share of the leaves below it
    that are in the cluster. See `affinities` for the other parameters.

    Parameters
    ----------
    labels : int array of shape (num_items,)
        The cluster of each item, numbered from 0.

    Returns
    -------
    array of shape (num_new, num_clusters)
        Each row sums to 1.
    """
    groups = np.asarray(labels)
    if groups.dtype.kind not in "iu" or groups.shape != (session.num_items,) or groups.min() < 0:
        raise ValueError(
            f"labels must be a cluster number, 0 or more, for each of the {session.num_items} items; "
            f"they are an array of shape {groups.shape} and dtype {groups.dtype}"
        )
    return _Draws(session, most_draws, num_threads).shares(new, groups.astype(np.int64), int(groups.max()) + 1)


def place(
    session: Session,
    new: ArrayLike,
    *,
    tree: Tree | None = None,
    num_nearest: int = NUM_NEAREST,
    most_draws: int = MOST_DRAWS,
    num_threads: int = 1,
) -> list[Placement]:
    """Return where each new item belongs in the hierarchy.

    In a draw, a new item stands with the leaves below some edge; it belongs to every clade of the tree that holds them
    all. Averaged over the draws, each clade has a probability, which grows from the leaves to the root, where it is 1: the
    placement is the smallest clade to which the item belongs more probably than not. That may be a single leaf.

    Parameters
    ----------
    tree : Tree, optional
        The hierarchy whose nodes are meant; by default `session.tree`. Its leaves are the session's items by name where it
        has names, else by number.
    num_nearest : int
        How many of the nearest items to tell, by `affinities`.
    session, new, most_draws, num_threads :
        As for `affinities`.

    Returns
    -------
    list of Placement
        One for each row of `new`. Nodes are those of the tree, the nearest items are numbered as in the session.
    """
    target = session.tree if tree is None else as_tree(tree)
    if target.num_leaves != session.num_items:
        raise ValueError(f"the tree has {target.num_leaves} leaves, and the session has {session.num_items} items")
    wanted = min(as_count(num_nearest, "num_nearest"), session.num_items)
    leaves = target._leaf_map(session.tree)
    draws = _Draws(session, most_draws, num_threads)
    nodes, chances, nearest = draws.placements(new, target, leaves, wanted)
    return [
        Placement(node, chance, tuple(near))
        for node, chance, near in zip(nodes.tolist(), chances.tolist(), nearest.tolist(), strict=True)
    ]


class _Draws:
    """Draws of a session, each with the messages that placing needs, made as they are needed."""

    def __init__(self, session: Session, most: int, num_threads: int) -> None:
        self._num_threads = as_count(num_threads, "num_threads", 1)
        draws = session.snapshots.draws()
        count = min(as_count(most, "most_draws", 1), len(draws))
        self._rows = np.linspace(0, len(draws) - 1, count).astype(np.int64).tolist()
        self._draws: Snapshots = draws
        chain = session.chains[0]
        self._model, self._data = chain.model, chain.data

    def _engine(self, i: int) -> Engine:
        noise = self._model.noise
        assert not isinstance(noise, str)
        engine = Engine(self._data, noise, self._model.divergence, 0)
        engine.set_tree(self._draws.parents[i], self._draws.ages[i])
        return engine

    def shares(self, new: ArrayLike, groups: NDArray[np.int64], num_groups: int) -> NDArray[np.float64]:
        """Return the probabilities of groups of items, for each new item."""

        def add(engine: Engine, i: int, probabilities: NDArray[np.float64], out: NDArray[np.float64]) -> None:
            engine.add_shares(probabilities, groups, out)

        return np.concatenate(list(self._means(new, num_groups, add)))

    def placements(
        self, new: ArrayLike, tree: Tree, leaves: NDArray[np.int32], num_nearest: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Return the node of each new item, its probability, and the nearest items.

        `leaves` are the leaves of the tree for the items of the session.
        """
        num_items = tree.num_leaves
        groups = np.arange(num_items)
        images = {i: self._images(i, tree, leaves) for i in self._rows}

        def add(engine: Engine, i: int, probabilities: NDArray[np.float64], out: NDArray[np.float64]) -> None:
            near = np.zeros((len(probabilities), num_items))
            engine.add_shares(probabilities, groups, near)
            out[:, :num_items] += near
            at = np.zeros((len(probabilities), tree.num_nodes))
            _kernels.placing.add_images(probabilities, images[i], at)
            out[:, num_items:] += at

        nodes, chances, nearest = [], [], []
        for means in self._means(new, num_items + tree.num_nodes, add):
            belongs = _sums_below(tree, means[:, num_items:])
            size = np.where(belongs > ENOUGH, tree.sizes, num_items + 1)
            size[:, tree.root] = num_items  # rounding may not take it away
            node = size.argmin(axis=1)
            nodes.append(node)
            chances.append(np.minimum(belongs[np.arange(len(node)), node], 1.0))
            nearest.append(np.argsort(-means[:, :num_items], axis=1, kind="stable")[:, :num_nearest])
        return np.concatenate(nodes), np.concatenate(chances), np.concatenate(nearest)

    def _images(self, i: int, tree: Tree, leaves: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return for each node of a draw the node of a tree with the smallest clade that holds all its leaves."""
        images: NDArray[np.int32] = _kernels.layout.clade_images(tree._layout, self._draws.tree(i)._layout, leaves)
        return images

    def _means(self, new: ArrayLike, num_columns: int, add: Adding) -> Iterator[NDArray[np.float64]]:
        """Give what is added up for new items, some at a time, divided by the number of draws.

        `add` adds what the probabilities of a draw's edges say to an array with a row for each new item.
        """
        points = _standardised(self._model, new)
        at_once = max(1, MOST_AT_ONCE // max(num_columns, 2 * len(self._data)))
        blocks = [points[start : start + at_once] for start in range(0, len(points), at_once)]

        def work(i: int, block: NDArray[np.float64]) -> NDArray[np.float64]:
            engine = self._engine(i)
            out = np.zeros((len(block), num_columns))
            add(engine, i, engine.edge_probabilities(block), out)
            return out

        with (
            Progress(len(blocks) * len(self._rows), "Placing new items") as progress,
            ThreadPoolExecutor(self._num_threads) as threads,
        ):
            for block in blocks:
                total = np.zeros((len(block), num_columns))
                # In the order of the draws, whatever thread is done first: sums depend on it, if only by rounding.
                for part in threads.map(lambda i, block=block: work(i, block), self._rows):
                    total += part
                    progress.advance(1)
                yield total / len(self._rows)


def _standardised(model: DirichletDiffusion, new: ArrayLike) -> NDArray[np.float64]:
    """Return new items, centred on the origin and divided by the scale; the model has been made for the data."""
    data = as_data(new, at_least=1, is_whole=False)
    scale, origin = np.asarray(model.scale), np.asarray(model.origin)
    if data.shape[1] != scale.size:
        raise ValueError(f"the new items have {data.shape[1]} columns, and the data have {scale.size}")
    varies = scale > 0
    return np.ascontiguousarray((data[:, varies] - origin[varies]) / np.sqrt(scale[varies]))


def _sums_below(tree: Tree, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each node the sum of the values of the nodes below it and its own; one row for each new item."""
    sums = values.copy()
    for v in tree.preorder[:0:-1].tolist():
        sums[:, tree.parent[v]] += sums[:, v]
    return sums
