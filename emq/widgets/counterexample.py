"""A counterexample on the stage: the law, the smallest input that breaks it, the bytes, and the repair on that input.

The pure function is `counterexample_frames`, from a `Story` to frames. A story is plain text and bytes: a law tells
it (`emq.lesson.laws`), and whatever a mutant gave back is data, so it is escaped here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from emq.ids import NODE_BITS, SEQ_BITS, TIME_BITS
from emq.widgets.live_sort import first_difference
from emq.widgets.markup import Field, Row, bit_ruler, byte, byte_table, chip, code, esc, keyspace, show_bytes, tag, wire
from emq.widgets.stage import Choice, Frame, Stage

BROKEN, REPAIRED = "what broke", "the repair"
WIDEST = 20
"""Bytes in a row of cells; longer ones are shown as a line of text, since narrower cells could not be read."""


@dataclass(frozen=True)
class Line:
    """A line of bytes: the mark before it, a letter or a rank; a note behind it; `lit` sets it off."""

    mark: str
    data: bytes | str
    note: str = ""
    lit: bool = False

    @property
    def bytes(self) -> bytes:
        return self.data.encode("utf-8", "surrogatepass") if isinstance(self.data, str) else self.data


@dataclass(frozen=True)
class Turn:
    """One command of one of several clients, and its reply."""

    who: str
    command: Sequence[bytes | str | int]
    reply: str


@dataclass(frozen=True)
class Beat:
    """A step of a story. `says` is plain text in which `backticks` set data off.

    `lines` are drawn as byte cells; with `compare` the first two are read byte by byte, in two steps or one: those that
    tie, then the one that decides. `head` names the notes. `sent` is a command with its reply, `turns` what
    each of `clients` has sent so far, `keys` what the engine holds, `bits` a number to show as 64 bits, the sign first.
    """

    says: str
    lines: Sequence[Line] = ()
    compare: bool = False
    head: str = ""
    sent: tuple[Sequence[bytes | str | int], str] | None = None
    turns: Sequence[Turn] = ()
    clients: Sequence[str] = ()
    keys: Mapping[str, Sequence[tuple[str, bytes | str]]] = field(default_factory=dict)
    bits: int | None = None


@dataclass(frozen=True)
class Story:
    """A law broken: its name, the law in one sentence, what happened, and the same input under the law."""

    law: str
    sentence: str
    broke: Sequence[Beat]
    repair: Sequence[Beat] = ()


def counterexample_frames(story: Story) -> list[Frame]:
    """The frames of what broke, then those of the repair; a choice leads to the start of either."""
    broke = [frame for beat in story.broke for frame in _frames(beat)]
    mend = [frame for beat in story.repair for frame in _frames(beat)]
    choices = (Choice("What broke", 0), Choice("The repair", len(broke))) if mend else ()
    return [
        Frame(_law(story, scene) + picture, caption, choices, scene)
        for scene, frames in ((BROKEN, broke), (REPAIRED, mend))
        for picture, caption in frames
    ]


def _law(story: Story, scene: str) -> str:
    mark = "the law" if scene == BROKEN else "the law, kept"
    return tag("p", chip(mark), " ", tag("b", esc(story.law + ".")), " ", esc(story.sentence), cls="emq-law")


def _frames(beat: Beat) -> Iterator[tuple[str, str]]:
    rest = _engine(beat) + (_bits(beat.bits) if beat.bits is not None else "")
    if not beat.compare:
        yield _lines(beat, 0) + rest, _prose(beat.says)
        return
    a, b = beat.lines[0].bytes, beat.lines[1].bytes
    column = first_difference(a, b)
    if not column:
        yield _lines(beat, len(a) + 1) + rest, f"{_prose(beat.says)} All {len(a)} bytes are the same."
        return
    if column > 1:
        ties = f"Bytes 1 to {column - 1} tie" if column > 2 else "Byte 1 ties"
        yield _lines(beat, column, decided=False) + rest, f"{ties}: nothing is decided yet."
    yield _lines(beat, column) + rest, f"{_decision(a, b, column)} {_prose(beat.says)}"


def _lines(beat: Beat, column: int, *, decided: bool = True) -> str:
    """The lines as cells; the first two marked up to `column`, 0 for no marks."""
    if not beat.lines:
        return ""
    if any(len(line.bytes) > WIDEST for line in beat.lines):
        return tag(
            "dl", *(tag("dt", esc(line.mark)) + tag("dd", code(line.data)) for line in beat.lines), cls="emq-steps"
        )
    rows = []
    for at, line in enumerate(beat.lines):
        kinds: dict[int, str] = {}
        if column and at < 2:
            kinds = dict.fromkeys(range(1, column), "tie") | ({column: "decides"} if decided else {})
        rows.append(
            Row(
                [_char(each) for each in line.bytes],
                {at: kind for at, kind in kinds.items() if at <= len(line.bytes)},
                line.mark,
                line.note,
                key=f"{line.mark}-{line.note}",
                lit=line.lit or (bool(kinds) and decided),
            )
        )
    label = "The bytes, a column each" + (", the first two lines compared" if column else "")
    return byte_table(rows, label=label, note=beat.head, decides=column if decided else 0)


def _engine(beat: Beat) -> str:
    sent = wire(beat.sent[0], show_bytes(beat.sent[1])) if beat.sent else ""
    return _turns(beat.clients, beat.turns) + sent + (keyspace("what the engine holds", beat.keys) if beat.keys else "")


def _turns(clients: Sequence[str], turns: Sequence[Turn]) -> str:
    """A column for each client, a row for each command, the last one lit: time runs downwards."""
    if not turns:
        return ""
    heads = (tag("th", esc(who), scope="col") for who in clients)
    rows = (
        tag(
            "tr",
            *(tag("td", wire(turn.command, show_bytes(turn.reply)) if who == turn.who else "") for who in clients),
            cls="emq-turn" + " emq-turn--now" * (at == len(turns)),
            data_key=f"turn-{at}",
        )
        for at, turn in enumerate(turns, start=1)
    )
    label = "What each client sent, the first command at the top"
    return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), cls="emq-turns", aria_label=label)


def _bits(number: int) -> str:
    """64 bits as a machine keeps them, the sign before the snowflake's three fields."""
    sign = number >> 63
    fields = (
        Field("", 1, "decides", ""),
        Field("time", TIME_BITS, "time", f"{number >> NODE_BITS + SEQ_BITS & (1 << TIME_BITS) - 1:,} ms"),
        Field("node", NODE_BITS, "node", str(number >> SEQ_BITS & (1 << NODE_BITS) - 1)),
        Field("sequence", SEQ_BITS, "seq", str(number & (1 << SEQ_BITS) - 1)),
    )
    above = tag("p", f"as 64 bits, the sign first: {byte(str(sign))}")
    return above + bit_ruler(number, fields, label=f"64 bits: the sign, which is {sign}, then time, node and sequence")


def _decision(a: bytes, b: bytes, column: int) -> str:
    said = tag("b", f"Byte {column}:")
    left, right = a[column - 1 : column], b[column - 1 : column]
    if not left or not right:
        short = "a" if not left else "b"
        return f"{said} {short} has ended, and the shorter goes first."
    return f"{said} {_byte(left)} is {'above' if left > right else 'below'} {_byte(right)}."


def _byte(each: bytes) -> str:
    return f"{byte(_char(each[0]))} {tag('span', f'(0x{each[0]:02x})', cls='emq-more')}"


def _char(each: int) -> str:
    return chr(each) if each < 128 else f"\\x{each:02x}"


def _prose(text: str) -> str:
    """Plain text with `backticks` as HTML."""
    return "".join(code(part) if at % 2 else esc(part) for at, part in enumerate(text.split("`")))


class Counterexample(Stage):
    """What a hunt found, on a Stage: ``Counterexample(hunt("order", mutant).story)``."""

    def __init__(self, story: Story) -> None:
        super().__init__(counterexample_frames(story), title="The shortest counterexample")
