"""Every deck: by keyboard to its end, its widgets alive, all of it inside 1280 by 720 at 24 px."""

import pytest
from playwright.sync_api import Page

from tests.site.helpers import NOTEBOOKS, Visit, alive, sideways, violations

pytestmark = [pytest.mark.browser, pytest.mark.node]

# What reaches below the slide, or would have to scroll, and what is smaller than 24 px.
MISFITS = """() => {
    const slide = [...document.querySelectorAll("section.present")].at(-1), out = [];
    for (const node of slide.querySelectorAll("*:not(aside):not(aside *)")) {
        const box = node.getBoundingClientRect();
        if (!box.width || !box.height) continue;
        const name = `${node.tagName} ${node.className} "${node.textContent.slice(0, 40)}"`;
        if (box.bottom > 720.5 || box.right > 1280.5 || box.left < -0.5) out.push(`${name} reaches ${box.right} ${box.bottom}`);
        if (node.scrollHeight > node.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(node).overflowY)) out.push(`${name} scrolls`);
    }
    return out;
}"""
SMALL = """() => {
    const slide = [...document.querySelectorAll("section.present")].at(-1), out = [];
    const texts = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const node = texts.currentNode.parentElement, size = parseFloat(getComputedStyle(node).fontSize);
        if (!texts.currentNode.data.trim() || node.closest("aside, script, style") || !node.getClientRects().length) continue;
        // The number over a column of bytes is a scale, not text.
        if (size < 23.9 && !node.closest(".emq-bytes thead")) out.push(`${size} px: "${node.textContent.slice(0, 40)}" ${node.className}`);
    }
    return out;
}"""


def open_deck(site: str, visit: Visit, name: str, scheme: str = "light") -> Page:
    page = alive(visit(f"{site}slides/{name}.html", height=720, scheme=scheme))
    page.wait_for_selector("html[data-deck=ready]")
    # Only the end state of a move is of interest.
    page.add_style_tag(content="* { transition: none !important; animation: none !important; }")
    return page


def turn(page: Page) -> bool:
    """To the next slide with all that it holds shown; False at the end."""
    here = page.evaluate("JSON.stringify(location.hash)")
    page.keyboard.press("n")
    page.wait_for_timeout(40)
    return page.evaluate("JSON.stringify(location.hash)") != here


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_everything_fits_on_every_slide_and_in_every_frame(site: str, visit: Visit, name: str) -> None:
    page = open_deck(site, visit, name)
    wrong: dict[str, list[str]] = {}
    slides = 0
    while True:
        where = page.evaluate("location.hash")
        frames = 0
        slides += 1
        stages = page.locator("section.present .emq-stage")
        for at in range(stages.count()):
            for index in range(page.evaluate("at => [...document.querySelectorAll('section.present .emq-stage')][at] ? 400 : 0", at)):
                found = page.evaluate(MISFITS) + page.evaluate(SMALL)
                if found:
                    wrong.setdefault(f"{where} frame {index}", found[:3])
                frames = index
                forward = stages.nth(at).locator(".emq-next:visible:not([aria-disabled=true])")
                if not forward.count():
                    break
                forward.click()
            for choice in range(stages.nth(at).locator(".emq-choice, [data-goto]").count()):
                stages.nth(at).locator(".emq-choice, [data-goto]").nth(choice).click()
                found = page.evaluate(MISFITS) + page.evaluate(SMALL)
                if found:
                    wrong.setdefault(f"{where} choice {choice}", found[:3])
        if not frames:
            found = page.evaluate(MISFITS) + page.evaluate(SMALL)
            if found:
                wrong.setdefault(where, found[:3])
        page.evaluate("document.activeElement.blur()")
        if not turn(page):
            break
    assert slides > 3
    assert wrong == {}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_deck_goes_by_keyboard_and_its_widgets_too(site: str, visit: Visit, name: str) -> None:
    page = open_deck(site, visit, name)
    while page.locator("section.present .emq-stage .emq-next:visible").count() == 0:
        assert turn(page), "expected a slide with a widget that steps"
    stage = page.locator("section.present .emq-stage").first
    where = page.evaluate("location.hash")
    first = stage.locator(".emq-verdict").inner_text()
    stage.focus()
    page.keyboard.press("ArrowRight")
    assert stage.locator(".emq-verdict").inner_text() != first
    assert page.evaluate("location.hash") == where, "the arrow stepped the widget, and must not turn the slide too"
    page.keyboard.press("r")
    assert stage.locator(".emq-verdict").inner_text() == first
    page.keyboard.press("PageDown")
    page.wait_for_function("where => location.hash !== where", arg=where)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_axe_finds_nothing(site: str, visit: Visit, name: str, scheme: str) -> None:
    page = open_deck(site, visit, name, scheme)
    found = set()
    while True:
        found |= set(violations(page))
        if not turn(page):
            break
    assert found == set()


def test_speaker_notes_are_there_and_not_on_the_slide(site: str, visit: Visit) -> None:
    page = open_deck(site, visit, NOTEBOOKS[0])
    assert page.locator("aside.notes").count() > 0
    assert page.locator("aside.notes").filter(visible=True).count() == 0


def test_a_narrow_deck_does_not_scroll_sideways(site: str, visit: Visit) -> None:
    assert sideways(alive(visit(f"{site}slides/{NOTEBOOKS[0]}.html", width=360))) == 0
