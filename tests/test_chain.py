"""A chain as users hold it: what it keeps, what it takes, what it refuses."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chains import NUM_MOVES, X, arrays, check
from reference import caterpillar, random_tree, random_triplets, without_repetitions
from strategies import seeds
from treetalk import Chain, DirichletDiffusion, InconsistentTriplets, Tree, TripletSet, run_chains
from treetalk.moves import MOVES

# --- the same chain


def test_the_same_seed_gives_the_same_chain_bit_for_bit():
    first, second = (Chain(X, [(0, 1, 2)], seed=3).run(NUM_MOVES) for _ in range(2))
    assert arrays(first) == arrays(second)
    assert first.log_posterior == second.log_posterior
    assert first.tree == second.tree
    assert arrays(Chain(X, [(0, 1, 2)], seed=4).run(NUM_MOVES)) != arrays(first)


def test_it_does_not_matter_how_moves_are_divided_into_runs():
    together = Chain(X, seed=1).run(NUM_MOVES)
    apart = Chain(X, seed=1)
    for count in (0, 1, 50, NUM_MOVES - 51):
        apart.run(count)
    assert arrays(apart) == arrays(together)


def test_triplets_that_others_imply_do_not_change_the_chain():
    target = random_tree(12, np.random.default_rng(0))
    triplets = without_repetitions(random_triplets(target, 200, np.random.default_rng(1)))
    needed = TripletSet(triplets, 12).reduce().triplets
    assert len(needed) < len(triplets) / 4
    all_of_them = Chain(X, triplets, start=target, seed=2).run(NUM_MOVES)
    fewer = Chain(X, needed, start=target, seed=2).run(NUM_MOVES)
    assert all_of_them.tree == fewer.tree
    assert len(all_of_them.triplets) == len(triplets)


def test_chains_on_threads_do_what_they_do_alone():
    alone = [Chain(X, seed=seed).run(NUM_MOVES) for seed in range(4)]
    together = [Chain(X, seed=seed) for seed in range(4)]
    run_chains(together, NUM_MOVES)
    assert [arrays(chain) for chain in together] == [arrays(chain) for chain in alone]
    assert len({arrays(chain) for chain in alone}) == 4


SCRIPT = """
import hashlib, numpy as np
from treetalk import Chain, DirichletDiffusion
from treetalk.divergence import ReciprocalSquare
X = DirichletDiffusion().simulate(9, 3, seed=0)[1]
for divergence in (None, ReciprocalSquare(0.1, 0.2)):
    chain = Chain(X, [(0, 1, 2), (3, 4, 0)], DirichletDiffusion(divergence=divergence), seed=1).run(400)
    chain.add_triplet((5, 6, 1))
    chain.run(400)
    state = chain._engine._state
    print(hashlib.sha256(state.links.tobytes() + state.rows[:18].tobytes() + state.rng.tobytes()).hexdigest())
    print(chain.info)
"""


def test_compiled_and_plain_python_give_the_same_chain():
    printed = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=os.environ | {"NUMBA_DISABLE_JIT": setting},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for setting in ("0", "1")
    ]
    assert printed[0] == printed[1]
    assert len(printed[0].splitlines()) == 4


def test_a_copy_and_a_pickle_go_on_as_the_chain_does():
    chain = Chain(X, [(0, 1, 2)], seed=3).run(50)
    others = [chain.copy(), pickle.loads(pickle.dumps(chain))]
    chain.run(NUM_MOVES)
    for other in others:
        assert arrays(other) != arrays(chain)
        assert arrays(other.run(NUM_MOVES)) == arrays(chain)


# --- the tree and its triplets


@pytest.mark.parametrize("move", MOVES)
def test_a_rejected_move_leaves_every_array_as_it_was(move):
    chain = Chain(X, [(0, 1, 2), (3, 4, 5)], moves={move: 1}, seed=0)
    num_rejected = 0
    for _ in range(NUM_MOVES):
        before, accepted = arrays(chain), chain.info[move].accepted
        chain.run(1)
        if chain.info[move].accepted == accepted:
            assert arrays(chain) == before
            num_rejected += 1
    assert num_rejected > 20 or move == "times"  # times are drawn, not proposed


@pytest.mark.parametrize("move", MOVES)
def test_what_moves_update_is_what_a_full_computation_finds(move):
    target = random_tree(12, np.random.default_rng(3))
    triplets = random_triplets(target, 8, np.random.default_rng(4))
    for given_triplets in ((), triplets):
        chain = Chain(X, given_triplets, moves={move: 1}, seed=1)
        for _ in range(20):
            check(chain.run(20))


@settings(max_examples=25)
@given(seeds, st.integers(3, 12))
def test_after_every_addition_removal_and_run_all_triplets_hold(seed, num_leaves):
    rng = np.random.default_rng(seed)
    target = random_tree(num_leaves, rng)
    data = rng.normal(size=(num_leaves, 2))
    chain = Chain(data, seed=seed % 1000)
    for _ in range(6):
        chain.add_triplets(random_triplets(target, int(rng.integers(1, 5)), rng))
        check(chain)
        check(chain.run(15))
        if len(chain.triplets) > 3:
            chain.remove_triplet(chain.triplets[rng.integers(len(chain.triplets))])
            check(chain.run(5))


def test_a_triplet_that_holds_already_changes_nothing_but_the_triplets():
    chain = Chain(X, seed=0)
    tree = chain.tree
    triplet = next(t for t in ((0, 1, 2), (0, 2, 1), (1, 2, 0)) if tree.satisfies([t])[0])
    chain.add_triplet(triplet)
    assert chain.tree == tree
    assert chain.triplets.tolist() == [list(triplet)]


def test_the_same_triplet_twice_is_one_triplet():
    chain = Chain(X, [(0, 1, 2), (1, 0, 2)])
    chain.add_triplet((1, 0, 2))
    assert len(chain.triplets) == 1
    chain.remove_triplet((1, 0, 2))
    assert len(chain.triplets) == 0


def test_a_triplet_taken_back_may_be_contradicted():
    chain = Chain(X, [(0, 1, 2)], seed=0)
    chain.remove_triplet((0, 1, 2))
    chain.add_triplet((0, 2, 1))
    assert chain.tree.satisfies([(0, 2, 1)]).all()


def test_what_the_removed_triplet_implied_together_with_others_stays_in_force():
    target = caterpillar(12)
    triplets = without_repetitions(random_triplets(target, 300, np.random.default_rng(1)))
    chain = Chain(X, triplets, seed=0)
    for triplet in triplets[:20]:
        chain.remove_triplet(triplet)
    chain.run(NUM_MOVES)
    assert chain.tree.satisfies(triplets[20:]).all()


def test_contradictions_are_explained_and_change_nothing():
    items = [f"item{i}" for i in range(12)]
    chain = Chain(X, [("item0", "item1", "item2"), ("item1", "item2", "item3")], items=items, seed=1).run(50)
    before = arrays(chain)
    with pytest.raises(InconsistentTriplets) as error:
        chain.add_triplets([("item4", "item5", "item6"), ("item0", "item3", "item1")])
    assert {tuple(t) for t in error.value.conflict.tolist()} == {(0, 1, 2), (1, 2, 3), (0, 3, 1)}
    assert "item0, item3 | item1" in str(error.value)
    assert arrays(chain) == before
    assert len(chain.triplets) == 2
    with pytest.raises(InconsistentTriplets):
        Chain(X, [(0, 1, 2), (1, 2, 0)])


def test_the_tree_that_a_chain_hands_out_is_frozen():
    chain = Chain(X, items=[f"item{i}" for i in range(12)])
    tree = chain.tree
    kept = tree.to_newick()
    chain.run(NUM_MOVES)
    assert tree.to_newick() == kept
    assert chain.tree != tree
    assert tree.items[3] == "item3"
    assert (tree.time[:12] == 1).all()


def test_log_densities_are_those_of_the_model():
    chain = Chain(X, model=DirichletDiffusion(0.7), seed=2).run(NUM_MOVES)
    assert chain.log_prior == pytest.approx(chain.model.log_prior(chain.tree))
    assert chain.log_likelihood == pytest.approx(chain.model.log_likelihood(chain.tree, X))
    assert chain.log_posterior == pytest.approx(chain.log_prior + chain.log_likelihood)


def test_units_do_not_change_the_chain():
    changed = Chain(X * 2.0**20 + 0.0, seed=1).run(NUM_MOVES)
    assert changed.tree == Chain(X, seed=1).run(NUM_MOVES).tree


def test_info_counts_every_move():
    chain = Chain(X, seed=0, moves={"walk": 1, "times": 3}).run(NUM_MOVES)
    assert sum(counts.tried for counts in chain.info.values()) == NUM_MOVES
    assert chain.info["times"].tried > chain.info["walk"].tried > 0 == chain.info["local"].tried
    assert all(0 <= counts.accepted <= counts.tried for counts in chain.info.values())


def test_samples_are_trees_along_the_way():
    chain, other = Chain(X, seed=0), Chain(X, seed=0)
    trees = list(chain.samples(5, num_moves=30))
    assert trees == [other.run(30).tree for _ in range(5)]


# --- stopping


@pytest.mark.large
def test_ctrl_c_stops_a_run_with_the_state_intact():
    chain = Chain(X, [(0, 1, 2)], seed=0).run(10)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        chain.run(10**12)
    timer.join()
    made = sum(counts.tried for counts in chain.info.values())
    check(chain)
    assert arrays(chain) == arrays(Chain(X, [(0, 1, 2)], seed=0).run(made))


@pytest.mark.large
def test_ctrl_c_stops_all_chains():
    chains = [Chain(X, seed=seed).run(10) for seed in range(2)]
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run_chains(chains, 10**12)
    timer.join()
    for chain in chains:
        check(chain)


@pytest.mark.large
def test_other_threads_go_on_while_a_chain_runs():
    chain = Chain(X, seed=0).run(10)
    thread = threading.Thread(target=chain._engine.run, args=(chain._cumulative, 400_000))
    steps = 0
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        steps += 1
    assert steps > 20


def test_a_data_frame_is_read_with_its_missing_values():
    frame = pandas.DataFrame({"legs": [4, 2, 0], "hair": [True, False, False]})
    check(Chain(frame).run(20))
    frame["tail"] = pandas.array([1, None, 0], dtype="Int64")
    with pytest.raises(ValueError, match="row 1, column 2"):
        Chain(frame)


def test_the_labels_of_a_data_frame_name_the_items():
    frame = pandas.DataFrame({"legs": [4, 2, 0], "hair": [1, 0, 0]}, index=["cat", "wren", "carp"])
    chain = Chain(frame, [("cat", "wren", "carp")])
    assert chain.items == ("cat", "wren", "carp")
    assert Chain(frame.reset_index(drop=True)).items is None


@pytest.mark.large
def test_a_chain_may_be_run_and_looked_at_from_several_threads():
    chain = Chain(X, [(0, 1, 2)], seed=0)
    threads = [threading.Thread(target=chain.run, args=(100_000,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert chain.tree.satisfies(chain.triplets).all()
        assert np.isfinite(chain.log_posterior)
    assert sum(counts.tried for counts in chain.info.values()) == 200_000
    check(chain)


def test_several_triplets_are_taken_back_or_none():
    chain = Chain(X, [(0, 1, 2), (3, 4, 5), (6, 7, 8)])
    with pytest.raises(ValueError, match=r"there is no triplet 9, 10 \| 11 to take back"):
        chain.remove_triplets([(0, 1, 2), (9, 10, 11)])
    assert len(chain.triplets) == 3
    chain.remove_triplets([(4, 3, 5), (0, 1, 2)])
    assert chain.triplets.tolist() == [[6, 7, 8]]
    for other in (chain, chain.copy(), pickle.loads(pickle.dumps(chain))):
        with pytest.raises(ValueError):
            other.triplets[0] = 0


def test_a_chain_says_what_it_is():
    assert repr(Chain(X, [(0, 1, 2)]).run(20)) == "<treetalk.Chain: 12 items, 1 triplet, 20 moves made>"
    assert isinstance(Chain(X).tree, Tree)
