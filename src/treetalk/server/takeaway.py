"""What is written to a file for other programs: a project as it was at one moment, which nobody changes any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from treetalk.answers import Answer
    from treetalk.arguments import Items
    from treetalk.project.store import Record
    from treetalk.snapshots import Snapshots
    from treetalk.tree import Tree


class Takeaway(NamedTuple):
    """All that an export may need."""

    path: Path
    items: Items
    tree: Tree
    snapshots: Snapshots
    records: tuple[Record, ...]
    in_force: tuple[Answer, ...]

    @property
    def samples(self) -> list[Tree]:
        """The sampled hierarchies."""
        return [self.snapshots.tree(i, self.items) for i in range(len(self.snapshots))]

    def consensus(self, kind: str) -> Tree:
        """Return another summary than the one that everybody sees."""
        from treetalk.summary import credible_tree, majority_tree

        make = credible_tree if kind == "credible" else majority_tree
        triplets = [answer.triplet for answer in self.in_force if answer.triplet is not None]
        return make(self.snapshots, triplets, items=self.items)
