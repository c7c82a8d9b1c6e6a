"""One list of actions says the same, byte for byte, in JupyterLab, on the reading face, on the slides and live."""

import pytest
from playwright.sync_api import Page

from tests.browser.lab import OpenLab
from tests.site.helpers import Visit, alive, run_all

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.timeout(600)]

NAME = "1-the-job-row"
# A stage by its title, what to press on it, and how often: a button by its label, or a key.
ACTIONS = [
    ("The job row", "state", 1),
    ("The job row", "enqueued_at", 1),
    ("The job row", "payload", 1),
    ("The job row", "Reset", 1),
    ("Live sort", "ArrowRight", 30),
    ("Live sort", "Home", 1),
    ("Live sort", "Mix a score in", 1),
    ("Live sort", "End", 1),
    ("Live sort", "ArrowLeft", 2),
    ("Live sort", "Reset", 1),
]
# The buttons of a stage are pressed where they are: on the slides only one slide is on show.
PRESS = """(root, what) => {
    const key = /^(Arrow|Home|End)/.test(what);
    if (key) root.dispatchEvent(new KeyboardEvent("keydown", {key: what, bubbles: true, cancelable: true}));
    else [...root.querySelectorAll("button")].find((button) => button.textContent.includes(what)).click();
    return root.querySelector(".emq-verdict").textContent;
}"""


def captions(page: Page) -> list[str]:
    """What the stages say after each action."""
    said = []
    for title, what, times in ACTIONS:
        stage = page.locator(f'.emq-stage[aria-label="{title}"]').first
        stage.wait_for(state="attached")
        said += [stage.evaluate(PRESS, what) for _ in range(times)]
    return said


def test_every_face_says_the_same(site: str, visit: Visit, open_lab: OpenLab) -> None:
    reading = captions(alive(visit(f"{site}dives/{NAME}.html")))
    assert len(set(reading)) > 10
    assert captions(alive(visit(f"{site}slides/{NAME}.html"))) == reading
    lab = open_lab(f"{NAME}.ipynb")
    lab.run_all()
    for title in ("The job row", "Live sort"):
        lab.stage(title)
    assert captions(lab.page) == reading
    live = visit(f"{site}live/notebooks/index.html?path={NAME}.ipynb")
    run_all(live)
    assert captions(live) == reading
