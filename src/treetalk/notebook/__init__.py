"""Talking to a hierarchy inside a notebook: the page of the web application, in a cell.

`talk` opens it. It works wherever notebooks do, also where the kernel runs on another machine: everything goes through the
notebook's own connection, and nothing listens on a port. Needs the extra ``notebook``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from treetalk.extras import imported

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike

    from treetalk.notebook.widget import Talk
    from treetalk.project import Project
    from treetalk.session import Session

HEIGHT, LOWEST = 700, 320


def talk(
    about: Session | Project | str | os.PathLike[str] | ArrayLike,
    items: Iterable[object] | None = None,
    *,
    texts: Iterable[str | None] | None = None,
    pictures: Iterable[object] | None = None,
    who: str | None = None,
    height: int = HEIGHT,
    **options: Any,
) -> Talk:
    """Return a widget that asks questions about a hierarchy, and takes corrections.

    As the last line of a cell it shows itself. Answers are there in the next cell: in ``session.answers`` and
    ``session.tree``, or in those of the project.

    Parameters
    ----------
    about : Session, Project, path, or array of shape (num_items, num_features)
        What to talk about. With a session, answers go to that very session, and last as long as it does; names that are
        given to branches, comments, and who answered are kept beside it, and can be looked at in `Talk.project`. With a
        project, or the path of one, everything is on the disk before it is acknowledged. Of an array a session is made,
        which is `Talk.session` then.
    items : sequence of str, optional
        The names of the rows of an array.
    texts : sequence of str or None, optional
        What is shown of each item beside its name. A project has its own.
    pictures : sequence, optional
        The picture of each item: bytes of a PNG, JPEG, GIF or WebP file, the path of one, bytes with their media type, an
        array of pixels (grey, RGB or RGBA; whole numbers up to 255, or fractions up to 1), or None. A project has its own.
    who : str, optional
        Who answers, as it is recorded; by default whoever runs the kernel.
    height : int
        The height in pixels. The lower edge can be dragged.
    options :
        Of an array: arguments for `treetalk.Session`, such as `seed`.

    Notes
    -----
    Sampling goes on in the background while you think, and rests when more of it would change little. Widgets about the
    same session or project share it, each with its own question. `Talk.close` ends it. A project that is given must stay
    open for as long as it is talked about.

    Colab shows widgets after ``from google.colab import output; output.enable_custom_widget_manager()``.
    """
    imported("anywidget", "talking in a notebook", extra="notebook")
    imported("fastapi", "talking in a notebook", extra="notebook")
    from treetalk.arguments import as_count
    from treetalk.notebook.subject import subject
    from treetalk.notebook.widget import Talk
    from treetalk.project.checking import as_text

    tall = as_count(height, "height", LOWEST)
    name = None if who is None else as_text(who, "who answers")
    project, is_own = subject(about, items, texts=texts, pictures=pictures, **options)
    return Talk(project, is_own=is_own, who=name, height=tall)
