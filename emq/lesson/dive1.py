"""What dive 1, the job row, asks."""

from difflib import get_close_matches
from typing import Final

from emq.ids import EPOCH_MS, NODE_BITS, SEQ_BITS, BrandedId
from emq.lesson.exercises import Check, Mistake, as_list
from emq.widgets.live_sort import DEMO
from emq.widgets.predict import Guess, Prediction

PREDICTIONS: Final = {
    "fields": Prediction(
        "A job has just been enqueued. How many fields does its row have?",
        (
            Guess(
                "Four, one of them enqueued_at",
                "a queue has to know when each of its jobs came in, to keep order",
                "It does know, but not from a field: the id was minted at a moment and says so. A second copy of that "
                "fact could only disagree with the first.",
            ),
            Guess(
                "Three",
                "the id says what, when and where; the row need not say it again",
                "State and attempts will change, the payload says what to do, and everything else is in the name.",
                right=True,
            ),
            Guess(
                "A dozen",
                "queues carry priority, timeout, owner and more with every job",
                "Many do. Each field is a promise to keep it true. This row promises three things and keeps them.",
            ),
        ),
    ),
    "order": Prediction(
        "Six ids go into the pending set in scrambled order, each with score 0. Which one stands first?",
        (
            Guess(
                "The one that was minted first",
                "equal scores leave it to the bytes, and its bytes are the least",
                "That is the whole trick: the bytes carry the chronology, so the set need not.",
                right=True,
            ),
            Guess(
                "The one that was added first",
                "a queue is first in, first out, and so is this set of members",
                "The set never saw the order of arrival: it sorts its members; equal scores leave only their bytes.",
            ),
            Guess(
                "Any of them",
                "all of the scores are the same, so there is nothing to decide it",
                "Something always does: members of equal score are compared byte by byte.",
            ),
        ),
    ),
    "score": Prediction(
        "Somebody raises the oldest job's score from 0 to 1, to have it run a little later. Where does it stand now?",
        (
            Guess(
                "Still first",
                "it is still the oldest of them all, and the bytes decide",
                "The bytes are read only where scores are equal. They no longer are.",
            ),
            Guess(
                "Second",
                "a score of 1 is a step: it moves back by exactly one place",
                "A score is no place in a line. It is compared with every other score before any byte is.",
            ),
            Guess(
                "Last",
                "its score is the greatest, and is compared first",
                "And it stays last, behind jobs not even minted yet. So scheduled work will get a set of its own.",
                right=True,
            ),
        ),
    ),
}

FIELDS: Final = frozenset({"state", "attempts", "payload"})
ASKED: Final = DEMO[3]
SHUFFLED: Final = tuple(map(BrandedId, ("JOB0Nvmd8mzRRo", "JOB0Nvmd8ZzRRo", "JOB0Nvmd90tmoy", "JOB0Nvmd8aV5iy")))


def _fields(answer: object) -> str:
    given = as_list(answer, "the names of the fields, as a list")
    names = {name.decode() if isinstance(name, bytes) else name for name in given}
    if invented := [name for name in ("enqueued_at", "created_at", "timestamp") if name in names]:
        raise Mistake(
            f"{invented[0]} is not there by design: the id says when. Two clocks for one fact would disagree."
        )
    if "id" in names:
        raise Mistake("the id is the row's name, in its key. A field would say it twice.")
    for name in sorted(map(str, names - FIELDS)):
        if get_close_matches(name.lower(), FIELDS, cutoff=0.7):
            raise Mistake(f"{name!r} is not a field; is it spelt so?")
    if missing := FIELDS - names:
        raise Mistake(f"{len(missing)} still missing. Read the row back from the engine and look.")
    if extra := names - FIELDS:
        raise Mistake(f"{sorted(map(str, extra))[0]} is one too many: three fields and no fourth.")
    return "state, attempts, payload: two that will change, and the cargo."


def plus_before_shift(one: BrandedId) -> tuple[int, int]:
    """What `EPOCH_MS + snowflake >> 22` and `snowflake >> 22 + EPOCH_MS` come to."""
    bits = NODE_BITS + SEQ_BITS
    return EPOCH_MS + one.snowflake >> bits, one.snowflake >> bits + EPOCH_MS


def _mint_time(answer: object) -> str:
    right = ASKED.unix_ms
    if isinstance(answer, bool) or not isinstance(answer, int):
        raise Mistake(f"expected unix milliseconds, an int; got {type(answer).__name__}")
    if answer == right:
        return f"{ASKED} was minted at {ASKED.minted_at.isoformat(timespec='milliseconds')}, and no row had to say so."
    if answer == right - EPOCH_MS:
        raise Mistake("that counts from 2024-01-01, the epoch of the ids. Add EPOCH_MS to count from 1970.")
    if answer == right // 1000:
        raise Mistake("those are seconds. The ids count milliseconds.")
    if answer in plus_before_shift(ASKED):
        raise Mistake("`+` binds before `>>`: put the shift in parentheses.")
    if answer in (ASKED.snowflake // 1000, ASKED.snowflake // 1000 + EPOCH_MS):
        raise Mistake("that divided by 1000. The time is the upper 41 bits: shift the lower 22 away.")
    if answer == ASKED.snowflake:
        raise Mistake("that is the whole snowflake: time, node and sequence in one number.")
    raise Mistake(f"that is {abs(answer - right)} ms off. Shift the node and the sequence away, then add the epoch.")


def _ordered(answer: object) -> str:
    given = as_list(answer, "a list of the ids", ordered=True)
    right = sorted(SHUFFLED)
    if given == right:
        return "byte by byte, upper case before lower case, as ASCII has it."
    if given == right[::-1]:
        raise Mistake("that is descending: newest first. The set ascends, its first member is the oldest.")
    if given == sorted(SHUFFLED, key=str.lower):
        raise Mistake("that order ignores case. To the engine Z (0x5a) comes before a (0x61).")
    if sorted(map(str, given)) != sorted(map(str, SHUFFLED)):
        raise Mistake(f"expected the same {len(SHUFFLED)} ids, each once")
    raise Mistake("not yet: compare two of them column by column, and stop at the first byte that differs.")


EXERCISES: Final = {
    "1": Check("Name the fields of a row.", _fields),
    "2": Check("Say when an id was minted, in unix milliseconds.", _mint_time),
    "3": Check("Put ids in the engine's order.", _ordered),
}
