"""``treetalk serve``, as a person starts and stops it."""

import socket

import httpx
import pytest

from commands import run
from projects import new_project
from serving import TOKEN, Api, Served, free_port
from treetalk import open_project
from treetalk.cli.serve import MISSING


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "zoo.treetalk"
    new_project(path).close()
    return path


@pytest.fixture
def start(monkeypatch, tmp_path):
    """Start servers that end with the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    servers = []

    def started(*arguments):
        servers.append(Served(*arguments))
        return servers[-1]

    yield started
    for server in servers:
        server.kill()


def test_it_prints_an_address_answers_there_and_ends_by_ctrl_c_with_everything_kept(zoo, start):
    server = start(zoo, free_port())
    with Api(server.address) as api:
        api.say((0, 1, 4), who="Ada")
        events = api.stream("GET", "/events")
        with events as stream:  # a page that is open keeps nobody from stopping
            next(stream.iter_lines())
            assert server.interrupt() == 0
    with open_project(zoo) as project:
        assert [record.who for record in project.records] == ["Ada"]
        assert project.session.snapshots.num_draws > 0
    assert not zoo.with_name(f"{zoo.name}.lock").exists() or project.holder is None


def test_an_answer_that_was_acknowledged_outlives_a_kill_and_the_page_is_known_after_the_restart(zoo, start):
    port = free_port()
    server = start(zoo, port)
    with httpx.Client(base_url=server.address) as browser:
        browser.get("/", params={"token": TOKEN})
        assert browser.get("/").status_code == 200
        with Api(server.address) as api:
            api.say((0, 1, 4))
        server.kill()
        start(zoo, port)
        assert browser.get("/").status_code == 200  # by its cookie alone
        assert browser.get("/api/v1/history").json()["num_records"] == 1


def test_whoever_works_on_the_project_is_not_disturbed(zoo, treetalk):
    with open_project(zoo):
        code, _, said = treetalk("serve", zoo, "--port", "0")
    assert code == 3
    assert "is being worked on by" in said


def test_whoever_comes_later_is_told_where_it_is_served(zoo, start, treetalk):
    server = start(zoo, free_port())
    code, _, said = treetalk("ask", zoo)
    assert code == 3
    assert f"who serves it at {server.address}/" in said


def test_what_is_no_project_and_a_port_that_is_taken_are_said(zoo, treetalk, tmp_path):
    assert treetalk("serve", tmp_path / "none.treetalk").code == 1
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, printed, said = treetalk("serve", zoo, "--port", port)
    assert (code, printed) == (1, "")
    assert said == f"Port {port} is in use by another program; --port chooses another one.\n"
    code, _, said = treetalk("serve", zoo, "--host", "203.0.113.7", "--port", "0")
    assert (code, said) == (1, "'203.0.113.7' is no address of this machine.\n")
    with open_project(zoo) as project:
        assert project.records == ()


def test_the_usual_port_gives_way_to_the_next_that_is_free(monkeypatch):
    from treetalk.server import serving

    with serving.listen("127.0.0.1", 0) as taken:
        monkeypatch.setattr(serving, "DEFAULT_PORT", taken.getsockname()[1])
        with serving.listen("127.0.0.1", None) as other:
            assert other.getsockname()[1] > taken.getsockname()[1]


def test_a_token_that_can_be_guessed_is_refused(zoo, treetalk):
    code, _, said = treetalk("serve", zoo, "--token", "short")
    assert code == 2
    assert "at least 16 characters" in " ".join(said.replace("│", " ").split())


def test_without_the_web_extra_it_says_what_to_install(zoo, treetalk, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, _, said = treetalk("serve", zoo)
    assert (code, said) == (1, f"{MISSING}.\n")


def test_the_demo_is_a_project_that_the_next_one_goes_on_with(tmp_path, monkeypatch, start):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "treetalk-demo.treetalk"
    for number in range(2):
        server = start(path, None)
        with Api(server.address) as api:
            assert api.look("/history")["num_records"] == number
            api.say((0, 1, 4 + number))
        assert server.interrupt() == 0
    with open_project(path) as project:
        assert (project.num_items, len(project.records)) == (101, 2)


def test_the_demo_is_for_the_terminal_or_for_the_browser():
    done = run("demo", "--serve", "--ask")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "--ask is for the terminal and --serve for the browser; give one of both.\n"
