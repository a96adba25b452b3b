"""Folders of images or texts as tables with a row for each file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from treetalk.errors import FormatError, TreetalkError
from treetalk.importing.delimited import decode
from treetalk.importing.options import Options
from treetalk.importing.roles import IMAGE_ENDINGS
from treetalk.importing.table import Table, Values

NEARLY_ALL = 0.9  # of the images and texts; the rest is a stray file
TEXT_ENDINGS = frozenset({".txt", ".md"})
FILE, FOLDER, PATH, IMAGE, TEXT = "file", "folder", "path", "image", "text"


def read_folder(path: Path, options: Options) -> Table:
    """Read a folder of images or of texts, in the order of the files' paths."""
    name = path.resolve().name or str(path)
    files = sorted(file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file())
    files = [file for file in files if not any(part.startswith((".", "__MACOSX")) for part in file.split("/"))]
    images = [file for file in files if Path(file).suffix.lower() in IMAGE_ENDINGS]
    texts = [file for file in files if Path(file).suffix.lower() in TEXT_ENDINGS]
    if not files:
        raise TreetalkError(f"the folder {name} is empty")
    if images and texts and max(len(images), len(texts)) < NEARLY_ALL * (len(images) + len(texts)):
        raise TreetalkError(
            f"the folder {name} holds both images ({len(images)}, the first is {images[0]!r}) and texts ({len(texts)}, "
            f"the first is {texts[0]!r}); put them into folders of their own"
        )
    if not images and not texts:
        raise TreetalkError(
            f"the folder {name} holds no images or texts (.txt, .md); the first of its {len(files)} files is {files[0]!r}"
        )
    known = {*images, *texts}
    others = [file for file in files if file not in known]
    notes = []
    if others:
        notes.append(
            f"{_counted(len(others), 'file')} passed over, being neither image nor text (the first: {others[0]!r})."
        )
    if len(images) > len(texts):
        if texts:
            notes.append(f"{_counted(len(texts), 'text')} left out among the images (the first: {texts[0]!r}).")
        return _of_images(path, name, images, notes)
    if images:
        notes.append(f"{_counted(len(images), 'image')} left out among the texts (the first: {images[0]!r}).")
    return _of_texts(path, name, texts, options, notes)


def _counted(number: int, what: str) -> str:
    return f"1 {what} was" if number == 1 else f"{number} {what}s were"


def _of_images(path: Path, name: str, files: list[str], notes: list[str]) -> Table:
    columns: dict[str, Values] = {FILE: _names(files), IMAGE: list(files), **_folders(files)}
    return _table(path, name, columns, np.arange(len(files)), len(files), "images", notes)


def _of_texts(path: Path, name: str, files: list[str], options: Options, notes: list[str]) -> Table:
    texts, rows, problems = [], [], []
    for row, file in enumerate(files):
        try:
            texts.append(decode((path / file).read_bytes(), file, options.encoding))
            rows.append(row)
        except FormatError as error:
            if not options.skip_bad_rows:
                raise
            problems.append(str(error))
    if problems:
        notes.append(f"{_counted(len(problems), 'text')} left out (the first: {problems[0]}).")
    if not rows:
        raise TreetalkError(f"the folder {name} holds no text that can be read: {problems[0]}")
    kept = [files[row] for row in rows]
    # Names are those of all files, so that they do not depend on which of them can be read.
    of_all = _names(files)
    names = [of_all[row] for row in rows]
    columns: dict[str, Values] = {FILE: names, PATH: kept, **_folders(kept), TEXT: texts}
    return _table(path, name, columns, np.array(rows), len(files), "texts", notes)


def _table(
    path: Path,
    name: str,
    columns: dict[str, Values],
    rows: np.ndarray[tuple[int], np.dtype[np.int64]],
    total: int,
    what: str,
    notes: list[str],
) -> Table:
    return Table(
        name=name,
        columns=columns,
        lines=rows + 1,
        rows=rows,
        num_rows_in_file=total,
        folder=path,
        place="file",
        labels=IMAGE if IMAGE in columns else PATH,
        description=f"{name}: {total} {what}",
        id=FILE,
        text=TEXT if TEXT in columns else None,
        image=IMAGE if IMAGE in columns else None,
        notes=tuple(notes),
    )


def _names(files: list[str]) -> list[str]:
    """Return the stem of each file, or its path where another file has the same stem."""
    stems = [Path(file).stem for file in files]
    counts = Counter(stems)
    names = [stem if counts[stem] == 1 else file for stem, file in zip(stems, files, strict=True)]
    return names if len(set(names)) == len(names) else files


def _folders(files: list[str]) -> dict[str, Values]:
    folders = [file.rpartition("/")[0] for file in files]
    return {FOLDER: folders} if any(folders) else {}
