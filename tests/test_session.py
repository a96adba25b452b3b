"""The dialogue: what is asked, what answers do, and what always holds of the trees."""

import copy
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact import LEVEL, Comparison, ExactPosterior, reciprocal
from reference import all_triplets, build, has_triplet, random_tree
from strategies import seeds
from treetalk import (
    Chain,
    DirichletDiffusion,
    LabelUser,
    NoisyUser,
    Query,
    Session,
    Setting,
    Tree,
    TreeUser,
    triplet_distance,
)
from treetalk.settled import edge_triplets

X = DirichletDiffusion().simulate(9, 2, seed=1)[1]
NAMES = list("abcdefghi")


def replayed(num_items: int, answers) -> list[int]:
    """The ids of the answers in force, by the textbook: one after the other, each if BUILD finds a tree with it."""
    retracted = {answer.retracts for answer in answers if answer.kind == "retract"}
    kept = []
    for answer in answers:
        if answer.kind == "triplet" and answer.id not in retracted:
            triplets = [answers[i].triplet for i in kept] + [answer.triplet]
            if build(frozenset(range(num_items)), triplets) is not None:
                kept.append(answer.id)
    return kept


def everything_shown(session: Session) -> list[Tree]:
    trees = [session.tree, session.consensus("majority"), session.consensus("credible"), *session.samples]
    return trees + [chain.tree for chain in session.chains]


@settings(max_examples=25)
@given(seeds, st.integers(3, 9), st.sampled_from(["treetalk", "paper"]), st.sampled_from(["simple", "random", "smart"]))
def test_whatever_is_said_every_tree_satisfies_every_answer_in_force(seed, num_items, setting, strategy):
    rng = np.random.default_rng(seed)
    session = Session(X[:num_items], strategy=strategy, setting=setting, seed=seed % 100, subset_size=4)
    possible = all_triplets(num_items)
    for _ in range(8):
        action = rng.choice(["answer", "answer", "several", "retract", "advance", "accept", "same", "skip"])
        open_answers = [
            answer.id
            for answer in session.answers
            if answer.kind != "retract" and answer.id not in {other.retracts for other in session.answers}
        ]
        query = session.ask()
        if action == "answer":
            session.answer(query, possible[rng.integers(len(possible))])
        elif action == "several":
            session.answer(query, [possible[i] for i in rng.integers(len(possible), size=3)])
        elif action == "advance":
            session.advance(int(rng.integers(0, 30)))
        elif action == "retract" and open_answers:
            session.retract(int(rng.choice(open_answers)))
        elif query is not None and action in {"accept", "same", "skip"}:
            getattr(session, action)(query)
        assert [answer.id for answer in session.in_force] == replayed(num_items, session.answers)
        said = [answer.triplet for answer in session.in_force]
        if said:
            assert all(tree.satisfies(said).all() for tree in everything_shown(session))
        if query is not None:
            assert query.tree.num_leaves == len(query.leaves)


@settings(max_examples=20)
@given(seeds, st.integers(4, 9))
def test_an_answer_set_aside_has_a_minimal_conflict_with_earlier_ones(seed, num_items):
    rng = np.random.default_rng(seed)
    session = Session(X[:num_items], seed=1)
    possible = all_triplets(num_items)
    for i in rng.integers(len(possible), size=14):
        session.answer(None, possible[i])
    leaves = frozenset(range(num_items))
    for answer, clashes_with in session.conflicts:
        together = [answer, *clashes_with]
        assert build(leaves, [each.triplet for each in together]) is None
        for left_out in together:
            rest = [each.triplet for each in together if each is not left_out]
            assert build(leaves, rest) is not None
        in_force = {each.id for each in session.in_force}
        assert all(each.id < answer.id and each.id in in_force for each in clashes_with)


def test_taking_back_one_of_the_clashing_answers_brings_the_other_into_force():
    session = Session(X, NAMES)
    first = session.answer(None, ("a", "b", "c"))[0]
    second = session.answer(None, ("a", "c", "b"))[0]
    assert session.in_force == (first,)
    (conflict,) = session.conflicts
    assert conflict.answer == second
    assert conflict.clashes_with == (first,)
    session.retract(first.id)
    assert session.conflicts == ()
    assert session.in_force == (second,)
    assert all(tree.satisfies([("a", "c", "b")]).all() for tree in everything_shown(session))


def test_the_list_of_answers_only_grows():
    session = Session(X, NAMES, seed=2)
    query = session.ask()
    session.accept(query)
    (answer,) = session.answer(query, ("a", "b", "c"))
    session.skip(query)
    session.same(query)
    before = session.answers
    entry = session.retract(answer)
    assert session.answers == (*before, entry)
    assert [each.kind for each in session.answers] == ["accept", "triplet", "skip", "same", "retract"]
    assert [each.id for each in session.answers] == [0, 1, 2, 3, 4]
    assert entry.retracts == 1
    assert session.answers[1].triplet == (0, 1, 2)
    assert session.answers[0].leaves == tuple(query.leaves.tolist())
    assert entry.in_words() == "answer 1 taken back"
    assert answer.in_words(session.items) == "a, b | c"


def test_what_answer_returned_can_be_taken_back_as_it_is():
    session = Session(X)
    recorded = session.answer(None, [(0, 1, 2), (3, 4, 5)])
    session.retract(recorded)
    assert session.in_force == ()
    assert [each.retracts for each in session.answers[2:]] == [0, 1]


def test_answering_does_not_sample_and_advancing_does():
    session = Session(X, seed=3).advance(100)
    tried = [sum(counts.tried for counts in chain.info.values()) for chain in session.chains]
    assert tried == [100, 100]
    session.answer(session.ask(), (0, 1, 2))
    assert [sum(counts.tried for counts in chain.info.values()) for chain in session.chains] == tried
    tree = session.tree
    assert session.tree is tree
    session.advance(100)
    assert session.tree is not tree


def test_the_same_answer_twice_stays_in_force_when_one_is_taken_back():
    session = Session(X)
    one, _ = session.answer(None, [(0, 1, 2), (1, 0, 2)])
    assert len(session.triplets) == 1
    session.retract(one.id)
    assert session.tree.satisfies([(0, 1, 2)]).all()
    assert len(session.triplets) == 1


def test_what_the_answers_imply_is_not_asked():
    session = Session(X[:4], strategy="simple", seed=1)
    session.answer(None, [(0, 1, 2), (1, 2, 3)])  # together these settle all four items
    assert session.ask() is None
    session.retract(1)
    asked = {frozenset(session.ask().leaves.tolist()) for _ in range(60)}
    assert frozenset({0, 1, 2}) not in asked
    assert len(asked) == 3


def test_a_subset_in_which_everything_is_implied_is_not_asked():
    session = Session(X[:5], strategy="random", subset_size=3, seed=1)
    session.answer(None, [(0, 1, 2), (1, 2, 3)])
    asked = {frozenset(session.ask().leaves.tolist()) for _ in range(80)}
    assert len(asked) == 6
    assert all(4 in three for three in asked)


def test_a_triple_that_is_all_alike_is_not_asked_again():
    session = Session(X[:4], strategy="simple", seed=1)
    asked = []
    while (query := session.ask()) is not None:
        asked.append(frozenset(query.leaves.tolist()))
        session.same(query)
    assert len(asked) == len(set(asked)) == 4


def test_three_items_that_are_all_alike_leave_nothing_to_ask():
    session = Session(X[:3], seed=1)
    session.same(session.ask())
    assert session.ask() is None


@given(seeds, st.integers(3, 9))
def test_a_binary_tree_follows_from_one_triplet_for_each_internal_edge(seed, num_leaves):
    tree = random_tree(num_leaves, np.random.default_rng(seed))
    triplets = [tuple(map(int, triplet)) for triplet in edge_triplets(tree)]
    assert len(triplets) == num_leaves - 2
    clades = build(frozenset(range(num_leaves)), triplets)
    assert all(has_triplet(clades, triplet) for triplet in all_triplets(num_leaves) if tree.satisfies([triplet])[0])


@pytest.mark.large
@pytest.mark.parametrize("strategy", ["simple", "smart", "random", "active", "interleaved", "loose"])
@pytest.mark.parametrize("setting", ["treetalk", "paper"])
def test_a_session_that_is_told_all_that_a_user_knows_ends_at_distance_0(strategy, setting):
    target = random_tree(11, np.random.default_rng(3))
    data = DirichletDiffusion().simulate(11, 2, seed=8)[1]
    session = Session(data, strategy=strategy, setting=setting, subset_size=8, seed=1)
    user = TreeUser(target)
    for _ in range(200):
        query = session.ask()
        if query is None:
            break
        session.respond(query, user.respond(query))
        if strategy == "smart" and session.answers[-1].kind == "accept":
            break  # what was accepted is right; sampling on may change it, for an accept constrains nothing
        session.advance(20)
    assert triplet_distance(target, session.tree) == 0
    assert session.conflicts == ()


def test_a_user_who_contradicts_himself_does_not_stop_a_session():
    user = NoisyUser(LabelUser([0, 0, 0, 1, 1, 1, 2, 2, 2]), flip=0.4, seed=1)
    session = Session(X, seed=2)
    for _ in range(40):
        query = session.ask()
        if query is None:
            break
        session.respond(query, user.respond(query))
        session.advance(5)
    assert session.conflicts
    assert session.tree.satisfies(session.triplets).all()


def test_the_same_seed_gives_the_same_session():
    def run() -> Session:
        session, user = Session(X, seed=5), LabelUser([0, 0, 0, 1, 1, 1, 2, 2, 2])
        for _ in range(5):
            query = session.ask()
            session.respond(query, user.respond(query))
            session.advance(50)
        return session

    one, other = run(), run()
    assert one.answers == other.answers
    assert one.tree == other.tree


def test_names_come_from_a_data_frame():
    pandas = pytest.importorskip("pandas")
    session = Session(pandas.DataFrame(X, index=NAMES))
    assert session.items == tuple(NAMES)
    assert session.tree.items == tuple(NAMES)
    assert session.ask_about(["c", "a", "f"]).leaves.tolist() == [2, 0, 5]


@pytest.mark.large
def test_support_is_a_probability_that_answers_make_certain():
    session = Session(X, NAMES, seed=1).advance(20_000)
    shares = [session.support(triplet) for triplet in (("a", "b", "c"), ("a", "c", "b"), ("b", "c", "a"))]
    assert sum(shares) == pytest.approx(1)
    tree = session.tree
    for v in range(tree.num_leaves, tree.num_nodes):
        assert session.clade_support(tree.leaves(v)) == pytest.approx(tree.support[v])
    session.answer(None, ("a", "b", "c"))
    session.advance(5_000)
    assert session.support(("a", "b", "c")) == 1.0


@pytest.mark.large
def test_draws_that_satisfy_a_new_answer_are_kept_as_draws():
    session = Session(X, seed=1).advance(50_000)
    triplet = next(t for t in all_triplets(9) if 0.3 < session.support(t) < 0.9)
    share, count = session.support(triplet), len(session.samples)
    session.answer(None, triplet)
    assert len(session.samples) == pytest.approx(share * count)


@pytest.mark.large
def test_diagnostics_say_whether_to_trust_the_result():
    session = Session(X, seed=0)
    assert not session.diagnose().is_trustworthy
    found = session.advance(200_000).diagnose()
    assert found.is_trustworthy, found.sentence
    assert (found.num_chains, found.num_draws) == (2, 100)


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (lambda s: s.retract(7), "there is no answer 7; there are 2 answers, numbered from 0"),
        (lambda s: s.retract(0), "answer 0 has been taken back already"),
        (lambda s: s.retract(1), "answer 1 is a retraction; to undo it, give the answer again"),
        (lambda s: s.answer(None, []), "an answer needs a triplet"),
        (
            lambda s: s.answer(None, None),
            "an answer is a triplet \\(a, b, c\\), the odd one last, or several, not None",
        ),
        (lambda s: s.answer(None, {0: 1, 1: 2, 2: 3}), "an answer is a triplet"),
        (lambda s: s.answer(None, {5, 6, 7}), "an answer is a triplet"),
        (lambda s: s.answer(None, (0, 1)), "a triplet has three items, the odd one last, not \\(0, 1\\)"),
        (lambda s: s.support(5), "an answer is a triplet"),
        (lambda s: s.answer(None, (0, 1, 1)), "are the same item"),
        (lambda s: s.answer(None, [(0, 1, 99)]), "there is no item 99"),
        (lambda s: s.answer(None, ("a", "b", "x")), "there is no item 'x'"),
        (lambda s: s.accept("yes"), "a query is what ask\\(\\) returned, not 'yes'"),
        (lambda s: s.accept(None), "a query is what ask\\(\\) returned, not None"),
        (lambda s: s.respond(s.ask(), "maybe"), "a user returns triplets"),
        (lambda s: s.respond(s.ask(), None), "a user returns triplets, .* not None"),
        (lambda s: s.consensus("strict"), 'kind must be "majority" or "credible"'),
        (lambda s: s.accept(Query("triple", [0, 1, 50], Tree([3, 3, 4, 4, -1]))), "the query is about item 50"),
        (lambda s: s.ask_about(["a", "b"]), "a query is about three items or more, not 2"),
        (lambda s: Session(X, setting="fast"), "there is no setting 'fast'; there are treetalk, paper, authors"),
        (lambda s: Session(X, num_chains=0), "num_chains must be 1 or more, not 0"),
    ],
)
def test_mistakes_are_explained_and_change_nothing(mistake, sentence):
    session = Session(X, NAMES)
    session.answer(None, (0, 1, 2))
    session.retract(0)
    before = session.answers
    with pytest.raises((ValueError, TypeError), match=sentence):
        mistake(session)
    assert session.answers == before


@pytest.mark.parametrize("num_items", [2, 3])
@pytest.mark.parametrize("strategy", ["simple", "smart", "random", "active", "interleaved", "loose"])
def test_very_few_items_are_no_trouble(num_items, strategy):
    session = Session(X[:num_items], strategy=strategy).advance(20)
    query = session.ask()
    assert (query is None) == (num_items == 2)
    assert session.tree.num_leaves == num_items


def test_a_triplet_is_understood_in_any_of_its_usual_forms():
    pandas = pytest.importorskip("pandas")
    session = Session(X, (name for name in NAMES))
    for said in ((0, 1, 2), [0, 1, 2], np.array([0, 1, 2]), ("a", "b", "c"), ["a", "b", "c"], [(0, 1, 2)]):
        (answer,) = session.answer(None, said)
        assert answer.triplet == (0, 1, 2)
    frame = pandas.DataFrame([[3, 4, 5], [6, 7, 8], [1, 2, 8]])
    assert [answer.triplet for answer in session.answer(None, frame)] == [(3, 4, 5), (6, 7, 8), (1, 2, 8)]


def test_an_interrupted_answer_is_taken_in_by_whoever_looks_next(monkeypatch):
    session = Session(X, seed=1).advance(2_000)
    triplet = next(t for t in all_triplets(9) if session.support(t) < 0.5)
    replace = Chain.replace_triplets

    def interrupted(chain, triplets, presumed):
        if chain is session.chains[1]:
            raise KeyboardInterrupt
        replace(chain, triplets, presumed)

    with monkeypatch.context() as patch:
        patch.setattr(Chain, "replace_triplets", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.answer(None, triplet)
    assert [answer.triplet for answer in session.in_force] == [triplet]
    assert all(tree.satisfies([triplet]).all() for tree in everything_shown(session))


@pytest.mark.large
def test_answers_may_come_while_another_thread_samples():
    session = Session(X, seed=1)
    stop = threading.Event()

    def sample() -> None:
        while not stop.is_set():
            session.advance(200)

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        for triplet in [(0, 1, 2), (3, 4, 5), (6, 7, 8), (2, 3, 8)]:
            session.answer(session.ask(), triplet)
            said = [answer.triplet for answer in session.in_force]
            assert session.tree.satisfies(said).all()
            assert all(tree.satisfies(said).all() for tree in session.samples)
    finally:
        stop.set()
        thread.join()


def test_a_copy_goes_its_own_way():
    session = Session(X, seed=1).advance(100)
    for copied in (copy.copy(session), pickle.loads(pickle.dumps(session))):
        assert copied.tree == session.tree
        copied.answer(None, (0, 1, 2))
        assert session.answers == ()
        assert copied.advance(50).tree.satisfies([(0, 1, 2)]).all()


def test_snapshots_come_from_all_chains_in_turn():
    session = Session(X, seed=1, setting=Setting("mine", thinning=1)).advance(100)
    latest = session._snapshots.latest(100)
    assert np.bincount(latest.chains).tolist() == [50, 50]


def test_a_triple_that_a_user_can_tell_is_found_among_many_that_are_alike():
    target = Tree([8, 8, 9, 9, 9, 9, 9, 9, 9, -1])  # only two of eight items belong together
    session, user = Session(X[:8], strategy="simple", seed=3), TreeUser(target)
    while (query := session.ask()) is not None:
        session.respond(query, user.respond(query))
    assert triplet_distance(target, session.tree) == 0


NOISE = 0.2
X4 = np.array([[0.3, -0.5], [0.1, 0.4], [-0.9, 0.2], [0.5, 0.1]])


def small_session() -> Session:
    return Session(X4, model=DirichletDiffusion(scale=1.0, noise=NOISE, origin=0.0), seed=3)


def posterior(triplets=()) -> ExactPosterior:
    return ExactPosterior(X4, NOISE, reciprocal(1.0), list(triplets), num_points=4, num_points_below=16, closeness=1.0)


@pytest.mark.large
def test_after_a_retraction_the_posterior_is_that_of_never_having_answered():
    session = small_session()
    session.answer(None, (0, 2, 1))
    session.advance(500)
    session.retract(0)
    assert Comparison(posterior(), session.chains[0], 4_000, num_moves=60).pvalue > LEVEL
    chain = Chain(X4, [(0, 2, 1)], session.chains[0].model, closeness=session.setting.closeness)
    assert Comparison(posterior([(0, 2, 1)]), chain, 4_000, 60).pvalue > LEVEL


@pytest.mark.large
def test_an_answer_that_comes_back_into_force_shapes_the_posterior():
    session = small_session()
    session.answer(None, [(0, 2, 1), (0, 1, 2)])
    session.advance(500)
    session.retract(0)
    assert Comparison(posterior([(0, 1, 2)]), session.chains[1], 4_000, num_moves=60).pvalue > LEVEL


def test_a_session_knows_its_features_and_does_not_share_them():
    given = np.arange(12.0).reshape(4, 3)
    session = Session(given)
    given[0, 0] = 100.0
    assert session.X[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        session.X[0, 0] = 1.0
