"""The notebooks as stored: every widget that a page shows is there, whole, for a reader with no kernel."""

import copy

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tools.run_notebooks import found
from tools.saved import STATE, VIEW, faults, references

NOTEBOOKS = found()


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS, "no notebook under notebooks/: the checks below would pass on nothing"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_stored_notebook_is_sound(path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert faults(notebook) == []


def model(**state: object) -> dict[str, object]:
    return {"model_module": "@jupyter-widgets/base", "model_module_version": "2.0.0", "model_name": "M", "state": state}


@pytest.fixture
def sound() -> NotebookNode:
    """One cell shows a box, the box holds a child."""
    box, child = "a" * 32, "b" * 32
    shown = new_output("display_data", data={"text/plain": "Box()", VIEW: {"model_id": box}})
    notebook = new_notebook(
        cells=[new_code_cell("show()", execution_count=1, outputs=[shown]), new_code_cell("")],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    state = {box: model(children=[f"IPY_MODEL_{child}"], text="about IPY_MODEL_ in prose"), child: model()}
    notebook.metadata["widgets"] = {STATE: {"state": state, "version_major": 2, "version_minor": 0}}
    return nbformat.from_dict(notebook)


def test_a_sound_notebook_has_no_fault(sound: NotebookNode) -> None:
    assert faults(sound) == []


def state(notebook: NotebookNode) -> NotebookNode:
    return notebook.metadata.widgets[STATE].state


def lose_the_state(notebook: NotebookNode) -> None:
    del notebook.metadata["widgets"]


def lose_the_box(notebook: NotebookNode) -> None:
    del state(notebook)["a" * 32]


def lose_the_child(notebook: NotebookNode) -> None:
    del state(notebook)["b" * 32]


def lose_the_count(notebook: NotebookNode) -> None:
    notebook.cells[0].execution_count = None


def run_out_of_order(notebook: NotebookNode) -> None:
    notebook.cells[0].execution_count = 7


def rename_the_kernel(notebook: NotebookNode) -> None:
    notebook.metadata.kernelspec.name = "my-venv"


def lose_the_kernel(notebook: NotebookNode) -> None:
    del notebook.metadata["kernelspec"]


def store_an_error(notebook: NotebookNode) -> None:
    notebook.cells[0].outputs.append(new_output("error", ename="NameError", evalue="name 'x'", traceback=[]))


def store_a_process_id(notebook: NotebookNode) -> None:
    notebook.cells[0].outputs.append(new_output("stream", text="ipykernel_4711/1.py:1: UserWarning"))


def store_an_address(notebook: NotebookNode) -> None:
    notebook.cells[0].outputs.append(new_output("stream", text="<object object at 0x7f00deadbeef>"))


def empty_it(notebook: NotebookNode) -> None:
    notebook.cells.clear()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lose_the_state, "cell 0: shows model aaaa"),
        (lose_the_box, "cell 0: shows model aaaa"),
        (lose_the_child, "refers to model bbbb"),
        (lose_the_count, "cell 0: expected execution count 1, got None"),
        (run_out_of_order, "cell 0: expected execution count 1, got 7"),
        (rename_the_kernel, "expected python3, got 'my-venv'"),
        (lose_the_kernel, "expected python3, got None"),
        (store_an_error, "cell 0: stored error NameError"),
        (store_a_process_id, "differs in each run: ipykernel_4711"),
        (store_an_address, "differs in each run: at 0x7f00deadbeef"),
        (empty_it, "no code cell"),
    ],
)
def test_each_fault_is_named(sound: NotebookNode, spoil, said: str) -> None:
    broken = copy.deepcopy(sound)
    spoil(broken)
    assert [fault for fault in faults(broken) if said in fault]


def test_references_are_found_however_deep() -> None:
    assert list(references({"a": [{"b": "IPY_MODEL_1"}], "c": "IPY_MODEL_2", "d": "no IPY_MODEL_3"})) == ["1", "2"]
