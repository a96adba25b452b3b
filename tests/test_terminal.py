"""A person at the terminal."""

import io

import pytest
from rich.console import Console

from treetalk import DirichletDiffusion, Query, Session, Tree
from treetalk.terminal import Quit, TerminalUser, Undo, talk

TREE = Tree.from_newick("(((cat,'house cat'),dog),eel);", items=["cat", "dog", "house cat", "eel"])
SUBTREE = Query("subtree", [10, 11, 12, 13], TREE)
TRIPLE = Query("triple", [10, 11, 12], TREE.restrict([0, 1, 2]))


def say(query: Query, *typed: str):
    """What the user returns, and what was printed."""
    printed = io.StringIO()
    lines = iter(typed)

    def read(prompt: str) -> str:
        line = next(lines, None)
        if line is None:
            raise EOFError
        return line

    return TerminalUser(Console(file=printed, width=80), read).respond(query), printed.getvalue()


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", "accept"),
        ("cat dog eel", (10, 11, 13)),
        ("1 2 4", (10, 12, 13)),
        ("cat, house cat | dog", (10, 12, 11)),
        ("s", "skip"),
        ("=", "same"),
    ],
)
def test_a_subtree_is_accepted_with_enter_and_corrected_by_names_or_numbers(typed, expected):
    assert say(SUBTREE, typed)[0] == expected


@pytest.mark.parametrize(
    ("typed", "expected"), [("2", (10, 12, 11)), ("house cat", (10, 11, 12)), ("=", "same"), ("s", "skip")]
)
def test_of_a_triple_the_odd_one_is_named(typed, expected):
    assert say(TRIPLE, typed)[0] == expected


def test_what_is_shown_has_every_item_with_its_number_and_says_what_to_type():
    _, printed = say(SUBTREE, "")
    shown = [line.split("─ ")[1] for line in printed.splitlines() if "─ " in line]
    assert shown == ["1 cat", "2 house cat", "3 dog", "4 eel"]
    assert "Enter if this is right" in printed


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("cta dog eel", "'cta' is not among these items; did you mean 'cat'"),
        ("1 2", "three different items are needed"),
        ("1 1 2", "three different items are needed"),
        ("1 2 9", "there is no item number 9 here; 4 items are shown"),
    ],
)
def test_what_is_not_understood_is_explained_and_asked_again(typed, sentence):
    response, printed = say(SUBTREE, typed, "1 3 4")
    assert response == (10, 11, 13)
    assert sentence in printed


@pytest.mark.parametrize(("typed", "expected"), [("accept", "accept"), ("skip", "skip"), ("same", "same")])
def test_whole_words_are_understood_too(typed, expected):
    assert say(SUBTREE, typed)[0] == expected


def test_help_is_given_again():
    _, printed = say(SUBTREE, "?", "")
    assert printed.count("Enter if this is right") == 2


def test_numbers_are_the_places_shown_even_where_names_are_numbers_too():
    for tree in (TREE.with_items(["2", "4", "1", "3"]), TREE.with_items(None)):
        response, _ = say(Query("subtree", [10, 11, 12, 13], tree), "1 2 4")
        assert response == (10, 12, 13)


def test_a_person_can_undo_and_quit():
    with pytest.raises(Undo):
        say(SUBTREE, "u")
    with pytest.raises(Quit):
        say(SUBTREE, "q")
    with pytest.raises(Quit):
        say(TRIPLE)


def test_a_dialogue_goes_on_until_the_person_quits_and_explains_contradictions():
    session = Session(DirichletDiffusion().simulate(4, 2, seed=1)[1], list("abcd"), strategy="smart", seed=1)
    printed = io.StringIO()
    lines = iter(["u", "a b c", "a c b", "u", "u", "", "q"])
    talk(session, Console(file=printed, width=100), lambda prompt: next(lines))
    shown = " ".join(printed.getvalue().split())
    assert "There is no answer to take back." in shown
    assert "That contradicts what was said before (a, b | c), and is set aside." in shown
    assert "Taken back: a, c | b." in shown
    assert "Taken back: a, b | c." in shown
    assert [answer.kind for answer in session.answers] == ["triplet", "triplet", "retract", "retract", "accept"]


def test_a_dialogue_ends_when_nothing_is_left_to_ask():
    session = Session(DirichletDiffusion().simulate(3, 2, seed=1)[1], list("abc"), strategy="simple")
    printed = io.StringIO()
    talk(session, Console(file=printed, width=100), lambda prompt: "1")
    assert "Nothing is left to ask." in printed.getvalue()
    assert len(session.in_force) == 1
