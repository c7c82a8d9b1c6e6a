"""Builds the site: one folder of static files, from the notebooks.

    python site/build.py [--notebooks DIR] [--out DIR] [--faces reading,slides,live]

Downloads and all that does not depend on a notebook are kept under build/cache, and made again only when what they are
made of has changed. Needs the extra `site`, Node 20 and npm.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from pathlib import Path

import live
import pages
import slides

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CACHE = ROOT / "build/cache"
OUT = ROOT / "build/site"
FACES = ("reading", "slides", "live")


class Refused(Exception):
    """The site cannot be built; the message says what to do."""


def step(name: str, sources: Iterable[Path | str], action: Callable[[], None]) -> None:
    """Does `action` unless it was done before from the same `sources`: files, folders, or texts."""
    digest = hashlib.sha256()
    for source in sources:
        if isinstance(source, str):
            digest.update(source.encode())
            continue
        inside = sorted(source.rglob("*")) if source.is_dir() else [source]
        for path in inside:
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(source.parent)}\0".encode() + path.read_bytes())
    stamp = CACHE / "stamps" / name
    if stamp.is_file() and stamp.read_text() == digest.hexdigest():
        return
    started = time.monotonic()
    stamp.unlink(missing_ok=True)
    action()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(digest.hexdigest())
    print(f"{name:<10} {time.monotonic() - started:5.1f} s", flush=True)


def run(*command: str | Path, cwd: Path = ROOT, **env: str) -> None:
    """Runs `command` quietly; what it said is shown only when it fails."""
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=os.environ | env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Refused(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def install_npm() -> None:
    """The npm packages, outside of the source tree."""
    if not shutil.which("npm"):
        raise Refused(
            "expected npm, which comes with Node 20, to build the site. On Debian: apt-get install nodejs npm"
        )
    CACHE.joinpath("npm").mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "package.json", CACHE / "npm")
    run("npm", "install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", cwd=CACHE / "npm")


def bundle_widgets() -> None:
    """The one script, and its style, that wakes the widgets of a page."""
    run(
        "node",
        CACHE / "npm/node_modules/esbuild/bin/esbuild",
        HERE / "widgets/index.js",
        "--bundle",
        "--minify",
        "--format=esm",
        "--target=es2022",
        "--legal-comments=linked",
        "--define:global=globalThis",
        '--define:process.env.NODE_ENV="production"',
        f"--alias:anywidget={files('anywidget') / 'nbextension/index.js'}",
        f"--inject:{HERE / 'widgets/define.js'}",
        f"--outfile={CACHE / 'widgets/widgets.js'}",
        cwd=CACHE / "npm",
        NODE_PATH=str(CACHE / "npm/node_modules"),
    )


def build(notebooks: Path, out: Path, faces: Sequence[str]) -> None:
    """The `faces` of the `notebooks`, under `out`."""
    unknown = set(faces) - set(FACES)
    if unknown:
        raise Refused(f"expected faces among {', '.join(FACES)}; got {', '.join(sorted(unknown))}")
    if not any(notebooks.glob("*.ipynb")):
        raise Refused(f"expected notebooks in {notebooks}; there is none")
    here = f"{sys.version} {out} {notebooks}"
    step("npm", [HERE / "package.json"], install_npm)
    step("widgets", [HERE / "widgets", HERE / "package.json"], bundle_widgets)
    if "live" in faces:
        step("wheels", [HERE / "package.json", HERE / "live.py"], lambda: live.download(CACHE, run))
        step("lupa", [HERE / "lupa", HERE / "package.json"], lambda: live.build_lupa(HERE, CACHE, run))
        step("emq", [ROOT / "emq", ROOT / "pyproject.toml"], lambda: live.build_emq(ROOT, CACHE, run))
        step(
            "pyodide",
            [HERE / "live.py", *(CACHE / "stamps" / name for name in ("wheels", "lupa", "emq"))],
            lambda: live.lay_out(CACHE),
        )
        inside = [HERE / "live", CACHE / "stamps/pyodide", HERE / "live.py", notebooks, here]
        step("live", inside, lambda: live.build(HERE, CACHE, notebooks, out / "live", run))
    if "reading" in faces:
        pages.stage(HERE, CACHE, notebooks)
        inside = [HERE / "reading", CACHE / "widgets", CACHE / "reading", ROOT / "emq", HERE / "pages.py", here]
        step("reading", inside, lambda: pages.build(CACHE, out, run))
    if "slides" in faces:
        inside = [HERE / "slides", HERE / "slides.py", HERE / "pages.py", CACHE / "widgets", notebooks, here]
        step("slides", inside, lambda: slides.build(HERE, CACHE, notebooks, out / "slides"))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="build.py", description="Build the site.")
    parser.add_argument("--notebooks", type=Path, default=ROOT / "notebooks", help="default: notebooks/")
    parser.add_argument("--out", type=Path, default=OUT, help="default: build/site/")
    parser.add_argument("--faces", default=",".join(FACES), help=f"default: {','.join(FACES)}")
    options = parser.parse_args(arguments)
    try:
        build(options.notebooks.resolve(), options.out.resolve(), options.faces.split(","))
    except Refused as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
