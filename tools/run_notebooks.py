"""Run notebooks and store what they show: outputs, and widgets that work with no kernel.

    python -m tools.run_notebooks [--check] [NOTEBOOK ...]

Each runs from its first cell in its own folder, on the embedded engine. A second run changes no byte. With --check
nothing is written, and the exit code is 1 if a run would change a file. A notebook that is not sound is not stored.
"""

import argparse
import json
import os
import re
import sys
import uuid
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from tools.saved import STATE, VIEW, faults

ROOT = Path(__file__).resolve().parent.parent
CELL_SECONDS = 300
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}

# nbclient collects widget state from the wire, and keeps widgets that were closed since; the kernel knows better.
# Defaults are left out, as Jupyter does, but for anywidget, which counts its own JavaScript as one.
ASK_FOR_STATE = f"""\
import sys as _sys
if "ipywidgets" in _sys.modules:
    from IPython.display import display as _display
    _Widget = _sys.modules["ipywidgets"].Widget
    _full, _brief = _Widget.get_manager_state(), _Widget.get_manager_state(drop_defaults=True)
    for _id, _model in _full["state"].items():
        if _model["model_module"] == "anywidget":
            _brief["state"][_id] = _model
    _display({{{STATE!r}: _brief}}, raw=True)
"""


class Refused(Exception):
    """A notebook failed to run, or ran to something that must not be stored."""


def found() -> list[Path]:
    """Return the project's notebooks, the solutions among them."""
    return sorted(ROOT.glob("notebooks/*.ipynb")) + sorted(ROOT.glob("notebooks/solutions/*.ipynb"))


def run(path: Path) -> str:
    """Run the notebook and return the text of its file as it should be stored; raise Refused if it is not sound."""
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata = NotebookNode(
        {key: value for key, value in notebook.metadata.items() if key != "widgets"} | {"kernelspec": KERNELSPEC}
    )
    question = nbformat.v4.new_code_cell(ASK_FOR_STATE)
    notebook.cells.append(question)
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
    )
    try:
        client.execute(env=_environment())
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise Refused(str(error).strip()) from error
    notebook.cells.remove(question)
    for output in question.outputs:
        if STATE in output.get("data", {}):
            notebook.metadata["widgets"] = {STATE: output.data[STATE]}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    # The version of the Python that happened to run it is no part of the lesson.
    notebook.metadata.language_info.pop("version", None)
    if wrong := faults(notebook):
        raise Refused("\n".join(wrong))
    return _with_stable_ids(notebook, path.stem)


def _environment() -> dict[str, str]:
    """This checkout's emq, on the embedded engine: what is stored must not depend on whose machine it was."""
    kept = {key: value for key, value in os.environ.items() if key != "EMQ_URL"}
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}


def _with_stable_ids(notebook: NotebookNode, name: str) -> str:
    """Return the file's text, model ids replaced by ones that only their place decides: shown, then made."""
    shown = [
        output.data[VIEW]["model_id"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if VIEW in output.get("data", {})
    ]
    models = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    # The notebook's name is in the id, so that one page can show widgets of two notebooks.
    stable = {
        old: uuid.uuid5(uuid.NAMESPACE_OID, f"{name}/{place}").hex
        for place, old in enumerate(dict.fromkeys([*shown, *models]))
    }
    text: str = nbformat.writes(notebook) + "\n"
    if not stable:
        return text
    text = re.sub("|".join(map(re.escape, stable)), lambda match: stable[match[0]], text)
    # The new ids sort otherwise than the random ones did.
    return json.dumps(json.loads(text), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _store(path: Path, text: str) -> None:
    half = path.with_name(f".{path.name}.new")
    half.write_text(text, encoding="utf-8")
    half.replace(path)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="run_notebooks", description="Run notebooks and store what they show.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a run would change a file")
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all of notebooks/ and its solutions/")
    options = parser.parse_args(arguments)
    paths = options.notebooks or found()
    if not paths:
        print("no notebook found under notebooks/", file=sys.stderr)
        return 1
    bad = 0
    for path in paths:
        try:
            text = run(path)
        except Refused as error:
            bad += 1
            print(f"{path.name}: not stored\n{error}", file=sys.stderr)
            continue
        if text == path.read_text(encoding="utf-8"):
            print(f"{path.name}: unchanged")
        elif options.check:
            bad += 1
            print(f"{path.name}: a run would change it; store it with: make notebooks", file=sys.stderr)
        else:
            _store(path, text)
            print(f"{path.name}: stored")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
