"""The example notebooks as pages: what they say, and what came out when they were run. Nothing is run anew here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "notebooks"
FENCE = "`" * 5  # longer than any in a notebook


def page(name: str) -> str:
    """Return an executed notebook as Markdown, with its drawings as HTML."""
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts.append(f"{FENCE}python\n{source}\n{FENCE}")
            parts += [_shown(output) for output in cell["outputs"]]
    return "\n\n".join(part for part in parts if part) + "\n"


def _shown(output: dict[str, Any]) -> str:
    """Return what a cell gave: a drawing if it has one, else text."""
    data = output.get("data", {})
    if "text/html" in data:
        return _raw("".join(data["text/html"]))
    if "image/png" in data:
        pixels = "".join("".join(data["image/png"]).split())
        return _raw(f'<img alt="What the cell above draws" src="data:image/png;base64,{pixels}">')
    text = "".join(output.get("text") or data.get("text/plain") or "")
    return f"{FENCE}text\n{text.rstrip()}\n{FENCE}" if text.strip() else ""


def _raw(html: str) -> str:
    return f'{FENCE}{{raw}} html\n<div class="cell_output drawn-by-cell">{html}</div>\n{FENCE}'
