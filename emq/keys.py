"""The two keys of a queue, built here and nowhere else; the script only receives them.

    emq:{orders}:pending               the pending set
    emq:{orders}:job:JOB0Nvmd8aV5iy    one job's row

and, where minters share it (`emq.nodes`):

    emq:{orders}:node:7                who holds node number 7
    emq:{orders}:nodes                 how many leases there have been

The braces are the cluster hash tag: everything about one queue lives in one slot, so a script may touch both keys.
"""

import re
from typing import Final

from emq.errors import InvalidQueue, show
from emq.ids import BrandedId

MAX_QUEUE_LENGTH: Final = 128
_foreign_character = re.compile("[^A-Za-z0-9_.-]").search


class Keys:
    """The keys of `queue`, whose name is 1 to 128 characters of ``[A-Za-z0-9_.-]``; raises `InvalidQueue` otherwise.

    A brace would move the hash tag and with it one of the keys to another slot, which no test on a single node shows.
    """

    __slots__ = ("_job_prefix", "_prefix", "pending", "queue")

    def __init__(self, queue: str) -> None:
        if not isinstance(queue, str):
            raise InvalidQueue(f"expected a queue name, a str; got {show(queue)}")
        if not 1 <= len(queue) <= MAX_QUEUE_LENGTH:
            raise InvalidQueue(
                f"expected a queue name of 1 to {MAX_QUEUE_LENGTH} characters; got {len(queue)} in {show(queue)}"
            )
        if foreign := _foreign_character(queue):
            raise InvalidQueue(
                f"expected a queue name of A-Z a-z 0-9 _ . -; got {foreign[0]!r} at character {foreign.start() + 1} "
                f"in {show(queue)}"
            )
        self.queue = str.__str__(queue)  # what a subclass prints may be something else: an Enum's member its name
        self._prefix = f"emq:{{{self.queue}}}:"
        self.pending = f"{self._prefix}pending"
        self._job_prefix = f"{self._prefix}job:"

    def job(self, job_id: str | bytes) -> str:
        """The key of a job's row. Any well-formed id will do here: which kinds may be jobs is the script's to say."""
        return self._job_prefix + BrandedId(job_id)

    @property
    def every(self) -> str:
        """The pattern for SCAN of all keys of the queue. No character of a queue name means anything in a pattern."""
        return f"{self._prefix}*"

    @property
    def nodes(self) -> str:
        """The key that counts the leases of node numbers."""
        return f"{self._prefix}nodes"

    def node(self, number: int) -> str:
        """The key of a node number's lease."""
        return f"{self._prefix}node:{number}"
