"""What was said, through the HTTP API: taken back, contradicted, told again, and kept whatever goes wrong."""

import sqlite3
import time
from contextlib import closing

import pytest

from projects import ITEMS, X, new_project
from serving import Api, made_zoo, new_id, served, wait_until
from treetalk import Project, Tree, open_project
from treetalk.again import AGAIN
from treetalk.checks import CHECK
from treetalk.server.windows import Windows


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return made_zoo(tmp_path_factory.mktemp("made") / "zoo.treetalk")


def test_a_gesture_is_taken_back_as_a_whole_and_its_question_comes_again(api):
    question = api.question()
    a, b, c, d = question["leaves"]
    said = api.answer(question, [[a, b, c], [a, b, d]])
    body = {"gesture": new_id(), "window": api.window, "takes_back": said["answers"][0]["gesture"]}
    back = api.give("/retractions", **body)
    assert [answer["kind"] for answer in back["answers"]] == ["retract", "retract"]
    assert back["question"]["leaves"] == question["leaves"]
    assert api.question()["leaves"] == question["leaves"]
    assert back["state"]["in_force"] == 0
    assert api.give("/retractions", **body)["answers"] == back["answers"]
    refused = api.post("/retractions", json=body | {"gesture": new_id()})
    assert refused.json()["error"]["message"] == "That has been taken back already."


def test_a_contradiction_is_explained_and_ends_when_one_of_the_two_is_withdrawn(api):
    first = api.say((0, 1, 4))
    second = api.say((0, 4, 1))
    assert second["answers"][0]["standing"] == "set aside"
    (conflict,) = second["conflicts"]
    assert conflict["words"] == (
        "“cat and eel together, apart from lynx” contradicts “cat and lynx together, apart from eel”."
    )
    assert [answer["id"] for answer in conflict["clashes_with"]] == [0]
    assert api.look("/conflicts") == {"conflicts": [conflict], "num_conflicts": 1}
    back = api.give(
        "/retractions", gesture=new_id(), window=api.window, takes_back=first["answers"][0]["gesture"], who="Ada"
    )
    assert [answer["words"] for answer in back["back_in_force"]] == ["cat and eel together, apart from lynx"]
    assert api.look("/conflicts")["num_conflicts"] == 0


def test_the_history_tells_gestures_the_newest_first(api):
    api.say((0, 1, 4), (0, 1, 5), who="Ada")
    question = api.question()
    api.answer(question, "accept", who="Ben", seconds=3)
    api.give("/comments", answer=0, text="by family", who="Ben")
    api.say((0, 4, 1))
    told = api.look("/history")
    assert [entry["words"] for entry in told["gestures"]] == [
        "cat and eel together, apart from lynx",
        "right as it was shown",
        "cat and lynx together, apart from eel and trout",
    ]
    assert [entry["standing"] for entry in told["gestures"]] == ["set aside", "noted", "in force"]
    assert [entry["ids"] for entry in told["gestures"]] == [[3], [2], [0, 1]]
    assert told["gestures"][2]["comments"][0]["text"] == "by family"
    part = api.look("/history", limit=1)
    parts = [part["gestures"][0]["ids"]]
    while part["next"] is not None:
        part = api.look("/history", limit=1, before=part["next"])
        parts.append(part["gestures"][0]["ids"])
    assert parts == [[3], [2], [0, 1]]


def test_answers_of_other_programs_are_in_the_history_too(zoo):
    with open_project(zoo) as project:
        project.answer(None, ("cat", "lynx", "eel"), who="Ada")
    with served(zoo) as (address, _), Api(address) as api:
        assert api.look("/history")["gestures"][0]["gesture"] == "0"
        api.give("/retractions", gesture=new_id(), window=api.window, takes_back="0")
        assert [entry["standing"] for entry in api.look("/history")["gestures"]] == ["noted", "taken back"]


def test_what_is_meant_for_another_project_is_refused(api):
    project = api.look("/project")["id"]
    assert api.look("/state")["project"] == project
    body = api.answering(None, [[0, 1, 4]])
    refused = api.post("/answers", json=body | {"project": "another"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "mistaken")
    assert refused.json()["error"]["message"] == "That is about another project; this is zoo.treetalk now."
    assert api.look("/history")["num_records"] == 0
    assert api.give("/answers", **body, project=project)["answers"]


def test_a_gesture_says_one_thing(api):
    body = api.answering(None, [[0, 1, 4]])
    api.give("/answers", **body)
    for other in (
        api.post("/answers", json=body | {"response": {"kind": "triplets", "triplets": [[0, 1, 5]]}}),
        api.post("/retractions", json={"gesture": body["gesture"], "window": api.window, "answers": [0]}),
    ):
        assert (other.status_code, other.json()["error"]["code"]) == (409, "mistaken")
    assert api.look("/history")["num_records"] == 1


def test_whoever_did_not_hear_of_a_contradiction_hears_of_it_when_it_is_sent_again(api):
    api.say((0, 1, 4))
    body = api.answering(None, [[0, 4, 1]])
    first, second = (api.give("/answers", **body) for _ in range(2))
    assert first["conflicts"] == second["conflicts"] != []


def test_a_check_that_is_answered_again_is_no_check_any_more(animals):
    api, _, _ = animals
    question = api.question()
    while question["strategy"] != CHECK:
        question = api.answer(question, "skip")["question"]
    tree, three = Tree(question["piece"]["parents"]), question["leaves"]
    wrong = [[three[i] for i in way] for way in ((0, 1, 2), (0, 2, 1)) if not tree.satisfies([way])[0]][:1]
    said = api.answer(question, wrong)
    body = {"gesture": new_id(), "window": api.window, "takes_back": said["answers"][0]["gesture"]}
    again = api.give("/retractions", **body)["question"]
    assert (again["kind"], again["leaves"], again["strategy"]) == ("triple", three, "chosen")


def test_what_contradicts_something_is_asked_for_again_and_saying_otherwise_can_be_taken_back(animals):
    api, _, _ = animals
    api.say((0, 1, 2), who="Ada")
    api.say((0, 2, 1), who="Ben")
    question = api.question()
    while question["strategy"] != AGAIN:
        question = api.answer(question, "skip")["question"]
    assert (question["kind"], sorted(question["leaves"])) == ("triple", [0, 1, 2])
    assert question["words"] == "Once more, to be sure: which is the odd one?"
    said = api.answer(question, [[0, 2, 1]], who="Cleo")
    assert [answer["standing"] for answer in said["answers"]] == ["in force"]
    assert [(answer["id"], answer["standing"]) for answer in said["taken_back"]] == [(0, "taken back")]
    assert api.look("/conflicts")["num_conflicts"] == 0
    back, again, *_ = api.look("/history")["gestures"]
    assert (back["kind"], back["who"], again["kind"]) == ("retract", "Cleo", "triplet")
    assert back["words"] == "taken back: aardvark and antelope together, apart from bass"
    body = {"gesture": new_id(), "window": api.window, "takes_back": again["gesture"]}
    done = api.give("/retractions", **body)
    assert [(answer["id"], answer["standing"]) for answer in done["stay_taken_back"]] == [(0, "taken back")]
    asked = done["question"]
    assert (asked["kind"], asked["strategy"], sorted(asked["leaves"])) == ("triple", AGAIN, [0, 1, 2])


def test_two_windows_are_not_asked_the_same_thing_again(tmp_path):
    with new_project(tmp_path / "some.treetalk") as project:
        project.answer(None, [(0, 1, 2), (0, 2, 1)])
        windows = Windows(project, 10)
        asked = [windows.next(name) for name in "abcdef"]
        assert [query.strategy for query in asked if query].count(AGAIN) == 1


def test_of_very_many_triplets_only_the_number_is_told(animals):
    api, _, _ = animals
    many = [[a, b, c] for a in range(10) for b in range(a + 1, 30) for c in range(40, 43)]
    said = api.answer(None, many)
    assert said["answers"][0]["words"] == "aardvark and antelope together, apart from housefly"
    (entry,) = api.look("/history")["gestures"]
    assert (entry["words"], entry["num_triplets"]) == (f"{len(many)} statements about 33 items", len(many))
    assert len(entry["triplets"]) == 200


def test_two_items_leave_nothing_to_ask(tmp_path):
    path = tmp_path / "two.treetalk"
    Project.create(path, X[:2], ITEMS[:2]).close()
    with served(path) as (address, _), Api(address) as api:
        assert api.question() is None
        wait_until(lambda: api.look("/state")["sampling"]["state"] == "resting")


def test_another_program_that_reads_the_file_stops_nothing(zoo, monkeypatch):
    monkeypatch.setattr("treetalk.server.sampler.SECONDS_BETWEEN_SAVES", 0.2)
    with served(zoo) as (address, _), Api(address) as api, closing(sqlite3.connect(zoo)) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM items").fetchall()
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            assert api.look("/state")["sampling"]["state"] != "failed"
            api.question()
        other.execute("COMMIT")
        api.say((0, 1, 4))
    with open_project(zoo) as project:
        assert project.session.snapshots.num_draws > 1


def test_answers_are_recorded_and_shown_when_sampling_fails(zoo, caplog):
    with served(zoo) as (address, desk), Api(address) as api:

        def fail(*_):
            raise RuntimeError("the sampler is broken")

        desk._session.advance = fail
        api.say((0, 1, 4))
        wait_until(lambda: api.look("/state")["sampling"]["state"] == "failed")
        api.say((2, 3, 5))
        wait_until(lambda: desk._board.shown.tree.satisfies([(0, 1, 4), (2, 3, 5)]).all())
        assert "the sampler is broken" in caplog.text
        del desk._session.advance
