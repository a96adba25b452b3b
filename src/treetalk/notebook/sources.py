"""The page of the web application, made ready to stand in a cell of a notebook, beside cells of others.

Its files are read as they are, and nothing is built beforehand. Modules come in the order in which they can be loaded, with
``"page:name.js"`` wherever one imports another: the loader puts an address there that it makes for it. Style sheets are
rewritten for an element in place of a page: what asks for the size of the window asks for that of the cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

START = "cell.js"
# These know the document, and the address; or come first, by themselves.
LEFT_OUT = {"main.js", "loader.js"}
IMPORTED = re.compile(r'(\bfrom\s*|\bimport\s*\(?\s*)"\./([\w.-]+\.js)"')
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
LINKED = re.compile(r'<link rel="stylesheet" href="/page/([\w.-]+)">')
BODY = re.compile(r"<body[^>]*>(.*)</body>", re.DOTALL)
UNWANTED = re.compile(r'<a class="frame-skip".*?</a>|<noscript>.*?</noscript>', re.DOTALL)
# A cell is narrower than a window, and there is room for two columns a little longer.
NARROW, NARROW_CELL = "899px", "779px"


@cache
def page_parts() -> dict[str, Any]:
    """Return the parts of the page, as a message."""
    return {"kind": "page", "modules": [list(each) for each in modules().items()], "style": style(), "body": body()}


def loader() -> str:
    """Return the module that loads the others."""
    return _files("treetalk.notebook")["loader.js"]


def modules() -> dict[str, str]:
    """Return the modules of the page by name, each after those that it imports."""
    sources = {
        name: text
        for package in ("treetalk.server", "treetalk.notebook")
        for name, text in _files(package).items()
        if name.endswith(".js") and name not in LEFT_OUT
    }
    # What only a comment imports are types, for those who read.
    needed = {name: {found[2] for found in IMPORTED.finditer(COMMENT.sub("", text))} for name, text in sources.items()}
    ordered: dict[str, str] = {}
    while len(ordered) < len(sources):
        ready = sorted(name for name in sources.keys() - ordered.keys() if needed[name] <= ordered.keys())
        if not ready:
            rest = ", ".join(sorted(sources.keys() - ordered.keys()))
            raise RuntimeError(f"these modules import each other in a circle, or one that is not there: {rest}")
        ordered |= {name: IMPORTED.sub(r'\1"page:\2"', sources[name]) for name in ready}
    return ordered


def style() -> str:
    """Return the style sheets of the page, in their order, and then that of the cell."""
    files = _files("treetalk.server")
    sheets = [scoped(files[name]) for name in LINKED.findall(files["index.html"])]
    return "\n".join([*sheets, _files("treetalk.notebook")["cell.css"]])


def body() -> str:
    """Return what is inside the frame of the page."""
    found = BODY.search(_files("treetalk.server")["index.html"])
    if found is None:
        raise RuntimeError("index.html has no body")
    # The page around has its own main part.
    return re.sub(r"<(/?)(main|header)\b", r"<\1div", UNWANTED.sub("", found[1]))


def scoped(css: str) -> str:
    """Return a style sheet of a page for a frame within another page."""
    parts = []
    for at_rule, condition, inside in _split(COMMENT.sub("", css)):
        parts.append(_framed(inside) if not at_rule else "".join(_media(condition, inside)))
    return "".join(parts)


def _media(condition: str, inside: str) -> Iterator[str]:
    """Yield what becomes of the rules under a condition; of several conditions, each by itself."""
    for each in map(str.strip, condition.split(",")):
        if "prefers-color-scheme" in each:
            # The notebook has a look of its own, whatever that of the system is.
            yield _framed(inside).replace(".frame", ':host([data-theme="dark"]) .frame')
        elif "height" in each:
            continue  # a cell is as high as it is wanted
        elif "width" in each:
            yield f"@container cell {each.replace(NARROW, NARROW_CELL)} {{{_framed(inside)}}}\n"
        else:
            yield f"@media {each} {{{_framed(inside)}}}\n"


def _framed(rules: str) -> str:
    """Return rules with the frame in place of the document."""
    without = re.sub(r"(?<![\w.#-])html\s*\{[^}]*\}", "", rules)
    return re.sub(r":root\b|(?<![\w.#-])body(?=\s*[{,])", ".frame", without)


def _split(css: str) -> Iterator[tuple[bool, str, str]]:
    """Yield rules that always hold, and those under a condition: whether there is one, what it is, and the rules."""
    position = 0
    for found in re.finditer(r"@media\s+([^{]+)\{", css):
        yield False, "", css[position : found.start()]
        depth, end = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(css[end], 0)
            end += 1
        yield True, found[1].strip(), css[found.end() : end - 1]
        position = end
    yield False, "", css[position:]


@cache
def _files(package: str) -> dict[str, str]:
    folder = resources.files(package) / "page"
    return {entry.name: entry.read_text(encoding="utf-8") for entry in folder.iterdir() if entry.is_file()}
