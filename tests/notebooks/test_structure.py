"""Every dive has what a student, an instructor and the site rely on; a dive without it is named, with what it lacks."""

import copy
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from emq.ids import BrandedId
from tools.run_notebooks import ROOT

DIVES = sorted((ROOT / "notebooks").glob("[0-9]-*.ipynb"))
SLIDES = {"slide", "subslide", "fragment", "skip", "notes", "-"}
MOST_LINES = 12  # of code in a cell; the first one, with the imports, may have more

# What each dive is about, by its headings: from the seed's sections, or from the list of what it performs.
SECTIONS = {
    "0-jobs-are-entities": ["Work needs a name", "in one picture", "The map", "The whole record", "Who does what"],
    "1-the-job-row": ["The surface", "The row", "The pending set", "The live sort", "broken on purpose"],
    "2-enqueue-one-script": [
        "Three acts",
        "Line by line",
        "The first call",
        "The second call",
        "The wrong kind",
        "class on the wire",
        "Why the set comes before the row",
        "lost on the wire",
        "split in two",
    ],
    "3-the-orders-dividend": [
        "The dividend",
        "One command per question",
        "The three indexes",
        "A prefix is a window",
        "A clock window is exact",
        "Paging",
        "Two producers",
        "Honest boundaries",
        "The cargo law",
        "decoded by hand",
    ],
    "4-break-the-law": [
        "How a hunt works",
        "unpadded id",
        "lower-case-first alphabet",
        "score that is not zero",
        "`enqueued_at`",
        "Check here, write there",
        "row in the payload",
        "through a float",
        "One bit too many",
        "mutant of your own",
    ],
    "5-at-scale": ["Filling", "Three ways to a page", "row weighs", "nobody needs", "A class on one queue"],
}
LAST = ["Exercises", "Glossary", "References"]
READS_THE_RECORD = ("0-", "1-", "2-", "3-")


def faults(notebook: NotebookNode, name: str, solution: NotebookNode) -> list[str]:
    """Everything that the dive `name` lacks, one line each."""
    return [*_shape(notebook), *_sections(notebook, name), *_asks(notebook, name, solution), *_ends(notebook, name)]


def _shape(notebook: NotebookNode) -> Iterator[str]:
    cells = notebook.cells
    if not 25 <= len(cells) <= 45:
        yield f"expected 25 to 45 cells; got {len(cells)}"
    code = [cell for cell in cells if cell.cell_type == "code"]
    if not 0.6 <= len(code) / max(1, len(cells) - len(code)) <= 1.7:
        yield f"expected prose and code about one to one; got {len(code)} of {len(cells)} cells with code"
    ids = [cell.id for cell in cells]
    if twice := sorted({one for one in ids if ids.count(one) > 1}):
        yield f"cell id {twice[0]} is there twice"
    for cell in cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type", "-")
        if kind not in SLIDES:
            yield f"cell {cell.id}: no slide type {kind!r}"
        if kind == "notes" and not cell.source.startswith("> **For the presenter.**"):
            yield f"cell {cell.id}: a student alone must see that a speaker note is for the presenter"
    kinds = [cell.metadata.get("slideshow", {}).get("slide_type") for cell in cells]
    if kinds[:1] != ["slide"]:
        yield "the first cell begins no slide"
    if kinds.count("notes") < 3:
        yield f"expected 3 speaker notes or more; got {kinds.count('notes')}"
    for cell in code[1:]:
        lines = [line for line in cell.source.splitlines() if line.strip()]
        if len(lines) > MOST_LINES:
            yield f"cell {cell.id}: {len(lines)} lines of code, where {MOST_LINES} are the most"
    if not code or not code[0].source.endswith("engine_line(client, queue)"):
        yield "the first code cell does not end in engine_line(client, queue): the engine, the class size, the reset"
    if not code or "queue = own(" not in code[0].source:
        yield "the first code cell does not ask for the reader's own queue"
    for cell in code[1:]:
        if "dive-" in re.sub(r"#.*", "", cell.source):
            yield f"cell {cell.id}: names a queue that every reader of a shared engine would have; say queue"


def _sections(notebook: NotebookNode, name: str) -> Iterator[str]:
    prose = _prose(notebook)
    if not re.match(r"# \S.*\n\n\*\*.+\*\*", prose):
        yield "the first cell has no title with a claim under it"
    headings = re.findall(r"^##+ (.*)$", prose, re.M)
    for section in [*SECTIONS.get(name, []), *LAST]:
        if not any(section in heading for heading in headings):
            yield f"no section {section!r}"
    if name.startswith(READS_THE_RECORD) and not re.search(r"^(record = )?Record\(", _code(notebook), re.M):
        yield "the record is not on the page"


def _asks(notebook: NotebookNode, name: str, solution: NotebookNode) -> Iterator[str]:
    dive = name.partition("-")[0]
    predictions = set(re.findall(rf'predict\("{dive}\.(\w+)"\)', _code(notebook)))
    if len(predictions) < 3:
        yield f"expected 3 predictions or more; got {len(predictions)}"
    exercises = re.findall(rf'exercise\("({dive}\.\w+)", \w+\)', _code(notebook))
    if len(set(exercises)) < 3:
        yield f"expected 3 exercises or more; got {len(set(exercises))}"
    if _code(notebook).count(" = ...\n") < len(exercises):
        yield "an exercise has no stub, three dots, to put the answer into"
    if unsolved := [key for key in exercises if f'exercise("{key}", ' not in _code(solution)]:
        yield f"exercise {unsolved[0]} is not answered in solutions/"
    shown = [
        output["data"]["text/plain"]
        for cell in solution.cells
        for output in cell.get("outputs", [])
        if "data" in output
    ]
    if wrong := [text for text in shown if "Exercise" in text and "✓" not in text]:
        yield f"an answer in solutions/ is not right: {wrong[0]}"
    if not re.search(r"\]\(solutions/" + re.escape(name), _prose(notebook)):
        yield "no link to the answers"


def _ends(notebook: NotebookNode, name: str) -> Iterator[str]:
    prose = _prose(notebook)
    for page in ("topics/sorted-sets", "commands/zrange"):
        if f"https://valkey.io/{page}" not in prose:
            yield f"no reference to valkey.io/{page}"
    for way in ("**Previous**", "**Next**"):
        if way not in prose:
            yield f"no {way}"
    for link in re.findall(r"\]\(([\w./-]+\.ipynb)\)", prose):
        if link.removeprefix("solutions/") not in NAMES:
            yield f"a link to {link}, which is no dive"
    stamps = re.findall(r'Stamp\("(\w+)"\)', notebook.cells[-1].source if notebook.cells else "")
    if not stamps:
        yield "the last cell is no stamp"
    elif BrandedId(stamps[0]).node != int(name[0]):
        yield f"the stamp {stamps[0]} is another dive's"


def _prose(notebook: NotebookNode) -> str:
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def _code(notebook: NotebookNode) -> str:
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")


NAMES = [
    "0-jobs-are-entities.ipynb",
    "1-the-job-row.ipynb",
    "2-enqueue-one-script.ipynb",
    "3-the-orders-dividend.ipynb",
    "4-break-the-law.ipynb",
    "5-at-scale.ipynb",
]


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def test_no_dive_is_missing_or_misnamed() -> None:
    assert [path.name for path in DIVES] == NAMES[: max(4, len(DIVES))]


@pytest.mark.parametrize("path", DIVES, ids=lambda path: path.stem)
def test_each_dive_has_everything(path: Path) -> None:
    assert faults(read(path), path.stem, read(path.parent / "solutions" / path.name)) == []


Spoil = Callable[[NotebookNode], object]


def without(text: str) -> Spoil:
    def spoil(notebook: NotebookNode) -> None:
        for cell in notebook.cells:
            cell.source = cell.source.replace(text, "")

    return spoil


def only(kind: str) -> Spoil:
    def spoil(notebook: NotebookNode) -> None:
        notebook.cells = [cell for cell in notebook.cells if cell.cell_type == kind]

    return spoil


def no_slides(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata.pop("slideshow", None)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda notebook: notebook.cells.clear(), "expected 25 to 45 cells; got 0"),
        (lambda notebook: notebook.cells.extend(notebook.cells), "expected 25 to 45 cells"),
        (lambda notebook: notebook.cells[1].update(id=notebook.cells[0].id), "is there twice"),
        (only("code"), "about one to one"),
        (only("markdown"), "about one to one"),
        (no_slides, "expected 3 speaker notes"),
        (no_slides, "begins no slide"),
        (lambda notebook: notebook.cells[0].metadata.slideshow.update(slide_type="slides"), "no slide type 'slides'"),
        (lambda notebook: notebook.cells[-1].update(source="1\n" * 13), "13 lines of code"),
        (without("> **For the presenter.** "), "a student alone must see"),
        (without("engine_line(client, "), "engine_line(client, queue)"),
        (without("queue = own("), "the reader's own queue"),
        (lambda notebook: notebook.cells[-1].update(source='Jobs(client, "dive-2")'), "say queue"),
        (without("# Enqueue"), "no title"),
        (without("## Three acts"), "no section 'Three acts'"),
        (without("## Glossary"), "no section 'Glossary'"),
        (without("Record("), "the record is not on the page"),
        (without('predict("2.stops")'), None),
        (without("predict("), "expected 3 predictions"),
        (without('exercise("2.1"'), "expected 3 exercises"),
        (without("surely = ..."), "no stub"),
        (without("(solutions/"), "no link to the answers"),
        (without("https://valkey.io/commands/zrange"), "no reference to valkey.io/commands/zrange"),
        (without("**Next**"), "no **Next**"),
        (without("-row"), "which is no dive"),
        (without("Stamp("), "the last cell is no stamp"),
        (lambda notebook: notebook.cells[-1].update(source='Stamp("DIV0SVCvHpqbui")'), "is another dive's"),
    ],
)
def test_what_is_missing_is_named(spoil: Spoil, said: str | None) -> None:
    path = ROOT / "notebooks" / "2-enqueue-one-script.ipynb"
    notebook, solution = read(path), read(path.parent / "solutions" / path.name)
    spoil(notebook)
    found = faults(notebook, path.stem, solution)
    assert found == [] if said is None else [fault for fault in found if said in fault]


def test_a_wrong_or_absent_answer_is_named() -> None:
    path = ROOT / "notebooks" / "2-enqueue-one-script.ipynb"
    notebook, solution = read(path), read(path.parent / "solutions" / path.name)
    absent, wrong = copy.deepcopy(solution), copy.deepcopy(solution)
    absent.cells = [cell for cell in solution.cells if cell.id != "exercise-3"]
    assert faults(notebook, path.stem, absent) == ["exercise 2.3 is not answered in solutions/"]
    next(cell for cell in wrong.cells if cell.id == "exercise-1").outputs[0]["data"]["text/plain"] = (
        "✗ Exercise 2.1: no"
    )
    assert faults(notebook, path.stem, wrong) == ["an answer in solutions/ is not right: ✗ Exercise 2.1: no"]
