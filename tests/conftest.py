"""What every test may ask for: the engines, a queue of its own, a minter, the browser, JupyterLab."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.lab import lab_server, open_lab
from tests.engines.fixtures import (
    client,
    cluster,
    cluster_engine,
    embedded_engine,
    engine,
    jobs,
    keys,
    mint,
    queue,
    redis_engine,
    redis_server,
    valkey_engine,
    valkey_server,
)
from tools.chromium import FLAGS, find

__all__ = [
    "chromium",
    "client",
    "cluster",
    "cluster_engine",
    "embedded_engine",
    "engine",
    "jobs",
    "keys",
    "lab_server",
    "mint",
    "open_lab",
    "queue",
    "redis_engine",
    "redis_server",
    "valkey_engine",
    "valkey_server",
]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The machine's Chromium, one for the whole run: playwright cannot be started twice in one thread."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=list(FLAGS))
        yield browser
        browser.close()
