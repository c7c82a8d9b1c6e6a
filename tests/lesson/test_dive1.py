"""Dive 1's exercises: the right answers, and each typical mistake named."""

import pytest

from emq.ids import EPOCH_MS
from emq.lesson import exercise
from emq.lesson.dive1 import ASKED, SHUFFLED

ROW = ["state", "attempts", "payload"]


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("1.1", ROW),
        ("1.1", {b"state", b"attempts", b"payload"}),
        ("1.2", ASKED.unix_ms),
        ("1.3", sorted(SHUFFLED)),
        ("1.3", tuple(map(str, sorted(SHUFFLED)))),
    ],
)
def test_right_answers(key: str, answer: object) -> None:
    assert exercise(key, answer).right is True


@pytest.mark.parametrize(
    ("key", "answer", "named"),
    [
        ("1.1", [*ROW, "enqueued_at"], "absent by design|not there by design"),
        ("1.1", [*ROW, "id"], "the id is the row's name"),
        ("1.1", ROW[:2], "1 still missing"),
        ("1.1", [*ROW, "priority"], "priority is one too many"),
        ("1.1", ["State", "attempts", "payload"], "'State' is not a field; is it spelt so?"),
        ("1.1", ["state", "attempt", "payload"], "'attempt' is not a field; is it spelt so?"),
        ("1.1", "state", "expected the names of the fields, as a list; got str"),
        ("1.2", ASKED.unix_ms - EPOCH_MS, "the epoch of the ids"),
        ("1.2", ASKED.unix_ms // 1000, "those are seconds"),
        ("1.2", ASKED.snowflake // 1000, "shift the lower 22 away"),
        ("1.2", ASKED.snowflake // 1000 + EPOCH_MS, "shift the lower 22 away"),
        ("1.2", ASKED.snowflake, "the whole snowflake"),
        ("1.2", EPOCH_MS + ASKED.snowflake >> 22, "`\\+` binds before `>>`: put the shift in parentheses"),
        ("1.2", ASKED.snowflake >> 22 + EPOCH_MS, "`\\+` binds before `>>`: put the shift in parentheses"),
        ("1.2", ASKED.unix_ms + 7, "7 ms off"),
        ("1.2", float(ASKED.unix_ms), "expected unix milliseconds, an int; got float"),
        ("1.3", sorted(SHUFFLED, reverse=True), "descending"),
        ("1.3", sorted(SHUFFLED, key=str.lower), "ignores case"),
        ("1.3", sorted(SHUFFLED)[:3], "the same 4 ids"),
        ("1.3", [*sorted(SHUFFLED)[1:], sorted(SHUFFLED)[0]], "stop at the first byte that differs"),
        ("1.3", "JOB", "expected a list of the ids; got str"),
        ("1.3", set(SHUFFLED), "expected a list of the ids; got set"),
        ("1.1", b"state", "as a list; got bytes"),
    ],
)
def test_the_mistake_is_named(key: str, answer: object, named: str) -> None:
    import re

    verdict = exercise(key, answer)
    assert verdict.right is False
    assert re.search(named, verdict.words), verdict.words
