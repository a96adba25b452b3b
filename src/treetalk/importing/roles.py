"""Which column names the items, which columns are features and of what kind, and which are put aside."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np

from treetalk.importing import names
from treetalk.importing.cells import MOSTLY, Cells, as_string
from treetalk.importing.options import Options, nearest
from treetalk.importing.results import Column
from treetalk.importing.table import Table

IMAGE_ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"})
MOST_CATEGORIES = 20
FEWEST_WORDS, FEWEST_CHARACTERS = 4, 30  # of what is text to be read
FEWEST_ROWS_TO_COUNT = 5  # with fewer rows, 1, 2, 3 in order may be a measurement
NUM_LOOKED_AT = 2_000
NEARLY_ALL = 0.9  # of the rows have a name of their own
EMBEDDING = "embedding"  # the column that a file of embeddings becomes
TRUE_WORDS = frozenset({"yes", "y", "true", "t", "present", "on", "ja", "oui", "si", "1", "x"})
FALSE_WORDS = frozenset({"no", "n", "false", "f", "absent", "off", "nein", "non", "0"})


@dataclass
class Plan:
    """What is to become of the columns."""

    id: str | None
    columns: dict[str, Column] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def with_role(self, *roles: str) -> list[str]:
        """Return the names of the columns that have one of these roles."""
        return [name for name, column in self.columns.items() if column.role in roles]


def plan_columns(table: Table, cells: dict[str, Cells], options: Options) -> Plan:
    """Return the role of every column of a table."""
    plan = Plan(id=guess_id(table, cells, options))
    if options.id is None and table.id is None:
        plan.notes.extend(_passed_over(table, cells, plan.id))
    if plan.id is None:
        plan.notes.append("No column names every row once, so items are named by the number of their row.")
    elif options.id is None and table.id is None:
        which = f"column {plan.id!r}" if plan.id else "the column without a name"
        plan.notes.append(f"Items are named by {which}; choose another one with --id.")
    guess = _Guess(table, cells, options, plan)
    for name in table.columns:
        role, how = ("id", "names the items") if name == plan.id else guess.role(name)
        plan.columns[name] = Column(name, role, how)
    return plan


def check_names(table: Table, options: Options) -> None:
    """Refuse options that name a column that the table does not have."""
    for option, name in options.named:
        if name not in table.columns:
            flag = option.replace("_", "-")
            raise ValueError(f"--{flag}: {nearest(name, table.columns, 'column')} ({table.name})")


def guess_id(table: Table, cells: dict[str, Cells], options: Options) -> str | None:
    """Return the column that names the items: the one asked for, else the likeliest, None if there is none."""
    if options.id is not None:
        return options.id
    if table.id is not None:
        return table.id
    taken = {name for option, name in options.named if option in {"features", "text", "image", "categorical"}}
    free = [name for name in table.columns if name not in taken and not cells[name].is_block]
    numbering = None
    for name in names.ids_in_order(free):
        if not _names_every_row(cells[name]) or (cells[name].is_numeric and not cells[name].is_whole):
            continue
        if not _counts_rows(cells[name]):
            return name
        numbering = numbering or name  # a name would say more than a number
    for name in free:
        column = cells[name]
        if not column.is_numeric and not column.is_date and _names_every_row(column) and not is_long(column):
            return name
    for name in names.ids_in_order(free):
        if not cells[name].is_numeric and _names_nearly_every_row(cells[name]):
            return name
    counted = [name for name in free if names.is_index(name) and cells[name].is_whole and _names_every_row(cells[name])]
    return numbering or (counted[0] if counted else None)


def _passed_over(table: Table, cells: dict[str, Cells], chosen: str | None) -> list[str]:
    """Return a sentence on why the column that is called most like an id is not the one, or what is wrong with it."""
    likely = names.ids_in_order([name for name in table.columns if not cells[name].is_block])
    if not likely:
        return []
    seen: dict[str, int] = {}
    for row, name in enumerate(ids_of(cells[likely[0]])):
        if not name:
            return [f"Column {likely[0]!r} does not name the items, since it is empty on {table.where(row)}."]
        if name in seen:
            places = f"{table.where(seen[name])} and {table.where(row)}"
            if likely[0] == chosen:
                return [f"{name!r} is there twice, on {places}: the second one is called '{name} (2)', and so on."]
            return [f"Column {likely[0]!r} does not name the items, since {name!r} is there twice: {places}."]
        seen[name] = row
    return []


def ids_of(column: Cells) -> list[str]:
    """Return the cells of a column as the names of items; only an empty cell is no name."""
    values = column.values.tolist() if isinstance(column.values, np.ndarray) else column.values
    return ["" if value != value else as_string(value) for value in values]


def _names_every_row(column: Cells) -> bool:
    ids = ids_of(column)
    return len(set(ids)) == len(ids) and "" not in ids


def _names_nearly_every_row(column: Cells) -> bool:
    """Return whether few names are there more than once: these get numbers."""
    ids = ids_of(column)
    return len(set(ids)) >= NEARLY_ALL * len(ids) and "" not in ids


def is_numbering(column: Cells) -> bool:
    """Return whether a column counts the rows, or numbers them in some other order, as its name says."""
    if _counts_rows(column):
        return True
    is_complete = column.is_whole and not column.missing.any()
    return names.is_index(column.name) and is_complete and len(np.unique(column.numbers)) == len(column)


def _counts_rows(column: Cells) -> bool:
    """Return whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
    if not column.is_whole or column.missing.any() or len(column) < FEWEST_ROWS_TO_COUNT:
        return False
    return column.numbers[0] in {0, 1} and bool((np.diff(column.numbers) == 1).all())


def is_long(column: Cells) -> bool:
    """Return whether the strings of a column are texts to be read rather than names."""
    texts = [text for text in column.strings[:NUM_LOOKED_AT] if text is not None]
    if not texts:
        return False
    num_words = median(len(text.split()) for text in texts)
    is_one_word = num_words < 2 and all(text.isascii() for text in texts)  # an address or a code
    return num_words >= FEWEST_WORDS or (median(map(len, texts)) >= FEWEST_CHARACTERS and not is_one_word)


def two_words(column: Cells) -> dict[str, float] | None:
    """Return the two values of a column of strings, the first as 0 and the second as 1; None if there are others."""
    words = sorted({text.casefold() for text in column.counts})
    if len(words) != 2:
        return None
    if words[0] in TRUE_WORDS and words[1] in FALSE_WORDS:
        words.reverse()
    is_known = words[0] in FALSE_WORDS and words[1] in TRUE_WORDS
    return {words[0]: 0.0, words[1]: 1.0} if is_known or len(column) > 2 else None


class _Guess:
    """The role of one column after the other."""

    def __init__(self, table: Table, cells: dict[str, Cells], options: Options, plan: Plan) -> None:
        self.table, self.cells, self.options, self.plan = table, cells, options, plan
        self.singles = [name for name in table.columns if not cells[name].is_block]
        self.has_image = options.image is not None or table.image is not None or options.embeddings is not None

    def role(self, name: str) -> tuple[str, str]:
        options, column = self.options, self.cells[name]
        if name == EMBEDDING and options.embeddings is not None:
            return "embedding", f"{column.numbers.shape[1]} numbers in each row, from {options.embeddings.name}"
        if name in options.leave_out:
            return "aside", "left out, as asked"
        if name in (options.text or ()) or (name == self.table.text and options.text is None):
            return self._text(name)
        if name == options.image or (name == self.table.image and options.image is None):
            return self._image(name)
        is_asked = name in (options.features or ())
        if options.features is not None and not is_asked:
            return "aside", "not among the features that were asked for"
        if column.is_block:
            return "embedding", f"{column.numbers.shape[1]} numbers in each row"
        if column.is_empty:
            return "aside", "has no entries"
        num_missing = int(column.missing.sum())
        if num_missing > len(column) / 2 and not is_asked:
            share = f"{num_missing} of {len(column)} values are missing"
            self.plan.notes.append(f"Column {name!r} is not used as a feature: {share}.")
            return "aside", share
        if column.is_constant:
            return "aside", "is the same in every row"
        if name in options.categorical:
            return "category", f"{len(column.counts)} values"
        return self._numeric(name, is_asked) if column.is_numeric else self._strings(name, is_asked)

    def _text(self, name: str) -> tuple[str, str]:
        if self.options.embeddings is not None:
            return "aside", "is shown; the embeddings stand for it"
        return "text", "is read, word by word"

    def _image(self, name: str) -> tuple[str, str]:
        if self.options.embeddings is not None:
            return "image", "is shown; the embeddings stand for it"
        return "image", "is looked at, pixel by pixel"

    def _is_label(self, name: str, is_asked: bool) -> bool:
        if is_asked or not names.is_label(name, self.singles):
            return False
        self.plan.notes.append(
            f"Column {name!r} looks like a label, so it is not used as a feature; to use it, "
            "name it with --features, beside the others that are wanted."
        )
        return True

    def _numeric(self, name: str, is_asked: bool) -> tuple[str, str]:
        column = self.cells[name]
        if not is_asked and is_numbering(column):
            return "aside", "numbers the rows"
        if self._is_label(name, is_asked):
            return "aside", "looks like a label"
        filled = column.numbers[~np.isnan(column.numbers)]
        if not filled.size:
            return "number", "no finite number"
        if len(np.unique(filled)) == 2:
            return "binary", f"{filled.min():g} or {filled.max():g}"
        return "number", f"from {filled.min():g} to {filled.max():g}"

    def _strings(self, name: str, is_asked: bool) -> tuple[str, str]:
        column = self.cells[name]
        if not self.has_image and _is_image_column(column, self.table.folder):
            self.has_image = True
            return self._image(name)
        num_values = len(column.counts)
        # Who asks for a column may have few rows of each category.
        is_few = num_values <= MOST_CATEGORIES and num_values <= (len(column) - 1 if is_asked else len(column) / 2)
        is_text = is_long(column) and not is_few
        if not is_text and self._is_label(name, is_asked):
            return "aside", "looks like a label"
        if column.is_date:
            if is_asked:
                raise self.table.error(f"column {name!r} holds dates, which cannot be a feature; make numbers of them")
            return "aside", "holds dates"
        words = two_words(column)
        if words is not None:
            return "binary", " or ".join(words)
        if is_few:
            return "category", f"{num_values} values"
        if is_text and (self.options.text is None or is_asked):
            return self._text(name)
        if is_asked:
            raise self.table.error(
                f"column {name!r} has {num_values} different values in {len(column)} rows, so it is no feature as it is; "
                f"have it read as text with --text {name}, or as categories with --categorical {name}"
            )
        return "aside", "is a text, not read" if is_text else f"{num_values} different values"


def _is_image_column(column: Cells, folder: Path) -> bool:
    paths = [text for text in column.strings if text is not None][:NUM_LOOKED_AT]
    named = [path for path in paths if Path(path).suffix.lower() in IMAGE_ENDINGS]
    if not paths or len(named) < MOSTLY * len(paths):
        return False
    found = sum((folder / path).is_file() for path in named[:100])
    return 2 * found > len(named[:100])
