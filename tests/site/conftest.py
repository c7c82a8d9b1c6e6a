"""The built site in headless Chromium: built once a run, served from a sub-path by a server that only knows files."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

from tests.site.helpers import BUILT, PATIENCE, Visit, build, serve


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the built site, with a slash at its end."""
    build()
    host = tmp_path_factory.mktemp("host")
    (host / "some").mkdir()
    (host / "some/path").symlink_to(BUILT)
    for address in serve(host):
        yield f"{address}some/path/"


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Visit]:
    """``visit(address, width=1280, height=900, scheme="light", within=…, watch=…)``: that page in a new browser.

    The script `watch` runs before the page's own. At the end of the test nothing may have been asked outside of
    `within`, the site's own address, nothing may be missing there, and no error may have been reported.
    """
    contexts, faults = [], []

    def complain(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.location.get("url", "").endswith("/favicon.ico"):
            faults.append(f"console: {message.text} {message.location}")

    def visit(
        address: str, width: int = 1280, height: int = 900, scheme: str = "light", within: str = "", watch: str = ""
    ) -> Page:
        within = within or address.split("/some/path/")[0] + "/some/path/"
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        context.on(
            "request",
            lambda sent: (
                sent.url.startswith((within, f"blob:{within[:17]}", "data:")) or faults.append(f"asked {sent.url}")
            ),
        )
        context.on("response", lambda got: got.status < 400 or faults.append(f"{got.status} {got.url}"))
        context.on("weberror", lambda error: faults.append(f"error: {error.error}"))
        context.on("console", complain)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.add_init_script(watch)
        page.goto(address)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert faults == []
