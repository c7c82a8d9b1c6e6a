"""Every notebook on the live face, run to its end by a kernel in the browser."""

import pytest

from emq import rung
from tests.site.helpers import RUN_LIVE, Visit, errors, run_all

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.timeout(600)]


@pytest.mark.parametrize("name", RUN_LIVE)
def test_a_dive_runs_to_its_end(site: str, visit: Visit, name: str) -> None:
    page = visit(f"{site}live/notebooks/index.html?path={name}.ipynb")
    run_all(page)
    assert errors(page) == []
    assert page.locator(".emq-stage").count() > 0
    if name == RUN_LIVE[0]:
        # The rung, in a cell of its own below the last.
        page.locator(".jp-Notebook .jp-Cell").last.click()
        page.keyboard.press("Escape")
        page.keyboard.press("b")
        page.keyboard.press("Enter")
        page.keyboard.insert_text("import emq\nprint(*emq.rung.run(emq.connect()).lines, sep='\\n')")
        page.keyboard.press("Shift+Enter")
        page.get_by_text("PASS 5/5").last.wait_for()
        assert "\n".join(rung.RECORD) in page.locator(".jp-Notebook").inner_text()
