"""Stage without a browser: what goes to the front end, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys

import ipywidgets
import pytest

from emq.widgets import Choice, Frame, Lesson, Stage, needs_kernel
from emq.widgets.stage import wire_frames
from tests.widgets.helpers import HOSTILE


def frames(*scenes: str, choices: tuple[Choice, ...] = ()) -> list[Frame]:
    return [Frame(f"<b>{at}</b>", f"caption {at}", choices, scene) for at, scene in enumerate(scenes)]


def targets(wired: dict[str, object]) -> tuple[object, ...]:
    return tuple(wired[name] for name in ("first", "back", "next", "last"))


def test_steps_stay_in_their_scene() -> None:
    wired = wire_frames(frames("a", "a", "a", "b", "c", "c"))
    assert [each["step"] for each in wired] == [
        "step 1 of 3",
        "step 2 of 3",
        "step 3 of 3",
        "",
        "step 1 of 2",
        "step 2 of 2",
    ]
    assert [targets(each) for each in wired] == [
        (None, None, 1, 2),
        (0, 0, 2, 2),
        (0, 1, None, None),
        (None, None, None, None),
        (None, None, 5, 5),
        (4, 4, None, None),
    ]
    assert [each["progress"] for each in wired] == [0, 50, 100, 100, 0, 100]
    assert [each["replay"] for each in wired] == [0, 0, 0, 3, 4, 4]


def pressed(all_frames: list[Frame]) -> list[list[int]]:
    return [[c["goto"] for c in each["choices"] if c["pressed"]] for each in wire_frames(all_frames)]


def test_a_choice_is_pressed_where_it_leads() -> None:
    scenes = (Choice("sort", 0), Choice("mix", 2))
    assert pressed(frames("sort", "sort", "mix", "mix", choices=scenes)) == [[0], [0], [2], [2]]
    exact = (Choice("start", 0), Choice("end", 1))
    assert pressed(frames("one", "one", choices=exact)) == [[0], [1]]
    assert pressed(frames("", "", "", choices=(Choice("start", 0), Choice("end", 2)))) == [[0], [], [2]]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ([], "at least one frame"),
        (frames("a", "b", "a"), "frame 2: scene 'a' starts again.*ended with frame 0"),
        (frames("", choices=(Choice("out", 1),)), "frame 0: choice 'out' goes to frame 1, expected 0 to 0"),
        (frames("", choices=(Choice("under", -1),)), "goes to frame -1"),
        ([Frame(f"x{HOSTILE}", "")], "frame 0: html holds '</scRipt' at character 1"),
        ([Frame("", "<script>")], "frame 0: caption holds '<script'"),
        ([Frame("<!-- -->", "")], "html holds '<!--'"),
    ],
)
def test_bad_frames_are_refused(bad: list[Frame], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        wire_frames(bad)
    with pytest.raises(ValueError, match=says):
        Stage(bad, title="t")
    stage = Stage(frames("a"), title="t")
    with pytest.raises(ValueError, match=says):
        stage.frames = bad
    assert stage.frames == frames("a")


def test_new_frames_start_at_the_first() -> None:
    stage = Stage(frames("a", "a", "a"), title="t")
    stage.index = 2
    stage.frames = frames("b", "b")
    assert stage.index == 0
    stage.show(frames("c", "c"), 1)
    assert (stage.index, len(stage.frames)) == (1, 2)
    stage.show(frames("c", "c"))
    assert stage.index == 0


def test_a_stage_may_begin_at_another_frame() -> None:
    assert Stage(frames("a", "a"), title="t", index=1).index == 1


@pytest.mark.parametrize("index", [-1, 2])
def test_an_index_without_a_frame_is_refused(index: int) -> None:
    stage = Stage(frames("a", "a"), title="t")
    with pytest.raises(ValueError, match=f"expected a frame from 0 to 1, got {index}"):
        stage.index = index
    assert stage.index == 0


def test_no_data_reaches_the_state_unescaped() -> None:
    stage = Stage([Frame("", "", (Choice(HOSTILE, 0),))], title=HOSTILE, lead="<b>lead</b>")
    state = stage.get_state()
    assert stage.title == HOSTILE
    assert "<" not in json.dumps([state["title"], state["frames"]])
    assert "&lt;/scRipt" in state["title"]
    with pytest.raises(ValueError, match="lead holds '</scRipt'"):
        stage.lead = HOSTILE
    with pytest.raises(ValueError, match=r"label 'next'.*without '<'"):
        stage.labels = {"next": HOSTILE}
    with pytest.raises(ValueError, match="label 'nxt': expected one of first"):
        stage.labels = {"nxt": "Next"}


def test_some_labels_can_be_changed() -> None:
    stage = Stage(frames("a"), title="t", labels={"reset": "Once more"})
    assert (stage.labels["reset"], stage.labels["next"]) == ("Once more", "Next")


def test_the_files_travel_with_the_state() -> None:
    state = Stage(frames("a"), title="t").get_state()
    assert "render" in state["_esm"]
    assert ".emq-stage" in state["_css"]


def test_the_text_output_is_short_and_the_same_each_time() -> None:
    stage = Stage(frames("a", "a"), title="Live sort")
    data, _ = stage._repr_mimebundle_()
    assert data["text/plain"] == repr(stage) == "Stage('Live sort', 2 frames)"
    lesson = Lesson(Stage(frames("a"), title="One"))
    assert lesson._repr_mimebundle_()["text/plain"] == "Lesson('One', 1 frame)"


class Counting(Lesson):
    restored = 0

    def restore(self) -> None:
        self.restored += 1
        self.seen = self.stage.index


def test_a_lesson_restores_once_a_reset() -> None:
    first, second = Stage(frames("a", "a"), title="One"), Stage(frames("a", "a"), title="Two")
    lesson = Counting(ipywidgets.HBox([first]), second)
    assert lesson.stages == (first, second)
    first.index = second.index = 1
    lesson.reset()
    assert (lesson.restored, first.index, second.index, lesson.seen) == (1, 0, 0, 0)
    first.set_state({"index": 0, "resets": first.resets + 1})
    assert lesson.restored == 2
    with pytest.raises(ValueError, match="Lesson: expected a Stage among the children"):
        Lesson(ipywidgets.HTML())


def test_controls_and_their_stand_in() -> None:
    box = needs_kernel(ipywidgets.Text(), live=HOSTILE)
    controls, line = box.children
    assert "emq-needs-kernel" in controls._dom_classes
    assert "emq-live-only" in line._dom_classes
    assert HOSTILE not in line.value
    assert "&lt;/scRipt" in line.value


def test_the_core_does_not_load_the_widgets() -> None:
    code = "import sys, emq; print('ipywidgets' in sys.modules, 'anywidget' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
