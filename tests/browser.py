"""A real browser for tests of the web page: how it is found, what it must never do, and what a person does with a page."""

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright, expect, sync_playwright

from pieces import Cluster, Clusters, clusters_of
from serving import PATIENCE, TOKEN, Api, new_id
from treetalk import open_project
from treetalk.project.store import Record

SETTING, REQUIRED = "TREETALK_BROWSER", "required"
NAMES = ["chromium", "chromium-browser", "google-chrome"]
ARGUMENTS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]
WIDE, NARROW = (1280, 900), (390, 844)
MILLISECONDS = 1000 * PATIENCE
GLANCE = 450  # milliseconds


def find_browser() -> str:
    """The path of a browser; without one the test is skipped, or fails where one is required."""
    wanted = os.environ.get(SETTING, "")
    is_wish = wanted not in {"", REQUIRED}
    found = next(filter(None, map(shutil.which, [wanted] if is_wish else NAMES)), None)
    if found is None:
        reason = f"there is no browser: {wanted if is_wish else ', '.join(NAMES)} ({SETTING} may say where one is)"
        (pytest.fail if wanted else pytest.skip)(reason)
    return found


@contextlib.contextmanager
def started_browser() -> Iterator[Browser]:
    """A browser without a screen, which keeps nothing."""
    path = find_browser()
    # Chromium's own sandbox does not work as root.
    arguments = [*ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = _launched(playwright, path, arguments)
        try:
            yield browser
        finally:
            browser.close()


def _launched(playwright: Playwright, path: str, arguments: list[str]) -> Browser:
    expect.set_options(timeout=MILLISECONDS)
    return playwright.chromium.launch(executable_path=path, args=arguments, timeout=MILLISECONDS)


class Visit:
    """All windows that a test opens on one server. At the end it fails if any of them did what none should do.

    That is: ask for something from elsewhere, complain in the console, fail in a script, open a box of the browser's own, or
    get an answer that tells of a fault of the server.
    """

    def __init__(self, browser: Browser, address: str, path: Path) -> None:
        self.address, self.path, self.api = address, path, Api(address)
        self.faults: list[str] = []
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self._excused: list[str] = []

    def __enter__(self) -> "Visit":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for context in self._contexts:
            context.close()
        self.api.close()
        # What went wrong first says more.
        assert kind or not self.faults, "\n".join(self.faults)

    def excuse(self, *patterns: str) -> None:
        """Do not count as faults what has such words in it, now and later: it is what the test is about."""
        self._excused += patterns
        self.faults = [fault for fault in self.faults if not self._is_excused(fault)]

    def open(
        self, user: str | None = None, *, asks: Iterable[int] = (), size: tuple[int, int] = WIDE, **options: Any
    ) -> "Window":
        """Open a window of somebody who has not been here before, and in which the first question is about some items.

        Options are those of a context of Playwright.
        """
        context = self._browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        context.set_default_timeout(MILLISECONDS)
        self._contexts.append(context)
        self._watch(context)
        window = Window(context.new_page(), self.path)
        if items := list(asks):
            name = new_id()
            self.api.give("/question", window=name, leaves=items)
            window.page.add_init_script(f"sessionStorage.setItem('treetalk.window', '{name}')")
        query = urlencode({"token": TOKEN} | ({} if user is None else {"user": user}))
        window.page.goto(f"{self.address}/?{query}")
        window.wait()
        return window

    def _watch(self, context: BrowserContext) -> None:
        context.on("request", lambda request: self._note("went elsewhere", request.url, not self._is_ours(request.url)))
        context.on("response", lambda response: self._note("failed", response.url, response.status >= 500))
        context.on(
            "console",
            lambda said: self._note(said.type, f"{said.text} ({said.location})", said.type in {"error", "warning"}),
        )
        context.on("weberror", lambda failed: self._note("script", str(failed.error)))

        def close(dialog: Any) -> None:
            self._note("box", dialog.message)
            dialog.dismiss()

        context.on("dialog", close)

    def _is_ours(self, url: str) -> bool:
        return url.startswith(f"{self.address}/")

    def _note(self, kind: str, words: str, is_fault: bool = True) -> None:
        fault = f"{kind}: {words}"
        if is_fault and not self._is_excused(fault):
            self.faults.append(fault)

    def _is_excused(self, fault: str) -> bool:
        return any(re.search(pattern, fault) for pattern in self._excused)


class Window:
    """A window with the page, and what a person sees and does in it."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page, self.path = page, path

    # --- what is seen

    @property
    def id(self) -> str:
        return str(self.page.evaluate("sessionStorage.getItem('treetalk.window')"))

    def at(self, name: str) -> Locator:
        return self.page.get_by_test_id(name)

    def wait(self) -> None:
        """Wait until a question is shown, or that there is none, and nothing is on its way or glides to its place.

        Keys that come sooner than anybody can read the question do not answer it, so it must have been there for a moment.
        """
        self.page.wait_for_function(
            """() => {
                const isBusy = document.querySelector("#question-panel[aria-busy=true], #question-panel [aria-busy=true]");
                const isGliding = [...document.querySelectorAll(".question-row")].some((row) => row.style.transform);
                const isShown = document.querySelector("[data-testid=question] [role=treeitem], [data-testid=odd-1]");
                const isNone = document.querySelector("[data-testid=no-question]");
                const isFresh = document.querySelector("[data-testid=question][data-fresh]");
                return !isBusy && !isGliding && (isNone || (isShown && !isFresh));
            }"""
        )

    @property
    def words(self) -> str:
        return self.at("question-words").inner_text()

    @property
    def nodes(self) -> dict[Cluster, Locator]:
        """The nodes of the piece that is shown, by their items, as somebody who hears the page is told of them."""
        # In one go: a page that changes between two looks would show half of each.
        told = self.page.evaluate(
            """() => [...document.querySelectorAll("[data-testid=question] [role=tree] [role=treeitem]")].map(
                (one) => [one.ariaLevel, one.dataset.testid]
            )"""
        )
        names = [(int(level), _item(name)) for level, name in told]
        return {cluster: self.at(name) for cluster, (_, name) in zip(clusters_of(names), told, strict=True)}

    @property
    def shown(self) -> Clusters:
        return frozenset(self.nodes)

    @property
    def items(self) -> list[int]:
        """The items that are asked about, from the first row to the last."""
        return [next(iter(cluster)) for cluster in self.nodes if len(cluster) == 1]

    @property
    def rows(self) -> Locator:
        """What is drawn of the whole hierarchy: items, and branches that are open or shut."""
        return self.at("tree").locator("[role=treeitem]")

    @property
    def cards(self) -> list[str]:
        """The names on the cards of a question about three items."""
        return [self.at(f"odd-{place}").locator(".question-label").inner_text() for place in (1, 2, 3)]

    @property
    def said(self) -> list[str]:
        """What the page says that it would send, sentence by sentence."""
        said = self.at("said")
        if (more := said.get_by_role("button")).count():
            more.click()
        return said.get_by_role("listitem").all_inner_texts() or [said.inner_text()]

    @property
    def records(self) -> list[Record]:
        """What the project has on the disk."""
        with open_project(self.path, read_only=True) as project:
            return list(project.records)

    # --- what is done

    def reload(self) -> None:
        self.page.reload()
        self.wait()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @contextlib.contextmanager
    def sending(self, path: str = "answers") -> Iterator[None]:
        """Wait until what is done within has been sent, and the page has taken in what came back."""
        with self.page.expect_response(f"**/api/v1/{path}"):
            yield
        self.wait()

    def click(self, name: str, path: str = "answers") -> None:
        """Click a button that sends something."""
        with self.sending(path):
            self.at(name).click()

    def glance(self) -> None:
        """Look at the question: a key that comes sooner is taken for a slip, and answers nothing."""
        self.page.wait_for_timeout(GLANCE)

    def press_to_send(self, key: str, path: str = "answers") -> None:
        self.glance()
        with self.sending(path):
            self.press(key)

    def pick(self, *items: int) -> None:
        for item in items:
            self.at(f"item-{item}").click()

    def drag(self, node: Cluster | int, onto: Cluster | int, *, drops: bool = True) -> None:
        """Move an item or a branch with the mouse; `drops`: wait for what the server says to that."""
        nodes = self.nodes
        one, other = (nodes[frozenset({end}) if isinstance(end, int) else end] for end in (node, onto))
        one.scroll_into_view_if_needed()
        mouse = self.page.mouse
        mouse.move(*_middle(one))
        mouse.down()
        mouse.move(*_middle(other), steps=12)
        # The page may have scrolled meanwhile.
        mouse.move(*_middle(other), steps=2)
        with self.page.expect_response("**/api/v1/rearrangements") if drops else contextlib.nullcontext():
            mouse.up()
        self.wait()

    def choose(self, name: str, words: str) -> None:
        """Type into a field that finds items, and take the first that it finds."""
        field = self.at(name)
        field.fill(words)
        expect(field).to_have_attribute("aria-expanded", "true")
        field.press("Enter")


def _item(name: str) -> int | None:
    kind, number = name.split("-")
    return int(number) if kind == "item" else None


def _middle(element: Locator) -> tuple[float, float]:
    box = element.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
