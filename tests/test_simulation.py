"""The loop of the paper, run to the end."""

import numpy as np
import pytest

from reference import random_tree
from treetalk import (
    DirichletDiffusion,
    LabelUser,
    NoisyUser,
    Setting,
    TreeUser,
    simulate,
    simulate_runs,
    triplet_distance,
)
from treetalk.authors import SCHEMES, AuthorsAsking
from treetalk.repair import rebuild
from treetalk.session import Session
from treetalk.settings import SETTINGS

TARGET = random_tree(12, np.random.default_rng(1))
X = DirichletDiffusion().simulate(12, 2, seed=2)[1]
SETTING_NAMES = ("treetalk", "paper", "authors")


@pytest.mark.parametrize("setting", SETTING_NAMES)
@pytest.mark.parametrize("strategy", [*SCHEMES, "none"])
def test_a_record_has_a_value_before_each_query_and_one_at_the_end(setting, strategy):
    record = simulate(X, TreeUser(TARGET), strategy, 5, setting, num_moves=20)
    assert record.num_queries == 5
    for curve in (record.triplet_distance, record.log_likelihood, record.log_posterior):
        assert curve.shape == (6,)
        assert np.isfinite(curve).all()
    assert len(record.kinds) == 5
    assert record.triplet_distance[-1] == triplet_distance(TARGET, record.tree)
    assert record.tree.satisfies(record.triplets).all()
    assert (record.strategy, record.setting, record.seed) == (strategy, setting, 0)
    assert TARGET.satisfies(record.triplets).all()
    if strategy == "none":
        assert len(record.triplets) == 0


@pytest.mark.parametrize("setting", SETTING_NAMES)
def test_the_same_seed_gives_the_same_run(setting):
    one, same, other = (
        simulate(X, TreeUser(TARGET, seed), "active", 6, setting, seed, num_moves=30) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.triplet_distance, same.triplet_distance)
    np.testing.assert_array_equal(one.log_posterior, same.log_posterior)
    assert one.tree == same.tree
    assert not np.array_equal(one.log_posterior, other.log_posterior)


@pytest.mark.large
@pytest.mark.parametrize("setting", SETTING_NAMES)
def test_answers_bring_the_tree_to_the_target(setting):
    record = simulate(X, TreeUser(TARGET), "smart", 60, setting)
    assert record.triplet_distance[0] > 0.1
    assert record.triplet_distance[-1] == 0
    assert "triplet" in record.kinds
    assert record.kinds[-1] in {"accept", "none"}  # nothing is wrong any more, or nothing is left to ask


def test_a_noisy_user_never_stops_a_run():
    user = NoisyUser(LabelUser(np.arange(12) // 4), flip=0.5, seed=3)
    record = simulate(X, user, "simple", 30, num_moves=5)
    assert len(record.kinds) == 30
    assert record.tree.satisfies(record.triplets).all()


def test_a_user_without_a_target_has_no_distance():
    class Agreeable:
        def respond(self, query):
            return "accept"

    record = simulate(X, Agreeable(), num_queries=3, num_moves=5)
    assert np.isnan(record.triplet_distance).all()
    assert repr(record).endswith("of a user without a target>")
    assert record.kinds == ("accept",) * 3
    for user in (Agreeable(), NoisyUser(TreeUser(TARGET))):
        with pytest.raises(
            ValueError, match=r'"authors" .* needs a user with a target who never errs, such as TreeUser'
        ):
            simulate(X, user, setting="authors")
    with pytest.raises(TypeError, match="user must have a method respond"):
        simulate(X, "somebody")


@pytest.mark.parametrize("setting", SETTING_NAMES)
def test_a_target_with_names_in_another_order_is_matched_by_name(setting):
    names = [f"item{i}" for i in range(12)]
    order = np.random.default_rng(4).permutation(12)
    shuffled = TARGET.with_items(names).restrict([names[i] for i in order])
    record = simulate(X, TreeUser(shuffled), "random", 20, setting, items=names, num_moves=20)
    assert len(record.triplets) > 5
    assert TARGET.satisfies(record.triplets).all()
    assert record.triplet_distance[-1] == triplet_distance(TARGET, record.tree.with_items(None))


def test_the_authors_simple_scheme_ends_when_all_triplets_are_used():
    labels = [0, 0, 0, 1, 1, 1]
    record = simulate(X[:6], LabelUser(labels), "simple", 20, "authors", num_moves=5)
    assert record.kinds == ("triplet",) * 18 + ("accept",) * 2


def test_without_moves_only_repair_changes_the_tree():
    record = simulate(X, TreeUser(TARGET), "smart", 30, "paper", num_moves=0)
    assert record.triplet_distance[-1] < record.triplet_distance[0]
    for chain in Session(X, setting="paper").advance(0).chains:
        assert sum(counts.tried for counts in chain.info.values()) == 0


def test_runs_in_parallel_are_those_made_one_by_one():
    options = {"strategy": "random", "num_queries": 4, "num_moves": 20}
    runs = simulate_runs(X, TreeUser(TARGET), num_runs=2, num_jobs=2, seed=5, **options)
    for seed, run in zip((5, 6), runs, strict=True):
        alone = simulate(X, TreeUser(TARGET, seed), seed=seed, **options)
        np.testing.assert_array_equal(run.log_posterior, alone.log_posterior)
        assert run.tree == alone.tree


def test_a_setting_of_ones_own():
    own = Setting("mine", num_chains=1, num_moves=7, thinning=2)
    session = Session(X, setting=own).advance()
    assert sum(counts.tried for counts in session.chains[0].info.values()) == 7
    assert len(session.chains) == 1
    assert simulate(X, TreeUser(TARGET), num_queries=2, setting=own).setting == "mine"


@pytest.mark.parametrize("field", ["num_chains", "thinning", "num_kept"])
def test_a_setting_without_chains_or_snapshots_is_refused(field):
    with pytest.raises(ValueError, match=f"{field} must be 1 or more, not 0"):
        Setting("mine", **{field: 0})


def test_a_user_who_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="the user's target has 5 items, and X has 12 rows"):
        simulate(X, LabelUser([0, 0, 1, 1, 1]))
    with pytest.raises(TypeError, match="user must be an object, not a class: LabelUser"):
        simulate(X, LabelUser)
    with pytest.raises(ValueError, match="start must be one of auto, insertion, random, not 'best'"):
        Setting("mine", start="best")


def test_the_papers_setting_is_what_the_paper_says():
    session = Session(X, setting="paper").advance()
    (chain,) = session.chains
    assert {move: counts.tried for move, counts in chain.info.items()} == {
        "walk": 100,
        "guided": 0,
        "local": 0,
        "times": 0,
    }
    assert session.tree == chain.tree
    assert len(session.samples) == 100
    np.testing.assert_allclose(chain.model.scale, X.var(axis=0, ddof=1) / 2)
    assert chain.model.noise == 1e-4
    assert SETTINGS["authors"].asks_as_published


def test_the_papers_repair_builds_everything_below_the_meeting_point_anew():
    tree = DirichletDiffusion().simulate(12, 0, seed=3)[0]
    triplet = next(
        t
        for t in [(a, b, c) for a in range(12) for b in range(a) for c in range(12) if c not in (a, b)]
        if not tree.satisfies([t])[0] and 3 < tree.sizes[tree.mrca(*t)] < 12
    )
    z = tree.mrca(*triplet)
    parent, ages = rebuild(tree.parent, tree.age, np.array([triplet], np.int32))
    new = type(tree)(parent, age=ages)
    assert new.satisfies([triplet])[0]
    assert set(new.leaves(z)) == set(tree.leaves(z))
    assert new.age[z] == tree.age[z]
    below = {v for v in range(12, tree.num_nodes) if set(new.leaves(v)) < set(new.leaves(z))}
    assert all(new.age[v] == new.age[new.parent[v]] / 2 for v in below)
    outside = [v for v in range(tree.num_nodes) if v not in below and not set(tree.leaves(v)) <= set(tree.leaves(z))]
    assert all(set(tree.leaves(v)) == set(new.leaves(v)) and tree.age[v] == new.age[v] for v in outside)


def test_the_authors_simple_scheme_never_repeats_a_triplet_of_the_target():
    session = Session(X, setting="authors")
    authors = AuthorsAsking("simple", TARGET, 10, 20, seed=0)
    for _ in range(30):
        assert authors.step(session) == "triplet"
    said = [answer.triplet for answer in session.answers]
    assert len(set(said)) == 30
    assert TARGET.satisfies(said).all()


def test_the_authors_interleaved_scheme_is_active_and_smart_in_turn(monkeypatch):
    session = Session(X, setting="authors").advance(10)
    authors = AuthorsAsking("interleaved", TARGET, 4, 3, seed=0)
    turns = []
    monkeypatch.setattr(authors, "_violated", lambda turn, session: turns.append(turn))
    for _ in range(4):
        assert authors.step(session) == "accept"
    assert turns == ["active", "smart", "active", "smart"]
    with pytest.raises(ValueError, match='the setting "authors" has the schemes simple, smart'):
        AuthorsAsking("best", TARGET, 4, 3, seed=0)
