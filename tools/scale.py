"""Fill a real engine to a million jobs and write what its pages and bytes cost: a table, plots, the lesson's record.

    python -m tools.scale [--jobs 1000000] [--keep]

The engine is EMQ_URL's, or a Valkey started for it. The plots go to build/scale/, light and dark. With --keep the run
becomes one that dive 5 shows, emq/lesson/scale-valkey.json or scale-redis.json.
"""

import argparse
import platform
import sys
from pathlib import Path

from emq.errors import EmqError
from emq.lesson import curves
from emq.lesson.scale import FULL, STEPS, WAYS, Run, measure, real_engine

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "emq" / "lesson"


def machine() -> str:
    """The processor and the Python, without a name of the machine."""
    info = Path("/proc/cpuinfo")
    names = (
        [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        if info.exists()
        else []
    )
    return f"{len(names) or '?'} × {names[0] if names else platform.machine()}, Python {platform.python_version()}"


def table(run: Run) -> str:
    """The run as Markdown."""
    lines = [
        f"# {run.pages[-1].size:,} jobs pending",
        "",
        f"{run.engine}; {run.machine}. Round trips of a page in µs: median (a tenth under, a tenth over);",
        "then the engine's own µs.",
        "",
        "| pending | " + " | ".join(f"{way} | engine" for way in WAYS) + " |",
        "| ---: |" + " ---: | ---: |" * len(WAYS),
    ]
    for page in run.pages:
        cells = [
            f"{trip.median:,.0f} ({trip.low:,.0f}, {trip.high:,.0f}) | {page.server[way]:,.0f}"
            for way in WAYS
            for trip in [page.trips[way]]
        ]
        lines.append(f"| {page.size:,} | " + " | ".join(cells) + " |")
    lines += ["", "| payload | row, bytes | kept as |", "| ---: | ---: | --- |"]
    lines += [f"| {size} | {row[0]} | {row[1]} |" for size, row in run.rows.items()]
    cost = run.index
    lines += [
        "",
        f"The set takes {cost.set_bytes:.0f} bytes a job; a second index would take {cost.index_bytes:.0f} more, "
        f"and {cost.writes_with} writes a job instead of {cost.writes}.",
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="scale", description="Measure a queue up to a million jobs.")
    parser.add_argument("--jobs", type=int, default=FULL, help=f"{STEPS[0]} to {FULL}")
    parser.add_argument("--keep", action="store_true", help="make this the run that dive 5 shows")
    parser.add_argument("--to", type=Path, default=ROOT / "build" / "scale")
    options = parser.parse_args(arguments)
    if not STEPS[0] <= options.jobs <= FULL:
        parser.error(f"expected --jobs from {STEPS[0]} to {FULL}; got {options.jobs}")
    try:
        run = measure(real_engine(), "scale", options.jobs, machine())
    except EmqError as error:
        print(error, file=sys.stderr)
        return 1
    options.to.mkdir(parents=True, exist_ok=True)
    drawings = {
        "latency": curves.latency_plot(run.pages),
        "bytes": curves.bytes_plot(run.rows),
        "index": curves.index_plot(run),
    }
    for name, svg in drawings.items():
        for scheme, colours in (("light", curves.LIGHT), ("dark", curves.DARK)):
            (options.to / f"{name}-{scheme}.svg").write_text(curves.plain(svg, colours), encoding="utf-8")
    (options.to / "RESULTS.md").write_text(table(run), encoding="utf-8")
    if options.keep:
        (KEPT / f"scale-{run.engine.split()[0]}.json").write_text(run.dump(), encoding="utf-8")
    print(table(run))
    return 0


if __name__ == "__main__":
    sys.exit(main())
