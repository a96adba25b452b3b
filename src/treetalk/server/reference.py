"""The documentation of the HTTP API, made from its own schema, as a page that loads nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Any


def reference(schema: dict[str, Any]) -> str:
    """Return a page for an OpenAPI schema."""
    about = schema["info"]
    operations = [
        (method, path, operation) for path, methods in schema["paths"].items() for method, operation in methods.items()
    ]
    tags = list(dict.fromkeys(tag for _, _, operation in operations for tag in operation.get("tags", [])))
    parts = [
        f"<h1>{escape(about['title'])}: the HTTP API</h1>",
        f"<p>Version {escape(about['version'])}. {_prose(about['description'])}</p>",
        '<p>The schema itself is at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</p>',
    ]
    for tag in tags:
        parts.append(f"<h2>{escape(tag.capitalize())}</h2>")
        parts += [_operation(*each) for each in operations if tag in each[2].get("tags", [])]
    parts.append("<h2>Types</h2>")
    parts += [_type(name, each) for name, each in sorted(schema["components"]["schemas"].items())]
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(about['title'])}: the HTTP API</title>\n"
        '<link rel="stylesheet" href="/page/base.css">\n<link rel="stylesheet" href="/page/help.css">\n</head>\n'
        f'<body class="help">\n<main>\n{body}\n<p><a href="/help">Help</a></p>\n</main>\n</body>\n</html>\n'
    )


def _prose(text: str) -> str:
    """Return a paragraph; what stands between backquotes is code."""
    pieces = escape(text).split("`")
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces))


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    """Return what an endpoint does, takes and gives."""
    rows = [
        (escape(each["name"]), _named(each["schema"]), escape(each.get("description", "")))
        for each in operation.get("parameters", [])
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body is not None:
        rows.append(("body", _named(body), ""))
    for kind, content in operation["responses"]["200"].get("content", {}).items():
        found = _named(content["schema"]) if kind == "application/json" else f"<code>{escape(kind)}</code>"
        rows.append(("gives", found, ""))
    return (
        f"<h3><code>{method.upper()} {escape(path)}</code></h3>\n<p>{escape(operation.get('summary', ''))}.</p>\n"
        + _table(rows)
    )


def _type(name: str, schema: dict[str, Any]) -> str:
    """Return a type with its fields."""
    needed = set(schema.get("required", []))
    rows = [
        (
            escape(field) + ("" if field in needed else " <small>optional</small>"),
            _named(each),
            escape(each.get("description", "")),
        )
        for field, each in schema.get("properties", {}).items()
    ]
    return (
        f'<h3 id="{escape(name)}">{escape(name)}</h3>\n<p>{escape(schema.get("description", ""))}</p>\n{_table(rows)}'
    )


def _table(rows: list[tuple[str, str, str]]) -> str:
    if not rows:
        return ""
    cells = "\n".join(
        f'<tr><th scope="row">{name}</th><td>{kind}</td><td>{words}</td></tr>' for name, kind, words in rows
    )
    return f'<div class="scroll" tabindex="0"><table>\n{cells}\n</table></div>'


def _named(schema: dict[str, Any]) -> str:
    """Return what a value is, in words."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rsplit("/", 1)[-1])
        return f'<a href="#{name}">{name}</a>'
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(_named(each) for each in schema[several])
    if "enum" in schema:
        return " or ".join(f"<code>{escape(repr(value))}</code>" for value in schema["enum"])
    if "const" in schema:
        return f"<code>{escape(repr(schema['const']))}</code>"
    kind = str(schema.get("type", "anything"))
    if kind == "array" and "items" in schema:
        return f"list of {_named(schema['items'])}"
    if kind == "array" and "prefixItems" in schema:
        return f"({', '.join(_named(each) for each in schema['prefixItems'])})"
    words = {"integer": "whole number", "string": "text", "boolean": "true or false", "object": "table"}
    limits = [
        f"{sign} {schema[key]:,.0f}"
        for key, sign in (("minimum", "≥"), ("maximum", "≤"), ("maxLength", "length ≤"))
        if key in schema
    ]
    return escape(words.get(kind, kind) + (f" ({', '.join(limits)})" if limits else ""))
