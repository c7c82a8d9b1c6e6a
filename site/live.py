"""The live face: JupyterLite with a Python kernel in the browser, everything it loads beside it.

Pyodide's own lock file names what a kernel can load; here it is written anew for the few packages of the dives, the
project's own among them. The kernel then loads them side by side while it starts, and asks no package index at all.
"""

import hashlib
import json
import re
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from email.parser import Parser
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

Run = Callable[..., None]

# What the kernel loads while it starts: its own packages, and those that every dive imports.
KERNEL = ("micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython")
DIVES = ("emq", "lupa", "anywidget", "ipywidgets")
# Loaded when a cell imports the module that needs it: dive 4 does, and no other.
ON_DEMAND = {"hypothesis": {"emq.lesson.hunt"}}
# From this environment, at the versions that it has: JupyterLab and the browser then run the same code.
SAME_AS_HERE = ("anywidget", "comm", "fakeredis", "hypothesis", "ipywidgets", "psygnal", "redis")
# Front ends for a server that is not there; the browser's own come with the site.
LEFT_OUT = ("jupyterlab-widgets", "widgetsnbextension")
# Into each page of JupyterLite: the word about new editions, the way to a cell, and an icon that is there.
HEAD = (
    '<link rel="icon" href="../../_static/favicon.svg"><link rel="stylesheet" href="../edition.css">'
    '<script type="module" src="../edition.js"></script><script type="module" src="../place.js"></script>'
)
EXTENSIONS = ("@jupyterlite/pyodide-kernel-extension", "@jupyter-widgets/jupyterlab-manager", "anywidget")
PLATFORM = (
    "--python-version",
    "3.14",
    "--platform",
    "pyemscripten_2026_0_wasm32",
    "--implementation",
    "cp",
    "--abi",
    "cp314",
)


def download(cache: Path, run: Run) -> None:
    """The wheels of others: Pyodide's versions of what its lock has, this environment's of the rest."""
    from importlib.metadata import version

    pinned = [f"{name}=={version(name)}" for name in SAME_AS_HERE]
    pinned += [f"{name}=={package['version']}" for name, package in _locked(cache).items()]
    wheels = cache / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *PLATFORM,
        "--abi", "none", "--platform", "any", "--dest", wheels, *pinned)  # fmt: skip


def _locked(cache: Path) -> dict[str, Any]:
    """What Pyodide's lock has of the kernel's needs."""
    packages = json.loads((cache / "npm/node_modules/pyodide/pyodide-lock.json").read_text())["packages"]
    found: dict[str, Any] = {}
    queue = ["micropip", "ipython", "jedi", "sortedcontainers", "typing-extensions", "packaging"]
    while queue:
        name = canonicalize_name(queue.pop())
        if name not in found:
            found[name] = packages[name]
            queue += packages[name]["depends"]
    return found


def build_lupa(here: Path, cache: Path, run: Run) -> None:
    """The stand-in for lupa, with fengari inside."""
    source, fengari = cache / "lupa", cache / "npm/node_modules/fengari-web"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(here / "lupa", source, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(fengari / "dist/fengari-web.js", source / "lupa")
    shutil.copy(fengari / "LICENSE", source / "lupa/LICENSE-fengari")
    _build_wheel(source, cache, run)


def build_emq(root: Path, cache: Path, run: Run) -> None:
    """The project's own wheel."""
    _build_wheel(root, cache, run)


def _build_wheel(source: Path, cache: Path, run: Run) -> None:
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir",
        cache / "own", source)  # fmt: skip


def lay_out(cache: Path) -> None:
    """Pyodide, the wheels, and a lock that names these and nothing else, in the folder where JupyterLite looks."""
    pyodide, folder = cache / "npm/node_modules/pyodide", cache / "lite/static/pyodide"
    shutil.rmtree(cache / "lite", ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"):
        shutil.copy(pyodide / name, folder)
    wheels = [*sorted((cache / "wheels").glob("*.whl")), *sorted((cache / "own").glob("*.whl")), *_kernel_wheels()]
    lock = json.loads((pyodide / "pyodide-lock.json").read_text())
    named = {canonicalize_name(wheel.name.split("-")[0]): wheel for wheel in wheels}
    lock["packages"] = {name: _entry(name, wheel, set(named)) for name, wheel in sorted(named.items())}
    for wheel in named.values():
        shutil.copy(wheel, folder)
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))


def _kernel_wheels() -> Iterator[Path]:
    """The kernel's own: they come inside its JupyterLab extension."""
    pypi = Path(sys.prefix, "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi")
    for name in ("ipykernel", "piplite", "pyodide_kernel"):
        yield next(pypi.glob(f"{name}-*.whl"))


def _entry(name: str, wheel: Path, known: set[str]) -> dict[str, Any]:
    with zipfile.ZipFile(wheel) as inside:
        names = inside.namelist()
        metadata = next(entry for entry in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", entry))
        headers = Parser().parsestr(inside.read(metadata).decode())
    needs = [Requirement(line) for line in headers.get_all("Requires-Dist", [])]
    browser = {"sys_platform": "emscripten", "platform_system": "Emscripten", "python_version": "3.14",
               "os_name": "posix", "python_full_version": "3.14.2", "platform_machine": "wasm32",
               "extra": ""}  # fmt: skip
    depends = {canonicalize_name(need.name) for need in needs if not need.marker or need.marker.evaluate(browser)}
    tops = {entry.split("/")[0] for entry in names if entry.endswith(".py") and ".dist-info/" not in entry}
    return {
        "name": name,
        "version": headers["Version"],
        "file_name": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
        "depends": sorted((depends & known) - set(LEFT_OUT)),
        "imports": sorted({top.removesuffix(".py") for top in tops} | ON_DEMAND.get(name, set())),
    }


def build(here: Path, cache: Path, notebooks: Path, out: Path, run: Run) -> None:
    """JupyterLite around it, under `out`."""
    lite = cache / "lite"
    contents = lite / "files"
    editions: dict[str, str] = {}
    shutil.rmtree(contents, ignore_errors=True)
    for path in sorted(notebooks.rglob("*.ipynb")):
        if ".ipynb_checkpoints" not in path.parts:
            target = contents / path.relative_to(notebooks)
            target.parent.mkdir(parents=True, exist_ok=True)
            notebook = _for_live(json.loads(path.read_text("utf-8")))
            editions[path.relative_to(notebooks).as_posix()] = notebook["metadata"]["emq"]["edition"]
            target.write_text(json.dumps(notebook), "utf-8")
    shutil.rmtree(out / "files", ignore_errors=True)  # or a notebook that is gone would stay
    for path in (here / "live").glob("*.json"):
        shutil.copy(path, lite)
    config = json.loads((here / "live/jupyter-lite.json").read_text())
    settings = config["jupyter-config-data"]["litePluginSettings"]["@jupyterlite/pyodide-kernel-extension:kernel"]
    settings["loadPyodideOptions"]["packages"] = [*KERNEL, *DIVES]
    (lite / "jupyter-lite.json").write_text(json.dumps(config))
    # Only these, whatever else this environment has: a page loads every extension that it finds.
    labextensions = Path(sys.prefix, "share/jupyter/labextensions")
    lite_config = json.loads((here / "live/jupyter_lite_config.json").read_text())
    lite_config["LiteBuildConfig"]["federated_extensions"] = [str(labextensions / name) for name in EXTENSIONS]
    (lite / "jupyter_lite_config.json").write_text(json.dumps(lite_config))
    # What it remembers of an earlier build is of that one's folder: in another, the settings would be left out.
    (lite / ".jupyterlite.doit.db").unlink(missing_ok=True)
    run(sys.executable, "-m", "jupyter", "lite", "build", "--lite-dir", lite, "--contents", contents, "--output-dir",
        out, cwd=lite)  # fmt: skip

    (out / "editions.json").write_text(json.dumps(editions))
    for name in ("edition.js", "edition.css", "place.js"):
        shutil.copy(here / "live" / name, out)
    for page in out.glob("*/index.html"):
        text = page.read_text("utf-8")
        if HEAD not in text:
            page.write_text(text.replace("</head>", f"{HEAD}</head>", 1), "utf-8")


def _for_live(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook without what a kernel makes anew, and marked with what it says.

    The mark tells a reader's copy of an older edition from this one.
    """
    said = json.dumps([cell["source"] for cell in notebook["cells"]]).encode()
    metadata = {key: value for key, value in notebook["metadata"].items() if key != "widgets"}
    metadata["emq"] = {"edition": hashlib.sha256(said).hexdigest()[:12]}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return {**notebook, "metadata": metadata}
