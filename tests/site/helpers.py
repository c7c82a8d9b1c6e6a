"""What the tests of the site share: its folder, its notebooks, and how to look at a page."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.lab import ALL_RAN, ERRORS, Lab

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build/site"
NOTEBOOKS = sorted(path.stem for path in ROOT.glob("notebooks/*.ipynb"))
# Lab 5 needs a server, so the live face shows it, but cannot run it.
RUN_LIVE = [name for name in NOTEBOOKS if not name.startswith("5-")]
PATIENCE = 240_000


def build(*arguments: object) -> None:
    """Builds the site as `make site` does."""
    command = [sys.executable, ROOT / "site/build.py", *arguments]
    done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class Quiet(SimpleHTTPRequestHandler):
    """Nothing but files, as the plainest host serves them."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        pass


def serve(folder: Path) -> Iterator[str]:
    """The address of `folder`, at a path below the top."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as running:
        thread = Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}/"
        running.shutdown()
        thread.join()


Visit = Callable[..., Page]


def alive(page: Page) -> Page:
    """The page once its widgets are."""
    page.wait_for_selector("html[data-widgets=alive]")
    return page


def sideways(page: Page) -> int:
    """How far the page scrolls sideways, in pixels."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def violations(page: Page, within: str = "html") -> list[str]:
    """What axe finds against WCAG 2.2 AA, a line for each node; of the page, or of what the selector `within` finds."""
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    asked = {"runOnly": {"type": "tag", "values": tags}, "preload": False, "resultTypes": ["violations"]}
    found = Axe().run(page, within, asked).response["violations"]
    return [f"{rule['id']}: {node['target']} {node['html'][:160]}" for rule in found for node in rule["nodes"]]


def run_all(page: Page) -> None:
    """Runs every cell of the notebook on the live face and waits for the last; a cell that fails is a failure."""
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    lab = Lab(page)
    lab.command("notebook:run-all-cells")
    # A cell that fails ends the run, and those below it never do.
    page.wait_for_function(f"() => ({ALL_RAN})() || ({ERRORS})().length")
    errors = page.evaluate(ERRORS)
    assert not errors, errors
