"""What can be taken away from a project: the hierarchy in formats that other programs read, and the answers as tables.

`FORMATS` describes each format for menus, and `exported` writes it.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from treetalk.answers import Answer
    from treetalk.arguments import Items
    from treetalk.project import Record
    from treetalk.tree import Tree


class Format(StrEnum):
    """What can be written."""

    newick = "newick"
    nexus = "nexus"
    linkage = "linkage"
    json = "json"
    nested_json = "nested-json"
    labels = "labels"
    outline = "outline"
    triplets = "triplets"
    answers = "answers"


class Described(NamedTuple):
    """A format as a menu offers it."""

    words: str
    media_type: str
    ending: str  # of a file's name, after that of the project


FORMATS = {
    Format.newick: Described("Newick: the hierarchy with support", "text/plain", ".nwk"),
    Format.nexus: Described("NEXUS: all sampled hierarchies", "text/plain", ".nex"),
    Format.linkage: Described("Linkage: the hierarchy as SciPy's matrix", "text/csv", "-linkage.csv"),
    Format.json: Described("JSON: the hierarchy with all details", "application/json", ".json"),
    Format.nested_json: Described("Nested JSON: the hierarchy as d3 reads it", "application/json", "-nested.json"),
    Format.labels: Described("Labels: the cluster of each item", "text/csv", "-labels.csv"),
    Format.outline: Described("Outline: the hierarchy as a nested list in Markdown", "text/markdown", ".md"),
    Format.triplets: Described("Triplets: the answers in force", "text/csv", "-triplets.csv"),
    Format.answers: Described("Answers: everything that was ever said", "text/csv", "-answers.csv"),
}
ENDINGS = {
    ".nwk": Format.newick,
    ".newick": Format.newick,
    ".tree": Format.newick,
    ".nex": Format.nexus,
    ".nexus": Format.nexus,
    ".nxs": Format.nexus,
    ".npy": Format.linkage,
    ".json": Format.json,
    ".csv": Format.labels,
    ".md": Format.outline,
}
WITH_SAMPLES = (Format.newick, Format.nexus)
TABLES = (Format.triplets, Format.answers)
KINDS = ("central", "majority", "credible")

TRIPLET_COLUMNS = ("a", "b", "c", "who", "time", "comment")
ANSWER_COLUMNS = (
    "id", "time", "who", "kind", "a", "b", "c", "retracts", "strategy", "seconds", "comment", "shown",
    "gesture",
)  # fmt: skip


class Exported(Protocol):
    """What an export looks at: a project, or what was taken from one."""

    @property
    def path(self) -> Path:
        """The file of the project."""

    @property
    def items(self) -> Items:
        """The ids of the items."""

    @property
    def tree(self) -> Tree:
        """The hierarchy."""

    @property
    def samples(self) -> list[Tree]:
        """The sampled hierarchies."""

    @property
    def records(self) -> tuple[Record, ...]:
        """All answers."""

    @property
    def in_force(self) -> tuple[Answer, ...]:
        """The answers in force."""

    def consensus(self, kind: str) -> Tree:
        """Return another summary of the sampled hierarchies."""


class WrongKind(ValueError):
    """A kind of summary that a format cannot hold.

    Attributes
    ----------
    problem : str
        Why.
    kinds : tuple of str
        The kinds that it can hold.
    """

    def __init__(self, problem: str, kinds: tuple[str, ...]) -> None:
        self.problem, self.kinds = problem, kinds
        super().__init__(f"{problem}; use the kind {' or '.join(map(repr, kinds))}")


def exported(
    project: Exported,
    chosen: str,
    *,
    clusters: int | None = None,
    samples: bool = False,
    kind: str | None = None,
    depth: int | None = None,
    as_array: bool = False,
) -> str | bytes:
    """Return a project's hierarchy or its answers as text, or as the bytes of a file.

    Parameters
    ----------
    project : Project
        The project.
    chosen : Format or str
        The format.
    clusters : int, optional
        With "labels": how many clusters; by default, `usual_clusters`.
    samples : bool
        With "newick" and "nexus": all sampled hierarchies, not one summary. "nexus" has them unless `kind` is given.
    kind : str, optional
        Which summary of the sampled hierarchies: "central" (the default), "majority" or "credible".
    depth : int, optional
        With "outline": how many levels are listed.
    as_array : bool
        With "linkage": NumPy's file instead of CSV without a header.

    Raises
    ------
    ValueError
        If an option does not go with the format, or the format cannot hold the hierarchy.
    """
    wanted = as_format(chosen)
    check_options(wanted, clusters=clusters, samples=samples, kind=kind, depth=depth, as_array=as_array)
    if wanted in TABLES:
        return answers_as_csv(answer_rows(project, wanted), wanted)
    if samples or (wanted == Format.nexus and kind is None):
        return _trees(project.samples, wanted)
    tree = tree_of_kind(project, kind)
    if wanted in WITH_SAMPLES:
        return _trees([tree], wanted)
    if wanted == Format.json:
        return f"{tree.to_json()}\n"
    if wanted == Format.nested_json:
        return f"{tree.to_nested_json()}\n"
    if wanted == Format.outline:
        from treetalk.formats.outline import to_outline

        return to_outline(tree, depth)
    return _labels(tree, clusters) if wanted == Format.labels else _linkage(tree, as_array=as_array)


def filename(project: Exported, chosen: str) -> str:
    """Return what to call the file: ``animals.nwk`` for the project ``animals.treetalk``."""
    return project.path.stem + FORMATS[as_format(chosen)].ending


def as_format(value: str) -> Format:
    """Return a format given by its name."""
    try:
        return Format(value)
    except ValueError:
        raise ValueError(f"there is no format {value!r}; there are {', '.join(Format)}") from None


def check_options(
    chosen: Format,
    *,
    clusters: int | None = None,
    samples: bool = False,
    kind: str | None = None,
    depth: int | None = None,
    as_array: bool = False,
) -> None:
    """Raise ValueError if an option does not go with a format; the sentence begins with the name of the option."""
    only = (
        ("clusters", clusters is not None, (Format.labels,)),
        ("samples", samples, WITH_SAMPLES),
        ("depth", depth is not None, (Format.outline,)),
        ("as_array", as_array, (Format.linkage,)),
        ("kind", kind is not None, tuple(each for each in Format if each not in TABLES)),
    )
    for option, is_given, formats in only:
        if is_given and chosen not in formats:
            *others, last = formats
            named = f"{', '.join(others)} and {last}" if others else last
            raise ValueError(f"{option} is for {named}; the format is {chosen}")
    if samples and kind is not None:
        raise ValueError("samples are all sampled hierarchies, and a kind is one summary of them; give one of both")
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind is one of {', '.join(KINDS)}, not {kind!r}")


def tree_of_kind(project: Exported, kind: str | None) -> Tree:
    """Return the project's tree, or another summary of its draws, with the names of clusters."""
    return project.tree if kind in {None, "central"} else project.consensus(str(kind))


def usual_clusters(num_items: int) -> int:
    """Return how many clusters the labels have if nobody says: the root of n / 2, a rule of thumb."""
    return min(max(round(math.sqrt(num_items / 2)), 1), num_items)


# --- the answers


def answer_rows(project: Exported, chosen: Format) -> list[dict[str, Any]]:
    """Return the triplets in force, or all answers, each as a row of names and values."""
    rows = [answer_as_row(project, record) for record in project.records]
    if chosen == Format.answers:
        return rows
    in_force = {answer.id for answer in project.in_force}
    return [row for row in rows if row["id"] in in_force]


def answer_as_row(project: Exported, record: Record) -> dict[str, Any]:
    """Return an answer with its circumstances as a row of names and values."""
    answer = record.answer
    a, b, c = (None, None, None) if answer.triplet is None else (project.items[leaf] for leaf in answer.triplet)
    return {
        "id": answer.id,
        "time": record.time,
        "who": record.who,
        "kind": answer.kind,
        "a": a,
        "b": b,
        "c": c,
        "retracts": answer.retracts,
        "strategy": answer.strategy,
        "seconds": record.seconds,
        "comment": record.comment,
        "shown": record.shown,
        "gesture": record.gesture,
    }


def answers_as_csv(rows: Iterable[dict[str, Any]], chosen: Format) -> str:
    """Return rows of answers as CSV, with the columns that the format has."""
    text = io.StringIO()
    columns = ANSWER_COLUMNS if chosen == Format.answers else TRIPLET_COLUMNS
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


# --- the hierarchy


def _trees(trees: list[Tree], chosen: Format) -> str:
    from treetalk.formats.nexus import to_nexus

    return "".join(to_nexus(trees) if chosen == Format.nexus else (f"{tree.to_newick()}\n" for tree in trees))


def _linkage(tree: Tree, *, as_array: bool) -> str | bytes:
    """Return SciPy's matrix, as NumPy's file or as CSV without a header."""
    if not tree.is_binary:
        raise WrongKind("a linkage matrix joins two clusters at a time, which this tree does not", ("central",))
    matrix = tree.to_linkage()
    if as_array:
        file = io.BytesIO()
        np.save(file, matrix)
        return file.getvalue()
    rows = ((int(left), int(right), height, int(size)) for left, right, height, size in matrix.tolist())
    return "".join(f"{left},{right},{height!r},{size}\n" for left, right, height, size in rows)


def _labels(tree: Tree, clusters: int | None) -> str:
    """Return the cluster of each item as CSV."""
    if tree.time is None:
        raise WrongKind("only a tree with times can be cut into clusters", ("central", "credible"))
    count = usual_clusters(tree.num_leaves) if clusters is None else clusters
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["item", "cluster"])
    writer.writerows(zip(tree.items or range(tree.num_leaves), tree.cut(count).tolist(), strict=True))
    return text.getvalue()
