"""Tables of speed, from what ``make bench`` measured and kept, and of answers, from what ``treetalk effort`` counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MEASURED = Path(__file__).parents[1] / "measured" / "bench.json"
COUNTED = MEASURED.with_name("effort.json")
# Said only of tables that are there.
RATIOS = "Ratios count, not seconds: both sides take turns in the same process, and the best of several turns is taken."
EFFECTIVE = "Effective samples per second (ESS/s) count what a sampler is for: draws that are worth an independent one."


def kept() -> dict[str, Any] | None:
    """Return what was measured last, None if nothing is kept."""
    if not MEASURED.exists():
        return None
    found: dict[str, Any] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return found


def tables() -> str:
    """Return when and on what it was measured, and a table for each part."""
    found = kept()
    if found is None:
        return "No measurements are kept in this checkout: `make bench` makes them, and keeps them for this page.\n"
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    parts = [f"Measured on {found['date']}, on {found['cores']} cores, with {versions}."]
    columns = {column for table in found["tables"] for column in table["columns"]}
    if "ratio" in columns:
        parts.append(RATIOS)
    if any("ESS" in column for column in columns):
        parts.append(EFFECTIVE)
    for table in found["tables"]:
        parts.append(f"## {table['title'][0].upper()}{table['title'][1:]}")
        if table.get("about"):
            parts.append(table["about"])
        parts.append(_table(table["columns"], table["rows"]))
    return "\n\n".join(parts) + "\n"


def effort(name: str = "effort") -> str:
    """Return how many answers hierarchies cost: a figure, a table, and where treetalk is worse than the paper's way."""
    counted = COUNTED.with_stem(name)
    if not counted.exists():
        return "No counts are kept in this checkout: `treetalk effort` makes them, in the file `effort.json`.\n"
    found: dict[str, Any] = json.loads(counted.read_text(encoding="utf-8"))
    runs = "1 run" if found["num_runs"] == 1 else f"{found['num_runs']} runs"
    parts = [f"Counted on {found['date']} with treetalk {found['version']}, {runs} of each way on each data set."]
    if found["mistakes"]:
        parts[0] += f" Of the triplets said, {100 * found['mistakes']:g} % are wrong."
    figure = counted.with_suffix(".svg")
    if figure.exists():
        about = "Mean distance to the target against the number of answers, a panel for each data set"
        parts.append(f"![{about}](../measured/{figure.name})")
    parts += [_table(found["columns"], found["rows"]), found["caption"]]
    if found["verdicts"]:
        parts += ["\n".join(f"- {sentence}" for sentence in found["verdicts"]), found["compared"]]
    parts += [f"{name} was left out: {reason.rstrip('.')}." for name, reason in found["left_out"].items()]
    return "\n\n".join(parts) + "\n"


def _table(columns: list[str], rows: list[list[str]]) -> str:
    # The first column is words; numbers stand below one another.
    line = "| --- |" + " ---: |" * (len(columns) - 1)
    cells = ["| " + " | ".join(cell.replace("|", "\\|") or " " for cell in row) + " |" for row in [columns, *rows]]
    return "\n".join([cells[0], line, *cells[1:]])
