"""From a deep tree to a few levels: level by level from the top, each the best cut of the groups above it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treetalk.arguments import A, B, C, as_count, as_triplets, format_triplet
from treetalk.formats.arcs import item_names, support_of
from treetalk.layout.labels import MOST_IN_LABEL, shortened
from treetalk.leveling.cutting import best_cut, heights, most_groups, qualities
from treetalk.leveling.record import Group, Levels
from treetalk.leveling.strays import Placed, Stray, placed, strays_of
from treetalk.posterior import Posterior
from treetalk.snapshots import Snapshots
from treetalk.summary import central_tree, numbered_as, with_support
from treetalk.tree import Tree
from treetalk.wording import counted, listed, one_line

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MOST_DRAWS = 100  # that vote on where a stray goes
NUM_REPRESENTATIVES = 3
FAR = 1.5  # a number of groups that is so many times too large or too small is worth a sentence
MOST_NAMED = 5  # items in such a sentence


class _Part(NamedTuple):
    """A group on the way: a clade, and the small clades that it took in."""

    node: int
    strays: tuple[int, ...]
    parent: int | None


def levels(source: Any, groups: int | Iterable[int], *, min_size: int = 1, triplets: ArrayLike = ()) -> Levels:
    """Return a hierarchy of a few levels, each with about so many groups, and none with fewer items than wanted.

    The levels are chosen from the coarsest down. Each is the best cut of the groups above it, as `treetalk.leveling.cutting`
    defines it: groups are clades with high support that are much tighter than what they are split from, as many as wanted,
    or nearly. Clades of fewer than `min_size` items beside a group are taken in by the one that most draws put them
    nearest to, unless that would break an answer in force. Where every place would, what they hang from is left whole; and
    only if less than half of the groups that were wanted are left then, they stand alone, which `Levels.notes` says.

    Parameters
    ----------
    source : Session, Project, InteractiveClustering, Tree, Snapshots, or sequence of Tree
        The hierarchy: of a session, a project or a fitted estimator its tree, its draws and its answers in force; of
        several trees their central tree.
    groups : int or sequence of int
        About how many groups each level has, from coarse to fine: ``[4, 12, 40]``. If there cannot be so many, there are
        as many as there can be.
    min_size : int
        The fewest items of a group.
    triplets : array of shape (m, 3)
        Answers that the levels must not break; those of a session or a project are known.

    Raises
    ------
    ValueError
        If the tree contradicts one of the triplets, so that its groups may break it.

    Examples
    --------
    >>> from treetalk import Tree
    >>> tree = Tree.from_newick("(((cat:1,lynx:1):3,(dog:1,wolf:1):3):4,((crow:1,owl:1):2,eel:3):5);")
    >>> print(levels(tree, [2, 3], min_size=2).to_csv())
    item,level_1,level_2
    cat,"cat, dog …","cat, lynx"
    lynx,"cat, dog …","cat, lynx"
    dog,"cat, dog …","dog, wolf"
    wolf,"cat, dog …","dog, wolf"
    crow,"crow, owl, eel","crow, owl, eel"
    owl,"crow, owl, eel","crow, owl, eel"
    eel,"crow, owl, eel","crow, owl, eel"
    <BLANKLINE>
    """
    if isinstance(source, Tree):
        return shaped(source, groups, min_size=min_size, triplets=triplets)
    source = getattr(source, "session_", source)  # of a fitted estimator
    posterior = getattr(source, "session", source)
    if isinstance(posterior, Posterior):
        needed = getattr(posterior, "triplets", ())
        snapshots, tree = posterior.snapshots, source.tree
        extra = as_triplets(triplets, tree.num_leaves, tree.items)
        every = np.concatenate([as_triplets(needed, tree.num_leaves), extra])
        return shaped(tree, groups, min_size=min_size, triplets=every, draws=snapshots.draws())
    if isinstance(source, Snapshots) or (isinstance(source, Sequence) and not isinstance(source, str)):
        return shaped(central_tree(source, triplets), groups, min_size=min_size, triplets=triplets, draws=source)
    raise TypeError(
        f"levels are made of a session, a project, a fitted estimator, a tree or several trees, not of {source!r}"
    )


def shaped(
    tree: Tree,
    groups: int | Iterable[int],
    *,
    min_size: int = 1,
    triplets: ArrayLike = (),
    draws: Snapshots | Sequence[Tree] = (),
) -> Levels:
    """Return the levels of a tree whose draws and answers are given; see `levels`, which finds them itself.

    The leaves of draws with item names are those of the tree with the same names.
    """
    wanted = as_wanted(groups)
    fewest = as_count(min_size, "min_size", 1)
    needed = as_triplets(triplets, tree.num_leaves, tree.items)
    _check_kept(tree, needed)
    if len(draws):
        tree = with_support(tree, draws)
    shaping = _Shaping(tree, _some(draws, tree), needed, fewest)
    parts = [_Part(tree.root, (), None)]
    columns: list[NDArray[np.int64]] = []
    records: list[Group] = []
    notes: list[str] = []
    if tree.num_leaves < fewest:
        verb = "is" if tree.num_leaves == 1 else "are"
        notes.append(f"There {verb} {counted(tree.num_leaves, 'item')} in all, so no group has {fewest:,} or more.")
    for level, count in enumerate(wanted):
        parts, alone, is_held = shaping.refined(parts, count)
        numbers, column = shaping.numbered(parts)
        parts = [parts[i] for i in numbers]
        found = shaping.groups(level, parts, columns[-1] if columns else None)
        columns.append(column)
        records += found
        notes += _notes(tree, level, (count, len(parts)), alone, fewest, is_held=is_held)
    name = None if tree.names is None else tree.names[tree.root]
    return Levels(np.stack(columns, axis=1), _named(records), tree.items, tuple(notes), name)


def as_wanted(groups: int | Iterable[int]) -> tuple[int, ...]:
    """Return numbers of groups, from coarse to fine."""
    given = [groups] if isinstance(groups, int | np.integer) or not isinstance(groups, Iterable) else list(groups)
    wanted = tuple(as_count(count, "a number of groups", 1) for count in given)
    if not wanted:
        raise ValueError("levels need at least one number of groups")
    for before, after in itertools.pairwise(wanted):
        if after <= before:
            raise ValueError(f"the numbers of groups must grow, from coarse to fine; {after} comes after {before}")
    return wanted


def _check_kept(tree: Tree, triplets: NDArray[np.int32]) -> None:
    """Refuse triplets that a tree contradicts. One that it leaves open is never broken by its clades."""
    is_against = tree.satisfies(triplets[:, [A, C, B]]) | tree.satisfies(triplets[:, [B, C, A]])
    if is_against.any():
        shown = format_triplet(triplets[np.flatnonzero(is_against)[0]], tree.items)
        raise ValueError(
            f"the levels cannot keep the answer {shown}, for the tree that they are made of contradicts it"
        )


class _Shaping:
    """All that stays the same from level to level."""

    def __init__(self, tree: Tree, draws: list[Tree], triplets: NDArray[np.int32], min_size: int) -> None:
        self.tree, self.draws, self.triplets, self.min_size = tree, draws, triplets, min_size
        self.quality = qualities(tree)
        self.centrality, self.support = _centrality(tree), support_of(tree)

    def refined(self, parts: list[_Part], wanted: int) -> tuple[list[_Part], list[int], bool]:
        """Return the parts of the next level, the nodes of those that are too small, but had to stand alone, and whether
        answers left something whole.
        """
        uncut: set[int] = set()
        alone: list[Stray] = []
        while True:
            cut, result = self._attempt(parts, wanted, uncut, alone)
            owners = {stray.owner for stray in result.homeless}
            if owners <= uncut:
                break
            uncut |= owners
        if uncut and 2 * sum(map(len, cut)) < wanted:
            uncut = set()
            cut, result = self._attempt(parts, wanted, uncut, alone)
            while result.homeless:
                # What stands alone may be what an answer has together with one that was placed before.
                alone += result.homeless
                cut, result = self._attempt(parts, wanted, uncut, alone)
        taken: dict[int, list[int]] = {}
        for node, home in result.homes.items():
            taken.setdefault(home, []).append(node)
        refined: list[_Part] = []
        for parent, nodes in enumerate(cut):
            refined += [_Part(v, tuple(taken.get(len(refined) + i, ())), parent) for i, v in enumerate(nodes)]
        refined += [_Part(stray.node, (), stray.root) for stray in alone]
        return refined, [stray.node for stray in alone], bool(uncut)

    def _attempt(
        self, parts: list[_Part], wanted: int, uncut: set[int], alone: list[Stray]
    ) -> tuple[list[list[int]], Placed]:
        tree, roots = self.tree, [part.node for part in parts]
        cut = best_cut(tree, roots, wanted, self.quality, min_size=self.min_size, uncut=uncut)
        strays = strays_of(tree, roots, cut)
        strays += [Stray(node, root, part.node) for root, part in enumerate(parts) for node in part.strays]
        strays.sort(key=lambda stray: -int(tree.sizes[stray.node]))
        waiting = [stray for stray in strays if stray not in alone]
        return cut, placed(tree, self.draws, cut, waiting, alone, self.triplets)

    def leaves(self, part: _Part) -> NDArray[np.int32]:
        """Return the leaves of a part, in the order of their numbers."""
        return np.sort(np.concatenate([self.tree.leaves(v) for v in (part.node, *part.strays)]))

    def numbered(self, parts: list[_Part]) -> tuple[list[int], NDArray[np.int64]]:
        """Return the order of the parts by their smallest leaf, and the number of each leaf's part."""
        leaves = [self.leaves(part) for part in parts]
        order = sorted(range(len(parts)), key=lambda i: int(leaves[i][0]))
        column = np.empty(self.tree.num_leaves, np.int64)
        for number, i in enumerate(order):
            column[leaves[i]] = number
        return order, column

    def groups(self, level: int, parts: list[_Part], above: NDArray[np.int64] | None) -> list[Group]:
        """Return the records of a level's groups."""
        tree, items = self.tree, item_names(self.tree)
        records = []
        for number, part in enumerate(parts):
            leaves = self.leaves(part)
            own = np.sort(tree.leaves(part.node))
            central = own[np.argsort(self.centrality[own], kind="stable")[:NUM_REPRESENTATIVES]].tolist()
            given = None if tree.names is None else tree.names[part.node]
            support = math.nan if self.support is None else float(self.support[part.node])
            records.append(
                Group(
                    level=level,
                    number=number,
                    name=given or "",
                    is_named=bool(given),
                    size=len(leaves),
                    support=1.0 if len(own) == 1 else support,
                    parent=None if above is None else int(above[leaves[0]]),
                    leaves=tuple(leaves.tolist()),
                    representatives=tuple(items[leaf] for leaf in central),
                    taken_in=tuple(items[leaf] for leaf in np.setdiff1d(leaves, own).tolist()),
                    node=part.node,
                )
            )
        return records


def _named(groups: list[Group]) -> tuple[Group, ...]:
    """Return the same groups, those without a name called by some items: of each large part, or else the most central."""
    parts: dict[tuple[int, int | None], list[Group]] = {}
    for group in groups:
        parts.setdefault((group.level, group.parent), []).append(group)
    named: list[Group] = []
    used: dict[int, set[str]] = {}
    for group in groups:
        below = [group]
        while len(below) == 1:  # what the next level leaves whole has the same name there
            below = parts.get((below[0].level + 1, below[0].number), [])
        large = sorted(below, key=lambda part: (-part.size, part.number))[:NUM_REPRESENTATIVES]
        central = [part.representatives[0] for part in large] or group.representatives
        some = [shortened(one_line(item), MOST_IN_LABEL) or '""' for item in central]
        name = group.name or ", ".join(some) + (" …" if len(some) < group.size else "")
        named.append(replace(group, name=_unused(name, used.setdefault(group.level, set()))))
    return tuple(named)


def _unused(name: str, used: set[str]) -> str:
    """Return a name that no other group of the level has, and count it as used."""
    result, count = name, 1
    while result in used:
        count += 1
        result = f"{name} ({count})"
    used.add(result)
    return result


def _centrality(tree: Tree) -> NDArray[np.float64]:
    """Return for each leaf the sum of the heights at which it joins the others; the least is the most central.

    For the leaves of one clade it is the same sum within the clade, but for a number that they have in common.
    """
    height, sizes, parent = heights(tree), tree.sizes.astype(np.int64), tree.parent
    sums = np.zeros(tree.num_nodes)
    for v in tree.preorder[1:].tolist():
        p = parent[v]
        sums[v] = sums[p] + height[p] * (sizes[p] - sizes[v])
    return sums[: tree.num_leaves]


def _some(draws: Snapshots | Sequence[Tree], tree: Tree) -> list[Tree]:
    """Return some draws, evenly spaced, with their leaves numbered as those of a tree."""
    chosen = np.linspace(0, len(draws) - 1, min(MOST_DRAWS, len(draws))).astype(np.int64).tolist()
    if isinstance(draws, Snapshots):
        return [draws.tree(i) for i in chosen]
    return [numbered_as(tree, draws[i]) for i in chosen]


def _notes(
    tree: Tree, level: int, numbers: tuple[int, int], alone: list[int], min_size: int, *, is_held: bool
) -> list[str]:
    """Return what was wanted of a level and could not be had, a sentence each."""
    notes = []
    wanted, found = numbers
    if alone:
        items = item_names(tree)
        names = [items[leaf] for node in alone for leaf in tree.leaves(node).tolist()]
        notes.append(
            f"Level {level + 1} has groups of fewer than {counted(min_size, 'item')}, because answers keep "
            f"{listed(names, MOST_NAMED)} apart from every other group."
        )
    if max(found / wanted, wanted / found) >= FAR:
        most = most_groups(tree, min_size)
        why = ""
        if found <= most < wanted:
            why = f"; with no group under {counted(min_size, 'item')}, the tree has at most {most:,}"
        elif is_held:
            why = f"; with more, an answer would be broken, or a group have fewer than {counted(min_size, 'item')}"
        notes.append(f"Level {level + 1} has {counted(found, 'group')}, where about {wanted:,} were wanted{why}.")
    return notes
