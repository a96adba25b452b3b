"""Chains that answers have led astray, and scouts that set out afresh."""

import numpy as np
import pytest

from treetalk import Chain, DirichletDiffusion, Session, TreeUser, datasets
from treetalk.scouting import MOST_ITEMS, MOST_RETAKEN, MOST_WORK, Scouts

ANSWERS = [(0, 1, 20), (20, 21, 0), (5, 30, 12)]


@pytest.fixture
def data():
    """Two clusters far apart."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(size=(20, 3)), rng.normal(20.0, size=(20, 3))])


def astray(chain: Chain, X: np.ndarray) -> None:
    """Send a chain to a tree that has its triplets and nothing to do with the data."""
    elsewhere = Chain(X, chain.triplets, chain.model, start="random", seed=1)
    chain.go_to(elsewhere.tree)


@pytest.mark.parametrize("turn", [0, 1])
def test_a_chain_that_was_led_astray_goes_on_from_where_the_scout_is(turn, data):
    chain = Chain(data, ANSWERS, closeness=0.5).run(5_000)
    before = chain.log_posterior
    astray(chain, data)
    assert chain.log_posterior < before - 100
    assert Scouts().lead([chain], turn, 1_000) == [0]
    assert chain.log_posterior > before - 100
    assert chain.tree.satisfies(ANSWERS).all()


def test_of_two_chains_the_one_left_behind_goes_to_the_other(data):
    chains = [Chain(data, model=DirichletDiffusion(), seed=seed).run(5_000) for seed in (0, 1)]
    astray(chains[1], data)
    # Without answers there is nothing to set out with.
    scouts = Scouts()
    assert scouts.send(chains[0], 0, 1_000) is None
    assert scouts.lead(chains, 0, 0) == []  # nor where nobody makes moves
    before = chains[0].put_away()
    assert scouts.lead(chains, 0, 1_000) == [1]
    # The better one is left alone, to the last bit.
    assert all(np.array_equal(*pair) for pair in zip(before, chains[0].put_away(), strict=True))
    assert chains[1].tree.same_topology(chains[0].tree)


@pytest.mark.parametrize("turn", [0, 1])
def test_a_scout_has_every_answer_and_leaves_the_chain_alone(turn, data):
    chain = Chain(data, ANSWERS).run(1_000)
    before = chain.put_away()
    scout = Scouts().send(chain, turn, 100)
    assert scout.tree.satisfies(ANSWERS).all()
    assert scout.info["walk"].tried > chain.info["walk"].tried
    assert all(np.array_equal(*pair) for pair in zip(before, chain.put_away(), strict=True))


def test_scouts_go_other_ways_from_turn_to_turn_and_the_same_way_in_the_same_turn(data):
    # In one cluster there is no way that all would go.
    X = data[:20]
    answers = [(i, 19 - i, (i + 5) % 20) for i in range(4)]
    chain = Chain(X, answers)
    scouts = Scouts()
    ways = [scouts.send(chain, turn, 300).tree for turn in (0, 1, 3, 1)]
    assert not any(ways[0].same_topology(way) for way in ways[1:])
    assert not ways[1].same_topology(ways[2])
    assert ways[1].same_topology(ways[3])


def test_of_many_answers_a_scout_takes_in_some_at_once(data):
    answers = [(i, j, k) for i in range(6) for j in range(i) for k in range(20, 28)]
    assert len(answers) > MOST_RETAKEN
    chain = Chain(data, answers)
    for turn in (0, 1):
        assert Scouts().send(chain, turn, 200).tree.satisfies(answers).all()


@pytest.mark.parametrize(("num_items", "num_answers"), [(MOST_ITEMS + 1, 1), (300, MOST_WORK // 300**2 + 1)])
def test_no_scout_is_sent_where_setting_out_takes_too_long(num_items, num_answers):
    X = np.random.default_rng(0).normal(size=(num_items, 2))
    answers = [(i, i + 1, num_items - 1) for i in range(num_answers)]
    chain = Chain(X, answers)
    assert Scouts().send(chain, 0, 10) is None
    if num_answers > 1:
        chain.remove_triplet(answers[-1])
        assert Scouts().send(chain, 0, 10) is not None


def test_a_session_that_was_put_away_sends_the_same_scouts():
    animals = datasets.load_animals()
    session = Session(animals.X, animals.items, seed=3)
    user = TreeUser(animals.target)
    for _ in range(3):
        query = session.ask()
        session.respond(query, user.respond(query))
        session.advance(500)
    kept = session.put_away()
    again = Session(animals.X, animals.items, seed=3, starts=[chain.tree() for chain in kept.chains])
    again.take_up(kept, session.answers)
    for each in (session, again):
        each.answer(None, session.tree.items[:3])
        each.advance(500)
    for one, other in zip(session.chains, again.chains, strict=True):
        assert np.array_equal(one.tree.parent, other.tree.parent)
