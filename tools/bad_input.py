"""Hostile input by the million: each must be taken rightly or refused with one of the package's own errors.

``python -m tools.bad_input [--count N] [--seed S]`` prints a table, one row for each kind of input: how many were
tried, refused, taken rightly, taken wrongly (must be 0), refused wrongly (0), and how many crashed otherwise (0). What
is right is said here a second time, from the contract and by other means than the package's. Exit status 1 unless
every row is clean.
"""

import argparse
import json
import math
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import emq
from emq import BrandedId, Jobs, cargo
from emq.errors import EmqError, show
from emq.ids import clock_window, prefix_span
from emq.jobs import range_command
from emq.keys import Keys

ALPHABET = "".join(map(chr, [*range(48, 58), *range(65, 91), *range(97, 123)]))
UPPER = ALPHABET[10:36]
SECRET = "hunter2"
FIRST_MS, LAST_MS = 1_704_067_200_000, 3_903_090_455_551
STRANGE = [*"\0\n\r\t {}[]\":,'<>*-_./\\@#?%&", "é", "ß", "٣", "９", "\u00a0", "\ufeff", "\u202e", "\ud800", "𝟙", "Ａ"]
SEEDS = ["JOB0Nvmd8aV5iy", "ORD0Nt6z93U3dY", "JOB00000000000", "JOBAzL8n0Y58m7", "JOBAzL8n0Y58m8", "ZZZzzzzzzzzzzz"]
NO_TEXT = [
    None,
    True,
    0,
    -1,
    7,
    1.5,
    float("nan"),
    10**30,
    10**5000,
    [],
    {},
    (),
    object(),
    bytearray(b"JOB0Nvmd8aV5iy"),
    BrandedId,
]

Random = random.Random


@dataclass
class Kind:
    """One row: what is fed, to what, and what of it is right to take."""

    name: str
    make: Callable[[Random], Any]
    take: Callable[[Any], object]
    right: Callable[[Any], bool]
    share: float = 0.01
    tried: int = 0
    refused: int = 0
    taken: int = 0
    wrong: dict[str, list[str]] = field(
        default_factory=lambda: {"taken wrongly": [], "refused wrongly": [], "crashed": []}
    )

    def feed(self, rng: Random, count: int) -> None:
        for _ in range(count):
            self.tried += 1
            value = self.make(rng)
            try:
                right = self.right(value)
                self.take(value)
            except EmqError as error:
                self.refused += 1
                if right:
                    self.wrong["refused wrongly"].append(f"{show(value)}: {error}")
                message = str(error)
                if SECRET in message or "\n" in message or len(message) > 700:
                    self.wrong["crashed"].append(f"{show(value)}: told {message!r}")
            except Exception as error:  # noqa: BLE001
                self.wrong["crashed"].append(f"{show(value)}: {type(error).__name__}: {error}")
            else:
                self.taken += right
                if not right:
                    self.wrong["taken wrongly"].append(show(value))

    @property
    def clean(self) -> bool:
        return not any(self.wrong.values())

    def row(self) -> list[str]:
        faults = [f"{len(found):,}" for found in self.wrong.values()]
        return [self.name, *(f"{number:,}" for number in (self.tried, self.refused, self.taken)), *faults]


# What is right, said again


def is_id(value: object) -> bool:
    if not isinstance(value, str | bytes):
        return False
    chars = value if isinstance(value, str) else value.decode("latin-1")
    if len(chars) != 14 or any(char not in UPPER for char in chars[:3]) or any(char not in ALPHABET for char in chars):
        return False
    number = 0
    for power, char in enumerate(reversed(chars[3:])):
        number += ALPHABET.index(char) * 62**power
    return number < 2**63


def is_prefix(value: object) -> bool:
    return isinstance(value, str) and 3 <= len(value) <= 14 and is_id(value + "0" * (14 - len(value)))


def is_queue(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) < 129 and all(char in ALPHABET + "_.-" for char in value)


def has_utf8(value: str) -> bool:
    return not any(0xD800 <= ord(char) <= 0xDFFF for char in value)


def is_payload(value: object) -> bool:
    return isinstance(value, bytes) or (isinstance(value, str) and has_utf8(value))


def is_whole(value: object, end: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end


def moment(value: object) -> int | None:
    """Microseconds since 1970; None for what is no time."""
    if isinstance(value, datetime):
        return (value - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) if value.tzinfo else None
    return value * 1000 if isinstance(value, int) and not isinstance(value, bool) else None


def is_window(value: tuple[object, object]) -> bool:
    ends = [moment(end) for end in value if end is not None]
    return None not in ends and (len(ends) < 2 or ends[0] <= ends[1])  # type: ignore[operator]


def is_composition(value: tuple[object, object, object, object]) -> bool:
    namespace, when, node, seq = value
    at = moment(when)
    return (
        isinstance(namespace, str)
        and len(namespace) == 3
        and all(char in UPPER for char in namespace)
        and at is not None
        and FIRST_MS * 1000 <= at < (LAST_MS + 1) * 1000
        and is_whole(node, 1024)
        and is_whole(seq, 4096)
    )


def is_scalar(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < 10**4300
    return value is None or (isinstance(value, str) and has_utf8(value))


def is_cargo(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(name, str)
        and has_utf8(name)
        and (is_scalar(one) or (isinstance(one, list | tuple) and all(map(is_scalar, one))))
        for name, one in value.items()
    )


def is_packed(value: object) -> bool:
    if not isinstance(value, str | bytes):
        return False
    try:
        text = value if isinstance(value, str) else value.decode()
        read = json.loads(text, object_pairs_hook=list)
        names = [name for name, _ in read] if text.strip(" \t\r\n")[:1] == "{" else [0, 0]
        return len(set(names)) == len(names) and is_cargo(json.loads(text))
    except (ValueError, RecursionError):
        return False


# What is fed


def mangled(rng: Random, text: str) -> Any:
    """`text` with up to three changes; one time in four as bytes, one in forty something else altogether."""
    if rng.random() < 0.025:
        return rng.choice(NO_TEXT)
    chars = list(text)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        at = rng.randrange(len(chars) + 1)
        change = rng.randrange(5)
        char = rng.choice(STRANGE) if rng.random() < 0.5 else rng.choice(ALPHABET)
        if change == 0:
            chars.insert(at, char)
        elif change == 1 and chars:
            chars.pop(at % len(chars))
        elif change == 2 and chars:
            chars[at % len(chars)] = chars[at % len(chars)].swapcase()
        elif chars:
            chars[at % len(chars)] = char
    made = "".join(chars)
    if rng.random() < 0.25:
        return made.encode("utf-8", "surrogatepass") if rng.random() < 0.8 else rng.randbytes(len(made))
    return made


def some_id(rng: Random) -> Any:
    if rng.random() < 0.2:
        return mangled(rng, rng.choice(SEEDS))
    return mangled(rng, "".join([*rng.choices(UPPER, k=3), rng.choice("0123456789AB"), *rng.choices(ALPHABET, k=10)]))


def some_text(rng: Random) -> Any:
    return mangled(rng, "".join(rng.choices([*ALPHABET, *"_.-"], k=rng.choice([0, 1, 5, 20, 127, 128, 129]))))


def some_prefix(rng: Random) -> Any:
    return mangled(rng, rng.choice(SEEDS)[: rng.randrange(16)])


def some_number(rng: Random) -> Any:
    edges = [0, 1, 1023, 1024, 4095, 4096, FIRST_MS, LAST_MS, 2**31, 2**63, 10**40]
    if rng.random() < 0.3:
        return rng.choice([*NO_TEXT, "5", b"5", float("inf"), -0.0])
    return rng.choice([1, 1, 1, -1]) * (rng.choice(edges) + rng.randrange(-2, 3))


def some_time(rng: Random) -> Any:
    match rng.randrange(5):
        case 0:
            return None
        case 1:
            return datetime(rng.randrange(1, 9999), 6, 1, rng.randrange(24), tzinfo=rng.choice([UTC, None]))
        case 2:
            return some_number(rng)
    return FIRST_MS + rng.randrange(-(10**9), 3 * 10**12)


def some_fields(rng: Random) -> Any:
    small = [rng.randrange(top) if rng.random() < 0.8 else some_number(rng) for top in (1024, 4096)]
    return mangled(rng, "JOB") if rng.random() < 0.3 else "JOB", some_time(rng), *small


def some_url(rng: Random) -> Any:
    """Never one that a server could stand behind: the port is none, or the one that nobody may have."""
    scheme = rng.choice(
        ["redis", "rediss", "valkey", "valkeys", "unix", "http", "REDIS", "", "redis ", "embedded", "re\ndis"]
    )
    user = rng.choice(
        [
            "",
            f":{SECRET}@",
            f"u:{SECRET}@",
            f":{SECRET}/@",
            f":{SECRET}#@",
            f":{SECRET}?@",
            f":{SECRET}@@",
            f"[{SECRET}@",
        ]
    )
    host = rng.choice(["127.0.0.1", "[::1]", "", "[::1", "]", "127.0.0.1 "])
    port = rng.choice([":1", ":0", ":-1", ":65536", ":x", ":99999999999999999999", ":１", f":{SECRET}", ":1:1"])
    path = rng.choice(["", "/", "/0", "/3", "/x", f"/{SECRET}", "/-1", "/1/2", "/٣", "/" + "9" * 5000, "/\0"])
    query = rng.choice(
        ["", "?", "?db=x", f"?password={SECRET}", "?frob=1", "?socket_timeout=x", "?decode_responses=True", "?host="]
    )
    if rng.random() < 0.03:
        return rng.choice(NO_TEXT)
    colon, fragment = rng.choice(["://", "://", "://", ":", ""]), rng.choice(["", "", f"#{SECRET}"])
    return f"{scheme}{colon}{user}{host}{port}{path}{query}{fragment}"


def some_scalar(rng: Random) -> Any:
    return rng.choice(
        [
            None,
            True,
            1,
            -(10**20),
            10**5000,
            0.5,
            "",
            "x",
            "ORD0Nt6z93U3dY",
            some_text(rng),
            float("nan"),
            float("inf"),
            b"x",
        ]
    )


def some_value(rng: Random) -> Any:
    match rng.randrange(12):
        case 0:
            return {"a": some_scalar(rng)}
        case 1:
            return [some_value(rng) for _ in range(rng.randrange(3))]
        case 2:
            return rng.choice(NO_TEXT)
        case 3 | 4:
            return [some_scalar(rng) for _ in range(rng.randrange(3))]
    return rng.choice([None, True, 7, 0.5, "text", "ORD0Nt6z93U3dY"])


def some_mapping(rng: Random) -> Any:
    if rng.random() < 0.05:
        return rng.choice([*NO_TEXT[:-2], "x"])
    return {
        rng.choice(["a", "b", "c", "", "é", 1, None, "\ud800", b"x"] if rng.random() < 0.1 else "abc"): some_value(rng)
        for _ in range(rng.randrange(3))
    }


PACKED = [
    '{"order_id":"ORD0Nt6z93U3dY","qty":2}',
    '{"a":[1,2.5,"x",null,true],"b":"\\u00e9\\ud83d\\ude00"}',
    '{"a":{"b":1}}',
    '{"a":[{}]}',
    '{"a":1,"a":2}',
    '{"a":NaN,"b":-Infinity,"c":1e999}',
    "[]",
    "{}",
    "null",
    '"x"',
    '{"a":"\\ud800"}',
    "[" * 3000,
    '{"n":' + "9" * 5000 + "}",
]


def some_packed(rng: Random) -> Any:
    return mangled(rng, rng.choice(PACKED[:-2] if rng.random() < 0.999 else PACKED))


def kinds() -> list[Kind]:
    client = emq.connect("embedded://")
    jobs = Jobs(client, "bad-input")

    def enqueue(payload: Any) -> None:
        jobs.enqueue(BrandedId("JOB0Nvmd8aV5iy"), payload)

    def round_trip(value: Any) -> None:
        assert emq.cargo.unpack(cargo.pack(value)) == {
            k: list(v) if isinstance(v, tuple) else v for k, v in value.items()
        }

    def parsed(value: Any) -> None:
        made = BrandedId(value)
        text = value.decode() if isinstance(value, bytes) else value
        assert made == text
        assert BrandedId.compose(made.namespace, made.unix_ms, made.node, made.seq) == text

    return [
        Kind("ids", some_id, parsed, is_id, share=0.5),
        Kind("cargo, read", some_packed, cargo.unpack, is_packed, share=0.5),
        Kind("cargo, packed", some_mapping, round_trip, is_cargo, share=0.05),
        Kind("id fields", some_fields, lambda value: BrandedId.compose(*value), is_composition, share=0.05),
        Kind("queue names", some_text, Keys, is_queue, share=0.05),
        Kind("prefixes", some_prefix, prefix_span, is_prefix, share=0.05),
        Kind(
            "clock windows",
            lambda rng: (some_time(rng), some_time(rng)),
            lambda value: clock_window("JOB", *value),
            is_window,
            share=0.05,
        ),
        Kind(
            "counts",
            some_number,
            lambda value: range_command("k", value),
            lambda value: is_whole(value, 2**63),
            share=0.05,
        ),
        Kind("payloads", some_text, enqueue, is_payload, share=0.002),
        Kind("URLs", some_url, emq.connect, lambda value: value is None, share=0.002),
    ]


def table(rows: list[list[str]]) -> str:
    """The rows, the first of them the head, with figures to the right and words to the left."""
    columns = []
    for column in zip(*rows, strict=True):
        width = max(map(len, column))
        figures = all(cell.replace(",", "").replace(".", "").isdigit() for cell in column[1:])
        columns.append([cell.rjust(width) if figures else cell.ljust(width) for cell in column])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))


def run(count: int, seed: int) -> list[Kind]:
    """Feeds `count` inputs to the id parser and the cargo reader together, and a share of that to each other kind."""
    rng = Random(seed)
    fed = kinds()
    for kind in fed:
        kind.feed(rng, max(1, round(count * kind.share)))
    return fed


HEAD = ["bad input", "tried", "refused", "taken rightly", "taken wrongly", "refused wrongly", "crashed otherwise"]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bad_input", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1_000_000, help="inputs to the id parser and the cargo reader")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32), help="to see a run again")
    arguments = parser.parse_args(argv)
    fed = run(arguments.count, arguments.seed)
    print(table([HEAD, *(kind.row() for kind in fed)]))
    for kind in fed:
        for fault, found in kind.wrong.items():
            for example in found[:3]:
                print(f"{kind.name}, {fault}: {example[:500]}")
    print(f"seed {arguments.seed}")
    return 0 if all(kind.clean for kind in fed) else 1


if __name__ == "__main__":
    sys.exit(main())
