"""What a person may say about a source; whatever is not said is guessed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from treetalk.arguments import as_count, as_seed

SCALINGS = ("auto", "each", "together")
WAYS_WITH_MISSING = ("fill", "drop", "refuse")


@dataclass(frozen=True)
class Options:
    """What a person may say about a source; None or empty means that it is guessed.

    Parameters
    ----------
    id : str, optional
        The column that names the items.
    text : sequence of str, optional
        Columns to be read as text; an empty one for none.
    image : str, optional
        The column with paths of images, relative to the table's folder.
    features : sequence of str, optional
        Use exactly these columns, beside the text, image and embeddings that are given.
    categorical : sequence of str
        Columns of categories, though they may look like numbers.
    leave_out : sequence of str
        Columns that are never features; they are kept for display.
    label : str, optional
        The column that is shown beside the ids; by default a title, or the text that is read.
    embeddings : path, optional
        A .npy or .npz file with rows in the order of the source, or a CSV or Parquet file with an id column. These are
        the features then; columns of the source are features beside them only if `features` names them.
    dimensions : int
        At most so many components of a text, of images, of embeddings.
    scaling : {"auto", "each", "together"}
        Whether each column of numbers has its own unit, or all have one, as embeddings do. A column with its own unit
        has a variance of 1, the features of a column of categories have one of 1 in all, and columns with one unit have
        one of 1 on average.
    missing : {"fill", "drop", "refuse"}
        Fill missing numbers in with the median, and take an empty cell for none of the categories; leave these rows out;
        or refuse them.
    skip_bad_rows : bool
        Leave rows out that cannot be read, instead of refusing the source.
    encoding : str, optional
        That of a CSV file or of texts; UTF-8, or what the byte order mark says, by default.
    sheet : str, optional
        The sheet of an Excel file; the first one by default.
    layer, obsm : str, optional
        Which matrix of an AnnData file holds the features; X by default.
    seed : int
        For the random numbers by which components of large data are found.
    """

    id: str | None = None
    text: tuple[str, ...] | None = None
    image: str | None = None
    features: tuple[str, ...] | None = None
    categorical: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    label: str | None = None
    embeddings: Path | None = None
    dimensions: int = 50
    scaling: str = "auto"
    missing: str = "fill"
    skip_bad_rows: bool = False
    encoding: str | None = None
    sheet: str | None = None
    layer: str | None = None
    obsm: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("text", "features", "categorical", "leave_out"):
            given = getattr(self, name)
            if isinstance(given, str):
                raise TypeError(f"{name} must be a sequence of column names, not the string {given!r}")
            if given is not None:
                object.__setattr__(self, name, tuple(given))
        if self.embeddings is not None:
            object.__setattr__(self, "embeddings", Path(self.embeddings))
        as_count(self.dimensions, "dimensions", least=1)
        as_seed(self.seed)
        if self.layer is not None and self.obsm is not None:
            raise ValueError(f"the features are a layer or an obsm, not both: {self.layer!r} and {self.obsm!r}")
        if self.scaling not in SCALINGS:
            raise ValueError(f"scaling must be {in_words(SCALINGS)}, not {self.scaling!r}")
        if self.missing not in WAYS_WITH_MISSING:
            raise ValueError(f"missing must be {in_words(WAYS_WITH_MISSING)}, not {self.missing!r}")
        for name in self.leave_out:
            for other in ("text", "features", "categorical"):
                if name in (getattr(self, other) or ()):
                    raise ValueError(f"column {name!r} is both among {other} and in leave_out; it cannot be both")
            if name == self.image:
                raise ValueError(f"column {name!r} is both the image column and in leave_out; it cannot be both")

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """The columns that are named, each with the option that names it."""
        several = [("text", self.text), ("features", self.features)]
        several += [("categorical", self.categorical), ("leave_out", self.leave_out)]
        single = [("id", self.id), ("image", self.image), ("label", self.label)]
        given = [(option, name) for option, name in single if name is not None]
        return (*given, *((option, name) for option, names in several for name in names or ()))

    def to_record(self) -> dict[str, Any]:
        """Return the options as a dict that JSON can hold."""
        record = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.embeddings is not None:
            record["embeddings"] = str(self.embeddings.absolute())
        return {name: list(value) if isinstance(value, tuple) else value for name, value in record.items()}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Options:
        """Return the options of a record."""
        return cls(**record)


def in_words(values: Iterable[object], last: str = "or") -> str:
    """Return values as an enumeration: 'a', 'b' or 'c'."""
    shown = [repr(value) for value in values]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def nearest(name: str, known: Iterable[str], what: str) -> str:
    """Return a sentence about a name that does not exist, with the nearest ones that do."""
    names = list(known)
    by_lower = {known_name.lower(): known_name for known_name in reversed(names)}
    near = [by_lower[found] for found in difflib.get_close_matches(name.lower(), by_lower, n=3)]
    if near:
        return f"there is no {what} {name!r}; did you mean {in_words(near)}?"
    shown = names[:10] + ([f"{len(names) - 10} more"] if len(names) > 10 else [])
    listed = ", ".join(map(repr, shown[:10])) + (f" and {shown[10]}" if len(shown) > 10 else "")
    return f"there is no {what} {name!r}; there are {listed}" if names else f"there is no {what} {name!r}"
