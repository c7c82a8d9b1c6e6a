"""A reader runs a cell again whenever they like: every cell run twice stays green, and nothing answers twice for it."""

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import ipywidgets
import nbformat
import pytest
from ipywidgets.widgets.widget import _instances

from tools.run_notebooks import found


def sources(path: Path) -> list[str]:
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code" and cell.source.strip()]


def run_twice(cells: Sequence[str]) -> list[str]:
    """Each cell, and again, in one namespace, its last value shown; then what is called more often than it should be.

    In this process: nbval runs the same cells on a kernel, once.
    """
    before, namespace = set(_instances), {"__name__": "__main__"}
    for source in cells:
        for _ in range(2):
            tree = ast.parse(source)
            shown = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, "<cell>", "exec"), namespace)
            if shown:
                repr(eval(compile(shown, "<cell>", "eval"), namespace))
    made = [widget for model_id, widget in _instances.items() if model_id not in before]
    return [fault for widget in made for what, calls in _heard(widget) for fault in _repeated(widget, what, calls)]


def _heard(widget: ipywidgets.Widget) -> Iterator[tuple[str, list[Callable[..., Any]]]]:
    for trait, kinds in widget._trait_notifiers.items():
        for kind, calls in kinds.items():
            yield f"{trait} {kind}", [call for call in calls if hasattr(call, "__code__")]
    if isinstance(widget, ipywidgets.Button):
        yield "click", widget._click_handlers.callbacks


def _repeated(widget: ipywidgets.Widget, what: str, calls: Sequence[Callable[..., Any]]) -> list[str]:
    # A lambda that was compiled again from the same line is another function with equal code.
    counts = Counter(getattr(call, "__code__", call) for call in calls)
    return [f"{type(widget).__name__}: {what} is heard {count} times" for count in counts.values() if count > 1]


@pytest.mark.parametrize("path", found(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_cell_runs_twice(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMQ_URL", raising=False)
    monkeypatch.chdir(path.parent)
    cells = sources(path)
    assert cells
    assert run_twice(cells) == []


MAKE = "import ipywidgets\nbox = globals().get('box') or ipywidgets.IntText()\n"
BUTTON = "import ipywidgets\ngo = globals().get('go') or ipywidgets.Button()\n"


def test_a_cell_that_makes_its_widget_anew_may_listen_to_it() -> None:
    assert run_twice(["import ipywidgets\nbox = ipywidgets.IntText()\nbox.observe(lambda change: None, 'value')"]) == []


@pytest.mark.parametrize(
    ("source", "heard"),
    [
        (MAKE + "box.observe(lambda change: None, 'value')", "IntText: value change is heard 2 times"),
        (BUTTON + "go.on_click(lambda button: None)", "Button: click is heard 2 times"),
    ],
)
def test_a_cell_that_listens_again_is_caught(source: str, heard: str) -> None:
    assert run_twice([source]) == [heard]


def test_a_cell_that_only_runs_once_is_caught() -> None:
    with pytest.raises(AssertionError):
        run_twice(["runs = globals().get('runs', 0) + 1\nassert runs == 1"])
