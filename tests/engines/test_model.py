"""A plain model of the queue beside each engine: whatever is done in whatever order, the answers are the same."""

import os
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from emq import Admission, BrandedId, Jobs, KindRefused
from emq.bulk import enqueue_many
from emq.engine import raw
from emq.errors import InvalidId, InvalidPayload
from emq.keys import Keys
from tests.engines.fixtures import Engine, new_queue

STEPS = 10_000
START = BrandedId("JOB0Nvmd8aV5iy").unix_ms
OFFSETS = [0, 1, 2, 100, 218, 219, 13_500, 13_600, 840_000, 10**7]
"""Few, so that ids repeat, and around the widths of prefixes."""

fields = st.tuples(
    st.sampled_from(OFFSETS).map(lambda offset: START + offset),
    st.sampled_from([0, 1023]),
    st.sampled_from([0, 4095]),
)
payloads = st.one_of(st.binary(max_size=20), st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
times = st.one_of(st.none(), st.sampled_from([START + offset + by for offset in OFFSETS for by in (-1, 0, 1)]))
counts = st.integers(0, 12)

Fields = tuple[int, int, int]


def job_id(field: Fields) -> BrandedId:
    return BrandedId.compose("JOB", *field)


def stored(payload: str | bytes) -> bytes:
    return payload.encode() if isinstance(payload, str) else payload


class Queue(RuleBasedStateMachine):
    """`rows` and `pending` are the model; ids are in it as (ms, node, seq), which is the order they must have."""

    client: Any
    steps = 0

    @initialize()
    def start(self) -> None:
        self.queue = new_queue()
        self.jobs, self.keys = Jobs(self.client, self.queue), Keys(self.queue)
        self.rows: dict[Fields, bytes] = {}
        self.pending: set[Fields] = set()

    def step(self, count: int = 1) -> None:
        type(self).steps += count

    def admit(self, field: Fields, payload: str | bytes) -> Admission:
        if field in self.rows:
            return Admission.DUPLICATE
        self.rows[field] = stored(payload)
        self.pending.add(field)
        return Admission.ENQUEUED

    @rule(field=fields, payload=payloads)
    def enqueue(self, field: Fields, payload: str | bytes) -> None:
        self.step()
        assert self.jobs.enqueue(job_id(field), payload) is self.admit(field, payload)

    @rule(some=st.lists(st.tuples(fields, payloads), max_size=6))
    def enqueue_many(self, some: list[tuple[Fields, str | bytes]]) -> None:
        self.step(len(some))
        answers = list(enqueue_many(self.jobs, [(job_id(field), payload) for field, payload in some]))
        assert answers == [self.admit(field, payload) for field, payload in some]

    @rule(field=fields, payload=payloads, namespace=st.sampled_from(["ORD", "ARC", "JOA", "JOC", "AAA", "ZZZ"]))
    def enqueue_of_a_wrong_kind(self, field: Fields, payload: str | bytes, namespace: str) -> None:
        self.step()
        with pytest.raises(KindRefused):
            self.jobs.enqueue(BrandedId.compose(namespace, *field), payload)

    @rule(field=fields, at=st.integers(0, 13), char=st.sampled_from("-_ {}\0\nä"))
    def enqueue_of_no_id(self, field: Fields, at: int, char: str) -> None:
        self.step()
        good = job_id(field)
        with pytest.raises(InvalidId):
            self.jobs.enqueue(good[:at] + char + good[at + 1 :], "x")

    @rule(field=fields, payload=st.sampled_from([None, 7, "\ud800", ["x"]]))
    def enqueue_of_no_payload(self, field: Fields, payload: Any) -> None:
        self.step()
        with pytest.raises(InvalidPayload):
            self.jobs.enqueue(job_id(field), payload)

    def expected(self, among: list[Fields], count: int, oldest_first: bool, after: Fields | None) -> list[BrandedId]:
        found = sorted(among, reverse=not oldest_first)
        if after is not None:
            found = [one for one in found if (one > after if oldest_first else one < after)]
        return [job_id(one) for one in found[:count]]

    @rule(count=counts, oldest_first=st.booleans(), after=st.one_of(st.none(), fields))
    def browse(self, count: int, oldest_first: bool, after: Fields | None) -> None:
        self.step()
        cursor = job_id(after) if after else None
        seen = self.jobs.browse(count, oldest_first, after=cursor)
        assert seen == self.expected(list(self.pending), count, oldest_first, after)

    @rule(
        count=counts,
        oldest_first=st.booleans(),
        after=st.one_of(st.none(), fields),
        of=fields,
        length=st.integers(3, 14),
    )
    def browse_a_prefix(self, count: int, oldest_first: bool, after: Fields | None, of: Fields, length: int) -> None:
        self.step()
        prefix = job_id(of)[:length]
        cursor = job_id(after) if after else None
        inside = [one for one in self.pending if job_id(one).startswith(prefix)]
        seen = self.jobs.browse(count, oldest_first, prefix=prefix, after=cursor)
        assert seen == self.expected(inside, count, oldest_first, after)

    @rule(count=counts, oldest_first=st.booleans(), after=st.one_of(st.none(), fields), since=times, until=times)
    def browse_a_window(
        self, count: int, oldest_first: bool, after: Fields | None, since: int | None, until: int | None
    ) -> None:
        self.step()
        if since is not None and until is not None and since > until:
            since, until = until, since
        cursor = job_id(after) if after else None
        inside = [
            one for one in self.pending if (since is None or since <= one[0]) and (until is None or one[0] < until)
        ]
        seen = self.jobs.browse(count, oldest_first, since=since, until=until, after=cursor)
        assert seen == self.expected(inside, count, oldest_first, after)

    @rule(
        count=st.integers(1, 3),
        oldest_first=st.booleans(),
        since=st.one_of(st.none(), st.sampled_from(OFFSETS).map(lambda offset: START + offset)),
    )
    def browse_page_by_page(self, count: int, oldest_first: bool, since: int | None) -> None:
        inside = [one for one in self.pending if since is None or since <= one[0]]
        pages: list[BrandedId] = []
        while page := self.jobs.browse(count, oldest_first, since=since, after=pages[-1] if pages else None):
            self.step()
            pages += page
            assert len(pages) <= len(inside)
        assert pages == self.expected(inside, len(inside), oldest_first, None)

    @rule()
    def pending_size(self) -> None:
        self.step()
        assert self.jobs.pending_size() == len(self.pending)

    @rule()
    def forget_the_script(self) -> None:
        self.step()
        self.client.script_flush()

    @precondition(lambda self: self.pending)
    @rule(choice=st.randoms(use_true_random=False))
    def take_one(self, choice: Any) -> None:
        """What a later chapter will do: the job leaves the set, its row stays, and its id stays admitted."""
        self.step()
        field = choice.choice(sorted(self.pending))
        assert self.client.zrem(self.keys.pending, job_id(field)) == 1
        self.pending.remove(field)

    @precondition(lambda self: self.rows)
    @rule(choice=st.randoms(use_true_random=False))
    def read_a_row(self, choice: Any) -> None:
        self.step()
        field = choice.choice(sorted(self.rows))
        self.check_row(field)

    def check_row(self, field: Fields) -> None:
        row = raw(self.client, "HGETALL", self.keys.job(job_id(field)))
        assert row == {b"state": b"pending", b"attempts": b"0", b"payload": self.rows[field]}

    def teardown(self) -> None:
        members = raw(self.client, "ZRANGE", self.keys.pending, 0, -1)
        assert members == [job_id(field).encode() for field in sorted(self.pending)]
        assert self.client.zcount(self.keys.pending, 0, 0) == len(members)
        for field in self.rows:
            self.check_row(field)
        self.client.delete(self.keys.pending, *(self.keys.job(job_id(field)) for field in self.rows))


def test_model_and_engine_agree_for_ten_thousand_steps(engine: Engine) -> None:
    with engine.client() as client:
        machine = type("Machine", (Queue,), {"client": client, "steps": 0})
        run_state_machine_as_test(
            machine,
            settings=hypothesis.settings(
                max_examples=125,
                stateful_step_count=100,
                deadline=None,
                phases=[hypothesis.Phase.generate],  # to shrink a hundred steps takes longer than a test may
                derandomize="CI" in os.environ,
                suppress_health_check=list(hypothesis.HealthCheck),
            ),
        )
    assert machine.steps >= STEPS
