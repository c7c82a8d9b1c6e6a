"""Every notebook on the live face, run to its end by a kernel in the browser."""

import json

import pytest
from playwright.sync_api import Page

from emq import rung
from tests.site import test_parity
from tests.site.helpers import ROOT, RUN_LIVE, Visit, run_all

ACTIVE = "window.jupyterapp?.shell.currentWidget?.content?.activeCell?.model.id"
pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.timeout(600)]


# The test of parity runs its own dive live, to its end as well.
@pytest.mark.parametrize("name", [name for name in RUN_LIVE if name != test_parity.NAME])
def test_a_dive_runs_to_its_end(site: str, visit: Visit, name: str) -> None:
    cells = json.loads((ROOT / f"notebooks/{name}.ipynb").read_text("utf-8"))["cells"]
    middle = cells[len(cells) // 2]["id"]
    page = visit(f"{site}live/notebooks/index.html?path={name}.ipynb#cell={middle}")
    page.wait_for_function(f"() => {ACTIVE} === {json.dumps(middle)}")
    run_all(page)
    assert page.locator(".emq-stage").count() > 0
    if name == RUN_LIVE[0]:
        assert the_rung(page) == list(rung.RECORD)


def the_rung(page: Page) -> list[str]:
    """What the rung prints in a new cell below the last."""
    return page.evaluate(
        """async (code) => {
            const {content} = window.jupyterapp.shell.currentWidget;
            content.activeCellIndex = content.widgets.length - 1;
            await window.jupyterapp.commands.execute("notebook:insert-cell-below");
            const cell = content.activeCell;
            cell.model.sharedModel.setSource(code);
            await window.jupyterapp.commands.execute("notebook:run-cell");
            return cell.model.outputs.toJSON().flatMap((output) => output.text).join("").trimEnd().split("\\n");
        }""",
        "import emq\nprint(*emq.rung.run(emq.connect()).lines, sep='\\n')",
    )
