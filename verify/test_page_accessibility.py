"""Whoever cannot see well, or cannot use a mouse: axe-core finds nothing wrong with any state of the page, in any look."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from browser import NARROW, WIDE, Visit, Window
from projects import ITEMS, PNG, X, new_project
from serving import served
from treetalk import Project

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
TEXTS = ["a small cat", None, "", "grey", "swims, and lives in rivers and in the sea", None, None, "hoots"]
# Nothing moves, so that no colour is measured on its way to another one.
LOOKS: dict[str, dict[str, Any]] = {
    f"{width} {scheme}": {"size": size, "color_scheme": scheme, "reduced_motion": "reduce"} | touch
    for width, size, touch in [("wide", WIDE, {}), ("narrow", NARROW, {"has_touch": True, "is_mobile": True})]
    for scheme in ("light", "dark")
}


pytestmark = pytest.mark.usefixtures("state")


@pytest.fixture(params=LOOKS)
def look(request) -> dict[str, Any]:
    return LOOKS[request.param]


@pytest.fixture
def zoo(browser, tmp_path) -> Iterator[Callable[..., Visit]]:
    path = tmp_path / "zoo.treetalk"
    with new_project(path, texts=TEXTS, pictures=[(PNG, "image/png"), *[None] * 7], subset_size=8) as project:
        project.advance(200, num_snapshots=10)
        project.name_cluster(range(len(ITEMS)), "everything")
    with served(path) as (address, _), Visit(browser, address, path) as visit:
        yield visit


def check(page: Page, state: str) -> None:
    """Fail with all that is wrong with a page in a state."""
    found = Axe().run(page, options={"runOnly": RULES, "resultTypes": ["violations"]})
    told = [
        f"{state}: {violation['id']}: {violation['help']}: {node['html']} {node['failureSummary']}"
        for violation in found.response["violations"]
        for node in violation["nodes"]
    ]
    # A page on which no rule found anything to look at would pass all of them.
    assert found.response["passes"]
    assert not told, "\n".join(told)


def show(window: Window, tab: str) -> None:
    """Go to a view; where there is room for all of them they are there already."""
    if window.at(f"tab-{tab}").is_visible():
        window.at(f"tab-{tab}").tap()
    elif tab == "history":
        window.at("menu-history").click()


def test_questions_about_a_subtree(zoo, look):
    window = zoo.open("Ada", asks=range(8), **look)
    check(window.page, "a question, with the hint")
    window.pick(*window.items[:2])
    check(window.page, "two items picked")
    window.pick(window.items[4])
    check(window.page, "three items picked")
    window.at("cancel").click()
    window.at("question-words").focus()
    window.press("ArrowDown", "m", *["ArrowDown"] * 4)
    check(window.page, "an item picked up")
    with window.sending("rearrangements"):
        window.press("Enter")
    expect(window.at("said")).to_be_visible()
    check(window.page, "after a drop")
    window.at("add-comment").click()
    check(window.page, "with the field for a comment")


def test_questions_about_three_items(browser, tmp_path, look):
    path = tmp_path / "triples.treetalk"
    new_project(path, texts=TEXTS, strategy="simple").close()
    with served(path) as (address, _), Visit(browser, address, path) as visit:
        window = visit.open("Ada", **look)
        check(window.page, "three cards")
        window.click("odd-1")
        expect(window.at("toast")).to_be_visible()
        check(window.page, "with a toast")


def test_the_hierarchy(zoo, look):
    window = zoo.open("Ada", asks=range(4), **look)
    show(window, "hierarchy")
    expect(window.rows.first).to_be_attached()
    check(window.page, "the hierarchy")
    window.rows.first.press("m")
    check(window.page, "the menu of a branch")
    window.at("tree-name").click()
    check(window.page, "the field for a name")
    window.press("Escape")
    window.rows.get_by_text("cat", exact=True).click()
    expect(window.at("tree-statement")).to_be_visible()
    check(window.page, "the menu of an item")
    window.press("Escape")
    window.at("search").fill("t")
    expect(window.page.get_by_role("option").first).to_be_visible()
    check(window.page, "what was found")


def test_the_history_and_the_exports(zoo, look):
    window = zoo.open("Ada", asks=range(8), **look)
    show(window, "history")
    expect(window.at("no-history")).to_be_visible()
    check(window.page, "no history")
    said = zoo.api.say((0, 1, 4), who="Ben")["answers"][0]
    zoo.api.say((0, 1, 5), comment="of course")
    zoo.api.give("/comments", answer=said["id"], text="of course", who="Ada")
    zoo.api.give("/retractions", gesture="gesture-1", window=window.id, takes_back=said["gesture"])
    expect(window.at("history-entry")).to_have_count(3)
    check(window.page, "the history")
    window.at("history-comment").first.click()
    check(window.page, "the field for a comment")
    window.at("menu-export").click()
    check(window.page, "the exports")


def test_the_dialogs(zoo, look):
    zoo.api.say((0, 1, 4), who="Ben")
    window = zoo.open("Ada", asks=[0, 1, 4, 5], **look)
    window.at("menu-help").click()
    check(window.page, "the keys")
    window.press("Escape")
    window.at("menu-statement").click()
    check(window.page, "a statement, empty")
    for place, name in zip("abc", ("cat", "crow", "trout"), strict=True):
        window.choose(f"statement-{place}", name)
    expect(window.at("statement-result")).to_contain_text("together")
    check(window.page, "a statement")
    window.page.get_by_role("button", name="Close").click()
    window.pick(0, 4, 1)
    window.click("send")
    expect(window.at("conflict")).to_be_visible()
    check(window.page, "a contradiction")
    window.at("conflict-leave").click()
    expect(window.at("menu-conflicts")).to_be_visible()
    check(window.page, "an answer set aside")
    window.at("menu-conflicts").click()
    expect(window.at("conflict")).to_be_visible()
    check(window.page, "all that is set aside")


def test_a_page_without_a_question_or_a_server(browser, tmp_path, look):
    path = tmp_path / "small.treetalk"
    Project.create(path, X[:4], ITEMS[:4]).close()
    with served(path) as (address, _), Visit(browser, address, path) as visit:
        visit.api.say((0, 1, 2), (0, 1, 3), (2, 3, 0), (2, 3, 1))
        window = visit.open("Ada", **look)
        expect(window.at("no-question")).to_be_visible()
        check(window.page, "nothing to ask")
        visit.excuse("net::ERR_")
        window.page.context.set_offline(True)
        window.page.get_by_role("button", name="Look again").click()
        expect(window.at("connection")).to_be_visible()
        check(window.page, "no connection")


def test_the_help_and_the_reference_of_the_api(zoo, look):
    page = zoo.open("Ada", **look).page
    for place in ("/help", "/help/api"):
        page.goto(f"{zoo.address}{place}")
        check(page, place)


def test_a_page_that_is_not_let_in(zoo, look):
    page = zoo.open("Ada", **look).page
    zoo.excuse("401")
    page.context.clear_cookies()
    page.goto(zoo.address)
    expect(page.locator("body")).to_contain_text("needs the token")
    check(page, "not let in")
