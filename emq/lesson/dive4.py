"""What dive 4, break the law, asks."""

from collections.abc import Callable
from typing import Any, Final

from emq.errors import show
from emq.ids import EPOCH_MS, LAST_MS, NODE_BITS, SEQ_BITS, BrandedId
from emq.lesson.exercises import Check, Mistake
from emq.lesson.hunt import hunt
from emq.widgets.ask import named
from emq.widgets.live_sort import DEMO
from emq.widgets.predict import Guess, Prediction

PREDICTIONS: Final = {
    "padding": Prediction(
        "The mutant leaves out the leading zeros. Which two ids will be the shortest in the wrong order?",
        (
            Guess(
                "One digit against two",
                "the first column of the one then meets the first column of the other, which counts for more",
                "The digit of the short one is compared with the leading digit of the long one. Padding is what "
                "keeps equal powers under each other.",
                right=True,
            ),
            Guess(
                "Two very large ones",
                "small numbers have so many zeros to lose that nothing can go wrong there",
                "It is the other way about: zeros lost make widths differ, and then columns no longer mean the "
                "same power.",
            ),
            Guess(
                "None: byte order will hold",
                "a shorter text goes before a longer one, and the smaller number is never the longer text",
                "It goes before only when the longer one begins with it. Otherwise the first byte that differs "
                "decides.",
            ),
        ),
    ),
    "alphabet": Prediction(
        "Digits, then lower case, then upper case: many base62 libraries do that. What breaks?",
        (
            Guess(
                "Decoding",
                "the digits mean something else now, and so the number that is read is not the one that was written",
                "Not to the mutant itself: it could read what it wrote. What it lost is the order of the bytes.",
            ),
            Guess(
                "Nothing",
                "an alphabet is only a way of writing, and one that everybody keeps to is as good as another",
                "For a reader, yes. The engine does not read: it compares bytes.",
            ),
            Guess(
                "Order",
                "in ASCII every capital is below every small letter, and this alphabet says the opposite",
                "As soon as the deciding column has a letter of each case. Digits of value ten and thirty-six "
                "are enough: the smaller is written with the larger byte.",
                right=True,
            ),
        ),
    ),
    "score": Prediction(
        "A producer's wish becomes the score, so that the urgent go first. What is the least that breaks mint order?",
        (
            Guess(
                "One job with a wish",
                "a score other than zero breaks the order of bytes all by itself",
                "One job is in order with itself, whatever its score. There is nothing to overtake.",
            ),
            Guess(
                "Two jobs, the later one with a wish",
                "scores are compared before bytes, so the later one overtakes",
                "Two jobs and one wish. From then on the least member is no longer the oldest job.",
                right=True,
            ),
            Guess(
                "Two jobs with the same wish",
                "any score other than zero is read first, and so bytes count no more",
                "Equal scores are equal: the bytes decide between them, whatever the number is.",
            ),
        ),
    ),
    "clocks": Prediction(
        "The mutant writes enqueued_at from the engine's clock. How wrong must that clock be for the row to lie?",
        (
            Guess(
                "Not at all",
                "a job is minted before it arrives, so a right clock already shows another time",
                "Two clocks measure two events. Calling both of them when the job was made is the fault.",
                right=True,
            ),
            Guess(
                "Seconds, as after a bad time setting",
                "clocks in one room agree well enough, and nobody sees less",
                "No fault is needed: travelling takes time. One millisecond on the way, and there are two answers.",
            ),
            Guess(
                "It cannot lie",
                "the engine is the one authority, and what it writes down is the time by definition",
                "It is one on its own events. The minting was not one of them.",
            ),
        ),
    ),
    "race": Prediction(
        "Somebody mends this: the mutant looks a second time, just before it writes. What does the search find now?",
        (
            Guess(
                "Nothing any more",
                "whoever comes second sees, at the second look, what the first one has written",
                "Only if it has been written by then. The first one may still be between its own second look and "
                "its write.",
            ),
            Guess(
                "Losses of another kind",
                "two looks are two moments, and each of them can see something else",
                "The first look does no harm now: only the last one is acted on, and with it the loss is the old one.",
            ),
            Guess(
                "The same loss, a turn later",
                "between the last look and the write there is still a moment, however short it is",
                "One more turn in the schedule, that is all. Only an act that looks and writes at once leaves no "
                "moment: the script.",
                right=True,
            ),
        ),
    ),
    "cargo": Prediction(
        "The payload carries the order's row. What must happen for the worker to do the wrong thing?",
        (
            Guess(
                "The payload is damaged on its way",
                "bytes get lost on the wire now and then, and nobody notices",
                "They do not: payloads are kept byte for byte. These arrived whole, and were wrong all the same.",
            ),
            Guess(
                "The order changes while the job waits",
                "a copy stays as it was, and the store moves on",
                "One change of one field. Nobody is told, since nothing failed.",
                right=True,
            ),
            Guess(
                "The row is very large",
                "large payloads are slow, and what comes late is out of date",
                "Size costs, but it does not lie. One digit is enough to be wrong by.",
            ),
        ),
    ),
    "float": Prediction(
        "The decoder sums its digits in a float. Which ids come back changed?",
        (
            Guess(
                "Those minted in a hurry, from a certain moment on",
                "a float keeps 53 bits, and the last bits of an id, the first to go, are the sequence number",
                "Yes. An id with sequence number 0 still comes back whole; its neighbours in the same "
                "millisecond collapse into it. Two jobs become one.",
                right=True,
            ),
            Guess(
                "None, not even the last id of all",
                "a float reaches far beyond any id, and what is within its reach it can hold",
                "It reaches far, with gaps. From a certain size on, not every whole number is among them.",
            ),
            Guess(
                "Only those near the end of time",
                "rounding matters for the largest numbers only, and those are minted decades from now",
                "Fifty-three bits are used up long before sixty-three are.",
            ),
        ),
    ),
    "width": Prediction(
        "The mutant checks letters and digits and takes every text of that form. What slips through?",
        (
            Guess(
                "Nothing: eleven digits are an id",
                "the form is the contract, and what has the form has all there is to have",
                "The form is half of it. Eleven digits can spell more numbers than sixty-three bits can hold.",
            ),
            Guess(
                "Ids of a wrong kind",
                "any three capitals will do, and nobody looks up whether they name a kind of job",
                "Nobody does, and that is right here: kinds are the script's to refuse.",
            ),
            Guess(
                "Texts whose number needs a sixty-fourth bit",
                "eleven digits of base sixty-two reach further than sixty-three bits",
                "And in a signed number that bit is the sign: the youngest id would read as older than the first.",
                right=True,
            ),
        ),
    ),
}


def _first_two(mutant: Callable[[int], str]) -> str:
    if not callable(mutant):
        raise Mistake(f"a mutant is a function of a number; this is {type(mutant).__name__}.")
    if _written(mutant, 0) == _written(mutant, 1):
        raise Mistake("both ids are the same text: neither goes first.")
    found = hunt("order", mutant)
    if found.stands:
        raise Mistake("this one keeps the law: no two ids were found in the wrong order.")
    for number in found.example:
        _written(mutant, number)
    if tuple(found.example) != (0, 1):
        raise Mistake(f"it breaks the law, but first at {found.example}: the first two ids of all still are in order.")
    return "from the very first two ids on, younger goes before older."


def _written(mutant: Callable[[int], str], number: int) -> str:
    try:
        text = mutant(number)
    except Exception as error:  # noqa: BLE001  # the reader's own, whatever it is: a crash is no order
        raise Mistake(
            f"it raised {type(error).__name__} at number {number}: an encoder has to write every number."
        ) from None
    if not isinstance(text, str):
        raise Mistake(f"expected text for number {number}; got {type(text).__name__}.")
    return text


_FIELDS: Final = ("state", "attempts", "payload")


def _true_fourth(row: Callable[..., dict[str, Any]]) -> str:
    if not callable(row):
        raise Mistake(f"the mutant is a function row(job_id, payload, now_ms); this is {type(row).__name__}.")
    job_id, other = DEMO[:2]
    late = job_id.unix_ms + 1
    given = _told(row, job_id, late)
    if missing := [name for name in _FIELDS if name not in given]:
        raise Mistake(f"the row lacks {missing[0]}: keep the three fields, and add a fourth.")
    extra = {name: _text(value) for name, value in given.items() if name not in _FIELDS}
    if not extra:
        raise Mistake("this row has no fourth field; the question is about one that never disagrees.")
    for name, text in extra.items():
        if not (text.isascii() and text.isdigit() and EPOCH_MS <= int(text) <= LAST_MS):
            raise Mistake(f"{name}={show(given[name])} is no time in unix milliseconds; the hunt reads it as one.")
        if text == str(late):
            raise Mistake(
                f"{name} disagrees with the id as soon as the job is a millisecond on its way: that is the other clock."
            )
        if text == _text(_told(row, other, late).get(name)) != str(other.unix_ms):
            raise Mistake(f"{name} tells the same time on every row, and each job was minted at its own.")
    if not hunt("clocks", row).stands:
        raise Mistake("the hunt catches it: the field tells another time than the id.")
    return "it never disagrees, since it is read out of the id; and so it tells nothing new, once in every row."


def _told(row: Callable[..., Any], job_id: BrandedId, now_ms: int) -> dict[str, Any]:
    try:
        given = row(job_id, b"", now_ms)
    except Exception as error:  # noqa: BLE001  # the reader's own, whatever it is
        raise Mistake(f"it raised {named(error)}. It is called as row(job_id, payload, now_ms).") from None
    if not isinstance(given, dict):
        raise Mistake(f"expected a dict; got {type(given).__name__}.")
    return given


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _first_float_ms(answer: int) -> str:
    if isinstance(answer, bool) or not isinstance(answer, int):
        raise Mistake(f"expected an int; got {type(answer).__name__}.")
    right = EPOCH_MS + ((1 << 53) + 1 >> NODE_BITS + SEQ_BITS)
    if answer == right:
        return "from then on the float's last bit is worth two sequence numbers, and twice as many with each doubling."
    if answer == right - EPOCH_MS:
        raise Mistake("that counts from the ids' own epoch: add EPOCH_MS for unix time.")
    if answer in ((1 << 53) + 1, 1 << 53):
        raise Mistake(
            "that is the snowflake itself: its time is what stands above node and sequence, so shift them away."
        )
    if answer == right // 1000:
        raise Mistake("that is in seconds; the question is about milliseconds.")
    raise Mistake("take the example's snowflake, shift node and sequence away, and add the epoch.")


EXERCISES: Final = {
    "1": Check("Write an encoder that puts even the first two ids of all in the wrong order.", _first_two),
    "2": Check(
        "Write a row with a fourth field that says in unix milliseconds when the job was minted, and that no hunt can "
        "catch.",
        _true_fourth,
    ),
    "3": Check("From which unix millisecond on can decoding through a float go wrong?", _first_float_ms),
}
