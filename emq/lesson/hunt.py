"""Hunts: a law, a mutant that claims to keep it, and a search for the smallest example on which it does not.

    found = hunt("order", my_encode)      # the mutant is a function, or two; LAWS says which for each law
    found.example                         # the smallest input that breaks the law; None if the law stood
    Counterexample(found.story)           # on a Stage, byte by byte, with the repair

hypothesis looks for an example and shrinks it. Shrinking may stop in a valley, so the smallest examples are then tried
one by one. Every hunt is repeatable: nothing is random, nothing is stored, no clock is read. A hunt that finds nothing
proves nothing; the theorem does that.

Cost: some hundred calls of the mutant, and some thousand cheap ones for the smallest; under a second, as a rule.
"""

import inspect
import json
import secrets
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import hypothesis
import redis
from hypothesis import Phase, strategies
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import NoSuchExample
from redis import Redis
from redis.cluster import RedisCluster

from emq import cargo
from emq.engine import connect, raw
from emq.errors import EmqError, show
from emq.ids import ALPHABET, BASE, DIGITS, MAX_SNOWFLAKE, BrandedId, decode, encode
from emq.jobs import Admission, Jobs
from emq.keys import Keys
from emq.lesson.presenting import fresh
from emq.rung import ORDER
from emq.widgets.ask import Ask, Says
from emq.widgets.counterexample import Beat, Counterexample, Line, Story, Turn, counterexample_frames
from emq.widgets.live_sort import DEMO
from emq.widgets.markup import code
from emq.widgets.stage import Frame, Lesson, needs_kernel

set_hypothesis_home_dir(tempfile.gettempdir())  # or it would leave a folder beside the notebook

_TOLD = Keys("hunt")
"""The keys as a story tells them: the hunt's own queue has a name that differs in each run."""

TRIES: Final = 400
SMALL: Final = BASE + 2

_SETTINGS: Final = hypothesis.settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=TRIES,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(hypothesis.HealthCheck),
)


class NoMutant(EmqError, TypeError):
    """What was given to a hunt, or what it gave back, is not what the law asks for."""


@dataclass(frozen=True)
class Found:
    """What a hunt came back with. ``example`` and ``story`` are None when the law stood."""

    law: str
    example: Any = None
    story: Story | None = None

    @property
    def stands(self) -> bool:
        """Whether no counterexample was found."""
        return self.story is None

    def __repr__(self) -> str:
        return f"{self.law}: " + ("no counterexample found" if self.stands else f"broken by {self.example!r}")


@dataclass
class Field:
    """Where a hunt takes place: an engine, and a queue of its own on it."""

    client: Redis | RedisCluster
    keys: Keys = field(default_factory=lambda: Keys(f"hunt-{secrets.token_hex(8)}"))

    def clear(self, ids: Sequence[BrandedId]) -> None:
        """Nothing of `ids` is left in the queue."""
        self.client.delete(self.keys.pending, *map(self.keys.job, ids))


Parts = Sequence[Callable[..., Any]]


@dataclass(frozen=True)
class Law:
    """A law, the functions that a mutant of it consists of, what to try on them, and when it is broken.

    `tries` makes the examples for hypothesis, `smallest` lists small ones in order of size. ``breaks(parts, example,
    field)`` tells the story if `example` breaks the law.
    """

    name: str
    sentence: str
    parts: Sequence[str]
    tries: strategies.SearchStrategy[Any]
    breaks: Callable[[Parts, Any, Field], Story | None]
    smallest: Callable[[], Iterator[Any]] = lambda: iter(())


def hunt(law: str, *mutant: Callable[..., Any], client: Redis | RedisCluster | None = None) -> Found:
    """Searches for the smallest example on which `mutant` breaks the law named `law`, one of `LAWS`.

    A mutant that raises an error breaks its law. An engine is used where the law needs one: that of `client`, or an
    embedded one; the queue is the hunt's own and gone afterwards. Raises `NoMutant` for a mutant that is none, KeyError
    with the names of the laws, and redis-py's error when the engine is away.
    """
    if law not in LAWS:
        raise KeyError(f"expected a law of {', '.join(LAWS)}; got {law!r}")
    rule = LAWS[law]
    if len(mutant) != len(rule.parts) or not all(map(callable, mutant)):
        raise NoMutant(f"expected {' and '.join(rule.parts)} for the law {law!r}; got {show(mutant)}")
    ground = Field(connect("embedded://") if client is None else client)
    try:
        example = _smallest(rule, mutant, ground)
        return Found(rule.name, example, None if example is None else _story(rule, mutant, example, ground))
    finally:
        fresh(ground.client, ground.keys.queue)


def _smallest(law: Law, mutant: Parts, ground: Field) -> Any:
    def broken(example: Any) -> bool:
        return _story(law, mutant, example, ground) is not None

    try:
        found = hypothesis.find(law.tries, broken, settings=_SETTINGS)
    except NoSuchExample:
        found = None
    return next(filter(broken, law.smallest()), found)


def _story(law: Law, mutant: Parts, example: Any, ground: Field) -> Story | None:
    try:
        return law.breaks(mutant, example, ground)
    except (NoMutant, redis.ConnectionError, redis.TimeoutError):  # an engine that is away is no doing of the mutant's
        raise
    except Exception as error:  # noqa: BLE001  # the reader's mutant: what it raises is what it does with the example
        says = f"On `{example!r}` the mutant raised {type(error).__name__}: {error}"
        return Story(law.name, law.sentence, [Beat(says)])


def _expect(kind: type, what: str, value: Any) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise NoMutant(f"expected {what} to give {kind.__name__}; got {type(value).__name__} {show(value)}")
    return value


# The order theorem: mutants 1 and 2.


def _order_breaks(parts: Parts, example: tuple[int, int], _: Field) -> Story | None:
    numbers = example
    a, b = ("JOB" + _expect(str, "encode(number)", parts[0](number)) for number in numbers)
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


ORDER_LAW: Final = ("The order theorem", "Of two ids, the one minted first is the one whose bytes are less.")


# Score zero: mutant 3.


def _score_breaks(parts: Parts, wishes: list[int], ground: Field) -> Story | None:
    ids = DEMO[: len(wishes)]
    scores = [
        _expect(float, "score(job_id, wish)", _float(parts[0](one, wish)))
        for one, wish in zip(ids, wishes, strict=True)
    ]
    order = _stored(ground, dict(zip(ids, scores, strict=True)))
    if order == list(ids):
        return None
    noted = dict(zip(ids, wishes, strict=True))
    scored = {one: f"{score:g}" for one, score in zip(ids, scores, strict=True)}
    command = ("ZRANGE", _TOLD.pending, 0, -1)
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


SCORE_LAW: Final = ("Score zero", "One score for all: the bytes decide only among equal scores; here it is 0.")


# The two clocks: mutant 4.


def _clocks_breaks(parts: Parts, late: int, _: Field) -> Story | None:
    job_id = DEMO[0]
    now = job_id.unix_ms + late
    row = _expect(dict, "row(job_id, payload, now_ms)", parts[0](job_id, _CARGO, now))
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
                keys={_TOLD.job(job_id): [(str(key), _shown(each)) for key, each in row.items()]},
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
                keys={_TOLD.job(job_id): [("state", "pending"), ("attempts", "0"), ("payload", _CARGO)]},
            )
        ],
    )


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _shown(value: Any) -> bytes | str:
    return value if isinstance(value, bytes | str) else str(value)


_CARGO: Final = cargo.pack({"order_id": ORDER})
CLOCKS_LAW: Final = ("The two clocks", "No field of a row tells another mint time than the id does.")


# One script: mutant 5.

PRODUCERS: Final = "AB"
Log = list[Turn]


def _once_breaks(parts: Parts, turns: str, ground: Field) -> Story | None:
    job_id = DEMO[0]
    answers, log = _race(parts[0], job_id, turns, ground)
    held, size = _row(ground, job_id), ground.client.zcard(ground.keys.pending)
    winners = [name for name, answer in answers.items() if answer == Admission.ENQUEUED]
    lawful = len(winners) == 1 and held.get("payload") == _payload(winners[0]) and size == 1
    if lawful:
        return None
    keys: dict[str, list[tuple[str, bytes | str]]] = {_TOLD.job(job_id): list(held.items())} if held else {}
    told = ", ".join(f"{name} was told {_word(answer)}" for name, answer in answers.items())
    beats = [Beat(_said(log, at), turns=log[: at + 1], clients=PRODUCERS) for at in range(len(log))]
    opening = f"Two producers, A and B, ask for the same id. The wire lets {turns or 'A'} go first."
    ending = [
        Beat(f"{told}. Both believe that their payload is the job's." if len(winners) > 1 else f"{told}.", keys=keys)
    ]
    if len(winners) > 1 and "payload" in held:
        lost = next((name for name in winners if _payload(name) != held["payload"]), winners[0])
        ending.append(
            Beat(
                f"{lost} was told enqueued, and what {lost} sent is gone.",
                [Line("a", _payload(lost), f"{lost} sent"), Line("b", held["payload"], "the row")],
                compare=True,
                head="payload",
            )
        )
    return Story(*ONCE_LAW, [Beat(opening), *beats, *ending], _mended_race(turns, ground))


def _said(log: Log, at: int) -> str:
    turn = log[at]
    after = log[at + 1].who if at + 1 < len(log) else turn.who
    then = "" if after == turn.who else f" Before it can go on, {after} comes."
    return f"{turn.who} sends `{turn.command[0]!s}` and is answered `{turn.reply}`.{then}"


def _race(enqueue: Callable[..., Any], job_id: BrandedId, turns: str, ground: Field) -> tuple[dict[str, Any], Log]:
    """Both producers, each up to its next `yield` in the order of `turns`, then to their ends; and what they sent."""
    ground.clear([job_id])
    log: Log = []
    running: dict[str, Generator[object, None, Any]] = {}
    answers: dict[str, Any] = {}
    for name in PRODUCERS:
        wire = _Heard(ground, name, log)
        running[name] = _generator(enqueue(wire, ground.keys, job_id, _payload(name)), answers, name)
    for name in turns:
        next(running[name], None)
    for rest in running.values():
        for _ in rest:
            pass
    return {name: answers[name] for name in PRODUCERS}, log


def _generator(call: Any, answers: dict[str, Any], name: str) -> Generator[object, None, None]:
    if not inspect.isgenerator(call):
        raise NoMutant(
            "expected enqueue(client, keys, job_id, payload) to be a generator, with a `yield` wherever another "
            f"client may come between; got {show(call)}"
        )
    answers[name] = yield from call


class _Heard:
    """The client of one producer: what it sends goes into the log, in the engine's words."""

    def __init__(self, ground: Field, who: str, log: Log) -> None:
        self._ground, self._who, self._log = ground, who, log

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._ground.client, name)
        if not callable(method) or name == "register_script":
            return method

        def call(*args: Any, **options: Any) -> Any:
            reply = method(*args, **options)
            words = [*_words(args), *_words(list(options.values()))]
            queue = self._ground.keys.queue
            shown = tuple(word.replace(queue, _TOLD.queue) if isinstance(word, str) else word for word in words)
            self._log.append(Turn(self._who, (name.upper(), *shown), str(reply)))
            return reply

        return call


def _words(value: Any) -> list[str | bytes | int]:
    if isinstance(value, Mapping):
        return [word for pair in value.items() for part in pair for word in _words(part)]
    if isinstance(value, list | tuple):
        return [word for part in value for word in _words(part)]
    return [value if isinstance(value, bytes | int) else str(value)]


def _mended_race(turns: str, ground: Field) -> list[Beat]:
    def whole(client: Any, keys: Keys, job_id: BrandedId, payload: str) -> Generator[None, None, Admission]:
        yield None
        return Jobs(ground.client, keys.queue).enqueue(job_id, payload)

    job_id = DEMO[0]
    answers, _ = _race(whole, job_id, turns, ground)
    told = ", ".join(f"{name} is told {_word(answer)}" for name, answer in answers.items())
    return [
        Beat(
            f"One script, and no moment inside it at which another client could come between. {told}; the row is left "
            "as the first one wrote it.",
            keys={_TOLD.job(job_id): list(_row(ground, job_id).items())},
        )
    ]


def _row(ground: Field, job_id: BrandedId) -> dict[str, str]:
    pairs = raw(ground.client, "HGETALL", ground.keys.job(job_id)).items()
    return {name.decode(): value.decode("utf-8", "replace") for name, value in pairs}


def _payload(name: str) -> str:
    return f"from {name}"


def _word(answer: Any) -> str:
    return answer.name.lower() if isinstance(answer, Admission) else f"`{answer!r}`"


ONCE_LAW: Final = (
    "One script",
    "However many producers ask for an id, one of them is told enqueued, and the row is what that one sent.",
)


# The cargo law: mutant 6.


def _cargo_breaks(parts: Parts, example: tuple[int, int], _: Field) -> Story | None:
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


CARGO_LAW: Final = (
    "The cargo law",
    "A payload carries ids and parameters, never rows: the far side looks up what an id names.",
)


# The round trip: mutant 7.


def _exact_breaks(parts: Parts, number: int, _: Field) -> Story | None:
    digits = encode(number)
    got = _expect(int, "decode(digits)", parts[0](digits))
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


EXACT_LAW: Final = (
    "The round trip",
    "Digits and number are two spellings of one thing: decoding gives back every bit.",
)


# The 63 bits: mutant 8.


def _width_breaks(parts: Parts, number: int, _: Field) -> Story | None:
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


WIDTH_LAW: Final = (
    "The 63 bits",
    "An id's number is at most 2**63 - 1, so every machine can hold it, and none takes it for negative.",
)


def _small_pairs() -> Iterator[tuple[int, int]]:
    return ((a, b) for b in range(SMALL) for a in range(b))


_NUMBER: Final = strategies.integers(0, MAX_SNOWFLAKE)
_PAIR: Final = (
    strategies.tuples(_NUMBER, _NUMBER).filter(lambda pair: pair[0] != pair[1]).map(lambda pair: (min(pair), max(pair)))
)
_WISHES: Final = strategies.lists(strategies.integers(-9, 9), min_size=1, max_size=len(DEMO))
_CHANGE: Final = strategies.tuples(strategies.integers(0, 99), strategies.integers(0, 99))

LAWS: Final = {
    "order": Law(*ORDER_LAW, ("encode(number) -> its digits",), _PAIR, _order_breaks, _small_pairs),
    "score": Law(*SCORE_LAW, ("score(job_id, wish) -> the member's score",), _WISHES, _score_breaks),
    "clocks": Law(
        *CLOCKS_LAW, ("row(job_id, payload, now_ms) -> the hash",), strategies.integers(0, 60_000), _clocks_breaks
    ),
    "once": Law(
        *ONCE_LAW,
        ("enqueue(client, keys, job_id, payload), a generator",),
        strategies.text(PRODUCERS, max_size=5),
        _once_breaks,
    ),
    "cargo": Law(
        *CARGO_LAW,
        ("ship(order_id, store) -> the payload", "receive(payload, store) -> the order"),
        _CHANGE,
        _cargo_breaks,
    ),
    "exact": Law(*EXACT_LAW, ("decode(digits) -> the number",), _NUMBER, _exact_breaks),
    "width": Law(*WIDTH_LAW, ("accepts(text) -> bool",), strategies.integers(0, BASE**DIGITS - 1), _width_breaks),
}


LOWER_FIRST: Final = ALPHABET[:10] + ALPHABET[36:] + ALPHABET[10:36]


def in_alphabet(alphabet: str) -> Callable[[int], str]:
    """An encoder that writes its digits in `alphabet`; raises `NoMutant` unless that is 62 characters, each once."""
    twice = next((char for at, char in enumerate(alphabet) if char in alphabet[:at]), None)
    if twice is not None:
        raise NoMutant(f"expected each character once; got {twice!r} again at character {alphabet.rindex(twice) + 1}")
    if len(alphabet) != BASE:
        raise NoMutant(f"expected {BASE} characters; got {len(alphabet)}")
    table = str.maketrans(ALPHABET, alphabet)
    return lambda number: encode(number).translate(table)


class OwnAlphabet(Lesson):
    """An alphabet of the reader's own, hunted through: the shortest two ids that it puts in the wrong order."""

    def __init__(self) -> None:
        self._says = Says()
        self._ask = Ask("Alphabet", LOWER_FIRST, "Hunt", self._hunt, self._says)
        first = hunt("order", in_alphabet(LOWER_FIRST)).story
        assert first is not None
        self._first = first
        super().__init__(
            Counterexample(first), needs_kernel(self._ask, self._says, live="Try an alphabet on the live page")
        )

    def restore(self) -> None:
        self._ask.restore()
        self._says.say("")
        self.stage.show(counterexample_frames(self._first))

    def _hunt(self, alphabet: str) -> str:
        found = hunt("order", in_alphabet(alphabet))
        if found.story is None:
            caption = (
                f"{code(alphabet)} ascends as bytes do. No two ids were found in the wrong order, and none will be."
            )
            self.stage.show([Frame("", caption)])
        else:
            self.stage.show(counterexample_frames(found.story))
        return str(found)
