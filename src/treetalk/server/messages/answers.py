"""What is said, what became of it, and how far things are."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from treetalk.server.messages.common import (
    MOST_TRIPLETS,
    AnswerKind,
    Comment,
    Gesture,
    Incoming,
    Number,
    Project,
    Triplet,
    Who,
    Window,
)
from treetalk.server.messages.questions import AskedBack, Question


class Plain(Incoming):
    """An answer without a correction."""

    kind: Literal["accept", "same", "skip"]


class Correction(Incoming):
    """Triplets (a, b, c): a and b together, apart from c."""

    kind: Literal["triplets"]
    triplets: list[Triplet] = Field(min_length=1, max_length=MOST_TRIPLETS)


class Recorded(Incoming):
    """Something that is written down, once however often it is sent."""

    gesture: Gesture
    window: Window
    project: Project = None
    who: Who = None
    comment: Comment = None


class Said(Recorded):
    """An answer."""

    seconds: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = None
    asked: AskedBack | None = Field(default=None, description="What was shown; null for what is said unasked.")
    response: Annotated[Plain | Correction, Field(discriminator="kind")]


class TakenBack(Recorded):
    """A gesture, or answers, to take back."""

    takes_back: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    answers: Annotated[list[Number], Field(min_length=1, max_length=1_000)] | None = None


class Answer(BaseModel):
    """Something that was said."""

    id: int
    gesture: str
    kind: AnswerKind
    words: str
    who: str | None
    time: str
    standing: Literal["in force", "set aside", "taken back", "noted"]


class Conflict(BaseModel):
    """An answer that was set aside, and those that it contradicts."""

    answer: Answer
    clashes_with: list[Answer]
    words: str


class Conflicts(BaseModel):
    """Contradictions."""

    conflicts: list[Conflict]
    num_conflicts: int


class Wrong(BaseModel):
    """How much is still wrong, as random questions tell."""

    estimate: float
    low: float
    high: float
    num_checks: int


class Sampling(BaseModel):
    """What the sampler does."""

    state: Literal["sampling", "resting", "failed"]
    words: str
    num_moves: int
    num_draws: int
    moves_per_second: int


class State(BaseModel):
    """How far things are."""

    project: str = Field(description="The id of the project.")
    revision: int
    num_records: int
    num_comments: int
    answered: int
    corrections: int
    accepted: int
    skipped: int
    alike: int
    in_force: int
    set_aside: int
    settled: float
    sure: float
    wrong: Wrong | None
    checks_needed: int
    sampling: Sampling
    people: int
    start: str


class Answered(BaseModel):
    """What became of an answer, and the next question."""

    answers: list[Answer]
    taken_back: list[Answer]
    conflicts: list[Conflict]
    question: Question | None
    words: str | None
    state: State


class Retracted(BaseModel):
    """What became of taking back, and the question that was answered."""

    answers: list[Answer]
    stay_taken_back: list[Answer] = Field(description="What the answer had taken the place of.")
    back_in_force: list[Answer]
    conflicts: list[Conflict]
    question: Question | None
    state: State


class Remark(BaseModel):
    """A comment."""

    who: str | None
    time: str
    text: str


class Remarked(BaseModel):
    """A comment that was recorded."""

    comment: Remark


class Commenting(Incoming):
    """A comment on an answer."""

    answer: Number
    text: str = Field(min_length=1, max_length=10_000)
    project: Project = None
    who: Who = None


class Entry(BaseModel):
    """A gesture of the history."""

    gesture: str
    ids: list[int]
    kind: AnswerKind
    words: str
    num_triplets: int
    triplets: list[tuple[int, int, int]] = Field(description="The first of them.")
    leaves: list[int] = Field(description="The items that were shown.")
    items: list[str] = Field(description="The labels of the first items that were shown.")
    who: str | None
    time: str
    seconds: float | None
    comments: list[Remark]
    standing: Literal["in force", "set aside", "partly set aside", "taken back", "noted"]


class Page(BaseModel):
    """A part of the history, the newest first."""

    gestures: list[Entry]
    next: int | None = Field(description="To be given as `before` for what came before these.")
    num_records: int
