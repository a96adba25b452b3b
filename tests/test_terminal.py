"""A dialogue at the terminal, from the first question to the summary."""

import io
import re
import time

import pytest
from rich.console import Console

from treetalk import DirichletDiffusion, Session
from treetalk.errors import TreetalkError
from treetalk.terminal import SILENCE, talk, thinking
from typed import reader


def four_items(strategy: str = "smart", kind: type[Session] = Session) -> Session:
    return kind(DirichletDiffusion().simulate(4, 2, seed=1)[1], list("abcd"), strategy=strategy, seed=1)


def hold(session: Session, *typed: str, **options: object) -> tuple[int, str]:
    """A dialogue in which a person types some lines and leaves; the number of answers, and what was printed."""
    printed = io.StringIO()
    count = talk(session, Console(file=printed, width=100), reader(*typed), **options)
    return count, " ".join(printed.getvalue().split())


def test_a_dialogue_goes_on_until_the_person_quits_and_explains_contradictions():
    session = four_items()
    count, shown = hold(session, "u", "a b c", "a c b", "u", "u", "", "q")
    assert "There is no answer to take back." in shown
    assert (
        'That contradicts answer 0 (a, b | c), and is set aside. "u 0" takes that one back, "u" takes this one back.'
    ) in shown
    assert "Taken back: a, c | b." in shown
    assert "Taken back: a, b | c." in shown
    assert [answer.kind for answer in session.answers] == ["triplet", "triplet", "retract", "retract", "accept"]
    assert count == 1
    assert shown.endswith("1 answer, no corrections.")


def test_what_was_set_aside_comes_into_force_when_the_other_is_taken_back():
    session = four_items()
    _, shown = hold(session, "a b c", "a c b", "u 0")
    assert "Taken back: a, b | c. Answer 1 (a, c | b) is in force now." in shown
    assert [answer.id for answer in session.in_force] == [1]


def test_whoever_says_otherwise_when_asked_again_is_told_what_is_taken_back():
    session = four_items("grouped")
    session.answer(None, [("a", "b", "c"), ("a", "c", "b")])
    _, shown = hold(session, "s", "b", "q")
    assert "Once more, to be sure: which is the odd one?" in shown
    assert "you: a, c | b Answer 0 (a, b | c) is taken back, because you say otherwise now." in shown
    assert "Answer 1 (a, c | b) is in force now." in shown
    assert [answer.triplet for answer in session.in_force] == [(0, 2, 1), (0, 2, 1)]


def test_what_was_taken_back_for_another_answer_stays_so_and_counts_no_more():
    session = four_items("grouped")
    session.answer(None, [("a", "b", "c"), ("a", "c", "b")])
    count, shown = hold(session, "s", "b", "u", "q")
    assert "Taken back: a, c | b. What was said before it stays taken back." in shown
    assert count == 1


def test_an_earlier_answer_that_is_outvoted_is_told_of():
    names = [f"i{number}" for number in range(20)]
    session = Session(DirichletDiffusion().simulate(20, 2, seed=1)[1], names, strategy="smart")
    meanwhile = [
        ("i0", "i2", "i19"),
        *[(*pair, f"i{c}") for c in range(3, 19) for pair in (("i0", "i1"), ("i1", "i2"))],
    ]
    session.answer(None, [("i0", "i19", "i1"), *meanwhile])
    _, shown = hold(session, "i0 i1 i19", "i1 i2 i19")
    assert "That contradicts answer 0 (i0, i19 | i1), and is set aside." in shown
    assert "Answer 0 (i0, i19 | i1) contradicts answer 34 (i0, i1 | i19), and is set aside." in shown
    assert "Answer 34 (i0, i1 | i19) is in force now." in shown


def test_an_answer_that_is_not_there_cannot_be_taken_back():
    session = four_items()
    count, shown = hold(session, "", "u 5", "s")
    assert "there is no answer 5; there are 1 answers, numbered from 0." in shown
    assert count == 2


def test_what_was_said_is_repeated_in_words():
    _, shown = hold(four_items(), "", "a b c", "s")
    assert [said in shown for said in ("you: accept", "you: a, b | c", "you: skip")] == [True] * 3


def test_items_without_names_are_called_by_their_numbers():
    session = Session(DirichletDiffusion().simulate(4, 2, seed=1)[1], strategy="smart", seed=1)
    _, shown = hold(session, "item 3, item 0 | item 2")
    assert "you: item 3, item 0 | item 2" in shown


def test_a_dialogue_ends_when_nothing_is_left_to_ask():
    session = Session(DirichletDiffusion().simulate(3, 2, seed=1)[1], list("abc"), strategy="simple")
    count, shown = hold(session, "1", "1")
    assert "Nothing is left to ask." in shown
    assert count == len(session.in_force) == 1


def test_a_dialogue_ends_after_as_many_answers_as_wanted_without_those_taken_back():
    session = four_items()
    count, shown = hold(session, "a b c", "u", "s", "", "s", "s", num_queries=3)
    assert count == 3
    assert shown.endswith("1 answer, no corrections, 2 skipped.")
    assert len(session.answers) == 5


def test_questions_are_counted_without_those_taken_back():
    _, shown = hold(four_items(), "", "s", "1 1 1", "u", "s", "s")
    assert re.findall(r"question \d+", shown) == [f"question {number}" for number in (1, 2, 3, 2, 3, 4)]


def twelve_items(strategy: str, kind: type[Session] = Session) -> Session:
    X = DirichletDiffusion().simulate(12, 2, seed=1)[1]
    return kind(X, list("abcdefghijkl"), strategy=strategy, subset_size=4, seed=1)


def asked_about(session: Session) -> list[set[int]]:
    return [set(answer.leaves) for answer in session.answers if answer.leaves is not None]


@pytest.mark.parametrize("strategy", ["random", "simple"])
def test_after_an_answer_is_taken_back_the_same_question_comes_again(strategy):
    session = twelve_items(strategy)
    _, shown = hold(session, "=", "s", "u", "u", "=", "s")
    first, second, again, third = asked_about(session)
    assert first == again
    assert first != second
    assert first != third
    assert [answer.strategy for answer in session.answers][:2] == [strategy] * 2
    assert shown.count("Which is the odd one?") == (7 if strategy == "simple" else 0)


def test_the_answer_of_an_earlier_dialogue_is_asked_for_again_in_the_same_way():
    session = twelve_items("simple")
    hold(session, "s")
    _, shown = hold(session, "u", "s")
    assert asked_about(session)[0] == asked_about(session)[1]
    assert shown.count("Which is the odd one?") == 3


def test_after_what_was_said_unasked_is_taken_back_the_dialogue_goes_on():
    session = twelve_items("simple")
    session.answer(None, ("a", "b", "c"))
    count, shown = hold(session, "u", "s")
    assert "Taken back: a, b | c." in shown
    assert count == 1


class Simple:
    """A dialogue that can do no more than it must."""

    def __init__(self, session: Session) -> None:
        for name in ("ask", "respond", "retract", "advance", "items"):
            setattr(self, name, getattr(session, name))
        self._session = session

    answers = property(lambda self: self._session.answers)
    conflicts = property(lambda self: self._session.conflicts)


def test_a_dialogue_that_cannot_ask_about_items_goes_on_after_an_answer_is_taken_back():
    session = twelve_items("random")
    assert hold(Simple(session), "s", "u", "s")[0] == 1
    assert asked_about(session)[0] != asked_about(session)[1]


class Forgetful(Session):
    """A session on a disk that is full at first."""

    is_full = True

    def respond(self, query, response):
        if self.is_full:
            self.is_full = False
            raise TreetalkError("the project cannot be saved: no space left on device")
        super().respond(query, response)


def test_an_answer_that_cannot_be_kept_is_asked_for_again():
    session = four_items(kind=Forgetful)
    count, shown = hold(session, "a b c", "a b d")
    assert "the project cannot be saved: no space left on device. question 1 ┬" in shown
    assert count == 1
    assert [answer.in_words(session.items) for answer in session.answers] == ["a, b | d"]


class Interrupted(Session):
    """A session that is interrupted while it samples."""

    def advance(self, num_moves=None):
        raise KeyboardInterrupt


def test_an_interruption_while_sampling_ends_the_dialogue_with_its_summary():
    count, shown = hold(four_items(kind=Interrupted), "a b c", "a b d")
    assert count == 1
    assert shown.endswith("1 answer, 1 correction.")


def test_labels_are_shown_after_the_names():
    _, shown = hold(four_items(), labels=["first letter", None, "third letter", None])
    assert "a first letter" in shown
    assert "c third letter" in shown


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"labels": ["x"]}, ValueError, "1 labels were given for 4 items"),
        ({"labels": "abcd"}, TypeError, "labels must be a sequence with a string or None for each item"),
        ({"labels": [1, 2, 3, 4]}, TypeError, "labels must be a sequence with a string or None for each item"),
        ({"num_queries": -1}, ValueError, "num_queries must be 0 or more, not -1"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_asked(options, error, sentence):
    with pytest.raises(error, match=f"^{sentence}$"):
        hold(four_items(), **options)


def waiting(seconds: float) -> str:
    """What a terminal is sent while something takes so long."""
    written = io.StringIO()
    with thinking(Console(file=written, force_terminal=True, width=80, color_system=None)):
        time.sleep(seconds)
    return written.getvalue()


def test_nothing_is_said_about_a_short_wait():
    assert waiting(0) == ""


def test_a_longer_wait_is_told_and_wiped_away():
    assert waiting(SILENCE + 0.2) == "thinking\r\x1b[2K"
