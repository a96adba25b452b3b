"""What the name of a column says about it."""

from __future__ import annotations

import re

# The first of these that is there, and names every row once, is the id.
OF_IDS = (
    "id",
    "item",
    "item_id",
    "identifier",
    "key",
    "uid",
    "uuid",
    "name",
    "title",
    "common_name",
    "label",
    "code",
    "file",
)
ENDS_OF_IDS = ("_id", "_key", "_name", "_title")
OF_TITLES = ("title", "name", "common_name", "caption", "headline", "subject", "full_name", "label")
OF_INDEXES = frozenset(
    {"", "index", "idx", "row", "rows", "row_number", "rowid", "row_id", "no", "nr", "num", "number", "#", "id"}
)
STARTS_OF_INDEXES = ("unnamed:", "row_in_", "__index_level_", "row_no", "index_")
OF_LABELS = frozenset(
    {"class", "classes", "class_type", "label", "labels", "target", "targets", "y", "category", "categories", "type"}
    | {"group", "cluster", "clusters", "ground_truth", "truth", "outcome", "folder"}
    | {"species", "genus", "tribe", "subfamily", "family", "order", "phylum", "kingdom", "taxon"}
)
ENDS_OF_LABELS = ("_class", "_label", "_labels", "_category", "_species", "_genus", "_family", "_cluster", "_target")
STARTS_OF_LABELS = ("class_", "label_", "target_", "cluster_")


def plain(name: str) -> str:
    """Return a name in lower case with underscores for blanks, hyphens and dots; itemName is item_name."""
    spread = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\s.\-]+", "_", spread).lower()


def ids_in_order(names: list[str]) -> list[str]:
    """Return the columns that are called like an id, the most likely first."""
    plain_names = {name: plain(name) for name in names}
    exact = [name for wanted in OF_IDS for name in names if plain_names[name] == wanted]
    return exact + [name for name in names if plain_names[name].endswith(ENDS_OF_IDS) and name not in exact]


def titles_in_order(names: list[str]) -> list[str]:
    """Return the columns that are called like a title, the most likely first."""
    exact = [name for wanted in OF_TITLES for name in names if plain(name) == wanted]
    return exact + [name for name in names if plain(name).endswith(("_name", "_title")) and name not in exact]


def is_index(name: str) -> bool:
    """Return whether a column is called like a number of the row."""
    own = plain(name)
    return own in OF_INDEXES or own.startswith(STARTS_OF_INDEXES) or own.endswith("_id")


def is_label(name: str, others: list[str]) -> bool:
    """Return whether a column is called like the answer that one hopes to find: class, label, species."""
    own = plain(name)
    if own == "y" and any(plain(other) == "x" for other in others):
        return False  # a place, x and y
    return own in OF_LABELS or own.endswith(ENDS_OF_LABELS) or own.startswith(STARTS_OF_LABELS)
