"""Stage: one small anywidget that steps through frames computed in Python.

A frame is a picture (HTML), a caption (HTML; its text is spoken) and choices that jump to other frames.
Everything a reader sees or hears is made here from data, so a page without a kernel steps just as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakSet

import anywidget
import ipywidgets
import traitlets

from emq.widgets.markup import esc

LABELS = {
    "first": "First",
    "back": "Back",
    "play": "Play",
    "pause": "Pause",
    "next": "Next",
    "last": "Last",
    "choices": "Choices",
    "reset": "Reset",
}

# Widget state is written into a script element of the reading page, where these would end or swallow the element.
_BREAKS_OUT = re.compile(r"</?script|<!--", re.IGNORECASE)


@dataclass(frozen=True)
class Choice:
    """A button under the picture: `label` is plain text, `goto` the index of the frame it shows."""

    label: str
    goto: int


@dataclass(frozen=True)
class Frame:
    """One state of a picture.

    `html` and `caption` are HTML made with `emq.widgets.markup`, which escapes data. Frames of one `scene` stand side
    by side in the list; back, next, play and "step 2 of 7" stay inside the scene, choices may leave it.
    Inside `html`, `<button type="button" data-goto="3">` is a live hot spot, and elements with the same `data-key`
    in two frames are one thing that moves.
    """

    html: str
    caption: str
    choices: tuple[Choice, ...] = ()
    scene: str = ""


def first_of(frames: Sequence[Frame], scene: str) -> int:
    """The index of the first frame of `scene`. Raises ValueError when there is none."""
    return [frame.scene for frame in frames].index(scene)


def wire_frames(frames: Sequence[Frame]) -> list[dict[str, Any]]:
    """What the front end gets for `frames`: targets, step text and pressed states worked out, `None` where a button
    has nowhere to go. Raises ValueError, naming the frame, on an empty list, a choice without a frame to go to,
    a scene in two pieces, or HTML that could break out of a page's script element.
    """
    if not frames:
        raise ValueError("expected at least one frame, got none")
    runs: dict[str, range] = {}
    start = 0
    for scene, group in groupby(frames, key=lambda frame: frame.scene):
        stop = start + len(list(group))
        if scene in runs:
            raise ValueError(
                f"frame {start}: scene {scene!r} starts again; frames of one scene stand side by side,"
                f" and it ended with frame {runs[scene].stop - 1}"
            )
        runs[scene] = range(start, stop)
        start = stop
    return [_wire_frame(frames, at, runs) for at in range(len(frames))]


def _wire_frame(frames: Sequence[Frame], at: int, runs: dict[str, range]) -> dict[str, Any]:
    frame, run = frames[at], runs[frames[at].scene]
    for part, html in (("html", frame.html), ("caption", frame.caption)):
        found = _BREAKS_OUT.search(html)
        if found:
            raise ValueError(f"frame {at}: {part} holds {found.group()!r} at character {found.start()}; escape data")
    for choice in frame.choices:
        if not 0 <= choice.goto < len(frames):
            raise ValueError(
                f"frame {at}: choice {choice.label!r} goes to frame {choice.goto}, expected 0 to {len(frames) - 1}"
            )
    # A choice is pressed on the frame it leads to; one that opens a scene, on the whole scene but for frames that
    # another choice names exactly.
    exact = any(choice.goto == at for choice in frame.choices)
    opens = run.start if frame.scene and not exact else at
    done, steps = at - run.start, len(run)
    return {
        "html": frame.html,
        "caption": frame.caption,
        "scene": run.start,
        "step": f"step {done + 1} of {steps}" if steps > 1 else "",
        "progress": round(100 * done / (steps - 1)) if steps > 1 else 100,
        "first": run.start if at > run.start else None,
        "back": at - 1 if at > run.start else None,
        "next": at + 1 if at + 1 < run.stop else None,
        "last": run.stop - 1 if at + 1 < run.stop else None,
        "replay": run.start,
        "choices": [
            {"label": esc(choice.label), "goto": choice.goto, "pressed": choice.goto == opens}
            for choice in frame.choices
        ],
    }


def _frames_to_json(frames: Sequence[Frame], _widget: object) -> list[dict[str, Any]]:
    return wire_frames(frames)


def _text_to_json(text: str, _widget: object) -> str:
    return esc(text)


class Stage(anywidget.AnyWidget):
    """Frames on a stage: `Stage(frames, title="Live sort", lead="Six <b>ids</b>")`.

    `title` is plain text, `lead` HTML. `frames = ...` replaces the frames and goes to the first; `index` is the frame
    on show and follows the reader; `resets` counts the Reset button. Errors: ValueError for bad frames or index.
    """

    _esm = Path(__file__).with_name("stage.js")
    _css = Path(__file__).with_name("stage.css")

    alive: ClassVar[WeakSet[Stage]] = WeakSet()
    """Every Stage that there is, so that one act can put all of them back to their first frame."""

    title = traitlets.Unicode("").tag(sync=True, to_json=_text_to_json)
    lead = traitlets.Unicode("").tag(sync=True)
    frames = traitlets.List(traitlets.Instance(Frame)).tag(sync=True, to_json=_frames_to_json)
    index = traitlets.Int(0).tag(sync=True)
    resets = traitlets.Int(0).tag(sync=True)
    pace = traitlets.Int(1800, min=200, help="milliseconds a frame stays while playing").tag(sync=True)
    labels = traitlets.Dict(default_value=LABELS).tag(sync=True)

    def __init__(self, frames: Sequence[Frame], *, title: str, lead: str = "", index: int = 0, **traits: Any) -> None:
        super().__init__(frames=list(frames), title=title, lead=lead, **traits)
        self.index = index  # afterwards: new frames go to the first
        Stage.alive.add(self)

    @traitlets.validate("frames")
    def _check_frames(self, proposal: dict[str, Any]) -> list[Frame]:
        wire_frames(proposal["value"])
        return list(proposal["value"])

    @traitlets.validate("lead")
    def _check_lead(self, proposal: dict[str, Any]) -> str:
        lead: str = proposal["value"]
        found = _BREAKS_OUT.search(lead)
        if found:
            raise ValueError(f"lead holds {found.group()!r} at character {found.start()}; escape data")
        return lead

    @traitlets.validate("labels")
    def _check_labels(self, proposal: dict[str, Any]) -> dict[str, str]:
        labels: dict[str, str] = {**LABELS, **proposal["value"]}
        for name, label in labels.items():
            if name not in LABELS or not label or "<" in label:
                raise ValueError(
                    f"label {name!r}: expected one of {', '.join(LABELS)} with text without '<', got {label!r}"
                )
        return labels

    @traitlets.validate("index")
    def _check_index(self, proposal: dict[str, Any]) -> int:
        index: int = proposal["value"]
        if not 0 <= index < len(self.frames):
            raise ValueError(f"expected a frame from 0 to {len(self.frames) - 1}, got {index}")
        return index

    @traitlets.observe("frames")
    def _to_first(self, _change: object) -> None:
        self.index = 0

    def show(self, frames: Sequence[Frame], index: int = 0) -> None:
        """Replace the frames and go to `index`, in one message, also when the frames are the same as before."""
        with self.hold_sync():
            self.frames = list(frames)
            self.index = index

    def reset(self) -> None:
        """Do what the Reset button does: first frame, and `resets` one higher."""
        with self.hold_trait_notifications():
            self.index = 0
            self.resets += 1

    def __repr__(self) -> str:
        return _short(self, self)


class Lesson(ipywidgets.VBox):
    """A Stage with stock controls beside it.

    `.stage` is the first Stage inside, `.stages` all of them. When the reader presses Reset, or code calls
    `.reset()`, `restore()` runs once: override it to put inputs and frames back to their first state.
    """

    def __init__(self, *children: ipywidgets.Widget, **traits: Any) -> None:
        super().__init__(children=children, **traits)
        self.stages: tuple[Stage, ...] = tuple(_stages(self))
        if not self.stages:
            raise ValueError(f"{type(self).__name__}: expected a Stage among the children, got {children!r}")
        self.stage = self.stages[0]
        self.add_class("emq-lesson")
        self.stage.observe(lambda _change: self.restore(), "resets")

    def restore(self) -> None:
        """Called after a reset, with the stage at its first frame."""

    def reset(self) -> None:
        """Every stage to its first frame, inputs restored."""
        for stage in reversed(self.stages):
            stage.reset()

    def __repr__(self) -> str:
        return _short(self, self.stage)


def _short(widget: ipywidgets.Widget, stage: Stage) -> str:
    count = len(stage.frames)
    return f"{type(widget).__name__}({stage.title!r}, {count} frame{'' if count == 1 else 's'})"


def _stages(widget: ipywidgets.Widget) -> Iterator[Stage]:
    for child in getattr(widget, "children", ()):
        if isinstance(child, Stage):
            yield child
        yield from _stages(child)


def needs_kernel(*widgets: ipywidgets.Widget, live: str = "Try your own ids on the live page") -> ipywidgets.VBox:
    """Controls that are dead without a kernel, with the line that a page without one shows in their place.

    The controls carry the class `emq-needs-kernel`, the line `emq-live-only`; `live` is plain text.
    """
    controls = ipywidgets.Box(widgets).add_class("emq-needs-kernel")
    line = ipywidgets.HTML(f'<a class="emq-live-link" href="#live">{esc(live)}</a>').add_class("emq-live-only")
    return ipywidgets.VBox([controls, line]).add_class("emq-try")
