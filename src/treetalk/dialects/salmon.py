"""Responses as Salmon writes them (https://github.com/stsievert/salmon), downloaded from /responses as CSV.

Each row is a response: of *left* and *right*, the *winner* is more like the *head*, and the other one is the *loser*.
These are numbers of targets, counted from 0 in the order in which the experiment lists them; ``head_html`` and so on hold
the target itself, and ``head_filename`` the name of its picture, or again the target (`salmon/triplets/manager.py`,
`get_responses`). ``puid`` is who answered, ``response_time`` the seconds that it took, -1 where it is not known. A
question that was skipped leaves no row.

Head and winner belong together, apart from the loser.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from treetalk.arguments import Items
from treetalk.dialects.said import Circumstances, Finder, Said, as_names, as_numbered
from treetalk.dialects.tables import Sheet, is_file, read_sheet, sheet_of_frame

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

COLUMNS = ("head", "winner", "loser")
MEANING = "Salmon's responses have the columns head, winner and loser"
TARGETS = ("_filename", "_html")  # behind the name of a column: what the target is called


def from_salmon(
    responses: Any,
    *,
    by: str = "number",
    items: Iterable[object] | None = None,
    num_leaves: int | None = None,
    encoding: str | None = None,
) -> Said:
    """Return the triplets of Salmon's responses, with who answered, in how many seconds, and when.

    Parameters
    ----------
    responses : path or data frame
        The CSV file, or what pandas made of it.
    by : {"number", "name"}
        Whether the items stand in the order of Salmon's targets, so that their numbers count, or the targets' names are
        to be looked up: that of a picture with or without its ending.
    items : sequence of str, optional
        The names of the items.
    num_leaves : int, optional
        The number of items, where they have no names.
    encoding : str, optional
        That of the file; UTF-8 by default.
    """
    names, count = as_names(items, num_leaves)
    if is_file(responses):
        sheet = read_sheet(responses, COLUMNS, MEANING, encoding)
    else:
        sheet = sheet_of_frame(responses, COLUMNS, MEANING)
    finder = Finder(names, count, by, sheet.name or None)
    has_targets = any(column + ending in sheet.columns for column in COLUMNS for ending in TARGETS)
    triplets, known = [], []
    for line, row in sheet.rows:
        try:
            if by == "name":
                a, b, c = (_by_name(finder, sheet, row, column, has_targets) for column in COLUMNS)
            else:
                a, b, c = (_by_number(finder, sheet, row, column) for column in COLUMNS)
            finder.check_distinct((a, b, c))
            known.append(_circumstances(sheet, row)._replace(line=line))
            triplets.append((a, b, c))
        except ValueError as error:
            finder.note(line, error)
    finder.check()
    return Said(triplets, known, items=names)


def to_salmon(triplets: ArrayLike, *, items: Iterable[object] | None = None, num_leaves: int | None = None) -> str:
    """Return triplets as the text of a CSV file with Salmon's columns, as far as they are known.

    `Said` keeps who said it and in how many seconds; other triplets are an array of item numbers, or of names if there
    are `items`.
    """
    numbers, names, _ = as_numbered(triplets, items, num_leaves)
    known = triplets.known if isinstance(triplets, Said) else None
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    targets = [f"{column}_filename" for column in COLUMNS] if names is not None else []
    writer.writerow([*COLUMNS, "puid", "response_time", *targets])
    for row, triplet in enumerate(numbers.tolist()):
        about = known[row] if known is not None else Circumstances()
        called = [names[item] for item in triplet] if names is not None else []
        writer.writerow([*triplet, about.who or "", -1 if about.seconds is None else about.seconds, *called])
    return text.getvalue()


def _by_number(finder: Finder, sheet: Sheet, row: list[str], column: str) -> int:
    """Return the item of a number, after a look whether the target is called like another item."""
    number = finder.item(sheet.cell(row, column), column)
    names = finder.items
    if names is not None:
        for ending in TARGETS:
            target = sheet.cell(row, column + ending)
            other = _item_called(names, target)
            if other is not None and other != number:
                raise ValueError(
                    f"{column} is {number}, which is {names[number]!r} here, but the file calls it {target!r}: "
                    "the items stand in another order than Salmon's targets, so look them up by name"
                )
    return number


def _by_name(finder: Finder, sheet: Sheet, row: list[str], column: str, has_targets: bool) -> int:
    assert finder.items is not None, "whoever looks up names knows them"
    if not has_targets:
        return finder.item(sheet.cell(row, column), column)
    targets = [sheet.cell(row, column + ending) for ending in TARGETS]
    for target in targets:
        found = _item_called(finder.items, target)
        if found is not None:
            return found
    return finder.item(next(filter(None, targets), ""), column)


def _item_called(names: Items, target: str) -> int | None:
    """Return the item of this name, or of this file name without its folder, or without its ending too."""
    path = PurePosixPath(target)
    for name in (target, path.name, path.stem):
        if name and name in names.numbers:
            return names.numbers[name]
    return None


def _circumstances(sheet: Sheet, row: list[str]) -> Circumstances:
    when = sheet.cell(row, "datetime_received")
    return Circumstances(
        who=sheet.cell(row, "puid") or None,
        seconds=_seconds(sheet.cell(row, "response_time")),
        comment=f"received by Salmon {when}" if when else None,
    )


def _seconds(cell: str) -> float | None:
    if not cell:
        return None
    try:
        seconds = float(cell)
    except ValueError:
        raise ValueError(f"response_time is {cell!r}, and no number of seconds") from None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
