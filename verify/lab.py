"""A JupyterLab of its own for tests, and what a person does in it."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from playwright.sync_api import Browser, Locator, Page, expect

from notebooks import METADATA
from serving import PATIENCE, free_port, new_id, wait_until

TOKEN = "a-token-for-tests-only"
SIZE = {"width": 1440, "height": 1000}
EXTENSION = "@jupyterlab/apputils-extension"
# Milliseconds: to read a question, before which no key answers it; and to load all of JupyterLab.
GLANCE, LONG = 700, 90_000
IS_READY = """(host) => {
    const root = host.shadowRoot;
    const isShown = root.querySelector("[data-testid=question] [role=treeitem], [data-testid=odd-1]");
    const isBusy = root.querySelector("#question-panel[aria-busy=true], [data-testid=question][data-fresh]");
    return Boolean(isShown && !isBusy);
}"""


class Lab:
    """A server of JupyterLab that knows nothing of what the user of this machine has set up."""

    def __init__(self, folder: Path) -> None:
        self.root, self.port = folder / "notebooks", free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._settings = folder / "settings"
        self.root.mkdir()
        # It would ask whether to fetch news.
        self.set("notification", fetchNews="false", checkForUpdates=False)
        places = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
        environment = os.environ | {f"JUPYTER_{name}": str(folder / place) for name, place in places.items()}
        environment |= {"IPYTHONDIR": str(folder / "ipython"), "JUPYTERLAB_SETTINGS_DIR": str(self._settings)}
        options = {
            "ServerApp.ip": "127.0.0.1",
            "ServerApp.port": self.port,
            "ServerApp.port_retries": 0,
            "ServerApp.root_dir": self.root,
            "IdentityProvider.token": TOKEN,
            "LabApp.extension_manager": "readonly",
        }
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        with (folder / "log.txt").open("w") as log:
            self._process = subprocess.Popen(
                [*command, *(f"--{name}={value}" for name, value in options.items())],
                env=environment,
                stdout=log,
                stderr=log,
            )
        wait_until(self._is_there)

    def _is_there(self) -> bool:
        assert self._process.poll() is None, "JupyterLab ended"
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        return False

    def set(self, name: str, **values: Any) -> None:
        """Choose something as in the settings of JupyterLab; it holds for pages that are opened later."""
        path = self._settings / EXTENSION / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)

    @contextlib.contextmanager
    def opened(self, browser: Browser, *cells: str) -> Iterator["Notebook"]:
        """A notebook with some cells in a window; it fails at the end if the window asked for anything from elsewhere."""
        name = f"{new_id()}.ipynb"
        notebook = nbformat.v4.new_notebook(
            metadata=METADATA, cells=[nbformat.v4.new_code_cell(source) for source in cells]
        )
        nbformat.write(notebook, self.root / name)
        context = browser.new_context(viewport=SIZE)
        context.set_default_timeout(1000 * PATIENCE)
        strangers: list[str] = []
        faults: list[str] = []
        here = (self.address, self.address.replace("http", "ws"), f"blob:{self.address}", "data:")
        context.on("request", lambda request: request.url.startswith(here) or strangers.append(request.url))
        context.on("weberror", lambda failed: faults.append(str(failed.error)))
        try:
            page = context.new_page()
            # A workspace of its own has no notebooks open from before.
            page.goto(f"{self.address}/lab/workspaces/{new_id()}/tree/{name}?token={TOKEN}")
            page.get_by_text("| Idle").wait_for(timeout=LONG)
            yield Notebook(page)
        finally:
            context.close()
        assert (strangers, faults) == ([], []), f"{strangers}\n{faults}"


class Notebook:
    """A notebook, and what a person does in it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def cell(self, place: int) -> Locator:
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(place)

    def run(self, place: int) -> None:
        self.cell(place).locator(".jp-InputArea").click()
        self.page.keyboard.press("Shift+Enter")

    def printed(self, place: int) -> str:
        """What a cell prints when it is run."""
        prompt = self.cell(place).locator(".jp-InputPrompt")
        before = prompt.inner_text()
        self.run(place)
        wait_until(lambda: prompt.inner_text() != before and re.search(r"\d", prompt.inner_text()))
        output = self.cell(place).locator(".jp-OutputArea-output")
        expect(output).to_contain_text("end")
        return output.inner_text().removesuffix("end\n").strip()

    def restart(self) -> None:
        self.page.get_by_role("menuitem", name="Kernel").first.click()
        self.page.get_by_text("Restart Kernel…", exact=True).click()
        self.page.get_by_role("button", name="Confirm Kernel Restart").click()

    def widget(self, place: int) -> "Widget":
        host = self.cell(place).locator(".treetalk-cell")
        host.wait_for(timeout=LONG)
        widget = Widget(self.page, host)
        widget.wait()
        return widget


class Widget:
    """The page in a cell."""

    def __init__(self, page: Page, host: Locator) -> None:
        self.page, self.host = page, host

    def wait(self) -> None:
        """Wait until a question is shown, and nothing is on its way."""
        wait_until(lambda: self.host.evaluate(IS_READY))

    def at(self, name: str) -> Locator:
        return self.host.get_by_test_id(name)

    @property
    def rows(self) -> Locator:
        return self.host.locator("[data-testid=question] [role=treeitem][data-testid^=item-]")

    @property
    def answered(self) -> Locator:
        return self.at("progress-answered")

    def click(self, name: str) -> None:
        self.page.wait_for_timeout(GLANCE)
        self.at(name).click()
        self.page.wait_for_timeout(GLANCE)
        self.wait()

    def press(self, key: str) -> None:
        self.page.wait_for_timeout(GLANCE)
        self.page.keyboard.press(key)
        self.page.wait_for_timeout(GLANCE)
        self.wait()

    def box(self, selector: str) -> tuple[float, float]:
        """Where something begins and ends on the screen, from above."""
        box = self.host.locator(selector).first.bounding_box()
        assert box is not None
        return box["y"], box["y"] + box["height"]

    def drag(self, row: int, onto: int) -> None:
        self.rows.nth(row).scroll_into_view_if_needed()
        mouse = self.page.mouse
        mouse.move(*_middle(self.rows.nth(row)))
        mouse.down()
        mouse.move(*_middle(self.rows.nth(onto)), steps=12)
        mouse.up()
        self.at("send").wait_for()


def _middle(element: Locator) -> tuple[float, float]:
    box = element.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
