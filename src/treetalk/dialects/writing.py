"""Triplets as files in the dialects of other tools: text, or NumPy's arrays where the tool has these."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.dialects.backbone import to_newick
from treetalk.dialects.cblearn import to_cblearn
from treetalk.dialects.metric_learn import to_metric_learn
from treetalk.dialects.registry import ANCHORED, OF_ARRAYS, OURS, as_dialect
from treetalk.dialects.said import Said, as_numbered
from treetalk.dialects.salmon import to_salmon
from treetalk.dialects.tables import ARRAY_ENDINGS
from treetalk.importing.options import in_words

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from treetalk.arguments import Items

TABLES = {".csv": ",", ".txt": ",", ".tsv": "\t", ".tab": "\t", "": ","}  # what stands between cells
QUERY = ("i", "j", "k")
_HEADERS = {
    "cblearn-boolean": (*QUERY, "response"),
    "cblearn-count": (*QUERY, "response"),
    "cblearn-odd-one-out": ("odd", "one", "other"),
    "metric-learn": ANCHORED,
}
TREES = (".nwk", ".newick", ".tree", ".tre", ".treefile", ".txt", "")


def write_triplets(
    path: str | os.PathLike[str],
    triplets: ArrayLike,
    dialect: str,
    *,
    items: Iterable[object] | None = None,
    num_leaves: int | None = None,
) -> None:
    """Write triplets to a file that `read_triplets` reads in the same dialect.

    The file's ending says what it is: .csv or .txt, .tsv, for cblearn and metric-learn also .npy and .npz, for a tree .nwk.
    In a .npy file responses are the fourth column, in a .npz file they are an array of their own, as cblearn has them.
    Items are written as the dialect has them by default: as names where these are given and the dialect has names, else as
    numbers. Where there are no triplets, the names of the columns are all that is written. Links cannot be written, for
    a triplet says nothing about levels.
    """
    name, file = as_dialect(dialect), Path(path)
    if name == "links":
        raise ValueError("triplets cannot be written as links, for a triplet says nothing about levels")
    ending = file.suffix.lower()
    endings = TREES if name == "newick" else (*TABLES, *(ARRAY_ENDINGS if name in OF_ARRAYS else ()))
    if ending not in endings:
        usual = in_words(each for each in endings if each)
        raise ValueError(f"{file.name}: a file of the dialect {name!r} ends with {usual}, not with {ending!r}")
    numbers, names, count = as_numbered(triplets, items, num_leaves)
    known = triplets.known if isinstance(triplets, Said) else None
    said = Said(numbers, known, items=names)
    if ending in ARRAY_ENDINGS:
        _write_arrays(file, *_arrays(name, numbers))
        return
    if name == "newick":
        text = to_newick(said, num_leaves=count) + "\n"
    elif name == "salmon":
        text = _as_text(csv.reader(io.StringIO(to_salmon(said, num_leaves=count), newline="")), TABLES[ending])
    else:
        text = _as_text(_rows(name, said, names), TABLES[ending])
    file.write_text(text, encoding="utf-8", newline="")


def _arrays(name: str, numbers: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Return the rows of a dialect of arrays, and the responses, if it has any."""
    if name == "metric-learn":
        return to_metric_learn(numbers), None
    form = {"cblearn": "list-order", "cblearn-odd-one-out": "odd-one-out"}.get(name, name.replace("cblearn", "list"))
    made = to_cblearn(numbers, form=form)
    return made if isinstance(made, tuple) else (made, None)


def _write_arrays(file: Path, rows: NDArray[Any], responses: NDArray[Any] | None) -> None:
    with file.open("wb") as opened:  # given a name, NumPy would add an ending of its own to one in capitals
        if file.suffix.lower() == ".npz":
            arrays = {"triplets": rows} | ({} if responses is None else {"responses": responses})
            np.savez(opened, allow_pickle=False, **arrays)
        else:
            np.save(opened, rows if responses is None else np.column_stack([rows, responses]))


def _rows(name: str, said: Said, names: Items | None) -> list[Sequence[object]]:
    if name in OF_ARRAYS:
        if not len(said):  # an empty file would be taken for an accident
            return [_HEADERS.get(name, QUERY)]
        rows, responses = _arrays(name, said.triplets)
        if responses is None:
            return list(rows.tolist())
        return [(*query, response) for query, response in zip(rows.tolist(), responses.tolist(), strict=True)]
    header = OURS if name == "treetalk" else ANCHORED
    called = [[item if names is None else names[item] for item in row] for row in said]
    about = [(each.who or "", each.comment or "") for each in said.known]
    return [(*header, "who", "comment"), *((*row, *of) for row, of in zip(called, about, strict=True))]


def _as_text(rows: Iterable[Sequence[object]], separator: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    return text.getvalue()
