"""What every test may ask for: the engines, a queue of its own, a minter."""

from tests.engines.fixtures import (
    client,
    cluster,
    cluster_engine,
    embedded_engine,
    engine,
    jobs,
    keys,
    mint,
    queue,
    redis_engine,
    redis_server,
    valkey_engine,
    valkey_server,
)

__all__ = [
    "client",
    "cluster",
    "cluster_engine",
    "embedded_engine",
    "engine",
    "jobs",
    "keys",
    "mint",
    "queue",
    "redis_engine",
    "redis_server",
    "valkey_engine",
    "valkey_server",
]
