"""Each law is broken by its mutant, at the smallest example there is, and stands once the mutant is repaired."""

import json
import re
import time

import pytest
import redis
from hypothesis import find, settings

from emq import Admission, BrandedId, InvalidId, Jobs, cargo, connect, ids
from emq.ids import ALPHABET, MAX_SNOWFLAKE, encode
from emq.lesson import dive4, hunt
from emq.lesson.hunt import LAWS, LOWER_FIRST, OwnAlphabet, in_alphabet
from emq.lesson.laws import NoMutant
from emq.widgets import Counterexample
from emq.widgets.counterexample import counterexample_frames
from emq.widgets.live_sort import DEMO


def unpadded(number):
    return encode(number).lstrip("0") or "0"


def by_wish(job_id, wish):
    return -wish


def dated(job_id, payload, now_ms):
    return {"state": "pending", "attempts": "0", "payload": payload, "enqueued_at": str(now_ms)}


def undated(job_id, payload, now_ms):
    return {"state": "pending", "attempts": "0", "payload": payload}


def split(client, keys, job_id, payload):
    if client.exists(keys.job(job_id)):
        return Admission.DUPLICATE
    yield
    client.zadd(keys.pending, {job_id: 0})
    client.hset(keys.job(job_id), mapping={"state": "pending", "attempts": "0", "payload": payload})
    return Admission.ENQUEUED


def looks_twice(client, keys, job_id, payload):
    if client.exists(keys.job(job_id)):
        return Admission.DUPLICATE
    yield
    return (yield from split(client, keys, job_id, payload))


def whole(client, keys, job_id, payload):
    yield
    return Jobs(client, keys.queue).enqueue(job_id, payload)


def ship_row(order_id, store):
    return json.dumps(store[order_id])


def read_row(payload, store):
    return json.loads(payload)


def ship_id(order_id, store):
    return cargo.pack({"order_id": order_id})


def look_up(payload, store):
    return store[cargo.unpack(payload)["order_id"]]


def through_a_float(digits):
    number = 0.0
    for char in digits:
        number = number * 62 + ALPHABET.index(char)
    return int(number)


def strict(text):
    try:
        BrandedId(text)
    except InvalidId:
        return False
    return True


def score_zero(job_id, wish):
    return 0


well_formed = re.compile("[A-Z]{3}[0-9A-Za-z]{11}").fullmatch

MUTANTS = {
    "unpadded": ("order", (unpadded,), (2, 62), "The order theorem"),
    "lower_first": ("order", (in_alphabet(LOWER_FIRST),), (10, 36), "The order theorem"),
    "score": ("score", (by_wish,), [0, 1], "Score zero"),
    "dated": ("clocks", (dated,), 1, "The two clocks"),
    "split": ("once", (split,), "B", "One script"),
    "row": ("cargo", (ship_row, read_row), (0, 1), "The cargo law"),
    "float": ("exact", (through_a_float,), 2**53 + 1, "The round trip"),
    "width": ("width", (well_formed,), 2**63, "The 63 bits"),
}
REPAIRED = {
    "order": (encode,),
    "score": (score_zero,),
    "clocks": (undated,),
    "once": (whole,),
    "cargo": (ship_id, look_up),
    "exact": (ids.decode,),
    "width": (strict,),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_each_mutant_is_found_out_at_the_smallest_example(name) -> None:
    law, mutant, smallest, invariant = MUTANTS[name]
    started = time.monotonic()
    found = hunt.hunt(law, *mutant)
    assert time.monotonic() - started < 10
    assert (found.law, found.example) == (invariant, smallest)
    assert invariant in repr(found)
    assert found.story.repair
    Counterexample(found.story)


@pytest.mark.parametrize("law", REPAIRED)
def test_each_law_stands_once_the_mutant_is_repaired(law) -> None:
    assert LAWS.keys() == REPAIRED.keys()
    found = hunt.hunt(law, *REPAIRED[law])
    assert found.stands
    assert found.example is None
    assert "no counterexample found" in repr(found)


@pytest.mark.parametrize("name", ["unpadded", "lower_first", "float", "width"])
@pytest.mark.parametrize("seed", range(3))
def test_the_smallest_does_not_hang_on_chance(name, seed, monkeypatch) -> None:
    from random import Random

    def seeded(strategy, condition, settings):
        return find(strategy, condition, settings=settings_without_derandomize, random=Random(seed))

    settings_without_derandomize = settings(hunt._SETTINGS, derandomize=False)
    monkeypatch.setattr(hunt.hypothesis, "find", seeded)
    law, mutant, smallest, _ = MUTANTS[name]
    assert hunt.hunt(law, *mutant).example == smallest


def test_the_smallest_pairs_are_the_smallest() -> None:
    for name in ("unpadded", "lower_first"):
        _, (mutant,), smallest, _ = MUTANTS[name]
        wrong = [(b, a) for b in range(100) for a in range(b) if mutant(a) >= mutant(b)]
        assert min(wrong)[::-1] == smallest


def test_a_rare_mutant_is_found_among_the_small_ones() -> None:
    swapped = in_alphabet(ALPHABET[:-2] + ALPHABET[:-3:-1])
    assert hunt.hunt("order", swapped).example == (60, 61)


def test_where_the_law_needs_an_engine_any_will_do_and_nothing_is_left_behind(client) -> None:
    assert hunt.hunt("once", split, client=client).example == "B"
    assert hunt.hunt("once", whole, client=client).stands
    assert hunt.hunt("score", by_wish, client=client).example == [0, 1]
    assert list(client.scan_iter("emq:{hunt-*")) == []


def test_a_mutant_that_raises_breaks_its_law_and_is_told_so() -> None:
    def crashes(number):
        raise RuntimeError("</scRipt ><img src=x>")

    found = hunt.hunt("order", crashes)
    assert found.example == (0, 1)
    (frame,) = counterexample_frames(found.story)
    assert "RuntimeError" in frame.caption
    assert "<img" not in frame.caption + frame.html


@pytest.mark.parametrize("error", [redis.ConnectionError, redis.TimeoutError])
def test_an_engine_that_is_away_for_a_moment_is_no_counterexample(error, monkeypatch) -> None:
    def away(*_, **__):
        raise error("no answer")

    client = connect("embedded://")
    monkeypatch.setattr(client, "zadd", away)
    with pytest.raises(error, match="no answer"):
        hunt.hunt("score", score_zero, client=client)


@pytest.mark.parametrize(
    ("law", "mutant", "said"),
    [
        ("order", (), "expected encode"),
        ("order", ("no function",), "expected encode"),
        ("cargo", (ship_row,), "receive"),
        ("order", (lambda number: number,), "to give str; got int"),
        ("score", (lambda job_id, wish: "high",), "to give float; got str"),
        ("clocks", (lambda *_: None,), "to give dict; got NoneType"),
        ("once", (lambda *_: 1,), "a generator"),
        ("exact", (lambda digits: 1.0,), "to give int; got float"),
        ("cargo", (lambda *_: 1, lambda *_: 1), "str or bytes; got 1"),
    ],
)
def test_what_is_no_mutant_is_refused(law, mutant, said) -> None:
    with pytest.raises(NoMutant, match=re.escape(said)):
        hunt.hunt(law, *mutant)


def test_a_second_look_makes_the_schedule_a_turn_longer_and_no_more() -> None:
    """What the prediction about the race says."""
    assert hunt.hunt("once", looks_twice).example == "BB"


def test_an_unknown_law_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match=r"order, score.*'entropy'"):
        hunt.hunt("entropy", encode)


@pytest.mark.parametrize(("alphabet", "said"), [("abc", "62 characters; got 3"), ("aba", "'a' again at character 3")])
def test_an_alphabet_is_62_characters_each_once(alphabet, said) -> None:
    with pytest.raises(NoMutant, match=re.escape(said)):
        in_alphabet(alphabet)


def test_own_alphabet_hunts_says_and_resets() -> None:
    own = OwnAlphabet()
    first = own.stage.frames
    own._ask.field.value = ALPHABET
    assert "no counterexample" in own._says.value
    assert len(own.stage.frames) == 1
    own._ask.field.value = "<img src=x>"
    assert "emq-says-error" in own._says.value
    assert "<img" not in own._says.value
    own.reset()
    assert own.stage.frames == first
    assert own._ask.field.value == LOWER_FIRST


# Dive 4's questions.


def backwards(number):
    return encode(MAX_SNOWFLAKE - number)


def crashes_later(number):
    if number == 2:
        raise RuntimeError
    return encode(number)


def with_field(tell):
    return lambda job_id, payload, now_ms: undated(job_id, payload, now_ms) | {"extra": tell(job_id)}


def fourth(job_id, payload, now_ms):
    return {"state": "pending", "attempts": "0", "payload": payload, "minted_ms": job_id.unix_ms}


FIRST = (2**53 + 1 >> 22) + ids.EPOCH_MS


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("1", backwards),
        ("2", fourth),
        ("2", with_field(lambda job_id: str(job_id.unix_ms))),
        ("2", with_field(lambda job_id: str(job_id.unix_ms).encode())),
        ("3", FIRST),
    ],
)
def test_right_answers_are_praised(key, answer) -> None:
    assert dive4.EXERCISES[key].check(answer).endswith(".")


def test_what_a_float_does_to_ids_of_one_millisecond_is_what_the_prediction_says() -> None:
    """Sequence number 0 comes back whole, whenever and wherever it was minted; its neighbours do not."""
    for when in (FIRST, DEMO[0].unix_ms, ids.LAST_MS):
        for node in (0, 1, 1023):
            first, second = (BrandedId.compose("JOB", when, node, seq) for seq in (0, 1))
            assert through_a_float(first[3:]) == first.snowflake
            assert through_a_float(second[3:]) != second.snowflake
    right = next(guess for guess in dive4.PREDICTIONS["float"].guesses if guess.right)
    assert "sequence number 0 still comes back whole" in right.reply


def test_a_law_says_what_is_hunted() -> None:
    """One score for all stands, whatever it is; so does a row that repeats the id's own time."""
    assert hunt.hunt("score", lambda job_id, wish: 7).stands
    assert LAWS["score"].sentence == "One score for all: the bytes decide only among equal scores; here it is 0."
    assert hunt.hunt("clocks", fourth).stands
    assert LAWS["clocks"].sentence == "No field of a row tells another mint time than the id does."


@pytest.mark.parametrize(
    ("key", "answer", "mistake"),
    [
        ("1", 7, "a function of a number"),
        ("1", encode, "keeps the law"),
        ("1", unpadded, "first at (2, 62)"),
        ("1", lambda number: 1 / 0, "it raised ZeroDivisionError at number 0: an encoder has to write every number."),
        ("1", lambda a, b: "x", "it raised TypeError at number 0: an encoder has to write every number."),
        ("1", lambda: None, "it raised TypeError at number 0: an encoder has to write every number."),
        ("1", crashes_later, "it raised RuntimeError at number 2: an encoder has to write every number."),
        ("1", lambda number: "0", "both ids are the same text: neither goes first."),
        ("1", lambda number: number, "expected text for number 0; got int."),
        ("2", None, "row(job_id"),
        ("2", lambda *_: None, "expected a dict; got NoneType."),
        ("2", lambda: None, "it raised TypeError"),
        (
            "2",
            with_field(lambda job_id: job_id.minted_at.isoformat()),
            "extra='2026-06-12T23:39:40.564000+00:00' is no time",
        ),
        (
            "2",
            with_field(lambda job_id: job_id.namespace),
            "extra='JOB' is no time in unix milliseconds; the hunt reads it",
        ),
        (
            "2",
            with_field(lambda job_id: "red"),
            "extra='red' is no time in unix milliseconds; the hunt reads it as one.",
        ),
        ("2", with_field(lambda job_id: job_id.unix_ms // 1000), "is no time in unix milliseconds"),
        ("2", with_field(lambda job_id: DEMO[0].unix_ms), "the same time on every row"),
        ("2", with_field(lambda job_id: job_id.unix_ms - 1), "tells another time than the id."),
        ("2", lambda job_id, payload, now_ms: {"minted_ms": job_id.unix_ms}, "lacks state"),
        ("2", undated, "no fourth field"),
        ("2", dated, "the other clock"),
        ("3", FIRST - ids.EPOCH_MS, "add EPOCH_MS"),
        ("3", 2**53 + 1, "shift them away"),
        ("3", FIRST // 1000, "in seconds"),
        ("3", 1, "shift node and sequence away"),
        ("3", "x", "expected an int; got str."),
        ("3", True, "expected an int; got bool."),
        ("3", BrandedId("JOB00fFgnDxSe9").minted_at, "expected an int; got datetime."),
    ],
)
def test_typical_wrong_answers_are_named(key, answer, mistake) -> None:
    with pytest.raises(dive4.Mistake, match=re.escape(mistake)) as raised:
        dive4.EXERCISES[key].check(answer)
    assert str(raised.value).endswith(".")
