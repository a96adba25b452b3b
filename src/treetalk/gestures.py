"""A correction made by hand: a piece of tree is rearranged, and that means triplets, which can be said in words.

Something is dropped onto something else, which becomes its sister. What is meant are the triplets of the tree as it is then
that involve what was moved, and that the tree as it was shown lacks. Before they are sent, they are said in as few sentences
as will do: "tiger together with leopard and lion, apart from elephant, wolf and ant".
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.arguments import A, B, C, as_count, as_leaf, format_item
from treetalk.tree import Tree, as_tree
from treetalk.wording import counted, listed, one_line

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from treetalk.users import Triplet

MOST_SENTENCES = 6
MOST_NAMED = 12  # in one place of a sentence
MOST_COMPARED = 1_000_000  # pairs of items with sets of odd ones; beyond them, sentences are a little longer

Mask = int  # a set of items as bits
Rectangle = tuple[Mask, Mask, Mask]  # a `Group` of such sets


def rearranged(tree: Tree, node: int, onto: int) -> Tree:
    """Return a tree in which the subtree at `node` is the sister of `onto`; onto the root, it stands apart from all others.

    Leaves keep their numbers and items. Times, support and the names of nodes are left out: they speak of the tree as it
    was. What cannot be done is a ValueError.
    """
    v, w = as_tree(tree).mrca(node), tree.mrca(onto)
    if v == tree.root:
        raise ValueError(f"{_named(tree, v)} are all there is, and cannot be moved to somewhere else")
    if v == w:
        raise ValueError(f"{_named(tree, v)} cannot be dropped onto {'itself' if tree.sizes[v] == 1 else 'themselves'}")
    if tree.mrca(v, w) == v:
        which = "which is one of them" if tree.sizes[w] == 1 else "which are among them"
        raise ValueError(f"{_named(tree, v)} cannot be dropped onto {_named(tree, w)}, {which}")
    parent = tree.parent.tolist()
    p = parent[v]
    others = [u for u in tree.children(p).tolist() if u != v]
    if len(others) == 1:
        # The only child left takes its parent's place, and the number of the parent is free.
        joint, (left,) = p, others
        parent[left] = parent[p]
        w = left if w == p else w
    else:
        joint = len(parent)
        parent.append(-1)
    parent[joint] = parent[w]
    parent[v] = parent[w] = joint
    return Tree(parent, items=tree.items)


def triplets_of_gesture(shown: Tree, now: Tree, moved: Iterable[object]) -> NDArray[np.int32]:
    """Return the triplets that a tree has after a gesture, that involve what was moved, and that the tree shown lacks.

    Parameters
    ----------
    shown, now : Tree
        The tree before and after, over the same leaves.
    moved : iterable of int or str
        The leaves that were moved, by number or name.

    Returns
    -------
    int array of shape (m, 3)
        Numbers of leaves, the odd one last and the first less than the second, each triplet once, sorted.
    """
    before, after = as_tree(shown), as_tree(now)
    if before.num_leaves != after.num_leaves or before.items != after.items:
        raise ValueError("the tree that was shown and the tree after the gesture have different leaves")
    leaves = {as_leaf(each, after.num_leaves, after.items) for each in moved}
    is_left = np.ones(after.num_leaves, bool)
    found = [np.empty((0, 3), np.int32)]
    for leaf in sorted(leaves):
        # Three items are looked at with the first one of them that was moved, and not again.
        is_left[leaf] = False
        others = np.flatnonzero(is_left).astype(np.int32)
        first, second = (others[side] for side in np.triu_indices(len(others), 1))
        same = np.full(len(first), leaf, np.int32)
        for a, b, c in ((same, first, second), (same, second, first), (first, second, same)):
            rows = np.column_stack([np.minimum(a, b), np.maximum(a, b), c])
            found.append(rows[after.satisfies(rows) & ~before.satisfies(rows)])
    triplets = np.concatenate(found)
    return triplets[np.lexsort((triplets[:, C], triplets[:, B], triplets[:, A]))]


# --- in words


class Group(NamedTuple):
    """Triplets that one sentence says.

    Attributes
    ----------
    together_a, together_b : tuple of int
        Each of the first belongs together with each of the second; where there are none of the second, every two of the
        first belong together.
    apart : tuple of int
        Those apart from which they belong together.
    """

    together_a: tuple[int, ...]
    together_b: tuple[int, ...]
    apart: tuple[int, ...]

    def triplets(self) -> set[Triplet]:
        """Return the triplets (a, b, c) with a < b that the sentence says."""
        pairs = (
            itertools.product(self.together_a, self.together_b)
            if self.together_b
            else itertools.combinations(self.together_a, 2)
        )
        return {(min(pair), max(pair), odd) for pair in pairs for odd in self.apart}

    def in_words(self, label: Callable[[int], str]) -> str:
        """Return the sentence, without a full stop."""
        first, second, apart = (listed([one_line(label(item)) for item in items], MOST_NAMED) for items in self)
        if len(self.together_a) == len(self.together_b) == 1:
            together = f"{first} and {second} together"
        else:
            together = f"{first} together with {second}" if self.together_b else f"{first} together"
        return f"{together}, apart from {apart}"


def in_words(
    triplets: ArrayLike, labels: Sequence[str] | Callable[[int], str], most: int = MOST_SENTENCES
) -> list[str]:
    """Return sentences that say just these triplets, the one that says most first.

    Parameters
    ----------
    triplets : array of shape (m, 3)
        Numbers of items, the odd one last.
    labels : sequence of str, or callable
        What to call an item, by its number.
    most : int
        The most sentences. If they are not enough, the last one says how many triplets are left: "and 12 more statements".
    """
    room = as_count(most, "most", 2)
    label = labels if callable(labels) else labels.__getitem__
    groups = group(triplets)
    if len(groups) <= room:
        return [each.in_words(label) for each in groups]
    told, others = ({each for one in some for each in one.triplets()} for some in (groups[: room - 1], groups))
    left = counted(len(others - told), "more statement")
    return [*(each.in_words(label) for each in groups[: room - 1]), f"and {left}"]


def group(triplets: ArrayLike) -> list[Group]:
    """Return groups that have all the triplets and no others between them, few and large ones, the largest first.

    The fewest would take too long to find. Of all that are at hand, the one that says most is taken, and so on; then names
    are left out of them whose triplets others say too.
    """
    rows = np.asarray(triplets, np.int64).reshape(-1, 3)
    items, places = np.unique(rows, return_inverse=True)
    apart: dict[tuple[int, int], Mask] = {}
    for a, b, c in places.reshape(-1, 3).tolist():
        pair = min(a, b), max(a, b)
        apart[pair] = apart.get(pair, 0) | 1 << c
    groups = [_as_group(rectangle) for rectangle in _cover(apart)]
    numbers = items.tolist()
    return [Group(*(tuple(numbers[place] for place in part) for part in each)) for each in _trimmed(groups)]


def _cover(apart: dict[tuple[int, int], Mask]) -> Iterator[Rectangle]:
    """Yield rectangles of triplets, the one with most triplets that none before it has first, until they have all."""
    left = dict(apart)
    heap = [(-len(_pairs(each)) * each[2].bit_count(), each) for each in _rectangles(apart)]
    heapq.heapify(heap)
    while heap:
        _, (one, other, odd) = heapq.heappop(heap)
        num_new = sum((left[pair] & odd).bit_count() for pair in _pairs((one, other, odd)))
        # What is left of a rectangle only becomes less: if it is still the most, it is.
        if num_new and heap and -num_new > heap[0][0]:
            heapq.heappush(heap, (-num_new, (one, other, odd)))
        elif num_new:
            yield one, other, odd
            for pair in _pairs((one, other, odd)):
                left[pair] &= ~odd


def _rectangles(apart: dict[tuple[int, int], Mask]) -> set[Rectangle]:
    """Return rectangles of triplets that cannot be made larger for the same odd ones; every triplet is in one of them."""
    same: dict[Mask, list[tuple[int, int]]] = {}
    for pair, odd in apart.items():
        same.setdefault(odd, []).append(pair)
    if len(same) * len(apart) <= MOST_COMPARED:
        same = {odd: [pair for pair, others in apart.items() if others & odd == odd] for odd in same}
    found: set[Rectangle] = set()
    for odd, pairs in same.items():
        beside: dict[int, Mask] = {}
        for a, b in pairs:
            beside[a] = beside.get(a, 0) | 1 << b
            beside[b] = beside.get(b, 0) | 1 << a
        for item, others in beside.items():
            alike = reduce(and_, (beside[other] for other in _members(others)))
            one, other = sorted((alike, others), key=lambda mask: (mask.bit_count(), _members(mask)))
            found.add((one, other, odd))
            clique, addable = 1 << item, others
            while addable:
                clique |= addable & -addable
                addable &= beside[_members(addable)[0]]
            if clique.bit_count() > 2:
                found.add((clique, 0, odd))
    return found


def _trimmed(groups: list[Group]) -> list[Group]:
    """Return groups without the names, and without the groups, that nothing is lost without."""
    counts = Counter(triplet for each in groups for triplet in each.triplets())
    needed = [_needed(each, counts) for each in reversed(groups)]
    return [each for each in reversed(needed) if each is not None]


def _needed(whole: Group, counts: Counter[Triplet]) -> Group | None:
    """Return what is needed of a group, if anything; `counts` has how many groups say each triplet, and is kept so."""
    left = whole
    for role, field in enumerate(Group._fields):
        for item in whole[role]:
            others = tuple(other for other in left[role] if other != item)
            is_of_pairs = role == 0 and not whole.together_b
            said = Group((item,), others, left.apart) if is_of_pairs else left._replace(**{field: (item,)})
            if all(counts[triplet] > 1 for triplet in said.triplets()):
                counts.subtract(said.triplets())
                if len(others) < 1 + is_of_pairs:
                    return None
                left = left._replace(**{field: others})
    if len(left.together_a) == 2 and not left.together_b:
        return Group(left.together_a[:1], left.together_a[1:], left.apart)
    return left


def _pairs(rectangle: Rectangle) -> list[tuple[int, int]]:
    one, other, _ = _as_group(rectangle)
    pairs = itertools.product(one, other) if other else itertools.combinations(one, 2)
    return [(min(pair), max(pair)) for pair in pairs]


def _as_group(rectangle: Rectangle) -> Group:
    return Group(*(tuple(_members(mask)) for mask in rectangle))


def _members(mask: Mask) -> list[int]:
    """Return the items of a set, the least first."""
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


def _named(tree: Tree, node: int) -> str:
    names = [one_line(format_item(leaf, tree.items)) for leaf in sorted(tree.leaves(node).tolist())]
    return listed(names if tree.items is not None else [f"item {name}" for name in names], most=3)
