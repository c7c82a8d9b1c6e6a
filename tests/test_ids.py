"""Branded ids: the vectors, the order theorem, every refusal, and the minter under any clock."""

import copy
import enum
import itertools
import json
import pickle
import signal
import threading
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emq import ids
from emq.errors import EmqError, ForkedMint, InvalidId, InvalidWindow
from emq.ids import EPOCH_MS, LAST_MS, MAX_SNOWFLAKE, NODES, SEQS, BrandedId, Mint
from tests.forks import in_a_fork
from tests.threads import in_threads

DEMO = {
    "JOB0Nvmd8aV5iy": 564,
    "JOB0Nvmd8gSfSK": 585,
    "JOB0Nvmd8mzRRo": 608,
    "JOB0Nvmd8tnoZM": 632,
    "JOB0Nvmd90tmoy": 657,
    "JOB0Nvmd96ZlQG": 677,
}
"""The six demo ids, and the milliseconds in the second 2026-06-12T23:39:40Z at which they were minted."""

times = st.integers(EPOCH_MS, LAST_MS)
nodes = st.integers(0, NODES - 1)
seqs = st.integers(0, SEQS - 1)
fields = st.tuples(times, nodes, seqs)
snowflakes = st.integers(0, MAX_SNOWFLAKE)
namespaces = st.text(st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), min_size=3, max_size=3)


def of_snowflake(namespace: str, snowflake: int) -> BrandedId:
    return BrandedId(namespace + ids.encode(snowflake))


# The format


def test_the_constants_are_the_contracts() -> None:
    assert ids.ALPHABET == "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    assert list(ids.ALPHABET) == sorted(ids.ALPHABET)
    assert ids.LENGTH == 14
    assert EPOCH_MS == 1_704_067_200_000
    assert MAX_SNOWFLAKE == 2**63 - 1
    assert ids.encode(MAX_SNOWFLAKE) == "AzL8n0Y58m7"
    assert BrandedId("JOBAzL8n0Y58m7").minted_at.isoformat() == "2093-09-06T15:47:35.551000+00:00"


def test_the_order_id_of_the_record() -> None:
    order = BrandedId("ORD0Nt6z93U3dY")
    assert (order.namespace, order.snowflake, order.node, order.seq) == ("ORD", 323386299169927168, 7, 0)
    assert order.minted_at == datetime(2026, 6, 11, 9, 1, 41, 949_000, tzinfo=UTC)
    assert order.minted_at.tzinfo is UTC


@pytest.mark.parametrize(("text", "ms"), DEMO.items())
def test_the_demo_ids(text: str, ms: int) -> None:
    demo = BrandedId(text)
    assert (demo.namespace, demo.node, demo.seq) == ("JOB", 0, 0)
    assert demo.minted_at == datetime(2026, 6, 12, 23, 39, 40, ms * 1000, tzinfo=UTC)
    assert BrandedId.compose("JOB", demo.minted_at) == text


@given(namespaces, fields)
def test_compose_and_parse_are_inverse(namespace: str, field: tuple[int, int, int]) -> None:
    ms, node, seq = field
    made = BrandedId.compose(namespace, ms, node, seq)
    assert len(made) == 14
    for parsed in (BrandedId(made), BrandedId(str(made)), BrandedId(made.encode())):
        assert parsed == made
        assert (parsed.namespace, parsed.unix_ms, parsed.node, parsed.seq) == (namespace, ms, node, seq)
        assert parsed.snowflake == (ms - 1_704_067_200_000) << 22 | node << 12 | seq


@given(snowflakes)
def test_digits_and_numbers_are_inverse(snowflake: int) -> None:
    digits = ids.encode(snowflake)
    plain, rest = "", snowflake
    for _ in range(11):
        rest, digit = divmod(rest, 62)
        plain = ids.ALPHABET[digit] + plain
    assert digits == plain
    assert ids.decode(digits) == snowflake


@pytest.mark.parametrize("number", [-1, 62**11, -(62**11), 10**5000], ids=["-1", "62**11", "-62**11", "huge"])
def test_a_number_without_eleven_digits_is_refused(number: int) -> None:
    with pytest.raises(InvalidId, match=r"expected a number from 0 to 62\*\*11 - 1; got"):
        ids.encode(number)


@pytest.mark.parametrize(
    ("digits", "message"),
    [("0" * 12, "expected at most 11 digits; got 12"), ("0-", "expected digits of 0-9A-Za-z; got '-' in '0-'")],
)
def test_what_spells_no_number_is_refused(digits: str, message: str) -> None:
    with pytest.raises(InvalidId) as caught:
        ids.decode(digits)
    assert message in str(caught.value)


@given(times)
def test_mint_time_is_exact_to_the_millisecond(ms: int) -> None:
    minted_at = BrandedId.compose("JOB", ms).minted_at
    assert (minted_at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1) == ms
    assert minted_at.microsecond % 1000 == 0


@given(st.datetimes(datetime(2024, 1, 2), datetime(2093, 9, 5)), st.integers(-840, 840))  # noqa: DTZ001
def test_compose_takes_an_aware_datetime_of_any_zone(wall: datetime, offset: int) -> None:
    when = wall.replace(tzinfo=timezone(timedelta(minutes=offset)))
    composed = BrandedId.compose("JOB", when).minted_at
    assert timedelta(0) <= when - composed < timedelta(milliseconds=1)


# The order theorem


@given(st.lists(fields, max_size=30), namespaces)
def test_byte_order_is_snowflake_order_is_mint_order(some: list[tuple[int, int, int]], namespace: str) -> None:
    made = [BrandedId.compose(namespace, *field) for field in some]
    by_bytes = sorted(made, key=lambda one: one.encode())
    assert by_bytes == sorted(made)
    assert by_bytes == sorted(made, key=lambda one: one.snowflake)
    assert by_bytes == [BrandedId.compose(namespace, *field) for field in sorted(some)]


@given(snowflakes, snowflakes)
def test_neighbours_and_strangers_compare_as_their_snowflakes(one: int, other: int) -> None:
    assert (of_snowflake("JOB", one) < of_snowflake("JOB", other)) == (one < other)
    assert of_snowflake("JOB", one).encode() <= of_snowflake("JOB", min(one + 1, MAX_SNOWFLAKE)).encode()


def test_the_theorem_ends_at_the_namespace() -> None:
    older, newer = BrandedId.compose("JOB", EPOCH_MS), BrandedId.compose("ARC", LAST_MS)
    assert newer < older


# An id is its text


@given(snowflakes)
def test_an_id_is_its_fourteen_characters(snowflake: int) -> None:
    made = of_snowflake("JOB", snowflake)
    text = "".join(made)
    assert type(text) is str
    assert isinstance(made, str)
    assert made == text
    assert hash(made) == hash(text)
    assert {made: 1}[text] == 1
    assert json.loads(json.dumps(made)) == text
    assert repr(made) == f"BrandedId('{text}')"
    for twin in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert type(twin) is BrandedId
        assert twin == made


def test_an_id_takes_no_attributes() -> None:
    with pytest.raises(AttributeError):
        BrandedId("JOB0Nvmd8aV5iy").note = "x"  # type: ignore[attr-defined]


# Refusals

REFUSED: list[Any] = [
    ("", "expected 14 characters; got 0 in ''"),
    ("JOB0Nvmd8aV5i", "expected 14 characters; got 13 in 'JOB0Nvmd8aV5i'"),
    ("JOB0Nvmd8aV5iyy", "expected 14 characters; got 15 in 'JOB0Nvmd8aV5iyy'"),
    ("JOB0Nvmd8aV5iy\n", "expected 14 characters; got 15"),
    (" JOB0Nvmd8aV5iy", "expected 14 characters; got 15"),
    ("JOB0Nvmd8aV5iy ", "expected 14 characters; got 15"),
    (b"JOB0Nvmd8aV5i", "expected 14 characters; got 13 in 'JOB0Nvmd8aV5i'"),
    ("job0Nvmd8aV5iy", "expected a namespace of three letters A-Z; got 'j' at character 1 in 'job0Nvmd8aV5iy'"),
    ("JoB0Nvmd8aV5iy", "got 'o' at character 2"),
    ("JO10Nvmd8aV5iy", "got '1' at character 3"),
    ("JÖB0Nvmd8aV5iy", "got 'Ö' at character 2"),
    (" JOB0Nvmd8aV5i", "got ' ' at character 1"),
    ("JOB0Nvmd8aV5i-", "expected a digit of 0-9A-Za-z; got '-' at character 14 in 'JOB0Nvmd8aV5i-'"),
    ("JOB0Nvmd8aV5i\n", "got '\\n' at character 14"),
    ("JOB0Nvmd8 V5iy", "got ' ' at character 10"),
    ("JOB٣Nvmd8aV5iy", "got '٣' at character 4"),
    ("JOB0Nvmd8aV5i９", "got '９' at character 14"),
    ("JOB0Nvmd8aV5i\0", "got '\\x00' at character 14"),
    ("JOB0Nvmd8aV5i\ud800", "got '\\ud800' at character 14"),
    (b"JOB0Nvmd8aV5i\xff", "got 'ÿ' at character 14"),
    ("JOBAzL8n0Y58m8", "expected digits of at most AzL8n0Y58m7, which is 2**63 - 1; got 'AzL8n0Y58m8'"),
    ("JOBzzzzzzzzzzz", "expected digits of at most AzL8n0Y58m7, which is 2**63 - 1; got 'zzzzzzzzzzz'"),
    (None, "expected an id of 14 characters, as str or bytes; got NoneType None"),
    (12345678901234, "expected an id of 14 characters, as str or bytes; got int 12345678901234"),
    (1.5, "got float 1.5"),
    pytest.param(10**5000, "got int an int of 16610 bits", id="huge"),
    (bytearray(b"JOB0Nvmd8aV5iy"), "got bytearray"),
    (["JOB0Nvmd8aV5iy"], "got list"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_is_no_id_is_refused_with_a_place(text: object, message: str) -> None:
    with pytest.raises(InvalidId) as caught:
        BrandedId(text)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, EmqError)


def test_a_refusal_of_something_huge_stays_short() -> None:
    with pytest.raises(InvalidId) as caught:
        BrandedId("x" * 1_000_000)
    assert len(str(caught.value)) < 200


@given(
    st.one_of(st.text(max_size=20), st.binary(max_size=20), st.from_regex(r"[A-Z]{3}[0-9A-Za-z]{11}", fullmatch=True))
)
def test_any_text_is_an_id_or_refused(text: str | bytes) -> None:
    try:
        made = BrandedId(text)
    except InvalidId:
        return
    chars = text if isinstance(text, str) else text.decode()
    assert made == chars
    assert of_snowflake(made.namespace, made.snowflake) == chars


@given(snowflakes, st.integers(0, 13), st.characters())
def test_one_wrong_character_is_named_with_its_place(snowflake: int, at: int, char: str) -> None:
    good = of_snowflake("JOB", snowflake)
    bad = good[:at] + char + good[at + 1 :]
    digit = at >= 3 and char in ids.ALPHABET
    if ("A" <= char <= "Z") if at < 3 else (digit and bad[3:] <= "AzL8n0Y58m7"):
        assert BrandedId(bad) == bad
        return
    with pytest.raises(InvalidId) as caught:
        BrandedId(bad)
    expected = "at most AzL8n0Y58m7" if digit else f"got {char!r} at character {at + 1} in"
    assert expected in str(caught.value)


COMPOSE_REFUSED: list[tuple[tuple[object, ...], str]] = [
    (("JOBS", EPOCH_MS), "expected a namespace of three letters A-Z; got 4 in 'JOBS'"),
    (("", EPOCH_MS), "got 0 in ''"),
    (("job", EPOCH_MS), "got 'j' at character 1 in 'job'"),
    ((None, EPOCH_MS), "expected a namespace of three letters A-Z, a str; got None"),
    (("JOB", EPOCH_MS - 1), f"expected when from {EPOCH_MS} to {LAST_MS}; got {EPOCH_MS - 1}"),
    (("JOB", LAST_MS + 1), f"expected when from {EPOCH_MS} to {LAST_MS}; got {LAST_MS + 1}"),
    (("JOB", -1), "expected when from"),
    (("JOB", 1.8e12), "expected a time as int unix milliseconds or an aware datetime; got 1800000000000.0"),
    (("JOB", True), "got True"),
    (("JOB", None), "got None"),
    (("JOB", datetime(2026, 6, 12)), "expected an aware datetime, such as one with tzinfo=UTC; got the naive"),  # noqa: DTZ001
    (("JOB", EPOCH_MS, -1), "expected node from 0 to 1023; got -1"),
    (("JOB", EPOCH_MS, 1024), "expected node from 0 to 1023; got 1024"),
    (("JOB", EPOCH_MS, 1.0), "expected node to be an int from 0 to 1023; got 1.0"),
    (("JOB", EPOCH_MS, True), "expected node to be an int from 0 to 1023; got True"),
    (("JOB", EPOCH_MS, 0, -1), "expected seq from 0 to 4095; got -1"),
    (("JOB", 10**5000), "got an int of 16610 bits"),
    (("JOB", EPOCH_MS, 0, 4096), "expected seq from 0 to 4095; got 4096"),
    (("JOB", EPOCH_MS, 0, "0"), "expected seq to be an int from 0 to 4095; got '0'"),
]


@pytest.mark.parametrize(("arguments", "message"), COMPOSE_REFUSED)
def test_compose_checks_every_field(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InvalidId) as caught:
        BrandedId.compose(*arguments)  # type: ignore[arg-type]
    assert message in str(caught.value)


# The minter


class Clock:
    """A clock that a test sets."""

    def __init__(self, *readings: int) -> None:
        self.readings = list(readings)

    def __call__(self) -> int:
        return self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]


@given(st.lists(st.integers(EPOCH_MS - 10**6, LAST_MS - 10**6), min_size=1, max_size=60), nodes)
def test_under_any_clock_ids_rise_and_run_ahead_no_further_than_said(readings: list[int], node: int) -> None:
    mint = Mint("JOB", node, Clock(*readings))
    made = [mint() for _ in readings]
    assert all(one < other for one, other in itertools.pairwise(made))
    assert all(one.node == node for one in made)
    latest = EPOCH_MS
    for one, reading in zip(made, readings, strict=True):
        latest = max(latest, reading)
        assert one.unix_ms == latest  # with fewer than 4096 ids, never ahead of the latest reading


@given(st.integers(1, 3 * 4096), st.integers(0, 10**6))
def test_a_burst_takes_one_millisecond_more_for_each_4096(burst: int, step_back: int) -> None:
    now = EPOCH_MS + 10**9
    mint = Mint("JOB", clock=Clock(now, now - step_back))
    first = mint()
    last = first
    for _ in range(burst):
        following = mint()
        assert last.encode() < following.encode()
        last = following
    assert first.unix_ms == now
    assert last.unix_ms == now + burst // 4096
    assert last.seq == burst % 4096


def test_a_minter_that_ran_ahead_returns_to_the_clock() -> None:
    now = EPOCH_MS + 10**9
    clock = Clock(now)
    mint = Mint("JOB", clock=clock)
    for _ in range(10_000):
        mint()
    clock.readings = [now + 5]
    back = mint()
    assert (back.unix_ms, back.seq) == (now + 5, 0)


def test_the_first_id_of_a_millisecond_has_sequence_0() -> None:
    mint = Mint("JOB", 7, Clock(EPOCH_MS + 5, EPOCH_MS + 5, EPOCH_MS + 6))
    assert [(one.unix_ms - EPOCH_MS, one.seq) for one in (mint(), mint(), mint())] == [(5, 0), (5, 1), (6, 0)]


def test_without_a_clock_the_system_s_is_read() -> None:
    before = datetime.now(UTC)
    made = Mint("JOB")()
    assert before - timedelta(milliseconds=1) <= made.minted_at <= datetime.now(UTC)


def test_a_clock_that_is_false_to_python_is_a_clock() -> None:
    class Recorded(list[int]):
        def __call__(self) -> int:
            return EPOCH_MS

    assert Mint("JOB", clock=Recorded())().unix_ms == EPOCH_MS


def test_threads_never_share_an_id() -> None:
    mint = Mint("JOB", clock=Clock(EPOCH_MS + 10**9))
    made = in_threads([lambda: [mint() for _ in range(2500)]] * 8)
    assert all(mine == sorted(mine) for mine in made)
    assert len({one for mine in made for one in mine}) == 20_000


def test_the_clock_is_read_inside_the_lock() -> None:
    # Two threads would otherwise read one time, and the later one could mint behind the earlier one.
    inside, most = 0, 0

    def clock() -> int:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        threading.Event().wait(0.002)
        inside -= 1
        return EPOCH_MS

    mint = Mint("JOB", clock=clock)
    in_threads([mint] * 8)
    assert most == 1


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_never_mints_its_parents_next_id() -> None:
    mint = Mint("JOB", clock=Clock(EPOCH_MS + 10**9))
    mint()
    assert in_a_fork(mint) == "ForkedMint"
    assert in_a_fork(lambda: in_a_fork(mint)) == "ForkedMint"  # nor does a grandchild
    assert mint().seq == 1  # the parent goes on


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_while_the_lock_is_held_does_not_block_the_child() -> None:
    mint = Mint("JOB", clock=Clock(EPOCH_MS))
    with mint._lock:
        assert in_a_fork(mint) == "ForkedMint"


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_s_own_minter_works() -> None:
    assert BrandedId(in_a_fork(lambda: Mint("JOB", 1, Clock(EPOCH_MS))())).node == 1


def test_the_refusal_to_mint_after_a_fork_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    mint = Mint("JOB", 7)
    monkeypatch.setattr(ids, "_forks", ids._forks + 1)
    with pytest.raises(ForkedMint, match=r"minter of JOB on node 7 was made before a fork; expected .* node number"):
        mint()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("JOBS",), "expected a namespace of three letters A-Z; got 4"),
        (("jOB",), "got 'j' at character 1"),
        (("JOB", 1024), "expected node from 0 to 1023; got 1024"),
        (("JOB", -1), "expected node from 0 to 1023; got -1"),
        (("JOB", None), "expected node to be an int from 0 to 1023; got None"),
    ],
)
def test_a_minter_of_nonsense_is_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InvalidId) as caught:
        Mint(*arguments)  # type: ignore[arg-type]
    assert message in str(caught.value)


@pytest.mark.parametrize("reading", [1.8e12, None, "now", True])
def test_a_clock_of_no_whole_numbers_is_refused(reading: object) -> None:
    mint = Mint("JOB", clock=lambda: reading)  # type: ignore[arg-type,return-value]
    with pytest.raises(InvalidId, match="clock must give whole unix milliseconds, an int; got"):
        mint()


def test_a_clock_far_beyond_all_time_is_refused() -> None:
    with pytest.raises(InvalidId, match=r"no id is left: .* the clock says an int of 16610 bits"):
        Mint("JOB", clock=lambda: 10**5000)()


def test_a_clock_that_fails_leaves_the_minter_usable() -> None:
    clock = Clock(EPOCH_MS)
    mint = Mint("JOB", clock=clock)
    first = mint()
    clock.readings = ["broken"]  # type: ignore[list-item]
    with pytest.raises(InvalidId):
        mint()
    clock.readings = [EPOCH_MS]
    assert mint().snowflake == first.snowflake + 1


def test_in_2093_time_runs_out() -> None:
    clock = Clock(LAST_MS)
    mint = Mint("JOB", clock=clock)
    for _ in range(4096):
        last = mint()
    assert (last.unix_ms, last.seq) == (LAST_MS, 4095)
    for now in (LAST_MS, LAST_MS + 1):
        clock.readings = [now]
        with pytest.raises(InvalidId, match=f"no id is left: time ends at unix ms {LAST_MS}, the clock says {now}"):
            mint()


# Windows


@given(times, times, fields)
def test_an_id_is_in_a_clock_window_exactly_if_its_time_is(one: int, other: int, field: tuple[int, int, int]) -> None:
    since, until = sorted((one, other))
    low, high = ids.clock_window("JOB", since, until)
    made = BrandedId.compose("JOB", *field)
    assert (low <= made < high) == (since <= made.unix_ms < until)
    for edge in (since - 1, since, until - 1, until):
        if EPOCH_MS <= edge <= LAST_MS:
            inside = since <= edge < until
            assert (low <= BrandedId.compose("JOB", edge) < high) == inside
            assert (low <= BrandedId.compose("JOB", edge, 1023, 4095) < high) == inside


@given(st.integers(-(10**15), 10**15), st.integers(-(10**15), 10**15), times)
def test_a_window_reaches_past_the_first_and_the_last_id(one: int, other: int, ms: int) -> None:
    since, until = sorted((one, other))
    low, high = ids.clock_window("JOB", since, until)
    assert (low <= BrandedId.compose("JOB", ms, 1023, 4095) < high) == (since <= ms < until)


@pytest.mark.parametrize(
    ("since", "until"),
    [(LAST_MS + 2, None), (datetime(9999, 1, 1, tzinfo=UTC), None), (None, EPOCH_MS - 1), (None, -1), (-2, -1)],
)
def test_a_window_outside_of_all_time_is_empty(since: int | datetime | None, until: int | None) -> None:
    low, high = ids.clock_window("JOB", since, until)
    assert low == high


def test_an_open_window_holds_the_last_id_too() -> None:
    low, high = ids.clock_window("JOB", None, None)
    assert low <= "JOB00000000000" < "JOBAzL8n0Y58m7" < high


@given(st.datetimes(datetime(2024, 1, 2), datetime(2093, 9, 5)), times)  # noqa: DTZ001
def test_a_window_between_milliseconds_is_exact(wall: datetime, ms: int) -> None:
    # An id of ms 5 is minted at 5.000, so [4.5 ms, …) holds it and [5.001 ms, …) does not.
    edge = wall.replace(tzinfo=UTC)
    made = BrandedId.compose("JOB", ms)
    near = BrandedId.compose("JOB", edge)
    for one in (made, near):
        low, high = ids.clock_window("JOB", edge, None)
        assert (low <= one < high) == (one.minted_at >= edge)
        low, high = ids.clock_window("JOB", None, edge)
        assert (low <= one < high) == (one.minted_at < edge)


@pytest.mark.parametrize(
    ("since", "until", "message"),
    [
        (EPOCH_MS + 2, EPOCH_MS + 1, f"expected since ≤ until; got since={EPOCH_MS + 2} after until={EPOCH_MS + 1}"),
        (datetime(2026, 1, 1), None, "expected an aware datetime"),  # noqa: DTZ001
        (None, datetime(2026, 1, 1), "expected an aware datetime"),  # noqa: DTZ001
        (1.5, None, "expected a time as int unix milliseconds or an aware datetime; got 1.5"),
        ("2026", None, "got '2026'"),
        (None, True, "got True"),
    ],
)
def test_a_window_of_nonsense_is_refused(since: object, until: object, message: str) -> None:
    with pytest.raises(InvalidWindow) as caught:
        ids.clock_window("JOB", since, until)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_a_window_of_no_namespace_is_refused() -> None:
    with pytest.raises(InvalidId):
        ids.clock_window("JO", None, None)


WIDTHS_MS = {9: 218.4, 8: 13.5e3, 7: 14 * 60e3, 6: 14.5 * 3600e3, 5: 37 * 86400e3}
"""Characters of a prefix, and the milliseconds that the contract says it spans."""


@pytest.mark.parametrize(("length", "width"), WIDTHS_MS.items())
def test_a_prefix_spans_what_the_contract_says(length: int, width: float) -> None:
    first, last = ids.prefix_span("JOB0Nvmd96ZlQG"[:length])
    # The first and the last millisecond may be shared with the neighbours, so the count may be one or two above.
    assert last - first + 1 == pytest.approx(width, rel=0.01, abs=2)


@given(snowflakes, st.integers(3, 14))
def test_a_prefix_covers_exactly_its_ids(snowflake: int, length: int) -> None:
    made = of_snowflake("JOB", snowflake)
    first, last = ids.prefix_span(made[:length])
    assert first <= made.unix_ms <= last
    for outside in (first - 1, last + 1):
        if EPOCH_MS <= outside <= LAST_MS:
            assert not BrandedId.compose("JOB", outside).startswith(made[:length])
            assert not BrandedId.compose("JOB", outside, 1023, 4095).startswith(made[:length])
    if length > 3:
        assert any(BrandedId.compose("JOB", first, node, seq) >= made[:length] for node, seq in [(0, 0), (1023, 4095)])


def test_the_window_of_the_demo() -> None:
    assert [one for one in DEMO if one.startswith("JOB0Nvmd9")] == ["JOB0Nvmd90tmoy", "JOB0Nvmd96ZlQG"]
    first, last = ids.prefix_span("JOB0Nvmd9")
    assert first <= BrandedId("JOB0Nvmd90tmoy").unix_ms <= BrandedId("JOB0Nvmd96ZlQG").unix_ms <= last
    assert ids.prefix_span("JOB") == (EPOCH_MS, LAST_MS)


PREFIX_REFUSED: list[tuple[object, str]] = [
    ("", "expected a prefix of 3 to 14 characters; got 0 in ''"),
    ("JO", "expected a prefix of 3 to 14 characters; got 2 in 'JO'"),
    ("JOB0Nvmd8aV5iyy", "expected a prefix of 3 to 14 characters; got 15"),
    ("job0", "expected a namespace of three letters A-Z; got 'j' at character 1 in the prefix 'job0'"),
    ("JOB0-", "expected a digit of 0-9A-Za-z; got '-' at character 5 in the prefix 'JOB0-'"),
    ("JOB0\n", "got '\\n' at character 5"),
    ("JOBB", "expected digits of at most AzL8n0Y58m7, which is 2**63 - 1; got 'B' in the prefix 'JOBB'"),
    (None, "expected a prefix, a str such as 'JOB0Nvmd9'; got None"),
    (b"JOB0", "expected a prefix, a str such as 'JOB0Nvmd9'; got b'JOB0'"),
    (7, "got 7"),
]


@pytest.mark.parametrize(("prefix", "message"), PREFIX_REFUSED)
def test_a_prefix_of_nonsense_is_refused(prefix: object, message: str) -> None:
    with pytest.raises(InvalidWindow) as caught:
        ids.prefix_span(prefix)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)


class Named(str, enum.Enum):  # noqa: UP042  # StrEnum would not do: its members print as their text, these do not
    """Text by another name, as settings and models have it: what it prints is not what it is."""

    ID = "JOB0Nvmd8aV5iy"
    KIND = "JOB"
    PREFIX = "JOB0Nvmd9"


class Misread(bytes):
    def decode(self, *_: object) -> str:  # type: ignore[override]
        return "no id"


@pytest.mark.parametrize("text", [Named.ID, Misread(b"JOB0Nvmd8aV5iy")], ids=["str", "bytes"])
def test_text_of_a_subclass_is_taken_for_its_characters(text: str | bytes) -> None:
    job_id = BrandedId(text)
    assert str(job_id) == "JOB0Nvmd8aV5iy"
    assert f"{job_id}" == "JOB0Nvmd8aV5iy"
    assert job_id.unix_ms == BrandedId("JOB0Nvmd8aV5iy").unix_ms


def test_a_namespace_of_a_subclass_is_taken_for_its_letters() -> None:
    mint = Mint(Named.KIND, clock=lambda: EPOCH_MS)
    assert (mint.namespace, mint()) == ("JOB", "JOB00000000000")
    assert type(mint.namespace) is str
    assert BrandedId.compose(Named.KIND, EPOCH_MS) == "JOB00000000000"
    assert ids.clock_window(Named.KIND, EPOCH_MS, None)[0] == "JOB00000000000"
    assert ids.prefix_span(Named.PREFIX) == ids.prefix_span("JOB0Nvmd9")


def test_a_minter_is_not_blocked_by_a_call_in_the_midst_of_its_own() -> None:
    """A signal's handler, or a finalizer, may mint while the same thread is minting."""
    inner: list[BrandedId] = []
    outer: list[BrandedId] = []
    reads: list[int] = []

    def clock() -> int:
        if len(reads) < 2:
            reads.append(1)
            inner.append(mint())
        return EPOCH_MS + 5

    mint = Mint("JOB", clock=clock)
    thread = threading.Thread(target=lambda: outer.append(mint()), daemon=True)
    thread.start()
    thread.join(5)
    assert not thread.is_alive()
    assert sorted({*inner, *outer, mint()}) == [BrandedId.compose("JOB", EPOCH_MS + 5, 0, seq) for seq in range(4)]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_a_handler_that_mints_repeats_nothing() -> None:
    mint = Mint("JOB", clock=lambda: EPOCH_MS)
    here: list[BrandedId] = []
    there: list[BrandedId] = []
    before = signal.signal(signal.SIGALRM, lambda *_: there.append(mint()))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        while len(there) < 50 and len(here) < 2_000_000:
            here.append(mint())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert there
    assert len({*here, *there}) == len(here) + len(there)
    assert here == sorted(here)


def test_a_clock_that_is_false_is_a_clock() -> None:
    class Readings(list[int]):
        def __call__(self) -> int:
            return EPOCH_MS + 7

    assert Mint("JOB", clock=Readings())().unix_ms == EPOCH_MS + 7


def test_a_minter_is_not_copied_since_the_copy_would_mint_its_next_ids_again() -> None:
    mint = Mint("JOB", 7)
    for twice in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"a Mint cannot be copied or pickled: .* make a new one"):
            twice(mint)
