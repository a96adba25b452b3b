"""How much is still wrong, as random questions tell: without bias, and with an interval that keeps its promise."""

import math

import numpy as np
import pytest

from reference import random_tree, triplet_distance, triplets_of
from treetalk import Query, Session, Tree, TreeUser, TripletSet
from treetalk.answers import Answer
from treetalk.checks import (
    FEWEST,
    Estimate,
    checks_needed,
    estimate,
    interval,
    open_share,
    random_triples,
    sureness,
    triplets_among,
    verdicts,
)
from treetalk.gestures import rearranged
from treetalk.project import Record
from treetalk.queries import query_about
from treetalk.settled import Settled

ITEMS = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibex", "jay", "koi", "lynx"]
SHOWN = random_tree(len(ITEMS), np.random.default_rng(0)).with_items(ITEMS)


def record(number: int, query: Query, response: object) -> Record:
    """What a project writes down."""
    is_word = isinstance(response, str)
    kind, triplet = (response, None) if is_word else ("triplet", response)
    answer = Answer(number, kind, triplet, tuple(query.leaves.tolist()), query.strategy)
    return Record(answer, "2026-01-01", shown=Tree(query.tree.parent, items=query.tree.items).to_newick())


def check(*leaves: int, strategy: str = "check") -> Query:
    return query_about(SHOWN, np.array(leaves, np.int32), "triple", strategy)


def told(number: int, is_right: bool, strategy: str = "check") -> Record:
    """A check about three items of which the answer fits the tree, or does not."""
    query = check(0, 4, 7, strategy=strategy)
    a, b, c = triplets_among(SHOWN, query.leaves[np.newaxis])[0].tolist()
    return record(number, query, (a, b, c) if is_right else (a, c, b))


def simulated(target: Tree, known: TripletSet, num_checks: int, rng: np.random.Generator) -> list[Record]:
    """The answers of a user with a target to random checks about what triplets leave open."""
    settled = Settled(known, set())
    user = TreeUser(target)
    records: list[Record] = []
    while len(records) < num_checks:
        chosen = rng.choice(SHOWN.num_leaves, 3, replace=False).astype(np.int32)
        if not settled.covers(SHOWN, chosen):
            query = check(*chosen.tolist())
            records.append(record(len(records), query, user.respond(query)))
    return records


# --- the estimate


def test_wrong_checks_are_counted_and_scaled_to_what_is_open():
    records = [told(i, is_right=i % 5 != 0) for i in range(20)]
    found = estimate(records, set(), ITEMS)
    low, high = interval(4, 20)
    assert found == Estimate(0.2, low, high, 20)
    assert estimate(records, set(), ITEMS, open_share=0.5) == Estimate(0.1, low / 2, high / 2, 20)
    assert found.low < found.estimate < found.high


def test_what_was_taken_back_and_what_is_no_check_does_not_count():
    records = [told(i, is_right=True) for i in range(6)]
    records += [told(6, is_right=False), told(7, is_right=False, strategy="simple")]
    assert verdicts(records, {6}, ITEMS) == [True] * 6
    assert estimate(records, {6}, ITEMS).estimate == 0
    assert verdicts(records, {0, 1}, ITEMS) == [True] * 4 + [False]


def test_alike_skipped_and_accepted_give_no_verdict():
    records = [record(i, check(0, 4, 7), word) for i, word in enumerate(["same", "skip", "accept"])]
    assert verdicts([*records, told(3, is_right=False)], set(), ITEMS) == [False]


def test_a_triplet_about_other_items_than_those_asked_about_gives_no_verdict():
    assert verdicts([record(0, check(0, 4, 7), (0, 4, 8))], set(), ITEMS) == []


def test_a_tree_that_left_the_triple_open_was_wrong():
    star = Query("triple", [2, 5, 9], Tree([3, 3, 3, -1], items=["cat", "fox", "jay"]), "check")
    assert verdicts([record(0, star, (5, 9, 2))], set(), ITEMS) == [False]


def test_the_triplet_counts_whatever_the_order_of_its_items():
    query = Query("triple", [9, 2, 5], Tree.from_newick("((cat,jay),fox);", ["jay", "cat", "fox"]), "check")
    responses = [(2, 9, 5), (9, 2, 5), (5, 2, 9), (9, 5, 2)]
    records = [record(i, query, response) for i, response in enumerate(responses)]
    assert verdicts(records, set(), ITEMS) == [True, True, False, False]


def test_what_was_shown_but_makes_no_sense_is_passed_over():
    good = told(0, is_right=True)
    wrong = [good._replace(shown=shown) for shown in (None, "", "((cat,dog),", "((cat,dog),hen);")]
    assert verdicts([*wrong, good], set(), ITEMS) == [True]


def test_only_the_latest_checks_are_looked_at():
    records = [told(i, is_right=i >= 30) for i in range(60)]
    assert verdicts(records, set(), ITEMS) == [False] * 20 + [True] * 30
    assert estimate(records, set(), ITEMS, most=30).estimate == 0
    assert estimate(records, set(), ITEMS).num_checks == 50


def test_there_is_no_estimate_from_a_few_checks_and_it_is_known_how_many_are_needed():
    records = [told(i, is_right=False) for i in range(FEWEST + 2)]
    assert [checks_needed(records[:count], set(), ITEMS) for count in range(FEWEST + 2)] == [5, 4, 3, 2, 1, 0, 0]
    assert estimate(records[: FEWEST - 1], set(), ITEMS) is None
    assert estimate(records[:FEWEST], set(), ITEMS).num_checks == FEWEST
    assert (estimate(records, {0, 1, 2}, ITEMS), checks_needed(records, {0, 1, 2}, ITEMS)) == (None, 1)


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_what_is_no_share_is_refused(share):
    with pytest.raises(ValueError, match="open_share must be a share from 0 to 1, not "):
        estimate([], set(), ITEMS, open_share=share)


# --- its interval


@pytest.mark.parametrize("count", [5, 10, 20, 50])
def test_the_interval_holds_the_true_share_as_often_as_it_promises(count):
    shares = np.linspace(0.01, 0.99, 197)
    wrong = np.arange(count + 1)
    ends = np.array([interval(each, count) for each in wrong.tolist()])
    chances = np.array([math.comb(count, each) for each in wrong]) * shares[:, None] ** wrong
    chances *= (1 - shares[:, None]) ** (count - wrong)
    covers = (ends[:, 0] <= shares[:, None]) & (shares[:, None] <= ends[:, 1])
    coverage = (chances * covers).sum(axis=1)
    assert 0.945 < coverage.mean() < 0.97
    assert coverage.min() > 0.82


def test_the_interval_reaches_to_0_and_1_where_none_or_all_are_wrong_and_narrows():
    assert interval(0, 10) == (0.0, pytest.approx(0.2775, abs=1e-4))
    assert interval(10, 10) == (pytest.approx(0.7225, abs=1e-4), 1.0)
    assert interval(1, 10)[0] > 0
    widths = [high - low for low, high in (interval(count // 5, count) for count in (5, 10, 20, 50))]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("num_known", [0, 20])
def test_a_user_whose_wish_is_known_is_estimated_without_bias_and_within_the_interval(num_known):
    target = rearranged(SHOWN, SHOWN.node("lynx"), SHOWN.root)
    agreed = sorted(triplets_of(target) & triplets_of(SHOWN))
    rng = np.random.default_rng(5)
    known = TripletSet(rng.permutation(agreed)[:num_known], len(ITEMS))
    wrong, share = triplet_distance(target, SHOWN), open_share(known, len(ITEMS))
    assert 0.05 < wrong < share
    runs = [estimate(simulated(target, known, 20, rng), set(), ITEMS, open_share=share) for _ in range(150)]
    found = np.array([run.estimate for run in runs])
    assert abs(found.mean() - wrong) < 4 * found.std() / math.sqrt(len(found))
    assert np.mean([run.low <= wrong <= run.high for run in runs]) > 0.9


# --- about all triples


def test_the_share_that_is_open_is_exact_for_few_items():
    known = TripletSet([(0, 1, 2), (1, 2, 3)], 5)
    # Settled are 01|2, 01|3, 02|3 and 12|3, of ten triples.
    assert open_share(known, 5) == pytest.approx(0.6)
    assert open_share(TripletSet([], 5), 5) == 1.0
    assert open_share(TripletSet(sorted(triplets_of(SHOWN)), 12), 12) == 0.0
    assert open_share(TripletSet([], 2), 2) == 0.0


def test_the_share_that_is_open_of_many_items_is_near_the_exact_one():
    tree = random_tree(20, np.random.default_rng(2))
    known = TripletSet(np.random.default_rng(3).permutation(sorted(triplets_of(tree)))[:25], 20)
    exact = open_share(known, 20, num_looked_at=2_000)
    assert exact == 1 - np.mean([known.implied(triplet) for triplet in triplets_of(tree)])
    assert 0.2 < exact < 0.9
    assert abs(open_share(known, 20) - exact) < 0.1
    assert open_share(known, 20, seed=1) == open_share(known, 20, seed=1)


def test_triplets_about_other_items_are_refused():
    with pytest.raises(ValueError, match="the triplets are about 5 items, and 6 items were given"):
        open_share(TripletSet([], 5), 6)


def test_sureness_is_the_mean_support_of_what_the_tree_says():
    X = np.random.default_rng(1).normal(size=(8, 2))
    session = Session(X, seed=2).advance(1_000)
    tree, draws = session.tree, session.snapshots
    expected = np.mean([session.support(triplet) for triplet in triplets_of(tree)])
    assert sureness(tree, draws) == pytest.approx(expected)
    assert 0.3 < expected < 1
    assert abs(sureness(tree, draws, num_looked_at=40) - expected) < 0.2
    assert sureness(Tree([8] * 8 + [-1]), draws) == 1.0


def test_random_triples_are_distinct_items_and_each_triple_is_as_likely():
    triples = random_triples(6, 19, seed=4)
    assert triples.shape == (19, 3)
    many = np.concatenate([random_triples(6, 19, seed=seed) for seed in range(400)])
    _, counts = np.unique(np.sort(many, axis=1), axis=0, return_counts=True)
    assert len(counts) == 20
    expected = len(many) / 20
    assert ((counts - expected) ** 2 / expected).sum() < 44  # chi squared of 19 degrees of freedom, 0.1 %
    assert [len(random_triples(count, 19)) for count in (1, 2, 3, 5)] == [0, 0, 1, 10]
