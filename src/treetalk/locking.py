"""One thread at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from treetalk.resuming import Resumable

Function = TypeVar("Function", bound=Callable[..., Any])


def alone(method: Function) -> Function:
    """Let a method run while no other thread is in the session, with all trees in line with the answers in force."""

    @wraps(method)
    def wrapped(self: Resumable, *arguments: Any, **options: Any) -> Any:
        with self._lock:
            self._take_in()
            return method(self, *arguments, **options)

    return cast(Function, wrapped)
