"""What was done to a source, so that new items of the same kind are treated alike."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import Frozen
from treetalk.importing.cells import Cells, understand
from treetalk.importing.decimals import decimals_of
from treetalk.importing.embeddings import with_embeddings
from treetalk.importing.groups import Group
from treetalk.importing.ids import distinct, item_names
from treetalk.importing.options import Options, nearest
from treetalk.importing.pictures import Pictures, read_pictures
from treetalk.importing.reading import Pixels, Text
from treetalk.importing.rows import usable_rows
from treetalk.importing.sources import read_source
from treetalk.importing.steps import Arrays, Categories, Given, Numbers, Step
from treetalk.importing.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = 1
STEPS: dict[str, Any] = {"numbers": Numbers, "block": Numbers, "categories": Categories, "text": Text, "pixels": Pixels}


class Recipe(Frozen):
    """How items and features come out of a source.

    Parameters
    ----------
    options : Options
        What the person said.
    id : str or None
        The column that names the items; None where they are numbered.
    steps : sequence
        What was learned of each group of columns.
    commas : set of str
        The columns that have decimal commas.
    """

    def __init__(self, options: Options, id: str | None, steps: Sequence[Step], commas: Set[str] = frozenset()) -> None:
        self._options, self._id, self._steps = options, id, tuple(steps)
        self._commas = frozenset(name for step in self._steps for name in step.group.columns if name in commas)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, distinct."""
        return distinct(name for step in self._steps for name in step.names)

    def transform(
        self, path: str | os.PathLike[str], embeddings: str | os.PathLike[str] | None = None
    ) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """Return the names and the features of the items in a source of the same kind.

        Parameters
        ----------
        path : str or path
            The source: its columns are those of the first one, in any order.
        embeddings : str or path, optional
            Where the recipe uses embeddings, those of the new items; by default the file that was given first.

        Returns
        -------
        items : tuple of str
        X : float array of shape (items, features)
        """
        table = read_source(Path(path), self._options)
        groups = [step.group for step in self._steps]
        if self._options.embeddings is not None:
            table = with_embeddings(table, Path(embeddings or self._options.embeddings), self._id)
        names = list(dict.fromkeys(name for group in groups for name in group.columns))
        for name in [*names, *([self._id] if self._id is not None else [])]:
            if name not in table.columns:
                raise table.error(nearest(name, table.columns, "column"))
        # A new item or two may not show how their numbers are written, nor that they are numbers.
        numbers = {
            name for group in groups if group.kind == "numbers" for name in group.columns if name not in group.words
        }
        cells = understand(table, decimals_of(table, self._commas).commas, names, numbers)
        self._check_blocks(table, cells)
        pictures = pictures_of(table, cells, groups)
        is_kept, _ = usable_rows(table, cells, groups, pictures, self._options, self._id)
        table = table.keep(is_kept)
        given = Given(
            table,
            {name: column.keep(is_kept) for name, column in cells.items()},
            None if pictures is None else pictures.keep(is_kept),
        )
        return item_names(table, self._id, is_guessed=self._options.id is None), self.features(given)

    def _check_blocks(self, table: Table, cells: dict[str, Cells]) -> None:
        for step in self._steps:
            if step.group.kind == "block" and isinstance(step, Numbers):
                name = step.group.columns[0]
                numbers, width = cells[name].numbers, step.width
                found = numbers.shape[1] if numbers.ndim == 2 else 1
                if found != width:
                    raise table.error(f"{name!r} has {found} columns; {width} are needed, as in the first source")

    def features(self, given: Given) -> NDArray[np.float64]:
        """Return the features of rows that were read."""
        return np.ascontiguousarray(np.hstack([step.features(given) for step in self._steps]))

    def to_record(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the recipe as a dict that JSON can hold, and named arrays."""
        record: dict[str, Any] = {"version": VERSION, "options": self._options.to_record(), "id": self._id, "steps": []}
        record["commas"] = sorted(self._commas)
        arrays: Arrays = {}
        for number, step in enumerate(self._steps):
            of_step, named = step.to_record()
            group = {**step.group._asdict(), "columns": list(step.group.columns), "unused": list(step.group.unused)}
            # A dict loses the order of its keys in some stores, and the first word stands for 0.
            group["words"] = {column: list(words) for column, words in step.group.words.items()}
            record["steps"].append({"group": group, "names": list(step.names), **of_step})
            arrays |= {f"{number}.{name}": array for name, array in named.items()}
        return record, arrays

    @classmethod
    def from_record(cls, record: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Recipe:
        """Return the recipe of a record."""
        if record.get("version") != VERSION:
            raise ValueError(f"this is a recipe of version {record.get('version')!r}; version {VERSION} can be read")
        steps = []
        for number, of_step in enumerate(record["steps"]):
            given = dict(of_step["group"])
            words = {column: {first: 0.0, second: 1.0} for column, (first, second) in given["words"].items()}
            unused = tuple(given.get("unused", ()))
            group = Group(**(given | {"columns": tuple(given["columns"]), "words": words, "unused": unused}))
            start = f"{number}."
            own = {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
            steps.append(STEPS[group.kind].from_record(group, tuple(of_step["names"]), of_step, own))
        commas = frozenset(record.get("commas", ()))
        return cls(Options.from_record(record["options"]), record["id"], steps, commas)


def pictures_of(
    table: Table, cells: dict[str, Cells], groups: Sequence[Group], also: str | None = None
) -> Pictures | None:
    """Return the pictures that a table names, if one of the groups, or a column that is shown, needs them."""
    column = next((group.columns[0] for group in groups if group.kind == "pixels"), also)
    if column is None:
        return None
    return read_pictures([None if text is None else table.folder / text for text in cells[column].strings])
