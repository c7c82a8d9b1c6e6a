"""What dive 3, the orders dividend, asks."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from emq.cargo import pack, unpack
from emq.errors import CargoRefused
from emq.ids import EPOCH_MS, NODE_BITS, SEQ_BITS, BrandedId
from emq.lesson.dive1 import plus_before_shift
from emq.lesson.exercises import Check, Mistake, as_list
from emq.rung import ORDER
from emq.widgets.live_sort import DEMO
from emq.widgets.predict import Guess, Prediction

PREDICTIONS: Final = {
    "head": Prediction(
        "Hundreds of jobs are pending. What does the engine do to find the oldest?",
        (
            Guess(
                "It reads the first member of the set",
                "the least member by bytes was minted before the others",
                "One member is read, however many are pending. The order was paid for when each job was added.",
                right=True,
            ),
            Guess(
                "It compares their timestamps",
                "oldest is a question of time, so some column must hold it",
                "There is no such column. The time is the front of every id, and the set is kept in the ids' order.",
            ),
            Guess(
                "It goes through all of them",
                "a set has no order, so it has to look at every one of its members",
                "A plain set has none. A sorted set is kept in order all the time, here by the members' bytes.",
            ),
        ),
    ),
    "windows": Prediction(
        "You ask for the ids that start with JOB0Nvmd9. Which stretch of time is that?",
        (
            Guess(
                "One round second",
                "each fixed character narrows the time to the next clock unit",
                "Clock units are tens and sixties; digits here go by 62. No prefix is ever exactly a second.",
            ),
            Guess(
                "Every ninth millisecond",
                "the last fixed character is a 9, so it picks each ninth one",
                "A digit is not a step. It says in which of 62 equal parts of the wider window the ids lie.",
            ),
            Guess(
                "A stretch with odd edges",
                "the digits left free run through all of their 62 values each",
                "Edges fall where digits turn over, not where a clock does. For a clock's edges, ask with a window.",
                right=True,
            ),
        ),
    ),
    "paging": Prediction(
        "You have read page one, newest first. Three jobs come in. You ask for the page after the last id you saw. "
        "What does it begin with?",
        (
            Guess(
                "With ids of page one again",
                "three newcomers at the front push all the others three places on",
                "That is what an offset does: it counts places, and places move. An id stays where it is.",
            ),
            Guess(
                "With the next older job",
                "what stands below an id stays there, whatever comes in above",
                "Nothing twice and nothing left out, whatever arrived meanwhile.",
                right=True,
            ),
            Guess(
                "With one of the three newcomers",
                "they are the newest now, and the question says newest first",
                "They stand above the cursor. Ask from the front again to see them.",
            ),
        ),
    ),
    "producers": Prediction(
        "Two producers fill one queue by turns, each with a minter of its own. What is sure about the order?",
        (
            Guess(
                "They mix, each in its own order",
                "one minter never goes back; between two only clocks tell",
                "That is all that any queue with two doors can promise, and it is enough for most work.",
                right=True,
            ),
            Guess(
                "Nothing",
                "two clocks never show quite the same, so anything may happen",
                "Two clocks can disagree. But each minter only counts upwards, so its own jobs stay in order.",
            ),
            Guess(
                "All of one producer's jobs come before the other's",
                "the node number is in the id, so the bytes group them by node",
                "The time stands before the node in the bits, so the time decides first. The node breaks ties only.",
            ),
        ),
    ),
}

OLDEST_THREE: Final = list(DEMO[:3])
SINCE, UNTIL = DEMO[1].unix_ms, DEMO[4].unix_ms
INSIDE: Final = {one for one in DEMO if SINCE <= one.unix_ms < UNTIL}
LONGEST: Final = "JOB0Nvmd8"
QTY: Final = "qty"


def _ids(answer: object) -> list[BrandedId]:
    return [BrandedId(one) for one in as_list(answer, "a list of ids")]


def _oldest(answer: object) -> str:
    given = _ids(answer)
    if given == OLDEST_THREE:
        return "lex-min up: the head of the queue first, as a worker will take them."
    if given == OLDEST_THREE[::-1]:
        raise Mistake("that is descending: the right three, the newest of them first. Oldest first is ascending.")
    if given == list(DEMO[:-4:-1]):
        raise Mistake("that is descending: browse is newest first unless you ask for oldest_first=True.")
    if given == list(DEMO[-3:]):
        raise Mistake(
            "those are the three newest, turned round. Turning a page does not change which end it came from."
        )
    if given == OLDEST_THREE[: len(given)] or given[:3] == OLDEST_THREE:
        raise Mistake(f"the right end, but {len(given)} of them: count says how many.")
    raise Mistake("those are not the three oldest. The bytes decide: read the set from its least member up.")


def _clock_window(answer: object) -> str:
    given = set(_ids(answer))
    if given == INSIDE:
        return "a half-open window: since is inside, until is not, so two windows that touch never share a job."
    if given == {one for one in DEMO if one.startswith(LONGEST)}:
        raise Mistake(
            f"that is the prefix {LONGEST}, not the clock window: a prefix's edges fall where digits turn over."
        )
    if given == {one for one in DEMO if not one.startswith(LONGEST)} or given == set(DEMO):
        raise Mistake("that is what a prefix cuts out, not the clock window. Ask with since= and until=.")
    if given == {one for one in DEMO if SINCE <= one.unix_ms <= UNTIL}:
        raise Mistake("that has the job minted exactly at the end. The window is half-open: until is outside.")
    if given == {one for one in DEMO if SINCE < one.unix_ms < UNTIL}:
        raise Mistake("that leaves out the job minted exactly at the start. The window is half-open: since is inside.")
    if given == (since := {one for one in DEMO if one.unix_ms >= SINCE}):
        raise Mistake(
            f"the {len(INSIDE)} are in it, and {len(since - INSIDE)} more that were minted later: give `until`."
        )
    raise Mistake(f"expected the {len(INSIDE)} jobs minted in [since, until); {len(given & INSIDE)} of them are in it.")


def _decoded(answer: object) -> str:
    if not isinstance(answer, Sequence) or isinstance(answer, str | bytes) or len(answer) != 3:
        raise Mistake("expected three numbers: unix milliseconds, node, sequence")
    snowflake = ORDER.snowflake
    ms, node, seq = answer
    if any(isinstance(part, float) for part in answer):
        raise Mistake(
            "a float came in: / divides into floats, which cannot hold 63 bits. Shift and mask whole numbers."
        )
    if ms in plus_before_shift(ORDER):
        raise Mistake("`+` binds before `>>`: put the shift in parentheses.")
    if ms in (snowflake // 1000, snowflake // 1000 + EPOCH_MS, ms_ := (snowflake >> 22) // 1000, ms_ + EPOCH_MS):
        raise Mistake("that divided by 1000. The low 22 bits are node and sequence: shift them away with >> 22.")
    if ms == snowflake >> NODE_BITS + SEQ_BITS:
        raise Mistake("the time counts from 2024-01-01, the epoch of the ids. Add EPOCH_MS to count from 1970.")
    if ms != ORDER.unix_ms:
        raise Mistake("the time is not right: it is the upper 41 bits, and counts from EPOCH_MS.")
    if node == snowflake >> SEQ_BITS:
        raise Mistake("the node still has the time above it: keep its 10 bits with & 1023.")
    if (node, seq) == (ORDER.seq, ORDER.node):
        raise Mistake("node and sequence are swapped: the sequence is lowest.")
    if node != ORDER.node:
        raise Mistake("the node is not right: shift the 12 bits of the sequence away, then keep 10 bits.")
    if seq != ORDER.seq:
        raise Mistake("the sequence is not right: it is the low 12 bits, & 4095.")
    return (
        f"{ORDER.namespace}, node {node}, sequence {seq}, {ORDER.minted_at:%Y-%m-%d %H:%M:%S} UTC, out of the id alone."
    )


def _parcel(answer: Any) -> str:
    if isinstance(answer, str | bytes):
        raise Mistake("expected the mapping itself, before it is packed: field to value")
    if not isinstance(answer, Mapping):
        raise Mistake(f"expected a mapping of field to value; got {type(answer).__name__}")
    try:
        shipped = unpack(pack(answer))
    except CargoRefused as refused:
        raise Mistake(f"the law refuses it: {refused}.") from None
    values = list(shipped.values())
    if ORDER.snowflake in values:
        raise Mistake("that ships the number under the id. Ship the id: fourteen characters that say what they name.")
    if ORDER not in values:
        raise Mistake(f"the order's id, {ORDER}, is not in it. Without a name the far side cannot look anything up.")
    if "12 Elm Street" in values:
        raise Mistake("the address is the order's own: a copy of it goes stale. The far side looks it up by the id.")
    if "paid" in values:
        raise Mistake("the status is the order's own, and it changes: the far side looks it up by the id.")
    more = [name for name, value in shipped.items() if name != QTY and value != ORDER]
    for name in more:
        if "12 Elm Street" in str(shipped[name]) or "paid" in str(shipped[name]):
            raise Mistake(f"{name!r} carries the order's own fields as text, and a copy goes stale. Ship the id alone.")
        if shipped[name] == 2 and QTY not in shipped:
            raise Mistake(f"call the quantity `{QTY}`; got {name!r}.")
    if QTY not in shipped:
        raise Mistake("the quantity is missing: it is a parameter of this job, so it may ship.")
    if type(shipped[QTY]) is not int or shipped[QTY] != 2:
        raise Mistake(f"the quantity should be the number 2; got {shipped[QTY]!r}.")
    if more:
        raise Mistake(f"{more[0]!r} is more than was asked for: the order's id, and `{QTY}`.")
    return "an id and a parameter. The far side parses the id again, and looks up the rest."


EXERCISES: Final = {
    "1": Check("Ask for the three oldest, oldest first.", _oldest),
    "2": Check("Ask for the jobs of a clock window.", _clock_window),
    "3": Check("Decode an id by hand.", _decoded),
    "4": Check("Ship an order lawfully.", _parcel),
}
