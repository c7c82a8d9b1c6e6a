// Brings a page's stored widgets to life with no kernel, on the reading face and on the slides.
// Less than html-manager's own bundle: one version of the controls, no output areas, no module loader, no icon fonts.

import * as base from "@jupyter-widgets/base";
import "@jupyter-widgets/base/css/index.css";
import { ManagerBase } from "@jupyter-widgets/base-manager";
import * as controls from "@jupyter-widgets/controls";
import "@jupyter-widgets/controls/css/widgets-base.css";
import { Widget } from "@lumino/widgets";
import "@lumino/widgets/style/index.css";
import "./widgets.css";

import "anywidget";
import { defined } from "./define.js";

const [anywidget] = defined.map((make) => make(base));
const MODULES = { "@jupyter-widgets/base": base, "@jupyter-widgets/controls": controls, anywidget };

class Manager extends ManagerBase {
  async loadClass(className, moduleName) {
    const found = MODULES[moduleName]?.[className];
    if (!found) throw new Error(`this page has no ${className} of ${moduleName}`);
    return found;
  }
  // There is nobody to talk to: a message is taken, and no answer comes.
  async _create_comm() {
    return { on_close() {}, on_msg() {}, close() {}, send: () => "" };
  }
  async _get_comm_info() {
    return {};
  }
}

const script = (kind) => `script[type="application/vnd.jupyter.widget-${kind}+json"]`;

// What one widget is made of and is not there yet: its own state, and that of each widget which a state names.
function parts(state, name, manager, found = {}) {
  if (!state[name] || found[name] || manager.has_model(name)) return found;
  found[name] = state[name];
  for (const [, other] of JSON.stringify(state[name].state).matchAll(/IPY_MODEL_([\w-]+)/g)) {
    parts(state, other, manager, found);
  }
  return found;
}

// The front end of every anywidget stands on the page once, not once a widget.
function unfold(state) {
  for (const { state: model } of Object.values(state)) {
    for (const part of ["_esm", "_css"]) {
      const shared = model[part]?.startsWith?.("#") && document.getElementById(model[part].slice(1));
      if (shared) model[part] = JSON.parse(shared.textContent);
    }
  }
  return state;
}

function inView(place) {
  const [box] = place.parentElement.getClientRects();
  return Boolean(box) && box.bottom >= 0 && box.top <= window.innerHeight;
}

// Until the page has drawn what there is and has nothing else to do; where no browser tells, a frame's time.
const idle = () =>
  new Promise((done) => {
    if (window.requestIdleCallback) window.requestIdleCallback(done, { timeout: 100 });
    else window.setTimeout(done, 16);
  });

// One by one, what the reader looks at first: a widget answers before the next is made.
async function wake() {
  if (window.location.hash) await idle(); // the browser goes there first
  for (const stored of document.querySelectorAll(script("state"))) {
    const manager = new Manager();
    const { state, ...version } = JSON.parse(stored.textContent);
    const make = (name) => manager.set_state({ ...version, state: unfold(parts(state, name, manager)) });
    const modelOf = (place) => JSON.parse(place.textContent).model_id;
    const places = [...document.querySelectorAll(script("view"))].filter((place) => modelOf(place) in state);
    while (places.length) {
      const [place] = places.splice(Math.max(places.findIndex(inView), 0), 1);
      await make(modelOf(place));
      const view = await manager.create_view(await manager.get_model(modelOf(place)));
      const spot = document.createElement("div");
      spot.className = "emq-widget";
      place.replaceWith(spot);
      Widget.attach(view.luminoWidget, spot);
      await idle();
    }
    for (const name in state) await make(name); // what stands in no place: a link between two widgets, say
  }
  document.documentElement.dataset.widgets = "alive";
}

// stage.css hides what needs a kernel, and shows the line that leads to one.
document.documentElement.dataset.emqKernel = "none";
wake();
