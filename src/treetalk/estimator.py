"""The scikit-learn estimator: hierarchical clustering from features and triplets, in pipelines and searches.

It is a thin face: `treetalk.Session` samples, `treetalk.placing` places new items.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from treetalk import placing
from treetalk.arguments import Items, as_count, as_items, as_triplets
from treetalk.constraints import Constraints
from treetalk.models import DirichletDiffusion
from treetalk.parallel import in_jobs
from treetalk.queries import Strategy
from treetalk.session import Session
from treetalk.settings import Setting
from treetalk.tree import Tree
from treetalk.triplets import TripletSet

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MOST_SEEDS = 2**31 - 1


class InteractiveClustering(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Hierarchical clustering that listens: a posterior over hierarchies, among those that satisfy every triplet.

    A triplet (a, b, c) says that items a and b belong together, apart from c. `fit` takes them beside the features,
    `partial_fit` takes more; with `session_`, a person can be asked for them. The result is what
    `sklearn.cluster.AgglomerativeClustering` has: a hierarchy (`children_`, `distances_`), and labels at a cut through it.

    Parameters
    ----------
    n_clusters : int or None, default=2
        The number of clusters. Must be None if `distance_threshold` is given.
    distance_threshold : float, default=None
        The distance at or above which clusters are not joined; see `distances_`. `n_clusters` must then be None.
    concentration : float, default=0.5
        The c of the divergence function c / (1 - t). Large values make hierarchies that part early, small ones late, which
        leaves fewer items alone at the top.
    scale : "common", "auto", float or array of shape (n_features,), default="common"
        The variance of each feature along the hierarchy; see `treetalk.DirichletDiffusion`. "common" is the same for all
        features, so that those that vary more count more, as in scikit-learn's other clusterers. "auto" makes units
        irrelevant.
    noise : "auto" or float, default="auto"
        The variance of an item about its place, in units of `scale`.
    strategy : str or Strategy, default="interleaved"
        What `session_` asks; see `treetalk.Session`.
    n_chains : int, default=2
        The number of Markov chains.
    n_moves : int, default=20_000
        The moves of each chain in `fit`, and again in each `partial_fit`. What it sees in the first third of them is left
        out.
    n_draws : int, default=50
        The number of trees to keep of each chain. Predictions average over 50 of them all.
    n_jobs : int or None, default=None
        The number of jobs, for chains and for predictions, as joblib has it: None is 1 unless a `joblib.parallel_config`
        says otherwise, -1 all processors. Chains run on the backend of that configuration, on threads by default. The
        result depends on neither.
    random_state : int, RandomState or None, default=0
        The seed: the same one gives the same result. None takes one from NumPy's global random numbers.

    Attributes
    ----------
    labels_ : int array of shape (n_samples,)
        The cluster of each row.
    n_clusters_ : int
        The number of clusters.
    n_leaves_ : int
        The number of rows.
    children_ : int array of shape (n_samples - 1, 2)
        The children of each internal node: numbers below `n_samples` are rows, node ``n_samples + i`` is ``children_[i]``.
    distances_ : float array of shape (n_samples - 1,)
        How far the children of each internal node are apart: the time since the diffusions of their items parted, between
        0 and 1. They never fall.
    support_ : float array of shape (n_samples - 1,)
        The posterior probability of each internal node's clade.
    tree_ : Tree
        The hierarchy, its nodes numbered as in `children_`. It satisfies every triplet.
    session_ : Session
        The session, with which a person can go on: ``session_.ask()``. `partial_fit` goes on from there.
    n_iter_ : int
        The number of moves that each chain has made.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features_in_,)
        The names of the features, if X has names that are strings.

    See Also
    --------
    treetalk.Session : the dialogue, without scikit-learn.
    treetalk.placing : where new items go.

    Examples
    --------
    >>> from treetalk import InteractiveClustering
    >>> X = [[0.0], [0.1], [1.0], [1.1], [5.0], [5.1]]
    >>> InteractiveClustering(n_clusters=2).fit(X).labels_
    array([0, 0, 0, 0, 1, 1])
    >>> told = InteractiveClustering(n_clusters=2).fit(X, triplets=[(3, 4, 0)])  # 3 and 4 belong together, apart from 0
    >>> bool(told.tree_.satisfies([(3, 4, 0)]).all())
    True
    """

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        distance_threshold: float | None = None,
        concentration: float = 0.5,
        scale: Any = "common",
        noise: Any = "auto",
        strategy: str | Strategy = "interleaved",
        n_chains: int = 2,
        n_moves: int = 20_000,
        n_draws: int = 50,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.distance_threshold = distance_threshold
        self.concentration = concentration
        self.scale = scale
        self.noise = noise
        self.strategy = strategy
        self.n_chains = n_chains
        self.n_moves = n_moves
        self.n_draws = n_draws
        self.n_jobs = n_jobs
        self.random_state = random_state

    # --- fitting

    def fit(self, X: ArrayLike, y: Any = None, triplets: Any = None) -> InteractiveClustering:
        """Sample hierarchies of the rows of X that satisfy triplets, and cut through the middle of them.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The features, finite numbers in any units.
        y : None
            Not used, as scikit-learn's convention has it; but an array of triplets in this place is taken as such.
        triplets : array of shape (m, 3) or TripletSet, optional
            Triplets (a, b, c), the odd one last: row numbers, or labels of the rows if X is a data frame and these are
            strings.

        Returns
        -------
        InteractiveClustering
            The estimator.

        Raises
        ------
        InconsistentTriplets
            If no hierarchy satisfies the triplets: the error names a minimal set of them that contradict each other.
        """
        self._check_parameters()
        names = _names_of_rows(X)
        data = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        self._check_clusters(len(data))
        said = _as_said(y, triplets, len(data), names)
        Constraints(len(data), names).with_more(said).check()
        session = Session(
            data,
            names,
            self.strategy,
            int(check_random_state(self.random_state).randint(MOST_SEEDS)),
            model=DirichletDiffusion(self.concentration, self.scale, self.noise),
            setting=Setting("treetalk", num_chains=self.n_chains, num_kept=self.n_draws),
        )
        self._data, self.n_iter_ = data, 0
        return self._go_on(session, said)

    def partial_fit(self, X: Any = None, y: Any = None, triplets: Any = None) -> InteractiveClustering:
        """Take more triplets about the same rows, and go on sampling from where it is; before `fit`, do as `fit` does.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features), optional
            The same data as before, or None. Other data are an error.
        y, triplets :
            As for `fit`. What was said before stays in force.

        Returns
        -------
        InteractiveClustering
            The estimator.

        Raises
        ------
        InconsistentTriplets
            If the triplets contradict each other, or what was said before; then nothing has changed.
        """
        if not hasattr(self, "session_"):
            if X is None:
                raise ValueError("partial_fit needs X the first time")
            return self.fit(X, y, triplets)
        self._check_parameters()
        if X is not None:
            data = validate_data(self, X, dtype=np.float64, reset=False)
            if not np.array_equal(data, self._data):
                raise ValueError(
                    f"partial_fit takes more triplets about the same {len(self._data)} rows, and X has other data; "
                    "fit begins anew"
                )
        session = self.session_
        said = _as_said(y, triplets, session.num_items, session.items)
        in_force = session.triplets
        Constraints(session.num_items, session.items, in_force, in_force).with_more(said).check()
        return self._go_on(session, said)

    def _go_on(self, session: Session, said: NDArray[np.int32]) -> InteractiveClustering:
        """Take in consistent triplets, sample, and set what is learnt from it."""
        if len(said):
            session.answer(None, said)
        runner = partial(in_jobs, num_jobs=self.n_jobs)
        left_out = self.n_moves // 3
        session.advance(left_out, 0, runner=runner)
        session.advance(self.n_moves - left_out, self.n_draws, runner=runner)
        self.session_ = session
        self.n_iter_ += self.n_moves
        self.tree_, self.children_, self.distances_ = _as_linkage(self.session_.tree)
        self.n_leaves_ = self.tree_.num_leaves
        support = self.tree_.support
        assert support is not None
        self.support_ = support[self.n_leaves_ :].copy()
        if self.distance_threshold is None:
            self.n_clusters_ = int(self.n_clusters or 1)
        else:
            self.n_clusters_ = int(np.count_nonzero(self.distances_ >= self.distance_threshold)) + 1
        self.labels_ = self.tree_.cut(self.n_clusters_).astype(np.int64)
        return self

    # --- new items

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return how probably each row belongs to each cluster, of shape (n_samples, n_clusters_); each row sums to 1.

        Rows are placed in the hierarchies as new items: the mean, over the draws, of the sum over edges of the probability
        to be placed on that edge times the share of the items below it that are in the cluster. See `treetalk.placing`.
        """
        return self._probabilities(X)

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the cluster to which each row belongs most probably, as a new item; `labels_` has those of the items."""
        labels: NDArray[np.int64] = self._probabilities(X).argmax(axis=1)
        return labels

    def place(self, X: ArrayLike) -> list[placing.Placement]:
        """Return where in `tree_` each row belongs, as a new item: the node, the probability, and the nearest items.

        The node is that of the smallest clade to which the row belongs more probably than not; see `treetalk.placing.place`.
        """
        new = self._new(X)
        return placing.place(self.session_, new, tree=self.tree_, **self._how())

    def _probabilities(self, X: ArrayLike) -> NDArray[np.float64]:
        new = self._new(X)
        return placing.cluster_probabilities(self.session_, new, self.labels_, **self._how())

    def _new(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        data: NDArray[np.float64] = validate_data(self, X, dtype=np.float64, reset=False)
        return data

    def _how(self) -> dict[str, int]:
        return {"num_threads": effective_n_jobs(self.n_jobs)}

    # --- what scikit-learn asks for

    @property
    def _n_features_out(self) -> int:
        """The number of columns of `transform`."""
        return self.n_clusters_

    def _check_parameters(self) -> None:
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError(
                "exactly one of n_clusters and distance_threshold has to be given, and the other has to be None; "
                f"they are {self.n_clusters!r} and {self.distance_threshold!r}"
            )
        if self.n_clusters is not None:
            as_count(self.n_clusters, "n_clusters", 1)
        threshold = self.distance_threshold
        is_number = isinstance(threshold, int | float | np.integer | np.floating) and not isinstance(threshold, bool)
        if threshold is not None and not (is_number and threshold >= 0):
            raise ValueError(f"distance_threshold must be a number, 0 or more, not {threshold!r}")
        for name in ("n_chains", "n_moves", "n_draws"):
            as_count(getattr(self, name), name, 1)

    def _check_clusters(self, num_rows: int) -> None:
        if self.n_clusters is not None and self.n_clusters > num_rows:
            raise ValueError(
                f"cannot make more clusters than samples: n_clusters is {self.n_clusters}, and n_samples is {num_rows}"
            )


def _names_of_rows(X: Any) -> Items | None:
    """Return the labels of a data frame's rows, if they are strings, each of one row only: others are no names."""
    index = getattr(X, "index", None)
    if index is None or callable(index):
        return None
    labels = list(index)
    is_named = all(isinstance(label, str) for label in labels) and len(set(labels)) == len(labels)
    return as_items(labels) if is_named and labels else None


def _as_said(y: Any, triplets: Any, num_rows: int, names: Items | None) -> NDArray[np.int32]:
    """Return the triplets that were given, as row numbers."""
    if triplets is None:
        triplets = y if _are_triplets(y) else ()
    if isinstance(triplets, TripletSet) and triplets.num_leaves != num_rows:
        raise ValueError(f"the triplets are over {triplets.num_leaves} items, and X has {num_rows} rows")
    return as_triplets(triplets, num_rows, names)


def _are_triplets(y: Any) -> bool:
    """Return whether what was given in the place of y are triplets, and no labels or values of rows."""
    if isinstance(y, TripletSet):
        return True
    if isinstance(y, list | tuple):
        return bool(y) and all(isinstance(row, list | tuple) and len(row) == 3 for row in y)
    return isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 3 and y.dtype.kind in "iuOUT"


def _as_linkage(tree: Tree) -> tuple[Tree, NDArray[np.int64], NDArray[np.float64]]:
    """Return a binary tree with its nodes in the order of their ages, the children of each, and its age."""
    n = tree.num_leaves
    age = tree.age
    assert age is not None
    order = np.concatenate([np.arange(n), n + np.argsort(age[n:], kind="stable")])
    number = np.empty(tree.num_nodes, np.int64)
    number[order] = np.arange(tree.num_nodes)
    above = tree.parent[order]
    support = None if tree.support is None else tree.support[order]
    ordered = Tree(np.where(above == -1, -1, number[above]), age=age[order], items=tree.items, support=support)
    children = np.array([ordered.children(v) for v in range(n, ordered.num_nodes)], np.int64)
    return ordered, children, age[order][n:]
