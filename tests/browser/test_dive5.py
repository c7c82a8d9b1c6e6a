"""Dive 5 in JupyterLab: the queue is full, the plots and the board are drawn, and a reader's own run is shown."""

import re

import pytest
from playwright.sync_api import Locator, expect

from emq.lesson.dive5 import PREDICTIONS
from emq.lesson.scale import SHORT, WAYS
from tests.browser.lab import Lab, OpenLab


@pytest.fixture
def dive(open_lab: OpenLab) -> Lab:
    lab = open_lab("5-at-scale.ipynb")
    lab.run_all()
    return lab


def test_the_dive(dive: Lab) -> None:
    the_queue_is_full(dive)
    a_guess_is_answered_by_its_reason(dive)
    every_plot_is_drawn_and_so_is_an_own_run(dive)
    the_board_shows_who_minted_what(dive)


def the_queue_is_full(dive: Lab) -> None:
    bar = dive.page.get_by_role("progressbar", name="Jobs in the queue")
    bar.scroll_into_view_if_needed()
    for name in ("value", "max"):
        expect(bar).to_have_attribute(name, str(SHORT))
    expect(dive.page.get_by_text(f"{SHORT:,} of {SHORT:,} jobs are in", exact=True)).to_be_visible()


def a_guess_is_answered_by_its_reason(dive: Lab) -> None:
    stage = dive.stage("Predict, then see")
    for guess in PREDICTIONS["stop"].guesses:
        stage.get_by_role("button", name=guess.label).click()
        verdict = "Yes." if guess.right else "Look again."
        expect(stage.get_by_role("status")).to_have_text(f"{verdict} {guess.reply}")


def drawn(plot: Locator) -> None:
    """It is in sight, and has a curve or a bar in it."""
    expect(plot).to_be_visible()
    box = plot.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) > 200
    assert plot.locator("path").count() > 10


def every_plot_is_drawn_and_so_is_an_own_run(dive: Lab) -> None:
    stage = dive.stage("Three ways to a page")
    drawn(stage.get_by_role("img", name="from 301 to 1,000,000 pending"))
    stage.focus()
    for way in WAYS:
        expect(stage.get_by_role("status")).to_contain_text(f"{way.capitalize()}.")
        expect(stage.get_by_role("img", name=re.compile(rf"{way} [\d,]+ to [\d,]+ µs"))).to_be_visible()
        dive.page.keyboard.press("ArrowRight")
    lesson = dive.page.locator(".emq-lesson", has=stage)
    lesson.get_by_role("button", name="Draw my run").click()
    drawn(stage.get_by_role("img", name=f"from 301 to {SHORT:,} pending"))
    expect(stage).to_contain_text("your engine, this run")
    stage.get_by_role("button", name="Reset", exact=True).click()
    expect(stage.get_by_role("img", name="from 301 to 1,000,000 pending")).to_be_visible()

    for title, told in (("What a row weighs", "with a step at 65"), ("The index that nobody needs", "for an index")):
        drawn(dive.stage(title).get_by_role("img", name=told))


def the_board_shows_who_minted_what(dive: Lab) -> None:
    board = dive.stage("The class")
    expect(board.get_by_role("table", name="The newest jobs of the class").get_by_role("row")).to_have_count(1 + 9)
    minters = board.get_by_role("table", name="Jobs by minter").get_by_role("row")
    expect(minters).to_contain_text(["minter", "Ada", "Grace", "Edsger"])
