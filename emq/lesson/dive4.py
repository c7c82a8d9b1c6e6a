"""What dive 4, break the law, asks."""

from collections.abc import Callable
from typing import Any, Final

from emq.ids import EPOCH_MS, NODE_BITS, SEQ_BITS
from emq.lesson.exercises import Check, Mistake
from emq.lesson.hunt import hunt
from emq.widgets.live_sort import DEMO
from emq.widgets.predict import Guess, Prediction

PREDICTIONS: Final = {
    "padding": Prediction(
        "The mutant leaves out the leading zeros. Which two ids will be the shortest in the wrong order?",
        (
            Guess(
                "Two very large ones",
                "small numbers have so many zeros to lose that nothing can go wrong there",
                "It is the other way about: zeros lost make widths differ, and then columns no longer "
                "mean the same power.",
            ),
            Guess(
                "One digit against two",
                "the first column of the one then meets the first column of the other, which counts for more",
                "The digit of the short one is compared with the leading digit of the long one. Padding is what keeps "
                "equal powers under each other.",
                right=True,
            ),
            Guess(
                "None: byte order will hold",
                "a shorter text goes before a longer one",
                "Only when the longer one begins with it. Otherwise the first byte that differs decides.",
            ),
        ),
    ),
    "alphabet": Prediction(
        "Digits, then lower case, then upper case: many base62 libraries do that. What breaks?",
        (
            Guess(
                "Decoding",
                "the digits mean something else now",
                "Not to the mutant itself: it could read what it wrote. What it lost is the order of the bytes.",
            ),
            Guess(
                "Order, as soon as one id has a letter of each case in the deciding column",
                "in ASCII every capital is below every small letter, and this alphabet says the opposite",
                "Two digits of value ten and thirty-six are enough: the smaller is written with the larger byte.",
                right=True,
            ),
            Guess(
                "Nothing",
                "an alphabet is only a way of writing",
                "For a reader, yes. The engine does not read: it compares bytes.",
            ),
        ),
    ),
    "score": Prediction(
        "A producer's wish becomes the score, so that the urgent go first. What is the least that breaks mint order?",
        (
            Guess(
                "One job with a wish",
                "a score other than zero breaks the law all by itself",
                "It breaks the letter of it. With one member, though, there is no order to lose.",
            ),
            Guess(
                "Two jobs, the later one with a wish",
                "scores are compared before bytes, so the later one overtakes",
                "Two jobs and one wish. From then on the least member is no longer the oldest job.",
                right=True,
            ),
            Guess(
                "Two jobs with the same wish",
                "any two scores disturb the bytes",
                "Equal scores are equal: the bytes decide between them, whatever the number is.",
            ),
        ),
    ),
    "clocks": Prediction(
        "The mutant writes enqueued_at from the engine's clock. How wrong must that clock be for the row to lie?",
        (
            Guess(
                "Seconds, as after a bad time setting",
                "clocks in one room agree well enough",
                "No fault is needed: travelling takes time. One millisecond on the way, and there are two answers.",
            ),
            Guess(
                "Not at all",
                "a job is minted before it arrives, so a right clock already shows another time",
                "Two clocks measure two events. Calling both of them when the job was made is the fault.",
                right=True,
            ),
            Guess(
                "It cannot lie",
                "the engine is the one authority",
                "On its own events. The minting was not one of them.",
            ),
        ),
    ),
    "race": Prediction(
        "Look, then write, as two commands. How often must the two producers take turns for a job to be lost?",
        (
            Guess(
                "Many times: it is a rare accident",
                "both have to hit the same instant",
                "Rare is not long. The shortest schedule is one look at the wrong moment.",
            ),
            Guess(
                "Once",
                "what one has seen stops being true while the other acts, and it acts on what it saw",
                "One look, the other's whole enqueue, one write on top of it. Both acts have to be one.",
                right=True,
            ),
            Guess(
                "Never: the engine takes one command at a time",
                "commands cannot overlap",
                "They do not overlap; they interleave. Between two commands of one client anybody may come.",
            ),
        ),
    ),
    "cargo": Prediction(
        "The payload carries the order's row. What must happen for the worker to do the wrong thing?",
        (
            Guess(
                "The payload is damaged on its way",
                "bytes get lost on the wire",
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
                "large payloads are slow",
                "Size costs, but it does not lie. One digit is enough to be wrong by.",
            ),
        ),
    ),
    "float": Prediction(
        "The decoder sums its digits in a float. Which ids come back changed?",
        (
            Guess(
                "None",
                "a float reaches far beyond any id",
                "It reaches far, with gaps. From a certain size on, not every whole number is among them.",
            ),
            Guess(
                "All from a certain moment on, but for some",
                "a float keeps fifty-three bits, and an id has more as soon as enough time has passed",
                "And the bits that go first are the last ones: the sequence, and then the node. Two jobs become one.",
                right=True,
            ),
            Guess(
                "Only those near the end of time",
                "rounding matters for the largest only",
                "Fifty-three bits are used up long before sixty-three are.",
            ),
        ),
    ),
    "width": Prediction(
        "The mutant checks letters and digits and takes every text of that form. What slips through?",
        (
            Guess(
                "Nothing: eleven digits are an id",
                "the form is the contract",
                "The form is half of it. Eleven digits can spell more numbers than sixty-three bits can hold.",
            ),
            Guess(
                "Texts whose number needs a sixty-fourth bit",
                "eleven digits of base sixty-two reach further than sixty-three bits",
                "And in a signed number that bit is the sign: the youngest id would read as older than the first.",
                right=True,
            ),
            Guess(
                "Ids of a wrong kind",
                "the namespace is not looked up",
                "It is not, and that is right here: kinds are the script's to refuse.",
            ),
        ),
    ),
}


def _first_two(mutant: Callable[[int], str]) -> str:
    if not callable(mutant):
        raise Mistake(f"a mutant is a function of a number; this is {type(mutant).__name__}")
    if mutant(0) == mutant(1):
        raise Mistake("this one makes one id of two: there is no order in that, neither a right nor a wrong one")
    found = hunt("order", mutant)
    if found.stands:
        raise Mistake("this one keeps the law: no two ids were found in the wrong order")
    if found.example is None or tuple(found.example) != (0, 1):
        raise Mistake(f"it breaks the law, but first at {found.example}: the first two ids of all still stand in order")
    return "from the very first two ids on, younger goes before older"


def _true_fourth(row: Callable[..., dict[str, Any]]) -> str:
    if not callable(row):
        raise Mistake(f"the mutant is a function row(job_id, payload, now_ms); this is {type(row).__name__}")
    given = row(DEMO[0], b"", DEMO[0].unix_ms + 1)
    if len(given) <= 3:
        raise Mistake("this row has no fourth field; the question is about one that never disagrees")
    if not hunt("clocks", row).stands:
        raise Mistake(
            "it disagrees with the id as soon as the job is a millisecond on its way: that is the other clock"
        )
    return "it never disagrees, since it is read out of the id; and so it tells nothing new, once in every row"


def _first_float_ms(answer: int) -> str:
    right = EPOCH_MS + ((1 << 53) + 1 >> NODE_BITS + SEQ_BITS)
    if answer == right:
        return "from then on the float's last bit is worth two sequence numbers"
    if answer == right - EPOCH_MS:
        raise Mistake("that counts from the ids' own epoch: add EPOCH_MS for unix time")
    if answer in ((1 << 53) + 1, 1 << 53):
        raise Mistake(
            "that is the snowflake itself: its time is what stands above node and sequence, so shift them away"
        )
    if answer == right // 1000:
        raise Mistake("that is in seconds; the question is about milliseconds")
    raise Mistake("take the example's snowflake, shift node and sequence away, and add the epoch")


EXERCISES: Final = {
    "1": Check("Write an encoder that puts even the first two ids of all in the wrong order.", _first_two),
    "2": Check("Write a row with a fourth field that no hunt can catch.", _true_fourth),
    "3": Check("From which unix millisecond on can decoding through a float go wrong?", _first_float_ms),
}
