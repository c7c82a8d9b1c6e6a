"""The rules that hold for every test, the notebooks' cells included.

Tests of one file run in one process, one after the other: a notebook's cells share a kernel, a file's tests an engine.
So do all tests of the site, which share its build, and they come first, since they take longest.

What the machine cannot run is left out before the run, in one line that says how to get it, never skipped in the
middle. In CI nothing may be left out, and a test that skips itself, or is expected to fail, fails.
"""

import os
import shutil
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import hypothesis
import pytest

from tools import chromium

pytest_plugins = ["pytester"]

# A slow, shared machine is no failure; pytest-timeout ends what hangs.
hypothesis.settings.register_profile("emq", deadline=None, print_blob=True)
hypothesis.settings.load_profile("emq")

IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")


@dataclass(frozen=True)
class Need:
    """What tests with a marker need of the machine, and how to get it."""

    name: str
    found: Callable[[], str | None]
    remedy: str


NEEDS = {
    "browser": Need("Chromium", chromium.find, "apt-get install chromium, or set CHROMIUM to one"),
    "node": Need("Node with npm", lambda: shutil.which("node") and shutil.which("npm"), "apt-get install nodejs npm"),
    "redis_server": Need("redis-server", lambda: shutil.which("redis-server"), "apt-get install redis-server"),
}
LEFT_OUT = pytest.StashKey[str]()
SITE = "tests/site/"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

    class Scheduling(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return SITE if file.startswith(SITE) else file

    return Scheduling(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(SITE))
    absent = {marker: need for marker, need in NEEDS.items() if not need.found()}
    kept, left_out, parts = items[:], [], []
    for marker, need in absent.items():
        here = [item for item in kept if item.get_closest_marker(marker)]
        if here:
            parts.append(f"{len(here)} for want of {need.name} ({need.remedy})")
            left_out += here
            kept = [item for item in kept if item not in here]
    if not parts:
        return
    line = "Left out: " + "; ".join(parts)
    if IN_CI:
        raise pytest.UsageError(f"in CI nothing may be left out. {line}")
    config.stash[LEFT_OUT] = line
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """One of several processes has ended: what it left out, all of them did."""
    if line := getattr(node, "workeroutput", {}).get("left_out"):  # one that crashed has said nothing
        node.config.stash[LEFT_OUT] = line


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if line := config.stash.get(LEFT_OUT, None):
        terminalreporter.write_line(line, yellow=True)


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if IN_CI and report.outcome == "skipped":
        report.outcome = "failed"
        report.longrepr = f"in CI a skip or an expected failure is a failure: {report.longrepr or report.nodeid}"
        # pytest reads a leftover wasxfail as "expected", whatever the outcome says.
        vars(report).pop("wasxfail", None)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _refuse_skip(report)
    return report
