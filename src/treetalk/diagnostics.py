"""How much the draws of a chain are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def autocorrelation(values: ArrayLike) -> NDArray[np.float64]:
    """Return the autocorrelation of a series at all lags, from 1 at lag 0."""
    series = np.asarray(values, np.float64)
    n = series.size
    centred = series - series.mean()
    # Zeros behind the series keep its end from being correlated with its beginning.
    spectrum = np.fft.rfft(centred, 2 * n)
    covariance = np.fft.irfft(spectrum * spectrum.conj(), 2 * n)[:n] / n
    result: NDArray[np.float64] = covariance / covariance[0]
    return result


def effective_sample_size(values: ArrayLike) -> float:
    """Return how many independent draws would give the mean of a correlated series as precisely.

    Geyer's (1992) initial monotone sequence: sums of two neighbouring autocorrelations are positive and fall in a reversible
    chain, so the sum of all is cut off where they no longer are. A series that never changes counts as one draw.

    Parameters
    ----------
    values : float array of shape (num_draws,)
        Some function of a chain's states, such as the log posterior, or whether a clade is there.
    """
    series = np.asarray(values, np.float64)
    if series.ndim != 1 or series.size == 0:
        raise ValueError(f"values must be a series of numbers, one for each draw; its shape is {series.shape}")
    if series.min() == series.max():
        return 1.0
    correlation = autocorrelation(series)
    pairs = correlation[: series.size // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0)
    pairs = np.minimum.accumulate(pairs[: negative[0]] if negative.size else pairs)
    return float(series.size / max(2 * pairs.sum() - 1, 1 / series.size))
