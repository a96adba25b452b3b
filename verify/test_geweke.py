"""Geweke's (2004) joint-distribution test on twelve leaves: do the moves leave the posterior of any data as it is?

Trees and data are drawn from their joint distribution in two ways. Marginal-conditional: a tree from the prior, with all
triplets by rejection, then data given the tree. Successive-conditional: in turn, some moves of a chain given the data,
then new data given the tree. Means and variances of a dozen numbers must agree. Data and numbers are computed in NumPy,
so that a kernel that is wrong has nothing to agree with.

A right sampler fails one of all these z-scores once in a thousand, but seeds are fixed. A shift of any mean by
LARGEST_DETECTABLE standard deviations would be found with 99 % certainty.
"""

from concurrent.futures import Future

import numpy as np
import pytest
from scipy.stats import norm

from measures import described, prior_draw
from plots import figure
from treetalk import Chain, DirichletDiffusion, Tree
from treetalk.diagnostics import effective_sample_size
from treetalk.moves import MIXTURE

NUM_LEAVES, NUM_DIMS, NOISE = 12, 2, 0.2
MODEL = DirichletDiffusion(scale=1.0, noise=NOISE, origin=0.0)
TRIPLETS = [(0, 1, 2), (0, 1, 3), (2, 4, 0)]  # 6 % of trees have them all
CASES = {
    "all moves": ([], MIXTURE),
    "all moves, triplets": (TRIPLETS, MIXTURE),
    "walk, triplets": (TRIPLETS, {"walk": 1}),
    "guided, triplets": (TRIPLETS, {"guided": 1}),
    "local, triplets": (TRIPLETS, {"local": 1}),
}
NUM_MARGINAL = 10_000
NUM_SUCCESSIVE = 10_000
NUM_MOVES = 150  # between two draws of data
LEVEL = 1e-3  # of all z-scores of the file together
LARGEST_DETECTABLE = 0.2
Series = dict[str, np.ndarray]


def numbers_of(tree: Tree, X: np.ndarray) -> dict[str, float]:
    what = described(tree)
    return what.tree_numbers() | {
        "log likelihood": what.log_likelihood(X, NOISE),
        "mean square of X": float((X * X).mean()),
        "x0 x1": float(X[0] @ X[1]),
        "|x0 - x1|² / variance": float(np.square(X[0] - X[1]).sum() / (2 * what.mrca_age(0, 1) + 2 * NOISE)),
    }


def as_series(rows: list[dict[str, float]]) -> Series:
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def marginal(triplets: list[tuple[int, int, int]]) -> Series:
    rng = np.random.default_rng([1, len(triplets)])
    rows = []
    for _ in range(NUM_MARGINAL):
        tree = prior_draw(MODEL, NUM_LEAVES, triplets, rng)
        rows.append(numbers_of(tree, described(tree).draw_data(NUM_DIMS, NOISE, rng)))
    return as_series(rows)


def successive(triplets: list[tuple[int, int, int]], moves: dict[str, float], seed: int) -> Series:
    rng = np.random.default_rng([2, seed])
    tree = prior_draw(MODEL, NUM_LEAVES, triplets, rng)
    rows = []
    for _ in range(NUM_SUCCESSIVE):
        X = described(tree).draw_data(NUM_DIMS, NOISE, rng)
        rows.append(numbers_of(tree, X))
        chain = Chain(X, triplets, MODEL, start=tree, seed=int(rng.integers(2**62)), moves=moves)
        tree = chain.run(NUM_MOVES).tree
    return as_series(rows)


def compute(case: str) -> Series:
    triplets, moves = CASES[case]
    return successive(triplets, moves, list(CASES).index(case))


@pytest.fixture(scope="module")
def marginals(processes) -> dict[int, Future]:
    """The marginal-conditional draws by the number of triplets, under way before the chains."""
    return {len(triplets): processes.submit(marginal, triplets) for triplets in (TRIPLETS, [])}


def z_score(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Of the difference of two means, and its standard error in standard deviations; the second series is a chain's."""
    error = np.sqrt(first.var() / first.size + second.var() / effective_sample_size(second))
    return float((first.mean() - second.mean()) / error), float(error / first.std())


def compare(first: Series, second: Series) -> tuple[dict[str, float], float]:
    """The z-scores of means and of variances, and the largest standard error of a mean in standard deviations."""
    scores, errors = {}, []
    for name in first:
        centre = first[name].mean()
        scores[name], error = z_score(first[name], second[name])
        scores[f"{name}, variance"], _ = z_score((first[name] - centre) ** 2, (second[name] - centre) ** 2)
        errors.append(error)
    return scores, max(errors)


def draw(case: str, first: Series, second: Series, scores: dict[str, float]) -> None:
    with figure(f"geweke, {case}", f"Two ways to the joint distribution: {case}", 3, 4) as axes:
        for axis, name in zip(axes.flat, first, strict=True):
            for series, colour, style in ((first[name], "tab:red", "-"), (second[name], "tab:blue", "--")):
                axis.plot(np.sort(series), np.linspace(0, 1, series.size), style, color=colour, linewidth=1)
            axis.set_title(f"{name}\nz = {scores[name]:.1f}, {scores[name + ', variance']:.1f}", fontsize="small")
        axes[0, 0].legend(["marginal-conditional", "successive-conditional"], fontsize="x-small")


@pytest.mark.parametrize("case", CASES)
def test_two_ways_to_the_joint_distribution_agree(case, marginals, computed, report):
    first, second = marginals[len(CASES[case][0])].result(), computed(case=case)
    scores, error = compare(first, second)
    draw(case, first, second, scores)
    threshold = norm.isf(LEVEL / 2 / (len(scores) * len(CASES)))
    detectable = error * (threshold + norm.isf(0.01))
    worst = max(scores, key=lambda name: abs(scores[name]))
    report(
        f"Geweke, {case}: largest |z| = {abs(scores[worst]):.2f} ({worst}) of {len(scores)}, "
        f"limit {threshold:.2f}; finds a shift by {detectable:.3f} standard deviations"
    )
    assert detectable < LARGEST_DETECTABLE
    assert abs(scores[worst]) < threshold
