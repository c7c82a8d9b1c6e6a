"""The job row's frames, and what a strange row or a hostile payload does to them."""

import json
import re

import pytest

from emq import Jobs, connect
from emq.errors import InvalidId
from emq.keys import Keys
from emq.widgets.job_row import ABSENT, ROLES, JobRow, job_row_frames
from emq.widgets.live_sort import DEMO
from emq.widgets.stage import Frame
from tests.widgets.helpers import HOSTILE, text

ROW = {"state": b"pending", "attempts": b"0", "payload": b'{"qty":2}'}


def test_nothing_is_selected_first() -> None:
    first = job_row_frames(DEMO[0], ROW)[0]
    assert text(first.caption) == "Select a field."
    assert 'aria-pressed="true"' not in first.html


@pytest.mark.parametrize(("at", "name"), list(enumerate(ROLES, start=1)))
def test_each_field_says_its_role_and_its_law(at: int, name: str) -> None:
    frame = job_row_frames(DEMO[0], ROW)[at]
    assert name in text(frame.caption)
    assert ROLES[name].law in text(frame.html)
    assert ROLES[name].words in text(frame.html)
    pressed = re.findall(r'aria-pressed="true".*?</code>', frame.html)
    assert len(pressed) == 1
    assert pressed[0].endswith(f">{name}</code>")


def test_attempts_says_who_will_count_it() -> None:
    law = text(job_row_frames(DEMO[0], ROW)[2].caption)
    assert law.endswith("The law behind it: written here as 0, counted by the next chapter, when workers try.")


def test_the_absent_field_reads_the_mint_time_out_of_the_id() -> None:
    frame = job_row_frames(DEMO[0], ROW)[list(ROLES).index(ABSENT) + 1]
    assert "2026-06-12 23:39:40.564 UTC" in text(frame.caption)
    for step in ("0Nvmd8aV5iy", "323969637161107456", "77240380564"):
        assert step in text(frame.html)


def test_the_fields_keep_the_scripts_order_whatever_the_engine_gives() -> None:
    backwards = dict(reversed(ROW.items()))
    assert job_row_frames(DEMO[0], backwards) == job_row_frames(DEMO[0], ROW)


def test_a_row_that_is_not_the_scripts_is_shown_as_it_is() -> None:
    added = {**ROW, ABSENT: b"1781307580564", "priority": b"9"}
    captions = [text(frame.caption) for frame in job_row_frames(DEMO[0], added)]
    assert any(caption.startswith("priority is 9. The law behind it: three fields and no") for caption in captions)
    assert any(caption.startswith(f"{ABSENT} is 1781307580564") for caption in captions)
    half = [text(frame.caption) for frame in job_row_frames(DEMO[0], {"state": b"pending"})]
    assert any(caption.startswith("There is no payload: this row is not whole") for caption in half)


def test_hostile_payloads_and_field_names_stay_text() -> None:
    frames = job_row_frames(DEMO[0], {**ROW, "payload": HOSTILE.encode(), HOSTILE: HOSTILE})
    for frame in frames:
        assert "<img" not in frame.html + frame.caption
    assert any(HOSTILE in text(frame.html) for frame in frames)


def test_the_widget_takes_the_hash_as_either_kind_of_client_reads_it() -> None:
    client = connect("embedded://")
    Jobs(client, "orders").enqueue(DEMO[0], b"\x00\xff")
    row = client.hgetall(Keys("orders").job(DEMO[0]))
    widget = JobRow("orders", DEMO[0], row)
    assert isinstance(widget.frames[0], Frame)
    assert widget.frames == JobRow("orders", DEMO[0], {k.decode(): v for k, v in row.items()}).frames
    assert repr(widget) == "JobRow('The job row', 5 frames)"
    assert r"\x00\xff" in text(widget.frames[3].html)


def test_a_bad_id_is_refused() -> None:
    with pytest.raises(InvalidId, match="expected 14 characters"):
        job_row_frames("JOB", ROW)


@pytest.mark.parametrize("name", [b"", b"\xff", b"state\xff", HOSTILE.encode()])
def test_a_field_of_any_name_is_shown_as_not_of_this_row(name: bytes) -> None:
    stage = JobRow("orders", DEMO[0], {**{key.encode(): value for key, value in ROW.items()}, name: b"x"})
    assert "No act of the script writes this field" in text(stage.frames[-1].html)
    json.dumps(stage.get_state(["frames"])).encode()
