"""Numbers and lists as all faces say them: plain English, on one line."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def counted(number: int, thing: str) -> str:
    """Return a number of things: ``1 item``, ``3 items``, ``no items``."""
    return f"{number:,} {thing}" if number == 1 else f"{number or 'no':{',' if number else ''}} {thing}s"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Return names as a phrase, ``a, b and c``; with more than `most`, the first ones and how many more there are."""
    if most is not None and len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def in_one_sentence(problems: Sequence[str], most: int) -> str:
    """Return problems with semicolons between; with more than `most`, the first ones and how many more there are.

    A question at the end of one, such as which name was meant, keeps its mark only where the sentence ends.
    """
    more = [f"and {len(problems) - most} more"] if len(problems) > most else []
    *before, last = [*problems[:most], *more]
    return "; ".join([*(each.removesuffix("?") for each in before), last])


def percent(share: float) -> str:
    """Return a share in whole percents, which are 0 and 100 for none and all alone."""
    if 0 < share < 0.005:
        return "less than 1 %"
    if 0.995 <= share < 1:
        return "more than 99 %"
    return f"{100 * share:.0f} %"


def one_line(name: str) -> str:
    """Return a name with a single blank for whatever is not printed, so that it stays on its line."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())


def folded(text: str) -> str:
    """Return a text as it is searched in: without capitals and accents, so that ``angstrom`` finds ``Ångström``."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
