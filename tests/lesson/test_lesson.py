"""What the notebooks call: questions and checks by key, a fresh queue, the engine's line."""

import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from emq import Admission, connect
from emq.errors import InvalidQueue
from emq.keys import Keys
from emq.lesson import dive0, dive1, dive2, dive3, dive4, dive5, engine_line, exercise, fresh, own, predict
from emq.lesson.exercises import Check, Mistake, judge
from emq.widgets.live_sort import DEMO

EACH_DIVE = pytest.mark.parametrize(
    "dive", [dive0, dive1, dive2, dive3, dive4, dive5], ids=lambda dive: dive.__name__.rpartition(".")[2]
)


@pytest.mark.parametrize("key", ["1", "one.order", ".order", "1.nope"])
def test_an_unknown_key_is_refused_with_what_there_is(key: str) -> None:
    with pytest.raises(KeyError, match="expected"):
        predict(key)
    with pytest.raises(KeyError, match="expected"):
        exercise(key)


def test_three_dots_are_no_answer_yet() -> None:
    assert repr(exercise("1.1")) == "… Exercise 1.1: not answered yet"
    assert exercise("1.1", ...).right is None


def test_a_check_that_raises_is_told_not_raised() -> None:
    def check(answer: object) -> str:
        if answer == "wrong":
            raise Mistake("that is wrong")
        return str(1 / answer)  # type: ignore[operator]

    assert repr(judge("9.1", Check("", check), "wrong")) == "✗ Exercise 9.1: that is wrong"
    assert judge("9.1", Check("", check), 0).words == "your answer raised ZeroDivisionError: division by zero"
    assert judge("9.1", Check("", check), 2).right is True


def test_a_fresh_queue_has_no_key_left_and_others_are_untouched() -> None:
    client = connect("embedded://")
    for queue in ("dive-1", "dive-10"):
        assert fresh(client, queue).enqueue(DEMO[0], "") is Admission.ENQUEUED
    client.set("emq:{dive-1}:stray", "left by a lesson")
    assert fresh(client, "dive-1").pending_size() == 0
    others = Keys("dive-10")
    assert set(client.keys()) == {others.pending.encode(), others.job(DEMO[0]).encode()}


def test_a_reader_with_a_name_has_a_queue_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMQ_READER", raising=False)
    assert own("dive-1") == "dive-1"
    monkeypatch.setenv("EMQ_READER", "ada")
    assert own("dive-1") == "dive-1.ada"
    monkeypatch.setenv("EMQ_READER", "}ada")
    with pytest.raises(InvalidQueue, match="at character 8"):
        own("dive-1")


def test_the_engine_line_names_the_engine_and_how_to_change_it() -> None:
    line = engine_line(connect("embedded://"))
    assert "embedded engine (fakeredis" in line.value
    assert "EMQ_URL" in line.value
    assert repr(line) == "EngineLine()"  # the same on every engine, since nbval compares it


class Wordless(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


def test_an_error_without_words_is_told_too() -> None:
    def check(answer: object) -> str:
        raise Wordless

    verdict = judge("1.9", Check("", check), 1)
    assert (verdict.right, verdict.words) == (False, "your answer raised Wordless")


def test_an_answer_that_would_leave_is_told_and_nothing_ends() -> None:
    verdict = exercise("2.2", lambda message: sys.exit(3))
    assert (verdict.right, verdict.words) == (False, "your answer raised SystemExit: 3")


def test_a_verdict_never_repeats_an_endless_answer() -> None:
    verdict = exercise("0.3", ["x" * 1_000_000])
    assert verdict.right is False
    assert len(repr(verdict)) < 1000


@pytest.mark.parametrize("key", ["99.order", "٣.order"])
def test_a_dive_that_is_not_there_is_an_unknown_key(key: str) -> None:
    with pytest.raises(KeyError, match="expected"):
        predict(key)


@EACH_DIVE
def test_a_dive_asks_three_times_or_more_and_each_prediction_draws(dive: ModuleType) -> None:
    assert min(len(dive.PREDICTIONS), len(dive.EXERCISES)) >= 3
    for key, asked in dive.PREDICTIONS.items():
        assert len(predict(f"{dive.__name__[-1]}.{key}").frames) == 1 + len(asked.guesses)
        assert sum(guess.right for guess in asked.guesses) == 1


@EACH_DIVE
def test_neither_place_nor_length_gives_the_right_guess_away(dive: ModuleType) -> None:
    asked = dive.PREDICTIONS.values()
    places = [next(at for at, guess in enumerate(one.guesses) if guess.right) for one in asked]
    counts = [places.count(at) for at in range(3)]
    assert max(counts) - min(counts) <= 1
    longest = [max(one.guesses, key=lambda guess: len(guess.label + guess.reason)).right for one in asked]
    assert 5 * sum(longest) <= 3 * len(asked)
    for one in asked:
        assert not [guess for guess in one.guesses if guess.reason.startswith("because")]  # the Stage says so itself
        lengths = [len(guess.label + guess.reason) for guess in one.guesses]
        assert max(lengths) <= 1.7 * min(lengths), (one.question, lengths)


@pytest.mark.parametrize("mutant", [lambda number: "x", lambda number: str(1 / 0)])
def test_an_encoder_without_an_order_has_not_put_two_ids_in_the_wrong_one(mutant: Callable[[int], str]) -> None:
    assert exercise("4.1", mutant).right is False
