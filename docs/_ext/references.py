"""Names in docstrings and signatures as links, where the reference has them.

A docstring says `Tree` wherever it stands, and a signature names types of other packages: the first is looked up by its
last part, the second is left as it is. Links that pages make by hand are still errors where they lead nowhere.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import fields

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

# A word that ends with an underscore, but not in code.
TRAILING = re.compile(r"``.*?``|`[^`]*`|(?<![\w\\:])(\w*[a-zA-Z0-9])_(?![\w`])")

HIDDEN = "\ue000"  # a sign that no docstring has


def found_by_last_part(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: nodes.TextElement
) -> nodes.Node | None:
    """Return a link to the one object that is called so, or the name itself if it is none of ours."""
    if node.get("refdomain") != "py" or node.get("reftype") not in {"obj", "class", "exc", "data"}:
        return None
    domain = env.domains.python_domain
    target: str = node["reftarget"]
    wanted = target.rpartition(".")[2]
    # The shallowest one: `Tree` is a class before it is an attribute of another.
    known = sorted((name.count("."), name) for name in domain.objects if name.rpartition(".")[2] == wanted)
    is_ours = target == wanted or target.startswith("treetalk.")
    shallowest = [name for depth, name in known if depth == known[0][0]]
    if is_ours and len(shallowest) == 1:
        from sphinx.util.nodes import make_refnode

        entry = domain.objects[shallowest[0]]
        return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, shallowest[0])
    if node.get("refexplicit") and target.startswith("treetalk."):
        return None
    return contnode


def skips(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Leave out the fields of named tuples that say nothing, for the class describes them, and methods of other packages."""
    if "Alias for field number" in (getattr(thing, "__doc__", None) or ""):
        return True
    home = getattr(thing, "__module__", None)
    return True if what == "class" and callable(thing) and home and not home.startswith("treetalk") else None


def add_fields(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Describe the fields of a record whose docstring leaves that to the comments beside them."""
    if fields.is_record(thing):
        lines += fields.section(thing)


def keep_underscores(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Let a name such as labels_ stand in prose, where the mark-up would take it for a link."""
    depth: int | None = None  # how far the code that is shown is indented
    for i, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if line.strip() and depth is not None and indent <= depth:
            depth = None
        if depth is None and not line.lstrip().startswith((">>>", "..", "__")):
            lines[i] = TRAILING.sub(lambda found: f"{found[1]}\\_" if found[1] else found[0], line)
        if depth is None and line.rstrip().endswith("::"):
            depth = indent


def hide_colons(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Hide colons in what is said of a property: napoleon would take the words before the first one for its type."""
    if what in {"property", "attribute"}:
        lines[:] = [line.replace(": ", f"{HIDDEN} ") for line in lines]


def show_colons(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Put the colons of a property back."""
    lines[:] = [line.replace(HIDDEN, ":") for line in lines]


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect them."""
    app.connect("missing-reference", found_by_last_part)
    app.connect("autodoc-skip-member", skips)
    app.connect("autodoc-process-docstring", keep_underscores, priority=600)  # after napoleon
    app.connect("autodoc-process-docstring", show_colons, priority=650)
    app.connect("autodoc-process-docstring", hide_colons, priority=450)
    app.connect("autodoc-process-docstring", add_fields, priority=400)  # before napoleon reads the sections
    return {"parallel_read_safe": True, "parallel_write_safe": True}
