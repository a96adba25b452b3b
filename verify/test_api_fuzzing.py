"""The HTTP API, fuzzed from its own schema: whatever is sent, the server answers as the schema says, and nothing is damaged.

One server takes it all, as it would from a careless program; the last test looks at what became of its project.
"""

import contextlib
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projects import ITEMS, PNG, looked_at, new_project, rows
from serving import TOKEN, Api, as_asked, new_id, served
from treetalk import open_project

PREFIX = "/api/v1"
EVERY_NUMBER = 2**31 - 1
SHOWN = list(itertools.combinations(range(len(ITEMS)), 4))[::6]
NUM_EXAMPLES = 60  # of each endpoint and each kind of data
# The event stream has no end: it is listened to in a test of its own.
WITHOUT_END = f"{PREFIX}/events"
# What the schema allows may make no sense all the same, such as an item that is not there. Here it always does.
ALWAYS_GOOD = ["/project", "/state", "/search", "/history", "/conflicts"]
# Of a path that answers two methods, a refusal of a third names only one of them: they are two endpoints to the server.
TWO_METHODS = ["/question"]
CONFIG = "checks.positive_data_acceptance.enabled = false\n" + "".join(
    f'[[operations]]\ninclude-path = "{PREFIX}{path}"\nchecks.{check}.enabled = {is_on}\n'
    for paths, check, is_on in (
        (ALWAYS_GOOD, "positive_data_acceptance", "true"),
        (TWO_METHODS, "allow_header_conformance", "false"),
    )
    for path in paths
)


class Target(NamedTuple):
    """A server that is fuzzed."""

    address: str
    path: Path
    schema: dict[str, Any]
    acknowledged: dict[str, list[int]]  # gestures, and the ids of their answers
    api: Api
    end: contextlib.ExitStack


class Sent(NamedTuple):
    """A request, and what came back."""

    method: str
    path: str
    status: int
    content: str


@pytest.fixture(scope="module")
def target(tmp_path_factory) -> Iterator[Target]:
    path = tmp_path_factory.mktemp("fuzzed") / "zoo.treetalk"
    texts = ["a small cat", None, "", "grey", "<b>bold</b> & 'quoted'", None, None, "hoots"]
    pictures = [(PNG, "image/png"), (b"<svg/>", "image/svg+xml"), *[None] * 6]
    with new_project(path, texts=texts, pictures=pictures, more=[{"legs": 4}, *[{} for _ in ITEMS[1:]]]) as project:
        project.advance(200, num_snapshots=10)
    with contextlib.ExitStack() as end:
        address, _ = end.enter_context(served(path))
        api = end.enter_context(Api(address))
        schema = _to_the_point(api.look("/openapi.json"), [_gesture(leaves) for leaves in SHOWN])
        yield Target(address, path, schema, {}, api, end)


def _gesture(leaves: tuple[int, ...]) -> dict[str, Any]:
    """A question as it may have been shown, and what can be done with it; the same in every run."""
    asked = {"kind": "subtree", "strategy": "chosen", "leaves": list(leaves), "parents": [4, 4, 5, 5, 6, 6, -1]}
    drop = {"leaves": asked["leaves"], "original": asked["parents"], "current": asked["parents"]}
    drops = [drop | {"node": node, "onto": onto} for node in range(3) for onto in range(7)]
    return {"AskedBack": [asked], "Rearrangement": drops, "Triplet": [asked["leaves"][:3], asked["leaves"][1:4]]}


def _to_the_point(schema: dict[str, Any], gestures: list[dict[str, Any]]) -> dict[str, Any]:
    """A schema with item numbers near those that there are, and with what the page sends among all that might be sent."""
    schema = json.loads(json.dumps(schema).replace(f'"maximum": {EVERY_NUMBER}', f'"maximum": {len(ITEMS)}'))
    types = schema["components"]["schemas"]
    for name in ("AskedBack", "Rearrangement"):
        types[f"Any{name}"] = types[name]
        real = [value for gesture in gestures for value in gesture[name]]
        types[name] = {"anyOf": [{"$ref": f"#/components/schemas/Any{name}"}, {"enum": real}]}
    triplets = types["Correction"]["properties"]["triplets"]
    real = [value for gesture in gestures for value in gesture["Triplet"]]
    triplets["items"] = {"anyOf": [triplets["items"], {"enum": real}]}
    return schema


def fuzzed(
    target: Target, folder: Path, *options: str, config: str = ""
) -> tuple[subprocess.CompletedProcess[str], list[Sent]]:
    """Have schemathesis send all that it can think of: how it ends, and all that was sent."""
    (folder / "schema.json").write_text(json.dumps(target.schema))
    (folder / "schemathesis.toml").write_text(config)
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", "schemathesis.toml", "run", "schema.json"),
        *("--url", target.address, "--exclude-path", WITHOUT_END, "--generation-deterministic"),
        *("--report-har-path", "sent.har", "--no-color", *options),
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (folder / "sent.har").exists(), done.stdout + done.stderr
    entries = json.loads((folder / "sent.har").read_text())["log"]["entries"]
    return done, [
        Sent(
            entry["request"]["method"],
            urlsplit(entry["request"]["url"]).path,
            entry["response"]["status"],
            entry["response"]["content"].get("text", ""),
        )
        for entry in entries
    ]


def test_whatever_is_sent_is_answered_as_the_schema_says(target, tmp_path, report):
    done, sent = fuzzed(
        target,
        tmp_path,
        *("--header", f"Authorization: Bearer {TOKEN}", "--max-examples", str(NUM_EXAMPLES)),
        config=CONFIG,
    )
    for each in sent:
        if each.status == 200 and each.path in {f"{PREFIX}/answers", f"{PREFIX}/retractions"}:
            _acknowledge(target, json.loads(each.content))
    assert done.returncode == 0, done.stdout
    statuses = {
        status: sum(each.status == status for each in sent) for status in sorted({each.status for each in sent})
    }
    counted = ", ".join(f"{count:,} × {status}" for status, count in statuses.items())
    report(
        f"API, fuzzed from its schema: {len(sent):,} requests ({counted}), {len(target.acknowledged)} answers recorded"
    )
    # All endpoints were reached by something that they took; only what can be taken back takes luck to guess.
    reached = {(each.method, _endpoint(target, each.path)) for each in sent if each.status == 200}
    assert reached | {("POST", f"{PREFIX}/retractions")} == {
        (method.upper(), path) for path, methods in target.schema["paths"].items() for method in methods
    } - {("GET", WITHOUT_END)}


def test_whatever_is_sent_without_the_token_is_refused(target, tmp_path):
    _, sent = fuzzed(target, tmp_path, "--max-examples", "20", "--checks", "not_a_server_error")
    assert len(sent) > 500
    assert {(each.status, json.loads(each.content)["error"]["code"]) for each in sent} == {(401, "not_admitted")}


def _endpoint(target: Target, path: str) -> str:
    """The path of the schema that a path is of."""
    parts = path.split("/")
    return next(
        known
        for known in target.schema["paths"]
        if len(known.split("/")) == len(parts)
        and all(one == other or one.startswith("{") for one, other in zip(known.split("/"), parts, strict=True))
    )


def _acknowledge(target: Target, answered: dict[str, Any]) -> None:
    """Keep in mind what the server said it has recorded; said twice, it is the same."""
    gesture, ids = answered["answers"][0]["gesture"], [answer["id"] for answer in answered["answers"]]
    assert target.acknowledged.setdefault(gesture, ids) == ids


# --- what the page sends, with something wrong in it

THINGS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 20)
    | st.sampled_from([-(2**63), 2**31, 2**53, 2**64, 1e308, 0.5, "", "0", "accept", "\x00", "<b>", "🙂", "a" * 300])
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=400,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(turn=st.integers(0, 1_000), data=st.data())
def test_what_the_page_sends_with_something_wrong_in_it_is_recorded_or_refused(target, turn, data):
    # Turns tell apart what is otherwise the same: much of it comes more than once, and with nothing wrong in it.
    path, body = data.draw(st.sampled_from(_said_by_a_page(target.api)))
    for _ in range(data.draw(st.integers(0, 2))):
        body = _with_another_part(body, data)
    answer = target.api.post(path, json=body)
    if answer.status_code == 200:
        if path in {"/answers", "/retractions"}:
            _acknowledge(target, answer.json())
    else:
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) in {(400, "bad_request"), (404, "not_found")}
        assert error["message"].endswith(".")
        assert "\n" not in error["message"]


def _said_by_a_page(api: Api) -> list[tuple[str, dict[str, Any]]]:
    """What a window might send next."""
    question = api.question() or api.give("/question", window=api.window, leaves=[0, 1, 2, 3])["question"]
    a, b, c = question["leaves"][:3]
    asked = as_asked(question)
    branch = api.tree()["nodes"][-2]["branch"]
    latest = next((entry["gesture"] for entry in api.look("/history", limit=1)["gestures"]), new_id())
    about = {"who": "Ada", "comment": "so it is", "seconds": 2.5}
    shown = {"leaves": asked["leaves"], "original": asked["parents"], "current": asked["parents"]}
    return [
        ("/answers", api.answering(question, "accept", **about)),
        ("/answers", api.answering(question, "skip")),
        ("/answers", api.answering(question, [[a, b, c]], **about)),
        ("/answers", api.answering(None, [[a, b, c], [c, b, a]])),
        ("/rearrangements", shown | {"moved": [a], "node": 1, "onto": len(asked["parents"]) - 1}),
        ("/retractions", {"gesture": new_id(), "window": api.window, "takes_back": latest}),
        ("/retractions", {"gesture": new_id(), "window": api.window, "answers": [0]}),
        ("/comments", {"answer": 0, "text": "well", "who": "Ben"}),
        ("/names", {"branch": branch, "name": "some", "who": None}),
        ("/question", {"window": api.window, "branch": branch}),
        ("/tree", {"focus": branch, "open": [branch], "shut": [branch], "mark": [a, b], "since": 1, "limit": 3}),
    ]


def _with_another_part(body: Any, data: st.DataObject) -> Any:
    """A body in which one part, however deep, is something else, or is missing."""
    if not isinstance(body, dict | list) or not body or data.draw(st.integers(0, 4)) == 0:
        return data.draw(THINGS)
    places = sorted(body) if isinstance(body, dict) else range(len(body))
    place = data.draw(st.sampled_from(places))
    if data.draw(st.integers(0, 5)) == 0:
        rest = [(key, body[key]) for key in places if key != place]
        return dict(rest) if isinstance(body, dict) else [value for _, value in rest]
    changed = _with_another_part(body[place], data)
    pairs = [(key, changed if key == place else body[key]) for key in places]
    return dict(pairs) if isinstance(body, dict) else [value for _, value in pairs]


# --- what is left of it


def test_the_event_stream_tells_states_as_the_schema_has_them(target):
    fields = target.schema["components"]["schemas"]["State"]
    with target.api.stream("GET", "/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        line = next(line for line in stream.iter_lines() if line.startswith("data: "))
    assert set(json.loads(line.removeprefix("data: "))) == set(fields["properties"])


def test_afterwards_all_that_was_acknowledged_is_there_once_and_nothing_is_damaged(target, report):
    assert target.acknowledged
    target.end.close()
    assert rows(target.path, "PRAGMA integrity_check") == [("ok",)]
    assert looked_at(target.path) == "opened"
    with open_project(target.path, read_only=True) as project:
        recorded: dict[str, list[int]] = {}
        for record in project.records:
            recorded.setdefault(record.gesture or str(record.answer.id), []).append(record.answer.id)
        assert recorded == target.acknowledged
        assert project.tree.satisfies(project.session.triplets).all()
    report(f"API, fuzzed: {len(target.acknowledged):,} gestures acknowledged, all of them recorded once")
