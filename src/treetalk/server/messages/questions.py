"""Questions, and what a drop in one of them comes to."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from treetalk.server.messages.common import MOST_SHOWN, Incoming, Key, Kind, Number, Parent, Window
from treetalk.server.messages.items import Item


class PieceNode(BaseModel):
    """A node of a small tree, with its place in the drawing."""

    node: int
    parent: int | None
    x: float = Field(description="0 at the root, 1 at the leaves.")
    y: float = Field(description="In rows; the leaves are at 0, 1, 2 and so on.")
    first: int
    last: int
    size: int
    leaf: int | None = Field(description="The number of the item.")


class Piece(BaseModel):
    """A small tree, drawn."""

    parents: list[int] = Field(description="The parent of each node, -1 for the root; leaf i is item `leaves[i]`.")
    num_rows: int
    nodes: list[PieceNode]


class Question(BaseModel):
    """What is asked."""

    kind: Kind
    strategy: str
    words: str
    leaves: list[int]
    items: list[Item]
    piece: Piece


class QuestionOrNone(BaseModel):
    """The question of a window."""

    question: Question | None
    words: str | None = Field(description="Why there is none.")


class JustQuestion(BaseModel):
    """A question that was asked for."""

    question: Question


class AskedBack(Incoming):
    """A question as it was shown, sent back with the answer."""

    kind: Kind
    strategy: str = Field(max_length=60)
    leaves: list[Number] = Field(min_length=3, max_length=MOST_SHOWN)
    parents: list[Parent] = Field(min_length=4, max_length=2 * MOST_SHOWN)


class AskAbout(Incoming):
    """Items, or a branch, that somebody wants to be asked about."""

    window: Window
    leaves: Annotated[list[Number], Field(min_length=3, max_length=MOST_SHOWN)] | None = None
    branch: Key | None = None


class Rearrangement(Incoming):
    """A branch of a piece, dropped onto another."""

    leaves: list[Number] = Field(min_length=3, max_length=MOST_SHOWN)
    original: list[Parent] = Field(min_length=4, max_length=2 * MOST_SHOWN, description="The piece as it was shown.")
    current: list[Parent] = Field(min_length=4, max_length=2 * MOST_SHOWN, description="The piece as it is now.")
    moved: list[Number] = Field(default=[], max_length=MOST_SHOWN, description="The items that were moved before.")
    node: Number = Field(description="The branch, by its number in `current`.")
    onto: Number = Field(description="Its new sister, by its number in `current`.")


class Rearranged(BaseModel):
    """What it comes to, and what it means."""

    piece: Piece
    moved: list[int]
    triplets: list[tuple[int, int, int]]
    words: list[str]
