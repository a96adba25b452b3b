"""A session that was put away goes on where it was, to the last bit; what makes no sense there costs no answer."""

import copy
import pickle
import shutil
import sys
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projects import ITEMS, VERSION_1, X, change, new_project, rows, shapes, talk_about_animals
from strategies import seeds
from treetalk import Session, build, open_project
from treetalk.answers import Answer, Ledger


@pytest.fixture
def path(tmp_path):
    return tmp_path / "animals.treetalk"


# --- a session


def say_something(session: Session, rng: np.random.Generator) -> None:
    """Ask, answer somehow, sample."""
    query = session.ask()
    action = rng.choice(["answer", "several", "retract", "accept", "advance"])
    open_answers = [
        answer.id
        for answer in session.answers
        if answer.kind != "retract" and answer.id not in {each.retracts for each in session.answers}
    ]
    if action == "answer":
        session.answer(query, rng.choice(session.num_items, 3, replace=False).tolist())
    elif action == "several":
        session.answer(None, [rng.choice(session.num_items, 3, replace=False).tolist() for _ in range(3)])
    elif action == "retract" and open_answers:
        session.retract(int(rng.choice(open_answers)))
    elif action == "accept" and query is not None:
        session.accept(query)
    else:
        session.advance(int(rng.integers(1, 40)))


def everything(session: Session) -> list[object]:
    trees = [session.tree, *session.samples, *(chain.tree for chain in session.chains)]
    query = session.ask()
    return [
        [tree.to_newick() for tree in trees],
        [(chain.log_posterior, chain.info) for chain in session.chains],
        session.answers,
        session.in_force,
        session.conflicts,
        None if query is None else query.leaves.tolist(),
    ]


STRATEGIES = ["simple", "interleaved", "smart", "loose", "grouped"]


@settings(max_examples=15)
@given(seeds, st.sampled_from(["treetalk", "paper"]), st.sampled_from(STRATEGIES))
def test_a_session_taken_up_elsewhere_goes_on_exactly(seed, setting, strategy):
    options = {"setting": setting, "strategy": strategy, "subset_size": 4}
    rng = np.random.default_rng(seed)
    session = Session(X, ITEMS, seed=seed % 100, **options)
    for _ in range(6):
        say_something(session, rng)
    kept = session.put_away()
    # Another seed: everything random comes from what was kept.
    again = Session(X, ITEMS, seed=1, starts=[chain.tree() for chain in kept.chains], **options)
    again.take_up(kept, session.answers)
    other = copy.deepcopy(rng)
    for _ in range(4):
        assert everything(session) == everything(again)
        say_something(session, rng)
        say_something(again, other)


def test_what_was_put_away_does_not_change_when_the_session_goes_on():
    session = Session(X, ITEMS)
    session.advance(50)
    kept = session.put_away()
    before = copy.deepcopy(kept)
    session.answer(session.ask(), (0, 1, 2))
    session.advance(50)
    assert kept[:3] == before[:3]
    for now, then in zip(kept.chains, before.chains, strict=True):
        assert [part.tobytes() for part in now] == [part.tobytes() for part in then]
    assert kept.snapshots.parents.tobytes() == before.snapshots.parents.tobytes()
    assert kept.snapshots.ages.tobytes() == before.snapshots.ages.tobytes()


@settings(max_examples=20)
@given(seeds)
def test_answers_replayed_at_once_are_in_force_as_if_they_had_come_one_by_one(seed):
    rng = np.random.default_rng(seed)
    session = Session(X, ITEMS)
    for _ in range(12):
        say_something(session, rng)
    again = Session(X, ITEMS)
    cut = int(rng.integers(0, len(session.answers) + 1))
    again.replay(session.answers[:cut])
    again.replay(session.answers[cut:])
    assert again.answers == session.answers
    assert again.in_force == session.in_force
    assert again.conflicts == session.conflicts


@given(
    st.lists(st.permutations(range(5)), max_size=12),
    st.dictionaries(st.integers(-1, 13), st.integers(-1, 13), max_size=3),
)
def test_what_is_known_to_be_set_aside_is_taken_over_if_it_fits_and_found_out_anew_if_not(three, wrong):
    ledger = Ledger(5)
    ledger.extend(ledger.next_entries("triplet", None, None, [(a, b, c) for a, b, c, *_ in three]))
    again = Ledger(5)
    again.restore(ledger.entries, ledger.set_aside)
    assert (again.in_force, again.conflicts) == (ledger.in_force, ledger.conflicts)
    other = Ledger(5)
    other.restore(ledger.entries, wrong)
    in_force = {answer.id for answer in other.in_force}
    assert in_force.isdisjoint(other.set_aside)
    assert in_force | other.set_aside.keys() == set(range(len(three)))
    assert build(other.triplets(), 5).satisfies(other.triplets()).all()


def test_an_answer_that_cannot_be_written_down_does_not_come_to_be():
    session = Session(X, ITEMS)
    written: list[tuple[Answer, ...]] = []

    def journal(answers: tuple[Answer, ...]) -> None:
        if written:
            raise OSError("the disk is full")
        written.append(answers)

    session.keep_journal(journal)
    first = session.answer(None, (0, 1, 2))
    for say in (
        lambda: session.answer(None, (3, 4, 5)),
        lambda: session.retract(0),
        lambda: session.skip(session.ask()),
    ):
        with pytest.raises(OSError, match="the disk is full"):
            say()
    assert written == [first]
    assert session.answers == session.in_force == first


def test_a_copy_writes_nothing_down():
    session = Session(X, ITEMS)
    written: list[tuple[Answer, ...]] = []
    session.keep_journal(written.append)
    session.copy().answer(None, (0, 1, 2))
    pickle.loads(pickle.dumps(session)).answer(None, (0, 1, 2))
    assert written == []


# --- a project


@pytest.mark.parametrize("setting", ["treetalk", "paper"])
def test_a_project_that_was_closed_goes_on_as_if_it_had_not_been(path, tmp_path, setting):
    other = tmp_path / "other.treetalk"
    for each in (path, other):
        with new_project(each, setting=setting, seed=5) as project:
            project.answer(project.ask(), [(0, 1, 2), (0, 1, 2)])
            project.accept(project.ask())
            project.advance(300)
            project.answer(project.ask(), [(4, 5, 0), (6, 7, 4)])
            if each == other:
                project.save()
                unbroken = _go_on(project)
    with open_project(path) as project:
        assert _go_on(project) == unbroken


def _go_on(project):
    seen = []
    for triplet in ((0, 1, 4), (2, 3, 5), (1, 0, 6)):
        query = project.ask()
        seen.append(query.leaves.tolist())
        project.answer(query, triplet)
        project.advance(200)
        seen += shapes(project)
    return seen


def test_a_question_is_not_asked_again_because_the_project_was_closed(path, tmp_path):
    with new_project(tmp_path / "other.treetalk") as project:
        unbroken = [project.ask().leaves.tolist() for _ in range(4)]
    new_project(path).close()
    asked = []
    for _ in range(4):
        with open_project(path) as project:
            asked.append(project.ask().leaves.tolist())
    assert asked == unbroken


def test_what_is_said_unasked_is_put_away_too(path, tmp_path):
    other = tmp_path / "other.treetalk"
    for each in (path, other):
        with new_project(each, seed=5) as project:
            for triplet in ((0, 4, 1), (2, 6, 3), (5, 7, 0), (1, 3, 7)):
                project.answer(None, triplet)
            if each == other:
                project.save()
                unbroken = shapes(project)
    with open_project(path) as project:
        assert shapes(project) == unbroken


def test_an_answer_that_was_only_just_written_when_it_was_interrupted_is_taken_in_first(path):
    with new_project(path) as project:
        _ = project.session
        change(path, "INSERT INTO answers (id, time, kind, a, b, c) VALUES (0, '', 'triplet', 0, 4, 1)")
        assert project.answer(None, (2, 6, 3))[0].id == 1
        assert [answer.triplet for answer in project.session.in_force] == [(0, 4, 1), (2, 6, 3)]


def test_draws_are_still_draws_when_a_triplet_was_said_twice(path):
    with new_project(path) as project:
        project.answer(None, [(0, 1, 2), (1, 0, 2)])
        project.advance(200, num_snapshots=20)
        project.save()
        num_draws = project.session.put_away().snapshots.num_draws
    with open_project(path) as project:
        project.answer(None, project.session.triplets[0].tolist())
        assert project.session.put_away().snapshots.num_draws == num_draws > 0


def test_answers_after_the_last_save_are_in_force_on_opening(path):
    project = new_project(path)
    project.advance(100)
    project.save()
    project.answer(None, [(0, 4, 1), (2, 6, 3)])
    project.retract(1)
    project._database.close()  # as an end without a word
    project._hold.release()
    with open_project(path) as again:
        assert [answer.id for answer in again.session.in_force] == [0]
        assert all(tree.satisfies([(0, 4, 1)]).all() for tree in _all_trees(again.session))


def test_after_opening_every_tree_satisfies_every_answer_in_force(path):
    with new_project(path) as project:
        talk_about_animals(project)
        in_force = project.session.in_force
        conflicts = project.conflicts
    with open_project(path) as project:
        assert project.session.in_force == in_force
        assert project.conflicts == conflicts != ()
        triplets = [answer.triplet for answer in in_force]
        for _ in range(2):
            assert all(tree.satisfies(triplets).all() for tree in _all_trees(project.session))
            project.advance(200)


def _all_trees(session: Session):
    summaries = [session.tree, session.consensus("majority"), session.consensus("credible")]
    return [*summaries, *session.samples, *(chain.tree for chain in session.chains)]


def test_the_trees_are_put_away_now_and_then_without_being_told(path):
    with new_project(path) as project:
        for _ in range(20):
            project.advance(1)
        assert rows(path, "SELECT count(*) FROM snapshots")[0][0] > 0


def test_a_project_that_nothing_was_done_with_is_put_away_unchanged(path):
    with new_project(path) as project:
        talk_about_animals(project)
    tables = ["answers", "names", "sampling", "chains", "snapshots", "items", "settings"]
    before = [rows(path, f"SELECT * FROM {table}") for table in tables]
    with open_project(path) as project:
        _ = project.tree
    assert [rows(path, f"SELECT * FROM {table}") for table in tables] == before


# --- what is kept makes no sense


def blob(numbers: object, dtype: str) -> bytes:
    return np.array(numbers, dtype).tobytes()


# Parents for eight leaves: two nodes above each other, apart from a tree over the rest.
CIRCLE = blob([8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 14, 14, 13, -1], "<i4")
DAMAGES = {
    "snapshots lost": ("DELETE FROM snapshots",),
    "chains lost": ("DELETE FROM chains",),
    "tables lost": ("DROP TABLE snapshots; DROP TABLE chains",),
    "parents cut off": ("UPDATE snapshots SET parents = substr(parents, 1, 20) WHERE number = 1",),
    "all parents cut off": ("UPDATE snapshots SET parents = substr(parents, 1, 20)",),
    "parents cut off within a number": ("UPDATE snapshots SET parents = substr(parents, 1, 21)",),
    "parents empty": ("UPDATE snapshots SET parents = x''",),
    "parents no bytes": ("UPDATE snapshots SET parents = 'cat'",),
    "parents out of range": ("UPDATE snapshots SET parents = ?", blob([1000] * 15, "<i4")),
    "parents negative": ("UPDATE snapshots SET parents = ?", blob([-7] * 15, "<i4")),
    "a circle": ("UPDATE snapshots SET parents = ? WHERE number = 2", CIRCLE),
    "other items": ("UPDATE snapshots SET parents = ?, ages = ?", blob([2, 2, -1], "<i4"), blob([0, 0, 0.5], "<f8")),
    "ages upside down": ("UPDATE snapshots SET ages = ?", blob([0.5] * 15, "<f8")),
    "ages no numbers": ("UPDATE snapshots SET ages = ?", blob([np.nan] * 15, "<f8")),
    "densities no numbers": ("UPDATE snapshots SET log_prior = 'high'",),
    "densities not finite": ("UPDATE snapshots SET log_prior = 9e999",),
    "of a chain that is not there": ("UPDATE snapshots SET chain = 7",),
    "of a chain before the first": ("UPDATE snapshots SET chain = -1",),
    "a chain's parents out of range": ("UPDATE chains SET parents = ?", blob([1000] * 15, "<i4")),
    "a chain's circle": ("UPDATE chains SET parents = ? WHERE number = 1", CIRCLE),
    "a chain's ages": ("UPDATE chains SET ages = ?", blob([0] * 8 + [2.0] * 7, "<f8")),
    "a chain cut off": ("UPDATE chains SET parents = substr(parents, 1, 20), ages = substr(ages, 1, 40)",),
    "a chain over other items": (
        "UPDATE chains SET parents = ?, ages = ?",
        blob([2, 2, -1], "<i4"),
        blob([0, 0, 0.5], "<f8"),
    ),
    "random numbers cut off": ("UPDATE chains SET random_state = substr(random_state, 1, 8)",),
    "random numbers all nought": ("UPDATE chains SET random_state = zeroblob(32)",),
    "counts of another shape": ("UPDATE chains SET counts = '[1, 2]'",),
    "counts no JSON": ("UPDATE chains SET counts = '[[1, 2'",),
    "counts too large": ("UPDATE chains SET counts = replace(counts, '0', '99999999999999999999')",),
    "the session's random numbers": ("UPDATE sampling SET random_state = '{}'",),
    "the session's random numbers of another kind": ("UPDATE sampling SET random_state = '[1, 2]'",),
    "the session's random numbers too large": (
        "UPDATE sampling SET random_state = replace(random_state, ': 0', ': 1e99')",
    ),
    "more answers than there are": ("UPDATE sampling SET num_answers = 1000",),
    "fewer answers than none": ("UPDATE sampling SET num_answers = -1",),
    "no number of answers": ("UPDATE sampling SET num_answers = 'many'",),
    "no number of questions": ("UPDATE sampling SET num_asked = 'many'",),
    "no answers set aside": ("UPDATE sampling SET set_aside = '[1, 2]'",),
}


@pytest.fixture(scope="module")
def anew(tmp_path_factory):
    """What the stored project shows if nothing was put away."""
    path = tmp_path_factory.mktemp("anew") / "animals.treetalk"
    shutil.copyfile(VERSION_1, path)
    change(path, "DELETE FROM sampling")
    with open_project(path, read_only=True) as project:
        return shapes(project)


def test_what_was_put_away_is_more_than_a_start(anew):
    with open_project(VERSION_1, read_only=True) as project:
        assert shapes(project) != anew


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_snapshots_that_make_no_sense_cost_nothing_but_the_snapshots(path, damage, anew):
    shutil.copyfile(VERSION_1, path)
    with open_project(path, read_only=True) as project:
        answers, names = project.records, project.names
    change(path, *damage)
    with open_project(path, read_only=True) as project:
        assert shapes(project) == anew
        project.advance(20)
        in_force = [answer.triplet for answer in project.session.in_force]
        assert all(tree.satisfies(in_force).all() for tree in _all_trees(project.session))
        assert project.records == answers
        assert project.names == names


def test_sound_snapshots_of_trees_that_violate_answers_are_repaired(path):
    with new_project(path) as project:
        project.advance(100, num_snapshots=10)
        trees = project.session.samples
    said = next(
        triplet
        for triplet in permutations(range(len(ITEMS)), 3)
        if not any(tree.satisfies([triplet])[0] for tree in trees)
    )
    # As if they had taken it in.
    change(path, "INSERT INTO answers (id, time, kind, a, b, c) VALUES (0, '', 'triplet', ?, ?, ?)", *said)
    change(path, "UPDATE sampling SET num_answers = 1")
    with open_project(path, read_only=True) as project:
        assert all(tree.satisfies([said]).all() for tree in _all_trees(project.session))


def test_whoever_is_interrupted_while_an_answer_is_written_down_finds_all_of_it_or_nothing():
    """Stops at every line of `Ledger.extend` in turn."""
    code = Ledger.extend.__code__
    lines = sorted({line for _, _, line in code.co_lines() if line is not None and line > code.co_firstlineno})
    num_stopped = 0
    for stop in lines:
        ledger = Ledger(6)
        ledger.extend(ledger.next_entries("triplet", None, None, [(0, 1, 2)]))
        more = ledger.next_entries("triplet", None, None, [(3, 4, 5), (0, 2, 1)])

        def interrupt(frame, event, argument, stop=stop):
            if frame.f_code is not code:
                return None
            if event == "line" and frame.f_lineno == stop:
                raise KeyboardInterrupt
            return interrupt

        before = sys.gettrace()
        sys.settrace(interrupt)
        try:
            ledger.extend(more)
        except KeyboardInterrupt:
            num_stopped += 1
        finally:
            sys.settrace(before)
        if len(ledger.entries) == 1:
            ledger.extend(more)
        assert [answer.id for answer in ledger.in_force] == [0, 1]
        assert [(clash.answer.id, [other.id for other in clash.clashes_with]) for clash in ledger.conflicts] == [
            (2, [0])
        ]
    assert num_stopped > 5
