"""Many jobs at once, on every engine: redis-py's own pipeline, in chunks, to the node that has the queue's slot.

On one server this is the idiom that `Jobs.enqueue` has already, ``client=pipeline``. A cluster's pipeline takes no
scripts, but a queue lives in one slot and so on one node, whose own pipeline does. When the slot moves meanwhile, the
jobs that were sent to the old node are asked for again one by one, which follows the slot, and the next chunk goes to
its new home.
"""

import time
from collections.abc import Iterable, Iterator
from typing import Any, Final

from redis import exceptions
from redis.cluster import RedisCluster

from emq.jobs import Admission, Jobs, admission

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

    Lazy: what is yielded is admitted, and only a chunk of at most 1000 jobs, or the first to pass 4 MiB of payload, is
    held at a time, so a million jobs stream. Two round trips a chunk.

    Raises what `Jobs.enqueue` raises, in the place of the job that it is about; a malformed job keeps its whole chunk
    from being sent. On a cluster a slot that moves, or a node that fails over, is waited for up to `patience` seconds.
    After an error, or where a reply was lost, the id is the receipt: ask again, and what had been admitted
    reads `Admission.DUPLICATE`.
    """
    for chunk in _chunks(pairs):
        replies = _replies(jobs, chunk)
        end = time.monotonic() + patience
        for job, reply in zip(chunk, replies, strict=True):
            yield _settled(jobs, job, reply, end)


def _chunks(pairs: Iterable[tuple[Any, Any]]) -> Iterator[list[Job]]:
    chunk: list[Job] = []
    size = 0
    for job_id, payload in pairs:
        chunk.append((job_id, payload))
        size += len(payload) if isinstance(payload, str | bytes) else 0  # another is refused when its turn comes
        if len(chunk) == CHUNK_JOBS or size > CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _replies(jobs: Jobs, chunk: list[Job]) -> list[object]:
    """The raw reply to each job of the chunk; on a cluster, an error in place of each reply that was lost."""
    if not isinstance(jobs._client, RedisCluster):
        return _sent(jobs, chunk, jobs._client)
    cluster: Any = jobs._client
    try:
        return _sent(jobs, chunk, cluster.get_redis_connection(cluster.get_node_from_key(jobs._keys.pending)))
    except (*_LOST, exceptions.SlotNotCoveredError) as error:
        return [error] * len(chunk)


def _sent(jobs: Jobs, chunk: list[Job], client: Any) -> list[object]:
    with client.pipeline(transaction=False) as pipeline:
        for job_id, payload in chunk:
            jobs.enqueue(job_id, payload, client=pipeline)
        replies: list[object] = pipeline.execute(raise_on_error=False)
    return replies


def _settled(jobs: Jobs, job: Job, reply: object, end: float) -> Admission:
    """The admission that `reply` says, or, where the job did not get to the queue's node, that asking again says."""
    while isinstance(reply, (*_MOVING, *_LOST)):
        try:
            return jobs.enqueue(*job)
        except (*_MOVING, *_LOST) as error:
            if time.monotonic() > end:
                raise
            reply = error
            time.sleep(_PAUSE)
    return admission(reply)
