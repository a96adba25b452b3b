"""The example notebooks come out as they are stored; and in a real JupyterLab, the page in a cell does what a page does."""

import os
import re
import signal

import nbformat
import pytest
from playwright.sync_api import expect

from lab import Lab
from notebooks import PATHS, executed, words_of
from serving import wait_until

BEGIN = """
from treetalk import Session
from treetalk.datasets import load_animals
from treetalk.notebook import talk

animals = load_animals()
session = Session(animals.X, animals.items, seed=0).advance(200)
talk(session, who="anna")
"""
LAST = """
answers = session.answers
triplets = [answer.triplet for answer in answers if answer.triplet]
print(len(answers), answers[-1].kind, session.tree.satisfies(triplets).all() if triplets else "")
print("end")
"""
PID = "import os\nprint(os.getpid())\nprint('end')"
NAMES = "print(list(widget.project.names.values()))\nprint('end')"
LONG_NAMES = """
names = [f"{item} of the plains beyond the mountains, which nobody has ever seen from close by" for item in animals.items]
talk(Session(animals.X, names, seed=0).advance(200))
"""
OTHER = "other = Session(animals.X, animals.items, seed=1)\ntalk(other)"
BOTH = "print(len(session.answers), len(other.answers))\nprint('end')"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    lab.close()


# --- the examples


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_comes_out_as_it_is_stored(path):
    stored = nbformat.read(path, as_version=4)
    assert words_of(executed(path)) == words_of(stored)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_has_all_its_outputs_and_tells_nothing_of_the_machine(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/(home|root|tmp|work|Users)/|\.venv", text)
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert any("<svg" in output.get("data", {}).get("text/html", "") for cell in code for output in cell.outputs)
    assert notebook.metadata.keys() == {"kernelspec", "language_info"}


# --- in JupyterLab


def test_what_is_said_in_a_cell_is_known_in_the_next(lab, browser):
    with lab.opened(browser, BEGIN, LAST) as notebook:
        notebook.run(0)
        widget = notebook.widget(0)
        widget.click("accept")
        assert notebook.printed(1) == "1 accept"
        widget.at("question-words").click()
        widget.press("s")
        assert notebook.printed(1) == "2 skip"
        widget.drag(0, onto=3)
        widget.click("send")
        assert re.fullmatch(r"\d+ triplet True", notebook.printed(1))
        widget.click("undo")
        assert re.fullmatch(r"\d+ retract \w*", notebook.printed(1))


def test_the_tree_and_the_history_follow(lab, browser):
    with lab.opened(browser, BEGIN, "session.answer(None, ('lion', 'tuna', 'wasp'))\nprint('end')") as notebook:
        notebook.run(0)
        widget = notebook.widget(0)
        assert widget.at("tree").locator("[role=treeitem]").count() > 20
        notebook.printed(1)
        expect(widget.answered).to_contain_text("1")
        widget.at("menu-history").click()
        expect(widget.at("history-entry")).to_contain_text("lion")


def test_two_widgets_do_not_disturb_each_other_and_keys_go_to_the_one_with_the_focus(lab, browser):
    with lab.opened(browser, BEGIN, OTHER, BOTH) as notebook:
        notebook.run(0)
        notebook.widget(0)
        notebook.run(1)
        other = notebook.widget(1)
        other.at("question-words").click()
        other.press("Enter")
        other.press("Enter")
        assert notebook.printed(2) == "0 2"
        # Neither of them has the focus now.
        notebook.cell(2).locator(".jp-InputPrompt").click()
        notebook.page.keyboard.press("s")
        assert notebook.printed(2) == "0 2"


def test_keys_of_the_notebook_do_nothing_while_the_focus_is_in_the_widget(lab, browser):
    with lab.opened(browser, BEGIN, LAST) as notebook:
        notebook.run(0)
        widget = notebook.widget(0)
        widget.at("question-words").click()
        for key in ("b", "d", "d", "m", "x"):
            notebook.page.keyboard.press(key)
        assert notebook.page.locator(".jp-Notebook .jp-Cell").count() == 2


def test_the_notebook_is_saved_from_inside_and_the_page_goes_on_after_a_reload(lab, browser):
    with lab.opened(browser, BEGIN, LAST) as notebook:
        notebook.run(0)
        widget = notebook.widget(0)
        widget.click("accept")
        notebook.page.keyboard.press("Control+s")
        wait_until(lambda: any("Talk about" in path.read_text() for path in lab.root.glob("*.ipynb")))
        notebook.page.reload()
        notebook.page.get_by_text("| Idle").wait_for()
        expect(notebook.widget(0).answered).to_contain_text("1")


@pytest.mark.parametrize(("theme", "look"), [("JupyterLab Dark", "dark"), ("JupyterLab Light", "light")])
def test_the_widget_is_as_dark_as_the_notebook(lab, browser, theme, look):
    lab.set("themes", theme=theme)
    with lab.opened(browser, BEGIN) as notebook:
        notebook.run(0)
        widget = notebook.widget(0)
        expect(widget.host).to_have_attribute("data-theme", look)
        paper = widget.host.evaluate(
            "(host) => getComputedStyle(host.shadowRoot.querySelector('.frame')).backgroundColor"
        )
        lightness = sum(map(int, re.findall(r"\d+", paper)[:3])) / (3 * 255)
        assert (lightness < 0.5) == (look == "dark")
        # The styles of the page stay inside.
        assert notebook.page.evaluate("getComputedStyle(document.body).getPropertyValue('--accent')") == ""


def test_all_ten_items_and_the_buttons_are_seen_at_once(lab, browser):
    with lab.opened(browser, BEGIN) as notebook:
        notebook.run(0)
        widget = notebook.widget(0)
        expect(widget.at("hint")).to_be_visible()
        assert widget.rows.count() == 10
        (top, bottom), bar = widget.box(".frame-question"), widget.box(".question-bar")
        last = widget.rows.last.bounding_box()
        assert top <= widget.box(".question-heading")[0]
        assert last["y"] + last["height"] <= bar[0]
        assert bar[1] <= bottom


@pytest.mark.parametrize("begin", [BEGIN, BEGIN.rstrip().rpartition("\n")[0] + LONG_NAMES], ids=["short", "long names"])
def test_what_is_being_said_leaves_most_of_the_room_to_the_question(lab, browser, begin):
    with lab.opened(browser, begin) as notebook:
        notebook.run(0)
        widget = notebook.widget(0)
        widget.drag(0, onto=5)
        expect(widget.at("said")).to_be_visible()
        expect(widget.at("hint")).to_be_hidden()
        top, _ = widget.box(".frame-question")
        frame = widget.box(".frame")
        assert widget.box(".question-bar")[0] - top > 0.5 * (frame[1] - frame[0])


def test_while_the_kernel_does_not_answer_nothing_is_lost_and_what_fails_is_said(lab, browser):
    with lab.opened(browser, BEGIN, PID, LAST) as notebook:
        notebook.run(0)
        widget = notebook.widget(0)
        pid = int(notebook.printed(1))
        os.kill(pid, signal.SIGSTOP)
        try:
            widget.drag(0, onto=5)
            expect(widget.at("send")).to_have_attribute("aria-disabled", "true")
            expect(widget.at("connection")).to_contain_text("The kernel is busy.")
            expect(widget.at("connection")).to_contain_text("does not answer", timeout=60_000)
            expect(widget.host.locator(".question-status")).to_contain_text("It was not moved.")
            expect(widget.at("sampling")).to_contain_text("Not connected")
        finally:
            os.kill(pid, signal.SIGCONT)
        expect(widget.at("connection")).to_be_hidden(timeout=60_000)
        widget.wait()
        widget.click("accept")
        assert notebook.printed(2) == "1 accept"


def test_a_name_stays_in_its_form_until_the_kernel_has_it(lab, browser):
    begin = BEGIN.replace("talk(session", "widget = talk(session") + "widget"
    with lab.opened(browser, begin, PID, NAMES) as notebook:
        notebook.run(0)
        widget = notebook.widget(0)
        pid = int(notebook.printed(1))
        widget.at("tree").locator("[role=treeitem]").first.press("m")
        widget.at("tree-name").click()
        widget.at("tree-name-field").fill("all animals")
        os.kill(pid, signal.SIGSTOP)
        try:
            widget.at("tree-name-save").click()
            expect(widget.at("tree-name-save")).to_be_disabled()
            expect(widget.at("connection")).to_contain_text("The kernel is busy.")
            expect(widget.at("tree-name-field")).to_have_value("all animals")
        finally:
            os.kill(pid, signal.SIGCONT)
        expect(widget.at("tree-name-field")).to_have_count(0)
        assert "all animals" in notebook.printed(2)


def test_after_a_restart_it_is_said_that_the_cell_has_to_be_run_again(lab, browser):
    with lab.opened(browser, BEGIN) as notebook:
        notebook.run(0)
        widget = notebook.widget(0)
        notebook.restart()
        expect(widget.at("connection")).to_have_text(re.compile("The kernel was restarted: run the cell again."))
        expect(widget.at("sampling")).to_contain_text("Not connected")
        expect(widget.at("accept")).to_have_attribute("aria-disabled", "true")
        notebook.page.get_by_text("| Idle").wait_for()
        notebook.run(0)
        expect(notebook.widget(0).at("connection")).to_be_hidden()


def test_pictures_come_without_any_server(lab, browser):
    begin = (
        "import numpy as np\nfrom treetalk.notebook import talk\n"
        "rng = np.random.default_rng(0)\n"
        "widget = talk(rng.normal(size=(30, 3)), seed=0, pictures=rng.random((30, 8, 8)))\nwidget"
    )
    with lab.opened(browser, begin, "widget.close()\nprint('end')") as notebook:
        notebook.run(0)
        widget = notebook.widget(0)
        picture = widget.rows.first.locator("img")
        assert picture.evaluate("(image) => [image.src.slice(0, 5), image.naturalWidth]") == ["blob:", 8]
        notebook.printed(1)
        expect(widget.host).to_have_count(0)
