"""The small drawings of the guide: ``python docs/pictures.py`` writes them to ``docs/pictures``.

They are put into the pages as SVG, so that they have the page's colours, light or dark: ink is ``currentColor``.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "pictures"
INK = "currentColor"
BRAND = "var(--color-brand-primary, #b8480a)"
FAINT = "var(--color-foreground-muted, #7a838c)"
Nested = Any  # the name of a leaf, or a tuple of what is below a node


class Drawing:
    """Lines and words on a sheet, in pixels from its upper left corner."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._size, self._title = (width, height), title
        self._parts: list[str] = []

    def line(self, *points: tuple[float, float], color: str = INK, width: float = 1.8, dashes: str = "") -> None:
        """Draw a line through points."""
        where = " ".join(f"{x:g},{y:g}" for x, y in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._parts.append(
            f'<polyline points="{where}" fill="none" style="stroke:{color}" stroke-width="{width:g}"'
            f' stroke-linecap="round" stroke-linejoin="round"{dashed}/>'
        )

    def word(
        self, x: float, y: float, text: str, color: str = INK, anchor: str = "middle", style: str = "", size: int = 14
    ) -> None:
        """Write a word."""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" style="fill:{color};font-size:{size}px{style}">'
            f"{escape(text)}</text>"
        )

    def dot(self, x: float, y: float, color: str = INK) -> None:
        """Draw a dot."""
        self._parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="3.6" style="fill:{color}"/>')

    def box(self, x: float, y: float, width: float, height: float, color: str = FAINT) -> None:
        """Draw a box with round corners."""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8" fill="none"'
            f' style="stroke:{color}" stroke-width="1.4"/>'
        )

    def arrow(self, start: tuple[float, float], end: tuple[float, float], color: str = FAINT) -> None:
        """Draw an arrow, straight across or straight down."""
        (x, y), (u, v) = start, end
        self.line(start, end, color=color, width=1.4)
        along = (u > x) - (u < x), (v > y) - (v < y)
        tips = [(u - 7 * along[0] + 5 * side * along[1], v - 7 * along[1] + 5 * side * along[0]) for side in (-1, 1)]
        self.line(tips[0], end, tips[1], color=color, width=1.4)

    def tree(
        self,
        tree: Nested,
        left: float,
        top: float,
        step: float = 40,
        level: float = 34,
        bottom: float | None = None,
        styles: dict[str, dict[str, Any]] | None = None,
    ) -> dict[str, tuple[float, float]]:
        """Draw a tree downwards and return where each clade's node is, by the names of its leaves in a row.

        `styles` has the style of the edge above a clade.
        """
        styles = styles or {}
        places: dict[str, tuple[float, float]] = {}
        floor = top + level * (_depth(tree) + 1) if bottom is None else bottom
        used = 0

        def place(node: Nested, y: float) -> tuple[str, float, float]:
            nonlocal used
            if isinstance(node, str):
                x = left + step * used
                used += 1
                places[node] = (x, floor)
                self.word(x, floor + 18, node)
                return node, x, floor
            children = [place(child, y + level) for child in node]
            name = "".join(child for child, _, _ in children)
            x = sum(child_x for _, child_x, _ in children) / len(children)
            for child, child_x, child_y in children:
                self.line((x, y), (child_x, y), (child_x, child_y), **styles.get(child, {}))
            places[name] = (x, y)
            return name, x, y

        name, x, y = place(tree, top + level)
        self.line((x, top), (x, y), **styles.get(name, {}))
        return places

    def save(self, name: str) -> None:
        """Write the drawing to a file."""
        width, height = self._size
        frame = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
            f' aria-label="{escape(self._title)}" style="max-width:{width}px;width:100%;display:block;margin:1.2em auto">'
        )
        (HERE / name).write_text("\n".join([frame, *self._parts, "</svg>", ""]), encoding="utf-8")


def _depth(tree: Nested) -> int:
    return 0 if isinstance(tree, str) else 1 + max(_depth(child) for child in tree)


def triplet() -> None:
    """What a triplet says, and the two trees that it rules out."""
    paper = Drawing(640, 170, "The triplet lion, tuna | wasp: one tree of the three satisfies it, two violate it")
    strong = {"color": BRAND, "width": 2.6}
    paper.tree(("lion", "tuna"), 60, 44, step=60, bottom=112, styles={"lion": strong, "tuna": strong})
    paper.line((90, 44), (90, 24), (210, 24), (210, 112))
    paper.line((150, 24), (150, 8))
    paper.word(210, 130, "wasp")
    paper.word(135, 160, "lion, tuna | wasp", color=BRAND)
    for left, names in ((290, ("lion", "wasp", "tuna")), (470, ("tuna", "wasp", "lion"))):
        faint = {name: {"color": FAINT} for name in (*names, names[0] + names[1], "".join(names))}
        paper.tree(((names[0], names[1]), names[2]), left, 8, step=55, level=30, bottom=112, styles=faint)
        paper.word(left + 55, 160, "violates it", color=FAINT)
    paper.save("triplet.svg")


def regraft() -> None:
    """Prune a subtree, and regraft it elsewhere."""
    paper = Drawing(680, 220, "A subtree is pruned with its parent, and regrafted on another edge at an earlier time")
    strong = {"color": BRAND, "width": 2.6}
    moved = dict.fromkeys(["e", "f", "ef"], strong)
    here = paper.tree((("a", "b"), ("c", ("d", ("e", "f")))), 20, 10, 32, 34, 170, moved)
    paper.dot(*here["def"], BRAND)
    paper.word(here["def"][0] + 10, here["def"][1] - 6, "p", BRAND, "start")
    paper.word(here["ef"][0] + 8, here["ef"][1] - 8, "s", BRAND, "start")
    paper.word(100, 212, "prune s with its parent p", FAINT)
    paper.tree((("a", "b"), ("c", "d")), 272, 10, 32, 34, 170)
    paper.tree(("e", "f"), 416, 112, 32, 34, 170, dict.fromkeys(["e", "f", "ef"], strong))
    paper.word(350, 212, "the rest keeps its shape", FAINT)
    there = paper.tree((("a", ("b", ("e", "f"))), ("c", "d")), 500, 10, 32, 34, 170, moved)
    paper.dot(*there["bef"], BRAND)
    paper.word(580, 212, "regraft p on another edge", FAINT)
    paper.arrow((212, 90), (252, 90))
    paper.arrow((458, 90), (488, 90))
    paper.save("regraft.svg")


def region() -> None:
    """Where a subtree may go."""
    paper = Drawing(640, 285, "Allowed edges are drawn strong: below the node y, but not inside the banned clade")
    allowed = {"color": BRAND, "width": 3}
    banned = {"color": FAINT, "dashes": "3 5"}
    outside = {"color": FAINT}
    styles: dict[str, dict[str, Any]] = {
        **dict.fromkeys(["o", "z", "ab", "abz", "oabz"], allowed),
        **dict.fromkeys(["a", "b"], banned),
        **dict.fromkeys(["c", "oabzc"], outside),
    }
    where = paper.tree((("o", (("a", "b"), "z")), "c"), 30, 10, 56, 40, 230, styles)
    paper.tree(("e", "f"), 350, 158, 40, 30, 230, {name: {"width": 2.2} for name in ("e", "f", "ef")})
    for name, text in (("oabz", "y"), ("ab", "m")):
        x, y = where[name]
        paper.dot(x, y, BRAND)
        paper.word(x - 8, y - 8, text, BRAND, "end")
    paper.word(370, 270, "the pruned subtree")
    for y, text in ((40, "e, o | c"), (112, "a, b | f")):
        paper.word(330, y, text, BRAND, "start")
    for y, text in ((60, "It must go to the edge above y, or below y."), (132, "It must not go below m.")):
        paper.word(330, y, text, INK, "start", size=13)
    paper.save("region.svg")


def dialogue() -> None:
    """The loop of asking, answering and sampling."""
    paper = Drawing(680, 210, "The dialogue: sample trees, show a piece, take an answer in, sample again")
    boxes = {
        "sample": (20, 20, "advance", "sample trees"),
        "ask": (250, 20, "ask", "show a piece"),
        "answer": (480, 20, "answer", "two together, one apart"),
        "repair": (480, 130, "repair", "all trees have it now"),
        "sum up": (20, 130, "tree", "one tree, with support"),
    }
    for x, y, name, words in boxes.values():
        paper.box(x, y, 180, 60)
        paper.word(x + 90, y + 26, name, BRAND, style=";font-weight:600")
        paper.word(x + 90, y + 46, words, size=13)
    paper.arrow((200, 50), (248, 50))
    paper.arrow((430, 50), (478, 50))
    paper.arrow((570, 80), (570, 128))
    paper.line((480, 160), (340, 160), (340, 105), (150, 105), color=FAINT, width=1.4)
    paper.arrow((150, 105), (150, 82))
    paper.arrow((70, 80), (70, 128))
    paper.save("dialogue.svg")


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for draw in (triplet, regraft, region, dialogue):
        draw()
