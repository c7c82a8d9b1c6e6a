"""The sides of the enqueue bench: each queue's own documented call, with its defaults, for one and the same job.

The job names an order and a quantity. emq mints its id and packs its cargo inside the measured call, as the peers make
theirs. Where a queue offers no bulk call there is none to measure.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

import redis

from bench.measure import Side
from emq import BrandedId, Jobs, Mint, cargo
from emq.bulk import enqueue_many
from emq.jobs import SCRIPT

ORDER = BrandedId("ORD0Nt6z93U3dY")
FORTY_BYTES = b'{"order_id":"ORD0Nt6z93U3dY","qty":1002}'
assert len(FORTY_BYTES) == 40


def quantities(times: int) -> Iterator[int]:
    """`times` quantities of four digits, so that every cargo is as long as the next."""
    return (1000 + each % 9000 for each in range(times))


@dataclass(frozen=True)
class Queue:
    """One side. `package` is the distribution whose version the table names."""

    name: str
    package: str
    single: Side
    bulk: Side | None = None
    note: str = ""


def queues(client: redis.Redis) -> list[Queue]:
    """Every side, on the server behind `client`, through the same redis-py."""
    logging.disable(logging.INFO)
    port = client.get_connection_kwargs()["port"]
    loop = asyncio.new_event_loop()

    def awaited(work: Callable[[int], Coroutine[Any, Any, object]]) -> Side:
        return lambda times: loop.run_until_complete(work(times))

    return [
        _floor(client),
        _emq(client),
        _huey(port),
        _dramatiq(port),
        _bullmq(port, awaited),
        _saq(port, awaited),
        _arq(port, awaited, loop),
        _celery(port),
        _rq(client),
    ]


def _floor(client: redis.Redis) -> Queue:
    """The same script by bare EVALSHA: ids, keys and payload lie ready, nothing is minted, packed, checked or read."""
    sha = client.script_load(SCRIPT)
    mint = Mint("JOB", node=1)
    ready: list[tuple[str, str]] = []

    def prepare(times: int) -> None:
        ready[:] = [(f"emq:{{floor}}:job:{job_id}", str(job_id)) for job_id in (mint() for _ in range(times))]

    def single(times: int) -> None:
        for key, job_id in ready[:times]:
            client.evalsha(sha, 2, "emq:{floor}:pending", key, job_id, FORTY_BYTES)

    def bulk(times: int) -> None:
        with client.pipeline(transaction=False) as pipeline:
            for key, job_id in ready[:times]:
                pipeline.evalsha(sha, 2, "emq:{floor}:pending", key, job_id, FORTY_BYTES)
            pipeline.execute()

    prepare(20_000)
    return Queue("floor", "redis", single, bulk, "bare `EVALSHA` of the same script")


def _emq(client: redis.Redis) -> Queue:
    jobs, mint = Jobs(client, "bench"), Mint("JOB")

    def single(times: int) -> None:
        for quantity in quantities(times):
            jobs.enqueue(mint(), _packed(quantity))

    def bulk(times: int) -> None:
        for _ in enqueue_many(jobs, ((mint(), _packed(quantity)) for quantity in quantities(times))):
            pass

    return Queue("emq", "emq", single, bulk, "minting and packing included; bulk is `enqueue_many`")


def _packed(quantity: int) -> bytes:
    return cargo.pack({"order_id": ORDER, "qty": quantity})


def piped(client: redis.Redis) -> dict[str, Side]:
    """emq's other way in bulk, redis-py's pipeline: with all made on the way, and with ids and payload at hand, as the
    floor has them."""
    jobs, mint = Jobs(client, "bench"), Mint("JOB")
    ready = [mint() for _ in range(20_000)]

    def made(times: int) -> None:
        with client.pipeline(transaction=False) as pipeline:
            for quantity in quantities(times):
                jobs.enqueue(mint(), _packed(quantity), client=pipeline)
            pipeline.execute()

    def at_hand(times: int) -> None:
        with client.pipeline(transaction=False) as pipeline:
            for job_id in ready[:times]:
                jobs.enqueue(job_id, FORTY_BYTES, client=pipeline)
            pipeline.execute()

    return {"piped": made, "at hand": at_hand}


def _huey(port: int) -> Queue:
    from huey import RedisHuey

    queue = RedisHuey("bench", port=port)

    @queue.task()
    def work(order_id: str, qty: int) -> None: ...

    def single(times: int) -> None:
        for quantity in quantities(times):
            work(str(ORDER), quantity)

    return Queue("huey", "huey", single, note="a list; the job is its pickle")


def _dramatiq(port: int) -> Queue:
    import dramatiq
    from dramatiq.brokers.redis import RedisBroker

    broker = RedisBroker(port=port)
    dramatiq.set_broker(broker)

    @dramatiq.actor(queue_name="bench")
    def work(order_id: str, qty: int) -> None: ...

    def single(times: int) -> None:
        for quantity in quantities(times):
            work.send(str(ORDER), quantity)

    return Queue("dramatiq", "dramatiq", single, note="one script; the job is JSON in a hash, its id in a list")


def _bullmq(port: int, awaited: Callable[[Callable[[int], Coroutine[Any, Any, object]]], Side]) -> Queue:
    import bullmq

    queue: list[Any] = []  # made inside the loop that it belongs to

    def opened() -> Any:
        if not queue:
            queue.append(bullmq.Queue("bench", {"connection": {"host": "127.0.0.1", "port": port}}))
        return queue[0]

    async def single(times: int) -> None:
        for quantity in quantities(times):
            await opened().add("work", {"order_id": ORDER, "qty": quantity})

    async def bulk(times: int) -> None:
        data = [{"order_id": ORDER, "qty": quantity} for quantity in quantities(times)]
        await opened().addBulk([{"name": "work", "data": each} for each in data])

    return Queue("BullMQ", "bullmq", awaited(single), awaited(bulk), "one script; bulk is `addBulk`")


def _saq(port: int, awaited: Callable[[Callable[[int], Coroutine[Any, Any, object]]], Side]) -> Queue:
    import saq

    queue = saq.Queue.from_url(f"redis://127.0.0.1:{port}", name="bench")

    async def single(times: int) -> None:
        for quantity in quantities(times):
            await queue.enqueue("work", order_id=ORDER, qty=quantity)

    return Queue("SAQ", "saq", awaited(single), note="one script; the job is JSON")


def _arq(
    port: int,
    awaited: Callable[[Callable[[int], Coroutine[Any, Any, object]]], Side],
    loop: asyncio.AbstractEventLoop,
) -> Queue:
    from arq import create_pool
    from arq.connections import RedisSettings

    pool = loop.run_until_complete(create_pool(RedisSettings(port=port)))

    async def single(times: int) -> None:
        for quantity in quantities(times):
            await pool.enqueue_job("work", order_id=ORDER, qty=quantity)

    return Queue("arq", "arq", awaited(single), note="a transaction; the job is its pickle")


def _celery(port: int) -> Queue:
    from celery import Celery

    app = Celery("bench", broker=f"redis://127.0.0.1:{port}/0")

    @app.task(name="work", ignore_result=True)
    def work(order_id: str, qty: int) -> None: ...

    def single(times: int) -> None:
        for quantity in quantities(times):
            work.delay(str(ORDER), quantity)

    return Queue("Celery", "celery", single, note="a list; the job is JSON in an envelope")


def _rq(client: redis.Redis) -> Queue:
    import rq

    queue = rq.Queue("bench", connection=client)

    def single(times: int) -> None:
        for quantity in quantities(times):
            queue.enqueue("bench.work", str(ORDER), quantity)

    def bulk(times: int) -> None:
        prepare = rq.Queue.prepare_data
        queue.enqueue_many([prepare("bench.work", (str(ORDER), quantity)) for quantity in quantities(times)])

    return Queue("RQ", "rq", single, bulk, "a hash and a list; bulk is `enqueue_many`")
