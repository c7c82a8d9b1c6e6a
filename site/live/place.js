// A page with no kernel leads to the same cell here: …#cell=<id> opens the notebook at that cell.

const id = new URLSearchParams(location.hash.slice(1)).get("cell");

function go() {
  const content = window.jupyterapp?.shell.currentWidget?.content;
  const at = content?.widgets?.findIndex((cell) => cell.model.id === id) ?? -1;
  if (at < 0) return void setTimeout(go, 100);
  content.activeCellIndex = at;
  content.scrollToItem(at, "start");
}

if (id) go();
