"""What ``treetalk demo`` does: a simulated user corrects the tree of the animals, and it is shown what becomes of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from treetalk import drawing
from treetalk.datasets import Animals, load_animals
from treetalk.metrics import num_triplets, triplet_distance
from treetalk.page import figure, page
from treetalk.queries import Query
from treetalk.session import Session
from treetalk.tree import Tree
from treetalk.users import TreeUser

# Each with a name for the terminal, and one for a page that is light or dark.
COLOURS = {
    "mammal": ("orange3", "#c77700"),
    "bird": ("dodger_blue1", "#2e86d6"),
    "reptile": ("green3", "#2f9e44"),
    "amphibian": ("spring_green2", "#00a37a"),
    "fish": ("turquoise2", "#1098ad"),
    "insect": ("medium_orchid", "#a855c7"),
    "invertebrate": ("hot_pink2", "#d6508c"),
}
NUM_QUERIES = 100
SEED = 5  # one on which the distance falls well; on others it rises for a while
NUM_LINES = 46
NARROWEST = 100  # columns that two trees side by side need
PICTURE_WIDTH = 132
NUM_CORRECTIONS = 6  # that are told in words


@dataclass(frozen=True)
class Step:
    """A query, what the user said to it, and how far the tree was from the target before."""

    query: Query
    response: tuple[int, int, int] | str
    distance: float


@dataclass(frozen=True)
class Dialogue:
    """All that happened."""

    animals: Animals
    before: Tree
    after: Tree
    steps: tuple[Step, ...]
    distance: float  # at the end

    @property
    def corrections(self) -> list[tuple[int, Step]]:
        """The trees that were answered with a triplet, each with the number of its query, from 1."""
        return [
            (number, step)
            for number, step in enumerate(self.steps, 1)
            if step.query.kind == "subtree" and not isinstance(step.response, str)
        ]

    @property
    def distances(self) -> list[float]:
        """The distance before each query, and at the end."""
        return [*(step.distance for step in self.steps), self.distance]


def converse(tell: Callable[[float], None]) -> Dialogue:
    """Let a user who knows biology answer; `tell` is told the distance after each query."""
    animals = load_animals()
    session = Session(animals.X, animals.items, seed=SEED)
    user = TreeUser(animals.target, seed=SEED)
    session.advance(4 * session.num_moves)
    before = session.tree
    distance = triplet_distance(animals.target, before)
    steps = []
    for _ in range(NUM_QUERIES):
        query = session.ask()
        if query is None:
            break
        response = user.respond(query)
        steps.append(Step(query, response, distance))
        session.respond(query, response)
        session.advance()
        distance = triplet_distance(animals.target, session.tree)
        tell(distance)
    return Dialogue(animals, before, session.tree, tuple(steps), distance)


def in_words(dialogue: Dialogue) -> str:
    """Return the whole story in a sentence or two."""
    num_shown, said = sum(step.query.kind == "subtree" for step in dialogue.steps), len(dialogue.corrections)
    first, last = dialogue.distances[0], dialogue.distance
    return (
        f"A user who knows biology answered {len(dialogue.steps)} questions. {num_shown} times it was shown a tree of ten "
        f"of the {len(dialogue.animals.items)} animals, and corrected {said} of these trees with one triplet each: two that "
        "belong together, and one that does not. "
        f"Of the {num_triplets(dialogue.animals.target):,} triplets that biology settles, the tree had {first:.1%} wrong "
        f"before, and has {last:.1%} wrong now."
    )


# --- for the terminal


def parts(dialogue: Dialogue, width: int) -> list[RenderableType]:
    """Return what to print, for a terminal of this width."""
    return [
        _trees(dialogue, width),
        Text("  ").join(Text(f"■ {kind}", style=colour) for kind, (colour, _) in COLOURS.items()),
        "",
        _falling(dialogue, width),
        "",
        _said(dialogue),
        "",
        Text(in_words(dialogue)),
    ]


def _trees(dialogue: Dialogue, width: int) -> RenderableType:
    side_by_side = width >= NARROWEST
    room = (width - 3) // 2 if side_by_side else max(width, 40)
    drawings = [
        _coloured(tree.draw(width=room, max_lines=NUM_LINES), dialogue.animals)
        for tree in (_without_support(dialogue.before), _without_support(dialogue.after))
    ]
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False)
    if side_by_side:
        for title in _titles(dialogue):
            table.add_column(title, no_wrap=True, width=room)
        table.add_row(*drawings)
        return table
    table.add_column(no_wrap=True)
    for title, tree in zip(_titles(dialogue), drawings, strict=True):
        table.add_row(Text(title, style="bold"))
        table.add_row(tree)
        table.add_row("")
    return table


def _titles(dialogue: Dialogue) -> tuple[str, str]:
    return "Before: from 16 features alone", f"After {len(dialogue.corrections)} corrections"


def _without_support(tree: Tree) -> Tree:
    """Return a tree whose drawing has room for names."""
    return Tree(tree.parent, age=tree.age, items=tree.items)


def _coloured(text: str, animals: Animals) -> Text:
    result = Text(text, no_wrap=True)
    result.highlight_regex(r"[─│┬├└▸]+", "bright_black")
    for kind, (colour, _) in COLOURS.items():
        result.highlight_regex(_names(animals, kind), colour)
    return result


def _names(animals: Animals, kind: str) -> str:
    """Return a pattern for the names of the animals of a kind."""
    names = [name for name, label in zip(animals.items, animals.labels, strict=True) if label == kind]
    longest_first = sorted(names, key=len, reverse=True)
    return rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])"


def _falling(dialogue: Dialogue, width: int) -> Table:
    """Return a bar for the distance after every tenth query."""
    distances = dialogue.distances
    room = max(10, min(60, width - 30))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("Queries", "Wrong", "of the triplets"):
        table.add_column(title, justify="left" if title == "of the triplets" else "right", no_wrap=True)
    for number in range(0, len(distances), 10):
        bar = "█" * round(room * distances[number] / max(distances)) or "▏"
        table.add_row(str(number), f"{distances[number]:.1%}", Text(bar, style="dodger_blue1"))
    return table


def _said(dialogue: Dialogue) -> Table:
    """Return some of the questions and answers."""
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for title in ("Query", "Shown was", "The user said"):
        table.add_column(title)
    for number, step in _told(dialogue):
        table.add_row(str(number), _objection(step, dialogue.animals), _spoken(step, dialogue.animals))
    return table


def _told(dialogue: Dialogue) -> list[tuple[int, Step]]:
    """Return corrections from the beginning to the end of the dialogue."""
    corrections = dialogue.corrections
    count = min(NUM_CORRECTIONS, len(corrections))
    return [corrections[i * len(corrections) // count] for i in range(count)]


def _spoken(step: Step, animals: Animals) -> str:
    a, b, c = (animals.items[int(leaf)] for leaf in step.response)
    return f"{a} and {b} together, apart from {c}"


def _objection(step: Step, animals: Animals) -> str:
    """Return what the tree that was shown has in place of what the user said."""
    a, b, c = (animals.items[int(leaf)] for leaf in step.response)
    shown = next((other for other in ((a, c, b), (b, c, a)) if step.query.tree.satisfies([other])[0]), None)
    return f"{a}, {b} and {c} unresolved" if shown is None else f"{shown[0]} and {shown[1]}, apart from {shown[2]}"


def as_svg(console: Console) -> str:
    """Return what a recording console printed as a picture that loads nothing from elsewhere."""
    svg = console.export_svg(title="treetalk demo")
    return re.sub(r"(@font-face \{.*?\}|<!--.*?-->)\s*", "", svg, flags=re.DOTALL)


# --- for the report


def report(dialogue: Dialogue) -> str:
    """Return a page that tells the same with all questions and answers."""
    titles = _titles(dialogue)
    rows = "\n".join(
        f"<tr><td>{number}</td><td>{escape(_objection(step, dialogue.animals))}</td>"
        f"<td>{escape(_spoken(step, dialogue.animals))}</td><td>{step.distance:.1%}</td></tr>"
        for number, step in dialogue.corrections
    )
    trees = "".join(
        f"<div><h3>{escape(title)}</h3><pre>{_as_html(tree, dialogue.animals)}</pre></div>"
        for title, tree in zip(titles, (dialogue.before, dialogue.after), strict=True)
    )
    legend = " ".join(f'<span style="color:{colour}">■ {kind}</span>' for kind, (_, colour) in COLOURS.items())
    return page(
        "treetalk demo",
        [
            "<h1>A hierarchy that listens</h1>",
            '<p class="lead">101 animals, 16 features, and a user who knows biology.</p>',
            f'<section class="summary" aria-label="Summary"><p>{escape(in_words(dialogue))}</p></section>',
            _curve(dialogue) if drawing.can_draw() else "",
            f'<h2>The trees</h2><p>{legend}</p><div class="pair">{trees}</div>',
            "<h2>All corrections</h2>",
            '<div class="scroll"><table class="words"><thead><tr><th scope="col">Query</th><th scope="col">Shown was</th>'
            '<th scope="col">The user said</th><th scope="col">Wrong before</th></tr></thead>'
            f"<tbody>\n{rows}\n</tbody></table></div>",
        ],
    )


def _as_html(tree: Tree, animals: Animals) -> str:
    text = escape(_without_support(tree).draw(width=60))
    for kind, (_, colour) in COLOURS.items():
        text = re.sub(_names(animals, kind), rf'<span style="color:{colour}">\g<0></span>', text)
    return text


def _curve(dialogue: Dialogue) -> str:
    """Return the figure of the distance against the number of queries."""
    with drawing.new_figure(9.2, 3.0) as empty:
        axes = empty.subplots()
        distances = dialogue.distances
        axes.plot(range(len(distances)), distances, color="#d55e00", linewidth=2)
        corrected = [number - 1 for number, _ in dialogue.corrections]
        axes.plot(corrected, [distances[i] for i in corrected], "o", color="#d55e00", markersize=4)
        axes.set_title("Triplet distance to biology; dots are corrections")
        axes.set_xlabel("queries")
        axes.set_xlim(0, len(distances) - 1)
        axes.set_ylim(bottom=0)
        drawing.without_frame(axes)
        svg = drawing.as_svg(empty, "distance")
    return figure(svg, "Triplet distance against queries", "The share of biology's triplets that the tree has wrong.")
