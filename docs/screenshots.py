"""Take the README's pictures of the web page again: ``make picture``. Needs a browser, as the tests of the page do."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
os.environ.setdefault("TREETALK_USER", "anna")

from playwright.sync_api import Page, Response, sync_playwright

from browser import ARGUMENTS, find_browser
from serving import TOKEN, Api, served, wait_until
from treetalk import Project, Query, Tree, TreeUser
from treetalk.datasets import load_animals

FOLDER = Path(__file__).parent
NUM_ANSWERS, THINKING = 120, 0.3  # seconds
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
        time.sleep(THINKING)
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
            page, asked = context.new_page(), []
            page.on("response", partial(note, asked=asked))
            page.goto(address)
            page.get_by_test_id("question-words").wait_for()
            show(page, asked)
            page.screenshot(path=FOLDER / f"{name}.png")
            context.close()
        browser.close()


def show(page: Page, asked: list[dict[str, Any]]) -> None:
    """Have a piece of the tree on the screen that is wrong, with something dropped where it belongs and not yet sent."""
    page.get_by_test_id("hint-dismiss").click()
    if page.get_by_test_id("tree-minus").is_visible():
        page.get_by_test_id("tree-minus").click()
    while (said := correction(asked[-1])) is None:
        page.wait_for_timeout(500)
        page.get_by_test_id("skip").click()
        page.wait_for_timeout(500)
    (x, y), (to_x, to_y) = (middle(page, item) for item in said[:2])
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(to_x, to_y, steps=12)
    page.mouse.up()
    page.get_by_test_id("said").wait_for()
    page.wait_for_timeout(3_500)  # until what moved stands still


def correction(question: dict[str, Any]) -> tuple[int, int, int] | None:
    """Return what a person who knows biology says to a question, if it is a correction."""
    query = Query(question["kind"], question["leaves"], Tree(question["piece"]["parents"]), question["strategy"])
    said = TreeUser(load_animals().target).respond(query)
    return None if isinstance(said, str) or query.kind == "triple" else said


def note(response: Response, asked: list[dict[str, Any]]) -> None:
    """Note the question that the page was sent."""
    if response.url.rpartition("/api/v1/")[2].partition("?")[0] in {"question", "answers"}:
        asked.append(response.json()["question"])


def middle(page: Page, item: int) -> tuple[float, float]:
    """Return where the row of an item is."""
    box = page.get_by_test_id(f"item-{item}").bounding_box()
    if box is None:
        raise RuntimeError(f"item {item} is not on the screen")
    return box["x"] + 60, box["y"] + box["height"] / 2


if __name__ == "__main__":
    if shutil.which("chromium") is None and not os.environ.get("TREETALK_BROWSER"):
        sys.exit("The pictures of the page need a browser: chromium, or TREETALK_BROWSER=PATH")
    main()
