"""A new project, from data at hand or from a file."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treetalk.arguments import as_count, as_items, as_seed
from treetalk.data import as_data, names_of_columns, names_of_rows
from treetalk.errors import ProjectError
from treetalk.models import DirichletDiffusion
from treetalk.project.checking import as_many, as_more, as_pictures, as_text, as_texts
from treetalk.project.database import Database
from treetalk.project.store import Store, now
from treetalk.settings import as_setting
from treetalk.strategies import NUM_CANDIDATES, SUBSET_SIZE, as_strategy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from treetalk.importing import Imported


def create(
    path: str | os.PathLike[str],
    X: ArrayLike,
    items: Iterable[object] | None = None,
    *,
    texts: Iterable[str | None] | None = None,
    pictures: Iterable[tuple[bytes, str] | None] | None = None,
    more: Iterable[Mapping[str, Any]] | None = None,
    feature_names: Iterable[str] | None = None,
    strategy: str | None = None,
    setting: str = "treetalk",
    subset_size: int = SUBSET_SIZE,
    num_candidates: int = NUM_CANDIDATES,
    model: Mapping[str, Any] | None = None,
    about: Mapping[str, Any] | None = None,
    recipe_arrays: Mapping[str, NDArray[Any]] | None = None,
    seed: int = 0,
) -> None:
    """Make a project file from data. A file that is there is never overwritten.

    Parameters
    ----------
    path : str or path
        The file to make.
    X : array of shape (num_items, num_features)
        The features.
    items : sequence of str, optional
        The ids of the items; by default the labels of a data frame's rows if they are strings, else "0", "1", ...
    texts : sequence of str or None, optional
        What is shown of each item beside its id.
    pictures : sequence of (bytes, media type) or None, optional
        The image of each item.
    more : sequence of dict, optional
        Further columns of each item, for display.
    feature_names : sequence of str, optional
        The names of the columns of X.
    strategy, setting, subset_size, num_candidates, seed :
        As for `treetalk.Session`.
    model : dict, optional
        Arguments for `treetalk.DirichletDiffusion`.
    about : dict, optional
        Further settings, such as what was done to the source.
    recipe_arrays : dict of arrays, optional
        What the recipe that made the features needs for new items.
    """
    data = as_data(X)
    names = names_of_rows(X) if items is None else items
    ids = as_items(_row_labels(X, len(data)) if names is None else names)
    if len(ids) != len(data):
        raise ValueError(f"{len(ids)} item names were given for {len(data)} items")
    for number, name in enumerate(ids):
        as_text(name, f"the name of item {number}")
    none = [None] * len(ids)
    shown = none if texts is None else as_texts(texts, "text", len(ids))
    seen = none if pictures is None else as_pictures(pictures, ids)
    further = ["{}"] * len(ids) if more is None else as_more(more, ids)
    columns = _column_names(X, data) if feature_names is None else _as_feature_names(feature_names, data.shape[1])
    if model is not None:
        DirichletDiffusion(**model)
    settings = {
        "created": now(),
        "version": _version(),
        "strategy": as_strategy(as_setting(setting).strategy if strategy is None else strategy).name,
        "setting": as_setting(setting).name,
        "subset_size": as_count(subset_size, "subset_size", 3),
        "num_candidates": as_count(num_candidates, "num_candidates", 1),
        "seed": as_seed(seed),
        "model": dict(model or {}),
        **(about or {}),
    }

    def fill(store: Store) -> None:
        store.put_settings(settings)
        store.put_items(ids, shown, further, seen)
        store.put_features(data, columns)
        store.put_recipe_arrays(recipe_arrays or {})

    _write(Path(path), fill)


def _write(target: Path, fill: Callable[[Store], None]) -> None:
    """Make a project of what is put into its store, whole or not at all."""
    draft = _draft_beside(target)
    try:
        database = Database.make(draft)
        try:
            with database.transaction():
                fill(Store(database))
        finally:
            database.close()
        _put_in_place(draft, target)
    except OSError as error:
        raise ProjectError(f"{target} cannot be made: {error.strerror}") from error
    except ProjectError as error:
        if str(draft) not in str(error):
            raise
        # Nobody knows the draft.
        reason = "the disk is full" if "disk is full" in str(error) else str(error.__cause__)
        raise ProjectError(f"{target} cannot be made: {reason}") from error
    finally:
        draft.unlink(missing_ok=True)


def create_from(path: str | os.PathLike[str], imported: Imported, **options: Any) -> None:
    """Make a project file from what `treetalk.importing.import_source` returned; options are those of `create`."""
    record, arrays = imported.recipe.to_record()
    create(
        path,
        imported.X,
        imported.items,
        texts=imported.texts,
        pictures=imported.images,
        more=imported.more,
        feature_names=imported.feature_names,
        # The recipe has brought all columns to one unit: a scale of twice the variance, 1. The paper has its own model.
        model={"scale": 2.0} if options.get("setting", "treetalk") == "treetalk" else None,
        about={
            "source": imported.source,
            "columns": [list(column) for column in imported.columns],
            "notes": list(imported.notes),
            "recipe": record,
        },
        recipe_arrays=arrays,
        **options,
    )


def check_absent(path: Path) -> None:
    """Refuse a path at which something is, or at which no file can be made."""
    try:
        is_there, has_folder = path.exists() or path.is_symlink(), path.absolute().parent.is_dir()
    except OSError as error:
        raise ProjectError(f"{path} cannot be made: {error.strerror}") from error
    if is_there:
        raise ProjectError(f"{path} is there already, and is left as it is; choose another name, or remove it first")
    if not has_folder:
        raise ProjectError(f"{path} cannot be made: there is no folder {path.absolute().parent}")


def _draft_beside(target: Path) -> Path:
    """Return a new path in the folder of the target: a project that is not finished never has its name."""
    check_absent(target)
    try:
        folder = target.absolute().parent
        with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{target.name}.", suffix=".draft") as file:
            return Path(file.name)
    except OSError as error:
        raise ProjectError(f"{target} cannot be made: {error.strerror}") from error


def _put_in_place(draft: Path, target: Path) -> None:
    """Give the draft its name, unless that is taken by now."""
    try:
        os.link(draft, target)
    except FileExistsError:
        check_absent(target)
        raise
    except OSError:  # a file system without links
        check_absent(target)
        draft.rename(target)
    _sync_folder(target.absolute().parent)


def _sync_folder(folder: Path) -> None:
    """Have the new name on the disk too; some systems know no such thing."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _as_feature_names(names: Iterable[str], count: int) -> list[str]:
    given = [as_text(name, "the name of a feature") for name in as_many(names, "feature name", count)]
    twice = [name for name, times in Counter(given).items() if times > 1]
    if twice:
        raise ValueError(f"the names of features must be unique: {twice[0]!r} was given {given.count(twice[0])} times")
    return given


def _row_labels(X: object, count: int) -> list[str]:
    """Return the labels of a data frame's rows, where they are numbers of their own, else the numbers of the rows."""
    labels = [str(label) for label in getattr(X, "index", ())] if hasattr(X, "columns") else []
    return labels if len(set(labels)) == count else [str(row) for row in range(count)]


def _column_names(X: object, data: NDArray[np.float64]) -> list[str]:
    """Return the labels of a data frame's columns if they can be told apart, else numbers."""
    columns = names_of_columns(X)
    names = list(map(str, range(data.shape[1]))) if columns is None else columns
    try:
        return _as_feature_names(names, data.shape[1])
    except ValueError:
        return list(map(str, range(data.shape[1])))


def _version() -> str:
    from treetalk import __version__

    return __version__
