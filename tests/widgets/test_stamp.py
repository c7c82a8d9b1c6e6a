"""The decoder and the stamp: every value comes out of the id, a bad id is pointed at, and data stays text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emq import BrandedId, InvalidId
from emq.ids import LENGTH, MAX_SNOWFLAKE, encode
from emq.rung import ORDER
from emq.widgets import Stamp
from emq.widgets.decoder import decoder_frames, fault_at
from emq.widgets.stage import wire_frames
from emq.widgets.stamp import stamp_frames
from tests.widgets.helpers import HOSTILE, text, words


def test_the_order_of_the_record_decodes_step_by_step():
    frames = decoder_frames(ORDER)
    shown = [words(frame.html + frame.caption) for frame in frames]
    assert len(frames) == 7
    assert "0 23 55 6 61 9 3 30 3 39 34" in shown[1]
    assert "0 → 23 → 1,481" in shown[2]
    assert "323,386,299,169,927,168" in shown[2]
    assert frames[3].html.count("emq-on") == ORDER_BITS.count("1")
    assert "77,101,301,949 ms" in shown[4]
    assert "on node 7, sequence 0, at 2026-06-11 09:01:41.949 UTC" in text(frames[5].caption)
    assert "the same fourteen bytes" in shown[6]
    assert frames[6].html.count("emq-cell--tie") == 2 * LENGTH


ORDER_BITS = f"{323386299169927168:063b}"


def test_the_field_boxes_stand_under_the_bits_that_they_explain():
    html = decoder_frames(ORDER)[4].html
    assert re.findall(r"grid-column:(\d+)/(\d+)", html) == [("1", "42"), ("42", "52"), ("52", "64")]


@pytest.mark.parametrize(
    ("given_text", "at"),
    [
        ("ORD0Nt6z93U!dY", 12),
        ("oRD0Nt6z93U3dY", 1),
        ("OR٣0Nt6z93U3dY", 3),
        ("ORD0Nt6z93U3d\n", 14),
        ("ORD0Nt6z93U3d", 14),
        ("ord0Nt6z93U3d", 14),  # the message speaks of the length, and so does the mark
        ("ORD0Nt6z93U3dYY", 15),
        ("", 1),
        ("JOBAzL8n0Y58m8", 14),  # 2**63: the last digit is the one that is too much
        ("JOBzzzzzzzzzzz", 4),
    ],
)
def test_a_refusal_points_at_the_character(given_text, at):
    (frame,) = decoder_frames(given_text)
    assert fault_at(given_text) == at
    assert re.findall('<th class="emq-here"[^>]*>([0-9]+)<', frame.html) == [str(at)]
    with pytest.raises(InvalidId) as refusal:
        BrandedId(given_text)
    assert str(refusal.value) in text(frame.caption)


@given(st.text(max_size=20))
def test_a_fault_is_found_exactly_where_there_is_no_id(some):
    try:
        BrandedId(some)
    except InvalidId:
        assert 1 <= fault_at(some) <= LENGTH + 1
    else:
        assert fault_at(some) == 0


@given(st.integers(0, MAX_SNOWFLAKE))
def test_every_id_comes_back_as_the_same_bytes(snowflake):
    frames = decoder_frames("JOB" + encode(snowflake))
    assert len(wire_frames(frames)) == 7
    assert "the same fourteen bytes" in frames[-1].caption


def test_a_hostile_id_stays_text():
    (frame,) = decoder_frames(HOSTILE)
    assert "<img" not in frame.html + frame.caption
    assert "&lt;/scRipt &gt;" in frame.caption
    wire_frames([frame])


def test_the_stamp_tells_all_at_once_and_then_steps():
    stamp = Stamp(ORDER)
    first, *steps = stamp_frames(ORDER)
    assert "of kind ORD, minted on node 7" in text(first.caption)
    assert [step.html for step in steps] == [frame.html for frame in decoder_frames(ORDER)]
    assert [choice.goto for choice in first.choices] == [0, 1]
    assert stamp.frames == [first, *steps]


def test_a_stamp_that_is_no_id_is_refused():
    with pytest.raises(InvalidId, match="at character 3"):
        Stamp("DI0NwSocLkfa44")
