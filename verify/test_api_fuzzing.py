"""The HTTP API, fuzzed from its own schema: whatever is sent, the server answers as the schema says, and nothing is damaged.

One server takes it all, as it would from a careless program; the last test looks at what became of its project.
"""

import contextlib
import copy
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import positive_data_acceptance, status_code_conformance

from projects import ITEMS, PNG, looked_at, new_project, rows
from serving import TOKEN, Api, as_asked, new_id, served
from treetalk import open_project

SEARCH = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
# What the schema allows may still make no sense, such as an item that is not there, or twice; here it always does.
ALWAYS_GOOD = {"/project", "/state", "/search", "/history", "/conflicts", "/question"}
EVERY_ITEM = 2**31 - 1


class Target(NamedTuple):
    """A server that is fuzzed."""

    address: str
    path: Path
    acknowledged: Counter[tuple[str, tuple[int, ...]]]  # gestures and the ids of their answers
    stop: contextlib.ExitStack


@pytest.fixture(scope="module")
def target(tmp_path_factory) -> Iterator[Target]:
    path = tmp_path_factory.mktemp("fuzzed") / "zoo.treetalk"
    texts = ["a small cat", None, "", "grey", "<b>bold</b> & 'quoted'", None, None, "hoots"]
    pictures = [(PNG, "image/png"), (b"<svg/>", "image/svg+xml"), *[None] * 6]
    more = [{"legs": 4, "wild": None}, *[{} for _ in ITEMS[1:]]]
    with new_project(path, texts=texts, pictures=pictures, more=more) as project:
        project.advance(200, num_snapshots=10)
    with contextlib.ExitStack() as stack:
        address, _ = stack.enter_context(served(path))
        yield Target(address, path, Counter(), stack)


@pytest.fixture(scope="module")
def schema(target) -> Any:
    """The schema that the server tells; of all item numbers, those near the ones that there are."""
    with Api(target.address) as api:
        told = api.look("/openapi.json")
    loaded = schemathesis.openapi.from_dict(_narrowed(told))
    loaded.config.update(base_url=target.address)
    return loaded


def _narrowed(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: len(ITEMS) if (key, value) == ("maximum", EVERY_ITEM) else _narrowed(value) for key, value in part.items()}
    return [_narrowed(each) for each in part] if isinstance(part, list) else part


# The event stream has no end; it is looked at by itself.
api_of_schema = schemathesis.pytest.from_fixture("schema").exclude(path_regex="/events$")


@api_of_schema.parametrize()
@SEARCH
def test_whatever_is_sent_is_answered_as_the_schema_says(case, target):
    is_always_good = case.operation.path.removeprefix("/api/v1") in ALWAYS_GOOD and case.method == "GET"
    answer = case.call_and_validate(
        headers={"Authorization": f"Bearer {TOKEN}"},
        excluded_checks=[] if is_always_good else [positive_data_acceptance],
        timeout=60,
    )
    _note(target, case.operation.path, answer.status_code, answer.content)


@api_of_schema.parametrize()
@settings(SEARCH, max_examples=20)
def test_whatever_is_sent_without_the_token_is_refused(case, target):
    answer = case.call(timeout=60)
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "not_admitted"


def _note(target: Target, path: str, status: int, content: bytes) -> None:
    """Keep in mind what was acknowledged."""
    if status == 200 and path in {"/api/v1/answers", "/api/v1/retractions"}:
        answers = json.loads(content)["answers"]
        target.acknowledged[answers[0]["gesture"], tuple(answer["id"] for answer in answers)] += 1
