"""Every notebook on the live face, run to its end by a kernel in the browser."""

import pytest

from emq import rung
from tests.site.helpers import RUN_LIVE, Visit, run_all

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.timeout(600)]


@pytest.mark.parametrize("name", RUN_LIVE)
def test_a_dive_runs_to_its_end(site: str, visit: Visit, name: str) -> None:
    page = visit(f"{site}live/notebooks/index.html?path={name}.ipynb")
    run_all(page)
    assert page.locator(".emq-stage").count() > 0
    if name == RUN_LIVE[0]:
        # The rung, in a cell of its own below the last.
        page.evaluate(
            """(code) => {
                const {content} = window.jupyterapp.shell.currentWidget;
                content.activeCellIndex = content.widgets.length - 1;
                window.jupyterapp.commands.execute("notebook:insert-cell-below").then(() => {
                    content.activeCell.model.sharedModel.setSource(code);
                    window.jupyterapp.commands.execute("notebook:run-cell");
                });
            }""",
            "import emq\nprint(*emq.rung.run(emq.connect()).lines, sep='\\n')",
        )
        printed = page.locator(".jp-RenderedText", has_text="PASS")
        printed.wait_for()
        assert printed.inner_text() == "\n".join(rung.RECORD)
