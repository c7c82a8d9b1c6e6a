"""Stage in a page without a kernel: keys, hot spots, speech, focus, hostile text, contrast, width."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from emq.widgets import Choice, Frame, Stage
from tests.browser.demo import HOSTILE, cargo_stage, row_stage, script_stage, sort_stage

WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
ALL = (row_stage, sort_stage, cargo_stage, script_stage)


def index(page: Page, model: int = 0) -> Any:
    return page.evaluate(f"window.models[{model}].get('index')")


def test_keys_step_in_the_scene(open_stages: Any) -> None:
    page = open_stages(sort_stage())
    page.locator(".emq-stage").focus()
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "ArrowLeft"):
        page.keyboard.press(key)
        seen.append(index(page))
    assert seen == [1, 2, 1, 3, 3, 0, 0]
    expect(page.locator(".emq-step")).to_have_text("step 1 of 4")
    for held in ("ctrlKey", "altKey", "metaKey", "shiftKey"):
        pressed = f"new KeyboardEvent('keydown', {{key: 'ArrowRight', bubbles: true, {held}: true}})"
        page.evaluate(f"document.activeElement.dispatchEvent({pressed})")
        assert index(page) == 0


def test_keys_work_from_a_button_and_do_not_leave_the_widget(open_stages: Any) -> None:
    page = open_stages(sort_stage())
    page.evaluate("document.addEventListener('keydown', () => { window.leaked = true; })")
    page.get_by_role("button", name="Next").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    assert index(page) == 3
    assert page.evaluate("window.leaked") is None
    assert page.get_by_role("button", name="Next").get_attribute("aria-disabled") == "true"
    page.keyboard.press("Enter")
    assert index(page) == 3
    assert page.evaluate("document.activeElement.ariaLabel") == "Next"


def test_space_plays_to_the_end_and_stops(open_stages: Any) -> None:
    page = open_stages(sort_stage())
    page.locator(".emq-stage").focus()
    page.keyboard.press("Space")
    expect(page.locator(".emq-play")).to_have_text("Pause")
    expect(page.locator(".emq-step")).to_have_text("step 4 of 4", timeout=15_000)
    expect(page.locator(".emq-play")).to_have_text("Play", timeout=15_000)
    assert index(page) == 3
    page.keyboard.press("Space")
    assert index(page) == 0


@pytest.mark.parametrize("act", ["key", "button", "blur", "choice", "frames"])
def test_playing_ends_when_the_reader_acts(open_stages: Any, act: str) -> None:
    stage = sort_stage()
    stage.pace = 60_000
    page = open_stages(stage)
    page.locator(".emq-play").click()
    assert index(page) == 1
    expect(page.locator(".emq-play")).to_have_text("Pause")
    if act == "key":
        page.keyboard.press("ArrowLeft")
    elif act == "button":
        page.locator(".emq-last").click()
    elif act == "blur":
        page.evaluate("window.dispatchEvent(new Event('blur'))")
    elif act == "choice":
        page.get_by_role("button", name="Sort").click()
    else:
        page.evaluate("window.models[0].set('frames', [...window.models[0].get('frames')])")
    expect(page.locator(".emq-play")).to_have_text("Play")


def test_choices_lead_to_other_scenes(open_stages: Any) -> None:
    page = open_stages(sort_stage())
    sort, mix = (page.get_by_role("button", name=name) for name in ("Sort", "Mix a score in"))
    assert sort.get_attribute("aria-pressed") == "true"
    mix.focus()
    page.keyboard.press("Enter")
    assert index(page) == 4
    expect(page.locator(".emq-transport")).to_be_hidden()
    expect(mix).to_be_focused()
    assert mix.get_attribute("aria-pressed") == "true"
    page.keyboard.press("ArrowRight")
    assert index(page) == 4


def test_a_focused_button_that_goes_hands_the_focus_to_the_stage(open_stages: Any) -> None:
    ask = (Choice("Left", 1), Choice("Right", 1))
    page = open_stages(Stage([Frame("?", "Guess.", ask, "ask"), Frame("!", "Right.", (), "told")], title="Guess"))
    page.get_by_role("button", name="Left").click()
    expect(page.locator(".emq-choices")).to_be_hidden()
    expect(page.locator(".emq-stage")).to_be_focused()
    page.get_by_role("button", name="Reset").click()
    assert page.locator(".emq-choice").all_text_contents() == ["Left", "Right"]


def test_hot_spots_keep_the_focus(open_stages: Any) -> None:
    page = open_stages(row_stage())
    page.locator("[data-goto='3']").focus()
    page.keyboard.press("Enter")
    assert index(page) == 3
    expect(page.locator("[data-goto='3']")).to_be_focused()
    assert page.locator("[data-goto='3']").get_attribute("aria-pressed") == "true"
    page.locator("[data-goto='4'] .emq-card-role").click()
    assert index(page) == 4


def test_reset_goes_back_and_is_counted(open_stages: Any) -> None:
    page = open_stages(sort_stage())
    page.get_by_role("button", name="Mix a score in").click()
    page.get_by_role("button", name="Reset").click()
    assert (index(page), page.evaluate("window.models[0].get('resets')")) == (0, 1)
    assert page.evaluate("window.models[0].saves") == 2


def test_one_live_region_speaks_every_caption(open_stages: Any) -> None:
    stage = sort_stage()
    page = open_stages(stage)
    page.evaluate("window.region = document.querySelector('[aria-live]')")
    spoken = []
    page.locator(".emq-stage").focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "End"):
        page.keyboard.press(key)
        spoken.append(page.evaluate("window.region.textContent"))
    assert spoken[0] == "Six members, scrambled. Step to compare two of them."
    assert spoken[1] == "Byte 10: 6 0x36 > 0 0x30 — b was minted first. Swap."
    assert spoken[3] == "And so on, to the end."
    assert page.evaluate("[window.region.isConnected, document.querySelectorAll('[aria-live]').length]") == [True, 1]


def test_hostile_text_stays_text(open_stages: Any) -> None:
    stage = script_stage()
    stage.show([*stage.frames, Frame("", f"{HOSTILE.translate({60: '&lt;', 62: '&gt;'})}")], 0)
    page = open_stages(stage)
    assert page.locator(".emq-title").text_content() == HOSTILE
    assert page.locator(".emq-choice").text_content() == HOSTILE
    assert page.locator("img").count() == 0
    assert page.evaluate("document.body.dataset.hit") is None
    assert page.locator(".emq-stage").get_attribute("aria-label") == HOSTILE


@pytest.mark.parametrize(("reduced", "moves"), [("no-preference", 2), ("reduce", 0)])
def test_rows_move_unless_motion_is_reduced(open_stages: Any, reduced: str, moves: int) -> None:
    page = open_stages(sort_stage(), reduced_motion=reduced)
    page.evaluate("window.models[0].set('index', 1)")
    count = "document.querySelector('.emq-picture').getAnimations({subtree: true}).length"
    assert page.evaluate(f"(window.models[0].set('index', 2), {count})") == moves


@pytest.mark.parametrize("width", [360, 920])
def test_nothing_is_cut_or_scrolls_sideways(open_stages: Any, width: int) -> None:
    page = open_stages(*(make() for make in ALL), width=width)
    for model, make in enumerate(ALL):
        for at in range(len(make().frames)):
            page.evaluate(f"window.models[{model}].set('index', {at})")
            assert page.evaluate("document.documentElement.scrollWidth") == width
    wide = "(a) => [...a].filter((n) => n.scrollWidth > n.clientWidth + 1).map((n) => n.className)"
    cut = f"({wide})(document.querySelectorAll('.emq-note, .emq-field, .emq-button, .emq-card, .emq-step, .emq-bytes'))"
    assert page.evaluate(cut) == []
    small = "(b) => b.offsetParent && (b.offsetWidth < 24 || b.offsetHeight < 24)"
    assert page.evaluate(f"[...document.querySelectorAll('button')].filter({small}).length") == 0


def test_each_field_stands_under_its_bits(open_stages: Any) -> None:
    page = open_stages(cargo_stage(), width=360)
    for kind in ("time", "node", "seq"):
        bits = [page.locator(f".emq-bit--{kind}").nth(at).bounding_box() for at in (0, -1)]
        box = page.locator(f".emq-field--{kind}").bounding_box()
        assert abs(box["x"] - bits[0]["x"]) < 2
        assert abs(box["x"] + box["width"] - bits[1]["x"] - bits[1]["width"]) < 2


@pytest.mark.parametrize(("scheme", "width"), list(itertools.product(("light", "dark"), (360, 920))))
def test_axe_finds_nothing(open_stages: Any, scheme: str, width: int) -> None:
    page = open_stages(*(make() for make in ALL), scheme=scheme, width=width)
    for step in range(3):
        page.evaluate(f"window.models.forEach((m, at) => at < 3 && m.set('index', {step}))")
        results = Axe().run(page, options=WCAG)
        assert results.violations_count == 0, results.generate_report()
        assert len(results.response["passes"]) > 10


@pytest.mark.parametrize(
    ("root", "asked", "dark"),
    [
        (' data-jp-theme-light="false"', "light", True),
        (' data-jp-theme-light="true"', "dark", False),
        (' data-theme="dark"', "light", True),
        (' data-theme="light" style="color-scheme: light dark"', "dark", False),
        (' style="color-scheme: light dark"', "dark", True),
        (' style="color-scheme: light dark"', "light", False),
        (' data-other=""', "dark", False),
    ],
)
def test_the_theme_follows_the_page(open_stages: Any, root: str, asked: str, dark: bool) -> None:
    page = open_stages(sort_stage(), scheme=asked, root=root)
    ink = page.evaluate("getComputedStyle(document.querySelector('.emq-stage')).color")
    assert (ink == "rgb(233, 235, 238)") is dark


def test_two_views_follow_one_model_and_let_go_of_it(open_stages: Any) -> None:
    page = open_stages(sort_stage(), views=2)
    page.locator(".emq-next").nth(0).click()
    assert page.locator(".emq-step").all_text_contents() == ["step 2 of 4"] * 2
    assert page.evaluate("document.querySelectorAll('.emq-stage [id]').length") == 0
    page.evaluate("window.closers[0]()")
    page.locator(".emq-next").click()
    assert page.locator(".emq-step").all_text_contents() == ["step 3 of 4"]
    page.evaluate("window.closers[1]()")
    assert page.evaluate("window.models[0].listeners()") == 0


def test_the_model_redraws_what_changes(open_stages: Any) -> None:
    page = open_stages(sort_stage())
    page.evaluate("window.models[0].set('title', 'Other &amp; new')")
    expect(page.get_by_role("group", name="Other & new")).to_be_visible()
    page.evaluate("window.models[0].set('labels', {...window.models[0].get('labels'), next: 'Weiter'})")
    expect(page.get_by_role("button", name="Weiter")).to_be_visible()
    page.evaluate("window.models[0].set('frames', window.models[0].get('frames').slice(4))")
    expect(page.locator(".emq-verdict")).to_have_text("With a score the bytes no longer decide.")


def test_the_bar_stays_where_it_is_while_stepping(open_stages: Any) -> None:
    tall = [Frame("<p>x</p>" * lines, f"{lines}", (), "one") for lines in (6, 1, 9, 1)]
    page = open_stages(Stage(tall, title="Steady"))
    page.locator(".emq-stage").focus()
    places = []
    for _ in tall:
        places.append(page.locator(".emq-bar").bounding_box()["y"])
        page.keyboard.press("ArrowRight")
    assert places[0] == places[1] < places[2] == places[3]


def test_print_shows_the_frame_and_not_the_bar(open_stages: Any) -> None:
    page = open_stages(sort_stage())
    page.emulate_media(media="print")
    expect(page.locator(".emq-bar")).to_be_hidden()
    expect(page.locator(".emq-picture")).to_be_visible()


@pytest.mark.parametrize(("root", "line", "controls"), [("", False, True), (' data-emq-kernel="none"', True, False)])
def test_a_page_without_a_kernel_shows_the_line_and_not_the_controls(
    open_stages: Any, root: str, line: bool, controls: bool
) -> None:
    page = open_stages(sort_stage(), root=root)
    page.evaluate(
        "document.querySelector('main').insertAdjacentHTML('beforeend',"
        '\'<p class="emq-live-only">line</p><p class="emq-needs-kernel">controls</p>\')'
    )
    assert page.locator(".emq-live-only").is_visible() is line
    assert page.locator(".emq-needs-kernel").is_visible() is controls
