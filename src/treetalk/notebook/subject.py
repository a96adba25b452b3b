"""What a widget talks about: a project, made around whatever was given."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from treetalk.errors import ProjectError, ProjectHeld
from treetalk.notebook.pictures import as_picture
from treetalk.project import Project, open_project
from treetalk.project.around import around, project_of
from treetalk.project.holding import this_process
from treetalk.session import Session

Shown = dict[str, Iterable[Any] | None]


def subject(
    about: object,
    items: Iterable[object] | None = None,
    *,
    texts: Iterable[str | None] | None = None,
    pictures: Iterable[object] | None = None,
    **options: Any,
) -> tuple[Project, bool]:
    """Return the project to talk about, and whether it was opened here, so that it is closed with the talk."""
    shown: Shown = {"texts": texts, "pictures": None if pictures is None else [as_picture(each) for each in pictures]}
    if isinstance(about, str | os.PathLike):
        _check_unused(items, shown, options, "the path of a project")
        return _opened(about), True
    if isinstance(about, Project):
        _check_unused(items, shown, options, "a project")
        if about.is_read_only:
            raise ProjectError(f"{about.path} was opened for reading only, and answers could not be written down")
        return about, False
    if isinstance(about, Session):
        _check_unused(items, {}, options, "a session")
        return _around(about, shown), False
    return _around(Session(about, items, **options), shown), False  # type: ignore[arg-type]


def _opened(path: str | os.PathLike[str]) -> Project:
    try:
        return open_project(path)
    except ProjectHeld as error:
        with open_project(path, read_only=True) as held:
            is_here = f" {this_process()} " in f" {held.holder} "
        if not is_here:
            raise
        raise ProjectHeld(f"this notebook has {path} open: pass that project, or close it") from error


def _around(session: Session, shown: Shown) -> Project:
    project = project_of(session)
    if project is None:
        return around(session, texts=shown["texts"], pictures=shown["pictures"])
    # It was talked about before, or belongs to a project.
    if any(value is not None for value in shown.values()):
        raise ValueError(
            "the texts and pictures of this session were given before, and stay; a new session takes others"
        )
    return project


def _check_unused(items: object, shown: Shown, options: dict[str, Any], what: str) -> None:
    given = {"items": items, **shown, **options}
    for name, value in given.items():
        if value is not None:
            raise TypeError(f"{what} was given, which has all that it needs: `{name}` is for data of your own")
