"""Files with several trees, Newick or NEXUS."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from treetalk.arguments import as_items
from treetalk.formats import newick, nexus
from treetalk.formats.source import Source
from treetalk.tree import Tree, as_tree

NEXUS_ENDINGS = {".nex", ".nexus", ".nxs"}


def read_trees(path: str | os.PathLike[str], items: Iterable[object] | None = None) -> Iterator[Tree]:
    """Return an iterator over the trees of a Newick or NEXUS file, each parsed when its turn comes.

    The file's first word says which of the two it is.

    Parameters
    ----------
    path : str or path
        The file.
    items : sequence of str, optional
        The items in the order in which to number the leaves of every tree; without it each tree's leaves are numbered
        as they appear in it.
    """
    source = Source(Path(path).read_bytes(), name=os.fspath(path))
    names = None if items is None else as_items(items)
    parse = nexus.parse_trees if nexus.is_nexus(source) else newick.parse_trees
    return parse(source, names)


def write_trees(path: str | os.PathLike[str], trees: Tree | Iterable[Tree]) -> None:
    """Write trees to a file: NEXUS if its name ends with .nex, .nexus or .nxs, else Newick, one tree a line."""
    several = [trees] if isinstance(trees, Tree) else trees
    if Path(path).suffix.lower() in NEXUS_ENDINGS:
        lines = nexus.to_nexus(several)
    else:
        lines = (newick.to_newick(as_tree(tree)) + "\n" for tree in several)
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        # A pipe or a device: nothing to protect, and nothing to rename.
        with target.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
        return
    # A new file beside the old one, then one rename: a failure half-way leaves the old file as it was.
    draft = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=target.parent, prefix=f".{target.name}.", delete=False
        ) as file:
            draft = Path(file.name)
            file.writelines(lines)
        if target.exists():
            shutil.copymode(target, draft)
        else:
            draft.chmod(0o666 & ~_umask())
        draft.replace(target)
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
