"""What people wait for, from a fresh clone of what is committed here; its own section of RESULTS.md.

    python bench/waits.py [lab] [dives] [clicks] [test]

Needs what the tests need: Chromium, and the packages of the extra ``test``. `lab` makes an environment from nothing.
"""

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import ipywidgets  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from bench.report import table, write_section  # noqa: E402
from tests.browser.lab import ALL_RAN, CLEARED, ERRORS, PATIENCE, Lab  # noqa: E402
from tools.chromium import FLAGS, find  # noqa: E402

PARTS = ("lab", "dives", "clicks", "test")
ROUNDS = 3
KERNEL_IDLE = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
CLICK = """async (stage) => {
  const usable = (button) => button.getClientRects().length && !button.disabled && button.ariaDisabled !== "true";
  const button = [...stage.querySelectorAll(".emq-next, .emq-choice[aria-pressed=false], [data-goto]")].find(usable);
  if (!button) return null;
  const before = stage.textContent;
  const start = performance.now();
  button.click();
  while (stage.textContent === before) {
    if (performance.now() - start > 5000) return null;
    await new Promise(requestAnimationFrame);
  }
  await new Promise(requestAnimationFrame);
  return performance.now() - start;
}"""

Row = tuple[str, str]
_started = time.monotonic()


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/waits.py", description="Measure what people wait for.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of: {', '.join(PARTS)} (default: all)")
    parts = parser.parse_args().parts or list(PARTS)
    if unknown := set(parts) - set(PARTS):
        parser.error(f"expected parts of {', '.join(PARTS)}; got {', '.join(sorted(unknown))}")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="emq-waits-") as folder:
        clone = Path(folder) / "emq"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        if "lab" in parts:
            rows += made_and_opened(clone)
        if "dives" in parts or "clicks" in parts:
            rows += dives(clone, clicks="clicks" in parts)
        if "clicks" in parts:
            rows += kernel_times()
        if "test" in parts:
            rows += tested(clone)
    write_section("waits", f"## What people wait for\n\n{table(('what', 'seconds'), rows)}\n\n{EXPLAINED}")
    return 0


EXPLAINED = f"""\
From a fresh clone. A dive's figures are medians of {ROUNDS} openings, each in a new browser profile on a running
JupyterLab: from the address to its kernel at rest, then from *Run All* to the first widget and to the last cell's end.
Before that, a notebook that nobody has trusted yet shows no widgets. A click's is from the click to the painting of its
frame, by the page's clock; the kernel's is what it does with the index that a click sends. Made by
`python bench/waits.py`."""


def made_and_opened(clone: Path) -> Iterator[Row]:
    for what in ("`make lab` from nothing to its address", "`make lab` again"):
        say(what)
        start = time.monotonic()
        with lab(clone):
            yield what, f"{time.monotonic() - start:.1f}"


@contextmanager
def lab(clone: Path) -> Iterator[str]:
    """`make lab` in the clone, until its server answers: gives the address that it prints."""
    own = {f"JUPYTER_{name}_DIR": str(clone.parent / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    flags = "LAB_FLAGS=--no-browser --port=0 --LabApp.expose_app_in_browser=True"
    with (clone.parent / "log").open("w+") as log:
        process = subprocess.Popen(
            ["make", "lab", flags],
            cwd=clone,
            env=os.environ | own,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            yield _address(Path(log.name), process)
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=60)


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    while not (found := re.search(r"http://127\.0\.0\.1:\d+/\S*token=\S+", log.read_text())):
        if process.poll() is not None:
            raise SystemExit(f"make lab ended before it had an address:\n{log.read_text()}")
        time.sleep(0.1)
    return found[0]


def dives(clone: Path, clicks: bool) -> list[Row]:
    rows = []
    with lab(clone) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find(), args=FLAGS)
        for notebook in sorted(path.name for path in (clone / "notebooks").glob("[0-9]-*.ipynb")):
            say(f"opening {notebook}, {ROUNDS} times")
            seen = [opened(chromium, address, notebook, clicks) for _ in range(ROUNDS)]
            for what in seen[0]:
                found = [one[what] for one in seen if one[what] is not None]
                rows.append((f"{notebook[0]}: {what}", f"{statistics.median(found):.3g}" if found else "—"))
        chromium.close()
    return rows


def opened(chromium: Browser, address: str, notebook: str, clicks: bool) -> dict[str, float | None]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    token = address.partition("token=")[2]
    start = time.monotonic()
    page.goto(f"{address.partition('/lab')[0]}/lab/tree/{notebook}?token={token}&reset")
    page.wait_for_function(KERNEL_IDLE)
    seen: dict[str, float | None] = {"opened to a kernel at rest": time.monotonic() - start}
    lab_page = Lab(page)
    lab_page.command("notebook:clear-all-cell-outputs")
    page.wait_for_function(CLEARED)
    start = time.monotonic()
    lab_page.command("notebook:run-all-cells")
    page.wait_for_selector(".emq-stage", state="attached")
    seen["Run All to the first widget"] = time.monotonic() - start
    page.wait_for_function(ALL_RAN)
    seen["Run All to its end"] = time.monotonic() - start
    if errors := page.evaluate(ERRORS):
        raise SystemExit(f"{notebook}: {errors}")
    if clicks:
        seen["a click to its frame"] = clicked(page)
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    context.close()
    return seen


def clicked(page: Page) -> float | None:
    """Seconds, the median over the widgets on the page that a click can move on."""
    took = [stage.evaluate(CLICK) for stage in page.locator(".emq-stage").all() if stage.is_visible()]
    moved = [each / 1000 for each in took if each is not None]
    return statistics.median(moved) if moved else None


def kernel_times() -> Iterator[Row]:
    """What the kernel does when a page sends a stage's index: the slowest of the widgets, and the usual."""
    say("the kernel's time for a click")
    from emq import widgets

    took = {}
    for kind in (widgets.LiveSort, widgets.AdmissionSteps, widgets.ThreeIndexes, widgets.Cargo, widgets.Record):
        stages = [each for each in _within(kind()) if isinstance(each, widgets.Stage)]
        took[kind.__name__] = sum(min(_timed(lambda s=stage: _send_index(s)) for _ in range(20)) for stage in stages)
    slowest = max(took, key=took.__getitem__)
    yield f"the kernel's time for a click, the slowest of {len(took)} ({slowest})", f"{took[slowest]:.5f}"


def _within(widget: ipywidgets.Widget) -> Iterator[ipywidgets.Widget]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from _within(child)


def _send_index(stage: ipywidgets.Widget) -> None:
    stage.set_state({"index": 1 if stage.index != 1 else 0})


def _timed(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def tested(clone: Path) -> Iterator[Row]:
    for what in ("`make test`, installing what it needs", "`make test` again"):
        say(what)
        start = time.monotonic()
        done = subprocess.run(["make", "test"], cwd=clone, capture_output=True, text=True, check=False)
        found = "" if done.returncode == 0 else f" (it failed: {done.stdout.splitlines()[-1:]})"
        yield what, f"{time.monotonic() - start:.0f}{found}"


def say(text: str) -> None:
    print(f"{time.monotonic() - _started:5.0f} s  {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
