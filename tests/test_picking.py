"""A person who picks items with the arrow keys, in the program and in a real pseudo-terminal."""

import io
import os
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output
from rich.console import Console

from treetalk import Query, Tree
from treetalk.asking import Quit, Undo
from treetalk.picking import PickingUser, Picks
from treetalk.terminal import TerminalUser

pexpect = pytest.importorskip("pexpect")

TREE = Tree.from_newick("(((cat,'house cat'),dog),sole);", items=["cat", "dog", "house cat", "sole"])
SUBTREE = Query("subtree", [10, 11, 12, 13], TREE)
TRIPLE = Query("triple", [10, 11, 12], TREE.restrict([0, 1, 2]))
UP, DOWN, BACKSPACE, ESCAPE, ENTER, TAB = "\x1b[A", "\x1b[B", "\x7f", "\x1b", "\r", "\t"


def screen(written: str) -> str:
    """What a terminal shows after all this was written to it."""
    lines: list[list[str]] = [[]]
    row = column = 0
    for found in re.finditer(r"\x1b\[(\??)([\d;]*)([A-Za-z])|([\r\n\b])|([^\x1b])", written):
        _, number, code, control, letter = found.groups()
        count = int(number) if code and number.isdecimal() else 1
        if code in {"A", "B"}:
            row += count if code == "B" else -count
        elif code in {"C", "D"}:
            column += count if code == "C" else -count
        elif code in {"J", "K"}:
            del lines[row][0 if number == "2" else column :]
            del lines[row + 1 if code == "J" else len(lines) :]
        elif control:
            row, column = (row + 1, 0) if control == "\n" else (row, 0 if control == "\r" else column - 1)
        elif letter:
            lines[row] += [" "] * (column + 1 - len(lines[row]))
            lines[row][column] = letter
            column += 1
        lines += [[] for _ in range(row + 1 - len(lines))]
    return "\n".join("".join(line).rstrip() for line in lines)


def pick(query: Query, *keys: str, rows: int = 24, columns: int = 80, labels=None):
    """What a person returns who presses keys, and what stays in the terminal."""
    printed, drawn = io.StringIO(), io.StringIO()
    console = Console(file=printed, width=columns)

    def no_line(prompt: str) -> str:
        raise AssertionError("a line was asked for")

    with create_pipe_input() as pipe:
        output = Vt100_Output(drawn, lambda: Size(rows, columns), term="xterm")
        person = PickingUser(TerminalUser(console, no_line), console, labels, keys=pipe, screen=output)
        pipe.send_text("".join(keys))
        pipe.close()  # so that whoever waits for more keys quits
        response = person.respond(query)
    assert screen(drawn.getvalue()).strip() == "", "something was left behind"
    return response, screen(printed.getvalue())


def test_enter_on_an_empty_line_accepts():
    assert pick(SUBTREE, ENTER)[0] == "accept"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([DOWN, " ", DOWN, " ", DOWN, " "], (10, 12, 11)),
        ([UP, " ", UP, " ", UP, " "], (13, 11, 12)),
        ([DOWN, ENTER, DOWN, ENTER, DOWN, ENTER], (10, 12, 11)),
        ([UP, DOWN, " ", DOWN, " ", DOWN, " "], (10, 12, 11)),
    ],
)
def test_the_third_item_picked_is_the_odd_one(keys, expected):
    assert pick(SUBTREE, *keys, ENTER)[0] == expected


def test_backspace_takes_the_last_pick_back():
    assert pick(SUBTREE, DOWN, " ", DOWN, " ", BACKSPACE, DOWN, " ", DOWN, " ", ENTER)[0] == (10, 11, 13)


def test_space_on_a_picked_item_takes_that_one_back():
    assert pick(SUBTREE, DOWN, " ", " ", DOWN, " ", DOWN, " ", DOWN, " ", ENTER)[0] == (12, 11, 13)


def test_another_odd_one_can_be_picked():
    assert pick(SUBTREE, DOWN, " ", DOWN, " ", DOWN, " ", DOWN, " ", ENTER)[0] == (10, 12, 13)


def test_after_all_picks_are_taken_back_enter_accepts():
    assert pick(SUBTREE, DOWN, " ", BACKSPACE, BACKSPACE, ENTER)[0] == "accept"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("1 2 3", (10, 12, 11)),
        ("cat, house cat | dog", (10, 12, 11)),
        ("cat house cat dog", (10, 12, 11)),
        ("sole dog cat", (13, 11, 10)),  # which begins with the letter that skips
        ("s", "skip"),
        ("=", "same"),
    ],
)
def test_whatever_is_typed_goes_to_the_input_line(typed, expected):
    assert pick(SUBTREE, typed, ENTER)[0] == expected


def test_what_is_typed_counts_and_not_what_was_picked_before():
    assert pick(SUBTREE, DOWN, " ", DOWN, " ", DOWN, " ", "s", ENTER)[0] == "skip"


def test_a_line_that_is_empty_again_gives_the_picks_back():
    assert pick(SUBTREE, DOWN, " ", DOWN, " ", "x", BACKSPACE, DOWN, " ", ENTER)[0] == (10, 12, 11)


def test_arrow_keys_pick_nothing_while_something_is_typed():
    assert pick(SUBTREE, "1 2", DOWN, UP, " 3", ENTER)[0] == (10, 12, 11)


def test_tab_completes_names():
    assert pick(SUBTREE, "ca", TAB, ", ho", TAB, " | DO", TAB, ENTER)[0] == (10, 12, 11)


def test_help_and_what_is_not_understood_ask_the_same_again():
    assert pick(SUBTREE, "?", ENTER, "1 2 9", ENTER, BACKSPACE, "4", ENTER)[0] == (10, 12, 13)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([DOWN, DOWN, ENTER], (10, 12, 11)),
        ([UP, ENTER], (10, 11, 12)),
        (["2", ENTER], (10, 12, 11)),
        ([ENTER, "=", ENTER], "same"),
        (["s", ENTER], "skip"),
    ],
)
def test_of_a_triple_the_odd_one_is_chosen_or_typed(keys, expected):
    assert pick(TRIPLE, *keys)[0] == expected


@pytest.mark.parametrize("keys", [["q", ENTER], ["\x03"], ["\x04"], ["typed\x03"], [DOWN, " ", "\x03"]])
def test_a_person_can_quit_at_any_time(keys):
    with pytest.raises(Quit):
        pick(SUBTREE, *keys)


@pytest.mark.parametrize(("typed", "answer_id"), [("u", None), ("u 3", 3), ("undo 12", 12)])
def test_the_last_answer_can_be_taken_back_or_an_earlier_one_by_its_id(typed, answer_id):
    with pytest.raises(Undo) as told:
        pick(SUBTREE, typed, ENTER)
    assert told.value.answer_id == answer_id


@pytest.mark.parametrize("keys", [[DOWN, " ", DOWN, " ", UP, UP, " "], ["1 2 4"]])
def test_the_drawing_stays_with_signs_at_what_was_said(keys):
    _, left = pick(SUBTREE, *keys, ENTER)
    assert left.strip().splitlines() == ["┬─┬─┬─● 1 cat", "│ │ └─● 2 house cat", "│ └─  3 dog", "└─○ 4 sole"]


def test_labels_are_shown_after_the_names_and_shortened():
    labels = [None] * 10 + ["purrs", None, "an animal with much to say for itself", "swims"]
    _, left = pick(SUBTREE, ENTER, columns=40, labels=labels)
    assert "1 cat  purrs" in left
    assert "2 house cat  an animal with muc…" in left
    assert max(map(len, left.splitlines())) == 40


@pytest.mark.parametrize(("rows", "columns"), [(8, 80), (24, 20)])
def test_what_does_not_fit_into_the_window_is_asked_line_by_line(rows, columns):
    items = [f"animal {number}" for number in range(12)]
    comb = "(" * 11 + "'animal 0'" + "".join(f",'{name}')" for name in items[1:]) + ";"
    query = Query("subtree", range(12), Tree.from_newick(comb, items=items))
    printed = io.StringIO()
    console = Console(file=printed, width=columns)
    with create_pipe_input() as pipe:
        output = Vt100_Output(io.StringIO(), lambda: Size(rows, columns), term="xterm")
        person = PickingUser(TerminalUser(console, lambda prompt: "2 1 3"), console, keys=pipe, screen=output)
        assert person.respond(query) == (1, 0, 2)


@given(
    st.lists(st.sampled_from(["move -", "move +", "pick", "toggle", "take back", "drop"]), max_size=30),
    st.integers(3, 6),
)
def test_whatever_is_pressed_at_most_three_different_items_are_picked(acts, num_items):
    picks = Picks(num_items)
    for act in acts:
        before = list(picks.picked)
        if act.startswith("move"):
            picks.move(-1 if act.endswith("-") else +1)
            assert picks.picked == before
        else:
            getattr(picks, act.replace(" ", "_"))()
        assert len(set(picks.picked)) == len(picks.picked) <= 3
        assert all(0 <= place < num_items for place in picks.picked)
        assert picks.is_complete == (len(picks.picked) == 3)


def test_keys_pressed_too_early_do_not_answer_the_next_question():
    console = Console(file=io.StringIO(), width=80)
    with create_pipe_input() as pipe:
        person = PickingUser(TerminalUser(console), console, keys=pipe, screen=DummyOutput())
        pipe.send_text("1 2 3" + ENTER + ENTER)
        assert person.respond(SUBTREE) == (10, 12, 11)
        with person.hushed():
            pass
        pipe.send_text("s" + ENTER)
        pipe.close()
        assert person.respond(SUBTREE) == "skip"


SCRIPT = """
from treetalk import DirichletDiffusion, Session
from treetalk.terminal import talk
X = DirichletDiffusion().simulate(5, 2, seed=1)[1]
session = Session(X, ["apple", "bear", "crow", "dove", "elk"], strategy={strategy!r}, seed=1)
count = talk(session)
print("count", count, [answer.in_words(session.items) for answer in session.answers])
"""


class Terminal:
    """A dialogue in a pseudo-terminal."""

    def __init__(self, strategy: str = "smart", **environment: str) -> None:
        self._written = io.StringIO()
        self._child = pexpect.spawn(
            sys.executable,
            ["-c", SCRIPT.format(strategy=strategy)],
            env=os.environ | {"TERM": "xterm"} | environment,
            dimensions=(24, 80),
            encoding="utf-8",
            timeout=60,
        )
        self._child.logfile_read = self._written

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self._child.close(force=True)

    @property
    def screen(self) -> str:
        return screen(self._written.getvalue())

    @property
    def written(self) -> str:
        return self._written.getvalue()

    def press(self, *keys: str) -> None:
        self._child.send("".join(keys))

    def until(self, text: str) -> str:
        """Wait until the screen shows a text; return the screen."""
        while text not in self.screen:
            self._child.expect(".+")
        return self.screen

    def items(self) -> list[str]:
        """The items of the last drawing, from top to bottom."""
        return re.findall(r"\d (\w+)$", self.screen, re.MULTILINE)[-5:]

    def end(self) -> str:
        """Wait for the end; return what was said."""
        self._child.expect(pexpect.EOF)
        return re.search(r"^count .*", self.screen, re.MULTILINE)[0]


@pytest.mark.large
def test_in_a_terminal_arrows_space_and_enter_give_a_triplet_that_is_announced_before():
    with Terminal() as terminal:
        terminal.until("Enter accepts")
        one, two, _, _, five = terminal.items()
        terminal.press(DOWN, " ", DOWN, " ")
        terminal.until(f"{one} and {two} together, apart from …")
        terminal.press(UP, UP, " ")
        terminal.until(f"{one} and {two} together, apart from {five}\n>\nEnter sends")
        terminal.press(ENTER)
        left = terminal.until(f"you: {one}, {two} | {five}")
        assert re.search(rf"● 1 {one}$", left, re.MULTILINE)
        assert re.search(rf"○ 5 {five}$", left, re.MULTILINE)
        terminal.until("Enter accepts")
        terminal.press("q", ENTER)
        assert terminal.end() == f"count 1 ['{one}, {two} | {five}']"
        assert "Enter sends" not in terminal.screen
        assert "\x1b[6n" not in terminal.written, "the reply to where the cursor is would be taken for keys"
        assert "1 answer, 1 correction." in terminal.screen


@pytest.mark.large
def test_in_a_terminal_enter_accepts_u_takes_it_back_and_ctrl_c_quits():
    with Terminal() as terminal:
        terminal.until("Enter accepts")
        terminal.press(DOWN, " ")
        terminal.until("together with …")
        terminal.press(ESCAPE)
        terminal.until("Enter accepts")
        terminal.press(ENTER)
        terminal.until("you: accept\n")
        terminal.until("Enter accepts")
        terminal.press("u", ENTER)
        terminal.until("Taken back: accept.\n")
        terminal.until("Enter accepts")
        terminal.press("\x03")
        assert terminal.end() == "count 0 ['accept', 'answer 0 taken back']"
        assert "0 answers, 0 corrections." in terminal.screen
        assert "Traceback" not in terminal.screen


@pytest.mark.large
def test_in_a_terminal_the_odd_one_is_announced_when_it_is_highlighted():
    with Terminal("simple") as terminal:
        terminal.until("choose the odd one")
        one, two, three = terminal.items()[-3:]
        terminal.press(DOWN, DOWN)
        terminal.until(f"{one} and {three} together, apart from {two}")
        terminal.press(ENTER)
        terminal.until("choose the odd one")
        terminal.press("\x04")
        assert terminal.end() == f"count 1 ['{one}, {three} | {two}']"


@pytest.mark.large
def test_a_terminal_that_can_do_little_gets_lines():
    with Terminal(TERM="dumb") as terminal:
        terminal.until("Enter if this is right")
        terminal.until("\n>")
        terminal.press("1 2 3\n")
        terminal.until("you: ")
        terminal.press("q\n")
        assert terminal.end().startswith("count 1 ")
        assert "\x1b" not in terminal.written
