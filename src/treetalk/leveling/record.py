"""What a hierarchy of a few levels consists of, as tables, as a tree, and in print."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import Frozen, Items
from treetalk.arrays import read_only
from treetalk.extras import imported
from treetalk.tree import Tree
from treetalk.wording import counted, listed, one_line, percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_LINES = 60


@dataclass(frozen=True)
class Group:
    """A group of items on one level.

    Attributes
    ----------
    level : int
        The level, 0 for the coarsest: the column of `Levels.labels`.
    number : int
        Its number on this level, as in `Levels.labels`.
    name : str
        The name that somebody gave it, or one made of some of its items: the most central one of each of its largest parts
        on the next level, or `representatives`. No two groups of a level have the same.
    is_named : bool
        Whether somebody gave it this name.
    size : int
        The number of its items.
    support : float
        The posterior probability of its clade: the share of the draws in which the items of the group, without those that
        were taken in, are a clade. NaN where nothing is known of it.
    parent : int or None
        The number of its group on the level above; None on the coarsest.
    leaves : tuple of int
        The numbers of its items.
    representatives : tuple of str
        Up to three items that are nearest to the others of the group, by the mean height at which they join them.
    taken_in : tuple of str
        Items of small clades beside its own, which were put here because they had to go somewhere.
    node : int
        The node of its clade in the tree that the levels were made of.
    """

    level: int
    number: int
    name: str
    is_named: bool
    size: int
    support: float
    parent: int | None
    leaves: tuple[int, ...]
    representatives: tuple[str, ...]
    taken_in: tuple[str, ...]
    node: int

    @property
    def in_words(self) -> str:
        """The group on one line: its name, its size, and how sure it is."""
        sure = "" if math.isnan(self.support) else f", {percent(self.support)} sure"
        strays = f", {len(self.taken_in):,} of them taken in" if self.taken_in else ""
        return f"{one_line(self.name)}: {counted(self.size, 'item')}{sure}{strays}"


class Levels(Frozen):
    """Nested partitions of items, from coarse to fine. It never changes; `treetalk.levels` makes one.

    Parameters
    ----------
    labels : int array of shape (num_items, num_levels)
        The number of each item's group on each level.
    groups : tuple of Group
        All groups, level by level, in the order of their numbers.
    items : Items, optional
        The names of the items.
    notes : tuple of str
        What was wanted and could not be had, a sentence each.
    root_name : str, optional
        The name of the whole.
    """

    def __init__(
        self,
        labels: NDArray[np.int64],
        groups: tuple[Group, ...],
        items: Items | None = None,
        notes: tuple[str, ...] = (),
        root_name: str | None = None,
    ) -> None:
        self._labels, self._groups, self._items = read_only(labels), groups, items
        self._notes, self._root_name = notes, root_name

    @property
    def labels(self) -> NDArray[np.int64]:
        """The number of each item's group on each level, of shape (num_items, num_levels)."""
        return self._labels

    @property
    def groups(self) -> list[Group]:
        """All groups, level by level, in the order of their numbers."""
        return list(self._groups)

    @property
    def items(self) -> Items | None:
        """The names of the items."""
        return self._items

    @property
    def notes(self) -> tuple[str, ...]:
        """What was wanted and could not be had, a sentence each."""
        return self._notes

    @property
    def num_levels(self) -> int:
        """The number of levels."""
        return int(self._labels.shape[1])

    @property
    def num_items(self) -> int:
        """The number of items."""
        return int(self._labels.shape[0])

    @property
    def num_groups(self) -> tuple[int, ...]:
        """The number of groups on each level."""
        return tuple(len(self.level(level)) for level in range(self.num_levels))

    @property
    def num_taken_in(self) -> tuple[int, ...]:
        """How many items on each level are in a group to whose clade they do not belong."""
        return tuple(sum(len(group.taken_in) for group in self.level(level)) for level in range(self.num_levels))

    def level(self, level: int) -> list[Group]:
        """Return the groups of a level, 0 for the coarsest, in the order of their numbers."""
        if not 0 <= level < self.num_levels:
            raise ValueError(f"there is no level {level}: levels are numbered from 0 to {self.num_levels - 1}")
        return [group for group in self._groups if group.level == level]

    # --- as other things

    @cached_property
    def tree(self) -> Tree:
        """The same as a tree: the groups are its nodes, with their names and support, the items its leaves.

        A group that has the same items as the one above it is one node with it; a group of one item is that item.
        """
        parent = [-1] * (self.num_items + 1)
        support, names = [math.nan] * len(parent), [None] * self.num_items + [self._root_name]
        root = self.num_items
        node_of = np.full(self.num_items, root)
        size_of = {root: self.num_items}
        for group in self._groups:
            leaves = list(group.leaves)
            above = int(node_of[leaves[0]])
            if group.size == 1:
                continue
            if group.size == size_of[above]:
                if above == root and group.is_named and names[root] is None:
                    names[root] = group.name
                continue
            node_of[leaves] = len(parent)
            size_of[len(parent)] = group.size
            parent.append(above)
            support.append(group.support)
            names.append(group.name)
        parent[: self.num_items] = node_of.tolist()
        if self.num_items == 1:
            return Tree([-1], items=self._items)
        known = None if all(map(math.isnan, support)) else support
        return Tree(parent, items=self._items, support=known, names=names)

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each item: `item`, and the name of its group on each level."""
        pandas = imported("pandas", "a table of levels", extra="io")
        header, *rows = self._rows()
        columns = zip(*rows, strict=True)
        return pandas.DataFrame(
            {name: pandas.array(list(column), dtype="string") for name, column in zip(header, columns, strict=True)}
        )

    def groups_to_frame(self) -> Any:
        """Return a pandas data frame with a row for each group: all that is known of it but its items."""
        pandas = imported("pandas", "a table of groups", extra="io")
        fields = ("level", "number", "name", "is_named", "size", "support", "parent")
        frame = pandas.DataFrame({field: [getattr(group, field) for group in self._groups] for field in fields})
        frame["parent"] = frame["parent"].astype("Int64")
        frame["representatives"] = [", ".join(group.representatives) for group in self._groups]
        frame["num_taken_in"] = [len(group.taken_in) for group in self._groups]
        return frame

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the table of items as CSV, and write it to a file if one is given."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self._rows())
        if path is not None:
            Path(path).write_text(text.getvalue(), encoding="utf-8")
        return text.getvalue()

    def to_outline(self) -> str:
        """Return the groups and their items as a nested list in Markdown."""
        return self.tree.to_outline()

    def _rows(self) -> list[list[str]]:
        names = [[group.name for group in self.level(level)] for level in range(self.num_levels)]
        items = self._items or tuple(map(str, range(self.num_items)))
        rows = [["item", *(f"level_{level + 1}" for level in range(self.num_levels))]]
        for item, labels in zip(items, self._labels.tolist(), strict=True):
            rows.append([item, *(each[label] for each, label in zip(names, labels, strict=True))])
        return rows

    # --- as a Python object

    def __len__(self) -> int:
        return self.num_levels

    def __iter__(self) -> Iterator[list[Group]]:
        return map(self.level, range(self.num_levels))

    def __eq__(self, other: object) -> bool:
        """Return whether all groups, their names and their support are the same; what was wanted may differ."""
        return self._essence == other._essence if isinstance(other, Levels) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._essence)

    @property
    def _essence(self) -> tuple[Any, ...]:
        # NaN is not equal to itself.
        groups = [(replace(group, support=-1.0) if math.isnan(group.support) else group) for group in self._groups]
        return self._labels.shape, tuple(groups), self._items, self._root_name

    # --- in print

    def __repr__(self) -> str:
        lines = [f"{'  ' * (group.level + 1)}{group.in_words}" for _, group in self._listed()]
        if len(lines) > MOST_LINES:
            lines[MOST_LINES:] = [f"  and {counted(len(lines) - MOST_LINES, 'more group')}"]
        return "\n".join([self._head, *lines, *self._notes])

    def _repr_html_(self) -> str:
        parts = [f"<p>{escape(self._head)}</p>"]
        outline = self._listed()
        last = -1
        for depth, group in outline[:MOST_LINES]:
            # A list below a group is within its element, which is therefore closed only now.
            parts.append("<ul>" if depth > last else "</li>" + "</ul></li>" * (last - depth))
            parts.append(f"<li>{escape(group.in_words)}")
            last = depth
        parts.append("</li></ul>" * (last + 1))
        notes = list(self._notes)
        if len(outline) > MOST_LINES:
            notes.insert(0, f"and {counted(len(outline) - MOST_LINES, 'more group')}")
        return "".join([*parts, *(f"<p>{escape(note)}</p>" for note in notes)])

    @property
    def _head(self) -> str:
        numbers = listed([f"{number:,}" for number in self.num_groups])
        groups = "group" if self.num_groups == (1,) else "groups"
        return f"{counted(self.num_items, 'item')} on {counted(self.num_levels, 'level')}: {numbers} {groups}"

    def _listed(self) -> list[tuple[int, Group]]:
        """Return the groups as an outline has them, each with its depth, the parts of a group after it."""
        lines: list[tuple[int, Group]] = []
        below: dict[tuple[int, int | None], list[Group]] = {}
        for group in self._groups:
            below.setdefault((group.level, group.parent), []).append(group)
        waiting = [(0, group) for group in reversed(below[0, None])]
        while waiting:
            depth, group = waiting.pop()
            lines.append((depth, group))
            parts = below.get((group.level + 1, group.number), [])
            # A group that the next level leaves whole stands there once.
            while len(parts) == 1:
                parts = below.get((parts[0].level + 1, parts[0].number), [])
            waiting.extend((depth + 1, part) for part in reversed(parts))
        return lines
