"""A story becomes frames: the bytes that tie, the one that decides, and every hostile byte as text."""

import pytest

from emq.widgets.counterexample import BROKEN, REPAIRED, Beat, Counterexample, Line, Story, Turn, counterexample_frames
from emq.widgets.stage import wire_frames
from tests.widgets.helpers import HOSTILE


def story(*beats: Beat, repair: tuple[Beat, ...] = ()) -> Story:
    return Story("A law", "It holds.", beats, repair)


def compared(a: bytes | str, b: bytes | str, says: str = "So.") -> list[str]:
    beat = Beat(says, [Line("a", a), Line("b", b)], compare=True)
    return [frame.caption for frame in counterexample_frames(story(beat))]


def test_ties_come_first_and_then_the_byte_that_decides() -> None:
    ties, decides = counterexample_frames(story(Beat("So.", [Line("a", "JOB2"), Line("b", "JOB10")], compare=True)))
    assert ties.caption == "Bytes 1 to 3 tie: nothing is decided yet."
    assert ties.html.count("emq-cell--tie") == 6
    assert "emq-cell--decides" not in ties.html
    assert "Byte 4:" in decides.caption
    assert "is above" in decides.caption
    assert decides.caption.endswith("So.")
    assert decides.html.count("emq-cell--decides") == 2


def test_the_first_byte_may_decide_at_once() -> None:
    (caption,) = compared("2", "10")
    assert "Byte 1:" in caption


def test_one_tie_is_one_byte() -> None:
    assert compared("1a", "1b")[0] == "Byte 1 ties: nothing is decided yet."


def test_a_shorter_one_that_the_longer_begins_with_goes_first() -> None:
    assert "a has ended, and the shorter goes first" in compared("JOB1", "JOB10")[1]
    assert "b has ended" in compared("JOB10", "JOB1")[1]


def test_equal_bytes_decide_nothing() -> None:
    (caption,) = compared("same", "same")
    assert caption == "So. All 4 bytes are the same."


def test_bytes_above_ascii_are_shown_by_their_number() -> None:
    caption = compared(b"\xff", b"\x00")[0]
    assert "\\xff" in caption
    assert "0x00" in caption


def test_what_is_too_long_for_cells_is_a_line_of_text() -> None:
    frame = counterexample_frames(story(Beat("So.", [Line("a", "x" * 21), Line("b", "y")], compare=True)))[-1]
    assert "emq-cell" not in frame.html
    assert "x" * 21 in frame.html


def test_two_scenes_and_a_choice_of_either() -> None:
    frames = counterexample_frames(story(Beat("broke"), Beat("still"), repair=(Beat("mended"),)))
    assert [frame.scene for frame in frames] == [BROKEN, BROKEN, REPAIRED]
    assert [(choice.label, choice.goto) for choice in frames[0].choices] == [("What broke", 0), ("The repair", 2)]
    assert counterexample_frames(story(Beat("broke")))[0].choices == ()


def test_turns_stand_in_the_column_of_their_client() -> None:
    turns = (Turn("B", ("EXISTS", "k"), "0"), Turn("A", ("EXISTS", "k"), "0"))
    html = counterexample_frames(story(Beat("", turns=turns, clients="AB")))[0].html
    first, second = html.split("<tr")[2:]
    assert first.index("<td></td>") < first.index("EXISTS")
    assert second.index("EXISTS") < second.index("<td></td>")
    assert "emq-turn--now" in second
    assert "emq-turn--now" not in first


@pytest.mark.parametrize("bits", [0, 2**63 - 1, 2**63, 2**64 - 1])
def test_64_bits_with_the_sign_first(bits) -> None:
    html = counterexample_frames(story(Beat("", bits=bits)))[0].html
    assert html.count("emq-bit ") == 64
    assert f"the sign, which is {bits >> 63}" in html


def test_backticks_set_data_off() -> None:
    caption = counterexample_frames(story(Beat("the id `<b>` is")))[0].caption
    assert "<code" in caption
    assert "&lt;b&gt;" in caption


def test_hostile_text_is_text_wherever_it_stands() -> None:
    beat = Beat(
        f"{HOSTILE} `{HOSTILE}`",
        [Line(HOSTILE, HOSTILE, HOSTILE), Line("b", HOSTILE.encode())],
        compare=True,
        head=HOSTILE,
        sent=((HOSTILE, HOSTILE.encode()), HOSTILE),
        turns=(Turn(HOSTILE, (HOSTILE,), HOSTILE),),
        clients=(HOSTILE,),
        keys={HOSTILE: [(HOSTILE, HOSTILE)]},
    )
    short = Beat("", [Line(HOSTILE, "<img>", HOSTILE)], head=HOSTILE)
    frames = counterexample_frames(Story(HOSTILE, HOSTILE, [beat, short], [beat]))
    for frame in wire_frames(frames):
        assert "<img" not in frame["html"] + frame["caption"]
        assert "</scRipt" not in frame["html"] + frame["caption"]


def test_the_widget_holds_the_frames() -> None:
    told = story(Beat("broke"), repair=(Beat("mended"),))
    assert Counterexample(told).frames == counterexample_frames(told)
