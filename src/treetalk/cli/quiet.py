"""The option --quiet, which every command has."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from treetalk.cli import outcome

QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Leave out remarks and progress on standard error.")]


def with_quiet(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that also has the option --quiet, as its last one."""

    @wraps(command)
    def wrapped(*args: Any, quiet: bool, **options: Any) -> None:
        outcome.be_quiet(quiet)
        command(*args, **options)

    hints = get_type_hints(command, include_extras=True)
    signature = inspect.signature(command)
    own = [each.replace(annotation=hints[name]) for name, each in signature.parameters.items()]
    added = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=QUIET)
    # Typer looks at both.
    wrapped.__signature__ = signature.replace(parameters=[*own, added])  # type: ignore[attr-defined]
    wrapped.__annotations__ = hints | {"quiet": QUIET}
    return wrapped
