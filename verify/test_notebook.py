"""The example notebooks come out as they are stored; and in a real JupyterLab, the page in a cell does what a page does."""

import re

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
