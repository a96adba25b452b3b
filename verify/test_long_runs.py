"""After a million moves, nothing has drifted: what the chain kept up to date is what a fresh computation gives.

Messages, hazards, sizes and both log densities are compared to the last bit: a single wrong or forgotten update, ever, is
found if it is still there at the end. No statistics, so no level.
"""

from typing import NamedTuple

import numpy as np
import pytest

from plots import figure
from reference import random_triplets
from treetalk import Chain, DirichletDiffusion, Tree
from treetalk._kernels.state import AGE, GAP, HAZARD, LOW, MEAN, SIZE, SPREAD, TOP, VARIANCE
from treetalk.moves import MIXTURE
from treetalk.state import Engine

NUM_MOVES = 1_000_000
NUM_POINTS = 100  # of the trace
MOVES = {"walk": {"walk": 1}, "guided": {"guided": 1}, "local": {"local": 1}, "times": {"times": 1}, "mixture": MIXTURE}
SIZES = [150, 1_000]
NUM_DIMS = 3
MODEL = DirichletDiffusion(scale=1.0, noise=0.05, origin=0.0)


class Run(NamedTuple):
    """The end of a long run, as the chain has it and computed anew."""

    tree: Tree
    trace: np.ndarray  # of the log posterior
    kept: dict[str, np.ndarray]
    fresh: dict[str, np.ndarray]
    num_triplets: int
    all_satisfied: bool
    num_accepted: int


def parts(engine: Engine) -> dict[str, np.ndarray]:
    """All that moves keep up to date. The origin's message is not used, only its factor of the likelihood."""
    state, n = engine._state, engine.num_leaves
    rows = state.rows
    log_prior, log_likelihood = engine.log_densities()
    return {
        "ages": rows[: 2 * n, AGE].copy(),
        "hazards": rows[: 2 * n, HAZARD].copy(),
        "variances": rows[: 2 * n - 1, VARIANCE].copy(),
        "means": rows[: 2 * n - 1, MEAN:].copy(),
        "factors": rows[n : 2 * n, [SPREAD, GAP]].copy(),
        "sizes": state.links[: 2 * n - 1, SIZE].copy(),
        "mrcas": state.triplets[:, [LOW, TOP]].copy(),
        "log prior": np.array(log_prior),
        "log likelihood": np.array(log_likelihood),
    }


def compute(num_leaves: int, moves: str, constrained: bool) -> Run:
    rng = np.random.default_rng([4, num_leaves])
    truth, X = MODEL.simulate(num_leaves, NUM_DIMS, seed=num_leaves)
    # Far more than there are leaves would leave the chain nowhere to go.
    triplets = random_triplets(truth, num_leaves // 2, rng) if constrained else np.empty((0, 3), int)
    chain = Chain(X, triplets, MODEL, start="random", seed=5, moves=MOVES[moves])
    trace = [chain.log_posterior]
    for _ in range(NUM_POINTS):
        chain.run(NUM_MOVES // NUM_POINTS)
        trace.append(chain.log_posterior)
    kept = parts(chain._engine)
    chain._engine.set_tree(*chain._engine.parents_and_ages())
    accepted = sum(counts.accepted for counts in chain.info.values())
    satisfied = bool(chain.tree.satisfies(triplets).all())
    return Run(chain.tree, np.array(trace), kept, parts(chain._engine), len(triplets), satisfied, accepted)


@pytest.fixture(scope="module")
def traces():
    """The log posterior of each run: drawn when the tests are done."""
    found: dict[tuple[int, bool], dict[str, np.ndarray]] = {}
    yield found
    with figure("long runs", "Log posterior from a random start, after the first 50,000 moves", 2, 2, width=5) as axes:
        for axis, ((num_leaves, constrained), lines) in zip(axes.flat, sorted(found.items()), strict=False):
            # Times alone stay with the random topology, far below the others.
            drawn = {moves: trace for moves, trace in lines.items() if moves != "times"}
            for moves, trace in drawn.items():
                axis.plot(np.linspace(0, NUM_MOVES / 1e6, trace.size)[5:], trace[5:], linewidth=1, label=moves)
            axis.set_title(f"{num_leaves} leaves, {'triplets' if constrained else 'free'}", fontsize="medium")
            axis.set_xlabel("million moves")
            axis.legend(fontsize="x-small")


@pytest.mark.parametrize("constrained", [False, True], ids=["free", "triplets"])
@pytest.mark.parametrize("moves", MOVES)
@pytest.mark.parametrize("num_leaves", SIZES)
def test_after_a_million_moves_all_is_as_computed_anew(num_leaves, moves, constrained, computed, traces, report):
    run = computed(num_leaves=num_leaves, moves=moves, constrained=constrained)
    traces.setdefault((num_leaves, constrained), {})[moves] = run.trace
    report(
        f"long run, {num_leaves} leaves, {run.num_triplets} triplets, {moves}: {run.num_accepted:,} accepted, "
        f"log posterior from {run.trace[0]:,.1f} to {run.trace[-1]:,.1f}"
    )
    assert run.num_accepted > NUM_MOVES // 100
    for name, values in run.kept.items():
        assert np.array_equal(values, run.fresh[name]), name
    assert run.all_satisfied
    assert (run.kept["sizes"] == run.tree.sizes).all()
    assert np.isfinite(run.trace).all()
    # Once more, by way of the public functions.
    assert MODEL.log_prior(run.tree) == run.kept["log prior"]
