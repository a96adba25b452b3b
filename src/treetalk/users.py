"""Who answers: simulated users who know the hierarchy that they want.

A user is any object with ``respond(query)``. It returns a triplet (a, b, c) in item numbers of X, the odd one last, or a
list of triplets, "accept" (what is shown is right), "same" (all alike to me) or "skip".
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from treetalk import _kernels
from treetalk.arguments import as_rows, as_seed
from treetalk.metrics import as_target, tree_of_labels
from treetalk.queries import Query
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MOST_SORTED = 20  # items that are put right at once

Triplet = tuple[int, int, int]
Response = Triplet | list[Triplet] | str


@runtime_checkable
class User(Protocol):
    """Anyone who answers queries."""

    def respond(self, query: Query) -> Response:
        """Return a triplet, or several, "accept", "same" or "skip"."""


class TreeUser:
    """A user who knows a target hierarchy and answers by the paper's rule.

    Shown a subtree, it names a triplet of the target that the root's split violates, each with the same probability; if
    there is none it looks below the children, and so on; if nothing is violated, it accepts. A triplet is violated too
    where the tree that is shown leaves it open. Asked for the odd one of three items, it names it, or says "same" where the
    target does not tell.

    Parameters
    ----------
    target : Tree or array of shape (num_items,)
        The hierarchy wanted, of any arity, or a class for each item. Leaf i is item i of X; by name if both the target and
        the query have names.
    seed : int
        The seed of the choice among violated triplets.
    """

    def __init__(self, target: Tree | ArrayLike, seed: int = 0) -> None:
        self._target = as_target(target)
        self._rng = np.random.default_rng(as_seed(seed))

    @property
    def target(self) -> Tree:
        """The hierarchy wanted."""
        return self._target

    def respond(self, query: Query) -> Triplet | str:
        """Return a violated triplet, or "accept"; the odd one of a triple, or "same"."""
        leaves = self._leaves_of(query)
        if query.kind == "triple":
            answer = odd_one_of(self._target, leaves)
        else:
            answer = violated_triplet(self._target, query.tree, leaves, self._rng)
        if answer is None:
            return "same" if query.kind == "triple" else "accept"
        number = dict(zip(leaves.tolist(), query.leaves.tolist(), strict=True))
        a, b, c = (number[leaf] for leaf in answer)
        return a, b, c

    def with_seed(self, seed: int) -> TreeUser:
        """Return a user who wants the same, and chooses among violated triplets anew."""
        return TreeUser(self._target, seed)

    def _leaves_of(self, query: Query) -> NDArray[np.int32]:
        """Return the target's leaves for the query's items."""
        if not isinstance(query, Query):
            raise TypeError(f"a user responds to a Query, not to {query!r}")
        if self._target.items is not None and query.tree.items is not None:
            return np.array([self._target.node(name) for name in query.tree.items], np.int32)
        if query.leaves.max() >= self._target.num_leaves:
            raise ValueError(
                f"the target has {self._target.num_leaves} leaves, and the query is about item {query.leaves.max()}"
            )
        return query.leaves

    def __repr__(self) -> str:
        return f"<treetalk.{type(self).__name__}: {self._target.num_leaves} items>"


class LabelUser(TreeUser):
    """A user who knows a class for each item: two of a class belong together, apart from one of another.

    Parameters
    ----------
    labels : array of shape (num_items,)
        The class of each item.
    seed : int
        The seed of the choice among violated triplets.
    """

    def __init__(self, labels: ArrayLike, seed: int = 0) -> None:
        super().__init__(tree_of_labels(labels), seed)


class SortingUser:
    """A user who sorts what is shown, as one sorts cards: it says every triplet of the target among these items.

    Whether the piece has them already does not matter. If the target has none, because these items are all apart or all of
    a kind, it accepts. Of more than twenty items it says what `TreeUser` says, and of a triple too.

    Parameters
    ----------
    target : Tree or array of shape (num_items,)
        The hierarchy wanted, of any arity, or a class for each item. Leaf i is item i of X; by name if both the target and
        the query have names.
    seed : int
        The seed of the choice among violated triplets, where one is chosen.
    """

    def __init__(self, target: Tree | ArrayLike, seed: int = 0) -> None:
        self._teller = TreeUser(target, seed)

    @property
    def target(self) -> Tree:
        """The hierarchy wanted."""
        return self._teller.target

    def respond(self, query: Query) -> Response:
        """Return all the triplets, or "accept"; the odd one of a triple, or "same"."""
        leaves = self._teller._leaves_of(query)
        if query.kind == "triple" or not 3 <= len(leaves) <= MOST_SORTED:
            return self._teller.respond(query)
        pairs = np.argwhere(np.triu(np.ones((len(leaves), len(leaves)), bool), 1))
        every = [(a, b, c) for a, b in pairs.tolist() for c in range(len(leaves)) if c not in {a, b}]
        wanted = np.array(every)[self.target.restrict(leaves).satisfies(every)]
        return [(a, b, c) for a, b, c in query.leaves[wanted].tolist()] if len(wanted) else "accept"

    def with_seed(self, seed: int) -> SortingUser:
        """Return a user who wants the same."""
        return SortingUser(self.target, seed)

    def __repr__(self) -> str:
        return f"<treetalk.SortingUser: {self.target.num_leaves} items>"


class NoisyUser:
    """A user who errs: now and then it names the wrong one of three items as the odd one.

    Parameters
    ----------
    user : User
        Who would answer rightly.
    flip : float
        The probability that a triplet ab|c becomes ac|b or bc|a, each as likely. What is accepted stays accepted.
    seed : int
        The seed of the errors.
    """

    def __init__(self, user: User, flip: float = 0.1, seed: int = 0) -> None:
        if not isinstance(user, User):
            raise TypeError(f"user must have a method respond(query); {type(user).__name__} has none")
        is_number = isinstance(flip, int | float | np.number) and not isinstance(flip, bool)
        if not is_number or not 0 <= flip <= 1:
            raise ValueError(f"flip must be a probability from 0 to 1, not {flip!r}")
        self._user, self._flip = user, float(flip)
        # Not the numbers of a user with the same seed, who chooses triplets by them.
        self._rng = np.random.default_rng([as_seed(seed), 1])

    @property
    def target(self) -> Tree:
        """The hierarchy that the user wants, if that is known."""
        target: Tree = self._user.target  # type: ignore[attr-defined]
        return target

    def respond(self, query: Query) -> Response:
        """Return what the user says, with errors."""
        response = self._user.respond(query)
        if isinstance(response, str):
            return response
        flipped = [self._maybe_flipped(triplet) for triplet in as_rows(response)]
        return flipped if len(flipped) > 1 else flipped[0]

    def with_seed(self, seed: int) -> NoisyUser:
        """Return a user with the same target who errs elsewhere."""
        user = self._user.with_seed(seed) if hasattr(self._user, "with_seed") else copy.deepcopy(self._user)
        return NoisyUser(user, self._flip, seed)

    def _maybe_flipped(self, triplet: tuple[Any, ...]) -> Triplet:
        a, b, c = triplet
        if self._rng.random() >= self._flip:
            return a, b, c
        return (a, c, b) if self._rng.random() < 0.5 else (b, c, a)

    def __repr__(self) -> str:
        return f"<treetalk.NoisyUser: {self._user!r}, flip={self._flip:g}>"


def violated_triplet(target: Tree, shown: Tree, leaves: NDArray[np.int32], rng: np.random.Generator) -> Triplet | None:
    """Return a triplet of the target that a tree over some of its leaves violates, by the paper's rule, or None."""
    if len(leaves) < 3:
        return None
    part = target.restrict(leaves)
    uniforms = rng.random(3)
    if shown.with_items(None).is_refinement_of(part.with_items(None)):
        return None
    a, b, c = _kernels.answers.violated_triplet(part._layout, shown._layout, uniforms)
    return int(leaves[a]), int(leaves[b]), int(leaves[c])


def odd_one_of(target: Tree, three: NDArray[np.int32]) -> Triplet | None:
    """Return the triplet of three leaves that the target has, or None."""
    x, y, z = map(int, three)
    orders = ((x, y, z), (x, z, y), (y, z, x))
    return next((order for order, fits in zip(orders, target.satisfies(orders), strict=True) if fits), None)
