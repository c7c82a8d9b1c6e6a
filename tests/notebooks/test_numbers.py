"""No orphan numbers: what stands in prose is computed on the page, in the record, or in what a reference covers."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from emq.rung import RECORD
from tests.widgets.helpers import words
from tools.run_notebooks import found
from tools.saved import STATE

# A numeral stands alone: J4, an id's digits and sha1 are names, not numbers. A sign or a unit may touch it.
NUMERAL = re.compile(r"(?<![\w.])\d[\d,_]*(?:\.\d+)*")
NOT_PROSE = re.compile(r"\]\([^)]*\)|<[^>]*>|https?://\S+")  # where a link leads; HTML; an address
NAME_OF_A_PAGE = re.compile(r"\b(?:[Dd]ives?|[Ee]xercises?|[Cc]hapter)\s\d+(?:(?:, | and | to )\d+)*|\[\d · ")


def orphans(notebook: NotebookNode) -> list[str]:
    """The numerals in prose that nothing on the page computes, each with its cell."""
    known = numerals(_computed(notebook)) | numerals(RECORD) | numerals(_references(notebook))
    return [
        f"{cell.id}: {numeral}"
        for cell in notebook.cells
        if cell.cell_type == "markdown"
        for numeral in sorted(numerals([_plain(cell.source)]) - known)
    ]


def numerals(texts: Iterable[str]) -> set[str]:
    """The numbers in `texts`, without the marks that only part their digits."""
    return {match.replace(",", "").replace("_", "") for text in texts for match in NUMERAL.findall(text)}


def _plain(source: str) -> str:
    return NAME_OF_A_PAGE.sub(" ", NOT_PROSE.sub(" ", source))


def _computed(notebook: NotebookNode) -> Iterator[str]:
    """The code and everything that it shows, in outputs and on stages."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield "\n".join(line.partition("  #")[0] for line in cell.source.splitlines())
            for output in cell.outputs:
                yield output.get("text", "")
                yield output.get("data", {}).get("text/plain", "")
    for model in notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {}).values():
        for frame in model.get("state", {}).get("frames", []):
            yield words(f"{frame['html']} {frame['caption']}")


def _references(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield from re.findall(r"^## References\n(.*?)(?=^## |\Z)", cell.source, re.M | re.S)


@pytest.mark.parametrize("path", found(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_number_is_an_orphan(path: Path) -> None:
    assert orphans(nbformat.read(path, as_version=4)) == []


def page(prose: str, source: str = "", shown: str = "") -> NotebookNode:
    output = new_output("execute_result", data={"text/plain": shown})
    return new_notebook(cells=[new_markdown_cell(prose, id="words"), new_code_cell(source, outputs=[output])])


@pytest.mark.parametrize(
    ("prose", "orphan"),
    [
        ("It takes 42 bytes.", ["words: 42"]),
        ("It spans 218.4 ms.", ["words: 218.4"]),
        ("Some 1,000,000 jobs", ["words: 1000000"]),
        ("a `63`-bit number", ["words: 63"]),
        ("Dive 7 has 8 parts", ["words: 8"]),
        ("J4 says 301, J2 says 1, PASS 5/5", []),
        ("dive 3, dives 1 to 3, exercise 2", []),
        ("[here](https://example.org/42)", []),
        ("`JOB0Nvmd8aV5iy` and sha1", []),
        ("It takes 42.\n\n## References\n\n- Somebody: it takes 42.", []),
    ],
)
def test_an_orphan_is_found(prose: str, orphan: list[str]) -> None:
    assert orphans(page(prose)) == orphan


def test_what_is_computed_is_no_orphan() -> None:
    prose = "It has 1,234 parts."
    assert orphans(page(prose, "parts = 1_234")) == []
    assert orphans(page(prose, shown="1234")) == []
    assert orphans(page(prose, "parts = 1  # of 1234")) == ["words: 1234"]
    assert orphans(page("no 301", shown="")) == []
    assert orphans(page("302", shown="1302")) == ["words: 302"]


def test_what_a_stage_shows_is_computed() -> None:
    notebook = page("It is 77.")
    frames = [{"html": "<b>77</b>", "caption": ""}]
    notebook.metadata["widgets"] = {STATE: {"state": {"m": {"state": {"frames": frames}}}}}
    assert orphans(notebook) == []
