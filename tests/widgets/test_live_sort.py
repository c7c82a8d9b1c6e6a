"""The live sort: every comparison right, the end held against the record and the engine, the law broken by a score."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emq import BrandedId, connect
from emq.errors import InvalidId
from emq.ids import MAX_SNOWFLAKE, encode
from emq.widgets.live_sort import (
    DEMO,
    EQUAL,
    MIXED,
    SCRAMBLED,
    LiveSort,
    Member,
    comparisons,
    engine_replies,
    first_difference,
    live_sort_frames,
)
from tests.widgets.helpers import HOSTILE, press, scene, text

IDS = st.builds(lambda number: BrandedId("JOB" + encode(number)), st.integers(0, MAX_SNOWFLAKE))
MEMBERS = st.lists(st.builds(Member, IDS, st.integers(0, 2)), min_size=2, max_size=8, unique_by=lambda one: one.id)


@given(MEMBERS)
def test_the_comparisons_sort(members: list[Member]) -> None:
    order = members
    for step in comparisons(members):
        assert list(step.members) == order
        if step.swap:
            order = [*order]
            order[step.upper : step.upper + 2] = order[step.upper + 1], order[step.upper]
    assert order == sorted(members, key=lambda member: (member.score, member.id))


@given(IDS, IDS)
def test_the_first_difference_is_where_all_before_it_tie(a: BrandedId, b: BrandedId) -> None:
    if a != b:
        column = first_difference(a, b)
        assert a[: column - 1] == b[: column - 1]
        assert (a[column - 1] < b[column - 1]) == (a < b)


def test_the_six_ids_step_by_step() -> None:
    frames = live_sort_frames(SCRAMBLED, record=DEMO, replies={EQUAL: DEMO, MIXED: [*DEMO[1:], DEMO[0]]})
    captions = [text(frame.caption) for frame in scene(frames, EQUAL)]
    assert captions[1] == "Byte 9: 8 (0x38) is less than 9 (0x39); the upper row stays first. Leave them."
    assert captions[4] == "Byte 10: 6 (0x36) is greater than 0 (0x30); the lower row goes first. Swap."
    assert captions[-1] == (
        "Byte order is mint order: the numbers at the left say who was minted first. The static record has the same "
        "order. The engine's own ZRANGE answers in the same order."
    )
    # Mint order is hidden until the end, where the rows are numbered by it.
    marks = [re.findall(r'class="emq-mark">(.*?)<', frame.html) for frame in scene(frames, EQUAL)]
    assert [mark for mark in marks[0] if mark] == []
    assert [mark for mark in marks[1] if mark] == ["↑", "↓"]
    assert [mark for mark in marks[-1] if mark] == ["1", "2", "3", "4", "5", "6"]


def test_the_deciding_byte_is_marked_in_both_ids_and_those_before_it_tie() -> None:
    frame = live_sort_frames(SCRAMBLED)[4]
    assert frame.html.count("emq-cell--decides") == 2
    assert frame.html.count("emq-cell--tie") == 2 * 9
    assert re.findall(r"emq-here[^>]*>(\d+)<", frame.html) == ["10"]


def test_a_score_breaks_the_lex_law() -> None:
    frames = scene(live_sort_frames(SCRAMBLED), MIXED)
    captions = [text(frame.caption) for frame in frames]
    assert captions[0] == f"{DEMO[0]} was given score 1. Where will it stand?"
    assert any(
        caption.startswith("The score decides: 1 is greater than 0, before any byte is read") for caption in captions
    )
    assert captions[-1].startswith(f"Not mint order: {DEMO[0]} was minted first and does not stand first.")


def test_a_record_or_an_engine_that_differs_is_said_to_differ() -> None:
    wrong = DEMO[::-1]
    end = [text(frame.caption) for frame in live_sort_frames(SCRAMBLED, record=wrong, replies={EQUAL: wrong})]
    assert any("The static record differs." in caption for caption in end)
    assert any(f"ZRANGE answers otherwise: {' '.join(wrong)}" in caption for caption in end)


def test_ids_of_two_namespaces_are_said_to_be_out_of_mint_order() -> None:
    late, early = BrandedId.compose("ARC", DEMO[5].minted_at), DEMO[0]
    end = text(scene(live_sort_frames([early, late]), EQUAL)[-1].caption)
    assert end.startswith("Not mint order: these ids are of several namespaces")


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (DEMO[:1], "expected 2 to 8 ids to sort; got 1"),
        (DEMO * 2, "expected 2 to 8 ids to sort; got 12"),
        ((DEMO[0], DEMO[0]), "expected each id once; got BrandedId('JOB0Nvmd8aV5iy') twice"),
    ],
)
def test_what_cannot_be_sorted_is_refused(ids: tuple[BrandedId, ...], message: str) -> None:
    with pytest.raises(InvalidId, match=re.escape(message)):
        live_sort_frames(ids)


def test_the_engine_is_asked_and_nothing_is_left_behind() -> None:
    client = connect("embedded://")
    assert engine_replies(client, SCRAMBLED) == {EQUAL: list(DEMO), MIXED: [*DEMO[1:], DEMO[0]]}
    assert client.keys() == []


def test_scramble_own_ids_errors_and_reset() -> None:
    widget = LiveSort()
    first = widget.stage.frames
    ask, says = widget._ask.field, widget._says
    press(widget, "Scramble again")
    scrambled = widget.stage.frames
    assert scrambled != first
    ask.value = "JOB0Nvmd8aV5iy JOB0Nvmd8gSfSK"
    assert text(says.value) == "2 ids of your own on the stage."
    assert len(widget.stage.frames) < len(first)
    ask.value = "JOB0Nvmd8aV5iy JOB-Nvmd8gSfSK"
    assert "got '-' at character 4" in text(says.value)
    assert "emq-says-error" in says.value
    ask.value = HOSTILE
    assert "&lt;/scRipt" in says.value
    widget.reset()
    assert widget.stage.frames == first
    assert text(says.value) == ""
    assert ask.value == " ".join(SCRAMBLED)
    press(widget, "Scramble again")
    assert widget.stage.frames == scrambled  # the same scrambles again, so that a class can talk of them
