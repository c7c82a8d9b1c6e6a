"""``make bench``: everything measured here, in one run, into RESULTS.md. About five minutes.

Without an environment of its own it makes one first, bench/.venv, from peers.txt, and goes on in there.

    python bench/run.py [--quick] [enqueue] [ids] [browse]
"""

import argparse
import hashlib
import os
import subprocess
import sys
import time
import venv
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENT = HERE / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
STAMP = ENVIRONMENT / ".installed"
PARTS = ("enqueue", "ids", "browse")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/run.py", description="Measure emq beside its peers and the floor.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, to try the bench itself")
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"expected parts of {', '.join(PARTS)}; got {', '.join(sorted(unknown))}")
    if Path(sys.prefix).resolve() != ENVIRONMENT:
        _install()
        return subprocess.run(
            [PYTHON, "-m", "bench.run", *sys.argv[1:]], env={**os.environ, "PYTHONPATH": str(HERE.parent)}, check=False
        ).returncode
    _measure(asked.parts or list(PARTS), asked.quick)
    return 0


def _install() -> None:
    wanted = hashlib.sha256((HERE / "peers.txt").read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return
    _say("installing the peers into bench/.venv, once")
    venv.create(ENVIRONMENT, with_pip=True, clear=True)
    pip = [PYTHON, "-m", "pip", "--quiet", "--quiet", "--disable-pip-version-check", "install"]
    # Built here, by a tool that they do not name.
    subprocess.run([*pip, "setuptools", "wheel"], check=True)
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "--requirement", HERE / "peers.txt"], check=True)
    STAMP.write_text(wanted)


_started = time.monotonic()


def _say(text: str) -> None:
    print(f"{time.monotonic() - _started:5.0f} s  {text}", flush=True)


def _measure(parts: list[str], quick: bool) -> None:
    from bench import sections
    from bench.measure import server
    from bench.report import RESULTS, machine, write_section

    less = 10 if quick else 1
    targets: list[sections.Target] = []
    with server() as client:
        engine = f"Valkey {client.info('server').get('valkey_version', '?')}"
        clients = f"redis-py {version('redis')} with hiredis {version('hiredis')}"
        if "enqueue" in parts:
            targets += sections.enqueue(client, less, _say)
        if "ids" in parts:
            targets += sections.ids(less, _say)
        if "browse" in parts:
            targets += sections.browse(client, less, _say)
    write_section("machine", sections.MACHINE.format(machine=machine(), engine=engine, clients=clients))
    if set(parts) == set(PARTS):
        write_section("targets", sections.targets(targets))
    _say(f"written: {RESULTS.relative_to(HERE.parent)}")


if __name__ == "__main__":
    sys.exit(main())
