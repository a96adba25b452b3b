"""Loose draws: trees that believe the features less, with which a session chooses what to ask."""

import numpy as np
import pytest

from chains import arrays, check
from treetalk import Chain, DirichletDiffusion, Session, TreeUser, _kernels
from treetalk.loosening import NUM_DRAWS, LooseChain

TARGET, X = DirichletDiffusion(noise=0.01).simulate(16, 3, seed=4)
TRIPLETS = [(0, 1, 2), (3, 4, 0), (5, 6, 1)]


def test_a_chain_with_another_model_makes_the_moves_of_one_that_was_made_with_it():
    model = DirichletDiffusion(scale=1.0, noise=0.01, origin=0.0)
    other_model = DirichletDiffusion(scale=[1.0, 4.0, 0.5], noise=0.7, origin=0.1)
    chain = Chain(X, TRIPLETS, model=model, seed=3).run(50)
    other = Chain(X, TRIPLETS, model=other_model, start=chain.tree, seed=5)
    *_, random_state, counts = chain.put_away()
    other.take_up(random_state, counts)
    chain.set_model(other_model, X)
    check(chain)
    assert chain.model == other.model
    assert chain.log_posterior == pytest.approx(other.log_posterior)
    assert chain.log_likelihood == pytest.approx(other_model.log_likelihood(chain.tree, X))
    for _ in range(5):
        assert arrays(chain.run(40)) == arrays(other.run(40))


def test_another_model_of_a_chain_has_the_same_columns_and_divergence_function():
    chain = Chain(X, seed=3)
    constant = np.where([True, False, True], X, X[0])
    for model, data in ((DirichletDiffusion(), constant), (DirichletDiffusion(concentration=2.0), X)):
        with pytest.raises(ValueError, match="another model of a chain has the same divergence function"):
            chain.set_model(model, data)
    assert chain.model == Chain(X).model


def test_a_chain_apart_goes_its_own_way_and_always_the_same():
    chain = Chain(X, TRIPLETS, seed=3).run(50)
    before = arrays(chain)
    one, again, other = chain.apart(1).run(100), chain.apart(1).run(100), chain.apart(2).run(100)
    assert arrays(one) == arrays(again)
    assert arrays(one) != arrays(other)
    assert arrays(chain) == before
    assert arrays(chain.run(100)) not in {arrays(one), arrays(other)}


def test_loose_draws_have_all_that_was_said_also_what_came_later_or_was_taken_back():
    chain = Chain(X, TRIPLETS[:1], seed=0, repair="regraft").run(100)
    loose = LooseChain(chain, X)
    for triplets in (TRIPLETS[:1], TRIPLETS, TRIPLETS[1:], []):
        chain.replace_triplets(triplets)
        draws = loose.draws(chain, 600, 100)
        assert len(draws) == NUM_DRAWS
        assert draws.are_sound
        assert not triplets or draws.satisfied(np.array(triplets, np.int32)).all()


def test_loose_draws_are_no_more_than_there_is_room_for():
    chain = Chain(X, seed=0).run(100)
    assert len(LooseChain(chain, X).draws(chain, 600, 7)) == 7


def test_loose_draws_differ_more_than_those_that_believe_the_features():
    chain = Chain(X, seed=0).run(2_000)
    own = chain.record([100] * 40).parents
    loose = LooseChain(chain, X).draws(chain, 4_000, 100).parents
    everyone = np.arange(16, dtype=np.int32)[None]
    differ = [float(_kernels.snapshots.disagreements(trees, everyone)[0]) for trees in (own, loose)]
    assert differ[1] > 1.2 * differ[0]


def test_asking_moves_no_chain_and_asks_the_same_until_something_happens():
    session = Session(X, strategy="loose", seed=0).advance(400)
    before = [arrays(chain) for chain in session.chains]
    first = session._loose_draws()
    assert session.prepare(0) is not None
    assert session._loose_draws() is first
    assert [arrays(chain) for chain in session.chains] == before
    query = session.ask()
    session.respond(query, TreeUser(TARGET).respond(query))
    second = session._loose_draws()
    assert second is not first
    assert session._loose_draws() is second
    assert session.advance(100)._loose_draws() is not second


def test_a_session_that_has_not_sampled_can_ask_all_the_same():
    session = Session(X, strategy="loose", seed=0)
    assert len(session.ask().leaves) == 10
    session.answer(None, [0, 1, 2])
    assert len(session.ask().leaves) == 10
