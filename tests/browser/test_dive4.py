"""Dive 4 in JupyterLab, as a reader goes through it: guess, step a counterexample, hunt through an own alphabet."""

import pytest
from playwright.sync_api import expect

from emq.ids import ALPHABET
from emq.lesson.dive4 import PREDICTIONS
from emq.lesson.hunt import LOWER_FIRST
from tests.browser.lab import Lab, OpenLab

FOUND = "The shortest counterexample"
EXCHANGED = ALPHABET.replace("34", "43")


@pytest.fixture
def dive(open_lab: OpenLab) -> Lab:
    lab = open_lab("4-break-the-law.ipynb")
    lab.run_all()
    return lab


def test_the_dive(dive: Lab) -> None:
    a_guess_is_answered_by_its_reason(dive)
    a_counterexample_is_read_byte_by_byte_and_mended(dive)
    an_alphabet_of_ones_own_is_hunted_through(dive)


def a_guess_is_answered_by_its_reason(dive: Lab) -> None:
    stage = dive.stage("Predict, then see")
    for guess in PREDICTIONS["padding"].guesses:
        stage.get_by_role("button", name=guess.label).click()
        verdict = "Yes." if guess.right else "Look again."
        expect(stage.get_by_role("status")).to_have_text(f"{verdict} {guess.reply}")
        expect(stage.locator("[aria-pressed=true]")).to_contain_text(guess.reason)


def a_counterexample_is_read_byte_by_byte_and_mended(dive: Lab) -> None:
    stage = dive.stage(FOUND)
    said = stage.get_by_role("status")
    expect(said).to_have_text("a was minted before b: its snowflake is the smaller.")
    for told in ("Bytes 1 to 3 tie: nothing is decided yet.", "Byte 4: 2 (0x32) is above 1 (0x31)."):
        stage.get_by_role("button", name="Next", exact=True).click()
        expect(said).to_contain_text(told)
    expect(stage.locator(".emq-here")).to_have_text("4")
    stage.get_by_role("button", name="The repair", exact=True).click()
    expect(stage).to_contain_text("the law, kept")
    stage.focus()
    dive.page.keyboard.press("End")
    expect(said).to_contain_text("Byte 13: 0 (0x30) is below 1 (0x31).")
    stage.get_by_role("button", name="What broke", exact=True).click()
    expect(said).to_have_text("a was minted before b: its snowflake is the smaller.")


def an_alphabet_of_ones_own_is_hunted_through(dive: Lab) -> None:
    page = dive.page
    field = page.get_by_label("Alphabet", exact=True)
    field.scroll_into_view_if_needed()
    lesson = page.locator(".emq-lesson", has=field)
    stage, says = lesson.get_by_role("group", name=FOUND), lesson.locator(".emq-says")
    expect(field).to_have_value(LOWER_FIRST)
    choices = stage.get_by_role("button", name="The repair", exact=True)

    field.fill(EXCHANGED)
    field.press("Enter")
    expect(says).to_contain_text("(3, 4)")
    stage.focus()
    page.keyboard.press("End")
    expect(stage.get_by_role("status")).to_contain_text("Byte 14: 4 (0x34) is above 3 (0x33).")

    field.fill(ALPHABET)
    page.get_by_role("button", name="Hunt", exact=True).click()
    expect(stage.get_by_role("status")).to_contain_text("No two ids were found in the wrong order")
    expect(choices).to_have_count(0)

    field.fill("00")
    field.press("Enter")
    expect(lesson.locator(".emq-says-error")).to_contain_text("got '0' again at character 2")
    stage.get_by_role("button", name="Reset", exact=True).click()
    expect(field).to_have_value(LOWER_FIRST)
    expect(says).to_have_text("")
    expect(choices).to_be_visible()
