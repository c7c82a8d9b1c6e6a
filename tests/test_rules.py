"""conftest.py's rules: in CI nothing is skipped or left out; elsewhere one line says what is."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SKIPS = {
    "in_the_middle": "import pytest\ndef test(): pytest.skip('no')",
    "by_mark": "import pytest\n@pytest.mark.skip\ndef test(): pass",
    "in_a_fixture": "import pytest\n@pytest.fixture\ndef it(): pytest.skip('no')\ndef test(it): pass",
    "a_whole_module": "import pytest\npytest.importorskip('no_such_module')\ndef test(): pass",
    "expected_to_fail": "import pytest\n@pytest.mark.xfail\ndef test(): assert False",
}

SETTINGS = (ROOT / "pyproject.toml").read_text()


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    pytester.makeconftest((ROOT / "conftest.py").read_text())
    pytester.makepyprojecttoml(SETTINGS)
    monkeypatch.delenv("CI", raising=False)
    return pytester


def test_every_way_to_skip_fails_in_ci_and_only_there(project: pytest.Pytester, monkeypatch) -> None:
    project.makepyfile(**{f"test_{way}": text for way, text in SKIPS.items()}, test_fine="def test(): pass")
    project.runpytest(".").assert_outcomes(passed=1, skipped=4, xfailed=1)
    monkeypatch.setenv("CI", "true")
    result = project.runpytest(".", "--continue-on-collection-errors")
    result.assert_outcomes(passed=1, failed=2, errors=2 + 1)
    assert result.stdout.str().count("in CI a skip or an expected failure is a failure") >= len(SKIPS)


def test_a_notebook_cell_that_skips_fails_in_ci(project: pytest.Pytester, monkeypatch) -> None:
    import nbformat
    from nbformat.v4 import new_code_cell, new_notebook

    cell = new_code_cell("1", metadata={"tags": ["nbval-skip"]})
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(new_notebook(cells=[cell], metadata=metadata), project.path / "skips.ipynb")
    assert project.runpytest(".").ret == 0
    monkeypatch.setenv("CI", "true")
    assert project.runpytest(".").ret == 1


def test_what_the_machine_lacks_is_left_out_in_one_line(project: pytest.Pytester, monkeypatch) -> None:
    monkeypatch.setenv("CHROMIUM", "no-such-browser")
    project.makepyfile(
        test_it="import pytest\n@pytest.mark.browser\ndef test_page(): assert False\ndef test_fine(): pass"
    )
    result = project.runpytest(".")
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines(["Left out: 1 for want of Chromium (*CHROMIUM*)"])

    monkeypatch.setenv("CI", "true")
    result = project.runpytest(".")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*in CI nothing may be left out. Left out: 1 for want of Chromium*"])
