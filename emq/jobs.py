"""The bus: three verbs over one sorted set and one hash a job.

    enqueue        EVALSHA enqueue.lua      one round trip, all or nothing, idempotent by id
    browse         ZRANGE … BYLEX           O(log n + page)
    pending_size   ZCARD                    O(1)

Every pending member has score 0, for ever, so the set is ordered by the members' bytes, and for branded ids that is
mint order. One set is thereby the queue (its least member is the oldest job), the browse index (read it from the end)
and the time index (a range of ids is a range of time).

Source: the chapter's bus; Valkey's *ZRANGE*.
"""

from datetime import datetime
from enum import IntEnum
from importlib.resources import files
from typing import Any, Final, overload

from redis import Redis
from redis.client import Pipeline
from redis.cluster import RedisCluster
from redis.exceptions import NoScriptError, ResponseError

from emq.engine import raw
from emq.errors import CorruptQueue, InvalidId, InvalidPayload, InvalidWindow, KindRefused, show
from emq.ids import BrandedId, check_prefix, clock_window
from emq.keys import Keys

KIND: Final = "JOB"
SCRIPT: Final = files("emq").joinpath("enqueue.lua").read_text("ascii")
MAX_COUNT: Final = (1 << 63) - 1


class Admission(IntEnum):
    """What enqueue answers. Both are success: the job is pending, by this call or by an earlier one."""

    DUPLICATE = 0
    ENQUEUED = 1


# Admission(reply) costs as much as all the rest of a call does here.
_ADMISSIONS: Final[dict[object, Admission]] = {int(each): each for each in Admission}


class Jobs:
    """The queue `queue` (1 to 128 characters of ``[A-Za-z0-9_.-]``) on the engine behind `client`, a redis-py client.

    The client may decode responses or not. Jobs holds no state of its own: any number of them may share a queue.
    """

    def __init__(self, client: Redis | RedisCluster, queue: str) -> None:
        self._client: Any = client  # its execute_command has no types
        self._keys = Keys(queue)
        self._script = client.register_script(SCRIPT)

    @overload
    def enqueue(self, job_id: str | bytes, payload: str | bytes, *, client: None = None) -> Admission: ...
    @overload
    def enqueue(self, job_id: str | bytes, payload: str | bytes, *, client: Pipeline) -> Pipeline: ...
    def enqueue(
        self, job_id: str | bytes, payload: str | bytes, *, client: Pipeline | None = None
    ) -> Admission | Pipeline:
        """Admits the job and answers `Admission.ENQUEUED`, or `Admission.DUPLICATE` when its id was admitted before.

        The id is the receipt: on any doubt (a lost reply, a timeout) ask again. The payload is kept byte for byte; a
        ``str`` is kept as UTF-8. One round trip; a second and third only when the server has forgotten the script.

        With ``client=pipeline``, redis-py's own idiom for scripts, the call is queued there, the pipeline comes back,
        and its ``execute`` yields one reply a job, which `admission` reads.

        Raises `InvalidId` or `InvalidPayload` before anything is sent, and `KindRefused` when the script refuses
        the kind.
        """
        call = self._call(job_id, payload)
        # What redis-py's Script object does, without its calls, which cost more than all of the rest here.
        if client is not None:
            pipeline: Any = client
            if not hasattr(pipeline, "scripts"):  # a client sends at once, and a cluster's pipeline takes no scripts
                raise TypeError(
                    f"expected a pipeline of one server as client; got {type(pipeline).__name__}. "
                    "On a cluster use emq.bulk.enqueue_many"
                )
            pipeline.execute_command(*call)
            pipeline.scripts.add(self._script)  # for redis-py to load, where it is not known, before the pipeline runs
            return client
        try:
            try:
                return admission(self._client.execute_command(*call))
            except NoScriptError:
                self._client.script_load(SCRIPT)
                return admission(self._client.execute_command(*call))
        except ResponseError as error:
            return admission(error)

    def _call(self, job_id: str | bytes, payload: str | bytes) -> tuple[Any, ...]:
        """The command that enqueues the job, checked."""
        keys = self._keys
        return "EVALSHA", self._script.sha, 2, keys.pending, keys.job(job_id), job_id, payload_bytes(payload)

    def browse(
        self,
        count: int = 20,
        oldest_first: bool = False,
        prefix: str | None = None,
        since: int | datetime | None = None,
        until: int | datetime | None = None,
        after: str | bytes | None = None,
    ) -> list[BrandedId]:
        """At most `count` pending ids, newest first, or oldest first. One command; O(log n + count), n jobs pending.

        `prefix` keeps the ids that start with it. `since` and `until` (unix milliseconds or aware datetimes) keep those
        minted in the half-open window [since, until). `after` is the last id of the page before: the page goes on from
        there, in either direction. Raises `InvalidWindow` or `InvalidId` before anything is sent, and `CorruptQueue`
        when the set holds a member that is no id.
        """
        command = range_command(self._keys.pending, count, oldest_first, prefix, since, until, after)
        try:
            return [BrandedId(member) for member in raw(self._client, *command)]
        except InvalidId as fault:
            raise CorruptQueue(f"expected branded ids in {self._keys.pending}; {fault}") from None

    def pending_size(self) -> int:
        """How many jobs are pending. O(1)."""
        size: int = self._client.zcard(self._keys.pending)
        return size


def admission(reply: object) -> Admission:
    """Reads one raw reply of the script, as a pipeline yields it: an `Admission`, or the error that it carries, raised.

    An error is known by its class, the first word on the wire: engines put different things after it.
    """
    try:
        return _ADMISSIONS[reply]
    except (KeyError, TypeError):  # TypeError: a list, say
        pass
    if isinstance(reply, ResponseError) and str(reply).partition(" ")[0] == KindRefused.code:
        raise KindRefused(str(reply)) from reply
    if isinstance(reply, Exception):
        raise reply
    raise ValueError(f"expected the script's reply, 0 or 1; got {show(reply)}")


def range_command(
    pending_key: str,
    count: int = 20,
    oldest_first: bool = False,
    prefix: str | None = None,
    since: int | datetime | None = None,
    until: int | datetime | None = None,
    after: str | bytes | None = None,
) -> tuple[str | bytes | int, ...]:
    """The one command that answers `Jobs.browse`: ``ZRANGE key start stop BYLEX [REV] LIMIT 0 count``.

    A bound is a member behind ``[`` (inside) or ``(`` (outside), or ``-`` and ``+`` for the ends. With REV the higher
    bound comes first; the lower first would answer nothing, silently.
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_COUNT:
        raise InvalidWindow(f"expected a count, an int of 0 or more; got {show(count)}")
    low, high = b"-", b"+"
    if prefix is not None:
        if since is not None or until is not None:
            raise InvalidWindow(f"expected a prefix or a clock window, not both; got {show(prefix)} and a window")
        member = check_prefix(prefix).encode()
        low, high = b"[" + member, b"(" + member + b"\xff"  # the byte above every character of an id
    elif since is not None or until is not None:
        first, end = clock_window(KIND, since, until)
        low, high = b"[" + first.encode(), b"(" + end.encode()
    if after is not None:
        cursor = b"(" + BrandedId(after).encode()
        if oldest_first:
            low = cursor if low == b"-" else max(cursor, low, key=_bound_order)
        else:
            high = cursor if high == b"+" else min(cursor, high, key=_bound_order)
    bounds = (low, high, "BYLEX") if oldest_first else (high, low, "BYLEX", "REV")
    return ("ZRANGE", pending_key, *bounds, "LIMIT", 0, int(count))  # an IntEnum's member is no int to redis-py


def _bound_order(bound: bytes) -> bytes:
    # Of two bounds on one member, max and min keep the first they are given: the cursor, which leaves it out.
    return bound[1:]


def payload_bytes(payload: str | bytes) -> bytes:
    """The bytes that the row will hold: a ``str`` as UTF-8. Raises `InvalidPayload` for what has none."""
    if isinstance(payload, bytes):
        return payload
    if not isinstance(payload, str):
        raise InvalidPayload(f"expected a payload of str or bytes; got {type(payload).__name__} {show(payload)}")
    try:
        return payload.encode()
    except UnicodeEncodeError as fault:
        raise InvalidPayload(
            f"expected text with a UTF-8 form; got {payload[fault.start]!r} at character {fault.start + 1}"
        ) from None
