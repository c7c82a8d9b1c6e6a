// Paper has no fold: code is shown when the page is printed, and folded again afterwards.
const opened = [];
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open])")) (fold.open = true), opened.push(fold);
});
addEventListener("afterprint", () => {
  for (const fold of opened.splice(0)) fold.open = false;
});
