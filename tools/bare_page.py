"""A page that shows Stages with no kernel and nothing else: what browser tests drive and screenshots show."""

import json
from collections.abc import Sequence
from typing import Any

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


def bare_page(stages: Sequence[Any], *, root: str = "", views: int = 1) -> str:
    """The page with `stages`, each drawn `views` times; `root` is written into its html element as attributes."""
    states = [{**stage.get_state(), "views": views} for stage in stages]
    return PAGE % {"root": root, "states": json.dumps(states)}
