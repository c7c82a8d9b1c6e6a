"""Dive 5's plots, drawn by matplotlib and shown on a Stage: one drawing, in the colours of whatever page it is on.

A plot is an SVG whose colours are names, the Stage's own custom properties; so light and dark need no second drawing.
`plain` puts fixed colours in, for a file of its own.
"""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from emq.errors import EmqError
from emq.lesson.scale import PAGE, WAYS, Paging, Run
from emq.widgets.ask import Act, Says
from emq.widgets.markup import code, esc, tag
from emq.widgets.stage import Choice, Frame, Lesson, Stage, needs_kernel

# Colours that nobody would draw with; in the SVG each becomes the property that it stands for.
PALETTE: Final = {
    "ink": "#010203",
    "muted": "#010204",
    "line": "#010205",
    "amber": "#010206",
    "teal": "#010207",
    "time": "#010208",
    "node": "#010209",
}
LIGHT: Final = {
    "ink": "#1b1f24", "muted": "#57606a", "line": "#d6d9dd", "amber": "#a84b06", "teal": "#0b655e", "time": "#1d4ed8",
    "node": "#7228d9", "bg": "#ffffff",
}  # fmt: skip
DARK: Final = {
    "ink": "#e9ebee", "muted": "#a6aeb8", "line": "#363c44", "amber": "#fbbf24", "teal": "#5eead4", "time": "#8aacff",
    "node": "#c7a5ff", "bg": "#101317",
}  # fmt: skip
STYLE: Final = {"newest page": ("teal", "o", "-"), "id cursor": ("time", "s", "--"), "deep offset": ("amber", "D", "-")}


def _figure(name: str, draw: Callable[[Any], None], title: str) -> str:
    """An SVG of `draw` on one pair of axes; the same data give the same bytes."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise EmqError("the plots need matplotlib. Install it with: pip install 'emq[scale]'") from None
    look: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": name,
        "font.size": 10.5,
        "axes.edgecolor": PALETTE["muted"],
        "axes.labelcolor": PALETTE["ink"],
        "text.color": PALETTE["ink"],
        "xtick.color": PALETTE["muted"],
        "ytick.color": PALETTE["muted"],
        "grid.color": PALETTE["line"],
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with matplotlib.rc_context(look):
        figure = Figure(figsize=(5.8, 3.7), layout="constrained")
        axes = figure.add_subplot()
        axes.grid(axis="y", linewidth=0.8)
        axes.set_axisbelow(True)
        draw(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _embedded(out.getvalue(), title)


def _embedded(svg: str, title: str) -> str:
    """The SVG as an element of a page: no prologue, no style of its own, colours by name, a label for listeners."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.S)
    svg = re.sub(r'font: (?:[\d.]+px )?[^;"]*', lambda match: _font(match[0]), svg)
    for prop, colour in PALETTE.items():
        svg = svg.replace(colour, f"var(--emq-{prop})")
    head = f'<svg class="emq-plot" role="img" aria-label="{esc(title)}" stroke-linejoin="round"'
    svg = re.sub(r'<svg\b([^>]*?) width="[^"]*"', r"<svg\1", svg, count=1)
    svg = re.sub(r'(<svg\b[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    return re.sub(r"\s*\n\s*", " ", svg.replace("<svg", head, 1))


def _font(declared: str) -> str:
    size = re.search(r"[\d.]+px", declared)
    return f"font: {size[0] if size else '12px'} var(--emq-sans)"


def plain(svg: str, colours: Mapping[str, str]) -> str:
    """The drawing as a file of its own, `LIGHT` or `DARK`."""
    for prop, colour in colours.items():
        svg = svg.replace(f"var(--emq-{prop})", colour)
    svg = svg.replace("var(--emq-sans)", "sans-serif")
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert box is not None
    ground = f'<rect width="{box[1]}" height="{box[2]}" fill="{colours["bg"]}"/>'
    return svg.replace(">", f' width="{float(box[1]) * 1.3:.0f}">{ground}', 1) + "\n"


def latency_plot(pages: Sequence[Paging], ways: Sequence[str] = WAYS, beside: Sequence[Paging] = ()) -> str:
    """Round trips against size, median and spread, for those of the three ways that are in `ways`.

    The scale has room for `beside`, the pages of other runs, so that two plots can be compared by eye.
    """

    def draw(axes: Any) -> None:
        at = [page.size for page in pages]
        for way in ways:
            colour, marker, dash = STYLE[way]
            spreads = [page.trips[way] for page in pages]
            low, high = [each.low for each in spreads], [each.high for each in spreads]
            axes.fill_between(at, low, high, color=PALETTE[colour], alpha=0.16, linewidth=0)
            median = [each.median for each in spreads]
            axes.plot(at, median, dash, color=PALETTE[colour], marker=marker, markersize=6, linewidth=2, label=way)
        axes.set_xscale("log")
        axes.set_yscale("log")
        every = [each for page in (*pages, *beside) for each in page.trips.values()]
        axes.set_ylim(min(each.low for each in every) * 0.7, max(each.high for each in every) * 1.6)
        axes.set_xticks(at, [f"{size:,}" for size in at])
        axes.minorticks_off()
        axes.yaxis.set_major_formatter(lambda value, _: f"{value / 1000:g} ms" if value >= 1000 else f"{value:g} µs")
        axes.set_xlabel("jobs pending")
        axes.set_ylabel(f"a page of {PAGE}, round trip")
        axes.legend(frameon=False, loc="upper left", ncols=3)

    told = ", ".join(f"{way} {pages[0].trips[way].median:.0f} to {pages[-1].trips[way].median:.0f} µs" for way in ways)
    return _figure("latency", draw, f"Median round trip from {pages[0].size:,} to {pages[-1].size:,} pending: {told}")


def bytes_plot(rows: Mapping[int, tuple[int, str]]) -> str:
    """A row's bytes against its payload's, with the edge at which the engine changes how it keeps the row."""
    edge = listpack_edge(rows)

    def draw(axes: Any) -> None:
        for kind, colour, marker in (("listpack", "teal", "o"), ("hashtable", "amber", "D")):
            part = {size: row[0] for size, row in rows.items() if row[1] == kind}
            axes.plot(
                list(part), list(part.values()), "-", color=PALETTE[colour], marker=marker, markersize=5, label=kind
            )
        axes.axvline(edge - 0.5, color=PALETTE["muted"], linewidth=1, linestyle=":")
        axes.annotate(
            f"from {edge} bytes on", (edge, rows[edge][0]), (12, -26), textcoords="offset points", color=PALETTE["ink"]
        )
        axes.set_ylim(0)
        axes.set_xlabel("bytes of payload")
        axes.set_ylabel("bytes of the row, in the engine")
        axes.legend(frameon=False, loc="upper left", ncols=2)

    return _figure("bytes", draw, f"Bytes of a row against bytes of payload, with a step at {edge}")


def index_plot(run: Run) -> str:
    """Bytes a job: the set, and the set with an index beside it."""

    def draw(axes: Any) -> None:
        cost = run.index
        bars = [("one set", cost.set_bytes, 0.0), ("a set and an index", cost.set_bytes, cost.index_bytes)]
        for at, (_, below, above) in enumerate(bars):
            axes.barh(at, below, height=0.5, color=PALETTE["teal"], label="pending set" if at == 0 else None)
            if above:
                axes.barh(at, above, left=below, height=0.5, color=PALETTE["amber"], hatch="//", label="second index",
                          edgecolor=PALETTE["ink"], linewidth=0)  # fmt: skip
            axes.annotate(f"{below + above:.0f} bytes", (below + above, at), (8, -4), textcoords="offset points")
        axes.set_yticks(range(len(bars)), [name for name, _, _ in bars])
        axes.invert_yaxis()
        axes.set_xlim(0, (run.index.set_bytes + run.index.index_bytes) * 1.25)
        axes.set_xlabel("bytes a job")
        axes.grid(axis="x", linewidth=0.8)
        axes.grid(axis="y", visible=False)
        axes.legend(frameon=False, loc="upper right")

    told = f"{run.index.set_bytes:.0f} bytes a job for the set, {run.index.index_bytes:.0f} more for an index"
    return _figure("index", draw, told)


def listpack_edge(rows: Mapping[int, tuple[int, str]]) -> int:
    """The smallest payload whose row is no longer a listpack."""
    return min(size for size, (_, kind) in rows.items() if kind != "listpack")


def latency_frames(runs: Sequence[Run]) -> list[Frame]:
    """A scene for each run: one way after another, so that each is looked at before it is compared."""
    every = [page for run in runs for page in run.pages]
    choices = tuple(Choice(run.engine, at * len(WAYS)) for at, run in enumerate(runs)) if len(runs) > 1 else ()
    return [
        Frame(latency_plot(run.pages, WAYS[: at + 1], every), caption, choices, run.engine)
        for run in runs
        for at, caption in enumerate(_latency_captions(run))
    ]


def _latency_captions(run: Run) -> Sequence[str]:
    first, last = run.pages[0], run.pages[-1]
    grown, slower = last.size / first.size, {way: last.server[way] / max(first.server[way], 1) for way in WAYS}
    walked = slower["deep offset"] > 10 * slower["id cursor"]
    offset = "it walks over all that stands before" if walked else "this engine counts in strides, older ones walk"
    said = (
        f"{grown:,.0f} times the jobs, {slower['newest page']:.1f} times the time. The band holds eight trips in ten.",
        f"{slower['id cursor']:.1f} times the engine's time: it steps down to the id, and reads on from there.",
        f"{slower['deep offset']:,.{0 if walked else 1}f} times the engine's time: {offset}.",
    )
    return [f"{tag('b', esc(f'{way.capitalize()}.'))} {esc(text)}" for way, text in zip(WAYS, said, strict=True)]


def bytes_frames(runs: Sequence[Run]) -> list[Frame]:
    """The step in a row's bytes, in the first of the runs."""
    run = runs[0]
    edge = listpack_edge(run.rows)
    below = max(size for size in run.rows if size < edge)
    step = f"{run.rows[below][0]} bytes at {below}, {run.rows[edge][0]} at {edge}"
    caption = (
        f"{tag('b', f'The edge is at {edge}.')} {esc(step)}: up to there the row is one {code('listpack')}, a single "
        f"run of bytes; beyond, a {code('hashtable')}, with an entry and a pointer for each field."
    )
    return [Frame(bytes_plot(run.rows), caption)]


def index_frames(runs: Sequence[Run]) -> list[Frame]:
    """What a second index adds, in the first of the runs."""
    run = runs[0]
    cost = run.index
    caption = (
        f"{tag('b', 'Bytes and writes.')} {cost.index_bytes:.0f} bytes a job on top of {cost.set_bytes:.0f}, and "
        f"{cost.writes_with} writes where there were {cost.writes}. What it would answer, the set answers already."
    )
    return [Frame(index_plot(run), caption)]


FRAMES: Final = {"latency": latency_frames, "bytes": bytes_frames, "index": index_frames}
TITLES: Final = {
    "latency": "Three ways to a page",
    "bytes": "What a row weighs",
    "index": "The index that nobody needs",
}


class Curves(Lesson):
    """A plot, ``latency``, ``bytes`` or ``index``, of `stored` runs; a button draws `mine` instead."""

    def __init__(self, what: str, stored: Sequence[Run], mine: Run) -> None:
        self._frames, self._stored, self._mine = FRAMES[what], stored, mine
        self._says = Says()
        stage = Stage(self._frames(stored), title=TITLES[what], lead=self._lead())
        own = Act("Draw my run", self.draw_mine, self._says)
        super().__init__(stage, needs_kernel(own, self._says, live="Run it yourself to draw your own"))

    def _lead(self) -> str:
        return "Measured once, and kept: " + "; ".join(
            f"{esc(run.engine)} ({esc(run.machine)})" for run in self._stored
        )

    def restore(self) -> None:
        self._says.say("")
        self.stage.lead = self._lead()
        self.stage.show(self._frames(self._stored))

    def draw_mine(self) -> str:
        """Shows the reader's own run."""
        self.stage.lead = f"{esc(self._mine.engine)}, this run"
        self.stage.show(self._frames([self._mine]))
        return "Your own run is on the stage; Reset shows the kept one again."
