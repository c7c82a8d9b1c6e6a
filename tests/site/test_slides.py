"""Every deck: by keyboard to its end, its widgets alive, all of it inside 1280 by 720 at 24 px."""

import pytest
from playwright.sync_api import Page

from tests.site.helpers import NOTEBOOKS, Visit, alive, sideways, violations

pytestmark = [pytest.mark.browser, pytest.mark.node]

# The slide on show: a stack of subslides is on show too, and is not meant.
SLIDE = ".slides > section.present:not(.stack), .slides > section.stack.present > section.present"
# Walks every widget of the slide through all of its frames. Says what reaches over the edge or would have to scroll,
# and what is smaller than 24 px.
FAULTS = """(slide) => {
    slide = document.querySelector(slide);
    const out = [];
    const look = (where) => {
        for (const node of slide.querySelectorAll("*:not(aside):not(aside *)")) {
            const box = node.getBoundingClientRect(), style = getComputedStyle(node);
            if (!box.width || !box.height) continue;
            const name = `${where}: ${node.tagName} ${node.className} "${node.textContent.slice(0, 30)}"`;
            const over = box.bottom > 720.5 || box.right > 1280.5 || box.left < -0.5;
            if (over) out.push(`${name} reaches ${box.right}, ${box.bottom}`);
            const rolls = node.scrollHeight > node.clientHeight + 1 && /auto|scroll/.test(style.overflowY);
            if (rolls) out.push(`${name} scrolls`);
            const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
            // The numbers over columns of bytes are a scale, not text.
            const small = own && parseFloat(style.fontSize) < 23.9 && !node.closest(".emq-bytes thead");
            if (small) out.push(`${name} is ${style.fontSize}`);
        }
    };
    look("first");
    for (const stage of slide.querySelectorAll(".emq-stage")) {
        const part = (selector) => [...stage.querySelectorAll(selector)].filter((node) => node.offsetParent);
        const walk = (where) => {
            for (let at = 0; at < 500; at += 1) {
                look(`${where} ${at}`);
                const [next] = part(".emq-next:not([aria-disabled=true])");
                if (!next) return;
                next.click();
            }
        };
        const reset = stage.querySelector(".emq-reset");
        walk("frame");
        reset.click();
        const choices = part(".emq-choice, [data-goto]").length;
        for (let at = 0; at < choices; at += 1) {
            part(".emq-choice, [data-goto]")[at].click();
            walk(`choice ${at} frame`);
            reset.click();
        }
    }
    return out;
}"""


def open_deck(site: str, visit: Visit, name: str) -> Page:
    page = alive(visit(f"{site}slides/{name}.html", height=720))
    page.wait_for_selector("html[data-deck=ready]")
    page.set_default_timeout(20_000)
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
def test_every_slide_and_every_frame_fits_and_axe_finds_nothing(site: str, visit: Visit, name: str) -> None:
    page = open_deck(site, visit, name)
    wrong: dict[str, list[str]] = {"all around": violations(page)}
    slides = 0
    while True:
        slides += 1
        if page.evaluate("slide => !document.querySelector(slide).querySelector('.fragment:not(.visible)')", SLIDE):
            found = page.evaluate(FAULTS, SLIDE)[:4]
            for scheme in ("light", "dark"):
                page.evaluate("scheme => { document.documentElement.dataset.theme = scheme; }", scheme)
                found += violations(page, SLIDE)
            wrong[page.evaluate("location.hash")] = found
        if not turn(page):
            break
    assert slides > 3
    assert {where: found for where, found in wrong.items() if found} == {}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_deck_goes_by_keyboard_and_its_widgets_too(site: str, visit: Visit, name: str) -> None:
    page = open_deck(site, visit, name)
    while page.locator(SLIDE).locator(".emq-next:visible").count() == 0:
        assert turn(page), "expected a slide with a widget that steps"
    stage = page.locator(SLIDE).locator(".emq-stage").first
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


def test_speaker_notes_are_there_and_not_on_the_slide(site: str, visit: Visit) -> None:
    page = open_deck(site, visit, NOTEBOOKS[0])
    assert page.locator("aside.notes").count() > 0
    assert page.locator("aside.notes").filter(visible=True).count() == 0


def test_a_narrow_deck_does_not_scroll_sideways(site: str, visit: Visit) -> None:
    assert sideways(alive(visit(f"{site}slides/{NOTEBOOKS[0]}.html", width=360))) == 0
