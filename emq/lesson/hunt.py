"""Hunts: a law, a mutant that claims to keep it, and a search for the smallest example on which it does not.

    found = hunt("order", my_encode)      # the mutant is a function, or two; LAWS says which for each law
    found.example                         # the smallest input that breaks the law; None if the law stood
    Counterexample(found.story)           # on a Stage, byte by byte, with the repair

hypothesis looks for an example and shrinks it. Shrinking may stop in a valley, so the smallest examples are then tried
one by one. Every hunt is repeatable: nothing is random, nothing is stored, no clock is read. A hunt that finds nothing
proves nothing; the theorem does that.

Cost: some hundred calls of the mutant, and some thousand cheap ones for the smallest; under a second, as a rule.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import hypothesis
import redis
from hypothesis import Phase, strategies
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import NoSuchExample
from redis import Redis
from redis.cluster import RedisCluster

from emq.engine import connect
from emq.errors import show
from emq.ids import ALPHABET, BASE, DIGITS, MAX_SNOWFLAKE, encode
from emq.lesson import laws, race
from emq.lesson.laws import Field, NoMutant, Parts
from emq.lesson.presenting import fresh
from emq.widgets.ask import Ask, Says
from emq.widgets.counterexample import Beat, Counterexample, Story, counterexample_frames
from emq.widgets.live_sort import DEMO
from emq.widgets.markup import code
from emq.widgets.stage import Frame, Lesson, needs_kernel

set_hypothesis_home_dir(tempfile.gettempdir())  # or it would leave a folder beside the notebook

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


def _small_pairs() -> Iterator[tuple[int, int]]:
    return ((a, b) for b in range(SMALL) for a in range(b))


_NUMBER: Final = strategies.integers(0, MAX_SNOWFLAKE)
_PAIR: Final = (
    strategies.tuples(_NUMBER, _NUMBER).filter(lambda pair: pair[0] != pair[1]).map(lambda pair: (min(pair), max(pair)))
)
_WISHES: Final = strategies.lists(strategies.integers(-9, 9), min_size=1, max_size=len(DEMO))
_CHANGE: Final = strategies.tuples(strategies.integers(0, 99), strategies.integers(0, 99))

LAWS: Final = {
    "order": Law(*laws.ORDER_LAW, ("encode(number) -> its digits",), _PAIR, laws.order_breaks, _small_pairs),
    "score": Law(*laws.SCORE_LAW, ("score(job_id, wish) -> the member's score",), _WISHES, laws.score_breaks),
    "clocks": Law(
        *laws.CLOCKS_LAW,
        ("row(job_id, payload, now_ms) -> the hash",),
        strategies.integers(0, 60_000),
        laws.clocks_breaks,
    ),
    "once": Law(
        *race.ONCE_LAW,
        ("enqueue(client, keys, job_id, payload), a generator",),
        strategies.text(race.PRODUCERS, max_size=5),
        race.once_breaks,
    ),
    "cargo": Law(
        *laws.CARGO_LAW,
        ("ship(order_id, store) -> the payload", "receive(payload, store) -> the order"),
        _CHANGE,
        laws.cargo_breaks,
    ),
    "exact": Law(*laws.EXACT_LAW, ("decode(digits) -> the number",), _NUMBER, laws.exact_breaks),
    "width": Law(
        *laws.WIDTH_LAW, ("accepts(text) -> bool",), strategies.integers(0, BASE**DIGITS - 1), laws.width_breaks
    ),
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
