"""What can go wrong, beyond arguments of the wrong type or value (those stay TypeError and ValueError).

::

    TreetalkError
    ├── DataNotFound           data that are not where they should be
    ├── FormatError            text that is not what it should be; also a ValueError
    ├── InconsistentTriplets   triplets that no tree satisfies together; also a ValueError
    ├── MissingPackage         a package that is not installed; also an ImportError
    └── ProjectError           a project file that cannot be read or written
        └── ProjectHeld        another process works on it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import format_triplet

if TYPE_CHECKING:
    from numpy.typing import NDArray


class TreetalkError(Exception):
    """The base of all errors that are treetalk's own."""


class DataNotFound(TreetalkError):
    """Data that are not where they should be: in a folder, or on the network; or that are there, but are others."""


class MissingPackage(TreetalkError, ImportError):
    """A package that is needed and not installed."""


class ProjectError(TreetalkError):
    """A project file that cannot be made, read or written. What was recorded before is safe."""


class ProjectHeld(ProjectError):
    """A project that another process works on; it can be opened for reading."""


class FormatError(TreetalkError, ValueError):
    """Text in a known format with a fault in it.

    Attributes
    ----------
    line, column : int or None
        Where the fault stands, counted from 1; columns count characters.
    source : str or None
        The file, where there is one.
    """

    def __init__(
        self, problem: str, *, line: int | None = None, column: int | None = None, source: str | None = None
    ) -> None:
        self.problem, self.line, self.column, self.source = problem, line, column, source
        place = [source] if source else []
        if line is not None:
            place.append(f"line {line}")
        if column is not None:
            place.append(f"column {column}")
        super().__init__(f"{', '.join(place)}: {problem}" if place else problem)


class InconsistentTriplets(TreetalkError, ValueError):
    """Triplets that no tree satisfies together.

    Attributes
    ----------
    conflict : int array of shape (k, 3)
        A minimal set of triplets that contradict each other: without any one of them, the others are consistent.
    rows : int array of shape (k,)
        Which of the given triplets these are; -1 for one that was in force before.
    """

    NUM_SHOWN = 10

    def __init__(
        self, conflict: NDArray[np.integer[Any]], rows: NDArray[np.integer[Any]], items: Sequence[str] | None = None
    ) -> None:
        self.conflict, self.rows, self.items = conflict, rows, items
        shown = [
            f"{format_triplet(triplet, items)} ({'in force' if row < 0 else f'row {row}'})"
            for triplet, row in zip(conflict, rows, strict=True)
        ]
        if len(shown) > self.NUM_SHOWN:
            shown[self.NUM_SHOWN :] = [f"and {len(shown) - self.NUM_SHOWN} more"]
        super().__init__(
            f"no tree satisfies these {len(conflict)} triplets together, though it would without any one of them: "
            + "; ".join(shown)
        )

    def __reduce__(self) -> tuple[type[InconsistentTriplets], tuple[Any, ...]]:
        return type(self), (self.conflict, self.rows, self.items)
