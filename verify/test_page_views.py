"""What else there is on the page, in a real browser: the hierarchy, statements, exports, the history, help, and looks."""

import json
import re

import pytest
from playwright.sync_api import expect

from browser import NARROW, WIDE, Visit
from pieces import after_drop
from projects import ITEMS, PNG, new_project
from serving import served
from treetalk import Project, Tree, open_project
from treetalk.datasets import load_animals

WATCH_SHIFTS = """() => {
    window.numShifts = 0;
    const count = (changes) => changes.forEach(({ target }) => (window.numShifts += target.style.transform ? 1 : 0));
    const question = document.querySelector("[data-testid=question]");
    new MutationObserver(count).observe(question, { subtree: true, attributes: true, attributeFilter: ["style"] });
}"""
LIGHTNESS = """(element) => {
    const [red, green, blue] = getComputedStyle(element).backgroundColor.match(/[\\d.]+/g).map(Number);
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}"""


pytestmark = pytest.mark.usefixtures("state")


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """The animals, sampled until little changes any more."""
    path = tmp_path_factory.mktemp("grown") / "animals.treetalk"
    data = load_animals()
    with Project.create(path, data.X, data.items) as project:
        project.advance(20_000, num_snapshots=50)
    return path


@pytest.fixture
def animals(browser, grown, tmp_path):
    path = tmp_path / "animals.treetalk"
    path.write_bytes(grown.read_bytes())
    with served(path) as (address, _), Visit(browser, address, path) as visit:
        yield visit


@pytest.fixture
def zoo(browser, tmp_path):
    path = tmp_path / "zoo.treetalk"
    new_project(path, pictures=[(PNG, "image/png"), *[None] * 7], subset_size=8).close()
    with served(path) as (address, _), Visit(browser, address, path) as visit:
        yield visit


def branch_of(window, size):
    """The drawn branch of so many items."""
    return window.rows.and_(window.page.get_by_label(re.compile(rf"\bgroup of {size}\sitems")))


def num_rows(window):
    return int(re.sub(r"\D", "", window.at("tree-detail").inner_text()))


def show_less(window):
    """Have fewer rows opened by themselves."""
    window.at("tree-minus").click()
    window.page.wait_for_function(
        "() => parseInt(document.querySelector('[data-testid=tree-detail]').textContent) <= 20"
    )


# --- the hierarchy


def test_an_item_is_searched_for_and_revealed(animals):
    window = animals.open()
    show_less(window)
    drawn = {words.split(",")[0] for words in window.rows.evaluate_all("(all) => all.map((one) => one.ariaLabel)")}
    hidden = next(name for name in load_animals().items if name not in drawn)
    expect(window.rows.get_by_text(hidden, exact=True)).to_have_count(0)
    window.press("/")
    window.choose("search", hidden)
    row = window.page.locator("[role=treeitem]:focus")
    expect(row).to_have_attribute("aria-label", re.compile(f"^{hidden}"))
    expect(row).to_be_in_viewport()


def test_what_is_not_there_is_not_found(animals):
    window = animals.open()
    window.at("search").fill("unicorn")
    expect(window.page.get_by_role("search")).to_contain_text("Nothing has “unicorn” in its name or text.")


def test_a_name_that_could_not_be_saved_stays_in_its_form(zoo):
    window = zoo.open("Ada")
    zoo.excuse("names", "Failed to load")
    window.page.route("**/api/v1/names", lambda route: route.abort())
    branch_of(window, 8).press("m")
    window.at("tree-name").click()
    window.at("tree-name-field").fill("everything")
    window.at("tree-name-save").click()
    expect(window.at("tree-name-wrong")).to_have_text("The name was not saved.")
    expect(window.at("tree-name-field")).to_have_value("everything")
    window.page.unroute("**/api/v1/names")
    window.at("tree-name-save").click()
    expect(window.rows.get_by_text("everything", exact=True)).to_be_visible()


def test_a_branch_is_named_and_found_by_its_name(zoo):
    window = zoo.open("Ada")
    branch_of(window, 8).press("m")
    window.at("tree-name").click()
    window.at("tree-name-field").fill("everything")
    with window.sending("names"):
        window.at("tree-name-save").click()
    expect(window.rows.get_by_text("everything", exact=True)).to_be_visible()
    with open_project(zoo.path, read_only=True) as project:
        assert project.names == {frozenset(range(8)): "everything"}
    window.choose("search", "everyt")
    expect(window.page.locator("[role=treeitem]:focus")).to_have_attribute("aria-label", re.compile("^everything,"))
    branch_of(window, 8).press("m")
    window.at("tree-name").click()
    window.at("tree-name-field").fill("")
    with window.sending("names"):
        window.at("tree-name-save").click()
    expect(window.rows.get_by_text("everything", exact=True)).to_have_count(0)
    with open_project(zoo.path, read_only=True) as project:
        assert project.names == {}


def test_a_person_is_asked_about_a_branch_that_they_choose(zoo):
    window = zoo.open("Ada", asks=range(4))
    branch = window.rows.and_(window.page.locator("[aria-expanded]")).nth(1)
    size = int(re.search(r"group of (\d+)", branch.get_attribute("aria-label"))[1])
    branch.press("m")
    window.click("tree-ask", "question")
    expect(window.at("question-words")).to_contain_text(f"{max(size, 3)} items")
    marked = window.rows.and_(window.page.get_by_label(re.compile("in the question")))
    expect(marked).to_have_count(max(size, 3))
    names = [words.split(",")[0] for words in marked.evaluate_all("(all) => all.map((one) => one.ariaLabel)")]
    assert sorted(ITEMS.index(name) for name in names) == sorted(window.items)
    window.press_to_send("Enter")
    assert window.records[-1].answer.kind == "accept"


def test_branches_are_shut_and_opened_and_zoomed_into(animals):
    window = animals.open()
    show_less(window)
    few = num_rows(window)
    shut = window.rows.and_(window.page.locator("[aria-expanded=false]")).first
    key = shut.get_attribute("data-branch")
    size = int(re.search(r"group of (\d+)", shut.get_attribute("aria-label"))[1])
    shut.locator("[data-part=knob]").click()
    here = window.at(f"tree-row-{key}")
    expect(here).to_have_attribute("aria-expanded", "true")
    assert few < num_rows(window) <= few - 1 + size
    here.press("Enter")
    expect(here).to_have_attribute("aria-expanded", "false")
    assert num_rows(window) == few
    here.press("m")
    window.at("tree-zoom").click()
    expect(window.page.get_by_role("navigation", name="Where in the hierarchy")).to_contain_text("All 101")
    expect(window.rows.first).to_have_attribute("aria-label", re.compile(rf"group of {size}\s"))
    window.page.get_by_role("button", name=re.compile("All 101")).click()
    expect(branch_of(window, 101)).to_have_count(1)


def test_a_reload_shows_the_same_part_of_the_hierarchy(animals):
    window = animals.open()
    show_less(window)
    window.reload()
    expect(window.rows.first).to_be_attached()
    assert num_rows(window) <= 20


# --- statements, exports, history


def test_the_page_says_how_sure_a_statement_is_and_takes_it_as_an_answer(zoo):
    window = zoo.open("Ada", asks=range(8))
    window.at("menu-statement").click()
    for place, name in zip("abc", ("cat", "lynx", "eel"), strict=True):
        window.choose(f"statement-{place}", name)
    told = zoo.api.look("/statement", a=0, b=1, c=4)
    expect(window.at("statement-result")).to_contain_text("cat and lynx belong together, apart from eel")
    shares = window.at("statement-result").locator(".statement-share").all_inner_texts()
    assert sum(int(re.sub(r"\D", "", share)) for share in shares) in range(98, 103)
    assert told["certain"] is False
    window.click("statement-say")
    (record,) = window.records
    assert (record.answer.triplet, record.answer.leaves, record.who) == ((0, 1, 4), None, "Ada")
    assert zoo.api.look("/statement", a=0, b=1, c=4)["certain"] is True


def test_every_format_is_downloaded_under_its_name(zoo):
    zoo.api.say((0, 1, 4), who="Ben")
    window = zoo.open("Ada")
    formats = zoo.api.look("/project")["exports"]
    for each in formats:
        window.at("menu-export").click()
        with window.page.expect_download() as download:
            window.at(f"menu-export-{each['format']}").click()
        assert download.value.suggested_filename == each["filename"]
        content = download.value.path().read_bytes()
        assert content
        if each["format"] == "newick":
            assert Tree.from_newick(content.decode(), ITEMS).satisfies([[0, 1, 4]]).all()
        if each["format"] == "json":
            assert set(ITEMS) <= set(re.findall(r"\w+", json.dumps(json.loads(content))))
    assert {"newick", "json"} <= {each["format"] for each in formats}


def test_an_answer_is_commented_on_in_the_history(zoo):
    zoo.api.say((0, 1, 4), who="Ben")
    window = zoo.open("Ada")
    window.press("h")
    window.at("history-comment").click()
    window.at("history-comment-text").fill("of course <b>they</b> are")
    with window.sending("comments"):
        window.press("Control+Enter")
    expect(window.at("history-entry")).to_contain_text("of course <b>they</b> are")
    with open_project(zoo.path, read_only=True) as project:
        assert [(comment.answer, comment.who, comment.text) for comment in project.comments] == [
            (0, "Ada", "of course <b>they</b> are")
        ]
    window.reload()
    window.press("h")
    expect(window.at("history-entry")).to_contain_text("of course")


# --- looks


def test_pictures_are_shown(zoo):
    window = zoo.open("Ada", asks=range(8))
    for picture in (
        window.at("item-0").locator("img"),
        window.rows.get_by_text("cat", exact=True).locator("..").locator("img"),
    ):
        expect(picture).to_be_visible()
        window.page.wait_for_function(
            "(image) => image.complete && image.naturalWidth === 1", arg=picture.element_handle()
        )
    assert window.at("question").locator("img").count() == 1


@pytest.mark.parametrize(("scheme", "is_dark"), [("light", False), ("dark", True)])
def test_the_page_is_as_light_or_dark_as_the_system(zoo, scheme, is_dark):
    window = zoo.open("Ada", color_scheme=scheme)
    assert (window.page.locator("body").evaluate(LIGHTNESS) < 0.2) == is_dark
    assert (window.page.locator("body").evaluate(LIGHTNESS) > 0.8) != is_dark


@pytest.mark.parametrize(("motion", "glides"), [("no-preference", True), ("reduce", False)])
def test_nothing_glides_for_those_who_want_less_motion(zoo, motion, glides):
    window = zoo.open("Ada", asks=range(8), reduced_motion=motion)
    shown, items = window.shown, window.items
    other = next(item for item in items[::-1] if frozenset({items[0], item}) not in shown)
    window.page.evaluate(WATCH_SHIFTS)
    window.press("ArrowDown", "m", *["ArrowDown"] * items.index(other))
    with window.sending("rearrangements"):
        window.press("Enter")
    window.wait()
    assert window.shown == after_drop(shown, frozenset({items[0]}), frozenset({other}))
    assert (window.page.evaluate("window.numShifts") > 0) == glides


# --- help


@pytest.mark.parametrize("is_answered", [True, False], ids=["answered", "dismissed"])
def test_a_hint_is_there_until_the_first_answer_or_until_it_is_dismissed(zoo, is_answered):
    window = zoo.open("Ada")
    expect(window.at("hint")).to_contain_text("Is it right?")
    if is_answered:
        window.press_to_send("s")
    else:
        window.at("hint-dismiss").click()
    expect(window.at("hint")).to_have_count(0)
    window.reload()
    expect(window.at("hint")).to_have_count(0)


def test_a_hint_makes_room_while_something_is_being_said(zoo):
    window = zoo.open("Ada")
    window.pick(window.items[0])
    expect(window.at("hint")).to_be_hidden()
    window.press("Escape")
    expect(window.at("hint")).to_be_visible()


@pytest.mark.parametrize("size", [WIDE, NARROW, (1280, 600)], ids=["wide", "narrow", "low"])
def test_what_is_being_said_leaves_most_of_the_room_to_the_question(zoo, size):
    window = zoo.open("Ada", size=size)
    items = window.items
    window.drag(items[0], items[-1])
    said = window.at("said")
    # As long as it may be: sentences about items with very long names.
    said.evaluate("(said) => said.append('and so on and so forth '.repeat(200))")
    bar, column = (window.page.locator(name).bounding_box() for name in (".question-bar", ".frame-question"))
    assert bar["height"] < 0.4 * column["height"]
    assert bar["y"] + bar["height"] <= column["y"] + column["height"] + 1


def test_the_keys_are_explained_and_the_help_page_says_the_rest(zoo):
    window = zoo.open("Ada")
    window.press("?")
    dialog = window.at("help")
    expect(dialog.get_by_role("table").first).to_be_visible()
    keys = dialog.get_by_role("rowheader").all_inner_texts()
    assert {"Enter", "S", "A", "M"} <= set(keys)
    # Keys do nothing behind the dialog.
    window.press("s")
    with window.page.context.expect_page() as opened:
        dialog.get_by_role("link").click()
    page = opened.value
    expect(page.get_by_role("heading", level=1)).to_have_text("Help")
    for anchor in page.locator("nav a[href^='#']").all():
        expect(page.locator(anchor.get_attribute("href"))).to_have_count(1)
    page.goto(f"{zoo.address}/help/api")
    expect(page.locator("body")).to_contain_text("/api/v1/answers")
    window.press("Escape")
    expect(dialog).to_be_hidden()
    assert window.records == []
