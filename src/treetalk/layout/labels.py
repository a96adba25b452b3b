"""What is written beside a cluster that has no name: some of its items, and how many there are."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from treetalk.wording import one_line

MOST_IN_LABEL = 28  # characters of one item within the label of a cluster
MOST_IN_THREE = 36  # characters of three items together: where there are more, two have to do
MOST_IN_ROW = 200  # characters of an item in a row of its own


def item_label(text: str, number: int, most: int = MOST_IN_ROW) -> str:
    """Return the label of an item on one line, shortened; its number if there is nothing to read in it."""
    return shortened(one_line(text), most) or f"item {number}"


def cluster_label(labels: Sequence[str], size: int) -> str:
    """Return a label for a cluster without a name, from those of up to three of its items: ``lion, lynx … (12)``."""
    some = list(labels)
    if len(some) > 2 and sum(map(len, some)) > MOST_IN_THREE:
        some = some[:2]
    return f"{', '.join(some)}{' …' if len(some) < size else ''} ({size:,})"


def shortened(text: str, most: int) -> str:
    """Return a text of no more than `most` characters, with an ellipsis for what is left out.

    What belongs to one letter stays together: accents, variation selectors, skin colours and the two halves of a flag.
    """
    if len(text) <= most:
        return text
    end = most - 1
    while end > 0 and _continues(text, end):
        end -= 1
    return text[:end].rstrip() + "…"


def _continues(text: str, at: int) -> bool:
    """Return whether the character here belongs to the one before."""
    letter = text[at]
    if unicodedata.category(letter) in {"Mn", "Mc", "Me"} or "\U0001f3fb" <= letter <= "\U0001f3ff":
        return True
    if not _is_half_flag(letter):
        return False
    start = at
    while start > 0 and _is_half_flag(text[start - 1]):
        start -= 1
    return (at - start) % 2 == 1


def _is_half_flag(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"
