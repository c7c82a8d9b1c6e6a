"""The bus, on every engine: the three verbs, the script's branches, what is refused before the wire."""

import enum
import inspect
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
import redis
from redis.cluster import RedisCluster
from redis.exceptions import NoScriptError, ResponseError

from emq import Admission, BrandedId, EmqError, InvalidId, Jobs, KindRefused, Mint
from emq.engine import raw
from emq.errors import CorruptQueue, InvalidPayload, InvalidQueue, InvalidWindow
from emq.ids import EPOCH_MS, LAST_MS
from emq.jobs import MAX_COUNT, SCRIPT, admission, range_command
from emq.keys import Keys
from tests.engines.fixtures import Engine

A, B, C, D, E, F = DEMO = [
    BrandedId(text)
    for text in (
        ["JOB0Nvmd8aV5iy", "JOB0Nvmd8gSfSK", "JOB0Nvmd8mzRRo", "JOB0Nvmd8tnoZM", "JOB0Nvmd90tmoy", "JOB0Nvmd96ZlQG"]
    )
]
ORDER = BrandedId("ORD0Nt6z93U3dY")
SHA = "a9848aa0c7985a220662b638c0ec929cc40d5efa"
"""The script's, so that a changed byte in it is a decision: it is what every server caches it under."""

EVERY_BYTE = bytes(range(256)) + b"\r\n$3\r\n\x00\xff"


def row(client: Any, keys: Keys, job_id: str) -> dict[bytes, bytes]:
    """The row as it is stored, whatever the client decodes."""
    fields = raw(client, "HKEYS", keys.job(job_id))
    return {field: raw(client, "HGET", keys.job(job_id), field) for field in fields}


def members(client: Any, keys: Keys) -> list[tuple[bytes, float]]:
    return [
        (member, raw(client, "ZSCORE", keys.pending, member)) for member in raw(client, "ZRANGE", keys.pending, 0, -1)
    ]


@pytest.fixture
def filled(jobs: Jobs) -> Jobs:
    """The six demo jobs, enqueued out of order."""
    for job_id in (D, A, F, C, B, E):
        assert jobs.enqueue(job_id, job_id[-1]) is Admission.ENQUEUED
    return jobs


# The surface


def test_the_surface_is_three_verbs() -> None:
    assert [name for name in dir(Jobs) if not name.startswith("_")] == ["browse", "enqueue", "pending_size"]


def test_the_verbs_take_what_the_contract_says() -> None:
    browse = inspect.signature(Jobs.browse).parameters
    assert {name: one.default for name, one in browse.items() if name != "self"} == {
        "count": 20,
        "oldest_first": False,
        "prefix": None,
        "since": None,
        "until": None,
        "after": None,
    }
    assert list(inspect.signature(Jobs.enqueue).parameters)[:3] == ["self", "job_id", "payload"]


def test_an_admission_is_the_number_on_the_wire() -> None:
    assert (Admission.DUPLICATE, Admission.ENQUEUED) == (0, 1)


@pytest.mark.parametrize("queue", ["", "}", "a b", "x" * 129, None])
def test_a_bad_queue_name_is_refused_before_the_wire(queue: object) -> None:
    with pytest.raises(InvalidQueue):
        Jobs(redis.Redis(port=1), queue)  # type: ignore[arg-type]


# enqueue


def test_the_first_call_enqueues_and_the_row_has_three_fields(jobs: Jobs, client: Any, keys: Keys) -> None:
    assert jobs.enqueue(A, b"cargo") is Admission.ENQUEUED
    assert row(client, keys, A) == {b"state": b"pending", b"attempts": b"0", b"payload": b"cargo"}
    assert members(client, keys) == [(A.encode(), 0.0)]
    assert jobs.pending_size() == 1


def test_the_second_call_is_a_duplicate_and_touches_nothing(jobs: Jobs, client: Any, keys: Keys) -> None:
    jobs.enqueue(A, "first")
    before = row(client, keys, A)
    assert jobs.enqueue(A, "second") is Admission.DUPLICATE
    assert row(client, keys, A) == before
    assert jobs.pending_size() == 1


def test_a_duplicate_of_a_job_that_is_no_longer_pending_does_not_come_back(jobs: Jobs, client: Any, keys: Keys) -> None:
    jobs.enqueue(A, "first")
    client.zrem(keys.pending, A)
    assert jobs.enqueue(A, "again") is Admission.DUPLICATE
    assert jobs.pending_size() == 0


def test_a_wrong_kind_is_refused_by_the_script_and_writes_nothing(jobs: Jobs, client: Any, keys: Keys) -> None:
    jobs.enqueue(A, "x")
    with pytest.raises(KindRefused, match=r"^EMQKIND job id must be JOB-namespaced") as caught:
        jobs.enqueue(ORDER, "x")
    assert caught.value.code == "EMQKIND"
    assert isinstance(caught.value, EmqError)
    assert isinstance(caught.value.__cause__, ResponseError)
    assert str(caught.value.__cause__).split()[0] == "EMQKIND"
    assert not client.exists(keys.job(ORDER))
    assert jobs.browse() == [A]


def test_policy_comes_before_existence(jobs: Jobs, client: Any, keys: Keys) -> None:
    client.hset(keys.job(ORDER), "state", "pending")
    with pytest.raises(KindRefused):
        jobs.enqueue(ORDER, "x")


def test_existence_comes_before_the_write(jobs: Jobs, client: Any, keys: Keys) -> None:
    client.set(keys.pending, "of another type")
    client.hset(keys.job(A), "state", "running")
    assert jobs.enqueue(A, "x") is Admission.DUPLICATE


@pytest.mark.parametrize("job_id", ["JOB0Nvmd8aV5iy", b"JOB0Nvmd8aV5iy", A])
def test_an_id_comes_as_text_bytes_or_id(jobs: Jobs, job_id: str | bytes) -> None:
    assert jobs.enqueue(job_id, "x") is Admission.ENQUEUED
    assert jobs.browse() == [A]


@pytest.mark.parametrize(
    "job_id", ["", "JOB0Nvmd8aV5i", "job0Nvmd8aV5iy", "JOBAzL8n0Y58m8", "JOB0Nvmd8aV5iy\n", None, 7]
)
def test_a_malformed_id_never_reaches_the_wire(job_id: object) -> None:
    nowhere = Jobs(redis.Redis(port=1), "orders")
    with pytest.raises(InvalidId):
        nowhere.enqueue(job_id, "x")  # type: ignore[arg-type]


PAYLOADS = [
    b"",
    b"\0",
    b"\r\n",
    b"\xff\xfe",
    EVERY_BYTE,
    b"x" * 100_000,
    "",
    "grün 日本",
    "\0\r\n",
    "</scRipt ><img src=x>",
]


@pytest.mark.parametrize("decode", [False, True], ids=["bytes", "decoded"])
@pytest.mark.parametrize("protocol", [2, 3])
def test_payloads_are_kept_byte_for_byte_under_any_client(
    engine: Engine, queue: str, decode: bool, protocol: int
) -> None:
    mint, keys = Mint("JOB"), Keys(queue)
    with engine.client(decode_responses=decode, protocol=protocol) as client:
        jobs = Jobs(client, queue)
        for payload in PAYLOADS:
            job_id = mint()
            assert jobs.enqueue(job_id, payload) is Admission.ENQUEUED
            assert jobs.enqueue(job_id, payload) is Admission.DUPLICATE
            stored = payload if isinstance(payload, bytes) else payload.encode()
            assert raw(client, "HGET", keys.job(job_id), "payload") == stored
            assert raw(client, "HSTRLEN", keys.job(job_id), "payload") == len(stored)
        newest = jobs.browse(3)
        assert newest[0] == job_id
        assert {type(one) for one in newest} == {BrandedId}
        assert jobs.pending_size() == len(PAYLOADS)
        with pytest.raises(KindRefused):
            jobs.enqueue(ORDER, "x")


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (None, "expected a payload of str or bytes; got NoneType None"),
        (7, "expected a payload of str or bytes; got int 7"),
        ({"a": 1}, "expected a payload of str or bytes; got dict {'a': 1}"),
        (bytearray(b"x"), "expected a payload of str or bytes; got bytearray"),
        ("a\ud800", "expected text with a UTF-8 form; got '\\ud800' at character 2"),
    ],
)
def test_what_is_no_payload_never_reaches_the_wire(payload: object, message: str) -> None:
    with pytest.raises(InvalidPayload) as caught:
        Jobs(redis.Redis(port=1), "orders").enqueue(A, payload)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert isinstance(caught.value, TypeError)


def test_a_pending_key_of_another_type_fails_before_the_row_exists(jobs: Jobs, client: Any, keys: Keys) -> None:
    client.set(keys.pending, "not a set")
    with pytest.raises(ResponseError) as caught:
        jobs.enqueue(A, "x")
    assert str(caught.value).startswith("WRONGTYPE")
    assert not client.exists(keys.job(A))
    assert client.get(keys.pending) == b"not a set"
    client.delete(keys.pending)
    assert jobs.enqueue(A, "x") is Admission.ENQUEUED


def test_a_row_of_another_type_is_a_job_that_is_there(jobs: Jobs, client: Any, keys: Keys) -> None:
    client.set(keys.job(A), "not a hash")
    assert jobs.enqueue(A, "x") is Admission.DUPLICATE
    assert jobs.pending_size() == 0


def test_no_error_is_swallowed(jobs: Jobs, client: Any, keys: Keys) -> None:
    client.set(keys.pending, "not a set")
    for ask in (jobs.pending_size, jobs.browse):
        with pytest.raises(ResponseError, match="WRONGTYPE"):
            ask()


# The script


def test_the_script_is_pinned(jobs: Jobs) -> None:
    assert jobs._script.sha == SHA


def test_every_engine_pins_the_script_to_the_same_sha(client: Any) -> None:
    assert client.script_load(SCRIPT) in (SHA, SHA.encode())


def test_the_wire_sees_evalsha_and_a_forgotten_script_is_reloaded(jobs: Jobs, client: Any) -> None:
    jobs.enqueue(A, "x")
    client.script_flush()
    with pytest.raises(NoScriptError):
        client.evalsha(SHA, 2, "emq:{x}:pending", "emq:{x}:job:x", "JOB", "x")
    assert jobs.enqueue(A, "x") is Admission.DUPLICATE
    client.script_flush()
    assert jobs.enqueue(B, "x") is Admission.ENQUEUED
    client.script_flush()
    with pytest.raises(KindRefused):
        jobs.enqueue(ORDER, "x")


def commands_of(client: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What `client` sends from here on."""
    sent: list[tuple[object, ...]] = []
    execute = client.execute_command

    def listening(*command: object, **options: object) -> object:
        sent.append(command)
        return execute(*command, **options)

    monkeypatch.setattr(client, "execute_command", listening)
    return sent


def test_each_verb_is_one_command(filled: Jobs, client: Any, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = commands_of(client, monkeypatch)
    filled.enqueue(A, "x")
    filled.browse(5, prefix="JOB0Nvmd9", after=F)
    filled.pending_size()
    assert [command[0] for command in sent] == ["EVALSHA", "ZRANGE", "ZCARD"]
    assert sent[0][1:] == (SHA, 2, keys.pending, keys.job(A), A, b"x")


def test_both_keys_are_declared(jobs: Jobs) -> None:
    # A key that the script builds or reads elsewhere works on one node and not on a cluster.
    code = [line.split("--")[0] for line in SCRIPT.splitlines()]
    assert "emq:" not in "".join(code)
    assert all("KEYS[" in line for line in code if "redis.call" in line)


# The pipeline


@pytest.mark.parametrize("transaction", [False, True])
def test_many_jobs_go_through_redis_pys_own_pipeline(jobs: Jobs, client: Any, keys: Keys, transaction: bool) -> None:
    if isinstance(client, RedisCluster):
        with pytest.raises(TypeError, match=r"one server as client; got ClusterPipeline\. On a cluster use emq\.bulk"):
            jobs.enqueue(A, "x", client=client.pipeline())
        return
    client.script_flush()
    with client.pipeline(transaction=transaction) as pipeline:
        assert jobs.enqueue(A, b"\xff\0", client=pipeline) is pipeline
        jobs.enqueue(A, "again", client=pipeline)
        jobs.enqueue(ORDER, "x", client=pipeline)
        jobs.enqueue(B, "y", client=pipeline)
        replies = pipeline.execute(raise_on_error=False)
    assert [admission(reply) for reply in (replies[0], replies[1], replies[3])] == [1, 0, 1]
    with pytest.raises(KindRefused, match=r"^EMQKIND"):
        admission(replies[2])
    assert raw(client, "HGET", keys.job(A), "payload") == b"\xff\0"
    assert jobs.browse() == [B, A]


def test_what_is_refused_is_not_queued_on_the_pipeline(jobs: Jobs, client: Any) -> None:
    with client.pipeline() as pipeline:
        for job_id, payload in (("nonsense", "x"), (A, None)):
            with pytest.raises(EmqError):
                jobs.enqueue(job_id, payload, client=pipeline)  # type: ignore[arg-type]
        assert len(pipeline) == 0


@pytest.mark.parametrize("reply", [0, 1])
def test_a_reply_is_an_admission(reply: int) -> None:
    assert admission(reply) is Admission(reply)


@pytest.mark.parametrize("words", ["EMQKIND", "EMQKIND job id", "EMQKIND x script: 5e8e, on @user_script:1."])
def test_a_reply_is_known_by_its_class(words: str) -> None:
    with pytest.raises(KindRefused):
        admission(ResponseError(words))


@pytest.mark.parametrize(
    "error", [ResponseError("EMQKINDRED x"), ResponseError("ERR EMQKIND"), ResponseError(""), OSError("EMQKIND")]
)
def test_another_error_stays_itself(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        admission(error)
    assert caught.value is error


@pytest.mark.parametrize("reply", [2, -1, b"1", None, [1]])
def test_a_reply_that_the_script_never_gives_is_no_admission(reply: object) -> None:
    with pytest.raises(ValueError, match="expected the script's reply, 0 or 1; got"):
        admission(reply)


# browse


def test_an_empty_queue(jobs: Jobs) -> None:
    assert jobs.browse() == []
    assert jobs.pending_size() == 0


def test_newest_first_by_default_and_the_head_on_request(filled: Jobs) -> None:
    assert filled.browse() == DEMO[::-1]
    assert filled.browse(oldest_first=True) == DEMO
    assert filled.browse(5) == [F, E, D, C, B]
    assert filled.browse(1, oldest_first=True) == [A]
    assert filled.browse(0) == []
    assert filled.browse(MAX_COUNT) == DEMO[::-1]
    assert {type(one) for one in filled.browse()} == {BrandedId}


def test_twenty_unless_told_otherwise(jobs: Jobs, mint: Mint) -> None:
    made = [mint() for _ in range(25)]
    for job_id in made:
        jobs.enqueue(job_id, "")
    assert jobs.browse() == made[:-21:-1]


def test_by_prefix(filled: Jobs) -> None:
    assert filled.browse(prefix="JOB0Nvmd9") == [F, E]
    assert filled.browse(prefix="JOB0Nvmd9", oldest_first=True) == [E, F]
    assert filled.browse(prefix="JOB0Nvmd8", count=2) == [D, C]
    assert filled.browse(prefix="JOB") == DEMO[::-1]
    assert filled.browse(prefix=C) == [C]
    assert filled.browse(prefix="JOBA") == []
    assert filled.browse(prefix="ORD") == []


def test_by_clock_window_half_open(filled: Jobs) -> None:
    assert filled.browse(since=B.unix_ms, until=D.unix_ms) == [C, B]
    assert filled.browse(since=B.unix_ms, until=D.unix_ms + 1, oldest_first=True) == [B, C, D]
    assert filled.browse(since=E.unix_ms) == [F, E]
    assert filled.browse(until=B.unix_ms) == [A]
    assert filled.browse(since=C.unix_ms, until=C.unix_ms) == []
    assert filled.browse(since=datetime(2026, 6, 12, 23, 39, 40, 632_000, UTC)) == [F, E, D]
    assert filled.browse(since=datetime(2026, 6, 12, 23, 39, 40, 632_001, UTC)) == [F, E]
    assert filled.browse(since=0, until=10**14) == DEMO[::-1]


def test_the_last_id_of_all_time_is_in_an_open_window(jobs: Jobs) -> None:
    last = BrandedId("JOBAzL8n0Y58m7")
    jobs.enqueue(last, "")
    assert jobs.browse() == jobs.browse(since=LAST_MS) == jobs.browse(until=LAST_MS + 1) == [last]
    assert jobs.browse(prefix=last) == [last]
    assert jobs.browse(until=LAST_MS) == []


QUESTIONS: list[dict[str, Any]] = [
    {},
    {"prefix": "JOB0Nvmd8"},
    {"prefix": "JOB0Nvmd8mzRRo"},
    {"since": B.unix_ms},
    {"until": E.unix_ms},
    {"since": A.unix_ms, "until": F.unix_ms},
    {"since": B.unix_ms, "until": B.unix_ms + 1},
]


@pytest.mark.parametrize("oldest_first", [False, True])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: "+".join(question) or "all")
@pytest.mark.parametrize("count", [1, 2, 5])
def test_pages_by_the_last_id_seen_are_the_whole_and_end(
    filled: Jobs, question: dict[str, Any], oldest_first: bool, count: int
) -> None:
    whole = filled.browse(100, oldest_first, **question)
    pages: list[BrandedId] = []
    while page := filled.browse(count, oldest_first, after=pages[-1] if pages else None, **question):
        pages += page
        assert len(pages) <= len(whole)  # a page that repeats its cursor would go on for ever
    assert pages == whole


def test_a_cursor_need_not_be_pending(filled: Jobs, client: Any, keys: Keys) -> None:
    client.zrem(keys.pending, C)
    assert filled.browse(2, after=C) == [B, A]
    assert filled.browse(2, oldest_first=True, after=C) == [D, E]
    assert filled.browse(after=A) == []
    assert filled.browse(oldest_first=True, after=F) == []


def test_a_cursor_outside_of_the_window_narrows_nothing_or_all(filled: Jobs) -> None:
    assert filled.browse(prefix="JOB0Nvmd9", oldest_first=True, after=A) == [E, F]
    assert filled.browse(prefix="JOB0Nvmd9", after=A) == []
    assert filled.browse(prefix="JOB0Nvmd8", after=F) == [D, C, B, A]
    assert filled.browse(prefix="JOB0Nvmd8", oldest_first=True, after=F) == []


BAD_QUESTIONS: list[tuple[dict[str, Any], type[EmqError], str]] = [
    ({"count": -1}, InvalidWindow, "expected a count, an int of 0 or more; got -1"),
    ({"count": 1.0}, InvalidWindow, "expected a count, an int of 0 or more; got 1.0"),
    ({"count": True}, InvalidWindow, "got True"),
    ({"count": "5"}, InvalidWindow, "got '5'"),
    ({"count": None}, InvalidWindow, "got None"),
    ({"count": 10**5000}, InvalidWindow, "got an int of 16610 bits"),
    ({"since": 10**5000, "until": 0}, InvalidWindow, "got since=an int of 16610 bits after until=0"),
    ({"count": 2**63}, InvalidWindow, "got 9223372036854775808"),
    ({"prefix": ""}, InvalidWindow, "expected a prefix of 3 to 14 characters; got 0 in ''"),
    ({"prefix": "JO"}, InvalidWindow, "expected a prefix of 3 to 14 characters; got 2 in 'JO'"),
    ({"prefix": "JOB0\xff"}, InvalidWindow, "got 'ÿ' at character 5 in the prefix"),
    ({"prefix": b"JOB"}, InvalidWindow, "expected a prefix, a str such as 'JOB0Nvmd9'; got b'JOB'"),
    ({"prefix": "JOB", "since": 0}, InvalidWindow, "expected a prefix or a clock window, not both; got 'JOB'"),
    ({"prefix": "JOB", "until": 0}, InvalidWindow, "not both"),
    ({"since": 2, "until": 1}, InvalidWindow, "expected since ≤ until; got since=2 after until=1"),
    ({"since": datetime(2026, 1, 1)}, InvalidWindow, "expected an aware datetime"),  # noqa: DTZ001
    ({"until": 1.5}, InvalidWindow, "expected a time as int unix milliseconds or an aware datetime; got 1.5"),
    ({"after": "JOB"}, InvalidId, "expected 14 characters; got 3 in 'JOB'"),
    ({"after": 7}, InvalidId, "expected an id of 14 characters, as str or bytes; got int 7"),
]


@pytest.mark.parametrize(("question", "error", "message"), BAD_QUESTIONS)
def test_what_cannot_be_asked_never_reaches_the_wire(
    question: dict[str, Any], error: type[EmqError], message: str
) -> None:
    with pytest.raises(error) as caught:
        Jobs(redis.Redis(port=1), "orders").browse(**question)
    assert message in str(caught.value)


def test_one_command_whatever_the_question() -> None:
    since, until = B.unix_ms, D.unix_ms
    low = b"[" + BrandedId.compose("JOB", since).encode()
    high = b"(" + BrandedId.compose("JOB", until).encode()
    assert range_command("k") == ("ZRANGE", "k", b"+", b"-", "BYLEX", "REV", "LIMIT", 0, 20)
    assert range_command("k", 5, True) == ("ZRANGE", "k", b"-", b"+", "BYLEX", "LIMIT", 0, 5)
    assert range_command("k", prefix="JOB0Nvmd9")[2:4] == (b"(JOB0Nvmd9\xff", b"[JOB0Nvmd9")
    assert range_command("k", since=since, until=until)[2:4] == (high, low)
    assert range_command("k", oldest_first=True, since=since, until=until)[2:4] == (low, high)
    assert range_command("k", after=C)[2:4] == (b"(" + C.encode(), b"-")
    assert range_command("k", oldest_first=True, after=C)[2:4] == (b"(" + C.encode(), b"+")


def test_rogue_members_are_reported(filled: Jobs, client: Any, keys: Keys) -> None:
    client.zadd(keys.pending, {b"zz\xff": 0})
    with pytest.raises(CorruptQueue) as caught:
        filled.browse()
    assert str(caught.value).startswith(f"expected branded ids in {keys.pending}; expected 14 characters; got 3 in ")
    assert filled.browse(prefix="JOB0Nvmd9") == [F, E]  # no page of that window holds it
    client.zrem(keys.pending, b"zz\xff")
    assert filled.browse() == DEMO[::-1]


def test_rogue_bytes_are_reported_to_a_client_that_decodes_too(engine: Engine, queue: str) -> None:
    with engine.client(decode_responses=True) as client:
        client.zadd(Keys(queue).pending, {b"\xff\xfe": 0})
        with pytest.raises(CorruptQueue, match="got 2 in b'"):
            Jobs(client, queue).browse()


def test_every_score_is_zero_for_ever(filled: Jobs, client: Any, keys: Keys) -> None:
    for job_id in DEMO:
        filled.enqueue(job_id, "again")
    assert members(client, keys) == [(one.encode(), 0.0) for one in DEMO]


def test_another_score_breaks_the_lex_law_where_it_can_be_seen(filled: Jobs, client: Any, keys: Keys) -> None:
    # Real engines put it behind all others, the embedded one leaves it out: never where its bytes belong.
    client.zadd(keys.pending, {A: 1})
    assert filled.browse(oldest_first=True)[0] == B
    assert filled.pending_size() == 6


def test_two_producers_interleave_by_arrival_and_each_keeps_its_order(jobs: Jobs) -> None:
    now = EPOCH_MS + 10**9
    one, other = Mint("JOB", 1, lambda: now), Mint("JOB", 2, lambda: now)
    ones, others = [one() for _ in range(5)], [other() for _ in range(5)]
    for pair in zip(ones, others, strict=True):
        for job_id in pair:
            jobs.enqueue(job_id, "")
    seen = jobs.browse(oldest_first=True)
    assert [job_id for job_id in seen if job_id.node == 1] == ones
    assert [job_id for job_id in seen if job_id.node == 2] == others


def test_queues_share_nothing(client: Any, queue: str, mint: Callable[[], BrandedId]) -> None:
    one, other = Jobs(client, f"{queue}.a"), Jobs(client, f"{queue}.b")
    job_id = mint()
    assert one.enqueue(job_id, "x") is other.enqueue(job_id, "y") is Admission.ENQUEUED
    assert one.enqueue(job_id, "x") is Admission.DUPLICATE
    assert one.pending_size() == other.pending_size() == 1


class Named(str, enum.Enum):  # noqa: UP042  # StrEnum would not do: its members print as their text, these do not
    FIRST = "JOB0Nvmd8aV5iy"


class Page(enum.IntEnum):
    SMALL = 2


def test_an_id_by_another_name_is_the_same_job(jobs: Jobs) -> None:
    assert jobs.enqueue(Named.FIRST, "a") is Admission.ENQUEUED
    assert jobs.enqueue("JOB0Nvmd8aV5iy", "b") is Admission.DUPLICATE
    assert jobs.browse(after=Named.FIRST) == []


def test_a_count_of_a_subclass_is_a_count(jobs: Jobs) -> None:
    for job_id in DEMO:
        jobs.enqueue(job_id, "")
    assert jobs.browse(Page.SMALL) == [F, E]
    assert type(range_command("key", Page.SMALL)[-1]) is int


def test_a_client_that_is_no_pipeline_is_refused_before_anything_is_sent(client: Any, jobs: Jobs) -> None:
    jobs.enqueue(A, "")  # the script is known
    with pytest.raises(TypeError, match="expected a pipeline"):
        jobs.enqueue(B, "", client=client)
    assert jobs.pending_size() == 1
