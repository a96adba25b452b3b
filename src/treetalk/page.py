"""The frame of an HTML page that loads nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib import resources

# Figures are drawn in these two, and take the colours of the page, light or dark, when they are put into it.
INK, GRID = "#24292f", "#d9dde2"


def page(title: str, parts: Iterable[str]) -> str:
    """Return a page of parts that are HTML themselves."""
    css = (resources.files("treetalk") / "page.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{css}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body>\n</html>\n"
    )


def figure(svg: str, title: str, caption: str) -> str:
    """Return a drawing with a title for those who cannot see it, and a caption."""
    coloured = svg.replace(INK, "var(--ink)").replace(GRID, "var(--grid)")
    labelled = coloured.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" ', 1)
    return f"<figure>{labelled}<figcaption>{escape(caption)}</figcaption></figure>"
