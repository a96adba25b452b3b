"""What is in a project file, as rows: items, features, settings, answers, names, and where the session is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treetalk.answers import Answer
from treetalk.arguments import Items, as_items
from treetalk.project.checking import are_numbers, as_json
from treetalk.resuming import Kept, KeptChain
from treetalk.snapshots import Snapshots

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.project.database import Database

# As bytes on disk, whatever the machine.
FLOAT, INT, WORD = np.dtype("<f8"), np.dtype("<i4"), np.dtype("<u8")
ARRAYS: dict[str, np.dtype[Any]] = {"float64": FLOAT, "int64": np.dtype("<i8"), "uint8": np.dtype("u1")}


class Record(NamedTuple):
    """An answer, with the circumstances in which it was given."""

    answer: Answer
    time: str  # ISO 8601, UTC
    who: str | None = None
    seconds: float | None = None  # from the question to the answer
    comment: str | None = None
    shown: str | None = None  # the piece of tree that was shown, as Newick
    gesture: str | None = None  # what answers that were given at once have in common


class Comment(NamedTuple):
    """What somebody remarked on an answer later on."""

    answer: int  # its id
    time: str  # ISO 8601, UTC
    who: str | None
    text: str


class Picture(NamedTuple):
    """An item's image, ready to be shown."""

    data: bytes
    media_type: str


def now() -> str:
    """Return the time as it is written down."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Store:
    """A project's rows.

    Parameters
    ----------
    database : Database
        Where they are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    # --- settings

    def settings(self) -> dict[str, Any]:
        """Return all settings."""
        return {key: json.loads(value) for key, value in self._database.rows("SELECT key, value FROM settings")}

    def put_settings(self, settings: Mapping[str, Any]) -> None:
        """Write settings, within a transaction."""
        rows = [(key, as_json(value, f"setting {key!r}")) for key, value in settings.items()]
        self._database.write("INSERT OR REPLACE INTO settings VALUES (?, ?)", rows)

    # --- items

    def items(self) -> Items:
        """Return the ids of the items."""
        rows = self._database.rows("SELECT number, id FROM items ORDER BY number")
        return as_items(_in_order(rows, "item"))

    def texts(self) -> tuple[str | None, ...]:
        """Return the display text of each item."""
        texts = tuple(text for (text,) in self._database.rows("SELECT text FROM items ORDER BY number"))
        if not all(text is None or isinstance(text, str) for text in texts):
            raise ValueError("the text of an item is no text")
        return texts

    def more(self) -> tuple[dict[str, Any], ...]:
        """Return the further columns of each item."""
        more = tuple(json.loads(more) for (more,) in self._database.rows("SELECT more FROM items ORDER BY number"))
        if not all(isinstance(columns, dict) for columns in more):
            raise ValueError("the further columns of an item are no columns")
        return more

    def picture(self, item: int) -> Picture | None:
        """Return an item's image."""
        rows = self._database.rows("SELECT data, media_type FROM images WHERE item = ?", (item,))
        if not rows:
            return None
        data, media_type = rows[0]
        if not isinstance(data, bytes) or not isinstance(media_type, str):
            raise ValueError(f"the picture of item {item} is no picture")
        return Picture(data, media_type)

    def items_with_pictures(self) -> list[int]:
        """Return the numbers of the items that have an image."""
        return [int(number) for (number,) in self._database.rows("SELECT item FROM images")]

    def put_items(
        self,
        items: Items,
        texts: Sequence[str | None],
        more: Sequence[str],
        pictures: Sequence[tuple[bytes, str] | None],
    ) -> None:
        """Write all items, their further columns as JSON, within a transaction."""
        rows = zip(range(len(items)), items, texts, more, strict=True)
        self._database.write("INSERT INTO items VALUES (?, ?, ?, ?)", rows)
        shown = ((number, kind, data) for number, (data, kind) in _present(pictures))
        self._database.write("INSERT INTO images VALUES (?, ?, ?)", shown)

    # --- features

    def features(self) -> NDArray[np.float64]:
        """Return the features, a row for each item."""
        rows = self._database.rows("SELECT item, vector FROM features ORDER BY item")
        return _stacked(_in_order(rows, "row of features"), FLOAT)

    def feature_names(self) -> tuple[str, ...]:
        """Return the names of the features."""
        return tuple(name for (name,) in self._database.rows("SELECT name FROM feature_names ORDER BY number"))

    def put_features(self, X: NDArray[np.float64], names: Sequence[str]) -> None:
        """Write the features, within a transaction."""
        self._database.write("INSERT INTO feature_names VALUES (?, ?)", enumerate(names))
        vectors = ((number, row.astype(FLOAT).tobytes()) for number, row in enumerate(X))
        self._database.write("INSERT INTO features VALUES (?, ?)", vectors)

    def recipe_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the recipe that features were made by."""
        rows = self._database.rows("SELECT name, dtype, shape, data FROM recipe_arrays")
        return {
            name: np.frombuffer(data, ARRAYS[dtype]).astype(dtype).reshape(json.loads(shape))
            for name, dtype, shape, data in rows
        }

    def put_recipe_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write the arrays of the recipe, within a transaction."""
        rows = (
            (name, array.dtype.name, as_json(array.shape), array.astype(ARRAYS[array.dtype.name]).tobytes())
            for name, array in arrays.items()
        )
        self._database.write("INSERT INTO recipe_arrays VALUES (?, ?, ?, ?)", rows)

    # --- answers and names

    def records(self, since: int = 0) -> list[Record]:
        """Return the answers from a number on."""
        columns = (
            "id, kind, a, b, c, shown, strategy, retracts, sizes, time, who, seconds, comment, shown_tree, gesture"
        )
        found = self._database.rows(f"SELECT {columns} FROM answers WHERE id >= ? ORDER BY id", (since,))
        return [_record(row) for row in found]

    def put_records(self, records: Iterable[Record]) -> None:
        """Write answers, within a transaction."""
        rows = []
        for answer, time, who, seconds, comment, shown_tree, gesture in records:
            shown = None if answer.leaves is None else as_json(answer.leaves)
            three = answer.triplet or (None, None, None)
            sizes = None if answer.sizes is None else as_json(answer.sizes)
            about = (answer.retracts, shown, shown_tree, answer.strategy, seconds, comment, gesture, sizes)
            rows.append((answer.id, time, who, answer.kind, *three, *about))
        self._database.write(f"INSERT INTO answers VALUES ({', '.join('?' * 15)})", rows)

    def ids_of_gesture(self, gesture: str) -> list[int]:
        """Return the ids of the answers that were given at once."""
        return [number for (number,) in self._database.rows("SELECT id FROM answers WHERE gesture = ?", (gesture,))]

    def comments(self) -> list[Comment]:
        """Return what was remarked on answers later on, in the order in which it came."""
        rows = self._database.rows("SELECT answer, time, who, text FROM comments ORDER BY id")
        return [Comment(*row) for row in rows]

    def put_comment(self, comment: Comment) -> None:
        """Write a comment, within a transaction."""
        self._database.write("INSERT INTO comments (answer, time, who, text) VALUES (?, ?, ?, ?)", [comment])

    def names(self, num_items: int) -> dict[frozenset[int], str]:
        """Return the names given to clusters, by the numbers of their items."""
        names: dict[frozenset[int], str | None] = {}
        for number, text, name in self._database.rows("SELECT id, items, name FROM names ORDER BY id"):
            items = json.loads(text)
            if not are_numbers(items, num_items) or not (name is None or isinstance(name, str)):
                raise ValueError(f"name {number} makes no sense")
            names[frozenset(items)] = name
        return {items: name for items, name in names.items() if name}

    def put_name(self, leaves: Sequence[int], name: str | None, who: str | None) -> None:
        """Write the name of a cluster, within a transaction; None takes it away."""
        row = (now(), who, as_json(sorted(leaves)), name)
        self._database.write("INSERT INTO names (time, who, items, name) VALUES (?, ?, ?, ?)", [row])

    # --- where the session is

    def kept(self) -> Kept | None:
        """Return where the session was put away, if it was."""
        found = self._database.rows(
            "SELECT num_answers, num_asked, random_state, set_aside, is_borne_out FROM sampling"
        )
        if not found:
            return None
        num_answers, num_asked, random_state, aside, is_borne_out = found[0]
        chains = [
            KeptChain(
                np.frombuffer(parents, INT).astype(np.int32),
                np.frombuffer(ages, FLOAT).astype(np.float64),
                np.frombuffer(state, WORD).astype(np.uint64),
                np.array(json.loads(counts), np.int64),
            )
            for parents, ages, state, counts in self._database.rows(
                "SELECT parents, ages, random_state, counts FROM chains ORDER BY number"
            )
        ]
        rows = self._database.rows(
            "SELECT parents, ages, log_prior, log_likelihood, chain, is_draw FROM snapshots ORDER BY number"
        )
        snapshots = Snapshots(
            _stacked((row[0] for row in rows), INT),
            _stacked((row[1] for row in rows), FLOAT),
            np.array([row[2:4] for row in rows], np.float64),
            np.array([row[4] for row in rows], np.int64),
            np.array([row[5] for row in rows], bool),
        )
        set_aside = {int(number): int(count) for number, count in json.loads(aside)}
        drawing = json.loads(random_state), tuple(chains), snapshots
        return Kept(num_answers, num_asked, *drawing, set_aside, bool(is_borne_out))

    def put_kept(self, kept: Kept) -> None:
        """Write where the session is, in place of where it was, within a transaction."""
        write = self._database.write
        for table in ("sampling", "chains", "snapshots"):
            write(f"DELETE FROM {table}", [()])
        state = as_json(kept.random_state)
        aside = as_json(list(kept.set_aside.items()))
        row = (now(), kept.num_answers, kept.num_asked, state, aside, int(kept.is_borne_out))
        write("INSERT INTO sampling VALUES (0, ?, ?, ?, ?, ?, ?)", [row])
        chains = (
            (
                number,
                chain.parents.astype(INT).tobytes(),
                chain.ages.astype(FLOAT).tobytes(),
                chain.random_state.astype(WORD).tobytes(),
                as_json(chain.counts.tolist()),
            )
            for number, chain in enumerate(kept.chains)
        )
        write("INSERT INTO chains VALUES (?, ?, ?, ?, ?)", chains)
        trees = kept.snapshots
        snapshots = (
            (
                i,
                int(trees.chains[i]),
                int(trees.is_draw[i]),
                *trees.densities[i].tolist(),
                trees.parents[i].astype(INT).tobytes(),
                trees.ages[i].astype(FLOAT).tobytes(),
            )
            for i in range(len(trees))
        )
        write("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?)", snapshots)

    # --- who works on it

    def holder(self) -> str | None:
        """Return who works on the project, or did when it ended without a word."""
        found = self._database.rows("SELECT who FROM holder")
        return found[0][0] if found else None

    def put_holder(self, who: str | None) -> None:
        """Write who works on the project, within a transaction."""
        self._database.write("DELETE FROM holder", [()])
        self._database.write("INSERT INTO holder VALUES (0, ?)", [] if who is None else [(who,)])


def _record(row: tuple[Any, ...]) -> Record:
    number, kind, a, b, c, shown, strategy, retracts, sizes, *about = row
    triplet = None if a is None else (a, b, c)
    leaves, clades = (None if text is None else tuple(json.loads(text)) for text in (shown, sizes))
    return Record(Answer(number, kind, triplet, leaves, strategy, retracts, clades), *about)


def _present(pictures: Sequence[tuple[bytes, str] | None]) -> Iterable[tuple[int, tuple[bytes, str]]]:
    return ((number, picture) for number, picture in enumerate(pictures) if picture is not None)


def _in_order(rows: list[tuple[int, Any]], what: str) -> list[Any]:
    """Return the second column, of rows that the first one numbers from 0."""
    for number, (found, _) in enumerate(rows):
        if found != number:
            raise ValueError(f"there is no {what} {number}")
    return [value for _, value in rows]


def _stacked(blobs: Iterable[bytes], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return rows of bytes as an array."""
    rows = [np.frombuffer(blob, dtype) for blob in blobs]
    if len({row.size for row in rows}) > 1:
        raise ValueError("rows that should be of one length are not")
    return np.array(rows).astype(dtype.newbyteorder("="))
