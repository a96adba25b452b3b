"""Which columns are features and of what kind, and which are put aside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote

import numpy as np

from treetalk.importing import names
from treetalk.importing.cells import NUM_LOOKED_AT, Cells
from treetalk.importing.ids import about_id, guess_id, is_code, is_numbering
from treetalk.importing.numerals import MOSTLY
from treetalk.importing.options import Options, in_words, nearest
from treetalk.importing.results import Column
from treetalk.importing.table import Table

IMAGE_ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"})
MOST_CATEGORIES = 20
MOST_MISSING, MOST_MISSING_CATEGORIES = 0.5, 0.25  # of the rows; a number can be filled in, a category cannot
FEATURES = ("number", "binary", "category", "embedding", "text")  # roles
NUM_NAMED = 5  # columns in a sentence
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
    plan.notes.extend(about_id(table, cells, plan.id, options))
    guess = _Guess(table, cells, options, plan)
    has_embeddings_only = options.embeddings is not None and options.features is None
    passed_over = []
    for name in table.columns:
        role, how = ("id", "names the items") if name == plan.id else guess.role(name)
        if has_embeddings_only and role in FEATURES and name != EMBEDDING:
            role, how = "aside", "not used beside embeddings"
            passed_over.append(name)
        if role in FEATURES and table.only not in {None, name} and options.features is None:
            role, how = "aside", f"not used beside {table.only}"
        plan.columns[name] = Column(name, role, how)
    if passed_over:
        plan.notes.append(_beside_embeddings(passed_over))
    return plan


def check_names(table: Table, options: Options) -> None:
    """Refuse options that name a column that the table does not have."""
    for option, name in options.named:
        if name not in table.columns:
            flag = option.replace("_", "-")
            raise ValueError(f"--{flag}: {nearest(name, table.columns, 'column')} ({table.name})")


def _beside_embeddings(columns: list[str]) -> str:
    which = f"column {columns[0]!r} is" if len(columns) == 1 else f"columns {in_words(columns, 'and')} are"
    if len(columns) > NUM_NAMED:
        which = f"{len(columns)} columns, such as {columns[0]!r}, are"
    return f"Only the embeddings are features, so {which} not used; to use columns beside them, name these with --features."


def two_words(column: Cells) -> dict[str, float] | None:
    """Return the two values of a column of strings, the first as 0 and the second as 1; None if there are others."""
    words = sorted({text.casefold() for text in column.counts})
    if len(words) != 2:
        return None
    if words[0] in TRUE_WORDS and words[1] in FALSE_WORDS:
        words.reverse()
    pair = {words[0]: 0.0, words[1]: 1.0}
    return pair if is_yes_or_no(pair) or len(column) > 2 else None


def is_yes_or_no(words: Iterable[str]) -> bool:
    """Return whether of two words the first denies and the second affirms."""
    first, second = words
    return first in FALSE_WORDS and second in TRUE_WORDS


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
        if name in options.categorical:
            if column.is_constant:
                return "aside", "is the same in every row"
            return "category", f"{len(column.counts)} values"
        if not is_asked and not column.is_numeric and names.is_comment(name):
            self.plan.notes.append(
                f"Column {name!r} looks like a comment, so it is not used as a feature; to use it, say "
                f"--text {quote(name)} or --categorical {quote(name)}."
            )
            return "aside", "looks like a comment"
        sparse = "" if is_asked else self._sparse(name, MOST_MISSING)
        if sparse:
            self.plan.notes.append(f"Column {name!r} is not used as a feature: {sparse}.")
            return "aside", sparse
        if column.is_constant:
            return "aside", "is the same in every row"
        return self._numeric(name, is_asked) if column.is_numeric else self._strings(name, is_asked)

    def _sparse(self, name: str, most: float) -> str:
        """Return how many values are missing if these are too many."""
        missing = self.cells[name].missing
        num_missing = int(missing.sum())
        return f"{num_missing} of {len(missing)} values are missing" if num_missing > most * len(missing) else ""

    def _category(self, name: str, role: str, how: str, is_asked: bool) -> tuple[str, str]:
        sparse = "" if is_asked else self._sparse(name, MOST_MISSING_CATEGORIES)
        if not sparse:
            return role, how
        self.plan.notes.append(
            f"Column {name!r} is not used as a feature: {sparse}; to use it, say --categorical {quote(name)}."
        )
        return "aside", sparse

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
        if not is_asked and is_code(column):
            return "aside", "looks like a code"
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
        is_text = column.is_long and not is_few
        if not is_text and self._is_label(name, is_asked):
            return "aside", "looks like a label"
        if column.is_date:
            if is_asked:
                raise self.table.error(f"column {name!r} holds dates, which cannot be a feature; make numbers of them")
            return "aside", "holds dates"
        words = two_words(column)
        if words is not None and is_yes_or_no(words):
            return "binary", " or ".join(words)
        if words is not None:
            return self._category(name, "binary", " or ".join(words), is_asked)
        if is_few:
            return self._category(name, "category", f"{num_values} values", is_asked)
        if is_text and (self.options.text is None or is_asked):
            return self._text(name)
        if is_asked:
            raise self.table.error(
                f"column {name!r} has {num_values} different values in {len(column)} rows, so it is no feature as it is; "
                f"have it read as text with --text {quote(name)}, or as categories with --categorical {quote(name)}"
            )
        if column.is_coded:
            return "aside", "looks like a code"
        return "aside", "is a text, not read" if is_text else f"{num_values} different values"


def _is_image_column(column: Cells, folder: Path) -> bool:
    paths = [text for text in column.strings if text is not None][:NUM_LOOKED_AT]
    named = [path for path in paths if Path(path).suffix.lower() in IMAGE_ENDINGS]
    if not paths or len(named) < MOSTLY * len(paths):
        return False
    found = sum((folder / path).is_file() for path in named[:100])
    return 2 * found > len(named[:100])
