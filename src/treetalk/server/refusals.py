"""What is asked for and cannot be had: the fault of whoever asks, told in a sentence. Everything else is the server's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from treetalk.errors import TreetalkError


class Refused(TreetalkError):
    """Something was asked for that makes no sense."""

    status = 400


class NotThere(Refused):
    """Something was asked for that is not there."""

    status = 404


class Mistaken(Refused):
    """Something was sent that is meant for another project, or that was sent before with another meaning."""

    status = 409


@contextmanager
def refusing() -> Iterator[None]:
    """Tell what is found wrong in here to whoever sent it. Only for checks, before anything is done."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise Refused(str(error)) from error
