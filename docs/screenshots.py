"""Take the README's pictures of the web page again: ``make picture``. Needs a browser, as the tests of the page do."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
os.environ.setdefault("TREETALK_USER", "anna")

from browser import ARGUMENTS, find_browser
from playwright.sync_api import Page, sync_playwright

from serving import TOKEN, Api, served, wait_until
from treetalk import Project, Query, Tree, TreeUser
from treetalk.datasets import load_animals

FOLDER = Path(__file__).parent
NUM_ANSWERS = 45
NAMES = {"birds": ["duck", "sparrow", "hawk"], "fish": ["carp", "tuna", "pike"], "insects": ["wasp", "gnat", "moth"]}


def main() -> None:
    """Let a person who knows biology answer for a while, and look at what the page shows then."""
    animals = load_animals()
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "animals.treetalk"
        Project.create(path, animals.X, animals.items).close()
        with served(path) as (address, desk), Api(address) as api:
            answer_for_a_while(api)
            for name, some in NAMES.items():
                tree = desk._board.shown.tree
                branch = desk._board.shown.canvas.key(tree.mrca(*(animals.items.index(item) for item in some)))
                api.give("/names", branch=branch, name=name)
            wait_until(lambda: api.look("/state")["sampling"]["state"] == "resting", patience=120)
            take_pictures(f"{address}/?token={TOKEN}&user=anna")


def answer_for_a_while(api: Api) -> None:
    """Answer as biology has it."""
    user = TreeUser(load_animals().target)
    question = api.question()
    for _ in range(NUM_ANSWERS):
        query = Query(question["kind"], question["leaves"], Tree(question["piece"]["parents"]), question["strategy"])
        said = user.respond(query)
        question = api.answer(question, said if isinstance(said, str) else [list(map(int, said))], who="anna")[
            "question"
        ]


def take_pictures(address: str) -> None:
    """Open the page in a browser, and take a picture of each state worth seeing."""
    shapes = {"page": (1280, 800, "light"), "phone": (390, 844, "dark")}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=ARGUMENTS)
        for name, (width, height, scheme) in shapes.items():
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                device_scale_factor=1 if name == "page" else 2,
            )
            page = context.new_page()
            page.goto(address)
            show(page)
            page.screenshot(path=FOLDER / f"{name}.png")
            context.close()
        browser.close()


def show(page: Page) -> None:
    """Have a piece of the tree on the screen, with something dropped elsewhere and not yet sent."""
    page.get_by_test_id("question-words").wait_for()
    if page.get_by_label("Close the hint").count():
        page.get_by_label("Close the hint").click()
    while page.get_by_test_id("odd-1").count():
        page.get_by_test_id("skip").click()
        page.wait_for_timeout(500)
    rows = page.get_by_test_id("question").locator('[data-testid^="item-"]')
    first, last = rows.first.bounding_box(), rows.nth(rows.count() - 2).bounding_box()
    assert first is not None
    assert last is not None
    page.mouse.move(first["x"] + 40, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + 60, last["y"] + last["height"] / 2, steps=12)
    page.mouse.up()
    page.get_by_test_id("said").wait_for()
    page.wait_for_timeout(3_500)  # until what moved stands still


if __name__ == "__main__":
    if shutil.which("chromium") is None and not os.environ.get("TREETALK_BROWSER"):
        sys.exit("The pictures of the page need a browser: chromium, or TREETALK_BROWSER=PATH")
    main()
