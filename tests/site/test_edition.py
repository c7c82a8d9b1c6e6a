"""A reader who comes back after a new edition is told, and loses nothing unasked."""

import json

import pytest
from playwright.sync_api import Page, Route

from tests.site.helpers import BUILT, NOTEBOOKS, Visit

pytestmark = [pytest.mark.browser, pytest.mark.node]

NAME = f"{NOTEBOOKS[0]}.ipynb"
# What the browser keeps, by path: the sources of the first cell.
KEPT = """async () => {
    const folder = new URL("..", location.href).pathname;
    const done = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    const storage = await done(indexedDB.open(`JupyterLite Storage - ${folder}`));
    const files = storage.transaction("files").objectStore("files");
    const [names, all] = [await done(files.getAllKeys()), await done(files.getAll())];
    storage.close();
    return Object.fromEntries(names.map((name, at) => [name, [all[at].content.cells[0].source].flat().join("")]));
}"""


def with_an_older_copy(site: str, visit: Visit) -> Page:
    """The page as it greets a reader who changed and saved this notebook before its new edition."""
    page = visit(f"{site}live/notebooks/index.html?path={NAME}")
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.content?.widgets?.length > 1")
    assert page.locator(".emq-edition").count() == 0, "a first visit must not be asked anything"
    page.evaluate(
        """async () => {
            const {content, context} = window.jupyterapp.shell.currentWidget;
            content.widgets[0].model.sharedModel.setSource("# My own words");
            await context.save();
        }"""
    )
    editions = json.loads((BUILT / "live/editions.json").read_text())
    newer = json.dumps({**editions, NAME: "a-newer-one"})

    def answer(route: Route) -> None:
        route.fulfill(body=newer, content_type="application/json")

    page.context.route("**/editions.json", answer)
    page.reload()
    page.locator(".emq-edition").wait_for()
    return page


def test_keep_compare_and_start_anew(site: str, visit: Visit) -> None:
    page = with_an_older_copy(site, visit)
    bar = page.locator(".emq-edition")
    assert page.evaluate(KEPT) == {NAME: "# My own words"}
    bar.get_by_role("button", name="Compare").click()
    page.locator(".emq-edition-cells pre").first.wait_for()
    assert "# My own words" in bar.inner_text()
    bar.get_by_role("button", name="Start the new edition").click()
    page.wait_for_function("() => !document.querySelector('.emq-edition')")
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.content?.widgets?.length > 1")
    first = page.evaluate("window.jupyterapp.shell.currentWidget.content.widgets[0].model.sharedModel.getSource()")
    assert first != "# My own words"
    kept = page.evaluate(KEPT)
    assert [text for name, text in kept.items() if name != NAME and "my copy" in name] == ["# My own words"]


def test_a_copy_that_is_kept_is_not_asked_about_again(site: str, visit: Visit) -> None:
    page = with_an_older_copy(site, visit)
    page.locator(".emq-edition").get_by_role("button", name="Keep my copy").click()
    assert page.locator(".emq-edition").count() == 0
    page.reload()
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.content?.widgets?.length > 1")
    assert page.locator(".emq-edition").count() == 0
    assert page.evaluate(KEPT) == {NAME: "# My own words"}
