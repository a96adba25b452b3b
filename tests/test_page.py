"""The web page in a real browser: what a person does in it is what the project has on the disk afterwards."""

import pytest
from playwright.sync_api import expect

from browser import NARROW, Visit, started_browser
from pieces import after_drop, as_statements, meant, said_by
from projects import ITEMS, X, new_project
from serving import served
from treetalk import Project

# The pages are drawn by the browser, and the kernels that sample behind them are tested elsewhere.
pytestmark = pytest.mark.large

MARKUP = "<img src=x onerror=alert(1)>"
NAME = f"{MARKUP} & <i>all</i>"


@pytest.fixture(scope="module")
def browser():
    with started_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "zoo.treetalk"
    with new_project(path, subset_size=6) as project:
        project.advance(200, num_snapshots=10)
    return path


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    """Secrets of these servers are kept with the projects."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def visit(browser, zoo):
    with served(zoo) as (address, _), Visit(browser, address, zoo) as visit:
        yield visit


@pytest.fixture
def triples(browser, tmp_path):
    """A project that asks for the odd one of three."""
    path = tmp_path / "triples.treetalk"
    new_project(path, strategy="simple").close()
    with served(path) as (address, _), Visit(browser, address, path) as visit:
        yield visit


@pytest.fixture
def window(visit):
    """A window that asks about six of the items."""
    return visit.open("Ada", asks=range(6))


def apart(window):
    """Two items that stand as far from each other as any."""
    one, *others = window.items
    return one, max(others, key=lambda other: min(len(around) for around in window.shown if {one, other} <= around))


def branch_and_item(window):
    """A branch of two items, and an item that is not beside it."""
    shown = window.shown
    return next(
        (branch, item)
        for branch in shown
        if len(branch) == 2
        for item in window.items
        if item not in branch and branch | {item} not in shown
    )


# --- answers to a subtree


def test_enter_accepts_what_is_shown(window):
    shown = window.items
    window.press_to_send("Enter")
    (record,) = window.records
    assert record.answer.kind == "accept"
    assert sorted(record.answer.leaves) == sorted(shown)
    assert record.who == "Ada"
    assert record.seconds is not None


def test_a_drag_says_what_it_means_and_records_just_that_when_it_is_sent(window):
    shown = window.shown
    one, other = apart(window)
    window.drag(one, other)
    now = after_drop(shown, frozenset({one}), frozenset({other}))
    expected = meant(shown, now, frozenset({one}))
    assert window.shown == now
    assert expected
    assert set().union(*(said_by(sentence, ITEMS) for sentence in window.said)) == expected
    assert window.records == []
    window.click("send")
    records = window.records
    assert len(records) == len(expected)
    assert as_statements(record.answer.triplet for record in records) == expected
    assert len({record.gesture for record in records}) == 1


def test_a_branch_is_dragged_as_a_whole_and_further_drags_belong_to_the_same_correction(window):
    shown = window.shown
    branch, item = branch_and_item(window)
    window.drag(branch, item)
    now = after_drop(shown, branch, frozenset({item}))
    assert window.shown == now
    one, other = apart(window)
    window.drag(one, other)
    now = after_drop(now, frozenset({one}), frozenset({other}))
    assert window.shown == now
    expected = meant(shown, now, branch | {one})
    assert set().union(*(said_by(sentence, ITEMS) for sentence in window.said)) == expected
    window.click("send")
    assert as_statements(record.answer.triplet for record in window.records) == expected


def test_what_is_dropped_onto_the_root_stands_apart_from_all_others(window):
    shown = window.shown
    everything = frozenset(window.items)
    one = next(item for item in window.items if everything - {item} not in shown)
    window.drag(one, everything)
    assert window.shown == after_drop(shown, frozenset({one}), everything)
    assert everything - {one} in window.shown


def test_a_correction_that_is_cancelled_leaves_nothing(window):
    shown = window.shown
    window.drag(*apart(window))
    assert window.shown != shown
    window.at("cancel").click()
    assert window.shown == shown
    expect(window.at("accept")).to_be_visible()
    assert window.records == []


def test_two_items_are_clicked_that_belong_together_and_then_the_one_that_does_not(window):
    one, other, odd = window.items[3], window.items[0], window.items[5]
    window.pick(one, other)
    expect(window.at("send")).to_have_attribute("aria-disabled", "true")
    window.pick(odd)
    assert window.said == [f"That says: {ITEMS[one]} and {ITEMS[other]} together, apart from {ITEMS[odd]}."]
    assert window.records == []
    window.click("send")
    (record,) = window.records
    assert as_statements([record.answer.triplet]) == {(frozenset({one, other}), odd)}


def test_items_are_picked_with_the_keyboard_alone(window):
    items = window.items
    window.press("ArrowDown", "ArrowDown", "Space", "6", "3")
    assert window.said == [
        f"That says: {ITEMS[items[1]]} and {ITEMS[items[5]]} together, apart from {ITEMS[items[2]]}."
    ]
    window.press_to_send("Enter")
    (record,) = window.records
    assert as_statements([record.answer.triplet]) == {(frozenset({items[1], items[5]}), items[2])}


def test_an_item_is_picked_up_moved_and_dropped_with_the_keyboard_alone(window):
    shown, items = window.shown, window.items
    one = items[0]
    place = next(place for place in range(1, 6) if frozenset({one, items[place]}) not in shown)
    window.press("ArrowDown", "m", *["ArrowDown"] * place)
    expect(window.at("question")).to_contain_text(f"Moving {ITEMS[one]}: next to {ITEMS[items[place]]}")
    with window.sending("rearrangements"):
        window.press("Enter")
    expected = after_drop(shown, frozenset({one}), frozenset({items[place]}))
    assert window.shown == expected
    assert window.records == []
    window.press_to_send("Enter")
    statements = as_statements(record.answer.triplet for record in window.records)
    assert statements == meant(shown, expected, frozenset({one}))


def test_a_question_is_skipped(window):
    before = window.items
    window.press_to_send("s")
    (record,) = window.records
    assert (record.answer.kind, sorted(record.answer.leaves)) == ("skip", sorted(before))
    assert window.at("question-words").inner_text()


def test_a_comment_goes_with_the_answer(window):
    window.at("add-comment").click()
    window.at("comment").fill("by family")
    window.click("accept")
    assert [record.comment for record in window.records] == ["by family"]


# --- the odd one of three


def test_a_number_key_says_which_of_three_is_the_odd_one(triples):
    window = triples.open()
    names = window.cards
    window.press_to_send("2")
    (record,) = window.records
    one, odd, other = (ITEMS.index(name) for name in names)
    assert as_statements([record.answer.triplet]) == {(frozenset({one, other}), odd)}
    expect(window.at("toast")).to_contain_text(f"{names[0]} and {names[2]} together, apart from {names[1]}")


def test_three_items_may_all_be_alike(triples):
    window = triples.open()
    names = window.cards
    window.click("alike")
    (record,) = window.records
    assert record.answer.kind == "same"
    assert sorted(record.answer.leaves) == sorted(ITEMS.index(name) for name in names)


# --- second thoughts


def test_what_contradicts_something_is_asked_once_more_and_what_is_said_then_counts(visit):
    visit.api.say((0, 1, 4), (0, 4, 1), who="Ben")
    window = visit.open("Ada")
    heading = window.at("question-words")
    for _ in range(8):
        if window.words.startswith("Once more"):
            break
        window.press_to_send("s")
    expect(heading).to_have_text("Once more, to be sure: which is the odd one?")
    window.press_to_send(str(1 + window.cards.index("lynx")))
    expect(window.at("toast")).to_contain_text("cat and eel together, apart from lynx")
    expect(window.at("toast")).to_contain_text("What was said before is taken back.")
    said, back = (record.answer for record in window.records[-2:])
    assert (said.triplet[2], back.kind, back.retracts) == (1, "retract", 0)
    assert visit.api.look("/conflicts")["num_conflicts"] == 0


def test_undo_takes_an_answer_back_and_asks_again(window):
    before = window.items
    window.press_to_send("Enter")
    window.click("undo", "retractions")
    accepted, retracted = (record.answer for record in window.records)
    assert (accepted.kind, retracted.kind, retracted.retracts) == ("accept", "retract", accepted.id)
    assert sorted(window.items) == sorted(before)
    expect(window.at("undo")).to_be_disabled()


def test_a_contradiction_is_explained_and_one_answer_withdrawn(visit):
    visit.api.say((0, 1, 4), who="Ben")
    window = visit.open("Ada", asks=[0, 1, 4, 5])
    window.pick(0, 4, 1)
    window.click("send")
    dialog = window.at("conflict")
    expect(dialog).to_contain_text("cat and eel together, apart from lynx")
    expect(dialog).to_contain_text("cat and lynx together, apart from eel")
    expect(dialog).to_contain_text("Ben")
    assert visit.api.look("/conflicts")["num_conflicts"] == 1
    earlier = dialog.get_by_test_id("conflict-answer").filter(has_text="cat and lynx together")
    with window.sending("retractions"):
        earlier.get_by_test_id("conflict-withdraw").click()
    expect(dialog).to_be_hidden()
    assert visit.api.look("/conflicts")["num_conflicts"] == 0
    assert window.records[-1].answer.retracts == 0
    assert [gesture["standing"] for gesture in visit.api.look("/history")["gestures"]][1:] == ["in force", "taken back"]


def test_the_question_and_what_can_be_undone_survive_a_reload(visit):
    window = visit.open()
    first = window.items
    window.press_to_send("s")
    second, identifier = window.items, window.id
    window.pick(second[0])
    window.reload()
    assert window.id == identifier
    assert sorted(window.items) == sorted(second)
    window.click("undo", "retractions")
    assert sorted(window.items) == sorted(first)


# --- what is shown


def test_what_people_write_is_never_taken_for_html(browser, tmp_path):
    path = tmp_path / "markup.treetalk"
    texts = [f"<b>bold</b><script>alert({place})</script>" for place in range(len(ITEMS))]
    with Project.create(path, X, [MARKUP, *ITEMS[1:]], texts=texts, subset_size=8) as project:
        project.name_cluster(range(len(ITEMS)), NAME)
    with served(path) as (address, _), Visit(browser, address, path) as visit:
        window = visit.open("<b>Ada</b>", asks=range(8))
        expect(window.at("item-0")).to_contain_text(MARKUP)
        expect(window.at("item-0")).to_contain_text(texts[0])
        expect(window.rows.get_by_text(MARKUP, exact=True)).to_be_visible()
        expect(window.rows.get_by_text(NAME)).to_be_visible()
        window.at("search").fill("<img")
        expect(window.page.get_by_role("option").first).to_contain_text(MARKUP)
        window.press("Escape")
        window.pick(0, 1, 2)
        assert window.said == [f"That says: {MARKUP} and {ITEMS[1]} together, apart from {ITEMS[2]}."]
        window.click("send")
        window.at("menu-history").click()
        expect(window.at("history-entry")).to_contain_text(f"{MARKUP} and {ITEMS[1]} together")
        expect(window.at("history-entry")).to_contain_text("<b>Ada</b>")
        assert window.page.locator("img, b:has-text('bold'), i:has-text('all')").count() == 0
        assert [record.who for record in window.records] == ["<b>Ada</b>"]


def test_in_a_narrow_window_there_are_tabs(visit):
    window = visit.open("Ada", size=NARROW, has_touch=True, is_mobile=True)
    expect(window.at("tree")).to_be_hidden()
    window.at("accept").tap()
    window.page.wait_for_function("() => !document.getElementById('undo').disabled")
    window.at("tab-hierarchy").tap()
    expect(window.at("question")).to_be_hidden()
    expect(window.rows.get_by_text("owl", exact=True)).to_be_visible()
    window.at("tab-history").tap()
    expect(window.at("tree")).to_be_hidden()
    with window.sending("retractions"):
        window.at("take-back").tap()
    window.at("tab-question").tap()
    expect(window.at("question")).to_be_visible()
    assert [record.answer.kind for record in window.records] == ["accept", "retract"]
    # Nothing sticks out to the side.
    assert window.page.evaluate("document.documentElement.scrollWidth") == NARROW[0]
