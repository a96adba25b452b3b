"""What was shown and left unsaid.

Who corrects a piece of the tree names one of the things that are wrong with it. If many others were wrong too, it would be a
coincidence that it was just this one: so a tree from which the piece differs in little else is likelier. Let u be the number
of triplets that a tree has otherwise than a piece that was shown, less those that were said. Whoever picks what to say by
chance says just this with probability 1 / (1 + u); and who accepts a piece says that u is 0, as far as he looked.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk import _kernels
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk._kernels.state import Shown

# Of two or three items there is nothing left unsaid, and more than so many nobody looks through.
FEWEST_ITEMS, MOST_ITEMS = 4, 20
MOST_PIECES = 200  # a session's latest: a move takes longer the more there are


class Piece(NamedTuple):
    """A piece of a tree as it was shown."""

    leaves: tuple[int, ...]  # its items
    sizes: tuple[int, ...]  # see `clade_sizes`
    said: tuple[tuple[int, int, int], ...] = ()  # the triplets that were said of it


def clade_sizes(tree: Tree) -> tuple[int, ...] | None:
    """Return for each two leaves, (0, 1), (0, 2) and so on, the size of the smallest clade that has both: that is the tree.

    None if the tree is not binary, or has too few or too many leaves for anybody to leave something unsaid.
    """
    if not (FEWEST_ITEMS <= tree.num_leaves <= MOST_ITEMS and tree.is_binary):
        return None
    table = np.zeros((tree.num_leaves, tree.num_leaves), np.int64)
    # Each clade within another one comes after it.
    for node in np.argsort(-tree.sizes, kind="stable").tolist():
        leaves = tree.leaves(node)
        table[np.ix_(leaves, leaves)] = tree.sizes[node]
    return tuple(table[np.triu_indices(tree.num_leaves, 1)].tolist())


def are_clade_sizes(sizes: Sequence[object], num_leaves: int) -> bool:
    """Return whether these can be what `clade_sizes` returns."""
    return (
        FEWEST_ITEMS <= num_leaves <= MOST_ITEMS
        and len(sizes) == num_leaves * (num_leaves - 1) // 2
        and all(type(size) is int and 2 <= size <= num_leaves for size in sizes)
    )


def in_order(piece: Piece) -> Piece:
    """Return the same piece with its items in the order of their numbers: for pieces that are compared."""
    order = np.argsort(piece.leaves)
    table = table_of(piece.leaves, piece.sizes)[np.ix_(order, order)]
    leaves = tuple(piece.leaves[i] for i in order)
    return Piece(leaves, tuple(table[np.triu_indices(len(leaves), 1)].tolist()), piece.said)


def check_piece(piece: Piece, num_leaves: int) -> None:
    """Raise ValueError if a piece is none of trees with so many leaves."""
    leaves = piece.leaves
    if len(set(leaves)) < len(leaves) or not all(0 <= leaf < num_leaves for leaf in leaves):
        raise ValueError(f"a piece has some of {num_leaves} items, each once, not {leaves}")
    if not are_clade_sizes(piece.sizes, len(leaves)):
        raise ValueError(f"these are no sizes of the clades of {len(leaves)} items: {piece.sizes}")


def as_shown(pieces: Sequence[Piece], num_leaves: int, weight: float) -> Shown:
    """Return the arrays that a chain's kernels work on, for trees with so many leaves; see `treetalk._kernels.unsaid`."""
    count, widest = len(pieces), max((len(piece.leaves) for piece in pieces), default=0)
    items = np.zeros((count, widest), np.uint32)
    sizes = np.zeros((count, widest, widest), np.uint8)
    num_said = np.zeros(count, np.int64)
    for i, piece in enumerate(pieces):
        size = len(piece.leaves)
        items[i, :size] = piece.leaves
        sizes[i, :size, :size], num_said[i] = _seen_in(piece)
    every = np.concatenate([np.zeros(0, np.int64), *(np.array(piece.leaves, np.int64) for piece in pieces)])
    owner = np.repeat(np.arange(count), [len(piece.leaves) for piece in pieces])
    return _kernels.state.Shown(
        items=items,
        num_items=np.array([len(piece.leaves) for piece in pieces], np.int64),
        sizes=sizes,
        num_said=num_said,
        num_unsaid=np.zeros(count, np.int64),
        weight=np.array([weight], np.float64),
        entry_start=np.concatenate([[0], np.cumsum(np.bincount(every, minlength=num_leaves))]).astype(np.int64),
        entries=owner[np.argsort(every, kind="stable")].astype(np.uint32),
        marks=np.full(count, -1, np.int64),
        changed=np.zeros(count, np.uint32),
        changes=np.zeros(count, np.int64),
        on_path=np.full((2 * num_leaves, 2), -1, np.int64),
        outside=np.zeros(widest, np.int64),
        before=np.zeros(widest),
        after=np.zeros(widest),
    )


def logs_unsaid(parents: NDArray[np.int32], ages: NDArray[np.float64], pieces: Sequence[Piece]) -> NDArray[np.float64]:
    """Return for each of some binary trees the sum of log(1 + u) over pieces: little, if little was left unsaid."""
    shown = as_shown(pieces, (parents.shape[1] + 1) // 2, 1.0)
    result: NDArray[np.float64] = _kernels.unsaid.logs_unsaid(parents, ages, shown)
    return result


def table_of(leaves: Sequence[int], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return what `clade_sizes` returned of so many leaves as a table: a row and a column for each, and 0 for itself."""
    table = np.zeros((len(leaves), len(leaves)), np.int64)
    rows, columns = np.triu_indices(len(leaves), 1)
    table[rows, columns] = table[columns, rows] = sizes
    return table


@lru_cache(maxsize=4 * MOST_PIECES)  # after each answer, all chains take over all pieces
def _seen_in(piece: Piece) -> tuple[NDArray[np.int64], int]:
    """Return the table of a piece's sizes, and how many of the triplets that were said, each once, it has otherwise."""
    sizes = table_of(piece.leaves, piece.sizes)
    place = {leaf: i for i, leaf in enumerate(piece.leaves)}
    said = {(min(a, b), max(a, b), c) for a, b, c in piece.said if {a, b, c} <= place.keys()}
    return sizes, sum(bool(sizes[place[a], place[b]] >= sizes[place[a], place[c]]) for a, b, c in said)
