"""The record: frozen as written, live as seen, and the first difference between them."""

import re
from typing import Any

import pytest

from emq import rung
from emq.engine import EMBEDDED, connect
from emq.rung import RECORD
from emq.widgets import Record
from emq.widgets.record import MEANINGS, NAMES, difference, record_frames
from emq.widgets.stage import wire_frames
from tests.widgets.helpers import HOSTILE, text


def test_the_names_are_the_first_words_and_each_has_a_meaning() -> None:
    assert NAMES == ("boot", "J1", "J2", "J3", "J4", "J5", "PASS")
    assert tuple(MEANINGS) == NAMES


def test_the_frozen_record_stands_whole_with_the_lines_of_this_dive_marked() -> None:
    frames = record_frames(("J2", "J3"))
    assert len(frames) == 3
    for line in RECORD:
        assert line in text(frames[0].html)
    marked = re.findall(r'<li class="[^"]*--marked[^"]*">(.*?)</li>', frames[0].html)
    assert [rung.name_of(text(line)) for line in marked] == ["J2", "J3"]
    assert "J2 and J3" in text(frames[0].caption)


def test_a_line_that_the_record_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="'J6'"):
        record_frames(("J6",))


@pytest.mark.parametrize(
    ("live", "found"),
    [
        (RECORD, None),
        (("boot: the registry", *RECORD[1:]), (0, 19)),
        ((*RECORD[:6], "PASS 4/5"), (6, 6)),
        (RECORD[:6], (6, 1)),
        ((*RECORD, "more"), (7, 1)),
    ],
)
def test_the_first_difference(live: tuple[str, ...], found: tuple[int, int] | None) -> None:
    assert difference(RECORD, live) == found


def test_a_live_run_is_the_same_and_says_on_which_engine() -> None:
    widget = Record(("boot", "J1"), connect(EMBEDDED))
    assert widget.run() == "PASS 5/5"
    assert widget.stage.index == 3
    caption = text(widget.stage.frames[3].caption)
    assert caption.startswith(f"The same, all {len(RECORD)} lines")
    assert "embedded engine" in caption
    widget.reset()
    assert (widget.stage.index, len(widget.stage.frames)) == (0, 3)


def test_a_gate_that_fails_is_the_first_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Any) -> None:
        rung._expect("pending", 1, HOSTILE)

    gates = [broken if gate is rung.kind else gate for gate in rung.GATES]
    monkeypatch.setattr(rung, "GATES", tuple(gates))
    widget = Record(client=connect(EMBEDDED))
    assert widget.run() == "PASS 4/5"
    frame = widget.stage.frames[widget.stage.index]
    assert text(frame.caption).startswith("The first difference: J3, at character 4.")
    assert repr(HOSTILE) in text(frame.html)


def test_what_the_engine_says_stays_text() -> None:
    for frame in wire_frames(record_frames(live=(*RECORD[:4], f"J4 {HOSTILE}"), engine=HOSTILE)):
        assert "<img" not in frame["html"] + frame["caption"]


def test_an_engine_that_dies_shows_in_the_widget() -> None:
    class Dead:
        def __getattr__(self, name: str) -> Any:
            raise ConnectionError("gone")

    widget = Record(client=Dead())  # type: ignore[arg-type]
    widget.says.act(widget.run)
    assert "ConnectionError: gone" in widget.says.value
    assert widget.stage.index == 0
