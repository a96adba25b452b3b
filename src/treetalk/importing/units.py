"""One unit for all features: what comes from a source is centred, and divided so that it has the weight it deserves.

The weight is the variance, outliers apart, of all that a column became. A column of numbers weighs 1, and so does a
column of categories, however many there are: the variances of its indicators add up to 1. Columns with one unit (texts,
pixels, embeddings, numbered series, numbers that are scaled together) have a variance of 1 on average, so each group of
them weighs as much as it has columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.estimates import scale_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEGLIGIBLE = 1e-150  # beside the largest number of a group: its square is no number any more


class Unit(NamedTuple):
    """How the columns of a group are moved and divided; arrays of shape (columns,)."""

    size: NDArray[np.float64]  # divided by first, so that nothing overflows
    centre: NDArray[np.float64]
    spread: NDArray[np.float64]

    def apply(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values in this unit."""
        result: NDArray[np.float64] = (values / self.size - self.centre) / self.spread
        return result


def unit_of(values: NDArray[np.float64], *, is_shared: bool) -> Unit:
    """Return the unit of a group of columns, none of them constant: one for all columns, or one for each."""
    size = np.abs(values).max(axis=0)
    if is_shared:
        size = np.full_like(size, size.max())
    part = values / size
    weighty = np.abs(part).max(axis=0) > NEGLIGIBLE
    variance = np.zeros(len(size))
    variance[weighty] = scale_of(part[:, weighty])
    if is_shared:
        variance = np.full_like(variance, variance.mean())
    return Unit(size, part.mean(axis=0), np.sqrt(variance))


def unit_of_indicators(values: NDArray[np.float64]) -> Unit:
    """Return the unit of columns of zeros and ones, none of them constant, whose variances are to add up to 1."""
    total = np.sqrt(values.var(axis=0).sum())
    return Unit(np.ones(values.shape[1]), values.mean(axis=0), np.full(values.shape[1], total))
