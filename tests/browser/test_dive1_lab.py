"""Dive 1 in JupyterLab, as a reader goes through it: run all, pick every field, sort to the end by keyboard."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from emq.widgets.job_row import ROLES
from emq.widgets.live_sort import DEMO, SCRAMBLED, Member, comparisons
from tests.browser.lab import Lab, OpenLab

NOTEBOOK = "1-the-job-row.ipynb"


@pytest.fixture
def dive(open_lab: OpenLab) -> Lab:
    lab = open_lab(NOTEBOOK)
    lab.run_all()
    return lab


def test_every_field_can_be_picked_and_every_byte_compared(dive: Lab) -> None:
    row = dive.stage("The job row")
    said = row.get_by_role("status")
    assert said.text_content() == "Select a field."
    for field in ROLES:
        row.get_by_role("button", name=field).click()
        assert field in said.text_content()
        assert row.locator("[aria-pressed=true]").text_content().startswith(field)
    assert "2026-06-12 23:39:40.564" in said.text_content()

    sort = dive.stage("Live sort")
    sort.focus()
    verdict = sort.get_by_role("status")
    for step in comparisons([Member(one) for one in SCRAMBLED]):
        dive.page.keyboard.press("ArrowRight")
        assert verdict.text_content().endswith("Swap." if step.swap else "Leave them.")
    dive.page.keyboard.press("ArrowRight")
    assert verdict.text_content().startswith("Byte order is mint order")
    rows = sort.get_by_role("row").all()[1:]
    assert ["".join(row.get_by_role("cell").all_text_contents()[1:15]) for row in rows] == list(DEMO)

    found = Axe().run(
        dive.page, context=".emq-stage", options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
    )
    assert found.response["violations"] == [], found.generate_report()
