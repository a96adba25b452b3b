"""The dialects by name: what each means, and how a file, an array or a data frame of it is read."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import COLUMNS, Items, as_array, column_names, stacked
from treetalk.dialects.backbone import from_newick, read_newick
from treetalk.dialects.cblearn import MOST_CENTRAL, from_cblearn, read_cblearn
from treetalk.dialects.links import read_links
from treetalk.dialects.metric_learn import from_metric_learn, read_metric_learn
from treetalk.dialects.said import Circumstances, Said, as_names, item_numbers, said_rows
from treetalk.dialects.salmon import from_salmon
from treetalk.dialects.tables import (
    ARRAY_ENDINGS,
    Sheet,
    is_file,
    read_named_columns,
    sheet_of_frame,
    who_and_comment,
)
from treetalk.errors import FormatError
from treetalk.importing.options import in_words, nearest
from treetalk.importing.triplet_file import is_in_force, read_triplet_file, retracted_ids

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

OURS, ANCHORED = COLUMNS, ("anchor", "positive", "negative")

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
OF_ARRAYS = ("cblearn", "cblearn-boolean", "cblearn-count", "cblearn-odd-one-out", "metric-learn")
REFUSED = {"cblearn-most-central": MOST_CENTRAL}


def read_triplets(
    source: Any, dialect: str, *, items: Iterable[object] | None = None, num_leaves: int | None = None, **options: Any
) -> Said:
    """Return the triplets of a file or an array in a dialect, which is named, never guessed.

    Parameters
    ----------
    source : path, array or data frame
        A file; or what the function for the dialect takes, such as `from_cblearn`; or a data frame with the columns that
        a file has, in any order. A string is always a path.
    dialect : str
        One of `DIALECTS`.
    items : sequence of str, optional
        The names of the items, in the order in which they are numbered.
    num_leaves : int, optional
        The number of items, where they have no names.
    **options
        For files, `encoding`, and `by`: whether cells hold the numbers of items, counted from 0, or their names. By default
        they hold numbers for cblearn, metric-learn and salmon, and where the items have no names. For arrays, those of the
        function for the dialect.

    Raises
    ------
    FormatError
        If a row of a file cannot be read: all is read, or nothing.
    """
    name = as_dialect(dialect)
    names, count = as_names(items, num_leaves)
    if is_file(source):
        _check_ending(Path(source), name)
        read = _FILES[name]
    elif name == "links" and column_names(source) is None:
        raise TypeError(
            f"dialect {name!r} is that of a file, so its path must be given, not {type(source).__name__}; a data frame "
            "with the same columns will do too, and pairs are for from_links"
        )
    else:
        read = _ARRAYS[name]
    known = [key for key in _options_of(read) if key not in {"items", "num_leaves"}]
    for option in options:
        if option not in known:
            takes = f"takes {', '.join(known)}" if known else "takes no options"
            raise TypeError(f"dialect {name!r} {takes} here, not {option!r}")
    if "num_leaves" in _options_of(read):
        options["num_leaves"] = count
    return read(source, items=names, **options)


def as_dialect(name: object) -> str:
    """Return the name of a dialect; an error says which there are."""
    if name in REFUSED:
        raise ValueError(f"dialect {name!r} cannot be taken in: {REFUSED[str(name)]}")
    if name not in DIALECTS:
        raise ValueError(f"{nearest(str(name), DIALECTS, 'dialect')}")
    return str(name)


def _check_ending(path: Path, name: str) -> None:
    """Refuse a file of an array where the dialect has files of text; as text it would only be called unreadable."""
    ending = path.suffix.lower()
    if ending in ARRAY_ENDINGS and name not in OF_ARRAYS:
        path.stat()  # one that is not there is to be called so
        raise FormatError(
            f"a {ending} file has no names of columns, so its dialect must be said, with --dialect on the command line: "
            f"{in_words(OF_ARRAYS)}; files of the dialect {name!r} are text",
            source=path.name,
        )


def _options_of(read: Callable[..., Said]) -> list[str]:
    of_read = inspect.signature(read).parameters.values()
    fixed = read.keywords if isinstance(read, partial) else {}
    return [each.name for each in list(of_read)[1:] if each.name not in fixed]


def _by(by: str | None, items: Items | None) -> str:
    """Return what cells hold: as said, or else names where the items have names, as `write_triplets` has it."""
    return by if by is not None else "number" if items is None else "name"


def _read_ours(
    path: str | os.PathLike[str],
    *,
    items: Items | None = None,
    num_leaves: int | None = None,
    by: str | None = None,
    encoding: str | None = None,
) -> Said:
    by = _by(by, items)
    if by == "name" and items is not None:
        read = read_triplet_file(path, items, encoding=encoding)
        known = [Circumstances(each.line, each.who, None, each.comment) for each in read]
        return Said([each.triplet for each in read], known, items=items)
    meaning = "the first line must be a,b,c, where c is the odd one"
    return read_named_columns(
        path, OURS, meaning, items=items, num_leaves=num_leaves, by=by, encoding=encoding, about=who_and_comment
    )


def _read_anchored(
    path: str | os.PathLike[str],
    *,
    items: Items | None = None,
    num_leaves: int | None = None,
    by: str | None = None,
    encoding: str | None = None,
) -> Said:
    by = _by(by, items)
    meaning = "there must be the columns anchor, positive and negative"
    return read_named_columns(
        path,
        ANCHORED,
        meaning,
        items=items,
        num_leaves=num_leaves,
        by=_by(by, items),
        encoding=encoding,
        about=who_and_comment,
    )


def from_triplets(triplets: ArrayLike, *, items: Iterable[object] | None = None, num_leaves: int | None = None) -> Said:
    """Return triplets in our own order, (a, b, c) with the odd one last, of item numbers or names.

    A data frame has what a file has: columns a, b and c in any order; who and comment may be there, and id, kind and
    retracts, as in what ``treetalk answers --export OUT --all`` writes. Others are not looked at.
    """
    return _of_triplets(triplets, columns=OURS, items=items, num_leaves=num_leaves)


def _of_triplets(
    triplets: Any, *, columns: Sequence[str], items: Iterable[object] | None = None, num_leaves: int | None = None
) -> Said:
    names, count = as_names(items, num_leaves)
    if column_names(triplets) is not None:
        return _of_frame(triplets, columns, names, count)
    array = as_array(triplets if hasattr(triplets, "__array__") else list(triplets), "triplets")
    if array.size == 0:
        return Said([], items=names)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"triplets must have the shape (m, 3), the odd one last; their shape is {array.shape}")
    return said_rows(item_numbers(array, names, count, "triplet"), np.arange(len(array)), "triplet", items=names)


def _of_frame(frame: Any, columns: Sequence[str], items: Items | None, num_leaves: int | None) -> Said:
    """Return the triplets of a data frame whose columns have names, given in the order a, b, c."""
    sheet = sheet_of_frame(frame, columns, f"there must be the columns {columns[0]}, {columns[1]} and {columns[2]}")
    rows = np.arange(len(sheet.rows))
    if columns == OURS:
        rows = rows[_in_force(sheet)]
    numbers = item_numbers(stacked(frame, columns)[rows], items, num_leaves, "triplet", rows)
    known = [who_and_comment(sheet, sheet.rows[row][1])._replace(line=row) for row in rows.tolist()]
    return Said(said_rows(numbers, rows, "triplet", items=items).triplets, known, items=items)


def _in_force(sheet: Sheet) -> list[bool]:
    said = [{name: sheet.cell(row, name) for name in sheet.columns} for _, row in sheet.rows]
    retracted, in_force = retracted_ids(said), []
    for row, cells in enumerate(said):
        try:
            in_force.append(is_in_force(cells, retracted, "id" in sheet.columns))
        except ValueError as error:
            raise ValueError(f"triplet {row}: {error}") from None
    return in_force


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
    "anchor-positive-negative": partial(_of_triplets, columns=ANCHORED),
    "cblearn": from_cblearn,
    "cblearn-boolean": partial(from_cblearn, form="list-boolean"),
    "cblearn-count": partial(from_cblearn, form="list-count"),
    "cblearn-odd-one-out": partial(from_cblearn, form="odd-one-out"),
    "salmon": from_salmon,
    "metric-learn": from_metric_learn,
    "links": read_links,
    "newick": from_newick,
}
