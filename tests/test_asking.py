"""What a person is shown at the terminal, and what is made of what they type."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from treetalk import Query, Tree
from treetalk.asking import Shown
from treetalk.terminal import Quit, TerminalUser, Undo, parse
from typed import reader

TREE = Tree.from_newick("(((cat,'house cat'),dog),eel);", items=["cat", "dog", "house cat", "eel"])
SUBTREE = Query("subtree", [10, 11, 12, 13], TREE)
TRIPLE = Query("triple", [10, 11, 12], TREE.restrict([0, 1, 2]))


def say(query: Query, *typed: str):
    """What the user returns, and what was printed."""
    printed = io.StringIO()
    return TerminalUser(Console(file=printed, width=80), reader(*typed)).respond(query), printed.getvalue()


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
    assert shown_items(printed) == ["1 cat", "2 house cat", "3 dog", "4 eel"]
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


def named(*names: str) -> Query:
    """The subtree with other names: those of the first, the third, the second and the fourth item from the top."""
    return Query("subtree", [10, 11, 12, 13], TREE.with_items(names))


def shown_items(printed: str) -> list[str]:
    return [line.split("─ ")[1] for line in printed.splitlines() if "─ " in line]


def test_items_without_names_have_numbers():
    assert say(Query("subtree", [10, 11, 12, 13], TREE.with_items(None)), "1 2 4")[0] == (10, 12, 13)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["7", "0", "1.5", "5"], ["1 7", "2 1.5", "3 0", "4 5"]),
        (["7", "x", "4", "y"], ["a 7", "b 4", "c x", "d y"]),
        (["A", "01", "b", "y"], ["c A", "d b", "e 01", "f y"]),
    ],
)
def test_letters_stand_beside_the_items_where_a_name_could_be_a_number_beside_one(names, expected):
    assert shown_items(say(named(*names), "")[1]) == expected


@pytest.mark.parametrize(
    ("typed", "expected"), [("a b d", (10, 12, 13)), ("A, 3, 1", (10, 13, 12)), ("2 4 1", (10, 11, 12)), ("s", "skip")]
)
def test_beside_names_that_are_numbers_letters_are_places_and_numbers_are_names(typed, expected):
    assert say(named("2", "4", "1", "3"), typed)[0] == expected


def test_where_letters_stand_beside_the_items_the_help_and_the_sentences_speak_of_letters():
    _, printed = say(named("2", "4", "1", "3"), "9 a b", "")
    assert 'by letter or name: "a b c" or "2, 1 | 4"' in " ".join(printed.split())
    assert "'9' is not among these items." in printed


def test_no_letter_beside_an_item_is_a_command():
    tree = Tree.from_newick("(" * 29 + "1" + "".join(f",{number})" for number in range(2, 31)) + ";")
    tags = Shown(Query("triple", range(3), tree.restrict(range(3))), None, 80).places.tags
    assert tags == ["a", "b", "c"]
    tags = Shown(Query("subtree", range(30), tree), None, 80).places.tags
    assert "".join(tags[:23]) == "abcdefghijklmnoprtvwxyz"
    assert tags[23:26] == ["aa", "ab", "ac"]


SMITHS = named("Smith, J. '1'", "Smith, J. '3'", "Smith, J. '2'", "either|or")


@pytest.mark.parametrize(
    "typed",
    [
        "Smith, J. '1', Smith, J. '2' | Smith, J. '3'",
        "Smith, J. '1', Smith, J. '2', Smith, J. '3'",
        "smith, j. '1', SMITH, J. '2'|Smith,  J. '3'",
        "1, Smith, J. '2' | 3",
        "1 2 | Smith, J. '3'",
        "Smith, J. '1' 2 3",
    ],
)
def test_names_may_hold_commas(typed):
    assert say(SMITHS, typed)[0] == (10, 12, 11)


@pytest.mark.parametrize("typed", ["either|or, Smith, J. '2' | 1", "4, 2, 1", "either|or 2 1", "4, 2, | 1,"])
def test_names_may_hold_bars_and_separators_may_be_doubled(typed):
    assert say(SMITHS, typed)[0] == (13, 12, 10)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("Smith, J. '1', Smith, J. '9' | Smith, J. '3'", "\"Smith, J. '9'\" is not among these items; did you mean"),
        ("Smith, J. '1', Smith, J. '2'", "three different items are needed"),
        ("Smith, J. '1'", "three different items are needed"),
        ("1 2 3 4", "three different items are needed"),
        ("1, , 3", "three different items are needed"),
    ],
)
def test_the_name_that_is_not_known_is_told_also_where_names_hold_commas(typed, sentence):
    assert sentence in say(SMITHS, typed, "")[1]


def test_what_can_mean_several_things_is_not_guessed():
    query = Query("subtree", range(5), Tree.from_newick("((((a,'b, c'),'a, b'),c),d);"))
    response, printed = say(query, "a, b, c, d", "3 4 5")
    assert '\'a, b, c, d\' can mean "1 2 5" or "3 4 5"; type the numbers.' in printed
    assert response == (2, 3, 4)


@pytest.mark.parametrize("typed", ["q", "quit", "exit", ":q"])
def test_there_are_several_words_to_quit(typed):
    with pytest.raises(Quit):
        say(SUBTREE, typed)


def test_a_word_to_quit_that_is_the_name_of_an_item_is_that_item():
    triple = Query("triple", [10, 11, 12], TREE.restrict([0, 1, 2]).with_items(["x", "exit", "y"]))
    assert say(triple, "exit")[0] == (10, 12, 11)


def test_a_person_can_undo_and_quit():
    with pytest.raises(Undo):
        say(SUBTREE, "u")
    with pytest.raises(Quit):
        say(SUBTREE, "q")
    with pytest.raises(Quit):
        say(TRIPLE)


@pytest.mark.parametrize("typed", ["cat house cat dog", "CAT HOUSE CAT 3", "cat,House Cat|dog"])
def test_names_with_blanks_need_no_commas_and_capitals_do_not_matter(typed):
    assert say(SUBTREE, typed)[0] == (10, 12, 11)


def test_an_item_that_is_called_like_a_command_can_be_named():
    tree = TREE.with_items(["s", "q", "u", "u 1"])
    assert say(Query("subtree", [10, 11, 12, 13], tree), "s q u")[0] == (10, 11, 12)
    assert say(Query("triple", [10, 11, 12], tree.restrict([0, 1, 2])), "q")[0] == (10, 12, 11)


def test_a_command_is_one_where_a_single_name_would_be_no_answer():
    tree = TREE.with_items(["s", "q", "u", "u 1"])
    with pytest.raises(Quit):
        say(Query("subtree", [10, 11, 12, 13], tree), "q")


def test_the_id_of_an_answer_to_take_back_can_be_given():
    with pytest.raises(Undo) as told:
        say(SUBTREE, "u 7")
    assert told.value.answer_id == 7


def test_a_name_with_line_breaks_is_typed_as_it_is_shown():
    response, printed = say(
        Query("subtree", [10, 11, 12, 13], TREE.with_items(["a\nb", "c", "d\x1b[1m", "e"])), "a b, c, e"
    )
    assert response == (10, 11, 13)
    assert "1 a b\n" in printed
    assert "\x1b" not in printed


@given(names=st.lists(st.text(max_size=30), min_size=4, max_size=4, unique=True), width=st.integers(24, 60))
def test_whatever_items_are_called_each_has_one_line_that_fits(names, width):
    shown = Shown(Query("subtree", range(4), TREE.with_items(names)), [name * 3 for name in names], width)
    lines = ["".join(text for _, text in line) for line in shown.lines(width, {0: ("●", "together")})]
    assert len(lines) == 4
    assert all(line.isprintable() and cell_len(line) <= width for line in lines)


@given(st.lists(st.text("ab ,|1\n", max_size=5), min_size=4, max_size=4, unique=True), st.permutations(range(4)))
def test_names_that_are_offered_mean_their_items_when_typed(names, order):
    query = Query("subtree", range(4), TREE.with_items(names))
    offered = Shown(query, None, 80).typable
    wanted = [offered[i] for i in order if i < len(offered)][:3]
    if len(wanted) == 3:
        try:
            triplet = parse(", ".join(wanted), query, query.tree.items)
        except ValueError as error:
            assert "can mean" in str(error)
            assert re.search(r"[,|]", "".join(names))
        else:
            assert [" ".join(names[item].split()) for item in triplet] == wanted
