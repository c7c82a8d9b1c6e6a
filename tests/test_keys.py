"""Keys: two of them, one slot, and names that cannot move either."""

import enum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.crc import key_slot

from emq import connect
from emq.errors import EmqError, InvalidId, InvalidQueue
from emq.ids import MAX_SNOWFLAKE, BrandedId, encode
from emq.keys import Keys

LAWFUL = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")

names = st.text(st.sampled_from("ABCXYZabcxyz0189_.-"), min_size=1, max_size=128)
job_ids = st.integers(0, MAX_SNOWFLAKE).map(lambda snowflake: BrandedId("JOB" + encode(snowflake)))


def test_the_two_keys() -> None:
    keys = Keys("orders")
    assert keys.queue == "orders"
    assert keys.pending == "emq:{orders}:pending"
    assert keys.job("JOB0Nvmd8aV5iy") == "emq:{orders}:job:JOB0Nvmd8aV5iy"
    assert keys.job(b"JOB0Nvmd8aV5iy") == keys.job(BrandedId("JOB0Nvmd8aV5iy")) == keys.job("JOB0Nvmd8aV5iy")


def test_every_key_of_a_queue_is_found_by_its_pattern_and_no_other_queues() -> None:
    client, keys = connect("embedded://"), Keys("a.b-c_1")
    own = [keys.pending, keys.job("JOB0Nvmd8aV5iy"), keys.node(7), keys.nodes]
    for key in [*own, Keys("axb-c_1").pending, Keys("a.b-c_11").pending]:
        client.set(key, "")
    assert sorted(key.decode() for key in client.scan_iter(keys.every)) == sorted(own)


def test_the_key_lets_any_kind_pass() -> None:
    assert Keys("orders").job("ORD0Nt6z93U3dY") == "emq:{orders}:job:ORD0Nt6z93U3dY"


@given(names, job_ids)
def test_all_keys_of_a_queue_share_the_slot_of_its_name(name: str, job_id: BrandedId) -> None:
    keys = Keys(name)
    assert key_slot(keys.pending.encode()) == key_slot(keys.job(job_id).encode()) == key_slot(name.encode())


@given(names, names, job_ids, job_ids)
def test_no_two_queues_share_a_key(one: str, other: str, job_id: BrandedId, other_id: BrandedId) -> None:
    if one != other:
        assert Keys(one).pending != Keys(other).pending
        assert Keys(one).job(job_id) != Keys(other).job(other_id)
    assert Keys(one).pending != Keys(other).job(job_id)


REFUSED: list[tuple[object, str]] = [
    ("", "expected a queue name of 1 to 128 characters; got 0 in ''"),
    ("x" * 129, "expected a queue name of 1 to 128 characters; got 129 in 'xxx"),
    ("}", "expected a queue name of A-Z a-z 0-9 _ . -; got '}' at character 1 in '}'"),
    ("a{b", "got '{' at character 2 in 'a{b'"),
    ("my queue", "got ' ' at character 3"),
    ("orders\n", "got '\\n' at character 7"),
    ("orders:x", "got ':' at character 7"),
    ("a/b", "got '/' at character 2"),
    ("a*", "got '*' at character 2"),
    ("aufträge", "got 'ä' at character 6"),
    ("٣", "got '٣' at character 1"),
    ("a\0", "got '\\x00' at character 2"),
    ("</scRipt ><img src=x onerror=alert(1)>", "got '<' at character 1"),
    (None, "expected a queue name, a str; got None"),
    (b"orders", "expected a queue name, a str; got b'orders'"),
    (7, "expected a queue name, a str; got 7"),
]


@pytest.mark.parametrize(("name", "message"), REFUSED)
def test_what_is_no_queue_name_is_refused_with_a_place(name: object, message: str) -> None:
    with pytest.raises(InvalidQueue) as caught:
        Keys(name)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, EmqError)


@given(st.one_of(st.text(max_size=140), st.text(st.sampled_from(sorted(LAWFUL | set("{} :"))), max_size=140)))
def test_any_text_is_a_queue_name_or_refused(name: str) -> None:
    try:
        keys = Keys(name)
    except InvalidQueue:
        assert not (1 <= len(name) <= 128 and set(name) <= LAWFUL)
    else:
        assert 1 <= len(name) <= 128
        assert set(name) <= LAWFUL
        assert keys.pending == f"emq:{{{name}}}:pending"


@pytest.mark.parametrize("job_id", ["", "job0Nvmd8aV5iy", "JOB0Nvmd8aV5iy}", None, 7])
def test_the_key_is_where_an_ill_formed_id_stops(job_id: object) -> None:
    with pytest.raises(InvalidId):
        Keys("orders").job(job_id)  # type: ignore[arg-type]


def test_a_name_of_a_subclass_is_taken_for_its_characters() -> None:
    """Or one process, with its queues in an enumeration, and another, with them in strings, would never meet."""

    class Queue(str, enum.Enum):  # noqa: UP042  # StrEnum would not do: its members print as their text
        ORDERS = "orders"
        FIRST = "JOB0Nvmd8aV5iy"

    keys = Keys(Queue.ORDERS)
    assert (keys.queue, type(keys.queue)) == ("orders", str)
    assert keys.pending == "emq:{orders}:pending"
    assert keys.job(Queue.FIRST) == "emq:{orders}:job:JOB0Nvmd8aV5iy"
