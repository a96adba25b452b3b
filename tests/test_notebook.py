"""In a notebook: the page in a cell, answered by the same server code; and what shows itself as a drawing."""

import asyncio
import json
import re
import shutil
import subprocess
import sys
import threading
import time

import httpx
import numpy as np
import pytest
from PIL import Image

from projects import ITEMS, PNG, X, new_project
from serving import TEXTS, TOKEN, as_asked, made_zoo, new_id, wait_until
from treetalk import Session, open_project
from treetalk.errors import ProjectError
from treetalk.notebook import sources, talk
from treetalk.notebook.channel import Channel
from treetalk.notebook.pictures import as_picture
from treetalk.notebook.room import Room
from treetalk.notebook.subject import subject
from treetalk.server.admission import Admission
from treetalk.server.app import create_app
from treetalk.server.failures import UNFORESEEN

HOSTILE = ["</text><script>alert(1)</script>", "\"&<>'", "a\x00b\x1b", "\u202eright to left", "x" * 500, " "]


class Line:
    """A page's end of the line: what it asks for, and all that comes back."""

    def __init__(self, project, **options):
        self.room = Room.enter(project, **options)
        self.came = []
        self.channel = Channel(self.room, lambda message, buffers: self.came.append((message, list(buffers))))
        self.window = new_id()

    def ask(self, **message):
        id_ = new_id()
        self.channel.hear({"id": id_, **message})
        wait_until(lambda: self.of(id_))
        return self.of(id_)[0]

    def of(self, id_):
        return [each for each in self.came if each[0].get("id") == id_]

    def request(self, method, path, body=None):
        message, (data,) = self.ask(kind="request", method=method, address=f"/api/v1{path}", body=body)
        return httpx.Response(message["status"], headers={"content-type": message["type"]}, content=data)

    def give(self, path, **body):
        return self.request("POST", path, json.dumps(body))

    def question(self):
        return self.request("GET", f"/question?window={self.window}").json()["question"]

    def answer(self, question, response):
        kind = {"kind": response} if isinstance(response, str) else {"kind": "triplets", "triplets": response}
        asked = None if question is None else as_asked(question)
        return self.give("/answers", gesture=new_id(), window=self.window, asked=asked, response=kind, who="anna")

    def close(self):
        self.channel.close()
        self.room.leave()


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    return made_zoo(tmp_path_factory.mktemp("zoo") / "zoo.treetalk")


@pytest.fixture
def line(tmp_path, zoo):
    with open_project(shutil.copy(zoo, tmp_path / "zoo.treetalk")) as project:
        line = Line(project)
        yield line
        line.close()


@pytest.fixture(scope="module")
def steady_line(tmp_path_factory, zoo):
    """A line on which nothing is said."""
    with open_project(shutil.copy(zoo, tmp_path_factory.mktemp("steady") / "zoo.treetalk")) as project:
        line = Line(project)
        yield line
        line.close()


@pytest.fixture
def session():
    return Session(X, ITEMS, subset_size=4).advance(200, 10)


# --- requests


@pytest.mark.parametrize(
    "path",
    [
        "/project",
        "/items/0",
        "/items/0/picture",
        "/items/1/picture",
        "/items/99",
        "/search?q=c",
        "/search",
        "/history",
        "/conflicts",
        "/export/answers",
        "/export/nothing",
        "/nowhere",
    ],
)
def test_a_request_through_the_channel_gives_what_http_gives(steady_line, path, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    app = create_app(steady_line.room.desk, Admission(tmp_path / "zoo.treetalk", TOKEN), {"testserver"})

    async def asked():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver/api/v1") as client:
            return await client.get(path, headers={"Authorization": f"Bearer {TOKEN}"})

    def are_same():
        theirs, ours = asyncio.run(asked()), steady_line.request("GET", path)
        assert ours.status_code == theirs.status_code
        assert ours.headers["content-type"] == theirs.headers["content-type"]
        return ours.content == theirs.content

    # A last summary of the draws may come between the two.
    wait_until(are_same)


def test_what_is_no_json_is_refused_in_the_shape_that_all_errors_have(steady_line):
    answer = steady_line.request("POST", "/tree", "{")
    assert answer.status_code == 400
    assert answer.json() == {"error": {"code": "bad_request", "message": "The request is no JSON."}}


def test_what_nobody_foresaw_is_told_in_the_same_shape(line, caplog):
    line.room.desk.dialogue._windows = None
    answer = line.request("GET", f"/question?window={line.window}")
    assert answer.status_code == 500
    assert answer.json() == {"error": {"code": "failed", "message": UNFORESEEN}}
    assert "AttributeError" in caplog.text


def test_an_unknown_message_is_passed_over_and_the_next_is_heard(steady_line, caplog):
    steady_line.channel.hear({"kind": "nonsense"})
    steady_line.channel.hear({})
    assert "nonsense" in caplog.text
    assert steady_line.request("GET", "/project").json()["num_items"] == len(ITEMS)


def test_several_pictures_come_in_one_message_and_those_that_are_not_there_have_no_type(steady_line):
    addresses = [f"/api/v1/items/{number}/picture?of=x" for number in (0, 1, 2)]
    message, buffers = steady_line.ask(kind="pictures", addresses=addresses)
    assert message["types"] == ["image/png", "", ""]
    assert buffers[0] == PNG


# --- events


def states(line, id_):
    return [message["text"] for message, _ in line.of(id_) if message["kind"] == "event" and "data:" in message["text"]]


def test_who_listens_is_told_how_things_are_and_of_every_answer(line):
    line.channel.hear({"kind": "listen", "id": "ear", "address": "/api/v1/events"})
    wait_until(lambda: states(line, "ear"))
    assert '"answered": 0' in states(line, "ear")[0]
    line.answer(None, [[0, 1, 4]])
    wait_until(lambda: '"answered": 1' in states(line, "ear")[-1])


def test_who_listens_again_is_one_listener_and_who_does_not_is_told_nothing_more(line):
    for _ in range(3):
        line.channel.hear({"kind": "listen", "id": "ear", "address": "/api/v1/events"})
    wait_until(lambda: states(line, "ear"))
    assert line.channel.num_listeners == 1
    assert line.room.desk.bell.num_listeners == 1
    line.channel.hear({"kind": "unlisten", "id": "ear"})
    wait_until(lambda: line.room.desk.bell.num_listeners == 0)
    count = len(line.came)
    line.answer(None, [[0, 1, 4]])
    time.sleep(0.3)
    assert len([message for message, _ in line.came[count:] if message.get("id") == "ear"]) == 0


# --- where answers go


def test_answers_are_in_the_very_session_that_was_given(session):
    line = Line(subject(session)[0])
    said = line.answer(line.question(), [[0, 1, 4]])
    assert said.status_code == 200
    assert [answer.triplet for answer in session.answers] == [(0, 1, 4)]
    assert session.tree.satisfies([(0, 1, 4)]).all()
    line.close()
    assert len(session.answers) == 1


def test_answers_from_before_are_in_the_history_and_those_of_another_cell_are_seen(session):
    session.answer(None, ("cat", "lynx", "eel"))
    line = Line(subject(session)[0])
    assert line.request("GET", "/state").json()["answered"] == 1
    session.answer(None, ("dog", "wolf", "eel"))
    wait_until(lambda: line.request("GET", "/state").json()["answered"] == 2)
    session.retract(0)
    wait_until(lambda: line.request("GET", "/state").json()["in_force"] == 1)
    line.close()


def test_names_that_were_given_are_kept_with_the_session_after_the_talk(session):
    line = Line(subject(session)[0])
    root = line.give("/tree").json()["nodes"][0]["branch"]
    assert line.give("/names", branch=root, name="everything").status_code == 200
    line.close()
    assert list(subject(session)[0].names.values()) == ["everything"]


def test_a_copy_of_a_session_goes_its_own_way(session):
    line = Line(subject(session)[0])
    copied = session.copy()
    line.answer(None, [[0, 1, 4]])
    copied.answer(None, (2, 3, 4))
    assert len(session.answers) == len(copied.answers) == 1
    line.close()


def test_answers_to_a_project_are_on_the_disk_and_it_stays_open(tmp_path):
    path = tmp_path / "zoo.treetalk"
    with new_project(path) as project:
        line = Line(subject(project)[0])
        line.answer(line.question(), "accept")
        with open_project(path, read_only=True) as other:
            assert [(record.answer.kind, record.who) for record in other.records] == [("accept", "anna")]
        line.close()
        project.answer(None, (0, 1, 4))
        assert len(project.records) == 2


def test_a_project_that_was_given_by_its_path_is_closed_with_the_talk(tmp_path):
    path = tmp_path / "zoo.treetalk"
    new_project(path).close()
    project, is_own = subject(path)
    line = Line(project, is_own=is_own)
    line.answer(line.question(), "accept")
    line.close()
    with open_project(path) as again:  # nobody holds it
        assert len(again.records) == 1


def test_items_without_names_are_called_by_their_numbers():
    session = Session(X)
    line = Line(subject(session)[0])
    assert {item["label"] for item in line.question()["items"]} <= {str(number) for number in range(len(X))}
    assert line.answer(None, [[0, 1, 4]]).status_code == 200
    assert session.answers[0].triplet == (0, 1, 4)
    line.close()


def test_texts_and_pictures_of_a_session_are_shown(session):
    pictures = [PNG, np.zeros((2, 3)), *[None] * 6]
    line = Line(subject(session, texts=TEXTS, pictures=pictures)[0])
    assert line.request("GET", "/items/0").json()["text"] == "a small cat"
    message, buffers = line.ask(kind="pictures", addresses=["/api/v1/items/1/picture"])
    assert message["types"] == ["image/png"]
    assert buffers[0].startswith(b"\x89PNG")
    line.close()


def test_what_is_given_for_nothing_is_refused(session, tmp_path):
    with new_project(tmp_path / "zoo.treetalk") as project, pytest.raises(TypeError, match="`texts` is for data"):
        subject(project, texts=TEXTS)
    with pytest.raises(TypeError, match="`seed` is for data of your own"):
        subject(session, seed=1)
    subject(session, texts=TEXTS)
    with pytest.raises(ValueError, match="were given before, and stay"):
        subject(session, texts=TEXTS)


def test_a_project_that_is_only_looked_at_cannot_be_talked_about(zoo):
    with open_project(zoo, read_only=True) as project, pytest.raises(ProjectError, match="for reading only"):
        subject(project)


# --- the end


def ours():
    kinds = ("sampler", "summaries", "treetalk notebook", "asyncio")
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(kinds)]


def test_two_talks_share_one_sampler_and_the_last_one_stops_it(session):
    before = ours()
    one, two = Line(subject(session)[0]), Line(subject(session)[0])
    assert one.room is two.room
    assert one.question()["leaves"] != two.question()["leaves"]
    one.close()
    assert two.request("GET", "/project").status_code == 200
    assert ours() != before
    two.close()
    wait_until(lambda: ours() == before)


def test_closing_lets_go_of_those_who_still_listen(session):
    before = ours()
    line = Line(subject(session)[0])
    line.channel.hear({"kind": "listen", "id": "ear", "address": "/api/v1/events"})
    wait_until(lambda: states(line, "ear"))
    line.room.leave()
    wait_until(lambda: ours() == before)
    assert ours() == before


def test_a_project_that_was_closed_meanwhile_has_all_answers(tmp_path, caplog):
    path = tmp_path / "zoo.treetalk"
    project = new_project(path)
    line = Line(project)
    line.answer(None, [[0, 1, 4]])
    project.close()
    line.close()
    assert "not put away" in caplog.text
    with open_project(path) as again:
        assert len(again.records) == 1


def test_a_session_can_be_talked_about_again(session):
    for number in range(2):
        line = Line(subject(session)[0])
        line.answer(None, [[0, 1, 4 + number]])
        line.close()
    assert len(session.answers) == 2


def test_a_process_ends_while_a_talk_is_open():
    script = (
        "import numpy as np; from treetalk.notebook import talk;"
        "widget = talk(np.random.default_rng(0).normal(size=(12, 2))); print(len(widget.session.answers))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "0", "")


# --- the widget


def test_the_widget_shows_the_tree_where_widgets_cannot_be_shown(session):
    before = ours()
    widget = talk(session, who="anna", height=500)
    bundle = widget._repr_mimebundle_()
    bundle = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "<svg" in bundle["text/html"]
    assert bundle["text/plain"] == "<treetalk.notebook.Talk about 8 items>"
    assert (widget.session, widget.height, widget.who) == (session, 500, "anna")
    widget.close()
    widget.close()
    assert ours() == before


def test_a_widget_of_data_makes_a_session(session):
    widget = talk(X, ITEMS, seed=3)
    assert list(widget.session.items) == ITEMS
    widget.close()


def test_a_widget_that_is_too_low_is_refused(session):
    before = ours()
    with pytest.raises(ValueError, match="height"):
        talk(session, height=10)
    assert ours() == before


# --- the sources of the page


def test_every_module_comes_after_those_that_it_imports_and_none_is_imported_by_a_relative_path():
    modules = sources.modules()
    assert {"app.js", "question.js", "hierarchy.js", "cell.js", "kernel.js"} <= modules.keys()
    seen = set()
    for name, text in modules.items():
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        assert not re.search(r"""^(import|export)\b[^;]*["'](?!page:)[^"']*["'];|\bimport\(""", code, re.MULTILINE), (
            name
        )
        assert set(re.findall(r'"page:([\w.]+)"', code)) <= seen, name
        seen.add(name)


def test_every_module_of_the_page_is_there_but_those_that_start_it():
    folder = sources.resources.files("treetalk.server") / "page"
    pages = {entry.name for entry in folder.iterdir() if entry.name.endswith(".js")}
    assert pages - sources.modules().keys() == {"main.js"}


def test_modules_outside_of_main_do_not_look_into_the_whole_document():
    for name, text in sources.modules().items():
        assert not re.search(r"document\.(getElementById|querySelector|activeElement|body\b(?!,))", text) or name in {
            "surroundings.js"
        }, name


def test_the_style_speaks_of_the_frame_and_never_of_the_window_around_it():
    style = sources.style()
    assert not re.search(r":root|(?<![\w.#-])(html|body)\s*[{,]|prefers-color-scheme", style)
    assert not re.search(r"@media[^{]*(width|height)", style)
    assert style.count("{") == style.count("}")
    assert ':host([data-theme="dark"]) .frame' in style


def test_rules_under_several_conditions_hold_under_each():
    css = "a { x: 1 } @media (pointer: coarse), (max-width: 899px) { :root { y: 2 } } body { z: 3 }"
    scoped = re.sub(r"\s+", " ", sources.scoped(css))
    assert "@media (pointer: coarse) { .frame { y: 2 } }" in scoped
    assert f"@container cell (max-width: {sources.NARROW_CELL}) {{ .frame {{ y: 2 }} }}" in scoped
    assert ".frame { z: 3 }" in scoped


# --- pictures


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 1), (5, 7, 3), (5, 7, 4)])
def test_pixels_come_back_from_the_file_that_is_made_of_them(shape, tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    data, kind = as_picture(pixels)
    (tmp_path / "picture.png").write_bytes(data)
    with Image.open(tmp_path / "picture.png") as image:
        assert np.array_equal(np.asarray(image).reshape(shape), pixels)
    assert kind == "image/png"
    assert as_picture(tmp_path / "picture.png") == (data, kind)


def test_fractions_go_up_to_one():
    assert as_picture(np.array([[0.0, 1.0]])) == as_picture(np.array([[0, 255]]))
    with pytest.raises(ValueError, match="go from 0 to 1"):
        as_picture(np.array([[0.0, 16.0]]))


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 2, 9)), "no such file.png", b"text", 3])
def test_what_is_no_picture_is_refused(wrong):
    with pytest.raises((TypeError, ValueError, OSError)):
        as_picture(wrong)
