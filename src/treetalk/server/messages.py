"""What the page and the server say to each other, as the schema of the HTTP API has it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_SHOWN = 100  # items in one question
MOST_MARKED = 1_000
MOST_TRIPLETS = 20_000  # in one gesture
MOST_KEYS = 5_000
MOST_ROWS = 1_000
LARGEST = 2**53 - 1  # whole numbers that JavaScript knows

Number = Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)]
Parent = Annotated[int, Field(ge=-1, le=2**31 - 1, strict=True)]
Window = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$", description="The id of a window, made by the page.")]
Gesture = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$", description="A new id: what is sent again with it is recorded once.")
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


# --- items


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


# --- questions


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


# --- answers


class Plain(Incoming):
    """An answer without a correction."""

    kind: Literal["accept", "same", "skip"]


class Correction(Incoming):
    """Triplets (a, b, c): a and b together, apart from c."""

    kind: Literal["triplets"]
    triplets: list[Triplet] = Field(min_length=1, max_length=MOST_TRIPLETS)


class Said(Incoming):
    """An answer."""

    gesture: Gesture
    window: Window
    project: Project = None
    who: Who = None
    comment: Comment = None
    seconds: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = None
    asked: AskedBack | None = Field(default=None, description="What was shown; null for what is said unasked.")
    response: Annotated[Plain | Correction, Field(discriminator="kind")]


class TakenBack(Incoming):
    """A gesture, or answers, to take back."""

    gesture: Gesture
    window: Window
    project: Project = None
    who: Who = None
    comment: Comment = None
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
    conflicts: list[Conflict]
    question: Question | None
    words: str | None
    state: State


class Retracted(BaseModel):
    """What became of taking back, and the question that was answered."""

    answers: list[Answer]
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


# --- the hierarchy


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
