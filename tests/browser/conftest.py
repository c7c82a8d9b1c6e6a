"""Pages that show Stages with no kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tools.bare_page import bare_page


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.browser)


OpenStages = Callable[..., Page]


@pytest.fixture
def open_stages(chromium: Browser, tmp_path: Path) -> Iterator[OpenStages]:
    """`open_stages(stage, …, width=920, scheme="light")`: a page with those stages and no kernel.

    Fails at the end of the test when the page reported an error of its own or asked anything of the network.
    """
    contexts, troubles = [], []

    def open_(
        *stages: Any, width: int = 920, scheme: str = "light", root: str = "", views: int = 1, **context: Any
    ) -> Page:
        file = tmp_path / f"page{len(contexts)}.html"
        dressed = root or f' style="color-scheme: {scheme}"'
        file.write_text(bare_page(stages, root=dressed, views=views), encoding="utf-8")
        contexts.append(chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **context))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda message: message.type == "error" and troubles.append(message.text))
        page.on("request", lambda sent: sent.url.startswith(("file:", "blob:", "data:")) or troubles.append(sent.url))
        page.goto(file.as_uri())
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert troubles == []
