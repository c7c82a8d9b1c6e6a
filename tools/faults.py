"""What holds, where, and when things break: the engine matrix, the fault table and the bad-input table.

``python -m tools.faults [--count N]`` runs the contract suite on every engine, the faults, and N hostile inputs (a
million unless told otherwise), and prints the three tables. Exit status 1 unless every row is green.
"""

import argparse
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tools.bad_input import table

ENGINES = ["embedded", "redis", "valkey", "cluster"]
CONTRACT = {
    "tests/test_jobs.py": "the three verbs",
    "tests/test_bulk.py": "bulk",
    "tests/test_rung.py": "the rung",
    "tests/engines/test_model.py": "a model, 10,000 steps",
}
FAULTS = "tests/faults"


@dataclass
class Row:
    """What one test came to, over its phases."""

    item: pytest.Item
    failed: bool = False
    seconds: float = 0
    held: str = ""

    @property
    def where(self) -> str:
        """The engine or server that the test was on, and the variant that it tried."""
        callspec = getattr(self.item, "callspec", None)
        words = list(map(str, callspec._idlist)) if callspec else []
        if "replicated" in self.fixtures:
            words.insert(0, "cluster")
        return " ".join(words) or "valkey"

    @property
    def fixtures(self) -> list[str]:
        return list(getattr(self.item, "fixturenames", []))

    @property
    def test(self) -> Any:
        return getattr(self.item, "function", None)

    @property
    def fault(self) -> str:
        return str(self.test.__doc__ or self.item.name)


@dataclass
class Collector:
    """A pytest plugin that keeps a row for each test."""

    rows: dict[str, Row] = field(default_factory=dict)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        row = self.rows.setdefault(item.nodeid, Row(item))
        row.failed |= not report.passed
        row.seconds += report.duration
        row.held = " ".join(str(words) for name, words in report.user_properties if name == "held")
        return report

    def under(self, path: str) -> list[Row]:
        return [row for node, row in self.rows.items() if node.startswith(path)]

    def matrix(self) -> list[list[str]]:
        """A row a suite, a column an engine: how many tests passed there, and how many did not."""
        rows = [["contract", *ENGINES]]
        for path, name in CONTRACT.items():
            counts: dict[str, list[bool]] = defaultdict(list)
            for row in self.under(path):
                callspec = getattr(row.item, "callspec", None)
                counts[callspec.params.get("engine", "") if callspec else ""].append(row.failed)
            rows.append([name, *(_verdict(counts[engine]) for engine in ENGINES)])
        return rows

    def faults(self) -> list[list[str]]:
        """A row a fault and engine, in the order in which the suite tells them."""
        told = sorted(self.under(FAULTS), key=lambda row: int(row.test.__code__.co_firstlineno))
        return [
            ["fault", "on", "", "seconds", "what was seen"],
            *([row.fault, row.where, "FAILED" if row.failed else "ok", f"{row.seconds:.1f}", row.held] for row in told),
        ]


def _verdict(failed: list[bool]) -> str:
    if not failed:
        return "not run"
    return f"{sum(failed)} FAILED of {len(failed)}" if any(failed) else f"{len(failed)} ok"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.faults", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1_000_000, help="hostile inputs")
    arguments = parser.parse_args(argv)
    began = time.monotonic()
    # On the other core, meanwhile.
    bad_input = subprocess.Popen(
        [sys.executable, "-m", "tools.bad_input", "--count", str(arguments.count)], stdout=subprocess.PIPE, text=True
    )
    collector = Collector()
    status = pytest.main(["-q", "--no-header", *CONTRACT, FAULTS], plugins=[collector])
    bad_rows, _ = bad_input.communicate()
    matrix, broken = collector.matrix(), collector.faults()
    for rows in (matrix, broken):
        print(f"\n{table(rows)}")
    print(f"\n{bad_rows}")
    complete = len(broken) > 1 and not any("not run" in row for row in matrix)
    green = status == 0 and bad_input.returncode == 0 and complete
    print(f"{'Every row is green' if green else 'NOT GREEN'}, {time.monotonic() - began:.0f} s")
    return 0 if green else 1


if __name__ == "__main__":
    sys.exit(main())
