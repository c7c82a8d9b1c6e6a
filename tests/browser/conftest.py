"""One headless Chromium for the browser tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.lab import lab_server, open_lab  # noqa: F401 - fixtures: one server for all modules
from tools.chromium import FLAGS, find

# A page as bare as can be: the state of each Stage as the notebook saves it, written raw into a script element as the
# reading page does, a model without a kernel, and stage.js loaded from its text as anywidget loads it.
PAGE = """<!doctype html>
<html lang="en"%(root)s>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Stage</title>
<style>
  body { margin: 0; padding: 8px; background: Canvas; color: CanvasText; }
  main { max-width: 888px; margin: auto; }
</style>
</head>
<body><main><h1 style="font-size: 1rem">A page without a kernel</h1></main>
<script type="application/json" id="states">%(states)s</script>
<script type="module">
  const states = JSON.parse(document.getElementById("states").textContent);
  window.models = [];
  window.closers = [];
  const load = (text) => import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  for (const state of states) {
    const heard = new Map();
    const model = {
      saves: 0,
      get: (name) => state[name],
      set(name, value) {
        if (state[name] === value) return;
        state[name] = value;
        for (const each of heard.get(`change:${name}`) ?? []) each();
      },
      save_changes() { model.saves += 1; },
      on: (name, each) => heard.set(name, [...(heard.get(name) ?? []), each]),
      off: (name, each) => heard.set(name, (heard.get(name) ?? []).filter((other) => other !== each)),
      listeners: () => [...heard.values()].flat().length,
      send() {},
    };
    document.head.appendChild(document.createElement("style")).textContent = state._css;
    const { default: widget } = await load(state._esm);
    for (let view = 0; view < (state.views ?? 1); view += 1) {
      const el = document.querySelector("main").appendChild(document.createElement("div"));
      window.closers.push(widget.render({ model, el }));
    }
    window.models.push(model);
  }
  document.body.dataset.ready = "yes";
</script></body></html>
"""


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The machine's Chromium, which tools/chromium.py finds."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=list(FLAGS))
        yield browser
        browser.close()


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
        states = [{**stage.get_state(), "views": views} for stage in stages]
        file = tmp_path / f"page{len(contexts)}.html"
        dressed = root or f' style="color-scheme: {scheme}"'
        file.write_text(PAGE % {"root": dressed, "states": json.dumps(states)}, encoding="utf-8")
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
