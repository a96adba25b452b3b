"""The HTTP API as Markdown, from the schema that the app itself gives."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any, cast


@cache
def schema() -> dict[str, Any]:
    """Return the OpenAPI schema of the app; nobody sits at its desk."""
    from treetalk.server.app import create_app

    nobody = cast("Any", SimpleNamespace(dialogue=None))
    return create_app(nobody, nobody, {"localhost"}).openapi()


def whole_api() -> str:
    """Return every endpoint and every type."""
    found = schema()
    operations = [
        (method, path, operation) for path, methods in found["paths"].items() for method, operation in methods.items()
    ]
    tags = dict.fromkeys(tag for _, _, operation in operations for tag in operation.get("tags", ["other"]))
    parts = [found["info"]["description"]]
    for tag in tags:
        parts.append(f"## {tag.capitalize()}")
        parts += [_operation(*each) for each in operations if tag in each[2].get("tags", ["other"])]
    parts.append("## Types")
    parts += [_type(name, each) for name, each in sorted(found["components"]["schemas"].items())]
    return "\n\n".join(part for part in parts if part) + "\n"


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    """Return what an endpoint does, takes and gives."""
    rows = [
        (f"`{each['name']}`", _named(each["schema"]), each.get("description", ""))
        for each in operation.get("parameters", [])
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body is not None:
        rows.append(("the body", _named(body), ""))
    for kind, content in operation["responses"]["200"].get("content", {}).items():
        rows.append(("gives", _named(content["schema"]) if kind == "application/json" else f"`{kind}`", ""))
    words = operation.get("summary", "")
    return f"### `{method.upper()} {path}`\n\n{words}.\n\n{_table('takes or gives', rows)}"


def _type(name: str, found: dict[str, Any]) -> str:
    """Return a type with its fields."""
    needed = set(found.get("required", []))
    rows = [
        (f"`{field}`" + ("" if field in needed else ", optional"), _named(each), each.get("description", ""))
        for field, each in found.get("properties", {}).items()
    ]
    return f"(http-{name.lower()})=\n\n### {name}\n\n{found.get('description', '')}\n\n{_table('field', rows)}"


def _table(first: str, rows: list[tuple[str, str, str]]) -> str:
    """Return rows as a table, without the column of meanings if there are none."""
    if not rows:
        return ""
    width = 3 if any(words for _, _, words in rows) else 2
    lines = [(first, "type", "meaning"), ("---",) * 3, *rows]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line[:width]] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _named(found: dict[str, Any]) -> str:
    """Return what a value is, in words."""
    if "$ref" in found:
        name = found["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#http-{name.lower()})"
    for several in ("anyOf", "oneOf"):
        if several in found:
            return " or ".join(_named(each) for each in found[several])
    if "enum" in found:
        return " or ".join(f"`{value!r}`" for value in found["enum"])
    if "const" in found:
        return f"`{found['const']!r}`"
    kind = str(found.get("type", "anything"))
    if kind == "array" and "items" in found:
        return f"list of {_named(found['items'])}"
    if kind == "array" and "prefixItems" in found:
        return f"({', '.join(_named(each) for each in found['prefixItems'])})"
    words = {"integer": "whole number", "string": "text", "boolean": "true or false", "object": "table"}
    limits = [
        f"{sign} {found[key]:,.0f}"
        for key, sign in (("minimum", "≥"), ("maximum", "≤"), ("maxLength", "length ≤"))
        if key in found
    ]
    return words.get(kind, kind) + (f" ({', '.join(limits)})" if limits else "")
