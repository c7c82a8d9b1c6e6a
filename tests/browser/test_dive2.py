"""Dive 2 in JupyterLab: guess, step and send by mouse and keyboard, run the record, present, and reset."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, expect

from emq.rung import RECORD
from emq.widgets.admission import CALLS, FIRST, JOB, run_script
from tests.browser.lab import Lab, OpenLab

HOSTILE = "</scRipt ><img src=x onerror=\"document.body.dataset.hit='yes'\">"
ACCESSIBLE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}


@pytest.fixture
def dive(open_lab: OpenLab) -> Lab:
    lab = open_lab("2-enqueue-one-script.ipynb")
    lab.run_all()
    return lab


def verdict(stage: Locator) -> Locator:
    return stage.get_by_role("status")


def check(lab: Lab) -> None:
    for context in (".emq-stage", ".emq-needs-kernel"):
        found = Axe().run(lab.page, context=context, options=ACCESSIBLE)
        assert found.response["violations"] == [], found.generate_report()


def test_dive_2(dive: Lab) -> None:
    admission_by_mouse_and_keyboard(dive)
    own_calls_and_hostile_text(dive)
    the_record_runs_live(dive)
    a_class_is_presented_to_and_all_is_reset(dive)
    check(dive)
    dive.theme("JupyterLab Dark")
    dive.stage("Admission, line by line")
    check(dive)


def admission_by_mouse_and_keyboard(dive: Lab) -> None:
    stage = dive.stage("Admission, line by line")
    keys = dive.page.keyboard
    for at, call in enumerate(CALLS):
        run = run_script(call, CALLS[:at])
        stage.get_by_role("button", name=call.name).first.click()
        expect(verdict(stage)).to_contain_text("In which act will the script stop?")
        for label, act in (("In policy", "policy"), ("In existence", "existence"), ("At the end of write", "write")):
            stage.get_by_role("button", name=label).click()
            expect(verdict(stage)).to_contain_text("Yes." if act == run.act else "Look again.")
        stage.get_by_role("button", name="Step through it").click()
        stage.focus()
        keys.press("Home")
        for step in run.steps:
            keys.press("ArrowRight")
            expect(verdict(stage)).to_contain_text(f"Line {step.line}.")
            expect(stage.locator("[aria-current=step]")).to_have_count(1)
        expect(stage.locator(".emq-wire-reply")).to_contain_text(str(run.reply))
        expect(stage.get_by_role("button", name="Next", exact=True)).to_have_attribute("aria-disabled", "true")


def own_calls_and_hostile_text(dive: Lab) -> None:
    page, stage = dive.page, dive.stage("Admission, line by line")
    job_id, payload = page.get_by_label("Job id"), page.get_by_label("Payload")
    enqueue = page.get_by_role("button", name="Enqueue", exact=True)
    job_id.fill("JOB0Nvmd8gSfSK")
    payload.fill(HOSTILE)
    for answer in ("It answers 1", "answers 0: a duplicate"):
        enqueue.click()
        expect(stage.get_by_role("button", name="Your own call")).to_have_attribute("aria-pressed", "true")
        expect(verdict(stage)).to_contain_text("In which act will the script stop?")
        stage.focus()
        page.keyboard.press("End")
        expect(verdict(stage)).to_contain_text(answer)
        expect(stage.locator(".emq-wire-sent")).to_contain_text("onerror")
    job_id.fill(HOSTILE)
    job_id.press("Tab")
    enqueue.click()
    expect(page.locator(".emq-says-error")).to_contain_text("expected 14 characters")
    assert page.locator("img[src=x]").count() == 0
    assert page.evaluate("document.body.dataset.hit") is None
    stage.get_by_role("button", name="Reset", exact=True).click()
    expect(job_id).to_have_value(JOB)
    expect(payload).to_have_value(FIRST.decode())
    expect(stage.get_by_role("button", name="Your own call")).to_have_count(0)


def the_record_runs_live(dive: Lab) -> None:
    stage = dive.stage("The record")
    expect(stage.locator(".emq-diff-line--marked")).to_have_count(2)
    run = dive.page.get_by_role("button", name="Run it live")
    run.focus()
    dive.page.keyboard.press("Enter")
    expect(verdict(stage)).to_contain_text(f"The same, all {len(RECORD)} lines")
    expect(stage.get_by_role("img", name="same")).to_have_count(len(RECORD))
    stage.focus()
    dive.page.keyboard.press("ArrowRight")
    expect(verdict(stage)).to_contain_text("J2: ")
    stage.get_by_role("button", name="The frozen record").click()
    expect(stage.get_by_role("img", name="same")).to_have_count(0)


def a_class_is_presented_to_and_all_is_reset(dive: Lab) -> None:
    page, stage = dive.page, dive.stage("The record")
    size = page.get_by_label("Class size")
    size.scroll_into_view_if_needed()

    def height() -> float:
        return float(stage.evaluate("node => parseFloat(getComputedStyle(node).fontSize)"))

    usual = height()
    size.check()
    page.wait_for_function("() => parseFloat(getComputedStyle(document.querySelector('.emq-stage')).fontSize) >= 20")
    assert height() > usual
    size.uncheck()
    page.wait_for_function("() => parseFloat(getComputedStyle(document.querySelector('.emq-stage')).fontSize) < 20")
    assert height() == usual
    page.get_by_role("button", name="Reset queue and pictures").click()
    expect(page.get_by_text("The queue dive-2 is empty")).to_be_visible()
    expect(stage.get_by_role("button", name="The live run")).to_have_count(0)
