"""The hierarchy, and how sure it is."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from treetalk.server.messages.common import (
    LARGEST,
    MOST_KEYS,
    MOST_MARKED,
    MOST_ROWS,
    Incoming,
    Key,
    Number,
    Project,
    Who,
)
from treetalk.server.messages.items import Item, Place


class View(Incoming):
    """What somebody wants to see of the hierarchy."""

    focus: Key | None = None
    detail: int = Field(default=40, strict=True, ge=1, le=100_000, description="About how many rows to open by itself.")
    open: list[Key] = Field(default=[], max_length=MOST_KEYS)
    shut: list[Key] = Field(default=[], max_length=MOST_KEYS)
    offset: int = Field(default=0, strict=True, ge=0, le=LARGEST)
    limit: int = Field(default=300, strict=True, ge=1, le=MOST_ROWS)
    mark: list[Number] = Field(default=[], max_length=MOST_MARKED)
    since: int | None = Field(default=None, strict=True, ge=0, le=LARGEST, description="The revision on the screen.")


class TreeNode(BaseModel):
    """A branch or an item, with its place in the drawing."""

    branch: str
    parent: str | None
    x: float
    y: float
    first: int
    last: int
    state: Literal["item", "open", "shut"]
    item: Item | None
    label: str
    name: str | None
    size: int
    support: float | None
    marked: int
    moved: bool
    pictures: list[str] = Field(default=[], description="Where images of some items of a shut branch are.")


class Tree(BaseModel):
    """What is visible of the hierarchy."""

    revision: int
    focus: str
    trail: list[Place]
    num_rows: int
    offset: int
    nodes: list[TreeNode]
    renamed: dict[str, str]
    num_moved: int


class Alternative(BaseModel):
    """Another way to part three items."""

    words: str
    support: float
    triplet: tuple[int, int, int]


class Statement(BaseModel):
    """How sure it is of something."""

    words: str
    support: float
    certain: bool
    possible: bool
    alternatives: list[Alternative]


class Naming(Incoming):
    """A name for a branch; null takes it away."""

    branch: Key
    name: Annotated[str, Field(min_length=1, max_length=200)] | None
    project: Project = None
    who: Who = None


class Revision(BaseModel):
    """The hierarchy that something was said about."""

    revision: int
