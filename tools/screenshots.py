"""Make the README's picture again, or look at every widget: light and dark, wide and narrow.

python -m tools.screenshots              notebooks/images/live-sort.png
python -m tools.screenshots --all DIR    each widget in DIR, in four looks
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from emq import Jobs, cargo, connect
from emq.keys import Keys
from emq.lesson import predict
from emq.widgets import AdmissionSteps, Cargo, JobRow, LiveSort, Record, Stage, Stamp, ThreeIndexes
from emq.widgets.live_sort import DEMO
from tools.bare_page import bare_page
from tools.chromium import FLAGS, find

PICTURE = Path(__file__).resolve().parent.parent / "notebooks" / "images" / "live-sort.png"
WIDTHS = (920, 360)
SCHEMES = ("light", "dark")


def _at(stage: Stage, index: int) -> Stage:
    stage.index = index
    return stage


def _job_row() -> Stage:
    client = connect("embedded://")
    Jobs(client, "orders").enqueue(DEMO[0], cargo.pack({"order_id": "ORD0Nt6z93U3dY", "qty": 2}))
    return _at(JobRow("orders", DEMO[0], client.hgetall(Keys("orders").job(DEMO[0]))), 3)


WIDGETS: dict[str, Callable[[], Stage]] = {
    "live-sort": lambda: _at(LiveSort().stage, 4),
    "job-row": _job_row,
    "three-indexes": lambda: _at(ThreeIndexes().stage, 2),
    "admission": lambda: _at(AdmissionSteps().stage, 3),
    "cargo": lambda: _at(Cargo().stage, 4),
    "record": lambda: Record().stage,
    "stamp": lambda: Stamp("DIV0SVCvHpqbui"),
    "predict": lambda: _at(predict("1.order"), 2),
}


def shoot(
    browser: Browser, stage: Stage, path: Path, *, width: int = 920, scheme: str = "light", scale: int = 1
) -> None:
    """Writes a picture of `stage` alone, `width` page pixels wide, in the light or the dark scheme."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "page.html")
        file.write_text(bare_page([stage], root=f' style="color-scheme: {scheme}"'), encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            device_scale_factor=scale,
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.goto(file.as_uri())
        page.wait_for_selector("body[data-ready]")
        page.locator(".emq-stage").screenshot(path=path)
        context.close()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Make the README's picture, or one of each widget in four looks.")
    parser.add_argument("--all", type=Path, metavar="DIR", help="one of each widget, into this folder")
    options = parser.parse_args(arguments)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=list(FLAGS))
        if options.all is None:
            PICTURE.parent.mkdir(exist_ok=True)
            shoot(browser, WIDGETS["live-sort"](), PICTURE, scale=2)
        else:
            options.all.mkdir(parents=True, exist_ok=True)
            for name, make in WIDGETS.items():
                for scheme in SCHEMES:
                    for width in WIDTHS:
                        path = options.all / f"{name}-{scheme}-{width}.png"
                        shoot(browser, make(), path, width=width, scheme=scheme)
        browser.close()


if __name__ == "__main__":
    main()
