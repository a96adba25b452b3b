"""Simulation-based calibration (Talts et al. 2018) on twenty leaves: is the truth as likely to be anywhere among the draws?

Again and again a tree is drawn from the prior, with all triplets by rejection, and data given the tree. A chain that
starts as users start it draws from the posterior. The rank of the true tree's number among those of the draws is uniform
if the sampler is right, has forgotten its start, and its draws are independent. So this also says that a start by linkage
and a short run before the first draw are enough here.

A right sampler fails one of the twelve chi-square tests once in a thousand, but seeds are fixed. Found, with 99 %
certainty, are ranks of which a share of LARGEST_DETECTABLE is in the wrong one of NUM_BINS parts.
"""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, chi2, ncx2

from measures import Described, described, prior_draw
from plots import figure
from treetalk import Chain, DirichletDiffusion

NUM_LEAVES, NUM_DIMS, NOISE = 20, 3, 0.1
MODEL = DirichletDiffusion(scale=1.0, noise=NOISE, origin=0.0)
CASES = {"free": [], "triplets": [(0, 1, 2), (0, 1, 3), (2, 4, 0)]}  # 6 % of trees have them all
NUM_TRUTHS = 1_800
NUM_BEFORE = 4_000  # moves before the first draw
NUM_DRAWS = 31
NUM_MOVES = 600  # between two draws: an effective sample size of nine tenths of their number
NUM_BINS = 16
LEVEL = 1e-3  # of all tests of the file together
LARGEST_DETECTABLE = 0.1
NUMBERS = ["root age", "log prior", "log likelihood", "mean log age", "depth of leaf 0", "age of mrca(0, 1)"]


def numbers_of(what: Described, X: np.ndarray) -> list[float]:
    numbers = what.tree_numbers() | {"log likelihood": what.log_likelihood(X, NOISE)}
    return [numbers[name] for name in NUMBERS]


def compute(case: str) -> np.ndarray:
    """The ranks of the true numbers, of shape (truths, numbers), from 0 to NUM_DRAWS."""
    triplets = CASES[case]
    rng = np.random.default_rng([3, len(triplets)])
    ranks = []
    for _ in range(NUM_TRUTHS):
        truth = described(prior_draw(MODEL, NUM_LEAVES, triplets, rng))
        X = truth.draw_data(NUM_DIMS, NOISE, rng)
        chain = Chain(X, triplets, MODEL, seed=int(rng.integers(2**62))).run(NUM_BEFORE)
        drawn = np.array([numbers_of(described(tree), X) for tree in chain.samples(NUM_DRAWS, NUM_MOVES)])
        true = np.array(numbers_of(truth, X))
        # Among draws that are equal to the truth, as depths may be, its place is random.
        ranks.append((drawn < true).sum(axis=0) + rng.integers((drawn == true).sum(axis=0) + 1))
    return np.array(ranks)


def pvalues(counts: np.ndarray) -> np.ndarray:
    """Of the chi-square test of each row of counts."""
    expected = NUM_TRUTHS / NUM_BINS
    return chi2.sf(((counts - expected) ** 2 / expected).sum(axis=1), NUM_BINS - 1)


def detectable(level: float) -> float:
    """The share of ranks in the wrong bin, if half of the bins have too many and half too few, found with 99 % certainty."""
    limit = chi2.isf(level, NUM_BINS - 1)
    return brentq(lambda x: ncx2.sf(limit, NUM_BINS - 1, NUM_TRUTHS * x**2) - 0.99, 1e-6, 10) / 2


def draw(case: str, counts: np.ndarray, found: np.ndarray) -> None:
    band = binom.ppf([0.005, 0.995], NUM_TRUTHS, 1 / NUM_BINS)
    with figure(f"calibration, {case}", f"Ranks of the truth among draws: {case}", 2, 3) as axes:
        for axis, name, row, pvalue in zip(axes.flat, NUMBERS, counts, found, strict=True):
            axis.axhspan(*band, color="tab:red", alpha=0.2, linewidth=0)
            axis.bar(np.arange(NUM_BINS), row, width=0.9, color="0.5")
            axis.set(title=f"{name}: p = {pvalue:.3f}", xticks=[], xlabel="rank", ylim=(0, 1.6 * NUM_TRUTHS / NUM_BINS))


@pytest.mark.parametrize("case", CASES)
def test_the_rank_of_the_truth_is_uniform(case, computed, report):
    bins = computed(case=case) * NUM_BINS // (NUM_DRAWS + 1)
    counts = np.array([np.bincount(column, minlength=NUM_BINS) for column in bins.T])
    found = pvalues(counts)
    draw(case, counts, found)
    level = LEVEL / (len(NUMBERS) * len(CASES))
    report(
        f"calibration, {case}: "
        + ", ".join(f"{name} p = {pvalue:.3f}" for name, pvalue in zip(NUMBERS, found, strict=True))
        + f"; {NUM_TRUTHS} truths, finds {detectable(level):.1%} of ranks in the wrong bin"
    )
    assert detectable(level) < LARGEST_DETECTABLE
    assert found.min() > level
