"""The rung: the record word for word on every engine, and each gate's own line when it is made to fail."""

from collections.abc import Callable
from typing import Any

import pytest
from redis.exceptions import ResponseError

from emq import BrandedId, Jobs, Mint, cargo, connect, rung
from emq import jobs as jobs_module
from emq.errors import KindRefused
from emq.jobs import Admission
from emq.kinds import Kinds
from tests.engines.fixtures import Engine

RECORD = """\
boot: the registry grows by one -- JOB, work as a kind with identity and lifecycle
J1 surface ok -- the bus module's surface: enqueue, browse, pending_size -- scripts and key shapes are nobody's business
J2 idempotent ok -- enqueue is one script and idempotent by id: first call enqueued, second answered duplicate, the row untouched and pending holds 1
J3 kind ok -- kind policy lives in the script: an ORD id in the job position answers EMQKIND on the wire -- the key let it pass, the law did not
J4 dividend ok -- the order theorem's dividend: newest-first browse over the ids themselves returns the last five minted in reverse mint order; the very first job sits at the head; 301 pending, no second index anywhere
J5 cargo ok -- the cargo law holds: the payload carries ORD0Nt6z93U3dY and a quantity, never a row -- decoded and re-parsed on the far side of the wire
PASS 5/5
"""  # noqa: E501


def test_the_record_is_the_chapters_word_for_word() -> None:
    assert "\n".join(rung.RECORD) + "\n" == RECORD


@pytest.mark.parametrize("decode", [False, True])
@pytest.mark.parametrize("protocol", [2, 3])
def test_every_engine_reproduces_the_record_and_is_left_as_it_was(engine: Engine, decode: bool, protocol: int) -> None:
    with engine.client(decode_responses=decode, protocol=protocol) as client:
        report = rung.run(client)
        assert "\n".join(report.lines) + "\n" == RECORD
        assert report.passed
        assert list(client.scan_iter("emq:{rung-*")) == []


def test_it_runs_twice_in_a_process(client: Any) -> None:
    assert rung.run(client).passed
    assert rung.run(client).passed


# Each gate made to fail: what is broken, and the words its line must hold.

Break = Callable[[pytest.MonkeyPatch], None]


def forgetful_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kinds, "register", lambda self, namespace, line: self._lines.setdefault("ORD", line))


def fourth_verb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Jobs, "delete", lambda self: None, raising=False)


def always_enqueued(monkeypatch: pytest.MonkeyPatch) -> None:
    enqueue = Jobs.enqueue

    def forgetful(self: Jobs, job_id: str, payload: str) -> object:
        enqueue(self, job_id, payload)
        return Admission.ENQUEUED

    monkeypatch.setattr(Jobs, "enqueue", forgetful)


def second_call_overwrites(monkeypatch: pytest.MonkeyPatch) -> None:
    enqueue = Jobs.enqueue

    def overwriting(self: Jobs, job_id: str, payload: str) -> object:
        answer = enqueue(self, job_id, payload)
        self._client.hset(self._keys.job(job_id), "payload", payload)
        return answer

    monkeypatch.setattr(Jobs, "enqueue", overwriting)


def a_fourth_field(monkeypatch: pytest.MonkeyPatch) -> None:
    enqueue = Jobs.enqueue

    def stamping(self: Jobs, job_id: str, payload: str) -> object:
        answer = enqueue(self, job_id, payload)
        self._client.hset(self._keys.job(job_id), "enqueued_at", 1)
        return answer

    monkeypatch.setattr(Jobs, "enqueue", stamping)


def no_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    enqueue = Jobs.enqueue
    monkeypatch.setattr(Jobs, "enqueue", lambda self, job_id, payload: enqueue(self, "JOB" + str(job_id)[3:], payload))


def no_class_on_the_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    enqueue = Jobs.enqueue

    def classless(self: Jobs, job_id: str, payload: str) -> object:
        try:
            return enqueue(self, job_id, payload)
        except KindRefused as error:
            raise error from ResponseError("refused")

    monkeypatch.setattr(Jobs, "enqueue", classless)


def nothing_enqueued(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Jobs, "enqueue", lambda self, job_id, payload: Admission.DUPLICATE)


def oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    browse = Jobs.browse
    monkeypatch.setattr(Jobs, "browse", lambda self, count, oldest_first=False: browse(self, count, not oldest_first))


def second_index(monkeypatch: pytest.MonkeyPatch) -> None:
    enqueue = Jobs.enqueue

    def indexing(self: Jobs, job_id: str, payload: str) -> object:
        self._client.sadd(self._keys.pending + "_by_time", job_id)
        return enqueue(self, job_id, payload)

    monkeypatch.setattr(Jobs, "enqueue", indexing)


def unordered_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    # Rise in pairs of which the later is the lesser: unique, but no longer in mint order.
    mint = Mint("JOB")
    waiting: list[BrandedId] = []

    def swapping(self: Mint) -> BrandedId:
        if not waiting:
            waiting.extend([real(mint), real(mint)])
        return waiting.pop()

    real = Mint.__call__
    monkeypatch.setattr(Mint, "__call__", swapping)


def unparsed_cargo(monkeypatch: pytest.MonkeyPatch) -> None:
    unpack = cargo.unpack
    monkeypatch.setattr(cargo, "unpack", lambda payload: {k: str(v) for k, v in unpack(payload).items()})


def another_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cargo, "pack", lambda mapping: b'{"order_id":"ORD0Nt6z93U3dY","qty":2,"row":"x"}')


def script_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "SCRIPT", "return redis.call('NO SUCH COMMAND')")


def script_that_half_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "SCRIPT", jobs_module.SCRIPT.replace("'attempts', '0', ", ""))


def rogue_member(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "SCRIPT", "redis.call('ZADD', KEYS[1], 0, 'rogue' .. ARGV[1]) return 1")


def taken_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Kinds.__init__

    def with_job(self: Kinds) -> None:
        made(self)
        self.register("JOB", "taken")

    monkeypatch.setattr(Kinds, "__init__", with_job)


BREAKS: list[tuple[Break, str, str]] = [
    (forgetful_registry, "boot", "the registry to grow by one: expected 2, saw 1"),
    (
        fourth_verb,
        "J1",
        "the public names of Jobs: expected ['browse', 'enqueue', 'pending_size'], saw ['browse', 'delete'",
    ),
    (always_enqueued, "J2", "the second call: expected <Admission.DUPLICATE: 0>, saw <Admission.ENQUEUED: 1>"),
    (second_call_overwrites, "J2", "the row after it: expected {"),
    (a_fourth_field, "J2", "the row: expected {"),
    (no_policy, "J3", "the wire's answer to an ORD id: expected <class 'redis.exceptions.ResponseError'>, saw <enum"),
    (no_class_on_the_wire, "J3", "its class: expected 'EMQKIND', saw 'refused'"),
    (nothing_enqueued, "J4", "pending: expected 301, saw 0"),
    (nothing_enqueued, "J5", "expected no error, saw CargoRefused: expected a JSON object"),
    (script_that_fails, "J2", "expected no error, saw ResponseError"),
    (script_that_half_fails, "J2", "the row: expected {"),
    (rogue_member, "J4", "expected no error, saw CorruptQueue: expected branded ids in emq:{rung-"),
    (taken_namespace, "boot", "expected no error, saw KindTaken: expected a new namespace; JOB already names"),
    (oldest_first, "J4", "the newest five: expected ["),
    (unordered_ids, "J4", "the newest five: expected ["),
    (second_index, "J4", "how many keys the queue has: expected 302, saw 303"),
    (unparsed_cargo, "J5", "the order: expected (<class 'emq.ids.BrandedId'>, "),
    (another_field, "J5", "the fields of the cargo: expected ['order_id', 'qty'], saw ['order_id', 'qty', 'row']"),
]


@pytest.mark.parametrize(("broken", "gate", "words"), BREAKS, ids=[one[0].__name__ for one in BREAKS])
def test_a_gate_that_fails_says_its_number_what_it_expected_and_what_it_saw(
    monkeypatch: pytest.MonkeyPatch, broken: Break, gate: str, words: str
) -> None:
    broken(monkeypatch)
    with connect("embedded://") as client:
        report = rung.run(client)
        monkeypatch.undo()
        left = list(client.scan_iter())
    failed = [line for line in report.lines if " FAILED -- " in line]
    line = next(line for line in failed if line.startswith(f"{gate} FAILED -- "))
    assert words in line
    assert "\n" not in line
    assert not report.passed
    passed = 5 - sum(line.startswith("J") for line in failed)
    assert report.lines[-1] == f"{'FAIL' if gate == 'boot' else 'PASS'} {passed}/5"
    assert len(report.lines) == 7
    assert left == []
