"""The stand-in for lupa answers as lupa does: the same checks and the same bus, under CPython and under Pyodide."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from emq import rung
from tests.site.helpers import BUILT, ROOT

HERE = Path(__file__).parent
PYODIDE = BUILT / "live/static/pyodide"
WHEELS = ("emq", "fakeredis", "lupa", "redis", "sortedcontainers")


@pytest.mark.browser
@pytest.mark.node
def test_the_stand_in_answers_as_lupa_does(site: str) -> None:
    contract = HERE / "lupa_contract.py"
    wheels = [next(PYODIDE.glob(f"{name}-*.whl")) for name in WHEELS]
    here = subprocess.run(
        [sys.executable, contract],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    there = subprocess.run(
        ["node", HERE / "pyodide.mjs", PYODIDE, contract, *wheels], capture_output=True, text=True, check=False
    )
    assert (here.returncode, here.stderr) == (0, "")
    assert (there.returncode, there.stderr) == (0, "")
    assert json.loads(there.stdout) == json.loads(here.stdout)
    assert tuple(json.loads(there.stdout)["answers"]["rung"]) == rung.RECORD
