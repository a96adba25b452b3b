"""How a file of another tool says what belongs together: the options that commands take for it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class DialectName(StrEnum):
    """How a file says what belongs together; see `treetalk.dialects`."""

    treetalk = "treetalk"
    anchor_positive_negative = "anchor-positive-negative"
    cblearn = "cblearn"
    cblearn_boolean = "cblearn-boolean"
    cblearn_count = "cblearn-count"
    cblearn_odd_one_out = "cblearn-odd-one-out"
    salmon = "salmon"
    metric_learn = "metric-learn"
    links = "links"
    newick = "newick"


def as_dialect_name(name: str) -> DialectName:
    """Return the dialect of this name, or say which one may be meant."""
    from treetalk.dialects.registry import as_dialect

    try:
        return DialectName(as_dialect(name))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


class By(StrEnum):
    """What a file calls the items by."""

    name = "name"
    number = "number"


Dialect = Annotated[
    DialectName,
    typer.Option(
        help="How the file says it. It is never guessed.",
        metavar="NAME",
        parser=as_dialect_name,
        autocompletion=lambda incomplete: [str(name) for name in DialectName if name.startswith(incomplete)],
    ),
]
