"""One contract, every engine: the fixture `engine` is each of them in turn."""

import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import fakeredis
import pytest
import redis

from emq import BrandedId, Jobs, Mint
from emq.keys import Keys
from tests.engines.servers import Cluster, Server, redis_binary, valkey_binary

_serial = itertools.count(1)


@dataclass(frozen=True)
class Engine:
    """An engine that runs. `url` is None for the embedded one, which is reached through its client only."""

    name: str
    url: str | None
    client: Callable[..., Any]

    @property
    def is_embedded(self) -> bool:
        return self.name == "embedded"


@pytest.fixture(scope="session")
def embedded_engine() -> Engine:
    server = fakeredis.FakeServer()
    return Engine("embedded", None, lambda **options: fakeredis.FakeRedis(server=server, **options))


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Server]:
    with Server(redis_binary()) as server:
        yield server


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[Server]:
    with Server(valkey_binary()) as server:
        yield server


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with Cluster() as nodes:
        yield nodes


@pytest.fixture(scope="session")
def redis_engine(redis_server: Server) -> Engine:
    return Engine("redis", redis_server.url, redis_server.client)


@pytest.fixture(scope="session")
def valkey_engine(valkey_server: Server) -> Engine:
    return Engine("valkey", valkey_server.url, valkey_server.client)


@pytest.fixture(scope="session")
def cluster_engine(cluster: Cluster) -> Engine:
    return Engine("cluster", cluster.url, cluster.client)


ENGINES = ["embedded", pytest.param("redis", marks=pytest.mark.redis_server), "valkey", "cluster"]


@pytest.fixture(scope="session", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    found: Engine = request.getfixturevalue(f"{request.param}_engine")
    return found


@pytest.fixture
def client(engine: Engine) -> Iterator[Any]:
    with engine.client() as made:
        yield made


def new_queue() -> str:
    """A queue name that no other test has: servers are shared, and nothing is ever flushed."""
    return f"test-{os.getpid()}-{next(_serial)}"


@pytest.fixture
def queue() -> str:
    return new_queue()


@pytest.fixture
def keys(queue: str) -> Keys:
    return Keys(queue)


@pytest.fixture
def jobs(client: redis.Redis, queue: str) -> Jobs:
    return Jobs(client, queue)


@pytest.fixture
def mint() -> Callable[[], BrandedId]:
    return Mint("JOB")
