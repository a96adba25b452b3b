"""Chains that agree are told from chains that do not, and R-hat and ESS are those of ArviZ."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains import X
from reference import clades_of, random_tree
from strategies import seeds
from treetalk import Chain, Tree
from treetalk.arviz import MOST_CHARACTERS, clade_labels, to_arviz
from treetalk.diagnostics import (
    MOST_CLADES,
    Diagnosis,
    autocorrelation,
    diagnose,
    effective_sample_size,
    split_rhat,
    uncertain_clades,
)

FIRST, SECOND = (Tree.from_newick(newick) for newick in ("(((a,b),c),(d,e));", "(((a,c),b),(d,e));"))


def autoregressive(num_chains: int, num_draws: int, correlation: float, rng: np.random.Generator) -> np.ndarray:
    values = rng.normal(size=(num_chains, num_draws))
    for draw in range(1, num_draws):
        values[:, draw] += correlation * values[:, draw - 1]
    return values


def draws_of(chain: Chain, num_draws: int, num_moves: int) -> tuple[list[Tree], list[float]]:
    pairs = [(tree, chain.log_posterior) for tree in chain.samples(num_draws, num_moves)]
    return [tree for tree, _ in pairs], [log_posterior for _, log_posterior in pairs]


def two_trees(num_chains: int, num_draws: int, chance: float, seed: int = 0) -> tuple[list[list[Tree]], np.ndarray]:
    """Independent draws of two trees, and a log posterior that knows nothing of them."""
    rng = np.random.default_rng(seed)
    drawn = rng.random((num_chains, num_draws)) < chance
    return [[FIRST if one else SECOND for one in row] for row in drawn], rng.normal(size=drawn.shape)


# --- series of numbers


@pytest.mark.parametrize("kind", ["numbers", "ties", "yes and no"])
@given(seeds, st.integers(1, 5), st.integers(4, 120), st.floats(-0.95, 0.99))
def test_rhat_and_ess_are_those_of_arviz(kind, seed, num_chains, num_draws, correlation):
    array_stats = pytest.importorskip("arviz_stats.base", reason="arviz-stats is not installed").array_stats
    rng = np.random.default_rng(seed)
    values = autoregressive(num_chains, num_draws, correlation, rng) + rng.choice([0, 0.5], size=(num_chains, 1))
    values = {"numbers": values, "ties": np.round(values), "yes and no": (values > 0.3) * 1.0}[kind]
    half = num_draws // 2
    halves = np.concatenate([values[:, :half], values[:, -half:]])
    if np.ptp(halves, axis=1).max() == 0:
        return  # ArviZ has NaN there
    assert effective_sample_size(values) == pytest.approx(float(array_stats.ess(values, method="bulk")))
    if num_chains > 1:  # ArviZ has no R-hat for one chain
        with np.errstate(invalid="ignore"):  # where folded values are all the same
            assert split_rhat(values) == pytest.approx(float(array_stats.rhat(values, method="rank")))


@given(seeds, st.integers(1, 4), st.integers(8, 100))
def test_ess_knows_ranks_only(seed, num_chains, num_draws):
    values = autoregressive(num_chains, num_draws, 0.7, np.random.default_rng(seed))
    worth = effective_sample_size(values)
    assert effective_sample_size(np.exp(values)) == pytest.approx(worth)
    assert effective_sample_size(-(values**3)) == pytest.approx(worth)


@given(seeds, st.integers(1, 4), st.integers(8, 100))
def test_rhat_knows_no_units(seed, num_chains, num_draws):
    # The spread is measured from the median, so that only the scale may change, not the shape.
    values = np.random.default_rng(seed).integers(-50, 50, (num_chains, num_draws)).astype(float)
    for changed in (values * 8, values - 1024, -values):
        assert split_rhat(changed) == pytest.approx(split_rhat(values))


@given(seeds, st.permutations(range(4)))
def test_the_order_of_the_chains_does_not_matter(seed, order):
    values = autoregressive(4, 50, 0.5, np.random.default_rng(seed))
    assert split_rhat(values[order]) == pytest.approx(split_rhat(values))
    assert effective_sample_size(values[order]) == pytest.approx(effective_sample_size(values))


def test_chains_in_different_places_or_of_different_spread_have_a_large_rhat():
    values = np.random.default_rng(0).normal(size=(4, 200))
    shift = np.array([[0], [0], [0], [2]])
    assert split_rhat(values) < 1.02
    assert effective_sample_size(values) > 500
    assert split_rhat(values + shift) > 1.2
    assert effective_sample_size(values + shift) < 50
    assert split_rhat(values * [[1], [1], [1], [10]]) > 1.2


def test_a_trend_is_seen_in_one_chain():
    values = np.random.default_rng(0).normal(size=200)
    assert split_rhat(values) == split_rhat(values[None]) < 1.05
    assert split_rhat(values + np.linspace(0, 3, 200)) > 1.2


def test_constants_agree_or_are_infinitely_apart():
    assert split_rhat(np.full((3, 10), 0.1)) == 1.0
    assert split_rhat([[0.1] * 10, [0.1] * 10, [0.3] * 10]) == math.inf
    assert split_rhat([[0.1] * 5 + [0.3] * 5]) == math.inf
    assert effective_sample_size(np.full((3, 10), 0.1)) == effective_sample_size([0.1] * 10) == 1.0
    assert effective_sample_size([[0.1] * 10, [0.3] * 10]) < 6


def test_a_series_is_worth_what_the_precision_of_its_mean_says():
    correlation = 0.8
    values = autoregressive(1, 100_000, correlation, np.random.default_rng(0))[0]
    expected = values.size * (1 - correlation) / (1 + correlation)
    assert effective_sample_size(values) == pytest.approx(expected, rel=0.1)
    assert effective_sample_size(values[None]) == pytest.approx(expected, rel=0.1)
    assert autocorrelation(values)[:3] == pytest.approx([1, correlation, correlation**2], abs=0.02)


# --- clades


@given(seeds, st.integers(1, 3), st.integers(1, 12), st.integers(1, 7))
def test_uncertain_clades_are_those_that_some_draws_have(seed, num_chains, num_draws, num_leaves):
    rng = np.random.default_rng(seed)
    trees = [[random_tree(num_leaves, rng) for _ in range(num_draws)] for _ in range(num_chains)]
    found = uncertain_clades(trees)
    clades = [frozenset(tree.leaves(node).tolist()) for tree, node in found.nodes]
    assert found.presence.shape == (num_chains, num_draws, len(clades))
    sets = [[clades_of(tree) for tree in chain] for chain in trees]
    for number, clade in enumerate(clades):
        assert found.presence[:, :, number].tolist() == [[clade in one for one in chain] for chain in sets]
    counts = {
        clade: sum(clade in one for chain in sets for one in chain) for chain in sets for one in chain for clade in one
    }
    total = num_chains * num_draws
    expected = {
        clade for clade, count in counts.items() if 1 < len(clade) < num_leaves and 0.05 <= count / total <= 0.95
    }
    assert set(clades) == expected
    assert [counts[clade] for clade in clades] == sorted((counts[clade] for clade in clades), reverse=True)


def test_of_very_many_clades_those_nearest_to_a_half_are_looked_at():
    rng = np.random.default_rng(0)
    kinds = [random_tree(100, rng) for _ in range(10)]
    trees = [[kinds[min(i, 9)] for i in rng.geometric(0.4, 100)] for _ in range(2)]
    found = uncertain_clades(trees)
    assert len(found.nodes) == MOST_CLADES
    assert np.abs(found.presence.mean(axis=(0, 1)) - 0.5).max() < 0.45 - 0.05


def test_leaves_are_matched_by_their_names():
    other = FIRST.restrict(["e", "d", "c", "b", "a"])
    assert other.items != FIRST.items
    assert uncertain_clades([[FIRST] * 5, [other] * 5]).nodes == ()
    assert len(uncertain_clades([[FIRST] * 5, [SECOND.restrict(list("edcba"))] * 5]).nodes) == 2
    with pytest.raises(ValueError, match="the trees have different leaves: 'e' is only in one, 'f' in the other"):
        uncertain_clades([[FIRST], [FIRST.with_items(list("abcdf"))]])


# --- chains of trees


def test_independent_draws_are_trusted():
    diagnosis = diagnose(*two_trees(4, 100, chance=0.5))
    assert diagnosis.is_trustworthy
    assert (diagnosis.num_chains, diagnosis.num_draws, diagnosis.num_clades) == (4, 100, 2)
    assert diagnosis.sentence.startswith(
        "You can trust this result: each clade is about as frequent in all parts of the 4"
    )


@pytest.mark.parametrize(
    ("name", "worst"),
    [
        ("rhat_log_posterior", 1.05),
        ("ess_log_posterior", 100.0),
        ("rhat_topology", 1.05),
        ("ess_topology", 100.0),
        ("split_frequency_deviation", 0.05),
    ],
)
def test_any_one_number_on_the_wrong_side_is_enough_for_distrust(name, worst):
    good = Diagnosis(2, 500, 1.04, 101.0, 1.04, 101.0, 0.04, num_clades=3)
    assert good.is_trustworthy
    for value in (worst, math.nan):
        bad = good._replace(**{name: value})
        assert not bad.is_trustworthy
    assert good._replace(**{name: worst}).sentence.startswith("Do not trust this result yet: ")


def test_chains_stuck_with_different_trees_are_found():
    _, log_posterior = two_trees(2, 50, 0.5)
    diagnosis = diagnose([[FIRST] * 50, [SECOND] * 50], log_posterior)
    assert diagnosis.rhat_topology == math.inf
    # Of the four clades that are looked at (ab, ac, abc, de), two are in all draws of one chain and in none of the other.
    assert diagnosis.split_frequency_deviation == pytest.approx(math.sqrt(0.5) / 2)
    assert not diagnosis.is_trustworthy
    assert diagnosis.sentence == (
        "Do not trust this result yet: some clades are more frequent in some parts of the 2 chains than in others. Run them "
        "several times as long; if that does not help, there may be good trees of very different kinds."
    )


def test_chains_with_different_log_posteriors_are_found():
    trees, log_posterior = two_trees(2, 200, 0.5)
    diagnosis = diagnose(trees, log_posterior + np.array([[0], [5]]))
    assert not diagnosis.is_trustworthy
    assert "the trees in some parts of the 2 chains fit better than in others" in diagnosis.sentence


@pytest.mark.parametrize("apart", [0.0, 1.0])
def test_a_log_posterior_that_never_changes_is_not_trusted(apart):
    trees, _ = two_trees(2, 200, 0.5)
    diagnosis = diagnose(trees, [[-3.0] * 200, [-3.0 - apart] * 200])
    assert diagnosis.rhat_log_posterior == (1.0 if apart == 0 else math.inf)
    assert not np.isnan(diagnosis).any()
    assert not diagnosis.is_trustworthy


def test_frequencies_of_rare_clades_do_not_count_as_deviations():
    trees = [[FIRST] * 96 + [SECOND] * 4, [FIRST] * 100]
    deviation = diagnose(trees, np.random.default_rng(0).normal(size=(2, 100))).split_frequency_deviation
    assert deviation == pytest.approx(np.std([0.96, 1], ddof=1) / 3)  # ab, abc, de; ac is rare in both


def test_a_settled_topology_is_said_to_be_settled():
    log_posterior = np.random.default_rng(0).normal(size=(2, 200))
    diagnosis = diagnose([[FIRST] * 200] * 2, log_posterior)
    assert (diagnosis.num_clades, diagnosis.rhat_topology, diagnosis.ess_topology) == (0, 1.0, 400.0)
    assert diagnosis.is_trustworthy
    assert "nearly all trees in all parts of the 2 chains have the same clades" in diagnosis.sentence


def test_a_tree_of_two_leaves_has_no_clade_to_look_at():
    diagnosis = diagnose([[Tree([2, 2, -1])] * 200] * 2, np.random.default_rng(0).normal(size=(2, 200)))
    assert diagnosis.is_trustworthy
    assert diagnosis.split_frequency_deviation == 0


def test_correlated_draws_are_worth_less_and_the_sentence_says_how_much_longer_to_run():
    trees, log_posterior = two_trees(4, 20, 0.5)
    diagnosis = diagnose(
        [[tree for tree in chain for _ in range(20)] for chain in trees], np.repeat(log_posterior, 20, 1)
    )
    fewer = diagnosis._replace(rhat_topology=1.0, rhat_log_posterior=1.0, split_frequency_deviation=0.01)
    assert fewer.ess_topology < 100
    assert not fewer.is_trustworthy
    told = fewer._replace(ess_topology=30.4)
    assert told.sentence == (
        "Do not trust this result yet: 1,600 trees were drawn, but neighbours are so alike that they tell no more than 30 "
        "separate ones would, and more than 100 are needed. Run the 4 chains about 4 times as long."
    )
    assert told._replace(ess_topology=1.0).sentence.endswith("Run the 4 chains much longer.")


def test_one_chain_is_compared_with_itself_and_its_sentence_says_so():
    trees, log_posterior = two_trees(1, 301, 0.5)
    diagnosis = diagnose(trees, log_posterior)
    assert diagnosis.is_trustworthy
    assert "Only a second chain" in diagnosis.sentence
    in_order = diagnose([[FIRST] * 151 + [SECOND] * 150], log_posterior)
    assert in_order.split_frequency_deviation == pytest.approx(math.sqrt(0.5) / 2)
    assert "in some parts of the chain than in others. Run it several" in in_order.sentence


@pytest.mark.parametrize("num_draws", [0, 1, 7])
def test_of_few_draws_nothing_is_said(num_draws):
    trees, log_posterior = two_trees(2, num_draws, 0.5)
    diagnosis = diagnose(trees, log_posterior)
    assert diagnosis[:2] == (2, num_draws)
    assert np.isnan(diagnosis[2:-1]).all()
    assert not diagnosis.is_trustworthy
    assert diagnosis.sentence.startswith("There are too few draws to tell: ")
    assert uncertain_clades(trees).presence.shape[:2] == (2, num_draws)
    trees, log_posterior = two_trees(2, 8, 0.5)
    assert not np.isnan(diagnose(trees, log_posterior)).any()


def test_of_chains_of_different_lengths_the_last_draws_count():
    trees, log_posterior = two_trees(2, 100, 0.5)
    longer = [[FIRST] * 50 + trees[0], trees[1]]
    expected = diagnose(trees, log_posterior)
    assert diagnose(longer, [[-1e9] * 50 + log_posterior[0].tolist(), log_posterior[1]]) == expected
    assert diagnose((iter(chain) for chain in trees), log_posterior) == expected


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: diagnose([], []), "trees holds no chain; at least one is needed"),
        (lambda: diagnose(FIRST, [[1]]), "trees must hold the trees of each chain, not Tree"),
        (
            lambda: diagnose([FIRST, FIRST], [[1, 2]]),
            "trees must hold the trees of each chain; number 0 is a single tree, so write [trees]",
        ),
        (lambda: diagnose([1], [[1]]), "trees must hold the trees of each chain; number 0 is 1"),
        (lambda: diagnose([["(a,b);"]], [[1]]), "a Tree is needed here, not str"),
        (
            lambda: diagnose([[FIRST]], [1.0]),
            "log_posterior must have the shape (chains, draws): a series of numbers for each chain",
        ),
        (lambda: diagnose([[FIRST]], 1.0), "log_posterior must hold a series of numbers for each chain, not 1.0"),
        (lambda: diagnose([[FIRST]], [[1], [2]]), "log_posterior has 2 rows, and there are 1 chains of trees"),
        (
            lambda: diagnose([[FIRST], [FIRST] * 2], [[1], [2]]),
            "log_posterior has 1 values for chain 1, which has 2 trees",
        ),
        (
            lambda: diagnose([[FIRST], [FIRST]], [[1], [np.nan]]),
            "log_posterior must be finite; that of chain 1, draw 0 is nan",
        ),
        (
            lambda: split_rhat([[1, 2, 3]]),
            "values must have the shape (chains, draws) with 4 draws or more; their shape is (1, 3)",
        ),
        (lambda: split_rhat([[1, 2, 3, np.inf]]), "values must be finite; that of chain 0, draw 3 is inf"),
        (
            lambda: effective_sample_size(np.zeros((2, 3, 4))),
            "values must be a series of numbers, one for each draw; its shape is (2, 3, 4)",
        ),
    ],
)
def test_refusals_name_the_culprit(make, sentence):
    with pytest.raises((TypeError, ValueError)) as error:
        make()
    assert str(error.value) == sentence


@pytest.mark.large
def test_chains_from_random_starts_are_trusted_once_they_have_run_long_enough():
    def both(num_draws: int, num_moves: int, burn_in: int) -> Diagnosis:
        chains = [Chain(X, start="random", seed=seed).run(burn_in) for seed in (1, 2)]
        trees, log_posterior = zip(*(draws_of(chain, num_draws, num_moves) for chain in chains), strict=True)
        return diagnose(trees, log_posterior)

    short = both(20, 5, burn_in=0)
    assert short.rhat_topology > 1.5
    assert not short.is_trustworthy
    long = both(500, 100, burn_in=1000)
    assert long.num_clades > 10
    assert long.is_trustworthy


# --- ArviZ


def test_arviz_gets_what_the_diagnosis_looks_at():
    pytest.importorskip("arviz_base", reason="arviz-base is not installed")
    trees, log_posterior = two_trees(3, 40, 0.5)
    data = to_arviz(trees, log_posterior, log_likelihood=log_posterior - 1, log_prior=np.ones((3, 40)))
    posterior = data["posterior"].dataset
    assert posterior["log_posterior"].dims == ("chain", "draw")
    np.testing.assert_array_equal(posterior["log_posterior"], log_posterior)
    np.testing.assert_array_equal(posterior["log_likelihood"], log_posterior - 1)
    assert (posterior["log_prior"] == 1).all()
    assert posterior["has_clade"].dims == ("chain", "draw", "clade")
    assert set(posterior["clade"].values.tolist()) == {"a + b", "a + c"}
    expected = [[tree == FIRST for tree in chain] for chain in trees]
    np.testing.assert_array_equal(posterior["has_clade"].sel(clade="a + b"), expected)
    assert data["posterior"].attrs["inference_library"] == "treetalk"


def test_arviz_gets_no_clades_where_none_is_uncertain():
    pytest.importorskip("arviz_base", reason="arviz-base is not installed")
    data = to_arviz([[FIRST] * 5, [FIRST] * 4], [[1.0] * 5, [2.0] * 4])
    assert list(data["posterior"].dataset.data_vars) == ["log_posterior"]
    assert dict(data["posterior"].dataset.sizes) == {"chain": 2, "draw": 4}


def test_without_arviz_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz_base", None)
    with pytest.raises(ImportError) as error:
        to_arviz([[FIRST]], [[1.0]])
    assert str(error.value) == 'to_arviz needs arviz-base, which is not installed: pip install "treetalk[arviz]"'


def test_labels_of_clades_are_short_and_unique():
    tree = random_tree(200, np.random.default_rng(0))
    every_node = [(tree, node) for node in range(tree.num_nodes)]
    named = tree.with_items([f"{'long' * 30}{number:04}" for number in range(200)])
    for nodes in (every_node, [(named, node) for node in range(tree.num_nodes)]):
        labels = clade_labels(nodes)
        assert len(set(labels)) == tree.num_nodes
        assert max(map(len, labels)) <= MOST_CHARACTERS + len(" [400]")
    assert clade_labels(every_node)[tree.root].startswith("0 + 1 + 2 + 3 + ")
    assert clade_labels(every_node)[tree.root].endswith(" + … (200 items)")
    odd = Tree([4, 4, 5, 5, 6, 6, -1], items=["a", "b + c", "a + b", "c"])
    assert clade_labels([(odd, 4), (odd, 5)]) == ["a + b + c", "a + b + c [2]"]


def test_importing_diagnostics_and_export_imports_neither_scipy_nor_arviz():
    script = (
        "import sys, treetalk.diagnostics, treetalk.arviz; print({'scipy', 'arviz_base', 'xarray'} & set(sys.modules))"
    )
    printed = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == "set()"
