"""What breaks around the bus, each with nothing lost and nothing half-written.

The first line of each docstring is the fault's row in the table that tools/faults.py prints; `held` is what was seen.
"""

import functools
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.exceptions import MaxConnectionsError, OutOfMemoryError, ReadOnlyError, ResponseError
from redis.retry import Retry

from emq import Admission, BrandedId, Jobs, Mint
from emq.bulk import enqueue_many
from emq.engine import raw
from emq.keys import Keys
from tests.engines.fixtures import Engine, new_queue
from tests.engines.servers import HOST, Cluster, Server, redis_binary, valkey_binary, wait_until
from tests.faults.proxy import Proxy
from tests.threads import in_threads

Held = Callable[[str], None]

NO_RETRY = Retry(NoBackoff(), 0)
PATIENT = Retry(NoBackoff(), 3)


@pytest.fixture
def held(record_property: Callable[[str, object], None]) -> Held:
    return lambda words: record_property("held", words)


@pytest.fixture(params=[pytest.param("redis", marks=pytest.mark.redis_server), "valkey"])
def server(request: pytest.FixtureRequest) -> Server:
    """A shared server: for faults that are the client's, or the line's."""
    found: Server = request.getfixturevalue(f"{request.param}_server")
    return found


@pytest.fixture(params=[pytest.param("redis", marks=pytest.mark.redis_server), "valkey"])
def binary(request: pytest.FixtureRequest) -> str:
    """For a server of the test's own: for faults that are the server's."""
    return {"redis": redis_binary, "valkey": valkey_binary}[request.param]()


def jobs_of(queue: str, mint: Mint, count: int) -> list[tuple[BrandedId, bytes]]:
    return [(job_id := mint(), b"cargo of " + job_id.encode() + b"\r\n\0\xff") for _ in range(count)]


def check_whole(client: Any, queue: str) -> set[bytes]:
    """The pending ids, after a look that each has its whole row, and that each row is pending: nothing half-written."""
    keys = Keys(queue)
    pending = raw(client, "ZRANGE", keys.pending, 0, -1)
    prefix = keys.pending.removesuffix("pending") + "job:"
    rows = {key.removeprefix(prefix.encode()) for key in client.scan_iter(prefix + "*", count=1000)}
    assert rows == set(pending)
    pipe = client.pipeline(transaction=False)
    for member in pending:
        pipe.hgetall(keys.job(member))
    for member, row in zip(pending, pipe.execute(), strict=True):
        assert row == {b"state": b"pending", b"attempts": b"0", b"payload": b"cargo of " + member + b"\r\n\0\xff"}
    return set(pending)


def ask_until_answered(jobs: Jobs, job_id: BrandedId, payload: bytes) -> Admission:
    """The caller's side of the promise: on any doubt, the same again."""
    end = time.monotonic() + 30
    while True:
        try:
            return jobs.enqueue(job_id, payload)
        except redis.RedisError:
            assert time.monotonic() < end
            time.sleep(0.02)


# The line


asked_again = pytest.mark.parametrize(
    "retry", [NO_RETRY, PATIENT], ids=["asked again by hand", "asked again by redis-py"]
)


def lose_a_call(how: str, server: Server, queue: str, mint: Mint, retry: Retry, then: Admission) -> str:
    """One call is lost on the line, asked again, and answered `then`: DUPLICATE if the lost one had run."""
    [(job_id, payload)] = jobs_of(queue, mint, 1)
    with Proxy(server.port) as proxy, redis.Redis(port=proxy.port, retry=retry) as client, server.client() as direct:
        jobs = Jobs(client, queue)
        client.script_load(jobs._script.script)
        setattr(proxy, how, 1)
        if retry is NO_RETRY:
            with pytest.raises(redis.ConnectionError):
                jobs.enqueue(job_id, payload)
            assert check_whole(direct, queue) == ({job_id.encode()} if then is Admission.DUPLICATE else set())
        assert jobs.enqueue(job_id, payload) is then
        assert proxy.lost == 1
        assert check_whole(direct, queue) == {job_id.encode()}
    return f"answers {then.name}, one job pending"


@asked_again
def test_reply_swallowed(server: Server, queue: str, mint: Mint, retry: Retry, held: Held) -> None:
    """the reply is swallowed after the script ran"""
    held(lose_a_call("swallow", server, queue, mint, retry, Admission.DUPLICATE))


@asked_again
def test_cut_before(server: Server, queue: str, mint: Mint, retry: Retry, held: Held) -> None:
    """the connection is cut before the script"""
    held(lose_a_call("cut", server, queue, mint, retry, Admission.ENQUEUED))


def test_replies_of_a_chunk_swallowed(server: Server, queue: str, mint: Mint, held: Held) -> None:
    """the replies to a bulk chunk are swallowed, some of them"""
    sent = jobs_of(queue, mint, 2500)
    with Proxy(server.port) as proxy, redis.Redis(port=proxy.port, retry=PATIENT) as client, server.client() as direct:
        proxy.swallow = 2
        answers = list(enqueue_many(Jobs(client, queue), sent))
        assert proxy.lost == 2
        assert Admission.DUPLICATE in answers
        assert check_whole(direct, queue) == {job_id.encode() for job_id, _ in sent}
    held(f"{len(sent)} jobs, each once; {answers.count(Admission.DUPLICATE)} read DUPLICATE")


# The server


def test_killed_and_restarted(binary: str, queue: str, mint: Mint, held: Held) -> None:
    """SIGKILL amid 10,000 enqueues, restart from the append-only file"""
    sent = jobs_of(queue, mint, 10_000)
    acknowledged: list[BrandedId] = []
    with Server(binary, appendonly="yes", appendfsync="always") as server, server.client() as client:
        jobs = Jobs(client, queue)
        killer = threading.Thread(
            target=lambda: (wait_until("3,000 answers", lambda: len(acknowledged) >= 3000), server.kill())
        )
        killer.start()
        acknowledge = lambda: acknowledged.extend(  # noqa: E731
            job_id for job_id, payload in sent if jobs.enqueue(job_id, payload) is Admission.ENQUEUED
        )
        with pytest.raises(redis.ConnectionError):
            acknowledge()
        killer.join()
        server.start(server.port)
        found = check_whole(client, queue)
        lost = {job_id.encode() for job_id in acknowledged} - found
        assert lost == set()
        assert 0 <= len(found) - len(acknowledged) <= 1  # the one whose reply the kill took
        rest = sent[len(acknowledged) :]
        answers = list(enqueue_many(jobs, rest))
        assert answers.count(Admission.DUPLICATE) == len(found) - len(acknowledged)
        assert check_whole(client, queue) == {job_id.encode() for job_id, _ in sent}
        assert jobs.pending_size() == len(sent)
    held(f"{len(acknowledged):,} acknowledged, 0 lost; 10,000 each once after asking for the rest")


def test_restarted_empty(binary: str, queue: str, mint: Mint, held: Held) -> None:
    """a restart without persistence, which forgets the script too"""
    (one, two) = jobs_of(queue, mint, 2)
    with Server(binary) as server, server.client(retry=PATIENT) as client:
        jobs = Jobs(client, queue)
        jobs.enqueue(*one)
        server.kill()
        server.start(server.port)
        assert jobs.browse() == []
        assert jobs.enqueue(*two) is Admission.ENQUEUED
        assert jobs.enqueue(*one) is Admission.ENQUEUED
        assert check_whole(client, queue) == {one[0].encode(), two[0].encode()}
    held("the script is loaded again, asking again enqueues")


def test_memory_full(binary: str, queue: str, mint: Mint, held: Held) -> None:
    """maxmemory is reached"""
    with Server(binary, maxmemory="5mb", maxmemory_policy="noeviction") as server, server.client() as client:
        jobs = Jobs(client, queue)
        admitted: list[BrandedId] = []
        refused: list[tuple[BrandedId, bytes]] = []
        while len(refused) < 200:
            [job] = jobs_of(queue, mint, 1)
            try:
                assert jobs.enqueue(*job) is Admission.ENQUEUED
                admitted.append(job[0])
            except OutOfMemoryError:
                refused.append(job)
        # In bulk too: where a chunk meets the limit, each job is either whole or not there.
        before = {job_id.encode() for job_id in admitted}
        with pytest.raises(OutOfMemoryError):
            list(enqueue_many(jobs, refused))
        found = check_whole(client, queue)  # a connection's own buffers come and go: there may be room for some
        assert before <= found < before | {job_id.encode() for job_id, _ in refused}
        client.config_set("maxmemory", 0)
        answers = list(enqueue_many(jobs, refused))
        assert answers.count(Admission.DUPLICATE) == len(found) - len(before)
        assert jobs.pending_size() == len(admitted) + len(refused)
    held(f"{len(admitted):,} admitted and whole, {len(refused)} refused and not there; admitted once there is room")


def test_memory_fills_at_any_byte(mint: Mint, held: Held) -> None:
    """the limit falls between the script's two writes"""
    # The limit is moved byte by byte across one enqueue's need: never is the id pending without its row.
    written = refused = 0
    with Server(valkey_binary(), maxmemory_policy="noeviction") as server, server.client() as client:
        for shift in range(-700, 1400, 7):
            used = client.info("memory")["used_memory"]
            queue = new_queue()
            [job] = jobs_of(queue, mint, 1)
            client.config_set("maxmemory", used + shift)
            try:
                Jobs(client, queue).enqueue(*job)
                written += 1
            except OutOfMemoryError:
                refused += 1
            client.config_set("maxmemory", 0)
            assert check_whole(client, queue) in (set(), {job[0].encode()})
    assert written
    assert refused
    held(f"{written} written whole, {refused} refused whole")


def test_read_only_replica(binary: str, queue: str, mint: Mint, held: Held) -> None:
    """the client is on a read-only replica"""
    (one, two) = jobs_of(queue, mint, 2)
    with (
        Server(binary) as primary,
        Server(binary, replicaof=f"{HOST} {primary.port}") as replica,
        primary.client() as writing,
        replica.client() as reading,
    ):
        Jobs(writing, queue).enqueue(*one)
        wait_until("the replica is in step", lambda: reading.exists(Keys(queue).pending))
        jobs = Jobs(reading, queue)
        with pytest.raises(ReadOnlyError):
            jobs.enqueue(*two)
        assert jobs.browse() == [one[0]]
        assert jobs.pending_size() == 1
        assert check_whole(writing, queue) == check_whole(reading, queue) == {one[0].encode()}
    held("ReadOnlyError, nothing written, browse works")


def test_pending_of_another_type(engine: Engine, client: Any, jobs: Jobs, keys: Keys, mint: Mint, held: Held) -> None:
    """the pending key is of another type"""
    [job] = jobs_of(keys.queue, mint, 1)
    client.set(keys.pending, "x")
    with pytest.raises(ResponseError, match="WRONGTYPE"):
        jobs.enqueue(*job)
    assert not client.exists(keys.job(job[0]))
    client.delete(keys.pending)
    assert jobs.enqueue(*job) is Admission.ENQUEUED
    held("WRONGTYPE, and no row")


def test_slow_server(binary: str, queue: str, mint: Mint, held: Held) -> None:
    """the server is slow and the client has a time limit"""
    [job] = jobs_of(queue, mint, 1)
    with Server(binary) as server, server.client(socket_timeout=0.3) as client:
        jobs = Jobs(client, queue)
        jobs.pending_size()
        with server.frozen():
            began = time.monotonic()
            for ask in (lambda: jobs.enqueue(*job), jobs.pending_size, jobs.browse):
                with pytest.raises(redis.TimeoutError):
                    ask()
            assert time.monotonic() - began < 10
        # The request may have waited in the socket and run since, or not: either way the same again settles it.
        assert ask_until_answered(jobs, *job) in (Admission.ENQUEUED, Admission.DUPLICATE)
        assert check_whole(client, queue) == {job[0].encode()}
    held("TimeoutError at the limit; one job pending after asking again")


# The client


def test_pool_runs_dry(server: Server, queue: str, mint: Mint, held: Held) -> None:
    """the connection pool runs dry"""
    one, two = jobs_of(queue, mint, 2)
    with redis.ConnectionPool(host=HOST, port=server.port, max_connections=1) as pool:
        client = redis.Redis(connection_pool=pool)
        jobs = Jobs(client, queue)
        taken = pool.get_connection()
        with pytest.raises(MaxConnectionsError):
            jobs.enqueue(*one)
        pool.release(taken)
        assert jobs.enqueue(*one) is Admission.ENQUEUED
    with redis.BlockingConnectionPool(host=HOST, port=server.port, max_connections=2, timeout=30) as waiting:
        client = redis.Redis(connection_pool=waiting)
        jobs = Jobs(client, queue)
        jobs.enqueue(*two)
        sent = [jobs_of(queue, mint, 50) for _ in range(16)]
        in_threads([lambda mine=mine: [jobs.enqueue(*job) for job in mine] for mine in sent])
        assert check_whole(client, queue) == {job[0].encode() for job in [one, two, *itertools.chain(*sent)]}
    held("MaxConnectionsError and nothing written, or a wait; 16 threads on 2 connections, 800 jobs")


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_after_connecting(server: Server, queue: str, held: Held) -> None:
    """the process forks after connecting"""
    with server.client() as client:
        jobs = Jobs(client, queue)
        parent = jobs_of(queue, Mint("JOB", 1), 1000)
        assert jobs.enqueue(*parent[0]) is Admission.ENQUEUED
        child = os.fork()
        if child == 0:
            try:
                # The same objects, but a minter of its own, on a node of its own.
                mine = jobs_of(queue, Mint("JOB", 2), 999)
                good = all(jobs.enqueue(*job) is Admission.ENQUEUED for job in mine)
                good = good and all(jobs.browse(1, prefix=job_id) == [job_id] for job_id, _ in mine)
                os._exit(0 if good else 1)
            except BaseException:  # noqa: BLE001
                os._exit(2)
        for job in parent[1:]:
            assert jobs.enqueue(*job) is Admission.ENQUEUED
            assert jobs.browse(1, prefix=job[0]) == [job[0]]
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        found = check_whole(client, queue)
        assert {job_id.encode() for job_id, _ in parent} < found
        assert len(found) == 1999
    held("1,999 jobs of both, no reply crossed")


def test_sixteen_producers_on_one_id(engine: Engine, queue: str, mint: Mint, held: Held) -> None:
    """16 producers enqueue the same id"""
    rounds = 20
    clients = [engine.client() for _ in range(16)]
    try:
        for _ in range(rounds):
            job_id = mint()
            answers = in_threads(
                [
                    functools.partial(Jobs(client, queue).enqueue, job_id, b"by %d" % number)
                    for number, client in enumerate(clients)
                ]
            )
            assert sorted(answers) == [Admission.DUPLICATE] * 15 + [Admission.ENQUEUED]
            winner = answers.index(Admission.ENQUEUED)
            row = raw(clients[0], "HGETALL", Keys(queue).job(job_id))
            assert row == {b"state": b"pending", b"attempts": b"0", b"payload": b"by %d" % winner}
        assert Jobs(clients[0], queue).pending_size() == rounds
    finally:
        for client in clients:
            client.close()
    held(f"{rounds} times: one ENQUEUED, 15 DUPLICATE, the winner's payload")


def test_script_forgotten_all_the_time(engine: Engine, queue: str, mint: Mint, held: Held) -> None:
    """the script is flushed all the time"""
    done = threading.Event()

    def flushing() -> int:
        flushes = 0
        with engine.client() as client:
            while not done.is_set():
                client.script_flush()
                flushes += 1
                done.wait(0.005)
        return flushes

    def producing() -> list[Admission]:
        try:
            with engine.client() as client:
                jobs = Jobs(client, queue)
                return [ask_until_answered(jobs, *job) for job in sent]
        finally:
            done.set()

    sent = jobs_of(queue, mint, 500)
    flushes, answers = in_threads([flushing, producing])
    assert set(answers) == {Admission.ENQUEUED}
    with engine.client() as client:
        assert Jobs(client, queue).pending_size() == len(sent)
    assert flushes
    held(f"500 jobs, each once, over {'some' if flushes < 10 else 'many'} flushes")


# The cluster


@pytest.fixture
def replicated() -> Iterator[Cluster]:
    with Cluster(primaries=3, replicas=1) as cluster:
        yield cluster


def queue_of(cluster: Cluster, node: Server) -> str:
    return next(queue for queue in iter(new_queue, None) if cluster.owner(Keys(queue).pending) is node)


def promote(replica: Server, how: str) -> None:
    with replica.client() as client:
        client.execute_command("CLUSTER FAILOVER", *how.split())
        wait_until("the replica is a primary", lambda: client.role()[0] in (b"master", "master"))


def check_whole_in(cluster: Cluster, client: Any, queue: str) -> set[bytes]:
    """As `check_whole`, on the node that has the queue."""
    wait_until("the cluster is up", lambda: client.cluster_info()["cluster_state"] == "ok")
    client.nodes_manager.initialize()
    node = client.get_node_from_key(Keys(queue).pending)
    return check_whole(client.get_redis_connection(node), queue)


@pytest.mark.parametrize("bulk", [False, True], ids=["one by one", "in bulk"])
def test_failover_on_request(replicated: Cluster, mint: Mint, bulk: bool, held: Held) -> None:
    """a replica takes over in the cluster, on request"""
    primary, replica = replicated.nodes[0], replicated.nodes[3]
    queue = queue_of(replicated, primary)
    sent = jobs_of(queue, mint, 5000)
    answers: list[Admission] = []
    with replicated.client() as client:
        jobs = Jobs(client, queue)
        promoter = threading.Thread(
            target=lambda: (wait_until("1,000 answers", lambda: len(answers) >= 1000), promote(replica, ""))
        )
        promoter.start()
        answers.extend(enqueue_many(jobs, sent) if bulk else (ask_until_answered(jobs, *job) for job in sent))
        promoter.join()
        assert check_whole_in(replicated, client, queue) == {job_id.encode() for job_id, _ in sent}
        assert client.get_node_from_key(Keys(queue).pending).port == replica.port
    held("5,000 acknowledged, 0 lost, each once")


def test_failover_after_a_kill(replicated: Cluster, mint: Mint, held: Held) -> None:
    """the primary is killed in the cluster, its replica takes over"""
    primary, replica = replicated.nodes[0], replicated.nodes[3]
    queue = queue_of(replicated, primary)
    first, second = jobs_of(queue, mint, 2000), jobs_of(queue, mint, 2000)
    with replicated.client() as client, primary.client() as direct:
        jobs = Jobs(client, queue)
        list(enqueue_many(jobs, first))
        assert direct.execute_command("WAIT", 1, 10_000) == 1  # replication is the server's, and asynchronous
        primary.kill()
        promoter = threading.Thread(target=promote, args=(replica, "TAKEOVER"))
        promoter.start()
        answers = list(enqueue_many(jobs, second))
        promoter.join()
        assert len(answers) == len(second)
        assert list(enqueue_many(jobs, first)) == [Admission.DUPLICATE] * len(first)
        assert check_whole_in(replicated, client, queue) == {job_id.encode() for job_id, _ in first + second}
    held("2,000 replicated before, 2,000 after: each once")
