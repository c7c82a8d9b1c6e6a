"""Many jobs at once, on every engine: a stream of jobs, in chunks, to the node that has the queue's slot.

On one server ``Jobs.enqueue(…, client=pipeline)``, redis-py's own idiom, does as well where all jobs are at hand. Here
they stream: while the engine works on one chunk, the next is taken, checked and sent, so that neither waits for the
other. And a cluster's pipeline takes no scripts, but a queue lives in one slot and so on one node, whose own connection
does. When the slot moves meanwhile, or the connection is lost, the jobs that this concerns are asked for again one by
one, which follows the slot, and the next chunk goes to its new home.
"""

import time
from collections.abc import Iterable, Iterator
from typing import Any, Final

from redis import exceptions
from redis.cluster import RedisCluster

from emq.jobs import SCRIPT, Admission, Jobs, admission

CHUNK_JOBS: Final = 1000
CHUNK_BYTES: Final = 1 << 22

Job = tuple[str | bytes, str | bytes]

_MOVING: Final = (
    exceptions.AskError,  # and MOVED, which derives from it
    exceptions.TryAgainError,
    exceptions.ClusterError,
    exceptions.SlotNotCoveredError,
    exceptions.NoScriptError,
)
_LOST: Final = (exceptions.ConnectionError, exceptions.TimeoutError)
_PAUSE: Final = 0.05


def enqueue_many(jobs: Jobs, pairs: Iterable[Job], *, patience: float = 30.0) -> Iterator[Admission]:
    """Enqueues each (job id, payload) of `pairs`, and yields its `Admission`, in the order of `pairs`.

    Lazy: what is yielded is admitted, and only two chunks are held at a time, each of at most 1000 jobs, or the first
    to pass 4 MiB of payload; so a million jobs stream. One round trip a chunk, and one to begin with.

    Raises what `Jobs.enqueue` raises, in the place of the job that it is about; a malformed job keeps its whole chunk
    from being sent. A lost connection, or on a cluster a slot that moves or a node that fails over, is waited for up to
    `patience` seconds. After an error the id is the receipt: ask again, and what had been admitted reads
    `Admission.DUPLICATE`, as it does where only a reply was lost.
    """
    chunks = _chunks(jobs, pairs)
    line = _Line(jobs)
    flying: list[Job] = []
    fault: Exception | None = None
    try:
        while True:
            if line.broken:
                yield from _settled(jobs, flying, line, patience)
                flying = []
                line.open()
            try:
                chunk, calls = next(chunks, ([], []))
            except Exception as error:  # noqa: BLE001  # raised below, in its place
                chunk, calls, fault = [], [], error
            if chunk:
                line.send(calls)
            yield from _settled(jobs, flying, line, patience)
            if fault:
                raise fault
            if not chunk:
                return
            flying = chunk
    finally:
        line.close()


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

    def open(self) -> None:
        """A connection, once the script is known behind it. One server that was never there is an error at once."""
        client: Any = self._jobs._client
        clustered, first = isinstance(client, RedisCluster), self._pool is None
        self._lost, self.broken = None, False
        try:
            if clustered:
                client = client.get_redis_connection(client.get_node_from_key(self._jobs._keys.pending))
            self._pool = client.connection_pool
            self._connection = self._pool.get_connection()
        except (*_LOST, exceptions.SlotNotCoveredError) as error:
            self._lose(error)
        self.send([("SCRIPT", "LOAD", SCRIPT)])
        loaded = self._reply()
        if isinstance(loaded, exceptions.ResponseError) or (self._lost and first and not clustered):
            raise loaded

    def send(self, calls: list[tuple[Any, ...]]) -> None:
        self._unread += len(calls)
        if self._lost is None:
            try:
                self._connection.send_packed_command(self._connection.pack_commands(calls))
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
        reply: object = None
        if self._lost is None:
            try:
                reply = self._connection.read_response()
            except exceptions.ResponseError as error:
                self.broken |= isinstance(error, _MOVING)
                reply = error
            except _LOST as error:
                self._lose(error)
        self._unread -= 1
        return self._lost or reply

    def _lose(self, error: Exception) -> None:
        self._lost, self.broken = error, True


def _chunks(jobs: Jobs, pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[list[Job], list[tuple[Any, ...]]]]:
    """Chunks of jobs, and the calls that enqueue them."""
    chunk: list[Job] = []
    calls: list[tuple[Any, ...]] = []
    size = 0
    for job_id, payload in pairs:
        call = jobs._call(job_id, payload)
        chunk.append((job_id, payload))
        calls.append(call)
        size += len(call[-1])
        if len(chunk) == CHUNK_JOBS or size > CHUNK_BYTES:
            yield chunk, calls
            chunk, calls, size = [], [], 0
    if chunk:
        yield chunk, calls


def _settled(jobs: Jobs, chunk: list[Job], line: _Line, patience: float) -> Iterator[Admission]:
    """The admission of each job of the chunk: what its reply says, or, where it did not get to the queue's node or its
    reply not to us, what asking again says."""
    replies = line.read(len(chunk))
    end = time.monotonic() + patience
    for job, first in zip(chunk, replies, strict=True):
        reply = first
        while isinstance(reply, (*_MOVING, *_LOST)):
            try:
                reply = jobs.enqueue(*job)
            except (*_MOVING, *_LOST) as error:
                if isinstance(error, exceptions.AuthenticationError) or time.monotonic() > end:
                    raise
                reply = error
                time.sleep(_PAUSE)
        yield admission(reply)
