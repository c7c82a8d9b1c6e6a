"""One call of enqueue, line by line: the script, the keyspace before and now, the wire.

Nothing here is imagined. The script is `emq.jobs.SCRIPT`, cut into its acts at its own markers; which lines run, and
what the keys hold after each, is read back from an embedded engine that was stopped there.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from redis.exceptions import ResponseError

from emq import cargo
from emq.engine import EMBEDDED, connect
from emq.ids import BrandedId
from emq.jobs import KIND, SCRIPT, Jobs, payload_bytes
from emq.keys import Keys
from emq.rung import ORDER
from emq.widgets import markup as m
from emq.widgets.ask import Asks, Says
from emq.widgets.stage import Choice, Frame, Lesson, Stage, needs_kernel

ACTS: Final = ("policy", "existence", "write")
QUEUE: Final = "orders"
JOB: Final = BrandedId("JOB0Nvmd8aV5iy")
FIRST: Final = cargo.pack({"order_id": ORDER, "qty": 2})
SECOND: Final = cargo.pack({"order_id": ORDER, "qty": 3})
MAX_SHOWN: Final = 3  # members that are drawn beside the call's own

Pairs = tuple[tuple[str, bytes | str], ...]
Keyspace = dict[str, Pairs]


@dataclass(frozen=True)
class Call:
    """One call of enqueue: what the tab says, and what is sent."""

    name: str
    job_id: BrandedId
    payload: bytes


@dataclass(frozen=True)
class Step:
    """A line of the script that ran (1-based), and what the keys held after it."""

    line: int
    keys: Keyspace


@dataclass(frozen=True)
class Run:
    """What one call did. `reply` is 1, 0, or the engine's error."""

    call: Call
    before: Keyspace
    steps: tuple[Step, ...]
    reply: int | ResponseError

    @property
    def act(self) -> str:
        """The act in which the script stopped."""
        return act_of(self.steps[-1].line)


CALLS: Final = (
    Call("A new id", JOB, FIRST),
    Call("The same id again", JOB, SECOND),
    Call("An order's id", ORDER, FIRST),
)


def acts(script: str = SCRIPT) -> dict[str, range]:
    """The lines (1-based) of each act, found by the comment that names it; ValueError unless all stand in order."""
    lines = script.splitlines()
    marks = [at for at, line in enumerate(lines, 1) if line.startswith("-- ") and _word(line) in ACTS]
    found = tuple(_word(lines[at - 1]) for at in marks)
    if found != ACTS:
        raise ValueError(f"expected the comments {', '.join(ACTS)} in the script, in this order; got {found}")
    return {name: range(*span) for name, span in zip(ACTS, pairwise([*marks, len(lines) + 1]), strict=True)}


def _word(comment: str) -> str:
    return comment.removeprefix("-- ").partition(":")[0]


def act_of(line: int) -> str:
    """The act that `line` (1-based) of the script belongs to."""
    return next(name for name, span in acts().items() if line in span)


def statements(script: str = SCRIPT) -> tuple[int, ...]:
    """The lines (1-based) where a statement starts: an engine can be stopped before each."""
    lines = enumerate(script.splitlines(), 1)
    return tuple(at for at, line in lines if (code := line.strip()) and not code.startswith("--") and code != "end")


def run_script(call: Call, earlier: Sequence[Call] = ()) -> Run:
    """Runs `call` after the `earlier` ones and reads back each line that ran.

    Each line costs one new embedded engine, stopped before it: about ten of them, a few milliseconds each.
    """
    reached = {at: keys for at in statements() if (keys := _stopped_before(at, call, earlier)) is not None}
    client = _prepared(earlier)
    before = _keyspace(client)
    reply = _send(client, SCRIPT, call)
    after = [*list(reached.values())[1:], _keyspace(client)]
    return Run(call, before, tuple(map(Step, reached, after)), reply)


def _stopped_before(line: int, call: Call, earlier: Sequence[Call]) -> Keyspace | None:
    """The keyspace when the script is about to run `line`; None when this call never gets there."""
    lines = SCRIPT.splitlines()
    lines.insert(line - 1, "do return redis.error_reply('STOPPED here') end")
    client = _prepared(earlier)
    reply = _send(client, "\n".join(lines), call)
    return _keyspace(client) if str(reply) == "STOPPED here" else None


def _prepared(earlier: Sequence[Call]) -> Any:
    client = connect(EMBEDDED)
    jobs = Jobs(client, QUEUE)
    for call in earlier:
        if call.job_id.namespace == KIND:
            jobs.enqueue(call.job_id, call.payload)
    return client


def _send(client: Any, script: str, call: Call) -> int | ResponseError:
    keys = Keys(QUEUE)
    try:
        reply: int = client.eval(script, 2, keys.pending, keys.job(call.job_id), call.job_id, call.payload)
    except ResponseError as error:
        return error
    return reply


def _keyspace(client: Any) -> Keyspace:
    keys = Keys(QUEUE)
    names = sorted((name.decode() for name in client.scan_iter()), key=lambda name: (name != keys.pending, name))
    return {name: _members(client, name) if name == keys.pending else _fields(client, name) for name in names}


def _members(client: Any, name: str) -> Pairs:
    return tuple((member.decode(), f"score {score:g}") for member, score in client.zrange(name, 0, -1, withscores=True))


def _fields(client: Any, name: str) -> Pairs:
    return tuple((field.decode(), value) for field, value in client.hgetall(name).items())


def admission_frames(runs: Sequence[Run]) -> list[Frame]:
    """For each run a scene that asks where the script will stop and then goes through it line by line, and a frame for
    each of the three guesses.

    Drawing costs no engine: everything is in the runs, which `run_script` makes.
    """
    lengths = [1 + len(run.steps) + len(ACTS) for run in runs]
    starts = [sum(lengths[:at]) for at in range(len(runs))]
    return [frame for at in range(len(runs)) for frame in _run_frames(runs, starts, at)]


def _run_frames(runs: Sequence[Run], starts: Sequence[int], at: int) -> Iterator[Frame]:
    run, start = runs[at], starts[at]
    tabs = m.tabs([(run.call.name, run.call.job_id, goto) for run, goto in zip(runs, starts, strict=True)], at)
    guessing = start + 1 + len(run.steps)
    guesses = tuple(Choice(_guess_label(act), guessing + place) for place, act in enumerate(ACTS))
    asked = _picture(run, tabs)
    yield Frame(asked, f"{_sent(run)} {m.tag('b', 'In which act will the script stop?')}", guesses, f"run {at}")
    onward = starts[(at + 1) % len(runs)]
    for done in range(1, len(run.steps) + 1):
        last = done == len(run.steps)
        next_call = (Choice(f"Next call: {runs[(at + 1) % len(runs)].call.name}", onward),) if last else ()
        yield Frame(_picture(run, tabs, done), _told(run, done), next_call, f"run {at}")
    go_on = Choice("Step through it", start + 1)
    for act in ACTS:
        verdict = "Yes." if act == run.act else "Look again."
        yield Frame(asked, f"{m.tag('b', verdict)} {_because(run, act)}", (*guesses, go_on), f"run {at}, guess {act}")


def _guess_label(act: str) -> str:
    return {"policy": "In policy", "existence": "In existence", "write": "At the end of write"}[act]


def _picture(run: Run, tabs: str, done: int = 0) -> str:
    """The script and the keys after `done` lines of it have run."""
    lines = [step.line for step in run.steps[:done]]
    first = acts()[ACTS[0]].start
    script = SCRIPT.splitlines()[first - 1 :]
    ended = done == len(run.steps)
    never = [at for at in range(first, first + len(script)) if at not in lines] if ended else []
    code = m.listing("\n".join(script), lines[-1:], done=lines[:-1], never=never, label="enqueue.lua", first=first)
    now = run.steps[done - 1].keys if done else run.before
    return tabs + m.split(code, m.tag("div", _keys(run, now), cls="emq-stack")) + _wire(run, replied=ended)


def _keys(run: Run, now: Keyspace) -> str:
    before, job_id = run.before, run.call.job_id
    if now == before:
        return m.keyspace("keys before, and the same now", _shown(before, job_id))
    changed = [name for name in now if now[name] != before.get(name)]
    then = m.keyspace("keys before", _shown(before, job_id))
    return then + m.keyspace("keys now", _shown(now, job_id), changed=changed)


def _shown(keys: Keyspace, job_id: str) -> Keyspace:
    """Of a long queue what this call is about: its own member and row, the last few members, and else the last row."""
    pending, row = Keys(QUEUE).pending, Keys(QUEUE).job(job_id)
    rows = [name for name in keys if name != pending]
    kept = {pending: _few(keys[pending], job_id)} if pending in keys else {}
    return kept | {name: keys[name] for name in ([row] if row in keys else rows[-1:])}


def _few(members: Pairs, job_id: str) -> Pairs:
    few = tuple(pair for pair in members if pair[0] == job_id or pair in members[-MAX_SHOWN:])
    hidden = len(members) - len(few)
    return few if not hidden else ((f"… {hidden} more", ""), *few)


def _wire(run: Run, *, replied: bool) -> str:
    keys = Keys(QUEUE)
    sha = hashlib.sha1(SCRIPT.encode()).hexdigest()
    call = run.call
    sent = ("EVALSHA", f"{sha[:7]}…", 2, keys.pending, keys.job(call.job_id), call.job_id, call.payload)
    refused = isinstance(run.reply, ResponseError)
    reply = _reply(run.reply) if replied else m.tag("span", "no reply yet", cls="emq-more")
    return m.wire(sent, reply, error=refused and replied, names=("KEYS[1]", "KEYS[2]", "ARGV[1]", "ARGV[2]"))


def _reply(reply: int | ResponseError) -> str:
    return f"(error) {m.show_bytes(str(reply))}" if isinstance(reply, ResponseError) else f"(integer) {reply}"


def _sent(run: Run) -> str:
    call = run.call
    rows = len(run.before) - any(name.endswith(":pending") for name in run.before)
    holds = "The keyspace is empty." if not rows else f"The keyspace holds {rows} job{'s' * (rows > 1)}."
    return f"{m.code(call.job_id)} is sent in the job position, with a payload. {holds}"


def _kind(run: Run) -> str:
    return m.code(run.call.job_id.namespace, "decides")


def _told(run: Run, done: int) -> str:
    """What the line that ran last did, in words made from what it did."""
    line = run.steps[done - 1].line
    act, code = act_of(line), SCRIPT.splitlines()[line - 1].strip()
    if done == len(run.steps):
        return f"{m.tag('b', f'Line {line}.')} {_stopped(run)}"
    if act == "policy":
        says = f"Policy: the first three bytes are {_kind(run)}. " + (
            "The kind is right, so the script goes on." if run.act != act else "They are not JOB, so the answer is no."
        )
    elif act == "existence":
        row = m.code(Keys(QUEUE).job(run.call.job_id))
        says = f"Existence: {row} is " + (
            "there already: EXISTS answers 1." if run.act == act else "not there: EXISTS answers 0."
        )
    else:
        before = run.steps[done - 2].keys
        new = [name for name, pairs in run.steps[done - 1].keys.items() if pairs != before.get(name)]
        says = "Write: " + ("".join(map(_written, new)) or f"{m.code(code)} changes nothing.")
    return f"{m.tag('b', f'Line {line}.')} {says}"


def _written(name: str) -> str:
    if name.endswith(":pending"):
        return f"{m.code(name)} has the id now, at score 0. First the act that can fail: there is nothing to undo yet."
    return f"{m.code(name)} is there now, three fields at once. Nobody saw the moment between: a script runs alone."


def _stopped(run: Run) -> str:
    if isinstance(run.reply, ResponseError):
        return (
            f"It stops here. The reply is an error of the class {m.code(str(run.reply).partition(' ')[0], 'decides')}; "
            "no key was looked at, and none has changed."
        )
    if run.reply == 0:
        return (
            f"It stops here and answers {m.code('0', 'decides')}: a duplicate, which is a success. Not a byte has "
            "changed: the first payload stays, the second is dropped."
        )
    return f"It answers {m.code('1', 'decides')}: enqueued. The job is pending, and its row holds the payload."


def _because(run: Run, guess: str) -> str:
    """Why the script stops where it does, seen from `guess`."""
    asked_first = ACTS.index(guess) > ACTS.index(run.act)
    if guess == run.act:
        return {
            "policy": f"The first three bytes are {_kind(run)}, and policy is asked before anything is looked up.",
            "existence": f"The kind {_kind(run)} is right, and the row is there already.",
            "write": f"The kind {_kind(run)} is right, and no row is there yet.",
        }[guess]
    if run.act == "policy":
        return f"It never gets so far: the first three bytes are {_kind(run)}, and policy comes first."
    if asked_first:
        return "It never gets so far: a row stands at the job's key, and existence comes before the write."
    if guess == "policy":
        return f"Policy stops other kinds only, and the first three bytes are {_kind(run)}."
    return "Existence stops an id whose row is there, and no row stands at the job's key yet."


class AdmissionSteps(Lesson):
    """Three calls of enqueue, and the reader's own: ``AdmissionSteps()``.

    Own calls go one after another to a queue that starts empty, so that the same id twice is a duplicate.
    """

    def __init__(self) -> None:
        self._runs = [run_script(call, CALLS[:at]) for at, call in enumerate(CALLS)]
        self._frames = admission_frames(self._runs)
        self._earlier: list[Call] = []
        stage = Stage(
            self._frames,
            title="Admission, line by line",
            lead="One call runs one script. Where does it stop, and what do the keys hold then?",
        )
        self._says = Says()
        self._ask = Asks({"Job id": JOB, "Payload": FIRST.decode()}, "Enqueue", self._own, self._says)
        super().__init__(stage, needs_kernel(self._ask, self._says, live="Send a call of your own on the live page"))

    def enqueue(self, job_id: str, payload: str) -> None:
        """Steps through an own call, on what the own calls before it left.

        Raises `InvalidId` or `InvalidPayload` before anything is sent.
        """
        call = Call("Your own call", BrandedId(job_id), payload_bytes(payload))
        run = run_script(call, self._earlier)
        self._earlier.append(call)
        self.stage.show(admission_frames([*self._runs, run]), len(self._frames))

    def restore(self) -> None:
        """The three calls again, the fields as they were, and the own queue empty."""
        self._earlier.clear()
        self._ask.restore()
        self._says.say("")
        self.stage.show(self._frames)

    def _own(self, job_id: str, payload: str) -> str:
        self.enqueue(job_id, payload)
        return "Sent. Guess, then step through it above."
