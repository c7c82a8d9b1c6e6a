"""Dive 3's exercises: right answers are praised, and each typical wrong one is named."""

import pytest

from emq.ids import EPOCH_MS, BrandedId
from emq.lesson import exercise
from emq.lesson.dive3 import EXERCISES
from emq.widgets.live_sort import DEMO

ORDER = BrandedId("ORD0Nt6z93U3dY")
S = ORDER.snowflake
PARCEL = {"order_id": ORDER, "qty": 2}
ROW = {"order_id": "ORD0Nt6z93U3dY", "address": "12 Elm Street", "status": "paid"}
RIGHT = {
    "3.1": DEMO[:3],
    "3.2": DEMO[1:4],
    "3.3": (ORDER.unix_ms, 7, 0),
    "3.4": {"order_id": ORDER, "qty": 2},
}


@pytest.mark.parametrize(("key", "answer"), RIGHT.items())
def test_the_right_answer_is_praised(key, answer):
    assert exercise(key, answer).right is True


def test_every_exercise_has_a_right_answer_here_and_none_is_answered_yet():
    assert {f"3.{key}" for key in EXERCISES} == RIGHT.keys()
    assert {exercise(key).words for key in RIGHT} == {"not answered yet"}


@pytest.mark.parametrize(
    ("key", "answer", "named"),
    [
        ("3.1", DEMO[2::-1], "that is descending: the right three"),
        ("3.1", DEMO[:2:-1], "that is descending: browse is newest first"),
        ("3.1", DEMO[3:], "the three newest, turned round"),
        ("3.1", DEMO[:1], "count says how many"),
        ("3.1", DEMO, "count says how many"),
        ("3.1", [DEMO[0], DEMO[2], DEMO[1]], "not the three oldest"),
        ("3.1", DEMO[0], "expected a list of ids"),
        ("3.2", DEMO[:4], "the prefix JOB0Nvmd8, not the clock window"),
        ("3.2", DEMO[4:], "what a prefix cuts out, not the clock window"),
        ("3.2", DEMO[1:5], "until is outside"),
        ("3.2", DEMO[2:4], "since is inside"),
        ("3.2", DEMO[1:], "the 3 are in it, and 2 more that were minted later: give `until`"),
        ("3.2", DEMO[:1], "expected the 3 jobs minted in [since, until)"),
        ("3.3", (S // 1000, 7, 0), "divided by 1000"),
        ("3.3", (S // 1000 + EPOCH_MS, 7, 0), "divided by 1000"),
        ("3.3", ((S >> 22) // 1000, 7, 0), "divided by 1000"),
        ("3.3", (S >> 22, 7, 0), "Add EPOCH_MS"),
        ("3.3", (EPOCH_MS + S >> 22, 7, 0), "`+` binds before `>>`: put the shift in parentheses"),
        ("3.3", (1, 7, 0), "the upper 41 bits"),
        ("3.3", (S / 2**22 + EPOCH_MS, 7, 0), "a float came in"),
        ("3.3", (ORDER.unix_ms, S >> 12, 0), "keep its 10 bits"),
        ("3.3", (ORDER.unix_ms, 0, 7), "swapped"),
        ("3.3", (ORDER.unix_ms, 8, 0), "the node is not right"),
        ("3.3", (ORDER.unix_ms, 7, S), "the low 12 bits"),
        ("3.3", ORDER.unix_ms, "expected three numbers"),
        ("3.4", {"order": {"order_id": ORDER}, "qty": 2}, "which is a row"),
        ("3.4", {"order_id": S, "qty": 2}, "the number under the id"),
        ("3.4", {"qty": 2}, "is not in it"),
        ("3.4", {"order_id": ORDER, "qty": 2, "address": "12 Elm Street"}, "goes stale"),
        ("3.4", {"order_id": ORDER}, "the quantity is missing"),
        (
            "3.4",
            {**PARCEL, "status": "paid"},
            "the status is the order's own, and it changes: the far side looks it up",
        ),
        ("3.4", {**PARCEL, "row": str(ROW)}, "'row' carries the order's own fields as text"),
        ("3.4", {**PARCEL, "language": "en"}, "'language' is more than was asked for"),
        ("3.4", {**PARCEL, "qty": "2"}, "the quantity should be the number 2; got '2'"),
        ("3.4", {**PARCEL, "qty": 3}, "the quantity should be the number 2; got 3"),
        ("3.4", {"order_id": ORDER, "quantity": 2}, "call the quantity `qty`; got 'quantity'"),
        ("3.4", b"{}", "before it is packed"),
        ("3.4", [ORDER, 2], "expected a mapping"),
        ("3.2", ["nonsense"], "InvalidId"),
    ],
)
def test_a_wrong_answer_is_told_its_name(key, answer, named):
    verdict = exercise(key, answer)
    assert verdict.right is False
    assert named in verdict.words
