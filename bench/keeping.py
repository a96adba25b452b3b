"""What was measured, kept as JSON for the documentation: the tables as they are printed, when, and with what."""

import json
import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from rich.table import Table

PACKAGES = ("treetalk", "numpy", "numba", "scikit-learn", "treeswift", "tqdist", "tralda")


def circumstances() -> dict[str, Any]:
    """Return the day, the number of cores and the versions; nothing that tells whose machine it is."""
    versions = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {"date": datetime.now(UTC).date().isoformat(), "cores": os.cpu_count(), "versions": versions}


def as_data(title: str, about: str | None, table: Table) -> dict[str, Any]:
    """Return a table with its title and what is measured in it; its cells are the words that are printed."""
    cells = [[str(cell) for cell in column.cells] for column in table.columns]
    return {
        "title": title,
        "about": " ".join((about or "").split()),
        "columns": [str(column.header) for column in table.columns],
        "rows": [list(row) for row in zip(*cells, strict=True)],
    }


def keep(path: Path, tables: list[dict[str, Any]]) -> None:
    """Write the tables to a file, in place of what was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps(circumstances() | {"tables": tables}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
