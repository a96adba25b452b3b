"""The Dirichlet diffusion tree (Neal 2003): a prior over hierarchies with times, and the likelihood of data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from treetalk.arguments import Frozen, as_seed
from treetalk.arrays import frozen
from treetalk.build import as_num_leaves
from treetalk.data import as_data
from treetalk.divergence import Divergence, Reciprocal, check_positive
from treetalk.estimates import origin_of, scale_of
from treetalk.state import Engine, diffusion_ages
from treetalk.tree import Tree, as_tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

NOISE = 0.01
# How scales are taken from data: each column's own, one for all, or between the two.
SHARING = ("auto", "common", "balanced")
MOST_BALANCED = 4.0
NOISES = ("auto", "balanced")
# The balanced noise, for each column that varies, and at most.
NOISE_PER_COLUMN, MOST_BALANCED_NOISE = 0.0025, 0.25
MOST_NOISE = 1e100  # beyond, densities are no numbers any more


class DirichletDiffusion(Frozen):
    """A diffusion in which paths part: leaves that part late are alike. It never changes.

    A path starts at time 0 from the origin and moves by Brownian motion; at time t, a path with m earlier ones before
    it parts from them at the rate a(t) / m. At time 1, each path is an item, observed with some noise.

    Parameters
    ----------
    concentration : float
        The c of a(t) = c / (1 - t). Large values make early divergences likely, small ones late divergences.
    scale : "auto", "common", "balanced", float or array of shape (num_dims,)
        The variance of the Brownian motion per unit of time. A column of scale 0 never varies, and says nothing.
        "auto" takes it from the data: twice the variance of each column (for c = 1; in general the variance divided by
        the mean age of the mrca of two items, which is c / (c + 1)), so that items differ as much as the prior expects.
        Values further than three times the interquartile range beyond the quartiles are moved there first, so that a
        few outliers do not make all other items look alike. Columns in other units have other scales, so units do not
        matter. A constant column has scale 0. Without data (`simulate`) it is 1. "common" is the mean of what "auto" takes
        for each column, the same for all: for columns that have one unit, as those of embeddings and principal components.
        "balanced" is between the two, for columns of which one does not know: one that varies more than the others counts
        for more, in proportion to its standard deviation, up to four times and down to a quarter of a typical one.
    noise : "auto", "balanced" or float
        The variance of an observation about its leaf, in units of `scale`; positive, for equal rows would have no density
        otherwise. "auto" is 0.01: items closer than a tenth of a standard deviation of the motion are as good as equal.
        "balanced" grows with the number of columns that vary: 0.0025 for each, at least 0.01 and at most 0.25. Many columns
        are never independent given the tree, as the model has it, and each has something of its own; without more noise,
        many columns make the model surer than it should be.
    origin : "auto", float or array of shape (num_dims,)
        Where paths start. "auto" is the mean of each column, outliers moved as for `scale`; 0 without data.
    divergence : Divergence, optional
        Another divergence function than c / (1 - t), such as `treetalk.divergence.ReciprocalSquare`; `concentration` is
        then not used.
    """

    def __init__(
        self,
        concentration: float = 1.0,
        scale: str | ArrayLike = "auto",
        noise: str | float = "auto",
        origin: str | ArrayLike = "auto",
        *,
        divergence: Divergence | None = None,
    ) -> None:
        check_positive(concentration, "concentration")
        if divergence is not None and (isinstance(divergence, type) or not isinstance(divergence, Divergence)):
            raise TypeError(f"divergence must be a divergence function such as Reciprocal(1.0), not {divergence!r}")
        self._divergence = Reciprocal(float(concentration)) if divergence is None else divergence
        self._sharing = scale if isinstance(scale, str) and scale in SHARING else "auto"
        self._scale = None if isinstance(scale, str) and scale in SHARING else _as_vector(scale, "scale")
        if self._scale is not None and (self._scale < 0).any():
            where = "" if self._scale.ndim == 0 else f" for column {self._scale.argmin()}"
            raise ValueError(
                f"scale must be positive, or 0 for a column that never varies, not {self._scale.min()}{where}"
            )
        if isinstance(noise, str):
            if noise not in NOISES:
                raise ValueError(f'noise must be a positive number, "auto" or "balanced", not {noise!r}')
        else:
            check_positive(noise, "noise")
            if noise > MOST_NOISE:
                raise ValueError(f"noise must be at most {MOST_NOISE:g} times the scale, not {noise:g}")
        self._noise = noise if isinstance(noise, str) else float(noise)
        self._origin = _as_vector(origin, "origin")

    @property
    def divergence(self) -> Divergence:
        """The divergence function."""
        return self._divergence

    @property
    def concentration(self) -> float:
        """The c of a(t) = c / (1 - t)."""
        if not isinstance(self._divergence, Reciprocal):
            raise AttributeError(f"a model with {self._divergence} has no concentration")
        return self._divergence.concentration

    @property
    def scale(self) -> NDArray[np.float64] | str:
        """The variance of the motion per unit of time, one number or one per dimension, or how it is taken from data."""
        return self._sharing if self._scale is None else self._scale

    @property
    def noise(self) -> float | str:
        """The variance of an observation in units of `scale`, or how it is chosen."""
        return self._noise

    @property
    def origin(self) -> NDArray[np.float64] | str:
        """Where paths start, one number or one per dimension, or "auto"."""
        return "auto" if self._origin is None else self._origin

    def __repr__(self) -> str:
        parts = [f"divergence={self._divergence!r}"]
        for name, value in (("scale", self.scale), ("noise", self.noise), ("origin", self.origin)):
            text = np.array2string(value, separator=", ", threshold=6) if isinstance(value, np.ndarray) else repr(value)
            parts.append(f"{name}={text}")
        return f"DirichletDiffusion({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DirichletDiffusion):
            return NotImplemented
        return self._essence() == other._essence()

    def __hash__(self) -> int:
        return hash(self._essence())

    def _essence(self) -> tuple[object, ...]:
        vectors = (None if vector is None else (vector.ndim, *vector.flat) for vector in (self._scale, self._origin))
        return (self._divergence, self._noise, self._sharing, *vectors)

    # --- meeting the data

    def for_data(self, X: ArrayLike) -> DirichletDiffusion:
        """Return the model with a number in place of every "auto", and a scale and an origin for each column of X."""
        return self._for_data(as_data(X, at_least=1))

    def _for_data(self, X: NDArray[np.float64]) -> DirichletDiffusion:
        given = self._broadcast(self._scale, X, "scale")
        scale = self._scale_from(X) if given is None else given
        origin = self._broadcast(self._origin, X, "origin")
        return DirichletDiffusion(
            scale=scale,
            noise=self._noise_for(int((scale > 0).sum())),
            origin=origin_of(X) if origin is None else origin,
            divergence=self._divergence,
        )

    def _scale_from(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a scale for each column that makes items differ as much as the prior expects; 0 for a constant one."""
        scale = scale_of(X) / _mean_pair_age(self._divergence)
        varies = scale > 0
        if self._sharing == "common" and varies.any():
            scale[varies] = scale[varies].mean()
        elif self._sharing == "balanced" and varies.any():
            deviation = np.sqrt(scale[varies])
            typical = np.exp(np.log(deviation).mean())
            scale[varies] /= np.clip(deviation / typical, 1 / MOST_BALANCED, MOST_BALANCED)
        return scale

    def _noise_for(self, num_dims: int) -> float:
        """Return the noise for data with so many columns that vary."""
        if self._noise == "balanced":
            return min(max(NOISE_PER_COLUMN * num_dims, NOISE), MOST_BALANCED_NOISE)
        return NOISE if isinstance(self._noise, str) else self._noise

    @staticmethod
    def _broadcast(values: NDArray[np.float64] | None, X: NDArray[np.float64], what: str) -> NDArray[np.float64] | None:
        if values is None:
            return None
        if values.ndim == 1 and values.size != X.shape[1]:
            raise ValueError(f"{what} has {values.size} values, and X has {X.shape[1]} columns")
        return np.broadcast_to(values, X.shape[1:]).copy()

    def _standardise(self, X: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """Return the data centred on the origin and divided by the scale, and the log density that this takes away.

        Columns of scale 0 are left out. The model has been made for the data.
        """
        assert self._scale is not None
        assert self._origin is not None
        varies = self._scale > 0
        moved = np.argwhere(X[:, ~varies] != self._origin[~varies])
        if moved.size:
            row, column = moved[0]
            raise ValueError(
                f"column {np.flatnonzero(~varies)[column]} has scale 0, so it never leaves the origin, but row {row} does"
            )
        scale = self._scale[varies]
        Z = (X[:, varies] - self._origin[varies]) / np.sqrt(scale)
        return np.ascontiguousarray(Z), -0.5 * len(X) * float(np.log(scale).sum())

    # --- densities

    def log_prior(self, tree: Tree) -> float:
        """Return the log density of a tree's topology and times: binary, leaves at time 1, other times between 0 and 1."""
        if as_tree(tree).num_leaves == 1:
            return 0.0
        return self._engine(tree, np.empty((tree.num_leaves, 0))).log_densities()[0]

    def log_likelihood(self, tree: Tree, X: ArrayLike) -> float:
        """Return the log density of data given a tree with its times; row i of X belongs to leaf i."""
        engine, log_units, _ = self._with_data(tree, X)
        return engine.log_densities()[1] + log_units

    def _engine(self, tree: Tree, Z: NDArray[np.float64], seed: int = 0) -> Engine:
        ages = diffusion_ages(tree)
        engine = Engine(Z, self._noise_for(Z.shape[1]), self._divergence, seed)
        engine.set_tree(tree.parent, ages)
        return engine

    def _with_data(self, tree: Tree, X: ArrayLike, seed: int = 0) -> tuple[Engine, float, DirichletDiffusion]:
        data = as_data(X)
        if len(data) != as_tree(tree).num_leaves:
            raise ValueError(f"the tree has {tree.num_leaves} leaves, and X has {len(data)} rows")
        model = self._for_data(data)
        Z, log_units = model._standardise(data)
        return model._engine(tree, Z, seed), log_units, model

    # --- values

    def node_means(self, tree: Tree, X: ArrayLike) -> NDArray[np.float64]:
        """Return the posterior mean of the diffusion at every node of a tree, of shape (num_nodes, num_dims).

        At a leaf this is where the item's path ends, without the noise of its observation.
        """
        engine, _, model = self._with_data(tree, X)
        return model._in_units(engine.node_means(tree.preorder))

    def node_draw(self, tree: Tree, X: ArrayLike, *, seed: int = 0) -> NDArray[np.float64]:
        """Return a joint draw of the diffusion at all nodes given the data, of shape (num_nodes, num_dims)."""
        engine, _, model = self._with_data(tree, X, as_seed(seed))
        return model._in_units(engine.node_draw(tree.preorder))

    def _in_units(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self._scale is not None
        assert self._origin is not None
        result = np.broadcast_to(self._origin, (len(values), self._origin.size)).copy()
        varies = self._scale > 0
        result[:, varies] += values * np.sqrt(self._scale[varies])
        return result

    # --- simulation

    def simulate(self, num_leaves: int, num_dims: int, seed: int = 0) -> tuple[Tree, NDArray[np.float64]]:
        """Return a tree and data drawn from the model; "auto" means scale 1, noise 0.01 and origin 0.

        Parameters
        ----------
        num_leaves, num_dims : int
            The number of items and of features.
        seed : int
            The same seed gives the same tree and data.
        """
        size = as_num_leaves(num_leaves)
        if isinstance(num_dims, bool) or not isinstance(num_dims, int | np.integer) or num_dims < 0:
            raise ValueError(f"num_dims must be an integer, 0 or more, not {num_dims!r}")
        rng = np.random.default_rng(as_seed(seed))
        tree = self._simulate_tree(size, rng)
        units = {
            "scale": 1.0 if self._scale is None else self._scale,
            "origin": 0.0 if self._origin is None else self._origin,
        }
        for what, value in units.items():
            if np.ndim(value) == 1 and np.size(value) != num_dims:
                raise ValueError(f"{what} has {np.size(value)} values, and num_dims is {num_dims}")
        deviation = np.sqrt(np.broadcast_to(units["scale"], num_dims))
        age = tree.age
        assert age is not None
        above = np.where(tree.parent == -1, 1.0, age[tree.parent])
        steps = rng.normal(size=(tree.num_nodes, num_dims)) * np.sqrt(above - age)[:, None] * deviation
        steps[tree.root] += units["origin"]
        for v in tree.preorder[1:]:
            steps[v] += steps[tree.parent[v]]
        own = rng.normal(size=(size, num_dims)) * math.sqrt(self._noise_for(num_dims)) * deviation
        return tree, steps[:size] + own

    def _simulate_tree(self, num_leaves: int, rng: np.random.Generator) -> Tree:
        """Draw from the top down: along the edge to a node with k leaves, A rises by an exponential with rate H_{k-1}.

        The k leaves then part into l and r with probability k / (2 l r H_{k-1}) = (1/l + 1/r) / (2 H_{k-1}).
        """
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, num_leaves + 1))])
        parent = np.full(2 * num_leaves - 1, -1, np.int32)
        hazard = np.zeros(2 * num_leaves - 1)
        leaves = rng.permutation(num_leaves)
        used = num_leaves
        waiting = [(0, num_leaves, -1)]
        while waiting:
            first, last, p = waiting.pop()
            size = last - first
            if size == 1:
                parent[leaves[first]] = p
                continue
            v = used
            used += 1
            parent[v] = p
            hazard[v] = (0.0 if p == -1 else hazard[p]) + rng.exponential() / harmonic[size - 1]
            part = int(np.searchsorted(harmonic[1:size], rng.random() * harmonic[size - 1], side="right")) + 1
            if rng.random() < 0.5:
                part = size - part
            waiting += [(first, first + part, v), (first + part, last, v)]
        age = np.zeros(2 * num_leaves - 1)
        age[num_leaves:] = self._divergence.age(hazard[num_leaves:])
        return Tree(parent, age=age)


def as_model(model: DirichletDiffusion | None) -> DirichletDiffusion:
    """Return a model, checked, or the one that is used where none is given."""
    if model is not None and not isinstance(model, DirichletDiffusion):
        raise TypeError(f"model must be a DirichletDiffusion, not {type(model).__name__}")
    return DirichletDiffusion() if model is None else model


def _mean_pair_age(divergence: Divergence) -> float:
    """Return the mean age of the mrca of two items: the mean of the age at an exponential hazard."""
    levels = (np.arange(10_000) + 0.5) / 10_000
    return float(divergence.age(-np.log(levels)).mean())


def _as_vector(values: str | ArrayLike, what: str) -> NDArray[np.float64] | None:
    """Return a number or one number per dimension as a frozen array, None for "auto"."""
    if isinstance(values, str):
        if values != "auto":
            known = '"auto", "common" or "balanced"' if what == "scale" else '"auto"'
            raise ValueError(f"{what} must be numbers or {known}, not {values!r}")
        return None
    if values is None or isinstance(values, bool):
        raise TypeError(f'{what} must be a number, one number per dimension or "auto", not {values!r}')
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f'{what} must be a number, one number per dimension or "auto", not {values!r}') from None
    if array.ndim > 1:
        raise ValueError(f"{what} must be a number or one number per dimension; its shape is {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite, not {values!r}")
    return frozen(array)
