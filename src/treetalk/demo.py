"""What ``treetalk demo`` shows: the animals as average linkage clusters them, next to a hierarchy from biology."""

from __future__ import annotations

import re

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text
from scipy.cluster.hierarchy import linkage

from treetalk.arguments import format_triplet
from treetalk.datasets import Animals, load_animals
from treetalk.metrics import num_triplets, triplet_distance
from treetalk.tree import Tree

COLOURS = {
    "mammal": "orange3",
    "bird": "dodger_blue1",
    "reptile": "green3",
    "amphibian": "spring_green2",
    "fish": "turquoise2",
    "insect": "medium_orchid",
    "invertebrate": "hot_pink2",
}
NUM_LINES = 46
NARROWEST = 100  # columns that two trees side by side need
PICTURE_WIDTH = 132
EXAMPLES = (
    ("dolphin", "calf", "tuna"),
    ("seal", "bear", "dogfish"),
    ("vampire", "wolf", "crow"),
    ("slowworm", "ostrich", "dogfish"),
    ("crab", "gnat", "starfish"),
    ("penguin", "wren", "seal"),
)


def parts(width: int) -> list[RenderableType]:
    """Return what to print, for a terminal of this width."""
    animals = load_animals()
    guess = Tree.from_linkage(linkage(animals.X, "average"), animals.items)
    distance = triplet_distance(animals.target, guess)
    summary = Text.assemble(
        "Of the ",
        (f"{num_triplets(animals.target):,}", "bold"),
        " triplets that biology settles, average linkage gets ",
        (f"{distance:.1%}", "bold"),
        f" wrong: triplet distance {distance:.4f}. For example, the odd one last:",
    )
    return [_trees(animals, guess, width), _legend(), "", summary, _examples(animals, guess)]


def _trees(animals: Animals, guess: Tree, width: int) -> RenderableType:
    side_by_side = width >= NARROWEST
    room = (width - 3) // 2 if side_by_side else max(width, 40)
    titles = ("Average linkage of 16 features", "What a zoologist would say")
    drawings = [_coloured(tree.draw(width=room, max_lines=NUM_LINES), animals) for tree in (guess, animals.target)]
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False)
    if side_by_side:
        for title in titles:
            table.add_column(title, no_wrap=True, width=room)
        table.add_row(*drawings)
        return table
    table.add_column(no_wrap=True)
    for title, drawing in zip(titles, drawings, strict=True):
        table.add_row(Text(title, style="bold"))
        table.add_row(drawing)
        table.add_row("")
    return table


def _coloured(drawing: str, animals: Animals) -> Text:
    text = Text(drawing, no_wrap=True)
    text.highlight_regex(r"[─│┬├└▸]+", "bright_black")
    for kind, colour in COLOURS.items():
        names = [name for name, label in zip(animals.items, animals.labels, strict=True) if label == kind]
        pattern = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        text.highlight_regex(rf"(?<![\w-])(?:{pattern})(?![\w-])", colour)
    return text


def _legend() -> Text:
    return Text("  ").join(Text(f"■ {kind}", style=colour) for kind, colour in COLOURS.items())


def _examples(animals: Animals, guess: Tree) -> Table:
    """Return what the guess makes of some triplets of the target."""
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("Biology says")
    table.add_column("Average linkage says")
    for a, b, c in EXAMPLES:
        found = [(x, y, z) for x, y, z in ((a, b, c), (a, c, b), (b, c, a)) if guess.satisfies([(x, y, z)])[0]]
        right = found == [(a, b, c)]
        said = Text.assemble("✓ " if right else "✗ ", format_triplet(found[0]), style="green3" if right else "red1")
        table.add_row(format_triplet((a, b, c)), said)
    return table


def as_svg(console: Console) -> str:
    """Return what a recording console printed as a picture that loads nothing from elsewhere."""
    svg = console.export_svg(title="treetalk demo")
    return re.sub(r"(@font-face \{.*?\}|<!--.*?-->)\s*", "", svg, flags=re.DOTALL)
