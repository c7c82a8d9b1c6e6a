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

// The front end of every anywidget stands on the page once, not once a widget.
function unfold(state) {
  for (const { state: model } of Object.values(state)) {
    for (const part of ["_esm", "_css"]) {
      const shared = model[part]?.startsWith?.("#") && document.getElementById(model[part].slice(1));
      if (shared) model[part] = JSON.parse(shared.textContent);
    }
  }
}

async function wake() {
  for (const stored of document.querySelectorAll(script("state"))) {
    const manager = new Manager();
    const whole = JSON.parse(stored.textContent);
    unfold(whole.state);
    const models = new Map((await manager.set_state(whole)).map((model) => [model.model_id, model]));
    for (const place of document.querySelectorAll(script("view"))) {
      const model = models.get(JSON.parse(place.textContent).model_id);
      if (!model) continue;
      const view = await manager.create_view(model);
      const spot = document.createElement("div");
      spot.className = "emq-widget";
      place.replaceWith(spot);
      Widget.attach(view.luminoWidget, spot);
    }
  }
  document.documentElement.dataset.widgets = "alive";
}

// stage.css hides what needs a kernel, and shows the line that leads to one.
document.documentElement.dataset.emqKernel = "none";
wake();
