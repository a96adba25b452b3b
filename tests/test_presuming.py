"""What answers imply for someone with flat classes in mind, and that nobody else is held to it."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treetalk import Chain, InconsistentTriplets, Session, Tree, build, scouting
from treetalk.arguments import NO_TRIPLETS
from treetalk.groups import groups_of
from treetalk.heard import ACCEPTED, SORTED, Heard
from treetalk.presuming import CERTAIN, NEXT_TO_CERTAIN, is_borne_out, is_still_presumed, presumed_of

NUM_ITEMS = 12
X = np.random.default_rng(0).normal(size=(30, 3))
EVERYONE = tuple(range(10))


@st.composite
def triplets_of_classes(draw) -> np.ndarray:
    """Triplets of someone who has classes in mind."""
    labels = np.array(draw(st.lists(st.integers(0, 3), min_size=NUM_ITEMS, max_size=NUM_ITEMS)))
    true = [
        (a, b, c)
        for a, b in combinations(range(NUM_ITEMS), 2)
        for c in range(NUM_ITEMS)
        if labels[a] == labels[b] != labels[c]
    ]
    rows = draw(st.lists(st.sampled_from(true), max_size=12)) if true else []
    return np.array(rows, np.int32).reshape(-1, 3)


def naive_implied(triplets: list[list[int]]) -> set[tuple[int, int, int]]:
    """Return all that follows for classes: whoever is linked is of one class, and classes have nobody of others inside."""
    own = {i: {i} for i in range(NUM_ITEMS)}
    for a, b, _ in triplets:
        joined = own[a] | own[b]
        own.update(dict.fromkeys(joined, joined))
    implied = set()
    for a, _, c in triplets:
        for one, other in ((own[a], own[c]), (own[c], own[a])):
            implied |= {(x, y, z) for x, y in combinations(sorted(one), 2) for z in other}
    return implied


def as_set(triplets: np.ndarray) -> set[tuple[int, int, int]]:
    return {(*sorted((a, b)), c) for a, b, c in triplets.tolist()}


@given(triplets_of_classes())
def test_what_is_presumed_is_what_follows_for_classes(triplets):
    presumed = presumed_of(triplets, (), NUM_ITEMS, 1.0)
    implied = naive_implied(triplets.tolist())
    assert as_set(presumed) <= implied
    # All of it follows: no tree with what is presumed has anything else.
    for a, b, c in sorted(implied)[::7]:
        assert not has_tree([*presumed.tolist(), (a, c, b)])
        assert not has_tree([*presumed.tolist(), (b, c, a)])


def has_tree(triplets) -> bool:
    try:
        build(triplets, NUM_ITEMS)
    except InconsistentTriplets:
        return False
    return True


@st.composite
def triplets_of_a_hierarchy(draw) -> np.ndarray:
    order = draw(st.permutations(range(NUM_ITEMS)))
    names = st.lists(st.permutations(range(NUM_ITEMS)), max_size=15)
    # In a comb, the odd one of three is the one nearest to the root.
    rows = [sorted(three[:3], key=order.index) for three in draw(names)]
    return np.array(rows, np.int32).reshape(-1, 3)


@given(triplets_of_a_hierarchy(), st.lists(st.permutations(range(NUM_ITEMS)), max_size=3))
def test_what_is_presumed_never_clashes_with_what_was_said(triplets, orders):
    heard = [Heard(SORTED, tuple(order[:6])) for order in orders]
    presumed = presumed_of(triplets, heard, NUM_ITEMS, 1.0)
    assert has_tree([*triplets.tolist(), *presumed.tolist()])
    groups = groups_of(triplets, NUM_ITEMS)
    assert not groups.is_split[groups.labels[presumed[:, 0]]].any()


def test_nothing_is_presumed_unless_the_answers_look_like_classes():
    said = np.array([(0, 1, 2), (2, 3, 0)], np.int32)
    assert len(presumed_of(said, (), NUM_ITEMS, 0.75)) == 0
    assert len(presumed_of(NO_TRIPLETS, (), NUM_ITEMS, 1.0)) == 0
    assert as_set(presumed_of(said, (), NUM_ITEMS, 1.0)) == {(0, 1, 2), (2, 3, 0)}


def test_those_who_were_sorted_apart_are_apart():
    said = np.array([(0, 1, 2), (4, 5, 2)], np.int32)
    assert (0, 1, 4) not in as_set(presumed_of(said, [Heard(ACCEPTED, (0, 1, 4, 5))], NUM_ITEMS, 1.0))
    found = as_set(presumed_of(said, [Heard(SORTED, (0, 4, 7))], NUM_ITEMS, 1.0))
    assert {(0, 1, 4), (4, 5, 0), (0, 1, 7), (4, 5, 7)} <= found


def test_what_was_presumed_is_given_up_when_its_group_is_split():
    said = np.array([(0, 1, 5), (1, 2, 5)], np.int32)
    before = presumed_of(said, (), NUM_ITEMS, 1.0)
    more = np.concatenate([said, np.array([(3, 4, 5)], np.int32)])
    assert is_still_presumed(before, presumed_of(more, (), NUM_ITEMS, 1.0), more, NUM_ITEMS)
    split = np.concatenate([said, np.array([(0, 1, 2)], np.int32)])
    assert not is_still_presumed(before, presumed_of(split, (), NUM_ITEMS, 1.0), split, NUM_ITEMS)
    assert not is_still_presumed(before, NO_TRIPLETS, said, NUM_ITEMS)
    assert is_still_presumed(NO_TRIPLETS, before, said, NUM_ITEMS)


# --- in a chain


def test_a_chain_satisfies_what_is_presumed_and_does_not_call_it_said():
    chain = Chain(X, seed=0)
    presumed = np.array([(0, 7, 3), (3, 9, 0)], np.int32)
    chain.replace_triplets([(0, 1, 3)], presumed)
    assert chain.triplets.tolist() == [[0, 1, 3]]
    for _ in range(20):
        chain.run(200)
        assert chain.tree.satisfies([(0, 1, 3), *presumed.tolist()]).all()
    chain.add_triplet((4, 5, 6))
    assert as_set(chain.presumed) == as_set(presumed)
    chain.replace_triplets([(0, 1, 3)])
    assert len(chain.presumed) == 0


def test_what_is_presumed_says_nothing_of_who_stands_close():
    chain = Chain(X, closeness=1.0, seed=0)
    chain.replace_triplets([(0, 1, 3)])
    chain.run(500)
    tree = chain.tree
    before = chain.log_closeness
    presumed = np.array([(5, 6, 7), (5, 7, 6), (6, 7, 5)], np.int32)
    chain.replace_triplets([(0, 1, 3)], presumed[tree.satisfies(presumed)])
    assert chain.tree == tree
    assert chain.log_closeness == before


def test_a_copy_of_a_chain_presumes_the_same():
    chain = Chain(X, seed=0)
    chain.replace_triplets([(0, 1, 3)], np.array([(0, 7, 3)], np.int32))
    assert chain.copy().run(100).tree == chain.run(100).tree
    assert chain.copy().presumed.tolist() == [[0, 7, 3]]


def test_presuming_the_impossible_is_refused_and_changes_nothing():
    chain = Chain(X, seed=0)
    with pytest.raises(InconsistentTriplets):
        chain.replace_triplets([(0, 1, 3)], np.array([(0, 3, 1)], np.int32))
    assert len(chain.triplets) == len(chain.presumed) == 0


# --- in a session


def flat_session(**options) -> Session:
    """Return a session with two groups of three that are apart, whose user accepts what is right."""
    session = Session(X, seed=1, **options)
    for triplet in [(0, 1, 10), (10, 11, 0), (1, 2, 20), (11, 12, 21)]:
        session.answer(None, triplet)
    session.advance(500)
    for _ in range(2):
        session.accept(session.ask_about(EVERYONE))
    return session


IMPLIED = [(a, b, c) for a, b in combinations((0, 1, 2), 2) for c in (10, 11, 12)]


def test_acceptances_that_tell_of_classes_have_all_trees_satisfy_what_follows():
    session = flat_session()
    assert session.tree.satisfies(IMPLIED).all()
    session.advance(3_000)
    assert all(tree.satisfies(IMPLIED).all() for tree in session.samples)
    assert session.tree.satisfies(IMPLIED).all()
    assert session.consensus().satisfies(IMPLIED).all()
    assert len(session.triplets) == 4 == len(session.in_force)
    assert as_set(session.held) == as_set(session.triplets) | as_set(session.chains[0].presumed)


def test_taking_an_acceptance_back_takes_back_what_follows():
    session = flat_session()
    assert len(session.chains[0].presumed) > 0
    session.retract(len(session.answers) - 1)
    session.retract(4)
    assert len(session.chains[0].presumed) == 0
    assert session.tree.satisfies(session.triplets).all()


@pytest.mark.large
def test_draws_stay_draws_when_more_is_said_of_the_same_classes(monkeypatch):
    monkeypatch.setattr(scouting, "FAR_BEHIND", 100.0)  # for a chain that is led elsewhere gives its draws up
    session = flat_session()
    session.advance(20_000)
    num_draws = session.snapshots.num_draws
    assert num_draws > 30
    held = next((a, b, c) for a, b, c in ((2, 3, 20), (2, 4, 20), (2, 5, 20)) if session.support((a, b, c)) > 0.3)
    session.answer(None, held)
    assert session.snapshots.num_draws > 0
    session.answer(None, (0, 1, 2))  # an odd one inside: no classes after all
    assert session.snapshots.num_draws == 0


def test_the_paper_presumes_nothing():
    assert len(flat_session(setting="paper").chains[0].presumed) == 0


ONE, OTHER, ELSEWHERE = list(range(9)), list(range(10, 19)), 20


def linked_session(*, as_classes: bool) -> Session:
    """Return a session with two groups of nine, each a chain of pairs, whose user accepts what is right.

    By the features they are two classes; or two of each are in one cluster, and the others of both in another one.
    """
    places = np.full((30, 2), -60.0) + np.random.default_rng(2).normal(size=(30, 2))
    places[ONE], places[OTHER] = (0.0, 0.0), (2.0, 0.0)
    if not as_classes:
        places[ONE[2:] + OTHER[2:]] += 60.0
    session = Session(places + 0.1 * X[:, :2], seed=1)
    session.answer(None, [(0, 1, 10), (10, 11, 0)])
    session.answer(None, [(a, b, ELSEWHERE) for group in (ONE, OTHER) for a, b in pairwise(group[1:])])
    session.advance(2_000)
    for _ in range(4):
        session.accept(session.ask_about(EVERYONE))
    return session


@pytest.mark.parametrize("as_classes", [True, False])
def test_what_follows_for_classes_is_presumed_only_if_the_trees_bear_it_out(as_classes):
    session = linked_session(as_classes=as_classes)
    assert session.put_away().is_borne_out == as_classes
    assert (len(session.chains[0].presumed) > 0) == as_classes
    assert session.tree.satisfies([(0, 2, 10), (10, 12, 0)]).all() == as_classes


def test_answers_are_read_as_those_of_classes_for_sure_only_if_trees_bear_it_out_or_the_user_says_so():
    assert linked_session(as_classes=True)._flatness == CERTAIN
    session = linked_session(as_classes=False)
    assert session._flatness == NEXT_TO_CERTAIN < CERTAIN
    session.same(session.ask_about([0, 1, 2]))
    assert session._flatness == CERTAIN


def test_most_of_what_would_be_presumed_is_three_quarters_over_all_trees():
    one, two = (Tree.from_newick(text, items=list("0123")) for text in ("((0,1),(2,3));", "((0,2),(1,3));"))
    has_first = np.array([(0, 1, 2), (2, 3, 0)], np.int32)
    assert is_borne_out(has_first, [one, one, one, two])
    assert not is_borne_out(has_first, [one, one, two])
    assert is_borne_out(NO_TRIPLETS, [one])


@pytest.mark.parametrize("is_borne_out", [True, False])
def test_a_session_taken_up_goes_by_what_was_seen_before_it_was_put_away(is_borne_out):
    session = linked_session(as_classes=True)
    kept = session.put_away()._replace(is_borne_out=is_borne_out)
    other = Session(session.X, seed=1, starts=[chain.tree() for chain in kept.chains])
    other.take_up(kept, session.answers)
    assert (len(other.chains[0].presumed) > 0) == is_borne_out
    assert other.put_away().is_borne_out == is_borne_out


def test_a_session_put_away_goes_on_presuming():
    session = flat_session()
    kept = session.put_away()
    other = Session(X, seed=1, starts=[chain.tree() for chain in kept.chains])
    other.take_up(kept, session.answers)
    assert as_set(other.chains[0].presumed) == as_set(session.chains[0].presumed)
    assert other.snapshots.num_draws == session.snapshots.num_draws
    assert other.advance(1_000).tree == session.advance(1_000).tree
