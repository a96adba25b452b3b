"""Items as people type them: ``cat lynx | dog`` for a triplet, ``cat, lynx, dog`` for a group.

Names may hold blanks, commas and bars: every way to take a text apart is tried.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator

from treetalk.arguments import Items, format_triplet, unknown_item

Triplet = tuple[int, int, int]
Parts = tuple[str, ...]  # a text taken apart: what may be the names of items
MOST_SEPARATORS = 100  # beyond them, nobody names three items


def read_triplet(text: str, items: Items) -> Triplet:
    """Return the triplet that a text means: two items that belong together, a bar, and the odd one.

    The two are separated by a comma, else by blanks. Names may hold blanks, commas and bars themselves: every way to take
    the text apart is tried. A text that means several triplets, or none, is a ValueError that says why.
    """
    meant = triplets_among(parts_at_a_bar(text), items.numbers.get)
    if not meant:
        raise ValueError(_not_understood(text, items))
    if len(meant) > 1:
        shown = " or ".join(f'"{format_triplet(triplet, items)}"' for triplet in meant)
        raise ValueError(f"{text!r} can mean {shown}; write a comma between the first two")
    if len(set(meant[0])) < 3:
        raise ValueError(f"{text!r} names an item twice; a triplet has three different items")
    return meant[0]


def triplets_among(ways: Iterable[Parts], find: Callable[[str], int | None]) -> list[Triplet]:
    """Return the triplets that a text can mean, from ways to take it apart; those that name an item twice come alone."""
    found: dict[Triplet, None] = {}
    for parts in ways:
        a, b, c = map(find, parts)
        if a is not None and b is not None and c is not None:
            found[a, b, c] = None
    return [triplet for triplet in found if len(set(triplet)) == 3] or list(found)


def parts_at_a_bar(text: str) -> Iterator[Parts]:
    """Yield every way to take two names and, behind a bar, the odd one apart."""
    for bar in re.finditer(r"\|", text):
        for one, other in parts_in_two(text[: bar.start()]):
            yield one, other, text[bar.end() :].strip()


def parts_in_two(text: str) -> list[tuple[str, str]]:
    """Return every way to take two names apart: at a comma, or where there is none at blanks."""
    separators = list(re.finditer(r",", text)) or list(re.finditer(r"\s+", text.strip()))
    whole = text if "," in text else text.strip()
    return [(whole[: found.start()].strip(), whole[found.end() :].strip()) for found in separators]


def parts_in_a_row(text: str) -> Iterator[Parts]:
    """Yield every way to take three names apart at commas and bars, whichever it is."""
    return _between(text, r"[,|]")


def parts_at_blanks(text: str) -> Iterator[Parts]:
    """Yield every way to take three names apart where there are blanks, commas or bars, or several of them."""
    return _between(text.strip(", |"), r"[\s,|]+")


def read_group(text: str, items: Items) -> list[int]:
    """Return the items of a group, given with commas between them, each once."""
    numbers: dict[int, None] = {}
    parts = [part.strip() for part in text.split(",")]
    start = 0
    while start < len(parts):
        # A name may hold commas: the longest one that fits counts.
        for end in range(len(parts), start, -1):
            name = ", ".join(parts[start:end]), ",".join(parts[start:end])
            known = next((each for each in name if each in items.numbers), None)
            if known is not None:
                numbers[items.numbers[known]] = None
                start = end
                break
        else:
            if parts[start]:
                raise ValueError(unknown_item(parts[start], items))
            start += 1
    if len(numbers) < 2:
        raise ValueError(f"a group has two items or more, with commas between them; {text!r} has {len(numbers)}")
    return list(numbers)


def _between(text: str, separator: str) -> Iterator[Parts]:
    cuts = list(re.finditer(separator, text))
    if len(cuts) > MOST_SEPARATORS:
        return
    for first, second in itertools.combinations(cuts, 2):
        parts = text[: first.start()], text[first.end() : second.start()], text[second.end() :]
        yield tuple(part.strip() for part in parts)


def _not_understood(text: str, items: Items) -> str:
    """Return why a text means no triplet: its form, or the name that no item has."""
    together, bar, odd = (part.strip() for part in text.rpartition("|"))
    pairs = [pair for pair in parts_in_two(together) if all(pair)]
    if not bar or not odd or not pairs:
        return f'{text!r} is not understood; write "a, b | c" for two that belong together, apart from a third one'
    if odd not in items.numbers:
        return unknown_item(odd, items)
    # The way that knows one of the two names says most about the other.
    for one, other in pairs:
        for known, unknown in ((one, other), (other, one)):
            if known in items.numbers:
                return unknown_item(unknown, items)
    if len(pairs) > 1:
        return f"{together!r} does not hold the names of two items; write a comma between them"
    return unknown_item(pairs[0][0], items)
