"""Node numbers on lease: minters that share an engine get one each, so that no two mint the same id.

    emq:{class}:node:7        who holds node 7; gone when the lease runs out
    emq:{class}:nodes         how many leases there have been: where the search for the next begins

A number is taken by SET NX, so two can never take the same one. It is searched for from where the last one was taken,
and rests a while when it is given back: a number is not used again in the moment in which it was last used.

A holder that stopped renewing must stop minting, since its number may be another's by then. So a `LeasedMint` looks at
its own clock before each id, and once more after it, and takes a new number when its lease has run out. That clock goes
on while the machine is suspended, as the engine's does; Python's monotonic clock stands still then on Linux.
"""

import math
import os
import secrets
import threading
import time
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from types import TracebackType
from typing import Any, Final, NoReturn, Self

from redis import Redis
from redis.cluster import RedisCluster

from emq.engine import raw
from emq.errors import EngineUnavailable, ForkedMint, InvalidHolder, InvalidLease, NodesTaken, show
from emq.ids import NODES, BrandedId, Mint, check_namespace
from emq.keys import Keys

SCRIPT: Final = files("emq").joinpath("lease.lua").read_text("ascii")
LEASE_MS: Final = 60_000
REST_MS: Final = 2_000
MOST_NAME: Final = 40
TRIES: Final = 3
_RESTING: Final = b"- resting"


def _best_clock() -> Callable[[], float]:
    """A clock, in seconds, that goes on in suspend: on Linux the boot time's, on macOS the system's monotonic one."""
    for name in ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC"):
        try:
            clock = partial(time.clock_gettime, getattr(time, name))
            clock()
        except (AttributeError, OSError):  # Windows has none of them, a browser the name alone
            continue
        return clock
    return time.monotonic


ELAPSED: Final = _best_clock()


class LeasedMint:
    """Mints ids of `namespace` on a node number leased from `queue` in the name of `holder`, up to 40 characters.

    Called, it gives the next id, and renews its lease when a third of it has gone by: one round trip every
    `lease_ms` / 3 at most. When the lease ran out meanwhile, it takes another number. ``close``, or leaving a ``with``
    block, gives the number back. Safe from any number of threads. `clock` gives the ids' unix milliseconds, `elapsed`
    the seconds by which the lease is timed; it has to go on while the machine sleeps.

    Raises `InvalidHolder` and `InvalidLease` for what is neither, `NodesTaken` when no number is free, and
    `EngineUnavailable` when the engine answers too slowly for the lease. After a fork the child's call raises
    `ForkedMint`: the number is its parent's.
    """

    def __init__(
        self,
        client: Redis | RedisCluster,
        queue: str,
        holder: str,
        namespace: str = "JOB",
        *,
        lease_ms: int = LEASE_MS,
        clock: Callable[[], int] | None = None,
        elapsed: Callable[[], float] = ELAPSED,
    ) -> None:
        if not isinstance(holder, str) or not 1 <= len(holder) <= MOST_NAME or not holder.isprintable():
            raise InvalidHolder(f"expected a name of 1 to {MOST_NAME} printable characters; got {show(holder)}")
        if isinstance(lease_ms, bool) or not isinstance(lease_ms, int) or not 1000 <= lease_ms <= 86_400_000:
            raise InvalidLease(f"expected a lease of 1000 to 86400000 ms; got {show(lease_ms)}")
        self._client, self._keys, self._namespace = client, Keys(queue), check_namespace(namespace)
        self._script = client.register_script(SCRIPT)
        self._written = f"{secrets.token_hex(8)} {holder}".encode()
        self._lease_ms, self._clock, self._elapsed, self._lock = lease_ms, clock, elapsed, threading.Lock()
        self._process = os.getpid()
        self.holder = holder
        self._take()

    @property
    def node(self) -> int:
        """The number on lease, 0 to 1023."""
        return self._mint.node

    def __call__(self) -> BrandedId:
        """The next id."""
        self._check_process()
        with self._lock:
            for _ in range(TRIES):
                if self._elapsed() > self._renew_at and not self._renew():
                    self._take()
                job_id = self._mint()
                if self._elapsed() < self._ends_at:  # or the machine slept since, and the number may be another's
                    return job_id
        raise EngineUnavailable(
            f"expected an id within the lease of {self._lease_ms} ms; it ran out {TRIES} times before one was minted"
        )

    def renew(self) -> None:
        """Renews the lease, or takes another number when it has run out. One round trip, or three."""
        self._check_process()
        with self._lock:
            if not self._renew():
                self._take()

    def close(self) -> None:
        """Gives the number back. It rests for two seconds, in which nobody gets it. A forked child has none to give."""
        if os.getpid() != self._process:
            return
        with self._lock:
            self._script([self._keys.node(self.node)], [self._written, REST_MS, _RESTING])
            self._renew_at = self._ends_at = -math.inf

    def _check_process(self) -> None:
        """Before the lock, which the parent may have held while it forked."""
        if os.getpid() != self._process:
            raise ForkedMint(
                f"this lease of node {self.node} was taken before a fork; expected a LeasedMint made in this process"
            )

    def __reduce__(self) -> NoReturn:
        raise TypeError("a node lease cannot be copied or pickled: its number has one holder; make a new LeasedMint")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _renew(self) -> bool:
        asked = self._elapsed()
        kept: bool = self._script([self._keys.node(self.node)], [self._written, self._lease_ms, self._written]) == 1
        if kept:
            self._date(asked)
        return kept

    def _date(self, asked: float) -> None:
        """The lease counts from before it was asked for, so here it ends before it does on the engine."""
        self._renew_at, self._ends_at = asked + self._lease_ms / 3000, asked + self._lease_ms / 1000

    def _take(self) -> None:
        """One round trip for the turn, one to see which are free, one to take it; more when others are as quick."""
        start = int(self._client.incr(self._keys.nodes)) - 1
        order = [(start + step) % NODES for step in range(NODES)]
        while True:
            held = raw(self._client, "MGET", *map(self._keys.node, order))
            free = [node for node, holder in zip(order, held, strict=True) if holder is None]
            if not free:
                raise NodesTaken(
                    f"expected a free node number; all {NODES} of {self._keys.queue} are leased. {self._soonest()}"
                )
            for node in free[:8]:
                asked = self._elapsed()
                if self._client.set(self._keys.node(node), self._written, nx=True, px=self._lease_ms):
                    self._date(asked)
                    self._mint = Mint(self._namespace, node, self._clock)
                    return

    def _soonest(self) -> str:
        pipeline: Any = self._client.pipeline(transaction=False)
        for node in range(NODES):
            pipeline.pttl(self._keys.node(node))
        soonest = max(0, min(pipeline.execute()))
        return f"The next lease to run out does so in {soonest / 1000:.0f} s."


def holders(client: Redis | RedisCluster, queue: str) -> dict[int, str]:
    """Who holds which node number of `queue` now. One round trip; O(1024)."""
    held = raw(client, "MGET", *map(Keys(queue).node, range(NODES)))
    return {
        node: written.partition(b" ")[2].decode("utf-8", "replace")
        for node, written in enumerate(held)
        if written is not None and written != _RESTING
    }
