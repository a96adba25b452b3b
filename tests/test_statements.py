"""How sure it is of a triplet or of a group: in numbers that fit the answers and the draws, and in words."""

import itertools

import numpy as np
import pytest

from projects import ITEMS, X
from reference import all_binary_trees, has_triplet
from treetalk import Session
from treetalk.statements import about_group, about_triplet

ANSWERS = [("cat", "lynx", "dog"), ("dog", "wolf", "cat"), ("eel", "trout", "crow")]


@pytest.fixture(scope="module")
def session() -> Session:
    session = Session(X, ITEMS, seed=1)
    session.answer(None, ANSWERS)
    return session.advance(2_000)


@pytest.fixture(scope="module")
def nameless() -> Session:
    """Five items without names, two of which belong together by all answers."""
    session = Session(X[:5], seed=1)
    session.answer(None, [(0, 1, 2), (0, 1, 3), (0, 1, 4)])
    return session.advance(500)


def test_what_follows_from_the_answers_is_certain_and_its_alternatives_are_impossible(session):
    found = about_triplet(session, ("lynx", "cat", "dog"))
    assert (found.certain, found.possible, found.support) == (True, True, 1.0)
    assert found.sentence == "lynx and cat belong together, apart from dog: certain, it follows from your answers."
    assert [(each.certain, each.possible, each.count) for each in found.alternatives] == [(False, False, 0)] * 2
    assert found.alternatives[0].sentence == (
        "lynx and dog belong together, apart from cat: no hierarchy that satisfies your answers has it."
    )


def test_what_is_open_has_the_share_of_the_draws(session):
    found = about_triplet(session, ("cat", "eel", "owl"))
    assert (found.certain, found.possible) == (False, True)
    assert found.support == session.support(("cat", "eel", "owl"))
    assert found.of == len(session.snapshots.draws()) == found.num_draws
    assert found.count + sum(each.count for each in found.alternatives) == found.of
    assert found.sentence.endswith(f" sure (in {found.count} of {found.of} sampled hierarchies).")


def test_the_alternatives_part_the_same_items_in_the_two_other_ways(session):
    found = about_triplet(session, ("cat", "eel", "owl"))
    cat, eel, owl = (ITEMS.index(name) for name in ("cat", "eel", "owl"))
    assert found.triplet == (cat, eel, owl)
    assert [each.triplet for each in found.alternatives] == [(cat, owl, eel), (eel, owl, cat)]
    assert all(each.alternatives == () for each in found.alternatives)


@pytest.mark.parametrize("triplet", list(itertools.permutations(range(4), 3)))
def test_certain_and_possible_are_what_all_trees_with_the_answers_say(triplet):
    answers = [(0, 1, 2), (1, 3, 2)]
    session = Session(X[:4], seed=0)
    session.answer(None, answers)
    fitting = [tree for tree in all_binary_trees(4) if all(has_triplet(tree, answer) for answer in answers)]
    having = sum(has_triplet(tree, triplet) for tree in fitting)
    found = about_triplet(session, triplet)
    assert (found.certain, found.possible) == (having == len(fitting), having > 0)


def test_items_go_by_number_by_name_or_by_labels(session, nameless):
    assert about_triplet(nameless, np.array([2, 3, 4])).claim == "2 and 3 belong together, apart from 4"
    labels = [f"the\n{item}" for item in ITEMS]
    assert about_triplet(session, (0, 1, 2), labels).claim == "the cat and the lynx belong together, apart from the dog"
    with pytest.raises(ValueError, match="there is no item 'lnyx'; did you mean 'lynx'"):
        about_triplet(session, ("cat", "lnyx", "dog"))


def test_a_group_is_as_likely_as_its_clade(session):
    found = about_group(session, ["crow", "owl"])
    assert found.support == session.clade_support(["crow", "owl"])
    assert (found.certain, found.possible, found.leaves) == (False, True, (6, 7))
    assert found.sentence.startswith("crow and owl are a cluster of their own: ")
    assert found.sentence.endswith(f" sure (in {found.count} of {found.of} sampled hierarchies).")


def test_a_group_follows_from_the_answers_or_contradicts_them(session, nameless):
    found = about_group(nameless, [1, 0])
    assert (found.certain, found.sentence) == (
        True,
        "1 and 0 are a cluster of their own: certain, it follows from your answers.",
    )
    found = about_group(session, ["cat", "dog"])
    assert (found.possible, found.sentence) == (
        False,
        "cat and dog are a cluster of their own: no hierarchy that satisfies your answers has it.",
    )


def test_all_items_are_a_cluster_in_any_case(session):
    found = about_group(session, range(len(ITEMS)))
    assert (found.is_everything, found.certain, found.support) == (True, True, 1.0)
    assert found.sentence.endswith("are a cluster of their own: certain, for they are all items.")


def test_one_item_is_no_group(session):
    with pytest.raises(ValueError, match="a group has two items or more, not 1"):
        about_group(session, ["cat"])


def test_where_nothing_was_sampled_the_number_of_draws_says_so():
    session = Session(X, ITEMS)
    assert about_triplet(session, ("cat", "lynx", "dog")).num_draws == 0
    assert about_group(session, ["cat", "lynx"]).num_draws == 0


def test_a_record_has_the_numbers_by_name(session):
    found = about_triplet(session, ("cat", "eel", "owl"))
    assert found.as_record() == {
        "support": found.support,
        "count": found.count,
        "of": found.of,
        "num_draws": found.num_draws,
        "certain": False,
        "possible": True,
    }
