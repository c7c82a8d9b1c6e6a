"""The decoder: a branded id taken apart, one act a frame, and put together again. The arithmetic is that of `emq.ids`.

Fourteen characters → digits → one number → 63 bits → time, node, sequence → the clock → the same fourteen characters.
"""

from datetime import datetime

from emq.errors import InvalidId, InvalidWindow
from emq.ids import (
    ALPHABET,
    BASE,
    DIGITS,
    EPOCH,
    EPOCH_MS,
    LENGTH,
    NAMESPACE_LENGTH,
    NODE_BITS,
    SEQ_BITS,
    TIME_BITS,
    BrandedId,
    check_namespace,
    check_prefix,
    decode,
)
from emq.widgets import markup as m
from emq.widgets.stage import Choice, Frame

NAMESPACE = dict.fromkeys(range(1, NAMESPACE_LENGTH + 1), "ns")
_WIDEST = LENGTH + 6  # of a text that is far too long, so many cells are shown


def utc(when: datetime) -> str:
    """An aware datetime as ``2026-06-11 09:01:41.949 UTC``, exact to the millisecond."""
    return f"{when.replace(tzinfo=None).isoformat(' ', 'milliseconds')} UTC"


def decoder_frames(text: str, scene: str = "decoder", choices: tuple[Choice, ...] = ()) -> list[Frame]:
    """`text` decoded in seven frames; when it is no id, one frame that says why and points at the character."""
    try:
        steps = _steps(BrandedId(text))
    except InvalidId as refusal:
        steps = [(_pointing(text), f"<b>Refused:</b> {m.esc(str(refusal))}.")]
    return [Frame(html, caption, choices, scene) for html, caption in steps]


def stamp_frame(branded: BrandedId, choices: tuple[Choice, ...] = ()) -> Frame:
    """The whole decoding in one compact picture."""
    return Frame(m.stack(_characters(branded), _fields(branded)), _minted(branded), choices, "stamp")


def fault_at(text: str) -> int:
    """What `BrandedId` complains of, as a 1-based place: the first missing, surplus or wrong character; 0 if none."""
    if len(text) != LENGTH:
        return min(len(text), LENGTH) + 1
    for at in range(1, len(text) + 1):
        try:
            # A namespace is judged letter by letter, which its own check does for three letters alike.
            check_namespace(text[at - 1] * NAMESPACE_LENGTH) if at <= NAMESPACE_LENGTH else check_prefix(text[:at])
        except (InvalidId, InvalidWindow):
            return at
    return 0


def _steps(branded: BrandedId) -> list[tuple[str, str]]:
    digits = branded[NAMESPACE_LENGTH:]
    values = [decode(digit) for digit in digits]
    sums = [decode(digits[: at + 1]) for at in range(DIGITS)]
    biggest = max(digits)
    below = ["", "", "", *map(str, values)]
    number = f"{branded.snowflake:,}"
    width = TIME_BITS + NODE_BITS + SEQ_BITS
    bits = m.bit_ruler(branded.snowflake, [m.Field("one number", width, "", "")], label=f"{number} in {width} bits")
    again = BrandedId.compose(branded.namespace, branded.minted_at, branded.node, branded.seq)
    same = dict.fromkeys((at for at in range(1, LENGTH + 1) if again[at - 1] == branded[at - 1]), "tie")
    both = m.byte_table(
        [m.Row(branded, same, note="read", key="id"), m.Row(again, same, note="again", key="again")],
        label="The id, and the id encoded again from its fields",
        marks=False,
    )
    figure = m.figure("digit by digit: what stands so far × 62, plus the next digit", number)
    running = m.figure(
        f"digit by digit: what stands so far × {BASE}, plus the next digit",
        number,
        m.esc(" → ".join(f"{each:,}" for each in sums)),
    )
    return [
        (
            _characters(branded),
            f"Fourteen characters. Three name the kind, {m.code(branded.namespace, 'ns')}; "
            "the eleven behind them are the digits of one number. No lookup, no server: everything else is in them.",
        ),
        (
            _characters(branded, below),
            f"Each character is a digit, and its value is its place in {m.code(ALPHABET[0])}…{m.code(ALPHABET[9])}"
            f"{m.code('A')}…{m.code('Z')}{m.code('a')}…{m.code('z')}: here {m.byte(biggest, '')} is "
            f"{decode(biggest)}. There are {BASE} of them.",
        ),
        (
            m.stack(_characters(branded, below), running),
            f"Read them as a number in base {BASE}: start with nothing, and for each digit multiply by {BASE} and add "
            f"it. The sum after the last digit is the snowflake, <b>{number}</b>.",
        ),
        (
            m.stack(_characters(branded, below), figure, bits),
            f"The same number in bits: {width} of them, tall for 1 and short for 0.",
        ),
        (
            m.stack(_characters(branded, below), figure, _fields(branded, ticks=True)),
            f"Cut at fixed places: the first {TIME_BITS} bits are a time, the next {NODE_BITS} a node, the last "
            f"{SEQ_BITS} a sequence number. The time stands first, so it decides first: that is why ids sort by it.",
        ),
        (
            m.stack(_characters(branded, below), figure, _fields(branded)),
            f"The time counts milliseconds since {utc(EPOCH)}. Add them: {_minted(branded)}",
        ),
        (
            m.stack(both, figure, _fields(branded)),
            "Back again: the kind, the time, the node and the sequence number encode to "
            f"{'the same fourteen bytes' if again == branded else 'other bytes'}. Nothing was lost, nothing was added.",
        ),
    ]


def _characters(branded: BrandedId, below: list[str] | None = None) -> str:
    rows = [m.Row(branded, NAMESPACE, key="id"), *([m.Row(below, plain=True)] if below else [])]
    label = f"The characters of {branded}" + (" and the value of each digit" if below else "")
    return m.byte_table(rows, label=label, marks=False)


def _fields(branded: BrandedId, ticks: bool = False) -> str:
    """The 63 bits with the fields under them: the time as milliseconds, or (without `ticks`) as the clock shows it."""
    counted = f"{branded.unix_ms - EPOCH_MS:,} ms"
    fields = [
        m.Field("time", TIME_BITS, "time", counted, "" if ticks else f"= {utc(branded.minted_at)}"),
        m.Field("node", NODE_BITS, "node", str(branded.node)),
        m.Field("sequence", SEQ_BITS, "seq", str(branded.seq)),
    ]
    label = f"{TIME_BITS} bits of time, {NODE_BITS} of node, {SEQ_BITS} of sequence"
    return m.bit_ruler(branded.snowflake, fields, label=label)


def _minted(branded: BrandedId) -> str:
    return (
        f"{m.code(branded)} is of kind <b>{branded.namespace}</b>, minted on node <b>{branded.node}</b>, sequence "
        f"<b>{branded.seq}</b>, at <b>{utc(branded.minted_at)}</b>."
    )


def _pointing(text: str) -> str:
    at = fault_at(text)
    shown = text[:_WIDEST]
    row = m.Row(shown, NAMESPACE | dict.fromkeys(range(at, len(shown) + 1) if at > LENGTH else (at,), "decides"))
    what = "the first character too many" if at > LENGTH else "the character that is wrong or missing"
    return m.byte_table([row], label=f"What was given, with {what} marked", columns=LENGTH, marks=False, decides=at)
