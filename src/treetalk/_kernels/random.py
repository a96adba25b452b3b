"""Random numbers: xoshiro256++ of Blackman and Vigna (2019), on a state of four uint64 words that a chain owns.

Sums wrap around. As plain Python, NumPy would warn about that: callers say ``np.errstate(over="ignore")``.
"""

import math
from typing import Any

import numpy as np

from treetalk._kernels._jit import part

# uint64 with an int64 is a float to numba, so every constant has the type of the state.
_11, _17, _19, _23, _41, _45 = (np.uint64(k) for k in (11, 17, 19, 23, 41, 45))
_TO_UNIT = 2.0**-53


@part
def uniform(rng: Any) -> float:
    """Return a number in [0, 1)."""
    s0, s1, s2, s3 = rng[0], rng[1], rng[2], rng[3]
    total = s0 + s3
    result = ((total << _23) | (total >> _41)) + s0
    shifted = s1 << _17
    s2 ^= s0
    s3 ^= s1
    rng[1] = s1 ^ s2
    rng[0] = s0 ^ s3
    rng[2] = s2 ^ shifted
    rng[3] = (s3 << _45) | (s3 >> _19)
    return np.float64(result >> _11) * _TO_UNIT


@part
def exponential(rng: Any) -> float:
    """Return a draw from the exponential distribution with mean 1."""
    return -math.log(1.0 - uniform(rng))


@part
def below(rng: Any, n: int) -> int:
    """Return one of the numbers 0 to n - 1."""
    return int(uniform(rng) * n)


@part
def normal(rng: Any) -> float:
    """Return a draw from the standard normal distribution (Box and Muller)."""
    return math.sqrt(2.0 * exponential(rng)) * math.cos(2.0 * math.pi * uniform(rng))
