"""Parts of pages that are written from the project itself.

A page says where, by a fence that looks like a directive, with the name of a writer and words for it::

    ```{generated} evidence tests/test_exactness.py
    ```

A writer is a function of this folder that needs no Sphinx and returns Markdown; a drawing is HTML in it. The fence is
replaced before the page is read, so headings and links in it are those of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import commandline
import evidence
import http_api
import layers
import measured
import notebook_pages

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WRITERS: dict[str, Callable[..., str]] = {
    "commands": commandline.all_commands,
    "effort": measured.effort,
    "evidence": evidence.sentences,
    "http": http_api.whole_api,
    "layers": layers.drawing,
    "measured": measured.tables,
    "notebook": notebook_pages.page,
    "rest": evidence.rest,
    "verified": evidence.last_verified,
}
FENCE = re.compile(r"^```\{generated\} (.+)\n```$", re.MULTILINE)


def written(page: str) -> str:
    """Return the text of a page with everything in it that is generated."""

    def write(found: re.Match[str]) -> str:
        name, *words = found[1].split()
        if name not in WRITERS:
            raise ValueError(f"nothing writes {name!r}; there are {', '.join(sorted(WRITERS))}")
        return WRITERS[name](*words)

    return FENCE.sub(write, page)


def _read(app: Sphinx, docname: str, source: list[str]) -> None:
    if FENCE.search(source[0]):
        source[0] = written(source[0])
        app.env.note_reread()  # what it is written from may change while the page stays the same


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the parts when a page is read."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
