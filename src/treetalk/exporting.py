"""What can be taken away from a project: the hierarchy in formats that other programs read, and the answers as tables.

`FORMATS` describes each format for menus, and `exported` writes it.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypedDict, Unpack

import numpy as np

from treetalk.formats.newick import NODE_LABELS
from treetalk.wording import listed

if TYPE_CHECKING:
    from pathlib import Path

    from treetalk.answers import Answer
    from treetalk.arguments import Items
    from treetalk.leveling import Levels
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
    levels = "levels"
    outline = "outline"
    skos = "skos"
    edges = "edges"
    graphml = "graphml"
    triplets = "triplets"
    answers = "answers"


class Described(NamedTuple):
    """A format as a menu offers it."""

    words: str  # what the menu says
    media_type: str  # such as "text/plain"
    ending: str  # of a file's name, after that of the project


FORMATS = {
    Format.newick: Described("Newick: the hierarchy with support", "text/plain", ".nwk"),
    Format.nexus: Described("NEXUS: all sampled hierarchies", "text/plain", ".nex"),
    Format.linkage: Described("Linkage: the hierarchy as SciPy's matrix", "text/csv", "-linkage.csv"),
    Format.json: Described("JSON: the hierarchy with all details", "application/json", ".json"),
    Format.nested_json: Described("Nested JSON: the hierarchy as d3 reads it", "application/json", "-nested.json"),
    Format.labels: Described("Labels: the cluster of each item", "text/csv", "-labels.csv"),
    Format.levels: Described("Levels: the group of each item on a few levels", "text/csv", "-levels.csv"),
    Format.outline: Described("Outline: the hierarchy as a nested list in Markdown", "text/markdown", ".md"),
    Format.skos: Described("SKOS: the hierarchy as a thesaurus in Turtle", "text/turtle", ".ttl"),
    Format.edges: Described("Edges: the hierarchy as a table, a row for each branch", "text/csv", "-edges.csv"),
    Format.graphml: Described("GraphML: the hierarchy for Gephi, Cytoscape or yEd", "application/xml", ".graphml"),
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
    ".ttl": Format.skos,
    ".graphml": Format.graphml,
}
WITH_SAMPLES = (Format.newick, Format.nexus)
TABLES = (Format.triplets, Format.answers)
NOT_SHAPED = (Format.linkage, Format.labels, *TABLES)
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


class Options(TypedDict, total=False):
    """What an export may be asked for beside its format."""

    clusters: int | Sequence[int] | None
    at: float | Sequence[float] | None
    groups: int | Sequence[int] | None
    min_size: int | None
    samples: bool
    kind: str | None
    depth: int | None
    node_labels: str | None
    base: str | None
    language: str | None
    as_array: bool


def exported(
    project: Exported, chosen: str, *, say: Callable[[str], object] | None = None, **options: Unpack[Options]
) -> str | bytes:
    """Return a project's hierarchy or its answers as text, or as the bytes of a file.

    Parameters
    ----------
    project : Project
        The project.
    chosen : Format or str
        The format.
    clusters : int or sequence of int, optional
        With "labels": how many clusters; by default, `usual_clusters`. Several numbers are several columns.
    at : float or sequence of float, optional
        With "labels": the time of the cut, from 0 to 1, in place of `clusters` or beside it.
    groups : int or sequence of int, optional
        About how many groups each level has, from coarse to fine: the hierarchy is brought to these levels first, as
        `treetalk.levels` does. "levels" has `usual_groups` by default.
    min_size : int, optional
        With `groups` or "levels": the fewest items of a group.
    samples : bool
        With "newick" and "nexus": all sampled hierarchies, not one summary. "nexus" has them unless `kind` or `groups` is
        given.
    kind : str, optional
        Which summary of the sampled hierarchies: "central" (the default), "majority" or "credible".
    depth : int, optional
        With "outline": how many levels are listed.
    node_labels : str, optional
        With "newick" and "nexus": what stands at clusters, "support", "names" or "both"; see `treetalk.formats.newick`.
    base, language : str, optional
        With "skos": what IRIs begin with, and the language of the labels; see `treetalk.formats.skos`.
    as_array : bool
        With "linkage": NumPy's file instead of CSV without a header.
    say : callable, optional
        Is told, a sentence each, what was wanted of the levels and could not be had.

    Raises
    ------
    ValueError
        If an option does not go with the format, or the format cannot hold the hierarchy.
    """
    wanted = as_format(chosen)
    check_options(wanted, **options)
    groups = options.get("groups")
    if wanted in TABLES:
        return answers_as_csv(answer_rows(project, wanted), wanted)
    node_labels = options.get("node_labels") or NODE_LABELS[0]
    is_one = options.get("kind") is not None or groups is not None
    if options.get("samples") or (wanted == Format.nexus and not is_one):
        return _trees(project.samples, wanted, node_labels)
    tree = tree_of_kind(project, options.get("kind"))
    if groups is not None or wanted == Format.levels:
        shape = shaped_levels(project, tree, groups, options.get("min_size"))
        for note in shape.notes if say is not None else ():
            say(note)  # type: ignore[misc]
        if wanted == Format.levels:
            return shape.to_csv()
        tree = shape.tree
    if wanted in WITH_SAMPLES:
        return _trees([tree], wanted, node_labels)
    if wanted == Format.linkage:
        return _linkage(tree, as_array=options.get("as_array", False))
    if wanted == Format.labels:
        return _labels(tree, options.get("clusters"), options.get("at"))
    if wanted == Format.skos:
        title = None if tree.names is not None and tree.names[tree.root] else project.path.stem
        return tree.to_skos(base=options.get("base"), title=title, language=options.get("language"))
    return _plain(tree, wanted, options.get("depth"))


def filename(project: Exported, chosen: str) -> str:
    """Return what to call the file: ``animals.nwk`` for the project ``animals.treetalk``."""
    return project.path.stem + FORMATS[as_format(chosen)].ending


def as_format(value: str) -> Format:
    """Return a format given by its name."""
    try:
        return Format(value)
    except ValueError:
        raise ValueError(f"there is no format {value!r}; there are {', '.join(Format)}") from None


def check_options(chosen: Format, **options: Unpack[Options]) -> None:
    """Raise ValueError if an option does not go with a format; the sentence begins with the name of the option."""
    # An option that is left out is None, or False.
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    only = {
        "clusters": (Format.labels,),
        "at": (Format.labels,),
        "groups": tuple(each for each in Format if each not in NOT_SHAPED),
        "min_size": tuple(each for each in Format if each not in NOT_SHAPED),
        "samples": WITH_SAMPLES,
        "depth": (Format.outline,),
        "node_labels": WITH_SAMPLES,
        "base": (Format.skos,),
        "language": (Format.skos,),
        "as_array": (Format.linkage,),
        "kind": tuple(each for each in Format if each not in TABLES),
    }
    for option, formats in only.items():
        if option in given and chosen not in formats:
            raise ValueError(f"{option} is for {listed(formats)}; the format is {chosen}")
    for one in ("kind", "groups"):
        if "samples" in given and one in given:
            whole = "a kind is" if one == "kind" else "groups are made of"
            raise ValueError(f"samples are all sampled hierarchies, and {whole} one summary of them; give one of both")
    if "min_size" in given and "groups" not in given and chosen != Format.levels:
        raise ValueError("min_size is the fewest items of a group, and goes with groups, which were not given")
    for time in _several(given.get("at")):
        if isinstance(time, float | int | np.number) and not 0 <= time <= 1:
            raise ValueError(f"at is a time from 0 to 1, not {time:g}")
    for option, known in (("kind", KINDS), ("node_labels", NODE_LABELS)):
        if option in given and given[option] not in known:
            raise ValueError(f"{option} is one of {', '.join(known)}, not {given[option]!r}")


def shaped_levels(
    project: Exported, tree: Tree, groups: int | Sequence[int] | None = None, min_size: int | None = None
) -> Levels:
    """Return a project's tree, or another summary of its draws, as a few levels; by default as many as usual."""
    from treetalk.leveling import shaped

    answers = [answer.triplet for answer in project.in_force if answer.triplet is not None]
    session: Any = getattr(project, "session", project)
    return shaped(
        tree,
        usual_groups(tree.num_leaves) if groups is None else groups,
        min_size=1 if min_size is None else min_size,
        triplets=answers,
        draws=session.snapshots.draws(),
    )


def tree_of_kind(project: Exported, kind: str | None) -> Tree:
    """Return the project's tree, or another summary of its draws, with the names of clusters."""
    return project.tree if kind in {None, "central"} else project.consensus(str(kind))


def usual_clusters(num_items: int) -> int:
    """Return how many clusters the labels have if nobody says: the root of n / 2, a rule of thumb."""
    return min(max(round(math.sqrt(num_items / 2)), 1), num_items)


def usual_groups(num_items: int) -> tuple[int, ...]:
    """Return how many groups the levels have if nobody says, from coarse to fine: about 4, 11 and 36 for 400 items."""
    numbers = {min(max(round(num_items**power), 2), num_items) for power in (0.25, 0.4, 0.6)}
    return tuple(sorted(numbers))


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


def _trees(trees: list[Tree], chosen: Format, node_labels: str) -> str:
    from treetalk.formats.nexus import to_nexus

    if chosen == Format.nexus:
        return "".join(to_nexus(trees, node_labels=node_labels))
    return "".join(f"{tree.to_newick(node_labels=node_labels)}\n" for tree in trees)


def _plain(tree: Tree, chosen: Format, depth: int | None) -> str:
    """Return a tree in one of the formats that hold any tree, as it is."""
    from treetalk.formats.edges import to_edges_csv

    if chosen == Format.outline:
        return tree.to_outline(depth)
    if chosen == Format.edges:
        return to_edges_csv(tree)
    if chosen == Format.graphml:
        return tree.to_graphml()
    return f"{tree.to_json() if chosen == Format.json else tree.to_nested_json()}\n"


def _linkage(tree: Tree, *, as_array: bool) -> str | bytes:
    """Return SciPy's matrix, as NumPy's file or as CSV without a header; what joins several at once is several merges."""
    matrix = tree.to_linkage()
    if as_array:
        file = io.BytesIO()
        np.save(file, matrix)
        return file.getvalue()
    rows = ((int(left), int(right), height, int(size)) for left, right, height, size in matrix.tolist())
    return "".join(f"{left},{right},{height!r},{size}\n" for left, right, height, size in rows)


def _labels(tree: Tree, clusters: int | Sequence[int] | None, at: float | Sequence[float] | None) -> str:
    """Return the cluster of each item as CSV."""
    from treetalk.formats.cuts import to_labels_csv

    if tree.time is None:
        raise WrongKind("only a tree with times can be cut into clusters", ("central", "credible"))
    counts, times = _several(clusters), _several(at)
    return to_labels_csv(tree, counts if counts or times else [usual_clusters(tree.num_leaves)], times)


def _several(numbers: Any) -> list[Any]:
    return [] if numbers is None else list(numbers) if isinstance(numbers, Iterable) else [numbers]
