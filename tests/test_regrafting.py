"""A triplet taken in by one regraft: it holds afterwards, nothing else is broken, and one is found if there is one."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from chains import check, triplets_of
from exact import topology_of
from strategies import seeds
from treetalk import Chain, DirichletDiffusion, _kernels
from treetalk.gestures import rearranged
from treetalk.groups import pair_weights
from treetalk.unsaid import Piece, clade_sizes

Topology = frozenset[frozenset[int]]


def make(seed: int, closeness: float):
    """A chain that satisfies some triplets of a tree that has nothing to do with its data, and the triplets."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 9))
    X = DirichletDiffusion().simulate(n, 2, seed=seed)[1]
    target = DirichletDiffusion().simulate(n, 0, seed=seed + 1)[0]
    triplets = triplets_of(target, rng, 5)
    return Chain(X, triplets[:4], seed=seed, repair="regraft", closeness=closeness).run(5), triplets


def one_regraft_away(chain: Chain, triplets) -> set[Topology]:
    """The topologies with all triplets that one regraft leads to, by trying all."""
    tree = chain.tree
    found = set()
    for v in range(tree.num_nodes):
        inside = set(tree.leaves(v).tolist())
        for onto in range(tree.num_nodes):
            if v != tree.root and v != onto and not set(tree.leaves(onto).tolist()) <= inside:
                other = rearranged(tree, v, onto)
                if other.satisfies(triplets).all():
                    found.add(topology_of(other))
    return found


@given(seeds, st.sampled_from([0.0, 1.0]))
def test_one_regraft_takes_a_triplet_in_if_any_can(seed, closeness):
    chain, triplets = make(seed, closeness)
    if chain.tree.satisfies(triplets[4:])[0]:
        return
    reachable = one_regraft_away(chain, triplets)
    assert chain._engine.take_in(np.array(triplets[4], np.int32)) == bool(reachable)
    if reachable:
        assert topology_of(chain.tree) in reachable
        chain._engine.set_triplets(np.array(triplets, np.int32))
        check_tree(chain)


def test_of_the_ways_to_take_a_triplet_in_what_was_left_unsaid_decides_where_it_weighs_most():
    num_better = 0
    for seed in range(60):
        chain, triplets = make(seed, 0.0)
        if chain.tree.satisfies(triplets[4:])[0]:
            continue
        shown = DirichletDiffusion().simulate(chain.num_items, 0, seed=seed + 2)[0]
        piece = Piece(tuple(range(chain.num_items)), clade_sizes(shown))
        left = []
        for weight in (1e-9, 1e6):
            other = chain.copy()
            other.set_shown([piece], weight)
            if other._engine.take_in(np.array(triplets[4], np.int32)):
                other._engine.set_triplets(np.array(triplets, np.int32))
                check_tree(other)
                left.append(other.log_unsaid / weight)
        # Both choose among the same places.
        assert len(left) in {0, 2}
        assert not left or left[1] >= left[0] - 1e-6
        num_better += bool(left) and left[1] > left[0] + 1e-6
    assert num_better > 5


def test_of_the_ways_to_take_a_triplet_in_those_count_for_more_by_which_others_hold_too():
    num_better = 0
    for seed in range(60):
        chain, triplets = make(seed, 0.0)
        target = DirichletDiffusion().simulate(chain.num_items, 0, seed=seed + 1)[0]
        every = np.array(sorted(reference.triplets_of(target)), np.int32)
        tree = chain.tree
        if tree.satisfies(triplets[4:])[0]:
            continue
        others = every[~tree.satisfies(every)]
        held = []
        for besides in (others[:0], others):
            other = chain.copy()
            if other._engine.take_in(np.array(triplets[4], np.int32), besides):
                held.append(int(other.tree.satisfies(others).sum()))
        assert len(held) in {0, 2}
        num_better += len(held) == 2 and held[1] - held[0]
    assert num_better > 20


@given(seeds, st.integers(20, 40))
def test_a_whole_sorted_piece_is_taken_in(seed, num_items):
    target = DirichletDiffusion().simulate(num_items, 0, seed=seed + 1)[0]
    X = DirichletDiffusion().simulate(num_items, 2, seed=seed)[1]
    chain = Chain(X, seed=seed, repair="regraft").run(5)
    piece = np.random.default_rng(seed).choice(num_items, 10, replace=False)
    chain.add_triplets([tuple(piece[list(triplet)]) for triplet in reference.triplets_of(target.restrict(piece))])
    check(chain)
    assert topology_of(chain.tree.restrict(piece)) == topology_of(target.restrict(piece))


def check_tree(chain: Chain) -> None:
    tree = chain.tree
    child = np.flatnonzero(tree.parent != -1)
    assert (tree.age[child] < tree.age[tree.parent[child]]).all()
    assert tree.age[tree.root] < 1


@given(seeds, st.sampled_from([0.0, 1.0]))
def test_whatever_is_taken_in_everything_holds_and_the_chain_goes_on(seed, closeness):
    chain, triplets = make(seed, closeness)
    chain.add_triplet(triplets[4])
    check(chain)
    check(chain.run(20))


@given(seeds)
def test_the_factor_of_close_pairs_is_what_counting_gives(seed):
    chain, triplets = make(seed, 1.5)
    tree = chain.add_triplets(triplets) or chain.run(30).tree
    sizes = [len(tree.leaves(tree.mrca(a, b))) for a, b, _ in chain.triplets.tolist()]
    weights = np.rint(64 * pair_weights(chain.triplets, chain.num_items, 0.0)) / 64  # 0 where a pair is there already
    assert chain.log_closeness == pytest.approx(-1.5 * weights @ np.log(sizes))


def test_of_the_ways_to_take_a_triplet_in_a_good_one_is_taken():
    """Two tight groups, and an item of each that belong together: one of them goes to the other, and it goes alone."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(6, 2)), rng.normal(size=(6, 2)) + 30]) / 10
    chain = Chain(X, seed=1, repair="regraft", closeness=1.0)
    chain.add_triplet((0, 6, 7))
    moved_first = {frozenset(range(1, 6)), frozenset([0, *range(6, 12)])}
    moved_second = {frozenset(range(7)), frozenset(range(7, 12))}
    found = topology_of(chain.tree)
    assert moved_first <= found or moved_second <= found


def test_what_old_triplets_banned_is_free_once_they_are_gone():
    chain, triplets = make(7, 0.0)
    chain.run(50)
    chain.remove_triplets(triplets[:4])
    state = chain._engine._state
    assert (state.marks != state.clock[0]).all()


def test_a_weight_that_is_none_is_refused():
    with pytest.raises(ValueError, match="closeness must be a number from 0 to 1e\\+100, not -1"):
        Chain([[0.0], [1.0]], closeness=-1)


PARTS_ALONE = pytest.mark.skipif(
    not numba.config.DISABLE_JIT, reason="without the compiler, the parts of a move can be called alone"
)


@PARTS_ALONE
@given(seeds)
def test_the_triplets_that_a_regraft_spares_are_those_that_hold_after_it(seed):
    chain, triplets = make(seed, 0.0)
    others = np.array(triplets, np.int32)
    leaves, rows = np.unique(others, return_inverse=True)
    count = len(leaves)
    room = np.zeros((count, count)), np.zeros(count, bool), np.zeros(count)
    state, kernels, regrafting = chain._engine._state, _kernels.chain, _kernels.regrafting
    seen = regrafting.Others(leaves.astype(np.int64), rows.reshape(-1, 3), *room)
    for _ in range(10):
        # The same steps as those of a move, which is accepted whatever it costs.
        with np.errstate(over="ignore"):
            cut = kernels.prune_somewhere(state)
            place, _ = kernels.walk(state, cut)
            if not kernels.is_between(state, cut, place):
                continue
            regrafting.see_meetings(state, seen)
            regrafting.see_inside(state, cut.s, seen)
            spared = regrafting.num_spared(state, place, seen)
            kernels.carry_out(state, cut, place, kernels.price(state, cut, place, 0)[1])
        assert spared == chain.tree.satisfies(others).sum()


@PARTS_ALONE
@given(seeds)
def test_the_change_of_the_factor_is_what_counting_before_and_after_gives(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 20))
    target = DirichletDiffusion().simulate(n, 0, seed=seed)[0]
    chain = Chain.of_prior(n, triplets_of(target, rng, 6), seed=seed).run(3)
    state = chain._engine._state
    kernels = _kernels.chain
    for _ in range(20):
        before = _kernels.closeness.log_sizes(state)
        # The same steps as those of a move, which is accepted whatever it costs.
        with np.errstate(over="ignore"):
            cut = kernels.prune_somewhere(state)
            place, _ = kernels.walk(state, cut)
            if not kernels.is_between(state, cut, place):
                continue
            change = _kernels.closeness.change_of_log_sizes(state, cut, place)
            _, count = kernels.price(state, cut, place, 0)
            kernels.carry_out(state, cut, place, count)
        assert _kernels.closeness.log_sizes(state) - before == pytest.approx(change, abs=1e-9)
