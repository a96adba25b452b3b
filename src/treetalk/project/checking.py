"""What is about to be written to a project: text, JSON, circumstances; what cannot be kept is refused in a sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from treetalk.answers import Answer
from treetalk.arguments import as_count
from treetalk.strategies import as_strategy
from treetalk.unsaid import are_clade_sizes

# What rows that make no sense lead to when they are made use of.
NONSENSE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def as_text(value: object, what: str) -> str:
    """Return text that a file can hold."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be text, not {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} has half a character in it, which no file can hold: {value!r}") from None
    return value


def as_texts(values: Iterable[object], what: str, count: int) -> list[str | None]:
    """Return text or None for each of `count` things."""
    given = as_many(values, what, count)
    return [None if value is None else as_text(value, f"{what} {i}") for i, value in enumerate(given)]


def as_many(values: Iterable[Any], what: str, count: int) -> list[Any]:
    """Return a list of `count` things."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"{what}s must be a sequence, not {values!r}")
    given = list(values)
    if len(given) != count:
        raise ValueError(f"{len(given)} {what}s were given where {count} are needed")
    return given


def as_json(value: object, what: str = "a setting") -> str:
    """Return a value as JSON, readable as it is in any language."""
    try:
        return as_text(json.dumps(value, ensure_ascii=False, allow_nan=False), what)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{what} cannot be kept, as it is no JSON: {error}") from error


def as_more(more: Iterable[Any], ids: Sequence[str]) -> list[str]:
    """Return the further columns of each item as JSON."""
    result = []
    for name, columns in zip(ids, as_many(more, "table of further column", len(ids)), strict=True):
        if not isinstance(columns, Mapping):
            raise TypeError(f"the further columns of item {name!r} must be a table, not {columns!r}")
        for column, value in columns.items():
            as_json(value, f"column {as_text(column, 'the name of a column')!r} of item {name!r}")
        result.append(as_json(dict(columns)))
    return result


def as_pictures(pictures: Iterable[Any], ids: Sequence[str]) -> list[tuple[bytes, str] | None]:
    """Return the image of each item, as bytes and a media type, or None."""
    given = as_many(pictures, "picture", len(ids))
    for name, picture in zip(ids, given, strict=True):
        if picture is not None and not (
            isinstance(picture, tuple) and len(picture) == 2 and isinstance(picture[0], bytes)
        ):
            raise TypeError(
                f"the picture of item {name!r} must be bytes with a media type, such as (data, 'image/png')"
            )
    return [None if each is None else (each[0], as_text(each[1], "a media type")) for each in given]


def as_circumstances(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return who answered, in how many seconds, with what comment, as far as they are given."""
    for key, values in given.items():
        if key not in {"who", "comment", "seconds", "gesture"}:
            raise TypeError(f"an answer has `who`, `comment`, `seconds` and `gesture`, not {key!r}")
        for value in values if isinstance(values, list) else [values]:
            if value is not None:
                _check_circumstance(key, value)
    return {key: value for key, value in given.items() if value is not None}


def _check_circumstance(key: str, value: object) -> None:
    if key != "seconds":
        as_text(value, f"the `{key}` of an answer")
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"the `seconds` of an answer must be a number, not {value!r}")
    elif not (math.isfinite(value) and value >= 0):
        raise ValueError(f"the `seconds` of an answer must be 0 or more, not {value!r}")


def for_each(circumstances: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """Return the circumstances of each of several answers; a list has one value for each."""
    for key, value in circumstances.items():
        if isinstance(value, list) and len(value) != count:
            raise ValueError(f"`{key}` has {len(value)} values, one for each answer, and there are {count} answers")
    return [
        {key: value[i] if isinstance(value, list) else value for key, value in circumstances.items()}
        for i in range(count)
    ]


def as_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how to ask, as far as it is given, for this time only."""
    given = {name: value for name, value in options.items() if value is not None}
    least = {"subset_size": 3, "num_candidates": 1}
    for name, value in given.items():
        if name in least:
            as_count(value, name, least[name])
        elif name == "strategy":
            as_strategy(value)
        else:
            raise TypeError(f"a project is opened with `strategy`, `subset_size` and `num_candidates`, not {name!r}")
    return given


def check_answer(answer: Answer, number: int, num_items: int) -> None:
    """Raise ValueError if what was read is no answer, or another one."""
    if answer.id != number:
        raise ValueError(f"there is no answer {number}")
    kind, triplet, leaves, retracts = answer.kind, answer.triplet, answer.leaves, answer.retracts
    is_whole = (
        kind in {"triplet", "accept", "same", "skip", "retract"}
        and (kind == "triplet") == (triplet is not None)
        and (kind == "retract") == (retracts is not None)
        and (retracts is None or (isinstance(retracts, int) and 0 <= retracts < number))
        and (leaves is None or are_numbers(leaves, num_items))
        and (answer.sizes is None or are_clade_sizes(answer.sizes, len(leaves or ())))
    )
    if not is_whole:
        raise ValueError(f"answer {number} makes no sense")


def are_numbers(values: Iterable[object], count: int) -> bool:
    """Return whether all values are whole numbers from 0 to count - 1."""
    return all(isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count for value in values)
