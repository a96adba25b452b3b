"""Estimates from the columns of data that a few outliers, constant columns or other units do not upset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The middle half of a column says how wide it is; where that is a single value, as in a column of few ones among zeros,
# a larger part does.
QUANTILES = ((0.25, 0.75), (0.1, 0.9), (0.05, 0.95))
FENCE = 3.0
SMALLEST = np.finfo(np.float64).tiny


def without_outliers(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the data with values far from the middle of their column moved to `FENCE` times its width beyond it."""
    result = X.copy()
    pending = np.ones(X.shape[1], bool)
    for low, high in QUANTILES:
        first, last = np.quantile(X, (low, high), axis=0)
        width = last - first
        found = pending & (width > 0)
        beyond = FENCE * width
        result[:, found] = np.clip(X[:, found], (first - beyond)[found], (last + beyond)[found])
        pending &= ~found
    return result


def scale_of(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the variance of each column, outliers moved; 0 for a constant one."""
    # Columns of huge numbers are divided first, so that no square overflows and rounding does not pass for variance.
    size = np.abs(X).max(axis=0)
    size[size == 0] = 1.0
    part: NDArray[np.float64] = without_outliers(X / size).var(axis=0)
    constant = (X[0] == X).all(axis=0)
    with np.errstate(over="ignore", under="ignore"):
        scale = np.where(constant, 0.0, np.maximum(part, np.finfo(float).eps ** 2) * size**2)
    for column in np.flatnonzero(~constant & ~((scale > SMALLEST) & (scale < np.inf))):
        raise ValueError(
            f"column {column} of X has values up to {size[column]:.3g}, whose squares are no numbers any more; "
            "multiply the column by some power of ten"
        )
    return scale


def origin_of(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each column, outliers moved; exactly its value for a constant one."""
    mean: NDArray[np.float64] = without_outliers(X).mean(axis=0)
    return np.where((X[0] == X).all(axis=0), X[0], mean)
