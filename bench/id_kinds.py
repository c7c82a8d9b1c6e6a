"""The sides of the id bench: mint, parse, read the time, sort, each in the library's own documented call."""

import itertools
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from bench.measure import Side
from emq import BrandedId, Mint


@dataclass(frozen=True)
class IdKind:
    """One side. `mint` gives the text that goes to the wire, `parse` checks it and gives the library's object."""

    name: str
    package: str
    mint: Callable[[], str]
    parse: Callable[[str], Any]
    time: Callable[[Any], object] | None
    compiled: bool = False
    note: str = ""


def id_kinds() -> list[IdKind]:
    import ksuid
    import snowflake
    import typeid
    import ulid
    import uuid_utils

    flakes = snowflake.SnowflakeGenerator(1)

    def flake() -> str:
        while (number := next(flakes)) is None:  # that library's answer when a millisecond is used up
            pass
        return str(number)

    return [
        IdKind("emq", "emq", Mint("JOB"), BrandedId, attrgetter("unix_ms"), note="under a lock, strictly increasing"),
        IdKind("str(uuid4())", "python", lambda: str(uuid.uuid4()), uuid.UUID, None, note="holds no time, no order"),
        IdKind(
            "uuid-utils uuid7",
            "uuid_utils",
            lambda: str(uuid_utils.uuid7()),
            uuid_utils.UUID,
            attrgetter("timestamp"),
            compiled=True,
            note="Rust",
        ),
        IdKind(
            "typeid-python",
            "typeid-python",
            lambda: str(typeid.TypeID("job")),
            typeid.TypeID.from_string,
            attrgetter("created_at"),
            compiled=True,
            note="Python over Rust",
        ),
        IdKind("python-ulid", "python-ulid", lambda: str(ulid.ULID()), ulid.ULID.from_str, attrgetter("milliseconds")),
        IdKind(
            "snowflake-id",
            "snowflake-id",
            flake,
            lambda text: snowflake.Snowflake.parse(int(text)),
            attrgetter("milliseconds"),
            note="a bare number: no lock, no kind, no fixed width; gives None past 4096 in a millisecond",
        ),
        IdKind(
            "svix-ksuid",
            "svix-ksuid",
            lambda: str(ksuid.KsuidMs()),
            ksuid.KsuidMs.from_base62,
            attrgetter("timestamp"),
            note="4 ms steps",
        ),
    ]


def minting(kind: IdKind) -> Side:
    def side(times: int) -> None:
        mint = kind.mint
        for _ in itertools.repeat(None, times):
            mint()

    return side


def parsing(kind: IdKind, texts: list[str]) -> Side:
    def side(times: int) -> None:
        parse = kind.parse
        for text in texts[:times]:
            parse(text)

    return side


def reading(kind: IdKind, texts: list[str]) -> Side:
    """The time out of the text as it came off the wire: parsed, checked, read."""
    assert kind.time is not None

    def side(times: int) -> None:
        parse, read = kind.parse, kind.time
        for text in texts[:times]:
            read(parse(text))

    return side


def reading_again(kind: IdKind, texts: list[str]) -> Side:
    """The time out of what is parsed already."""
    assert kind.time is not None
    parsed = [kind.parse(text) for text in texts]

    def side(times: int) -> None:
        read = kind.time
        for each in parsed[:times]:
            read(each)

    return side


def sorting(kind: IdKind, texts: list[str]) -> Side:
    """What is parsed, shuffled the same way each time."""
    parsed = [kind.parse(text) for text in texts]
    shuffled = [parsed[at * 7919 % len(parsed)] for at in range(len(parsed))]
    key = int if kind.name == "snowflake-id" else None  # its object has no order
    return lambda _: sorted(shuffled, key=key)


def spread(kind: IdKind, count: int) -> list[str]:
    """`count` ids to read. Those of emq lie 3 ms apart: ids of one moment would flatter what it remembers."""
    if kind.name != "emq":
        return [kind.mint() for _ in range(count)]
    ticks = itertools.count(1_796_000_000_000, 3)
    mint = Mint("JOB", clock=lambda: next(ticks))
    return [str(mint()) for _ in range(count)]
