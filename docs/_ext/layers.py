"""A drawing of the layers of the package, from the list that the tests hold the imports to."""

from __future__ import annotations

import ast
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
WIDTH, ROW, GAP, BOX, LETTER = 720, 26, 10, 20, 7.3  # in pixels; a letter is about so wide


def layers() -> list[list[str]]:
    """Return the names of each layer, from the ground up."""
    for node in ast.parse((ROOT / "tests" / "test_layers.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "LAYERS" for t in node.targets):
            found: list[list[str]] = ast.literal_eval(node.value)
            return found
    raise ValueError("tests/test_layers.py has no list that is called LAYERS")


def drawing() -> str:
    """Return the layers as SVG, the highest above, each name with a title that says what the module is for."""
    parts: list[str] = []
    y = 0.0
    for names in reversed(layers()):
        x, top = GAP, y
        for name in names:
            width = len(name) * LETTER + 16
            if x + width > WIDTH - GAP:
                x, y = GAP, y + ROW
            parts.append(_box(x, y + 6, width, name))
            x += width + 6
        y += ROW + 6
        parts.insert(0, f'<rect class="layer" x="0" y="{top:g}" width="{WIDTH}" height="{y - top:g}" rx="4"/>')
        y += GAP
    height = y - GAP
    return (
        f'<figure class="drawn layers" tabindex="0"><svg viewBox="0 0 {WIDTH} {height:g}" role="img" '
        'aria-label="The layers of the package: each imports from its own and from those below it" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
        "<figcaption>Each module imports from its own layer and from those below it.</figcaption></figure>"
    )


def _box(x: float, y: float, width: float, name: str) -> str:
    return (
        f'<g><title>{escape(purpose(name))}</title><rect class="part" x="{x:g}" y="{y:g}" width="{width:g}" '
        f'height="{BOX}" rx="3"/><text x="{x + width / 2:g}" y="{y + 14:g}">{escape(name)}</text></g>'
    )


def purpose(name: str) -> str:
    """Return the first line of a module's docstring."""
    package = ROOT / "src" / "treetalk"
    for path in (package / f"{name}.py", package / name / "__init__.py"):
        if path.exists():
            words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or name
            return words.splitlines()[0]
    return name
