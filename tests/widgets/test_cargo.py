"""The cargo, inspected: payload to mapping to ids, the refusals, and payloads that mean harm."""

import pytest

from emq.cargo import pack
from emq.rung import ORDER
from emq.widgets import Cargo
from emq.widgets.cargo import PAYLOAD, cargo_frames
from emq.widgets.decoder import decoder_frames
from emq.widgets.stage import wire_frames
from tests.widgets.helpers import HOSTILE, press, scene, text, words


def test_payload_to_mapping_to_ids():
    shipped, unpacked, parsed = scene(cargo_frames(PAYLOAD), "Inspect the cargo")
    assert f'{{"order_id":"{ORDER}","qty":2}}' in text(shipped.html)
    assert "37 bytes" in text(shipped.html)
    assert f"order_id {ORDER} qty 2" in words(unpacked.html)
    assert "kind ORD, node 7, sequence 0, minted 2026-06-11 09:01:41.949 UTC" in text(parsed.html)
    assert "a parameter" in text(parsed.html)


def test_the_decoder_behind_the_id_is_the_decoder():
    frames = scene(cargo_frames(PAYLOAD), f"Decode {ORDER}")
    assert [(frame.html, frame.caption) for frame in frames] == [
        (frame.html, frame.caption) for frame in decoder_frames(ORDER)
    ]


def test_a_row_is_refused_by_pack_itself():
    wish, refused, why = scene(cargo_frames(PAYLOAD), "Ship the row instead")
    assert "12 Elm Street" in text(wish.html)
    assert "field 'order' holds a nested object, which is a row: ship its id instead" in text(refused.caption)
    assert "9 Oak Avenue" in text(why.html)


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ('{"order":{"id":1}}', "field 'order' holds a nested object, which is a row"),
        ("[1]", "expected a JSON object"),
        (b"\x00\xff", "expected a JSON object in UTF-8"),
        ("\ud800", "expected a JSON object"),
        ("", "expected a JSON object"),
    ],
)
def test_a_payload_that_breaks_the_law_shows_its_refusal(payload, said):
    _, refused = scene(cargo_frames(payload), "Inspect the cargo")
    assert said in text(refused.caption)
    assert "CargoRefused" in refused.html
    wire_frames(cargo_frames(payload))


def test_lists_are_looked_into_and_three_ids_at_most_have_a_scene():
    ids = ["JOB0Nvmd8aV5iy", "JOB0Nvmd8gSfSK", "JOB0Nvmd8mzRRo", "JOB0Nvmd8tnoZM"]
    frames = cargo_frames(pack({"jobs": [*ids, ids[0]], "note": "x"}))
    labels = [choice.label for choice in frames[0].choices]
    assert labels == ["Inspect the cargo", *(f"Decode {one}" for one in ids[:3]), "Ship the row instead"]


def test_no_id_is_said():
    frames = cargo_frames(pack({"qty": 2}))
    assert "No id in it:" in text(frames[2].caption)


def test_a_hostile_payload_stays_text_in_every_frame():
    for payload in (pack({HOSTILE: HOSTILE, "list": [HOSTILE]}), HOSTILE, '{"a":{"b":"' + "<img>" + '"}}'):
        frames = cargo_frames(payload, own_id=HOSTILE)
        wire_frames(frames)  # raises for what could break out of a page
        for frame in frames:
            assert "<img" not in frame.html + frame.caption
    assert "&lt;/scRipt" in cargo_frames(HOSTILE)[0].html


def test_own_payload_and_own_id_and_the_way_back():
    widget = Cargo()
    first = widget.stage.frames
    widget._ask_payload.field.value = '{"job":"JOB0Nvmd8aV5iy"}'
    assert "Decode JOB0Nvmd8aV5iy" in [choice.label for choice in widget.stage.frames[0].choices]
    widget._ask_id.field.value = "ORD0Nt6z93U!dY"
    frame = widget.stage.frames[widget.stage.index]
    assert frame.scene == "Own id"
    assert "got '!' at character 12" in text(frame.caption)
    assert "Decode JOB0Nvmd8aV5iy" in [choice.label for choice in frame.choices]
    widget.reset()
    assert widget.stage.frames == first
    assert (widget._ask_id.field.value, widget._ask_payload.field.value) == (ORDER, PAYLOAD.decode())


def test_any_exception_of_a_callback_shows(monkeypatch):
    widget = Cargo()
    monkeypatch.setattr("emq.widgets.cargo.cargo_frames", lambda *_, **__: 1 / 0)
    press(widget, "Decode")
    assert "ZeroDivisionError" in widget._says.value


def test_bytes_that_are_no_text_can_be_inspected():
    widget = Cargo(b"\x00\xff")
    assert "\\x00\\xff" in text(widget.stage.frames[0].html)
