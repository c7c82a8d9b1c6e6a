"""What a pending job costs the server: bytes and commands, counted by the server itself."""

from dataclasses import dataclass

import redis

from bench.measure import Side, empty


@dataclass(frozen=True)
class Cost:
    """Of one job: bytes while it is pending, server commands (a script's own among them), and round trips."""

    bytes: float
    commands: float
    trips: float


def cost(client: redis.Redis, single: Side, jobs: int) -> Cost:
    """Enqueues `jobs` jobs one at a time on an empty server, after one that opens connections and loads scripts."""
    empty(client)
    single(1)
    before, calls, reads = _memory(client), _calls(client), _reads(client)
    single(jobs)
    # Our own questions are not the queue's: one INFO each between the two countings.
    trips = _reads(client) - reads - 1
    commands = _calls(client) - calls
    return Cost((_memory(client) - before) / jobs, commands / jobs, trips / jobs)


def _memory(client: redis.Redis) -> int:
    return int(client.info("memory")["used_memory"])


def _calls(client: redis.Redis) -> int:
    ours = {"cmdstat_info", "cmdstat_script|load", "cmdstat_flushall"}
    return sum(stats["calls"] for name, stats in client.info("commandstats").items() if name not in ours)


def _reads(client: redis.Redis) -> int:
    return int(client.info("stats")["total_reads_processed"])
