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
from treetalk.data import names_of_rows
from treetalk.models import DirichletDiffusion
from treetalk.parallel import in_jobs
from treetalk.session import Session
from treetalk.settings import Setting
from treetalk.strategies import Strategy
from treetalk.tree import Tree
from treetalk.triplets import TripletSet

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MOST_SEEDS = 2**31 - 1
FEWEST_MOVES, MOST_MOVES, MOVES_PER_ROW = 20_000, 1_000_000, 100


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
    scale : "common", "auto", "balanced", float or array of shape (n_features,), default="common"
        The variance of each feature along the hierarchy; see `treetalk.DirichletDiffusion`. "common" is the same for all
        features, so that those that vary more count more, as in scikit-learn's other clusterers. "auto" makes units
        irrelevant.
    noise : "auto", "balanced" or float, default="auto"
        The variance of an item about its place, in units of `scale`.
    strategy : str or Strategy, default="grouped"
        What `session_` asks; see `treetalk.Session`.
    n_chains : int, default=2
        The number of Markov chains.
    n_moves : "auto" or int, default="auto"
        The moves of each chain in `fit`, and again in each `partial_fit`; "auto" is 100 for each row, at least 20,000 and at
        most a million. What it sees in the first third of them is left out. `diagnosis_` says whether that was enough.
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
    diagnosis_ : Diagnosis
        Whether the chains agree: ``diagnosis_.sentence`` says it in words.
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
        strategy: str | Strategy = "grouped",
        n_chains: int = 2,
        n_moves: int | str = "auto",
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
            Not used, as scikit-learn's convention has it; but triplets in this place are taken as such. Three columns with a
            row for each row of X might be either, and are refused.
        triplets : array of shape (m, 3), TripletSet, or what `treetalk.dialects` reads, optional
            Triplets (a, b, c), the odd one last: row numbers, or labels of the rows if X is a data frame and these are
            strings. A search such as GridSearchCV fits parts of X, in which other rows have these numbers: call them by
            label there, and expect an error where a part lacks one.

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
        data = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        self._check_clusters(len(data))
        given = _given_triplets(y, triplets, len(data))
        names = _names_of_rows(X, is_talked_about=given is not None)
        said = _as_said(given, len(data), names)
        Constraints(len(data), names).with_more(said).check()
        session = Session(
            data,
            names,
            self.strategy,
            int(check_random_state(self.random_state).randint(MOST_SEEDS)),
            model=DirichletDiffusion(self.concentration, self.scale, self.noise),
            setting=Setting("treetalk", num_chains=self.n_chains, num_kept=self.n_draws),
        )
        return self._go_on(session, said, data, 0)

    def fit_predict(self, X: ArrayLike, y: Any = None, triplets: Any = None) -> NDArray[np.int64]:
        """Return the `labels_` of `fit`."""
        return self.fit(X, y, triplets).labels_

    def partial_fit(self, X: Any = None, y: Any = None, triplets: Any = None) -> InteractiveClustering:
        """Take more triplets about the same rows, and go on sampling from where it is; before `fit`, do as `fit` does.

        Of the parameters, those of the cut, `n_moves` and `n_jobs` may have changed meanwhile; others count in the next
        `fit`.

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
        session = self.session_
        self._check_clusters(session.num_items)
        given = _given_triplets(y, triplets, session.num_items)
        if X is not None:
            data = validate_data(self, X, dtype=np.float64, reset=False)
            is_same = np.array_equal(data, self._data)
            if not is_same or _names_of_rows(X, is_talked_about=given is not None) != session.items:
                raise ValueError(
                    f"partial_fit takes more triplets about the same {len(self._data)} rows, and X has other "
                    f"{'labels' if is_same else 'data'}; fit begins anew"
                )
        said = _as_said(given, session.num_items, session.items)
        in_force = session.triplets
        Constraints(session.num_items, session.items, in_force).with_more(said).check()
        return self._go_on(session, said, self._data, self.n_iter_)

    def _go_on(
        self, session: Session, said: NDArray[np.int32], data: NDArray[np.float64], num_before: int
    ) -> InteractiveClustering:
        """Take in consistent triplets, sample, and set what is learnt from it."""
        if len(said):
            session.answer(None, said)
        runner = partial(in_jobs, num_jobs=self.n_jobs)
        automatic = min(max(FEWEST_MOVES, MOVES_PER_ROW * len(data)), MOST_MOVES)
        num_moves = automatic if self.n_moves == "auto" else int(self.n_moves)
        left_out = num_moves // 3
        session.advance(left_out, 0, runner=runner)
        session.advance(num_moves - left_out, self.n_draws, runner=runner)
        self.session_, self._data = session, data
        self.n_iter_ = num_before + num_moves
        self.diagnosis_ = session.diagnose()
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
        for name in ("n_chains", "n_draws") if self.n_moves == "auto" else ("n_chains", "n_draws", "n_moves"):
            as_count(getattr(self, name), name, 1)
        effective_n_jobs(self.n_jobs)  # raises ValueError for 0

    def _check_clusters(self, num_rows: int) -> None:
        if self.n_clusters is not None and self.n_clusters > num_rows:
            raise ValueError(
                f"cannot make more clusters than samples: n_clusters is {self.n_clusters}, and n_samples is {num_rows}"
            )


def _names_of_rows(X: Any, *, is_talked_about: bool) -> Items | None:
    """Return the labels of a data frame's rows, if they are strings.

    If rows are talked about, it must be clear which: labels that are doubled, or other numbers than those of the rows, are
    an error. If not, such labels are none.
    """
    if is_talked_about:
        _check_numbers(X)
    try:
        names = names_of_rows(X)
    except ValueError:
        if is_talked_about:
            raise
        return None
    return None if names is None else as_items(names)


def _check_numbers(X: Any) -> None:
    index = getattr(X, "index", None)
    if index is None or callable(index) or not all(isinstance(label, int | np.integer) for label in index):
        return
    row = next((row for row, label in enumerate(index) if label != row), None)
    if row is not None:
        raise ValueError(
            f"the label of row {row} is {index[row]}, so a number in a triplet might be either; use "
            "X.reset_index(drop=True), or labels that are strings"
        )


def _given_triplets(y: Any, triplets: Any, num_rows: int) -> Any:
    """Return the triplets that were given, also in the place of y; None if there are none."""
    if triplets is not None or y is None:
        return triplets
    if isinstance(y, TripletSet) or hasattr(y, "triplets"):
        return y
    shape = np.asarray(y, dtype=object).shape
    if len(shape) != 2 or shape[1] != 3:
        return None  # labels or values of rows, which are not used
    if shape[0] == num_rows:
        raise ValueError(
            f"y has three columns and {num_rows} rows, as many as X: these may be triplets or not; give triplets as "
            "fit(X, triplets=...)"
        )
    return y


def _as_said(given: Any, num_rows: int, names: Items | None) -> NDArray[np.int32]:
    """Return triplets as row numbers."""
    if isinstance(given, TripletSet) and given.num_leaves != num_rows:
        raise ValueError(f"the triplets are over {given.num_leaves} items, and X has {num_rows} rows")
    return as_triplets(() if given is None else given, num_rows, names)


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
