"""The sides of the browse bench: the server's own time for each question, in queues of a thousand to a million jobs."""

import statistics
from collections.abc import Callable, Iterator

import redis

from emq import BrandedId, Jobs, Mint

FIRST_MS = 1_796_000_000_000
PAGE = 20
Question = Callable[[], list[BrandedId]]


def fill(client: redis.Redis, pending: int) -> dict[str, Question]:
    """A queue of `pending` jobs, minted one a millisecond, and the questions about it, each checked once."""
    ticks: Iterator[int] = iter(range(FIRST_MS, FIRST_MS + pending))
    mint, jobs = Mint("JOB", clock=lambda: next(ticks)), Jobs(client, f"browse-{pending}")
    for start in range(0, pending, 5000):
        with client.pipeline(transaction=False) as pipeline:
            for _ in range(start, min(start + 5000, pending)):
                jobs.enqueue(mint(), b"", client=pipeline)
            pipeline.execute()
    assert jobs.pending_size() == pending
    middle = FIRST_MS + pending // 2
    cursor = BrandedId.compose("JOB", middle)
    # One short of a whole prefix's 218 ms, so that it lies inside of the queue at every size.
    prefix = BrandedId.compose("JOB", middle)[:9]
    questions: dict[str, Question] = {
        "newest five": lambda: jobs.browse(5),
        "after an id in the middle": lambda: jobs.browse(PAGE, after=cursor),
        "prefix window": lambda: jobs.browse(PAGE, prefix=prefix),
        "clock window": lambda: jobs.browse(PAGE, since=middle, until=middle + 100),
    }
    for name, question in questions.items():
        expected = 5 if name == "newest five" else PAGE
        assert len(question()) == expected, f"{name}: expected a page of {expected} at {pending} pending"
    return questions


def server_micros(client: redis.Redis, question: Question, times: int) -> float:
    """The server's time for one, as it counts it itself."""
    client.config_resetstat()
    for _ in range(times):
        question()
    return float(client.info("commandstats")["cmdstat_zrange"]["usec_per_call"])


def grow(
    client: redis.Redis, sizes: tuple[int, ...], times: int, rounds: int, say: Callable[[str], object]
) -> dict[str, dict[int, float]]:
    """Median server time for each question at each size, the sizes taking turns."""
    asked: dict[int, dict[str, Question]] = {}
    for size in sizes:
        say(f"browse: {size:,} pending")
        asked[size] = fill(client, size)
    seen: dict[str, dict[int, list[float]]] = {name: {size: [] for size in sizes} for name in asked[sizes[0]]}
    for _ in range(rounds):
        for name, by_size in seen.items():
            for size, micros in by_size.items():
                micros.append(server_micros(client, asked[size][name], times))
    return {
        name: {size: statistics.median(micros) for size, micros in by_size.items()} for name, by_size in seen.items()
    }
