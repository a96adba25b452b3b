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
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from treetalk.arguments import Items, as_items
from treetalk.queries import Query
from treetalk.reading import Parts, parts_at_a_bar, parts_at_blanks, parts_in_a_row, parts_in_two, triplets_among
from treetalk.users import Response, Triplet
from treetalk.wording import one_line

COMMANDS_IN_WORDS = "s to skip, = if they are all alike to you, u to undo, q to quit, ? for this."
HELP = {
    "subtree": "Enter if this is right. If not, two that belong together and then the one that does not, by {tag} or name: "
    f'"{{tags}}" or "{{0}}, {{1}} | {{2}}". {COMMANDS_IN_WORDS}',
    "triple": f"The {{tag}} or name of the odd one. {COMMANDS_IN_WORDS}",
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
    "exit": "quit",
    ":q": "quit",
    "?": "help",
    "help": "help",
}
STYLES = {"": "", "label": "bright_black", "question": "bold", "together": "bold green", "odd": "bold magenta"}
NARROWEST = 20  # columns; a drawing needs 18
LONGEST_LABEL = 60
LONGEST_SAYING = 30  # of a name within a sentence
SHORTEST_LABEL = 8
THREE_NEEDED = "three different items are needed: two that belong together, then the one that does not"
MOST_MEANINGS = 3  # that are told of what can mean several things
MOST_OFFERED = 5  # names that may complete what was typed


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


class Places:
    """What may be typed for each of the items shown: the tag beside it, or its name, in capitals or not.

    Tags are the numbers 1, 2, 3, ... from top to bottom. Where one of them would be mistaken for a name, they are letters.

    Parameters
    ----------
    names : Items
        The name of each leaf.
    order : list of int
        The leaves from top to bottom.
    """

    def __init__(self, names: Items, order: list[int]) -> None:
        self._names = names
        shown = [one_line(name).casefold() for name in names]
        numbers = {str(number) for number in range(1, len(names) + 1)}
        is_clear = not any(name.isdecimal() and _plain(name) in numbers for name in shown)
        self.tag = "number" if is_clear else "letter"  # what a tag is, in words
        self.tags = [str(number) for number in range(1, len(names) + 1)] if is_clear else _letters(shown)
        self._tagged = dict(zip(self.tags, order, strict=True))
        counts = Counter(shown)
        self._alike = {name: leaf for leaf, name in enumerate(shown) if counts[name] == 1}

    def find(self, word: str) -> int | None:
        """Return the leaf that is meant, by its tag or by its name, exactly or as it is shown; or None."""
        if not word:
            return None
        tagged = self._tagged.get(_plain(word.casefold()))
        if tagged is not None:
            return tagged
        exactly = self._names.numbers.get(word)
        return self._alike.get(one_line(word).casefold()) if exactly is None else exactly

    def triplet(self, typed: str) -> Triplet:
        """Return the leaves that three tags or names mean, the odd one last, or raise ValueError."""
        ways = itertools.chain(parts_at_a_bar(typed), parts_in_a_row(typed))
        meant = triplets_among(ways, self.find) or triplets_among(parts_at_blanks(typed), self.find)
        if not meant:
            raise ValueError(self._not_understood(typed))
        if len(meant) > 1:
            # By their tags: it is the names that can be mistaken.
            tags = {leaf: tag for tag, leaf in self._tagged.items()}
            told = " or ".join(f'"{tags[a]} {tags[b]} {tags[c]}"' for a, b, c in meant[:MOST_MEANINGS])
            raise ValueError(f"{typed!r} can mean {told}; type the {self.tag}s")
        if len(set(meant[0])) < 3:
            raise ValueError(THREE_NEEDED)
        return meant[0]

    def odd_one(self, typed: str) -> int:
        """Return the leaf that one tag or name means, or raise ValueError."""
        found = self.find(typed)
        if found is not None:
            return found
        if all(self.find(word) is not None for word in _words(typed)):
            raise ValueError(f"one {self.tag} or name is needed: that of the odd one")
        raise ValueError(self._not_here(typed))

    def _not_understood(self, typed: str) -> str:
        """Return why a text does not mean three items: the way to take it apart that knows most names tells which is not."""
        in_three = (*parts_at_a_bar(typed), *parts_in_a_row(typed), *parts_at_blanks(typed))
        ways: list[Parts] = [*in_three, *parts_in_two(typed), (typed,), _words(typed)]
        unknown = [[part for part in parts if part and self.find(part) is None] for parts in ways]
        fewest = min(unknown, key=len)
        return self._not_here(fewest[0]) if fewest else THREE_NEEDED

    def _not_here(self, word: str) -> str:
        if word.isdecimal() and self.tag == "number":
            return f"there is no item number {word} here; {len(self._names)} items are shown"
        near = difflib.get_close_matches(word, self._names, n=2)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        return f"{word!r} is not among these items{hint}"


class Shown:
    """A query as it is shown: an item per line, with its branch, its tag, its name and its label.

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
        self.places = Places(self.names, self.order)
        leaves = query.leaves.tolist()
        given = [labels[leaf] if labels is not None and leaf < len(labels) else None for leaf in leaves]
        self._labels = [one_line(given[leaf] or "") for leaf in self.order]
        self._shown_names = [one_line(self.names[leaf]) for leaf in self.order]
        self._branches = [" "] * len(leaves)
        if query.kind == "subtree":
            drawn = self._drawn(self.places.tags, columns)
            self._branches = [line.rpartition(" ")[0] for line in drawn]

    @property
    def is_whole(self) -> bool:
        """Whether every item has a line of its own; else some branches are too deep for the window."""
        return len(self._branches) == len(self.order)

    @property
    def typable(self) -> list[str]:
        """The names that mean their items when typed; others pass for another name."""
        places = zip(self.order, self._shown_names, strict=True)
        return [name for leaf, name in places if self.places.find(name) == leaf]

    @property
    def sayings(self) -> list[str]:
        """Each item as it appears in a sentence, from top to bottom."""
        tagged = zip(self.places.tags, self._shown_names, strict=True)
        return [saying(name) or f"{self.places.tag} {tag}" for tag, name in tagged]

    def lines(self, columns: int, marks: Mapping[int, Mark] | None = None) -> list[Line]:
        """Return the lines from top to bottom, none longer than `columns`.

        `marks` has a sign and the name of a style for some places, from 0; where it is not None there is a column for signs.
        """
        heading: list[Line] = [[("question", self.query.heading)]] if self.query.kind == "triple" else []
        if not self.is_whole:
            texts = (f"{tag} {name}" for tag, name in zip(self.places.tags, self._shown_names, strict=True))
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
        name = shortened(f"{self.places.tags[place]} {self._shown_names[place]}", room)
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


def saying(name: str) -> str:
    """Return a name as it appears in a sentence."""
    return shortened(one_line(name), LONGEST_SAYING)


def as_sentence(error: Exception) -> str:
    """Return what an error says, with a full stop."""
    said = one_line(str(error))
    return said if said.endswith((".", "?")) else f"{said}."


def shown_order(query: Query) -> list[int]:
    """Return the leaves from the top of the drawing to its bottom; the first has the first tag."""
    leaves: list[int] = query.tree.leaves().tolist() if query.kind == "subtree" else [0, 1, 2]
    return leaves


def explained(query: Query, names: Items, texts: Mapping[str, str] = HELP) -> str:
    """Return what may be done, from texts for each kind of query with room for three names."""
    order = shown_order(query)
    places = Places(names, order)
    three = (saying(names[leaf]) for leaf in order[:3])
    return texts[query.kind].format(*three, tag=places.tag, tags=" ".join(places.tags[:3]))


def parse(typed: str, query: Query, names: Items) -> Response:
    """Return what a person means, or raise ValueError with a sentence that says what is not understood.

    Where one name is an answer, it is understood before a command: an item may be called q. The tag beside an item is
    understood before a name.
    """
    is_name = query.kind == "triple" and typed in names.numbers
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
    places = Places(names, shown_order(query))
    leaves = query.leaves.tolist()
    if query.kind == "triple":
        odd = places.odd_one(typed)
        a, b = (leaves[i] for i in range(3) if i != odd)
        return a, b, leaves[odd]
    a, b, c = places.triplet(typed)
    return leaves[a], leaves[b], leaves[c]


def in_words(named: Sequence[str]) -> str:
    """Return a triplet, or the beginning of one, as a sentence that says what belongs together."""
    if len(named) < 2:
        return f"{named[0]} together with …" if named else ""
    return f"{named[0]} and {named[1]} together, apart from {named[2] if len(named) == 3 else '…'}"


def _words(typed: str) -> Parts:
    """Return the parts of what was typed between commas and bars, or where there are none between blanks."""
    separator = r"[,|]" if re.search(r"[,|]", typed) else r"\s"
    return tuple(word for word in (part.strip() for part in re.split(separator, typed)) if word)


def _plain(word: str) -> str:
    """Return a number as it is written most simply, and any other word as it is."""
    return str(int(word)) if word.isdecimal() and len(word) < 10 else word


def _letters(shown: Sequence[str]) -> list[str]:
    """Return a, b, c, ..., then aa, ab, ..., one for each name; none of them is itself a name or a command."""
    taken = {*shown, *COMMANDS}
    words = (
        "".join(letters)
        for count in itertools.count(1)
        for letters in itertools.product(string.ascii_lowercase, repeat=count)
    )
    return list(itertools.islice((word for word in words if word not in taken), len(shown)))


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


def offered(typed: str, fits: Sequence[str]) -> str:
    """Return which names the last one typed may become, in words."""
    if fits:
        more = f" and {len(fits) - MOST_OFFERED} more" if len(fits) > MOST_OFFERED else ""
        return "; ".join(map(saying, fits[:MOST_OFFERED])) + more
    begun = re.split(r"[\s,|]", typed)[-1]
    return f"No name here begins with {begun!r}." if begun else "Type the beginning of a name, then Tab."


def hint(keys: Sequence[str], commands: Sequence[str], columns: int) -> str:
    """Return which keys do something, and what may be typed, on a line as far as they fit."""
    for first in range(len(commands) - 1):
        line = "   ".join([*keys, f"or type: {', '.join(commands[first:])}"])
        if cell_len(line) <= columns:
            return line
    # Where there is little room, the last is left: it is the help that tells the others.
    left = [*keys, *commands[-1:]]
    while len(left) > 2 and cell_len("   ".join(left)) > columns:
        del left[-2]
    return "   ".join(left)
