"""What ``treetalk demo`` shows: a hierarchy of the animals drawn from the posterior, before and after some triplets."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from treetalk.arguments import format_triplet
from treetalk.chain import Chain
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
SAID = (
    ("sparrow", "bear", "gnat"),
    ("chicken", "carp", "moth"),
    ("toad", "lion", "carp"),
    ("pitviper", "chicken", "carp"),
    ("tuatara", "crow", "newt"),
    ("crab", "gnat", "starfish"),
    ("octopus", "clam", "crab"),
    ("dolphin", "deer", "sealion"),
)
NUM_DRAWS = 50
MOVES_BETWEEN = 1_000


class Draws(NamedTuple):
    """What a chain gave."""

    tree: Tree  # the last draw
    distance: float  # the mean triplet distance of all draws from the target


def parts(width: int) -> list[RenderableType]:
    """Return what to print, for a terminal of this width."""
    animals = load_animals()
    chain = Chain(animals.X, items=animals.items, seed=1)
    before = _draw(chain, animals)
    chain.add_triplets(SAID)
    after = _draw(chain, animals)
    summary = Text.assemble(
        "Of the ",
        (f"{num_triplets(animals.target):,}", "bold"),
        f" triplets that biology settles, {NUM_DRAWS} draws get ",
        (f"{before.distance:.1%}", "bold"),
        " wrong on average before, and ",
        (f"{after.distance:.1%}", "bold"),
        f" after these {len(SAID)} were said:",
    )
    return [_trees(animals, before.tree, after.tree, width), _legend(), "", summary, _answers(before.tree, after.tree)]


def _draw(chain: Chain, animals: Animals) -> Draws:
    chain.run(NUM_DRAWS * MOVES_BETWEEN)
    trees = list(chain.samples(NUM_DRAWS, MOVES_BETWEEN))
    return Draws(trees[-1], float(np.mean([triplet_distance(animals.target, tree) for tree in trees])))


def _trees(animals: Animals, before: Tree, after: Tree, width: int) -> RenderableType:
    side_by_side = width >= NARROWEST
    room = (width - 3) // 2 if side_by_side else max(width, 40)
    titles = ("A draw of the posterior, from 16 features", f"A draw after {len(SAID)} triplets")
    drawings = [_coloured(tree.draw(width=room, max_lines=NUM_LINES), animals) for tree in (before, after)]
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


def _answers(before: Tree, after: Tree) -> Table:
    """Return what was said, and what the two trees make of it."""
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for title in ("Said, the odd one last", "The tree before", "The tree after"):
        table.add_column(title)
    for triplet in SAID:
        table.add_row(format_triplet(triplet), _verdict(before, triplet), _verdict(after, triplet))
    return table


def _verdict(tree: Tree, triplet: tuple[str, str, str]) -> Text:
    a, b, c = triplet
    if tree.satisfies([triplet])[0]:
        return Text("✓ satisfied", style="green3")
    instead = next(other for other in ((a, c, b), (b, c, a)) if tree.satisfies([other])[0])
    return Text(f"✗ violated: {format_triplet(instead)}", style="red1")


def as_svg(console: Console) -> str:
    """Return what a recording console printed as a picture that loads nothing from elsewhere."""
    svg = console.export_svg(title="treetalk demo")
    return re.sub(r"(@font-face \{.*?\}|<!--.*?-->)\s*", "", svg, flags=re.DOTALL)
