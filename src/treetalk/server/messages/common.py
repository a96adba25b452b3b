"""What messages of all kinds are made of, and the shape of errors."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_SHOWN = 100  # items in one question
MOST_MARKED = 1_000
MOST_TRIPLETS = 20_000  # in one gesture
MOST_KEYS = 5_000
MOST_ROWS = 1_000
LARGEST = 2**53 - 1  # whole numbers that JavaScript knows

Number = Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)]
Parent = Annotated[int, Field(ge=-1, le=2**31 - 1, strict=True)]
ID = r"^[A-Za-z0-9_-]{8,64}$"
ID_IN_WORDS = "8 to 64 letters, digits, - or _"
Window = Annotated[str, Field(pattern=ID, description=f"The id of a window, made by the page: {ID_IN_WORDS}.")]
Gesture = Annotated[
    str, Field(pattern=ID, description=f"A new id, {ID_IN_WORDS}: what is sent again with it is recorded once.")
]
Key = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$", description="A branch.")]
Project = Annotated[
    str | None, Field(max_length=40, description="The id of the project that is meant; another one is served: 409.")
]
Who = Annotated[str | None, Field(max_length=200, description="Who says it; by default, whoever runs the server.")]
Comment = Annotated[str | None, Field(max_length=10_000)]
Kind = Literal["subtree", "triple"]
AnswerKind = Literal["triplet", "accept", "same", "skip", "retract"]
Triplet = tuple[Number, Number, Number]


class Incoming(BaseModel):
    """What the page sends."""

    model_config = ConfigDict(extra="forbid")


class Error(BaseModel):
    """What went wrong."""

    code: str
    message: str = Field(description="One sentence.")


class Failure(BaseModel):
    """The shape of all errors."""

    error: Error
