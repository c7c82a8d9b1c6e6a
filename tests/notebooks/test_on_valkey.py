"""Every notebook again, each output compared, on a real engine: what a dive shows holds there as well."""

import os
import subprocess
import sys

from tests.engines.fixtures import Engine
from tools.run_notebooks import ROOT


def test_every_output_is_the_same_on_valkey(valkey_engine: Engine) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", "--nbval", "notebooks"]
    ran = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"EMQ_URL": valkey_engine.url},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-8000:]
    assert " passed" in ran.stdout
