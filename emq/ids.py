"""Branded ids: fourteen bytes that say what a thing is, when it was made, where, and in which order.

    J O B 0 N v m d 8 a V 5 i y
    └─┬─┘ └─────────┬─────────┘
  namespace   eleven base62 digits of one 63-bit number, the snowflake:

    │ 41 bits: milliseconds since 2024-01-01T00:00:00Z │ 10 bits: node │ 12 bits: sequence │

The order theorem. For two ids of one namespace, byte order is snowflake order is (ms, node, seq) order. It holds for
two reasons, both visible here: the alphabet ascends in ASCII, and the width is fixed, so column by column the first
byte that differs is the first digit that differs. It fails for an alphabet that starts in lower case, for digits
without padding, and across namespaces.

Source: the chapter's identity contract. Cost: everything here is O(1); reading a field decodes eleven digits.
"""

import os
import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import getitem
from time import time_ns
from typing import Final, NoReturn, Self

from emq.errors import ForkedMint, InvalidId, InvalidWindow, show

ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
BASE: Final = len(ALPHABET)
NAMESPACE_LENGTH: Final = 3
DIGITS: Final = 11
LENGTH: Final = NAMESPACE_LENGTH + DIGITS

TIME_BITS: Final = 41
NODE_BITS: Final = 10
SEQ_BITS: Final = 12
NODES: Final = 1 << NODE_BITS
SEQS: Final = 1 << SEQ_BITS
_TIME_SHIFT: Final = NODE_BITS + SEQ_BITS
MAX_SNOWFLAKE: Final = (1 << TIME_BITS + NODE_BITS + SEQ_BITS) - 1

EPOCH: Final = datetime(2024, 1, 1, tzinfo=UTC)
EPOCH_MS: Final = 1_704_067_200_000
LAST_MS: Final = EPOCH_MS + (1 << TIME_BITS) - 1
"""The last millisecond that an id can hold: 2093-09-06T15:47:35.551Z."""

_MS: Final = timedelta(milliseconds=1)
_VALUES: Final = {char: value for value, char in enumerate(ALPHABET)}
_WORTH: Final = [{char: value * BASE**column for char, value in _VALUES.items()} for column in range(DIGITS)]
_PAIRS: Final = [high + low for high in ALPHABET for low in ALPHABET]
_PAIR: Final = BASE**2
_HEADS: Final = BASE ** (DIGITS - 2)


def encode(number: int) -> str:
    """The eleven base62 digits of `number`, 0 ≤ number < 62**11, most significant first, padded with ``0``.

    Raises `InvalidId` outside of these. Two digits at a time, which halves the divisions of the plain loop; and the
    first nine, which the ids of one moment share, are remembered.
    """
    try:
        return f"{_head(number // _PAIR)}{_PAIRS[number % _PAIR]}"
    except OverflowError:
        raise InvalidId(f"expected a number from 0 to 62**{DIGITS} - 1; got {show(number)}") from None


@lru_cache(maxsize=64)
def _head(number: int) -> str:
    if not 0 <= number < _HEADS:
        raise OverflowError
    number, d = divmod(number, _PAIR)
    number, c = divmod(number, _PAIR)
    number, b = divmod(number, _PAIR)
    number, a = divmod(number, _PAIR)
    return f"{ALPHABET[number]}{_PAIRS[a]}{_PAIRS[b]}{_PAIRS[c]}{_PAIRS[d]}"


def decode(digits: str) -> int:
    """The number that base62 `digits` spell, at most eleven: the sum of what each is worth in its column.

    Raises `InvalidId` for more digits, or another character.
    """
    if len(digits) > DIGITS:
        raise InvalidId(f"expected at most {DIGITS} digits; got {len(digits)} in {show(digits)}")
    try:
        return sum(map(getitem, _WORTH, reversed(digits)))
    except KeyError as fault:
        raise InvalidId(f"expected digits of 0-9A-Za-z; got {fault.args[0]!r} in {show(digits)}") from None


_MAX_DIGITS: Final = encode(MAX_SNOWFLAKE)
_well_formed = re.compile(f"[A-Z]{{{NAMESPACE_LENGTH}}}[0-9A-Za-z]{{{DIGITS}}}").fullmatch


class BrandedId(str):
    """A valid id. It *is* its fourteen characters, so it sorts, hashes, and goes to the wire and into JSON as they do.

    ``BrandedId("JOB0Nvmd8aV5iy")`` or ``BrandedId(b"JOB0Nvmd8aV5iy")``. Anything else raises `InvalidId`, whose message
    says what is wrong and where.
    """

    __slots__ = ()

    def __new__(cls, text: str | bytes) -> Self:
        if type(text) is cls:
            return text
        plain = text if type(text) is str else _plain(text)
        if plain is not None and _well_formed(plain) and plain[NAMESPACE_LENGTH:] <= _MAX_DIGITS:
            return str.__new__(cls, plain)
        raise InvalidId(_fault(text if plain is None else plain))

    @classmethod
    def compose(cls, namespace: str, when: int | datetime, node: int = 0, seq: int = 0) -> Self:
        """The id of `namespace` at `when` on `node` with sequence number `seq`.

        `when` is unix milliseconds (1704067200000 to `LAST_MS`) or an aware datetime, whose part
        below the millisecond is dropped. `node` is 0 to 1023, `seq` 0 to 4095. Raises `InvalidId` outside of these.
        """
        namespace = check_namespace(namespace)
        ms = _in_range("when", _unix_ms(when, InvalidId), EPOCH_MS, LAST_MS)
        node = _in_range("node", node, 0, NODES - 1)
        seq = _in_range("seq", seq, 0, SEQS - 1)
        return str.__new__(cls, namespace + encode(_snowflake(ms, node, seq)))

    def __repr__(self) -> str:
        return f"BrandedId({str.__repr__(self)})"

    @property
    def namespace(self) -> str:
        """The three letters that name the kind."""
        return self[:NAMESPACE_LENGTH]

    @property
    def snowflake(self) -> int:
        """The 63-bit number under the digits."""
        return decode(self[NAMESPACE_LENGTH:])

    @property
    def unix_ms(self) -> int:
        """Mint time in milliseconds since 1970-01-01T00:00:00Z."""
        return (decode(self[NAMESPACE_LENGTH:]) >> _TIME_SHIFT) + EPOCH_MS

    @property
    def node(self) -> int:
        """The minter's node number, 0 to 1023."""
        return self.snowflake >> SEQ_BITS & NODES - 1

    @property
    def seq(self) -> int:
        """The sequence number within the millisecond, 0 to 4095."""
        return self.snowflake & SEQS - 1

    @property
    def minted_at(self) -> datetime:
        """Mint time as an aware UTC datetime, exact to the millisecond."""
        return EPOCH + (self.unix_ms - EPOCH_MS) * _MS


class Mint:
    """Mints ids of one namespace on one node: strictly increasing, never one twice, from any number of threads.

    ``Mint("JOB", node=7)()`` is the next id. `clock` gives unix milliseconds and is read inside the lock. The minter
    never waits: past 4096 ids in a millisecond, or when the clock steps back, it goes on from its last id. So it runs
    ahead of the clock by the step back plus one millisecond per 4096 ids, and no further.

    Two minters that share a node number can mint the same id; give each process and each machine a node of its own.
    After a fork the child's call raises `ForkedMint`: nothing else keeps it off its parent's next id. For the same
    reason a minter is not copied or pickled: that raises TypeError.
    """

    def __init__(self, namespace: str, node: int = 0, clock: Callable[[], int] | None = None) -> None:
        self.namespace = check_namespace(namespace)
        self.node = _in_range("node", node, 0, NODES - 1)
        self._clock = _system_clock if clock is None else clock
        self._lock = threading.RLock()  # a signal's handler may mint in the midst of this thread's own call
        # The last id's millisecond and sequence number, and the snowflake of that millisecond's first id. One more than
        # what stands here is the first id of all.
        self._ms, self._seq, self._moment = EPOCH_MS - 1, SEQS - 1, 0
        self._forks = _forks

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Mint cannot be copied or pickled: the copy would mint the original's next ids again; "
            "make a new one, with a node number of its own"
        )

    def __call__(self) -> BrandedId:
        """The next id. Raises `InvalidId` when the clock gives no whole number, or in 2093, when time runs out."""
        if self._forks != _forks:  # before the lock, which the parent may have held while it forked
            raise ForkedMint(
                f"this minter of {self.namespace} on node {self.node} was made before a fork; "
                "expected a minter made in this process, with a node number of its own"
            )
        with self._lock:
            now = self._clock()
            if type(now) is not int:
                raise InvalidId(f"the clock must give whole unix milliseconds, an int; got {show(now)}")
            # From here to the snowflake nothing is called, and so nothing that mints too can come between.
            ms, seq = self._ms, self._seq + 1
            if now > ms or seq == SEQS:
                ms, seq = now if now > ms else ms + 1, 0  # max would be a call
                if ms > LAST_MS:
                    raise InvalidId(f"no id is left: time ends at unix ms {LAST_MS}, the clock says {show(now)}")
                self._ms, self._moment = ms, (ms - EPOCH_MS) << _TIME_SHIFT | self.node << SEQ_BITS
            self._seq = seq
            snowflake = self._moment + seq
        return str.__new__(BrandedId, f"{self.namespace}{encode(snowflake)}")


def clock_window(namespace: str, since: int | datetime | None, until: int | datetime | None) -> tuple[str, str]:
    """The lex bounds (low, high) of the ids of `namespace` that were minted in the half-open window [since, until).

    An id is in the window exactly if ``low <= id < high``. Times are unix milliseconds or aware datetimes; None leaves
    that side open, and a time before the first or after the last id means the same. `low` is the least id of `since`;
    `high` is the least of `until` (past the last millisecond it is no id, only a bound). Raises `InvalidWindow` when
    `since` is after `until` or one of them is no time, and `InvalidId` when `namespace` is none.
    """
    namespace = check_namespace(namespace)
    first = EPOCH_MS if since is None else _unix_ms(since, InvalidWindow, round_up=True)
    end = LAST_MS + 1 if until is None else _unix_ms(until, InvalidWindow, round_up=True)
    if first > end and since is not None and until is not None:  # one of them alone may lie outside of all time
        raise InvalidWindow(f"expected since ≤ until; got since={show(since)} after until={show(until)}")
    low, high = (namespace + encode(_snowflake(min(max(ms, EPOCH_MS), LAST_MS + 1), 0, 0)) for ms in (first, end))
    return low, high


def prefix_span(prefix: str) -> tuple[int, int]:
    """The first and the last unix millisecond that ids starting with `prefix` can hold; both are inside.

    The width is a power of 62: each digit that is left off makes the window 62 times as wide, and its edges fall where
    the digits fall, not on round clock times. For those, use `clock_window`. Raises `InvalidWindow` for what no id can
    start with.
    """
    digits = check_prefix(prefix)[NAMESPACE_LENGTH:]
    low = decode(digits.ljust(DIGITS, ALPHABET[0]))
    high = min(decode(digits.ljust(DIGITS, ALPHABET[-1])), MAX_SNOWFLAKE)
    return (low >> _TIME_SHIFT) + EPOCH_MS, (high >> _TIME_SHIFT) + EPOCH_MS


def check_namespace(namespace: str) -> str:
    """`namespace` as a plain str; raises `InvalidId` unless it is three upper-case ASCII letters."""
    if not isinstance(namespace, str):
        raise InvalidId(f"expected a namespace of three letters A-Z, a str; got {show(namespace)}")
    namespace = str.__str__(namespace)
    if len(namespace) != NAMESPACE_LENGTH:
        raise InvalidId(f"expected a namespace of three letters A-Z; got {len(namespace)} in {show(namespace)}")
    if fault := _namespace_fault(namespace):
        raise InvalidId(f"{fault} in {show(namespace)}")
    return namespace


def check_prefix(prefix: str) -> str:
    """`prefix` as a plain str; raises `InvalidWindow` unless ids can start with it: a namespace, then some digits."""
    if not isinstance(prefix, str):
        raise InvalidWindow(f"expected a prefix, a str such as 'JOB0Nvmd9'; got {show(prefix)}")
    prefix = str.__str__(prefix)
    if not NAMESPACE_LENGTH <= len(prefix) <= LENGTH:
        raise InvalidWindow(
            f"expected a prefix of {NAMESPACE_LENGTH} to {LENGTH} characters; got {len(prefix)} in {show(prefix)}"
        )
    if fault := _namespace_fault(prefix) or _digits_fault(prefix):
        raise InvalidWindow(f"{fault} in the prefix {show(prefix)}")
    return prefix


def _plain(text: object) -> str | None:
    """The characters of `text`, whatever a subclass makes of them: an Enum's member prints as its name, for one."""
    if isinstance(text, str):
        return str.__str__(text)
    return bytes.decode(text, "ascii") if isinstance(text, bytes) and bytes.isascii(text) else None


def _fault(text: object) -> str:
    """What keeps `text` from being an id."""
    if not isinstance(text, str | bytes):
        return f"expected an id of {LENGTH} characters, as str or bytes; got {type(text).__name__} {show(text)}"
    chars = str.__str__(text) if isinstance(text, str) else bytes.decode(text, "latin-1")
    if len(chars) != LENGTH:
        return f"expected {LENGTH} characters; got {len(chars)} in {show(text)}"
    return f"{_namespace_fault(chars) or _digits_fault(chars)} in {show(text)}"


def _namespace_fault(chars: str) -> str | None:
    for position, char in enumerate(chars[:NAMESPACE_LENGTH], start=1):
        if not "A" <= char <= "Z":
            return f"expected a namespace of three letters A-Z; got {char!r} at character {position}"
    return None


def _digits_fault(chars: str) -> str | None:
    for position, char in enumerate(chars[NAMESPACE_LENGTH:], start=NAMESPACE_LENGTH + 1):
        if char not in _VALUES:
            return f"expected a digit of 0-9A-Za-z; got {char!r} at character {position}"
    if chars[NAMESPACE_LENGTH:].ljust(DIGITS, ALPHABET[0]) > _MAX_DIGITS:
        return f"expected digits of at most {_MAX_DIGITS}, which is 2**63 - 1; got {chars[NAMESPACE_LENGTH:]!r}"
    return None


def _snowflake(ms: int, node: int, seq: int) -> int:
    return (ms - EPOCH_MS) << _TIME_SHIFT | node << SEQ_BITS | seq


def _in_range(name: str, value: int, first: int, last: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidId(f"expected {name} to be an int from {first} to {last}; got {show(value)}")
    if not first <= value <= last:
        raise InvalidId(f"expected {name} from {first} to {last}; got {show(value)}")
    return value


def _unix_ms(when: int | datetime, error: type[ValueError], *, round_up: bool = False) -> int:
    """`when` in unix milliseconds, by integer arithmetic; a datetime between two of them goes down, or up."""
    if isinstance(when, datetime):
        if when.utcoffset() is None:
            raise error(f"expected an aware datetime, such as one with tzinfo=UTC; got the naive {when!r}")
        since_epoch = when - EPOCH
        return EPOCH_MS + (-(-since_epoch // _MS) if round_up else since_epoch // _MS)
    if isinstance(when, bool) or not isinstance(when, int):
        raise error(f"expected a time as int unix milliseconds or an aware datetime; got {show(when)}")
    return when


def _system_clock() -> int:
    return time_ns() // 1_000_000


_forks = 0


def _count_fork() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):  # the browser has no processes to fork
    os.register_at_fork(after_in_child=_count_fork)
