"""What comes out of a source: items, what is shown of them, and features."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.importing.recipe import Recipe

Value = str | float | int | bool | None


class Column(NamedTuple):
    """What became of a column of the source."""

    name: str  # as in the source
    role: str  # "id", "text", "image", "number", "binary", "category", "embedding" or "aside"
    how: str  # a phrase


class Image(NamedTuple):
    """A small picture of an item, as the bytes of a PNG or JPEG file."""

    data: bytes  # of the file
    media_type: str  # "image/png" or "image/jpeg"


class Imported(NamedTuple):
    """Items and their features, and how they were found."""

    items: tuple[str, ...]  # distinct, not empty
    texts: tuple[str | None, ...]  # what is shown beside the name, at most 2,000 characters
    images: tuple[Image | None, ...]  # None for an item without one
    more: tuple[dict[str, Value], ...]  # the other columns of each row, with the values that they have in the source
    X: NDArray[np.float64]  # shape (items, features), with one unit for all columns
    feature_names: tuple[str, ...]  # one for each column of X
    columns: tuple[Column, ...]  # what became of the columns of the source
    notes: tuple[str, ...]  # sentences about what was guessed, filled in, left out
    recipe: Recipe  # treats new items as these were treated
    source: str  # "animals.csv: 101 rows, 18 columns"
