"""A query in text: the lines in which it is shown, and what may be typed in reply.

::

    ┬─┬─ 1 cat
    │ └─ 2 lynx  a wild cat with tufted ears
    └─ 3 dog
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from treetalk.arguments import Items, as_items
from treetalk.queries import Query
from treetalk.users import Response, Triplet

COMMANDS_IN_WORDS = "s to skip, = if they are all alike to you, u to undo, q to quit, ? for this."
HELP = {
    "subtree": "Enter if this is right. If not, two that belong together and then the one that does not, by number or name: "
    f'"1 2 3" or "{{0}}, {{1}} | {{2}}". {COMMANDS_IN_WORDS}',
    "triple": f"The number or name of the odd one. {COMMANDS_IN_WORDS}",
}
COMMANDS = {
    "": "accept",
    "accept": "accept",
    "s": "skip",
    "skip": "skip",
    "=": "same",
    "same": "same",
    "u": "undo",
    "undo": "undo",
    "q": "quit",
    "quit": "quit",
    "?": "help",
    "help": "help",
}
STYLES = {"": "", "label": "bright_black", "question": "bold", "together": "bold green", "odd": "bold magenta"}
NARROWEST = 20  # columns; a drawing needs 18
LONGEST_LABEL = 60
LONGEST_SAYING = 30  # of a name within a sentence
SHORTEST_LABEL = 8
MOST_WORDS = 30


class Undo(Exception):
    """The person takes an answer back: the one with this id, or the last one."""

    def __init__(self, answer_id: int | None = None) -> None:
        super().__init__(answer_id)
        self.answer_id = answer_id


class Quit(Exception):
    """The person has had enough."""


class Help(ValueError):
    """The person wants to know what may be typed; this is what to say."""


Line = list[tuple[str, str]]  # pieces of text, each with the name of its style
Mark = tuple[str, str]  # a sign that stands before an item, and the name of its style


class Shown:
    """A query as it is shown: an item per line, with its branch, its number, its name and its label.

    Parameters
    ----------
    query : Query
        What is asked.
    labels : sequence of str or None, optional
        What to show after the name of each item, by item number.
    columns : int
        The width that the branches may take, with room for names.
    """

    def __init__(self, query: Query, labels: Sequence[str | None] | None, columns: int) -> None:
        self.query = query
        self.names = query.tree.items or as_items([f"item {leaf}" for leaf in query.leaves.tolist()])
        self.order = shown_order(query)
        leaves = query.leaves.tolist()
        given = [labels[leaf] if labels is not None and leaf < len(labels) else None for leaf in leaves]
        self._labels = [one_line(given[leaf] or "") for leaf in self.order]
        self._shown_names = [one_line(self.names[leaf]) for leaf in self.order]
        self._branches = [" "] * len(leaves)
        if query.kind == "subtree":
            drawn = self._drawn((str(place + 1) for place in range(len(leaves))), columns)
            self._branches = [line.rpartition(" ")[0] for line in drawn]

    @property
    def is_whole(self) -> bool:
        """Whether every item has a line of its own; else some branches are too deep for the window."""
        return len(self._branches) == len(self.order)

    @property
    def typable(self) -> list[str]:
        """The names that mean their items when typed; others hold a separator, or pass for another name or number."""
        places = zip(self.order, self._shown_names, strict=True)
        clear = ((leaf, name) for leaf, name in places if name and not re.search(r"[,|]", name))
        return [name for leaf, name in clear if _found(name, self.names, self.order) == leaf]

    @property
    def sayings(self) -> list[str]:
        """Each item as it appears in a sentence, from top to bottom."""
        return [saying(name) or f"number {place}" for place, name in enumerate(self._shown_names, start=1)]

    def lines(self, columns: int, marks: Mapping[int, Mark] | None = None) -> list[Line]:
        """Return the lines from top to bottom, none longer than `columns`.

        `marks` has a sign and the name of a style for some places, from 0; where it is not None there is a column for signs.
        """
        heading: list[Line] = [[("question", "Which is the odd one?")]] if self.query.kind == "triple" else []
        if not self.is_whole:
            texts = (f"{number} {name}" for number, name in enumerate(self._shown_names, start=1))
            return [[("", line)] for line in self._drawn(texts, columns)]
        return heading + [self._line(place, columns, marks) for place in range(len(self.order))]

    def _line(self, place: int, columns: int, marks: Mapping[int, Mark] | None) -> Line:
        pieces = [("", self._branches[place])]
        style = ""
        if marks is not None:
            sign, style = marks.get(place, (" ", ""))
            pieces.append((style, sign))
        pieces.append(("", " "))
        room = columns - sum(cell_len(text) for _, text in pieces)
        name = shortened(f"{place + 1} {self._shown_names[place]}", room)
        room -= cell_len(name) + 2
        pieces.append((style, name))
        if self._labels[place] and room >= SHORTEST_LABEL:
            pieces.append(("label", f"  {shortened(self._labels[place], min(room, LONGEST_LABEL))}"))
        return pieces

    def _drawn(self, texts: Iterable[str], columns: int) -> list[str]:
        """Return the lines of the drawing, where the items from top to bottom have these names."""
        named = dict(zip(self.order, texts, strict=True))
        tree = self.query.tree.with_items([named[leaf] for leaf in range(len(self.order))])
        return tree.draw(width=max(columns, NARROWEST)).splitlines()


def as_text(lines: Sequence[Line]) -> Text:
    """Return lines as rich prints them."""
    return Text("\n").join(Text.assemble(*((text, STYLES[style]) for style, text in line)) for line in lines)


def shortened(text: str, room: int) -> str:
    """Return a text that is no wider than the room for it."""
    return text if cell_len(text) <= room else set_cell_size(text, max(room - 1, 0)) + "…"


def wrapped(text: str, columns: int) -> str:
    """Return a text broken between words into lines that are no wider than a window."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        lines[-1:] = [longer] if cell_len(longer) <= columns or not lines[-1] else [lines[-1], word]
    return "\n".join(lines)


def one_line(text: str) -> str:
    """Return a text with a space for whatever cannot be shown on one line."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def saying(name: str) -> str:
    """Return a name as it appears in a sentence."""
    return shortened(one_line(name), LONGEST_SAYING)


def as_sentence(error: Exception) -> str:
    """Return what an error says, with a full stop."""
    said = one_line(str(error))
    return said if said.endswith((".", "?")) else f"{said}."


def shown_order(query: Query) -> list[int]:
    """Return the leaves from the top of the drawing to its bottom; the first is number 1."""
    leaves: list[int] = query.tree.leaves().tolist() if query.kind == "subtree" else [0, 1, 2]
    return leaves


def explained(query: Query, names: Items, texts: Mapping[str, str] = HELP) -> str:
    """Return what may be done, from texts for each kind of query with room for three names."""
    return texts[query.kind].format(*(saying(names[leaf]) for leaf in shown_order(query)[:3]))


def parse(typed: str, query: Query, names: Items) -> Response:
    """Return what a person means, or raise ValueError with a sentence that says what is not understood.

    A name is understood before a command, and the number beside an item before a name.
    """
    is_name = typed in names.numbers
    meant = typed if is_name else COMMANDS.get(typed, typed)
    if meant == "undo":
        raise Undo
    if not is_name and (numbered := re.fullmatch(r"(?:u|undo)\s+(\d+)", typed)):
        raise Undo(int(numbered[1]))
    if meant == "quit":
        raise Quit
    if meant == "help":
        raise Help(explained(query, names))
    if meant in {"skip", "same"} or (meant == "accept" and query.kind == "subtree"):
        return meant
    order = shown_order(query)
    words = _words(typed, names, order, 1 if query.kind == "triple" else 3)
    numbers = [_place(word, names, order) for word in words]
    leaves = query.leaves.tolist()
    if query.kind == "triple":
        if len(numbers) != 1:
            raise ValueError("one number or name is needed: that of the odd one")
        odd = numbers[0]
        a, b = (leaves[i] for i in range(3) if i != odd)
        return a, b, leaves[odd]
    if len(numbers) != 3 or len(set(numbers)) != 3:
        raise ValueError("three different items are needed: two that belong together, then the one that does not")
    triplet: Triplet = (leaves[numbers[0]], leaves[numbers[1]], leaves[numbers[2]])
    return triplet


def in_words(named: Sequence[str]) -> str:
    """Return a triplet, or the beginning of one, as a sentence that says what belongs together."""
    if len(named) < 2:
        return f"{named[0]} together with …" if named else ""
    return f"{named[0]} and {named[1]} together, apart from {named[2] if len(named) == 3 else '…'}"


def _words(typed: str, names: Items, order: list[int], count: int) -> list[str]:
    """Return the parts of what was typed: split at commas and bars, since names may hold blanks, else at blanks.

    Split at blanks, several words are one name where that is the only way to find as many items as are wanted.
    """
    if typed in names.numbers:
        return [typed]
    if re.search(r"[,|]", typed):
        return [word for word in (part.strip() for part in re.split(r"[,|]", typed)) if word]
    words = typed.split()
    if not count < len(words) <= MOST_WORDS:
        return words
    ways = []
    for cuts in itertools.combinations(range(1, len(words)), count - 1):
        parts = [" ".join(words[i:j]) for i, j in itertools.pairwise((0, *cuts, len(words)))]
        if all(_found(part, names, order) is not None for part in parts):
            ways.append(parts)
    return ways[0] if len(ways) == 1 else words


def _found(word: str, names: Items, order: list[int]) -> int | None:
    """Return which of the items shown is meant, by the number beside it or by its name, exactly or as it is shown."""
    # The numbers beside the items come first: a name may be a number too.
    if word.isdecimal() and 1 <= int(word) <= len(names):
        return order[int(word) - 1]
    if word in names.numbers:
        return names.numbers[word]
    alike = [leaf for leaf, name in enumerate(names) if one_line(name).casefold() == word.casefold()]
    return alike[0] if len(alike) == 1 else None


def _place(word: str, names: Items, order: list[int]) -> int:
    """Return which of the items shown is meant, or raise ValueError."""
    found = _found(word, names, order)
    if found is not None:
        return found
    if word.isdecimal():
        raise ValueError(f"there is no item number {word} here; {len(names)} items are shown")
    near = difflib.get_close_matches(word, names, n=2)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise ValueError(f"{word!r} is not among these items{hint}")


def completed(typed: str, shown: Shown) -> tuple[str, list[str]]:
    """Return what was typed with its last name completed as far as it is clear, and the names that it may become."""
    for start in (0, *(separator.end() for separator in re.finditer(r"[\s,|]+", typed))):
        part = typed[start:]
        fits = [name for name in shown.typable if part and name.casefold().startswith(part.casefold())]
        if fits:
            agreed = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*fits, strict=False))
            common = "".join(letters[0] for letters in agreed)
            return typed[:start] + (common if len(common) >= len(part) else part), fits
    return typed, []
