"""What a page without a kernel needs of a notebook, for the reading face and for the slides alike."""

import copy
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
# Where the lines that lead to the live face point to in a notebook: only a page knows where that is.
LIVE_HREF = 'href="#live"'
_PLACED = re.compile(r'href="#live(?:@([\w-]+))?"')
_MODEL = re.compile(r"IPY_MODEL_(\w+)")
SHARED = ("_esm", "_css")


def in_script(value: Any) -> str:
    """`value` as JSON that can stand in a script element: nothing in it can end the element, or open a comment."""
    return (
        json.dumps(value, ensure_ascii=False)
        .replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


def without_kernel(state: dict[str, Any], live: str) -> tuple[dict[str, Any], dict[str, str]]:
    """A notebook's widget `state` for a page, and the texts that its widgets share, by the id of their element.

    Each anywidget carries its whole front end; on a page that stands once. Links to the live face go to `live`.
    """
    state, shared = copy.deepcopy(state), {}
    for model in state.get("state", {}).values():
        traits = model["state"]
        for part in SHARED:
            if isinstance(text := traits.get(part), str) and not text.startswith(("http:", "https:")):
                traits[part] = "#" + _name(part, text, shared)
        if isinstance(traits.get("value"), str):
            traits["value"] = _PLACED.sub(
                lambda found: f'href="{live}{f"#cell={found[1]}" if found[1] else ""}"', traits["value"]
            )
    return state, shared


def place_links(notebook: dict[str, Any]) -> None:
    """Names in each widget's line that leads to the live face the cell that shows the widget."""
    models = notebook["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
    for cell in notebook["cells"]:
        views = [
            output["data"][VIEW]["model_id"] for output in cell.get("outputs", []) if VIEW in output.get("data", {})
        ]
        seen: set[str] = set()
        while views:
            if (name := views.pop()) in models and name not in seen:
                seen.add(name)
                traits = models[name]["state"]
                views += _MODEL.findall(json.dumps(traits.get("children", [])))
                if isinstance(traits.get("value"), str):
                    traits["value"] = traits["value"].replace(LIVE_HREF, f'href="#live@{cell["id"]}"')


def _name(part: str, text: str, shared: dict[str, str]) -> str:
    for name, known in shared.items():
        if known == text:
            return name
    name = f"shared{part}-{len(shared)}"
    shared[name] = text
    return name


def state_scripts(state: dict[str, Any], shared: dict[str, str]) -> str:
    """The script elements that hold it."""
    parts = [f'<script type="application/json" id="{name}">{in_script(text)}</script>' for name, text in shared.items()]
    return "\n".join([*parts, f'<script type="{STATE}">{in_script(state)}</script>'])


def live_url(name: str, up: str) -> str:
    """Where notebook `name`, a path below notebooks/, opens on the live face, from a page `up` from the site's top."""
    return f"{up}live/notebooks/index.html?path={name}"


def stage(here: Path, cache: Path, notebooks: Path) -> None:
    """The Sphinx source folder: the pages of site/reading, the notebooks, the widgets' script. Unchanged files stay."""
    source = cache / "reading"
    wanted = {
        path.relative_to(here / "reading"): path.read_bytes()
        for path in (here / "reading").rglob("*")
        if path.is_file()
    }
    for path in notebooks.rglob("*.ipynb"):
        if ".ipynb_checkpoints" not in path.parts:
            name = path.relative_to(notebooks)
            notebook = json.loads(path.read_text("utf-8"))
            notebook["metadata"]["orphan"] = len(name.parts) > 1  # the answers are in no table of contents
            wanted["dives" / name] = _for_reading(notebook)
    for path in (cache / "widgets").iterdir():
        wanted[Path("_static", path.name)] = path.read_bytes()
    for name, data in wanted.items():
        target = source / name
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    for path in source.rglob("*"):
        if path.is_file() and path.relative_to(source) not in wanted:
            path.unlink()


def _for_reading(notebook: dict[str, Any]) -> bytes:
    """The notebook with its code folded, and without what a page does not show."""
    place_links(notebook)
    for cell in notebook["cells"]:
        tags = cell["metadata"].setdefault("tags", [])
        if cell["cell_type"] == "code" and "hide-input" not in tags:
            tags.append("hide-input")
    notebook["cells"] = [cell for cell in notebook["cells"] if not is_note(cell)]
    return json.dumps(notebook, ensure_ascii=False).encode()


def is_note(cell: dict[str, Any]) -> bool:
    """Whether the cell is for the speaker only."""
    return bool(cell["metadata"].get("slideshow", {}).get("slide_type") == "notes")


def build(cache: Path, out: Path, run: Callable[..., None]) -> None:
    """The reading face, at the top of `out`; what does not change is not written again."""
    run(sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "-j", "auto", "-b", "html",
        "-d", cache / "doctrees", cache / "reading", out,
        PYTHONPATH=os.pathsep.join([str(HERE), str(HERE.parent)]))  # fmt: skip
    shutil.rmtree(out / "_sources", ignore_errors=True)
    for page in out.glob("dives/**/*.html"):  # Sphinx leaves the page of a notebook that is gone
        if not (cache / "reading" / page.relative_to(out)).with_suffix(".ipynb").is_file():
            page.unlink()
