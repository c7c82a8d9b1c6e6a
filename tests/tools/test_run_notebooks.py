"""Storing a notebook: whole, the same each time, or not at all."""

import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tools import run_notebooks
from tools.saved import STATE, VIEW, references

WIDGETS = """\
import anywidget, ipywidgets, traitlets
class Tiny(anywidget.AnyWidget):
    _esm = "export default { render() {} }"
    word = traitlets.Unicode("hello").tag(sync=True)
    def __repr__(self):
        return "Tiny()"
slider, tiny = ipywidgets.IntSlider(3), Tiny()
gone = ipywidgets.Text()
link = ipywidgets.jslink((slider, "value"), (ipywidgets.IntText(), "value"))
gone.close()
ipywidgets.VBox([slider, tiny])
"""


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    return written(tmp_path / "tiny.ipynb", "open('here.txt').read()", WIDGETS, "slider.value = 7\nslider", "1")


def written(path: Path, *sources: str) -> Path:
    (path.parent / "here.txt").write_text("the notebook's own folder")
    nbformat.write(new_notebook(cells=[new_code_cell(source, id=f"c{n}") for n, source in enumerate(sources)]), path)
    return path


def test_outputs_and_widgets_are_stored_and_a_second_run_changes_nothing(notebook: Path, capsys) -> None:
    assert run_notebooks.main([str(notebook)]) == 0
    first = notebook.read_bytes()
    assert run_notebooks.main([str(notebook)]) == 0
    assert run_notebooks.main(["--check", str(notebook)]) == 0
    assert notebook.read_bytes() == first
    assert capsys.readouterr().out.splitlines() == ["tiny.ipynb: stored", *["tiny.ipynb: unchanged"] * 2]

    stored = nbformat.read(notebook, as_version=4)
    assert stored.cells[0].outputs[0].data["text/plain"] == '"the notebook\'s own folder"'
    assert len(stored.cells) == 4
    models = stored.metadata.widgets[STATE].state
    names = sorted(model.model_name for model in models.values())
    assert names.count("TextModel") == 0, "a closed widget is not stored"
    assert {"AnyModel", "IntSliderModel", "LinkModel", "VBoxModel"} <= set(names)
    slider = models[stored.cells[2].outputs[0].data[VIEW].model_id]
    assert (slider.model_name, slider.state.value) == ("IntSliderModel", 7)
    tiny = next(model for model in models.values() if model.model_name == "AnyModel")
    assert tiny.state.word == "hello"
    assert "export default" in tiny.state["_esm"], "with no kernel, nothing else brings the front end"
    box = models[stored.cells[1].outputs[0].data[VIEW].model_id]
    assert set(references(box)) <= set(models)


def test_the_file_is_as_jupyter_writes_it_and_free_of_what_varies(notebook: Path) -> None:
    run_notebooks.main([str(notebook)])
    text = notebook.read_text()
    content = json.loads(text)
    assert text == json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    assert content["metadata"]["kernelspec"]["name"] == "python3"
    assert "version" not in content["metadata"]["language_info"]
    assert all("execution" not in cell["metadata"] for cell in content["cells"])


def test_check_writes_nothing_and_fails(notebook: Path, capsys) -> None:
    before = notebook.read_bytes()
    assert run_notebooks.main(["--check", str(notebook)]) == 1
    assert notebook.read_bytes() == before
    assert "a run would change it" in capsys.readouterr().err


@pytest.mark.parametrize("tags", [[], ["raises-exception"]])
def test_a_notebook_that_fails_is_not_stored(tmp_path: Path, capsys, tags: list[str]) -> None:
    path = tmp_path / "broken.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("1 / 0", id="c0", metadata={"tags": tags})]), path)
    before = path.read_bytes()
    assert run_notebooks.main([str(path)]) == 1
    assert path.read_bytes() == before
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["broken.ipynb"]


def test_no_notebook_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> None:
    monkeypatch.setattr(run_notebooks, "ROOT", tmp_path)
    assert run_notebooks.main([]) == 1
    assert "no notebook found" in capsys.readouterr().err


def test_the_engine_of_whoever_runs_it_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMQ_URL", "redis://127.0.0.1:1/0")
    path = written(tmp_path / "engine.ipynb", "import os\nprint(os.environ.get('EMQ_URL'))")
    assert run_notebooks.main([str(path)]) == 0
    assert nbformat.read(path, as_version=4).cells[0].outputs[0].text == "None\n"
