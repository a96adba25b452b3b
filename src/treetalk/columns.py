"""For how many columns each column of the data counts, as far as the answers tell.

Features say who is alike in all that was measured; what somebody has in mind may be about a few columns only. Answers tell
about which: in these, a and b of a triplet ab|c are alike and c is not. So the likelihood of a tree, a product over columns,
has each column to a power, its *weight*, and the weights are 1 on average.

Let z be the standardised values, and the margin of a triplet in a column half of the squares by which c differs from a and
from b, less the square by which a and b differ. A triplet is as likely as the logistic function of its weighted margin has
it, in standard deviations of that of random triples. The logs of the weights are normal, a priori, but for a constant:
with a deviation that is 0, for columns that all count alike, or one of a few others, and correlated as the squares of the
correlations of the columns are, for what says the same counts for the same. How likely each deviation makes the answers
(Laplace's approximation) says how far to go: where all columns tell as much, or the answers are few, weights stay near 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk import _kernels
from treetalk.models import DirichletDiffusion
from treetalk.threads import on_one_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.heard import Heard

# Deviations of the log weights, and the probability of no deviation; the others are as likely as each other.
DEVIATIONS, ALL_ALIKE = (0.5, 1.0, 2.0), 0.5
NUM_RANDOM = 300  # triples that say how much margins vary
MOST_TRIPLETS = 1_000  # of more, some stand for all
MOST_COLUMNS = 300  # of more, answers say next to nothing about each
LEAST_OWN = 1e-6  # the part of a log weight's variance that it has for itself, where columns are the same
LEAST_VARYING = 1e-9  # what varies less, as a part of what varies most, tells nothing
PRECISION = {"maxiter": 80, "ftol": 1e-6}


class Columns:
    """The columns of some data that have a scale, and what answers say of those that vary.

    Parameters
    ----------
    X : array of shape (num_items, num_features)
        The data.
    model : DirichletDiffusion
        The model of them, before anything is said; its parameters are known.
    """

    def __init__(self, X: NDArray[np.float64], model: DirichletDiffusion) -> None:
        self._X, self.model = X, model

    def model_for(self, weights: NDArray[np.float64]) -> DirichletDiffusion:
        """Return the model in which each column that varies counts for so many.

        The density of a column to the power of w is that of w times the variance, but for a constant and the logs of the
        variances of edges, which all columns share: with weights that are 1 on average these come to the same.
        """
        model = self.model
        scale = np.array(model.scale, np.float64)
        scale[scale > 0] /= weights
        return DirichletDiffusion(scale=scale, noise=model.noise, origin=model.origin, divergence=model.divergence)

    def of_features(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights with 0 for each feature that never varies."""
        result = (np.asarray(self.model.scale) > 0).astype(np.float64)
        result[result > 0] = weights
        return result

    def weights(self, triplets: NDArray[np.int32], shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each column, 1 on average.

        Parameters
        ----------
        triplets : array of shape (m, 3)
            What was said, the odd one last.
        shares : array of length m
            For how much of a triplet each one counts.
        """
        result = np.ones(np.count_nonzero(self.model.scale))
        if not len(triplets) or len(result) > MOST_COLUMNS or np.count_nonzero(self._varies) < 2:
            return result
        if len(triplets) > MOST_TRIPLETS:
            some = np.linspace(0, len(triplets) - 1, MOST_TRIPLETS).astype(np.intp)
            triplets, shares = triplets[some], shares[some] * (shares.sum() / shares[some].sum())
        margins = self._margins(triplets)
        with on_one_thread():
            fits = [_Fit(margins, shares, self._spread, deviation * self._root) for deviation in DEVIATIONS]
        log_odds = np.array([fit.log_evidence for fit in fits]) - fits[0].log_likelihood_of_ones
        log_odds += np.log((1.0 - ALL_ALIKE) / len(DEVIATIONS))
        log_shares = np.concatenate([[np.log(ALL_ALIKE)], log_odds])
        probabilities = np.exp(log_shares - log_shares.max())
        probabilities /= probabilities.sum()
        found = np.array([np.ones_like(fits[0].weights), *(fit.weights for fit in fits)])
        result[self._varies] = probabilities @ found
        return result

    def _margins(self, triplets: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return by how much c differs more from a and b than these do from each other, for each triplet and column."""
        a, b, c = (self._Z[each] for each in triplets.T)
        return np.asarray(((a - c) ** 2 + (b - c) ** 2) / 2.0 - (a - b) ** 2)

    @cached_property
    def _standardised(self) -> NDArray[np.float64]:
        """The columns that have a scale, in its units, times a power of 2 with which nothing overflows."""
        Z, _ = self.model._standardise(self._X)
        return np.asarray(np.ldexp(Z, -np.frexp(np.ptp(Z, axis=0).max(initial=0.0))[1]))

    @cached_property
    def _varies(self) -> NDArray[np.bool_]:
        """Which of the columns vary: all of them, unless somebody gave one that does not a scale."""
        spans = np.ptp(self._standardised, axis=0)
        return np.asarray(spans > LEAST_VARYING * spans.max(initial=0.0))

    @cached_property
    def _Z(self) -> NDArray[np.float64]:
        return np.ascontiguousarray(self._standardised[:, self._varies])

    @cached_property
    def _spread(self) -> NDArray[np.float64]:
        """The margins of random triples, centred, and such that the sum of squares is the variance."""
        rng = np.random.default_rng(0)
        triples = np.array([rng.choice(len(self._Z), 3, replace=False) for _ in range(NUM_RANDOM)])
        margins = self._margins(triples)
        return np.asarray((margins - margins.mean(axis=0)) / np.sqrt(NUM_RANDOM))

    @cached_property
    def _root(self) -> NDArray[np.float64]:
        """A root of the covariance matrix of the log weights where their deviation is 1."""
        squares = np.asarray(np.corrcoef(self._Z, rowvar=False), np.float64) ** 2
        return np.asarray(np.linalg.cholesky(squares + LEAST_OWN * np.eye(len(squares))), np.float64)

    def __getstate__(self) -> dict[str, Any]:
        # What is found out when it is needed is not worth keeping.
        return {"_X": self._X, "model": self.model}


class _Fit:
    """The likeliest weights for one covariance of their logs, and how likely it makes the answers.

    Parameters
    ----------
    margins : array of shape (m, num_columns)
        Of the triplets that were said.
    shares : array of length m
        For how much of a triplet each one counts.
    spread : array of shape (k, num_columns)
        The margins of random triples, centred, and such that the sum of squares is the variance.
    root : array of shape (num_columns, num_columns)
        A root of the covariance matrix.
    """

    def __init__(
        self,
        margins: NDArray[np.float64],
        shares: NDArray[np.float64],
        spread: NDArray[np.float64],
        root: NDArray[np.float64],
    ) -> None:
        from scipy.optimize import minimize

        self._parts = margins, spread, root
        self._shares = shares
        ones = np.zeros(len(root))
        self.log_likelihood_of_ones = -self.loss(ones)[0]
        found = minimize(self.loss, ones, jac=True, method="L-BFGS-B", options=PRECISION)
        self.weights, score, slope = self.slopes(found.x)
        # The Hessian without the curvature of the scores, and with that of the prior, which is 1.
        curved = np.sqrt(shares * _logistic(score) * _logistic(-score))[:, None] * slope
        small = curved @ curved.T if len(curved) < len(root) else curved.T @ curved
        self.log_evidence = -float(found.fun) - 0.5 * float(np.linalg.slogdet(np.eye(len(small)) + small)[1])

    def loss(self, x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return minus the log of likelihood and prior, and its gradient; the log weights are the root times x."""
        margins, spread, root = self._parts
        gradient = np.empty_like(x)
        return float(_kernels.columns.loss(margins, self._shares, spread, root, x, gradient)), gradient

    def slopes(self, x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the weights, the score of each triplet, and how it changes with each x."""
        margins, spread, root = self._parts
        weights, varying, score = np.empty_like(x), np.empty(len(spread)), np.empty(len(margins))
        deviation = _kernels.columns.scores(margins, spread, root, x, weights, varying, score)
        by_weight = _kernels.columns.STEEPNESS * margins / deviation
        by_weight -= np.outer(score, varying @ spread) / deviation**2
        return weights, score, (weights * by_weight) @ root


def _logistic(score: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * score))


def shares_of(triplets: NDArray[np.int32], heard: Sequence[Heard]) -> NDArray[np.float64]:
    """Return for how much of a triplet each one counts: those said of one cluster in one piece together for one.

    These are all ab|c with a and b in the cluster, if they meet nowhere below, and c not. Who sorts a piece says them all.
    """
    share: dict[tuple[int, ...], float] = {}
    for each in heard:
        outside: dict[frozenset[int], set[int]] = {}
        for a, b, c in each.said:
            outside.setdefault(frozenset((a, b)), set()).add(c)
        clusters = [frozenset(outside[frozenset((a, b))]) for a, b, _ in each.said]
        counts = Counter(clusters)
        share.update((triplet, 1.0 / counts[cluster]) for triplet, cluster in zip(each.said, clusters, strict=True))
    return np.array([share.get(tuple(triplet), 1.0) for triplet in triplets.tolist()])
