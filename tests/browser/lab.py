"""JupyterLab as a reader meets it: one server for the whole run, a notebook opened and run in the browser."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 120_000

# Idle alone is not the end: right after the command the kernel has not begun.
ALL_RAN = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  const code = panel.content.widgets.filter((cell) => cell.model.type === "code");
  return code.length > 0 && code.every((cell) => cell.model.executionCount) && panel.sessionContext.session.kernel.status === "idle";
}"""
CLEARED = """() => window.jupyterapp.shell.currentWidget.content.widgets.every((cell) => !cell.model.executionCount)"""
ERRORS = """() => window.jupyterapp.shell.currentWidget.content.widgets.flatMap((cell) =>
  (cell.model.outputs?.toJSON() ?? []).filter((output) => output.output_type === "error").map((output) =>
    `${output.ename}: ${output.evalue} in cell ${cell.model.id}: ${output.traceback.join("\\n").slice(-600)}`))"""


class Lab:
    """A notebook on a page of JupyterLab."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def run_all(self) -> None:
        """Clears every output, runs every cell, and fails on an error in one."""
        self.command("notebook:clear-all-cell-outputs")
        self.page.wait_for_function(CLEARED, timeout=PATIENCE)
        self.command("notebook:run-all-cells")
        self.page.wait_for_function(ALL_RAN, timeout=PATIENCE)
        assert self.page.evaluate(ERRORS) == []

    def command(self, name: str) -> None:
        """Runs a command of JupyterLab's, as its menus do."""
        self.page.evaluate("(name) => { window.jupyterapp.commands.execute(name); }", name)

    def stage(self, title: str) -> Locator:
        """The stage with that title, scrolled into view."""
        stage = self.page.get_by_role("group", name=title, exact=True).first
        stage.scroll_into_view_if_needed(timeout=PATIENCE)
        return stage

    def theme(self, name: str) -> None:
        """``JupyterLab Light`` or ``JupyterLab Dark``."""
        self.page.evaluate("(name) => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name})", name)
        dark = "false" if name.endswith("Dark") else "true"
        self.page.wait_for_selector(f"body[data-jp-theme-light='{dark}']", state="attached", timeout=PATIENCE)


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a JupyterLab on a copy of the notebooks, with a configuration of its own."""
    root = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", root / "notebooks", ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    own = {name: str(root / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}
    environment = {name: value for name, value in os.environ.items() if name not in ("EMQ_URL", "EMQ_SCALE")} | own
    environment |= {"PYTHONPATH": str(ROOT), "JUPYTERLAB_SETTINGS_DIR": str(root / "settings")}
    options = [
        "--no-browser",
        "--ip=127.0.0.1",
        "--port=0",
        "--allow-root",
        f"--ServerApp.root_dir={root / 'notebooks'}",
    ]
    options += ["--IdentityProvider.token=token", "--LabApp.expose_app_in_browser=True"]
    # Its question about news would stand in front of what is driven.
    settings = root / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"fetchNews": "false", "checkForUpdates": false}')
    with (root / "log").open("w") as log:
        command = [sys.executable, "-m", "jupyter", "lab", *options]
        with subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL) as server:
            try:
                yield _address(root / "log", server)
            finally:
                server.terminate()
                server.wait(timeout=30)


def _address(log: Path, server: subprocess.Popen[bytes]) -> str:
    for _ in range(600):
        if found := re.search(r"http://127\.0\.0\.1:\d+/", log.read_text()):
            return found[0]
        assert server.poll() is None, log.read_text()
        time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start: {log.read_text()}")


OpenLab = Callable[..., Lab]


@pytest.fixture
def open_lab(chromium: Browser, lab_server: str) -> Iterator[OpenLab]:
    """`open_lab("1-the-job-row.ipynb", width=1280, height=900)`: that notebook in JupyterLab, its kernel ready."""
    contexts = []

    def open_(notebook: str, width: int = 1280, height: int = 900) -> Lab:
        contexts.append(chromium.new_context(viewport={"width": width, "height": height}))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{lab_server}lab/tree/{notebook}?token=token&reset")
        page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
        )
        return Lab(page)

    yield open_
    for context in contexts:
        # Closing a page leaves its kernel running, a hundred megabytes of it.
        context.pages[0].evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")
        context.close()
