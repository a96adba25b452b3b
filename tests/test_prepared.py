"""Questions and trees that were made ahead: they are brought in line with what was said meanwhile before they are shown."""

import numpy as np
import pytest

from projects import new_project
from treetalk import DirichletDiffusion, Session
from treetalk.queries import CHOSEN, query_about
from treetalk.server.windows import Windows
from treetalk.summary import central_tree

TREE, X = DirichletDiffusion().simulate(30, 3, seed=5)


@pytest.fixture
def session():
    return Session(X, seed=1, subset_size=6).advance(2_000)


def against(session, leaves):
    """A triplet that the tree does not have."""
    a, b, c = leaves[:3].tolist()
    return next(each for each in ((a, b, c), (a, c, b)) if not session.tree.satisfies([each])[0])


def test_a_question_that_is_prepared_is_not_counted_until_it_is_asked(session):
    query = session.prepare(0)
    assert session.num_asked == 0
    session.count_asked()
    assert session.num_asked == 1
    assert query.strategy == "grouped"


def test_preparing_and_counting_is_asking():
    one, other = (Session(X, seed=1, subset_size=6).advance(500) for _ in range(2))
    for _ in range(6):
        asked, prepared = one.ask(), other.prepare(other.num_asked)
        other.count_asked()
        np.testing.assert_array_equal(asked.leaves, prepared.leaves)


def test_a_question_is_renewed_with_the_tree_as_it_is_now(session):
    query = session.prepare(0)
    said = against(session, query.leaves)
    session.answer(None, said)
    renewed = session.renew(query)
    np.testing.assert_array_equal(renewed.leaves, query.leaves)
    place = {leaf: i for i, leaf in enumerate(query.leaves.tolist())}
    assert renewed.tree.satisfies([[place[leaf] for leaf in said]])[0]
    assert not query.tree.satisfies([[place[leaf] for leaf in said]])[0]


def test_a_question_that_the_answers_settle_by_now_is_not_renewed(session):
    query = session.ask_about([3, 7, 11])
    assert session.renew(query) is not None
    session.answer(None, (3, 7, 11))
    assert session.renew(query) is None


def test_a_tree_that_stands_in_satisfies_what_was_said_meanwhile(session):
    before = central_tree(session.snapshots, session.triplets)
    said = against(session, session.prepare(0).leaves)
    session.answer(None, said)
    tree = session.stand_in(before)
    assert tree.satisfies([said]).all()
    assert session.tree is tree
    assert session.stand_in(tree) is tree
    session.advance(1_000)
    assert session.tree is not tree


def test_a_tree_that_needs_no_repair_stands_in_as_it_is(session):
    tree = session.tree
    assert session.stand_in(tree) is tree


def test_sampling_may_take_no_snapshot(session):
    before, num_moves = session.snapshots, session.chains[0].info
    session.advance(300, num_snapshots=0)
    assert session.snapshots is before
    assert session.chains[0].info != num_moves
    session.advance(300, num_snapshots=1)
    assert session.snapshots is not before


# --- what windows show


@pytest.mark.parametrize("strategy", ["random", CHOSEN])
def test_a_window_goes_on_when_its_question_was_accepted_elsewhere_unless_somebody_chose_it(tmp_path, strategy):
    with new_project(tmp_path / "zoo.treetalk", subset_size=6) as project:
        windows = Windows(project, 6)
        query = query_about(project.session.tree, np.arange(4, dtype=np.int32), "subtree", strategy)
        windows.show("one", query)
        assert windows.present("one").strategy == strategy
        project.accept(query)
        presented = windows.present("one")
        assert (presented.leaves.tolist() == [0, 1, 2, 3]) == (strategy == CHOSEN)
