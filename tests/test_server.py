"""The HTTP API: a dialogue by a program, on a real server with a real project."""

import itertools
import time

import numpy as np
import pytest

from projects import ITEMS, PNG, X
from serving import TEXTS, Api, as_asked, made_zoo, new_id, served, wait_until
from treetalk import Project, Query, Tree, TreeUser, open_project, triplet_distance
from treetalk.checks import CHECK
from treetalk.datasets import load_animals


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return made_zoo(tmp_path_factory.mktemp("made") / "zoo.treetalk")


# --- questions and answers


def test_a_question_has_its_items_and_a_drawing_of_them(api):
    question = api.question()
    assert question["kind"] == "subtree"
    assert [item["number"] for item in question["items"]] == question["leaves"]
    assert [item["label"] for item in question["items"]] == [ITEMS[leaf] for leaf in question["leaves"]]
    rows = {node["leaf"]: node["y"] for node in question["piece"]["nodes"] if node["leaf"] is not None}
    assert sorted(rows.values()) == list(range(len(question["leaves"])))
    tree = Tree(question["piece"]["parents"])
    for node in question["piece"]["nodes"]:
        if node["leaf"] is None:
            assert node["last"] - node["first"] + 1 == len(tree.leaves(node["node"]))


def test_a_window_keeps_its_question_until_it_is_answered(api):
    first = api.question()
    assert api.question()["leaves"] == first["leaves"]
    following = api.answer(first, "skip")["question"]
    assert api.question()["leaves"] == following["leaves"]


def test_an_answer_is_on_the_disk_when_the_response_comes(api, zoo):
    question = api.question()
    a, b, c = question["leaves"][:3]
    answered = api.answer(question, [[a, b, c]], who="Ada", comment="of course", seconds=2.5)
    with open_project(zoo, read_only=True) as project:
        record = project.records[-1]
        assert record.answer.triplet == (a, b, c)
        assert record.answer.leaves == tuple(question["leaves"])
        assert (record.who, record.comment, record.seconds) == ("Ada", "of course", 2.5)
        assert record.gesture == answered["answers"][0]["gesture"]
        names = [ITEMS[leaf] for leaf in question["leaves"]]
        assert Tree.from_newick(record.shown, names).same_topology(Tree(question["piece"]["parents"], items=names))


def test_the_next_question_shows_a_tree_that_has_what_was_just_said(animals):
    api, _, _ = animals
    said = []
    question = api.question()
    rng = np.random.default_rng(0)
    for _ in range(12):
        a, b, c = rng.choice(question["leaves"], 3, replace=False).tolist()
        answered = api.answer(question, [[a, b, c]])
        said += [] if answered["conflicts"] else [(a, b, c)]
        question = answered["question"]
        place = {leaf: i for i, leaf in enumerate(question["leaves"])}
        shown = [[place[leaf] for leaf in triplet] for triplet in said if place.keys() >= set(triplet)]
        assert Tree(question["piece"]["parents"]).satisfies(shown).all()


def test_what_is_sent_twice_is_recorded_once(api, zoo):
    body = api.answering(api.question(), [[0, 1, 4], [0, 1, 5]])
    first, second = (api.give("/answers", **body) for _ in range(2))
    assert first["answers"] == second["answers"]
    assert second["question"]["leaves"] == first["question"]["leaves"]
    with open_project(zoo, read_only=True) as project:
        assert len(project.records) == 2


def test_a_question_from_before_a_restart_can_be_answered(zoo):
    with served(zoo) as (address, _), Api(address) as api:
        question = api.question()
    with served(zoo) as (address, _), Api(address) as api:
        assert api.answer(question, "accept")["answers"][0]["kind"] == "accept"


def test_something_can_be_said_unasked(api):
    before = api.question()
    answered = api.say((0, 1, 4))
    assert answered["answers"][0]["words"] == "cat and lynx together, apart from eel"
    assert answered["answers"][0]["standing"] == "in force"
    assert answered["question"]["leaves"] == before["leaves"]


def test_nothing_is_asked_again_that_was_accepted_as_it_is(api):
    accepted = set()
    for _ in range(60):
        question = api.question()
        if question is None:
            break
        if question["kind"] == "triple":
            api.answer(question, "skip")
            continue
        shape = frozenset(
            frozenset(question["leaves"][leaf] for leaf in clade)
            for clade in Tree(question["piece"]["parents"]).clades()
        )
        assert shape not in accepted
        accepted.add(shape)
        api.answer(question, "accept")


def test_every_fifth_question_is_a_check_and_they_lead_to_an_estimate(animals):
    api, _, _ = animals
    target = load_animals().target
    question, num_checks = api.question(), 0
    for number in range(1, 60):
        if question["strategy"] == CHECK:
            num_checks += 1
            assert question["kind"] == "triple"
            assert question["words"] == "Which is the odd one?"
            three = question["leaves"]
            ways = [[three[i] for i in way] for way in ((0, 1, 2), (0, 2, 1), (1, 2, 0))]
            right = [way for way in ways if target.satisfies([way])[0]]
            answered = api.answer(question, right or "same")
        else:
            answered = api.answer(question, "skip")
        state, question = answered["state"], answered["question"]
        assert num_checks == number // 5 + (number % 5 == 4)
        if state["wrong"] is not None:
            break
        assert state["checks_needed"] > 0
    assert state["wrong"]["num_checks"] == 5
    assert 0 <= state["wrong"]["low"] <= state["wrong"]["estimate"] <= state["wrong"]["high"] <= 1


def test_the_hierarchy_gets_better_also_for_somebody_who_answers_quickly(animals):
    api, desk, _ = animals
    target = load_animals().target
    user, question = TreeUser(target), api.question()
    for _ in range(50):
        asked = Query(question["kind"], question["leaves"], Tree(question["piece"]["parents"]), question["strategy"])
        said = user.respond(asked)
        question = api.answer(question, said if isinstance(said, str) else [[int(item) for item in said]])["question"]
        time.sleep(0.1)
    # Repairs alone, without a summary of what was sampled since, lead to 0.6.
    assert triplet_distance(target, desk._board.shown.tree) < 0.35


def test_windows_get_questions_of_their_own(animals):
    api, _, _ = animals
    windows = [new_id() for _ in range(10)]
    asked = [api.look("/question", window=window)["question"]["leaves"] for window in windows]
    assert len({frozenset(leaves) for leaves in asked}) == len(windows)


def test_one_can_be_asked_about_items_and_about_a_branch(animals):
    api, _, _ = animals
    chosen = api.give("/question", window=api.window, leaves=[3, 14, 15, 92])["question"]
    assert (chosen["leaves"], chosen["strategy"]) == ([3, 14, 15, 92], "chosen")
    assert api.question()["leaves"] == [3, 14, 15, 92]
    for node in api.tree(detail=30)["nodes"]:
        asked = api.give("/question", window=api.window, branch=node["branch"])["question"]["leaves"]
        assert 3 <= len(asked) <= 10
        if 3 <= node["size"] <= 10:
            assert len(asked) == node["size"]


def test_when_nothing_is_left_to_ask_it_is_said(tmp_path):
    path = tmp_path / "three.treetalk"
    Project.create(path, X[:3], ITEMS[:3]).close()
    with served(path) as (address, _), Api(address) as api:
        api.say((0, 1, 2))
        assert api.look("/question", window=api.window) == {
            "question": None,
            "words": "Nothing is left to ask: what your answers leave open was accepted, or is alike to you.",
        }
        wait_until(lambda: api.look("/state")["settled"] == 1.0)


# --- gestures


def test_a_drop_means_the_triplets_that_involve_what_was_moved(api):
    # ((cat, lynx), (dog, (eel, wolf))), and the wolf is dropped onto the dog.
    leaves, parents = [0, 1, 2, 4, 3], [5, 5, 6, 7, 7, 8, 8, 6, -1]
    body = {"leaves": leaves, "original": parents, "current": parents, "node": 4, "onto": 2}
    dropped = api.give("/rearrangements", **body)
    assert dropped["moved"] == [3]
    assert [sorted(triplet[:2]) + triplet[2:] for triplet in dropped["triplets"]] == [[2, 3, 4]]
    assert dropped["words"] == ["dog and wolf together, apart from eel"]
    following = {"current": dropped["piece"]["parents"], "moved": [3], "node": 3, "onto": 0}
    again = api.give("/rearrangements", **body | following)
    assert again["moved"] == [4, 3]
    assert api.look("/history")["num_records"] == 0


def test_a_drop_that_cannot_be_is_refused_in_a_sentence(api):
    parents = [3, 3, 4, 4, -1]
    body = {"leaves": [0, 1, 2], "original": parents, "current": parents}
    for node, onto, sentence in (
        (0, 0, "Cat cannot be dropped onto itself."),
        (3, 0, "Cat and lynx cannot be dropped onto cat, which is one of them."),
        (4, 0, "Cat, lynx and dog are all there is, and cannot be moved to somewhere else."),
        (9, 0, "Node is 9, and the piece has the nodes 0 to 4."),
    ):
        refused = api.post("/rearrangements", json=body | {"node": node, "onto": onto})
        assert (refused.status_code, refused.json()["error"]) == (400, {"code": "bad_request", "message": sentence})


# --- the hierarchy


def test_the_tree_follows_an_answer_and_tells_who_moved(animals):
    api, desk, _ = animals
    before = api.tree(detail=200)
    tree = desk._board.shown.tree
    a, c, *_, b = tree.leaves().tolist()
    assert tree.satisfies([[a, c, b]])[0]
    api.say((a, b, c))
    wait_until(lambda: desk._board.shown.tree.satisfies([[a, b, c]])[0])
    after = api.tree(detail=200, since=before["revision"])
    assert after["revision"] > before["revision"]
    assert after["num_moved"] > 0
    assert any(node["moved"] for node in after["nodes"])


def test_branches_open_and_shut_and_only_what_is_in_the_window_is_sent(animals):
    api, _, _ = animals
    view = api.tree(detail=10)
    assert 5 <= view["num_rows"] <= 10
    shut = next(node for node in view["nodes"] if node["state"] == "shut")
    opened = api.tree(detail=10, open=[shut["branch"]])
    assert opened["num_rows"] > view["num_rows"]
    assert next(node for node in opened["nodes"] if node["branch"] == shut["branch"])["state"] == "open"
    window = api.tree(detail=1000, offset=40, limit=5)
    assert window["num_rows"] == 101
    assert all(node["first"] < 45 and node["last"] >= 40 for node in window["nodes"])
    assert sum(node["state"] == "item" for node in window["nodes"]) == 5
    inside = api.tree(focus=shut["branch"])
    assert (inside["focus"], inside["nodes"][0]["branch"]) == (shut["branch"], shut["branch"])
    assert [place["branch"] for place in inside["trail"]][-1] == shut["branch"]


def test_items_of_the_question_are_marked_where_they_are(animals):
    api, _, _ = animals
    leaves = api.question()["leaves"]
    nodes = api.tree(detail=12, mark=leaves)["nodes"]
    assert nodes[0]["marked"] == len(leaves)
    assert sum(node["marked"] for node in nodes if node["state"] != "open") == len(leaves)


def test_a_branch_gets_a_name_that_can_be_found(animals):
    api, _, path = animals
    branch = next(node for node in api.tree(detail=10)["nodes"] if node["state"] == "shut" and node["size"] > 3)
    api.give("/names", branch=branch["branch"], name="my group", who="Ada")
    wait_until(lambda: api.look("/search", q="MY GR")["clusters"])
    assert api.look("/search", q="MY GR")["clusters"][0]["name"] == "my group"
    assert "my group" in {node["name"] for node in api.tree(detail=200)["nodes"]}
    with open_project(path, read_only=True) as project:
        assert list(project.names.values()) == ["my group"]


def test_a_key_that_is_no_branch_is_passed_over_or_not_found(api):
    assert api.tree(open=["00ff00ff00ff00ff"], shut=["nonsense"], focus="0123456789abcdef")["num_rows"] > 0
    refused = api.post("/names", json={"branch": "0123456789abcdef", "name": "x"})
    assert refused.status_code == 404
    assert refused.json()["error"]["message"] == "That branch is no longer there; the hierarchy has changed."


def test_it_says_how_sure_it_is(api):
    api.say((0, 1, 4))
    sure = api.look("/statement", a=1, b=0, c=4)
    assert sure["words"] == "lynx and cat belong together, apart from eel: certain, it follows from your answers."
    assert (sure["certain"], sure["support"], len(sure["alternatives"])) == (True, 1.0, 2)
    assert not any(each["support"] for each in sure["alternatives"])


# --- items, pictures, exports


def test_an_item_is_shown_with_its_text_as_it_is(api):
    item = api.look("/items/4")
    assert (item["label"], item["text"], item["picture"]) == ("eel", TEXTS[4], None)
    assert item["path"][0]["size"] == len(ITEMS)
    assert api.look("/items/0")["more"] == {"legs": 4}
    assert api.get("/items/8").json()["error"]["message"] == "There is no item 8: items are numbered from 0 to 7."


def test_only_pictures_are_served_and_only_from_the_project(api):
    picture = api.get(api.look("/items/0")["picture"].removeprefix("/api/v1"))
    assert (picture.content, picture.headers["content-type"]) == (PNG, "image/png")
    assert api.get("/items/1/picture").status_code == 404  # an SVG could hold a program
    assert api.get("/items/2/picture").status_code == 404


def test_a_search_finds_what_begins_with_the_words_first(animals):
    api, _, _ = animals
    found = api.look("/search", q="SEA", limit=3)
    assert [item["label"] for item in found["items"]] == ["seahorse", "seal", "sealion"]
    assert found["num_found"] > 3
    assert api.look("/search", q="  ") == {"items": [], "clusters": [], "num_found": 0}


def test_a_search_minds_no_accents(api):
    assert [item["label"] for item in api.look("/search", q="Lýnx")["items"]] == ["lynx"]


def test_labels_are_for_as_many_clusters_as_wanted(api):
    rows = api.get("/export/labels", params={"clusters": 3}).text.splitlines()[1:]
    assert len({row.rsplit(",")[1] for row in rows}) == 3
    assert api.get("/export/labels", params={"clusters": 9}).status_code == 400
    assert api.get("/export/newick", params={"clusters": 3}).status_code == 400


def test_everything_can_be_exported(api):
    api.say((0, 1, 4))
    exports = api.look("/project")["exports"]
    assert {"newick", "nexus", "linkage", "json", "labels", "outline", "answers"} <= {
        each["format"] for each in exports
    }
    for each in exports:
        answer = api.get(f"/export/{each['format']}")
        assert answer.status_code == 200
        assert each["filename"] in answer.headers["content-disposition"]
        assert answer.content
    newick = api.get("/export/newick").text
    assert Tree.from_newick(newick, ITEMS).satisfies([("cat", "lynx", "eel")]).all()
    assert api.get("/export/pdf").status_code == 404


# --- how far things are


def test_the_state_counts_what_was_said(api):
    api.answer(api.question(), "accept")
    api.answer(api.question(), "skip")
    api.say((0, 1, 4), (0, 1, 5))
    api.say((0, 4, 1))
    state = api.look("/state")
    counted = {
        name: state[name] for name in ("answered", "corrections", "accepted", "skipped", "in_force", "set_aside")
    }
    assert counted == {
        "answered": 3,
        "corrections": 2,
        "accepted": 1,
        "skipped": 1,
        "in_force": 2,
        "set_aside": 1,
    }
    assert 0 < state["sure"] <= 1
    wait_until(lambda: 0 < api.look("/state")["settled"] < 1)


def test_it_samples_while_nobody_says_anything_and_rests_in_the_end(api):
    wait_until(lambda: api.look("/state")["sampling"]["state"] == "resting")
    assert api.look("/state")["sampling"]["num_moves"] > 0
    api.say((0, 1, 4))
    wait_until(lambda: api.look("/state")["sampling"]["state"] == "sampling")


def test_events_tell_the_state_as_it_changes(api):
    with api.stream("GET", "/events") as stream:
        lines = stream.iter_lines()
        events = (line for line in lines if line.startswith("data: "))
        first = next(events)
        api.say((0, 1, 4))
        assert any('"in_force": 1' in line for line in itertools.islice(events, 50))
        assert '"in_force": 0' in first


def test_what_was_sampled_is_kept_when_the_server_ends(zoo):
    with served(zoo) as (address, _), Api(address) as api:
        api.say((0, 1, 4))
        deadline = time.monotonic() + 30
        while api.look("/state")["sampling"]["num_moves"] < 5_000:
            assert time.monotonic() < deadline
    with open_project(zoo) as project:
        assert project.session.snapshots.num_draws > 1
        assert project.tree.satisfies([(0, 1, 4)]).all()


def test_a_question_is_sent_back_as_it_was_shown(api):
    question = api.question()
    asked = as_asked(question)
    for change, message in (
        ({"leaves": asked["leaves"][:3]}, "3 items were sent for a piece with 4 leaves."),
        ({"leaves": [0, 0, 1, 2]}, "An item is there twice among those shown."),
        ({"leaves": [0, 1, 2, 99]}, "There is no item 99: items are numbered from 0 to 7."),
    ):
        body = api.answering(question, "accept") | {"asked": asked | change}
        refused = api.post("/answers", json=body)
        assert (refused.status_code, refused.json()["error"]["message"]) == (400, message)
    assert api.look("/history")["num_records"] == 0
