"""The README's own code runs, and its commands exist."""

import re
from pathlib import Path

import pytest

from emq import Jobs

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_code_runs_and_leaves_one_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMQ_URL", raising=False)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    jobs = names["jobs"]
    assert isinstance(jobs, Jobs)
    assert jobs.pending_size() == 1


def test_each_make_target_and_each_file_that_it_names_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)", README))
    assert {"lab", "test", "check", "serve"} <= named <= targets
    paths = set(re.findall(r"`([a-z/]+/)`|\]\(([\w./-]+)\)", README))
    missing = [path for pair in paths for path in pair if path and not (ROOT / path).exists()]
    assert len(paths) > 5
    assert missing == []
