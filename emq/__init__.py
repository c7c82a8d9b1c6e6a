"""emq: a job queue whose jobs are entities. The contents page:

ids      branded ids: fourteen bytes that say what, when, where and in which order
keys     the keys of a queue, all in one slot
jobs     the bus: enqueue, browse, pending_size, over one script
bulk     enqueue_many: a stream of jobs, in chunks, on a cluster too
cargo    the law of the payload: ids and parameters, never rows
kinds    the registry of what a namespace names
engine   embedded, Redis, Valkey, a cluster
nodes    node numbers on lease, for minters that share an engine
rung     five gates against a live engine, and their record
errors   what is raised on purpose, under one base
widgets  the lessons, drawn (needs the extra ``widgets``; imported only when asked for)
lesson   the questions that the notebooks ask, and their checks (needs ``widgets`` too)
"""

from emq import cargo, ids, rung
from emq.engine import connect
from emq.errors import EmqError, InvalidId, KindRefused
from emq.ids import BrandedId, Mint
from emq.jobs import Admission, Jobs

__all__ = [
    "Admission",
    "BrandedId",
    "EmqError",
    "InvalidId",
    "Jobs",
    "KindRefused",
    "Mint",
    "cargo",
    "connect",
    "ids",
    "rung",
]
