"""Hostile bytes as payload and as queue name: on the built pages they are text, and nothing of them runs."""

from collections.abc import Iterator

import nbformat
import pytest

from tests.site.helpers import Visit, alive, build, serve
from tools import run_notebooks

pytestmark = [pytest.mark.browser, pytest.mark.node]

HOSTILE = "</scRipt ><img src=x onerror=\"document.title='ran'\"><!--<script>\\u2028${document.title='ran'}{{x}}"
CODE = f"""
from emq import Jobs, connect
from emq.errors import InvalidQueue
from emq.widgets import Choice, Frame, JobRow, Stage
from emq.widgets.markup import code, esc
import ipywidgets

hostile = {HOSTILE!r}
job = "JOB0Nvmd8aV5iy"
client = connect("embedded://")
Jobs(client, "q").enqueue(job, hostile)
JobRow("q", job, client.hgetall("emq:{{q}}:job:" + job))
"""
SHOWN = "Stage([Frame(code(hostile), esc(hostile), (Choice(hostile, 0),), hostile)], title=hostile, lead=esc(hostile))"
STOCK = "ipywidgets.VBox([ipywidgets.Text(hostile, description=hostile), ipywidgets.HTML(esc(hostile))])"
NAMED = """
try:
    Jobs(client, hostile)
except InvalidQueue as refused:
    print(refused)
"""


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The reading face and the slides of one notebook that holds them everywhere."""
    build("--faces", "reading,slides")
    top = tmp_path_factory.mktemp("hostile")
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# Hostile"),
            *map(nbformat.v4.new_code_cell, (CODE, SHOWN, STOCK, NAMED)),
        ],
        metadata={"kernelspec": run_notebooks.KERNELSPEC},
    )
    path = top / "notebooks/1-the-job-row.ipynb"
    path.parent.mkdir()
    nbformat.write(notebook, path)
    path.write_text(run_notebooks.run(path), "utf-8")
    build("--notebooks", path.parent, "--out", top / "some/path", "--faces", "reading,slides")
    for address in serve(top):
        yield f"{address}some/path/"
    # The pages of the real notebooks come back from the cache's own sources.
    build("--faces", "reading,slides")


@pytest.mark.parametrize("page", ["dives/1-the-job-row.html", "slides/1-the-job-row.html"])
def test_they_stay_text(hostile_site: str, visit: Visit, page: str) -> None:
    shown = alive(visit(hostile_site + page))
    assert shown.title() != "ran"
    assert shown.locator("img[src=x]").count() == 0
    assert shown.evaluate("document.querySelectorAll('.emq-stage').length") == 2
    texts = shown.evaluate("[...document.querySelectorAll('.emq-stage, pre')].map((node) => node.textContent)")
    assert sum("</scRipt ><img" in text for text in texts) >= 3


@pytest.mark.parametrize("page", ["dives/1-the-job-row.html", "slides/1-the-job-row.html"])
def test_no_state_can_leave_its_script_element(hostile_site: str, visit: Visit, page: str) -> None:
    shown = visit(hostile_site + page)
    stored = shown.evaluate("[...document.querySelectorAll('script[type*=json]')].map((script) => script.textContent)")
    assert len(stored) > 2
    assert not [text for text in stored if "<" in text]
