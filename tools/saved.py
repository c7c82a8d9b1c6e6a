"""What a stored notebook must hold: nbval compares outputs, but never looks at widgets."""

import re
from collections.abc import Iterator
from typing import Any

from nbformat import NotebookNode

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"

REFERENCE = re.compile(r"IPY_MODEL_(\w+)")
# A kernel's process id in a path, and the address of an object: both differ in each run.
VOLATILE = re.compile(r"ipykernel_\d+|\bat 0x[0-9a-f]+\b")


def faults(notebook: NotebookNode) -> list[str]:
    """Return every fault of a stored notebook, one line each; a sound one has none."""
    return [*kernel_faults(notebook), *cell_faults(notebook), *widget_faults(notebook)]


def kernel_faults(notebook: NotebookNode) -> Iterator[str]:
    """Any kernelspec name but python3 fails every cell on another machine."""
    name = notebook.metadata.get("kernelspec", {}).get("name")
    if name != "python3":
        yield f"kernelspec: expected python3, got {name!r}"


def cell_faults(notebook: NotebookNode) -> Iterator[str]:
    """Every code cell ran, in order, without an error, and shows nothing that differs in each run."""
    count = 0
    for place, cell in _code_cells(notebook):
        count += 1
        if cell.execution_count != count:
            yield f"{place}: expected execution count {count}, got {cell.execution_count}"
        for output in cell.outputs:
            if output.output_type == "error":
                yield f"{place}: stored error {output.ename}: {output.evalue}"
            elif found := VOLATILE.search(str(output)):
                yield f"{place}: an output that differs in each run: {found[0]}"
    if not count:
        yield "no code cell"


def widget_faults(notebook: NotebookNode) -> Iterator[str]:
    """Every model that an output shows, or another model refers to, is in the stored state."""
    models = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    for place, cell in _code_cells(notebook):
        for output in cell.outputs:
            if (view := output.get("data", {}).get(VIEW)) and view["model_id"] not in models:
                yield f"{place}: shows model {view['model_id']}, which is not in the stored state"
    for model_id, model in models.items():
        for reference in references(model):
            if reference not in models:
                yield f"model {model_id}: refers to model {reference}, which is not in the stored state"


def references(value: Any) -> Iterator[str]:
    """Yield the model ids that a piece of stored state refers to."""
    if isinstance(value, str):
        # Whole strings only: a text may mention IPY_MODEL_ without referring to one.
        if found := REFERENCE.fullmatch(value):
            yield found[1]
    elif isinstance(value, dict):
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


def _code_cells(notebook: NotebookNode) -> Iterator[tuple[str, NotebookNode]]:
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and cell.source.strip():
            yield f"cell {index}", cell
