"""The dialects by name: what each means, and how a file of it is read and written."""

from __future__ import annotations

import csv
import inspect
import io
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import Items, as_triplets
from treetalk.dialects.backbone import from_newick, read_newick, to_newick
from treetalk.dialects.cblearn import MOST_CENTRAL, from_cblearn, read_cblearn, to_cblearn
from treetalk.dialects.links import read_links
from treetalk.dialects.metric_learn import from_metric_learn, read_metric_learn, to_metric_learn
from treetalk.dialects.said import Circumstances, Said, as_names, item_numbers, said_rows
from treetalk.dialects.salmon import from_salmon, to_salmon
from treetalk.dialects.tables import is_file, read_named_columns, who_and_comment
from treetalk.importing.options import nearest
from treetalk.importing.triplet_file import read_triplet_file

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

OURS, ANCHORED = ("a", "b", "c"), ("anchor", "positive", "negative")

DIALECTS: dict[str, str] = {
    "treetalk": "columns a, b, c: a and b belong together, apart from c; who and comment may follow",
    "anchor-positive-negative": "columns of these names: anchor and positive belong together, apart from negative",
    "cblearn": "rows i, j, k without a header: i is nearer to j than to k, so i and j belong together, apart from k",
    "cblearn-boolean": "the same with a fourth column, the response: True, or False if i is nearer to k",
    "cblearn-count": "the same with a fourth column: above 0, below 0 if i is nearer to k, 0 if undecided",
    "cblearn-odd-one-out": "rows without a header: the first item is the odd one, the others belong together",
    "salmon": "columns head, winner, loser: head and winner belong together, apart from loser; also puid, response_time",
    "metric-learn": "rows anchor, positive, negative, or quadruplets whose pairs share an item, without a header",
    "links": "columns a, b, kind (must-link or cannot-link) and level, of which the coarsest is the smallest",
    "newick": "a tree over some of the items: all that it says about which belong together",
}
REFUSED = {"cblearn-most-central": MOST_CENTRAL}


def read_triplets(
    source: Any, dialect: str, *, items: Iterable[object] | None = None, num_leaves: int | None = None, **options: Any
) -> Said:
    """Return the triplets of a file or an array in a dialect, which is named, never guessed.

    Parameters
    ----------
    source : path or array
        A file; or what the function for the dialect takes, such as `from_cblearn`. A string is always a path.
    dialect : str
        One of `DIALECTS`.
    items : sequence of str, optional
        The names of the items, in the order in which they are numbered.
    num_leaves : int, optional
        The number of items, where they have no names.
    **options
        For files, `encoding`, and `by`: whether cells hold the numbers of items, counted from 0, or their names ("number"
        by default for cblearn, metric-learn and salmon, else "name"). For arrays, those of the function for the dialect.

    Raises
    ------
    FormatError
        If a row of a file cannot be read: all is read, or nothing.
    """
    name = as_dialect(dialect)
    names, count = as_names(items, num_leaves)
    if is_file(source):
        read = _FILES[name]
    elif name in _ARRAYS:
        read = _ARRAYS[name]
    else:
        raise TypeError(f"dialect {name!r} is that of a file, so its path must be given, not {type(source).__name__}")
    known = [key for key in _options_of(read) if key not in {"items", "num_leaves"}]
    for option in options:
        if option not in known:
            takes = f"takes {', '.join(known)}" if known else "takes no options"
            raise TypeError(f"dialect {name!r} {takes} here, not {option!r}")
    if "num_leaves" in _options_of(read):
        options["num_leaves"] = count
    return read(source, items=names, **options)


def write_triplets(
    path: str | os.PathLike[str],
    triplets: ArrayLike,
    dialect: str,
    *,
    items: Iterable[object] | None = None,
    num_leaves: int | None = None,
) -> None:
    """Write triplets to a file that `read_triplets` reads in the same dialect.

    Items are written as the dialect has them by default: as names where these are given and the dialect has names, else as
    numbers. Links cannot be written, for a triplet says nothing about levels.
    """
    name = as_dialect(dialect)
    names, count = as_names(items if items is not None else getattr(triplets, "items", None), num_leaves)
    array = np.asarray(triplets)
    most = count or (int(array.max()) + 1 if array.size and array.dtype.kind in "iu" else 1)
    numbers = as_triplets(triplets, most, names)
    said = triplets if isinstance(triplets, Said) else Said(numbers, items=names)
    if name == "links":
        raise ValueError("triplets cannot be written as links, for a triplet says nothing about levels")
    if name == "salmon":
        text = to_salmon(said, items=names, num_leaves=most)
    elif name == "newick":
        text = to_newick(said, items=names, num_leaves=most) + "\n"
    else:
        text = _as_csv(_rows(name, said, numbers, names))
    Path(path).write_text(text, encoding="utf-8", newline="")


def as_dialect(name: object) -> str:
    """Return the name of a dialect; an error says which there are."""
    if name in REFUSED:
        raise ValueError(f"dialect {name!r} cannot be taken in: {REFUSED[str(name)]}")
    if name not in DIALECTS:
        raise ValueError(f"{nearest(str(name), DIALECTS, 'dialect')}")
    return str(name)


def _rows(name: str, said: Said, numbers: Any, names: Items | None) -> list[Sequence[object]]:
    if name in {"treetalk", "anchor-positive-negative"}:
        header = OURS if name == "treetalk" else ANCHORED
        called = [[item if names is None else names[item] for item in row] for row in numbers.tolist()]
        about = [(each.who or "", each.comment or "") for each in said.known]
        return [(*header, "who", "comment"), *((*row, *of) for row, of in zip(called, about, strict=True))]
    if name == "metric-learn":
        return list(np.asarray(to_metric_learn(numbers)).tolist())
    form = {"cblearn": "list-order", "cblearn-odd-one-out": "odd-one-out"}.get(name, name.replace("cblearn", "list"))
    made = to_cblearn(numbers, form=form)
    if isinstance(made, tuple):
        return [(*query, response) for query, response in zip(made[0].tolist(), made[1].tolist(), strict=True)]
    return list(made.tolist())


def _as_csv(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _options_of(read: Callable[..., Said]) -> list[str]:
    of_read = inspect.signature(read).parameters.values()
    fixed = read.keywords if isinstance(read, partial) else {}
    return [each.name for each in list(of_read)[1:] if each.name not in fixed]


def _read_ours(
    path: str | os.PathLike[str],
    *,
    items: Items | None = None,
    num_leaves: int | None = None,
    by: str = "name",
    encoding: str | None = None,
) -> Said:
    if by == "name" and items is not None:
        read = read_triplet_file(path, items, encoding=encoding)
        known = [Circumstances(each.line, each.who, None, each.comment) for each in read]
        return Said([each.triplet for each in read], known, items=items)
    meaning = "the first line must be a,b,c, where c is the odd one"
    options = {"items": items, "num_leaves": num_leaves, "by": by, "encoding": encoding, "about": who_and_comment}
    return read_named_columns(path, OURS, meaning, **options)  # type: ignore[arg-type]


def _read_anchored(
    path: str | os.PathLike[str],
    *,
    items: Items | None = None,
    num_leaves: int | None = None,
    by: str = "name",
    encoding: str | None = None,
) -> Said:
    meaning = "there must be the columns anchor, positive and negative"
    options = {"items": items, "num_leaves": num_leaves, "by": by, "encoding": encoding, "about": who_and_comment}
    return read_named_columns(path, ANCHORED, meaning, **options)  # type: ignore[arg-type]


def from_triplets(triplets: ArrayLike, *, items: Iterable[object] | None = None, num_leaves: int | None = None) -> Said:
    """Return triplets in our own order, (a, b, c) with the odd one last, of item numbers or names."""
    names, count = as_names(items, num_leaves)
    array = np.asarray(triplets if hasattr(triplets, "__array__") else list(triplets), dtype=None)  # type: ignore[arg-type]
    if array.size == 0:
        return Said([], items=names)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"triplets must have the shape (m, 3), the odd one last; their shape is {array.shape}")
    numbers = item_numbers(array.astype(object) if array.dtype.kind in "US" else array, names, count, "triplet")
    return said_rows(numbers, np.arange(len(numbers)), "triplet", items=names)


_FILES: dict[str, Callable[..., Said]] = {
    "treetalk": _read_ours,
    "anchor-positive-negative": _read_anchored,
    "cblearn": partial(read_cblearn, form="list-order"),
    "cblearn-boolean": partial(read_cblearn, form="list-boolean"),
    "cblearn-count": partial(read_cblearn, form="list-count"),
    "cblearn-odd-one-out": partial(read_cblearn, form="odd-one-out"),
    "salmon": from_salmon,
    "metric-learn": read_metric_learn,
    "links": read_links,
    "newick": read_newick,
}
_ARRAYS: dict[str, Callable[..., Said]] = {
    "treetalk": from_triplets,
    "anchor-positive-negative": from_triplets,
    "cblearn": from_cblearn,
    "cblearn-boolean": partial(from_cblearn, form="list-boolean"),
    "cblearn-count": partial(from_cblearn, form="list-count"),
    "cblearn-odd-one-out": partial(from_cblearn, form="odd-one-out"),
    "salmon": from_salmon,
    "metric-learn": from_metric_learn,
    "newick": from_newick,
}
