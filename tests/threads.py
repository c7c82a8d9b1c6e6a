"""Several things at once, for what must hold between threads."""

import threading
from collections.abc import Callable, Sequence
from typing import Any


def in_threads(works: Sequence[Callable[[], object]]) -> list[Any]:
    """What each of `works` gives, all started at once."""
    start, results = threading.Barrier(len(works)), [None] * len(works)

    def run(place: int, work: Callable[[], Any]) -> None:
        start.wait()
        results[place] = work()

    threads = [threading.Thread(target=run, args=(place, work)) for place, work in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
