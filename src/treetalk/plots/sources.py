"""What can be drawn: the tree, the session and the data behind whatever a user passes, and values for each of its items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from treetalk.arguments import unknown_item
from treetalk.session import Session
from treetalk.tree import Tree


def tree_of(source: object) -> Tree:
    """Return the hierarchy of a tree, a session, a project, a simulation or a fitted estimator."""
    if isinstance(source, Tree):
        return source
    # An estimator has a tree_ once it is fitted; what has both is asked for the one that it was fitted to.
    for name in ("tree_", "tree"):
        found = getattr(source, name, None)
        if isinstance(found, Tree):
            return found
    if hasattr(source, "fit"):
        raise ValueError(f"this {type(source).__name__} has no tree yet: call fit first")
    raise TypeError(
        f"a Tree, or something that has one, such as a Session, is needed here, not {type(source).__name__}"
    )


def session_of(source: object) -> Session:
    """Return the session of a session, a project or a fitted estimator."""
    if isinstance(source, Session):
        return source
    for name in ("session_", "session"):
        found = getattr(source, name, None)
        if isinstance(found, Session):
            return found
    if hasattr(source, "fit"):
        raise ValueError(f"this {type(source).__name__} has no session yet: call fit first")
    raise TypeError(f"a Session, or something that has one, is needed here, not {type(source).__name__}")


def has_session(source: object) -> bool:
    """Return whether there is a session to look into."""
    found = (source, *(getattr(source, name, None) for name in ("session_", "session")))
    return any(isinstance(each, Session) for each in found)


def for_items(values: Any, tree: Tree, what: str) -> list[Any]:
    """Return one value for each leaf of a tree.

    Parameters
    ----------
    values : mapping from items, pandas Series, or sequence
        A mapping or a series whose labels are names is taken by name, and by number if its keys are numbers; a mapping
        may leave items out, which get None. Anything else is taken in order.
    what : str
        What they are, for errors.
    """
    index = getattr(values, "index", None)
    if isinstance(values, Mapping):
        return _by_name(dict(values), tree, what)
    if index is not None and not callable(index) and tree.items is not None:
        labels = list(index)
        if labels and all(isinstance(label, str) for label in labels):
            given = dict(zip(labels, list(values), strict=True))
            missing = [item for item in tree.items if item not in given]
            if missing:
                raise ValueError(f"{what} has no value for the item {missing[0]!r}")
            return [given[item] for item in tree.items]
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TypeError(f"{what} must have a value for each item, not {values!r}")
    listed = list(values)
    if len(listed) != tree.num_leaves:
        raise ValueError(f"{what} has {len(listed)} values, and the tree has {tree.num_leaves} leaves")
    return listed


def _by_name(given: dict[Any, Any], tree: Tree, what: str) -> list[Any]:
    numbers = {} if tree.items is None else tree.items.numbers
    result: list[Any] = [None] * tree.num_leaves
    for key, value in given.items():
        if isinstance(key, str):
            if key not in numbers:
                raise ValueError(f"{what}: {unknown_item(key, numbers)}")
            result[numbers[key]] = value
        elif isinstance(key, int | np.integer) and 0 <= key < tree.num_leaves:
            result[int(key)] = value
        else:
            raise ValueError(f"{what}: there is no item {key!r}")
    return result


def names_of(tree: Tree, labels: Any) -> Sequence[str] | None:
    """Return what the leaves are called: as given, as in the tree, or by number; None if they are not to be named."""
    if labels is False or labels is None:
        return None
    if labels is True:
        return tree.items if tree.items is not None else [str(leaf) for leaf in range(tree.num_leaves)]
    given = for_items(labels, tree, "labels")
    known = tree.items if tree.items is not None else range(tree.num_leaves)
    return [str(item if label is None else label) for item, label in zip(known, given, strict=True)]


def pictures_of(source: Any, images: Any, tree: Tree) -> list[Any] | None:
    """Return the picture of each leaf: as given, or those of a project; None if there are none."""
    if images is False:
        return None
    if images is not None:
        return for_items(images, tree, "images")
    numbers = getattr(source, "with_pictures", ())
    if not numbers:
        return None
    # Each is read from the file when it is drawn, if it is.
    return [partial(_picture, source, leaf) if leaf in numbers else None for leaf in range(tree.num_leaves)]


def _picture(project: Any, leaf: int) -> bytes | None:
    picture = project.picture(leaf)
    return None if picture is None else bytes(picture.data)


def data_of(source: object) -> Any:
    """Return the data of a project, a session or a fitted estimator; None if it has none."""
    found = getattr(source, "X", None)
    return session_of(source).X if found is None and has_session(source) else found
