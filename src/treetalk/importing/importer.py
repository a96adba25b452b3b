"""From a person's file or folder to items and features."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from treetalk.importing import names
from treetalk.importing.cells import Cells, understand
from treetalk.importing.decimals import decimals_of
from treetalk.importing.embeddings import with_embeddings
from treetalk.importing.groups import ALL_NUMBERS, Group, groups_of
from treetalk.importing.ids import about_repeats, guess_id, item_names
from treetalk.importing.options import Options
from treetalk.importing.reading import Pixels, Text
from treetalk.importing.recipe import Recipe, pictures_of
from treetalk.importing.results import Column, Image, Imported, Value
from treetalk.importing.roles import EMBEDDING, Plan, check_names, plan_columns
from treetalk.importing.rows import usable_rows
from treetalk.importing.sources import read_source
from treetalk.importing.steps import Categories, Given, Numbers, Step
from treetalk.importing.table import Table, series_of

if TYPE_CHECKING:
    from treetalk.errors import FormatError

LONGEST_TEXT = 2_000
FEWEST_OF_DISTANCES = 3
THE_SAME = "the same in all rows, or missing"


def import_source(path: str | os.PathLike[str], options: Options | None = None) -> Imported:
    """Return the items of a source and their features.

    Parameters
    ----------
    path : str or path
        A CSV, TSV, Parquet, Excel, .npy, .npz or .h5ad file, or a folder of images or texts.
    options : Options, optional
        What is not to be guessed.

    Returns
    -------
    Imported
        The items, their features, and what was made of each column.
    """
    if not isinstance(path, str | os.PathLike):
        taken = "Session and Project.create take a data frame or an AnnData object as it is"
        raise TypeError(f"import_source reads a file or a folder, not {type(path).__name__}; {taken}")
    options = options or Options()
    table = read_source(Path(path), options)
    check_names(table, options)
    source = table.in_words()
    decimals = decimals_of(table)
    cells = understand(table, decimals.commas)
    if options.embeddings is not None:
        table = with_embeddings(table, options.embeddings, guess_id(table, cells, options))
        cells[EMBEDDING] = Cells(EMBEDDING, table.columns[EMBEDDING])
    _refuse_distances(table, cells)
    plan = plan_columns(table, cells, options)
    groups = groups_of(plan, cells, options)
    shown_image = next(iter(plan.with_role("image")), None)
    pictures = pictures_of(table, cells, groups, shown_image)
    notes = [*table.notes, *decimals.notes, *plan.notes]
    if pictures is not None and pictures.problems and options.embeddings is not None:
        row, problem = min(pictures.problems.items())
        notes.append(f"{len(pictures.problems)} pictures cannot be shown (the first: {table.where(row)}: {problem}).")
    given, steps, about_features = _learned(Given(table, cells, pictures), groups, options, plan.id)
    table, cells, pictures = given
    items = item_names(table, plan.id, is_guessed=options.id is None)
    if not steps:
        raise _no_features(table, _columns(plan, groups, []))
    recipe = Recipe(options, plan.id, steps, decimals.commas)
    images: list[Image | None] = [None] * len(table) if pictures is None else pictures.images
    return Imported(
        items=items,
        texts=_texts(table, cells, plan, options.label),
        images=tuple(images),
        more=_more(table, cells, plan),
        X=recipe.features(given),
        feature_names=recipe.feature_names,
        columns=_columns(plan, groups, steps),
        notes=(*notes, *about_repeats(table, plan.id), *about_features, *_about_weights(steps)),
        recipe=recipe,
        source=source,
    )


def _learned(
    given: Given, groups: list[Group], options: Options, id: str | None
) -> tuple[Given, list[Step], list[str]]:
    """Return the rows that can be used, what was learned from them, and sentences on both."""
    table, cells, pictures = given
    about_others: list[str] = []
    while True:
        is_kept, about_rows = usable_rows(table, cells, groups, pictures, options, id)
        if is_kept.sum() < 2:
            raise table.error("there is one row that can be used; a hierarchy needs at least 2 items")
        if not is_kept.all():
            given = Given(
                table.keep(is_kept),
                {name: column.keep(is_kept) for name, column in cells.items()},
                None if pictures is None else pictures.keep(is_kept),
            )
        else:
            given = Given(table, cells, pictures)
        steps, about_features = [], []
        for group in groups:
            notes: list[str] = []
            step = _learn(group, given, options, notes)
            if step is None:
                about_others.extend(notes)
            else:
                steps.append(step)
                about_features.extend(notes)
        if len(steps) in {0, len(groups)} or is_kept.all():
            return given, steps, [*about_rows, *about_others, *about_features]
        # What is no feature leaves no row out: neither here nor when new items come.
        groups = [step.group for step in steps]


def _learn(group: Group, given: Given, options: Options, notes: list[str]) -> Step | None:
    if group.kind == "categories":
        return Categories.learn(group, given, notes)
    if group.kind == "text":
        return Text.learn(group, given, options.dimensions, options.seed, notes)
    if group.kind == "pixels":
        return Pixels.learn(group, given, options.dimensions, options.seed, notes)
    return Numbers.learn(group, given, options.dimensions, options.seed, notes)


def _about_weights(steps: list[Step]) -> list[str]:
    """Return sentences on what weighs how much beside other features, unless it is a column of numbers."""
    if len(steps) < 2:
        return []
    about = []
    if any(step.group.kind == "categories" for step in steps):
        about.append("A column of categories weighs as much as a column of numbers.")
    return about + [
        f"{step.group.name!r} weighs as much as {len(step.names)} columns of numbers."
        for step in steps
        if step.group.kind != "categories" and step.group.name != ALL_NUMBERS and len(step.names) > 1
    ]


def _refuse_distances(table: Table, cells: dict[str, Cells]) -> None:
    """Refuse a table of distances: read as features, it would give some hierarchy, but not the one that was meant."""
    blocks = [column.numbers for column in cells.values() if column.is_block]
    singles = [column for column in cells.values() if column.is_numeric and not column.is_block]
    if len(singles) == len(table):
        blocks.append(np.column_stack([column.numbers for column in singles]))
    for block in blocks:
        num_rows, num_columns = block.shape
        if num_rows != num_columns or num_rows < FEWEST_OF_DISTANCES or np.diag(block).any():
            continue
        if np.array_equal(block, block.T) or np.allclose(block, block.T, rtol=1e-6, atol=0):
            raise table.error(
                f"the {num_rows} by {num_columns} numbers are square and symmetric with a zero diagonal: a distance matrix; "
                "treetalk needs features, a row for each item; sklearn.manifold.MDS makes features of distances"
            )


def _no_features(table: Table, columns: tuple[Column, ...]) -> FormatError:
    reasons = [f"{column.name!r} ({column.how})" for column in columns]
    shown = reasons[:10] + ([f"{len(reasons) - 10} more"] if len(reasons) > 10 else [])
    hint = "" if all(column.how == THE_SAME for column in columns) else "; name some with --features, or --text"
    return table.error(f"no column serves as a feature: {', '.join(shown)}{hint}")


def _texts(table: Table, cells: dict[str, Cells], plan: Plan, label: str | None) -> tuple[str | None, ...]:
    """Return what is shown beside the names: what was asked for, a text from a file, a title, a text of the table."""
    others = [name for name in table.columns if name != plan.id]
    titles = [name for name in names.titles_in_order(others) if not cells[name].is_numeric]
    candidates = [*(name for name in (label, table.text) if name is not None), *titles, *plan.with_role("text")]
    if not candidates:
        return (None,) * len(table)
    return tuple(text if text is None else text[:LONGEST_TEXT] for text in cells[candidates[0]].strings)


def _more(table: Table, cells: dict[str, Cells], plan: Plan) -> tuple[dict[str, Value], ...]:
    """Return the other columns of each row; not embeddings, pixels and other long series of numbers, which nobody reads."""
    hidden = {plan.id, table.text} | {
        member for members in series_of(plan.with_role("number", "binary")).values() for member in members
    }
    shown = [name for name, column in cells.items() if name not in hidden and not column.is_block]
    values = [cells[name].shown() for name in shown]
    return (
        tuple(dict(zip(shown, row, strict=True)) for row in zip(*values, strict=True)) if shown else ({},) * len(table)
    )


def _columns(plan: Plan, groups: list[Group], steps: list[Step]) -> tuple[Column, ...]:
    """Return what became of each column, a numbered series of them in one line."""
    lines = dict(plan.columns)
    learned = {step.group.columns: step for step in steps}
    for group in groups:
        first, *others = group.columns
        step = learned.get(group.columns)
        if step is None:
            lines |= {name: Column(name, "aside", THE_SAME) for name in group.columns}
            continue
        is_reduced = isinstance(step, Numbers) and step.components is not None
        reduced = f", reduced to {len(step.names)} components" if is_reduced else ""
        if group.kind == "block":
            lines[first] = lines[first]._replace(how=lines[first].how + reduced)
        elif others and group.name != ALL_NUMBERS:
            for name in others:
                del lines[name]
            title = f"{first} to {group.columns[-1]}"
            lines[first] = Column(title, "embedding", f"{len(group.columns)} columns with one unit{reduced}")
    return tuple(lines.values())
