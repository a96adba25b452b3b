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
from treetalk.asking import Quit, Shown, Undo, completed, hint, offered
from treetalk.picking import PickingUser, Picks, line_reader
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


def pick(query: Query, *keys: str, rows: int = 24, columns: int = 80, labels=None, heading: str = ""):
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
        response = person.respond(query, heading)
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


@pytest.mark.parametrize(
    ("typed", "text", "fits"),
    [
        ("ca", "cat", ["cat"]),
        ("cat, HO", "cat, house cat", ["house cat"]),
        ("house c", "house cat", ["house cat"]),
        ("dog so", "dog sole", ["sole"]),
        ("x", "x", []),
        ("cat ", "cat ", []),
    ],
)
def test_the_last_name_typed_is_completed(typed, text, fits):
    assert completed(typed, Shown(SUBTREE, None, 80)) == (text, fits)


def test_a_name_is_completed_as_far_as_it_is_clear_and_may_hold_commas():
    shown = Shown(Query("subtree", range(4), TREE.with_items(["tiger", "tiger, blue", "tick", "eel"])), None, 80)
    assert completed("t", shown) == ("ti", ["tiger", "tick", "tiger, blue"])
    assert completed("tick, tiger, b", shown) == ("tick, tiger, blue", ["tiger, blue"])


@pytest.mark.parametrize(
    ("typed", "fits", "sentence"),
    [
        ("ti", ["tiger", "tick"], "tiger; tick"),
        ("", list("abcdefg"), "a; b; c; d; e and 2 more"),
        ("cat, xy", [], "No name here begins with 'xy'."),
        ("cat, ", [], "Type the beginning of a name, then Tab."),
    ],
)
def test_what_a_name_may_become_is_told(typed, fits, sentence):
    assert offered(typed, fits) == sentence


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (80, "Enter accepts   ↑↓ pick   or type: s skip, = alike, q quit, ? help"),
        (60, "Enter accepts   ↑↓ pick   or type: = alike, q quit, ? help"),
        (40, "Enter accepts   ↑↓ pick   ? help"),
    ],
)
def test_the_keys_are_told_as_far_as_they_fit(columns, line):
    assert hint(["Enter accepts", "↑↓ pick"], ["s skip", "= alike", "q quit", "? help"], columns) == line


ITEMS = [f"'animal {number}'" for number in range(61)]
COMB = Tree.from_newick("(" * 11 + ITEMS[0] + "".join(f",{name})" for name in ITEMS[1:12]) + ";")
STAR = Tree.from_newick(f"({','.join(ITEMS)});")


@pytest.mark.parametrize(
    ("tree", "rows", "columns", "reason"),
    [
        (COMB, 8, 80, "The window is too small"),
        (COMB, 24, 20, "The window is too small"),
        (STAR, 99, 80, "There are too many items"),
    ],
)
def test_what_does_not_fit_into_the_window_is_asked_line_by_line_which_is_told_once(tree, rows, columns, reason):
    console = Console(file=io.StringIO(), width=columns)
    with create_pipe_input() as pipe:
        output = Vt100_Output(io.StringIO(), lambda: Size(rows, columns), term="xterm")
        person = PickingUser(TerminalUser(console, lambda prompt: "2 1 3"), console, keys=pipe, screen=output)
        query = Query("subtree", range(tree.num_leaves), tree)
        assert [person.respond(query, heading="question 7") for _ in range(2)] == [(1, 0, 2)] * 2
    said = " ".join(console.file.getvalue().split())
    assert said.count(f"{reason} to pick with the arrow keys; type numbers or names.") == 1
    assert said.count("question 7") == 2


def test_a_line_is_read_without_the_arrow_keys():
    drawn = io.StringIO()
    with create_pipe_input() as pipe:
        output = Vt100_Output(drawn, lambda: Size(10, 40), term="xterm")
        read = line_reader(Console(file=drawn), keys=pipe, screen=output)
        pipe.send_text(DOWN + "1 2" + UP + " 3" + ENTER)
        assert read("> ") == "1 2 3"
        pipe.send_text(UP + ENTER)
        assert read("> ") == ""
    assert "^[" not in drawn.getvalue()


def test_the_heading_stays_above_the_drawing():
    _, left = pick(SUBTREE, ENTER, heading="question 12")
    assert left.strip().splitlines()[:2] == ["question 12", "┬─┬─┬─  1 cat"]


def test_beside_names_that_are_numbers_letters_are_typed_or_picked():
    tree = TREE.with_items(["2", "4", "1", "3"])
    assert pick(Query("subtree", [10, 11, 12, 13], tree), "a c d", ENTER)[0] == (10, 11, 13)
    assert pick(Query("triple", [10, 11, 12], tree.restrict([0, 1, 2])), DOWN, DOWN, ENTER)[0] == (10, 12, 11)


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

    def __init__(self, strategy: str = "smart", rows: int = 24, **environment: str) -> None:
        self._written = io.StringIO()
        self._child = pexpect.spawn(
            sys.executable,
            ["-c", SCRIPT.format(strategy=strategy)],
            env=os.environ | {"TERM": "xterm"} | environment,
            dimensions=(rows, 80),
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
        assert "no answers, no corrections." in terminal.screen
        assert "Traceback" not in terminal.screen


@pytest.mark.large
def test_in_a_terminal_the_odd_one_is_announced_when_it_is_highlighted():
    with Terminal("simple") as terminal:
        terminal.until("choose the odd one")
        one, two, three = terminal.items()[-3:]
        terminal.press(DOWN, DOWN)
        terminal.until(f"{one} and {three} together, apart from {two}")
        terminal.press(ENTER)
        terminal.until("question 2")
        terminal.press("\x04")
        assert terminal.end() == f"count 1 ['{one}, {three} | {two}']"


@pytest.mark.large
def test_in_a_terminal_tab_tells_what_fits_and_the_keys_fit_into_80_columns():
    with Terminal() as terminal:
        shown = terminal.until("or type: s skip, = alike, u undo, q quit, ? help")
        assert re.search(r"^question 1$", shown, re.MULTILINE)
        terminal.press("z", TAB)
        terminal.until("No name here begins with 'z'.")
        terminal.press(BACKSPACE, "exit", ENTER)
        assert terminal.end() == "count 0 []"


@pytest.mark.large
def test_in_a_terminal_with_few_lines_arrow_keys_are_not_echoed():
    with Terminal(rows=10) as terminal:
        terminal.until("The window is too small to pick with the arrow keys; type numbers or names.")
        terminal.until("\n>")
        terminal.press(DOWN, UP, "1 2 3", ENTER)
        terminal.until("question 2")
        terminal.press("\x03")
        assert terminal.end().startswith("count 1 ")
        assert "^[" not in terminal.screen


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
