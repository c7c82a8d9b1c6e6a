"""Small pure functions that turn data into the HTML of a picture; stage.css draws the classes.

Arguments called `html` are HTML already; every other string or bytes is data and comes out escaped.
"""

import html as _html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

KINDS = ("ns", "tie", "decides", "dim", "time", "node", "seq")
"""What a cell can be: namespace, a byte that ties, the byte that decides, out of play, and the snowflake's parts."""


def esc(text: str) -> str:
    """`text` as HTML text, safe in elements and in quoted attributes."""
    return _html.escape(text, quote=True)


def tag(name: str, *html: str, cls: str = "", **attrs: str | int | bool | None) -> str:
    """An element. `data_key=` becomes `data-key`; False and None leave an attribute out, True writes it bare.

    ARIA states are words, so pass `aria_pressed="true"`; see `card`.
    """
    pairs: dict[str, str | int | bool | None] = {"class": cls or None, **attrs}
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{esc(str(value))}"')
        for key, value in pairs.items()
        if value is not None and value is not False
    )
    return f"<{name}{written}>{''.join(html)}</{name}>"


def show_bytes(data: bytes | str, limit: int = 120) -> str:
    """`data` as readable text: UTF-8 where it is printable, each other byte as a marked `\\xNN`.

    Of more than `limit` characters the rest is counted, in bytes, not shown.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else bytes(data)
    text = raw.decode("utf-8", "surrogateescape")
    out = [
        esc("".join(run)) if printable else tag("span", _hex(_raw("".join(run))), cls="emq-raw")
        for printable, run in groupby(text[:limit], str.isprintable)
    ]
    rest = len(_raw(text[limit:]))
    if rest:
        out.append(tag("span", f"… {rest} more byte{'' if rest == 1 else 's'}", cls="emq-more"))
    return "".join(out)


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _hex(raw: bytes) -> str:
    return "".join(f"\\x{each:02x}" for each in raw)


def code(data: bytes | str, kind: str = "") -> str:
    """Monospace data in a sentence; `kind` one of KINDS, or "" for plain."""
    return tag("code", show_bytes(data), cls=_of_kind("emq-word-code", kind))


def byte(char: str, kind: str = "decides") -> str:
    """One byte as it stands in a caption: the character in a small cell."""
    return tag("code", show_bytes(char), cls=_of_kind("emq-byte", kind))


def label(text: str) -> str:
    """A quiet line over a part of a picture."""
    return tag("p", esc(text), cls="emq-label")


def chip(text: str) -> str:
    """The name of a law, in a pill."""
    return tag("span", esc(text), cls="emq-chip")


@dataclass(frozen=True)
class Row:
    """A line of a byte table: a cell for each character (or item) of `text`, what each is (1-based column → kind), the
    mark at the left, the note at the right. `lit` sets the line off, `dim` takes it out of play, `plain` draws no
    boxes: for values under the cells.
    """

    text: str | Sequence[str]
    kinds: Mapping[int, str] = field(default_factory=dict)
    mark: str = ""
    note: str = ""
    key: str = ""
    lit: bool = False
    dim: bool = False
    plain: bool = False


def byte_table(
    rows: Sequence[Row],
    *,
    label: str,
    note: str = "",
    columns: int = 0,
    heads: bool = True,
    marks: bool = True,
    decides: int = 0,
) -> str:
    """Rows of byte cells under numbered columns, with an optional column of notes headed `note` at the right.

    Rows may differ in length; `columns` sets a least width. `marks=False` leaves out the column of marks. `decides`
    (1-based) stresses one column's number.
    Cost: about 50 characters of HTML a cell.
    """
    width = max([columns, *(len(row.text) for row in rows)])
    noted = bool(note) or any(row.note for row in rows)
    reach = max([*map(len, note.split()), *(len(row.note) for row in rows)])  # the head may break into lines
    top = ""
    if heads:
        numbers = (
            tag("th", str(at), scope="col", cls="emq-here" if at == decides else "") for at in range(1, width + 1)
        )
        right = tag("th", esc(note), scope="col", cls="emq-note") if noted else ""
        top = tag("thead", tag("tr", tag("td", cls="emq-mark") if marks else "", *numbers, right))
    body = tag("tbody", *(_byte_row(row, width, noted, marks) for row in rows))
    style = f"--emq-columns:{width};--emq-note:{reach}"
    return tag(
        "table", top, body, cls="emq-bytes" + (" emq-bytes--noted" if noted else ""), aria_label=label, style=style
    )


def _byte_row(row: Row, width: int, noted: bool, marks: bool) -> str:
    cells = [cell(char, row.kinds.get(at, "")) for at, char in enumerate(row.text, 1)]
    cells += [tag("td", cls="emq-cell emq-cell--none")] * (width - len(row.text))
    right = [tag("td", esc(row.note), cls="emq-note")] if noted else []
    names = "emq-row" + " emq-row--lit" * row.lit + " emq-row--dim" * row.dim + " emq-row--plain" * row.plain
    left = tag("td", esc(row.mark), cls="emq-mark") if marks else ""
    return tag("tr", left, *cells, *right, cls=names, data_key=row.key or None)


def cell(char: str, kind: str = "", name: str = "td") -> str:
    """One byte cell; `kind` one of KINDS or "". Outside a table pass `name="span"`."""
    return tag(name, show_bytes(char), cls=_of_kind("emq-cell", kind))


def _of_kind(base: str, kind: str) -> str:
    if kind and kind not in KINDS:
        raise ValueError(f"expected a kind of {', '.join(KINDS)}, got {kind!r}")
    return f"{base} {base}--{kind}" if kind else base


def figure(name: str, value: str, *html: str) -> str:
    """One number or text that a picture arrives at, large, under its name; `html` are lines under it."""
    lines = (tag("div", line, cls="emq-figure-note") for line in html)
    return tag(
        "div",
        tag("div", esc(name), cls="emq-figure-name"),
        tag("code", esc(value), cls="emq-figure-value"),
        *lines,
        cls="emq-figure",
    )


def stack(*html: str) -> str:
    """Pieces of HTML under each other, evenly apart; empty ones take no room."""
    return tag("div", *html, cls="emq-pile")


@dataclass(frozen=True)
class Field:
    """A run of bits: its name, its width, its kind (time, node, seq or none), its value, a line under the value."""

    name: str
    width: int
    kind: str
    value: str
    note: str = ""


def bit_ruler(number: int, fields: Sequence[Field], *, label: str) -> str:
    """`number` as bits, the highest first, in a bracket for each field, with each field's box under its own bits.

    The widths add up to the number of bits (63 for a snowflake). Raises ValueError if `number` needs more.
    """
    total = sum(part.width for part in fields)
    if not 0 <= number < 1 << total:
        raise ValueError(f"expected a number of {total} bits, got {number}")
    digits, bits, boxes, start = f"{number:0{total}b}", [], [], 0
    for part in fields:
        stop = start + part.width
        bits += [tag("i", cls=_of_kind("emq-bit", part.kind) + " emq-on" * (bit == "1")) for bit in digits[start:stop]]
        boxes.append(
            tag(
                "div",
                tag("b", esc(part.name)),
                tag("span", f"{part.width} bits", cls="emq-bits-width"),
                tag("span", esc(part.value), cls="emq-bits-value"),
                tag("span", esc(part.note), cls="emq-bits-note") if part.note else "",
                cls=_of_kind("emq-field", part.kind),
                style=f"grid-column:{start + 1}/{stop + 1}",
            )
        )
        start = stop
    # The bits themselves are read out once, as a number of ones and noughts, not as sixty-three stops.
    ruler = tag("div", *bits, cls="emq-bits-row", role="img", aria_label=label)
    return tag("div", ruler, *boxes, cls="emq-bits", style=f"--emq-bits:{total}")


def card(name: str, value: bytes | str, role: str, goto: int, *, pressed: bool = False, absent: bool = False) -> str:
    """A row of a hash that a reader can pick: shows frame `goto`. `absent` draws the slot of a field that is not."""
    return tag(
        "button",
        tag("code", esc(name), cls="emq-card-name"),
        tag("code", show_bytes(value), cls="emq-card-value"),
        tag("span", esc(role), cls="emq-card-role"),
        type="button",
        cls="emq-card" + (" emq-card--absent" if absent else ""),
        data_goto=goto,
        data_key=f"card-{name}",
        aria_pressed="true" if pressed else "false",
    )


def tabs(items: Sequence[tuple[str, str, int]], here: int) -> str:
    """The cases of one question in a row: of each its name, a line under it or "", and the frame that it shows."""
    buttons = (
        tag(
            "button",
            tag("b", esc(name)),
            tag("code", esc(line)) if line else "",
            type="button",
            cls="emq-tab",
            data_goto=goto,
            data_key=f"tab-{at}",
            aria_pressed="true" if at == here else "false",
        )
        for at, (name, line, goto) in enumerate(items)
    )
    return tag("div", *buttons, cls="emq-tabs")


def side(title: str, html: str, law: str = "") -> str:
    """The panel beside a picture that tells about what is picked; `law` adds a chip."""
    return tag("div", tag("b", esc(title)), tag("div", html), chip(law) if law else "", cls="emq-side")


def split(left: str, right: str) -> str:
    """Two pieces of HTML side by side, one under the other where it is narrow."""
    return tag("div", tag("div", left, cls="emq-stack"), right, cls="emq-split")


def listing(
    text: str,
    current: Sequence[int] = (),
    *,
    done: Sequence[int] = (),
    never: Sequence[int] = (),
    label: str,
    first: int = 1,
) -> str:
    """Numbered lines of code from number `first` on.

    `current` are the ones running now, `done` those that have run, `never` those that will not.
    """
    lines = [
        tag(
            "li",
            tag("code", esc(line) or " "),
            cls="emq-line"
            + " emq-line--now" * (at in current)
            + " emq-line--done" * (at in done)
            + " emq-line--never" * (at in never),
            aria_current="step" if at in current else None,
        )
        for at, line in enumerate(text.splitlines(), first)
    ]
    return tag("ol", *lines, cls="emq-code", aria_label=label, style=f"counter-reset:line {first - 1}")


def keyspace(title: str, keys: Mapping[str, Sequence[tuple[str, bytes | str]]], *, changed: Sequence[str] = ()) -> str:
    """What the server holds: each key with its fields or members and their values; `changed` keys are marked."""
    bodies = [
        tag(
            "tbody",
            tag("tr", tag("th", tag("code", show_bytes(key)), colspan=2, scope="rowgroup")),
            *(
                tag("tr", tag("td", tag("code", show_bytes(name))), tag("td", tag("code", show_bytes(value))))
                for name, value in pairs
            ),
            cls="emq-kv-new" if key in changed else "",
        )
        for key, pairs in keys.items()
    ] or [tag("tbody", tag("tr", tag("td", "∅", cls="emq-kv-none")))]
    columns = tag("colgroup", '<col class="emq-kv-name"><col>')
    return tag("table", tag("caption", esc(title)), columns, *bodies, cls="emq-kv")


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows of HTML cells under `heads`, the first cell of each row heading it; `title` is its caption."""
    top = tag("thead", tag("tr", *(tag("th", esc(head), scope="col") for head in heads)))
    body = tag(
        "tbody", *(tag("tr", tag("th", first, scope="row"), *(tag("td", one) for one in rest)) for first, *rest in rows)
    )
    return tag("table", tag("caption", esc(title)), top, body, cls="emq-kv emq-table")


def wire(
    command: Sequence[bytes | str | int], reply: str = "", *, error: bool = False, names: Sequence[str] = ()
) -> str:
    """A command as sent, arguments quoted where they need it, and the reply (HTML) under it.

    `names` stand under the last arguments: what the receiver calls them.
    """
    plain = len(command) - len(names)
    named = (
        tag("span", _argument(part), tag("small", esc(name)), cls="emq-arg")
        for part, name in zip(command[plain:], names, strict=True)
    )
    sent = " ".join([*map(_argument, command[:plain]), *named])
    back = tag(
        "div",
        tag("span", "←", cls="emq-arrow", aria_hidden="true"),
        tag("code", reply),
        cls="emq-wire-reply" + " emq-wire-reply--error" * error,
    )
    return tag(
        "div",
        tag("div", tag("span", "→", cls="emq-arrow", aria_hidden="true"), tag("code", sent), cls="emq-wire-sent"),
        back if reply else "",
        cls="emq-wire",
    )


def _argument(part: bytes | str | int) -> str:
    data = str(part) if isinstance(part, int) else part
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return show_bytes(raw) if raw and b" " not in raw else f"&quot;{show_bytes(raw)}&quot;"


def diff(frozen: Sequence[str], live: Sequence[str] = (), *, marked: Sequence[int] = (), label: str) -> str:
    """Record lines, the live one under each frozen one that it differs from; `marked` (0-based) are read here.

    A live line that is the same is ticked, one that differs shows both.
    """
    items = []
    for at, line in enumerate(frozen):
        now = live[at] if at < len(live) else None
        same = now == line
        state = (
            ""
            if now is None
            else tag(
                "span", "✓" if same else "≠", cls="emq-diff-state", aria_label="same" if same else "differs", role="img"
            )
        )
        who = tag("span", "live: ", cls="emq-diff-who")
        both = "" if now is None or same else tag("code", who, show_bytes(now, 400), cls="emq-diff-live")
        cls = "emq-diff-line" + " emq-diff-line--marked" * (at in marked) + " emq-diff-line--off" * bool(both)
        items.append(tag("li", state, tag("code", show_bytes(line, 400)), both, cls=cls))
    return tag("ol", *items, cls="emq-diff", aria_label=label)
