"""The slides: a static reveal deck of each notebook, its widgets alive, its speaker notes beside it.

A cell's slide type is Jupyter's own, in its metadata: slide, subslide, fragment, notes, skip, or nothing, which goes on
with the slide before. A widget stands on a slide of its own, or under nothing but a heading: at class size it
needs the room.
"""

import json
import re
import shutil
from collections.abc import Iterator
from html import escape
from pathlib import Path
from string import Template
from textwrap import wrap
from typing import Any

import pages
from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

Cell = dict[str, Any]
# A slide's text at 24 px: characters a line, lines on a slide of its own, and lines that fit under some prose.
WIDTH, LINES, SHARED_LINES = 78, 17, 9
_markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
_HEADING = re.compile(r"<h\d>(.*?)</h\d>")
_NOTEBOOK_LINK = re.compile(r'(?<=href=")(?!\w+:)([^"#]+)\.ipynb')
_formatter = HtmlFormatter(nowrap=True)
# What a deck shows of an output that comes in several forms, the first that there is.
FORMS = (pages.VIEW, "text/html", "image/svg+xml", "image/png", "text/markdown", "text/plain")

# A slide that holds titles and nothing else yet: a widget may stand there.
_TITLES = re.compile(r'(<div class="cell">(<h\d>[^\n]*</h\d>\n)+</div>\n)+')


def build(here: Path, cache: Path, notebooks: Path, out: Path) -> None:
    """A deck for each notebook at the top of `notebooks`, and what they share, under `out`."""
    shutil.rmtree(out, ignore_errors=True)
    shared = out / "shared"
    shared.mkdir(parents=True)
    reveal = cache / "npm/node_modules/reveal.js/dist"
    for source in (reveal / "reveal.css", reveal / "reveal.mjs", reveal / "plugin/notes.mjs", here / "slides/deck.css",
                   here / "slides/deck.js", cache / "widgets/widgets.js", cache / "widgets/widgets.css"):  # fmt: skip
        shutil.copy(source, shared)
    template = Template((here / "slides/deck.html").read_text("utf-8"))
    for path in sorted(notebooks.glob("*.ipynb")):
        notebook = json.loads(path.read_text("utf-8"))
        pages.place_links(notebook)
        state, common = pages.without_kernel(
            notebook["metadata"].get("widgets", {}).get(pages.STATE, {}), pages.live_url(path.name, "../")
        )
        page = template.substitute(
            title=escape(_title(notebook)),
            name=escape(path.stem),
            slides="\n".join(_stacks(notebook["cells"])),
            state=pages.state_scripts(state, common),
        )
        (out / f"{path.stem}.html").write_text(page, "utf-8")


def _title(notebook: Cell) -> str:
    for cell in notebook["cells"]:
        for line in _source(cell).splitlines():
            if cell["cell_type"] == "markdown" and line.startswith("# "):
                return line.removeprefix("# ")
    return "emq"


def _source(cell: Cell) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def _stacks(cells: list[Cell]) -> Iterator[str]:
    """A section for each slide, with its subslides inside it where it has some."""
    stacks: list[list[list[str]]] = []
    full = False
    for cell in cells:
        kind = cell["metadata"].get("slideshow", {}).get("slide_type") or "-"
        if kind == "skip":
            continue
        if kind == "slide" or not stacks:
            stacks.append([[]])
        elif kind == "subslide":
            stacks[-1].append([])
        widget = any(pages.VIEW in output.get("data", {}) for output in cell.get("outputs", []))
        if kind != "notes" and stacks[-1][-1] and (full or widget and not _TITLES.fullmatch("".join(stacks[-1][-1]))):
            stacks[-1].append([])
        if kind != "notes":
            full = widget
        if widget:
            kind = "-"
        # A long text stands on slides of its own, as many as it takes.
        pieces = _pieces(cell) if kind != "notes" and not widget else [cell]
        if stacks[-1][-1] and (len(pieces) > 1 or _height(cell) > SHARED_LINES):
            stacks[-1].append([])
        stacks[-1][-1].append(_cell(pieces[0], kind))
        for piece in pieces[1:]:
            stacks[-1].append([_cell(piece, "-")])
            full = True
    under = ""
    for stack in stacks:
        sections = []
        for slide in map("".join, stack):
            headings = _HEADING.findall(slide)
            # An answer without its question says little to a room; a widget brings a title of its own.
            running = f'<p class="running">{under}</p>\n' if under and not headings and pages.VIEW not in slide else ""
            sections.append(f"<section>\n{running}{slide}</section>")
            under = headings[-1] if headings else under
        yield sections[0] if len(sections) == 1 else f"<section>\n{''.join(sections)}</section>"


def _printed(cell: Cell) -> list[str]:
    """The lines of text that a cell shows, cut where a slide wraps them."""
    texts = [
        _text(output["text"]) if output["output_type"] == "stream" else _plain(output)
        for output in cell.get("outputs", [])
    ]
    return [
        part
        for text in texts
        for line in text.splitlines()
        for part in wrap(line, WIDTH, replace_whitespace=False) or [""]
    ]


def _plain(output: Cell) -> str:
    data = output.get("data", {})
    return _text(data["text/plain"]) if next((form for form in FORMS if form in data), "") == "text/plain" else ""


def _height(cell: Cell) -> int:
    return len(_printed(cell))


def _pieces(cell: Cell) -> list[Cell]:
    """The cell, or as many as it takes to show its text `LINES` lines at a time."""
    lines = _printed(cell)
    only_text = all(output["output_type"] == "stream" or _plain(output) for output in cell.get("outputs", []))
    if len(lines) <= LINES or not only_text:
        return [cell]
    parts = ["\n".join(lines[at : at + LINES]) for at in range(0, len(lines), LINES)]
    return [{**cell, "outputs": [{"output_type": "stream", "text": part}]} for part in parts]


def _cell(cell: Cell, kind: str) -> str:
    if kind == "notes":
        return f'<aside class="notes">{_prose(_source(cell))}</aside>\n'
    cls = "cell fragment" if kind == "fragment" else "cell"
    if cell["cell_type"] == "markdown":
        return f'<div class="{cls}">{_prose(_source(cell))}</div>\n'
    if cell["cell_type"] != "code":
        return ""
    outputs = "".join(map(_output, cell["outputs"]))
    if outputs:
        return f'<div class="{cls}">{outputs}</div>\n'
    source = highlight(_source(cell), PythonLexer(), _formatter)
    return f'<div class="{cls}"><pre class="code"><code>{source}</code></pre></div>\n'


def _output(output: Cell) -> str:
    if output["output_type"] == "stream":
        return f'<pre class="output">{escape(_text(output["text"]))}</pre>'
    data = output.get("data", {})
    form = next((form for form in FORMS if form in data), None)
    if form is None:
        return ""
    if form == pages.VIEW:
        return f'<script type="{form}">{pages.in_script(data[form])}</script>'
    text = _text(data[form])
    if form == "image/png":
        return f'<img alt="{escape(_text(data.get("text/plain", "")))}" src="data:image/png;base64,{text.strip()}">'
    if form == "text/markdown":
        return _prose(text)
    return text if form in ("text/html", "image/svg+xml") else f'<pre class="output">{escape(text)}</pre>'


def _prose(source: str) -> str:
    """Markdown as HTML; a link to another notebook goes to its page."""
    return _NOTEBOOK_LINK.sub(r"../dives/\1.html", _markdown.render(source))


def _text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)
