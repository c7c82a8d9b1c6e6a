"""The laws: what each says, when an example breaks it, and how that is told, byte by byte and with the repair.

A law is told by ``(name, sentence)``; its ``…_breaks(parts, example, field)`` gives the `Story` if the mutant that
consists of the functions `parts` breaks it on `example`, and None otherwise. What to try is the hunt's affair.
"""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from redis import Redis
from redis.cluster import RedisCluster

from emq import cargo
from emq.engine import raw
from emq.errors import EmqError, show
from emq.ids import BASE, DIGITS, MAX_SNOWFLAKE, BrandedId, decode, encode
from emq.keys import Keys
from emq.rung import ORDER
from emq.widgets.counterexample import Beat, Line, Story
from emq.widgets.live_sort import DEMO

TOLD = Keys("hunt")
"""The keys as a story tells them: the hunt's own queue has a name that differs in each run."""

_CARGO: Final = cargo.pack({"order_id": ORDER})

Parts = Sequence[Callable[..., Any]]


class NoMutant(EmqError, TypeError):
    """What was given to a hunt, or what it gave back, is not what the law asks for."""


@dataclass
class Field:
    """Where a hunt takes place: an engine, and a queue of its own on it."""

    client: Redis | RedisCluster
    keys: Keys = field(default_factory=lambda: Keys(f"hunt-{secrets.token_hex(8)}"))

    def clear(self, ids: Sequence[BrandedId]) -> None:
        """Nothing of `ids` is left in the queue."""
        self.client.delete(self.keys.pending, *map(self.keys.job, ids))


def expect(kind: type, what: str, value: Any) -> Any:
    """`value`, if it is a `kind`; `NoMutant` otherwise, which names `what` was to give it."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise NoMutant(f"expected {what} to give {kind.__name__}; got {type(value).__name__} {show(value)}")
    return value


ORDER_LAW: Final = ("The order theorem", "Of two ids, the one minted first is the one whose bytes are less.")


def order_breaks(parts: Parts, example: tuple[int, int], _: Field) -> Story | None:
    """Two numbers, the smaller first: does the smaller one's id have the lesser bytes? Mutants 1 and 2."""
    numbers = example
    a, b = ("JOB" + expect(str, "encode(number)", parts[0](number)) for number in numbers)
    if a.encode() < b.encode():
        return None
    mended = ["JOB" + encode(number) for number in numbers]
    return Story(
        *ORDER_LAW,
        [
            Beat("a was minted before b: its snowflake is the smaller.", _two(a, b, numbers), head="snowflake"),
            Beat(
                "By their bytes, b goes before a: the younger job stands at the head of the set and is served first."
                if a != b
                else "Two snowflakes, one id: the second job would be taken for the first.",
                _two(a, b, numbers),
                compare=True,
                head="snowflake",
            ),
        ],
        [
            Beat(
                "a goes first, as it was minted: eleven digits, in an alphabet that ascends as bytes do.",
                _two(mended[0], mended[1], numbers),
                compare=True,
                head="snowflake",
            )
        ],
    )


def _two(a: str, b: str, notes: Sequence[object]) -> list[Line]:
    return [Line("a", a, f"{notes[0]:,}"), Line("b", b, f"{notes[1]:,}")]


SCORE_LAW: Final = ("Score zero", "One score for all: the bytes decide only among equal scores; here it is 0.")


def score_breaks(parts: Parts, wishes: list[int], ground: Field) -> Story | None:
    """A wish a job: does the set, as the engine keeps it, still stand in mint order? Mutant 3."""
    ids = DEMO[: len(wishes)]
    scores = [
        expect(float, "score(job_id, wish)", _float(parts[0](one, wish))) for one, wish in zip(ids, wishes, strict=True)
    ]
    order = _stored(ground, dict(zip(ids, scores, strict=True)))
    if order == list(ids):
        return None
    noted = dict(zip(ids, wishes, strict=True))
    scored = {one: f"{score:g}" for one, score in zip(ids, scores, strict=True)}
    command = ("ZRANGE", TOLD.pending, 0, -1)
    return Story(
        *SCORE_LAW,
        [
            Beat(
                "The jobs as they were minted, each with what its producer wished for.",
                [Line(str(at), one, str(noted[one])) for at, one in enumerate(ids, start=1)],
                head="wish",
            ),
            Beat(
                f"The set as the engine keeps it. The score {scored[order[0]]} is read before any byte, so "
                f"`{order[0]}` stands at the head, and the oldest job, `{ids[0]}`, does not."
                if order[0] != ids[0]
                else "The set as the engine keeps it: scores are read before any byte, and this is not mint order.",
                [Line(str(ids.index(one) + 1), one, scored[one], lit=one == order[0]) for one in order],
                head="score",
                sent=(command, " ".join(order)),
            ),
        ],
        [
            Beat(
                "Every score 0: only bytes decide, and bytes are mint order. What is urgent gets a queue of its own; "
                "what is for later, a set of its own.",
                [Line(str(at), one, "0") for at, one in enumerate(_stored(ground, dict.fromkeys(ids, 0.0)), start=1)],
                head="score",
            )
        ],
    )


def _float(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _stored(ground: Field, scores: Mapping[BrandedId, float]) -> list[BrandedId]:
    ground.clear([])
    ground.client.zadd(ground.keys.pending, {str(one): score for one, score in scores.items()})
    return [BrandedId(member) for member in raw(ground.client, "ZRANGE", ground.keys.pending, 0, -1)]


CLOCKS_LAW: Final = ("The two clocks", "No field of a row tells another mint time than the id does.")


def clocks_breaks(parts: Parts, late: int, _: Field) -> Story | None:
    """How late a job reaches the engine, in milliseconds: does its row tell that time as the mint time? Mutant 4."""
    job_id = DEMO[0]
    now = job_id.unix_ms + late
    row = expect(dict, "row(job_id, payload, now_ms)", parts[0](job_id, _CARGO, now))
    told = {str(name): _text(value) for name, value in row.items() if name not in ("state", "attempts", "payload")}
    wrong = {name: value for name, value in told.items() if value != str(job_id.unix_ms)}
    if not wrong:
        return None
    name, value = next(iter(wrong.items()))
    pair = [Line("a", str(job_id.unix_ms), "the id"), Line("b", value, "the row")]
    return Story(
        *CLOCKS_LAW,
        [
            Beat(
                f"`{job_id}` reaches the engine {late} ms after it was minted. Its row has a fourth field, `{name}`.",
                keys={TOLD.job(job_id): [(str(key), _shown(each)) for key, each in row.items()]},
            ),
            Beat(
                "One job, two answers to when. Which one would you sort by, and who told you?",
                pair,
                compare=True,
                head="says",
            ),
        ],
        [
            Beat(
                "Three fields. The mint time is read out of the id, and there is nothing left that could disagree.",
                [Line("a", job_id, "the id"), Line("", str(job_id.unix_ms), "unix ms")],
                head="says",
                keys={TOLD.job(job_id): [("state", "pending"), ("attempts", "0"), ("payload", _CARGO)]},
            )
        ],
    )


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _shown(value: Any) -> bytes | str:
    return value if isinstance(value, bytes | str) else str(value)


CARGO_LAW: Final = (
    "The cargo law",
    "A payload carries ids and parameters, never rows: the far side looks up what an id names.",
)


def cargo_breaks(parts: Parts, example: tuple[int, int], _: Field) -> Story | None:
    """An order's quantity before and after: does the worker read the one that holds? Mutant 6."""
    before, after = example
    ship, receive = parts
    store = {ORDER: {"qty": before}}
    payload = ship(ORDER, store)
    if not isinstance(payload, str | bytes):
        raise NoMutant(f"expected ship(order_id, store) to give str or bytes; got {show(payload)}")
    store[ORDER] = {"qty": after}
    got = receive(payload, store)
    if got == store[ORDER]:
        return None
    truth = json.dumps(store[ORDER], separators=(",", ":"))
    worker = json.dumps(got, separators=(",", ":"), default=repr)
    return Story(
        *CARGO_LAW,
        [
            Beat(
                f"The order's quantity is {before} when the job is enqueued. This is the cargo.",
                sent=(("payload", payload), ""),
            ),
            Beat(f"While the job waits, the quantity is set to {after}. The store knows; the payload does not."),
            Beat(
                "The worker acts on a copy that was right once. Nothing failed, and the wrong thing was done.",
                [Line("a", worker, "job"), Line("b", truth, "store")],
                compare=True,
                head="reads",
            ),
        ],
        [
            Beat(
                "The cargo names the order. The worker looks it up, and there is one truth to look at.",
                [Line("a", truth, "job"), Line("b", truth, "store")],
                compare=True,
                head="reads",
                sent=(("payload", _CARGO), ""),
            )
        ],
    )


EXACT_LAW: Final = (
    "The round trip",
    "Digits and number are two spellings of one thing: decoding gives back every bit.",
)


def exact_breaks(parts: Parts, number: int, _: Field) -> Story | None:
    """A number: is it what its digits are decoded to? Mutant 7."""
    digits = encode(number)
    got = expect(int, "decode(digits)", parts[0](digits))
    if got == number:
        return None
    back = encode(got) if 0 <= got < BASE**DIGITS else str(got)
    return Story(
        *EXACT_LAW,
        [
            Beat(
                f"The digits `{digits}` spell one number, and the mutant reads another.",
                [Line("a", str(number), "spelt"), Line("b", str(got), "read")],
                compare=True,
                head="as",
            ),
            Beat(
                "Written again, it is another id: a job that nobody minted.",
                [Line("a", "JOB" + digits, "spelt"), Line("b", "JOB" + back, "read")],
                compare=True,
                head="as",
            ),
        ],
        [
            Beat(
                "Whole numbers all the way: what was spelt is what is read.",
                [Line("a", str(number), "spelt"), Line("b", str(decode(digits)), "read")],
                compare=True,
                head="as",
            )
        ],
    )


WIDTH_LAW: Final = (
    "The 63 bits",
    "An id's number is at most 2**63 - 1, so every machine can hold it, and none takes it for negative.",
)


def width_breaks(parts: Parts, number: int, _: Field) -> Story | None:
    """A number of eleven digits: is it taken for an id, and is it one? Mutant 8."""
    text = "JOB" + encode(number)
    taken = bool(parts[0](text))
    if taken == (number <= MAX_SNOWFLAKE):
        return None
    largest = "JOB" + encode(MAX_SNOWFLAKE)
    if not taken:
        says = f"`{text}` is an id, of the number {number:,}, and the mutant refuses it."
        return Story(*WIDTH_LAW, [Beat(says, [Line("id", text)], bits=number)])
    signed = number - (1 << 64) if number < 1 << 64 else None
    read = f"reads {signed:,}, before every id there is" if signed is not None else "has no room for it at all"
    return Story(
        *WIDTH_LAW,
        [
            Beat(
                f"The mutant takes b, which is beyond the largest id, a, by {number - MAX_SNOWFLAKE:,}.",
                [Line("a", largest, "the last"), Line("b", text, "taken")],
                compare=True,
                head="is",
            ),
            Beat(
                f"b needs a 64th bit, and that one is the sign: a program with signed 64-bit numbers {read}.",
                [Line("b", text)],
                bits=number if number < 1 << 64 else None,
            ),
        ],
        [
            Beat(
                f"Refused before it reaches a key. {_refusal(text)}",
                [Line("a", largest, "an id"), Line("b", text, "no id")],
                head="is",
            )
        ],
    )


def _refusal(text: str) -> str:
    try:
        return str(BrandedId(text))
    except EmqError as error:
        return f"The message: {error}"
