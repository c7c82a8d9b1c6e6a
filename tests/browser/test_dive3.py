"""Dive 3 in JupyterLab, as a reader goes through it: the two widgets by mouse, by keyboard and by own input."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, expect

from emq.widgets.decoder import decoder_frames
from emq.widgets.live_sort import DEMO
from tests.browser.lab import Lab, OpenLab

NOTEBOOK = "3-the-orders-dividend.ipynb"
THREE, CARGO = "One set, three indexes", "The cargo, inspected"
ORDER = "ORD0Nt6z93U3dY"
HOSTILE = '</scRipt ><img src=x onerror="document.body.dataset.hit=1">'
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}


@pytest.fixture
def dive(open_lab: OpenLab) -> Lab:
    lab = open_lab(NOTEBOOK)
    lab.run_all()
    return lab


def lit(stage: Locator) -> list[str]:
    """The members that are lit, in the order of the reply, as a reader sees them."""
    rows = [row.get_by_role("cell").all_text_contents() for row in stage.locator(".emq-row--lit").all()]
    return ["".join(cells[1:15]) for cells in sorted(rows, key=lambda cells: int(cells[0]))]


def choose(stage: Locator, label: str) -> None:
    stage.get_by_role("button", name=label, exact=True).click()


def type_into(lab: Lab, label: str, text: str) -> None:
    field = lab.page.get_by_label(label, exact=True).first
    field.fill(text)
    field.press("Enter")


def no_violations(lab: Lab) -> None:
    for part in (".emq-stage", ".emq-try"):
        found = Axe().run(lab.page, context=part, options=RULES)
        assert found.response["violations"] == [], found.generate_report()


def test_the_dive(dive: Lab) -> None:
    three_indexes_by_mouse_and_own_questions(dive)
    cargo_by_keyboard_and_own_input(dive)
    stamp_is_decoded_by_the_same_decoder(dive)
    no_violations(dive)
    dive.theme("JupyterLab Dark")
    no_violations(dive)


def three_indexes_by_mouse_and_own_questions(dive: Lab) -> None:
    stage = dive.stage(THREE)
    said = stage.get_by_role("status")
    choose(stage, "FIFO head")
    expect(stage).to_contain_text("ZRANGE emq:{orders}:pending - + BYLEX LIMIT 0 1")
    assert lit(stage) == [DEMO[0]]
    choose(stage, "Newest five")
    assert lit(stage) == list(DEMO[:0:-1])
    choose(stage, "Window JOB0Nvmd9")
    assert lit(stage) == [DEMO[5], DEMO[4]]
    choose(stage, "Page by page")
    assert lit(stage) == [DEMO[5], DEMO[4]]
    stage.focus()
    dive.page.keyboard.press("ArrowRight")
    assert lit(stage) == [DEMO[3], DEMO[2]]
    dive.page.keyboard.press("End")
    assert lit(stage) == [DEMO[1], DEMO[0]]

    type_into(dive, "Own prefix", "JOB0Nvmd8m")
    expect(said).to_contain_text("1 of 6 are inside")
    assert lit(stage) == [DEMO[2]]
    for label, text in (("Since (UTC)", "2026-06-12 23:39:40.657"), ("Until (UTC)", "2026-06-12 23:39:40.677")):
        dive.page.get_by_label(label, exact=True).fill(text)
    dive.page.get_by_role("button", name="Cut by clock").click()
    expect(said).to_contain_text("A clock window, since 2026-06-12 23:39:40.657 UTC")
    assert lit(stage) == [DEMO[4]]

    type_into(dive, "Own prefix", HOSTILE)
    expect(dive.page.locator(".emq-says-error").first).to_contain_text("expected a prefix")
    assert dive.page.evaluate("document.body.dataset.hit") is None
    choose(stage, "Reset")
    expect(said).to_contain_text("Ask it a question.")
    expect(dive.page.get_by_label("Own prefix", exact=True)).to_have_value("JOB0Nvmd9")


def cargo_by_keyboard_and_own_input(dive: Lab) -> None:
    stage = dive.stage(CARGO)
    said = stage.get_by_role("status")
    stage.focus()
    dive.page.keyboard.press("ArrowRight")
    dive.page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("Parsed again.")
    expect(stage).to_contain_text("2026-06-11 09:01:41.949 UTC")
    choose(stage, f"Decode {ORDER}")
    stage.focus()
    for frame in decoder_frames(ORDER)[1:]:
        dive.page.keyboard.press("ArrowRight")
        assert said.inner_html() == frame.caption.replace("&#x27;", "'")
    expect(said).to_contain_text("the same fourteen bytes")
    choose(stage, "Ship the row instead")
    stage.focus()
    dive.page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("which is a row: ship its id instead")

    type_into(dive, "Own id", "ORD0Nt6z93U!dY")
    expect(said).to_contain_text("got '!' at character 12")
    expect(stage.locator(".emq-here")).to_have_text("12")
    type_into(dive, "Own id", HOSTILE)
    expect(said).to_contain_text("expected 14 characters")
    type_into(dive, "Own payload", json.dumps({"note": HOSTILE}))
    expect(said).to_contain_text("These bytes crossed the wire")
    expect(stage).to_contain_text("</scRipt ><img src=x")
    assert dive.page.evaluate("document.body.dataset.hit") is None
    choose(stage, "Reset")
    expect(dive.page.get_by_label("Own id", exact=True)).to_have_value(ORDER)


def stamp_is_decoded_by_the_same_decoder(dive: Lab) -> None:
    stage = dive.stage("The stamp of this page")
    expect(stage.get_by_role("status")).to_contain_text("is of kind DIV, minted on node 3")
    choose(stage, "Step by step")
    stage.focus()
    dive.page.keyboard.press("End")
    expect(stage.get_by_role("status")).to_contain_text("the same fourteen bytes")
