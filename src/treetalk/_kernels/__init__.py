"""The hot loops, compiled by numba: arrays and scalars in, arrays and scalars out.

Nothing here validates, explains or raises: the layers above do that before they call. Nothing here imports from them.
The modules are loaded on first use, so that ``import treetalk`` stays fast and does not import numba.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treetalk._kernels import (
        ages,
        agreement,
        answers,
        build,
        chain,
        closeness,
        closure,
        columns,
        conflict,
        distance,
        drawing,
        guide,
        hazard,
        insertion,
        layout,
        linkage,
        local,
        newick,
        order,
        partitions,
        placing,
        prune,
        random,
        rebuild,
        region,
        regrafting,
        repair,
        restriction,
        snapshots,
        state,
        times,
        unsaid,
        values,
        walk,
    )

__all__ = [
    "ages",
    "agreement",
    "answers",
    "build",
    "chain",
    "closeness",
    "closure",
    "columns",
    "conflict",
    "distance",
    "drawing",
    "guide",
    "hazard",
    "insertion",
    "layout",
    "linkage",
    "local",
    "newick",
    "order",
    "partitions",
    "placing",
    "prune",
    "random",
    "rebuild",
    "region",
    "regrafting",
    "repair",
    "restriction",
    "snapshots",
    "state",
    "times",
    "unsaid",
    "values",
    "walk",
]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
