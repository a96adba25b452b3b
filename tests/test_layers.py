"""Imports point downward only."""

import ast
from pathlib import Path

import pytest

import treetalk

PACKAGE = Path(treetalk.__file__).parent

# From the ground up. A module may import from its own layer and from those before it.
LAYERS = [
    ["_kernels"],
    ["arguments", "errors", "extras", "threads", "wording"],
    ["arrays", "clades", "tree", "metrics", "formats"],
    ["build", "closure", "triplets", "constraints", "layout", "groups"],
    ["data", "divergence", "estimates", "unsaid", "state", "models"],
    ["progress", "joining", "repair", "start", "moves", "regrafting", "chain", "scouting", "parallel"],
    [
        "snapshots",
        "summary",
        "diagnostics",
        "arviz",
        "answers",
        "outvoting",
        "again",
        "heard",
        "misfits",
        "classes",
        "columns",
        "telling",
        "flatness",
        "presuming",
        "doubts",
        "loosening",
        "queries",
        "strategies",
        "gestures",
        "users",
        "rearranging",
        "settings",
        "settled",
    ],
    ["session", "locking", "resuming", "posterior", "inquiring"],
    ["importing", "dialects", "placing", "leveling"],
    ["project", "sampling", "targets", "statements", "exporting", "checks"],
    ["authors", "simulation", "reading", "asking", "picking", "terminal"],
    ["page", "drawing", "estimator", "plots"],
    ["datasets"],
    ["experiments"],
    ["server"],
    ["notebook"],
    ["demo"],
    ["warm_up", "cli", "__main__"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[str]:
    parts = set()
    for node in ast.walk(ast.parse(path.read_text())):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        parts |= {module.split(".")[1] for module in modules if module.startswith("treetalk.")}
    return parts & LEVEL.keys()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_nothing_from_above(path):
    for part in imported_parts(path):
        assert LEVEL[part] <= LEVEL[part_of(path)], f"{path} imports {part}"


def test_only_kernels_import_numba():
    for path in SOURCES:
        assert "numba" not in path.read_text().replace("_kernels/", "") or part_of(path) == "_kernels"
