"""What is in a project file, read when it is wanted: rows that make no sense are an error of the file."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from treetalk.arguments import Items, as_leaves, as_triplets
from treetalk.data import as_data
from treetalk.errors import ProjectError
from treetalk.models import DirichletDiffusion
from treetalk.project.checking import NONSENSE, check_answer
from treetalk.project.naming import with_names
from treetalk.project.store import Comment, Picture, Record, Store
from treetalk.settings import as_setting
from treetalk.tree import Tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treetalk.importing import Recipe

Value = TypeVar("Value")


class Contents:
    """What can be looked at in a project, without a session.

    Parameters
    ----------
    path : Path
        The file.
    store : Store
        Its rows.
    """

    def __init__(self, path: Path, store: Store) -> None:
        self._path, self._store = path, store

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @cached_property
    def items(self) -> Items:
        """The ids of the items."""
        return self._read(self._store.items)

    @property
    def num_items(self) -> int:
        """The number of items."""
        return len(self.items)

    @cached_property
    def texts(self) -> tuple[str | None, ...]:
        """What is shown of each item beside its id."""
        return self._read(self._store.texts)

    @cached_property
    def more(self) -> tuple[dict[str, Any], ...]:
        """The further columns of each item."""
        return self._read(self._store.more)

    def picture(self, item: int | str) -> Picture | None:
        """Return an item's image."""
        (number,) = as_leaves([item], self.num_items, self.items).tolist()
        return self._read(lambda: self._store.picture(number))

    @cached_property
    def with_pictures(self) -> frozenset[int]:
        """The numbers of the items that have an image."""
        return frozenset(self._read(self._store.items_with_pictures))

    @cached_property
    def X(self) -> NDArray[np.float64]:
        """The features, a row for each item."""
        X: NDArray[np.float64] = self._read(lambda: as_data(self._store.features()))
        if len(X) != self.num_items:
            raise ProjectError(f"{self._path} is damaged: it has {self.num_items} items and {len(X)} rows of features")
        return X

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features."""
        return self._read(self._store.feature_names)

    @property
    def settings(self) -> dict[str, Any]:
        """What was chosen when the project was made: strategy, setting, seed, what was done to the source, and so on."""
        return self._read(self._store.settings)

    @property
    def records(self) -> tuple[Record, ...]:
        """All answers in the order in which they came, with their circumstances."""
        return self.records_from(0)

    def records_from(self, number: int) -> tuple[Record, ...]:
        """Return the answers from a number on, with their circumstances."""
        return tuple(self._read(lambda: self._records(number)))

    def of_gesture(self, gesture: str) -> tuple[int, ...]:
        """Return the ids of the answers that were given at once, with an id for what they have in common."""
        return tuple(self._read(lambda: self._store.ids_of_gesture(gesture)))

    @property
    def comments(self) -> tuple[Comment, ...]:
        """What was remarked on answers after they were given."""
        return tuple(self._read(self._store.comments))

    def _records(self, since: int = 0) -> list[Record]:
        records = self._store.records(since)
        for number, (answer, *_) in enumerate(records, start=since):
            check_answer(answer, number, self.num_items)
        as_triplets([answer.triplet for answer, *_ in records if answer.triplet is not None], self.num_items)
        return records

    @property
    def model(self) -> DirichletDiffusion:
        """The prior and likelihood, as the settings have it."""
        settings = self.settings
        given = settings.get("model")
        if given:
            return self._read(lambda: DirichletDiffusion(**given))
        return self._read(lambda: as_setting(settings["setting"]).model_for(self.X))

    @property
    def recipe(self) -> Recipe | None:
        """How the features were made from the source, to treat new items alike; None for data that came as they are."""
        record = self.settings.get("recipe")
        if record is None:
            return None
        from treetalk.importing import Recipe

        return self._read(lambda: Recipe.from_record(record, self._store.recipe_arrays()))

    @property
    def names(self) -> dict[frozenset[int], str]:
        """The names given to clusters, by the numbers of their items."""
        return self._read(lambda: self._store.names(self.num_items))

    def named(self, tree: Tree) -> Tree:
        """Return a tree over the items with the names that were given to clusters."""
        return with_names(tree, self.names)

    def _read(self, read: Callable[[], Value]) -> Value:
        """Return what is read; rows that make no sense are an error of the file."""
        try:
            return read()
        except NONSENSE as error:
            raise ProjectError(f"{self._path} is damaged, or was changed by another program ({error})") from error
