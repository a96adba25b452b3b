"""A person who picks items with the arrow keys: a query shown in place, in a window of the terminal's own lines.

What is typed goes to one input line. The arrow keys, Space, Backspace and Esc pick and take back only while that line is
empty, so that every name can be typed, whatever it begins with. Once answered, the drawing stays, and the rest disappears.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import create_input
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, VerticalAlign, Window
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.output import create_output
from prompt_toolkit.shortcuts import PromptSession
from prompt_toolkit.styles import Style
from rich.console import Console

from treetalk.asking import (
    COMMANDS_IN_WORDS,
    Help,
    Line,
    Mark,
    Quit,
    Shown,
    Undo,
    as_sentence,
    as_text,
    completed,
    explained,
    hint,
    in_words,
    offered,
    parse,
    wrapped,
)
from treetalk.queries import Query
from treetalk.users import Response

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from treetalk.terminal import TerminalUser

MOST_PICKED_FROM = 60
NUM_LINES_BESIDE = (
    7  # an empty one, the heading, the question, the sentence, the input line, the hint, and one to spare
)
TOGETHER, ODD, POINTER = ("●", "together"), ("○", "odd"), "›"
STYLE = Style.from_dict(
    {
        "label": "ansibrightblack",
        "question": "bold",
        "together": "ansigreen bold",
        "odd": "ansimagenta bold",
        "highlighted": "reverse",
        "warning": "ansiyellow",
    }
)
MEANINGS = {"accept": "this is right", "same": "all alike", "skip": "skip this one"}
HELP = {
    "subtree": "Enter if this is right. If not, two that belong together and then the one that does not: picked with ↑ ↓ "
    f'and Space, or typed, "{{tags}}" or "{{0}}, {{1}} | {{2}}". {COMMANDS_IN_WORDS}',
    "triple": f"The odd one: chosen with ↑ ↓ and Enter, or typed, by {{tag}} or name. {COMMANDS_IN_WORDS}",
}
COMMAND_KEYS = ("s skip", "= alike", "u undo", "q quit", "? help")


class Picks:
    """Which items were picked, and which one is highlighted, by place from 0.

    The first two that are picked belong together; the third is the odd one, and picking another one puts that in its place.

    Parameters
    ----------
    num_items : int
        How many items there are to pick from.
    """

    def __init__(self, num_items: int) -> None:
        self._num_items = num_items
        self.highlighted: int | None = None
        self.picked: list[int] = []

    @property
    def is_begun(self) -> bool:
        """Whether anything is highlighted or picked."""
        return self.highlighted is not None or bool(self.picked)

    @property
    def is_complete(self) -> bool:
        """Whether all three are picked."""
        return len(self.picked) == 3

    def move(self, step: int) -> None:
        """Highlight the next item, or the one before; from the last to the first, and back."""
        if self.highlighted is None:
            self.highlighted = 0 if step > 0 else self._num_items - 1
        else:
            self.highlighted = (self.highlighted + step) % self._num_items

    def pick(self) -> None:
        """Pick the highlighted item, if it is not picked yet."""
        if self.highlighted is None or self.highlighted in self.picked:
            return
        if self.is_complete:
            self.picked.pop()
        self.picked.append(self.highlighted)

    def toggle(self) -> None:
        """Pick the highlighted item, or take it back if it is picked."""
        if self.highlighted in self.picked:
            self.picked.remove(self.highlighted)
        else:
            self.pick()

    def take_back(self) -> None:
        """Take the last pick back; where there is none, highlight nothing."""
        if self.picked:
            self.picked.pop()
        else:
            self.highlighted = None

    def drop(self) -> None:
        """Take all picks back."""
        self.picked, self.highlighted = [], None


class PickingUser:
    """A person who is shown a piece of the tree in a real terminal, and picks or types an answer.

    Parameters
    ----------
    typist : TerminalUser
        The same person without picking, who is asked where a tree does not fit into the window.
    console : rich.console.Console
        Where the drawing is printed in the end.
    labels : sequence of str or None, optional
        What to show after the name of each item, by item number.
    keys : prompt_toolkit.input.Input, optional
        Where keys come from; by default standard input.
    screen : prompt_toolkit.output.Output, optional
        Where the query is drawn; by default the file of the console.
    """

    def __init__(
        self,
        typist: TerminalUser,
        console: Console,
        labels: Sequence[str | None] | None = None,
        *,
        keys: Input | None = None,
        screen: Output | None = None,
    ) -> None:
        self._typist, self._console, self._labels = typist, console, labels
        self._keys = create_input() if keys is None else keys
        self._screen = _screen_of(console) if screen is None else screen
        self._reasons: set[str] = set()  # that were told why nothing can be picked

    def respond(self, query: Query, heading: str = "") -> Response:
        """Show the query, and return what the person says; raise `Undo` or `Quit` if told so."""
        size = self._screen.get_size()
        shown = Shown(query, self._labels, size.columns)
        is_small = len(query.leaves) > size.rows - NUM_LINES_BESIDE or not shown.is_whole
        if is_small or len(query.leaves) > MOST_PICKED_FROM:
            reason = "The window is too small" if is_small else "There are too many items"
            sentence = f"{reason} to pick with the arrow keys; type {shown.places.tag}s or names."
            is_told, self._reasons = reason in self._reasons, self._reasons | {reason}
            return self._typist.respond(query, heading, "" if is_told else sentence)
        asked = _Asked(shown, heading, self._keys, self._screen)
        try:
            response = asked.run()
        except EOFError:  # the terminal is gone
            raise Quit from None
        self._console.print()
        self._console.print(as_text([*asked.heading, *shown.lines(self._console.width, asked.marks(response))]))
        return response

    @contextmanager
    def hushed(self) -> Iterator[None]:
        """Neither echo keys nor keep them: an Enter too many must not answer the next question, which nobody has seen."""
        clear_typeahead(self._keys)
        number = self._keys.fileno()
        if sys.platform == "win32" or not os.isatty(number):
            yield
            return
        import termios

        before = termios.tcgetattr(number)
        silent = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
        termios.tcsetattr(number, termios.TCSANOW, silent)
        try:
            yield
        finally:
            termios.tcflush(number, termios.TCIFLUSH)
            termios.tcsetattr(number, termios.TCSANOW, before)


class _Asked:
    """One query on the screen, until it is answered."""

    def __init__(self, shown: Shown, heading: str, keys: Input, screen: Output) -> None:
        self._shown, self._query = shown, shown.query
        self.heading: list[Line] = [[("label", heading)]] if heading else []
        self._is_triple = self._query.kind == "triple"
        self._picks = Picks(len(shown.order))
        self._notice: tuple[str, str] | None = None  # the name of its style, and a text
        self._line = Buffer(multiline=False)
        self._application: Application[Response] = Application(
            layout=self._layout(),
            key_bindings=self._bindings(),
            style=STYLE,
            input=keys,
            output=screen,
            erase_when_done=True,
        )
        self._application.key_processor.before_key_press += self._forget
        self._application.ttimeoutlen = 0.05  # Esc is a key of its own here, so do not wait long for what may follow it

    def run(self) -> Response:
        """Return what the person says."""
        return self._application.run()

    def _forget(self, keys: object) -> None:
        self._notice = None

    # --- what is shown

    def _layout(self) -> Layout:
        def cursor() -> Point:
            # Where the window has become too small, what is highlighted stays in view.
            return Point(0, 1 + len(self.heading) + self._is_triple + (self._picks.highlighted or 0))

        entry = BufferControl(self._line, input_processors=[BeforeInput("> ")], focusable=True)
        drawing = FormattedTextControl(
            lambda: _fragments([[], *self.heading, *self._lines()]), get_cursor_position=cursor, show_cursor=False
        )
        windows = [
            Window(drawing, dont_extend_height=True),
            Window(FormattedTextControl(self._sentence), wrap_lines=True, dont_extend_height=True),
            Window(entry, height=1),
            Window(FormattedTextControl(self._hint), height=1),
        ]
        return Layout(HSplit(windows, align=VerticalAlign.TOP), focused_element=entry)

    def _columns(self) -> int:
        return int(self._application.output.get_size().columns)

    def _lines(self) -> list[Line]:
        marks = self.marks(self._proposed())
        if not self._line.text:
            marks |= _marked(self._picks.picked)
            highlighted = self._picks.highlighted
            if highlighted is not None:
                sign, style = marks.get(highlighted, (POINTER, ""))
                marks[highlighted] = (sign, f"{style} highlighted".strip())
        return self._shown.lines(self._columns(), marks)

    def _sentence(self) -> StyleAndTextTuples:
        style, text = self._notice or ("", self._meaning())
        # The window itself would break lines within words.
        return _fragments([[(style, wrapped(text, self._columns()))]])

    def _hint(self) -> StyleAndTextTuples:
        commands: Sequence[str] = ()
        if self._line.text:
            keys = ["Enter sends", "Tab completes a name", "Esc clears"]
        elif self._is_triple:
            keys = ["Enter sends" if self._picks.is_begun else "↑↓ choose the odd one"]
            commands = COMMAND_KEYS
        elif self._picks.is_complete:
            keys = ["Enter sends", "Backspace takes the last back", "Esc drops all"]
        elif self._picks.is_begun:
            keys = ["Space picks", "↑↓ move", "Backspace takes back", "Esc drops all"]
        else:
            keys, commands = ["Enter accepts", "↑↓ pick"], COMMAND_KEYS
        return [("class:label", hint(keys, commands, self._columns()))]

    def _proposed(self) -> Response | None:
        """Return what would be sent, if that is clear."""
        if self._line.text:
            try:
                return parse(self._line.text.strip(), self._query, self._shown.names)
            except (ValueError, Undo, Quit):
                return None
        if self._is_triple and self._picks.highlighted is not None:
            return parse(self._shown.places.tags[self._picks.highlighted], self._query, self._shown.names)
        if self._picks.is_complete:
            a, b, c = (int(self._query.leaves[self._shown.order[place]]) for place in self._picks.picked)
            return a, b, c
        return None

    def marks(self, response: Response | None) -> dict[int, Mark]:
        """Return the sign and the style of each place that a response is about."""
        return _marked(self._places(response))

    def _places(self, response: Response | None) -> list[int]:
        if not isinstance(response, tuple):
            return []
        leaves = self._query.leaves.tolist()
        return [self._shown.order.index(leaves.index(item)) for item in response]

    def _meaning(self) -> str:
        """Return what will be sent, in words, as far as it is known."""
        sayings = self._shown.sayings
        proposed = self._proposed()
        if isinstance(proposed, str):
            return MEANINGS[proposed]
        named = [sayings[place] for place in self._places(proposed)]
        if not named and not self._line.text and not self._is_triple:
            named = [sayings[place] for place in self._picks.picked]
        return in_words(named)

    # --- what the keys do

    def _bindings(self) -> KeyBindings:
        keys = KeyBindings()
        is_empty = Condition(lambda: not self._line.text)

        def on(name: str, act: Callable[[], None], **options: Any) -> None:
            keys.add(name, **options)(lambda event: act())

        on("up", lambda: self._picks.move(-1), filter=is_empty)
        on("down", lambda: self._picks.move(+1), filter=is_empty)
        on(" ", lambda: None if self._is_triple else self._picks.toggle(), filter=is_empty)
        on("backspace", self._picks.take_back, filter=is_empty)
        on("escape", self._drop, eager=True)  # other keys begin with it: do not wait for them
        on("tab", self._complete)
        on("enter", self._enter)
        for name in ("up", "down"):  # which would look for earlier lines; there are none
            on(name, lambda: None, filter=~is_empty)

        on("c-c", self._quit)
        on(Keys.SIGINT, self._quit)
        on("c-d", self._quit, filter=is_empty)
        return keys

    def _quit(self) -> None:
        self._application.exit(exception=Quit())

    def _drop(self) -> None:
        if self._line.text:
            self._line.reset()
        else:
            self._picks.drop()

    def _complete(self) -> None:
        text, fits = completed(self._line.text, self._shown)
        if fits:
            self._line.text = text
            self._line.cursor_position = len(text)
        if len(fits) != 1:
            self._notice = ("label", offered(self._line.text, fits))

    def _enter(self) -> None:
        if self._line.text:
            self._send_typed()
            return
        proposed = self._proposed()
        if proposed is not None:
            self._application.exit(result=proposed)
        elif self._is_triple:
            self._notice = ("label", explained(self._query, self._shown.names, HELP))
        elif self._picks.is_begun:
            self._picks.pick()
        else:
            self._application.exit(result="accept")

    def _send_typed(self) -> None:
        text = self._line.text.strip()
        try:
            self._application.exit(result=parse(text, self._query, self._shown.names))
        except (Undo, Quit) as told:
            self._application.exit(exception=told)
        except Help:
            self._line.reset()
            self._notice = ("label", explained(self._query, self._shown.names, HELP))
        except ValueError as error:
            self._notice = ("warning", as_sentence(error))


def line_reader(console: Console, *, keys: Input | None = None, screen: Output | None = None) -> Callable[[str], str]:
    """Return what reads a line as `input` does, and lets keys without a letter, such as the arrows, leave no trace."""
    source = create_input() if keys is None else keys
    target = _screen_of(console) if screen is None else screen

    def read(prompt: str) -> str:
        # A session each: the lines typed before do not come back with the arrow keys.
        return str(PromptSession[str](input=source, output=target, reserve_space_for_menu=0).prompt(prompt))

    return read


def _screen_of(console: Console) -> Output:
    screen = create_output(cast(TextIO, console.file))
    # The answer to where the cursor is would come late, among the keys, and nothing here needs it.
    if hasattr(screen, "enable_cpr"):
        screen.enable_cpr = False
    return screen


def _marked(places: Sequence[int]) -> dict[int, Mark]:
    return dict(zip(places, (TOGETHER, TOGETHER, ODD), strict=False))


def _fragments(lines: Sequence[Line]) -> StyleAndTextTuples:
    """Return lines as prompt_toolkit takes them."""
    result: StyleAndTextTuples = []
    for number, line in enumerate(lines):
        result += [("", "\n")] if number else []
        result += [(" ".join(f"class:{name}" for name in style.split()), text) for style, text in line]
    return result
