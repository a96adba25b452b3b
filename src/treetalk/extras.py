"""Packages that not everybody has: imported when they are needed, or an error says what to install."""

from __future__ import annotations

import importlib
from typing import Any

from treetalk.errors import MissingPackage


def imported(name: str, purpose: str, *, package: str | None = None, extra: str | None = None) -> Any:
    """Import an optional package.

    Parameters
    ----------
    name : str
        The module, such as "matplotlib.figure".
    purpose : str
        What needs it, as the beginning of a sentence: "drawing trees".
    package : str, optional
        What it is called where it is installed from, if that is not the first part of `name`.
    extra : str, optional
        The extra of treetalk that installs it; by default the package is installed by its own name.

    Raises
    ------
    MissingPackage
        If it is not there. What goes wrong inside the package stays as it is.
    """
    first = name.partition(".")[0]
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != first:
            raise
        package = package or first
        wanted = package if extra is None else f'"treetalk[{extra}]"'
        raise MissingPackage(f"{purpose} needs {package}, which is not installed: pip install {wanted}") from None
