"""The principal components of many columns: embeddings and pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_EXACT = 2_000_000  # numbers; the components of more are found by a randomised algorithm
CHUNK = 2_000  # rows
LEAST_SHARE = 1e-9  # a component that is so much smaller than the first is rounding


class Components(NamedTuple):
    """A change of coordinates: subtract the mean, and multiply."""

    mean: NDArray[np.float64]  # shape (columns,)
    directions: NDArray[np.float64]  # shape (components, columns)

    def apply(self, values: NDArray[np.float64] | NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return the components of the rows."""
        result = np.empty((len(values), len(self.directions)))
        # In chunks, since pixels are kept as bytes and would need eight times the memory at once.
        for start in range(0, len(values), CHUNK):
            part = values[start : start + CHUNK].astype(np.float64)
            result[start : start + CHUNK] = (part - self.mean) @ self.directions.T
        return result


def components_of(values: NDArray[np.float64] | NDArray[np.uint8], number: int, seed: int) -> Components | None:
    """Return at most `number` principal components, None if all rows are the same."""
    from sklearn.decomposition import PCA

    number = min(number, len(values) - 1, values.shape[1])
    mean = values.mean(axis=0, dtype=np.float64)
    is_small = values.size <= LARGEST_EXACT
    # Of large data, single precision is enough to find directions, once the mean, which may be huge, is subtracted.
    centred = np.empty(values.shape, np.float64 if is_small else np.float32)
    for start in range(0, len(values), CHUNK):
        centred[start : start + CHUNK] = values[start : start + CHUNK] - mean
    if (centred == centred[0]).all():
        return None
    pca = PCA(number, svd_solver="full" if is_small else "randomized", random_state=seed).fit(centred)
    deviation = np.sqrt(pca.explained_variance_)
    kept = deviation > LEAST_SHARE * deviation[0]
    return Components(mean, with_signs(pca.components_[kept].astype(np.float64)))


def with_signs(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return directions turned so that the largest entry of each is positive: a sign says nothing, so it is settled."""
    largest = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
    result: NDArray[np.float64] = directions * np.where(largest < 0, -1.0, 1.0)[:, None]
    return result
