"""The three tables: their rows, and that one which is not green fails the command."""

import subprocess
from types import SimpleNamespace
from typing import Any

import pytest

from tools import faults
from tools.faults import Collector, Row


def test_pending_is_lost() -> None:
    """something breaks"""


def row(engine: str | None = None, failed: bool = False, held: str = "") -> Row:
    callspec = SimpleNamespace(params={"engine": engine}, _idlist=[engine]) if engine else None
    item: Any = SimpleNamespace(callspec=callspec, fixturenames=[], function=test_pending_is_lost, name="x")
    if not engine:
        del item.callspec
    return Row(item, failed, 1.25, held)


def whole() -> dict[str, Row]:
    rows = {f"{path}::test[{engine}]": row(engine) for path in faults.CONTRACT for engine in faults.ENGINES}
    return rows | {"tests/faults/test_faults.py::test_pending_is_lost": row(held="nothing lost")}


def test_the_matrix_has_a_row_a_suite_and_a_column_an_engine() -> None:
    matrix = Collector(whole()).matrix()
    assert matrix[0] == ["contract", "embedded", "redis", "valkey", "cluster"]
    assert matrix[1:] == [[name, *["1 ok"] * 4] for name in faults.CONTRACT.values()]


def test_a_fault_s_row_says_what_was_seen() -> None:
    assert Collector(whole()).faults()[1:] == [["something breaks", "valkey", "ok", "1.2", "nothing lost"]]


def run(monkeypatch: pytest.MonkeyPatch, rows: dict[str, Row], status: int = 0, bad_input: int = 0) -> int:
    def main(arguments: list[str], plugins: list[Collector]) -> int:
        plugins[0].rows = rows
        return status

    monkeypatch.setattr(pytest, "main", main)
    done = SimpleNamespace(communicate=lambda: ("the bad-input table", None), returncode=bad_input)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: done)
    return faults.main([])


def test_all_green(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, whole()) == 0
    out = capsys.readouterr().out
    assert "Every row is green" in out
    assert "the bad-input table" in out
    assert "the three verbs        1 ok      1 ok   1 ok    1 ok" in out


def test_anything_else_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    one = f"{next(iter(faults.CONTRACT))}::test[valkey]"
    assert run(monkeypatch, whole(), status=1) == 1
    assert run(monkeypatch, whole(), bad_input=1) == 1
    assert run(monkeypatch, {node: row for node, row in whole().items() if node != one}) == 1
    assert "not run" in capsys.readouterr().out
    assert run(monkeypatch, whole() | {one: row("valkey", failed=True)}, status=1) == 1
    assert "1 FAILED of 1" in capsys.readouterr().out
    assert run(monkeypatch, {node: row for node, row in whole().items() if not node.startswith(faults.FAULTS)}) == 1


def test_a_test_that_is_not_passed_in_any_phase_is_failed() -> None:
    collector = Collector()
    item: Any = SimpleNamespace(nodeid="tests/x.py::test")
    for outcome in ("passed", "skipped", "passed"):
        hook = collector.pytest_runtest_makereport(item)
        next(hook)
        with pytest.raises(StopIteration):
            hook.send(SimpleNamespace(passed=outcome == "passed", duration=1, user_properties=[]))  # type: ignore[arg-type]
    assert collector.rows["tests/x.py::test"].failed
    assert collector.rows["tests/x.py::test"].seconds == 3
