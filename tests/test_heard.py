"""What tells whether someone has classes in mind: the odd one of three, and pieces that are told as a whole."""

from itertools import combinations

import numpy as np
import pytest

from treetalk import Session, TreeUser, flatness
from treetalk.again import AGAIN
from treetalk.answers import Ledger
from treetalk.heard import (
    ACCEPTED,
    ALIKE,
    CORRECTED,
    SORTED,
    Heard,
    calls_alike,
    is_whole,
    makes_groups,
    sorts,
    what_was_heard,
)
from treetalk.metrics import tree_of_labels
from treetalk.strategies import Grouped, Random, View, in_turn

X = np.random.default_rng(0).normal(size=(30, 3))
PIECE = tuple(range(10))


def flatness_of(ledger: Ledger, num_items: int) -> float:
    return flatness.flatness_of(what_was_heard(ledger), ledger.triplets(), num_items)


def the_odd_ones(*kinds: str) -> Ledger:
    """What was said of three items each time: that they are alike, or which of them is the odd one."""
    ledger = Ledger(3 * len(kinds))
    for i, kind in enumerate(kinds):
        three = (3 * i, 3 * i + 1, 3 * i + 2)
        ledger.extend(ledger.next_entries(kind, three, "simple", [three if kind == "triplet" else None]))
    return ledger


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["same"], 1.0),
        (["triplet"], 0.25),
        (["triplet", "triplet"], 0.0),
        (["triplet", "same"], 0.75),
        (["triplet"] * 20 + ["same"], 0.25),  # one of many does not tell
        (["skip"], 0.25),
    ],
)
def test_who_calls_three_random_items_alike_has_classes_in_mind(kinds, expected):
    ledger = the_odd_ones(*kinds)
    assert flatness_of(ledger, 3 * len(kinds)) == expected


def test_what_was_called_alike_and_taken_back_says_nothing():
    ledger = the_odd_ones("same")
    ledger.extend(ledger.next_retractions([0]))
    assert flatness_of(ledger, 3) == 0.25
    assert what_was_heard(ledger) == ()


def all_of(*groups: tuple[int, ...], piece=PIECE) -> Heard:
    """All that someone says who sorts a piece into these groups, and leaves everyone else alone."""
    said = tuple((a, b, c) for group in groups for a, b in combinations(group, 2) for c in piece if c not in group)
    return Heard(SORTED if makes_groups(said) else CORRECTED, piece, said)


ONE_THING = Heard(CORRECTED, PIECE, ((0, 1, 2),))
ODD_ONE = Heard(CORRECTED, (0, 1, 2), ((0, 1, 2),))


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        (all_of((0, 1)), True),
        (all_of((0, 1, 2), (5, 6)), True),
        (all_of((0, 1))._replace(said=all_of((0, 1)).said[1:]), False),
        (all_of((0, 1, 2))._replace(said=(*all_of((0, 1, 2)).said, (0, 1, 2))), False),  # a hierarchy in a group
        (ONE_THING, False),
    ],
)
def test_a_piece_is_told_as_a_whole_if_all_is_said_that_classes_have_of_it(heard, expected):
    assert is_whole(heard) == expected


def test_someone_sorts_who_tells_of_most_pieces_as_a_whole():
    whole, accepted = all_of((0, 1)), Heard(ACCEPTED, PIECE)
    three = Heard(CORRECTED, (0, 1, 2), ((0, 1, 2),))  # the odd one of three is all that is to be said of them
    assert not sorts([])
    assert not sorts([accepted, three])
    assert sorts([whole, accepted, three])
    assert sorts([whole] * 4 + [ONE_THING])
    assert not sorts([whole] * 3 + [ONE_THING])


def test_someone_calls_items_alike_who_does_so_at_least_as_often_as_he_names_an_odd_one():
    alike = Heard(ALIKE, (0, 1, 2))
    assert not calls_alike([])
    assert not calls_alike([ODD_ONE, Heard(ACCEPTED, PIECE), ONE_THING])
    assert calls_alike([ONE_THING, ONE_THING, alike])
    assert calls_alike([ODD_ONE, alike])
    assert not calls_alike([ODD_ONE, alike, ODD_ONE])


def test_once_somebody_is_asked_for_the_odd_one_of_three_and_then_it_is_known_whether_he_has_classes():
    labels = np.arange(30) % 10
    session, user = Session(X, seed=2), TreeUser(tree_of_labels(labels), seed=0)
    kinds = []
    for _ in range(8):
        query = session.ask()
        kinds.append((query.kind, query.strategy))
        session.respond(query, user.respond(query))
    assert kinds == [("subtree", "grouped")] * 5 + [("triple", "simple")] + [("subtree", "grouped")] * 2
    assert [answer.kind for answer in session.answers][5] == "same"
    assert session._flatness == 1.0


@pytest.mark.parametrize(
    ("num_asked", "told", "heard", "kind"),
    [
        (5, 0.25, [ONE_THING], "triple"),
        (4, 0.25, [ONE_THING], "subtree"),
        (6, 0.25, [ONE_THING], "subtree"),
        (5, 0.0, [ONE_THING], "subtree"),  # a hierarchy, for sure
        (5, 1.0, [ONE_THING], "subtree"),  # classes, for sure
        (5, 0.25, [all_of((0, 1))], "subtree"),  # who says so much at once tells it himself
        (15, 0.75, [ODD_ONE], "triple"),  # it looks like classes by now
        (35, 1.0, [ODD_ONE, ODD_ONE], "triple"),
        (25, 1.0, [ODD_ONE], "subtree"),
        (15, 0.0, [ODD_ONE], "subtree"),
        (15, 1.0, [Heard(ALIKE, (0, 1, 2))], "subtree"),  # it was said already
        (15, 0.75, [all_of((0, 1))], "subtree"),
    ],
)
def test_the_odd_one_is_asked_for_only_where_it_tells_something(num_asked, told, heard, kind):
    session = Session(X, seed=2)
    view = View(session.tree, session.snapshots, num_asked, heard=heard, flatness=told)
    assert in_turn(Grouped(), view).kind == kind
    assert in_turn(Random(), view).kind == "subtree"


def test_the_odd_one_of_any_three_is_asked_for_before_what_was_said_before():
    session = Session(X, seed=2)
    view = View(session.tree, session.snapshots, 5, heard=[ONE_THING], flatness=0.25, doubtful=lambda: (0, 1, 2))
    assert in_turn(Grouped(), view).name == "simple"
    assert in_turn(Grouped(), view._replace(num_asked=7)).name == AGAIN
    assert in_turn(Grouped(), view._replace(num_asked=6)).name == "grouped"


def test_a_strategy_may_leave_a_query_to_another_one_and_not_to_anything():
    class Polite:
        name, kind = "polite", "subtree"

        def __init__(self, other):
            self.other = other

        def in_turn(self, view):
            return self.other

        def candidates(self, view, rng):
            yield [0, 1, 2, 3]

    assert Session(X, strategy=Polite("simple")).ask().kind == "triple"
    with pytest.raises(ValueError, match="there is no strategy 'nobody'"):
        Session(X, strategy=Polite("nobody")).ask()
