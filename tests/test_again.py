"""Answers that may be mistakes are asked for again, and what is said then counts."""

from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projects import new_project
from treetalk import GestureUser, LabelUser, Query, Session, TreeUser, open_project, triplet_distance
from treetalk.again import (
    AGAIN,
    MOST_IN_VAIN,
    Repeated,
    clashes_of_classes,
    most_doubtful,
    replaced_by,
    what_was_repeated,
)
from treetalk.answers import Ledger
from treetalk.heard import says_several
from treetalk.metrics import tree_of_labels
from treetalk.models import DirichletDiffusion
from treetalk.queries import query_about

NUM_ITEMS = 12
LABELS = np.repeat([0, 1, 2], 4)
# Someone with the classes 0-3, 4-7 and 8-11 in mind says the third one wrongly: 2 belongs with 0 and not with 4.
CHAIN, APART, MISTAKE = [(0, 1, 4), (1, 2, 8)], (0, 2, 5), (2, 4, 0)


def some_data(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(NUM_ITEMS, 2)) + 4 * LABELS[:, None]


def some_data_of(labels: np.ndarray) -> np.ndarray:
    """Features that know next to nothing of the labels."""
    return np.random.default_rng(1).normal(size=(len(labels), 3)) + 0.3 * labels[:, None]


def doubtful(ledger: Ledger, *, may_be_classes: bool) -> tuple[int, int, int] | None:
    """Return what is asked for again where the features tell nothing."""
    repeated = what_was_repeated(ledger)
    return most_doubtful(ledger, repeated, lambda triplets: np.zeros(len(triplets)), may_be_classes=may_be_classes)


def ledger_of(*triplets: tuple[int, int, int]) -> Ledger:
    ledger = Ledger(NUM_ITEMS)
    ledger.extend(ledger.next_entries("triplet", None, None, triplets))
    return ledger


def a_contradiction() -> Session:
    """Return a session in which 0 is said to belong with 1 and not with 2, and with 2 and not with 1."""
    session = Session(some_data(), list("abcdefghijkl"), seed=1).advance(1_000)
    session.answer(None, [(0, 1, 2), (0, 2, 1)])
    return session


def asked_again(session: Session) -> Query:
    """Return the next query that is about something said before."""
    found = next((query for query in (session.ask() for _ in range(2)) if query and query.strategy == AGAIN), None)
    assert found is not None
    return found


def test_what_contradicts_something_is_asked_for_again_as_the_odd_one_of_three():
    session = a_contradiction()
    query = asked_again(session)
    assert query.kind == "triple"
    assert sorted(query.leaves.tolist()) == [0, 1, 2]
    assert query.question.startswith("Once more, to be sure: which is the odd one: ")


def test_who_says_otherwise_takes_back_what_was_said_before():
    session = a_contradiction()
    (answer,) = session.answer(asked_again(session), (0, 2, 1))
    assert answer.triplet == (0, 2, 1)
    assert [entry.retracts for entry in session.answers if entry.kind == "retract"] == [0]
    assert not session.conflicts
    assert [each.triplet for each in session.in_force] == [(0, 2, 1), (0, 2, 1)]
    assert session.tree.satisfies([(0, 2, 1)]).all()


def test_who_says_the_same_again_takes_back_what_contradicts_it():
    session = a_contradiction()
    session.answer(asked_again(session), (1, 0, 2))
    assert [entry.retracts for entry in session.answers if entry.kind == "retract"] == [1]
    assert not session.conflicts
    assert session.tree.satisfies([(0, 1, 2)]).all()


def test_what_was_said_otherwise_is_asked_for_once_more_and_what_is_said_twice_is_not():
    session, three = a_contradiction(), frozenset({0, 1, 2})
    session.answer(asked_again(session), (1, 2, 0))
    assert three not in what_was_repeated(session._ledger).settled
    once_more = query_about(session.tree, np.array([0, 1, 2], np.int32), "triple", AGAIN)
    other = session.copy()
    session.answer(once_more, (1, 2, 0))
    assert [each.triplet for each in session.in_force] == [(1, 2, 0), (1, 2, 0)]
    other.answer(once_more, (0, 1, 2))
    assert [each.triplet for each in other.in_force] == [(0, 1, 2)]
    for each in (session, other):
        assert three in what_was_repeated(each._ledger).settled
        assert each.renew(once_more) is None


def test_what_was_said_in_three_ways_is_asked_for_until_two_agree():
    session, three = Session(some_data(), seed=1), frozenset({0, 1, 2})
    session.answer(None, [(0, 1, 2), (4, 5, 8), (4, 8, 5)])
    about = query_about(session.tree, np.array([0, 1, 2], np.int32), "triple", AGAIN)
    session.answer(about, (0, 2, 1))
    session.answer(about, (1, 2, 0))
    assert three not in what_was_repeated(session._ledger).settled
    session.answer(about, (0, 1, 2))
    assert what_was_repeated(session._ledger).confirmed == {three: 1}
    assert [each.triplet for each in session.in_force if set(each.triplet) == three] == [(0, 1, 2)]


def test_who_calls_them_all_alike_takes_back_that_one_is_the_odd_one():
    session = a_contradiction()
    session.same(asked_again(session))
    assert not session.in_force
    assert not session.conflicts


def test_who_skips_takes_nothing_back_and_is_not_asked_for_it_a_third_time():
    session = a_contradiction()
    session.skip(asked_again(session))
    assert len(session.in_force) == 1
    assert len(session.conflicts) == 1
    assert AGAIN not in {query.strategy for query in (session.ask() for _ in range(6)) if query}


def test_an_answer_about_other_items_takes_nothing_back():
    session = a_contradiction()
    session.answer(asked_again(session), (5, 6, 7))
    assert "retract" not in {entry.kind for entry in session.answers}


def test_a_query_that_was_answered_elsewhere_meanwhile_is_not_shown():
    session = a_contradiction()
    query = asked_again(session)
    assert session.renew(query) is not None
    session.answer(query, (0, 1, 2))
    assert session.renew(query) is None


def test_taking_the_second_answer_back_leaves_nothing_said_of_the_three():
    session = a_contradiction()
    (answer,) = session.answer(asked_again(session), (1, 2, 0))
    assert len(session.in_force) == 1
    session.retract(answer)
    assert not session.in_force


def test_who_drops_items_onto_others_is_not_asked_again_for_what_that_says_beside():
    target = np.repeat([0, 1, 2, 3], 6)
    session, user = Session(some_data_of(target), seed=3).advance(500), GestureUser(tree_of_labels(target), seed=2)
    for _ in range(20):
        query = session.ask()
        if query is None:
            break
        assert query.strategy != AGAIN or session.conflicts
        session.respond(query, user.respond(query))
        session.advance(300)
    assert says_several(session._heard)


@pytest.mark.parametrize("kind", ["skip", "same", "the same", "otherwise"])
def test_what_was_undone_counts_as_never_asked(kind):
    session = a_contradiction()
    query = asked_again(session)
    if kind in {"skip", "same"}:
        answer = getattr(session, kind)(query)
    else:
        (answer,) = session.answer(query, (0, 1, 2) if kind == "the same" else (1, 2, 0))
    session.retract(answer)
    assert what_was_repeated(session._ledger) == Repeated()
    assert session.renew(query) is not None


def test_whoever_says_otherwise_twice_errs_though_nothing_of_it_was_undone():
    session, three = a_contradiction(), frozenset({0, 1, 2})
    query = asked_again(session)
    session.answer(query, (1, 2, 0))
    session.answer(query, (0, 1, 2))
    assert what_was_repeated(session._ledger) == Repeated(confirmed={three: 1}, revised=frozenset({three}))


def test_what_an_answer_took_the_place_of_is_known():
    session = a_contradiction()
    (answer,) = session.answer(asked_again(session), (1, 2, 0))
    assert replaced_by(session.answers, answer.id) == [0, 1]
    assert replaced_by(session.answers, 0) == []
    session.retract(answer)
    assert replaced_by(session.answers, answer.id) == [0, 1]


def test_what_is_doubtful_is_asked_for_though_just_these_three_were_accepted(tmp_path):
    with new_project(tmp_path / "some.treetalk") as project:
        project.answer(None, [(0, 1, 2), (0, 2, 1)])
        project.accept(project.ask_about([0, 1, 2]))
        assert AGAIN in {query.strategy for query in (project.ask() for _ in range(2)) if query}


@pytest.mark.parametrize("strategy", ["interleaved", "random", "loose"])
def test_only_the_default_strategy_asks_again(strategy):
    session = Session(some_data(), seed=1, strategy=strategy)
    session.answer(None, [(0, 1, 2), (0, 2, 1)])
    assert AGAIN not in {query.strategy for query in (session.ask() for _ in range(6)) if query}


@pytest.mark.large
def test_who_does_not_contradict_himself_is_not_asked_again():
    target, X = DirichletDiffusion().simulate(40, 3, seed=3)
    for data, user in ((some_data(), LabelUser(LABELS)), (X, TreeUser(target))):
        session = Session(data, seed=2).advance(2_000)
        for _ in range(20):
            query = session.ask()
            if query is None:
                break
            assert query.strategy != AGAIN
            session.respond(query, user.respond(query))
            session.advance(1_000)


def test_what_is_part_of_most_contradictions_is_asked_for_first():
    ledger = ledger_of((0, 1, 2), (3, 4, 5), (0, 2, 1), (1, 2, 0), (3, 5, 4))
    assert doubtful(ledger, may_be_classes=False) == (0, 1, 2)


def test_links_that_join_what_is_apart_are_asked_for_where_there_may_be_classes():
    ledger = ledger_of(*CHAIN, APART, MISTAKE)
    assert not ledger.conflicts
    assert doubtful(ledger, may_be_classes=False) is None
    found = doubtful(ledger, may_be_classes=True)
    assert found in {MISTAKE, *CHAIN, APART}


def test_of_those_in_as_many_contradictions_the_most_surprising_is_asked_for():
    ledger = ledger_of(*CHAIN, APART, MISTAKE)

    def surprises(triplets: np.ndarray) -> np.ndarray:
        return (triplets == MISTAKE).all(axis=1).astype(float)

    assert most_doubtful(ledger, Repeated(), surprises, may_be_classes=True) == MISTAKE


def test_who_says_the_same_again_and_again_is_not_asked_any_more():
    # Ten groups; in each of four of them there is a clash, which says nothing about the others.
    ledger = Ledger(80)
    said = [(8 * k, 8 * k + i, (8 * k + 9) % 80) for k in range(10) for i in range(1, 7)]
    inside = [(8 * k, 8 * k + 1, 8 * k + 2) for k in range(4)]
    ledger.extend(ledger.next_entries("triplet", None, None, (*said, *inside)))
    num_asked = 0
    for _ in range(20):
        again = doubtful(ledger, may_be_classes=True)
        if again is None:
            break
        num_asked += 1
        ledger.extend(ledger.next_entries("triplet", again, AGAIN, (again,)))
    assert 2 <= num_asked <= MOST_IN_VAIN + 1


def say_again(ledger: Ledger, triplet: tuple[int, int, int], said: tuple[int, int, int]) -> None:
    ledger.extend(ledger.next_entries("triplet", triplet, AGAIN, (said,)))


def test_a_clash_of_which_all_was_said_again_is_left_alone_and_others_are_not():
    ledger = ledger_of(*CHAIN, APART, MISTAKE)
    for _ in range(4):
        again = doubtful(ledger, may_be_classes=True)
        if again is None:
            break
        say_again(ledger, again, again)
    assert doubtful(ledger, may_be_classes=True) is None
    assert not what_was_repeated(ledger).revised
    ledger.extend(ledger.next_entries("triplet", None, None, ((6, 7, 3), (7, 9, 6))))
    assert doubtful(ledger, may_be_classes=True) in {(6, 7, 3), (7, 9, 6)}


def test_a_mistake_that_was_made_twice_is_asked_for_once_more_if_much_speaks_against_it():
    # Two groups, each item of which is linked with the first one, and the first ones with each other.
    one, other = [(0, i, 10) for i in range(1, 6)], [(10, i, 0) for i in range(11, 16)]
    mistake = (0, 10, 20)
    ledger = Ledger(21)
    ledger.extend(ledger.next_entries("triplet", None, None, (*one, *other, mistake)))
    assert doubtful(ledger, may_be_classes=True) == mistake
    say_again(ledger, mistake, mistake)
    assert doubtful(ledger, may_be_classes=True) == mistake
    say_again(ledger, mistake, mistake)
    assert doubtful(ledger, may_be_classes=True) in {*one, *other}
    few = Ledger(21)
    few.extend(few.next_entries("triplet", None, None, (one[0], one[1], mistake)))
    say_again(few, mistake, mistake)
    assert doubtful(few, may_be_classes=True) in {*one}


def steps_between(links: list[tuple[int, int]], start: int, end: int) -> int:
    """The number of links between two items, by looking at one after the other."""
    seen, waiting = {start: 0}, deque([start])
    while waiting:
        item = waiting.popleft()
        for pair in links:
            other = pair[1] if pair[0] == item else pair[0]
            if item in pair and other not in seen:
                seen[other] = seen[item] + 1
                waiting.append(other)
    return seen.get(end, -1)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.permutations(range(8)).map(lambda order: tuple(order[:3])), min_size=1, max_size=12))
def test_a_clash_is_a_triplet_and_a_shortest_way_from_its_pair_to_its_odd_one(triplets):
    links = [(a, b) for a, b, _ in triplets]
    expected = []
    for a, b, c in triplets:
        ways = [steps for steps in (steps_between(links, a, c), steps_between(links, b, c)) if steps >= 0]
        if ways:
            expected.append(((a, b, c), min(ways)))
    found = clashes_of_classes(np.array(triplets, np.int32))
    assert [(clash[0], len(clash) - 1) for clash in found] == expected
    for clash in found:
        a, b, c = clash[0]
        way = [(one[0], one[1]) for one in clash[1:]]
        assert set(clash) <= set(triplets)
        assert min(steps_between(way, item, c) for item in (a, b) if steps_between(way, item, c) >= 0) == len(way)


@pytest.mark.large
@pytest.mark.parametrize("seed", range(2))
def test_a_tree_is_put_right_that_mistakes_had_bound(seed):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(4), 10)
    X = 2.5 * rng.normal(size=(4, 3))[labels] + rng.normal(size=(40, 3))
    session = Session(X, seed=seed).advance(5_000)
    user = LabelUser(labels, seed=seed)
    mistakes = {(0, 10, 1), (20, 30, 21)}
    session.answer(None, sorted(mistakes))
    for _ in range(80):
        query = session.ask()
        if query is None:
            break
        session.respond(query, user.respond(query))
        session.advance(3_000)
    assert not mistakes & {answer.triplet for answer in session.in_force}
    assert triplet_distance(user.target, session.tree) < 0.02


def test_a_project_keeps_what_was_taken_back_with_who_said_otherwise(tmp_path):
    path = tmp_path / "some.treetalk"
    with new_project(path) as project:
        project.answer(None, [(0, 1, 2), (0, 2, 1)], who="Ada")
        query = query_about(project.session.tree, np.array([0, 1, 2], np.int32), "triple", AGAIN)
        project.answer(query, (0, 2, 1), who=["Ben"], gesture="g1", comment="looked again")
        assert list(project.of_gesture("g1")) == [2]
    with open_project(path) as project:
        last, back = project.records[2], project.records[3]
        assert (last.who, last.comment, last.answer.strategy) == ("Ben", "looked again", AGAIN)
        assert (back.answer.retracts, back.who, back.comment, back.gesture) == (0, "Ben", None, None)
        assert [each.triplet for each in project.in_force] == [(0, 2, 1), (0, 2, 1)]
