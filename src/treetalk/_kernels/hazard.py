"""Divergence functions a(t) and their integrals A(t), the hazard, as functions of the age u = 1 - t.

A divergence is a kind and two numbers, for kernels take no functions:

- RECIPROCAL: a = c / (1 - t), so A = -c log u;
- SQUARE: a = b + d / (1 - t)^2, so A = b (1 - u) + d (1 / u - 1).
"""

import math
from typing import Any, NamedTuple

from treetalk._kernels._jit import part

RECIPROCAL = 0
SQUARE = 1


class Divergence(NamedTuple):
    """A divergence function."""

    kind: int
    first: float  # c, or b
    second: float  # unused, or d


@part
def hazard_of_age(divergence: Any, age: float) -> float:
    """Return A at an age; it is infinite at age 0, where the leaves are."""
    if age <= 0.0:
        return math.inf
    if divergence.kind == RECIPROCAL:
        return -divergence.first * math.log(age)
    return divergence.first * (1.0 - age) + divergence.second * (1.0 / age - 1.0)


@part
def age_of_hazard(divergence: Any, hazard: float) -> float:
    """Return the age at which A has this value."""
    if divergence.kind == RECIPROCAL:
        return math.exp(-hazard / divergence.first)
    # d / u - b u = k, without the cancellation of the textbook's formula where k is large.
    b, d = divergence.first, divergence.second
    k = hazard + d - b
    root = math.sqrt(k * k + 4.0 * b * d)
    if k > 0.0:
        return 2.0 * d / (k + root)
    return (root - k) / (2.0 * b)


@part
def log_rate(divergence: Any, age: float) -> float:
    """Return log a at an age above 0."""
    if divergence.kind == RECIPROCAL:
        return math.log(divergence.first / age)
    return math.log(divergence.first + divergence.second / (age * age))
