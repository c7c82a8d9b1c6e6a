"""What the site's pages send, and how soon a widget answers, beside the least that the same tools can do.

    python site/sizes.py

Each page is opened in headless Chromium, cold in a browser that was never there and warm in the same one again; the
floor is a notebook that holds one stock widget and nothing else, built the same way. Bytes are bodies as they cross the
wire, compressed where it pays, the kernel's among them. Times are medians of three.
"""

import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import BinaryIO

import nbformat
import serve
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tools import run_notebooks  # noqa: E402 - the project's commands stand beside this folder
from tools.chromium import FLAGS, find  # noqa: E402

ROUNDS = 3
PATIENCE = 300_000
NAME = "1-the-job-row"
EMPTY = "import ipywidgets\nipywidgets.Button(description='nothing')"
ALIVE = {
    "reading": "html[data-widgets=alive] .widget-button, html[data-widgets=alive] .emq-stage",
    "live": ".jp-OutputArea .widget-button, .jp-OutputArea .emq-stage",
}


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


def visit(context: BrowserContext, address: str, face: str) -> tuple[int, float]:
    """The bytes that crossed the wire until a widget stood there, and the seconds."""
    page: Page = context.new_page()
    page.set_default_timeout(PATIENCE)
    before = Counting.sent
    started = time.monotonic()
    page.goto(address)
    if face == "live":
        page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel")
        page.wait_for_selector(".jp-Notebook .jp-Cell")  # or there is nothing yet to run
        page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    page.wait_for_selector(ALIVE[face], state="attached")
    seconds = time.monotonic() - started
    page.close()
    return Counting.sent - before, seconds


def measure(browser: Browser, address: str, face: str) -> list[str]:
    """A row's cells: bytes and seconds, cold and warm."""
    cold, warm = [], []
    for _ in range(ROUNDS):
        context = browser.new_context()
        cold.append(visit(context, address, face))
        warm.append(visit(context, address, face))
        context.close()
    cells = []
    for rounds in (cold, warm):
        sizes, times = zip(*rounds, strict=True)
        cells += [f"{statistics.median(sizes) / 1000:.0f}", f"{statistics.median(times):.2f}"]
    return cells


def main() -> None:
    build()
    rows: list[list[str]] = []
    print(
        "| face | page | cold kB | cold s | warm kB | warm s |\n| --- | --- | ---: | ---: | ---: | ---: |", flush=True
    )
    with tempfile.TemporaryDirectory() as top, sync_playwright() as playwright:
        folders = {"this site": serve.OUT, "floor": empty_site(Path(top))}
        build("--faces", "reading")  # the cache's pages are the project's again
        browser = playwright.chromium.launch(executable_path=find(), args=list(FLAGS))
        for face, path in (("reading", f"dives/{NAME}.html"), ("live", f"live/notebooks/index.html?path={NAME}.ipynb")):
            for whose, folder in folders.items():
                with serve.server(folder, handler=Counting) as running:
                    thread = threading.Thread(target=running.serve_forever)
                    thread.start()
                    rows.append(
                        [face, whose, *measure(browser, f"http://127.0.0.1:{running.server_port}/{path}", face)]
                    )
                    print(f"| {' | '.join(rows[-1])} |", flush=True)
                    running.shutdown()
                    thread.join()
        browser.close()
    for here, floor in zip(rows[::2], rows[1::2], strict=True):
        ratio = float(here[3]) / float(floor[3])
        print(f"\n{here[0]}: widget after {ratio:.2f} of the floor's time, cold; {here[2]} kB against {floor[2]} kB.")


if __name__ == "__main__":
    main()
