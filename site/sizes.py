"""What the site's pages send, and how soon a widget answers, beside the least that the same tools can do.

    python site/sizes.py

Each page is opened in headless Chromium; the table, and what its words mean, become a section of bench/RESULTS.md.
"""

import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import nbformat
import serve
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from bench.report import table, write_section  # noqa: E402 - the project's commands stand beside this folder
from tools import run_notebooks  # noqa: E402
from tools.chromium import FLAGS, find  # noqa: E402

ROUNDS = {"reading": 15, "live": 3}  # what takes half a second is told apart by more rounds than what takes ten
PATIENCE = 120_000
NAME = "1-the-job-row"
EMPTY = "import ipywidgets\nipywidgets.Button(description='nothing')"
# By the page's own clock, when a frame has been drawn that shows a widget, and when the last widget is there.
WATCH = """
new MutationObserver((_, observer) => {
  const mark = (name) => performance.getEntriesByName(name).length || performance.mark(name);
  const seen = [...document.querySelectorAll(".emq-widget :is(.widget-button, .emq-stage)")];
  if (seen.some((widget) => widget.getClientRects().length)) requestAnimationFrame(() => setTimeout(mark, 0, "first"));
  if (document.documentElement.dataset.widgets) requestAnimationFrame(() => setTimeout(mark, 0, "last"));
}).observe(document, { subtree: true, childList: true, attributes: true });
"""
MARKED = "(name) => performance.getEntriesByName(name)[0]?.startTime"
PAGES = {"reading": f"dives/{NAME}.html", "live": f"live/notebooks/index.html?path={NAME}.ipynb"}
WHEN = ("cold", "warm")
THIS, FLOOR = "this site", "floor"
EXPLAINED = f"""\
Dive 1 beside the floor: a notebook that holds one stock button and nothing else, built by the same tools. Bodies as
they cross the wire, compressed, the kernel's among them; cold in a browser that was never there, warm in the same one
again; medians of {ROUNDS["reading"]} and {ROUNDS["live"]} visits, the two in turns. *First* is from the address to the
frame that shows the first widget, by the page's clock, and *all* to the page's last; on the live face by way of Run
All, as soon as there is a cell. Made by `make site-sizes`."""


class Counting(serve.Handler):
    """Counts at the server: the browser does not tell a page what the kernel's worker loads."""

    sent = 0

    def copyfile(self, source: BinaryIO, outputfile: BinaryIO) -> None:
        """Sends a body, and adds its bytes up."""
        body = source.read()
        Counting.sent += len(body)
        outputfile.write(body)


def build(*arguments: object) -> None:
    subprocess.run([sys.executable, HERE / "build.py", *map(str, arguments)], check=True)


def empty_site(top: Path) -> Path:
    """The floor: one notebook with one button, on both faces."""
    notebooks = top / "notebooks"
    notebooks.mkdir()
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# Empty"), nbformat.v4.new_code_cell(EMPTY)],
        metadata={"kernelspec": run_notebooks.KERNELSPEC},
    )
    path = notebooks / f"{NAME}.ipynb"
    nbformat.write(notebook, path)
    path.write_text(run_notebooks.run(path), "utf-8")
    build("--notebooks", notebooks, "--out", top / "site", "--faces", "reading,live")
    return top / "site"


@dataclass(frozen=True)
class Visit:
    """The bytes that crossed the wire, and the seconds to the first widget, and on the reading face to the last."""

    sent: int
    first: float
    last: float


def visit(context: BrowserContext, address: str, face: str) -> Visit:
    page: Page = context.new_page()
    page.set_default_timeout(PATIENCE)
    before = Counting.sent
    started = time.monotonic()
    if face == "live":
        page.goto(address)
        page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel")
        page.wait_for_selector(".jp-Notebook .jp-Cell")  # or there is nothing yet to run
        page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
        page.wait_for_selector(".jp-OutputArea :is(.widget-button, .emq-stage):visible")
        first = last = time.monotonic() - started
    else:
        page.add_init_script(WATCH)
        page.goto(address)
        first, last = (page.wait_for_function(MARKED, arg=name).json_value() / 1000 for name in ("first", "last"))
    page.close()
    return Visit(Counting.sent - before, first, last)


def measure(browser: Browser, addresses: dict[str, str], face: str) -> dict[str, list[Visit]]:
    """The visits to each address, cold and warm in turns: what slows the machine down slows all of them."""
    seen: dict[str, list[Visit]] = {f"{whose} {when}": [] for whose in addresses for when in WHEN}
    for _ in range(ROUNDS[face]):
        for whose, address in addresses.items():
            context = browser.new_context()
            for when in WHEN:
                seen[f"{whose} {when}"].append(visit(context, address, face))
            context.close()
    return seen


def median(visits: list[Visit], what: str) -> float:
    return statistics.median(getattr(each, what) for each in visits)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of `folder`, while it is served."""
    with serve.server(folder, handler=Counting) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{running.server_port}"
        finally:
            running.shutdown()
            thread.join()


def main() -> None:
    build()
    rows, said = [], []
    with tempfile.TemporaryDirectory() as top, sync_playwright() as playwright, ExitStack() as stack:
        floor = empty_site(Path(top))
        build("--faces", "reading")  # the cache's pages are the project's again
        tops = {THIS: stack.enter_context(served(serve.OUT)), FLOOR: stack.enter_context(served(floor))}
        browser = playwright.chromium.launch(executable_path=find(), args=list(FLAGS))
        for face, path in PAGES.items():
            print(f"the {face} face, {ROUNDS[face]} times", flush=True)
            seen = measure(browser, {whose: f"{address}/{path}" for whose, address in tops.items()}, face)
            for whose in tops:
                cells = []
                for when in WHEN:
                    visits = seen[f"{whose} {when}"]
                    cells += [f"{median(visits, 'sent') / 1000:.0f}", f"{median(visits, 'first'):.2f}"]
                    cells += [f"{median(visits, 'last'):.2f}" if face == "reading" else "—"]
                rows.append((face, whose, *cells))
            cold = [seen[f"{whose} cold"] for whose in tops]
            first, sent = (median(cold[0], what) / median(cold[1], what) for what in ("first", "sent"))
            said.append(
                f"{face}: the first widget after {first:.2f} times the floor's time, {sent:.2f} times its bytes"
            )
        browser.close()
    head = ("face", "page", *(f"{when} {what}" for when in WHEN for what in ("kB", "first, s", "all, s")))
    write_section("site", f"## The site\n\n{table(head, rows)}\n\n{'; '.join(said)}. {EXPLAINED}")
    print(table(head, rows), *said, sep="\n")


if __name__ == "__main__":
    main()
