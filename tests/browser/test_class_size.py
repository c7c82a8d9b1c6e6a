"""At class size, on a projector's 1280 by 720: whatever is pressed on a picture, what is said about it is in sight."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator

from tests.browser.lab import OpenLab

DIVES = {
    "1-the-job-row.ipynb": ("The record", "Predict, then see", "The job row", "Live sort", "The stamp of this page"),
    "2-enqueue-one-script.ipynb": ("Predict, then see", "Admission, line by line"),
    "3-the-orders-dividend.ipynb": ("One set, three indexes", "The cargo, inspected"),
}
SPOTS = ".emq-choice, [data-goto]"
LARGE = "() => parseFloat(getComputedStyle(document.querySelector('.emq-stage')).fontSize) >= 20"

# In sight: whole, in the part of the window that is the notebook's, and with nothing in front of it.
OUT_OF_SIGHT = """(stage) => {
  const verdict = stage.querySelector("[role=status]");
  const box = verdict.getBoundingClientRect();
  const view = stage.closest(".jp-WindowedPanel-outer").getBoundingClientRect();
  const corners = [[box.left + 8, box.top + 4], [box.right - 8, box.bottom - 4]];
  const bare = corners.every(([x, y]) => verdict.contains(document.elementFromPoint(x, y)));
  if (bare && box.top >= view.top - 0.5 && box.bottom <= view.bottom + 0.5) return null;
  return `${verdict.textContent} (${box.top} to ${box.bottom} in ${view.top} to ${view.bottom})`;
}"""


@pytest.mark.parametrize("notebook", DIVES)
def test_what_is_said_is_in_sight_at_class_size(notebook: str, open_lab: OpenLab) -> None:
    lab = open_lab(notebook, height=720)
    lab.run_all()
    size = lab.page.get_by_label("Class size")
    size.scroll_into_view_if_needed()
    size.check()
    lab.page.wait_for_function(LARGE)
    for title in DIVES[notebook]:
        stage = lab.stage(title)
        found = [(spot, stage.evaluate(OUT_OF_SIGHT)) for spot in pressed(stage)]
        assert len(found) > 1, f"{title}: nothing to press"
        assert [(spot, trouble) for spot, trouble in found if trouble] == [], title


def pressed(stage: Locator) -> Iterator[str]:
    """Presses every choice and every hot spot, and Next to the end of what each opens; what it has just pressed."""
    following, seen = stage.get_by_role("button", name="Next", exact=True), set[str]()
    while True:
        while following.is_visible() and following.get_attribute("aria-disabled") != "true":
            following.click()
            yield "Next"
        fresh = next((spot for spot in stage.locator(SPOTS).all_text_contents() if spot not in seen), None)
        if fresh is None:
            break
        seen.add(fresh)
        stage.locator(SPOTS).filter(has_text=fresh).first.click()
        yield fresh
