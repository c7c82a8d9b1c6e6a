// A deck by keyboard. Inside a widget the arrow keys step the widget; Page Up, Page Down, N and P always turn the slide.
import Reveal from "./reveal.mjs";
import Notes from "./notes.mjs";

const root = document.documentElement;
const deck = new Reveal({
  plugins: [Notes],
  width: 1280,
  height: 720,
  margin: 0,
  minScale: 0.1,
  maxScale: 4,
  center: false,
  navigationMode: "linear",
  controls: false,
  hash: true,
  history: true,
  slideNumber: "c/t",
  transition: matchMedia("(prefers-reduced-motion: reduce)").matches ? "none" : "slide",
  backgroundTransition: "none",
  // Only slides at hand are laid out; widgets keep their state all the same.
  viewDistance: 2,
});

const keys = {
  R: ["Every widget back to its first state", () => document.querySelectorAll(".emq-reset").forEach((button) => button.click())],
  D: ["Light or dark", () => (root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark")],
};
await deck.initialize();
for (const [key, [description, act]] of Object.entries(keys)) {
  deck.addKeyBinding({ keyCode: key.charCodeAt(0), key, description }, act);
}
root.dataset.deck = "ready";
