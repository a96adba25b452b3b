"""What the project is, and its items."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class Item(BaseModel):
    """An item as it is shown."""

    number: int
    label: str
    text: str | None
    picture: str | None = Field(description="Where its image is.")


class Place(BaseModel):
    """A branch on the way to something."""

    branch: str
    label: str
    size: int


class ItemInFull(Item):
    """All that is known of an item."""

    more: dict[str, Any]
    path: list[Place] = Field(description="The branches that it is in, from the root down.")


class NamedBranch(BaseModel):
    """A branch with a name that a person gave."""

    branch: str
    name: str
    size: int


class Found(BaseModel):
    """What a search found."""

    items: list[Item]
    clusters: list[NamedBranch]
    num_found: int


class Export(BaseModel):
    """A format in which the hierarchy can be taken away."""

    format: str
    words: str
    filename: str


class About(BaseModel):
    """What the project is."""

    id: str
    name: str
    num_items: int
    has_pictures: bool
    has_texts: bool
    who: str | None
    strategy: str
    subset_size: int
    version: str
    is_read_only: bool
    exports: list[Export]
