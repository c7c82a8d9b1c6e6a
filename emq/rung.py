"""The rung: five gates against a live engine, and the record that they must reproduce.

Each gate does what its line says and asserts it. The record is the chapter's, quoted whole.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, cast

from redis import Redis
from redis.cluster import RedisCluster
from redis.exceptions import ReadOnlyError, ResponseError

from emq import cargo
from emq.engine import raw
from emq.errors import EmqError, KindRefused, show
from emq.ids import BrandedId, Mint
from emq.jobs import KIND, Admission, Jobs
from emq.keys import Keys
from emq.kinds import Kinds

RECORD: Final = (
    "boot: the registry grows by one -- JOB, work as a kind with identity and lifecycle",
    "J1 surface ok -- the bus module's surface: enqueue, browse, pending_size -- scripts and key shapes are nobody's "
    "business",
    "J2 idempotent ok -- enqueue is one script and idempotent by id: first call enqueued, second answered duplicate, "
    "the row untouched and pending holds 1",
    "J3 kind ok -- kind policy lives in the script: an ORD id in the job position answers EMQKIND on the wire -- the "
    "key let it pass, the law did not",
    "J4 dividend ok -- the order theorem's dividend: newest-first browse over the ids themselves returns the last "
    "five minted in reverse mint order; the very first job sits at the head; 301 pending, no second index anywhere",
    "J5 cargo ok -- the cargo law holds: the payload carries ORD0Nt6z93U3dY and a quantity, never a row -- decoded and "
    "re-parsed on the far side of the wire",
    "PASS 5/5",
)
ORDER: Final = BrandedId("ORD0Nt6z93U3dY")
PENDING: Final = 301


def name_of(line: str) -> str:
    """What a line of the record is called: its first word."""
    return line.split()[0].removesuffix(":")


class GateFailed(Exception):
    """A gate saw something else than its line says."""


@dataclass
class Bench:
    """What the gates share: an engine, a queue of their own, and what was minted so far."""

    client: Redis | RedisCluster
    keys: Keys
    mint: Mint = field(default_factory=lambda: Mint(KIND))
    minted: list[BrandedId] = field(default_factory=list)

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self.client, self.keys.queue)

    def every_key(self) -> list[str | bytes]:
        """All that the queue has on the engine: also what should not be there, a second index or a refused row."""
        return list(self.client.scan_iter(self.keys.every, count=1000))

    def next_id(self) -> BrandedId:
        self.minted.append(self.mint())
        return self.minted[-1]


def boot(_: Bench) -> None:
    """Registers JOB. The registry is a fresh one, so that the rung can run twice in one process."""
    kinds = Kinds()
    before = len(kinds)
    kinds.register(KIND, "work, as a kind with identity and lifecycle")
    _expect("the registry to grow by one", before + 1, len(kinds))


def surface(_: Bench) -> None:
    """J1: the verbs are three."""
    _expect("the public names of Jobs", ["browse", "enqueue", "pending_size"], [n for n in dir(Jobs) if n[0] != "_"])


def idempotent(bench: Bench) -> None:
    """J2: asked twice, one job; the second payload changes nothing."""
    job_id = bench.next_id()
    _expect("the first call", Admission.ENQUEUED, bench.jobs.enqueue(job_id, "first"))
    row = _row(bench, job_id)
    _expect("the row", {b"state": b"pending", b"attempts": b"0", b"payload": b"first"}, row)
    _expect("the second call", Admission.DUPLICATE, bench.jobs.enqueue(job_id, "second"))
    _expect("the row after it", row, _row(bench, job_id))
    _expect("pending", 1, bench.jobs.pending_size())


def kind(bench: Bench) -> None:
    """J3: the key takes an ORD id, the script does not, and the wire says so by class."""
    _expect("the key to let an ORD id pass", True, bench.keys.job(ORDER).endswith(f":job:{ORDER}"))
    try:
        answer: object = bench.jobs.enqueue(ORDER, "")
    except KindRefused as refused:
        answer = refused.__cause__
    _expect("the wire's answer to an ORD id", ResponseError, type(answer))
    _expect("its class", KindRefused.code, str(answer).partition(" ")[0])
    _expect("rows of the ORD id", 0, bench.client.exists(bench.keys.job(ORDER)))
    _expect("pending", 1, bench.jobs.pending_size())


def dividend(bench: Bench) -> None:
    """J4: at 301 pending, the set answers newest-first and the head from its bytes alone."""
    for _ in range(bench.jobs.pending_size(), PENDING):
        bench.jobs.enqueue(bench.next_id(), "")
    _expect("pending", PENDING, bench.jobs.pending_size())
    _expect("the newest five", bench.minted[:-6:-1], bench.jobs.browse(5))
    _expect("the head", bench.minted[:1], bench.jobs.browse(1, oldest_first=True))
    _expect("how many keys the queue has", PENDING + 1, len(bench.every_key()))


def law(bench: Bench) -> None:
    """J5: ids and parameters cross the wire, and the far side parses the id through the same contract."""
    job_id = bench.next_id()
    bench.jobs.enqueue(job_id, cargo.pack({"order_id": ORDER, "qty": 2}))
    far_side = cargo.unpack(_row(bench, job_id).get(b"payload", b""))
    _expect("the fields of the cargo", ["order_id", "qty"], list(far_side))
    _expect("the order", (BrandedId, ORDER), (type(far_side["order_id"]), far_side["order_id"]))


GATES: Final[tuple[Callable[[Bench], None], ...]] = (boot, surface, idempotent, kind, dividend, law)


@dataclass(frozen=True)
class Report:
    """The lines to print, in the record's order, and whether all of them are the record's."""

    lines: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.lines == RECORD


def run(client: Redis | RedisCluster) -> Report:
    """Runs the five gates on the engine behind `client`, in a queue of their own that is gone afterwards.

    A gate that fails gives a line with its number, what it expected and what it saw, and the count says how many
    passed. Costs an enqueue for each of the 301 pending jobs, a few commands a gate, and three scans of all keys of the
    engine. An engine that dies raises redis-py's error.
    """
    with _bench(client) as bench:
        lines = [_line(gate, recorded, bench) for gate, recorded in zip(GATES, RECORD, strict=False)]
    passed = sum(line == recorded for line, recorded in zip(lines[1:], RECORD[1:], strict=False))
    booted = lines[0] == RECORD[0]
    return Report((*lines, f"{'PASS' if booted else 'FAIL'} {passed}/{len(GATES) - 1}"))


def _line(gate: Callable[[Bench], None], recorded: str, bench: Bench) -> str:
    try:
        gate(bench)
    except GateFailed as failed:
        saw = str(failed)
    except EmqError as error:
        saw = f"expected no error, saw {type(error).__name__}: {error}"
    except ResponseError as error:  # its kind only: a server's own words can repeat what it was sent
        saw = f"expected no error, saw {type(error).__name__}"
    else:
        return recorded
    return f"{name_of(recorded)} FAILED -- {saw}"


@contextmanager
def _bench(client: Redis | RedisCluster) -> Iterator[Bench]:
    bench = Bench(client, Keys(f"rung-{secrets.token_hex(8)}"))
    with suppress(ReadOnlyError):  # an engine that takes nothing keeps nothing either; the gates will say so
        _clear(bench)  # who may not clean up shall not begin
    try:
        yield bench
    finally:
        with suppress(ReadOnlyError):
            _clear(bench)


def _clear(bench: Bench) -> None:
    bench.client.delete(bench.keys.pending, *bench.every_key())  # one slot, so one command, on a cluster too


def _row(bench: Bench, job_id: BrandedId) -> dict[bytes, bytes]:
    return cast(dict[bytes, bytes], raw(bench.client, "HGETALL", bench.keys.job(job_id)))


def _expect(what: str, expected: object, saw: object) -> None:
    if expected != saw:
        raise GateFailed(f"{what}: expected {show(expected)}, saw {show(saw)}")
