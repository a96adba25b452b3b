"""Must-links and cannot-links with levels.

In a hierarchy everything is together at the root, so that two items *must* or *cannot* be together means something only at a
level: there the items are divided into groups, and a finer level divides the groups of a coarser one. Levels are whole
numbers, the coarsest the smallest. Then:

- must-linked items are in one group at their level, and so at every coarser one; must-links are transitive;
- cannot-linked items are in different groups at their level, and so at every finer one;
- a group whose items are held together by must-links, and an item that cannot be in it at the same level, make triplets:
  any two of the group belong together, apart from that item, and from all that are must-linked with it there.

Some pairs imply nothing: must-links alone (the items may be together at the root only), cannot-links alone (all items are
apart at the leaves anyway), and a must-link at a coarser level than the cannot-link. Contradictions are refused, with the
chain of must-links that holds two items together that cannot be.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treetalk.arguments import Items, as_array, format_item, stacked
from treetalk.dialects.said import Circumstances, Finder, Said, as_names, item_numbers
from treetalk.dialects.tables import is_file, read_sheet, sheet_of_frame
from treetalk.errors import FormatError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

COLUMNS = ("a", "b", "kind")
MEANING = "links have the columns a, b and kind (must-link or cannot-link), and level where there is more than one"


class Link(NamedTuple):
    """A pair of items that must, or cannot, be in one group at a level."""

    one: int
    other: int
    is_must: bool
    level: int
    place: int  # its line or row


def from_links(
    must_link: ArrayLike = (),
    cannot_link: ArrayLike = (),
    *,
    must_levels: int | Sequence[int] = 1,
    cannot_levels: int | Sequence[int] = 1,
    items: Iterable[object] | None = None,
    num_leaves: int | None = None,
) -> Said:
    """Return the triplets that must-links and cannot-links imply.

    Parameters
    ----------
    must_link, cannot_link : arrays of shape (m, 2)
        Pairs of item numbers, or of names where `items` is given.
    must_levels, cannot_levels : int, or one for each pair
        At which level of the hierarchy the pairs are linked; 1 is coarser than 2. By default all are at one level.
    items : sequence of str, optional
        The names of the items.
    num_leaves : int, optional
        The number of items, where they have no names.
    """
    names, count = as_names(items, num_leaves)
    links: list[Link] = []
    for pairs, levels, is_must in ((must_link, must_levels, True), (cannot_link, cannot_levels, False)):
        what = "must-link" if is_must else "cannot-link"
        array = as_array(pairs if hasattr(pairs, "__array__") else list(pairs), f"{what}s")  # type: ignore[arg-type]
        if array.size == 0:
            continue
        if array.ndim != 2 or array.shape[1] != 2:
            raise ValueError(f"{what}s must have the shape (m, 2); their shape is {array.shape}")
        numbers = item_numbers(array, names, count, what)
        of_each = np.broadcast_to(_as_levels(levels, len(numbers), what), len(numbers)).tolist()
        for row, ((one, other), level) in enumerate(zip(numbers.tolist(), of_each, strict=True)):
            if one == other:
                raise ValueError(f"{what} {row} links {format_item(one, names)} with itself")
            links.append(Link(one, other, is_must, level, row))
    try:
        return _implied(links, names, "row")
    except FormatError as error:
        raise ValueError(error.problem) from None


def read_links(
    source: Any,
    *,
    by: str | None = None,
    items: Iterable[object] | None = None,
    num_leaves: int | None = None,
    encoding: str | None = None,
) -> Said:
    """Return the triplets that the links of a CSV or TSV file imply: columns a, b, kind, and level if there are several.

    A data frame with these columns is read in the same way. Items are given by name, or in a data frame whose columns a and
    b hold numbers, by number, unless it is said with `by`.
    """
    names, count = as_names(items, num_leaves)
    if is_file(source):
        sheet = read_sheet(source, COLUMNS, MEANING, encoding)
    else:
        sheet = sheet_of_frame(source, COLUMNS, MEANING)
        if by is None and stacked(source, COLUMNS[:2]).dtype.kind in "iuf":
            by = "number"
    finder = Finder(names, count, by or "name", sheet.name or None)
    links = []
    for line, row in sheet.rows:
        try:
            one, other = (finder.item(sheet.cell(row, column), column) for column in ("a", "b"))
            if one == other:
                raise ValueError(f"{format_item(one, names)} is linked with itself")
            level = _as_level(sheet.cell(row, "level")) if "level" in sheet.columns else 1
            links.append(Link(one, other, _is_must(sheet.cell(row, "kind")), level, line))
        except ValueError as error:
            finder.note(line, error)
    finder.check()
    return _implied(links, names, "line", sheet.name) if sheet.name else _implied(links, names, "row")


def _as_levels(levels: Any, count: int, what: str) -> Any:
    array = np.asarray(levels)
    if array.dtype.kind not in "iu" or array.shape not in {(), (count,)}:
        raise ValueError(f"the levels of the {what}s must be a whole number, or one for each of the {count} pairs")
    return array


def _as_level(cell: str) -> int:
    try:
        return int(cell.removesuffix(".0"))
    except ValueError:
        raise ValueError(f"level is {cell!r}; it must be a whole number, and the coarsest is the smallest") from None


def _is_must(cell: str) -> bool:
    kind = cell.lower().replace("_", "-").replace(" ", "-")
    if kind not in {"must-link", "cannot-link"}:
        raise ValueError(f"kind is {cell!r}; it must be must-link or cannot-link")
    return kind == "must-link"


def _implied(links: list[Link], items: Items | None, place: str, source: str | None = None) -> Said:
    triplets: dict[tuple[int, int, int], Circumstances] = {}
    speaking: set[Link] = set()
    for level in sorted({link.level for link in links if not link.is_must}):
        holding = [link for link in links if link.is_must and link.level >= level]
        groups = _groups(holding)
        seen = set()
        held: set[int] = set()  # the groups of which something is said, each by its first item
        for link in (link for link in links if not link.is_must and link.level == level):
            left, right = (groups.get(item, (item,)) for item in (link.one, link.other))
            if left is right:
                raise FormatError(_contradiction(link, holding, items, place), source=source)
            if len(left) + len(right) > 2:
                speaking.add(link)
                held.update((left[0], right[0]))
            # What was said of two groups need not be said again.
            if frozenset((left[0], right[0])) in seen:
                continue
            seen.add(frozenset((left[0], right[0])))
            for group, odd in ((left, right[0]), (right, left[0])):
                for one, other in itertools.pairwise(group):
                    triplets.setdefault((one, other, odd), Circumstances(link.place))
        speaking.update(link for link in holding if groups[link.one][0] in held)
    num_silent = sum(link not in speaking for link in links)
    note = _why_silent(links) if links and not triplets else None
    return Said(triplets, triplets.values(), items=items, num_left_out=num_silent, note=note)


def _why_silent(links: list[Link]) -> str:
    if all(link.is_must for link in links):
        return (
            "must-links need a cannot-link to say anything, for without one the items may be together at the root only"
        )
    if not any(link.is_must for link in links):
        return "cannot-links need a must-link to say anything, for all items are apart at the leaves anyway"
    return (
        "a must-link and a cannot-link say something together only if they share an item, and the must-link is at the "
        "same level or a finer one; no two here do"
    )


def _groups(links: list[Link]) -> dict[int, tuple[int, ...]]:
    """Return the group of each item that is must-linked, as one tuple that all its items share."""
    neighbours = _neighbours(links)
    groups: dict[int, tuple[int, ...]] = {}
    for start in sorted(neighbours):
        if start in groups:
            continue
        reached, waiting = {start}, [start]
        while waiting:
            for item in neighbours[waiting.pop()]:
                if item not in reached:
                    reached.add(item)
                    waiting.append(item)
        group = tuple(sorted(reached))
        groups |= dict.fromkeys(group, group)
    return groups


def _neighbours(links: list[Link]) -> dict[int, dict[int, Link]]:
    neighbours: dict[int, dict[int, Link]] = {}
    for link in links:
        neighbours.setdefault(link.one, {}).setdefault(link.other, link)
        neighbours.setdefault(link.other, {}).setdefault(link.one, link)
    return neighbours


def _contradiction(link: Link, holding: list[Link], items: Items | None, place: str) -> str:
    """Return a sentence with the shortest chain of must-links between two items that cannot be linked."""
    neighbours = _neighbours(holding)
    came_from: dict[int, Link] = {}
    waiting = deque([link.one])
    while waiting and link.other not in came_from:
        item = waiting.popleft()
        for other, step in neighbours[item].items():
            if other != link.one and other not in came_from:
                came_from[other] = step
                waiting.append(other)
    chain, item = [], link.other
    while item != link.one:
        step = came_from[item]
        before = step.one if step.other == item else step.other
        shown = f"{format_item(before, items)} and {format_item(item, items)}"
        chain.append(f"{shown} (must-link, {place} {step.place}, level {step.level})")
        item = before
    apart = f"{format_item(link.one, items)} and {format_item(link.other, items)}"
    held = "; ".join(reversed(chain))
    return (
        f"cannot-link, {place} {link.place}, level {link.level}: {apart} cannot be in one group, "
        f"but these hold them together: {held}"
    )
