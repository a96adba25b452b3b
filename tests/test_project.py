"""A project: what is put into a file comes out of it, and every answer is in it at once."""

import copy
import json
import math
import pickle
import sqlite3
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projects import ITEMS, X, change, new_project, rows, talk_about_animals
from treetalk import Project, Session, open_project
from treetalk.errors import ProjectError
from treetalk.project import Picture
from treetalk.project.naming import with_names

any_text = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
any_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**400), 10**400)
    | st.floats(allow_nan=False, allow_infinity=False)
    | any_text,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(any_text, parts, max_size=3),
    max_leaves=5,
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "animals.treetalk"


# --- what is put in comes out


@settings(max_examples=40)
@given(st.data())
def test_items_and_all_that_belongs_to_them_come_back_as_they_were(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "any.treetalk"
    size = data.draw(st.integers(2, 5))

    def many(values, **how):
        return data.draw(st.lists(values, min_size=size, max_size=size, **how))

    ids = many(any_text, unique=True)
    texts = many(st.none() | any_text)
    more = many(st.dictionaries(any_text, any_json, max_size=3))
    pictures = many(st.none() | st.tuples(st.binary(max_size=20), st.sampled_from(["image/png", "image/jpeg"])))
    numbers = np.array(many(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))))
    columns = data.draw(st.lists(any_text, min_size=2, max_size=2, unique=True))
    Project.create(path, numbers, ids, texts=texts, more=more, pictures=pictures, feature_names=columns).close()
    with open_project(path, read_only=True) as project:
        assert project.items == tuple(ids)
        assert project.texts == tuple(texts)
        assert project.more == tuple(more)
        assert [project.picture(i) for i in range(size)] == [
            None if each is None else Picture(*each) for each in pictures
        ]
        assert project.X.tobytes() == numbers.tobytes()
        assert project.feature_names == tuple(columns)


@settings(max_examples=20)
@given(st.lists(any_text, min_size=3, max_size=3, unique=True), any_text, any_text, any_text.filter(str.strip))
def test_any_words_may_be_in_an_answer_and_in_a_name(tmp_path_factory, ids, who, comment, name):
    path = tmp_path_factory.mktemp("any") / "any.treetalk"
    with Project.create(path, X[:3], ids) as project:
        project.answer(project.ask_about(ids), (0, 1, 2), who=who, comment=comment)
        project.name_cluster(ids[:2], name)
        assert project.tree.names[project.session.tree.mrca(0, 1)] == name.strip()
    with open_project(path, read_only=True) as project:
        assert project.records[0][2:5] == (who, project.records[0].seconds, comment)
        assert project.names == {frozenset({0, 1}): name.strip()}


def test_a_data_frame_brings_the_names_of_items_and_features(path):
    frame = pd.DataFrame(X, index=ITEMS, columns=["size", "speed", "noise"])
    with Project.create(path, frame) as project:
        assert project.items == tuple(ITEMS)
        assert project.feature_names == ("size", "speed", "noise")
        np.testing.assert_array_equal(project.X, X)


def test_items_without_names_are_numbered(path):
    with Project.create(path, X[:2]) as project:
        assert project.items == ("0", "1")
        assert project.feature_names == ("0", "1", "2")
        assert project.texts == (None, None)
        assert project.more == ({}, {})
        assert project.ask() is None


def test_settings_come_back_with_what_else_is_known(path):
    about = {"source": "animals.csv", "notes": ["one", "zwei"]}
    with new_project(path, strategy="simple", model={"noise": 0.5}, about=about, seed=11) as project:
        kept = project.settings
        assert {key: kept[key] for key in ("strategy", "setting", "subset_size", "seed", "source", "notes")} == {
            "strategy": "simple",
            "setting": "treetalk",
            "subset_size": 4,
            "seed": 11,
            **about,
        }
        assert project.model.noise == 0.5
        assert project.session.chains[0].model.noise == 0.5
        assert project.ask().kind == "triple"


@pytest.mark.parametrize("attempt", [pickle.dumps, copy.deepcopy])
def test_an_open_project_is_not_copied_and_says_what_can_be(path, attempt):
    with new_project(path) as project:
        with pytest.raises(TypeError, match=r"is open, and cannot be copied or pickled; its session can"):
            attempt(project)
        assert attempt(project.session.copy())


def test_a_strategy_may_be_chosen_for_one_time(path):
    new_project(path).close()
    with open_project(path, strategy="simple") as project:
        assert project.ask().kind == "triple"
    with open_project(path) as project:
        assert project.ask().kind == "subtree"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"strategy": "clever"}, "there is no strategy 'clever'"),
        ({"subset_size": 2}, "subset_size must be 3 or more, not 2"),
        ({"seed": 1}, "a project is opened with `strategy`, `subset_size` and `num_candidates`, not 'seed'"),
    ],
)
def test_a_wrong_option_is_no_fault_of_the_file(path, options, sentence):
    new_project(path).close()
    with pytest.raises((TypeError, ValueError), match=sentence):
        open_project(path, **options)
    open_project(path).close()


HALF = "\ud800"


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"items": ["cat", f"dog{HALF}", "eel"]}, "the name of item 1 has half a character in it"),
        ({"items": ["cat", "dog"]}, "2 item names were given for 3 items"),
        ({"texts": ["a", "b", HALF]}, "text 2 has half a character in it"),
        ({"texts": ["a", 1, None]}, "text 1 must be text, not 1"),
        ({"texts": ["a"]}, "1 texts were given where 3 are needed"),
        ({"texts": "abc"}, "texts must be a sequence, not 'abc'"),
        ({"more": [{}, {"weight": math.nan}, {}]}, "column 'weight' of item 'dog' cannot be kept, as it is no JSON"),
        (
            {"more": [{}, {"weight": np.float32(1)}, {}]},
            "column 'weight' of item 'dog' cannot be kept, as it is no JSON",
        ),
        ({"more": [{}, {"size": [HALF]}, {}]}, "column 'size' of item 'dog' cannot be kept, as it is no JSON"),
        ({"more": [{}, {"size": 10**5000}, {}]}, "column 'size' of item 'dog' cannot be kept, as it is no JSON"),
        ({"more": [{1: "one"}, {}, {}]}, "the name of a column must be text, not 1"),
        ({"more": [{}, None, {}]}, "the further columns of item 'dog' must be a table, not None"),
        ({"pictures": [b"png", None, None]}, r"the picture of item 'cat' must be bytes with a media type"),
        ({"feature_names": ["a", "b"]}, "2 feature names were given where 3 are needed"),
        ({"feature_names": ["a", "b", "a"]}, "the names of features must be unique: 'a' was given 2 times"),
        ({"about": {"notes": {1, 2}}}, "setting 'notes' cannot be kept, as it is no JSON"),
        ({"model": {"noise": -1}}, "noise"),
        ({"strategy": "clever"}, "there is no strategy 'clever'"),
    ],
)
def test_what_a_file_cannot_hold_is_refused_and_no_file_is_made(path, parts, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        Project.create(path, X[:3], **{"items": ["cat", "dog", "eel"], **parts})
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("circumstances", "sentence"),
    [
        ({"comment": HALF}, "the `comment` of an answer has half a character in it"),
        ({"who": 7}, "the `who` of an answer must be text, not 7"),
        ({"seconds": math.inf}, "the `seconds` of an answer must be 0 or more, not inf"),
        ({"seconds": "two"}, "the `seconds` of an answer must be a number, not 'two'"),
        ({"mood": "good"}, "an answer has `who`, `comment`, `seconds` and `gesture`, not 'mood'"),
        ({"who": ["Ada"]}, "`who` has 1 values, one for each answer, and there are 2 answers"),
    ],
)
def test_circumstances_that_make_no_sense_are_refused_and_nothing_is_recorded(path, circumstances, sentence):
    with new_project(path) as project:
        with pytest.raises((TypeError, ValueError), match=sentence):
            project.answer(None, [("cat", "lynx", "dog"), ("dog", "wolf", "cat")], **circumstances)
        assert project.answers == project.records == ()


# --- answers


def test_every_kind_of_answer_is_in_the_file_before_the_call_returns(path):
    def last():
        columns = "id, who, kind, a, b, c, retracts, shown, strategy, seconds, comment"
        return rows(path, f"SELECT {columns} FROM answers ORDER BY id DESC LIMIT 1")[0]

    with new_project(path) as project:
        query = project.ask_about(["cat", "dog", "eel"])
        shown = "[0, 2, 4]"
        project.answer(query, ("cat", "dog", "eel"), who="Ada", seconds=2.5, comment="fur")
        assert last() == (0, "Ada", "triplet", 0, 2, 4, None, shown, "chosen", 2.5, "fur")
        project.accept(query, who="Ben", seconds=1)
        assert last() == (1, "Ben", "accept", None, None, None, None, shown, "chosen", 1.0, None)
        project.same(query, who="Ben", seconds=1)
        assert last() == (2, "Ben", "same", None, None, None, None, shown, "chosen", 1.0, None)
        project.skip(query, who="Ben", seconds=1)
        assert last() == (3, "Ben", "skip", None, None, None, None, shown, "chosen", 1.0, None)
        project.retract(0, who="Ada", comment="a slip")
        assert last() == (4, "Ada", "retract", None, None, None, 0, None, None, None, "a slip")
        project.respond(query, ("eel", "cat", "dog"), who="Ada", seconds=3)
        assert last() == (5, "Ada", "triplet", 4, 0, 2, None, shown, "chosen", 3.0, None)
        assert rows(path, "SELECT a, b, c FROM said WHERE id = 5") == [("eel", "cat", "dog")]
        assert project.answers == project.session.answers == tuple(record.answer for record in project.records)


def test_what_was_shown_is_kept_as_a_tree_and_who_and_how_long_are_found_out(path, monkeypatch):
    monkeypatch.setenv("TREETALK_USER", "Ada")
    with new_project(path) as project:
        query = project.ask()
        project.skip(query)
        (record,) = project.records
        assert record.who == "Ada"
        assert record.seconds >= 0
        assert record.answer.leaves == tuple(query.leaves.tolist())
        assert record.time.endswith("+00:00")
        assert all(name in record.shown for name in query.tree.items)


def test_of_several_triplets_each_may_have_its_own_circumstances(path):
    with new_project(path) as project:
        project.answer(None, [(0, 1, 2), (2, 3, 0)], who=["Ada", None], comment=["one", "two"])
        assert [(record.who, record.comment) for record in project.records] == [("Ada", "one"), (None, "two")]


def test_taking_back_several_answers_is_all_or_nothing(path):
    with new_project(path) as project:
        project.answer(None, [(0, 1, 2), (2, 3, 0), (4, 5, 6)])
        with pytest.raises(ValueError, match="there is no answer 9"):
            project.retract([0, 9])
        assert rows(path, "SELECT count(*) FROM answers") == [(3,)]
        assert len(project.session.in_force) == 3
        project.retract([0, 2])
        assert rows(path, "SELECT id, retracts FROM answers WHERE kind = 'retract'") == [(3, 0), (4, 2)]
        assert [answer.id for answer in project.session.in_force] == [1]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE answers SET comment = 'other'",
        "DELETE FROM answers",
        "INSERT OR REPLACE INTO answers SELECT * FROM answers WHERE id = 0",
        "UPDATE names SET name = 'other'",
        "DELETE FROM names",
        "INSERT OR REPLACE INTO names SELECT * FROM names WHERE id = 1",
    ],
)
def test_answers_and_names_are_only_ever_added(path, statement):
    with new_project(path) as project:
        talk_about_animals(project)
    with pytest.raises(sqlite3.IntegrityError, match=r"are never (changed|deleted|replaced)"):
        change(path, statement)


def test_numbers_of_answers_go_on_after_the_project_was_closed(path):
    for number in range(3):
        with open_project(path) if path.exists() else new_project(path) as project:
            assert project.answer(None, (0, 1, 2))[0].id == number


def test_two_threads_that_answer_at_once_lose_nothing_and_double_nothing(path):
    with new_project(path) as project:
        returned = {"Ada": [], "Ben": []}

        def say(who):
            for i in range(20):
                returned[who] += project.answer(None, (i % 4, 4, 5 + i % 3), who=who, comment=str(i))

        threads = [threading.Thread(target=say, args=(who,)) for who in returned]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = {who: [record for record in project.records if record.who == who] for who in returned}
        for who, answers in returned.items():
            assert [record.answer for record in found[who]] == answers
            assert [record.comment for record in found[who]] == [str(i) for i in range(20)]
        assert [record.answer.id for record in project.records] == list(range(40))


def test_threads_that_come_first_at_once_share_one_session(path):
    with new_project(path) as project:
        barrier = threading.Barrier(4)
        sessions = []

        def look():
            barrier.wait()
            sessions.append(project.session)

        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(sessions) == 4
        assert len(set(map(id, sessions))) == 1


# --- names


def test_names_come_back_the_latest_one_and_none_that_was_taken_away(path):
    with new_project(path) as project:
        project.name_cluster(["cat", "lynx"], "cats")
        project.name_cluster(["lynx", "cat"], " felines ", who="Ada")
        project.name_cluster([4, 5], "fish")
        project.name_cluster([4, 5], None)
    assert json.loads(rows(path, "SELECT items FROM names WHERE who = 'Ada'")[0][0]) == [0, 1]
    with open_project(path, read_only=True) as project:
        assert project.names == {frozenset({0, 1}): "felines"}


@pytest.mark.parametrize("name", ["", "  ", 7, HALF])
def test_a_name_is_a_word_or_more(path, name):
    with new_project(path) as project:
        with pytest.raises(ValueError, match="name of a cluster"):
            project.name_cluster([0, 1], name)
        assert project.names == {}


def test_a_name_stays_with_the_clade_that_is_most_like_what_was_named(path):
    with new_project(path) as project:
        tree = project.session.tree
        v = max((v for v in range(len(ITEMS), tree.num_nodes) if v != tree.root), key=lambda v: tree.sizes[v])
        named = with_names(tree, {frozenset(tree.leaves(v).tolist()): "big"})
        assert named.names[v] == "big"
        alien = [tree.leaves(child)[0] for child in tree.children(tree.root)]
        assert with_names(tree, {frozenset(map(int, alien)): "odd pair"}).names is None


def test_a_closed_project_says_so(path):
    project = new_project(path)
    project.close()
    project.close()
    with pytest.raises(ProjectError, match=r"animals.treetalk was closed"):
        project.answer(None, (0, 1, 2))
    with pytest.raises(ProjectError, match=r"animals.treetalk was closed"):
        _ = project.settings
    assert "animals.treetalk" in repr(project)


# --- what was accepted


def test_a_piece_that_was_accepted_is_not_shown_again_unless_that_is_taken_back_or_the_tree_has_changed(path):
    with Project.create(path, X[:3], ITEMS[:3]) as project:
        query = project.ask()
        accepted = project.accept(query)
        assert project.ask() is None
    with open_project(path) as project:
        assert project.ask() is None, "also tomorrow"
        project.retract(accepted.id)
        again = project.ask()
        assert set(again.leaves) == {0, 1, 2}
        project.accept(again)
        a, b, c = next(three for three in ((0, 1, 2), (0, 2, 1), (1, 2, 0)) if not project.tree.satisfies([three])[0])
        project.answer(None, (a, b, c))
        assert project.ask() is None, "the answer settles it"
        project.retract(len(project.answers) - 1)
        assert project.ask() is not None, "another tree than the one that was accepted"


# --- as a session is used


def test_a_project_is_used_as_a_session_is(path):
    with new_project(path) as project:
        session = project.advance(2_000).session
        assert project.support((0, 1, 2)) == session.support((0, 1, 2))
        assert project.clade_support([0, 1]) == session.clade_support([0, 1])
        assert project.consensus() == session.consensus()
        assert project.samples == session.samples
        assert project.diagnose() == session.diagnose()
        assert project.in_force == session.in_force
        assert (project.column_weights == session.column_weights).all()


def test_a_project_in_the_papers_setting_has_the_papers_model(path):
    with Project.create(path, X, ITEMS, setting="paper") as project:
        assert project.session.chains[0].model == Session(X, setting="paper").chains[0].model


def test_rows_of_a_data_frame_that_are_numbered_otherwise_keep_their_numbers_as_ids(path):
    frame = pd.DataFrame(X, index=range(5001, 5001 + len(X)))
    with Project.create(path, frame) as project:
        assert project.items[:2] == ("5001", "5002")


def test_looking_who_works_on_a_project_writes_nothing(path):
    new_project(path).close()
    with open_project(path, read_only=True) as project:
        assert project.holder is None
        assert [each.name for each in path.parent.iterdir()] == [path.name]
        with open_project(path) as worker:
            assert project.holder == worker.holder
            assert worker.holder is not None


def test_whoever_looks_keeps_nobody_from_answering(path):
    new_project(path).close()
    with open_project(path) as worker:

        class Looking(Project):
            def _new_session(self, starts=None):
                worker.answer(None, (0, 1, 2))  # while the reader is at work
                return super()._new_session(starts)

        with Looking(path, read_only=True) as reader:
            assert reader.answers == ()
            reader.refresh()
            assert reader.answers == worker.answers != ()
