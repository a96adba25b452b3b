"""A person at the terminal, as a user who answers queries."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from treetalk.arguments import Items, as_items
from treetalk.queries import Query
from treetalk.session import Session
from treetalk.users import Response, Triplet

if TYPE_CHECKING:
    from collections.abc import Callable

HELP = {
    "subtree": (
        "Enter if this is right. If not, two that belong together and then the one that does not, by number or name: "
        '"1 2 3" or "{0}, {1} | {2}". s to skip, u to undo, q to quit, ? for this.'
    ),
    "triple": "The number or name of the odd one, = if they are all alike to you. "
    "s to skip, u to undo, q to quit, ? for this.",
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


class Undo(Exception):
    """The person takes the last answer back."""


class Quit(Exception):
    """The person has had enough."""


class TerminalUser:
    """A person who is shown a piece of the tree in the terminal, and types an answer.

    Whatever cannot be understood is explained, and asked again. `respond` raises `Quit` at the end of input or when told
    "q", and `Undo` when told "u".

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to print; by default standard output.
    read : callable, optional
        Returns what was typed after a prompt; by default `input`.
    """

    def __init__(self, console: Console | None = None, read: Callable[[str], str] = input) -> None:
        if console is not None and not isinstance(console, Console):
            raise TypeError(
                f"console must be a rich.console.Console, not {type(console).__name__}; talk(session) asks about it"
            )
        self._console = Console() if console is None else console
        self._read = read
        self._explained: set[str] = set()

    def respond(self, query: Query) -> Response:
        """Show the query, and return what the person says."""
        names = query.tree.items or as_items([f"item {leaf}" for leaf in query.leaves.tolist()])
        self._show(query, names)
        while True:
            try:
                typed = self._read("> ").strip()
            except EOFError:
                raise Quit from None
            try:
                return parse(typed, query, names)
            except ValueError as error:
                sentence = str(error)
                self._console.print(Text(sentence if sentence.endswith("?") else f"{sentence}."))

    def _show(self, query: Query, names: Items) -> None:
        self._console.print()
        if query.kind == "subtree":
            places = shown_order(query)
            numbered = [f"{places.index(leaf) + 1} {name}" for leaf, name in enumerate(names)]
            self._console.print(Text(query.tree.with_items(numbered).draw(width=self._console.width)))
        else:
            self._console.print(Text("Which is the odd one?", style="bold"))
            for number, name in enumerate(names, start=1):
                self._console.print(Text(f"  {number}  {name}"))
        if query.kind not in self._explained:
            self._explained.add(query.kind)
            self._console.print(Text(explained(query, names), style="bright_black"))


def explained(query: Query, names: Items) -> str:
    """Return what may be typed."""
    first = [names[leaf] for leaf in shown_order(query)[:3]]
    return HELP[query.kind].format(*first)


def talk(session: Session, console: Console | None = None, read: Callable[[str], str] = input) -> None:
    """Ask a person at the terminal until nothing is left to ask, or the person quits; the answers are in the session."""
    shown = Console() if console is None else console
    person = TerminalUser(shown, read)
    while (query := session.ask()) is not None:
        try:
            response = person.respond(query)
        except Undo:
            shown.print(Text(_undone(session)))
            continue
        except (Quit, KeyboardInterrupt):
            return
        num_conflicts = len(session.conflicts)
        session.respond(query, response)
        if len(session.conflicts) > num_conflicts:
            clashing = session.conflicts[-1].clashes_with
            earlier = "; ".join(answer.in_words(session.items) for answer in clashing)
            shown.print(Text(f"That contradicts what was said before ({earlier}), and is set aside."))
        try:
            session.advance()
        except KeyboardInterrupt:
            return
    shown.print(Text("Nothing is left to ask."))


def _undone(session: Session) -> str:
    """Take the last answer back; return a sentence about it."""
    retracted = {answer.retracts for answer in session.answers}
    said = [answer for answer in session.answers if answer.kind != "retract" and answer.id not in retracted]
    if not said:
        return "There is no answer to take back."
    session.retract(said[-1].id)
    return f"Taken back: {said[-1].in_words(session.items)}."


def shown_order(query: Query) -> list[int]:
    """Return the leaves from the top of the drawing to its bottom; the first is number 1."""
    leaves: list[int] = query.tree.leaves().tolist() if query.kind == "subtree" else [0, 1, 2]
    return leaves


def parse(typed: str, query: Query, names: Items) -> Response:
    """Return what a person means, or raise ValueError with a sentence that says what is not understood."""
    meant = COMMANDS.get(typed, typed) if typed not in names.numbers else typed
    if meant == "undo":
        raise Undo
    if meant == "quit":
        raise Quit
    if meant == "help":
        raise ValueError(explained(query, names).removesuffix("."))
    if meant in {"skip", "same"} or (meant == "accept" and query.kind == "subtree"):
        return meant
    words = _words(typed, names)
    order = shown_order(query)
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


def _words(typed: str, names: Items) -> list[str]:
    """Return the parts of what was typed: split at commas and bars, since names may hold blanks, else at blanks."""
    if typed in names.numbers:
        return [typed]
    pattern = r"[,|]" if re.search(r"[,|]", typed) else r"\s+"
    return [word for word in (part.strip() for part in re.split(pattern, typed)) if word]


def _place(word: str, names: Items, order: list[int]) -> int:
    """Return which of the items shown is meant, by name or by the number beside it."""
    # The numbers beside the items come first: a name may be a number too.
    if word.isdecimal() and 1 <= int(word) <= len(names):
        return order[int(word) - 1]
    if word in names.numbers:
        return names.numbers[word]
    if word.isdecimal():
        raise ValueError(f"there is no item number {word} here; {len(names)} items are shown")
    near = difflib.get_close_matches(word, names, n=2)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise ValueError(f"{word!r} is not among these items{hint}")
