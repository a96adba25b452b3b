"""Items as people type them: ``cat lynx | dog`` for a triplet, ``cat, lynx, dog`` for a group; names may hold blanks."""

from __future__ import annotations

import re

from treetalk.arguments import Items, format_triplet, unknown_item

Triplet = tuple[int, int, int]


def read_triplet(text: str, items: Items) -> Triplet:
    """Return the triplet that a text means: two items that belong together, a bar, and the odd one.

    The two are separated by a comma, else by blanks. Names may hold blanks, commas and bars themselves: every way to take
    the text apart is tried. A text that means several triplets, or none, is a ValueError that says why.
    """
    found: dict[Triplet, None] = {}
    for bar in re.finditer(r"\|", text):
        odd = text[bar.end() :].strip()
        for one, other in _pairs(text[: bar.start()]):
            if one in items.numbers and other in items.numbers and odd in items.numbers:
                found[items.numbers[one], items.numbers[other], items.numbers[odd]] = None
    meant = list(found)
    if not meant:
        raise ValueError(_not_understood(text, items))
    if len(meant) > 1:
        shown = " or ".join(f'"{format_triplet(triplet, items)}"' for triplet in meant)
        raise ValueError(f"{text!r} can mean {shown}; write a comma between the first two")
    if len(set(meant[0])) < 3:
        raise ValueError(f"{text!r} names an item twice; a triplet has three different items")
    return meant[0]


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


def _pairs(text: str) -> list[tuple[str, str]]:
    """Return every way to take two names apart: at a comma, or where there is none at blanks."""
    separators = list(re.finditer(r",", text)) or list(re.finditer(r"\s+", text.strip()))
    whole = text if "," in text else text.strip()
    return [(whole[: found.start()].strip(), whole[found.end() :].strip()) for found in separators]


def _not_understood(text: str, items: Items) -> str:
    """Return why a text means no triplet: its form, or the name that no item has."""
    together, bar, odd = (part.strip() for part in text.rpartition("|"))
    pairs = [pair for pair in _pairs(together) if all(pair)]
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
