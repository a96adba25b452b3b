"""A simulated user who corrects with the hand: one dropping per question, that puts as much right as one dropping can.

What a dropping says are its triplets, the same that the page sends: see `treetalk.gestures`. All droppings of the tree that
is shown are looked at together, by the sizes of clades: ab|c holds where the least clade with a and b is smaller than the
least one with a and c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.arguments import A, B, C
from treetalk.tree import Tree
from treetalk.triplets import TripletSet
from treetalk.users import Response, TreeUser

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from treetalk.queries import Query

MOST_LEAVES = 20  # of a tree all of whose droppings are looked at
AT_ONCE = 256  # droppings whose triplets are in memory together


class GestureUser:
    """A user who knows a target hierarchy, and drops a part of what is shown to where it belongs.

    Shown a subtree, it makes one gesture: of all droppings of a node onto another, one after which most triplets of the
    target are right that were wrong, less those that would be left open; among equally good ones, each with the same
    probability. It returns all triplets that the gesture says, also about what the target leaves open, and it is true to
    its word: a gesture against the target, or against the target together with what it has said before, is not made.
    Where no gesture makes anything better, or more than twenty items are shown, it names one triplet as `TreeUser` does; if
    nothing is violated, it accepts. Asked for the odd one of three items, it answers as `TreeUser`.

    Parameters
    ----------
    target : Tree or array of shape (num_items,)
        The hierarchy wanted, of any arity, or a class for each item. Leaf i is item i of X; by name if both the target and
        the query have names.
    seed : int
        The seed of the choice among gestures.
    """

    def __init__(self, target: Tree | ArrayLike, seed: int = 0) -> None:
        self._teller = TreeUser(target, seed)
        # Not the numbers of the one who names triplets.
        self._rng = np.random.default_rng([seed, 2])
        self._held: NDArray[np.int32] | None = None  # what only trees satisfy that refine the target, and all it said

    @property
    def target(self) -> Tree:
        """The hierarchy wanted."""
        return self._teller.target

    def respond(self, query: Query) -> Response:
        """Return the triplets of a gesture, a violated triplet, or "accept"; the odd one of a triple, or "same"."""
        leaves = self._teller._leaves_of(query)
        if query.kind == "subtree" and 3 <= len(leaves) <= MOST_LEAVES:
            found = gestures_for(self.target.restrict(leaves), query.tree)
            turn = self._rng.random(len(found))
            for i in sorted(range(len(found)), key=lambda i: (-found[i].gain, turn[i])):
                if self._can_say(leaves[found[i].triplets]):
                    return [(a, b, c) for a, b, c in query.leaves[found[i].triplets].tolist()]
        return self._teller.respond(query)

    def _can_say(self, triplets: NDArray[np.int32]) -> bool:
        """Return whether triplets go together with the target and with all that was said; if so, they are said."""
        beyond = triplets[~self.target.satisfies(triplets)]
        if not len(beyond):
            return True
        if self._held is None:
            self._held = defining_triplets(self.target)
        turned = np.column_stack([np.sort(beyond[:, [A, B]], axis=1), beyond[:, C]])
        together = np.unique(np.concatenate([self._held, turned]), axis=0)
        can = TripletSet(together, self.target.num_leaves).is_consistent
        if can:
            self._held = together
        return can

    def with_seed(self, seed: int) -> GestureUser:
        """Return a user who wants the same, and chooses among gestures anew."""
        return GestureUser(self.target, seed)

    def __repr__(self) -> str:
        return f"<treetalk.GestureUser: {self.target.num_leaves} items>"


class Gesture(NamedTuple):
    """A dropping of a node of a tree onto another one."""

    node: int
    onto: int
    gain: int  # how many more triplets of the target are right after it
    triplets: NDArray[np.intp]  # what it says, shape (m, 3): the odd one last, the first less than the second, sorted


def gestures_for(target: Tree, shown: Tree) -> list[Gesture]:
    """Return the gestures that make a tree better, and none of whose triplets contradicts the target over its leaves."""
    wanted = _triplets(_sizes(target)[None])[0]
    against = wanted.transpose(0, 2, 1)  # of ab|c: ac|b is wanted; and as ba|c is ab|c, so it is for bc|a
    before = _triplets(_sizes(shown)[None])[0]
    if not (wanted & ~before).any():
        return []
    nodes, places = _droppings(shown)
    found = []
    for start in range(0, len(nodes), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        after = _triplets(_sizes_after(shown, nodes[part], places[part]))
        new = after & ~before
        gains = ((after & wanted).sum(axis=(1, 2, 3)) - (before & wanted).sum()) // 2  # ab|c is there as ba|c too
        gains[(new & against).any(axis=(1, 2, 3))] = 0
        for i in np.flatnonzero(gains > 0):
            said = np.argwhere(new[i])
            v, w = nodes[start + i], places[start + i]
            found.append(Gesture(int(v), int(w), int(gains[i]), said[said[:, A] < said[:, B]]))
    return found


def defining_triplets(tree: Tree) -> NDArray[np.int32]:
    """Return triplets of a tree, shape (m, 3), that no other trees have but those that refine it.

    For each node and each sister of it: one leaf below the first child goes together with one below each other child, apart
    from one below the sister.
    """
    first = [int(tree.leaves(v)[0]) for v in range(tree.num_nodes)]
    rows = [
        (first[children[0]], first[child], first[sister])
        for v in range(tree.num_nodes)
        if v != tree.root and len(children := tree.children(v)) > 1
        for sister in tree.children(int(tree.parent[v]))
        if sister != v
        for child in children[1:]
    ]
    triplets = np.array(rows, np.int32).reshape(-1, 3)
    triplets[:, [A, B]] = np.sort(triplets[:, [A, B]], axis=1)
    return triplets


def _droppings(tree: Tree) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return all nodes that can be moved, each with all nodes that it can be dropped onto: those not within it."""
    inside = _members(tree)
    sizes = inside.sum(axis=1)
    is_within = inside.astype(np.intp) @ inside.T == sizes  # of row v: the leaves of w are all below v
    is_within[tree.root] = True
    nodes, places = np.nonzero(~is_within)
    return nodes, places


def _members(tree: Tree) -> NDArray[np.bool_]:
    """Return which leaves are below each node, shape (num_nodes, num_leaves)."""
    inside = np.zeros((tree.num_nodes, tree.num_leaves), bool)
    for v in range(tree.num_nodes):
        inside[v, tree.leaves(v)] = True
    return inside


def _lowest(inside: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the lowest node above each two leaves, shape (num_leaves, num_leaves)."""
    num_leaves = inside.shape[1]
    lowest = np.empty((num_leaves, num_leaves), np.intp)
    for v in np.argsort(-inside.sum(axis=1), kind="stable"):
        lowest[np.ix_(inside[v], inside[v])] = v
    return lowest


def _sizes(tree: Tree) -> NDArray[np.intp]:
    """Return the size of the least clade with each two leaves, shape (num_leaves, num_leaves)."""
    inside = _members(tree)
    return np.asarray(inside.sum(axis=1)[_lowest(inside)])


def _sizes_after(tree: Tree, nodes: NDArray[np.intp], places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the sizes of the least clades after each of some droppings, shape (num_droppings, num_leaves, num_leaves)."""
    inside = _members(tree)
    lowest = _lowest(inside)
    moved = inside[nodes]
    rest = inside[places] & ~moved
    num_moved, num_rest = moved.sum(axis=1)[:, None], rest.sum(axis=1)[:, None]
    # What is left of each clade without what is moved, and whether it takes that in again in its new place.
    left = (~moved).astype(np.intp) @ inside.T
    takes_in = (rest.astype(np.intp) @ inside.T == num_rest) & (left > num_rest)
    outside = (left + num_moved * takes_in)[:, lowest]
    # One moved, one not: the least clade above the new place that has the other; beside it, the two that are sisters now.
    any_of_rest = lowest[rest.argmax(axis=1)]
    joint = num_moved + np.where(rest, num_rest, np.take_along_axis(left, any_of_rest, axis=1))
    within = inside.sum(axis=1)[lowest]
    one, other = moved[:, :, None], moved[:, None, :]
    mixed = np.where(one, joint[:, None, :], joint[:, :, None])
    return np.asarray(np.where(one & other, within, np.where(one | other, mixed, outside)))


def _triplets(sizes: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which triplets hold, ab|c at [:, a, b, c] and at [:, b, a, c]."""
    is_smaller = sizes[:, :, :, None] < sizes[:, :, None, :]
    return np.asarray(is_smaller & ~np.eye(sizes.shape[-1], dtype=bool)[:, :, None])
