"""Bulk: every engine, in order, in chunks, across errors; on a cluster, along with a slot that moves."""

import functools
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.exceptions import ClusterError, ResponseError
from redis.retry import Retry

from emq import Admission, BrandedId, InvalidId, Jobs, KindRefused, Mint, bulk
from emq.bulk import enqueue_many
from emq.engine import raw
from emq.errors import InvalidPayload
from emq.keys import Keys
from tests.engines.fixtures import Engine, new_queue
from tests.engines.servers import HOST, Cluster, Server, redis_binary, wait_until

ORDER = BrandedId("ORD0Nt6z93U3dY")


def pairs(mint: Callable[[], BrandedId], count: int) -> list[tuple[BrandedId, bytes]]:
    return [(job_id := mint(), job_id.encode() + b"\r\n\0\xff") for _ in range(count)]


def check_all_once(client: Any, queue: str, sent: list[tuple[BrandedId, bytes]]) -> None:
    """Each job is there, once, whole, in order, and nothing else is."""
    jobs, keys = Jobs(client, queue), Keys(queue)
    assert jobs.browse(len(sent) + 1, oldest_first=True) == [job_id for job_id, _ in sent]
    for job_id, payload in sent:
        row = raw(client, "HGETALL", keys.job(job_id))
        assert row == {b"state": b"pending", b"attempts": b"0", b"payload": payload}


def test_many_jobs_in_order_in_chunks(jobs: Jobs, client: Any, queue: str, mint: Mint) -> None:
    sent = pairs(mint, 2 * bulk.CHUNK_JOBS + 1)
    assert list(enqueue_many(jobs, sent)) == [Admission.ENQUEUED] * len(sent)
    assert jobs.pending_size() == len(sent)
    check_all_once(client, queue, sent)


def test_each_job_has_its_own_answer(jobs: Jobs, mint: Mint) -> None:
    one, two = pairs(mint, 2)
    answers = list(enqueue_many(jobs, [one, one, two, one]))
    assert answers == [Admission.ENQUEUED, Admission.DUPLICATE, Admission.ENQUEUED, Admission.DUPLICATE]
    assert {type(answer) for answer in answers} == {Admission}


def test_nothing_in_nothing_out(jobs: Jobs) -> None:
    assert list(enqueue_many(jobs, [])) == []


def test_a_generator_is_read_one_chunk_ahead(jobs: Jobs, mint: Mint) -> None:
    taken = 0

    def endless() -> Iterator[tuple[BrandedId, bytes]]:
        nonlocal taken
        while True:
            taken += 1
            yield mint(), b"x"

    answers = enqueue_many(jobs, endless())
    assert taken == 0
    assert list(itertools.islice(answers, 3)) == [1, 1, 1]
    assert taken == 2 * bulk.CHUNK_JOBS
    assert set(itertools.islice(answers, bulk.CHUNK_JOBS - 3)) == {1}
    assert taken == 2 * bulk.CHUNK_JOBS
    assert next(answers) == 1
    assert taken == 3 * bulk.CHUNK_JOBS


def test_large_payloads_make_small_chunks(jobs: Jobs, mint: Mint) -> None:
    taken = 0

    def counted() -> Iterator[tuple[BrandedId, bytes]]:
        nonlocal taken
        for _ in range(7):
            taken += 1
            yield mint(), b"x" * (bulk.CHUNK_BYTES // 2)

    answers = enqueue_many(jobs, counted())
    next(answers)
    assert taken == 6  # the third of each chunk was the first to pass the limit
    assert len(list(answers)) == 6


def test_who_stops_in_the_middle_leaves_no_answer_for_the_next(engine: Engine, queue: str, mint: Mint) -> None:
    with engine.client() as client:
        jobs = Jobs(client, queue)
        answers = enqueue_many(jobs, ((mint(), b"x") for _ in range(5 * bulk.CHUNK_JOBS)))
        assert next(answers) is Admission.ENQUEUED
        answers.close()  # type: ignore[attr-defined]
        assert bulk.CHUNK_JOBS <= jobs.pending_size() <= 2 * bulk.CHUNK_JOBS
        assert jobs.enqueue(mint(), b"x") is Admission.ENQUEUED
        assert client.get("nothing") is None


@pytest.mark.parametrize(
    ("third", "error"),
    [(("nonsense", b"x"), InvalidId), (("JOB0Nvmd8aV5iy", None), InvalidPayload), (None, TypeError)],
    ids=["id", "payload", "no pair"],
)
def test_a_fault_of_a_later_chunk_comes_after_the_answers_to_those_before(
    jobs: Jobs, mint: Mint, third: Any, error: type[Exception]
) -> None:
    sent = pairs(mint, 2 * bulk.CHUNK_JOBS + 5)
    answers: list[Admission] = []
    with pytest.raises(error):
        answers.extend(enqueue_many(jobs, [*sent, third]))
    # extend keeps what came before the error
    assert answers == [Admission.ENQUEUED] * 2 * bulk.CHUNK_JOBS
    assert jobs.pending_size() == len(answers)


def test_a_wrong_kind_is_raised_in_its_place(jobs: Jobs, mint: Mint) -> None:
    (one, two) = pairs(mint, 2)
    answers = enqueue_many(jobs, [one, (ORDER, b"x"), two])
    assert next(answers) is Admission.ENQUEUED
    with pytest.raises(KindRefused):
        next(answers)
    # What it did not get to say can be asked again.
    assert list(enqueue_many(jobs, [one, two])) == [Admission.DUPLICATE, Admission.DUPLICATE]


@pytest.mark.parametrize(
    ("job", "error"), [(("nonsense", b"x"), InvalidId), (("JOB0Nvmd8aV5iy", None), InvalidPayload)]
)
def test_a_malformed_job_keeps_its_chunk_from_being_sent(
    jobs: Jobs, mint: Mint, job: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        list(enqueue_many(jobs, [*pairs(mint, 5), job]))
    assert jobs.pending_size() == 0


def test_a_pending_key_of_another_type_writes_no_row(jobs: Jobs, client: Any, keys: Keys, mint: Mint) -> None:
    client.set(keys.pending, "x")
    sent = pairs(mint, 3)
    with pytest.raises(ResponseError, match="WRONGTYPE"):
        list(enqueue_many(jobs, sent))
    assert not any(client.exists(keys.job(job_id)) for job_id, _ in sent)


@pytest.mark.parametrize("decode", [False, True])
@pytest.mark.parametrize("protocol", [2, 3])
def test_any_client_will_do(engine: Engine, queue: str, mint: Mint, decode: bool, protocol: int) -> None:
    with engine.client(decode_responses=decode, protocol=protocol) as client:
        sent = pairs(mint, 20)
        assert set(enqueue_many(Jobs(client, queue), sent)) == {Admission.ENQUEUED}
        check_all_once(client, queue, sent)


@pytest.mark.parametrize("connections", [1, None])
def test_a_script_that_is_forgotten_meanwhile_is_loaded_again(
    engine: Engine, queue: str, mint: Mint, connections: int | None
) -> None:
    limit = {} if engine.is_embedded or engine.name == "cluster" else {"max_connections": connections}
    with engine.client(**limit) as client, engine.client() as other:
        jobs = Jobs(client, queue)

        def forgetting() -> Iterator[tuple[BrandedId, bytes]]:
            for number in range(3 * bulk.CHUNK_JOBS):
                if number % bulk.CHUNK_JOBS == 0:
                    other.script_flush()
                yield mint(), b"x"

        assert set(enqueue_many(jobs, forgetting(), patience=1)) == {Admission.ENQUEUED}
        assert jobs.pending_size() == 3 * bulk.CHUNK_JOBS


def test_what_is_sent_touches_one_slot(
    engine: Engine, client: Any, mint: Mint, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[Any, ...]] = []
    pack = redis.connection.Connection.pack_commands
    monkeypatch.setattr(
        redis.connection.Connection, "pack_commands", lambda self, calls: sent.extend(calls) or pack(self, calls)
    )
    queue = new_queue()
    assert set(enqueue_many(Jobs(client, queue), pairs(mint, 50))) == {Admission.ENQUEUED}
    calls = [command for command in sent if command[0] == "EVALSHA"]
    assert {key_slot(key.encode()) for command in calls for key in command[3:5]} == {key_slot(queue.encode())}
    assert len(calls) == 50


# What happens to the connection while a chunk is on its way


def interrupted(mint: Mint, count: int, at: int, what: Callable[[], object]) -> Iterator[tuple[BrandedId, bytes]]:
    """Jobs, with something that happens before the one of number `at`."""
    for number in range(count):
        if number == at:
            what()
        yield mint(), b"x"


Meanwhile = Callable[[redis.Redis, redis.Redis], object]
MEANWHILE: dict[str, Meanwhile] = {
    "a health check is due": lambda client, other: time.sleep(1.2),
    "the pool is closed": lambda client, other: client.connection_pool.disconnect(),
    "the client is closed": lambda client, other: client.close(),
    "the connection is killed": lambda client, other: other.client_kill_filter(_type="normal", skipme=True),
    "the connection is killed, and the pool looks": lambda client, other: (
        other.client_kill_filter(_type="normal", skipme=True),
        client.ping(),
    ),
}


@pytest.mark.parametrize("held", [False, True], ids=["the server answers", "the server waits"])
@pytest.mark.parametrize("protocol", [2, 3])
@pytest.mark.parametrize("what", MEANWHILE)
def test_no_answer_is_taken_for_another_and_none_is_for_a_job_that_is_not_there(
    valkey_server: Server, queue: str, mint: Mint, what: str, protocol: int, held: bool
) -> None:
    retry = Retry(NoBackoff(), 3)
    options = {"health_check_interval": 1, "socket_timeout": 5, "protocol": protocol, "retry": retry}
    with valkey_server.client(**options) as client, valkey_server.client() as other:
        jobs = Jobs(client, queue)
        before = pairs(mint, bulk.CHUNK_JOBS)
        for job in before:
            jobs.enqueue(*job)

        def sent() -> Iterator[tuple[BrandedId, bytes]]:
            # The first chunk is all duplicates: an answer of another chunk would read ENQUEUED.
            yield from before[:-1]
            if held:
                other.client_pause(300, all=False)
            yield before[-1]
            yield from interrupted(
                mint, 2 * bulk.CHUNK_JOBS, bulk.CHUNK_JOBS - 1, lambda: MEANWHILE[what](client, other)
            )

        answers = list(enqueue_many(jobs, sent()))
        assert answers[: len(before)] == [Admission.DUPLICATE] * len(before)
        assert len(answers) == 3 * bulk.CHUNK_JOBS == jobs.pending_size()


def test_the_embedded_engine_s_connection_may_be_closed_meanwhile(
    embedded_engine: Engine, queue: str, mint: Mint
) -> None:
    with embedded_engine.client() as client:
        jobs = Jobs(client, queue)
        sent = interrupted(mint, 2100, 1999, client.connection_pool.disconnect)
        assert len(list(enqueue_many(jobs, sent))) == 2100 == jobs.pending_size()


@pytest.mark.parametrize("at", range(0, 4000, 250))
def test_who_is_interrupted_leaves_no_answer_for_the_next(
    valkey_server: Server, queue: str, mint: Mint, at: int
) -> None:
    class Interrupting:
        """Raises as Ctrl-C does, amid the reading of a reply."""

        def __init__(self, read: Callable[..., object]) -> None:
            self.left, self.read = at, read

        def __call__(self, connection: object, *args: object, **options: object) -> object:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
            return self.read(connection, *args, **options)

    with valkey_server.client(max_connections=1) as client, pytest.MonkeyPatch.context() as patch:
        reading = Interrupting(redis.Connection.read_response)
        jobs = Jobs(client, queue)
        patch.setattr(redis.Connection, "read_response", lambda self, *args, **options: reading(self, *args, **options))
        sent = pairs(mint, 3500)
        if at == 0:
            assert len(list(enqueue_many(jobs, sent))) == len(sent)
        else:
            with pytest.raises(KeyboardInterrupt):
                list(enqueue_many(jobs, sent + pairs(mint, 1000)))
        assert client.echo("ours") == b"ours"


def test_the_first_to_ask_for_an_id_wins_even_where_its_chunk_is_asked_again(
    valkey_server: Server, queue: str, mint: Mint
) -> None:
    with valkey_server.client() as client, valkey_server.client() as other:
        jobs, same = Jobs(client, queue), mint()

        def sent() -> Iterator[tuple[BrandedId, bytes]]:
            for number in range(2 * bulk.CHUNK_JOBS):
                if number == bulk.CHUNK_JOBS - 1:
                    other.script_flush()
                if number == 2 * bulk.CHUNK_JOBS - 1:
                    other.script_load(jobs._script.script)
                yield (same if number % bulk.CHUNK_JOBS == 500 else mint()), str(number).encode()

        answers = list(enqueue_many(jobs, sent()))
        assert (answers[500], answers[1500]) == (Admission.ENQUEUED, Admission.DUPLICATE)
        assert client.hget(Keys(queue).job(same), "payload") == b"500"


def test_patience_is_not_spent_by_who_takes_the_answers(valkey_server: Server, queue: str, mint: Mint) -> None:
    with valkey_server.client() as client, valkey_server.client() as other:
        jobs = Jobs(client, queue)
        answers = enqueue_many(
            jobs,
            interrupted(mint, 1500, 999, lambda: other.client_kill_filter(_type="normal", skipme=True)),
            patience=0.5,
        )
        next(answers)
        time.sleep(0.8)
        assert len(list(answers)) == 1499
        assert jobs.pending_size() == 1500


def test_a_client_with_a_cache_is_not_sent_ahead(queue: str, mint: Mint, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its connections look after their health whenever they send, so nothing may be unread then.
    with Server(redis_binary()) as server, server.client() as client:
        jobs, unread = Jobs(client, queue), []
        monkeypatch.setattr(bulk, "CacheProxyConnection", redis.Connection)
        send = bulk._Line.send
        monkeypatch.setattr(bulk._Line, "send", lambda line, chunk: unread.append(line._unread) or send(line, chunk))
        assert len(list(enqueue_many(jobs, pairs(mint, 3500)))) == 3500
    assert unread == [0] * 5


# A cluster's slot that moves


def move_in_the_open(cluster: Cluster, queue: str, source: Server, target: Server, hold: float = 0) -> None:
    """The protocol of all versions: mark both ends, migrate key by key, tell everybody."""
    slot = key_slot(queue.encode())
    with source.client() as one, target.client() as other:
        one_id, other_id = one.execute_command("CLUSTER MYID"), other.execute_command("CLUSTER MYID")
        other.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", one_id)
        one.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", other_id)
        while keys := one.execute_command("CLUSTER GETKEYSINSLOT", slot, 200):
            one.execute_command("MIGRATE", HOST, target.port, "", 0, 5000, "KEYS", *keys)
        time.sleep(hold)
        for node in (target, source, *cluster.nodes):
            with node.client() as client:
                client.execute_command("CLUSTER SETSLOT", slot, "NODE", other_id)


def move_at_once(cluster: Cluster, queue: str, source: Server, target: Server) -> None:
    """Valkey 9's own."""
    slot = key_slot(queue.encode())
    with source.client() as one, target.client() as other:
        other_id = other.execute_command("CLUSTER MYID")
        one.execute_command("CLUSTER MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", other_id)
        wait_until("the slot has moved", lambda: slot in slots_of(target))


def slots_of(node: Server) -> set[int]:
    with node.client() as client:
        spans = next(
            link["slots"] for link in client.execute_command("CLUSTER NODES").values() if "myself" in link["flags"]
        )
    return {slot for first, *last in spans for slot in range(int(first), int((last or [first])[0]) + 1)}


@pytest.mark.parametrize(
    "move",
    [
        pytest.param(
            functools.partial(move_in_the_open, hold=1.5), id="in the open, for longer than redis-py asks again"
        ),
        pytest.param(move_at_once, id="at once"),
    ],
)
def test_a_slot_that_moves_meanwhile_is_followed(
    cluster: Cluster, queue: str, mint: Mint, move: Callable[..., None]
) -> None:
    with cluster.client() as client:
        jobs = Jobs(client, queue)
        source = cluster.owner(Keys(queue).pending)
        target = next(node for node in cluster.nodes if node is not source)
        sent = pairs(mint, 6000)
        started, failures = threading.Event(), []

        def moving() -> None:
            started.wait()
            try:
                move(cluster, queue, source, target)
                move(cluster, queue, target, source)
            except BaseException as error:  # noqa: BLE001
                failures.append(error)

        mover = threading.Thread(target=moving)
        mover.start()
        answers: list[Admission] = []
        for answer in enqueue_many(jobs, sent):
            answers.append(answer)
            if len(answers) == 1000:
                started.set()
        mover.join()
        assert failures == []
        assert answers == [Admission.ENQUEUED] * len(sent)
        check_all_once(client, queue, sent)


def test_a_slot_that_has_moved_before_is_followed_from_the_first_chunk(
    cluster: Cluster, queue: str, mint: Mint
) -> None:
    with cluster.client() as client:
        jobs = Jobs(client, queue)
        source = cluster.owner(Keys(queue).pending)
        target = next(node for node in cluster.nodes if node is not source)
        first = pairs(mint, 10)
        list(enqueue_many(jobs, first))
        move_in_the_open(cluster, queue, source, target)
        second = pairs(mint, 10)
        assert list(enqueue_many(jobs, second)) == [Admission.ENQUEUED] * 10
        check_all_once(client, queue, first + second)
        assert client.get_node_from_key(Keys(queue).pending).port == target.port  # what it learned, it keeps


def test_a_slot_that_stays_on_the_way_ends_the_patience(cluster: Cluster, queue: str, mint: Mint) -> None:
    slot = key_slot(queue.encode())
    source = cluster.owner(Keys(queue).pending)
    target = next(node for node in cluster.nodes if node is not source)
    with cluster.client() as client, source.client() as one, target.client() as other:
        one_id, other_id = one.execute_command("CLUSTER MYID"), other.execute_command("CLUSTER MYID")
        other.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", one_id)
        one.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", other_id)
        jobs = Jobs(client, queue)
        sent = pairs(mint, 3)
        try:
            # Two keys that are not there yet, at the end that does not own them: try again, says the cluster.
            with pytest.raises((ClusterError, ResponseError)):
                list(enqueue_many(jobs, sent, patience=0.1))
        finally:
            for node in (other, one):
                node.execute_command("CLUSTER SETSLOT", slot, "STABLE")
        assert list(enqueue_many(jobs, sent)) == [Admission.ENQUEUED] * 3
        check_all_once(client, queue, sent)


def test_a_server_that_is_not_there_is_told_at_once() -> None:
    with socket.create_server((HOST, 0)) as closed:
        port = closed.getsockname()[1]
    with redis.Redis(host=HOST, port=port, retry=Retry(NoBackoff(), 0)) as client:
        started = time.monotonic()
        with pytest.raises(redis.ConnectionError):
            list(enqueue_many(Jobs(client, "nobody"), [("JOB0Nvmd8aV5iy", b"x")]))
        assert time.monotonic() - started < 10  # and not the whole patience of 30 s


def test_who_may_not_load_the_script_is_told_so_and_gives_the_connection_back(
    valkey_server: Server, queue: str, mint: Mint
) -> None:
    with valkey_server.client() as owner:
        owner.acl_setuser("reader", enabled=True, nopass=True, keys=["*"], commands=["+@all", "-script|load"])
    with valkey_server.client(username="reader", password="x", max_connections=1) as client:
        for _ in range(2):
            with pytest.raises(redis.exceptions.NoPermissionError):
                list(enqueue_many(Jobs(client, queue), pairs(mint, 1)))
    with valkey_server.client() as owner:
        owner.acl_deluser("reader")
