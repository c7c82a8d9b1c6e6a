"""The hub in JupyterLab: its one picture by mouse and keyboard, and the record frozen beside live."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from emq.rung import RECORD
from tests.browser.lab import OpenLab


def test_the_hub(open_lab: OpenLab) -> None:
    lab = open_lab("0-jobs-are-entities.ipynb")
    lab.run_all()
    picture = lab.stage("One job, one picture")
    for name, said in (("pending_size", "whole surface"), ("browse", "no time is stored"), ("The id", "asks nobody")):
        picture.get_by_role("button", name=name, exact=True).click()
        expect(picture.get_by_role("status")).to_contain_text(said, ignore_case=True)
    picture.focus()
    lab.page.keyboard.press("End")
    expect(picture.get_by_role("button", name="pending_size")).to_have_attribute("aria-pressed", "true")

    record = lab.stage("The record")
    expect(record.get_by_role("status")).to_contain_text(f"The same, all {len(RECORD)} lines")
    record.get_by_role("button", name="The frozen record").click()
    record.focus()
    for line in RECORD:
        lab.page.keyboard.press("ArrowRight")
        expect(record.get_by_role("status")).to_contain_text(line.split()[0].removesuffix(":"))
        expect(record.locator(".emq-diff-line--marked")).to_contain_text(line)

    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
    found = Axe().run(lab.page, context=".emq-lesson, .emq-stage", options=rules)
    assert found.response["violations"] == [], found.generate_report()
