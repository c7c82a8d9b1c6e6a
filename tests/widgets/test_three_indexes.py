"""Three indexes: the engine's own replies to the commands that browse sends, and the members that they light."""

import re

import pytest

from emq import BrandedId, InvalidId, Jobs, Mint, connect
from emq.engine import raw
from emq.jobs import range_command
from emq.keys import Keys
from emq.widgets import ThreeIndexes
from emq.widgets.live_sort import DEMO
from emq.widgets.three_indexes import ask, read_time, the_questions, three_indexes_frames
from tests.widgets.helpers import HOSTILE, press, scene, text

FIRST = 0
QUEUE = "orders"


@pytest.fixture
def client():
    client = connect("embedded://")
    for one in DEMO:
        Jobs(client, QUEUE).enqueue(one, "")
    return client


def lit(html: str) -> dict[str, str]:
    """The members that are lit, and the mark at the left of each."""
    rows = re.findall(r'<tr class="emq-row emq-row--lit" data-key="(\w+)"><td class="emq-mark">(\w*)<', html)
    return dict(rows)


def test_the_set_stands_once_in_byte_order_with_score_and_mint_order():
    html = ThreeIndexes(reversed(DEMO)).stage.frames[FIRST].html
    assert re.findall(r'data-key="(\w+)"', html) == list(DEMO)
    assert re.findall("0 · (1st|2nd|3rd|[456]th)", html) == ["1st", "2nd", "3rd", "4th", "5th", "6th"]
    assert html.index("lex-min") < html.index("JOB0Nvmd8aV5iy") < html.index("JOB0Nvmd96ZlQG") < html.index("lex-max")
    assert lit(html) == {}


@pytest.mark.parametrize(
    ("label", "command", "reply"),
    [
        ("FIFO head", "- + BYLEX LIMIT 0 1", DEMO[:1]),
        ("Newest five", "+ - BYLEX REV LIMIT 0 5", DEMO[:0:-1]),
        ("Window JOB0Nvmd9", r"(JOB0Nvmd9\xff [JOB0Nvmd9 BYLEX REV LIMIT 0 20", DEMO[:3:-1]),
        ("Clock window", "(JOB0Nvmd9D6XPk [JOB0Nvmd8kiePI BYLEX REV LIMIT 0 20", DEMO[:1:-1]),
    ],
)
def test_each_question_is_one_command_and_lights_its_reply_in_order(label, command, reply):
    (frame,) = scene(ThreeIndexes().stage.frames, label)
    shown = text(frame.html)
    assert f"ZRANGE emq:{{orders}}:pending {command}" in shown
    assert "\n".join(f"{at}) {one}" for at, one in enumerate(reply, 1)) in shown
    assert lit(frame.html) == {one: str(at) for at, one in sorted(enumerate(reply, 1), key=lambda pair: pair[1])}


def test_the_command_on_show_is_the_one_that_browse_sends(client, monkeypatch):
    sent = []
    monkeypatch.setattr("emq.jobs.raw", lambda to, *command: sent.append(command) or raw(to, *command))
    shown = [answer for answers in the_questions(client, QUEUE).values() for answer in answers]
    assert [answer.command for answer in shown] == sent[:-1]  # the last one finds that no page is left
    assert all(answer.command == range_command(Keys(QUEUE).pending, **answer.asked) for answer in shown)


def test_a_prefix_marks_the_byte_that_leaves_it():
    (frame,) = scene(ThreeIndexes().stage.frames, "Window JOB0Nvmd9")
    assert frame.html.count("emq-cell--decides") == 4
    assert "2026-06-12 23:39:40.653 UTC to 2026-06-12 23:39:40.872 UTC" in text(frame.caption)


def test_a_clock_window_stands_between_its_two_bounds():
    (frame,) = scene(ThreeIndexes().stage.frames, "Clock window")
    keys = re.findall(r'data-key="(\w+)"', frame.html)
    assert keys == [*DEMO[:2], "since", *DEMO[2:], "until"]
    assert "since 2026-06-12 23:39:40.600 UTC until 2026-06-12 23:39:40.700 UTC" in text(frame.caption)


def test_pages_cover_the_set_once(client):
    pages = scene(ThreeIndexes().stage.frames, "Page by page")
    assert [sorted(lit(page.html)) for page in pages] == [list(DEMO[4:]), list(DEMO[2:4]), list(DEMO[:2])]


def test_own_prefix_and_own_window_are_asked_of_the_engine():
    widget = ThreeIndexes()
    widget._prefix.field.value = "JOB0Nvmd8m"
    assert list(lit(widget.stage.frames[widget.stage.index].html)) == [DEMO[2]]
    assert "1 of 6 members answer." in widget._says.value
    since, until = widget._window.fields
    since.value, until.value = "2026-06-12T23:39:40.564Z", "2026-06-12 23:39:40.585"
    press(widget, "Cut by clock")
    frame = widget.stage.frames[widget.stage.index]
    assert (frame.scene, list(lit(frame.html))) == ("Own clock window", [DEMO[0]])
    assert [choice.label for choice in frame.choices][-2:] == ["Own prefix", "Own clock window"]


@pytest.mark.parametrize(
    ("since", "until", "reply"),
    [("", "", 6), ("2026-06-12 23:39:40.677", "", 1), ("", "2026-06-12 23:39:40.564", 0)],
)
def test_a_window_may_be_open(since, until, reply):
    widget = ThreeIndexes()
    assert widget._ask_window(since, until) == f"{reply} of 6 members answer."


def test_a_prefix_of_another_kind_answers_nothing_and_says_so():
    widget = ThreeIndexes()
    widget._ask_prefix("ORD")
    frame = widget.stage.frames[widget.stage.index]
    assert "(empty)" in text(frame.html)
    assert "0 of 6 are inside." in frame.caption


def test_bad_input_shows_in_the_widget_as_text_and_leaves_the_stage_alone():
    widget = ThreeIndexes()
    before = widget.stage.frames
    widget._prefix.field.value = HOSTILE
    assert "emq-says-error" in widget._says.value
    assert "<img" not in widget._says.value
    assert "&lt;/scRipt" in widget._says.value
    widget._window.fields[0].value = HOSTILE
    press(widget, "Cut by clock")
    assert "expected a UTC time such as" in widget._says.value
    assert "<img" not in widget._says.value
    assert widget.stage.frames == before


def test_any_exception_of_a_callback_shows(monkeypatch):
    widget = ThreeIndexes()
    monkeypatch.setattr("emq.widgets.three_indexes.ask", lambda *_, **__: 1 / 0)
    press(widget, "Cut by prefix")
    assert "ZeroDivisionError" in widget._says.value


def test_since_after_until_is_refused_by_the_contract():
    widget = ThreeIndexes()
    widget._window.fields[1].value = "2026-06-12 23:39:40"
    press(widget, "Cut by clock")
    assert "expected since ≤ until" in text(widget._says.value)


def test_reset_brings_back_the_first_state():
    widget = ThreeIndexes()
    first = widget.stage.frames
    widget._prefix.field.value = "JOB0Nvmd8"
    widget._window.fields[0].value = "nonsense"
    press(widget, "Cut by clock")
    widget.stage.reset()
    assert widget.stage.frames == first
    assert widget.stage.index == 0
    assert widget._prefix.field.value == "JOB0Nvmd9"
    assert widget._window.fields[0].value == "2026-06-12 23:39:40.600"
    assert "emq-says-error" not in widget._says.value
    widget._ask_window("", "")
    assert [choice.label for choice in widget.stage.frames[0].choices][5:] == ["Own clock window"]


def test_mint_order_is_told_from_the_ids_not_from_the_bytes(client):
    ids = [BrandedId.compose("JOB", DEMO[0].unix_ms + at, node=9 - at) for at in range(3)]
    html = three_indexes_frames(ids[::-1], {"none": [ask(client, QUEUE, count=0)]})[1].html
    assert re.findall("0 · (1st|2nd|3rd)", html) == ["1st", "2nd", "3rd"]


def test_a_typed_time_keeps_its_milliseconds_and_its_offset():
    assert read_time("2026-06-12 23:39:40.677") == DEMO[5].minted_at
    assert read_time("2026-06-13T01:39:40.677+02:00") == DEMO[5].minted_at
    assert read_time("  ") is None


def test_more_members_than_a_picture_holds_are_refused():
    mint = Mint("JOB", clock=lambda: DEMO[0].unix_ms)
    twelve = [mint() for _ in range(12)]
    assert "0 · 12th" in ThreeIndexes(twelve).stage.frames[FIRST].html
    with pytest.raises(InvalidId, match="expected 1 to 12 ids"):
        ThreeIndexes([*twelve, mint()])
