"""The fields of named tuples and data classes, for the reference: those that the docstring of the class does not describe.

What a field is for stands beside it as a comment, or behind it as a string.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from typing import Any


def is_record(thing: Any) -> bool:
    """Return whether something is a class with fields."""
    return isinstance(thing, type) and (hasattr(thing, "_fields") or hasattr(thing, "__dataclass_fields__"))


def fields_of(cls: type) -> dict[str, tuple[str, str]]:
    """Return the type and the meaning of each public field of a class, as its source has them."""
    try:
        source = textwrap.dedent(inspect.getsource(cls))
    except (OSError, TypeError):
        return {}
    lines = source.splitlines()
    (top,) = ast.parse(source).body
    assert isinstance(top, ast.ClassDef)
    found = {}
    for node, following in zip(top.body, [*top.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not node.target.id.startswith("_"):
            # What follows the code on its last line; a string may not hold the sign, so nothing is cut in two.
            comment = re.search(r"#:?\s*(.+)$", lines[(node.end_lineno or 1) - 1][node.end_col_offset or 0 :])
            meaning = comment[1] if comment else ""
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                meaning = str(following.value.value)
            found[node.target.id] = ast.unparse(node.annotation), meaning
    return found


def described(cls: type) -> set[str]:
    """Return the fields that the docstring of a class describes, in a section such as "Attributes"."""
    words = inspect.getdoc(cls) or ""
    lines = re.findall(r"^(\w+(?:, \w+)*) :(?: |$)", words, re.MULTILINE)
    return {name for line in lines for name in line.split(", ")}


def section(cls: type) -> list[str]:
    """Return a section "Attributes" for the fields that the docstring leaves out, as lines; none if it has one already."""
    known = described(cls)
    rest = {name: told for name, told in fields_of(cls).items() if name not in known}
    if not rest or known:
        return []
    lines = ["", "Attributes", "----------"]
    for name, (kind, meaning) in rest.items():
        lines += [f"{name} : {kind.replace('*', '')}", f"    {meaning[:1].upper()}{meaning[1:]}"]
    return lines
