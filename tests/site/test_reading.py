"""Every page of the reading face: alive with no kernel, readable by all, small enough for a telephone."""

import json
import re
from pathlib import Path
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

import pytest
from playwright.sync_api import Page

from tests.site.helpers import BUILT, NOTEBOOKS, ROOT, Visit, alive, build, sideways, violations

pytestmark = [pytest.mark.browser, pytest.mark.node]
PAGES = ["index.html", *(f"dives/{name}.html" for name in NOTEBOOKS)]


@pytest.mark.parametrize("page", PAGES)
def test_a_page(site: str, visit: Visit, page: str) -> None:
    """All that holds for every page, in one visit: opening a page costs more than most questions to it."""
    shown = alive(visit(site + page))
    shown.add_style_tag(content="* { transition: none !important; }")  # only where a change of colour ends counts
    for scheme in ("light", "dark"):
        shown.emulate_media(color_scheme=scheme)
        shown.wait_for_selector(f"html[data-theme={scheme}]")
        assert violations(shown) == []
    if page != PAGES[0]:
        assert shown.locator(".emq-faces a").all_inner_texts() == ["Run it live", "Slides"]
    nothing_dead_is_shown(shown)
    every_stage_steps_with_no_kernel(shown)
    shown.set_viewport_size({"width": 360, "height": 900})
    assert sideways(shown) == 0


def every_stage_steps_with_no_kernel(shown: Page) -> None:
    stages = shown.locator(".emq-stage")
    assert stages.count() == shown.evaluate(
        """[...document.querySelectorAll('script[type="application/vnd.jupyter.widget-state+json"]')]
           .flatMap((script) => Object.values(JSON.parse(script.textContent).state))
           .filter((model) => model.model_module === "anywidget").length"""
    )
    for at in range(stages.count()):
        stage = stages.nth(at)
        stage.locator(".emq-reset").click()  # a stage may be stored at a later frame than its first
        before = stage.locator(".emq-picture").inner_html()
        choice = stage.locator("[data-goto], .emq-next:visible:not([aria-disabled=true]), .emq-choice")
        if choice.count():
            choice.first.click()
            pressed = choice.first.get_attribute("aria-pressed") == "true"
            assert pressed or stage.locator(".emq-picture").inner_html() != before
            stage.locator(".emq-reset").click()
            assert stage.locator(".emq-picture").inner_html() == before


def nothing_dead_is_shown(shown: Page) -> None:
    assert shown.locator(".emq-needs-kernel").filter(visible=True).count() == 0
    assert shown.locator(".jupyter-widgets button:visible:not(.emq-button):not([data-goto])").count() == 0
    for link in shown.locator(".emq-live-only a").all():
        assert link.is_visible()
        led = urlsplit(link.get_attribute("href") or "")
        assert led.path.endswith("live/notebooks/index.html")
        if "/dives/" in shown.url:
            notebook = json.loads((ROOT / "notebooks" / parse_qs(led.query)["path"][0]).read_text("utf-8"))
            assert led.fragment.removeprefix("cell=") in [cell["id"] for cell in notebook["cells"]]


WHICH_FIRST = """
new MutationObserver(() => {
  window.first ??= document.querySelector(".emq-widget");
}).observe(document, { subtree: true, childList: true });
"""
IN_VIEW = """() => {
  const box = (widget) => widget.getBoundingClientRect();
  const above = [...document.querySelectorAll(".emq-widget")].filter((widget) => box(widget).bottom < 0);
  return [above.length, box(first).bottom > 0 && box(first).top < innerHeight];
}"""


def test_what_a_reader_looks_at_wakes_first(site: str, visit: Visit) -> None:
    page = alive(visit(f"{site}{PAGES[2]}#the-live-sort", watch=WHICH_FIRST))
    above, in_view = page.evaluate(IN_VIEW)
    assert above > 2
    assert in_view


def test_code_is_folded_one_click_away_and_printed(site: str, visit: Visit) -> None:
    shown = alive(visit(site + PAGES[1]))
    fold = shown.locator("details:has(.cell_input), .cell details").first
    assert not fold.locator("pre").is_visible()
    fold.locator("summary").click()
    assert fold.locator("pre").is_visible()
    fold.locator("summary").click()
    shown.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert fold.locator("pre").is_visible()


def test_search_finds_a_dive(site: str, visit: Visit) -> None:
    shown = visit(f"{site}search.html?q=attempts")
    shown.wait_for_selector("#search-results li a")
    assert any("/dives/" in link.evaluate("link => link.href") for link in shown.locator("#search-results li a").all())


def test_no_link_inside_the_site_is_dead() -> None:
    dead = []
    for page in BUILT.rglob("*.html"):
        name = page.relative_to(BUILT).as_posix()
        if name.startswith("live/"):
            continue
        for href in re.findall(r'(?:href|src)="([^"#]+)', page.read_text("utf-8")):
            if urlsplit(href).scheme or href.startswith("//"):
                continue
            target = BUILT / unquote(urlsplit(urljoin(f"/{name}", href)).path).lstrip("/")
            if not (target.is_file() or (target / "index.html").is_file()):
                dead.append(f"{name}: {href}")
    assert dead == []


def test_a_second_folder_is_built_with_the_same_settings(site: str, tmp_path: Path) -> None:
    build("--faces", "live", "--out", tmp_path / "second")
    settings = Path("live/jupyter-lite.json")
    assert (tmp_path / "second" / settings).read_text() == (BUILT / settings).read_text()


def test_the_folder_holds_no_absolute_path_of_the_machine_that_built_it() -> None:
    here = str(Path.home().resolve()), str(BUILT.parents[1])
    for page in [*BUILT.glob("*.html"), *BUILT.glob("dives/*.html"), *BUILT.glob("slides/*.html")]:
        text = page.read_text("utf-8")
        assert not [path for path in here if f"{path}/" in text], page
