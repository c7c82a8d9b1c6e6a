// A browser that was here before shows its own copy of a notebook, and a new edition stays behind it. This says so, and
// lets the reader keep the copy, compare, or start anew. Nothing is deleted: starting anew keeps the copy by another name.

const path = new URL(location.href).searchParams.get("path");
const folder = new URL("..", location.href);
const KEPT = `emq-kept-edition ${folder.pathname} ${path}`;

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function files(mode) {
  const name = `JupyterLite Storage - ${folder.pathname}`;
  if (!(await indexedDB.databases()).some((known) => known.name === name)) return null;
  const storage = await done(indexedDB.open(name));
  if (storage.objectStoreNames.contains("files")) return storage.transaction("files", mode).objectStore("files");
  storage.close();
  return null;
}

const load = async (url) => (await fetch(url, { cache: "no-cache" })).json();
const source = (cell) => [cell.source].flat().join("");

function element(name, text, parts = []) {
  const made = document.createElement(name);
  made.textContent = text;
  made.append(...parts);
  return made;
}

function button(text, act) {
  const made = element("button", text);
  made.type = "button";
  made.onclick = act;
  return made;
}

// Cells that differ, in the new edition's order; ids tell which is which.
function differences(mine, fresh) {
  const before = new Map(mine.cells.map((cell) => [cell.id, source(cell)]));
  const after = new Map(fresh.cells.map((cell) => [cell.id, source(cell)]));
  const ids = [...after.keys(), ...[...before.keys()].filter((id) => !after.has(id))];
  return ids.map((id) => [before.get(id), after.get(id)]).filter(([old, now]) => old !== now);
}

function comparison(pairs) {
  const column = (title, text) => element("div", "", [element("b", title), element("pre", text ?? "(no such cell)")]);
  const rows = pairs.map(([old, now]) => element("div", "", [column("Your copy", old), column("New edition", now)]));
  const all = element("div", "", rows.length ? rows : [element("p", "Every cell says the same.")]);
  all.className = "emq-edition-cells";
  all.tabIndex = 0;
  all.setAttribute("role", "region");
  all.setAttribute("aria-label", "The cells that differ");
  return all;
}

async function startAnew(mine) {
  const name = path.replace(/\.ipynb$/, ` (my copy ${new Date().toISOString().slice(0, 19).replaceAll(":", ".")}).ipynb`);
  const store = await files("readwrite");
  store.put({ ...mine, path: name, name: name.split("/").at(-1) }, name);
  store.delete(path);
  await new Promise((resolve, reject) => {
    store.transaction.oncomplete = resolve;
    store.transaction.onerror = () => reject(store.transaction.error);
  });
  location.reload();
}

async function look() {
  const edition = (await load(new URL("editions.json", folder)))[path];
  const mine = await (await files("readonly"))?.get(path);
  const copy = mine && (await done(mine));
  if (!edition || !copy || copy.content?.metadata?.emq?.edition === edition || localStorage.getItem(KEPT) === edition) return;
  const bar = document.createElement("section");
  bar.className = "emq-edition";
  bar.setAttribute("aria-label", "A new edition");
  const keep = () => (localStorage.setItem(KEPT, edition), bar.remove());
  const compare = async (event) => {
    event.target.disabled = true;
    bar.append(comparison(differences(copy.content, await load(new URL(`files/${path}`, folder)))));
  };
  bar.append(
    element("p", "There is a new edition of this dive. You are on your own copy of an older one. If you start the new one, your copy stays, under another name."),
    element("div", "", [
      button("Keep my copy", keep),
      button("Compare", compare),
      button("Start the new edition", () => startAnew(copy)),
    ]),
  );
  document.body.prepend(bar);
}

look();
