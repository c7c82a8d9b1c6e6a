"""Many jobs at once, on every engine: a stream of jobs, in chunks, to the node that has the queue's slot.

On one server ``Jobs.enqueue(…, client=pipeline)``, redis-py's own idiom, does as well where all jobs are at hand. Here
they stream: while the engine works on one chunk, the next is taken, checked and sent, so that neither waits for the
other. And a cluster's pipeline takes no scripts, but a queue lives in one slot and so on one node, whose own connection
does. When the slot moves meanwhile, or the connection is lost, the jobs that this concerns are asked for again one by
one, which follows the slot, and the next chunk goes to its new home.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from redis import exceptions
from redis.cluster import RedisCluster
from redis.connection import CacheProxyConnection

from emq.jobs import SCRIPT, Admission, Jobs, admission

CHUNK_JOBS: Final = 1000
CHUNK_BYTES: Final = 1 << 22

Job = tuple[str | bytes, str | bytes]

_ASK_AGAIN: Final = (
    exceptions.AskError,  # and MOVED, which derives from it
    exceptions.TryAgainError,
    exceptions.ClusterError,
    exceptions.RedisClusterException,
    exceptions.SlotNotCoveredError,
    exceptions.NoScriptError,
)
_LOST: Final = (exceptions.ConnectionError, exceptions.TimeoutError)
_PAUSE: Final = 0.05


def enqueue_many(jobs: Jobs, pairs: Iterable[Job], *, patience: float = 30.0) -> Iterator[Admission]:
    """Enqueues each (job id, payload) of `pairs`, and yields its `Admission`, in the order of `pairs`.

    Lazy: what is yielded is admitted, and only two chunks are held at a time, each of at most 1000 jobs, or the first
    to pass 4 MiB of payload; so a million jobs stream. The first answer comes when the second chunk has been taken. One
    round trip a chunk, and one to begin with; one connection of the client's pool, until the last answer.

    Raises what `Jobs.enqueue` raises, in the place of the job that it is about, but for a malformed job: that, like an
    error of `pairs` itself, keeps its whole chunk from being sent, and comes after the answers to the chunks before.
    A lost connection, or on a cluster a slot that moves or a node that fails over, is waited for up to `patience`
    seconds; the jobs of two chunks may then take a round trip each. After an error the id is the receipt: ask again,
    and what had been admitted reads `Admission.DUPLICATE`, as it does where only a reply was lost.
    """
    chunks = _chunks(jobs, pairs)
    line = _Line(jobs)
    flying = _Chunk()  # sent, its replies not yet read
    try:
        line.open()
        while True:
            try:
                chunk = next(chunks, None)
            except Exception:
                yield from _answers(jobs, flying, line, patience)
                raise
            # Ahead of these replies it may not go: the first to ask for an id wins, and who asks again asks later.
            if chunk and (line.broken or not line.goes_ahead or not flying.rows.isdisjoint(chunk.rows)):
                yield from _answers(jobs, flying, line, patience)
                flying = _Chunk()
                if line.broken:
                    line.open()
            if chunk:
                line.send(chunk)
            yield from _answers(jobs, flying, line, patience)
            if not chunk:
                return
            flying = chunk
    finally:
        line.close()


@dataclass
class _Chunk:
    """Jobs, the calls that enqueue them, and the keys of their rows."""

    jobs: list[Job] = field(default_factory=list)
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    rows: set[str] = field(default_factory=set)
    size: int = 0

    def add(self, job: Job, call: tuple[Any, ...]) -> None:
        self.jobs.append(job)
        self.calls.append(call)
        self.rows.add(call[-3])
        self.size += len(call[-1])


class _Line:
    """A connection to the node that has the queue's slot. Once it is lost, so is every reply that was not read."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._pool: Any = None
        self._connection: Any = None
        self._unread = 0
        self._replies: list[object] = []
        self._lost: Exception | None = None
        self.broken = True

    @property
    def goes_ahead(self) -> bool:
        """Whether a chunk may be sent while replies are to come. Such a connection would look after its health then."""
        return not isinstance(self._connection, CacheProxyConnection)

    def open(self) -> None:
        """A connection, once the script is known behind it. One server that was never there is an error at once."""
        client: Any = self._jobs._client
        clustered, first = isinstance(client, RedisCluster), self._pool is None
        self._lost, self._unread, self.broken = None, 0, False
        try:
            if clustered:
                client = client.get_redis_connection(client.get_node_from_key(self._jobs._keys.pending))
            self._pool = client.connection_pool
            self._connection = self._pool.get_connection()
        except (*_LOST, exceptions.SlotNotCoveredError, exceptions.RedisClusterException) as error:
            self._lose(error)
        self.send(_Chunk(calls=[("SCRIPT", "LOAD", SCRIPT)]))
        loaded = self._reply()
        if isinstance(loaded, exceptions.ResponseError) or (self._lost and first and not clustered):
            raise loaded

    def send(self, chunk: _Chunk) -> None:
        if self._lost:
            return
        try:
            if self._unread and not self._connection.is_connected:  # it would connect anew and say nothing
                raise exceptions.ConnectionError("the connection was closed while replies were to come")
            packed = self._connection.pack_commands(chunk.calls)
            self._unread += len(chunk.calls)
            # A health check would take the first reply that is to come for its own.
            self._connection.send_packed_command(packed, check_health=False)
        except _LOST as error:
            self._lose(error)

    def read(self, count: int) -> list[object]:
        """The next `count` raw replies, an error in the place of each that is lost. A broken line is closed with it."""
        while len(self._replies) < count or (self.broken and self._unread):
            self._replies.append(self._reply())
        if self.broken:  # the jobs that are asked for again may need the one connection that there is
            self.close()
        replies, self._replies = self._replies[:count], self._replies[count:]
        return replies

    def close(self) -> None:
        if self._connection is None:
            return
        if self._unread or self._lost:  # who has it next would read what is on its way to us
            self._connection.disconnect()
        self._pool.release(self._connection)
        self._connection = None

    def _reply(self) -> Any:
        if self._lost:
            return self._lost
        try:
            reply = self._connection.read_response()
        except exceptions.ResponseError as error:
            self.broken |= isinstance(error, _ASK_AGAIN)
            reply = error
        except _LOST as error:
            self._lose(error)
            return error
        self._unread -= 1
        return reply

    def _lose(self, error: Exception) -> None:
        self._lost, self._unread, self.broken = error, 0, True


def _chunks(jobs: Jobs, pairs: Iterable[tuple[Any, Any]]) -> Iterator[_Chunk]:
    chunk = _Chunk()
    for job_id, payload in pairs:
        chunk.add((job_id, payload), jobs._call(job_id, payload))
        if len(chunk.jobs) == CHUNK_JOBS or chunk.size > CHUNK_BYTES:
            yield chunk
            chunk = _Chunk()
    if chunk.jobs:
        yield chunk


def _answers(jobs: Jobs, chunk: _Chunk, line: _Line, patience: float) -> Iterator[Admission]:
    """What each reply says, or, where a job did not get to the queue's node or its reply not to us, asking again."""
    for job, first in zip(chunk.jobs, line.read(len(chunk.jobs)), strict=True):
        reply = first
        end: float | None = None
        while isinstance(reply, (*_ASK_AGAIN, *_LOST)):
            end = end or time.monotonic() + patience
            try:
                reply = jobs.enqueue(*job)
            except (*_ASK_AGAIN, *_LOST) as error:
                if isinstance(error, exceptions.AuthenticationError) or time.monotonic() > end:
                    raise
                reply = error
                time.sleep(_PAUSE)
        yield admission(reply)
