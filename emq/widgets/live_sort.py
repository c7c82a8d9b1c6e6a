"""The live sort: branded ids put in order byte by byte, as the engine does it, one comparison a step."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from random import Random
from typing import Final

from redis import Redis
from redis.cluster import RedisCluster

from emq.engine import connect, raw
from emq.errors import InvalidId
from emq.ids import BrandedId
from emq.keys import Keys
from emq.widgets.ask import Act, Ask, Says
from emq.widgets.decoder import NAMESPACE
from emq.widgets.markup import Row, byte, byte_table, code, esc, tag
from emq.widgets.stage import Choice, Frame, Lesson, Stage, needs_kernel

DEMO: Final = tuple(
    map(
        BrandedId,
        ("JOB0Nvmd8aV5iy", "JOB0Nvmd8gSfSK", "JOB0Nvmd8mzRRo", "JOB0Nvmd8tnoZM", "JOB0Nvmd90tmoy", "JOB0Nvmd96ZlQG"),
    )
)
"""The six demonstration ids, in mint order: the static record of the page that this dive is made from."""

SCRAMBLED: Final = (DEMO[2], DEMO[5], DEMO[0], DEMO[4], DEMO[1], DEMO[3])
MOST: Final = 8

EQUAL, MIXED = "every score 0", "a score mixed in"


@dataclass(frozen=True)
class Member:
    """A member of the set: its bytes, and the score that the engine looks at first."""

    id: BrandedId
    score: int = 0


@dataclass(frozen=True)
class Comparison:
    """A step of the sort: the members as they stand, the upper of the two that are compared, and whether they swap."""

    members: tuple[Member, ...]
    upper: int
    swap: bool


def comparisons(members: Sequence[Member]) -> Iterator[Comparison]:
    """An insertion sort by (score, bytes), a comparison of two neighbours at a time. At most n(n-1)/2 of them."""
    order = list(members)
    for start in range(1, len(order)):
        for upper in range(start - 1, -1, -1):
            pair = order[upper : upper + 2]
            swap = (pair[0].score, pair[0].id) > (pair[1].score, pair[1].id)
            yield Comparison(tuple(order), upper, swap)
            if not swap:
                break
            order[upper : upper + 2] = reversed(pair)


def first_difference(a: str | bytes, b: str | bytes) -> int:
    """The first column, counted from 1, in which `a` and `b` differ; 0 for none."""
    return next((at for at, (x, y) in enumerate(zip_longest(a, b), start=1) if x != y), 0)


def live_sort_frames(
    ids: Sequence[BrandedId],
    *,
    record: Sequence[BrandedId] = (),
    replies: Mapping[str, Sequence[BrandedId]] | None = None,
) -> list[Frame]:
    """Two scenes over the same `ids`, every score 0 and one score mixed in; a frame a comparison, and one for the end.

    The end compares the order with mint order as the ids themselves tell it, with `record` if there is one, and with
    `replies`, an engine's answer for each scene. Raises InvalidId for fewer than 2 or more than 8 ids, or one twice.
    """
    if not 2 <= len(ids) <= MOST:
        raise InvalidId(f"expected 2 to {MOST} ids to sort; got {len(ids)}")
    if twice := [one for one in ids if ids.count(one) > 1]:
        raise InvalidId(f"expected each id once; got {twice[0]!r} twice")
    oldest = min(ids)
    scenes = {EQUAL: [Member(one) for one in ids], MIXED: [Member(one, int(one == oldest)) for one in ids]}
    starts: dict[str, int] = {}
    frames: list[tuple[str, str, str]] = []
    for scene, members in scenes.items():
        starts[scene] = len(frames)
        frames += [
            (scene, picture, caption) for picture, caption in _scene(members, record, (replies or {}).get(scene))
        ]
    choices = (Choice("Every score 0", starts[EQUAL]), Choice("Mix a score in", starts[MIXED]))
    return [Frame(picture, caption, choices, scene) for scene, picture, caption in frames]


def _scene(
    members: Sequence[Member], record: Sequence[BrandedId], reply: Sequence[BrandedId] | None
) -> Iterator[tuple[str, str]]:
    yield _table(members), _opening(members)
    for step in comparisons(members):
        yield _compared(step), _verdict(step)
    done = sorted(members, key=lambda member: (member.score, member.id))
    minted = sorted(members, key=lambda member: (member.id.snowflake, member.id.namespace))
    marks: dict[str, str] = {member.id: str(rank) for rank, member in enumerate(minted, start=1)}
    yield _table(done, marks=marks), _end(done, minted, record, reply)


def _table(members: Sequence[Member], *, marks: Mapping[str, str] | None = None) -> str:
    rows = [
        Row(member.id, NAMESPACE, (marks or {}).get(member.id, ""), str(member.score), key=member.id)
        for member in members
    ]
    return byte_table(rows, label="The members, one a row, one byte a column, and their scores", note="score")


def _compared(step: Comparison) -> str:
    upper, lower = step.members[step.upper], step.members[step.upper + 1]
    column = first_difference(upper.id, lower.id) if upper.score == lower.score else 0
    rows = []
    for at, member in enumerate(step.members):
        mark = {step.upper: "↑", step.upper + 1: "↓"}.get(at, "")
        kinds = NAMESPACE
        if mark and column:
            kinds = dict.fromkeys(range(1, column), "tie") | {column: "decides"}
        rows.append(Row(member.id, kinds, mark, str(member.score), key=member.id, lit=bool(mark)))
    label = "The members, one a row, one byte a column, and their scores; the upper (↑) and the lower (↓) are compared"
    return byte_table(rows, label=label, note="score", decides=column)


def _opening(members: Sequence[Member]) -> str:
    strange = [member for member in members if member.score]
    if strange:
        return f"{code(strange[0].id)} was given score {strange[0].score}. Where will it stand?"
    return f"{len(members)} members, every score 0: only the bytes can decide. Which byte will it be?"


def _verdict(step: Comparison) -> str:
    upper, lower = step.members[step.upper], step.members[step.upper + 1]
    then = "the lower row goes first. Swap." if step.swap else "the upper row stays first. Leave them."
    if upper.score != lower.score:
        order = f"{upper.score} is {'greater' if step.swap else 'less'} than {lower.score}"
        return f"{tag('b', 'The score decides:')} {order}, before any byte is read; {then}"
    column = first_difference(upper.id, lower.id)
    left, right = upper.id[column - 1], lower.id[column - 1]
    order = f"{byte(left)} {_point(left)} is {'greater' if step.swap else 'less'} than {byte(right)} {_point(right)}"
    return f"{tag('b', f'Byte {column}:')} {order}; {then}"


def _point(char: str) -> str:
    return tag("span", f"(0x{ord(char):02x})", cls="emq-more")


def _end(
    done: Sequence[Member], minted: Sequence[Member], record: Sequence[BrandedId], reply: Sequence[BrandedId] | None
) -> str:
    order = [member.id for member in done]
    if done == minted:
        said = [tag("b", "Byte order is mint order:"), "the numbers at the left say who was minted first."]
    elif any(member.score for member in done):
        first = minted[0].id
        said = [
            tag("b", "Not mint order:"),
            f"{code(first)} was minted first and does not stand first. Its score was read before its bytes:",
            "the lex law holds under equal scores only.",
        ]
    else:
        said = [tag("b", "Not mint order:"), "these ids are of several namespaces, whose letters are compared first."]
    if record and done == minted:
        said.append("The static record has the same order." if order == list(record) else "The static record differs.")
    if reply is not None:
        same = "in the same order" if order == list(reply) else f"otherwise: {esc(' '.join(reply))}"
        said.append(f"The engine's own {code('ZRANGE')} answers {same}.")
    return " ".join(said)


def engine_replies(client: Redis | RedisCluster, ids: Sequence[BrandedId]) -> dict[str, list[BrandedId]]:
    """What the engine itself answers to ``ZRANGE key 0 -1`` for each scene. Two short-lived sets, gone afterwards."""
    oldest, key = min(ids), Keys(f"live-sort-{secrets.token_hex(8)}").pending
    replies: dict[str, list[BrandedId]] = {}
    for scene, score in ((EQUAL, 0), (MIXED, 1)):
        try:
            client.zadd(key, {one: score if one == oldest else 0 for one in ids})
            replies[scene] = [BrandedId(member) for member in raw(client, "ZRANGE", key, 0, -1)]
        finally:
            client.delete(key)
    return replies


class LiveSort(Lesson):
    """`ids` (2 to 8; the six demo ids, scrambled) put in order step by step, and then by the engine of `client`.

    Without a client it asks an embedded engine of its own. A kernel lets the reader scramble again and sort own ids.
    """

    def __init__(self, ids: Sequence[str | bytes] = SCRAMBLED, client: Redis | RedisCluster | None = None) -> None:
        self._client = connect("embedded://") if client is None else client
        self._first = tuple(map(BrandedId, ids))
        # The same scrambles in the same order for every reader, so that a class can talk of them.
        self._chance = Random(0)
        self._says = Says()
        self._ask = Ask("Own ids", " ".join(self._first), "Sort these", self._own, self._says)
        stage = Stage(
            self._frames(self._first),
            title="Live sort",
            lead=f"{len(self._first)} members of one sorted set, scrambled.",
        )
        scramble = Act("Scramble again", self._scramble, self._says)
        super().__init__(stage, needs_kernel(scramble, self._ask, self._says))

    def restore(self) -> None:
        self._chance.seed(0)
        self._ask.restore()
        self._says.say("")
        self.stage.show(self._frames(self._first))

    def _frames(self, ids: Sequence[BrandedId]) -> list[Frame]:
        self._ids = tuple(ids)
        record = DEMO if set(ids) == set(DEMO) else ()
        return live_sort_frames(ids, record=record, replies=engine_replies(self._client, ids))

    def _scramble(self) -> str:
        ids = self._chance.sample(self._ids, len(self._ids))
        self.stage.show(self._frames(ids))
        return "Scrambled. What do the bytes say now?"

    def _own(self, text: str) -> str:
        ids = [BrandedId(word) for word in text.replace(",", " ").split()]
        self.stage.show(self._frames(ids))
        return f"{len(ids)} ids of your own on the stage."
