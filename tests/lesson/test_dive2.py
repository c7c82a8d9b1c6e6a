"""Dive 2's questions: the right answer is praised, and each typical mistake is named."""

from contextlib import suppress
from typing import Any

import pytest

from emq import Admission, Jobs, KindRefused, connect
from emq.lesson import exercise, fresh
from emq.lesson.dive2 import FOLLOWED

RIGHT = [1, 1, 0, "EMQKIND", 0]


def first_word(message: str) -> bool:
    return message.partition(" ")[0] == "EMQKIND"


def surely(call: Any) -> bool:
    while True:
        try:
            call()
        except ConnectionError:
            continue
        return True


@pytest.mark.parametrize(("key", "answer"), [("2.1", RIGHT), ("2.2", first_word), ("2.3", surely)])
def test_the_right_answer(key: str, answer: object) -> None:
    assert exercise(key).right is None
    assert exercise(key, answer).right is True


def test_the_right_answer_of_the_first_is_the_engines_own() -> None:
    jobs: Jobs = fresh(connect("embedded://"), "exercise")
    said: list[object] = []
    for job_id, payload in FOLLOWED:
        try:
            said.append(int(jobs.enqueue(job_id, payload)))
        except KindRefused as refused:
            said.append(refused.code)
    assert said == RIGHT


def once(call: Any) -> bool:
    call()
    return True


def until_true(call: Any) -> bool:
    while True:
        try:
            if call():
                return True
        except Exception:  # noqa: BLE001 - the mistake itself
            pass


def three_times(call: Any) -> bool:
    for _ in range(3):
        try:
            call()
        except ConnectionError:
            continue
        return True
    raise ConnectionError("three times is enough")


def three_times_quietly(call: Any) -> bool:
    with suppress(ConnectionError):
        return three_times(call)
    return False


def without_asking_again(call: Any) -> bool:
    with suppress(ConnectionError):
        call()
    return True


def swallow(call: Any) -> bool:
    while True:
        try:
            call()
        except Exception:  # noqa: BLE001 - the mistake itself
            continue
        return True


def news(call: Any) -> bool:
    while True:
        try:
            return call() == 1 or not calls_lost
        except ConnectionError:
            calls_lost.append(1)


calls_lost: list[int] = []


@pytest.mark.parametrize(
    ("key", "answer", "named"),
    [
        ("2.1", "11", "a list of answers"),
        ("2.1", RIGHT[:4], "5 answers"),
        ("2.1", [1, 1, 1, "EMQKIND", 0], "the id is the job"),
        ("2.1", [1, 1, 0, 0, 0], "by an error class"),
        ("2.1", [1, 1, 0, 1, 0], "by an error class"),
        ("2.1", [1, 1, 0, "EMQKIND", 1], "has changed nothing"),
        ("2.1", [1, 1, "EMQKIND", "EMQKIND", 0], "a duplicate, which is a success"),
        ("2.1", [0, 0, 0, "EMQKIND", 0], "not yet"),
        ("2.1", [0, 0, 1, "EMQKIND", 1], "1 is enqueued, 0 is duplicate: yours are exchanged"),
        ("2.1", ["1", "1", "0", "EMQKIND", "0"], "the numbers 1 and 0, and the text \"EMQKIND\"; got '1'"),
        ("2.1", ["ENQUEUED", 1, 0, "EMQKIND", 0], "the numbers 1 and 0, and the text \"EMQKIND\"; got 'ENQUEUED'"),
        ("2.1", [1, 1, 0, "emqkind", 0], "the numbers 1 and 0, and the text \"EMQKIND\"; got 'emqkind'"),
        ("2.2", "EMQKIND", "expected a function"),
        ("2.2", lambda message: False, "first word is the class"),
        ("2.2", lambda message: message == "EMQKIND job id must be JOB-namespaced", "the whole message"),
        ("2.2", lambda message: "job id must be" in message, "reads the sentence, which somebody may improve"),
        ("2.2", lambda message: "EMQKIND" in message, "the first word only"),
        ("2.2", lambda message: message.startswith("EMQKIND"), "the whole first word"),
        ("2.2", lambda message: True, "another class"),
        ("2.3", True, "expected a function"),
        ("2.3", lambda call: True, "it never makes the call"),
        ("2.3", lambda call: call() and None, "a first answer of ENQUEUED"),
        ("2.3", lambda call: bool(call()), "false to Python's if"),
        ("2.3", lambda call: call() is Admission.ENQUEUED, "DUPLICATE"),
        ("2.3", without_asking_again, "after a lost reply, without having asked again. Nobody has answered yet."),
        ("2.3", three_times_quietly, "gave up after 3 lost replies and returned False: ask until you are answered."),
        ("2.3", until_true, "goes on asking"),
        ("2.3", once, "gives up at lost reply number 1"),
        ("2.3", three_times, "gives up at lost reply number 3"),
        ("2.3", news, "the lost call had worked"),
        ("2.3", swallow, "swallows the refusal"),
    ],
)
def test_a_mistake_is_named(key: str, answer: object, named: str) -> None:
    calls_lost.clear()
    verdict = exercise(key, answer)
    assert verdict.right is False
    assert named in verdict.words


def test_an_answer_that_raises_is_told() -> None:
    assert "ZeroDivisionError" in exercise("2.2", lambda message: 1 / 0).words
