"""One script: two producers ask for one id, and whoever is at the wire may be overtaken at each ``yield``.

A mutant here is a generator. An example is a text such as ``"BBA"``: who goes on to the next ``yield``, turn by turn.
"""

import inspect
from collections.abc import Callable, Generator, Mapping
from typing import Any, Final

from emq.engine import raw
from emq.errors import show
from emq.ids import BrandedId
from emq.jobs import Admission, Jobs
from emq.keys import Keys
from emq.lesson.laws import TOLD, Field, NoMutant, Parts
from emq.widgets.counterexample import Beat, Line, Story, Turn
from emq.widgets.live_sort import DEMO

ONCE_LAW: Final = (
    "One script",
    "However many producers ask for an id, one of them is told enqueued, and the row is what that one sent.",
)
PRODUCERS: Final = "AB"

Log = list[Turn]


def once_breaks(parts: Parts, turns: str, ground: Field) -> Story | None:
    """Who goes first, turn by turn: is one producer told enqueued, and is the row what that one sent? Mutant 5."""
    job_id = DEMO[0]
    answers, log = _race(parts[0], job_id, turns, ground)
    held, size = _row(ground, job_id), ground.client.zcard(ground.keys.pending)
    winners = [name for name, answer in answers.items() if answer == Admission.ENQUEUED]
    lawful = len(winners) == 1 and held.get("payload") == _payload(winners[0]) and size == 1
    if lawful:
        return None
    keys: dict[str, list[tuple[str, bytes | str]]] = {TOLD.job(job_id): list(held.items())} if held else {}
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
            shown = tuple(word.replace(queue, TOLD.queue) if isinstance(word, str) else word for word in words)
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
            keys={TOLD.job(job_id): list(_row(ground, job_id).items())},
        )
    ]


def _row(ground: Field, job_id: BrandedId) -> dict[str, str]:
    pairs = raw(ground.client, "HGETALL", ground.keys.job(job_id)).items()
    return {name.decode(): value.decode("utf-8", "replace") for name, value in pairs}


def _payload(name: str) -> str:
    return f"from {name}"


def _word(answer: Any) -> str:
    return answer.name.lower() if isinstance(answer, Admission) else f"`{answer!r}`"
