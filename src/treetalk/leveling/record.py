"""What a hierarchy of a few levels consists of, as tables, as a tree, and in print."""

from __future__ import annotations

import csv
import io
import math
import os
from dataclasses import dataclass
from functools import cached_property
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

    # --- in print

    def __repr__(self) -> str:
        numbers = listed([f"{number:,}" for number in self.num_groups])
        head = f"{counted(self.num_items, 'item')} on {counted(self.num_levels, 'level')}: {numbers} groups"
        lines: list[str] = []
        below: dict[tuple[int, int | None], list[Group]] = {}
        for group in self._groups:
            below.setdefault((group.level, group.parent), []).append(group)
        waiting = list(reversed(below[0, None]))
        while waiting:
            group = waiting.pop()
            parts = below.get((group.level + 1, group.number), [])
            # A group that the next level leaves whole stands there once.
            lines.append(f"{'  ' * (group.level + 1)}{group.in_words}")
            while len(parts) == 1:
                parts = below.get((parts[0].level + 1, parts[0].number), [])
            waiting.extend(reversed(parts))
        if len(lines) > MOST_LINES:
            lines[MOST_LINES:] = [f"  and {len(lines) - MOST_LINES:,} more groups"]
        return "\n".join([head, *lines, *self._notes])
