"""Divergence functions: how fast paths part as time goes from 0 to 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@runtime_checkable
class Divergence(Protocol):
    """A divergence function a(t) with its integral A(t), the hazard; A(1) is infinite.

    Both are given as functions of the age 1 - t, which keeps times close to 1 apart.
    """

    def rate(self, age: ArrayLike) -> NDArray[np.float64]:
        """Return a."""

    def hazard(self, age: ArrayLike) -> NDArray[np.float64]:
        """Return A."""

    def age(self, hazard: ArrayLike) -> NDArray[np.float64]:
        """Return the age at which A has a value."""

    @property
    def code(self) -> tuple[int, float, float]:
        """The kind and the two numbers by which kernels know it; see `treetalk._kernels.hazard`."""


@dataclass(frozen=True)
class Reciprocal:
    """a(t) = c / (1 - t): the usual one. Large c makes paths part early, small c late."""

    concentration: float = 1.0  # c

    def __post_init__(self) -> None:
        check_positive(self.concentration, "concentration")

    def rate(self, age: ArrayLike) -> NDArray[np.float64]:
        """Return a."""
        return self.concentration / np.asarray(age, np.float64)

    def hazard(self, age: ArrayLike) -> NDArray[np.float64]:
        """Return A."""
        return -self.concentration * np.log(np.asarray(age, np.float64))

    def age(self, hazard: ArrayLike) -> NDArray[np.float64]:
        """Return the age at which A has a value."""
        result: NDArray[np.float64] = np.exp(-np.asarray(hazard, np.float64) / self.concentration)
        return result

    @property
    def code(self) -> tuple[int, float, float]:
        """The kind and the numbers by which kernels know it."""
        return 0, float(self.concentration), 0.0


@dataclass(frozen=True)
class ReciprocalSquare:
    """a(t) = b + d / (1 - t)^2: smoother densities, as Neal (2003) uses them; d decides how early paths part."""

    base: float = 0.0  # b
    factor: float = 0.1  # d

    def __post_init__(self) -> None:
        check_positive(self.factor, "factor")
        if not (isinstance(self.base, int | float | np.number) and 0 <= self.base < math.inf):
            raise ValueError(f"base must be a number, 0 or more, not {self.base!r}")

    def rate(self, age: ArrayLike) -> NDArray[np.float64]:
        """Return a."""
        return self.base + self.factor / np.square(np.asarray(age, np.float64))

    def hazard(self, age: ArrayLike) -> NDArray[np.float64]:
        """Return A."""
        u = np.asarray(age, np.float64)
        return self.base * (1 - u) + self.factor * (1 / u - 1)

    def age(self, hazard: ArrayLike) -> NDArray[np.float64]:
        """Return the age at which A has a value."""
        k = np.asarray(hazard, np.float64) + self.factor - self.base
        root = np.sqrt(k * k + 4 * self.base * self.factor)
        # Each form has no cancellation on its side of k = 0.
        with np.errstate(divide="ignore", invalid="ignore"):
            result: NDArray[np.float64] = np.where(k > 0, 2 * self.factor / (k + root), (root - k) / (2 * self.base))
        return result

    @property
    def code(self) -> tuple[int, float, float]:
        """The kind and the numbers by which kernels know it."""
        return 1, float(self.base), float(self.factor)


def check_positive(value: object, what: str) -> None:
    """Raise an error if a value is not a positive number."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{what} must be a number, not {value!r}")
    if not 0 < value < math.inf:
        raise ValueError(f"{what} must be positive and finite, not {value}")
