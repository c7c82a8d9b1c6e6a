"""The plots beside the tables, each for light and for dark pages."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams.update({"svg.hashsalt": "emq", "svg.fonttype": "path", "font.family": "DejaVu Sans", "font.size": 11})

from matplotlib import pyplot as plt  # noqa: E402 -- after the backend is chosen
from matplotlib.axes import Axes  # noqa: E402

FOLDER = Path(__file__).resolve().parent / "plots"
THEMES = {
    "light": {"ink": "#1f2937", "quiet": "#9aa4b2", "ours": "#b45309", "floor": "#475569", "lines": "#d5dae1"},
    "dark": {"ink": "#e5e7eb", "quiet": "#6b7686", "ours": "#fbbf24", "floor": "#94a3b8", "lines": "#3a424e"},
}
MARKS = ("o", "s", "^", "D")


def bars(name: str, panels: Mapping[str, Mapping[str, float]], unit: str, ours: str, floor: str | None = None) -> str:
    """A panel of bars for each of `panels`, best first; the Markdown that shows the plot."""
    for theme, colours in THEMES.items():
        tall = max(len(values) for values in panels.values())
        figure, axes = plt.subplots(1, len(panels), figsize=(9.2, 0.9 + 0.36 * tall), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)
        for axis, (title, values) in zip(_each(axes), panels.items(), strict=True):
            names = sorted(values, key=values.__getitem__, reverse=True)
            fills = [colours["ours" if n == ours else "floor" if n == floor else "quiet"] for n in names]
            drawn = axis.barh(names, [values[n] for n in names], color=fills, height=0.66)
            axis.bar_label(drawn, fmt=_figure, padding=4, color=colours["ink"], fontsize=10)
            axis.set_ylim(tall - 0.5, -0.5)  # bars of one height in every panel
            axis.set_title(f"{title}, {unit}", loc="left", color=colours["ink"], fontsize=11)
            axis.margins(x=0.16)
            axis.xaxis.set_visible(False)
            _quiet(axis, colours, sides=())
            axis.tick_params(length=0)
            for label in axis.get_yticklabels():
                label.set_fontweight("bold" if label.get_text() == ours else "normal")
        _save(figure, name, theme)
    return _picture(name, "; ".join(panels))


def lines(name: str, title: str, series: Mapping[str, Mapping[int, float]], unit: str) -> str:
    """One line for each of `series` over a logarithmic size, named at its right end."""
    for theme, colours in THEMES.items():
        figure, axis = plt.subplots(figsize=(9.2, 3.4), layout="constrained")
        for (label, points), mark in zip(series.items(), MARKS, strict=True):
            ours = label == next(iter(series))
            colour = colours["ours" if ours else "floor"]
            axis.plot(
                list(points),
                list(points.values()),
                marker=mark,
                color=colour,
                label=label,
                linewidth=2 if ours else 1.4,
            )
        axis.set_xscale("log")
        axis.set_ylim(bottom=0)
        axis.set_xlabel("jobs pending", color=colours["ink"])
        axis.set_title(f"{title}, {unit}", loc="left", color=colours["ink"], fontsize=11)
        axis.grid(axis="y", color=colours["lines"], linewidth=0.7)
        _quiet(axis, colours, sides=("bottom",))
        axis.legend(frameon=False, labelcolor=colours["ink"], ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.22))
        _save(figure, name, theme)
    return _picture(name, title)


def _figure(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def _each(axes: Axes | Sequence[Axes]) -> Sequence[Axes]:
    return [axes] if isinstance(axes, Axes) else axes


def _quiet(axis: Axes, colours: Mapping[str, str], sides: tuple[str, ...]) -> None:
    axis.set_facecolor("none")
    axis.tick_params(colors=colours["ink"])
    for side, spine in axis.spines.items():
        spine.set_visible(side in sides)
        spine.set_color(colours["lines"])


def _save(figure: plt.Figure, name: str, theme: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    figure.savefig(FOLDER / f"{name}-{theme}.svg", transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def _picture(name: str, what: str) -> str:
    return (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="plots/{name}-dark.svg">'
        f'<img alt="Plot: {what}" src="plots/{name}-light.svg"></picture>'
    )
