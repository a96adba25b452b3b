"""Whole sessions in a real browser: two people at once, a server that dies, an hour's work, and many items."""

import re

import pytest
from playwright.sync_api import expect

from browser import Visit
from person import WAYS, Person
from projects import ITEMS, X
from serving import Api, Served, free_port, new_id, served, wait_until
from treetalk import DirichletDiffusion, Project, Tree, triplet_distance
from treetalk.datasets import load_animals

NUM_ANSWERS = 40
NUM_ITEMS = 5_000
# What a browser writes in its console when nobody is there.
NOBODY_THERE = r"net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|FAILED)"

STEP = 600  # pixels that are scrolled at once, less than are visible
CLOSED_ROWS = """(all) => {
    const closed = all.filter((one) => one.ariaExpanded !== "true");
    return closed.map((one) => [one.dataset.branch, one.ariaLabel]);
}"""
# Whether the hierarchy was scrolled to a place, and shows something from the upper edge to the lower.
IS_DRAWN = """(place) => {
    const tree = document.querySelector("[data-testid=tree]");
    const { top, bottom } = tree.getBoundingClientRect();
    const rows = [...tree.querySelectorAll("[role=treeitem]:not([aria-expanded=true])")];
    const boxes = rows.map((one) => one.getBoundingClientRect());
    const isVisible = ({ y, height }) => y + height > top + 2 && y < bottom - 2;
    const numVisible = new Set(boxes.filter(isVisible).map(({ y }) => Math.round(y))).size;
    const end = tree.scrollHeight - tree.clientHeight;
    return tree.scrollTop >= Math.min(place, end) - 2 && numVisible >= tree.clientHeight / 26 - 1;
}"""


pytestmark = pytest.mark.usefixtures("state")


@pytest.fixture
def animals(tmp_path):
    path = tmp_path / "animals.treetalk"
    data = load_animals()
    Project.create(path, data.X, data.items).close()
    return path


def stay(window):
    """Leave something in a page that a reload would take away."""
    window.page.evaluate("window.isTheSame = true")


def has_stayed(window):
    return window.page.evaluate("window.isTheSame === true")


# --- several people


def test_two_people_answer_at_once_and_the_history_tells_who(browser, animals):
    with served(animals) as (address, _), Visit(browser, address, animals) as visit:
        ada, ben = visit.open("Ada"), visit.open("Ben")
        assert sorted(ada.items) != sorted(ben.items)
        ada.at("menu-history").click()
        expect(ada.at("no-history")).to_be_visible()
        for _ in range(3):
            ada.click("accept")
            ben.click("skip")
        entries = ada.at("history-entry")
        # Without a reload, and without being asked for.
        expect(entries).to_have_count(6)
        told = entries.all_inner_texts()
        assert [("Ben" if place % 2 == 0 else "Ada") in text for place, text in enumerate(told)] == [True] * 6
        assert [record.who for record in ada.records] == ["Ada", "Ben"] * 3
        expect(ada.at("sampling")).to_contain_text("2 windows open")
        expect(ben.at("progress-answered")).to_have_attribute("title", re.compile("3 accepted.*3 skipped"))


def test_one_person_takes_back_what_another_one_said(browser, animals):
    with served(animals) as (address, _), Visit(browser, address, animals) as visit:
        ada, ben = visit.open("Ada"), visit.open("Ben")
        ada.press_to_send("Enter")
        ben.at("menu-history").click()
        ben.click("take-back", "retractions")
        assert [(record.answer.kind, record.who) for record in ben.records] == [("accept", "Ada"), ("retract", "Ben")]
        # What is gone already is said, and is not in the way of what can be undone before it.
        visit.excuse("400 .*retractions")
        ada.click("undo", "retractions")
        expect(ada.at("toast")).to_contain_text("taken back already")
        expect(ada.at("undo")).to_be_disabled()
        assert len(ben.records) == 2


# --- a server that is not there


def test_a_page_goes_on_after_the_server_was_killed_and_nothing_is_lost_or_doubled(browser, animals):
    port = free_port()
    server = Served(animals, port)
    try:
        with Visit(browser, server.address, animals) as visit:
            visit.excuse(NOBODY_THERE)
            window = visit.open("Ada")
            window.press_to_send("Enter")
            stay(window)
            server.kill()
            expect(window.at("connection")).to_contain_text("No connection")
            asked = sorted(window.items)
            window.press("Enter")
            expect(window.at("connection")).to_contain_text("your answer is kept")
            # A second answer is not taken while one is on its way.
            window.press("s", "Enter")
            assert len(window.records) == 1
            server = Served(animals, port)
            expect(window.at("connection")).to_be_hidden()
            window.wait()
            assert [record.answer.kind for record in window.records] == ["accept"] * 2
            assert sorted(window.records[-1].answer.leaves) == asked
            window.press_to_send("s")
            window.click("undo", "retractions")
            assert has_stayed(window)
            assert [record.answer.kind for record in window.records] == ["accept", "accept", "skip", "retract"]
            assert {record.who for record in window.records} == {"Ada"}
    finally:
        server.kill()


def test_an_answer_is_sent_by_the_next_page_if_the_window_was_reloaded_while_nobody_was_there(browser, animals):
    with served(animals) as (address, _), Visit(browser, address, animals) as visit:
        window = visit.open("Ada")
        asked = sorted(window.items)
        visit.excuse(NOBODY_THERE)
        window.page.route("**/api/v1/answers", lambda route: route.abort("connectionrefused"))
        window.glance()
        window.press("Enter")
        expect(window.at("connection")).to_contain_text("your answer is kept")
        window.page.unroute("**/api/v1/answers")
        with window.page.expect_response("**/api/v1/answers"):
            window.page.reload()
        expect(window.at("toast")).to_contain_text("The answer from before was sent")
        window.wait()
        (record,) = window.records
        assert (record.answer.kind, sorted(record.answer.leaves), record.who) == ("accept", asked, "Ada")


def test_an_answer_whose_acknowledgement_is_lost_is_recorded_once(browser, animals):
    with served(animals) as (address, _), Visit(browser, address, animals) as visit:
        window = visit.open("Ada")
        visit.excuse(NOBODY_THERE)
        lost = []

        def lose(route):
            lost.append(route.fetch().status)
            if len(lost) > 1:
                route.continue_()
            else:
                route.abort("connectionreset")

        window.page.route("**/api/v1/answers", lose)
        before = sorted(window.items)
        window.press_to_send("Enter")
        assert lost == [200, 200]
        assert [record.answer.kind for record in window.records] == ["accept"]
        assert sorted(window.items) != before


# --- an hour's work


def test_forty_answers_given_with_the_page_alone_bring_the_hierarchy_nearer_to_what_is_right(browser, animals, report):
    data = load_animals()

    def distance(api: Api) -> float:
        return triplet_distance(data.target, Tree.from_newick(api.get("/export/newick").text, data.items))

    with served(animals) as (address, _), Visit(browser, address, animals) as visit:
        window = visit.open("Ada")
        person = Person(data.target, data.items)
        before = distance(visit.api)
        for _ in range(NUM_ANSWERS):
            person.answer(window)
        after = distance(visit.api)
        state = visit.api.look("/state")
    report(f"{NUM_ANSWERS} answers with the page alone: distance {before:.3f} to {after:.3f}; {dict(person.done)}")
    assert person.done.total() == NUM_ANSWERS
    assert all(person.done[way] for way in [*WAYS, "odd"])
    assert state["answered"] + state["skipped"] == NUM_ANSWERS
    assert state["set_aside"] == 0
    assert after < 0.8 * before


# --- many items


def test_the_hierarchy_of_many_items_is_scrolled_through_from_end_to_end(browser, tmp_path, report):
    path = tmp_path / "many.treetalk"
    points = DirichletDiffusion().simulate(NUM_ITEMS, 4, seed=5)[1]
    Project.create(path, points, [f"item {number:04}" for number in range(NUM_ITEMS)]).close()
    with served(path) as (address, _), Visit(browser, address, path) as visit:
        # What is counted while one scrolls must not change meanwhile.
        wait_until(lambda: visit.api.look("/state")["sampling"]["state"] == "resting", patience=300)
        window = visit.open("Ada")
        more, detail = window.at("tree-plus"), window.at("tree-detail")
        expect(detail).not_to_be_empty()
        while more.get_attribute("aria-disabled") == "false":
            before = detail.inner_text()
            more.click()
            expect(detail).not_to_have_text(before)
        num_rows = int(re.sub(r"\D", "", detail.inner_text()))
        assert num_rows >= 900
        sizes, most_drawn, tree = {}, 0, window.at("tree")
        revision = visit.api.look("/state")["revision"]
        tree.hover()
        window.page.mouse.wheel(0, -1_000_000)
        window.page.wait_for_function("(one) => one.scrollTop === 0", arg=tree.element_handle())
        for place in range(0, tree.evaluate("(one) => one.scrollHeight"), STEP):
            window.page.wait_for_function(IS_DRAWN, arg=place)
            # Those that are open hold others; the others are all that there is, each once.
            told = window.rows.evaluate_all(CLOSED_ROWS)
            for branch, words in told:
                found = re.search(r"group of ([\d,]+)\sitems", words)
                sizes[branch] = int(re.sub(r"\D", "", found[1])) if found else 1
            most_drawn = max(most_drawn, len(told))
            window.page.mouse.wheel(0, STEP)
        assert visit.api.look("/state")["revision"] == revision
        assert len(sizes) == num_rows
        assert sum(sizes.values()) == NUM_ITEMS
        assert most_drawn < 150
        report(f"{NUM_ITEMS:,} items: {num_rows} rows, at most {most_drawn} of them in the page")
        window.choose("search", "item 2345")
        expect(window.page.locator("[role=treeitem]:focus")).to_contain_text("item 2345")
        expect(window.rows.get_by_text("item 2345", exact=True)).to_be_in_viewport()


def test_when_nothing_is_left_to_ask_the_page_says_so_and_goes_on_when_there_is(browser, tmp_path):
    path = tmp_path / "small.treetalk"
    Project.create(path, X[:4], ITEMS[:4]).close()
    with served(path) as (address, _), Visit(browser, address, path) as visit:
        visit.api.say((0, 1, 2), (0, 1, 3))
        last = visit.api.say((2, 3, 0), (2, 3, 1))["answers"][0]
        window = visit.open("Ada")
        expect(window.at("no-question")).to_contain_text("Nothing to ask now")
        expect(window.at("question")).to_be_hidden()
        visit.api.give("/retractions", gesture=new_id(), window=new_id(), takes_back=last["gesture"])
        expect(window.at("question")).to_be_visible()
        expect(window.at("no-question")).to_be_hidden()
        window.press_to_send("s")
        assert window.records[-1].answer.kind == "skip"
