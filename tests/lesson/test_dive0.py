"""Dive 0's picture and questions: read back from an engine, and each typical mistake is named."""

import pytest

from emq import rung
from emq.lesson import exercise
from emq.lesson.dive0 import CANDIDATES, CLAIMS, one_picture, one_picture_frames
from tests.widgets.helpers import text

KEYS = ("emq:{tickets}:pending", "emq:{tickets}:job:JOB0Nvmd8aV5iy")
IDS = ["JOB0Nvmd8aV5iy", "ORD0Nt6z93U3dY", "JOBAzL8n0Y58m7"]
SWAPPED = {**CLAIMS, "the second call changes nothing": "J3", "the key let it pass, the law did not": "J2"}
CHANGED = {**CLAIMS, "no second index anywhere": "J5", "ids and parameters, never rows": "J4"}


def test_the_picture_is_read_back() -> None:
    frames = one_picture_frames()
    assert len(frames) == len(one_picture().frames) == 5
    said = [text(frame.html) for frame in frames]
    assert "(integer) 1" in said[2]
    assert "attempts0payload" in said[2]
    assert "JOB0Nvmd96ZlQG JOB0Nvmd90tmoy" in said[3]
    assert "(integer) 6" in said[4]


def test_each_claim_is_in_words_of_its_line() -> None:
    lines = {rung.name_of(line): line for line in rung.RECORD}
    for claim in ("no second index anywhere", "the key let it pass, the law did not"):
        assert claim in lines[CLAIMS[claim]]
    assert sorted(CLAIMS.values()) == [name for name in lines if name.startswith("J")]


@pytest.mark.parametrize(("key", "answer"), [("0.1", CLAIMS), ("0.2", KEYS), ("0.2", list(KEYS)), ("0.3", IDS)])
def test_the_right_answer(key: str, answer: object) -> None:
    assert exercise(key).right is None
    assert exercise(key, answer).right is True


@pytest.mark.parametrize(
    ("key", "answer", "named"),
    [
        ("0.1", ["J1"], "a dict"),
        ("0.1", {**CLAIMS, "no second index anywhere": ...}, "1 of the claims"),
        ("0.1", SWAPPED, "J2 and J3 are changed over"),
        ("0.1", CHANGED, "J4 and J5 are changed over"),
        ("0.1", {**CLAIMS, "no second index anywhere": "J1"}, "J1 does not say"),
        ("0.1", {**CLAIMS, "the second call changes nothing": "j2"}, "write the name as `J2`; got 'j2'"),
        ("0.1", {**CLAIMS, "no second index anywhere": "J4 dividend"}, "write the name as `J4`; got 'J4 dividend'"),
        ("0.1", {**CLAIMS, "no second index anywhere": 4}, "write the name as `J4`; got 4"),
        ("0.1", {**CLAIMS, "no second index anywhere": ["J4"]}, "write the name as `J4`; got ['J4']"),
        ("0.1", {line: claim for claim, line in CLAIMS.items()}, "from line to claim; turn it round"),
        ("0.2", "emq:{tickets}:pending", "two keys"),
        ("0.2", KEYS[::-1], "the other way round"),
        ("0.2", [key.translate({123: None, 125: None}) for key in KEYS], "the braces are missing"),
        ("0.2", [key.replace("tickets", "queue") for key in KEYS], "called tickets"),
        ("0.2", [key.replace("tickets", "orders") for key in KEYS], "called tickets; got 'orders'"),
        ("0.2", [key.encode() for key in KEYS], "write the keys as text; got bytes"),
        (
            "0.2",
            dict(zip(("pending", "row"), KEYS, strict=True)),
            "two keys, the pending set's and the row's; got dict",
        ),
        ("0.2", (KEYS[0], "emq:{tickets}:JOB0Nvmd8aV5iy"), "the row's ends in"),
        ("0.2", ("tickets", "job"), "The pattern is"),
        ("0.3", "JOB0Nvmd8aV5iy", "as a list"),
        ("0.3", [*IDS, "JOB"], "not among"),
        ("0.3", [text for text in IDS if text.startswith("JOB")], "Any namespace makes an id"),
        ("0.3", IDS[:2], "JOBAzL8n0Y58m7 is one"),
        *[("0.3", [*IDS, text], f"{text} is no id") for text in CANDIDATES if text not in IDS],
    ],
)
def test_a_mistake_is_named(key: str, answer: object, named: str) -> None:
    verdict = exercise(key, answer)
    assert verdict.right is False
    assert named in verdict.words
