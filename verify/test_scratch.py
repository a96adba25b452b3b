"""No move reads what an earlier one left behind in the arrays that only serve while a move is made.

Such a mistake may change the proposals of few moves by little, so that no test of draws finds it. Here it is found for
certain if it ever matters: a chain whose scratch arrays are filled with nonsense before each move must go the way of one
that is left alone, to the last bit. No statistics, so no level.
"""

import numpy as np
import pytest

from plots import figure
from reference import random_triplets
from treetalk import Chain, DirichletDiffusion

NUM_LEAVES, NUM_DIMS = 40, 3
NUM_MOVES = 20_000
MODEL = DirichletDiffusion(scale=1.0, noise=0.05, origin=0.0)


def spoil(chain: Chain) -> None:
    state = chain._engine._state
    state.rows[2 * NUM_LEAVES :] = np.nan
    for nodes in (state.slot_node, state.slot_other, state.path, state.leaves):
        nodes[:] = 0


@pytest.fixture(scope="module")
def traces():
    """The log posterior of both chains of each test: drawn when the tests are done."""
    found: dict[str, np.ndarray] = {}
    yield found
    title = "Log posterior of a chain (red), and of one whose scratch arrays are spoilt (black)"
    with figure("scratch", title, 2, 4) as axes:
        for axis, (name, both) in zip(axes.flat, found.items(), strict=False):
            axis.plot(both[:, 0], linewidth=2, color="tab:red")
            axis.plot(both[:, 1], linewidth=0.6, color="black")
            axis.set(title=name, xlabel="moves")


@pytest.mark.parametrize("constrained", [False, True], ids=["free", "triplets"])
@pytest.mark.parametrize("move", ["walk", "guided", "local", "times"])
def test_a_chain_with_spoilt_scratch_arrays_goes_the_same_way(move, constrained, traces):
    truth, X = MODEL.simulate(NUM_LEAVES, NUM_DIMS, seed=6)
    triplets = random_triplets(truth, NUM_LEAVES, np.random.default_rng(6)) if constrained else np.empty((0, 3), int)
    first = Chain(X, triplets, MODEL, start="random", seed=7, moves={move: 1})
    second = first.copy()
    both = np.empty((NUM_MOVES, 2))
    for i in range(NUM_MOVES):
        spoil(second)
        both[i] = first.run(1).log_posterior, second.run(1).log_posterior
    traces[f"{move}, {'triplets' if constrained else 'free'}"] = both
    assert first.info[move].accepted > NUM_MOVES // 100
    assert np.array_equal(both[:, 0], both[:, 1])
    assert first.tree == second.tree
