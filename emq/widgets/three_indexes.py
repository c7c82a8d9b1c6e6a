"""Three indexes: one sorted set, every score 0, read as the queue, as the browse index and as the time index."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any, Final

from redis import Redis
from redis.cluster import RedisCluster

from emq.engine import connect
from emq.errors import InvalidId, InvalidWindow, show
from emq.ids import LENGTH, BrandedId, prefix_span
from emq.jobs import KIND, Jobs, range_command
from emq.keys import Keys
from emq.widgets import markup as m
from emq.widgets.ask import Ask, Asks, Says
from emq.widgets.decoder import NAMESPACE, utc
from emq.widgets.live_sort import DEMO
from emq.widgets.stage import Choice, Frame, Lesson, Stage, first_of, needs_kernel

PAGE: Final = 2
WINDOW: Final = "JOB0Nvmd9"
SINCE: Final = datetime(2026, 6, 12, 23, 39, 40, 600_000, tzinfo=UTC)
UNTIL: Final = datetime(2026, 6, 12, 23, 39, 40, 700_000, tzinfo=UTC)
MOST: Final = 12
_NTH: Final = ("1st", "2nd", "3rd", *(f"{place}th" for place in range(4, MOST + 1)))


@dataclass(frozen=True)
class Answer:
    """What was asked of `Jobs.browse`, the one command that this sends, and the reply."""

    asked: Mapping[str, Any]
    command: tuple[str | bytes | int, ...]
    reply: tuple[BrandedId, ...]


def ask(client: Redis | RedisCluster, queue: str, **asked: Any) -> Answer:
    """Browses `queue` with the arguments `asked`. One command; raises what `Jobs.browse` raises."""
    command = range_command(Keys(queue).pending, **asked)
    return Answer(asked, command, tuple(Jobs(client, queue).browse(**asked)))


def ask_pages(client: Redis | RedisCluster, queue: str, count: int) -> list[Answer]:
    """The whole set newest first, `count` ids a page, each page after the last id of the one before."""
    pages = [ask(client, queue, count=count)]
    while len(pages[-1].reply) == count and (page := ask(client, queue, count=count, after=pages[-1].reply[-1])).reply:
        pages.append(page)
    return pages


def the_questions(client: Redis | RedisCluster, queue: str) -> dict[str, list[Answer]]:
    """The questions of the dive, put to `queue`: a label and its answers, one for each page."""
    return {
        "FIFO head": [ask(client, queue, count=1, oldest_first=True)],
        "Newest five": [ask(client, queue, count=5)],
        f"Window {WINDOW}": [ask(client, queue, prefix=WINDOW)],
        "Clock window": [ask(client, queue, since=SINCE, until=UNTIL)],
        "Page by page": ask_pages(client, queue, PAGE),
    }


def three_indexes_frames(ids: Sequence[BrandedId], questions: Mapping[str, Sequence[Answer]]) -> list[Frame]:
    """The set of `ids` with nothing asked, then a scene for each question with a frame for each of its answers.

    The members of a reply are lit and numbered in the order of the reply. Raises InvalidId for no ids, or more than 12.
    """
    if not 1 <= len(ids) <= MOST:
        raise InvalidId(f"expected 1 to {MOST} ids in the set; got {len(ids)}")
    starts = [1]
    for answers in questions.values():
        starts.append(starts[-1] + len(answers))
    choices = tuple(Choice(label, start) for label, start in zip(questions, starts, strict=False))
    first = Frame(
        _set(ids),
        f"{len(ids)} members, every score 0. The bytes keep them in mint order: the least is the oldest, the greatest "
        "the newest. Ask it a question.",
        choices,
    )
    return [
        first,
        *(
            Frame(m.stack(_set(ids, answer), _wire(answer)), _said(answer, ids), choices, label)
            for label, answers in questions.items()
            for answer in answers
        ),
    ]


def _set(ids: Sequence[BrandedId], answer: Answer | None = None) -> str:
    minted = sorted(ids, key=lambda one: (one.unix_ms, one.node, one.seq))
    ranks = {one: str(rank) for rank, one in enumerate(answer.reply, start=1)} if answer else {}
    rows = [
        m.Row(
            one,
            _kinds(one, answer),
            ranks.get(one, ""),
            f"0 · {_NTH[minted.index(one)]}",
            key=one,
            lit=one in ranks,
        )
        for one in ids
    ]
    rows += _bounds(answer) if answer and _is_window(answer) else []
    rows.sort(key=lambda row: ("".join(row.text), row.key == row.text))  # at equal bytes a bound is before the member
    label = "The pending set in byte order, one member a row, with its score and its place in mint order"
    table = m.byte_table(rows, label=label, note="score · minted")
    low = m.tag("div", "<b>lex-min</b> ↓ the oldest, the queue's head", cls="emq-end")
    high = m.tag("div", "<b>lex-max</b> ↑ the newest, browsed first", cls="emq-end")
    return low + table + high


def _kinds(one: BrandedId, answer: Answer | None) -> dict[int, str]:
    """Under a prefix, the bytes that agree with it and the first that does not; otherwise the namespace alone."""
    prefix = answer.asked.get("prefix") if answer else None
    if prefix is None:
        return dict(NAMESPACE)
    ties = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(prefix, one, strict=False)))
    return dict.fromkeys(range(1, ties + 1), "tie") | ({} if ties == len(prefix) else {ties + 1: "decides"})


def _bounds(answer: Answer) -> list[m.Row]:
    """The ends of a clock window as rows of the set that they cut, out of the command itself."""
    high, low = (str(bound, "ascii") for bound in answer.command[2:4] if isinstance(bound, bytes))
    return [
        m.Row(bound[1:], dict.fromkeys(range(1, LENGTH + 1), "dim"), bound[0], note, key=note)
        for bound, note in ((low, "since"), (high, "until"))
        if len(bound) > 1
    ]


def _is_window(answer: Answer) -> bool:
    return bool({"since", "until"} & answer.asked.keys())


def _wire(answer: Answer) -> str:
    lines = [f"{at}) {one}" for at, one in enumerate(answer.reply, start=1)] or ["(empty)"]
    return m.wire(answer.command, m.esc("\n".join(lines)))


def _said(answer: Answer, ids: Sequence[BrandedId]) -> str:
    asked, reply = answer.asked, answer.reply
    if (prefix := asked.get("prefix")) is not None:
        first, last = map(_utc_ms, prefix_span(prefix))
        width = prefix_span(prefix)[1] - prefix_span(prefix)[0] + 1
        return (
            f"<b>A prefix is a window.</b> Ids that start with {m.code(prefix, 'tie')} were minted from {first} to "
            f"{last}: it touches {width:,} ms, and its edges are where the digits fall. {_of(reply, ids)}"
        )
    if _is_window(answer):
        ends = [f"{word} {utc(asked[word])}" for word in ("since", "until") if asked.get(word) is not None]
        return (
            f"<b>A clock window,</b> {' '.join(ends) or 'open at both ends'}: each end is the least id that it could "
            f"have minted, the first inside and the second outside. {_of(reply, ids)}"
        )
    if "after" in asked:
        return f"<b>The cursor is an id.</b> The next page starts below {m.code(asked['after'])}; no offset is counted."
    if asked.get("oldest_first"):
        return f"<b>The queue.</b> The least member is the oldest: {_listed(reply)}. It is the next to be worked on."
    return f"<b>The browse index.</b> From the greatest down, newest first: {_listed(reply[:1])} leads {len(reply)}."


def _of(reply: Sequence[BrandedId], ids: Sequence[BrandedId]) -> str:
    return f"{len(reply)} of {len(ids)} are inside."


def _listed(reply: Sequence[BrandedId]) -> str:
    return ", ".join(map(m.code, reply)) or "there is none"


def _utc_ms(ms: int) -> str:
    return utc(BrandedId.compose(KIND, ms).minted_at)  # by the contract's integers; a float would miss some of them


def read_time(text: str) -> datetime | None:
    """A time as typed, ``2026-06-12 23:39:40.600``, in UTC unless it names its offset; blank is None, an open end."""
    if not text.strip():
        return None
    try:
        when = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidWindow(
            f"expected a UTC time such as 2026-06-12 23:39:40.600, or nothing; got {show(text)}"
        ) from None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


class ThreeIndexes(Lesson):
    """`ids` (the six demo ids) pending on an embedded engine of the widget's own, which answers every question.

    A kernel lets the reader ask for a prefix and a clock window of their own.
    """

    def __init__(self, ids: Sequence[str | bytes] = DEMO) -> None:
        self._ids = tuple(sorted(map(BrandedId, ids)))
        self._client, self._queue = connect("embedded://"), "orders"
        for one in self._ids:
            Jobs(self._client, self._queue).enqueue(one, "")
        self._first = the_questions(self._client, self._queue)
        self._own: dict[str, list[Answer]] = {}
        self._says = Says()
        self._prefix = Ask("Own prefix", WINDOW, "Cut by prefix", self._ask_prefix, self._says)
        since, until = (when.isoformat(" ", "milliseconds").removesuffix("+00:00") for when in (SINCE, UNTIL))
        self._window = Asks({"Since (UTC)": since, "Until (UTC)": until}, "Cut by clock", self._ask_window, self._says)
        stage = Stage(
            three_indexes_frames(self._ids, self._first),
            title="One set, three indexes",
            lead=f"{len(self._ids)} jobs pending in {m.code(Keys(self._queue).pending)}, and no second index anywhere.",
        )
        super().__init__(stage, needs_kernel(self._prefix, self._window, self._says))

    def restore(self) -> None:
        self._own.clear()
        self._prefix.restore()
        self._window.restore()
        self._says.say("")
        self.stage.show(three_indexes_frames(self._ids, self._first))

    def _ask_prefix(self, text: str) -> str:
        return self._show("Own prefix", ask(self._client, self._queue, prefix=text))

    def _ask_window(self, since: str, until: str) -> str:
        window = {"since": read_time(since), "until": read_time(until)}
        return self._show("Own clock window", ask(self._client, self._queue, **window))

    def _show(self, label: str, answer: Answer) -> str:
        self._own[label] = [answer]
        frames = three_indexes_frames(self._ids, self._first | self._own)
        self.stage.show(frames, first_of(frames, label))
        return f"{len(answer.reply)} of {len(self._ids)} members answer."
