"""A person at the terminal: the dialogue, from the first question to the summary.

Where input and output are a terminal, items can be picked (`treetalk.picking`); elsewhere lines are printed
and read.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from treetalk.again import replaced_by
from treetalk.answers import Answer, Conflict
from treetalk.arguments import Items, as_count, format_triplet
from treetalk.asking import STYLES, Quit, Shown, Undo, as_sentence, as_text, explained, parse, saying
from treetalk.errors import TreetalkError
from treetalk.progress import PATIENCE
from treetalk.queries import Query
from treetalk.users import Response
from treetalk.wording import counted, listed

__all__ = ["Dialogue", "Quit", "TerminalUser", "Undo", "parse", "talk"]

SILENCE = 0.5  # seconds of waiting about which nothing is said
MOST_NAMED = 5  # answers that another one contradicts


class Dialogue(Protocol):
    """What `talk` needs: a `Session`, or whatever keeps its answers elsewhere too."""

    def ask(self) -> Query | None:
        """Return what to show next, or None if nothing is left to ask."""

    def respond(self, query: Query, response: Response, /) -> object:
        """Record what a person said."""

    def retract(self, answer_id: int, /) -> object:
        """Take an answer back."""

    def advance(self) -> object:
        """Sample on."""

    @property
    def answers(self) -> tuple[Answer, ...]:
        """All answers, retractions included."""

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The answers set aside."""

    @property
    def items(self) -> Items | None:
        """The names of the items."""


class Person(Protocol):
    """Who is asked."""

    def respond(self, query: Query, heading: str = "") -> Response:
        """Show the query, below a heading where there is one, and return what the person says."""

    def hushed(self) -> AbstractContextManager[None]:
        """Return a context in which the person is not heard."""


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
    labels : sequence of str or None, optional
        What to show after the name of each item, by item number.
    """

    def __init__(
        self,
        console: Console | None = None,
        read: Callable[[str], str] = input,
        labels: Sequence[str | None] | None = None,
    ) -> None:
        self._console = as_console(console)
        self._read = read
        self._labels = labels
        self._explained: set[str] = set()

    def respond(self, query: Query, heading: str = "", notice: str = "") -> Response:
        """Show the query, with a heading above and a notice below where there are some; return what the person says."""
        shown = Shown(query, self._labels, self._console.width)
        self._console.print()
        if heading:
            self._console.print(Text(heading, style=STYLES["label"]))
        self._console.print(as_text(shown.lines(self._console.width)))
        if notice:
            self._console.print(Text(notice))
        if query.kind not in self._explained:
            self._explained.add(query.kind)
            self._console.print(Text(explained(query, shown.names), style=STYLES["label"]))
        while True:
            try:
                typed = self._read("> ").strip()
            except (EOFError, KeyboardInterrupt) as end:
                self._console.print()  # what comes next must not stand behind the prompt
                if isinstance(end, KeyboardInterrupt):
                    raise
                raise Quit from None
            try:
                return parse(typed, query, shown.names)
            except ValueError as error:
                self._console.print(Text(as_sentence(error)))

    def hushed(self) -> AbstractContextManager[None]:
        """Return a context that changes nothing: what is typed ahead is read later."""
        return nullcontext()


def as_console(console: Console | None) -> Console:
    """Return where to print; by default standard output."""
    if console is not None and not isinstance(console, Console):
        raise TypeError(
            f"console must be a rich.console.Console, not {type(console).__name__}; talk(session) asks about it"
        )
    return Console() if console is None else console


def talk(
    dialogue: Dialogue,
    console: Console | None = None,
    read: Callable[[str], str] | None = None,
    *,
    labels: Sequence[str | None] | None = None,
    num_queries: int | None = None,
    plain: bool = False,
) -> int:
    """Ask a person at the terminal until nothing is left to ask, or the person quits; return the number of answers given.

    Parameters
    ----------
    dialogue : Session, or anything with its `ask`, `respond`, `retract`, `advance`, `answers`, `conflicts` and `items`
        Who asks, and keeps the answers. With `ask_about`, a question comes back when its answer is taken back.
    console : rich.console.Console, optional
        Where to print; by default standard output.
    read : callable, optional
        Returns what was typed after a prompt. If not given, answers can be picked where input and output are a terminal.
    labels : sequence of str or None, optional
        What to show after the name of each item, by item number.
    num_queries : int, optional
        The dialogue ends after so many answers; those taken back do not count.
    plain : bool
        Whether to print lines and read lines even in a terminal.
    """
    if labels is not None and (isinstance(labels, str) or not all(isinstance(x, str | None) for x in labels)):
        raise TypeError("labels must be a sequence with a string or None for each item")
    if labels is not None and dialogue.items is not None and len(labels) != len(dialogue.items):
        raise ValueError(f"{len(labels)} labels were given for {len(dialogue.items)} items")
    most = None if num_queries is None else as_count(num_queries, "num_queries")
    shown = as_console(console)
    person: Person
    if read is None and not plain and _is_at_a_terminal(shown):
        from treetalk.picking import PickingUser, line_reader

        person = PickingUser(TerminalUser(shown, line_reader(shown), labels), shown, labels)
    else:
        person = TerminalUser(shown, input if read is None else read, labels)
    return _Talk(dialogue, person, shown).run(most)


def _is_at_a_terminal(console: Console) -> bool:
    is_dumb = os.environ.get("TERM", "").lower() in {"dumb", "unknown"}
    return sys.stdin is not None and sys.stdin.isatty() and console.file.isatty() and not is_dumb


class _Talk:
    """One dialogue with one person, from the first question to the summary."""

    def __init__(self, dialogue: Dialogue, person: Person, console: Console) -> None:
        self._dialogue, self._person, self._console = dialogue, person, console
        self._given: dict[int, Answer] = {}  # in this dialogue, without those taken back
        self._asked: dict[int, Query] = {}  # what each of the answers given was about
        self._undone: tuple[Answer, str] | None = None  # just taken back, and the kind of query that it answered

    def run(self, most: int | None) -> int:
        """Ask until there is an end; return the number of questions settled, skipped ones among them."""
        try:
            while most is None or len(self._given) < most:
                with thinking(self._console), self._person.hushed():
                    query = self._next()
                if query is None:
                    self._say("Nothing is left to ask.")
                    break
                while not self._is_settled(query):
                    pass
                self._advance()
        except (Quit, KeyboardInterrupt):
            pass  # an end like any other: all that was said is recorded
        kinds = [answer.kind for answer in self._given.values()]
        parts = [counted(len(kinds) - kinds.count("skip"), "answer"), counted(kinds.count("triplet"), "correction")]
        if "skip" in kinds:
            parts.append(f"{kinds.count('skip'):,} skipped")
        self._say(f"{', '.join(parts)}.")
        return len(self._given)

    def _next(self) -> Query | None:
        """Return the question whose answer was just taken back, with the tree as it is now, or else the next one."""
        undone, self._undone = self._undone, None
        ask_about = getattr(self._dialogue, "ask_about", None)
        if undone is None or ask_about is None:
            return self._dialogue.ask()
        answer, kind = undone
        query: Query = ask_about(answer.leaves)
        return query if query.kind == kind else Query(kind, query.leaves, query.tree, answer.strategy or "")

    def _is_settled(self, query: Query) -> bool:
        """Put a question; return whether the next one is due, and not the same again."""
        try:
            response = self._person.respond(query, f"question {len(self._given) + 1:,}")
        except Undo as undo:
            return self._take_back(undo.answer_id, query)
        num_before = len(self._dialogue.answers)
        before = self._dialogue.conflicts
        try:
            self._dialogue.respond(query, response)
        except (ValueError, TreetalkError, OSError) as error:
            self._say(as_sentence(error))
            return False
        new = self._dialogue.answers[num_before:]
        said = [answer for answer in new if answer.kind != "retract"]
        self._given |= {answer.id: answer for answer in said}
        self._asked |= {answer.id: query for answer in said}
        for answer in said:
            self._console.print(Text.assemble(("you: ", STYLES["label"]), self._in_words(answer)))
        for answer in new:
            if answer.retracts is not None:
                before_it = self._dialogue.answers[answer.retracts]
                self._say(f"{self._named(before_it)} is taken back, because you say otherwise now.")
                self._given.pop(answer.retracts, None)
        back = {answer.retracts for answer in new}
        self._tell_of(
            [conflict for conflict in before if conflict.answer.id not in back], {answer.id for answer in said}
        )
        return True

    def _take_back(self, answer_id: int | None, query: Query) -> bool:
        """Take an answer back, by default the last one, instead of answering a query; return whether there was one."""
        retracted = {answer.retracts for answer in self._dialogue.answers}
        said = [answer for answer in self._dialogue.answers if answer.kind != "retract" and answer.id not in retracted]
        if answer_id is None and not said:
            self._say("There is no answer to take back.")
            return False
        number = said[-1].id if answer_id is None else answer_id
        before = self._dialogue.conflicts
        try:
            self._dialogue.retract(number)
        except (ValueError, TreetalkError, OSError) as error:
            self._say(as_sentence(error))
            return False
        self._given.pop(number, None)
        taken_back = next(answer for answer in said if answer.id == number)
        self._say(f"Taken back: {self._in_words(taken_back)}.")
        if any(number in retracted for number in replaced_by(self._dialogue.answers, taken_back.id)):
            self._say("What was said before it stays taken back.")
        if taken_back.leaves is not None and len(taken_back.leaves) >= 3:
            self._undone = taken_back, self._kind_asked(taken_back, query)
        self._tell_of([conflict for conflict in before if conflict.answer.id != number])
        return True

    def _tell_of(self, before: Sequence[Conflict], said: Collection[int] = ()) -> None:
        """Say which answers have been set aside, of those just said and of others, and which are in force again."""
        after = self._dialogue.conflicts
        for conflict in _new(before, after):
            if conflict.answer.id in said:
                self._say(f"That contradicts {self._clash(conflict)}, and is set aside. {_way_out(conflict)}")
            else:
                self._say(f"{self._named(conflict.answer)} contradicts {self._clash(conflict)}, and is set aside.")
        for conflict in _new(after, before):
            self._say(f"{self._named(conflict.answer)} is in force now.")

    def _kind_asked(self, answer: Answer, query: Query) -> str:
        """Return the kind of query that was answered, where another query is shown now."""
        if answer.id in self._asked:
            return self._asked[answer.id].kind
        # Of an answer in an earlier dialogue only the strategy is known, and a strategy asks one kind of query.
        is_triple = query.kind == "triple" and query.strategy == answer.strategy
        return "triple" if is_triple else "subtree"

    def _advance(self) -> None:
        try:
            with thinking(self._console), self._person.hushed():
                self._dialogue.advance()
        except (TreetalkError, OSError) as error:
            self._say(as_sentence(error))

    def _clash(self, conflict: Conflict) -> str:
        """Return the answers that one contradicts, by their ids and words."""
        return listed([f"answer {each.id} ({self._in_words(each)})" for each in conflict.clashes_with], most=MOST_NAMED)

    def _named(self, answer: Answer) -> str:
        return f"Answer {answer.id} ({self._in_words(answer)})"

    def _in_words(self, answer: Answer) -> str:
        items = self._dialogue.items
        if answer.triplet is None:
            return answer.in_words(items)
        return format_triplet(saying(f"item {each}" if items is None else items[each]) for each in answer.triplet)

    def _say(self, sentence: str) -> None:
        self._console.print(Text(sentence))


def _new(before: Sequence[Conflict], after: Sequence[Conflict]) -> list[Conflict]:
    known = {conflict.answer.id for conflict in before}
    return [conflict for conflict in after if conflict.answer.id not in known]


def _way_out(conflict: Conflict) -> str:
    which = "that one" if len(conflict.clashes_with) == 1 else "the first of them"
    return f'"u {conflict.clashes_with[0].id}" takes {which} back, "u" takes this one back.'


@contextmanager
def thinking(console: Console) -> Iterator[None]:
    """Say that something is going on, where a person waits longer than half a second.

    From two seconds on, sampling has a bar of its own, which finds the line empty again.
    """
    if not console.is_terminal or console.is_dumb_terminal:
        yield
        return
    done = threading.Event()

    def tell() -> None:
        if done.wait(SILENCE):
            return
        console.print(Text("thinking", style=STYLES["label"]), end="")
        done.wait(0.9 * (PATIENCE - SILENCE))
        console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
