"""What keeps others out: the token, the cookie, Host and Origin, sizes, headers, and errors that tell nothing."""

import json
import os
import stat
import time

import httpx
import pytest

from projects import PNG, new_project
from serving import TOKEN, Api, new_id, served
from treetalk.server.admission import Admission
from treetalk.server.guard import LARGEST_BODY


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "zoo.treetalk"
    new_project(path, pictures=[(PNG, "image/png"), *[None] * 7]).close()
    return path


@pytest.fixture(scope="module")
def running(made, tmp_path_factory):
    """One server for all tests here, none of which changes what another one sees."""
    with served(made) as (address, desk):
        yield address, desk


@pytest.fixture
def address(running):
    return running[0]


PATHS = ["/", "/help", "/help/api", "/page/base.css", "/page/main.js", "/api/v1/project", "/api/v1/openapi.json"]
API_PATHS = ["/api/v1/events", "/api/v1/items/0/picture", "/api/v1/export/newick", "/api/v1/nowhere", "/favicon.ico"]


def code(response: httpx.Response) -> str:
    """The code of an error, which has one shape."""
    body = response.json()
    assert body.keys() == {"error"}
    assert body["error"].keys() == {"code", "message"}
    assert body["error"]["message"].endswith(".")
    assert "Traceback" not in body["error"]["message"]
    return body["error"]["code"]


# --- who may come in


@pytest.mark.parametrize("path", PATHS + API_PATHS)
def test_nothing_is_told_without_the_token(address, path):
    for headers in (
        {},
        {"Authorization": "Bearer nonsense"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Cookie": "treetalk-0=1"},
    ):
        refused = httpx.get(address + path, headers=headers)
        assert (refused.status_code, code(refused)) == (401, "not_admitted")
        assert "zoo" not in refused.text
    assert httpx.get(f"{address}{path}?token={TOKEN}x").status_code == 401


def test_nothing_is_done_without_the_token(address, running):
    body = {
        "gesture": new_id(),
        "window": new_id(),
        "asked": None,
        "response": {"kind": "triplets", "triplets": [[0, 1, 2]]},
    }
    assert httpx.post(f"{address}/api/v1/answers", json=body).status_code == 401
    assert running[1].state()["num_records"] == 0


def test_a_person_without_the_token_is_told_where_to_find_it(address):
    refused = httpx.get(address, headers={"Accept": "text/html,*/*"})
    assert refused.status_code == 401
    assert "open the address that it printed" in refused.text


@pytest.mark.parametrize("path", PATHS)
def test_a_browser_shows_the_token_once_and_has_a_cookie_then(address, path):
    with httpx.Client(base_url=address) as browser:
        first = browser.get(path, params={"token": TOKEN, "user": "Ada & Ben"})
        if not path.startswith("/api/"):
            assert (first.status_code, first.headers["location"]) == (303, f"{path}?user=Ada+%26+Ben")
            assert "HttpOnly" in first.headers["set-cookie"]
            assert "samesite=lax" in first.headers["set-cookie"].lower()
            assert TOKEN not in first.headers["set-cookie"]
            assert browser.get(path).status_code == 200


def test_a_cookie_is_good_after_a_restart_and_for_its_own_project_only(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    one, again, other = (Admission(tmp_path / name) for name in ("one", "one", "other"))
    assert one.token != again.token
    assert len(one.token) >= 32
    cookie = one.new_cookie()
    assert again.knows_cookie(cookie)
    assert not other.knows_cookie(cookie)
    assert not any(one.knows_cookie(wrong) for wrong in (None, "", "x", f"9{cookie}", cookie[:-1], "²." + cookie))
    assert not one.knows_token(again.token)
    secret = tmp_path / "state" / "treetalk" / "cookie-secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert os.listdir(secret.parent) == [secret.name]


def test_a_cookie_is_good_for_a_month(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    admission = Admission(tmp_path / "one")
    cookie, now = admission.new_cookie(), time.time()
    monkeypatch.setattr(time, "time", lambda: now + 29 * 24 * 3600)
    assert admission.knows_cookie(cookie)
    monkeypatch.setattr(time, "time", lambda: now + 31 * 24 * 3600)
    assert not admission.knows_cookie(cookie)


def is_known_again(path):
    """Whether a cookie of one start is good in the next one."""
    return Admission(path).knows_cookie(Admission(path).new_cookie())


def test_a_secret_that_others_can_read_or_that_is_cut_off_is_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    first = Admission(tmp_path / "one").new_cookie()
    secret = tmp_path / "treetalk" / "cookie-secret"
    secret.chmod(0o644)
    assert not Admission(tmp_path / "one").knows_cookie(first)
    assert is_known_again(tmp_path / "one")
    secret.write_bytes(b"short")
    assert is_known_again(tmp_path / "one")
    assert os.listdir(secret.parent) == [secret.name]


def test_without_a_place_to_keep_a_secret_there_is_one_for_each_start(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert not is_known_again(tmp_path / "one")


def test_a_token_that_can_be_guessed_is_none(tmp_path):
    with pytest.raises(ValueError, match="a token has at least 16 characters"):
        Admission(tmp_path / "one", "short")
    assert not Admission(tmp_path / "one", "").knows_token("")


def test_a_name_may_be_added_to_the_address_with_a_question_mark_too(address):
    first = httpx.get(f"{address}/?token={TOKEN}?user=Ada")
    assert (first.status_code, first.headers["location"]) == (303, "/?user=Ada")


def test_the_way_in_leads_to_no_other_host(address):
    first = httpx.get(f"{address}//evil.example/x?token={TOKEN}")
    assert first.headers["location"] == "/evil.example/x"


# --- from where


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[", "a b"])
def test_a_name_that_is_not_the_servers_is_refused(address, host):
    refused = httpx.get(f"{address}/api/v1/project", headers={"Host": host, "Authorization": f"Bearer {TOKEN}"})
    assert refused.status_code in {400, 403}
    if refused.status_code == 403:
        assert code(refused) == "forbidden"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:80", "192.168.7.9:8765"])
def test_the_servers_own_names_and_plain_addresses_are_good(address, host):
    answer = httpx.get(f"{address}/api/v1/project", headers={"Host": host, "Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost", "file://", "http://["]
)
def test_a_page_from_elsewhere_may_not_use_the_server(address, origin):
    with Api(address) as api:
        for answer in (
            api.get("/project", headers={"Origin": origin}),
            api.post("/answers", headers={"Origin": origin}, json=api.answering(None, [[0, 1, 2]])),
        ):
            assert (answer.status_code, code(answer)) == (403, "forbidden")
        assert api.look("/history")["num_records"] == 0
        own = api.get("/project", headers={"Origin": address})
        assert own.status_code == 200
        assert "access-control-allow-origin" not in own.headers


# --- what is sent


def test_every_answer_has_the_headers_that_keep_a_page_safe(address):
    with Api(address) as api:
        root = address
        for path in [*PATHS, "/api/v1/nowhere", "/api/v1/items/0/picture"]:
            for headers in ({}, {"Authorization": "Bearer nonsense"}):
                answer = api.get(root + path, headers=headers)
                policy = answer.headers["content-security-policy"]
                assert "default-src 'none'" in policy
                assert "unsafe" not in policy
                assert answer.headers["x-content-type-options"] == "nosniff"
                assert answer.headers["referrer-policy"] == "no-referrer"
                assert answer.headers["x-frame-options"] == "DENY"
                assert "server" not in answer.headers


def test_no_page_mentions_another_host(address):
    with Api(address) as api:
        names = {"/", "/help", "/help/api"}
        index = api.get(f"{address}/").text
        for path in sorted(names):
            text = api.get(address + path).text
            assert "<script" not in text or 'src="/page/' in text
            for word in ("http://", "https://", "//cdn"):
                assert word not in text.replace("http://www.w3.org/2000/svg", ""), path
        assert "style=" not in index


# --- what is taken


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (b"", "The request is missing."),
        (b"{", "The request is no JSON."),
        (b"[]", "The request must be a table, as {...} in JSON."),
        (b'{"gesture": "x"}', "Gesture must be 8 to 64 letters, digits, - or _"),
        (b'{"gesture": "xxxxxxxx", "window": "yyyyyyyy"}', "Response is missing."),
        (b'"\\ud800"', "the request"),
        (b"\xff\xfe", "The request is no JSON."),
        (b"[" * 5_000, ""),
    ],
)
def test_what_is_no_answer_is_refused_in_a_sentence(address, body, part):
    with Api(address) as api:
        refused = api.post("/answers", content=body, headers={"Content-Type": "application/json"})
        assert (refused.status_code, code(refused)) == (400, "bad_request")
        assert part.lower() in refused.json()["error"]["message"].lower()


@pytest.mark.parametrize(
    "change",
    [
        {"seconds": -1},
        {"seconds": "soon"},
        {"who": "x" * 201},
        {"comment": "x" * 10_001},
        {"window": "../../etc"},
        {"gesture": "a b c d e f"},
        {"more": 1},
        {"response": {"kind": "triplets", "triplets": []}},
        {"response": {"kind": "triplets", "triplets": [[0, 1]]}},
        {"response": {"kind": "triplets", "triplets": [[0, 1, 1]]}},
        {"response": {"kind": "triplets", "triplets": [[0, 1, 99]]}},
        {"response": {"kind": "triplets", "triplets": [[0, 1, "eel"]]}},
        {"response": {"kind": "triplets", "triplets": [[0, 1, True]]}},
        {"response": {"kind": "accept"}},
        {"response": {"kind": "praise"}},
        {"who": "\ud800"},
    ],
)
def test_a_wrong_part_of_an_answer_is_refused_and_nothing_is_recorded(address, change):
    with Api(address) as api:
        body = api.answering(None, [[0, 1, 4]]) | change
        refused = api.post("/answers", content=json.dumps(body), headers={"Content-Type": "application/json"})
        assert (refused.status_code, code(refused)) == (400, "bad_request")
        assert api.look("/history")["num_records"] == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"more": 1}, "More is not known here."),
        ({"seconds": -1}, "Seconds must be 0 or more."),
        ({"who": "x" * 201}, "Who is longer than 200 characters."),
        ({"response": {"kind": "praise"}}, "has the kind 'praise', and must have one of 'accept'"),
        ({"response": {"kind": "triplets", "triplets": [[0, 1]]}}, "Response.triplets[0][2] is missing."),
        (
            {"response": {"kind": "triplets", "triplets": [["cat", "eel", "owl"]]}},
            "Response.triplets[0][0] must be a whole number; items have numbers from 0 on (and 2 other",
        ),
    ],
)
def test_a_wrong_part_of_an_answer_is_named_in_plain_words(address, change, sentence):
    with Api(address) as api:
        refused = api.post("/answers", json=api.answering(None, [[0, 1, 4]]) | change)
        assert sentence in refused.json()["error"]["message"]


def test_a_body_that_is_too_large_is_refused_however_it_comes(address):
    with Api(address) as api:
        headers = {"Content-Type": "application/json"}
        large = b" " * (LARGEST_BODY + 1)
        assert code(api.post("/answers", content=large, headers=headers)) == "too_large"
        parts = (b" " * 100_000 for _ in range(LARGEST_BODY // 100_000 + 2))
        assert code(api.post("/answers", content=parts, headers=headers)) == "too_large"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/nowhere", 404),
        ("GET", "/nowhere", 404),
        ("GET", "/page/..%2fdesk.py", 404),
        ("GET", "/page/../desk.py", 404),
        ("GET", "/page/desk.py", 404),
        ("GET", "/api/v1/items/x", 400),
        ("GET", "/api/v1/items/-1", 400),
        ("GET", "/api/v1/items/99999999999999999999", 400),
        ("GET", "/api/v1/question?window=x", 400),
        ("GET", "/api/v1/search?q=" + "x" * 300, 400),
        ("GET", "/api/v1/statement?a=0&b=0&c=1", 400),
        ("DELETE", "/api/v1/answers", 405),
        ("PUT", "/", 405),
        ("GET", "/docs", 404),
        ("GET", "/redoc", 404),
    ],
)
def test_errors_have_one_shape(address, method, path, status):
    with Api(address) as api:
        answer = api.request(method, address + path)
        assert answer.status_code == status
        code(answer)


def test_what_nobody_foresaw_is_an_error_without_its_inside(running, monkeypatch, caplog):
    address, desk = running

    def fail(*_):
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr(desk.dialogue, "conflicts", fail)
    with Api(address) as api:
        answer = api.get("/conflicts")
    assert (answer.status_code, code(answer)) == (500, "failed")
    assert "secret" not in answer.text
    assert "a secret of the inside" in caplog.text
