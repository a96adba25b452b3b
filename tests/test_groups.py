"""What answers put together, how much it weighs, and what it looks like: classes, or a hierarchy of many levels."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treetalk import Chain, Session, Setting, TreeUser, flatness
from treetalk.answers import Ledger
from treetalk.groups import groups_of, most_weight, pair_weights
from treetalk.heard import ACCEPTED, CORRECTED, SORTED, Heard, makes_groups, what_was_heard
from treetalk.metrics import tree_of_labels, triplet_distance
from treetalk.strategies import Grouped, View

X = np.random.default_rng(0).normal(size=(30, 3))
PIECE = tuple(range(10))


def naive_groups(triplets, num_items) -> set[frozenset[int]]:
    groups = [{i} for i in range(num_items)]
    for a, b, _ in triplets:
        one, other = (next(group for group in groups if x in group) for x in (a, b))
        if one is not other:
            groups.remove(other)
            one |= other
    return set(map(frozenset, groups))


@st.composite
def some_triplets(draw, num_items: int = 12) -> np.ndarray:
    rows = st.lists(st.permutations(range(num_items)).map(lambda order: order[:3]), max_size=10)
    return np.array(draw(rows), np.int32).reshape(-1, 3)


@given(some_triplets())
def test_groups_are_whoever_is_linked(triplets):
    groups = groups_of(triplets, 12)
    found = {frozenset(np.flatnonzero(groups.labels == label).tolist()) for label in range(len(groups.is_split))}
    assert found == naive_groups(triplets.tolist(), 12)
    assert groups.sizes.sum() == 12
    for label, is_split in enumerate(groups.is_split):
        members = set(np.flatnonzero(groups.labels == label).tolist())
        assert is_split == any({a, b, c} <= members for a, b, c in triplets.tolist())


@given(some_triplets(), st.sampled_from([0.0, 0.25, 1.0]))
def test_each_pair_has_one_weight_that_grows_with_its_group_and_is_shared_in_it(triplets, flatness):
    weights = pair_weights(triplets, 12, flatness)
    groups = groups_of(triplets, 12)
    pairs = [frozenset(pair) for pair in triplets[:, :2].tolist()]
    for i, (pair, weight) in enumerate(zip(pairs, weights, strict=True)):
        group = groups.labels[triplets[i, 0]]
        num_links = groups.sizes[group] - 1
        num_pairs = len({other for other in pairs if groups.labels[min(other)] == group})
        flat = 1.0 if groups.is_split[group] else min(2.0 * num_links, most_weight(groups))
        shared = ((1 - flatness) + flatness * flat) * num_links / num_pairs
        assert weight == pytest.approx(0.0 if pair in pairs[:i] else shared)


@pytest.mark.parametrize("flatness", [0.0, 1.0])
def test_who_sorts_five_items_into_a_class_says_no_more_than_who_links_them_one_by_one(flatness):
    sorted_at_once = np.array([(a, b, c) for a, b in combinations(range(5), 2) for c in (7, 8)])
    one_by_one = np.array([(i, i + 1, 7) for i in range(4)])
    total = pair_weights(one_by_one, 12, flatness).sum()
    assert pair_weights(sorted_at_once, 12, flatness).sum() == pytest.approx(total)


def test_a_pair_weighs_at_most_so_much_as_long_as_little_is_said_and_more_when_all_is():
    assert most_weight(groups_of(np.empty((0, 3), np.int32), 12)) == 4
    everyone = np.array([(i, i + 1, 11) for i in range(0, 9, 2)] + [(10, 11, 0)])
    assert most_weight(groups_of(everyone, 12)) == 16
    assert 4 < most_weight(groups_of(everyone[:4], 12)) < 7


def a_ledger(*kinds: str) -> Ledger:
    ledger = Ledger(30)
    for number, kind in enumerate(kinds):
        triplets = [(2 * number % 28, 2 * number % 28 + 1, 29)] if kind == "triplet" else [None]
        ledger.extend(ledger.next_entries(kind, tuple(i + number % 2 for i in PIECE), "random", triplets))
    return ledger


def flatness_of(ledger: Ledger, num_items: int) -> float:
    return flatness.flatness_of(what_was_heard(ledger), ledger.triplets(), num_items)


def test_what_is_set_aside_does_not_count_as_heard():
    ledger = Ledger(30)
    said = [(0, 1, 2), (2, 3, 0), (0, 2, 1)]
    ledger.extend(ledger.next_entries("triplet", PIECE, "random", said))
    assert ledger.set_aside.keys() == {2}
    assert what_was_heard(ledger) == (Heard(SORTED, PIECE, tuple(said[:2])),)


def test_before_any_answer_classes_are_possible_and_not_likely():
    assert flatness_of(a_ledger(), 30) == 0.25


def test_accepted_pieces_look_like_classes_and_many_corrections_in_a_row_do_not():
    assert flatness_of(a_ledger("accept"), 30) == 0.75
    assert flatness_of(a_ledger("accept", "triplet", "accept"), 30) == 1.0
    # Of others each time, so that no odd one could have been inside.
    ledger = Ledger(300)
    for i in range(0, 300, 10):
        ledger.extend(ledger.next_entries("triplet", tuple(range(i, i + 10)), "random", [(i, i + 1, i + 2)]))
    ledger.extend(ledger.next_entries("accept", PIECE, "random", [None]))
    assert flatness_of(ledger, 300) == 0.25


def test_small_pieces_and_what_was_taken_back_say_nothing():
    ledger = Ledger(30)
    ledger.extend(ledger.next_entries("accept", (0, 1, 2), "random", [None]))
    assert flatness_of(ledger, 30) == 0.25
    ledger.extend(ledger.next_entries("accept", PIECE, "random", [None]))
    assert flatness_of(ledger, 30) == 0.75
    ledger.extend(ledger.next_retractions([1]))
    assert flatness_of(ledger, 30) == 0.25


def test_an_odd_one_among_those_it_is_linked_with_speaks_for_a_hierarchy():
    ledger = a_ledger("accept")
    ledger.extend(ledger.next_entries("triplet", None, None, [(0, 1, 2), (1, 2, 3)]))
    assert flatness_of(ledger, 30) == 0.25


def naive_chance(triplets, piece) -> float:
    """The share of the triplets of a piece that would put an odd one inside a group, by trying all."""
    every = [(a, b, c) for a, b in combinations(piece, 2) for c in piece if c not in (a, b)]
    inside = 0
    for triplet in every:
        groups = groups_of(np.array([*triplets, triplet], np.int32), 12)
        inside += groups.is_split.any()
    return inside / len(every)


@given(st.lists(st.permutations(range(12)), max_size=6))
def test_the_chance_of_an_odd_one_inside_is_found_by_trying_all_triplets_of_the_piece(orders):
    heard, said, expected = [], [], []
    for order in orders:
        piece = tuple(sorted(order[:8]))
        expected.append(naive_chance(said, piece))
        said.append(tuple(order[:3]))
        heard.append(Heard(CORRECTED, piece, (said[-1],)))
        if groups_of(np.array(said, np.int32), 12).is_split.any():
            break
    assert flatness.chances_of_odd_ones_inside(heard) == pytest.approx(expected)
    assert flatness.chances_of_odd_ones_inside([*heard, Heard(ACCEPTED, PIECE)]) == pytest.approx(expected)


def test_classes_without_a_single_accepted_piece_are_found_out_in_the_end():
    """Who says forty things about eight classes of ten items could have put an odd one inside by now."""
    rng = np.random.default_rng(0)
    labels = np.arange(80) % 8
    ledger = Ledger(80)
    told = []
    for _ in range(70):
        piece = rng.choice(80, 10, replace=False)
        a, b = next((a, b) for a, b in combinations(piece, 2) if labels[a] == labels[b])
        c = next(c for c in piece if labels[c] != labels[a])
        ledger.extend(ledger.next_entries("triplet", tuple(piece.tolist()), "random", [(int(a), int(b), int(c))]))
        told.append(flatness_of(ledger, 80))
    assert told[20] < 0.5
    assert told[-1] == 1.0


def test_a_session_weighs_as_its_answers_tell_and_a_copy_taken_up_elsewhere_does_too():
    session = Session(X, seed=1)
    query = session.ask()
    session.answer(query, [(0, 1, 2), (1, 3, 2)])
    before = session.chains[0].log_closeness
    session.accept(session.ask())
    session.accept(session.ask())
    assert before > session.chains[0].log_closeness  # the same tree, and more weight
    assert session.copy().chains[0].log_closeness == session.chains[0].log_closeness
    kept, answers = session.put_away(), session.answers
    other = Session(X, seed=1, starts=[chain.tree() for chain in kept.chains])
    other.take_up(kept, answers)
    assert other.chains[0].log_closeness == session.chains[0].log_closeness
    session.retract([2, 3])
    assert session.chains[0].log_closeness == pytest.approx(before)


def test_the_papers_setting_asks_interleaved_and_weighs_nothing():
    session = Session(X, setting="paper")
    assert session.ask().strategy == "interleaved"
    session.answer(None, (0, 1, 2))
    session.accept(session.ask())
    assert session.chains[0].log_closeness == 0.0
    assert Session(X).ask().strategy == "grouped"
    assert Session(X, setting=Setting("mine", strategy="random")).ask().strategy == "random"
    with pytest.raises(ValueError, match="there is no strategy 'randon'"):
        Setting("mine", strategy="randon")


def test_who_sorts_a_piece_has_classes_in_mind_and_who_moves_one_item_may_have_anything():
    ledger = Ledger(30)
    ledger.extend(ledger.next_entries("triplet", PIECE, None, [(0, 1, 2), (0, 1, 3), (0, 1, 4)]))
    assert flatness_of(ledger, 30) == 0.25
    assert [each[:2] for each in what_was_heard(ledger)] == [(CORRECTED, PIECE)]
    ledger.extend(ledger.next_entries("accept", PIECE, None, [None]))
    ledger.extend(ledger.next_entries("triplet", PIECE, None, [(0, 1, 2), (2, 3, 0)]))
    assert [heard.kind for heard in what_was_heard(ledger)] == [CORRECTED, ACCEPTED, SORTED]
    assert flatness_of(ledger, 30) == 1.0
    ledger.extend(ledger.next_retractions([3, 5]))  # the acceptance, and that 2 and 3 are together
    assert what_was_heard(ledger) == (Heard(CORRECTED, PIECE, ((0, 1, 2), (0, 1, 3), (0, 1, 4), (0, 1, 2))),)


@pytest.mark.parametrize(
    ("triplets", "expected"),
    [
        ([], False),
        ([(0, 1, 2)], False),
        ([(0, 1, 2), (2, 3, 0)], True),
        ([(0, 1, 2), (1, 3, 2)], False),
        ([(0, 1, 2), (2, 3, 0), (1, 2, 5)], False),  # all in one group
        ([(0, 1, 5), (2, 3, 5), (3, 4, 2)], False),  # an odd one inside
    ],
)
def test_a_piece_is_sorted_when_there_are_two_groups_without_an_odd_one_inside(triplets, expected):
    assert makes_groups(triplets) is expected


def test_groups_of_a_sorted_piece_are_not_asked_about_together_again():
    pieces = tuple(tuple(range(i, i + 10)) for i in (0, 10, 20))
    view = a_view()._replace(heard=[Heard(SORTED, piece) for piece in pieces])
    for one in subsets(view):
        assert max(len(set(one) & set(piece)) for piece in pieces) == 4  # ten of three pieces


def a_view(triplets=(), accepted=(), flatness=1.0, num_items=30) -> View:
    session = Session(X[:num_items])
    array = np.array(triplets, np.int32).reshape(-1, 3)
    return View(session.tree, session.snapshots, 0, array, [Heard(ACCEPTED, piece) for piece in accepted], flatness)


def subsets(view: View, count: int = 40) -> list[list[int]]:
    found = Grouped().candidates(view, np.random.default_rng(3))
    return [next(found).tolist() for _ in range(count)]


def test_no_two_of_a_group_are_asked_about_and_everyone_has_his_turn():
    view = a_view([(0, 1, 9), (1, 2, 9), (3, 4, 9)])
    found = subsets(view)
    assert all(len(set(one)) == 10 for one in found)
    assert not any(len({0, 1, 2} & set(one)) > 1 or {3, 4} <= set(one) for one in found)
    assert set().union(*found) == set(range(30))


def test_items_of_a_split_group_may_be_asked_about_together():
    view = a_view([(0, 1, 2), (1, 2, 9)])
    assert any({0, 1} <= set(one) for one in subsets(view))


def num_together(view: View, one: int, other: int) -> int:
    return sum({one, other} <= set(subset) for subset in subsets(view, 400))


def test_what_was_accepted_together_is_seldom_asked_about_together():
    accepted = (tuple(range(10)), tuple(range(10, 20)), tuple(range(20, 30)))
    found = subsets(a_view(accepted=accepted))
    assert all(max(len(set(one) & set(piece)) for piece in accepted) <= 5 for one in found)  # ten of three pieces


def test_groups_that_a_triplet_has_apart_are_seldom_asked_about_together():
    said = [(0, 1, 4), (4, 5, 0), (8, 9, 20)]
    together = num_together(a_view(said), 0, 4) + num_together(a_view(said), 1, 5)
    assert together < (num_together(a_view(said), 0, 8) + num_together(a_view(said), 1, 9)) / 2


def test_large_groups_are_asked_about_more_often():
    view = a_view([(i, i + 1, 29) for i in (0, 1, 2, 3)])
    counts = np.bincount(np.concatenate(subsets(view, 400)), minlength=30)
    assert counts[:5].sum() > 2 * counts[5:29].mean()


def test_where_there_are_few_groups_more_of_one_are_shown():
    triplets = [(0, i, 29) for i in range(1, 25)]
    for one in subsets(a_view(triplets)):
        assert len(set(one)) == 10
        assert {25, 26, 27, 28, 29} <= set(one)
    assert all(sorted(one) == list(range(7)) for one in subsets(a_view(num_items=7)))


def test_without_any_sign_of_classes_those_of_a_group_are_asked_about_together():
    view = a_view([(0, 1, 9)], flatness=0.0)
    assert any({0, 1} <= set(one) for one in subsets(view, 200))


def distance_to_classes(strategy: str) -> float:
    """How far the tree is from fifteen classes that the features know nothing of, after sixty-five questions."""
    labels = np.random.default_rng(1).integers(0, 15, 80)
    session = Session(np.random.default_rng(2).normal(size=(80, 5)), strategy=strategy, seed=0)
    user = TreeUser(tree_of_labels(labels), seed=0)
    for _ in range(65):
        query = session.ask()
        session.respond(query, user.respond(query))
        session.advance(1_000)
    return triplet_distance(labels, session.tree)


@pytest.mark.large
def test_classes_without_any_geometry_take_fewer_questions_than_random_ones():
    assert distance_to_classes("grouped") < 0.5 * distance_to_classes("random")


def test_flatness_can_be_set_on_a_chain_and_changes_no_triplet():
    chain = Chain(X, [(0, 1, 2), (1, 3, 2)], closeness=1.0)
    before = chain.log_closeness
    chain.set_flatness(1.0)
    assert chain.log_closeness == pytest.approx(4 * before)  # a group of three: each link counts 2 (3 - 1)
    assert len(chain.triplets) == 2
