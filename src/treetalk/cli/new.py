"""``treetalk new``: a project from a table, a matrix, texts or pictures."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treetalk.cli import outcome
from treetalk.cli.options import AsJson, Asked, Seed, SettingName
from treetalk.cli.waiting import waiting
from treetalk.cli.wording import counted, table

if TYPE_CHECKING:
    from treetalk.importing import Imported

MOST_COLUMNS = 40  # that are shown one by one


class Scaling(StrEnum):
    """Whether columns of numbers have one unit."""

    auto = "auto"
    each = "each"
    together = "together"


class Missing(StrEnum):
    """What becomes of empty cells."""

    fill = "fill"
    drop = "drop"
    refuse = "refuse"


# What can be said about the source.
Id = Annotated[str | None, typer.Option("--id", metavar="COLUMN", help="The column that names the items.")]
Label = Annotated[str | None, typer.Option(metavar="COLUMN", help="The column to show beside the ids.")]
Text = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="A column to be read as text; may be repeated.")]
NoText = Annotated[bool, typer.Option("--no-text", help="Read no column as text.")]
Picture = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column with paths of images, relative to the table.")
]
Features = Annotated[
    str | None, typer.Option(metavar="COLUMNS", help="Use exactly these columns, with commas between.")
]
Categorical = Annotated[
    str | None, typer.Option(metavar="COLUMNS", help="These are categories, though they may look like numbers.")
]
LeaveOut = Annotated[str | None, typer.Option(metavar="COLUMNS", help="These are not used, only kept for display.")]
Embeddings = Annotated[
    Path | None,
    typer.Option(help="Use these instead, and --features if given: .npy, .npz (rows in order), or a table with ids."),
]
Dimensions = Annotated[int, typer.Option(help="At most so many components of text, images or embeddings.", min=1)]
InOneUnit = Annotated[
    Scaling, typer.Option(help="each: every column of numbers has its own unit; together: all have one; or guess.")
]
WhereEmpty = Annotated[
    Missing, typer.Option(help="Empty cells: fill them in (numbers: the median), drop their rows, or refuse them.")
]
SkipBadRows = Annotated[bool, typer.Option("--skip-bad-rows", help="Leave out rows that cannot be read.")]
Encoding = Annotated[str | None, typer.Option(help="The encoding of a text file, such as cp1252; UTF-8 by default.")]
Layer = Annotated[str | None, typer.Option(metavar="NAME", help="The layer of an AnnData file; X by default.")]
Obsm = Annotated[
    str | None, typer.Option(metavar="NAME", help="The matrix of an AnnData file to use instead of X, such as X_pca.")
]
Sheet = Annotated[str | None, typer.Option(help="The sheet of an Excel file; the first by default.")]


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The project to make, such as zoo.treetalk.")],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="A table (CSV, TSV, Parquet, Excel), a matrix (.npy, .npz, .h5ad), or a folder of images or of texts.",
        ),
    ],
    id: Id = None,
    label: Label = None,
    text: Text = None,
    no_text: NoText = False,
    image: Picture = None,
    features: Features = None,
    categorical: Categorical = None,
    leave_out: LeaveOut = None,
    embeddings: Embeddings = None,
    dimensions: Dimensions = 50,
    scaling: InOneUnit = Scaling.auto,
    missing: WhereEmpty = Missing.fill,
    skip_bad_rows: SkipBadRows = False,
    encoding: Encoding = None,
    sheet: Sheet = None,
    layer: Layer = None,
    obsm: Obsm = None,
    strategy: Asked = None,
    subset_size: Annotated[int, typer.Option(help="How many items a question shows.", min=3)] = 10,
    setting: Annotated[
        SettingName, typer.Option(help="How the project goes about its work: our way, or the paper's.")
    ] = SettingName.treetalk,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Make a project from a table, a matrix, or a folder of texts or images.

    Which column is the id, the text, the image, and which are features is guessed, shown, and can be said with options. What
    was done is kept in the project. A file that is there already is never overwritten.

    Example: treetalk new zoo.treetalk animals.csv

    Example: treetalk new papers.treetalk abstracts.xlsx --id doi --text abstract --leave-out year,journal

    Example: treetalk new birds.treetalk photos/ --embeddings clip.npy

    Example: treetalk new cells.treetalk pbmc.h5ad --obsm X_pca
    """
    from treetalk.importing import Options, import_source
    from treetalk.project.making import check_absent

    _check_order(file, source)
    check_absent(file)
    options = Options(
        id=id,
        text=() if no_text else tuple(text) if text else None,
        image=image,
        features=None if features is None else _names(features),
        categorical=_names(categorical),
        leave_out=_names(leave_out),
        label=label,
        embeddings=embeddings,
        dimensions=dimensions,
        scaling=str(scaling),
        missing=str(missing),
        skip_bad_rows=skip_bad_rows,
        encoding=encoding,
        sheet=sheet,
        layer=layer,
        obsm=obsm,
        seed=seed,
    )
    with waiting(f"Making {file.name}"):
        imported = import_source(source, options)
        _make(
            file,
            imported,
            strategy=strategy and str(strategy),
            setting=str(setting),
            subset_size=subset_size,
            seed=seed,
        )
    if json:
        outcome.as_json(_summary(file, imported))
        return
    _tell(file, imported)


def _tell(file: Path, imported: Imported) -> None:
    """Print what became of the source."""
    outcome.show(f"{imported.source}\n")
    shown = imported.columns[:MOST_COLUMNS]
    outcome.show(table(("column", "used as", "how"), shown))
    if len(imported.columns) > len(shown):
        outcome.show(f"and {counted(len(imported.columns) - len(shown), 'more column')}")
    for note in imported.notes:
        outcome.show(f"\n{outcome.as_sentence(note)}")
    num_items, num_features = imported.X.shape
    outcome.show(f"\n{file}: {counted(num_items, 'item')}, {counted(num_features, 'feature')}.")
    outcome.say(f"Next: treetalk serve {file} asks you in the browser, treetalk ask {file} in the terminal")


def _make(file: Path, imported: Imported, **options: Any) -> None:
    """Make the project, and sample so much that the first question is worth asking."""
    from treetalk.project import open_project
    from treetalk.project.making import create_from
    from treetalk.sampling import sample_a_little

    create_from(file, imported, **options)
    try:
        with open_project(file) as project:
            sample_a_little(project)
    except KeyboardInterrupt:
        outcome.fail(f"Interrupted: {file} is made, and can be used, but is not sampled yet", outcome.INTERRUPTED)


def _check_order(file: Path, source: Path) -> None:
    """Say so if the two were given the wrong way round."""
    if file.exists() and not source.exists():
        outcome.fail(
            f"{source} is not there, and {file} is: the project comes first, then the source: treetalk new {source} {file}"
        )


def _names(columns: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in columns.split(",")) if columns else ()


def _summary(file: Path, imported: Imported) -> dict[str, Any]:
    return {
        "project": str(file),
        "source": imported.source,
        "num_items": imported.X.shape[0],
        "num_features": imported.X.shape[1],
        "columns": [column._asdict() for column in imported.columns],
        "features": list(imported.feature_names),
        "notes": list(imported.notes),
    }
