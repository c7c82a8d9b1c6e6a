// Draws frames that Python has computed. Every word, number and target comes from the model.
// Titles, leads, captions, pictures and choice labels are HTML that Python has already escaped.

const ICONS = {
  first: "M3.5 3v10M13 3 6 8l7 5z",
  back: "M11.5 3 4.5 8l7 5z",
  play: "M4.5 2.5 13 8l-8.5 5.5z",
  pause: "M4.5 3v10M11.5 3v10",
  next: "m4.5 3 7 5-7 5z",
  last: "M12.5 3v10M3 3l7 5-7 5z",
  reset: "M3 8a5 5 0 1 0 1.6-3.7L3 6M3 2.5V6h3.5",
};
const KEYS = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };
const CALM = window.matchMedia("(prefers-reduced-motion: reduce)");

const icon = (name) =>
  `<svg class="emq-icon emq-icon-${name}" viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;

function add(parent, name, className) {
  const node = document.createElement(name);
  node.className = className;
  if (name === "button") node.type = "button";
  return parent.appendChild(node);
}

function write(node, html) {
  if (node.written === html) return;
  node.innerHTML = node.written = html;
}

function render({ model, el }) {
  const root = add(el, "div", "emq-stage");
  root.setAttribute("role", "group");
  root.tabIndex = 0;
  root.dataset.lmSuppressShortcuts = "true";
  const panel = add(root, "div", "emq-panel");
  const title = add(panel, "div", "emq-title");
  const lead = add(panel, "div", "emq-lead");
  const show = add(panel, "div", "emq-show");
  const picture = add(show, "div", "emq-picture");
  const verdict = add(show, "div", "emq-verdict");
  verdict.setAttribute("role", "status");
  verdict.setAttribute("aria-live", "polite");
  verdict.setAttribute("aria-atomic", "true");
  const bar = add(panel, "div", "emq-bar");
  const transport = add(bar, "div", "emq-transport");
  const buttons = Object.fromEntries(
    ["first", "back", "play", "next", "last"].map((name) => [name, add(transport, "button", `emq-button emq-${name}`)]),
  );
  const progress = add(bar, "div", "emq-progress");
  const filled = add(progress, "div", "emq-filled");
  const step = add(bar, "div", "emq-step");
  const choices = add(bar, "div", "emq-choices");
  choices.setAttribute("role", "group");
  const reset = add(bar, "button", "emq-button emq-reset");

  let timer = null;
  let scene = null;
  const frame = () => model.get("frames")[model.get("index")] ?? model.get("frames")[0];
  const focused = () => root.getRootNode().activeElement;

  function go(index) {
    // Two equals signs here and below: a kernel in the browser has no null, and sends undefined in its place.
    if (index == null) return;
    model.set("index", index);
    model.save_changes();
  }

  function stop() {
    window.clearTimeout(timer);
    timer = null;
    name(buttons.play, "play", true);
  }

  function tick() {
    go(frame().next ?? frame().replay);
    timer = window.setTimeout(frame().next == null ? stop : tick, model.get("pace"));
    name(buttons.play, "pause", true);
  }

  const toggle = () => (timer === null ? tick() : stop());

  function name(button, label, worded) {
    const text = model.get("labels")[label];
    write(button, icon(label));
    if (worded) add(button, "span", "emq-word").textContent = text;
    else button.setAttribute("aria-label", text);
    button.written = null;
    button.title = text;
  }

  function chrome() {
    write(title, model.get("title"));
    write(lead, model.get("lead"));
    root.setAttribute("aria-label", title.textContent);
    choices.setAttribute("aria-label", model.get("labels").choices);
    for (const key of ["first", "back", "next", "last"]) name(buttons[key], key, false);
    name(buttons.play, timer === null ? "play" : "pause", true);
    name(reset, "reset", true);
  }

  // A redraw replaces the picture's nodes, so the focus goes to the new node of the one that had it.
  function drawPicture(html) {
    if (picture.written === html) return;
    const had = picture.contains(focused()) ? focused() : null;
    const spots = () => [...picture.querySelectorAll("button, a[href], [tabindex]")];
    const place = had && spots().indexOf(had);
    const keyed = () => [...picture.querySelectorAll("[data-key]")];
    const before = new Map(keyed().map((node) => [node.dataset.key, node.getBoundingClientRect()]));
    write(picture, html);
    if (had) {
      const same = (data) => spots().find((spot) => had.dataset[data] && spot.dataset[data] === had.dataset[data]);
      (same("key") ?? same("goto") ?? spots()[place] ?? root).focus({ preventScroll: true });
    }
    if (CALM.matches) return;
    for (const node of keyed()) {
      const from = before.get(node.dataset.key);
      const to = node.getBoundingClientRect();
      if (!from || (from.x === to.x && from.y === to.y)) continue;
      const shift = `translate(${from.x - to.x}px, ${from.y - to.y}px)`;
      node.animate([{ transform: shift }, { transform: "none" }], { duration: 360, easing: "cubic-bezier(.3, .7, .2, 1)" });
    }
  }

  function drawChoices(list) {
    const old = new Map([...choices.children].map((button) => [button.written, button]));
    const kept = list.map((choice) => {
      const button = old.get(choice.label) ?? add(choices, "button", "emq-button emq-choice");
      old.delete(choice.label);
      write(button, choice.label);
      button.setAttribute("aria-pressed", choice.pressed);
      button.onclick = () => (stop(), go(choice.goto));
      return button;
    });
    leave([...old.values()]);
    for (const button of old.values()) button.remove();
    kept.forEach((button, at) => choices.children[at] === button || choices.insertBefore(button, choices.children[at]));
    choices.hidden = list.length === 0;
  }

  const leave = (nodes) => nodes.some((node) => node.contains(focused())) && root.focus({ preventScroll: true });

  function draw() {
    const now = frame();
    const stood = bar.getBoundingClientRect().top;
    const single = now.first == null && now.last == null;
    if (single) leave([transport]);
    transport.hidden = progress.hidden = step.hidden = single;
    for (const key of ["first", "back", "next", "last"]) buttons[key].setAttribute("aria-disabled", now[key] == null);
    filled.style.width = `${now.progress}%`;
    step.textContent = now.step;
    if (now.scene !== scene) show.style.minHeight = "";
    scene = now.scene;
    drawChoices(now.choices);
    drawPicture(now.html);
    write(verdict, now.caption);
    hold();
    // A shorter scene pulls the bar up, and with it what is said, past the edge of a view that was at the foot of a tall one.
    if (bar.getBoundingClientRect().top < stood && root.contains(focused())) root.scrollIntoView({ block: "nearest" });
  }

  // Within a scene the bar never jumps up under the pointer.
  function hold() {
    show.style.minHeight = `${show.offsetHeight}px`;
  }

  for (const key of ["first", "back", "next", "last"]) buttons[key].onclick = () => (stop(), go(frame()[key]));
  buttons.play.onclick = toggle;
  reset.onclick = () => {
    stop();
    model.set("index", 0);
    model.set("resets", model.get("resets") + 1);
    model.save_changes();
  };
  picture.onclick = (event) => {
    const spot = event.target.closest("[data-goto]");
    if (spot) stop(), go(Number(spot.dataset.goto));
  };
  root.onkeydown = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || transport.hidden) return;
    if (event.target.closest("input, select, textarea, [contenteditable]")) return;
    if (event.key === " " && !event.target.closest("button, a")) toggle();
    else if (KEYS[event.key]) stop(), go(frame()[KEYS[event.key]]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const away = () => timer !== null && stop();
  // What a field beside the stage asked for is answered on the stage, which may be out of sight by then.
  const answer = () => {
    const asked = document.activeElement?.closest(".emq-lesson");
    if (asked?.contains(root) && !root.contains(focused())) root.scrollIntoView({ block: "nearest" });
  };
  const replaced = () => (away(), (scene = null), draw(), answer());
  const loosen = new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === loosen.width) return;
    loosen.width = contentRect.width;
    show.style.minHeight = "";
    hold();
  });
  const listening = [["change:index", draw], ["change:frames", replaced], ["change:title change:lead change:labels", chrome]];
  for (const [names, heard] of listening) for (const each of names.split(" ")) model.on(each, heard);
  window.addEventListener("blur", away);
  document.addEventListener("visibilitychange", away);
  chrome();
  draw();
  loosen.observe(root);

  return () => {
    away();
    loosen.disconnect();
    window.removeEventListener("blur", away);
    document.removeEventListener("visibilitychange", away);
    for (const [names, heard] of listening) for (const each of names.split(" ")) model.off(each, heard);
    root.remove();
  };
}

export default { render };
