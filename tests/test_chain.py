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

from reference import caterpillar, random_tree, random_triplets, without_repetitions
from strategies import seeds
from treetalk import Chain, DirichletDiffusion, InconsistentTriplets, Tree, TripletSet, run_chains
from treetalk.chain import MOVES
from treetalk.datasets import load_animals

X = DirichletDiffusion().simulate(12, 2, seed=4)[1]
NUM_MOVES = 200


def arrays(chain: Chain) -> tuple[bytes, ...]:
    """What a chain's tree consists of, messages included, bit for bit."""
    state = chain._engine._state
    num_rows = len(state.links)
    parts = (state.links, state.rows[:num_rows], state.triplets, state.entries, state.entry_start)
    return tuple(part.tobytes() for part in parts)


def recomputed(chain: Chain) -> Chain:
    """The same tree and triplets, with everything else computed from scratch."""
    fresh = chain.copy()
    fresh._engine.set_tree(*chain._engine.parents_and_ages())
    return fresh


def messages(chain: Chain) -> np.ndarray:
    return chain._engine._state.rows[: 2 * chain.tree.num_leaves]


def check(chain: Chain) -> None:
    """All triplets hold, ages grow strictly, and every array is what the tree makes it."""
    tree = chain.tree
    assert tree.satisfies(chain.triplets).all()
    child = np.flatnonzero(tree.parent != -1)
    assert (tree.age[child] < tree.age[tree.parent[child]]).all()
    assert (tree.age[: tree.num_leaves] == 0).all()
    assert tree.age[tree.root] < 1
    fresh = recomputed(chain)
    np.testing.assert_array_equal(messages(chain), messages(fresh))
    np.testing.assert_array_equal(chain._engine._state.triplets, fresh._engine._state.triplets)
    np.testing.assert_array_equal(chain._engine._state.links[:, 3], fresh._engine._state.links[:, 3])


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


# --- where it starts


@pytest.mark.parametrize("start", ["auto", "random"])
@pytest.mark.parametrize("num_items", [2, 3, 50])
def test_a_start_is_a_valid_state(start, num_items):
    data = DirichletDiffusion().simulate(num_items, 3, seed=1)[1]
    check(Chain(data, start=start, seed=1))
    check(Chain(data, start=start, seed=1).run(50))


@pytest.mark.large
def test_many_items_are_inserted_one_by_one():
    data = DirichletDiffusion().simulate(4_000, 5, seed=1)[1]
    chain = Chain(data)
    check(chain)
    assert chain.log_posterior > Chain(data, start="random").log_posterior
    assert chain.tree.depths.max() < 200


@pytest.mark.large
def test_items_that_are_all_equal_are_inserted_too():
    check(Chain(np.zeros((3_500, 2))).run(1_000))
    check(Chain(np.repeat([[0.0], [1.0]], 2_000, axis=0)).run(1_000))


def test_a_given_tree_is_the_start_with_its_times():
    tree, data = DirichletDiffusion().simulate(20, 2, seed=6)
    assert Chain(data, start=tree).tree == tree


def test_a_given_tree_without_times_gets_some():
    tree = random_tree(12, np.random.default_rng(0))
    chain = Chain(X, start=tree)
    assert chain.tree.same_topology(tree)
    check(chain)


def test_multifurcations_of_a_given_tree_are_resolved():
    tree = random_tree(12, np.random.default_rng(0), multifurcation=0.7)
    assert not tree.is_binary
    for chain in (Chain(X, start=tree), Chain.of_prior(12, start=tree)):
        assert chain.tree.is_refinement_of(tree)
        check(chain)


def test_a_start_is_matched_with_the_items_by_name_and_repaired_where_it_violates_a_triplet():
    animals = load_animals()
    turned = animals.target.restrict(animals.items[::-1])
    chain = Chain(animals.X, start=turned, items=animals.items)
    assert chain.tree.is_refinement_of(animals.target)
    wrong = ("bear", "tuna", "calf")
    chain = Chain(animals.X, [wrong], start=turned)
    assert chain.items == turned.items
    assert chain.tree.satisfies([wrong]).all()


def test_equal_rows_and_little_noise_keep_ages_apart():
    data = np.repeat([[0.0, 0.0], [1.0, 1.0]], 4, axis=0)
    chain = Chain(data, model=DirichletDiffusion(0.1, noise=1e-9), seed=0)
    for _ in range(10):
        check(chain.run(100))
    assert chain.tree.age[8:].min() < 1e-6


def test_two_items_are_enough():
    chain = Chain([[0.0], [1.0]], seed=0).run(NUM_MOVES)
    check(chain)
    assert chain.info["walk"].accepted > 0


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


# --- what is refused

TREE = random_tree(12, np.random.default_rng(0))
CHAIN = Chain(X)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Chain([]), "X is empty: its shape is (0,); at least 2 items are needed"),
        (lambda: Chain(np.empty((0, 3))), "X is empty: its shape is (0, 3); at least 2 items are needed"),
        (
            lambda: Chain(np.empty((5, 0))),
            "X has 5 rows but no columns; Chain.of_prior samples hierarchies without data",
        ),
        (lambda: Chain([[1.0, 2.0]]), "X has one row; a hierarchy needs at least 2 items"),
        (lambda: Chain([1.0, 2.0]), "X must have the shape (items, features); its shape is (2,)"),
        (
            lambda: Chain([[1.0, 2.0], [np.nan, 1.0]]),
            "X has missing values (NaN), the first in row 1, column 0; "
            "fill them in or leave out these rows or columns first",
        ),
        (
            lambda: Chain([[1.0, None], [3.0, 1.0]]),
            "X has missing values (NaN), the first in row 0, column 1; "
            "fill them in or leave out these rows or columns first",
        ),
        (
            lambda: Chain([[1.0, 2.0], [3.0, -np.inf]]),
            "X has infinite values, the first in row 1, column 1; "
            "fill them in or leave out these rows or columns first",
        ),
        (lambda: Chain([["a", "b"], ["c", "d"]]), "X must hold numbers; row 0, column 0 holds 'a'"),
        (lambda: Chain([[1.0, 2.0], [3.0, "4"]]), "X must hold numbers; row 1, column 1 holds '4'"),
        (lambda: Chain("data.csv"), "X must be an array with a row for each item, not 'data.csv'"),
        (lambda: Chain([[1j], [2j]]), "X must hold numbers; its dtype is complex128"),
        (lambda: Chain([[1.0], [2.0, 3.0]]), "X must be an array, and an array cannot have rows of different lengths"),
        (
            lambda: Chain(X, start=random_tree(11, np.random.default_rng(0))),
            "the start has 11 leaves, and there are 12 items",
        ),
        (
            lambda: Chain(X, start=TREE.with_items(list("abcdefghijkl")), items=list("abcdefghijkm")),
            "the start has other leaves than the items: 'm' is not among them",
        ),
        (lambda: Chain(X, start="linkage"), 'start must be "auto", "random" or a Tree, not \'linkage\''),
        (
            lambda: Chain(X, [(0, 1, 12)]),
            "triplet 0 (0, 1, 12): there is no item 12; items are numbered from 0 to 11",
        ),
        (lambda: Chain(X).add_triplet((0, 1, 1)), "triplet 0 (0, 1 | 1): b and c are the same item, 1"),
        (lambda: Chain(X).add_triplet((0, 1)), "a triplet has three items, the odd one last, not (0, 1)"),
        (
            lambda: Chain(X, items=[f"item{i}" for i in range(12)]).add_triplet(("item1", "item2", "itme3")),
            "triplet 0 (item1, item2, itme3): there is no item 'itme3'; did you mean 'item3' or 'item9' or 'item8'?",
        ),
        (lambda: Chain(X).remove_triplet((0, 1, 2)), "there is no triplet 0, 1 | 2 to take back"),
        (lambda: Chain(X).run(-1), "the number of moves must be 0 or more, not -1"),
        (lambda: Chain(X).run(1.5), "the number of moves must be an integer, not 1.5"),
        (lambda: Chain(X, seed=-1), "seed must be 0 or more, not -1"),
        (lambda: Chain(X, seed=None), "seed must be an integer, not None"),
        (lambda: Chain(X, model="dirichlet"), "model must be a DirichletDiffusion, not str"),
        (lambda: Chain(X, moves={"jump": 1}), "there is no move 'jump'; there are walk, guided, local, times"),
        (lambda: Chain(X, moves={}), "moves must give at least one kind of move a positive weight"),
        (lambda: Chain(X, items=["a", "b"]), "2 item names were given for a tree with 12 leaves"),
        (lambda: Chain.of_prior(1), "a hierarchy needs at least 2 items, not 1"),
        (
            lambda: run_chains([chain := Chain(X), chain], 5),
            "the same chain was given twice; chain.copy() makes another one",
        ),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, sentence):
    with pytest.raises((TypeError, ValueError)) as error:
        make()
    assert str(error.value) == sentence


def test_a_data_frame_is_read_with_its_missing_values():
    frame = pandas.DataFrame({"legs": [4, 2, 0], "hair": [True, False, False]})
    check(Chain(frame).run(20))
    frame["tail"] = pandas.array([1, None, 0], dtype="Int64")
    with pytest.raises(ValueError, match="row 1, column 2"):
        Chain(frame)


def test_a_chain_says_what_it_is():
    assert repr(Chain(X, [(0, 1, 2)]).run(20)) == "<treetalk.Chain: 12 items, 1 triplets, 20 moves made>"
    assert isinstance(Chain(X).tree, Tree)


@pytest.mark.parametrize("size", [1e-150, 1e-9, 1e9, 1e100])
def test_data_of_any_size_keep_the_chain_going(size):
    check(Chain(X * size, seed=0).run(NUM_MOVES))


@pytest.mark.parametrize("far", [1e3, 1e9, 1e150])
def test_an_outlier_however_far_keeps_the_chain_going(far):
    data = X.copy()
    data[3] = far
    chain = Chain(data, [(0, 3, 1)], seed=0).run(NUM_MOVES)
    check(chain)
    assert np.isfinite(chain.log_posterior)
