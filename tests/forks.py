"""A forked child, for what must not survive a fork."""

import os
import signal
from collections.abc import Callable


def in_a_fork(work: Callable[[], object]) -> str:
    """What `work` gives, or the class of what it raises, in a forked child; a child that hangs is ended and told."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        try:
            outcome = str(work())
        except BaseException as error:  # noqa: BLE001
            outcome = type(error).__name__
        os.write(writing, outcome.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        outcome = pipe.read()
    os.waitpid(child, 0)
    return outcome
