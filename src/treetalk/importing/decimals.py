"""Decimal commas: which columns of a file have them, and where a dot stands between thousands.

People who write 1,5 for one and a half separate cells with semicolons or tabs, and write 1.234 for a thousand and more.
A single column often does not show which is meant, but the columns of a file are written alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set
from typing import Any, NamedTuple

from treetalk.importing.numerals import MISSING_AMONG_NUMBERS, MOSTLY, is_missing
from treetalk.importing.table import Table, Values

KINDS = re.compile(
    r"""\s*[+-]?(?:
    (?P<whole>\d+(?:e[+-]?\d+)?)
    |(?P<dot>[1-9]\d{0,2}\.\d{3})             # 1.234: a decimal point, or one between thousands
    |(?P<dots>[1-9]\d{0,2}(?:\.\d{3}){2,})     # 1.234.567
    |(?P<unsure>[1-9]\d{0,2},\d{3})            # 1,234: likewise
    |(?P<comma>(?:(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+),\d*|,\d+)(?:e[+-]?\d+)?)
    |(?P<point>(?:(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)\.\d*|\.\d+)(?:e[+-]?\d+)?)
    |(?P<commas>[1-9]\d{0,2}(?:,\d{3}){2,})     # 1,234,567
    )\s*%?\s*""",
    re.VERBOSE | re.IGNORECASE,
)


class Decimals(NamedTuple):
    """The columns that have decimal commas, or dots between thousands, and sentences on what may be meant otherwise."""

    commas: frozenset[str]
    notes: tuple[str, ...] = ()


class _Kinds(NamedTuple):
    counts: Counter[str]
    first: dict[str, str]  # a cell of each kind

    @property
    def has_commas(self) -> bool:
        return self.counts["comma"] > 0 and self.counts["comma"] + self.counts["unsure"] >= self._points

    @property
    def may_have_commas(self) -> bool:
        return self.counts["unsure"] > 0 and not self.has_commas and self.counts["unsure"] >= self._points

    @property
    def has_points(self) -> bool:
        return self._points > 0 and not self.has_commas and not self.may_have_commas

    @property
    def has_dots(self) -> bool:
        return self.counts["dots"] > 0 and not self.has_points

    @property
    def may_have_dots(self) -> bool:
        others = ("comma", "unsure", "point", "commas", "dots")
        return self.counts["dot"] > 0 and not any(self.counts[kind] for kind in others)

    @property
    def _points(self) -> int:
        return self.counts["point"] + self.counts["commas"]


def decimals_of(table: Table, usual: Set[str] = frozenset()) -> Decimals:
    """Return which columns of a table have decimal commas.

    Parameters
    ----------
    table : Table
        The table.
    usual : set of str
        The columns that had them in an earlier source; they have them here where nothing else decides.
    """
    if table.separator in {None, ","}:
        return Decimals(frozenset())
    kinds = {name: found for name, values in table.columns.items() if (found := _kinds_in(values)) is not None}
    is_likely = table.separator == ";"
    unsure_commas = [name for name, found in kinds.items() if found.may_have_commas]
    has_sure_commas = any(found.has_commas or found.has_dots for found in kinds.values())
    has_commas = has_sure_commas or (is_likely and bool(unsure_commas))
    has_points = any(found.has_points for found in kinds.values())
    commas = {name for name, found in kinds.items() if found.has_commas or found.has_dots}
    notes = []
    unsettled = [] if has_sure_commas else [name for name in unsure_commas if name not in usual]
    commas.update(name for name in unsure_commas if name not in unsettled or is_likely)
    if unsettled:
        shown = _shown(unsettled, kinds, "unsure")
        notes.append(
            f"{shown} is read with a decimal comma; if it stands between thousands, write the numbers without it."
            if is_likely
            else f"{shown} is not read as a number, since the comma may be a decimal one or stand between thousands; "
            "write the numbers with a decimal point, or without the comma."
        )
    dotted = [name for name, found in kinds.items() if found.may_have_dots]
    if has_commas and not has_points:
        commas.update(dotted)
    else:
        commas.update(name for name in dotted if name in usual)
        unsettled = [name for name in dotted if name not in usual]
        if unsettled and (has_commas or (is_likely and not has_points)):
            shown = _shown(unsettled, kinds, "dot")
            notes.append(
                f"{shown} is read with a decimal point; if it stands between thousands, write the numbers without it."
            )
    return Decimals(frozenset(commas), tuple(notes))


def _kinds_in(values: Values) -> _Kinds | None:
    """Return how the numbers of a column are written; None if it has no decimal comma or point, or is not of numbers."""
    if not isinstance(values, list) or not any(
        isinstance(value, float) or (isinstance(value, str) and ("," in value or "." in value)) for value in values
    ):
        return None
    if _are_with_points(values):
        return _Kinds(Counter(point=1), {})
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    filled = 0
    for value in values:
        if is_missing(value, MISSING_AMONG_NUMBERS):
            continue
        filled += 1
        if not isinstance(value, str):
            # Python has read it, so it has no comma.
            counts["whole" if float(value).is_integer() else "point"] += 1
            continue
        match = KINDS.fullmatch(value)
        if match is not None:
            kind = str(match.lastgroup)
            counts[kind] += 1
            first.setdefault(kind, value.strip())
    return _Kinds(counts, first) if counts.total() >= MOSTLY * filled else None


def _are_with_points(values: list[Any]) -> bool:
    """Return whether Python reads every cell as a number, and one has a decimal point for certain: the quick way."""
    try:
        for value in values:
            float(value)
    except (TypeError, ValueError):
        return False
    matches = (KINDS.fullmatch(value) for value in values if isinstance(value, str))
    return any(match is not None and match.lastgroup == "point" for match in matches)


def _shown(names: list[str], kinds: dict[str, _Kinds], kind: str) -> str:
    others = len(names) - 1
    also = f" (and so it is with {others} more {'column' if others == 1 else 'columns'})" if others else ""
    return f"Column {names[0]!r}{also}: {kinds[names[0]].first[kind]!r}"
